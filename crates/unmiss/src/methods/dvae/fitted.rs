//! A trained variational autoencoder: it fills holes, and says how likely rows are.

use rayon::prelude::*;
use serde_json::{Value, json};

use super::layout::{Layout, Visit};
use super::posterior::{Posterior, bounds, encode, weights};
use super::settings::Settings;
use crate::encode::wide::EncodedRow;
use crate::encode::{Encoder, Rows};
use crate::error::Result;
use crate::methods::canvas::Canvas;
use crate::methods::each_row::for_each_row;
use crate::methods::generative::{Cells, ImageCells, Source, TableCells};
use crate::methods::learned::with_cut_off;
use crate::methods::{Draw, Imputer, Learned};
use crate::nn::Parameters;
use crate::rng::Stream;
use crate::store::Arrays;

/// Latents that go through the decoder in one go.
const AT_ONCE: usize = 4096;

/// How a training went.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Course {
    /// The epoch whose weights were kept.
    pub epoch: f64,
    /// The share of training cells that was known.
    pub known: f64,
    /// The bound of rows set aside, per row; not finite where there were none.
    pub bound: f64,
}

/// What rows are made of.
pub enum Form {
    /// Columns of a table, and the names of its numbers.
    Table(Box<Encoder>),
    /// Images on a canvas.
    Images(Canvas),
}

/// A trained variational autoencoder.
pub struct Variational {
    pub(super) layout: Layout,
    pub(super) parameters: Parameters,
    pub(super) settings: Settings,
    pub(super) form: Form,
    pub(super) course: Course,
    /// Why training was ended before it was done, if it was; a file does not say it again.
    pub(super) cut_off: Option<String>,
}

impl Variational {
    /// For each row the bound of importance weights below the log-likelihood of what is known of it, in a model's units
    /// (standardised numbers, pixels from 0 to 1): the more samples, the nearer.
    ///
    /// # Errors
    /// When the rows are of another shape.
    pub fn log_likelihoods(&self, rows: &Rows, samples: usize) -> Result<Vec<f64>> {
        let source = self.source(rows)?;
        let places: Vec<usize> = (0..source.len()).collect();
        let some = |some: &[usize]| {
            let cells = source.cells(some);
            let visit = self.visit(&cells, samples, |_| Stream::new(0, "dvae likelihood", 0, 0));
            bounds(&self.layout, &self.parameters, visit, false)
        };
        Ok(places.chunks(rows_at_once(samples)).flat_map(some).collect())
    }

