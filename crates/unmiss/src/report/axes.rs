//! Axes: ranges with round ticks, and the frame of a chart that puts values in their places.

use plotters::coord::ranged1d::{BoldPoints, Ranged};
use plotters::coord::types::RangedCoordf64;

use super::canvas::{Anchor, Canvas, Ink, LETTERS, Lettering, SMALL};
use super::text::{figure, width};

/// The width of every chart, in units of length.
pub(super) const WIDTH: f64 = 640.0;
/// Room for a line of the legend.
const LEGEND_LINE: f64 = 20.0;

/// How far from 0 an axis reaches, at most.
const FARTHEST: f64 = 1e300;

/// How values are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Form {
    /// As they are.
    #[default]
    Number,
    /// Shares, in percent.
    Percent,
    /// With so many places behind the point.
    Places(usize),
}

impl Form {
    /// The value as text for a table.
    pub fn write(self, value: f64) -> String {
        match self {
            Self::Number => figure(value),
            Self::Percent if value.is_finite() => format!("{:.1} %", 100.0 * value),
            Self::Places(places) if value.is_finite() => format!("{value:.places$}"),
            Self::Percent | Self::Places(_) => figure(value),
        }
    }

    /// A round value beside an axis; the step between ticks says how many places are needed.
    fn tick(self, value: f64, step: f64) -> String {
        let (value, step, sign) = match self {
            Self::Number | Self::Places(_) => (value, step, ""),
            Self::Percent => (100.0 * value, 100.0 * step, " %"),
        };
        // -0.0 and what is left of it after subtractions is 0.
        let value = if value.abs() < step * 1e-6 { 0.0 } else { value };
        let large = value.abs().max(step);
        if !(1e-5..1e7).contains(&large) {
            return format!("{value:.1e}{sign}");
        }
        let places = (0..8).find(|&places| is_whole(step * 10_f64.powi(places))).unwrap_or(8);
        match places {
            0 => format!("{}{sign}", figure(value.round())),
            _ => format!("{value:.*}{sign}", places as usize),
        }
    }
}

fn is_whole(value: f64) -> bool {
    (value - value.round()).abs() < 1e-6 * value.abs().max(1.0)
}

/// One axis.
#[derive(Debug, Clone)]
pub(super) struct Axis {
    pub low: f64,
    pub high: f64,
    pub title: String,
    pub form: Form,
    /// Whether only whole numbers are ticks.
    pub whole: bool,
}

impl Axis {
    /// An axis that holds all values, with a little room at both ends. Shares stay within 0 and 1.
    pub fn over(values: impl IntoIterator<Item = f64>, title: &str, form: Form) -> Self {
        // Ends whose distance were no number would have no ticks between them.
        let finite = values.into_iter().filter(|x| x.is_finite()).map(|x| x.clamp(-FARTHEST, FARTHEST));
        let (low, high) =
            finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
        let (low, high) = if low > high { (0.0, 1.0) } else { (low, high) };
        let room = if high > low { 0.05 * (high - low) } else { 0.5 * high.abs().max(1e-3) };
        let (mut low_end, mut high_end) = (low - room, high + room);
        if low >= 0.0 && low_end < 0.0 {
            low_end = 0.0;
        }
        if form == Form::Percent && high <= 1.0 {
            high_end = high_end.min(1.0);
        }
        Self { low: low_end, high: high_end, title: title.to_owned(), form, whole: false }
    }

    /// The same axis, holding 0 as well.
    pub fn with_zero(mut self) -> Self {
        (self.low, self.high) = (self.low.min(0.0), self.high.max(0.0));
        self
    }

    /// The same axis with ticks at whole numbers only.
    pub fn whole(mut self) -> Self {
        self.whole = true;
        self
    }

    /// Where a value lies: 0 at the low end, 1 at the high one. Values outside stay at the edge.
    pub fn share(&self, value: f64) -> f64 {
        ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }

    /// Round values with their texts, about so many at most.
    pub fn ticks(&self, most: usize) -> Vec<(f64, String)> {
        let range = RangedCoordf64::from(self.low..self.high);
        let mut places = range.key_points(BoldPoints(most.max(2)));
        if self.whole {
            places.retain(|&place| is_whole(place));
        }
        let step = places.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
        let step = if step.is_finite() { step } else { (self.high - self.low).abs() };
        // A step carries the rounding of its two ends.
        let unit = 10_f64.powf(step.log10().floor() - 3.0);
        let step = (step / unit).round() * unit;
        places.into_iter().map(|place| (place, self.form.tick(place, step))).collect()
    }
}

/// An entry of the legend.
pub(super) struct Key<'a> {
    pub name: &'a str,
    pub ink: Ink,
}

/// A plot between two axes.
#[derive(Debug, Clone)]
pub(super) struct Frame {
    pub left: f64,
    pub right: f64,
    pub top: f64,
    pub bottom: f64,
    pub x: Axis,
    pub y: Axis,
}

