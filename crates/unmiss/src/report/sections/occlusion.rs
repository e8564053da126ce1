//! What of images a model goes by, as a section of a page: each image beside a map of what its parts add.

use crate::data::images::{Bits, Images, Observed, Pixels, Size};
use crate::error::Result;
use crate::explain::{Occluded, Occlusion};
use crate::missing::words::number;
use crate::report::{Chart, ContactSheet, Form, Grid, Marks, Ranked, Ranking, Section, Words};

/// Images shown with their maps.
const SHOWN: usize = 24;
/// Squares in the ranking.
const RANKED: usize = 12;
/// Colours of what speaks for the answer and of what speaks against it.
const COLOURS: [[f64; 3]; 2] = [[235.0, 130.0, 20.0], [60.0, 120.0, 230.0]];
/// How much of the image is left to be seen under the map.
const UNDER: f64 = 0.45;
/// A change of a chance below which the ink of an image's strongest pixel is fainter than full.
const FAINT: f64 = 0.05;

/// Where a model looks in the images that it was explained on.
///
/// # Errors
/// When a chart can't be drawn.
pub fn occlusion(images: &Images, found: &Occlusion) -> Result<Vec<Section>> {
    let first = Section::new("What the model goes by").list(&found.summary).chart(ranking(found)?);
    let shown = &found.images[..found.images.len().min(SHOWN)];
    let maps = Section::new("Image by image").chart(maps(images, found, shown)?);
    Ok(vec![first.careful(&found.warnings), maps.table("All images", all(images, found))])
}

/// The places that matter most over all images.
fn ranking(found: &Occlusion) -> Result<Chart> {
    let mut order: Vec<usize> = (0..found.moves.len()).collect();
    order.sort_by(|&a, &b| found.moves[b].total_cmp(&found.moves[a]));
    let row = |&square: &usize| Ranked {
        name: found.squares[square].words(),
        value: found.moves[square],
        interval: None,
    };
    let (what, form) = match found.classes.is_empty() {
        true => ("the number", Form::Number),
        false => ("the chance of the class told", Form::Places(3)),
    };
    let seen = format!(
        "How far hiding a square moves {what}, up or down, on average over {} images: the first {} of {} squares.",
        number(found.images.len()),
        order.len().min(RANKED),
        number(order.len())
    );
    Ranking {
        words: Words::new("Places that matter", seen, "Squares overlap by half.".to_owned()),
        names: "square".into(),
        values: format!("change of {what}"),
        form,
        marks: Marks::Bars,
        rows: order.iter().take(RANKED).map(row).collect(),
    }
    .draw()
}

/// Each image, and the same with what its parts add.
fn maps(images: &Images, found: &Occlusion, shown: &[Occluded]) -> Result<Chart> {
    let plain = images.select(&shown.iter().map(|one| one.image).collect::<Vec<_>>());
    let floor = if found.classes.is_empty() { f64::MIN_POSITIVE } else { FAINT };
    let coloured = coloured(&plain, shown, floor)?;
    let seen = "Each image, and the same image with what hiding its parts would do to the answer: orange parts speak \
                for it, blue ones against it, the stronger the more, within each image. Holes are pink.";
    let told = |one: &Occluded| match one.class {
        Some(class) => format!("{} ({:.2})", found.classes[class], one.answer),
        None => format!("{:.4}", one.answer),
    };
    let meaning = format!(
        "Row by row, what each is taken for: {}.",
        shown.iter().map(told).collect::<Vec<_>>().join(", ")
    );
    let words = Words::new("Where it looks", seen, meaning);
    let places = (0..shown.len()).flat_map(|place| [(0, place), (1, place)]).collect();
    ContactSheet { words, sets: vec![&plain, &coloured], shown: places, across: None }.draw()
}

