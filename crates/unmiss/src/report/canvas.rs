//! The surface charts are drawn on: shapes and letters in inks, not colours.
//!
//! The SVG backend of plotters writes fixed colours at whole coordinates. Here every ink has a sentinel
//! colour that stands for a CSS variable of the page, put in its place at the end, so that a chart follows
//! light and dark; and one unit of length is ten steps of the backend, so that lines are placed finely.

use std::cell::RefCell;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::text::{printable, shorten};
use crate::error::{Error, Result};

/// Steps of the backend per unit of length.
const FINE: f64 = 10.0;
/// Size of letters on charts, and of small ones.
pub(super) const LETTERS: f64 = 13.0;
pub(super) const SMALL: f64 = 11.5;
/// Stands between a shortened name and the full one until the drawing is done.
const FULL_NAME: char = '\u{E001}';
/// Red and green of all sentinel colours; blue is the ink's number.
const SENTINEL: (u8, u8) = (0xFE, 0xED);

/// What is drawn with: a variable of the page's style sheet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ink {
    /// Letters and what must be seen.
    Text,
    /// Axes, ticks, references.
    Soft,
    /// Lines behind the data.
    Grid,
    /// A missing cell.
    Hole,
    /// A known cell.
    Known,
    /// What everything stands on: for letters on a strong ink.
    Paper,
    /// The series of a chart, from 0; there are six, and they begin again.
    Series(usize),
}

/// Variables by the number of the ink.
const VARIABLES: [&str; 12] = [
    "ink", "soft", "grid", "hole", "known", "paper", "series-1", "series-2", "series-3", "series-4",
    "series-5", "series-6",
];

impl Ink {
    fn colour(self) -> RGBColor {
        let number = match self {
            Self::Text => 0,
            Self::Soft => 1,
            Self::Grid => 2,
            Self::Hole => 3,
            Self::Known => 4,
            Self::Paper => 5,
            Self::Series(index) => 6 + index % 6,
        };
        RGBColor(SENTINEL.0, SENTINEL.1, number as u8)
    }
}

/// How a text stands to its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    /// Begins there.
    Start,
    /// Has its middle there.
    Middle,
    /// Ends there.
    End,
}

/// How a text looks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lettering {
    pub size: f64,
    pub ink: Ink,
    pub anchor: Anchor,
    /// Reads from the bottom to the top.
    pub upwards: bool,
}

impl Lettering {
    pub fn new(anchor: Anchor) -> Self {
        Self { size: LETTERS, ink: Ink::Text, anchor, upwards: false }
    }

    pub fn small(anchor: Anchor) -> Self {
        Self { size: SMALL, ink: Ink::Soft, ..Self::new(anchor) }
    }

    pub fn upwards(self) -> Self {
        Self { upwards: true, ..self }
    }
}

/// A finished drawing.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Drawing {
    /// The size in steps of the backend, as in `viewBox`.
    pub view: (u32, u32),
    /// The elements.
    pub body: String,
}

/// Draws on a surface of a size in units of length.
pub(super) fn draw(width: f64, height: f64, paint: impl FnOnce(&Canvas<'_>)) -> Result<Drawing> {
    let view = ((width * FINE).round() as u32, (height * FINE).round() as u32);
    let mut svg = String::new();
    let fault = {
        let canvas = Canvas {
            area: SVGBackend::with_string(&mut svg, view).into_drawing_area(),
            fault: RefCell::new(None),
        };
        paint(&canvas);
        canvas.note(canvas.area.present());
        canvas.fault.into_inner()
    };
    match fault {
        Some(fault) => Err(Error::data(format!("a chart can't be drawn: {fault}"))),
        None => Ok(Drawing { view, body: finish(&svg) }),
    }
}

/// A surface. Places are (right, down) in units of length.
pub(super) struct Canvas<'a> {
    area: DrawingArea<SVGBackend<'a>, Shift>,
    /// The first thing that went wrong; shapes after it do not matter.
    fault: RefCell<Option<String>>,
}

type Place = (f64, f64);

