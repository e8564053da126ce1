//! What a command reads stays as it is, whatever its outputs are called; links stay links and pipes stay pipes.

use std::collections::BTreeSet;
use std::os::unix::fs::{FileTypeExt, symlink};

use crate::bench::{Bench, ward};

/// Every option that names a file to write, as `OUT`, with the files that it must not be: what the command reads, and
/// what else it writes.
const CASES: &[(&str, &[&str])] = &[
    ("fit ward.csv --target days --ignore id,outcome --method linear -o OUT", &["ward.csv"]),
    (
        "fit ward.csv --target days --ignore id,outcome --method linear -o a.unmiss --html OUT",
        &["ward.csv", "a.unmiss"],
    ),
    (
        "fit ward.csv --target days --ignore id,outcome --method linear -o a.unmiss --json OUT",
        &["ward.csv", "a.unmiss"],
    ),
    ("evaluate model.unmiss ward.csv --json OUT", &["model.unmiss", "ward.csv"]),
    ("evaluate model.unmiss ward.csv --json a.json --html OUT", &["model.unmiss", "ward.csv", "a.json"]),
    ("methods --json OUT", &[]),
    (
        "compare ward.csv --target days --ignore id --methods linear --repeats 1 --folds 2 -o OUT",
        &["ward.csv"],
    ),
    ("predict model.unmiss ward.csv -o OUT", &["model.unmiss", "ward.csv"]),
    ("predict model.unmiss ward.csv -o p.csv --json OUT", &["model.unmiss", "ward.csv", "p.csv"]),
    ("impute ward.csv --method mean -o OUT", &["ward.csv"]),
    ("impute ward.csv --method mean -o a.csv --save OUT", &["ward.csv", "a.csv"]),
    ("impute ward.csv --method mean -o a.csv --mark OUT", &["ward.csv", "a.csv"]),
    ("impute ward.csv --method mean -o a.csv --json OUT", &["ward.csv", "a.csv"]),
    ("impute ward.csv --method mean -o a.csv --save b.unmiss --html OUT", &["ward.csv", "a.csv", "b.unmiss"]),
    ("impute ward.csv --method mean --draws 2 --long -o OUT", &["ward.csv"]),
    ("impute ward.csv --method mean --draws 2 -o a.csv --save OUT", &["ward.csv", "a-1.csv", "a-2.csv"]),
    ("impute ward.csv --with imputer.unmiss -o OUT", &["ward.csv", "imputer.unmiss"]),
    ("pool first.csv second.csv --json OUT", &["first.csv", "second.csv"]),
    ("analyse days~age ward.csv ward.csv --original ward.csv -o OUT", &["ward.csv"]),
    ("analyse days~age ward.csv ward.csv -o a.csv --json OUT", &["ward.csv", "a.csv"]),
    (
        "analyse days~age ward.csv ward.csv -o a.csv --json b.json --html OUT",
        &["ward.csv", "a.csv", "b.json"],
    ),
    ("audit model.unmiss ward.csv --rows 5 --levels 3 --masks 2 --json OUT", &["model.unmiss", "ward.csv"]),
    (
        "audit model.unmiss ward.csv --rows 5 --levels 3 --masks 2 --json a.json --html OUT",
        &["model.unmiss", "ward.csv", "a.json"],
    ),
    ("audit --command ./one.sh ward.csv --rows 5 --levels 3 --masks 2 --json OUT", &["ward.csv"]),
    ("compare ward.csv --impute --ignore id --methods mean --fresh --json OUT", &["ward.csv"]),
    (
        "compare ward.csv --impute --ignore id --methods mean --fresh --json a.json --html OUT",
        &["ward.csv", "a.json"],
    ),
    ("describe ward.csv --json OUT", &["ward.csv"]),
    ("describe ward.csv --json a.json --html OUT", &["ward.csv", "a.json"]),
    ("hide ward.csv --how mcar:0.2 -o OUT", &["ward.csv"]),
    ("hide ward.csv --how mcar:0.2 -o a.csv --truth OUT", &["ward.csv", "a.csv"]),
    (
        "bench imputation --data sets --only iris --only mean --seeds 1 --json OUT",
        &["sets/complete/iris.csv"],
    ),
    (
        "bench imputation --data sets --only iris --only mean --seeds 1 --json a.json --html OUT",
        &["sets/complete/iris.csv", "a.json"],
    ),
    ("fit ratings.csv --shape ratings --method biases -o OUT", &["ratings.csv"]),
    ("impute ratings.csv --shape ratings --method biases -o OUT", &["ratings.csv"]),
    ("impute ratings.csv --shape ratings --method biases -o a.csv --save OUT", &["ratings.csv", "a.csv"]),
    ("describe ratings.csv --shape ratings --json OUT", &["ratings.csv"]),
    ("predict films.unmiss pairs.csv --ratings new.csv -o OUT", &["films.unmiss", "pairs.csv", "new.csv"]),
    ("recommend fit ratings.csv --method biases -o OUT", &["ratings.csv"]),
    ("recommend fit ratings.csv --method biases -o a.unmiss --json OUT", &["ratings.csv", "a.unmiss"]),
    ("recommend predict films.unmiss pairs.csv -o OUT", &["films.unmiss", "pairs.csv"]),
    (
        "predict model.unmiss ward.csv --explain 2 -o p.csv --contributions OUT",
        &["model.unmiss", "ward.csv", "p.csv"],
    ),
    ("show model.unmiss ward.csv --explain --json OUT", &["model.unmiss", "ward.csv"]),
    (
        "show model.unmiss ward.csv --explain --json a.json --html OUT",
        &["model.unmiss", "ward.csv", "a.json"],
    ),
    ("export model.unmiss -o OUT", &["model.unmiss"]),
    ("density ward.csv --ignore id -o OUT", &["ward.csv"]),
    ("density ward.csv --ignore id -o d.unmiss --json OUT", &["ward.csv", "d.unmiss"]),
    ("score density.unmiss ward.csv -o OUT", &["density.unmiss", "ward.csv"]),
    ("score density.unmiss ward.csv -o s.csv --json OUT", &["density.unmiss", "ward.csv", "s.csv"]),
    ("counts matrix.mtx -o OUT", &["matrix.mtx", "genes.tsv"]),
    ("simulate --rows 20 --columns 3 -o OUT", &[]),
    ("simulate --rows 20 --columns 3 -o s.csv --truth OUT", &["s.csv"]),
    ("simulate --rows 20 --columns 3 -o s.csv --bayes OUT", &["s.csv"]),
    ("simulate --like ward.csv -o OUT", &["ward.csv"]),
    ("recommend predict films.unmiss pairs.csv --ratings new.csv -o OUT", &["new.csv"]),
    ("recommend top films.unmiss 3 --ratings new.csv -o OUT", &["films.unmiss", "new.csv"]),
    ("recommend audit films.unmiss --users 5 --levels 3 --masks 2 --json OUT", &["films.unmiss"]),
    (
        "recommend audit films.unmiss --users 5 --levels 3 --masks 2 --json a.json --html OUT",
        &["films.unmiss", "a.json"],
    ),
];

