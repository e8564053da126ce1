//! What a user can ask to be respected while holes are filled.

use crate::bench::{Bench, assert_kept, columns};

/// Weight, height, the index that follows from them, sex and births; every third cell or so is missing.
fn people() -> String {
    let mut text = String::from("weight,height,bmi,sex,births\n");
    for row in 0..90_u32 {
        let (a, b) = (f64::from(row * 37 % 83), f64::from(row * 53 % 71));
        let height = 155.0 + 0.4 * a;
        let weight = 0.5 * height - 20.0 + 0.3 * b;
        let cell = |value: f64, hidden: bool| if hidden { String::new() } else { format!("{value:.1}") };
        let bmi =
            format!("{:.2}", (weight * 10.0).round() / 10.0 / ((height * 10.0).round() / 1000.0).powi(2));
        let sex = if row % 2 == 0 { "male" } else { "female" };
        let births = if row % 2 == 0 || row % 7 == 3 { String::new() } else { (row % 4).to_string() };
        let line = [
            cell(weight, row % 3 == 0),
            cell(height, row % 5 == 1),
            if row % 4 == 2 { String::new() } else { bmi },
            sex.into(),
            births,
        ];
        text.push_str(&format!("{}\n", line.join(",")));
    }
    text
}

fn bench() -> Bench {
    let bench = Bench::new();
    bench.write("people.csv", people());
    bench
}

fn numbers(text: &str, name: &str) -> Vec<Option<f64>> {
    let column = columns(text).into_iter().find(|column| column[0] == name).unwrap();
    column[1..].iter().map(|cell| cell.parse().ok()).collect()
}

#[test]
fn formulas_hold_in_every_draw_and_known_cells_stay() {
    let bench = bench();
    bench.succeed("impute people.csv -o full.csv -q --method gaussian --draws 3 --ignore births --derive 'bmi = weight / (height / 100)^2'");
    for draw in 1..=3 {
        let text = bench.text(&format!("full-{draw}.csv"));
        let (weight, height, bmi) =
            (numbers(&text, "weight"), numbers(&text, "height"), numbers(&text, "bmi"));
        let before = numbers(&people(), "weight");
        for row in 0..90 {
            let value = weight[row].unwrap() / (height[row].unwrap() / 100.0).powi(2);
            // Known weights and heights have one digit, known indices two.
            assert!(
                (value - bmi[row].unwrap()).abs() < 0.006,
                "draw {draw}, row {row}: {value} {:?}",
                bmi[row]
            );
            assert!(before[row].is_none_or(|known| Some(known) == weight[row]));
        }
    }
}

#[test]
fn holes_that_stand_for_nothing_stay_and_indicators_tell_the_others() {
    let bench = bench();
    let answer = bench.succeed(
        "impute people.csv -o full.csv --method gaussian --leave 'births where sex = male' --indicators",
    );
    assert!(answer.out.contains("45 holes of `births` stay, as was asked."), "{} {}", answer.out, answer.err);
    let text = bench.text("full.csv");
    let all = columns(&text);
    assert_eq!(
        all.iter().map(|column| column[0].as_str()).collect::<Vec<_>>(),
        [
            "weight",
            "height",
            "bmi",
            "sex",
            "births",
            "weight_missing",
            "height_missing",
            "bmi_missing",
            "births_missing"
        ]
    );
    for (sex, births) in all[3].iter().zip(&all[4]).skip(1) {
        assert_eq!(births.is_empty(), sex == "male");
    }
    let (before, marks) = (numbers(&people(), "weight"), numbers(&text, "weight_missing"));
    before
        .iter()
        .zip(marks)
        .for_each(|(cell, mark)| assert_eq!(mark, Some(f64::from(u8::from(cell.is_none())))));
}

#[test]
fn an_outcome_is_left_alone_by_guesses_and_used_by_draws() {
    let bench = bench();
    bench.succeed("impute people.csv -o guess.csv -q --method gaussian --target bmi");
    bench.succeed("impute people.csv -o ignored.csv -q --method gaussian --ignore bmi");
    assert_eq!(bench.text("guess.csv"), bench.text("ignored.csv"));
    bench.succeed("impute people.csv -o full.csv -q --method gaussian --target bmi --draws 1");
    assert!(numbers(&bench.text("full-1.csv"), "bmi").iter().all(Option::is_some));
}

/// With no predictor but sex, a filled weight is one of two numbers.
#[test]
fn equations_say_who_predicts_whom() {
    let bench = bench();
    bench.succeed("impute people.csv -o full.csv -q --predictors 'weight ~ sex'");
    let (before, after) = (numbers(&people(), "weight"), numbers(&bench.text("full.csv"), "weight"));
    let mut filled: Vec<String> = before
        .iter()
        .zip(&after)
        .filter(|(before, _)| before.is_none())
        .map(|(_, after)| format!("{:.3}", after.unwrap()))
        .collect();
    filled.sort();
    filled.dedup();
    assert_eq!(filled.len(), 2, "{filled:?}");
}

/// Groups whose levels differ and nothing else that tells: without them every guess is the same.
#[test]
fn groups_help_to_fill_and_their_means_are_kept_in_the_file() {
    let bench = Bench::new();
    let mut text = String::from("clinic,x,y\n");
    for row in 0..120_u32 {
        let (clinic, noise) = (row % 6, f64::from(row * 31 % 17) / 17.0);
        let y = if row % 5 == 0 { String::new() } else { format!("{:.3}", 10.0 * f64::from(clinic) + noise) };
        text.push_str(&format!("k{clinic},{},{y}\n", row * 13 % 29));
    }
    bench.write("clinics.csv", &text);
    bench.succeed("impute clinics.csv -o full.csv -q --method gaussian --group clinic --save i.unmiss");
    let full = bench.text("full.csv");
    for line in full.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let level: f64 = cells[0][1..].parse().unwrap();
        assert!((cells[2].parse::<f64>().unwrap() - 10.0 * level).abs() < 2.0, "{line}");
    }
    bench.succeed("impute clinics.csv -o again.csv -q --with i.unmiss");
    assert_eq!(bench.text("again.csv"), full);
    let refused = bench.run("impute full.csv -o no.csv --group x2");
    assert!(refused.err.contains("no column `x2`"), "{}", refused.err);
}

#[test]
fn refused() {
    let bench = bench();
    let lines = [
        "impute people.csv -o f.csv --predictors 'wieght ~ sex'",
        "impute people.csv -o f.csv --method gaussian --predictors 'weight ~ sex'",
        "impute people.csv -o f.csv --derive 'bmi = weight / hight^2'",
        "impute people.csv -o f.csv --derive 'bmi = weight /'",
        "impute people.csv -o f.csv --derive 'sex = weight'",
        "impute people.csv -o f.csv --leave 'births if male'",
        "impute people.csv -o f.csv --leave 'births where sex < male'",
    ];
    assert_kept("impute_plan_refused", &bench.transcripts(lines));
    assert!(!bench.path("f.csv").exists());
}
