use super::*;
use crate::data::images::{Observed, Pixels};

const MNIST: Size = Size { channels: 1, height: 28, width: 28 };

fn mean_share(region: Region, size: Size) -> f64 {
    let count = |image: u64| region.hidden(size, 5, image).iter().filter(|hidden| **hidden).count();
    (0..2000).map(count).sum::<usize>() as f64 / (2000 * size.pixels()) as f64
}

#[test]
fn shares_hold_within_half_a_percent() {
    for share in [0.1, 0.25, 0.3, 0.5, 0.75] {
        for make in [Region::Square, Region::Trapezoid, Region::Noise, Region::Pixels, Region::Strokes] {
            let region = make(share);
            let found = mean_share(region, MNIST);
            assert!((found - share).abs() < 0.005, "{region}: {found}");
        }
    }
    // Lines are as many as the formula's draws leave: 19 draws of 28 columns for a half.
    let exact = 1.0 - (1.0 - 1.0 / 28.0_f64).powi(19);
    assert!((mean_share(Region::Lines(0.5), MNIST) - exact).abs() < 0.005);
    assert_eq!([0.5, 0.7, 0.9].map(|share| draws(784, share)), [543, 944, 1805]);
    assert_eq!([0.5, 0.7, 0.9].map(|share| draws(28, share)), [19, 34, 64]);
}

#[test]
fn a_quarter_is_a_square_of_half_the_side_that_lies_anywhere() {
    let mut seen = std::collections::BTreeSet::new();
    for image in 0..4000 {
        let hidden = Region::Square(0.25).hidden(MNIST, 1, image);
        let pixels: Vec<usize> = (0..784).filter(|&pixel| hidden[pixel]).collect();
        let (top, left) = (pixels[0] / 28, pixels[0] % 28);
        let expected: Vec<usize> =
            (top..top + 14).flat_map(|row| (left..left + 14).map(move |column| row * 28 + column)).collect();
        assert_eq!(pixels, expected);
        seen.extend([(0, top), (1, left)]);
    }
    assert_eq!(seen.len(), 30, "all places from 0 to 14, also the last");
}

#[test]
fn trapezoids_have_upright_sides_and_their_area() {
    for image in 0..200 {
        let hidden = Region::Trapezoid(0.5).hidden(MNIST, 2, image);
        assert_eq!(hidden.iter().filter(|hidden| **hidden).count(), 392);
        let of = |column: usize| (0..28).map(|row| hidden[row * 28 + column]).collect::<Vec<bool>>();
        let above = of(0)[0] || of(27)[0] || of(13)[0];
        for column in 0..28 {
            let cells = of(column);
            let changes = cells.windows(2).filter(|pair| pair[0] != pair[1]).count();
            assert!(changes <= 1 && (cells[0] == above || cells.iter().all(|cell| *cell == cells[0])));
        }
    }
}

#[test]
fn an_image_s_mask_depends_on_seed_and_number_alone() {
    let size = Size { channels: 3, height: 9, width: 12 };
    let set = |count: usize| {
        let values = Pixels::Bytes((0..count * size.cells()).map(|cell| (cell % 251) as u8 + 1).collect());
        Images::new(size, values, Observed::All).unwrap()
    };
    for region in ["square:0.25", "trapezoid:0.5", "noise:0.75", "pixels:0.5", "lines:0.3", "strokes:0.2"] {
        let region: Region = region.parse().unwrap();
        let (many, few) = (hide_region(set(6), &region, 3), hide_region(set(4), &region, 3));
        assert_eq!(many.select(&[0, 1, 2, 3]), few, "{region}");
        assert_ne!(few, hide_region(set(4), &region, 4), "{region}");
        assert_ne!(region.hidden(size, 3, 0), region.hidden(size, 3, 1), "{region}");
        for cell in 0..size.cells() {
            let value = few.value(1, cell);
            assert_eq!(
                few.is_known(1, cell),
                value != 0.0,
                "{region}: the same for all channels, 0 in holes"
            );
            assert!(value == 0.0 || value == set(4).value(1, cell), "{region}: what is known stays");
        }
    }
}

#[test]
fn shapes_that_can_t_be_are_refused_with_a_hint() {
    let error = |text: &str| text.parse::<Region>().unwrap_err();
    assert_eq!(error("sqare:0.25").hint_text(), "did you mean `square:0.25`?");
    assert!(error("noise").to_string().contains("needs a share"));
    assert!(error("noise:1.5").to_string().contains("not between 0 and 1"));
    for text in ["square:0.25", "strokes:0.1"] {
        assert_eq!(text.parse::<Region>().unwrap().to_string(), text);
    }
    let thin = Size { channels: 1, height: 1, width: 5 };
    for make in
        [Region::Square, Region::Trapezoid, Region::Noise, Region::Pixels, Region::Lines, Region::Strokes]
    {
        assert_eq!(make(0.01).hidden(thin, 1, 1).len(), 5);
        assert_eq!(make(0.99).hidden(thin, 1, 1).len(), 5);
    }
}
