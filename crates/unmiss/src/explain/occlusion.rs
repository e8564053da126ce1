//! What of an image a model goes by: each square of it is made a hole in turn, and how far the answer moves is told
//! (occlusion: Zeiler and Fergus 2014, with a hole in place of a grey patch, since our models know what a hole is).
//!
//! ```text
//! what a square adds = answer(image) - answer(image with the square not known)
//! ```
//!
//! The answer is the chance of the class that the image is taken for, or the number that goes with it. Squares overlap
//! by half; a pixel gets the mean over the squares that it lies in. A square of which nothing was known adds nothing.

use serde::Serialize;

use crate::data::Data;
use crate::data::images::Images;
use crate::encode::{ImageRows, Rows, Task};
use crate::error::{Error, Result};
use crate::metrics::most_probable;
use crate::missing::words::{count, number};
use crate::model::{Model, Predicting};
use crate::rng::Stream;
use crate::run::Run;

/// Squares that lie side by side along the longer side of an image, about.
const SQUARES: usize = 5;
/// Changed images asked about at a time.
const AT_ONCE: usize = 2_048;
/// Images from which on something is said of all of them together.
const MANY: usize = 2;

/// What some images' answers rest on.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Occlusion {
    /// What to know, in sentences.
    pub summary: Vec<String>,
    /// What to be careful about, in sentences.
    pub warnings: Vec<String>,
    /// Classes; empty where a number is predicted.
    pub classes: Vec<String>,
    /// The squares: their places are the same in every image.
    pub squares: Vec<Square>,
    /// `[squares]`: how far hiding each moves an answer, on average over the images, up or down.
    pub moves: Vec<f64>,
    /// The images.
    pub images: Vec<Occluded>,
}

/// A part of an image, in pixels from the upper left corner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Square {
    /// Its first row, from 0.
    pub row: usize,
    /// Its first column, from 0.
    pub column: usize,
    /// Rows of it.
    pub height: usize,
    /// Columns of it.
    pub width: usize,
}

/// What the answer for one image rests on.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Occluded {
    /// Its position among the images given.
    pub image: usize,
    /// The class that it is taken for.
    pub class: Option<usize>,
    /// The chance of that class, or the number.
    pub answer: f64,
    /// `[squares]`: what each square adds to the answer.
    pub adds: Vec<f64>,
    /// `[height, width]`: the mean over the squares that a pixel lies in.
    pub by_pixel: Vec<f64>,
    /// Whether hiding a single square changes the class.
    pub turns: bool,
}

impl Square {
    /// Its place in words, counted from 1.
    pub fn words(&self) -> String {
        let (bottom, right) = (self.row + self.height, self.column + self.width);
        format!("rows {} to {bottom}, columns {} to {right}", self.row + 1, self.column + 1)
    }

    fn pixels(self, width: usize) -> impl Iterator<Item = usize> {
        let columns = self.column..self.column + self.width;
        (self.row..self.row + self.height).flat_map(move |row| columns.clone().map(move |x| row * width + x))
    }

    fn overlaps(&self, other: &Self) -> bool {
        let apart = |start: usize, length: usize, other: usize, others: usize| {
            start + length <= other || other + others <= start
        };
        !apart(self.row, self.height, other.row, other.height)
            && !apart(self.column, self.width, other.column, other.width)
    }
}

impl Occluded {
    /// The squares that move the answer most, the first one first, none of which overlaps another.
    pub fn largest(&self, squares: &[Square], most: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..squares.len()).filter(|&square| self.adds[square] != 0.0).collect();
        order.sort_by(|&a, &b| self.adds[b].abs().total_cmp(&self.adds[a].abs()));
        let mut taken: Vec<usize> = Vec::new();
        for square in order {
            if taken.len() < most && !taken.iter().any(|other| squares[*other].overlaps(&squares[square])) {
                taken.push(square);
            }
        }
        taken
    }
}

/// Asks a model of images about images with squares hidden.
pub struct Occluder<'a> {
    model: Predicting<'a>,
    run: &'a Run,
    width: usize,
    squares: Vec<Square>,
}

impl<'a> Occluder<'a> {
    /// Lays squares over images of the model's size.
    ///
    /// # Errors
    /// When the model does not predict from images.
    pub fn new(model: &'a Model, run: &'a Run) -> Result<Self> {
        let size = model.coder.images()?.size;
        let squares = squares(size.height, size.width);
        Ok(Self { model: model.predicting()?, run, width: size.width, squares })
    }

    /// The squares.
    pub fn squares(&self) -> &[Square] {
        &self.squares
    }

    /// What the answer for each image rests on. What an image is told depends on that image alone.
    ///
    /// # Errors
    /// When the run was stopped.
    pub fn explain(&self, rows: &ImageRows) -> Result<Vec<Occluded>> {
        let at_once = (AT_ONCE / (self.squares.len() + 1)).max(1);
        let all: Vec<usize> = (0..rows.len()).collect();
        let mut found = Vec::with_capacity(rows.len());
        for some in all.chunks(at_once) {
            if self.run.stopped() {
                return Err(Error::Stopped);
            }
            self.run.progress(some[0] as u64, rows.len() as u64, "hiding squares of images");
            found.extend(self.some(rows, some)?);
        }
        self.run.finished();
        Ok(found)
    }

