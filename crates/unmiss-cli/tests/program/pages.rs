//! Pages as a browser shows them. Without Chromium on the machine these tests say so and pass.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::bench::{Bench, ward};

/// The window of a telephone held upright.
const NARROW: u32 = 400;

/// Writes every kind of page there is.
fn pages(bench: &Bench) -> Vec<&'static str> {
    // A name that would run if it were not escaped, and one that is far too long.
    let table = ward(150).replacen("pulse", "<script>document.title='harm'</script>", 1).replacen(
        "temperature",
        &"temperature_in_the_evening_".repeat(6),
        1,
    );
    bench.write("ward.csv", table);
    let fit = "fit ward.csv --id id --threads 2 --folds 3 --quiet";
    bench.succeed("describe ward.csv --target days --html describe.html --threads 2");
    bench.succeed(&format!(
        "{fit} --target days --ignore outcome --method linear -o days.unmiss --html number.html"
    ));
    bench.succeed(&format!(
        "{fit} --target outcome --ignore days --method mlp --set epochs=8 --set hidden=[8] --set missing=zero \
         -o outcome.unmiss --html classes.html"
    ));
    bench.succeed(
        "audit outcome.unmiss ward.csv --rows 20 --levels 5 --masks 4 --html audit.html --threads 2 -q",
    );
    let compare = "compare ward.csv --threads 2 --repeats 2 -q --ignore id";
    bench.succeed(&format!(
        "{compare},days --target outcome --folds 2 --methods linear,trees --html compared.html"
    ));
    bench.succeed(&format!("{compare} --impute --methods mean,gaussian --html imputers.html"));
    bench.succeed("hide sample:digits --how square:0.25 -o holed.npz");
    bench.succeed("fit holed.npz --method neighbours -o digits.unmiss --html told.html");
    bench.succeed("impute holed.npz --draws 2 -o full.npz --html filled.html");
    vec![
        "describe.html",
        "number.html",
        "classes.html",
        "audit.html",
        "compared.html",
        "imputers.html",
        "told.html",
        "filled.html",
    ]
}

#[test]
fn pages_stand_alone_and_a_browser_shows_them_in_full() {
    let bench = Bench::new();
    let names = pages(&bench);
    names.iter().for_each(|name| stands_alone(name, &bench.text(name)));
    let Some(browser) = browser() else {
        eprintln!("skipped: there is no Chromium on this machine to look at the pages with");
        return;
    };
    for name in names {
        let shown = bench.shown(&browser, name);
        assert!(!shown.log.contains("CONSOLE"), "{name}: {}", shown.log);
        assert!(!shown.title.contains("harm"), "{name}: a column name was run");
        assert!(shown.height > 600, "{name} is {} high", shown.height);
        assert!(shown.charts > 0 && shown.flat == 0, "{name}: {} charts, {} flat", shown.charts, shown.flat);
        assert!(shown.width <= NARROW, "{name} is {} wide in a window of {NARROW}", shown.width);
        assert_eq!(shown.wide, "", "{name}: elements wider than the window");
    }
}

fn stands_alone(name: &str, html: &str) {
    for forbidden in ["<script", "<img", "<link", "<iframe", "@import", "url(", " src=", "NaN"] {
        assert!(!html.contains(forbidden), "{name} has {forbidden}");
    }
    let body = html.split_once("</style>").unwrap().1;
    assert!(body.contains("<svg") && body.contains("var(--series-1)"), "{name}");
    assert!(!body.contains("fill=\"#") && !body.contains("stroke=\"#"), "{name} has a fixed colour");
    assert!(html.len() < 1_500_000, "{name}: {} bytes", html.len());
    assert_eq!(html.matches("<figure").count(), html.matches("<details>").count(), "{name}");
}

#[test]
fn a_page_that_cannot_be_written_is_told_before_the_work() {
    let bench = Bench::new();
    bench.write("ward.csv", ward(60));
    let answer =
        bench.run("fit ward.csv --target days --method linear --html absent/page.html -o days.unmiss");
    assert_eq!(answer.code, 1);
    assert!(answer.err.contains("there is no folder `absent`"), "{}", answer.err);
    assert!(!bench.path("days.unmiss").exists());
}

/// What a browser made of a page in a narrow window.
struct Shown {
    title: String,
    width: u32,
    height: u32,
    charts: u32,
    /// Charts without height.
    flat: u32,
    /// Elements that stick out, except inside boxes that scroll.
    wide: String,
    log: String,
}

impl Bench {
    /// Loads a page in a frame of a page of our own, which measures it and writes down what it finds.
    fn shown(&self, browser: &Path, name: &str) -> Shown {
        let measure = MEASURE.replace("PAGE", name).replace("NARROW", &NARROW.to_string());
        self.write("measure.html", measure);
        let profile = tempfile::tempdir().unwrap();
        let address = format!("file://{}", self.path("measure.html").display());
        let output = Command::new(browser)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
            .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
            // Files may otherwise not look into each other.
            .args(["--allow-file-access-from-files", "--enable-logging=stderr", "--virtual-time-budget=4000"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .args(["--dump-dom", &address])
            .output()
            .unwrap();
        let dom = String::from_utf8_lossy(&output.stdout).into_owned();
        let log = String::from_utf8_lossy(&output.stderr).into_owned();
        let found = |key: &str| {
            let start = format!("{key}=[");
            let rest = dom.split_once(&start).unwrap_or_else(|| panic!("{name}: no {key}\n{dom}\n{log}")).1;
            rest.split_once("]=").map_or("", |(value, _)| value).to_owned()
        };
        let number = |key: &str| found(key).parse::<f64>().unwrap().round() as u32;
        Shown {
            title: found("title"),
            width: number("width"),
            height: number("height"),
            charts: number("charts"),
            flat: number("flat"),
            wide: found("wide"),
            log,
        }
    }
}

const MEASURE: &str = r#"<!DOCTYPE html><meta charset="utf-8"><pre id="found"></pre>
<iframe id="frame" src="PAGE" width="NARROW" height="800" style="border:0"></iframe>
<script>
document.getElementById('frame').addEventListener('load', function () {
  var page = this.contentDocument, root = page.documentElement;
  page.querySelectorAll('details').forEach(function (one) { one.open = true; });
  var charts = Array.from(page.querySelectorAll('svg.chart'));
  var wide = Array.from(page.querySelectorAll('body *')).filter(function (one) {
    return !one.closest('table, .drawing svg') && one.getBoundingClientRect().right > NARROW + 1;
  }).map(function (one) { return one.tagName + ':' + (one.textContent || '').trim().slice(0, 40); });
  var found = {
    title: page.title, width: root.scrollWidth, height: root.scrollHeight, charts: charts.length,
    flat: charts.filter(function (one) { return one.getBoundingClientRect().height < 40; }).length,
    wide: wide.slice(0, 5).join('; ')
  };
  document.getElementById('found').textContent =
    Object.keys(found).map(function (key) { return key + '=[' + found[key] + ']='; }).join('\n');
});
</script>
"#;

/// Chromium or one of its kind, wherever it usually is.
fn browser() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
    let folders: Vec<PathBuf> =
        std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default();
    let places = names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    places.into_iter().find(|place| place.is_file())
}