impl Canvas<'_> {
    fn note<E: std::fmt::Display>(&self, result: std::result::Result<(), E>) {
        if let Err(error) = result {
            self.fault.borrow_mut().get_or_insert(error.to_string());
        }
    }

    /// A line through places.
    pub fn path(&self, places: &[Place], ink: Ink, width: f64) {
        self.faint_path(places, ink, width, 1.0);
    }

    /// A line that lets through what is behind it.
    pub fn faint_path(&self, places: &[Place], ink: Ink, width: f64, strength: f64) {
        let style = ink.colour().mix(strength).stroke_width((width * FINE).round() as u32);
        let points: Vec<(i32, i32)> = places.iter().map(|&place| fine(place)).collect();
        self.note(self.area.draw(&PathElement::new(points, style)));
    }

    /// A filled area; strength from 0 to 1 says how much it covers.
    pub fn polygon(&self, places: &[Place], ink: Ink, strength: f64) {
        let points: Vec<(i32, i32)> = places.iter().map(|&place| fine(place)).collect();
        self.note(self.area.draw(&Polygon::new(points, ink.colour().mix(strength))));
    }

    /// A filled rectangle between two corners.
    pub fn rectangle(&self, first: Place, second: Place, ink: Ink, strength: f64) {
        let corners = [fine(first), fine(second)];
        self.note(self.area.draw(&Rectangle::new(corners, ink.colour().mix(strength).filled())));
    }

    /// A filled disc.
    pub fn dot(&self, place: Place, radius: f64, ink: Ink, strength: f64) {
        let style = ink.colour().mix(strength).filled();
        self.note(self.area.draw(&Circle::new(fine(place), (radius * FINE).round() as i32, style)));
    }

    /// A circle.
    pub fn ring(&self, place: Place, radius: f64, ink: Ink, width: f64) {
        let style = ink.colour().stroke_width((width * FINE).round() as u32);
        self.note(self.area.draw(&Circle::new(fine(place), (radius * FINE).round() as i32, style)));
    }

    /// A text, vertically centred on its place.
    pub fn text(&self, place: Place, text: &str, lettering: Lettering) {
        let clean: String = text.chars().map(printable).collect();
        self.letters(place, &clean, lettering);
    }

    /// A name, shortened to some room; the full name is told on pointing at it.
    pub fn name(&self, place: Place, name: &str, room: f64, lettering: Lettering) {
        let full: String = name.chars().map(printable).collect();
        let short = shorten(&full, room, lettering.size);
        if short == full {
            return self.letters(place, &full, lettering);
        }
        self.letters(place, &format!("{short}{FULL_NAME}{full}"), lettering);
    }

    fn letters(&self, place: Place, text: &str, lettering: Lettering) {
        let position = match lettering.anchor {
            Anchor::Start => HPos::Left,
            Anchor::Middle => HPos::Center,
            Anchor::End => HPos::Right,
        };
        // The backend divides sizes by this number again.
        let font = ("sans-serif", lettering.size * FINE * 1.24).into_font();
        let turn = if lettering.upwards { FontTransform::Rotate270 } else { FontTransform::None };
        let colour = lettering.ink.colour();
        let style =
            TextStyle::from(font.transform(turn)).color(&colour).pos(Pos::new(position, VPos::Center));
        self.note(self.area.draw_text(text, &style, fine(place)));
    }
}

fn fine((x, y): Place) -> (i32, i32) {
    ((x * FINE).round() as i32, (y * FINE).round() as i32)
}

/// The backend's text as elements in the page's inks: without its outer tag, with neighbouring rectangles
/// of the same ink joined to one path, and without attributes that say nothing.
fn finish(svg: &str) -> String {
    let mut body = String::with_capacity(svg.len() / 2);
    let mut open: Option<(String, String)> = None;
    for line in svg.lines() {
        if line.starts_with("<svg") || line.starts_with("</svg") {
            continue;
        }
        let rectangle = rectangle(line);
        if let (Some((look, path)), Some((same, more))) = (&mut open, &rectangle)
            && look == same
        {
            path.push_str(more);
            continue;
        }
        close(&mut body, open.take());
        match rectangle {
            Some(rectangle) => open = Some(rectangle),
            None => body.push_str(&element(line)),
        }
    }
    close(&mut body, open);
    body
}

fn close(body: &mut String, open: Option<(String, String)>) {
    if let Some((look, path)) = open {
        body.push_str(&format!("<path {look} d=\"{path}\"/>"));
    }
}

/// A filled rectangle as (look, path).
fn rectangle(line: &str) -> Option<(String, String)> {
    let rest = line.strip_prefix("<rect ")?;
    let value = |name: &str| {
        let start = rest.find(&format!("{name}=\""))? + name.len() + 2;
        rest[start..].split('"').next()
    };
    let look = format!("opacity=\"{}\" {}", value("opacity")?, inked("fill", value("fill")?)?);
    let (x, y, width, height) = (value("x")?, value("y")?, value("width")?, value("height")?);
    Some((look.replace("opacity=\"1\" ", ""), format!("M{x} {y}h{width}v{height}h-{width}z")))
}

/// Any other line of the backend: a tag with its colour as an ink, or the letters of a text.
fn element(line: &str) -> String {
    if !line.starts_with('<') {
        return match line.split_once(FULL_NAME) {
            Some((short, full)) => format!("{short}<title>{full}</title>"),
            None => line.to_owned(),
        };
    }
    let mut tag = line.to_owned();
    for property in ["fill", "stroke"] {
        let start = format!("{property}=\"");
        let colour = tag.split_once(&start).and_then(|(_, rest)| rest.split('"').next()).map(str::to_owned);
        if let Some(colour) = colour
            && let Some(style) = inked(property, &colour)
        {
            tag = tag.replace(&format!("{start}{colour}\""), &style);
        }
    }
    for nothing in [" opacity=\"1\"", " font-family=\"sans-serif\"", " stroke=\"none\""] {
        tag = tag.replace(nothing, "");
    }
    tag
}

/// A sentinel colour as a style.
fn inked(property: &str, colour: &str) -> Option<String> {
    let number = colour.strip_prefix(&format!("#{:02X}{:02X}", SENTINEL.0, SENTINEL.1))?;
    let variable = VARIABLES.get(usize::from_str_radix(number, 16).ok()?)?;
    Some(format!("style=\"{property}:var(--{variable})\""))
}

#[cfg(test)]
mod tests;
