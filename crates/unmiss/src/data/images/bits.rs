//! Marks of many cells, a bit each.

use std::ops::Range;

/// One mark for each cell, true where its value is known. A hundred thousand small pictures have a hundred million
/// cells, so a mark takes a bit and not a byte.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Bits {
    words: Vec<u64>,
    len: usize,
}

impl Bits {
    /// The same mark for every cell.
    pub fn filled(len: usize, known: bool) -> Self {
        let mut bits = Self { words: vec![if known { u64::MAX } else { 0 }; len.div_ceil(64)], len };
        bits.clear_tail();
        bits
    }

    /// Marks in order.
    pub fn from_marks(marks: impl IntoIterator<Item = bool>) -> Self {
        let mut bits = Self::default();
        for mark in marks {
            if bits.len.is_multiple_of(64) {
                bits.words.push(0);
            }
            bits.len += 1;
            bits.set(bits.len - 1, mark);
        }
        bits
    }

    /// How many cells there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no cell.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The mark of a cell; cells beyond the end are not known.
    pub fn get(&self, cell: usize) -> bool {
        self.words.get(cell / 64).is_some_and(|word| word >> (cell % 64) & 1 == 1)
    }

    /// Sets the mark of a cell; there is nothing beyond the end to be set.
    pub fn set(&mut self, cell: usize, known: bool) {
        if cell < self.len {
            let (word, bit) = (&mut self.words[cell / 64], 1 << (cell % 64));
            if known { *word |= bit } else { *word &= !bit }
        }
    }

    /// How many cells of a range are known.
    pub fn count(&self, range: Range<usize>) -> usize {
        let end = range.end.min(self.len);
        let (mut cell, mut count) = (range.start, 0);
        while cell < end {
            let (from, taken) = (cell % 64, (64 - cell % 64).min(end - cell));
            let wanted = if taken == 64 { u64::MAX } else { ((1 << taken) - 1) << from };
            count += (self.words[cell / 64] & wanted).count_ones() as usize;
            cell += taken;
        }
        count
    }

    /// Adds the marks of a range of others.
    pub fn extend(&mut self, others: &Self, range: Range<usize>) {
        for cell in range {
            if self.len.is_multiple_of(64) {
                self.words.push(0);
            }
            self.len += 1;
            self.set(self.len - 1, others.get(cell));
        }
    }

    /// Bits behind the last cell are 0, so that equal marks are equal words.
    fn clear_tail(&mut self) {
        if let (Some(last), used @ 1..) = (self.words.last_mut(), self.len % 64) {
            *last &= (1 << used) - 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_count_as_marks_do() {
        let marks: Vec<bool> = (0..200).map(|cell| cell % 3 != 1 && cell % 7 != 2).collect();
        let mut bits = Bits::from_marks(marks.iter().copied());
        assert!((0..200).all(|cell| bits.get(cell) == marks[cell]) && !bits.get(200));
        for (start, end) in [(0, 200), (3, 67), (64, 128), (63, 65), (150, 150), (190, 400)] {
            let expected = marks.iter().take(end).skip(start).filter(|mark| **mark).count();
            assert_eq!(bits.count(start..end), expected, "{start} to {end}");
        }
        let mut again = Bits::default();
        again.extend(&bits, 0..200);
        assert_eq!(again, bits);
        bits.set(5, !marks[5]);
        assert_ne!(again, bits);
        assert_eq!(Bits::filled(70, true), Bits::from_marks(vec![true; 70]));
    }
}
