//! The audit in sentences that need no statistics.

use super::columns::ALARMING_SHIFT;
use super::found::{Audit, ClassFigures};
use super::verdict::{MILD, Verdict};
use crate::missing::TargetByKnown;

/// Rows that differ less than this (coefficient of variation) in how much is known hardly feel a drift.
const EVEN: f64 = 0.05;

/// What to know, the verdict first.
pub(super) fn summary(audit: &Audit) -> Vec<String> {
    let mut sentences = vec![verdict(audit), meaning(audit), single_rows(audit)];
    sentences.extend(other_classes(audit));
    sentences.push(unevenness(audit));
    sentences.extend(audit.data.target.as_ref().and_then(|target| data(audit, target)));
    sentences.extend(audit.contrast.as_ref().map(|contrast| contrast.summary.clone()));
    sentences.extend(audit.contrast_note.clone());
    sentences
}

/// What to be careful about.
pub(super) fn warnings(audit: &Audit) -> Vec<String> {
    let mut warnings = Vec::new();
    if audit.rows < audit.settings.rows.min(audit.data.rows) {
        warnings.push(format!(
            "Only {} rows were audited: the others have fewer than two known cells, or the audit was stopped.",
            audit.rows
        ));
    }
    for effect in audit.columns.iter().filter(|effect| effect.alarming) {
        warnings.push(format!(
            "Column `{}` was complete in training. When it is missing, the mean answer shifts by {:+.2} standard \
             deviations of the answers (more than {ALARMING_SHIFT}): do not use the model on rows without it.",
            effect.column, effect.shift_when_empty
        ));
    }
    warnings
}

/// A sentence on rows and cells as one on series and their values; what stands between backticks is the user's.
pub(super) fn of_series(sentence: &str) -> String {
    const OTHERS: [(&str, &str); 7] = [
        ("Rows of the table", "Series"),
        ("a larger table", "a larger file"),
        ("Cells", "Values"),
        ("cells", "values"),
        ("rows", "series"),
        ("a row", "a series"),
        ("typical row", "typical series"),
    ];
    let own = |(place, part): (usize, &str)| match place % 2 {
        0 => OTHERS.iter().fold(part.to_owned(), |text, (from, to)| text.replace(from, to)),
        _ => part.to_owned(),
    };
    sentence.split('`').enumerate().map(own).collect::<Vec<_>>().join("`")
}

/// "the average answer", or of which class it is the chance.
fn subject(class: Option<&str>) -> String {
    class.map_or("the average answer".into(), |class| format!("the average chance of `{class}`"))
}

/// A difference of answers, without its sign.
pub(super) fn amount(difference: f64, class: Option<&str>) -> String {
    match class {
        Some(_) => format!("{:.1} percentage points", 100.0 * difference.abs()),
        None => short(difference.abs()),
    }
}

fn verdict(audit: &Audit) -> String {
    let figures = &audit.figures;
    let class = audit.class.as_deref();
    let who = subject(class);
    let interval = interval(figures.drift, figures.intervals.drift);
    let moved = format!(
        "With {:.0} % of the known cells left, {who} is {} {} than with all of them: {:.2} standard deviations of \
         the answers (95 % interval {interval}).",
        100.0 * figures.drift_at,
        amount(figures.drift_in_units, class),
        if figures.drift < 0.0 { "lower" } else { "higher" },
        figures.drift.abs()
    );
    match audit.verdict {
        Verdict::Flat if figures.drift == 0.0 => format!("Flat: {who} does not move when cells are hidden."),
        Verdict::Flat if figures.drift.abs() >= MILD => {
            format!(
                "Flat as far as {} rows can tell: {who} moves no more than by chance. {moved}",
                audit.rows
            )
        }
        Verdict::Flat => format!("Flat: {who} hardly moves when cells are hidden. {moved}"),
        Verdict::MildDrift => format!("Mild drift: {who} moves when cells are hidden at random. {moved}"),
        Verdict::StrongDrift => {
            format!("Strong drift: {who} moves much when cells are hidden at random. {moved}")
        }
        Verdict::Unclear => format!("Unclear: {} rows are too few to tell. {moved}", audit.rows),
    }
}

fn meaning(audit: &Audit) -> String {
    match audit.verdict {
        Verdict::MildDrift | Verdict::StrongDrift => {
            "Cells hidden at random tell nothing about the target, so this is a fault of the model: of two rows that \
             are alike, the one of which less is known gets another answer."
        }
        Verdict::Flat => "How much is known of a row does not visibly move the answers up or down.",
        Verdict::Unclear => "Audit more rows, or a larger table.",
    }
    .to_owned()
}

