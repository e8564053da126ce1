//! What the holes of a table mean for whoever works with it, and what to do: a short recommendation.

use super::description::Description;

/// A chance below which a test speaks.
const LEVEL: f64 = 0.05;
/// Share of incomplete rows below which leaving them out costs little.
const FEW: f64 = 0.05;

impl Description {
    /// What this means and what to do, in sentences: first for this table, then what the words mean.
    pub fn advice(&self) -> Vec<String> {
        if self.missing_cells == 0 {
            return vec!["Nothing is missing: any method can be used as it is.".into()];
        }
        let incomplete = 1.0 - self.complete_rows as f64 / self.rows.max(1) as f64;
        let little = self.little.result.is_some_and(|test| test.p_value < LEVEL);
        let target = self
            .target
            .as_ref()
            .is_some_and(|target| target.known_cells_test.is_some_and(|test| test.p_value < LEVEL));
        let not_random = little || self.dependences.significant > 0;
        let mut words = vec![match (not_random, incomplete < FEW) {
            (true, _) => format!(
                "Holes go with what is known in other columns, so rows without holes are not like the others: leaving out \
                 the {:.0} % of the rows that have holes would change what is found. To predict, use a method that takes \
                 holes as they are; to estimate, use several plausible fillings that look at all columns, and pool.",
                100.0 * incomplete
            ),
            (false, true) => format!(
                "Nothing here speaks against holes that came about by chance, and only {:.1} % of the rows have any: \
                 whatever is done with them will matter little.",
                100.0 * incomplete
            ),
            (false, false) => format!(
                "Nothing here speaks against holes that came about by chance. Leaving out incomplete rows would not \
                 mislead, but would cost {:.0} % of them: methods that take holes as they are, or several plausible \
                 fillings, keep what the others know.",
                100.0 * incomplete
            ),
        }];
        if target {
            words.push(
                "That a cell is missing goes with the target: keep it as a piece of information, and ask whether it will \
                 be missing in the same way where the model is used."
                    .into(),
            );
        }
        words.push(
            "Completely at random (MCAR): whether a cell is missing has to do with nothing. At random (MAR): it has to do \
             with what is known of its row, and can be made good by that. Not at random (MNAR): it has to do with the \
             value that is missing itself; no data can show that, so ask how the data came about, and see how far results \
             move if filled values were higher or lower."
                .into(),
        );
        words
    }
}

#[cfg(test)]
mod tests {
    use crate::data::{Column, Kind, Table};
    use crate::missing::describe;

    fn advice(hole: impl Fn(usize) -> bool) -> String {
        let noise = |row: usize| (row * 7919 % 1009) as f64;
        let holed: Vec<f64> = (0..500).map(|row| if hole(row) { f64::NAN } else { noise(row + 3) }).collect();
        let known: Vec<f64> = (0..500).map(noise).collect();
        let columns = [("a", holed), ("b", known)];
        let table =
            Table::new(columns.map(|(name, cells)| Column::from_numbers(name, Kind::Real, &cells)).into());
        describe(&table.unwrap(), None).unwrap().advice().join(" ")
    }

    #[test]
    fn what_to_do_follows_from_the_holes() {
        assert!(advice(|_| false).starts_with("Nothing is missing"));
        assert!(advice(|row| row % 100 == 3).contains("will matter little"));
        assert!(advice(|row| row % 3 == 1).contains("would cost 33 % of them"));
        let with_b = advice(|row| row * 7919 % 1009 > 600);
        assert!(with_b.contains("are not like the others") && with_b.contains("MNAR"), "{with_b}");
    }
}