/// Options that name a file to read.
const READ: [&str; 11] = [
    "--with",
    "--ratings",
    "--record",
    "--original",
    "--impute",
    "--like",
    "--labels",
    "--observed",
    "--token-file",
    "--static",
    "--targets",
];
/// Nothing is written there: the option is for tables, as an error says.
const FOR_TABLES: [(&str, &str); 3] =
    [("recommend fit", "--html"), ("recommend predict", "--contributions"), ("recommend predict", "--json")];

fn bench() -> Bench {
    let bench = Bench::new();
    bench.write(
        "matrix.mtx",
        "%%MatrixMarket matrix coordinate integer general\n1 4 4\n1 1 5\n1 2 6\n1 3 7\n1 4 8\n",
    );
    bench.write("genes.tsv", "G1\n");
    bench.write("ward.csv", ward(60));
    let ratings: String = (0..120)
        .map(|place| format!("u{},i{},{}\n", place % 12, place * 7 % 23, 1 + place * 5 % 7 % 5))
        .collect();
    bench.write("ratings.csv", format!("user,item,rating\n{ratings}"));
    bench.write("pairs.csv", "user,item\nu1,i2\nu3,i4\n");
    bench.write("new.csv", "user,item,rating\nsomebody,i1,4\nsomebody,i2,1\n");
    bench.write("first.csv", "term,estimate,se\nage,1.5,0.2\nsex,0.5,0.1\n");
    bench.write("second.csv", "term,estimate,se\nage,1.6,0.3\nsex,0.4,0.1\n");
    bench.write("one.sh", "#!/bin/sh\nawk 'NR > 1 { print NR % 3 }'\n");
    std::fs::set_permissions(bench.path("one.sh"), std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .unwrap();
    std::fs::create_dir_all(bench.path("sets/complete")).unwrap();
    let rows: String =
        (0..30).map(|row| format!("{}.5,{},{}.25,{}\n", row % 7, row, row % 4, row % 3)).collect();
    bench.write("sets/complete/iris.csv", format!("a,b,c,class\n{rows}"));
    bench.succeed("fit ward.csv --target days --ignore id,outcome --method linear -o model.unmiss -q");
    bench.succeed("impute ward.csv --ignore id --method mean -o full.csv --save imputer.unmiss -q");
    bench.succeed("recommend fit ratings.csv --method biases -o films.unmiss -q");
    bench.succeed("density ward.csv --ignore id -o density.unmiss -q");
    bench
}

/// The names of all files and folders of a folder.
fn listing(bench: &Bench) -> BTreeSet<String> {
    let entries = std::fs::read_dir(bench.path(".")).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// The options of a command that take a file, as its help lists them.
fn file_options(bench: &Bench, command: &str) -> Vec<String> {
    let help = bench.succeed(&format!("{command} --help")).out;
    let lines = help.lines().filter(|line| line.trim_start().starts_with('-') && line.contains(" <FILE>"));
    let options = lines.map(|line| line[..line.find(" <FILE>").unwrap()].trim().to_owned());
    options.map(|option| option.split(", ").next().unwrap().to_owned()).collect()
}

#[test]
fn every_output_of_every_command_is_tried() {
    let bench = Bench::new();
    let of = |command: &str| -> Vec<String> {
        let help = bench.succeed(&format!("{command} --help")).out;
        let list = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
        let lines = list.lines().filter(|line| !line.starts_with("   "));
        let names = lines.filter_map(|line| line.split_whitespace().next());
        names
            .filter(|name| *name != "help")
            .map(|name| format!("{command} {name}").trim().to_owned())
            .collect()
    };
    let mut commands = of("");
    assert!(commands.contains(&"recommend".to_owned()), "{commands:?}");
    commands.retain(|command| command != "recommend");
    commands.extend(of("recommend"));
    for command in commands {
        for option in file_options(&bench, &command) {
            let tried = |(line, _): &(&str, &[&str])| {
                line.starts_with(&command) && line.ends_with(&format!(" {option} OUT"))
            };
            if FOR_TABLES.contains(&(&command, &option)) {
                continue;
            }
            assert!(READ.contains(&option.as_str()) || CASES.iter().any(tried), "{command} {option}");
        }
    }
}

#[test]
fn what_is_read_is_never_overwritten() {
    let bench = bench();
    for (line, forbidden) in CASES {
        for name in *forbidden {
            let before = bench.path(name).exists().then(|| bench.bytes(name));
            symlink(bench.path(name), bench.path("link")).unwrap();
            if before.is_some() {
                std::fs::hard_link(bench.path(name), bench.path("hard")).unwrap();
            }
            let files = listing(&bench);
            for out in [name, &*format!("./{name}"), "link", "hard"] {
                if out == "hard" && before.is_none() {
                    continue;
                }
                let line = line.replace("OUT", out);
                let answer = bench.run(&line);
                let said = answer.err.contains("would overwrite") || answer.err.contains("are the same file");
                assert!(answer.code == 1 && said, "unmiss {line}\n{}{}", answer.out, answer.err);
                assert_eq!(bench.path(name).exists().then(|| bench.bytes(name)), before, "unmiss {line}");
                assert_eq!(listing(&bench), files, "unmiss {line}");
            }
            std::fs::remove_file(bench.path("link")).unwrap();
            let _ = std::fs::remove_file(bench.path("hard"));
        }
    }
}

#[test]
fn standard_input_and_output_count_as_their_files() {
    let bench = bench();
    let before = bench.bytes("ward.csv");
    let open = || std::fs::File::options().read(true).append(true).open(bench.path("ward.csv")).unwrap();
    let taken = bench.command("impute - --method mean -o ward.csv").stdin(open()).output().unwrap();
    let given = bench.command("impute ward.csv --method mean").stdout(open()).output().unwrap();
    for output in [taken, given] {
        assert_eq!(output.status.code(), Some(1));
        assert!(String::from_utf8(output.stderr).unwrap().contains("would overwrite"));
    }
    assert_eq!(bench.bytes("ward.csv"), before);
}

#[test]
fn links_and_pipes_are_written_through() {
    let bench = bench();
    let pipe = bench.path("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    symlink("pipe", bench.path("to-pipe")).unwrap();
    symlink(bench.path("to-pipe"), bench.path("link-to-pipe")).unwrap();
    symlink("plain", bench.path("link")).unwrap();
    for (line, _) in CASES {
        bench.succeed(&format!("{} -q", line.replace("OUT", "link")));
        assert!(bench.path("link").is_symlink(), "{line}");
        let plain = bench.bytes("plain");
        assert!(!plain.is_empty(), "{line}");
        let target = std::fs::File::create(bench.path("read")).unwrap();
        let mut reader = std::process::Command::new("cat").arg(&pipe).stdout(target).spawn().unwrap();
        let answer = bench.run(&format!("{} -q", line.replace("OUT", "link-to-pipe")));
        if answer.code != 0 {
            // Nobody else would end it.
            reader.kill().unwrap();
        }
        reader.wait().unwrap();
        assert_eq!(answer.code, 0, "unmiss {line}\n{}", answer.err);
        assert!(std::fs::symlink_metadata(&pipe).unwrap().file_type().is_fifo(), "{line}");
        assert!(bench.path("link-to-pipe").is_symlink(), "{line}");
        // Pages and reports tell how long the work took.
        let comparable = !["--html", "--json"].iter().any(|option| line.contains(&format!("{option} OUT")));
        let read = bench.bytes("read");
        // Models note where they were written.
        let is_model = plain.get(4..9) == Some(b"\0\0\0\0{");
        match (comparable, is_model) {
            (true, true) => assert_eq!(bench.model("read"), bench.model("plain"), "{line}"),
            (true, false) => assert!(read == plain, "{line}"),
            (false, _) => assert!(read[..20] == plain[..20], "{line}"),
        }
        std::fs::remove_file(bench.path("plain")).unwrap();
        assert!(!listing(&bench).iter().any(|name| name.ends_with(".unfinished")), "{line}");
    }
}
