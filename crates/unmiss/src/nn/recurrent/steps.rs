//! How series of different lengths lie in a batch.

use std::ops::Range;

/// Series at a time: what one thread takes from the first step to the last. A fixed number, so that the order of
/// additions does not depend on the threads.
const BLOCK: usize = 32;

/// The steps of the series of a batch as rows: first the first step of every series, then the second of those that
/// have one, and so on, at every step the longest series first. No row is spent on a series that is over.
///
/// ```
/// let steps = unmiss::nn::Steps::new(vec![1, 3]);
/// assert_eq!((steps.rows(), steps.row(1, 0), steps.row(0, 0), steps.row(1, 2)), (4, 0, 1, 3));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Steps {
    lengths: Vec<usize>,
    /// The series from the longest to the shortest.
    order: Vec<usize>,
    /// The place of each series in that order.
    place: Vec<usize>,
    /// The row at which each step begins, and at the end the number of rows.
    starts: Vec<usize>,
}

impl Steps {
    /// For series of these lengths.
    pub fn new(lengths: Vec<usize>) -> Self {
        let mut order: Vec<usize> = (0..lengths.len()).collect();
        order.sort_by_key(|series| std::cmp::Reverse(lengths[*series]));
        let mut place = vec![0; lengths.len()];
        order.iter().enumerate().for_each(|(at, series)| place[*series] = at);
        let most = order.first().map_or(0, |series| lengths[*series]);
        let mut starts = Vec::with_capacity(most + 1);
        let (mut row, mut under_way) = (0, lengths.len());
        for step in 0..=most {
            starts.push(row);
            while under_way > 0 && lengths[order[under_way - 1]] <= step {
                under_way -= 1;
            }
            row += under_way;
        }
        Self { lengths, order, place, starts }
    }

    /// How many series there are.
    pub fn series(&self) -> usize {
        self.lengths.len()
    }

    /// How many steps a series has.
    pub fn length(&self, series: usize) -> usize {
        self.lengths[series]
    }

    /// How many rows there are: the sum of the lengths.
    pub fn rows(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    /// The row of a step of a series.
    pub fn row(&self, series: usize, step: usize) -> usize {
        self.starts[step] + self.place[series]
    }

    /// For every row its series and its step.
    pub fn places(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.most()).flat_map(|step| self.order[..self.under_way(step)].iter().map(move |s| (*s, step)))
    }

    /// Steps of the longest series.
    pub(super) fn most(&self) -> usize {
        self.starts.len() - 1
    }

    /// The rows of a step.
    pub(super) fn step(&self, step: usize) -> Range<usize> {
        self.starts[step]..self.starts[step + 1]
    }

    /// The series from the longest to the shortest.
    pub(super) fn order(&self) -> &[usize] {
        &self.order
    }

    fn under_way(&self, step: usize) -> usize {
        self.step(step).len()
    }

    /// The series in blocks of nearly equal size.
    pub(super) fn blocks(&self) -> Vec<Block<'_>> {
        let count = self.series().div_ceil(BLOCK);
        let size = |block: usize| self.series() / count + usize::from(block < self.series() % count);
        let mut first = 0;
        let next = |block: usize| {
            let places = first..first + size(block);
            first = places.end;
            Block { steps: self, places }
        };
        (0..count).map(next).collect()
    }
}

/// Neighbours in the order of the lengths.
#[derive(Debug, Clone)]
pub(super) struct Block<'a> {
    pub steps: &'a Steps,
    /// Their places in the order.
    pub places: Range<usize>,
}

impl Block<'_> {
    /// How many of the block's series have a step.
    pub fn under_way(&self, step: usize) -> usize {
        if step >= self.steps.most() {
            return 0;
        }
        self.steps.under_way(step).clamp(self.places.start, self.places.end) - self.places.start
    }

    /// The rows of the batch that are the block's at a step.
    pub fn rows(&self, step: usize) -> Range<usize> {
        let first = self.steps.starts[step] + self.places.start;
        first..first + self.under_way(step)
    }

    /// Steps of the block's longest series.
    pub fn most(&self) -> usize {
        self.steps.order.get(self.places.start).map_or(0, |series| self.steps.lengths[*series])
    }

    /// The row at which each of its steps begins when the block's rows alone are counted; at the end how many.
    pub fn starts(&self) -> Vec<usize> {
        let mut row = 0;
        let mut starts = vec![0];
        starts.extend((0..self.most()).map(|step| {
            row += self.under_way(step);
            row
        }));
        starts
    }
}
