//! What the tests share: a folder to work in, made tables, and transcripts of what was typed and answered.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A folder of one's own, in which the program runs.
pub struct Bench {
    folder: TempDir,
}

/// What a run of the program gave back.
pub struct Answer {
    /// The exit code.
    pub code: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl Bench {
    /// An empty folder.
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// The place of a file.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), content).unwrap();
    }

    /// The bytes of a file.
    pub fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// What stands in a model's file but where the model comes from: the command and the time, which say where it was
    /// written and when.
    pub fn model(&self, name: &str) -> (Value, Vec<u8>) {
        let bytes = self.bytes(name);
        let (length, rest) = bytes.split_at(8);
        let (head, arrays) = rest.split_at(u64::from_le_bytes(length.try_into().unwrap()) as usize);
        let mut head: Value = serde_json::from_slice(head).unwrap();
        let mut words: Value =
            serde_json::from_str(head["__metadata__"]["unmiss"].as_str().unwrap()).unwrap();
        words["summary"].as_object_mut().unwrap().remove("provenance");
        head["__metadata__"]["unmiss"] = words;
        (head, arrays.to_vec())
    }

    /// The text of a file.
    pub fn text(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).unwrap()
    }

    /// The program, ready to be started here with arguments as typed: words apart by spaces, or between single quotes.
    pub fn command(&self, line: &str) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("unmiss"));
        let quoted = line.split('\'').enumerate().flat_map(|(place, part)| match place % 2 {
            0 => part.split_whitespace().collect(),
            _ => vec![part],
        });
        command.current_dir(self.folder.path()).args(quoted);
        // Models note when they were made.
        command.env("SOURCE_DATE_EPOCH", "1700000000");
        // Help is as wide as the terminal: a width of its own keeps it the same everywhere.
        command.env("COLUMNS", "100").stdin(Stdio::null());
        command
    }

    /// Runs the program and gives what it answered, and the most memory that it held, in bytes.
    #[cfg(target_os = "linux")]
    pub fn measured(&self, line: &str) -> (Answer, u64) {
        let child = self.command(line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let status = format!("/proc/{}/status", child.id());
        let watcher = std::thread::spawn(move || {
            let mut peak = 0;
            // The file is gone, or without memory in it, once the process has ended.
            while let Ok(text) = std::fs::read_to_string(&status) {
                let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
                let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
                let Some(kilobytes) = kilobytes else { break };
                peak = peak.max(kilobytes << 10);
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
            peak
        });
        let answer = answer(child.wait_with_output().unwrap());
        (answer, watcher.join().unwrap())
    }

    /// Runs a command that has to succeed and gives the processor time that it took.
    #[cfg(target_os = "linux")]
    pub fn processor_seconds(&self, line: &str) -> f64 {
        let program = assert_cmd::cargo::cargo_bin!("unmiss").display().to_string();
        // The shell tells what its children took: minutes and seconds of the user and of the system, last line first.
        let mut command = Command::new("bash");
        command.args(["-c", &format!("{program} {line} >/dev/null && times | tail -1")]);
        let text = answer(command.current_dir(self.folder.path()).output().unwrap());
        assert_eq!(text.code, 0, "{line}: {}", text.err);
        let part = |word: &str| -> f64 {
            let (minutes, seconds) = word.trim_end_matches('s').split_once('m').unwrap();
            60.0 * minutes.parse::<f64>().unwrap() + seconds.parse::<f64>().unwrap()
        };
        text.out.split_whitespace().map(part).sum()
    }

    /// Runs the program and gives what it answered.
    pub fn run(&self, line: &str) -> Answer {
        answer(self.command(line).output().unwrap())
    }

    /// Runs the program, which must succeed, and gives what it answered.
    pub fn succeed(&self, line: &str) -> Answer {
        let answer = self.run(line);
        assert_eq!(answer.code, 0, "unmiss {line}\n{}", answer.err);
        answer
    }

    /// Runs the program with text on its standard input.
    pub fn feed(&self, line: &str, input: &[u8]) -> Answer {
        use std::io::Write;
        let mut child = self
            .command(line)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        answer(child.wait_with_output().unwrap())
    }

    /// Runs the program and writes down the line, the exit code if it is not 0, and all that was answered.
    pub fn transcript(&self, line: &str) -> String {
        let Answer { code, out, err } = self.run(line);
        // Usage errors and help are laid out by the argument parser, tables go out as they are.
        let table = line.starts_with("predict") && !line.contains(" -o ") || line.contains(" -o - ");
        if code != 2 && !line.contains("--help") {
            assert_narrow(&err);
            if !table {
                assert_narrow(&out);
            }
        }
        let code = if code == 0 { String::new() } else { format!("[exit code {code}]\n") };
        format!("$ unmiss {line}\n{}{out}{code}\n", without_progress(&err))
    }

    /// Transcripts of several runs, one after the other.
    pub fn transcripts<'a>(&self, lines: impl IntoIterator<Item = &'a str>) -> String {
        lines.into_iter().map(|line| self.transcript(line)).collect()
    }
}