    /// Rows as cells.
    fn source<'a>(&self, rows: &'a Rows) -> Result<Box<dyn Source + 'a>> {
        Ok(match &self.form {
            Form::Table(encoder) => Box::new(TableCells::new(encoder, rows.table()?)),
            Form::Images(canvas) => Box::new(ImageCells { rows: rows.images()?, canvas: *canvas }),
        })
    }

    fn weighs(&self) -> bool {
        self.settings.weighs(self.form.shape().0)
    }

    /// Latents that a row is filled from.
    fn samples(&self) -> usize {
        if self.weighs() { self.settings.samples } else { 1 }
    }

    /// Rows, all that is known of them seen, with noise from a stream for each.
    fn visit<'a>(
        &self,
        cells: &'a Cells,
        per_row: usize,
        stream: impl Fn(usize) -> Stream + Sync,
    ) -> Visit<'a> {
        let numbers = self.layout.curves.as_ref().map_or(0, |_| self.layout.features.numbers());
        let row = |row: usize| {
            let mut stream = stream(row);
            let mut draw =
                |count: usize| (0..count * per_row).map(|_| stream.normal() as f32).collect::<Vec<_>>();
            [draw(self.layout.latent), draw(numbers)]
        };
        let all: Vec<[Vec<f32>; 2]> = (0..cells.rows).into_par_iter().with_min_len(16).map(row).collect();
        let gathered = |place: usize| all.iter().flat_map(|own| &own[place]).copied().collect();
        let (noise, cell_noise) = (gathered(0), gathered(1));
        Visit { cells, seen: &cells.observed, per_row, noise, cell_noise }
    }

    /// Values for all cells of some rows, which stand at these places and are encoded already: `[B, cells]`.
    fn values(&self, cells: &Cells, places: &[usize], encoded: &[f32], draw: Option<Draw>) -> Vec<f32> {
        let (features, per_row) = (&self.layout.features, self.samples());
        let mut visit = match draw {
            Some(draw) => self.visit(cells, per_row, |row| draw.stream("dvae latents", places[row])),
            // Every row gets the same noise: what it is filled with depends on it alone.
            None => self.visit(cells, per_row, |_| Stream::new(0, "dvae latents", 0, 0)),
        };
        if draw.is_none() && !self.weighs() {
            visit.noise.fill(0.0);
        }
        let weighs = self.weighs();
        let found = Posterior::of_encoded(&self.layout, &self.parameters, visit, encoded.to_vec(), weighs);
        let (out, n) = (features.outputs(), features.numbers());
        let row = |row: usize| {
            let weights = match weighs {
                true => weights(&found.logs[row * per_row..(row + 1) * per_row]),
                false => vec![1.0],
            };
            let said = |latent: usize| &found.outputs[(row * per_row + latent) * out..][..out];
            let numbers = |latent: usize| &found.numbers[(row * per_row + latent) * n..][..n];
            let Some(draw) = draw else {
                let mut line = vec![0.0; features.slots()];
                for (latent, weight) in weights.iter().enumerate() {
                    features.add_expected(said(latent), *weight, &mut line);
                }
                if self.layout.curves.is_some() {
                    let mean = |place: usize| {
                        let all = weights.iter().enumerate();
                        all.map(|(latent, weight)| weight * f64::from(numbers(latent)[place])).sum::<f64>()
                    };
                    (0..n).for_each(|place| line[place] = mean(place));
                }
                return features.decide(&line, None);
            };
            let mut stream = draw.stream("dvae", places[row]);
            let latent = stream.position(&weights).unwrap_or(0);
            let mut drawn = features.drawn(said(latent), &mut stream);
            if self.layout.curves.is_some() {
                drawn[..n].copy_from_slice(numbers(latent));
            }
            drawn
        };
        (0..cells.rows).into_par_iter().with_min_len(4).flat_map_iter(row).collect()
    }

    fn sentences(&self) -> Vec<String> {
        let Course { epoch, known, bound } = self.course;
        let mut sentences = vec![match known >= 1.0 {
            true => "Every cell was known: the target was the clean data.".to_owned(),
            false => format!("{:.1} % of the cells were known: the target was these alone.", 100.0 * known),
        }];
        sentences.push(format!("The weights of epoch {epoch} were kept."));
        if bound.is_finite() {
            sentences
                .push(format!("Rows set aside have a log-likelihood of {bound:.3} at least, on average."));
        }
        let (Some(curves), Form::Table(encoder)) = (&self.layout.curves, &self.form) else {
            return sentences;
        };
        let slopes = curves.slopes(&self.parameters).into_iter().zip(&encoder.numbers).zip(curves.rates());
        let steep = slopes.filter(|((slope, _), rate)| **rate > 0.0 && slope.abs() > 0.5);
        let words = steep.map(|((slope, feature), _)| {
            format!("`{}` ({} ones)", feature.name, if slope > 0.0 { "large" } else { "small" })
        });
        let words: Vec<String> = words.take(8).collect();
        if !words.is_empty() {
            sentences.push(format!("Numbers taken to hide themselves: {}.", words.join(", ")));
        }
        sentences
    }
}

impl Learned for Variational {
    fn save(&self) -> Arrays {
        let mut arrays = self.parameters.save();
        let Course { epoch, known, bound } = self.course;
        arrays.put_doubles("course", &[3], vec![epoch, known, bound]);
        if let Some(curves) = &self.layout.curves {
            arrays.put_doubles("missing rates", &[curves.rates().len()], curves.rates().to_vec());
        }
        arrays
    }

