//! The model file: safetensors with a JSON header. The header says everything but the numbers.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Intervals, Model, Recipe, Roles, Summary};
use crate::data::MissingTokens;
use crate::encode::{Encoder, TargetEncoder, Task, features::NumberFeature};
use crate::error::{Error, Result};
use crate::methods;
use crate::store::Arrays;

/// The version of the file format. A file with a higher number is from a newer program.
pub const FORMAT: u64 = 1;

/// Advice on a file that can't be what was written.
const DAMAGED: &str = "the file is damaged; fit the model again";

#[derive(Serialize, Deserialize)]
struct Header {
    format: u64,
    kind: String,
    program: String,
    method: String,
    settings: Value,
    roles: Roles,
    encoder: Encoder,
    target: TargetEncoder,
    missing: MissingTokens,
    intervals: Option<Intervals>,
    summary: Summary,
}

impl Model {
    /// Writes the model to a file, all or nothing.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        self.predictor.save().write(path, &self.header()?)
    }

    /// The bytes of the model's file.
    ///
    /// # Errors
    /// When the model can't be put into a file.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        self.predictor.save().to_bytes(&self.header()?)
    }

    fn header(&self) -> Result<Value> {
        let header = Header {
            format: FORMAT,
            kind: "predictor".into(),
            program: concat!("unmiss ", env!("CARGO_PKG_VERSION")).into(),
            method: self.recipe.method.name().into(),
            settings: self.recipe.settings.clone(),
            roles: self.roles.clone(),
            encoder: self.encoder.clone(),
            target: self.target.clone(),
            missing: self.missing.clone(),
            intervals: self.intervals.clone(),
            summary: self.summary.clone(),
        };
        serde_json::to_value(header).map_err(|error| Error::data(error.to_string()))
    }

    /// Reads a model file.
    ///
    /// # Errors
    /// When the file is damaged, is no model, or is from a newer program.
    pub fn load(path: &Path) -> Result<Self> {
        load_with(path, Self::assemble)
    }

    /// Puts a model together from a file's bytes: what [`Model::load`] does after reading.
    ///
    /// # Errors
    /// As for [`Model::load`], in words.
    pub fn from_bytes(bytes: &[u8]) -> std::result::Result<Self, String> {
        let (header, arrays) = Arrays::from_bytes(bytes)?;
        Self::assemble(header, &arrays).map_err(|error| error.to_string())
    }

    fn assemble(header: Value, arrays: &Arrays) -> Result<Self> {
        check_format(&header, "predictor")?;
        let header: Header = serde_json::from_value(header)
            .map_err(|error| Error::data(format!("its header can't be read: {error}")).with_hint(DAMAGED))?;
        check(&header)?;
        let method = methods::find(&header.method).map_err(|_| {
            let what = format!("it was made by the method `{}`, which is unknown here", header.method);
            Error::data(what).with_hint("use the program that wrote it, or fit the model again")
        })?;
        method.encoding(&header.settings)?;
        let predictor = method.load(&header.settings, &header.encoder, header.target.task, arrays)?;
        Ok(Self {
            recipe: Recipe { method, settings: header.settings },
            roles: header.roles,
            encoder: header.encoder,
            target: header.target,
            missing: header.missing,
            intervals: header.intervals,
            summary: header.summary,
            predictor,
        })
    }
}

/// Reads a file of any kind and puts together what is in it; what goes wrong then is told with the file's name.
pub(super) fn load_with<T>(path: &Path, assemble: impl FnOnce(Value, &Arrays) -> Result<T>) -> Result<T> {
    let (header, arrays) = Arrays::read(path)?;
    assemble(header, &arrays).map_err(|error| {
        let hint = error.hint().map(str::to_owned);
        Error::Model { path: path.to_owned(), what: error.to_string(), hint }
    })
}

