//! Images through every verb: read, described, hidden, learned from, predicted, filled, written back.

use crate::bench::{Bench, assert_kept};

/// The sample with a square hidden in each digit.
fn bench() -> Bench {
    let bench = Bench::new();
    bench.succeed("hide sample:digits --how square:0.25 -o holed.npz --seed 3");
    bench
}

#[test]
fn describe_and_hide() {
    let bench = Bench::new();
    let lines = [
        "describe sample:digits",
        "hide sample:digits --how square:0.25 -o holed.npz --seed 3",
        "describe holed.npz --json holed.json --html holed.html",
        "hide holed.npz --how lines:0.5 -o twice.npy",
        "describe twice.npy",
        "hide sample:digits --how mcar:0.3 -o a.npz",
        "hide sample:penguins --how noise:0.3 -o a.csv",
        "hide sample:digits --how sqare:0.3 -o a.npz",
        "hide sample:digits --how noise:0.3 -o a.csv",
        "hide sample:digits --how noise:0.3 -o a.npz --target label",
        "describe sample:penguins --labels a.csv",
        "describe sample:digits --missing-colour green",
    ];
    assert_kept("images", &bench.transcripts(lines));
    let json: serde_json::Value = serde_json::from_slice(&bench.bytes("holed.json")).unwrap();
    assert_eq!(json["missing_by_pixel"].as_array().unwrap().len(), 64);
    let page = String::from_utf8(bench.bytes("holed.html")).unwrap();
    assert!(page.contains("href=\"data:image/png;base64,") && page.contains("img-src data:"));
    assert!(!page.contains("<script") && page.contains("How often each pixel is missing"));
}

#[test]
fn a_model_of_images_is_fitted_shown_and_predicts() {
    let bench = bench();
    let fitted = bench.succeed("fit holed.npz --method neighbours -o digits.unmiss");
    assert!(fitted.out.contains("Measured on 180 images that were held out"), "{}", fitted.out);
    let accuracy = fitted.out.lines().find(|line| line.trim_start().starts_with("neighbours")).unwrap();
    let accuracy: f64 = accuracy.split_whitespace().nth(1).unwrap().parse().unwrap();
    assert!(accuracy > 0.8, "{accuracy}");
    assert!(bench.succeed("show digits.unmiss").out.contains("a model of the classes of images"));
    let answer = bench.succeed("predict digits.unmiss holed.npz").out;
    let mut lines = answer.lines();
    assert!(lines.next().unwrap().starts_with("image,prediction,probability_0,probability_1,"));
    assert!(lines.next().unwrap().starts_with("1,0,"));
    assert_eq!(answer.lines().count(), 1798);
    assert_eq!(bench.succeed("predict digits.unmiss holed.npz --threads 1").out, answer);
    let audited = bench.succeed("audit digits.unmiss holed.npz --rows 4 --levels 3 --masks 2").out;
    assert!(audited.contains(", column "), "pixels are told by their places: {audited}");
    for (line, what) in [
        ("fit holed.npz --method linear", "method `linear`"),
        ("fit holed.npz --target label", "this is for tables, and the data are images"),
        (
            "predict digits.unmiss holed.npz --contributions a.csv",
            "this is for tables, and the data are images",
        ),
        ("show digits.unmiss --explain", "name some: unmiss show digits.unmiss --explain IMAGES"),
        ("show digits.unmiss --explain sample:penguins", "can't be read as images"),
        ("audit digits.unmiss", "there are no rows to audit the model on"),
        ("compare holed.npz --target size", "this is for tables, and the data are images"),
        ("compare holed.npz --impute --how mcar:0.2", "there is no region `mcar` of images"),
        ("impute holed.npz -o a.npz --set k=3", "settings belong to a method, and none is named"),
        ("predict digits.unmiss sample:penguins", "can't be read as images"),
        ("impute holed.npz --with digits.unmiss -o a.npz", "one that fills holes is needed"),
        ("impute holed.npz", "images can't be written to a file of this name"),
    ] {
        let refused = bench.run(line);
        assert!(refused.code != 0 && refused.err.contains(what), "{line}: {}", refused.err);
    }
    bench.succeed("hide sample:digits --how noise:0.5 -o bare.npy");
    let refused = bench.run("fit bare.npy");
    assert!(refused.err.contains("the classes of the images are not known"), "{}", refused.err);
    let refused = bench.run("compare bare.npy");
    assert!(refused.err.contains("the classes of the images are not known"), "{}", refused.err);
}

