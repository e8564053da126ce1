//! Files as people have them: decimal commas, titles, other encodings, sentinels, and other forms out.

use crate::bench::Bench;

/// What a spreadsheet of a country with decimal commas saves.
fn export() -> String {
    let cell = |row: u32| match row {
        7 | 20 => "unbekannt".to_owned(),
        row => format!("{}", 110 + row % 30),
    };
    let rows: String = (0..40)
        .map(|row| {
            let fever = if row % 5 == 1 { String::new() } else { format!("{},{}", 36 + row % 4, row % 10) };
            let days = if row == 9 { -999 } else { i64::from(1 + row * 3 % 23) };
            format!("{row};{fever};{}.{:03},50 €;{};{days}\n", 1 + row % 3, row * 17 % 1000, cell(row))
        })
        .collect();
    format!("sep=;\nStation 3;;;;\nNr;Fieber;Kosten;sbp;Tage\n{rows}")
}

#[test]
fn a_spreadsheet_of_decimal_commas_is_read_filled_and_read_again() {
    let bench = Bench::new();
    let legacy: Vec<u8> = export()
        .chars()
        .map(|letter| if letter == '€' { 0x80 } else { u8::try_from(letter).unwrap() })
        .collect();
    std::fs::write(bench.path("export.csv"), legacy).unwrap();
    let answer = bench.succeed("describe export.csv --id Nr");
    let (out, said) = (answer.out, answer.err);
    for note in [
        "is read as Windows-1252",
        "1 line above the names",
        "is read as the number 36",
        "is read as the number 1",
        "sbp` is 95 % numbers; the rest are `unbekannt` (2)",
        "--missing-in",
        "`-999` (1) far outside its other values (1 to 23)",
    ] {
        assert!(said.replace("\n  ", " ").contains(note), "{note}: {said}");
    }
    assert!(out.contains("Fieber                   real      36 to 39.9, median"), "{out}");
    bench.succeed("impute export.csv --method mean --missing -999 --missing-in sbp=unbekannt,x -o full.csv --save i.unmiss");
    let full = bench.text("full.csv");
    assert!(
        full.starts_with("sep=;\nStation 3;;;;\nNr;Fieber;Kosten;sbp;Tage\n0;36,0;1.000,50 €;110;1\n1;3"),
        "{full}"
    );
    assert!(!full.contains("unbekannt") && !full.contains("-999") && full.contains("\n1;38;"), "{full}");
    // The imputer remembers the words, and looks at the form of new rows itself.
    bench.write(
        "new.csv",
        "Tage,sbp,Nr,Kosten,Fieber\n-999,unbekannt,1,2000.5,\n4,120,2,,37.5\n7,99,3,1.5,38\n",
    );
    bench.succeed("impute new.csv --with i.unmiss -o new-full.csv");
    assert!(bench.text("new-full.csv").contains("\n4,120,2,"), "{}", bench.text("new-full.csv"));
    assert!(!bench.text("new-full.csv").contains("unbekannt"));
}

#[test]
fn tables_go_out_as_parquet_and_arrow_and_come_back() {
    let bench = Bench::new();
    bench.write(
        "ward.jsonl",
        "{\"age\": 61, \"sex\": \"m\"}\n{\"age\": null, \"sex\": \"f\"}\n{\"age\": 40.5}\n",
    );
    for ending in ["parquet", "arrow", "feather"] {
        bench.succeed(&format!("impute ward.jsonl --method mean -o full.{ending}"));
        bench.succeed(&format!("impute full.{ending} --method mean -o again.csv"));
        assert_eq!(bench.text("again.csv").lines().next(), Some("age,sex"));
        assert!(bench.text("again.csv").contains("\n61,m\n"), "{ending}: {}", bench.text("again.csv"));
    }
}

