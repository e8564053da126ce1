//! What is extreme is refused with a word or done in bounded memory: numbers, runs of nothing, counts.

use std::io::Write as _;

use crate::bench::{Bench, ward};

#[test]
fn a_number_too_large_to_compute_with_is_refused_where_it_stands() {
    let bench = Bench::new();
    for (name, cell) in [("first", "1e160"), ("second", "-1.5e308"), ("third", "1e101")] {
        let file = format!("{name}.csv");
        bench.write(&file, format!("a,y\n1,2.5\n2,{cell}\n3,\n4,7\n"));
        for line in [
            format!("fit {file} --target y -o m.unmiss"),
            format!("describe {file} --target y"),
            format!("impute {file} --html page.html"),
            format!("density {file} -o d.unmiss"),
            format!("compare {file} --target y"),
        ] {
            let answer = bench.run(&line);
            assert_eq!(answer.code, 1, "{line}: {}", answer.err);
            let what = format!("line 3, column `y`: `{cell}` is too large a number to compute with");
            assert!(answer.err.replace("\n  ", " ").contains(&what), "{line}: {}", answer.err);
        }
    }
}

#[test]
fn large_and_tiny_numbers_go_all_the_way() {
    let bench = Bench::new();
    for size in [1e98, 1e-160, 1e-300] {
        let mut text = String::from("a,b,y\n");
        for row in 0..40 {
            let (a, b) = (f64::from(row % 7) * size, f64::from(row * row % 11) * size);
            let known = if row % 5 == 0 { String::new() } else { format!("{b:e}") };
            text += &format!("{a:e},{known},{:e}\n", 2.0 * a - b + size);
        }
        bench.write("t.csv", text);
        bench.succeed("fit t.csv --target y --method linear -o m.unmiss -q");
        let answer = bench.succeed("predict m.unmiss t.csv");
        let numbers = answer.out.lines().skip(1).flat_map(|line| line.split(','));
        let numbers: Vec<f64> = numbers.map(|cell| cell.parse().unwrap()).collect();
        assert!(
            numbers.len() == 120 && numbers.iter().all(|x| x.is_finite() && x.abs() < 100.0 * size),
            "{size}"
        );
        bench.succeed("describe t.csv --target y --html d.html");
        bench.succeed("impute t.csv --method chained --draws 2 -o f.csv --html page.html -q");
        bench.succeed("audit m.unmiss t.csv --html audit.html -q");
    }
}

#[test]
fn ends_of_a_range_are_numbers() {
    let bench = Bench::new();
    bench.write("t.csv", "a,b\n1,2\n,3\n3,5\n4,4\n");
    for range in ["inf..inf", "-inf..inf", "1e200..1e300", "nan..1", "2..1"] {
        let answer = bench.run(&format!("impute t.csv --method mean --within a={range}"));
        assert!(answer.code == 1 && answer.err.contains("COLUMN=LOW..HIGH"), "{range}: {}", answer.err);
    }
    assert!(bench.succeed("impute t.csv --method mean --within a=..2").out.contains("\n2,3\n"));
}

#[test]
fn more_threads_than_any_machine_has_are_refused() {
    let bench = Bench::new();
    bench.write("t.csv", "a,b\n1,2\n,3\n3,5\n4,4\n");
    let answer = bench.run("impute t.csv --method mean --threads 100000");
    assert!(answer.code == 1 && answer.err.contains("setting `threads`"), "{}", answer.err);
    bench.succeed("impute t.csv --method mean --threads 300");
}

#[test]
fn more_draws_than_anybody_can_use_are_refused() {
    let bench = Bench::new();
    bench.write("t.csv", "a,b\n1,2\n,3\n3,5\n4,4\n");
    assert!(bench.run("impute t.csv --draws 65535 -o f.csv").err.contains("1..=1000"));
}