#[test]
fn a_model_of_images_tells_which_parts_it_goes_by() {
    let bench = bench();
    bench.succeed("fit holed.npz --method neighbours --test 0 -o digits.unmiss -q");
    // Six images of 8 x 8 in the form of MNIST, each with a bright column.
    let mut bytes = vec![0, 0, 8, 3, 0, 0, 0, 6, 0, 0, 0, 8, 0, 0, 0, 8];
    bytes.extend((0..6 * 64).map(|cell| if cell % 8 == 1 + cell / 64 { 250_u8 } else { 10 }));
    bench.write("few.idx", bytes);
    let plain = bench.succeed("predict digits.unmiss few.idx").out;
    let why = bench.succeed("predict digits.unmiss few.idx --explain 2").out;
    assert!(why.lines().next().unwrap().ends_with(",reason_1,reason_2"), "{why}");
    for (plain, why) in plain.lines().zip(why.lines()).skip(1) {
        assert!(why.starts_with(plain) && why.contains("rows "), "{why}");
    }
    let told =
        bench.succeed("show digits.unmiss --explain few.idx --rows 4 --html why.html --json why.json").out;
    assert!(told.contains("Squares of 2 x 2 pixels were hidden one by one in 4 images"), "{told}");
    assert!(told.lines().all(|line| line.chars().count() <= 80), "{told}");
    let found: serde_json::Value = serde_json::from_slice(&bench.bytes("why.json")).unwrap();
    assert_eq!(
        (found["images"].as_array().unwrap().len(), found["squares"].as_array().unwrap().len()),
        (4, 49)
    );
    assert!(bench.text("why.html").contains("Where it looks"));
}

#[test]
fn methods_for_images_are_compared() {
    let bench = bench();
    let told = bench.succeed("compare holed.npz --methods neighbours --folds 2 --json fits.json").out;
    assert!(told.contains("Predicting `label` (10 classes) on 1,797 images"), "{told}");
    let again =
        bench.succeed("compare holed.npz --methods neighbours --folds 2 --json fits.json --resume").out;
    assert_eq!(again, told);
    let filled = bench.succeed("compare holed.npz --impute --methods mean,mfa --set mfa.rounds=3").out;
    assert!(filled.contains("hidden by the holes of other images"), "{filled}");
    assert!(filled.contains("`mfa` has the lowest RMSE / sd"), "{filled}");
}

#[test]
fn holes_are_filled_and_what_is_known_stays() {
    let bench = bench();
    let said = bench.succeed("impute holed.npz -o full.npz --save imputer.unmiss").out;
    assert!(said.contains("Measured on known pixels of 1,797 images that were hidden"), "{said}");
    assert!(said.contains("Filled 28,752 pixels of 1,797 images by `mfa`"), "{said}");
    assert!(bench.succeed("describe full.npz").out.contains("Every pixel of every image is known."));
    bench.succeed("impute holed.npz -o again.npz --with imputer.unmiss");
    assert_eq!(bench.bytes("again.npz"), bench.bytes("full.npz"));
    bench.succeed("impute holed.npz -o drawn.npy --method mean --draws 2");
    assert_ne!(bench.bytes("drawn-1.npy"), bench.bytes("drawn-2.npy"));
    // Through pictures and back: a folder of transparent PNG files is the same images.
    bench.succeed("hide sample:digits --how strokes:0.2 -o strokes --seed 3");
    bench.succeed("hide sample:digits --how strokes:0.2 -o strokes.npz --seed 3");
    for name in ["strokes", "strokes.npz"] {
        bench.succeed(&format!("describe {name} --json {name}.json"));
    }
    assert_eq!(bench.text("strokes.json"), bench.text("strokes.npz.json"));
    let refused = bench.run("impute holed.npz -o strokes");
    assert!(refused.err.contains("this folder is there already"), "{}", refused.err);
}

