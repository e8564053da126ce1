//! Pooled regressions beside those of R's mice 3.15 (`pool`, `summary(conf.int = TRUE)`, `D1`, `D3`), on the same
//! tables.

use super::*;
use crate::data::{Column, Kind, Table};
use crate::pool::Rule;
use crate::run::Run;

/// Draw `d` of a made table of 30 rows. In R:
///
/// ```text
/// i <- 0:29
/// x <- (i*7) %% 11 + ifelse(i %% 4 == 0, ((i + 3*d) %% 5) * 0.5, 0)
/// g <- c("a","b","c")[(i + ifelse(i %% 6 == 1, d, 0)) %% 3 + 1]
/// y <- (i*5) %% 13 + 0.5*((i*7) %% 11) + ifelse(i %% 7 == 2, d * 0.25, 0)
/// died <- ifelse((i*i + 3*i + ((i*7) %% 11)) %% 7 > 2, "yes", "no")
/// ```
fn table(d: usize) -> Table {
    let rows = 0..30_usize;
    let x = |i: usize| {
        ((i * 7) % 11) as f64 + if i.is_multiple_of(4) { ((i + 3 * d) % 5) as f64 * 0.5 } else { 0.0 }
    };
    let g = |i: usize| Some(["a", "b", "c"][(i + if i % 6 == 1 { d } else { 0 }) % 3]);
    let y = |i: usize| {
        ((i * 5) % 13) as f64 + 0.5 * ((i * 7) % 11) as f64 + if i % 7 == 2 { d as f64 * 0.25 } else { 0.0 }
    };
    let died = |i: usize| Some(if (i * i + 3 * i + (i * 7) % 11) % 7 > 2 { "yes" } else { "no" });
    Table::new(vec![
        Column::from_numbers("y", Kind::Real, &rows.clone().map(y).collect::<Vec<_>>()),
        Column::from_numbers("x", Kind::Real, &rows.clone().map(x).collect::<Vec<_>>()),
        Column::from_words("g", Kind::Category, &rows.clone().map(g).collect::<Vec<_>>()),
        Column::from_words("died", Kind::Binary, &rows.map(died).collect::<Vec<_>>()),
    ])
    .unwrap()
}

fn analysis(formula: &str, test: &str) -> Analysis {
    let tables = (1..=5).map(|d| (format!("draw {d}"), table(d))).collect();
    let options = Options { tests: vec![test.to_owned()], likelihood_ratio: true, ..Options::default() };
    let completed = Completed::new(tables, None).unwrap();
    analyse(formula, &completed, &options, &Run::new(0, 2).unwrap()).unwrap()
}

fn near(found: f64, expected: f64, what: &str) {
    assert!((found - expected).abs() < 1e-7 * expected.abs().max(1.0), "{what}: {found} is not {expected}");
}

/// Estimate, standard error, df, riv, lambda, fmi, p, low, high.
fn agree(one: &Coefficient, term: &str, expected: [f64; 9]) {
    assert_eq!(one.term, term);
    let p = &one.pooled;
    let found = [
        p.estimate,
        p.standard_error,
        p.degrees,
        p.relative_increase,
        p.share_of_holes,
        p.missing_information,
        p.p_value,
        p.low,
        p.high,
    ];
    found.iter().zip(expected).for_each(|(found, expected)| near(*found, expected, term));
}

/// F, df, p, r of the last test by a rule.
fn agree_test(analysis: &Analysis, rule: Rule, expected: [f64; 4]) {
    let test = &analysis.tests.iter().rev().find(|test| test.test.rule == rule).unwrap().test;
    assert_eq!(test.coefficients, 2);
    let found = [test.statistic, test.degrees, test.p_value, test.relative_increase];
    found.iter().zip(expected).for_each(|(found, expected)| near(*found, expected, "test"));
}

