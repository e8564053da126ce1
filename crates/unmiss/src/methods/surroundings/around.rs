//! The numbers that stand around each cell of a series, of which the cell's own value is none.

use crate::encode::SeriesBatch;

/// What is told of a cell's own variable.
const OWN: [&str; 9] = [
    "line",
    "last",
    "next",
    "since last",
    "until next",
    "second last",
    "second next",
    "mean of the others",
    "time",
];

/// How far the nearest known value of the same variable is away, in usual gaps: classes of errors.
const REACHES: [f32; 2] = [1.5, 4.5];
/// How many classes there are.
pub const CLASSES: usize = REACHES.len() + 1;

/// What stands around the cells of one series; NaN where there is nothing.
pub struct Around {
    width: usize,
    /// `[steps, D]`: [`OWN`].
    own: Vec<[f32; OWN.len()]>,
    /// `[steps, D]`: the value, or the line where it is not known.
    level: Vec<f32>,
    /// `[steps, D]`: how far the value is from the line between its neighbours.
    change: Vec<f32>,
}

/// The names of the numbers about a cell of a variable.
pub fn names(variables: &[String], variable: usize) -> Vec<String> {
    let others = variables.iter().enumerate().filter(|(place, _)| *place != variable);
    let others = others.flat_map(|(_, name)| [format!("level of {name}"), format!("change of {name}")]);
    OWN.iter().map(|name| (*name).to_owned()).chain(others).collect()
}

impl Around {
    /// Of a batch of one series, of which the values with a mark of true in `shown`, `[steps, D]`, are known.
    pub fn new(batch: &SeriesBatch, shown: &[bool]) -> Self {
        let width = batch.variables;
        let cells = batch.steps * width;
        let mut around = Self {
            width,
            own: vec![[f32::NAN; OWN.len()]; cells],
            level: vec![f32::NAN; cells],
            change: vec![f32::NAN; cells],
        };
        (0..width).for_each(|variable| around.look(batch, shown, variable));
        around
    }

    fn look(&mut self, batch: &SeriesBatch, shown: &[bool], variable: usize) {
        let (times, width) = (&batch.times, self.width);
        let value = |step: usize| batch.values[step * width + variable];
        let known: Vec<usize> = (0..batch.steps).filter(|step| shown[step * width + variable]).collect();
        let sum: f32 = known.iter().map(|step| value(*step)).sum();
        let mut before = 0;
        for step in 0..batch.steps {
            let here = known.get(before) == Some(&step);
            let after = before + usize::from(here);
            let back = |places: usize| before.checked_sub(places).map(|place| known[place]);
            let ahead = |places: usize| known.get(after + places - 1).copied();
            let since = back(1).map(|last| times[step] - times[last]);
            let until = ahead(1).map(|next| times[next] - times[step]);
            let line = match (back(1).zip(since), ahead(1).zip(until)) {
                (Some((last, since)), Some((next, until))) if since + until > 0.0 => {
                    value(last) + (value(next) - value(last)) * since / (since + until)
                }
                (Some((one, _)), _) | (None, Some((one, _))) => value(one),
                (None, None) => f32::NAN,
            };
            let told = |step: Option<usize>| step.map_or(f32::NAN, value);
            let others = known.len() - usize::from(here);
            let rest = if here { sum - value(step) } else { sum };
            let cell = step * width + variable;
            self.own[cell] = [
                line,
                told(back(1)),
                told(ahead(1)),
                since.unwrap_or(f32::NAN),
                until.unwrap_or(f32::NAN),
                told(back(2)),
                told(ahead(2)),
                if others > 0 { rest / others as f32 } else { f32::NAN },
                times[step],
            ];
            self.level[cell] = if here { value(step) } else { line };
            self.change[cell] = if here { value(step) - line } else { f32::NAN };
            before = after;
        }
    }

    /// The numbers about a cell, in the order of [`names`].
    pub fn numbers(&self, step: usize, variable: usize) -> impl Iterator<Item = f32> + '_ {
        let first = step * self.width;
        let others = (0..self.width).filter(move |other| *other != variable);
        let others = others.flat_map(move |other| [self.level[first + other], self.change[first + other]]);
        self.own[first + variable].into_iter().chain(others)
    }

    /// The line at a cell, from the other known values of its variable; the mean where there is none.
    pub fn line(&self, step: usize, variable: usize) -> f32 {
        let line = self.own[step * self.width + variable][0];
        if line.is_nan() { 0.0 } else { line }
    }

    /// The class of a cell by how far away the nearest other known value of its variable is.
    pub fn class(&self, step: usize, variable: usize) -> usize {
        let own = &self.own[step * self.width + variable];
        let nearest = own[3].min(own[4]);
        REACHES.iter().position(|reach| nearest < *reach).unwrap_or(REACHES.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::Encoded;

    /// One series of two variables; the second is known at its second step alone.
    fn around(values: [f32; 8], shown: [bool; 8]) -> Around {
        let batch = SeriesBatch {
            lengths: vec![4],
            steps: 4,
            variables: 2,
            values: values.to_vec(),
            observed: vec![1.0; 8],
            times: vec![0.0, 1.0, 3.0, 4.0],
            since: vec![0.0; 8],
            statics: Encoded { rows: 1, ..Encoded::default() },
        };
        Around::new(&batch, &shown)
    }

    const SHOWN: [bool; 8] = [true, false, true, true, false, false, true, false];

    #[test]
    fn a_cell_is_told_from_what_is_around_it() {
        let found = around([1.0, 9.0, 5.0, 7.0, 9.0, 9.0, 2.0, 9.0], SHOWN);
        let numbers: Vec<f32> = found.numbers(2, 0).collect();
        let all = [3.0, 5.0, 2.0, 2.0, 1.0, 1.0, f32::NAN, 8.0 / 3.0, 3.0, 7.0, f32::NAN];
        let same = |(own, other): (&f32, &f32)| (own - other).abs() < 1e-6 || own.is_nan() && other.is_nan();
        assert!(numbers.iter().zip(&all).all(same), "{numbers:?}");
        assert_eq!(numbers.len(), names(&["a".into(), "b".into()], 0).len());
        // Of a known cell the line leaves its own value out, and others see how far it is from that.
        assert_eq!(found.line(1, 0), 1.25);
        assert_eq!(found.numbers(1, 1).skip(9).collect::<Vec<_>>(), [5.0, 3.75]);
        assert_eq!([found.class(1, 0), found.class(2, 1), found.class(1, 1)], [0, 1, 2]);
    }

    #[test]
    fn neither_hidden_values_nor_the_own_one_are_read() {
        let told = |values| around(values, SHOWN).numbers(1, 0).map(f32::to_bits).collect::<Vec<_>>();
        let plain = told([1.0, 9.0, 5.0, 7.0, 9.0, 9.0, 2.0, 9.0]);
        assert_eq!(plain, told([1.0, f32::NAN, 5.0, 7.0, f32::NAN, f32::NAN, 2.0, f32::NAN]));
        let other = told([1.0, 9.0, 6.0, 7.0, 9.0, 9.0, 2.0, 9.0]);
        assert_eq!(plain, other, "a sum less a value is what the others add up to");
    }
}
