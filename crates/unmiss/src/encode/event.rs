//! Which of two classes is the event: the one whose chance is told, and that figures of one class are about.

use crate::error::{Error, Result};

/// Words for what happened, or is there, in several languages.
const YES: [&str; 62] = [
    "yes",
    "y",
    "true",
    "ja",
    "j",
    "oui",
    "si",
    "sí",
    "sì",
    "sim",
    "tak",
    "ano",
    "da",
    "kyllä",
    "igen",
    "evet",
    "wahr",
    "vrai",
    "vero",
    "verdadero",
    "died",
    "dead",
    "death",
    "deceased",
    "gestorben",
    "verstorben",
    "tot",
    "mort",
    "décédé",
    "muerto",
    "fallecido",
    "morto",
    "positive",
    "positiv",
    "positif",
    "positivo",
    "pos",
    "case",
    "fall",
    "cas",
    "caso",
    "event",
    "ereignis",
    "événement",
    "evento",
    "failure",
    "failed",
    "relapse",
    "recurrence",
    "diseased",
    "sick",
    "ill",
    "krank",
    "malade",
    "enfermo",
    "malato",
    "malignant",
    "abnormal",
    "present",
    "fraud",
    "churned",
    "default",
];
/// Words for what did not happen, or is not there.
const NO: [&str; 47] = [
    "no",
    "n",
    "false",
    "nein",
    "non",
    "nej",
    "nee",
    "não",
    "nie",
    "ne",
    "ei",
    "nem",
    "hayır",
    "falsch",
    "faux",
    "falso",
    "alive",
    "lived",
    "survived",
    "lebt",
    "lebend",
    "überlebt",
    "vivant",
    "vivo",
    "negative",
    "negativ",
    "négatif",
    "negativo",
    "neg",
    "control",
    "kontrolle",
    "contrôle",
    "controllo",
    "healthy",
    "well",
    "gesund",
    "sain",
    "sano",
    "benign",
    "normal",
    "absent",
    "none",
    "never",
    "nie gehabt",
    "censored",
    "censurado",
    "zensiert",
];

/// Puts the event last of two classes: the one that is named, else the one whose word says so. Nothing of more
/// classes is changed, nor where no word tells: the alphabet stands.
///
/// # Errors
/// When the named one is none of two classes.
pub(super) fn put_last(levels: &mut [String], named: Option<&str>, target: &str) -> Result<()> {
    let Some(named) = named else {
        if let [first, second] = levels
            && says_yes(first, second)
        {
            levels.reverse();
        }
        return Ok(());
    };
    let refused = |what: String, levels: &[String]| {
        let hint = format!("the classes of `{target}` are: {}", levels.join(", "));
        Err(Error::setting("event", what).with_hint(hint))
    };
    if levels.len() != 2 {
        return refused(format!("an event is one of two classes, and there are {}", levels.len()), levels);
    }
    match levels.iter().position(|level| level == named) {
        Some(0) => levels.reverse(),
        Some(_) => {}
        None => return refused(format!("`{named}` is no class"), levels),
    }
    Ok(())
}

/// Whether by the words the first of two is what happened, and the second is not.
fn says_yes(first: &str, second: &str) -> bool {
    let side = |word: &str| {
        let word = word.trim().to_lowercase();
        (YES.contains(&word.as_str()), NO.contains(&word.as_str()))
    };
    let ((yes, no), (other_yes, other_no)) = (side(first), side(second));
    (yes && !other_yes) || (other_no && !no)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ordered(levels: [&str; 2], named: Option<&str>) -> Result<[String; 2]> {
        let mut levels = levels.map(str::to_owned);
        put_last(&mut levels, named, "y").map(|()| levels)
    }

    #[test]
    fn the_event_is_the_last_of_two() {
        for (levels, event) in [
            (["ja", "nein"], "ja"),
            (["no", "yes"], "yes"),
            (["Died", "Survived"], "Died"),
            (["case", "control"], "case"),
            (["non", "oui"], "oui"),
            (["positiv", "unklar"], "positiv"),
            (["stroke", "never"], "stroke"),
            (["0", "1"], "1"),
            (["1", "2"], "2"),
            (["female", "male"], "male"),
        ] {
            assert_eq!(ordered(levels, None).unwrap()[1], event);
        }
        assert_eq!(ordered(["ja", "nein"], Some("nein")).unwrap(), ["ja", "nein"]);
        assert_eq!(ordered(["female", "male"], Some("female")).unwrap(), ["male", "female"]);
        let error = ordered(["ja", "nein"], Some("yes")).unwrap_err();
        assert!(error.to_string().contains("`yes` is no class"), "{error}");
        let mut three = ["a", "b", "ja"].map(str::to_owned);
        assert!(put_last(&mut three, Some("ja"), "y").is_err());
        put_last(&mut three, None, "y").unwrap();
        assert_eq!(three, ["a", "b", "ja"]);
    }
}
