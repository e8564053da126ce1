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
    assert!(audited.out.contains("lactate") && audited.out.contains("10 series, 4 shares of known\nvalues"));
    assert!(!audited.out.contains("cells") && !audited.out.contains(" rows"), "{}", audited.out);
    let judged = bench.succeed("evaluate ward.unmiss sample:ward").out;
    assert!(judged.contains("300 series whose `died` is known"), "{judged}");
    let shown = bench.run("show ward.unmiss --explain");
    assert!(shown.code != 0 && shown.err.contains("unmiss audit MODEL DATA"), "{}", shown.err);
    let compared = bench.succeed("compare sample:ward --impute --methods interpolation,last-value").out;
    assert!(
        compared.contains("hidden values of 300 series") && compared.contains("interpolation"),
        "{compared}"
    );
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
        (
            "hide sample:ward --how mcar:0.2 -o a.csv",
            "`sample:ward` holds series, and a table is wanted here",
        ),
        ("compare sample:ward --impute --how mar:0.2", "values of series are hidden at random"),
    ] {
        let failed = bench.run(line);
        assert!(failed.code != 0 && failed.err.contains(what), "{line}: {}", failed.err);
    }
}

#[test]
fn a_forecast_goes_on_where_the_series_went() {
    let bench = Bench::new();
    let steady =
        |one: usize, step: usize| format!("s{one},{step},{},{}\n", 100 + 10 * step + one, 5 + step % 2);
    let rows: String = (0..8).flat_map(|one| (0..21).map(move |step| steady(one, step))).collect();
    bench.write("up.csv", format!("id,t,x,y\n{rows}"));
    let columns = "--series id --time t --until 40";
    let x = |file: &str| {
        let full = String::from_utf8(bench.bytes(file)).unwrap();
        let last = full.lines().find(|line| line.starts_with("s0,40,")).unwrap().to_owned();
        last.split(',').nth(2).unwrap().parse::<f64>().unwrap()
    };
    bench.succeed(&format!("impute up.csv {columns} --method kalman --set model=trend -o trend.csv"));
    assert!((x("trend.csv") - 500.0).abs() < 1.0, "{}", x("trend.csv"));
    let told = bench.succeed(&format!("impute up.csv {columns} -o chosen.csv")).out;
    assert!(told.contains("of hidden ends of series") && (x("chosen.csv") - 500.0).abs() < 5.0, "{told}");
    let within = "--method kalman --set model=trend --within x=0..350 -o within.csv";
    bench.succeed(&format!("impute up.csv {columns} {within}"));
    assert_eq!(x("within.csv"), 350.0);
    let short = bench.succeed("impute up.csv --series id --time t --until 10 -o short.csv").err;
    assert!(short.contains("nothing is forecast"), "{short}");
}

/// Series that start at some time and have a value at each of so many steps.
fn steady(start: i64, step: i64, name: impl Fn(i64) -> String) -> String {
    let rows = (0..6).flat_map(|one| (0..10).map(move |place| (one, place)));
    rows.map(|(one, place)| {
        format!("s{one},{},{}\n", name(start + (place + one % 2) * step), (place * (one + 2)) % 7)
    })
    .collect()
}

#[test]
fn numbers_far_from_zero_count_from_the_first_of_each_series() {
    let bench = Bench::new();
    bench.write("years.csv", format!("id,t,x\n{}", steady(1990, 1, |time| time.to_string())));
    bench.write("epoch.csv", format!("id,t,x\n{}", steady(1_700_000_000, 600, |time| time.to_string())));
    bench.write("near.csv", format!("id,t,x\n{}", steady(0, 1, |time| time.to_string())));
    let columns = "--series id --time t";
    let described = bench.succeed(&format!("describe years.csv {columns}"));
    assert!(
        described.err.contains("numbers from 1990 to 2000, which do not start near 0"),
        "{}",
        described.err
    );
    assert!(described.out.contains("over 9 (from 9 to 9)"), "{}", described.out);
    let epoch = bench.succeed(&format!("describe epoch.csv {columns} --step 3600")).err;
    assert!(epoch.contains("60 steps become 12"), "{epoch}");
    bench.succeed(&format!(
        "impute years.csv {columns} --until 12 --method kalman -o full.csv --save k.unmiss"
    ));
    let full = String::from_utf8(bench.bytes("full.csv")).unwrap();
    assert!(full.contains("\ns0,2002,") && !full.contains("s0,2003,"), "{full}");
    // A model keeps it: near 0 as well, numbers count from the first then.
    let near = bench.succeed("impute near.csv --with k.unmiss --until 12 -o near-full.csv");
    assert!(!near.err.contains("count from"), "{}", near.err);
    let near = String::from_utf8(bench.bytes("near-full.csv")).unwrap();
    assert!(near.contains("\ns1,13,") && !near.contains("\ns0,13,"), "{near}");
}

