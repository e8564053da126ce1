//! Judging: `evaluate`, and what `fit` and `compare` say about rows that belong together or follow each other.

use serde_json::Value;

use crate::bench::{Bench, ward};

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn figure<'a>(found: &'a Value, metric: &str) -> &'a Value {
    let all = found["figures"].as_array().unwrap();
    all.iter().find(|own| own["metric"] == metric).unwrap_or_else(|| panic!("no {metric}: {found}"))
}

#[test]
fn a_model_is_judged_on_rows_it_did_not_see() {
    let bench = Bench::new();
    bench.write("ward.csv", ward(300));
    let later: String = ward(420)
        .lines()
        .enumerate()
        .filter(|(line, _)| *line == 0 || *line > 300)
        .map(|(_, line)| format!("{line}\n"))
        .collect();
    bench.write("later.csv", &later);
    bench.succeed(
        "fit ward.csv --target days --id id --ignore outcome --method linear --folds 3 -o days.unmiss -q",
    );
    let text = bench.succeed("evaluate days.unmiss later.csv --html page.html").out;
    assert!(text.contains("120 rows whose `days` is known") && text.contains("RMSE"), "{text}");
    let found = json(&bench.succeed("evaluate days.unmiss later.csv --json -").out);
    let rmse = figure(&found, "rmse");
    let (low, high) = (rmse["interval"][0].as_f64().unwrap(), rmse["interval"][1].as_f64().unwrap());
    assert!((low..high).contains(&rmse["value"].as_f64().unwrap()), "{rmse}");
    // Intervals of a sound model hold about what they promise on rows like those learned from.
    let level = found["coverage"].as_array().unwrap().iter().find(|own| own["level"] == 0.9).unwrap();
    assert!((0.75..=1.0).contains(&level["held"].as_f64().unwrap()), "{level}");
    assert!(bench.text("page.html").contains("Predicted and true"));
    let refused = bench.run("evaluate days.unmiss days.unmiss");
    assert_ne!(refused.code, 0);
    bench.write("blind.csv", "id,age,pulse,temperature,sex\n1,2,3,4,f\n");
    assert!(bench.run("evaluate days.unmiss blind.csv").err.contains("there is no column"));
}

#[test]
fn a_figure_chooses_the_threshold_and_predictions_follow_it() {
    let bench = Bench::new();
    bench.write("ward.csv", ward(300));
    let fit = "fit ward.csv --target sex --id id --ignore days,outcome --method linear --folds 3";
    let found = json(&bench.succeed(&format!("{fit} --metric f1 -o one.unmiss --json - -q")).out);
    let evaluation = &found["found"]["evaluation"];
    let threshold = evaluation["threshold"].as_f64().unwrap();
    for metric in ["pr-auc", "balanced-accuracy", "f1", "sensitivity", "specificity", "brier"] {
        assert!(figure(evaluation, metric)["value"].is_number(), "{metric}");
    }
    let answers = bench.succeed("predict one.unmiss ward.csv --append -q").out;
    let head: Vec<&str> = answers.lines().next().unwrap().split(',').collect();
    let place = |name: &str| head.iter().position(|own| *own == name).unwrap();
    let (said, chance) = (place("prediction"), head.len() - 1);
    let second = head[chance].strip_prefix("probability_").unwrap();
    for line in answers.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        assert!(cells[chance].len() <= 8, "{line}");
        let chance: f64 = cells[chance].parse().unwrap();
        assert!(
            (chance - threshold).abs() < 1e-6 || (cells[said] == second) == (chance >= threshold),
            "{line}"
        );
    }
    let refused = bench.run(&format!("{fit} --metric rmse"));
    assert!(refused.err.contains("can't judge this"), "{}", refused.err);
    assert!(bench.run("fit ward.csv --target days --metric f2").err.contains("there is no figure"));
}