#[test]
fn labels_that_are_numbers_are_predicted_as_numbers() {
    let bench = bench();
    let fitted = bench.succeed("fit holed.npz --method neighbours --task regression -o size.unmiss").out;
    assert!(fitted.contains("with numbers from 0.000 to 9.000") && fitted.contains("RMSE / sd"), "{fitted}");
    let answer = bench.succeed("predict size.unmiss holed.npz").out;
    assert!(!answer.lines().next().unwrap().contains("probability"), "{answer}");
    assert!(bench.succeed("evaluate size.unmiss holed.npz").out.contains("RMSE"));
    for (line, what) in [
        ("fit holed.npz --time foo", "setting `time`: this is for tables"),
        ("fit holed.npz --sheet x", "setting `sheet`: this is for tables"),
        ("fit holed.npz --missing -9", "setting `missing`: this is for tables"),
        ("pool holed.npz", "these are images, and a table of estimates is needed"),
        ("simulate --like holed.npz -o a.csv", "these are images, and a table is needed"),
        ("fit holed.npz --methods neighbours,mlp --set mlp.nonsense=3", "`nonsense`"),
    ] {
        let refused = bench.run(line);
        assert!(refused.code != 0 && refused.err.contains(what), "{line}: {}", refused.err);
    }
}

#[test]
fn a_model_keeps_the_colour_that_stands_for_missing() {
    let bench = Bench::new();
    bench.succeed("hide sample:digits --how noise:0.1 -o holed.npz");
    let said =
        bench.succeed("impute holed.npz --method harmonic --missing-colour #000000 -o a.npz --save h.unmiss");
    assert!(said.out.contains("by `harmonic`"), "{}", said.out);
    // Black pixels are holes for the model too, though the second command does not say so.
    let again = bench.succeed("impute holed.npz --with h.unmiss -o b.npz").out;
    let pixels = |said: &str| said.split("Filled ").nth(1).unwrap().split(' ').next().unwrap().to_owned();
    assert_eq!(pixels(&again), pixels(&said.out));
    assert_eq!(bench.bytes("a.npz"), bench.bytes("b.npz"));
    bench.succeed("impute holed.npz --method harmonic -o c.npz");
    assert_ne!(bench.bytes("a.npz"), bench.bytes("c.npz"));
}

#[test]
fn networks_for_images_go_through_the_program() {
    let bench = bench();
    let small = "--set filters=[[4],[6]] --set epochs=2";
    let fitted = bench.succeed(&format!("fit holed.npz --method convolutional {small} -o net.unmiss"));
    assert!(fitted.out.contains("Measured on 180 images that were held out"), "{}", fitted.out);
    assert!(bench.succeed("show net.unmiss").out.contains("best epoch"));
    let answer = bench.succeed("predict net.unmiss holed.npz").out;
    assert_eq!(answer.lines().count(), 1798);
    assert_eq!(bench.succeed("predict net.unmiss holed.npz --threads 1").out, answer);
    let refused = bench.run("fit holed.npz --method convolutional --set missing=none -o a.unmiss");
    assert!(refused.err.contains("`misconv`"), "{}", refused.err);
    let said =
        bench.succeed("impute holed.npz -o full.npz --method dmfa --set filters=[4,6] --set epochs=1").out;
    assert!(said.contains("Filled 28,752 pixels of 1,797 images by `dmfa`"), "{said}");
}
