//! What `unmiss analyse` says about shifts of filled values.

use unmiss::analyse::Tipping;

use crate::output::{chance, column, item, short, wrapped};

/// Coefficients whose every step is shown; the others are in the JSON file and on the page.
const MOST_SHOWN: usize = 3;

/// Room for the name of a term.
const TERM: usize = 15;

/// The conclusions, and every step of the coefficients that change or are few.
pub fn report(tipping: &Tipping, level: f64) -> String {
    let name = &tipping.column;
    let mut text = format!("\n{}\n", wrapped(&format!("What if `{name}` is not missing at random?"), 0));
    tipping.words().iter().for_each(|word| text.push_str(&item(word)));
    let mut places: Vec<usize> = (0..tipping.unshifted.coefficients.len())
        .filter(|place| !tipping.unshifted.coefficients[*place].is_intercept())
        .collect();
    places.sort_by_key(|place| tipping.conclusions[*place].2.is_empty());
    for place in places.into_iter().take(MOST_SHOWN) {
        text.push_str(&steps(tipping, place, level));
    }
    text
}

fn steps(tipping: &Tipping, place: usize, level: f64) -> String {
    let term = column(&tipping.unshifted.coefficients[place].term, TERM);
    let [shift, estimate, error, p] = ["shift", "estimate", "error", "p"];
    let title = format!("{} % interval", short(100.0 * level).trim_end_matches('0').trim_end_matches('.'));
    let mut text = format!("\n  {term} {shift:>14} {estimate:>9} {error:>8} {title:>20} {p:>6}\n");
    for step in &tipping.steps {
        let pooled = &step.coefficients[place].pooled;
        let interval = format!("{} .. {}", short(pooled.low), short(pooled.high));
        text.push_str(&format!(
            "  {} {:>14} {:>9} {:>8} {interval:>20} {:>6}\n",
            column("", TERM),
            column(&step.shift, 14).trim_end(),
            short(pooled.estimate),
            short(pooled.standard_error),
            chance(pooled.p_value)
        ));
    }
    text
}