/// Refuses files of another format or of another kind than wanted.
pub(super) fn check_format(header: &Value, wanted: &str) -> Result<()> {
    let format = header.get("format").and_then(Value::as_u64).unwrap_or(0);
    if format != FORMAT {
        let what = format!("the file has format {format}, this program reads format {FORMAT}");
        return Err(Error::data(what).with_hint("use the program that wrote it, or fit the model again"));
    }
    let kind = header.get("kind").and_then(Value::as_str).unwrap_or_default();
    if kind == wanted {
        return Ok(());
    }
    if kind.is_empty() {
        return Err(Error::data("its header does not say what it holds").with_hint(DAMAGED));
    }
    let what = format!("the file holds a `{kind}` and not a `{wanted}`");
    Err(Error::data(what).with_hint(match wanted {
        _ if kind == "recommender" => "`unmiss recommend` uses models of ratings",
        "predictor" => "`unmiss fit` makes models that predict; `unmiss impute --with` uses imputers",
        "recommender" => "`unmiss recommend fit` makes models of ratings",
        _ => "`unmiss impute --save FILE` makes imputers; `unmiss predict` uses models",
    }))
}

/// Refuses headers whose parts contradict each other, so that nothing later relies on what does not hold.
fn check(header: &Header) -> Result<()> {
    let classes = match header.target.task {
        Task::Regression => 0,
        Task::Classification { classes } => classes,
    };
    let damaged =
        |what: &str| Err(Error::data(format!("its header contradicts itself: {what}")).with_hint(DAMAGED));
    if header.target.levels.len() != classes || classes == 1 {
        return damaged("number of classes");
    }
    let target = &header.target;
    let numbers = [target.low, target.high, target.mean, target.deviation];
    if target.low > target.high || !numbers.iter().all(|x| x.is_finite()) {
        return damaged("range of the target");
    }
    check_encoder(&header.encoder)
}