#[test]
fn dates_text_and_orders_predict() {
    let bench = Bench::new();
    let row = |row: u32| {
        let (grade, note) = (
            ["low", "high", "middle"][row as usize % 3],
            ["fall at home", "chest pain"][row as usize / 3 % 2],
        );
        let y = f64::from(row % 3 * 2 % 3) + f64::from(row / 3 % 2);
        format!("2024-{:02}-{:02},{grade},{note} since day {row},{y}\n", 1 + row % 12, 1 + row % 28)
    };
    let rows: String = (0..120).map(row).collect();
    bench.write("ward.csv", format!("when,grade,note,y\n{rows}"));
    let fit = "fit ward.csv --target y --method linear --folds 2 --task regression -o m.unmiss";
    let said = bench.succeed(&format!("{fit} --ordered grade=low<middle<high")).err;
    assert!(
        said.replace("\n  ", " ").contains("`grade` is a number by its order: low < middle < high"),
        "{said}"
    );
    let shown = bench.succeed("show m.unmiss").out;
    assert!(shown.contains("format 6") && shown.contains("when: month (sine)"), "{shown}");
    bench.write("new.csv", "note,grade,when\nchest pain,high,2024-05-01\n,,\nfall,unheard,soon\n");
    let answer = bench.succeed("predict m.unmiss new.csv --explain 1");
    let (answers, said) = (answer.out, answer.err);
    assert_eq!(answers.lines().count(), 4, "{answers}");
    assert!(said.contains("`unheard`"), "{said}");
    let refused = bench.run(&format!("{fit} --ordered grade=low<high"));
    assert!(refused.code == 1 && refused.err.contains("`middle`"), "{}", refused.err);
}

/// Cases with the day first in their dates, an event in words, and a code with zeros in front.
fn cases() -> String {
    let row = |row: u32| {
        let (day, month) = (1 + row % 28, 1 + row % 12);
        let died = if (row % 28 + row * 7 % 10) < 16 { "ja" } else { "nein" };
        let lab = if row.is_multiple_of(9) {
            "unbekannt".to_owned()
        } else {
            format!("{},{}", 3 + row % 5, row % 10)
        };
        format!(
            "{row:03};{day:02}.{month:02}.2024;{lab};{}.{:03},50 €;{died}\n",
            1 + row % 3,
            row * 17 % 1000
        )
    };
    format!("Fall;Aufnahme;Labor;Kosten;verstorben\n{}", (0..120).map(row).collect::<String>())
}

#[test]
fn days_first_an_event_in_words_and_codes_are_taken_as_people_mean_them() {
    let bench = Bench::new();
    bench.write("cases.csv", cases());
    let fit = "fit cases.csv --target verstorben --method linear --missing-in Labor=unbekannt --id Fall";
    let said = bench.succeed("describe cases.csv").err.replace("\n  ", " ");
    for note in ["(`01.01.2024` is 2024-01-01)", "`Fall` has whole numbers with a 0 in front (`000`)"] {
        assert!(said.contains(note), "{note}: {said}");
    }
    let out = bench.succeed(&format!("{fit} -o m.unmiss")).out;
    assert!(out.contains("about `ja`"), "{out}");
    // What is made of a date is explained as the date.
    let shown = bench.succeed("show m.unmiss --explain").out;
    assert!(shown.contains("Aufnahme") && !shown.contains("Aufnahme: "), "{shown}");
    let reasons = bench.succeed("predict m.unmiss cases.csv --explain 2").out;
    assert!(reasons.contains("Aufnahme = 01.01.2024: "), "{reasons}");
    assert!(
        bench.succeed("audit m.unmiss cases.csv --rows 20 --masks 4 --no-contrast").out.contains("of 3 ")
    );
    // Beside the predictions every cell stands as it was.
    bench.succeed("predict m.unmiss cases.csv --append -o out.csv");
    let out = bench.text("out.csv");
    for (written, read) in out.lines().zip(cases().lines()) {
        assert!(written.starts_with(&format!("{read};")), "{written} {read}");
    }
    assert_eq!(out.lines().count(), 121);
    let answer = bench.succeed(&format!("{fit} --event nein -o n.unmiss"));
    assert!(answer.out.contains("about `nein`"), "{}", answer.out);
    let said = bench.run(&format!("{fit} --event vielleicht -o n.unmiss")).err.replace("\n  ", " ");
    assert!(said.contains("`vielleicht` is no class") && said.contains("ja, nein"), "{said}");
}

