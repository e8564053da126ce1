//! A fit that is cut off goes on where it was; one that is stopped keeps what is finished, or leaves all as it is.

#![cfg(unix)]

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::bench::{Bench, ward};

/// A training of a few seconds.
const FIT: &str = "fit ward.csv --target days --id id --ignore outcome --folds 4 --threads 2 \
    --method network --set width=64 --set layers=2 --set networks=1 --set batch=64 --set epochs=40";

/// A fit that is done at once.
const LINEAR: &str = "fit ward.csv --target days --id id --method linear --folds 2";

fn bench() -> Bench {
    let bench = Bench::new();
    bench.write("ward.csv", ward(2000));
    bench
}

fn start(bench: &Bench, line: &str) -> Child {
    bench.command(line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Whether SIGHUP, the first of the signals, is one that this process ignores.
fn hangup_is_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
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

    // Another fit with the same output has work of its own and leaves this alone.
    bench.succeed("fit ward.csv --target days --id id --method linear --folds 2 -q -o cut.unmiss");
    let mut files = std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path());
    let fold = files.find(|path| path.extension().is_some_and(|ending| ending == "fold")).unwrap();
    // One bit of what was kept of a fold is no longer what it was.
    let mut bytes = std::fs::read(&fold).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&fold, bytes).unwrap();

    let answer = bench.succeed(&cut);
    assert!(answer.err.contains("its sum is not that of its"), "{}", answer.err);
    assert!(
        answer.err.contains("going on with the unfinished fit in cut.unmiss.unfinished"),
        "{}",
        answer.err
    );
    assert!(!folder.exists());
    assert_eq!(bench.model("cut.unmiss"), bench.model("whole.unmiss"));
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
    assert_eq!(bench.model("again.unmiss"), bench.model("plain.unmiss"));
}

#[test]
fn a_folder_of_the_users_own_is_not_deleted() {
    let bench = bench();
    std::fs::create_dir(bench.path("mine.unmiss.unfinished")).unwrap();
    bench.write("mine.unmiss.unfinished/thesis.txt", "years");
    for fresh in ["", "--fresh"] {
        bench.succeed(&format!("{LINEAR} {fresh} -q -o mine.unmiss"));
        let files = std::fs::read_dir(bench.path("mine.unmiss.unfinished")).unwrap();
        assert_eq!(files.count(), 1, "{fresh}");
        assert_eq!(bench.text("mine.unmiss.unfinished/thesis.txt"), "years");
    }
    // Where no folder can be, the fit is done without, and says so.
    bench.write("file.unmiss.unfinished", "mine");
    let answer = bench.succeed(&format!("{LINEAR} -o file.unmiss"));
    assert!(answer.err.contains("could not be resumed"), "{}", answer.err);
    assert_eq!(bench.text("file.unmiss.unfinished"), "mine");
}

#[test]
fn nobody_to_hear_is_no_reason_to_lose_a_model() {
    let bench = bench();
    // A word that goes to standard error, which nobody reads.
    bench.write("deaf.unmiss.unfinished", "mine");
    let mut child = start(&bench, &format!("{LINEAR} -o deaf.unmiss"));
    drop(child.stderr.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    bench.succeed("show deaf.unmiss");
}

#[test]
fn a_reader_that_has_gone_is_no_error() {
    let bench = bench();
    bench.succeed(&format!("{LINEAR} -q -o m.unmiss"));
    bench.write("many.csv", ward(20_000));
    for line in
        ["predict m.unmiss many.csv", "impute many.csv --method mean", "hide many.csv --how mcar:0.1 -o -"]
    {
        let mut child = start(&bench, line);
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn every_signal_that_ends_the_program_leaves_no_half_file() {
    use std::io::Write as _;
    let bench = bench();
    bench.succeed(&format!("{LINEAR} -q -o m.unmiss"));
    bench.write("out.csv", "good");
    let rows = ward(60_000);
    // Whoever started these tests may have said that they outlive their terminal; so does the program then.
    let ends = |signal: &&str| *signal != "-HUP" || !hangup_is_ignored();
    for signal in ["-INT", "-TERM", "-HUP"].into_iter().filter(ends) {
        let mut command = bench.command("predict m.unmiss - -o out.csv");
        let mut child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // More rows than a batch, and then none: the program waits, with its output begun.
        let mut input = child.stdin.take().unwrap();
        input.write_all(rows.as_bytes()).unwrap();
        let begun = || names(&bench).iter().any(|name| name.starts_with(".tmp"));
        let start = Instant::now();
        while !begun() {
            assert!(start.elapsed() < Duration::from_secs(60), "nothing was written");
            std::thread::sleep(Duration::from_millis(5));
        }
        send(signal, &child);
        assert_eq!(child.wait().unwrap().code(), Some(130), "{signal}");
        assert!(!begun(), "{signal}: {:?}", names(&bench));
        assert_eq!(bench.text("out.csv"), "good");
    }
}

#[test]
fn a_terminal_that_goes_away_does_not_stop_what_was_told_to_outlive_it() {
    let bench = bench();
    let program = assert_cmd::cargo::cargo_bin!("unmiss").display().to_string();
    bench.succeed(&format!("{LINEAR} -q -o m.unmiss"));
    let line = format!("trap '' HUP; exec {program} predict m.unmiss - -o out.csv");
    let mut command = Command::new("sh");
    command.args(["-c", &line]).current_dir(bench.path("")).stdin(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    std::thread::sleep(Duration::from_millis(300));
    send("-HUP", &child);
    std::io::Write::write_all(&mut input, ward(10).as_bytes()).unwrap();
    drop(input);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(bench.text("out.csv").lines().count(), 11);
}

fn names(bench: &Bench) -> Vec<String> {
    let entries = std::fs::read_dir(bench.path("")).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}
