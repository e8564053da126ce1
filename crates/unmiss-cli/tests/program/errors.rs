//! Every error a user can meet: what is wrong, where, and what to do about it. Exit code 1, or 2 for usage.

use crate::bench::{Bench, assert_kept, ward};

/// A bench with a table, a model of `days` and one of `outcome`.
fn bench_with_models() -> Bench {
    let bench = Bench::new();
    bench.write("ward.csv", ward(120));
    bench.succeed("fit ward.csv --target days --id id --ignore outcome --method linear -o days.unmiss -q");
    bench
}

#[test]
fn usage() {
    let lines = [
        "fitt ward.csv",
        "fit ward.csv --target a --folds 1",
        "fit ward.csv --target a --task ranking",
        "predict model.unmiss",
        "hide ward.csv --how mcra:0.3 -o out.csv",
        "hide ward.csv --how mcar -o out.csv",
        "hide ward.csv --how mcar:1.5 -o out.csv",
        "describe ward.csv --seed x",
    ];
    let bench = Bench::new();
    for line in lines {
        assert_eq!(bench.run(line).code, 2, "{line}");
    }
    assert_kept("errors_usage", &bench.transcripts(lines));
}

#[test]
fn files_that_are_no_tables() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("folder")).unwrap();
    let files: [(&str, &[u8]); 16] = [
        ("empty.csv", b""),
        ("blank.csv", b"\n\n\n"),
        ("header.csv", b"a,b,c\n"),
        ("short.csv", b"a,b,c\n1,2,3\n4,5\n"),
        ("long.csv", b"a,b\n1,2\n1,5,3\n"),
        ("unnamed.csv", b",,c\n1,2,3\n"),
        ("latin.csv", b"n\xc3\xa9e,age\nM\xfcller,3\n"),
        ("infinite.csv", b"a,b\n1,2\n3,inf\n4,5\n"),
        ("huge.csv", b"a,b\n1,2\n3,1e999\n4,5\n"),
        ("quote.csv", b"a,b\n1,\"2\n3,4\n"),
        ("after.csv", b"a,b\n1,\"2\" x\n"),
        ("nul.csv", b"a,b\n1,\0\n"),
        ("words.csv", b"a,b\n1,2\nunknown,3\n4,5\n"),
        ("broken.csv.gz", b"\x1f\x8b\x08 not really"),
        ("broken.parquet", b"PAR1 not really PAR1"),
        ("text.parquet", b"a,b\n1,2\n"),
    ];
    let mut text = bench.transcripts(["describe absent.csv", "describe folder", "describe sample:penguin"]);
    for (name, content) in files {
        bench.write(name, content);
        let numbers =
            if ["words.csv", "infinite.csv", "huge.csv"].contains(&name) { " --numeric a,b" } else { "" };
        let line = format!("describe {name}{numbers}");
        text += &bench.transcript(&line);
        assert_eq!(bench.run(&line).code, 1, "{line}");
    }
    text += &bench.transcripts([
        "describe words.csv --numeric c",
        "describe words.csv --missing-in a",
        "describe words.csv --missing-in c=unknown",
        "describe words.csv --delimiter xy",
        "describe words.csv --delimiter a",
        "describe words.csv --categorical a --numeric a",
    ]);
    assert_kept("errors_tables", &text);
}

#[test]
fn targets_and_roles() {
    let bench = Bench::new();
    bench.write("ward.csv", ward(60));
    let rows = |target: &dyn Fn(usize) -> String| {
        (0..120).map(|row| format!("{},{},{}\n", row % 7, row % 5, target(row))).collect::<String>()
    };
    bench.write("none.csv", format!("a,b,target\n{}", rows(&|_| String::new())));
    bench.write("one.csv", format!("a,b,target\n{}", rows(&|_| "yes".into())));
    bench.write("same.csv", format!("a,b,target\n{}", rows(&|_| "2.5".into())));
    bench.write("prose.csv", format!("a,b,target\n{}", rows(&|row| format!("patient number {row} said so"))));
    bench.write("dates.csv", format!("a,b,target\n{}", rows(&|row| format!("2024-01-{:02}", row % 28 + 1))));
    bench.write("useless.csv", format!("a,b,target\n{}", "1,,2\n1,,3\n1,,5\n".repeat(9)));
    bench.write("weights.csv", format!("a,w,target\n{}", "1,-2,2.5\n2,1,3.5\n3,1,4.5\n4,1,1\n".repeat(5)));
    let lines = [
        "fit ward.csv --target Days --method linear",
        "fit ward.csv --target zzz --method linear",
        "fit none.csv --target target --method linear",
        "fit one.csv --target target --method linear",
        "fit same.csv --target target --method linear",
        "fit prose.csv --target target --method linear",
        "fit dates.csv --target target --method linear",
        "fit useless.csv --target target --method linear",
        "fit weights.csv --target target --weight w --method linear",
        "fit ward.csv --target days --weight sex --method linear",
        "fit ward.csv --target days --id days --method linear",
        "fit ward.csv --target days --id id --ignore id --method linear",
        "fit ward.csv --target days --ignore nothing --method linear",
        "fit ward.csv --target outcome --task regression --method linear",
        "describe ward.csv --target Days",
        "describe prose.csv --target target",
        "hide ward.csv --how mcar:0.2 --columns puls -o out.csv",
        "hide ward.csv --how mcar:0.2 --columns days --target days -o out.csv",
        "hide prose.csv --how mcar:0.2 --columns target -o out.csv",
        "hide ward.csv --how mcar:0.2 -o ward.csv",
        "hide ward.csv --how mcar:0.2 -o out.csv --truth out.csv",
    ];
    for line in lines {
        assert_eq!(bench.run(line).code, 1, "{line}");
    }
    assert_kept("errors_roles", &bench.transcripts(lines));
    assert!(!bench.path("out.csv").exists() && !bench.path("model.unmiss").exists());
}

