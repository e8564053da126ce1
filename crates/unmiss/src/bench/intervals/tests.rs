use super::judged::Coverage;
use super::*;

/// Mean coverage over some seeds of a made table: all rows, few known, many known, the column that matters missing.
fn coverage(table: &'static Source, rows: usize, method: &'static str, seeds: u64) -> [f64; 4] {
    let request = Request { seeds: 1, ..Request::default() };
    let mut sums = [0.0; 4];
    for seed in 0..seeds {
        let run = Run::new(seed, 2).unwrap();
        let (own, _) = Case { source: table, rows, method }.measure(&request, &run).unwrap().unwrap();
        let Coverage { all, few, many, missing } = own.coverage;
        let found = [all, few.unwrap(), many.unwrap(), missing.unwrap()];
        sums.iter_mut().zip(found).for_each(|(sum, share)| *sum += share / seeds as f64);
    }
    sums
}

/// The small version of the bench: it fails if intervals cease to hold for rows that lack what matters.
#[test]
fn intervals_hold_whatever_is_missing() {
    for table in NUMBERS.iter().filter(|source| ["dominant", "driven"].contains(&source.name)) {
        for (rows, seeds) in [(80, 30), (600, 6)] {
            let found = coverage(table, rows, "linear", seeds);
            for share in found {
                assert!((0.87..0.94).contains(&share), "{} n={rows}: {found:?}", table.name);
            }
        }
    }
}

#[test]
fn sets_hold_whatever_is_missing() {
    let three = CLASSES.iter().find(|source| source.name == "three").unwrap();
    let found = coverage(three, 600, "linear", 4);
    for share in found {
        assert!((0.87..0.95).contains(&share), "{found:?}");
    }
}

#[test]
fn real_tables_need_a_folder() {
    let request = Request { seeds: 1, only: vec!["ames".into()], ..Request::default() };
    let error = cases(&request).err().unwrap();
    assert!(error.to_string().contains("`ames` needs a folder"), "{error}");
    let made = cases(&Request { seeds: 1, ..Request::default() }).unwrap();
    assert!(made.iter().all(|case| case.source.file.is_none()));
}
