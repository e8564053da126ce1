//! The tables of one data set, and which claims hold on it.

use super::erased::Outcome;
use super::published::{Given, PEERS, PUBLISHED};
use super::{DATA, Outcomes, TEST_SHARE, TREATMENTS, copies_name, position};
use crate::bench::report::Row;
use crate::bench::treatment::{Fill, Treatment};
use crate::bench::{Cell, Claim, Figure, Section};

/// What was found on one data set.
pub(super) struct Found<'a> {
    pub data: usize,
    pub copies: &'a [usize],
    pub treatments: &'a [Treatment],
    pub outcomes: &'a Outcomes,
    /// The error of the mean predictor, seed by seed.
    pub constant: Vec<f64>,
}

impl Found<'_> {
    fn values(&self, copies: usize, treatment: Treatment, value: impl Fn(&Outcome) -> f64) -> Vec<f64> {
        let outcomes = self.outcomes.get(&(self.data, copies, position(treatment)));
        outcomes.map(|outcomes| outcomes.iter().map(value).collect()).unwrap_or_default()
    }

    fn errors(&self, copies: usize, treatment: Treatment) -> Vec<f64> {
        self.values(copies, treatment, |outcome| outcome.error)
    }

    fn most(&self) -> usize {
        self.copies.iter().copied().max().unwrap_or(1)
    }

    fn section(&self, title: String, columns: &[String], cells: impl Fn(Treatment) -> Vec<Cell>) -> Section {
        let row = |treatment: &Treatment| Row { name: treatment.name().to_owned(), cells: cells(*treatment) };
        let rows: Vec<Row> = self.treatments.iter().map(row).collect();
        Section { title, columns: columns.to_vec(), digits: DATA[self.data].digits, rows }
    }

    /// The mean predictor as the last line of the last section.
    fn add_constant(&self, sections: &mut [Section], cells: impl Fn(Cell) -> Vec<Cell>) {
        let constant = Cell::from(Figure::of(&self.constant, TEST_SHARE));
        if let Some(section) = sections.last_mut() {
            section.rows.push(Row { name: "mean predictor".into(), cells: cells(constant) });
        }
    }

    pub fn sections(&self) -> Vec<Section> {
        let data = &DATA[self.data];
        let measure = if data.wanted.classes { "share of wrong classes" } else { "RMSE" };
        let words = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let mut sections = Vec::new();
        if self.copies.contains(&100) {
            let title = format!("{}: {measure} at r = 100 (Table 5)", data.name);
            sections.push(self.section(title, &words(&["paper", "peers", "ours"]), |treatment| {
                let given = |table: &[[Given; 6]]| -> Cell {
                    let figure = table.get(position(treatment)).and_then(|row| row[self.data]);
                    figure.map(|(mean, half)| Figure::given(mean, half)).into()
                };
                vec![
                    given(&PUBLISHED),
                    given(&PEERS),
                    Figure::of(&self.errors(100, treatment), TEST_SHARE).into(),
                ]
            }));
            self.add_constant(&mut sections, |constant| vec![Cell::Empty, Cell::Empty, constant]);
        }
        if *self.copies != [100] {
            let title = format!("{}: {measure} over r (Figures 2 and 6)", data.name);
            let columns: Vec<String> = self.copies.iter().map(|copies| copies_name(*copies)).collect();
            sections.push(self.section(title, &columns, |treatment| {
                let cell = |copies: &usize| Figure::of(&self.errors(*copies, treatment), TEST_SHARE).into();
                self.copies.iter().map(cell).collect()
            }));
            self.add_constant(&mut sections, |constant| vec![constant; self.copies.len()]);
        }
        let output = if data.wanted.classes { "probability of the last class" } else { "answer" };
        let title = format!("{}: mean {output} at r = {} (Figure 7)", data.name, self.most());
        sections.push(self.section(title, &words(&["sparse rows", "dense rows", "drift"]), |treatment| {
            let cell = |value: fn(&Outcome) -> f64| {
                Figure::of(&self.values(self.most(), treatment, value), TEST_SHARE).into()
            };
            vec![
                cell(|outcome| outcome.drift.sparse),
                cell(|outcome| outcome.drift.dense),
                cell(|outcome| outcome.drift.drift),
            ]
        }));
        sections
    }

    /// The published claims, and the question whether the size of the inputs alone explains them.
    pub fn claims(&self) -> Vec<Claim> {
        let (name, most) = (DATA[self.data].name, self.most());
        let least = self.copies.iter().copied().min().unwrap_or(1);
        let (zero, normalized) = (Treatment::Plain(Fill::Zero), Treatment::NormalizedToOne);
        let errors = |treatment| self.errors(most, treatment);
        let drift = |treatment| self.values(most, treatment, |outcome| outcome.drift.drift.abs());
        let lower = |words: &str, low: Vec<f64>, high: Vec<f64>| {
            Claim::lower(format!("{name}, r = {most}: {words}"), &low, &high, TEST_SHARE)
        };
        let mut claims = vec![
            lower("SN errs less than zero", errors(normalized), errors(zero)),
            lower(
                "SN errs less than the best of mean and indicators",
                errors(normalized),
                self.best(&TREATMENTS[1..4]),
            ),
            lower(
                "SN errs less than the best baseline / constant",
                errors(normalized),
                self.best(&TREATMENTS[6..10]),
            ),
            lower("SN drifts less than zero", drift(normalized), drift(zero)),
            lower("zero errs more than the mean predictor", self.constant.clone(), errors(zero)),
            lower("SN errs less than the mean predictor", errors(normalized), self.constant.clone()),
        ];
        if least < most {
            let before = |treatment| self.errors(least, treatment);
            let worse = format!("zero errs more than at r = {least}");
            claims.push(lower(&worse, before(zero), errors(zero)));
            let better = format!("SN errs less than at r = {least}");
            claims.push(lower(&better, errors(normalized), before(normalized)));
        }
        claims.into_iter().flatten().collect()
    }

    /// The errors of that treatment whose mean is lowest: chosen after the fact, in the baselines' favour.
    fn best(&self, treatments: &[Treatment]) -> Vec<f64> {
        let errors = treatments.iter().map(|treatment| self.errors(self.most(), *treatment));
        let mean = |errors: &Vec<f64>| errors.iter().sum::<f64>() / errors.len() as f64;
        errors
            .filter(|errors| !errors.is_empty())
            .min_by(|one, other| mean(one).total_cmp(&mean(other)))
            .unwrap_or_default()
    }
}
