//! `unmiss serve` as a process: answers are the program's own bytes, files are replaced under way, and it ends when
//! told.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::bench::{Bench, ward};
use crate::new_data::{gzipped, parquet_of};

/// A running server.
struct Server {
    child: Child,
    address: SocketAddr,
    /// What it says after its start.
    told: BufReader<std::process::ChildStderr>,
}

impl Server {
    fn start(bench: &Bench, line: &str) -> Self {
        let line = format!("serve {line} --listen 127.0.0.1:0");
        let mut child = bench.command(&line).stderr(Stdio::piped()).spawn().unwrap();
        let mut told = BufReader::new(child.stderr.take().unwrap());
        let mut text = String::new();
        while !text.contains("http://") {
            let mut line = String::new();
            assert!(told.read_line(&mut line).unwrap() > 0, "it did not start: {text}");
            text += &line;
        }
        let address = text.rsplit_once("http://").unwrap().1.trim().parse().unwrap();
        Self { child, address, told }
    }

    /// Sends one request and gives code and body.
    fn ask(&self, method: &str, path: &str, headers: &str, body: &[u8]) -> (u16, Vec<u8>) {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let length = body.len();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(body).unwrap();
        let mut reply = Vec::new();
        stream.read_to_end(&mut reply).unwrap();
        let end = reply.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
        let head = String::from_utf8_lossy(&reply[..end]).into_owned();
        let code = head.split(' ').nth(1).unwrap().parse().unwrap();
        (code, reply[end + 4..].to_vec())
    }

    /// The answer to a table, which must be a good one.
    fn table(&self, path: &str, body: &str) -> String {
        let (code, answer) = self.ask("POST", path, "content-type: text/csv\r\n", body.as_bytes());
        let answer = String::from_utf8(answer).unwrap();
        assert_eq!(code, 200, "{answer}");
        answer
    }

    /// Tells it to end, and gives the rest of what it said and its exit code.
    fn end(mut self) -> (String, Option<i32>) {
        let told = std::process::Command::new("kill").arg(self.child.id().to_string()).status().unwrap();
        assert!(told.success());
        let mut rest = String::new();
        self.told.read_to_string(&mut rest).unwrap();
        (rest, self.child.wait().unwrap().code())
    }
}

/// The rows of a table below its header, some at a time, each part with the header.
fn parts(table: &str, size: usize) -> Vec<String> {
    let (header, rows) = table.split_once('\n').unwrap();
    let rows: Vec<&str> = rows.lines().collect();
    rows.chunks(size).map(|some| format!("{header}\n{}\n", some.join("\n"))).collect()
}

#[test]
fn answers_are_the_program_s_byte_for_byte_however_rows_are_batched() {
    let bench = Bench::new();
    bench.write("ward.csv", ward(300));
    let new: String = ward(340)
        .lines()
        .enumerate()
        .filter(|(line, _)| *line == 0 || *line > 300)
        .map(|(_, l)| format!("{l}\n"))
        .collect();
    bench.write("new.csv", &new);
    for method in ["linear", "trees", "mlp"] {
        let quick = if method == "mlp" { "--set epochs=3" } else { "" };
        let fit = format!("fit ward.csv --id id --method {method} {quick} --folds 3");
        bench.succeed(&format!("{fit} --target days --ignore outcome -o {method}-days.unmiss"));
        bench.succeed(&format!("{fit} --target outcome --ignore days -o {method}-outcome.unmiss"));
    }
    bench.succeed("impute ward.csv --ignore id --method gaussian -o full.csv --save filler.unmiss");
    let models = "linear-days.unmiss trees-days.unmiss mlp-days.unmiss linear-outcome.unmiss trees-outcome.unmiss \
                  mlp-outcome.unmiss filler.unmiss";
    let server = Server::start(&bench, &format!("{models} --threads 2"));
    for model in models.split_whitespace().filter(|model| *model != "filler.unmiss") {
        let name = model.strip_suffix(".unmiss").unwrap();
        for level in ["", "0.8"] {
            let (option, parameter) = match level {
                "" => (String::new(), String::new()),
                level => (format!("--level {level}"), format!("?level={level}")),
            };
            let program = bench.succeed(&format!("predict {model} new.csv {option}")).out;
            let path = format!("/models/{name}/predict{parameter}");
            assert_eq!(server.table(&path, &new), program, "{model}");
            let header = program.split_once('\n').unwrap().0;
            for size in [1, 7] {
                let some: Vec<String> =
                    parts(&new, size).iter().map(|part| server.table(&path, part)).collect();
                let below = |text: &String| text.strip_prefix(&format!("{header}\n")).unwrap().to_owned();
                let together: String = some.iter().map(below).collect();
                assert_eq!(format!("{header}\n{together}"), program, "{model} by {size}");
            }
        }
    }
    for (option, parameter) in [("", ""), ("--draws 3 --long --seed 4", "?draws=3&seed=4")] {
        bench.succeed(&format!("impute new.csv --with filler.unmiss -o filled.csv {option}"));
        assert_eq!(server.table(&format!("/models/filler/fill{parameter}"), &new), bench.text("filled.csv"));
    }
    let (told, code) = server.end();
    assert!(told.contains("the server ends") && code == Some(0), "{told} {code:?}");
    // What is said of work that can be stopped is not meant for a server.
    assert!(!told.contains("stopping at the next step"), "{told}");
}

