//! The smoothest surface through what is known of a plane of pixels, and surfaces drawn around it.
//!
//! With N(i) the neighbours of a hidden pixel i (up to four), m = mean of x_j over N(i), and 0 < ω < 2:
//!
//!   mean:   x_i ← x_i + ω (m - x_i)                                        over-relaxed Gauss-Seidel
//!   draw:   x_i ← x_i + ω (m - x_i) + √(ω (2 - ω)) σ z / √|N(i)|,  z normal     over-relaxed Gibbs
//!
//! The second leaves the density exp(-Σ (x_i - x_j)² / 2σ²) over all pairs of neighbours as it is, whose mean is what
//! the first tends to, and it forgets where it began as fast as the first comes there.

use std::f64::consts::PI;

use crate::rng::Stream;

/// Sweeps end when none of them changes a pixel by more.
const TOLERANCE: f64 = 1e-5;
/// Sweeps for each pixel between the deepest hidden one and what is known, at most.
const SWEEPS: usize = 60;

/// The hidden pixels of one channel of an image, and how the sweeps over them go.
pub struct Surface {
    hidden: Vec<Hidden>,
    relaxation: f64,
    most_sweeps: usize,
}

/// A hidden pixel and its neighbours.
struct Hidden {
    pixel: usize,
    neighbours: [usize; 4],
    count: usize,
}

impl Surface {
    /// Of a plane `[height, width]` whose known pixels are told. None where nothing is hidden, or nothing known.
    pub fn new(known: &[bool], width: usize) -> Option<Self> {
        let depth = depth(known, width)?;
        let hidden = (0..known.len()).filter(|&pixel| !known[pixel]).map(|pixel| {
            let (neighbours, count) = neighbours(pixel, known.len(), width);
            Hidden { pixel, neighbours, count }
        });
        // The best for a band as wide as twice the depth, and twice that: too much costs little, too little a lot.
        let relaxation = 2.0 / (1.0 + (PI / (4 * depth + 1) as f64).sin());
        Some(Self { hidden: hidden.collect(), relaxation, most_sweeps: SWEEPS * (depth + 1) })
    }

    /// Fills what is hidden of a plane, whose known values stay. The number of sweeps that it took.
    pub fn solve(&self, plane: &mut [f64]) -> usize {
        let known = plane.len() - self.hidden.len();
        self.hidden.iter().for_each(|hidden| plane[hidden.pixel] = 0.0);
        let mean = plane.iter().sum::<f64>() / known.max(1) as f64;
        self.hidden.iter().for_each(|hidden| plane[hidden.pixel] = mean);
        for sweep in 1..=self.most_sweeps {
            let mut largest = 0.0_f64;
            for hidden in &self.hidden {
                let step = self.relaxation * (hidden.mean(plane) - plane[hidden.pixel]);
                plane[hidden.pixel] += step;
                largest = largest.max(step.abs());
            }
            if largest < TOLERANCE {
                return sweep;
            }
        }
        self.most_sweeps
    }

    /// Draws around a plane that was solved, in as many sweeps as that took.
    pub fn draw(&self, plane: &mut [f64], sweeps: usize, noise: f64, stream: &mut Stream) {
        let noise = noise * (self.relaxation * (2.0 - self.relaxation)).sqrt();
        for _ in 0..sweeps {
            for hidden in &self.hidden {
                let step = self.relaxation * (hidden.mean(plane) - plane[hidden.pixel]);
                plane[hidden.pixel] += step + noise * stream.normal() / (hidden.count as f64).sqrt();
            }
        }
    }
}

impl Hidden {
    fn mean(&self, plane: &[f64]) -> f64 {
        let neighbours = &self.neighbours[..self.count];
        neighbours.iter().map(|&neighbour| plane[neighbour]).sum::<f64>() / self.count as f64
    }
}

/// The neighbours of a pixel, above, below, left and right, and how many there are.
fn neighbours(pixel: usize, pixels: usize, width: usize) -> ([usize; 4], usize) {
    let column = pixel % width;
    let (mut found, mut count) = ([0; 4], 0);
    let all = [
        (pixel >= width).then(|| pixel - width),
        (pixel + width < pixels).then_some(pixel + width),
        (column > 0).then(|| pixel - 1),
        (column + 1 < width).then_some(pixel + 1),
    ];
    for neighbour in all.into_iter().flatten() {
        found[count] = neighbour;
        count += 1;
    }
    (found, count)
}

