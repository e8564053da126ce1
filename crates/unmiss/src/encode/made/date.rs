//! Dates and times as numbers: days since the first, the year, and month, weekday and hour as places on a circle, so
//! that December is next to January.

use std::f64::consts::TAU;

use serde::{Deserialize, Serialize};

use crate::data::series::Clock;
use crate::data::{DateOrder, order_of, to_iso};

/// One number made of a date.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Part {
    Days,
    Year,
    MonthSine,
    MonthCosine,
    WeekdaySine,
    WeekdayCosine,
    HourSine,
    HourCosine,
}

/// What was learned of a column of dates: the first, and which parts differ.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Dates {
    /// Days from 1970 to the first.
    first: f64,
    parts: Vec<Part>,
    /// What comes first where the year is last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    order: Option<DateOrder>,
}

/// A date or time, taken apart.
#[derive(Debug, Clone, Copy)]
struct Moment {
    /// Days since 1970, with the time; none where there is only a time of day.
    days: Option<f64>,
    year: f64,
    month: f64,
    weekday: f64,
    hour: Option<f64>,
}

impl Moment {
    fn parse(text: &str, order: Option<DateOrder>) -> Option<Self> {
        let iso = order.and_then(|order| to_iso(text, order));
        let text = iso.as_deref().unwrap_or(text).trim();
        let time = |clock: &str| {
            Clock::Hours.parse(clock.get(..clock.len().min(8))?).or(Clock::Hours.parse(clock.get(..5)?))
        };
        if text.as_bytes().get(4) != Some(&b'-') {
            let hour = Some(time(text)?);
            return Some(Self { days: None, year: 0.0, month: 0.0, weekday: 0.0, hour });
        }
        let hours = Clock::Dates.parse(text)?;
        // As it is written, whatever its time zone.
        let day = text.get(..10)?;
        let whole = (Clock::Dates.parse(day)? / 24.0).floor();
        Some(Self {
            days: Some(hours / 24.0),
            year: day.get(..4)?.parse().ok()?,
            month: day.get(5..7)?.parse::<f64>().ok()? - 1.0,
            // 1970 began with a Thursday.
            weekday: (whole + 3.0).rem_euclid(7.0),
            // A date without a time is its beginning.
            hour: text.get(11..).filter(|clock| !clock.is_empty()).map_or(Some(0.0), time),
        })
    }

    fn part(&self, part: Part, first: f64) -> f64 {
        let on_circle = |share: f64, sine: bool| if sine { (TAU * share).sin() } else { (TAU * share).cos() };
        let dated = |value: f64| if self.days.is_some() { value } else { f64::NAN };
        let clock = |sine: bool| self.hour.map_or(f64::NAN, |hour| on_circle(hour / 24.0, sine));
        match part {
            Part::Days => self.days.map_or(f64::NAN, |days| days - first),
            Part::Year => dated(self.year),
            Part::MonthSine => dated(on_circle(self.month / 12.0, true)),
            Part::MonthCosine => dated(on_circle(self.month / 12.0, false)),
            Part::WeekdaySine => dated(on_circle(self.weekday / 7.0, true)),
            Part::WeekdayCosine => dated(on_circle(self.weekday / 7.0, false)),
            Part::HourSine => clock(true),
            Part::HourCosine => clock(false),
        }
    }
}

impl Dates {
    /// Learns from the known cells; nothing where they are all the same.
    pub(super) fn learn<'a, C: Iterator<Item = &'a str>>(
        cells: impl Fn() -> C,
        told: Option<DateOrder>,
    ) -> Option<Self> {
        let order = order_of(cells().map(str::trim), told);
        let moments: Vec<Moment> = cells().filter_map(|cell| Moment::parse(cell, order)).collect();
        let days = moments.iter().filter_map(|moment| moment.days);
        let first = days.fold(f64::INFINITY, f64::min);
        let differ = |of: &dyn Fn(&Moment) -> Option<f64>| {
            let mut values = moments.iter().filter_map(of);
            let one = values.next();
            values.any(|value| Some(value) != one)
        };
        let dated = |of: fn(&Moment) -> f64| move |moment: &Moment| moment.days.map(|_| of(moment));
        let mut parts = Vec::new();
        let groups: [(bool, &[Part]); 5] = [
            (differ(&|moment| moment.days), &[Part::Days]),
            (differ(&dated(|moment| moment.year)), &[Part::Year]),
            (differ(&dated(|moment| moment.month)), &[Part::MonthSine, Part::MonthCosine]),
            (differ(&dated(|moment| moment.weekday)), &[Part::WeekdaySine, Part::WeekdayCosine]),
            (differ(&|moment| moment.hour), &[Part::HourSine, Part::HourCosine]),
        ];
        groups.iter().filter(|(differ, _)| *differ).for_each(|(_, own)| parts.extend_from_slice(own));
        let first = if first.is_finite() { first } else { 0.0 };
        (!parts.is_empty()).then_some(Self { first, parts, order })
    }

    /// The names of the parts.
    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.parts.iter().map(|part| match part {
            Part::Days => "days since the first",
            Part::Year => "year",
            Part::MonthSine => "month (sine)",
            Part::MonthCosine => "month (cosine)",
            Part::WeekdaySine => "weekday (sine)",
            Part::WeekdayCosine => "weekday (cosine)",
            Part::HourSine => "hour (sine)",
            Part::HourCosine => "hour (cosine)",
        })
    }

    /// The parts of a cell; NaN where it does not say.
    pub(super) fn parts(&self, cell: &str) -> Vec<f64> {
        let moment = Moment::parse(cell, self.order);
        let part = |part: &Part| moment.map_or(f64::NAN, |moment| moment.part(*part, self.first));
        self.parts.iter().map(part).collect()
    }

    pub(super) fn is_sound(&self) -> bool {
        self.first.is_finite() && !self.parts.is_empty()
    }
}
