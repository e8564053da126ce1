//! A fit that is cut off goes on where it was; one that is stopped keeps the best so far.

#![cfg(unix)]

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::bench::{Bench, ward};

/// A training of a few seconds.
const FIT: &str = "fit ward.csv --target days --id id --ignore outcome --folds 2 --threads 2 \
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

#[test]
fn ctrl_c_keeps_the_best_so_far() {
    let bench = bench();
    let mut child = start(&bench, &format!("{FIT} -o stopped.unmiss"));
    wait_for("fold", &bench.path("stopped.unmiss.unfinished"), &mut child);
    std::thread::sleep(Duration::from_millis(100));
    send("-INT", &child);
    std::thread::sleep(Duration::from_millis(300));
    let output = child.wait_with_output().unwrap();
    let (out, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!(output.status.code(), Some(0), "{err}");
    assert!(err.contains("keeping the best so far"), "{err}");
    assert!(out.contains("The model is in stopped.unmiss."), "{out}");
    let answer = bench.succeed("predict stopped.unmiss ward.csv");
    assert_eq!(answer.out.lines().count(), 2001);
    assert!(!answer.out.contains("NaN"));
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