impl Frame {
    /// A frame for a chart of a size, with room for the labels of its axes and for a legend.
    pub fn new(size: (f64, f64), x: Axis, y: Axis, keys: &[Key<'_>]) -> Self {
        let labels = y.ticks(6).iter().map(|(_, text)| width(text, SMALL)).fold(0.0, f64::max);
        let mut frame =
            Self { left: 32.0 + labels, right: size.0 - 14.0, top: 10.0, bottom: size.1 - 46.0, x, y };
        if !keys.is_empty() {
            let lines = frame.legend_places(keys).last().map_or(0.0, |place| place.1) + 1.0;
            frame.top += lines * LEGEND_LINE + 4.0;
        }
        frame
    }

    /// The place of a value.
    pub fn at(&self, x: f64, y: f64) -> (f64, f64) {
        (
            self.left + (self.right - self.left) * self.x.share(x),
            self.bottom - (self.bottom - self.top) * self.y.share(y),
        )
    }

    /// Draws grid, axes, ticks and titles.
    pub fn draw(&self, canvas: &Canvas<'_>) {
        self.draw_y(canvas);
        self.draw_x(canvas);
    }

    /// The part of [`Frame::draw`] that belongs to the lying axis.
    pub fn draw_x(&self, canvas: &Canvas<'_>) {
        canvas.path(&[(self.left, self.bottom), (self.right, self.bottom)], Ink::Soft, 0.8);
        let room = self.right - self.left;
        let widest = self.x.ticks(8).iter().map(|(_, text)| width(text, SMALL)).fold(1.0, f64::max);
        for (value, text) in self.x.ticks(((room / (widest + 18.0)) as usize).clamp(2, 8)) {
            let (x, _) = self.at(value, self.y.low);
            canvas.path(&[(x, self.bottom), (x, self.bottom + 4.0)], Ink::Soft, 0.8);
            canvas.text((x, self.bottom + 14.0), &text, Lettering::small(Anchor::Middle));
        }
        self.draw_x_title(canvas);
    }

    /// The part of [`Frame::draw`] that belongs to the upright axis.
    pub fn draw_y(&self, canvas: &Canvas<'_>) {
        for (value, text) in self.y.ticks(self.y_ticks()) {
            let (_, y) = self.at(self.x.low, value);
            canvas.path(&[(self.left, y), (self.right, y)], Ink::Grid, 0.7);
            canvas.text((self.left - 6.0, y), &text, Lettering::small(Anchor::End));
        }
        let middle = (self.top + self.bottom) / 2.0;
        let room = self.bottom - self.top + 30.0;
        canvas.name((10.0, middle), &self.y.title, room, Lettering::new(Anchor::Middle).upwards());
    }

    /// How many ticks the upright axis has room for.
    pub fn y_ticks(&self) -> usize {
        (((self.bottom - self.top) / 34.0) as usize).clamp(2, 6)
    }

    /// The title below the lying axis.
    pub fn draw_x_title(&self, canvas: &Canvas<'_>) {
        if self.x.title.is_empty() {
            return;
        }
        let middle = (self.left + self.right) / 2.0;
        let room = self.right - self.left;
        canvas.name((middle, self.bottom + 35.0), &self.x.title, room, Lettering::new(Anchor::Middle));
    }

    /// Draws the legend above the plot.
    pub fn legend(&self, canvas: &Canvas<'_>, keys: &[Key<'_>]) {
        for (key, (x, line)) in keys.iter().zip(self.legend_places(keys)) {
            let y = 10.0 + line * LEGEND_LINE;
            canvas.rectangle((x, y - 4.0), (x + 14.0, y + 4.0), key.ink, 1.0);
            canvas.name((x + 20.0, y), key.name, LONGEST_KEY, Lettering::new(Anchor::Start));
        }
    }

    /// For each entry where it begins and on which line.
    fn legend_places(&self, keys: &[Key<'_>]) -> Vec<(f64, f64)> {
        let (mut x, mut line) = (self.left, 0.0);
        let mut places = Vec::new();
        for key in keys {
            let room = 44.0 + width(key.name, LETTERS).min(LONGEST_KEY);
            if x + room > self.right + 20.0 && x > self.left {
                (x, line) = (self.left, line + 1.0);
            }
            places.push((x, line));
            x += room;
        }
        places
    }
}

/// Room for a name in the legend.
const LONGEST_KEY: f64 = 260.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_read_well() {
        let texts = |low: f64, high: f64, form: Form| -> Vec<String> {
            let axis = Axis { low, high, title: String::new(), form, whole: false };
            axis.ticks(6).into_iter().map(|(_, text)| text).collect()
        };
        assert_eq!(texts(0.0, 1.0, Form::Percent), ["0 %", "20 %", "40 %", "60 %", "80 %", "100 %"]);
        assert_eq!(texts(-0.1, 0.1, Form::Number)[..2], ["-0.10", "-0.05"]);
        assert!(texts(0.0, 30_000.0, Form::Number).contains(&"10,000".to_owned()));
        assert!(texts(0.0, 3e9, Form::Number).iter().all(|text| text.contains('e') || text == "0.0e0"));
    }

    #[test]
    fn axes_hold_what_they_are_given() {
        let axis = Axis::over([0.2, 0.9, f64::NAN], "share", Form::Percent);
        assert!(axis.low > 0.0 && axis.high <= 1.0 && axis.high > 0.9);
        assert_eq!(axis.with_zero().low, 0.0);
        let single = Axis::over([3.0], "x", Form::Number);
        assert!(single.low < 3.0 && single.high > 3.0);
        let none = Axis::over([], "x", Form::Number);
        assert!(none.low < none.high);
        assert_eq!(Axis::over([0.0, 5.0], "x", Form::Number).low, 0.0);
    }

    #[test]
    fn no_range_is_too_wide_or_too_narrow_for_ticks() {
        for (low, high) in [
            (f64::MIN, f64::MAX),
            (-1e160, 1e160),
            (1e99, 1e99 * (1.0 + f64::EPSILON)),
            (1e16, 1e16 + 2.0),
            (0.0, 5e-324),
            (-1e-310, 1e-310),
            (f64::MAX, f64::MAX),
        ] {
            for form in [Form::Number, Form::Percent, Form::Places(2)] {
                let axis = Axis::over([low, high], "x", form);
                assert!(axis.low <= axis.high && axis.ticks(8).len() <= 20, "{low} {high}");
                assert!(axis.with_zero().whole().ticks(8).len() <= 20, "{low} {high}");
            }
        }
    }
}