fn single_rows(audit: &Audit) -> String {
    format!(
        "Within a typical row, how many cells are known explains {:.0} % of the changes of its answer; the rest is \
         which cells. Some of that is right: the less is known, the closer a good answer is to the average.",
        100.0 * audit.figures.share
    )
}

fn other_classes(audit: &Audit) -> Option<String> {
    let most = audit.class.as_deref()?;
    let others: Vec<&ClassFigures> =
        audit.per_class.iter().filter(|figures| figures.class != most).take(5).collect();
    let one = |figures: &&ClassFigures| format!("`{}` {:+.2}", figures.class, figures.figures.drift);
    let list = others.iter().map(one).collect::<Vec<_>>().join(", ");
    (!others.is_empty())
        .then(|| format!("The figures are those of `{most}`, which drifts most; others: {list}."))
}

fn unevenness(audit: &Audit) -> String {
    let (known, variation) = (&audit.data.known_cells, audit.data.coefficient_of_variation);
    let consequence = if variation < EVEN {
        "rows like these differ so little that a drift would hardly be felt"
    } else {
        "rows like these would feel a drift"
    };
    format!(
        "Rows of the table have {} to {} of {} cells known (coefficient of variation {variation:.2}): {consequence}.",
        known.fewest, known.most, known.columns
    )
}

fn data(audit: &Audit, target: &TargetByKnown) -> Option<String> {
    let test = target.test?;
    if !audit.data.target_goes_with_known_cells() {
        return Some(format!(
            "In the data, `{}` does not visibly go with the number of known cells (p = {:.2}).",
            target.name, test.p_value
        ));
    }
    let class = audit.class.as_ref().and_then(|class| target.classes.iter().position(|level| level == class));
    let place = class.unwrap_or(target.classes.len().saturating_sub(1));
    let (first, last) = (target.groups.first()?, target.groups.last()?);
    let value = |estimates: &[crate::missing::Estimate]| {
        let value = estimates.get(place).map_or(0.0, |estimate| estimate.value);
        if target.classes.is_empty() { short(value) } else { format!("{:.0} %", 100.0 * value) }
    };
    let what = match target.classes.get(place) {
        Some(class) => format!("the share of `{class}`"),
        None => "its mean".to_owned(),
    };
    let range = |from: usize, to: usize| if from == to { from.to_string() } else { format!("{from}-{to}") };
    Some(format!(
        "In the data, `{}` itself goes with the number of known cells: {what} is {} with {} known and {} with {}. For \
         holes that come about as they did there, part of a difference between sparse and full rows is right; for \
         cells hidden at random, none is.",
        target.name,
        value(&first.estimates),
        range(first.from, first.to),
        value(&last.estimates),
        range(last.from, last.to)
    ))
}

/// The interval of a drift told by its size: turned round where the drift is downwards.
fn interval(drift: f64, [low, high]: [f64; 2]) -> String {
    let (low, high) = if drift < 0.0 { (-high, -low) } else { (low, high) };
    format!("{low:.2} to {high:.2}")
}

/// Three digits that matter.
pub(super) fn short(value: f64) -> String {
    let size = value.abs();
    let places = match size {
        _ if size == 0.0 || size >= 100.0 => 0,
        _ if size >= 1e-4 => (2 - size.log10().floor() as i32).max(0) as usize,
        _ => return format!("{value:.2e}"),
    };
    format!("{value:.places$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_goes_with_the_size_of_the_drift() {
        assert_eq!(interval(-0.13, [-0.37, 0.09]), "-0.09 to 0.37");
        assert_eq!(interval(0.13, [-0.09, 0.37]), "-0.09 to 0.37");
    }

    #[test]
    fn sentences_on_series_speak_of_series() {
        let said = "Within a typical row of 3 rows, `rows` of the cells: audit more rows, or a larger table.";
        let series =
            "Within a typical series of 3 series, `rows` of the values: audit more series, or a larger file.";
        assert_eq!(of_series(said), series);
    }

    #[test]
    fn numbers_are_short() {
        for (value, text) in
            [(0.0, "0"), (123.4, "123"), (12.34, "12.3"), (0.012_34, "0.0123"), (1e-7, "1.00e-7")]
        {
            assert_eq!(short(value), text);
        }
    }
}
