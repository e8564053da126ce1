//! Reading and writing of series.

use super::*;
use crate::data::{Note, ReadOptions, read_bytes};
use crate::error::Result;

fn options(long: bool) -> SeriesOptions {
    SeriesOptions {
        form: Form {
            series: "id".into(),
            time: "t".into(),
            long: long.then(|| ("what".into(), "value".into())),
        },
        ..SeriesOptions::default()
    }
}

fn texts(notes: &[Note]) -> Vec<&str> {
    notes.iter().map(|note| note.text.as_str()).collect()
}

fn from_text(text: &str, options: &SeriesOptions) -> Result<SeriesReading> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("series.csv");
    std::fs::write(&path, text).unwrap();
    read(&path, options)
}

const LONG: &str = "id,t,what,value\n\
    7,00:00,age,61\n7,00:00,pulse,80\n7,01:30,pulse,90\n7,01:30,lactate,\n\
    7,02:00,,5\n\
    9,00:30,pulse,70\n9,00:00,age,\n9,00:30,lactate,1.5\n9,00:30,lactate,2.5\n9,47:59,pulse,77\n";

#[test]
fn a_long_table_is_read_and_all_is_told() {
    let SeriesReading { series, notes, .. } = from_text(LONG, &options(true)).unwrap();
    assert_eq!(series.ids(), ["7", "9"]);
    assert_eq!(series.variables(), ["lactate", "pulse"]);
    assert_eq!((series.times(0), series.times(1)), (&[0.0, 1.5][..], &[0.5, 47.0 + 59.0 / 60.0][..]));
    assert_eq!(series.values(0), [0.0, 80.0, 0.0, 90.0]);
    assert_eq!(series.observed(0), [false, true, false, true]);
    assert_eq!(series.values(1), [2.0, 70.0, 0.0, 77.0]);
    assert_eq!(series.column("age").unwrap().cell(0).unwrap(), "61");
    assert_eq!(series.column("age").unwrap().cell(1), None);
    assert_eq!(
        texts(&notes),
        [
            "1 row is skipped: its `what` is empty",
            "1 value stands more than once at the same time: their mean is taken",
            "the rows of 1 series are put in the order of time",
            "age: known once at most, at the first time of a series: taken as what does not change over time",
        ]
    );
}

const WIDE: &str = "id,t,sex,pulse,on,note,never\n\
    a,2024-01-01,f,80,1,x,\na,2024-01-02T12:00,f,,0,y,\nb,2024-03-01,m,70.50,,,\nb,2024-03-04,m,71,1,z,\n";

#[test]
fn a_wide_table_is_read_and_all_is_told() {
    let SeriesReading { series, notes, .. } = from_text(WIDE, &options(false)).unwrap();
    assert_eq!(series.variables(), ["pulse", "on"]);
    assert_eq!(series.times(0)[1] - series.times(0)[0], 36.0);
    assert_eq!(
        (series.values(1), series.observed(1)),
        (&[70.5, 0.0, 71.0, 1.0][..], &[true, false, true, true][..])
    );
    assert_eq!(series.statics().columns().len(), 1);
    assert_eq!(series.column("sex").unwrap().cell(1).unwrap(), "m");
    assert_eq!(
        texts(&notes),
        [
            "nothing is known of never: left out",
            "sex: the same in all rows of a series: what does not change over time",
            "note: words that change over time, which are left out",
        ]
    );
}

#[test]
fn what_can_t_be_read_is_a_clear_error() {
    for (text, what) in [
        ("id,t,what,value\n1,00:10,x,1\n1,5,x,2\n", "times are written in several ways"),
        ("id,t,what,value\n1,soon,x,1\n", "`soon` in column `t` is not a time"),
        ("id,t,what,value\n,1,x,1\n", "there is no row with a series and a time"),
        ("id,t,what,value\n1,1,x,high\n", "value"),
        ("id,t,value\n1,1,2\n", "there is no column `what`"),
    ] {
        let error = from_text(text, &options(true)).unwrap_err();
        assert!(error.to_string().contains(what), "{error}");
    }
}

#[test]
fn second_tables_know_more_about_each_series() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let main = file("long.csv", LONG);
    let about = |text: &str| SeriesOptions {
        targets: Some(file("targets.csv", text)),
        target: Some("died".into()),
        ..options(true)
    };
    let reading = read(&main, &about("id,score,died\n9,3,yes\n8,2,no\n")).unwrap();
    assert_eq!(reading.series.statics().columns().len(), 2, "nothing but the target is taken");
    assert_eq!(reading.series.column("died").unwrap().cell(1).unwrap(), "yes");
    assert_eq!(reading.series.column("died").unwrap().cell(0), None);
    let notes = texts(&reading.notes).join("; ");
    assert!(notes.contains("1 series has no row there: `7`"), "{notes}");
    assert!(notes.contains("1 series has no values and is left out: `8`"), "{notes}");
    for (text, what) in [
        ("id,died\n9,1\n9,0\n", "series `9` has two rows"),
        ("id,dead\n9,1\n", "there is no column `died`"),
        ("id,died\n1,1\n2,0\n", "no `id` of it is that of a series"),
    ] {
        let error = read(&main, &about(text)).unwrap_err().to_string();
        assert!(error.contains(what), "{error}");
    }
    let binned = SeriesOptions { step: Some("1h".parse().unwrap()), ..options(true) };
    let reading = read(&main, &binned).unwrap();
    assert_eq!((reading.series.all_steps(), reading.series.step), (2 + 48, Some(1.0)));
    assert!(
        reading.notes.last().unwrap().text.contains("times are put in bins of 1h"),
        "{:?}",
        reading.notes
    );
}

