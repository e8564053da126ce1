//! What holes have to do with a target, as a section of a page.

use super::describe::MOST_LISTED;
use crate::error::Result;
use crate::missing::words::{number, p_value, range};
use crate::missing::{Estimate, KnownGroup, TargetDescription, Test};
use crate::report::{Chart, Form, Grid, Line, LinePoint, Lines, Section, Words};

/// Classes of a target shown at most.
const MOST_CLASSES: usize = 4;
/// Half a 95 % interval in standard errors.
const NORMAL_95: f64 = 1.96;

/// The target by number of known cells, and where each column is missing.
pub(super) fn with_target(target: &TargetDescription) -> Result<Section> {
    let section = Section::new(format!("What the holes have to do with `{}`", target.name));
    let section = match target.by_known_cells.len() {
        0 | 1 => section.text("By number of known cells all rows are alike: there is nothing to compare."),
        _ => section.chart(ByKnown::of(target).draw()?),
    };
    let class = shown_classes(&target.overall).last().copied().unwrap_or(0);
    let what = match target.classes.get(class) {
        Some(name) => format!("share of {name}"),
        None => "mean".to_owned(),
    };
    let form = form(&target.classes);
    let mut grid = Grid::new([
        "column".to_owned(),
        "missing in rows".to_owned(),
        format!("{what} where missing"),
        format!("{what} where known"),
        "adjusted p".to_owned(),
    ]);
    let at = |estimates: &[Estimate]| form.write(estimates.get(class).map_or(f64::NAN, |one| one.value));
    for test in target.columns.iter().take(MOST_LISTED) {
        let name = match test.same_holes.len() {
            0 => test.column.clone(),
            more => format!("{} (+{more} alike)", test.column),
        };
        grid = grid.row([
            name,
            number(test.missing_rows),
            at(&test.when_missing),
            at(&test.when_known),
            bare(test.adjusted_p_value),
        ]);
    }
    Ok(section.table("The target where a column is missing, and where it is known", grid))
}

fn form(classes: &[String]) -> Form {
    if classes.is_empty() { Form::Number } else { Form::Percent }
}

/// A target by the number of known cells of a row.
pub(super) struct ByKnown<'a> {
    pub name: &'a str,
    pub classes: &'a [String],
    /// The value over all rows: the mean, or the share of each class.
    pub overall: &'a [Estimate],
    pub groups: &'a [KnownGroup],
    pub test: Option<Test>,
}

impl<'a> ByKnown<'a> {
    fn of(target: &'a TargetDescription) -> Self {
        Self {
            name: &target.name,
            classes: &target.classes,
            overall: &target.overall,
            groups: &target.by_known_cells,
            test: target.known_cells_test,
        }
    }

    pub fn draw(&self) -> Result<Chart> {
        let lines: Vec<Line> =
            shown_classes(self.overall).into_iter().map(|class| self.line(class)).collect();
        let (what, y) = match (self.classes.is_empty(), lines.as_slice()) {
            (true, _) => ("Mean", format!("mean of {}", self.name)),
            (false, [only]) => ("Share of one class", format!("share of {} = {}", self.name, only.name)),
            (false, _) => ("Share of each class", "share of rows".to_owned()),
        };
        let seen = format!(
            "{what} of `{}` by how much is known of a row, with 95 % intervals; the thin line is the value over \
             all rows.",
            self.name
        );
        let meaning = match self.test {
            Some(test) if test.p_value < 0.05 => format!(
                "How much is known goes with the target ({}, strength {:.2} from 0, no connection, to 1, one tells the \
                 other): the number of known cells is itself a piece of information.",
                p_value(test.p_value),
                test.strength
            ),
            Some(test) => {
                format!("How much is known does not visibly go with the target ({}).", p_value(test.p_value))
            }
            None => "All rows fall into one group: there is nothing to compare.".to_owned(),
        };
        let words = Words::new(format!("`{}` by number of known cells", self.name), seen, meaning);
        Lines { words, x: "known cells of a row".into(), y, form: form(self.classes), whole: true, lines }
            .draw()
    }

    fn line(&self, class: usize) -> Line {
        let shares = !self.classes.is_empty();
        let none = Estimate { value: f64::NAN, standard_error: 0.0 };
        let point = |group: &KnownGroup| {
            let Estimate { value, standard_error } = group.estimates.get(class).copied().unwrap_or(none);
            let (low, high) = (value - NORMAL_95 * standard_error, value + NORMAL_95 * standard_error);
            LinePoint {
                x: (group.from + group.to) as f64 / 2.0,
                name: range(group.from, group.to),
                value,
                interval: if shares { (low.max(0.0), high.min(1.0)) } else { (low, high) },
                rows: group.rows,
            }
        };
        Line {
            name: self.classes.get(class).map_or(self.name, String::as_str).to_owned(),
            points: self.groups.iter().map(point).filter(|point| point.value.is_finite()).collect(),
            reference: self.overall.get(class).map(|overall| overall.value),
        }
    }
}

/// Which estimates are shown: the mean; the second of two classes; or the most frequent classes.
fn shown_classes(overall: &[Estimate]) -> Vec<usize> {
    match overall.len() {
        0 | 1 => vec![0],
        2 => vec![1],
        classes => {
            let mut order: Vec<usize> = (0..classes).collect();
            order.sort_by(|&a, &b| overall[b].value.total_cmp(&overall[a].value));
            order.truncate(MOST_CLASSES);
            order
        }
    }
}

/// A p-value for a column of such.
pub(super) fn bare(value: f64) -> String {
    p_value(value).trim_start_matches("p ").trim_start_matches("= ").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_classes_show_the_second_and_more_the_most_frequent() {
        let shares = |values: &[f64]| -> Vec<Estimate> {
            values.iter().map(|&value| Estimate { value, standard_error: 0.0 }).collect()
        };
        assert_eq!(shown_classes(&shares(&[0.8, 0.2])), [1]);
        assert_eq!(shown_classes(&shares(&[0.1, 0.3, 0.2, 0.15, 0.25])), [1, 4, 2, 3]);
        assert_eq!(shown_classes(&shares(&[12.5])), [0]);
    }
}
