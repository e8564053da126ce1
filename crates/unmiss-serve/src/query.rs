//! What stands behind the `?` of an address.

use std::str::FromStr;

use axum::extract::Query as Parsed;
use axum::http::Uri;
use unmiss::error::nearest;

use crate::fault::{Answer, Fault};

/// Parameters of a request.
#[derive(Debug, Clone, Default)]
pub struct Query(Vec<(String, String)>);

impl Query {
    /// Reads them; only those of the route are known.
    pub fn read(uri: &Uri, known: &[&str]) -> Answer<Self> {
        let Ok(Parsed(given)) = Parsed::<Vec<(String, String)>>::try_from_uri(uri) else {
            return Err(Fault::bad("the parameters can't be read", "write them as ?name=value&other=value"));
        };
        for (place, (name, _)) in given.iter().enumerate() {
            if !known.contains(&name.as_str()) {
                let hint = match (nearest(name, known.iter().copied()), known) {
                    (Some(near), _) => format!("did you mean `{near}`?"),
                    (None, []) => "leave it out: there are none here".to_owned(),
                    (None, _) => format!("there are: {}", known.join(", ")),
                };
                return Err(Fault::bad(format!("there is no parameter `{name}` here"), hint)
                    .at("parameter", name.as_str()));
            }
            if given[..place].iter().any(|(own, _)| own == name) {
                return Err(Fault::bad(format!("`{name}` is given twice"), "give it once")
                    .at("parameter", name.as_str()));
            }
        }
        Ok(Self(given))
    }

    /// A parameter as text.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// Names apart by commas.
    pub fn list(&self, name: &str) -> Vec<String> {
        let text = self.text(name).unwrap_or_default();
        text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
    }

    /// A number that passes a check, told in words.
    pub fn number<T: FromStr>(
        &self,
        name: &str,
        words: &str,
        fits: impl Fn(&T) -> bool,
    ) -> Answer<Option<T>> {
        let Some(text) = self.text(name) else { return Ok(None) };
        text.parse().ok().filter(fits).map(Some).ok_or_else(|| {
            Fault::bad(format!("`{text}` is not {words}"), format!("give {words}")).at("parameter", name)
        })
    }

    /// Yes or no.
    pub fn flag(&self, name: &str) -> Answer<Option<bool>> {
        match self.text(name) {
            None => Ok(None),
            Some("true") => Ok(Some(true)),
            Some("false") => Ok(Some(false)),
            Some(text) => Err(Fault::bad(format!("`{text}` is neither true nor false"), "say true or false")
                .at("parameter", name)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_known_read_once_and_checked() {
        let read = |text: &str| Query::read(&text.parse().unwrap(), &["level", "id", "account"]);
        let query = read("/x?level=0.9&id=a,%20b&account=true").unwrap();
        assert_eq!(query.number("level", "a share", |share: &f64| *share < 1.0).unwrap(), Some(0.9));
        assert!(query.number("level", "a share", |share: &f64| *share > 1.0).is_err());
        assert_eq!(query.list("id"), ["a", "b"]);
        assert_eq!(query.flag("account").unwrap(), Some(true));
        for wrong in ["/x?levl=1", "/x?level=1&level=2", "/x?%ff=1"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
        assert!(read("/x?account=1").unwrap().flag("account").is_err());
    }
}
