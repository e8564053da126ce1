//! Series through every verb: read, described, learned from, predicted, filled, compared, audited.

use crate::bench::Bench;

const LONG: &str = "patient,at,what,value\n\
    a,00:00,pulse,80\na,00:00,age,61\na,01:30,pulse,90.50\na,01:30,lactate,2\na,03:00,pulse,85\na,04:00,lactate,3\n\
    b,00:10,pulse,70\nb,00:10,age,-1\nb,02:00,lactate,1.5\nb,02:00,,4\nb,03:00,pulse,77\n";

/// A folder with a long table of two patients.
fn bench() -> Bench {
    let bench = Bench::new();
    bench.write("long.csv", LONG);
    bench
}

const COLUMNS: &str = "--series patient --time at --variable what --value value";

#[test]
fn a_long_table_is_described_and_filled_byte_for_byte() {
    let bench = bench();
    let described =
        bench.succeed(&format!("describe long.csv {COLUMNS} --missing-in age=-1 --html page.html"));
    assert!(described.out.contains("2 series with 7 steps and 2 variables"), "{}", described.out);
    assert!(described.err.contains("1 row is skipped: its `what` is empty"), "{}", described.err);
    let page = String::from_utf8(bench.bytes("page.html")).unwrap();
    assert!(page.contains("How often each variable is known") && !page.contains("<script"));
    bench.succeed(&format!(
        "impute long.csv {COLUMNS} --method interpolation -o full.csv --save filler.unmiss"
    ));
    let full = String::from_utf8(bench.bytes("full.csv")).unwrap();
    assert!(full.starts_with(LONG), "{full}");
    assert!(full.contains("\na,00:00,lactate,") && full.contains("\na,03:00,lactate,2."), "{full}");
    assert_eq!(full.lines().count(), LONG.lines().count() + 6, "{full}");
    bench.succeed("impute long.csv --with filler.unmiss -o again.csv");
    assert_eq!(bench.bytes("again.csv"), bench.bytes("full.csv"), "the model knows the columns");
    bench.succeed(&format!("impute long.csv {COLUMNS} --step 1h --method last-value -o bins.csv"));
    let bins = String::from_utf8(bench.bytes("bins.csv")).unwrap();
    assert!(bins.starts_with("patient,at,age,lactate,pulse\na,00:00,61,"), "{bins}");
    assert!(bins.contains("\na,01:00,61,2,90.5\n"), "{bins}");
}

#[test]
fn the_ward_is_learned_from_and_asked_about() {
    let bench = Bench::new();
    let fit = "fit sample:ward --target died --method statistics --set predictor=linear -o ward.unmiss --html fit.html";
    let fitted = bench.succeed(fit);
    assert!(fitted.out.contains("Measured on 30 series that were held out"), "{}", fitted.out);
    let answers = bench.succeed("predict ward.unmiss sample:ward").out;
    assert!(answers.starts_with("series,prediction,probability_no,probability_yes\np001,"), "{answers}");
    assert_eq!(answers.lines().count(), 301);
    assert_eq!(bench.succeed("predict ward.unmiss sample:ward --threads 1").out, answers);
    assert_ne!(bench.succeed("predict ward.unmiss sample:ward --after 6h").out, answers);
    assert!(bench.succeed("show ward.unmiss").out.contains("a model of `died` from series"));
    // A patient alone does not show what changes over time, and nothing may be known of its age.
    bench.write("one.csv", "series,hour,weight,pulse\nx,00:00,80,90\nx,01:00,80,90\n");
    let one = bench.succeed("predict ward.unmiss one.csv --series series --time hour").out;
    assert_eq!(one.lines().count(), 2, "{one}");
    bench.write("late.csv", "series,hour,weight,pulse\nx,0,80,90\n");
    let failed = bench.run("predict ward.unmiss late.csv --series series --time hour");
    assert!(
        failed.out.is_empty() && failed.err.contains("learned and are numbers"),
        "{}{}",
        failed.out,
        failed.err
    );
    bench.succeed(
        "fit sample:ward --target died --method statistics --set predictor=linear --after 6h -o early.unmiss",
    );
    let refused = bench.run("impute sample:ward --after 6h -o a.csv");
    assert!(refused.code != 0 && refused.err.contains("none is cut off"), "{}", refused.err);
    let audited =
        bench.succeed("audit ward.unmiss sample:ward --rows 10 --levels 4 --masks 2 --html audit.html");
    assert!(audited.out.contains("lactate"), "{}", audited.out);
    let compared = bench.succeed("compare sample:ward --impute --methods interpolation,last-value").out;
    assert!(compared.contains("interpolation"), "{compared}");
    bench.succeed("impute sample:ward --method kalman --draws 2 --until 50h -o full.csv --html full.html");
    assert_ne!(bench.bytes("full-1.csv"), bench.bytes("full-2.csv"));
}

#[test]
fn what_makes_no_sense_is_told() {
    let bench = bench();
    for (line, what) in [
        ("describe long.csv --series patient", "it is not said which column holds the times"),
        ("describe long.csv --variable what --value value", "this is for series, and the data are none"),
        ("describe long.csv --series patient --time what", "is not a time"),
        ("describe long.csv --series patient --time at --step 10", "has no unit"),
        ("fit sample:ward --target weight -o a.unmiss", "under the name `weight`"),
        ("fit sample:ward --target pulse -o a.unmiss", "under the name `pulse`"),
        ("impute sample:ward --method trees -o a.csv", "method `trees`"),
        ("compare sample:ward --impute --how mar:0.2", "values of series are hidden at random"),
    ] {
        let failed = bench.run(line);
        assert!(failed.code != 0 && failed.err.contains(what), "{line}: {}", failed.err);
    }
}