#[test]
fn persons_stay_together_and_time_goes_one_way() {
    let bench = Bench::new();
    // The person says everything and the other column nothing: only who sees a person twice can know.
    let rows: String = (0..240)
        .map(|row| {
            let (person, noise) = (row / 12, row * 37 % 101);
            let day = format!("2024-{:02}-{:02}", row % 12 + 1, row % 28 + 1);
            format!("p{person},{day},{noise},{}.5,{}\n", person * 7 % 20, ["no", "yes"][person * 31 % 7 % 2])
        })
        .collect();
    bench.write("visits.csv", format!("person,day,noise,height,died\n{rows}"));
    let fit = "fit visits.csv --target died --method forest --folds 3 -q -o m.unmiss --json -";
    let auroc = |line: &str| {
        figure(&json(&bench.succeed(line).out)["found"]["evaluation"], "auroc")["value"].as_f64().unwrap()
    };
    let (free, together) =
        (auroc(&format!("{fit} --ignore person")), auroc(&format!("{fit} --group person")));
    assert!(free > 0.9 && together < 0.75, "{free} {together}");
    let timed = json(&bench.succeed(&format!("{fit} --ignore person --time day --test 0.2")).out);
    assert_eq!(timed["found"]["division"]["time"], "day");
    assert!(timed["test"]["rows"].as_u64().unwrap() > 30, "{}", timed["test"]);
    assert!(bench.run(&format!("{fit} --group person --time day")).err.contains("at once"));
    let compared = bench.succeed(
        "compare visits.csv --target died --group person --methods linear,forest --folds 3 --repeats 1 -o best.unmiss -q",
    );
    assert!(compared.out.contains("never on both"), "{}", compared.out);
    assert!(bench.succeed("show best.unmiss").out.contains("unmiss compare visits.csv"));
}

#[test]
fn what_is_told_to_programs_is_json_and_nothing_else() {
    let bench = Bench::new();
    bench.write("ward.csv", ward(120));
    bench.succeed(
        "fit ward.csv --target days --id id --ignore outcome --method linear --folds 2 -o m.unmiss -q",
    );
    for line in [
        "describe ward.csv --json -",
        "show m.unmiss --json -",
        "methods --json -",
        "methods trees --json -",
        "impute ward.csv --method mean -o full.csv --json -",
        "audit m.unmiss ward.csv --rows 10 --levels 2 --masks 2 --no-contrast --json -",
        "fit ward.csv --target days --id id --method linear --folds 2 -o n.unmiss --test ward.csv --json -",
        "compare ward.csv --target days --ignore id --methods linear --folds 2 --repeats 1 --json -",
    ] {
        json(&bench.succeed(line).out);
    }
    let quiet = bench.succeed("fit ward.csv --target days --id id --method linear --folds 2 -o n.unmiss -q");
    assert_eq!((quiet.out.as_str(), quiet.err.as_str()), ("", ""));
}

#[test]
fn filled_cells_are_marked_with_the_digits_of_their_column() {
    let bench = Bench::new();
    let rows: String = (0..40)
        .map(|row| match row % 8 {
            3 => format!("{row},\n"),
            step => format!("{row},1.0{:02}\n", 5 * (step % 5)),
        })
        .collect();
    bench.write("sg.csv", format!("age,sg\n{rows}"));
    bench.succeed("impute sg.csv --method gaussian -o full.csv --mark cells.csv");
    for line in bench.text("full.csv").lines().skip(1) {
        assert_eq!(line.split(',').nth(1).unwrap().len(), 5, "{line}");
    }
    let cells = bench.text("cells.csv");
    assert_eq!(cells.lines().count(), 6);
    for line in cells.lines().skip(1) {
        let cell: Vec<&str> = line.split(',').collect();
        let number = |place: usize| cell[place].parse::<f64>().unwrap();
        assert!(cell[1] == "sg" && number(3) <= number(2) && number(2) <= number(4), "{line}");
    }
}

#[test]
fn shells_and_man_are_told_of_every_command() {
    let bench = Bench::new();
    for shell in ["bash", "zsh", "fish"] {
        assert!(bench.succeed(&format!("completions {shell}")).out.contains("evaluate"));
    }
    assert!(bench.succeed("man").out.contains("unmiss"));
    assert!(bench.succeed("man fit").out.contains("Examples:"));
    assert!(bench.run("man fitt").err.contains("did you mean `fit`"));
}

#[test]
fn the_file_that_was_learned_from_is_known_again() {
    let bench = Bench::new();
    let rows: String = (0..60).map(|row| format!("{},{},{}\n", row % 2, row % 7, row % 2)).collect();
    bench.write("told.csv", format!("told,x,y\n{rows}"));
    bench.succeed("fit told.csv --target y --method linear -o m.unmiss");
    let out = bench.succeed("evaluate m.unmiss told.csv").out.replace("\n    ", " ");
    assert!(
        out.contains("very file that the model learned from") && out.contains("too good to be true"),
        "{out}"
    );
    bench.write("other.csv", format!("told,x,y\n{rows}0,1,0\n"));
    let out = bench.succeed("evaluate m.unmiss other.csv").out.replace("\n    ", " ");
    assert!(!out.contains("very file"), "{out}");
    let out = bench.succeed("compare told.csv --target y --methods linear,additive --repeats 1").out;
    assert!(out.replace("\n  ", " ").contains("too good to be true"), "{out}");
}