#[test]
fn a_replaced_file_is_loaded_under_way_and_requests_are_told_without_data() {
    let bench = Bench::new();
    bench.write("ward.csv", ward(200));
    let fit = |method: &str, file: &str| {
        let line =
            format!("fit ward.csv --target days --ignore outcome,id --folds 3 --method {method} -o {file}");
        bench.succeed(&line);
    };
    fit("linear", "m.unmiss");
    let server = Server::start(&bench, "m.unmiss --reload 0.05 --log-requests");
    let row = "age,pulse,temperature,unit,sex\n61,,37.5,burns,m\n";
    let ask = || server.table("/models/m/predict", row);
    let before = ask();
    bench.write("m.unmiss", "no model");
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(ask(), before);
    fit("trees", "other.unmiss");
    std::fs::rename(bench.path("other.unmiss"), bench.path("m.unmiss")).unwrap();
    let start = Instant::now();
    while ask() == before {
        assert!(start.elapsed() < Duration::from_secs(30), "the new model never came");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(ask(), bench.feed("predict m.unmiss -", row.as_bytes()).out);
    let (told, _) = server.end();
    assert!(told.contains("model `m` stays as it was") && told.contains("model `m` was replaced"), "{told}");
    assert!(told.contains("POST predict m 200 1 rows"), "{told}");
    let line = told.lines().find(|line| line.contains("POST predict")).unwrap();
    assert!(line.starts_with("20") && line[..20].ends_with('Z'), "{line}");
    assert!(!told.contains("61,") && !told.contains("burns"), "{told}");
}

/// What the browser must bring.
const TOKEN: &str = "a-token-of-some-length";

/// Whether a program is there.
fn is_there(program: &str) -> bool {
    let mut version = std::process::Command::new(program);
    version.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    version.status().is_ok_and(|status| status.success())
}

#[test]
fn the_page_works_in_a_real_browser() {
    if let Some(absent) = ["python3", "chromium", "chromedriver"].into_iter().find(|name| !is_there(name)) {
        // Where it must be there, a word is not enough.
        assert!(std::env::var_os("UNMISS_BROWSER").is_none(), "there is no {absent}");
        eprintln!("the page is NOT tested: there is no {absent}");
        return;
    }
    let bench = Bench::new();
    let ward = ward(120);
    bench.write("ward.csv", &ward);
    let commas = ward.replace(',', ";").replace('.', ",");
    bench.write("titled.csv", format!("Ward 7, in spring\n\n{commas}"));
    bench.write("packed.csv.gz", gzipped(&ward));
    parquet_of(&bench, "ward.parquet", &ward);
    bench.write("token.txt", TOKEN);
    bench.succeed(
        "fit ward.csv --target days --ignore outcome --id id --folds 3 --method linear -o ward.unmiss",
    );
    bench.succeed("impute ward.csv --method mean -o full.csv --save filler.unmiss -q");
    bench.succeed("density ward.csv --ignore id --method gaussian -o plausible.unmiss -q");
    let server = Server::start(&bench, "ward.unmiss filler.unmiss plausible.unmiss --token-file token.txt");
    let script = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/program/page.py");
    let address = format!("http://{}/", server.address);
    let mut command = std::process::Command::new("python3");
    let files = ["ward.csv", "titled.csv", "packed.csv.gz", "ward.parquet"].map(|name| bench.path(name));
    let seen = command.arg(script).args([&address, TOKEN]).args(files).output().unwrap();
    let (told, faults) = (String::from_utf8_lossy(&seen.stdout), String::from_utf8_lossy(&seen.stderr));
    assert!(told.contains("the page works") && told.contains("audit:"), "{told}{faults}");
    server.end();
}

#[test]
fn what_can_t_be_served_is_refused_at_the_start() {
    let bench = Bench::new();
    bench.write("no.unmiss", "no model");
    bench.write("short.txt", "abc\n");
    let files = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../unmiss/tests/files");
    std::fs::copy(files.join("statistics-series-predict.unmiss"), bench.path("series.unmiss")).unwrap();
    for (line, words) in [
        ("serve no.unmiss", "no.unmiss"),
        ("serve nowhere.unmiss", "nowhere.unmiss"),
        ("serve a/m.unmiss b/m.unmiss", "two models would be called `m`"),
        ("serve no.unmiss --token-file short.txt", "16 letters"),
        ("serve no.unmiss --rows 0", "0 would allow nothing"),
        ("serve series.unmiss", "series.unmiss` is a model of series"),
    ] {
        let answer = bench.run(line);
        assert!(answer.code == 1 && answer.err.contains(words), "{line}: {}", answer.err);
    }
}