    fn some(&self, rows: &ImageRows, some: &[usize]) -> Result<Vec<Occluded>> {
        // Each image as it is, and once for each of its squares of which something is known.
        let mut asked: Vec<(usize, Option<usize>)> = Vec::new();
        for &image in some {
            asked.push((image, None));
            let known = |square: &usize| {
                let mut pixels = self.squares[*square].pixels(self.width);
                pixels.any(|pixel| rows.knows_something(image, pixel))
            };
            asked.extend((0..self.squares.len()).filter(known).map(|square| (image, Some(square))));
        }
        let mut changed = rows.select(&asked.iter().map(|(image, _)| *image).collect::<Vec<_>>());
        for (place, (_, square)) in asked.iter().enumerate() {
            for square in square.iter() {
                self.squares[*square].pixels(self.width).for_each(|pixel| changed.hide(place, pixel));
            }
        }
        let answers = self.run.compute(|| self.model.predict_rows(&Rows::Images(changed)))?;
        let outputs = self.model.target.task.outputs();
        let mut answers = answers.chunks_exact(outputs).zip(&asked).peekable();
        let mut found = Vec::new();
        while let Some((whole, (image, _))) = answers.next() {
            let class = (self.model.target.task != Task::Regression).then(|| most_probable(whole));
            let output = class.unwrap_or(0);
            let (mut adds, mut turns) = (vec![0.0; self.squares.len()], false);
            while let Some((hidden, (_, Some(square)))) = answers.next_if(|(_, (_, square))| square.is_some())
            {
                adds[*square] = whole[output] - hidden[output];
                turns |= class.is_some_and(|class| most_probable(hidden) != class);
            }
            let by_pixel = self.by_pixel(&adds);
            found.push(Occluded { image: *image, class, answer: whole[output], adds, by_pixel, turns });
        }
        Ok(found)
    }

    fn by_pixel(&self, adds: &[f64]) -> Vec<f64> {
        let height = self.squares.iter().map(|square| square.row + square.height).max().unwrap_or(0);
        let (mut sums, mut counts) = (vec![0.0; height * self.width], vec![0_u32; height * self.width]);
        for (square, adds) in self.squares.iter().zip(adds) {
            for pixel in square.pixels(self.width) {
                sums[pixel] += adds;
                counts[pixel] += 1;
            }
        }
        sums.iter().zip(counts).map(|(sum, count)| sum / f64::from(count.max(1))).collect()
    }
}

/// Squares over an image of which each overlaps the next by half; the last ones end where the image does.
fn squares(height: usize, width: usize) -> Vec<Square> {
    let side = height.max(width).div_ceil(SQUARES);
    let starts = |length: usize| {
        let last = length.saturating_sub(side);
        (0..last).step_by(side.div_ceil(2)).chain([last]).collect::<Vec<usize>>()
    };
    let columns = starts(width);
    let of_row = |row: usize| {
        let (height, side) = (side.min(height), side.min(width));
        columns.iter().map(move |&column| Square { row, column, height, width: side })
    };
    starts(height).into_iter().flat_map(of_row).collect()
}

/// Explains what a model goes by in images: all of them, or so many drawn at random.
///
/// # Errors
/// When the model does not predict from images, they have another size, there is none, or the run was stopped.
pub fn occlusion(model: &Model, images: &Images, most: usize, run: &Run) -> Result<Occlusion> {
    let occluder = Occluder::new(model, run)?;
    if images.is_empty() {
        return Err(Error::data("there is no image to explain the model on"));
    }
    let mut drawn = Stream::new(run.seed(), "images to explain", 0, 0).permutation(images.len());
    drawn.truncate(most.max(1));
    drawn.sort_unstable();
    let some = Data::from(images.select(&drawn));
    let rows = model.coder.encode(&some, |_, _| {})?;
    let mut found = occluder.explain(rows.images()?)?;
    found.iter_mut().for_each(|one| one.image = drawn[one.image]);
    let squares = occluder.squares;
    let mean = |square: usize| {
        found.iter().map(|one| one.adds[square].abs()).sum::<f64>() / found.len().max(1) as f64
    };
    let moves = (0..squares.len()).map(mean).collect();
    let target = occluder.model.target;
    let classes = if target.task == Task::Regression { Vec::new() } else { target.levels.clone() };
    let mut found =
        Occlusion { summary: Vec::new(), warnings: Vec::new(), classes, squares, moves, images: found };
    (found.summary, found.warnings) = (summary(&found), warnings());
    Ok(found)
}