    fn summary(&self) -> Value {
        let summary = json!({
            "weights": self.parameters.count(),
            "latent": self.layout.latent,
            "best epoch": self.course.epoch,
            "share known": self.course.known,
            "log-likelihood of rows set aside": self.course.bound.is_finite().then_some(self.course.bound),
            "sentences": self.sentences(),
        });
        with_cut_off(summary, self.cut_off.as_ref())
    }

    fn imputer(&self) -> Option<&dyn Imputer> {
        Some(self)
    }
}

impl Imputer for Variational {
    fn why_no_formula(&self) -> &'static str {
        "it weighs many draws of what is missing"
    }

    fn fill(&self, rows: &mut Rows, draw: Option<Draw>) -> Result<()> {
        let encoded = self.encoded(rows)?;
        self.fill_encoded(rows, &encoded, draw)
    }

    fn fill_by_draws(
        &self,
        rows: &Rows,
        draws: &[Option<Draw>],
        take: &mut dyn FnMut(Rows) -> Result<()>,
    ) -> Result<()> {
        let encoded = self.encoded(rows)?;
        draws.iter().try_for_each(|draw| {
            let mut filled = rows.clone();
            self.fill_encoded(&mut filled, &encoded, *draw)?;
            take(filled)
        })
    }
}

impl Variational {
    /// The rows that are filled: one without a hole costs nothing.
    fn holed(&self, rows: &Rows) -> Vec<usize> {
        let width = self.layout.features.cells();
        match (rows, &self.form) {
            (Rows::Table(rows), Form::Table(_)) => {
                let known = rows.known_counts();
                (0..rows.rows).filter(|&row| known[row] < width).collect()
            }
            _ => (0..rows.len()).collect(),
        }
    }

    /// What the encoder says of the rows that are filled, for as many at a time as go through the decoder together.
    fn encoded(&self, rows: &Rows) -> Result<Vec<Vec<f32>>> {
        let source = self.source(rows)?;
        let some = |some: &[usize]| {
            let cells = source.cells(some);
            encode(&self.layout, &self.parameters, &cells, &cells.observed)
        };
        Ok(self.holed(rows).chunks(rows_at_once(self.samples())).map(some).collect())
    }

    fn fill_encoded(&self, rows: &mut Rows, encoded: &[Vec<f32>], draw: Option<Draw>) -> Result<()> {
        let (width, at_once) = (self.layout.features.cells().max(1), rows_at_once(self.samples()));
        let holed = self.holed(rows);
        let parts = holed.chunks(at_once).zip(encoded);
        match &self.form {
            Form::Table(encoder) => {
                let rows = rows.table_mut()?;
                let source = TableCells::new(encoder, rows);
                let values: Vec<f32> = parts
                    .flat_map(|(some, encoded)| self.values(&source.cells(some), some, encoded, draw))
                    .collect();
                for_each_row(rows, |row, line| {
                    let place = holed.partition_point(|other| *other < row);
                    put(&values[place * width..(place + 1) * width], line);
                });
            }
            Form::Images(canvas) => {
                let images = rows.images_mut()?;
                for (some, encoded) in parts {
                    let cells = ImageCells { rows: images, canvas: *canvas }.cells(some);
                    let values = self.values(&cells, some, encoded, draw);
                    for (row, own) in some.iter().zip(values.chunks(width)) {
                        images.fill(*row, &canvas.cropped(own));
                    }
                }
            }
        }
        Ok(())
    }
}

/// Rows that go through the network in one go, each with so many latents.
fn rows_at_once(samples: usize) -> usize {
    (AT_ONCE / samples.max(1)).max(1)
}

/// Puts numbers and codes into the holes of a row.
fn put(values: &[f32], line: EncodedRow<'_>) {
    let (numbers, codes) = values.split_at(line.numbers.len());
    let holes = line.numbers.iter_mut().zip(line.numbers_observed).zip(numbers);
    holes.filter(|((_, known), _)| !**known).for_each(|((cell, _), value)| *cell = *value);
    let holes = line.codes.iter_mut().zip(line.codes_observed).zip(codes);
    holes.filter(|((_, known), _)| !**known).for_each(|((cell, _), code)| *cell = *code as u32);
}