#[test]
fn methods_and_settings() {
    let bench = Bench::new();
    bench.write("ward.csv", ward(60));
    let fit = "fit ward.csv --target days --id id --ignore outcome";
    let lines = [
        "methods tree".to_owned(),
        "methods xyzzy".to_owned(),
        format!("{fit} --method linaer"),
        format!("{fit} --set strength=1"),
        format!("{fit} --method linear --set strenght=1"),
        format!("{fit} --method linear --set zzz=1"),
        format!("{fit} --method linear --set strength"),
        format!("{fit} --method linear --set strength=-1"),
        format!("{fit} --method linear --set strength=much"),
        format!("{fit} --method linear --set missing=meen"),
        format!("{fit} --method linear --set k=hidden"),
        format!("{fit} --method network --set width=0"),
        format!("{fit} --method network --set width=2.5"),
        format!("{fit} --method network --set dropout=1"),
        format!("{fit} --method network --set normalize=maybe"),
        format!("{fit} --method network --set rate=-1"),
        format!("{fit} --method network --set weight-decay=-1"),
        format!("{fit} --method mlp --set rate=0"),
        format!("{fit} --method mlp --set weight-decay=-1"),
        format!("{fit} --method mlp --set hidden=[0]"),
        format!("{fit} --method mlp --set hidden=100"),
        format!("{fit} --method mlp --set optimizer=adamm"),
        format!("{fit} --method trees --set rate=100"),
        format!("{fit} --method trees --set missing=both"),
        format!("{fit} --method conditional --set sites=1"),
        format!("{fit} --method linear -o absent/model.unmiss"),
        format!("{fit} --method linear -o ."),
    ];
    for line in &lines {
        assert_eq!(bench.run(line).code, 1, "{line}");
    }
    assert_kept("errors_settings", &bench.transcripts(lines.iter().map(String::as_str)));
}

/// A loss that is not finite is told by the first of many trainings alone.
#[test]
fn what_several_trainings_tell_is_told_once() {
    let bench = Bench::new();
    bench.succeed("simulate --columns 3 --rows 100 --rate .3 -o t.csv -q");
    let set = "--method mlp --set rate=1e30 --set epochs=3";
    let told = bench.run(&format!("fit t.csv --target y {set} --folds 3 -o y.unmiss")).err;
    assert_eq!(told.matches("note: epoch 2: the loss is not finite").count(), 1, "{told}");
}

#[test]
fn model_files() {
    let bench = bench_with_models();
    let good = bench.bytes("days.unmiss");
    bench.write("truncated.unmiss", &good[..good.len() - 10]);
    bench.write("empty.unmiss", b"");
    let changed = |from: &str, to: &str| {
        assert_eq!(from.len(), to.len(), "lengths are part of the format");
        let place = good.windows(from.len()).position(|part| part == from.as_bytes()).unwrap();
        let mut bytes = good.clone();
        bytes[place..place + from.len()].copy_from_slice(to.as_bytes());
        bytes
    };
    bench.write("newer.unmiss", changed(r#"\"format\":4"#, r#"\"format\":9"#));
    bench.write("damaged.unmiss", changed(r#"\"job\":"#, r#"\"jox\":"#));
    bench.write("other.unmiss", changed(r#"\"predict\""#, r#"\"forgets\""#));
    bench.write("unknown.unmiss", changed(r#"\"method\":\"linear\""#, r#"\"method\":\"lineal\""#));
    bench.write(
        "array.unmiss",
        changed(r#""learned/fold 0/method 0/weights":"#, r#""learned/fold 0/method 0/weightz":"#),
    );
    let files = ["absent", "empty", "truncated", "newer", "damaged", "other", "unknown", "array"];
    let lines: Vec<String> = files.iter().map(|name| format!("show {name}.unmiss")).collect();
    let mut text = bench.transcripts(lines.iter().map(String::as_str));
    text += &bench.transcripts(["show ward.csv", "show .", "predict truncated.unmiss ward.csv -o out.csv"]);
    text += &bench.transcripts(["predict ward.csv days.unmiss -o out.csv", "evaluate ward.csv days.unmiss"]);
    assert_kept("errors_models", &text);
    assert!(!bench.path("out.csv").exists());
}

#[test]
fn new_rows_that_do_not_fit() {
    let bench = bench_with_models();
    let table = ward(20);
    bench.write("renamed.csv", table.replacen("pulse", "puls", 1));
    bench.write("fewer.csv", table.replacen("temperature", "zzz", 1).replacen("unit", "yyy", 1));
    bench.write("words.csv", table.replacen("p3,", "p3,old", 1));
    bench.write("infinite.csv", table.replacen("p3,", "p3,1e99", 1).replacen("p4,", "p4,1e999", 1));
    bench.write("short.csv", table.clone() + "p9,3\n");
    let lines = [
        "predict days.unmiss absent.csv -o out.csv",
        "predict days.unmiss renamed.csv -o out.csv",
        "predict days.unmiss fewer.csv -o out.csv",
        "predict days.unmiss words.csv -o out.csv",
        "predict days.unmiss infinite.csv -o out.csv",
        "predict days.unmiss short.csv -o out.csv",
        "predict days.unmiss ward.csv -o absent/out.csv",
        "predict days.unmiss ward.csv -o out.xlsx",
        "predict days.unmiss ward.csv --level 90 -o out.csv",
        "predict days.unmiss ward.csv --level 0 -o out.csv",
    ];
    assert_kept("errors_new_rows", &bench.transcripts(lines));
    assert!(!bench.path("out.csv").exists(), "half a table is left behind");
}