fn summary(found: &Occlusion) -> Vec<String> {
    let Some(first) = found.squares.first() else { return Vec::new() };
    let what = if found.classes.is_empty() { "the number" } else { "the chance of the class told" };
    let mean = found.moves.iter().sum::<f64>() / found.moves.len() as f64;
    let size = format!("{} x {}", first.height, first.width);
    let mut words = vec![format!(
        "Squares of {size} pixels were hidden one by one in {}; each moves {what} by {mean:.3} on average.",
        count(found.images.len(), "image")
    )];
    let largest = (0..found.moves.len()).max_by(|&a, &b| found.moves[a].total_cmp(&found.moves[b]));
    if let Some(square) = largest.filter(|_| found.images.len() >= MANY) {
        words.push(format!(
            "What matters most lies in {}: hiding it moves {what} by {:.3} on average.",
            found.squares[square].words(),
            found.moves[square]
        ));
    }
    if !found.classes.is_empty() {
        let turned = found.images.iter().filter(|one| one.turns).count();
        words.push(format!(
            "In {} of {} a single hidden square is enough to change the class.",
            number(turned),
            count(found.images.len(), "image")
        ));
    }
    words
}

fn warnings() -> Vec<String> {
    vec![
        "What an image shows twice is hardly missed when it is hidden once: a square that adds nothing may still \
         matter together with others."
            .to_owned(),
        "Holes that an image already has add nothing here, whatever the model makes of them.".to_owned(),
        "It says what the model goes by, which need not be what makes the thing what it is.".to_owned(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::images::{Observed, Pixels, Size};
    use crate::data::{Column, Kind};
    use crate::model::{Aim, Recipe};

    /// Images of 6 x 8 with noise, and a spot in the upper left corner of every second one, which has the class `spot`.
    fn spots() -> Images {
        let size = Size { channels: 1, height: 6, width: 8 };
        let mut stream = Stream::new(3, "spots", 0, 0);
        let mut values = Vec::new();
        for image in 0..60 {
            for pixel in 0..48 {
                let spot = image % 2 == 0 && pixel / 8 < 2 && pixel % 8 < 2;
                values.push(if spot { 250 } else { stream.below(30) as u8 });
            }
        }
        let words: Vec<Option<&str>> =
            (0..60).map(|image| Some(if image % 2 == 0 { "spot" } else { "none" })).collect();
        let images = Images::new(size, Pixels::Bytes(values), Observed::All).unwrap();
        images.with_labels(Some(Column::from_words("label", Kind::Category, &words))).unwrap()
    }

    #[test]
    fn squares_cover_an_image_and_overlap() {
        for (height, width) in [(8, 8), (28, 28), (5, 40), (1, 1), (7, 3)] {
            let squares = squares(height, width);
            let mut covered = vec![false; height * width];
            for square in &squares {
                square.pixels(width).for_each(|pixel| covered[pixel] = true);
            }
            assert!(covered.iter().all(|covered| *covered), "{height} x {width}");
        }
        assert_eq!(squares(8, 8).len(), 49);
        let square = Square { row: 2, column: 0, height: 2, width: 3 };
        assert_eq!(square.words(), "rows 3 to 4, columns 1 to 3");
        assert!(square.overlaps(&Square { row: 3, column: 2, height: 2, width: 3 }));
        assert!(!square.overlaps(&Square { row: 4, column: 0, height: 2, width: 3 }));
    }

    #[test]
    fn what_tells_the_classes_apart_is_found() {
        let (images, run) = (spots(), Run::new(0, 1).unwrap());
        let recipe = Recipe::named("mlp").unwrap().set_all([("hidden", "[8]"), ("epochs", "60")]).unwrap();
        let model = Model::fit(&Data::from(images.clone()), &Aim::predict("label"), &recipe, &run).unwrap();
        let mut holed = images.clone();
        (32..48).for_each(|pixel| holed.hide(0, pixel));
        let found = occlusion(&model, &holed, 10, &run).unwrap();
        assert_eq!(found.images.len(), 10);
        assert_eq!(found, occlusion(&model, &holed, 10, &Run::new(0, 2).unwrap()).unwrap());
        for one in found.images.iter().filter(|one| one.image % 2 == 0) {
            let first = one.largest(&found.squares, 3);
            let square = found.squares[first[0]];
            assert!(square.row < 2 && square.column < 2 && one.adds[first[0]] > 0.1, "{square:?} {one:?}");
            assert!(one.by_pixel[0] > 0.05 && one.by_pixel[47].abs() < 0.05, "{:?}", one.by_pixel);
        }
        let all = occlusion(&model, &holed, 1000, &run).unwrap();
        assert_eq!(all.images.len(), 60);
        // The same image is told the same beside others; what was not known adds nothing.
        let same = |one: &&Occluded| one.image == found.images[3].image;
        assert_eq!(all.images.iter().find(same), Some(&found.images[3]));
        let bottom = (0..all.squares.len()).filter(|&square| all.squares[square].row == 4);
        assert!(bottom.clone().count() > 0 && bottom.clone().all(|square| all.images[0].adds[square] == 0.0));
        assert!(bottom.clone().any(|square| all.images[1].adds[square] != 0.0));
        let table = crate::data::read("sample:penguins".as_ref(), &Default::default()).unwrap().table;
        let linear = Recipe::named("linear").unwrap();
        let other = Model::fit(&table.into(), &Aim::predict("sex"), &linear, &run).unwrap();
        assert!(occlusion(&other, &holed, 10, &run).is_err());
    }
}
