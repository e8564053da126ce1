//! Single cells of encoded rows, taken out and put in.

use crate::encode::Encoded;

/// What a cell holds, in model units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Cell {
    Number(f32),
    Code(u32),
    Hole,
}

impl Cell {
    /// The cell of a row; inputs are counted as in [`Coder::names`](crate::encode::Coder::names): numbers, then
    /// categories.
    pub fn of(rows: &Encoded, row: usize, input: usize) -> Self {
        let (numbers, codes) = rows.widths();
        if input < numbers {
            let cell = row * numbers + input;
            if rows.numbers_observed[cell] { Self::Number(rows.numbers[cell]) } else { Self::Hole }
        } else {
            let cell = row * codes + input - numbers;
            if rows.codes_observed[cell] { Self::Code(rows.codes[cell]) } else { Self::Hole }
        }
    }

    /// Puts it into a row.
    pub fn put(self, rows: &mut Encoded, row: usize, input: usize) {
        let (numbers, codes) = rows.widths();
        if input < numbers {
            let cell = row * numbers + input;
            let value = if let Self::Number(value) = self { Some(value) } else { None };
            (rows.numbers[cell], rows.numbers_observed[cell]) = (value.unwrap_or(0.0), value.is_some());
        } else {
            let cell = row * codes + input - numbers;
            let code = if let Self::Code(code) = self { Some(code) } else { None };
            (rows.codes[cell], rows.codes_observed[cell]) = (code.unwrap_or(0), code.is_some());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_come_out_as_they_were_put_in() {
        let mut rows = Encoded {
            rows: 2,
            numbers: vec![0.0; 4],
            numbers_observed: vec![false; 4],
            codes: vec![0; 2],
            codes_observed: vec![false; 2],
        };
        for (input, cell) in [(1, Cell::Number(2.5)), (2, Cell::Code(3)), (0, Cell::Hole)] {
            cell.put(&mut rows, 1, input);
            assert_eq!(Cell::of(&rows, 1, input), cell);
            assert_eq!(Cell::of(&rows, 0, input), Cell::Hole);
        }
        Cell::Hole.put(&mut rows, 1, 1);
        assert_eq!((rows.numbers[3], rows.numbers_observed[3]), (0.0, false));
    }
}