/// How many steps the deepest hidden pixel is away from a known one. None where nothing is hidden, or nothing known.
fn depth(known: &[bool], width: usize) -> Option<usize> {
    let mut reached = known.to_vec();
    let mut edge: Vec<usize> = (0..known.len()).filter(|&pixel| known[pixel]).collect();
    if edge.is_empty() || edge.len() == known.len() {
        return None;
    }
    let mut depth = 0;
    loop {
        let mut next = Vec::new();
        for &pixel in &edge {
            let (around, count) = neighbours(pixel, known.len(), width);
            for &neighbour in &around[..count] {
                if !std::mem::replace(&mut reached[neighbour], true) {
                    next.push(neighbour);
                }
            }
        }
        if next.is_empty() {
            return Some(depth);
        }
        (edge, depth) = (next, depth + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A plane with a square hole, and one of which the right half is hidden.
    fn holes(side: usize) -> [Vec<bool>; 2] {
        let inside = |pixel: usize| (side / 4..3 * side / 4).contains(&pixel);
        let square = (0..side * side).map(|pixel| !(inside(pixel / side) && inside(pixel % side)));
        [square.collect(), (0..side * side).map(|pixel| pixel % side < side / 2).collect()]
    }

    #[test]
    fn a_slope_goes_on_through_the_hole() {
        // A harmonic function is filled as it is: here x² - y² + 3x, whose discrete Laplacian is 0.
        let side = 16;
        let place = |pixel: usize| ((pixel % side) as f64 / 16.0, (pixel / side) as f64 / 16.0);
        let truth: Vec<f64> = (0..side * side).map(place).map(|(x, y)| x * x - y * y + 3.0 * x).collect();
        let [square, _] = holes(side);
        let mut plane = truth.clone();
        plane.iter_mut().zip(&square).filter(|(_, known)| !**known).for_each(|(value, _)| *value = 77.0);
        let surface = Surface::new(&square, side).unwrap();
        let sweeps = surface.solve(&mut plane);
        assert!(sweeps < 150, "{sweeps}");
        assert!(plane.iter().zip(&truth).all(|(own, truth)| (own - truth).abs() < 1e-4));
    }

    #[test]
    fn every_hidden_pixel_is_the_mean_of_its_neighbours_and_known_ones_stay() {
        for known in holes(20) {
            let mut stream = Stream::new(1, "surface", 0, 0);
            let given: Vec<f64> = known.iter().map(|_| stream.uniform()).collect();
            let mut plane = given.clone();
            let surface = Surface::new(&known, 20).unwrap();
            surface.solve(&mut plane);
            assert!(
                surface.hidden.iter().all(|hidden| (hidden.mean(&plane) - plane[hidden.pixel]).abs() < 1e-4)
            );
            assert!((0..400).all(|pixel| !known[pixel] || plane[pixel] == given[pixel]));
        }
        assert!(Surface::new(&[true; 4], 2).is_none() && Surface::new(&[false; 4], 2).is_none());
    }

    #[test]
    fn draws_spread_as_the_model_says() {
        // A row of three, the middle hidden: variance σ²/2. Of five, three hidden: σ² 3/4, σ², σ² 3/4.
        for (known, variances) in [
            (vec![true, false, true], vec![0.0, 0.5, 0.0]),
            (vec![true, false, false, false, true], vec![0.0, 0.75, 1.0, 0.75, 0.0]),
        ] {
            let surface = Surface::new(&known, known.len()).unwrap();
            let mut stream = Stream::new(2, "surface", 0, 0);
            let mut squares = vec![0.0; known.len()];
            for _ in 0..4000 {
                let mut plane = vec![0.0; known.len()];
                surface.draw(&mut plane, 40, 2.0, &mut stream);
                squares.iter_mut().zip(&plane).for_each(|(sum, value)| *sum += value * value / 4000.0);
            }
            for (own, expected) in squares.iter().zip(variances) {
                assert!((own / 4.0 - expected).abs() < 0.08, "{own} {expected}");
            }
        }
    }
}
