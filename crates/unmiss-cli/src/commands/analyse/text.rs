//! What `unmiss analyse` says: coefficients, what the holes cost, tests, complete rows.

use unmiss::analyse::{Analysis, CompleteRows, Family};
use unmiss::pool::Rule;

use crate::output::{chance, column, degrees, number, short, wrapped};

/// Room for the name of a term.
const TERM: usize = 18;

/// Everything for a terminal.
pub fn report(analysis: &Analysis) -> String {
    let mut text = head(analysis);
    text.push_str(&coefficients(analysis));
    if analysis.family == Family::Logistic {
        text.push_str(&odds(analysis));
    }
    text.push_str(&holes(analysis));
    text.push_str(&tests(analysis));
    if let Some(complete) = &analysis.complete_rows {
        text.push_str(&complete_rows(analysis, complete));
    }
    text
}

fn head(analysis: &Analysis) -> String {
    let kind = match analysis.family {
        Family::Linear => format!("Linear regression of `{}`", analysis.response),
        Family::Logistic => format!("Logistic regression: log odds of `{}`", analysis.response),
    };
    let (rows, draws) = (number(analysis.rows), analysis.draws);
    let mut text =
        wrapped(&format!("{kind}, {rows} rows, {draws} filled tables pooled by Rubin's rules."), 0);
    text.push('\n');
    if !analysis.references.is_empty() {
        let levels: Vec<String> =
            analysis.references.iter().map(|(name, level)| format!("{name}={level}")).collect();
        text.push_str(&wrapped(&format!("Levels are compared with {}.", levels.join(", ")), 0));
        text.push('\n');
    }
    text
}

fn interval_title(analysis: &Analysis) -> String {
    format!("{} % interval", short(100.0 * analysis.level).trim_end_matches('0').trim_end_matches('.'))
}

fn interval(low: f64, high: f64) -> String {
    format!("{} .. {}", short(low), short(high))
}

fn coefficients(analysis: &Analysis) -> String {
    let title = interval_title(analysis);
    let [estimate, error, t, df, p] = ["estimate", "error", "t", "df", "p"];
    let head = format!("  {} {estimate:>9} {error:>8} {title:>20} {t:>6} {df:>5} {p:>6}", column("", TERM));
    let mut text = format!("\n{}\n", head.trim_end());
    for one in &analysis.coefficients {
        let pooled = &one.pooled;
        text.push_str(&format!(
            "  {} {:>9} {:>8} {:>20} {:>6.2} {:>5} {:>6}\n",
            column(&one.term, TERM),
            short(pooled.estimate),
            short(pooled.standard_error),
            interval(pooled.low, pooled.high),
            pooled.statistic,
            degrees(pooled.degrees, 0),
            chance(pooled.p_value)
        ));
    }
    text
}

fn odds(analysis: &Analysis) -> String {
    let title = interval_title(analysis);
    let mut text = format!("\n  {} {:>10} {title:>22}\n", column("", TERM), "odds ratio");
    for one in analysis.coefficients.iter().filter(|one| !one.is_intercept()) {
        let (ratio, low, high) = one.odds();
        text.push_str(&format!(
            "  {} {:>10} {:>22}\n",
            column(&one.term, TERM),
            short(ratio),
            interval(low, high)
        ));
    }
    text
}

fn holes(analysis: &Analysis) -> String {
    let [fmi, r, share, df, rubin] = ["fmi", "r", "holes", "df", "df (Rubin)"];
    let mut text = format!(
        "\n  {} {fmi:>6} {r:>8} {share:>6} {df:>9} {rubin:>11}\n",
        column("what the holes cost", TERM + 2)
    );
    for one in &analysis.coefficients {
        let pooled = &one.pooled;
        text.push_str(&format!(
            "  {} {:>6.3} {:>8} {:>4.0} % {:>9} {:>11}\n",
            column(&one.term, TERM + 2),
            pooled.missing_information,
            short(pooled.relative_increase),
            100.0 * pooled.share_of_holes,
            degrees(pooled.degrees, 1),
            degrees(pooled.degrees_rubin, 1)
        ));
    }
    let words = format!(
        "fmi: fraction of missing information. r: growth of the variance through the holes. holes: their share of it. \
         df: Barnard and Rubin's degrees of freedom, used above (complete data: {:.0}); df (Rubin): the older rule.",
        analysis.complete_degrees
    );
    text.push_str(&format!("{}\n", wrapped(&words, 2)));
    text
}

fn tests(analysis: &Analysis) -> String {
    if analysis.tests.is_empty() {
        return String::new();
    }
    let [f, df, p] = ["F", "df", "p"];
    let title = column("tests of several coefficients", 40);
    let mut text = format!("\n  {title} {f:>9} {df:>16} {p:>6}\n");
    for one in &analysis.tests {
        let test = &one.test;
        let how = match test.rule {
            Rule::D1 => "D1, Wald",
            Rule::D3 => "D3, likelihood",
        };
        let degrees = format!("{}, {}", test.coefficients, degrees(test.degrees, 1));
        let name = format!("{} {}", column(&one.terms, 24), column(how, 15));
        text.push_str(&format!(
            "  {name} {:>9} {degrees:>16} {:>6}\n",
            short(test.statistic),
            chance(test.p_value)
        ));
    }
    text
}

fn complete_rows(analysis: &Analysis, complete: &CompleteRows) -> String {
    let share = 100.0 * complete.rows as f64 / analysis.rows.max(1) as f64;
    let rows = format!(
        "\nComplete rows alone: {} of {} ({share:.0} %)",
        number(complete.rows),
        number(analysis.rows)
    );
    if let Some(reason) = &complete.failed {
        return format!("{}\n", wrapped(&format!("{rows}. There is no answer. {reason}."), 0));
    }
    let title = interval_title(analysis);
    let [estimate, error, p] = ["estimate", "error", "p"];
    let head =
        format!("  {} {estimate:>9} {error:>8} {title:>20} {:>6} {:>5} {p:>6}", column("", TERM), "", "");
    let mut text = format!("{rows}\n{}\n", head.trim_end());
    for one in &complete.coefficients {
        text.push_str(&format!(
            "  {} {:>9} {:>8} {:>20} {:>6} {:>5} {:>6}\n",
            column(&one.term, TERM),
            short(one.estimate),
            short(one.standard_error),
            interval(one.low, one.high),
            "",
            "",
            chance(one.p_value)
        ));
    }
    text
}
