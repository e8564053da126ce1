//! A fit that is cut off goes on where it was; one that is stopped keeps what is finished, or leaves all as it is.

#![cfg(unix)]

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::bench::{Bench, ward};

/// A training of a few seconds.
const FIT: &str = "fit ward.csv --target days --id id --ignore outcome --folds 4 --threads 2 \
    --method network --set width=64 --set layers=2 --set networks=1 --set batch=64 --set epochs=40";

fn bench() -> Bench {
    let bench = Bench::new();
    bench.write("ward.csv", ward(2000));
    bench
}

fn start(bench: &Bench, line: &str) -> Child {
    bench.command(line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn send(signal: &str, child: &Child) {
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
}

/// Waits until a file of that ending is in the folder of unfinished work.
fn wait_for(ending: &str, folder: &Path, child: &mut Child) {
    let start = Instant::now();
    let there = || {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).any(|path| path.extension().is_some_and(|e| e == ending))
    };
    while !there() {
        assert!(child.try_wait().unwrap().is_none(), "the fit ended before it could be interrupted");
        assert!(start.elapsed() < Duration::from_secs(120), "no unfinished work was kept");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_fit_that_was_killed_goes_on_to_the_same_model() {
    let bench = bench();
    bench.succeed(&format!("{FIT} -o whole.unmiss -q"));
    let cut = format!("{FIT} -o cut.unmiss");
    let folder = bench.path("cut.unmiss.unfinished");

    // Killed after a fold was done, in the midst of the next.
    let mut child = start(&bench, &cut);
    wait_for("fold", &folder, &mut child);
    std::thread::sleep(Duration::from_millis(100));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(folder.is_dir() && !bench.path("cut.unmiss").exists());

    let answer = bench.succeed(&cut);
    assert!(
        answer.err.contains("going on with the unfinished fit in cut.unmiss.unfinished"),
        "{}",
        answer.err
    );
    assert!(!folder.exists());
    assert_eq!(bench.bytes("cut.unmiss"), bench.bytes("whole.unmiss"));
}

/// Starts a command, waits until it has kept unfinished work of that ending, and presses Ctrl-C.
fn interrupted(bench: &Bench, line: &str, ending: &str, folder: &str) -> (Option<i32>, String, String) {
    let mut child = start(bench, line);
    wait_for(ending, &bench.path(folder), &mut child);
    std::thread::sleep(Duration::from_millis(100));
    send("-INT", &child);
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn a_stop_before_anything_is_finished_leaves_the_old_file() {
    let bench = bench();
    bench.succeed("fit ward.csv --target days --id id --method linear --folds 2 -q -o kept.unmiss");
    let good = bench.bytes("kept.unmiss");
    let line = format!("{FIT} -o kept.unmiss");
    let (code, _, err) = interrupted(&bench, &line, "fold", "kept.unmiss.unfinished");
    assert_eq!(code, Some(130), "{err}");
    assert!(err.contains("stopped before there was a result to keep"), "{err}");
    assert_eq!(bench.bytes("kept.unmiss"), good);
    // The same command goes on where it was.
    assert!(bench.succeed(&line).err.contains("going on with the unfinished fit"));
}

#[test]
fn a_stop_keeps_the_best_that_was_finished_and_says_so() {
    let bench = bench();
    let line = format!("{FIT} -o stopped.unmiss").replace(
        "--method network --set width=64 --set layers=2 --set networks=1 --set batch=64 --set epochs=40",
        "",
    );
    let (code, out, err) = interrupted(&bench, &line, "training", "stopped.unmiss.unfinished");
    assert_eq!(code, Some(130), "{err}");
    assert!(err.contains("the model is `ensemble`, of what was finished"), "{err}");
    assert!(out.contains("The model is in stopped.unmiss."), "{out}");
    assert!(bench.succeed("show stopped.unmiss").out.contains("Cut off"));
    let answer = bench.succeed("predict stopped.unmiss ward.csv");
    assert!(answer.out.starts_with("id,prediction,lower,upper\n"), "{}", answer.out);
    assert_eq!(answer.out.lines().count(), 2001);
}

#[test]
fn unfinished_work_of_another_fit_is_not_used() {
    let bench = bench();
    let linear = "fit ward.csv --target days --id id --ignore outcome --folds 2 --method linear -q";
    bench.succeed(&format!("{linear} -o plain.unmiss"));
    // Damaged and foreign files in the folder change nothing.
    std::fs::create_dir(bench.path("again.unmiss.unfinished")).unwrap();
    bench.write("again.unmiss.unfinished/linear--fold-1-of-2.fold", b"not what it seems");
    bench.succeed(&format!("{linear} -o again.unmiss"));
    assert_eq!(bench.bytes("again.unmiss"), bench.bytes("plain.unmiss"));
}
