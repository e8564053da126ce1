//! How plausible rows and images are: learned, shown, scored, refused.

use crate::bench::{Bench, ward};

fn bench() -> Bench {
    let bench = Bench::new();
    bench.write("ward.csv", ward(200));
    bench
}

/// The cells of a line of scores.
fn cells(line: &str) -> Vec<&str> {
    line.split(',').collect()
}

#[test]
fn rows_are_scored_and_the_odd_one_is_flagged() {
    let bench = bench();
    let learned = bench.succeed("density ward.csv --ignore id -o ward.unmiss --json learned.json").out;
    assert!(learned.contains("Mean log-likelihood of 40 rows that were held out"), "{learned}");
    let json: serde_json::Value = serde_json::from_slice(&bench.bytes("learned.json")).unwrap();
    assert_eq!((json["held_out"].as_u64(), json["rows"].as_u64()), (Some(40), Some(200)));
    assert!(bench.succeed("show ward.unmiss").out.contains("a model of how plausible rows are"));
    let scores = bench.succeed("score ward.unmiss ward.csv --id id").out;
    assert_eq!(scores.lines().next(), Some("row,id,log_likelihood,known,rarity,flag,surprising"));
    assert_eq!(scores.lines().count(), 201);
    assert_eq!(bench.succeed("score ward.unmiss ward.csv --id id --threads 1 -q").out, scores);
    // A row of one cell from far outside, and one of nothing.
    let header = ward(1).lines().next().unwrap().to_owned();
    let place = header.split(',').position(|name| name == "age").unwrap();
    let row = |cell: &str| {
        let cells = header.split(',').enumerate().map(|(own, _)| if own == place { cell } else { "" });
        cells.collect::<Vec<_>>().join(",")
    };
    bench.write("odd.csv", format!("{header}\n{}\n{}\n", row("900"), row("")));
    let said = bench.succeed("score ward.unmiss odd.csv -o odd-scores.csv --json odd.json --flag 0.02");
    let words = said.err.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("the rarest, with what surprises most: 1 (`age`)"), "{words}");
    let odd = bench.text("odd-scores.csv");
    let lines: Vec<Vec<&str>> = odd.lines().skip(1).map(cells).collect();
    assert_eq!((lines[0][2], lines[0][4], lines[0][5]), ("1", "rare", "age"));
    assert_eq!((lines[1][1], lines[1][2], lines[1][3]), ("0", "0", ""));
    let json: serde_json::Value = serde_json::from_slice(&bench.bytes("odd.json")).unwrap();
    assert_eq!(json["rows"][0]["flagged"].as_bool(), Some(true));
}

#[test]
fn images_are_scored() {
    let bench = Bench::new();
    bench.succeed("hide sample:digits --how square:0.25 -o holed.npz --seed 3 -q");
    let settings = "--set filters=[4,4] --set epochs=1 --test 0.05";
    let learned = bench.succeed(&format!("density holed.npz {settings} -o digits.unmiss")).out;
    assert!(learned.contains("images that were held out"), "{learned}");
    assert!(bench.succeed("show digits.unmiss").out.contains("a model of how plausible images are"));
    let scores = bench.succeed("score digits.unmiss holed.npz").out;
    assert!(scores.lines().next().unwrap().starts_with("image,log_likelihood,known,rarity"));
    assert_eq!(cells(scores.lines().nth(1).unwrap())[2], "48");
}

#[test]
fn what_is_no_likelihood_is_called_none() {
    let bench = bench();
    let made = "density ward.csv --ignore id --method made --set epochs=1 --set hidden=[8] --set masks=1";
    for (form, told) in [("paper", true), ("paper-all", true), ("none", false)] {
        let learned = bench.succeed(&format!("{made} --set normalization={form} -o made.unmiss"));
        assert_eq!(learned.out.replace('\n', " ").contains("no likelihood"), told, "{}", learned.out);
        let shown = bench.succeed("show made.unmiss").out;
        assert_eq!(shown.replace("\n ", " ").contains("no likelihood"), told, "{shown}");
        let scored = bench.succeed("score made.unmiss ward.csv -o scores.csv").err;
        assert_eq!(scored.contains("likelihood, and is not to be compared"), told, "{scored}");
    }
}

#[test]
fn what_cannot_be_is_refused_in_words() {
    let bench = bench();
    bench.succeed("density ward.csv -o ward.unmiss -q");
    bench.succeed("impute ward.csv --method mean -o full.csv --save filler.unmiss -q");
    bench.write("other.csv", "a,b\n1,2\n");
    for (line, what) in [
        ("density ward.csv --method mean", "the method `mean` fills holes and is not for this"),
        ("density ward.csv --test 0.9", "0.9 is not between 0 and 0.5"),
        ("density ward.csv --ignore nothing", "nothing"),
        ("density sample:digits --ignore label", "this is for tables, and the data are images"),
        ("density ward.csv -o ward.csv", "ward.csv"),
        ("score filler.unmiss ward.csv", "this model fills holes"),
        ("score ward.unmiss ward.csv --flag 2", "2 is not between 0 and 1"),
        ("score ward.unmiss ward.csv --id nothing", "nothing"),
        ("score ward.unmiss other.csv", "there is no column"),
        ("predict ward.unmiss ward.csv", "this model says how plausible rows are"),
    ] {
        let answer = bench.run(line);
        assert_eq!(answer.code, 1, "{line}");
        assert!(answer.err.contains(what), "{line}: {}", answer.err);
    }
}