/// Refuses encoders that can't be what was written.
pub(super) fn check_encoder(encoder: &Encoder) -> Result<()> {
    let damaged =
        |what: &str| Err(Error::data(format!("its header contradicts itself: {what}")).with_hint(DAMAGED));
    if encoder.width() == 0 {
        return damaged("no inputs");
    }
    for feature in &encoder.categories {
        let others = feature.shares.len().wrapping_sub(feature.levels.len());
        if others > 1 || feature.shares.is_empty() || feature.shares.iter().any(|share| !share.is_finite()) {
            return damaged("levels of a category");
        }
    }
    let usable = |feature: &NumberFeature| {
        feature.width > 0.0
            && feature.low <= feature.high
            && feature.allowed().0 <= feature.allowed().1
            && [feature.width, feature.center, feature.low, feature.high].iter().all(|x| x.is_finite())
            && feature.mean.is_finite()
    };
    if !encoder.numbers.iter().all(usable) {
        return damaged("scale of a number");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Kind, Table};
    use crate::run::Run;

    /// The bytes of a small model of numbers and categories.
    fn bytes_of(method: &str, settings: &[(&str, &str)]) -> Vec<u8> {
        let numbers: Vec<f64> =
            (0..40).map(|row| if row % 4 == 0 { f64::NAN } else { f64::from(row) }).collect();
        let words: Vec<Option<&str>> = (0..40).map(|row| ["x", "y", "z"].get(row % 4).copied()).collect();
        let target: Vec<f64> = (0..40).map(|row| f64::from(row * row % 17)).collect();
        let table = Table::new(vec![
            Column::from_numbers("a", Kind::Real, &numbers),
            Column::from_words("c", Kind::Category, &words),
            Column::from_numbers("y", Kind::Real, &target),
        ])
        .unwrap();
        let mut recipe = Recipe::named(method).unwrap();
        for (name, value) in settings {
            recipe = recipe.set(name, value).unwrap();
        }
        let model = Model::fit(&table, &Roles::target("y"), &recipe, &Run::new(1, 1).unwrap()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.unmiss");
        model.save(&path).unwrap();
        std::fs::read(&path).unwrap()
    }

    fn small() -> Vec<(&'static str, Vec<u8>)> {
        let settings: [(&str, &[(&str, &str)]); 4] = [
            ("linear", &[]),
            ("trees", &[("rounds", "2"), ("members", "1")]),
            ("mlp", &[("hidden", "[2]"), ("epochs", "1")]),
            ("network", &[("width", "2"), ("layers", "1"), ("epochs", "1"), ("networks", "1")]),
        ];
        settings.into_iter().map(|(method, settings)| (method, bytes_of(method, settings))).collect()
    }

    /// The same file with its header changed.
    fn changed(bytes: &[u8], change: impl FnOnce(&mut Value)) -> Vec<u8> {
        let (length, rest) = bytes.split_at(8);
        let length = u64::from_le_bytes(length.try_into().unwrap()) as usize;
        let mut outer: Value = serde_json::from_slice(&rest[..length]).unwrap();
        let mut header: Value =
            serde_json::from_str(outer["__metadata__"]["unmiss"].as_str().unwrap()).unwrap();
        change(&mut header);
        outer["__metadata__"]["unmiss"] = Value::String(header.to_string());
        let outer = outer.to_string();
        [&(outer.len() as u64).to_le_bytes()[..], outer.as_bytes(), &rest[length..]].concat()
    }

    #[test]
    fn headers_that_can_not_be_are_refused() {
        for (method, good) in small() {
            assert!(Model::from_bytes(&changed(&good, |_| {})).is_ok());
            let refused = |pointer: &str, value: Value| {
                let bad = changed(&good, |header| *header.pointer_mut(pointer).unwrap() = value.clone());
                assert!(Model::from_bytes(&bad).is_err(), "{method}: {pointer} = {value}");
            };
            refused("/format", 2.into());
            refused("/encoder/numbers/0/width", 0.into());
            refused("/encoder/numbers/0/width", Value::Null);
            refused("/encoder/numbers/0/mean", 1e300.into());
            refused("/encoder/categories/0/shares", serde_json::json!([1e300, 0.0, 0.0]));
            refused("/encoder/categories/0/levels", serde_json::json!(["x"]));
            refused("/target/deviation", "wide".into());
            refused(
                "/target/task",
                serde_json::json!({"classification": {"classes": 1_000_000_000_000_u64}}),
            );
        }
    }

    #[test]
    fn sizes_are_compared_before_memory_is_taken() {
        // Layers of 8192 x 8192 in 32 layers would be 8 GB.
        let [_, _, (_, mlp), (_, network)] = small().try_into().unwrap();
        let wide = changed(&network, |header| {
            header["settings"]["width"] = 8192.into();
            header["settings"]["layers"] = 32.into();
        });
        assert!(Model::from_bytes(&wide).err().unwrap().contains("layer 0/weight"));
        let wide = changed(&mlp, |header| header["settings"]["hidden"] = vec![8192; 32].into());
        assert!(Model::from_bytes(&wide).err().unwrap().contains("layer 0/weight"));
    }

    #[test]
    fn damaged_files_are_refused_or_predict() {
        for (_, good) in small() {
            for place in 0..good.len() {
                let mut bad = good.clone();
                bad[place] ^= 1 << (place % 8);
                let Ok(model) = Model::from_bytes(&bad) else { continue };
                let names = model.encoder.numbers.iter().map(|feature| feature.name.clone());
                let numbers = names.map(|name| Column::from_numbers(name, Kind::Real, &[1.0, f64::NAN]));
                let categories = model.encoder.categories.iter().map(|feature| feature.name.clone());
                let words = [Some("x"), None];
                let categories = categories.map(|name| Column::from_words(name, Kind::Category, &words));
                if let Ok(table) = Table::new(numbers.chain(categories).collect()) {
                    model.predict(&table, |_, _| {}).unwrap();
                }
            }
        }
    }
}