#[test]
fn filled_tables_keep_their_rows_byte_for_byte() {
    let folder = tempfile::tempdir().unwrap();
    for (text, long, more) in
        [(LONG, true, "7,00:00,lactate,3.25\n9,47:59,lactate,3.25\n"), (WIDE, false, "")]
    {
        let reading = from_text(text, &options(long)).unwrap();
        let mut filled = reading.series.clone();
        let width = filled.variables().len();
        for (one, step, variable) in (0..filled.len())
            .flat_map(|one| (0..2).flat_map(move |step| (0..width).map(move |own| (one, step, own))))
        {
            filled.fill(one, step, variable, 3.25);
        }
        let filled = filled.whole(|_| true);
        let path = folder.path().join("filled.csv");
        write_filled((&reading.series, &filled), reading.table.as_ref(), &path).unwrap();
        let written = std::fs::read_to_string(&path).unwrap();
        let expected = match long {
            // A row that waits for its value gets it.
            true => text.replace("7,01:30,lactate,", "7,01:30,lactate,3.25") + more,
            false => text.replace("12:00,f,,0", "12:00,f,3.25,0").replace("70.50,,", "70.50,3.25,"),
        };
        assert_eq!(written, expected);
        let again = from_text(&written, &options(long)).unwrap().series;
        assert_eq!(again.known_by_variable(), vec![again.all_steps(); width]);
    }
}

#[test]
fn steps_behind_the_end_are_written_too() {
    let text = "id,t,x\na,1,5\na,2,6\n";
    let reading = from_text(text, &options(false)).unwrap();
    let mut longer = reading.series.extended(4.0).unwrap();
    (2..4).for_each(|step| longer.fill(0, step, 0, 7.5));
    let longer = longer.whole(|_| true);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("filled.csv");
    write_filled((&reading.series, &longer), reading.table.as_ref(), &path).unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "id,t,x\na,1,5\na,2,6\na,3,7.5\na,4,7.5\n");
}

#[test]
fn words_for_missing_hold_for_variables_and_for_second_tables() {
    let folder = tempfile::tempdir().unwrap();
    let about = folder.path().join("about.csv");
    std::fs::write(&about, "id,weight\n1,-1\n2,70\n").unwrap();
    let mut options = SeriesOptions { statics: Some(about), ..options(true) };
    ["pulse", "weight"].iter().for_each(|name| options.read.missing.add_for(name, "-1"));
    let text = "id,t,what,value\n1,0,pulse,-1\n1,1,pulse,80\n1,2,depth,-1\n2,0,pulse,70\n2,1,depth,3\n";
    let series = from_text(text, &options).unwrap().series;
    assert_eq!(
        (series.variables(), series.known_by_variable()),
        (&["depth".into(), "pulse".into()][..], vec![2, 2])
    );
    assert_eq!(series.column("weight").unwrap().observed, [false, true]);
}

#[test]
fn a_table_in_memory_is_read_as_a_file_is() {
    let table = read_bytes("t.csv", LONG.as_bytes(), &ReadOptions::default()).unwrap().table;
    let reading = from_table(&table, &options(true)).unwrap();
    assert_eq!(reading.series, from_text(LONG, &options(true)).unwrap().series);
}

#[test]
fn the_ward_is_what_it_says() {
    let ward = sample().unwrap();
    let deaths = (0..300).filter(|&one| ward.column(TARGET).unwrap().cell(one).unwrap() == "yes").count();
    assert!((60..110).contains(&deaths), "{deaths}");
    assert_eq!(ward, sample().unwrap());
    let wide = ward.wide("patient", "time").unwrap();
    assert_eq!((wide.rows(), wide.columns().len()), (ward.all_steps(), 2 + 3 + 4));
}

#[test]
fn a_model_knows_what_changes_where_one_series_does_not_show_it() {
    let roles = SeriesRoles {
        variables: ["lactate", "pulse"].map(String::from).into(),
        statics: vec!["age".into()],
        clock: None,
    };
    for (long, text) in [
        (true, "id,t,what,value\n7,0,age,61\n7,0,lactate,2\n7,0,pulse,80\n"),
        (false, "id,t,age,lactate,pulse\n7,0,61,2,80\n"),
        (false, "id,t,age,lactate,pulse\n7,0,61,2,80\n7,1,61,2,80\n"),
    ] {
        let told = SeriesOptions { roles: roles.clone(), ..options(long) };
        let SeriesReading { series, notes, .. } = from_text(text, &told).unwrap();
        assert_eq!(series.variables(), ["lactate", "pulse"], "{text}");
        assert_eq!(series.column("age").unwrap().cell(0).unwrap(), "61", "{text}");
        assert!(!notes.iter().any(|note| note.text.contains("known once")), "{notes:?}");
    }
}

#[test]
fn series_are_cut_off_before_they_are_put_in_bins() {
    let early = SeriesOptions {
        after: Some("90min".parse().unwrap()),
        step: Some("1h".parse().unwrap()),
        ..options(true)
    };
    let text = "id,t,what,value\n7,00:00,pulse,80\n7,01:00,pulse,90\n7,01:45,pulse,100\n";
    let SeriesReading { series, notes, .. } = from_text(text, &early).unwrap();
    assert_eq!(series.values(0), [80.0, 90.0]);
    assert!(notes[0].text.contains("are left, and 2 of 3 values"), "{notes:?}");
}