fn answer(output: Output) -> Answer {
    Answer {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Standard error without the lines that tell every few seconds how far long work is: `comparison: 6 of 12, about 10 s
/// left`. Whether there are any depends on how busy the machine is.
fn without_progress(err: &str) -> String {
    let is_progress = |line: &str| {
        let mut words = line.split_once(": ").map_or("", |(_, rest)| rest).split(' ');
        let (done, of, total) = (words.next(), words.next(), words.next());
        let counted = done.is_some_and(|done| done.parse::<u64>().is_ok());
        counted && of == Some("of") && total.is_some_and(|total| total.ends_with(','))
    };
    err.split_inclusive('\n').filter(|line| !is_progress(line)).collect()
}

fn assert_narrow(text: &str) {
    for line in text.lines() {
        assert!(line.chars().count() <= 80, "wider than 80 columns: {line}");
    }
}

/// Compares a transcript with the one kept under a name; what differs between machines is left out.
pub fn assert_kept(name: &str, transcript: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.add_filter(
        r"(?m)^(  (?:network|mlp|linear|trees|autorec|factors|cf-nade|blend|biases) .*?) +\d+\.\d$",
        "$1  [seconds]",
    );
    settings.add_filter(r"(?m)^(  file +format \d+, )\d+ kB$", "$1[size] kB");
    settings.add_filter(r"(?m)^(  iterations +)\d+$", "$1[number]");
    settings.set_omit_expression(true);
    settings.set_prepend_module_to_snapshot(false);
    settings.bind(|| insta::assert_snapshot!(name, transcript));
}

/// The text with every decimal number rounded to so many places: the last digits differ between processors.
pub fn rounded(text: &str, places: usize) -> String {
    let number = |word: &str| match (word.contains('.'), word.parse::<f64>()) {
        (true, Ok(value)) => format!("{value:.places$}"),
        _ => word.to_owned(),
    };
    let lines = text.lines().map(|line| line.split(',').map(number).collect::<Vec<_>>().join(","));
    lines.map(|line| line + "\n").collect()
}

/// A made table of patients: id, numbers and categories with holes, two targets (`days`, a number without
/// holes, and `outcome`, three classes). The same rows every time; a longer table starts like a shorter one.
pub fn ward(rows: usize) -> String {
    let mut table = String::from("id,age,pulse,temperature,unit,sex,days,outcome\n");
    let mut state = 1_u64;
    let mut draw = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / (1_u64 << 31) as f64
    };
    for row in 0..rows {
        let age = (18.0 + 70.0 * draw()).floor();
        let pulse = 50.0 + 60.0 * draw();
        let temperature = 36.0 + 3.0 * draw();
        let unit = ["burns", "heart", "lungs"][(3.0 * draw()) as usize];
        let sex = if draw() < 0.5 { "f" } else { "m" };
        let effort = age / 20.0 + pulse / 30.0 + if unit == "burns" { 2.0 } else { 0.0 };
        let days = effort + draw();
        let outcome = if effort > 6.5 {
            "died"
        } else if draw() < 0.2 {
            "moved"
        } else {
            "home"
        };
        let mut hole = |share: f64, cell: String| if draw() < share { String::new() } else { cell };
        let pulse = hole(0.3, format!("{pulse:.1}"));
        let temperature = hole(0.2, format!("{temperature:.2}"));
        let unit = hole(0.1, unit.to_owned());
        table.push_str(&format!("p{row},{age},{pulse},{temperature},{unit},{sex},{days:.3},{outcome}\n"));
    }
    table
}

/// A table column by column: the header and the cells under it. Only for tables without quotes.
pub fn columns(table: &str) -> Vec<Vec<String>> {
    let mut columns: Vec<Vec<String>> = Vec::new();
    for line in table.lines() {
        for (place, cell) in line.split(',').enumerate() {
            if columns.len() <= place {
                columns.push(Vec::new());
            }
            columns[place].push(cell.to_owned());
        }
    }
    columns
}

/// The reverse of [`columns`].
pub fn table(columns: &[Vec<String>]) -> String {
    let rows = columns.first().map_or(0, Vec::len);
    let line = |row: usize| columns.iter().map(|column| column[row].as_str()).collect::<Vec<_>>().join(",");
    (0..rows).map(|row| line(row) + "\n").collect()
}