/// Images in grey with the ink of what their parts add on top.
fn coloured(images: &Images, shown: &[Occluded], floor: f64) -> Result<Images> {
    let (size, pixels) = (images.size(), images.size().pixels());
    let mut bytes = vec![0_u8; images.len() * 3 * pixels];
    for (place, one) in shown.iter().enumerate() {
        let grey = greys(images, place);
        let most = one.by_pixel.iter().fold(floor, |most, adds| adds.abs().max(most));
        for (pixel, adds) in one.by_pixel.iter().enumerate() {
            let (strength, colour) = ((adds / most).abs(), COLOURS[usize::from(*adds < 0.0)]);
            for (channel, ink) in colour.into_iter().enumerate() {
                let under = UNDER * grey[pixel] + (1.0 - UNDER) * 255.0 * (1.0 - strength);
                let value = (1.0 - strength) * under + strength * (UNDER * grey[pixel] + (1.0 - UNDER) * ink);
                bytes[(3 * place + channel) * pixels + pixel] = value.round().clamp(0.0, 255.0) as u8;
            }
        }
    }
    let known = (0..images.len() * pixels).map(|mark| images.is_pixel_known(mark / pixels, mark % pixels));
    let observed = Observed::Pixels(Bits::from_marks(known));
    Images::new(Size { channels: 3, ..size }, Pixels::Bytes(bytes), observed)
}

/// The pixels of an image as one brightness each, from 0 to 255: the mean of its channels.
fn greys(images: &Images, image: usize) -> Vec<f64> {
    let (cells, pixels) = (images.size().cells(), images.size().pixels());
    let mean = |pixel: usize| {
        let own = (pixel..cells).step_by(pixels).map(|cell| f64::from(images.value(image, cell)));
        own.sum::<f64>() / images.size().channels as f64
    };
    let greys: Vec<f64> = (0..pixels).map(mean).collect();
    if matches!(images.values(), Pixels::Bytes(_)) {
        return greys;
    }
    let low = greys.iter().copied().fold(f64::INFINITY, f64::min);
    let range = greys.iter().copied().fold(f64::NEG_INFINITY, f64::max) - low;
    greys.into_iter().map(|grey| if range > 0.0 { 255.0 * (grey - low) / range } else { 0.0 }).collect()
}

/// What each image is taken for, and the square that adds most to that.
fn all(images: &Images, found: &Occlusion) -> Grid {
    let mut grid = Grid::new(["image", "class", "told", "answer", "square that moves it most", "by"]);
    for one in &found.images {
        let name = images.names.as_ref().map(|names| names[one.image].clone());
        let truth = images.labels().and_then(|labels| labels.cell(one.image)).unwrap_or_default();
        let told = one.class.map(|class| found.classes[class].clone()).unwrap_or_default();
        let most = one.largest(&found.squares, 1).first().copied();
        grid = grid.row([
            name.unwrap_or_else(|| (one.image + 1).to_string()),
            truth,
            told,
            format!("{:.4}", one.answer),
            most.map(|square| found.squares[square].words()).unwrap_or_default(),
            most.map(|square| format!("{:+.4}", one.adds[square])).unwrap_or_default(),
        ]);
    }
    grid
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Data;
    use crate::data::images::{LABEL, sample};
    use crate::explain::occlusion as find_out;
    use crate::methods::Recipe;
    use crate::model::{Aim, Model};
    use crate::report::Page;
    use crate::run::Run;

    #[test]
    fn images_stand_beside_their_maps() {
        let some: Vec<usize> = (0..60).collect();
        let mut digits = sample().unwrap().select(&some);
        digits.hide(0, 63);
        let run = Run::new(0, 2).unwrap();
        let recipe = Recipe::named("neighbours").unwrap();
        let model = Model::fit(&Data::from(digits.clone()), &Aim::predict(LABEL), &recipe, &run).unwrap();
        let found = find_out(&model, &digits, 5, &run).unwrap();
        let html = Page::new("explained").sections(occlusion(&digits, &found).unwrap()).html();
        assert!(
            html.contains("Where it looks") && html.contains("Places that matter") && !html.contains("NaN")
        );
        assert_eq!(all(&digits, &found).rows.len(), 5);
        // What speaks for an answer is orange, what speaks against it blue, a hole is no part of the map.
        let mut one = find_out(&model, &digits.select(&[0]), 1, &run).unwrap().images;
        (one[0].by_pixel[0], one[0].by_pixel[1], one[0].by_pixel[2]) = (9.0, -9.0, 0.0);
        let map = coloured(&digits, &one, FAINT).unwrap();
        let colour = |pixel: usize| [0, 64, 128].map(|channel| map.value(0, channel + pixel));
        assert!(colour(0)[0] > colour(0)[2] && colour(1)[0] < colour(1)[2]);
        assert!(!map.is_pixel_known(0, 63) && map.is_pixel_known(0, 62));
    }
}