#[test]
#[rustfmt::skip]
fn linear_regression_is_that_of_mice() {
    let found = analysis("y ~ x * g", "x:g");
    assert_eq!((found.family, found.complete_degrees), (Family::Linear, 24.0));
    assert_eq!(found.references, [("g".to_owned(), "a".to_owned())]);
    agree(&found.coefficients[0], "(intercept)", [3.0692208499851, 2.704011002125, 22.0750123238, 0.00644107615846,
        0.00639985421009, 0.0856500761409, 0.2685239189652, -2.5374501190147, 8.67589181898]);
    agree(&found.coefficients[1], "x", [0.8509394468257, 0.428354121710, 21.7677995839, 0.01895367922528,
        0.01860111957168, 0.0978490864412, 0.0597064100484, -0.0379623738867, 1.73984126754]);
    agree(&found.coefficients[3], "g=c", [1.7507626417337, 3.651448983368, 20.7452390112, 0.05572031540753,
        0.05277942897785, 0.1325613651020, 0.6366197544608, -5.8485233813955, 9.35004866486]);
    agree(&found.coefficients[5], "x:g=c", [-0.1392804169764, 0.581619212737, 20.5803267422, 0.06126542438565,
        0.05772865390495, 0.1376487802372, 0.8131098881497, -1.3503273914131, 1.07176655746]);
    agree_test(&found, Rule::D1, [0.043375783032, 21.589395719, 0.957634719663, 0.040753414742]);
    agree_test(&found, Rule::D3, [0.0470781139888, 494.0324967084819, 0.9540171523263, 0.0744909377407]);
}

#[test]
#[rustfmt::skip]
fn logistic_regression_is_that_of_mice() {
    let found = analysis("died ~ x + g", "g");
    assert_eq!((found.family, found.response.as_str()), (Family::Logistic, "died = yes"));
    agree(&found.coefficients[0], "(intercept)", [-0.618836455748, 0.999336995449, 19.4794518800, 0.1452935069799,
        0.126861373172, 0.2045446397823, 0.542929025043, -2.706993837501, 1.469320926005]);
    agree(&found.coefficients[1], "x", [0.139290320178, 0.129108112573, 23.6604421976, 0.0206244677278,
        0.020207694779, 0.0937092742321, 0.291523752273, -0.127378242433, 0.405958882789]);
    agree(&found.coefficients[3], "g=c", [0.840277774634, 0.978353966691, 18.7682442666, 0.1664940866708,
        0.142730330632, 0.2214936575102, 0.401249556738, -1.209153371811, 2.889708921079]);
    agree_test(&found, Rule::D1, [0.382072475661, 19.9516676847, 0.687332279809, 0.13296054674]);
    agree_test(&found, Rule::D3, [0.381021910982, 139.171743413064, 0.683873343830, 0.155822488839]);
}

/// Codings of the same model: without an intercept every level has its own, and the fit stays.
#[test]
fn categories_without_an_intercept_have_all_levels() {
    let (with, without) = (analysis("y ~ g", "g"), analysis("y ~ g - 1", "g"));
    let names: Vec<&str> = without.coefficients.iter().map(|one| one.term.as_str()).collect();
    assert_eq!(names, ["g=a", "g=b", "g=c"]);
    assert!(without.references.is_empty());
    let sum = with.coefficients[0].pooled.estimate + with.coefficients[2].pooled.estimate;
    near(without.coefficients[2].pooled.estimate, sum, "g=c");
    let crossed = analysis("y ~ x:g", "x:g");
    let names: Vec<&str> = crossed.coefficients.iter().map(|one| one.term.as_str()).collect();
    assert_eq!(names, ["(intercept)", "x:g=a", "x:g=b", "x:g=c"]);
}

/// A table with the holes beside it: complete rows are those in which all that the formula needs is known.
#[test]
fn complete_rows_stand_beside() {
    let mut holes = table(1);
    (0..10).for_each(|row| holes.columns_mut()[1].observed[3 * row] = false);
    holes.columns_mut()[3].observed[1] = false;
    let tables = (1..=3).map(|d| (format!("draw {d}"), table(d))).collect();
    let completed = Completed::new(tables, Some(("holes".into(), holes))).unwrap();
    let run = Run::new(0, 1).unwrap();
    let found = analyse("y ~ x", &completed, &Options::default(), &run).unwrap().complete_rows.unwrap();
    assert_eq!((found.rows, found.coefficients.len()), (20, 2));
    let found = analyse("died ~ g", &completed, &Options::default(), &run).unwrap().complete_rows.unwrap();
    assert_eq!(found.rows, 29);
}