#[cfg(unix)]
#[test]
fn draws_need_not_be_open_all_at_once() {
    let bench = Bench::new();
    bench.write("t.csv", "a,b\n1,2\n,3\n3,5\n4,4\n7,\n");
    bench.succeed("impute t.csv --method chained --save i.unmiss -q");
    let program = assert_cmd::cargo::cargo_bin!("unmiss").display().to_string();
    for (line, name) in
        [("impute t.csv --method chained", "learned"), ("impute t.csv --with i.unmiss", "new")]
    {
        let line = format!("ulimit -n 64; exec {program} {line} --draws 150 -q -o {name}.csv");
        let mut command = std::process::Command::new("sh");
        let output = command.args(["-c", &line]).current_dir(bench.path("")).output().unwrap();
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
        for draw in [1, 75, 150] {
            assert_eq!(bench.text(&format!("{name}-{draw}.csv")).lines().count(), 6, "{name} {draw}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn runs_of_nothing_take_no_memory() {
    let bench = Bench::new();
    bench.write("ward.csv", ward(300));
    bench.succeed("fit ward.csv --target days --id id --ignore outcome --method linear -o m.unmiss -q");
    let rows = ward(20);
    let (header, rows) = rows.split_once('\n').unwrap();
    for (name, start) in [("within.csv.gz", format!("{header}\n{rows}")), ("before.csv.gz", String::new())] {
        let file = std::fs::File::create(bench.path(name)).unwrap();
        let mut packed = flate2::write::GzEncoder::new(file, flate2::Compression::best());
        packed.write_all(start.as_bytes()).unwrap();
        let nothing = vec![b'\n'; 1 << 20];
        (0..400).for_each(|_| packed.write_all(&nothing).unwrap());
        packed.write_all(rows.as_bytes()).unwrap();
        packed.finish().unwrap();
    }
    let (answer, peak) = bench.measured("predict m.unmiss within.csv.gz");
    assert_eq!((answer.code, answer.out.lines().count()), (0, 41), "{}", answer.err);
    assert!(peak < 100 << 20, "{} MB", peak >> 20);
    let (answer, peak) = bench.measured("predict m.unmiss before.csv.gz");
    assert!(answer.code == 1 && answer.err.contains("64 MB of nothing"), "{}", answer.err);
    assert!(peak < 300 << 20, "{} MB", peak >> 20);
    let (answer, peak) = bench.measured("describe within.csv.gz");
    assert!(answer.code == 1 && answer.err.contains("times its size"), "{}", answer.err);
    assert!(peak < 700 << 20, "{} MB", peak >> 20);
}

#[test]
fn with_keys_a_row_gets_the_same_draws_wherever_it_stands() {
    let bench = Bench::new();
    bench.write("t.csv", ward(120));
    bench.succeed("impute t.csv --method chained --ignore id --save i.unmiss --draws 3 -o t-full.csv -q");
    let text = ward(60);
    let (header, rows) = text.split_once('\n').unwrap();
    let rows: Vec<&str> = rows.lines().collect();
    let backwards: Vec<&str> = rows.iter().rev().copied().collect();
    bench.write("all.csv", format!("{header}\n{}\n", rows.join("\n")));
    bench.write("backwards.csv", format!("{header}\n{}\n", backwards.join("\n")));
    bench.write("part.csv", format!("{header}\n{}\n", rows[30..].join("\n")));
    let filled = |file: &str, keys: &str| {
        let answer = bench.succeed(&format!("impute {file}.csv --with i.unmiss --draws 3 --long {keys} -q"));
        let mut lines: Vec<String> = answer.out.lines().skip(1).map(str::to_owned).collect();
        lines.sort();
        lines
    };
    let all = filled("all", "--row-key id");
    assert_eq!(filled("backwards", "--row-key id"), all);
    assert!(filled("part", "--row-key id").iter().all(|line| all.contains(line)));
    assert_ne!(filled("backwards", ""), filled("all", ""), "places tell rows apart where keys do not");
    assert!(
        bench.run("impute all.csv --with i.unmiss --draws 2 --long --row-key name").err.contains("`row-key`")
    );
}

#[test]
fn formulas_are_passed_on_unless_they_are_to_be_guarded() {
    let bench = Bench::new();
    bench.write("t.csv", "id,a,b\n=1+1,1,2\n@x,,3\n-4,3,5\n\"=A1,B1\",4,\n");
    let line = "impute t.csv --method mean --ignore id -q";
    assert!(bench.succeed(line).out.contains("\n=1+1,1,2\n"));
    let guarded = bench.succeed(&format!("{line} --guard-formulas")).out;
    assert!(
        guarded.contains("\n'=1+1,1,2\n'@x,") && guarded.contains("\n-4,3,5\n\"'=A1,B1\",4,"),
        "{guarded}"
    );
    bench.succeed("fit t.csv --target b --id id --method linear --folds 2 -o m.unmiss -q");
    let guarded = bench.succeed("predict m.unmiss t.csv --guard-formulas").out;
    assert!(guarded.contains("\n'=1+1,") && guarded.contains("\n-4,"), "{guarded}");
}

#[test]
fn what_a_terminal_would_obey_is_not_printed() {
    let bench = Bench::new();
    let name = "\u{1b}]0;title\u{7}";
    bench.write("t.csv", format!("{name},b,c\n1,\u{1b}[31mred,2\n,x,\n3,x,1\n4,\u{9b}2J,5\n"));
    bench.succeed(&format!("fit t.csv --target '{name}' --method linear --folds 2 -o m.unmiss -q"));
    for line in [
        "describe t.csv".to_owned(),
        format!("describe t.csv --target '{name}'"),
        "show m.unmiss".to_owned(),
        "impute t.csv --method mean -o full.csv".to_owned(),
        "fit t.csv --target absent".to_owned(),
        "predict m.unmiss full.csv -o out.csv".to_owned(),
        "hide t.csv --how mcar:0.3 -o holes.csv".to_owned(),
    ] {
        let answer = bench.run(&line);
        let obeyed = |c: char| c.is_control() && c != '\n';
        assert!(!answer.out.contains(obeyed) && !answer.err.contains(obeyed), "{line}: {:?}", answer.out);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn many_columns_are_no_burden() {
    let bench = Bench::new();
    let seconds = |columns: usize| {
        let names: Vec<String> = (0..columns).map(|column| format!("c{column}")).collect();
        let row = |row: usize| -> Vec<String> {
            let cell = |column: usize| {
                if (row + column).is_multiple_of(4) { String::new() } else { (column * row % 7).to_string() }
            };
            (0..columns).map(cell).collect()
        };
        let rows: Vec<String> = (0..5).map(|number| row(number).join(",")).collect();
        bench.write("t.csv", format!("{}\n{}\n", names.join(","), rows.join("\n")));
        bench.processor_seconds("impute t.csv --method mean --threads 1 -o full.csv")
    };
    // Eight times the columns: eight times the work, where squares would be sixty-four.
    let (few, many) = (seconds(2500), seconds(20_000));
    assert!(many < 24.0 * few.max(0.05), "{few} s for 2,500 columns, {many} s for 20,000");
}
