//! Ratings: learn, predict, list, audit, and what is refused.

use crate::bench::{Bench, assert_kept};

const FIT: &str = "recommend fit sample:films --set hidden=40 --set decay=10 --set rate=0.01 -o films.unmiss";

fn fitted() -> Bench {
    let bench = Bench::new();
    bench.succeed(&format!("{FIT} --test 0 -q"));
    bench
}

#[test]
fn the_way_from_ratings_to_a_list() {
    let bench = Bench::new();
    bench.write(
        "pairs.csv",
        "user,item\nuser-001,film-001\nuser-001,film-150\nzoe,film-001\nuser-001,new film\n",
    );
    bench.write("zoe.csv", "user,item,rating\nzoe,film-002,5\nzoe,film-003,1\nzoe,unheard of,3\n");
    // Few ratings without any sense: mean and offsets do as well as anything.
    let mixed = |n: u64| {
        let n = n.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (n ^ n >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd) >> 40
    };
    let few = (0..300).map(|n| format!("u{},i{},{}\n", n % 25, n % 31, 1 + mixed(n) % 5));
    bench.write("few.csv", format!("user,item,rating\n{}", few.collect::<String>()));
    // Too few to hold any out.
    bench.write("three.csv", "user,item,rating\na,x,4\nb,y,5\na,y,3\n");
    let mut text = bench.transcripts([
        FIT,
        "show films.unmiss",
        "recommend predict films.unmiss pairs.csv",
        "recommend predict films.unmiss pairs.csv --ratings zoe.csv -o out.csv",
        "recommend top films.unmiss 3 --for user-001 --for user-002",
        "recommend top films.unmiss 3 --for zoe --ratings zoe.csv",
        "recommend audit films.unmiss --users 30 --levels 4 --masks 5 --html page.html --json audit.json",
        "recommend fit sample:films -o best.unmiss",
        "recommend audit best.unmiss --users 30 --levels 4 --masks 5",
        "recommend fit sample:films --method autorec --set epochs=1 -o hasty.unmiss",
        "recommend fit few.csv --method autorec --method cf-nade --seed 1 -o few.unmiss",
        "recommend fit few.csv --test 0 -o few.unmiss",
        "recommend fit few.csv --seed 1 -o few.unmiss",
        "recommend fit three.csv -o three.unmiss",
        r#"recommend fit sample:films --method blend --set methods=["factors","biases"] --set weights=[0.6,0.4] -o both.unmiss"#,
        "show both.unmiss",
    ]);
    text += &bench.text("out.csv");
    assert_kept("recommend", &text);
    assert!(bench.text("page.html").contains("<svg") && bench.text("audit.json").contains("\"verdict\""));
}

#[test]
fn help() {
    let lines =
        ["", "fit ", "predict ", "top ", "audit "].map(|command| format!("recommend {command}--help"));
    let mut text = Bench::new().transcripts(lines.iter().map(String::as_str));
    text += &Bench::new().transcripts([
        "methods autorec",
        "methods cf-nade",
        "methods factors",
        "methods blend",
        "methods biases",
    ]);
    assert_kept("recommend_help", &text);
}

#[test]
fn lists_hold_nothing_that_was_rated_and_repeat() {
    let bench = fitted();
    let all = bench.succeed("recommend top films.unmiss 5 -q").out;
    assert_eq!(all.lines().count(), 1 + 300 * 5);
    assert_eq!(all, bench.succeed("recommend top films.unmiss 5 -q --threads 1").out);
    let one = bench.succeed("recommend top films.unmiss 5 --for user-100").out;
    let of = |line: &&str| line.starts_with("user-100,");
    assert_eq!(one.lines().skip(1).collect::<Vec<_>>(), all.lines().filter(of).collect::<Vec<_>>());
}

#[test]
fn movielens_files_are_read_as_they_come() {
    let bench = Bench::new();
    let mut lines = String::new();
    for user in 1..30_u32 {
        (1..20_u32)
            .for_each(|item| lines += &format!("{user}::{item}::{}::97830{item}\n", 1 + (user * item) % 5));
    }
    bench.write("ratings.dat", &lines);
    bench.write("u.data", lines.replace("::", "\t"));
    for file in ["ratings.dat", "u.data"] {
        bench.succeed(&format!("recommend fit {file} --method biases -o {file}.unmiss -q"));
    }
    assert_eq!(bench.model("ratings.dat.unmiss"), bench.model("u.data.unmiss"));
}

#[test]
fn what_is_refused() {
    let bench = fitted();
    bench.write("ward.csv", crate::bench::ward(60));
    bench.succeed("fit ward.csv --target days --id id --ignore outcome --method linear -o days.unmiss -q");
    bench.write("words.csv", "user,item,rating\na,x,4\nb,x,good\n");
    bench.write("empty.csv", "user,item,rating\n");
    bench.write("holes.csv", "user,item,rating\na,x,4\n,x,3\n");
    bench.write("twice.csv", "user,item,rating\na,x,4\na,x,3\na,y,NA\nb,x,1\n");
    let lines = [
        "recommend fit absent.csv",
        "recommend fit words.csv",
        "recommend fit empty.csv",
        "recommend fit holes.csv",
        "recommend fit ward.csv",
        "recommend fit twice.csv --rating score",
        "recommend fit twice.csv --method trees",
        "recommend fit twice.csv --set hiden=3",
        "recommend fit twice.csv --set decay=-1",
        "recommend fit twice.csv -o absent/model.unmiss",
        "recommend top films.unmiss --for user-1",
        "recommend top days.unmiss",
        "recommend predict films.unmiss ward.csv",
        "predict films.unmiss ward.csv",
        "recommend audit absent.unmiss",
    ];
    for line in lines {
        assert_eq!(bench.run(line).code, 1, "{line}");
    }
    // A share that is none is refused with the other options that can't be read.
    assert_eq!(bench.run("recommend fit twice.csv --test 0.9").code, 2);
    let mut text = bench.transcripts(lines);
    text += &bench.transcript("recommend fit twice.csv --method biases --test 0 -o tiny.unmiss");
    assert_kept("errors_ratings", &text);
}