#[test]
fn filled_files_are_written_as_those_that_were_read() {
    let bench = Bench::new();
    let day = |time: i64| format!("{:02}.03.2024 {:02}:00", 1 + time / 24, time % 24);
    let rows = steady(20, 6, day).replace(',', ";").replace(";3\n", ";3,5\n").replace(";5\n", ";\n");
    bench.write("german.csv", format!("id;t;x\r\n{}", rows.replace('\n', "\r\n").trim_end()));
    let german = "impute german.csv --series id --time t --until 72h --method kalman -o full.csv";
    bench.succeed(german);
    let full = String::from_utf8(bench.bytes("full.csv")).unwrap();
    assert!(full.lines().all(|line| line.split(';').count() == 3), "{full}");
    assert!(full.contains("\r\ns0;04.03.2024 14:00;"), "{full}");
    let mut values = full.lines().skip(1).map(|line| line.rsplit(';').next().unwrap());
    assert!(
        values.all(|value| !value.is_empty() && value.len() <= 4 && !value.contains('.')),
        "decimal commas, and as many places as the others have: {full}"
    );
    // A row that waits for its value gets it, and no second one.
    bench.write("rows.csv", "id,t,what,v\na,0,x,1\na,1,x,\na,2,x,3\na,2,y,1\nb,0,x,4\nb,1,x,-9\nb,2,x,2\n");
    let long = "--series id --time t --variable what --value v --missing-in x=-9";
    bench.succeed(&format!("impute rows.csv {long} --method interpolation -o rows-full.csv"));
    let full = String::from_utf8(bench.bytes("rows-full.csv")).unwrap();
    assert!(
        full.starts_with("id,t,what,v\na,0,x,1\na,1,x,2\na,2,x,3\na,2,y,1\nb,0,x,4\nb,1,x,3\nb,2,x,2\n"),
        "{full}"
    );
    assert_eq!(full.matches(",x,").count(), 6, "{full}");
}

#[test]
fn what_the_reader_of_tables_notices_is_told_of_series() {
    let bench = Bench::new();
    let rows: String = (0..30)
        .flat_map(|one| {
            let height = if one % 5 == 0 { -1 } else { 150 + one };
            [
                format!("p{one};0;height;{height}\n"),
                format!("p{one};0;pulse;{},5\n", 60 + one),
                format!("p{one};1;pulse;{},25\n", if one % 9 == 0 { 999 } else { 70 + one }),
            ]
        })
        .collect();
    bench.write("ward.csv", format!("The ward\n\nid;t;what;v\n{rows}"));
    let columns = "--series id --time t --variable what --value v";
    let told = bench.succeed(&format!("describe ward.csv {columns}")).err;
    for what in [
        "above the names of the columns",
        "is read as the number",
        "variable `height` has `-1` (6) far outside its other values",
        "add `--missing-in \"height=-1\"`",
    ] {
        assert_eq!(told.matches(what).count(), 1, "{what}: {told}");
    }
    let told = bench.succeed(&format!("describe ward.csv {columns} --missing-in height=-1")).err;
    assert!(!told.contains("far outside"), "{told}");
    for line in [
        format!("describe ward.csv {columns} --missing-in heigth=-1"),
        format!("describe ward.csv {columns} --target heigth"),
    ] {
        let failed = bench.run(&line);
        assert!(failed.code != 0 && failed.err.contains("did you mean `height`?"), "{line}: {}", failed.err);
    }
    bench.write("one.csv", "id,t,x,never\na,0,1,\na,1,,\nb,0,2,\nb,1,3,\n");
    let failed = bench.run("impute one.csv --series id --time t --method last-value -o full.csv");
    assert!(failed.code != 0 && failed.err.contains("`never` (nothing is known of it)"), "{}", failed.err);
    assert_eq!(
        bench.bytes("full.csv"),
        b"id,t,x,never\na,0,1,\na,1,1,\nb,0,2,\nb,1,3,\n",
        "the rest is filled"
    );
    let described = bench.succeed("describe one.csv --series id --time t").out;
    assert!(described.contains("4 steps and 1 variable:"), "{described}");
}

#[test]
fn a_model_of_early_answers_knows_it() {
    let bench = Bench::new();
    let fit = "fit sample:ward --target died --method statistics --set predictor=linear --test 0";
    bench.succeed(&format!("{fit} --after 6h --ignore lactate -o early.unmiss"));
    let shown = bench.succeed("show early.unmiss").out;
    assert!(
        shown.contains("6 h after the start of each series")
            && shown.contains("variables        pulse, temperature, pressure\n"),
        "{shown}"
    );
    let whole = bench.succeed("predict early.unmiss sample:ward -o all.csv").err.replace("\n  ", " ");
    assert!(
        whole.contains("was known 6 h after the start of each series, and these series are not cut"),
        "{whole}"
    );
    assert!(whole.contains("did not learn from are ignored: `lactate`"), "{whole}");
    let early = bench.succeed("predict early.unmiss sample:ward --after 6h -o early.csv").err;
    assert!(!early.contains("after the start"), "{early}");
    let level = bench.run("predict early.unmiss sample:ward --after 6h --level 0.9 -o a.csv");
    assert!(level.code != 0 && level.err.contains("only models of tables have"), "{}", level.err);
}