#[test]
fn dates_that_can_be_read_in_two_ways_are_asked_for() {
    let bench = Bench::new();
    let rows: String =
        (0..60).map(|row| format!("{:02}/{:02}/2024,{row}\n", 1 + row % 9, 1 + row % 11)).collect();
    bench.write("visits.csv", format!("seen,cost\n{rows}"));
    let said = bench.succeed("describe visits.csv").err.replace("\n  ", " ");
    assert!(said.contains("whether the day or the month comes first in `01/01/2024`"), "{said}");
    assert!(said.contains("--dates dmy or --dates mdy"), "{said}");
    assert!(bench.succeed("describe visits.csv --dates dmy").out.contains("date"));
}

#[test]
fn numbers_with_something_beside_them_are_told() {
    let bench = Bench::new();
    let row = |row: u32| {
        let crp = if row.is_multiple_of(4) { "<5".to_owned() } else { format!("{}", 5 + row) };
        let code = ["a", "b", "c", "d", "e"][row as usize % 5];
        format!("{} kg,\"({},50)\",{crp},{}{code}\n", 60 + row % 30, 100 + row % 40, row % 7)
    };
    bench.write("units.csv", format!("weight,cost,crp,code\n{}", (0..60).map(row).collect::<String>()));
    let said = bench.succeed("describe units.csv").err.replace("\n  ", " ");
    for (column, example) in [("weight", "60 kg"), ("cost", "(100,50)"), ("crp", "<5")] {
        assert!(said.contains(&format!("column `{column}` is read as category")), "{column}: {said}");
        assert!(said.contains(&format!("as `{example}` has")), "{example}: {said}");
    }
    assert!(!said.contains("column `code`"), "{said}");
    // What was noticed stands on the page and in the JSON file too.
    bench.succeed("describe units.csv --html page.html --json found.json");
    assert!(bench.text("page.html").contains("as `&lt;5` has") || bench.text("page.html").contains("&lt;5"));
    assert!(bench.text("found.json").contains("column `crp` is read as category"));
}

#[test]
fn totals_below_the_rows_are_left_out_and_told() {
    let bench = Bench::new();
    let rows: String = (0..30).map(|row| format!("p{row};{};{}\n", 50 + row % 20, row % 2)).collect();
    bench.write("ward.csv", format!("id;age;died\n{rows}Summe;1200;15\n\nStand: Mai 2024\n"));
    let answer = bench.succeed("describe ward.csv");
    let said = answer.err.replace("\n  ", " ");
    assert!(said.contains("2 lines below the rows left out, from `Summe` on"), "{said}");
    assert!(answer.out.contains("30 rows"), "{}", answer.out);
    bench.succeed("fit ward.csv --target died --id id --method linear -o m.unmiss");
    assert_eq!(bench.succeed("predict m.unmiss ward.csv").out.lines().count(), 31);
}

#[cfg(target_os = "linux")]
#[test]
fn a_place_that_can_not_be_written_is_found_before_the_fit() {
    let bench = Bench::new();
    let answer = bench.run("fit sample:penguins --target species --method trees -o /proc/x.unmiss");
    assert!(answer.code != 0 && !answer.err.contains("folds"), "{}", answer.err);
    let said = bench.run("impute sample:penguins --json -").err.replace("\n  ", " ");
    assert!(said.contains("-o and --json ask for would both go to standard output"), "{said}");
    let said = bench.run("impute sample:penguins --method pmm").err;
    assert!(said.contains("`chained`"), "{said}");
}
