use super::*;
use crate::data::{Column, Kind, Table};
use crate::model::Aim;
use crate::run::Run;

/// The bytes of a small model of numbers and categories.
fn bytes_of(method: &str, settings: &[(&str, &str)]) -> Vec<u8> {
    let numbers: Vec<f64> = (0..40).map(|row| if row % 4 == 0 { f64::NAN } else { f64::from(row) }).collect();
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
    let model = Model::fit(&table.into(), &Aim::predict("y"), &recipe, &Run::new(1, 1).unwrap()).unwrap();
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
    let mut header: Value = serde_json::from_str(outer["__metadata__"]["unmiss"].as_str().unwrap()).unwrap();
    change(&mut header);
    outer["__metadata__"]["unmiss"] = Value::String(header.to_string());
    let outer = outer.to_string();
    [&(outer.len() as u64).to_le_bytes()[..], outer.as_bytes(), &rest[length..]].concat()
}

#[test]
fn what_does_not_come_back_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.unmiss");
    let bytes = bytes_of("linear", &[]);
    let save = |bytes: &[u8], is_same| save_with(&path, bytes.to_vec(), Model::assemble, |_| Ok(is_same));
    save(&bytes, true).unwrap();
    let unheard = changed(&bytes, |header| {
        header["coder"]["categories"][0]["levels"] = serde_json::json!([]);
        header["coder"]["categories"][0]["shares"] = serde_json::json!([]);
    });
    for (bytes, is_same, what) in [
        (&unheard[..], true, "its header contradicts itself: levels of a category"),
        (&bytes[..bytes.len() - 1], true, "incomplete metadata"),
        (&bytes[..], false, "it answers otherwise than before"),
    ] {
        let error = save(bytes, is_same).unwrap_err().to_string();
        assert!(error.contains("m.unmiss: not written") && error.contains(what), "{error}");
    }
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn headers_that_can_not_be_are_refused() {
    for (method, good) in small() {
        assert!(Model::from_bytes(&changed(&good, |_| {})).is_ok());
        let refused = |pointer: &str, value: Value| {
            let bad = changed(&good, |header| *header.pointer_mut(pointer).unwrap() = value.clone());
            assert!(Model::from_bytes(&bad).is_err(), "{method}: {pointer} = {value}");
        };
        refused("/format", 7.into());
        refused("/coder/numbers/0/width", 0.into());
        refused("/coder/numbers/0/width", Value::Null);
        refused("/coder/numbers/0/mean", 1e300.into());
        refused("/coder/categories/0/shares", serde_json::json!([1e300, 0.0, 0.0]));
        refused("/coder/categories/0/levels", serde_json::json!(["x"]));
        refused("/part/target/deviation", "wide".into());
        refused(
            "/part/target/task",
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
            let names = model.coder.table().unwrap().numbers.iter().map(|feature| feature.name.clone());
            let numbers = names.map(|name| Column::from_numbers(name, Kind::Real, &[1.0, f64::NAN]));
            let categories =
                model.coder.table().unwrap().categories.iter().map(|feature| feature.name.clone());
            let words = [Some("x"), None];
            let categories = categories.map(|name| Column::from_words(name, Kind::Category, &words));
            if let Ok(table) = Table::new(numbers.chain(categories).collect()) {
                model.predicting().unwrap().predict(&table.into(), |_, _| {}).unwrap();
            }
        }
    }
}
