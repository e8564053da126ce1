//! Made tables: what is told, what is written, and what is refused.

use crate::bench::{Bench, assert_kept, ward};

#[test]
fn worlds_and_likenesses_are_told() {
    let bench = Bench::new();
    bench.write("ward.csv", ward(200));
    let lines = [
        "simulate --rows 2000 --columns 5 --seed 1 -o data.csv --truth full.csv --bayes best.csv",
        "simulate --rows 500 --columns 12 --mechanism mar --rate .3 --response wave -o mar.csv --skip 2000",
        "simulate --rows 500 --columns 4 --mechanism self-probit --response bowl -o probit.csv --bayes sampled.csv",
        "simulate --rows 200 --columns 4 --mechanism mnar -o mnar.csv",
        "simulate --like ward.csv -o made.csv --truth complete.csv --seed 2",
    ];
    assert_kept("simulate", &bench.transcripts(lines));
    assert_eq!(bench.text("data.csv").lines().count(), 2001);
    assert!(bench.text("data.csv").starts_with("x1,x2,x3,x4,x5,y\n"));
    assert!(bench.text("best.csv").starts_with("bayes,noiseless\n"));
    assert!(bench.text("sampled.csv").starts_with("bayes,noiseless,bayes_error\n"));
    assert_eq!(bench.text("made.csv").lines().next(), bench.text("complete.csv").lines().next());
    assert!(!bench.text("complete.csv").contains(",,"));
}

#[test]
fn the_same_rows_for_any_number_of_rows_and_threads() {
    let bench = Bench::new();
    for (name, line) in [
        ("few.csv", "--rows 100 --threads 1"),
        ("many.csv", "--rows 5000 --threads 2"),
        ("later.csv", "--rows 60 --skip 40 --threads 2"),
    ] {
        let answer = bench.run(&format!("simulate --mechanism self-gaussian -o {name} --seed 4 {line}"));
        assert_eq!(answer.code, 0, "{}", answer.err);
    }
    let (few, many, later) = (bench.text("few.csv"), bench.text("many.csv"), bench.text("later.csv"));
    assert!(many.starts_with(&few));
    assert_eq!(few.lines().skip(41).collect::<Vec<_>>(), later.lines().skip(1).collect::<Vec<_>>());
}

/// Nobody learns a target from the table: no word of ids, nor of what predictors do with texts.
#[test]
fn remarks_are_those_that_matter_here() {
    let bench = Bench::new();
    let rows: String = (0..300).map(|row| format!("{row},{},free words of row {row}\n", row % 7)).collect();
    bench.write("texts.csv", format!("number,x,words\n{rows}"));
    let answer = bench.succeed("simulate --like texts.csv -o made.csv");
    assert!(!answer.err.contains("--id") && !answer.err.contains("predictors"), "{}", answer.err);
    assert!(answer.out.contains("Left out, being texts or dates: words"), "{}", answer.out);
    bench.write("one.csv", "a,b\n1,2\n");
    let refused = bench.run("simulate --like one.csv -o made.csv");
    assert!(refused.err.contains("one row is too few"), "{}", refused.err);
}

#[test]
fn what_can_not_be_made_is_refused_and_nothing_is_lost() {
    let bench = Bench::new();
    bench.write("ward.csv", ward(50));
    bench.write("few.csv", "a,b\n1,2\n3,4\n");
    let before = bench.text("ward.csv");
    let lines = [
        "simulate --mechanism mnar -o data.csv --bayes best.csv --sweeps 0",
        "simulate --mechanism mcra -o data.csv",
        "simulate --response bwl -o data.csv",
        "simulate --rate 1.5 -o data.csv",
        "simulate --rows 0 -o data.csv",
        "simulate --columns 3 --weights 1,2 -o data.csv",
        "simulate --columns 1 --mechanism mar -o data.csv",
        "simulate -o data.csv --truth data.csv",
        "simulate -o data.xlsx",
        "simulate --like ward.csv -o ward.csv",
        "simulate --like ward.csv -o data.csv --bayes best.csv",
        "simulate --like few.csv -o data.csv",
        "simulate --like nowhere.csv -o data.csv",
    ];
    assert_kept("simulate_refused", &bench.transcripts(lines));
    assert_eq!(bench.text("ward.csv"), before);
    assert!(!bench.path("data.csv").exists() && !bench.path("best.csv").exists());
}
