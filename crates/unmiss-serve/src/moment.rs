//! A moment as lines of a log tell it: `2026-03-01T08:15:30Z`.

use std::time::{SystemTime, UNIX_EPOCH};

/// Seconds of a day.
const DAY: u64 = 86_400;

/// A moment in UTC, to the second.
pub fn moment(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (year, month, day) = date(seconds / DAY);
    let of_day = seconds % DAY;
    let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Year, month and day of a day since 1970. Counted from 1 March of year 0, so that a leap day is a year's last day, in
/// eras of 400 years, which all have as many days.
fn date(day: u64) -> (u64, u64, u64) {
    let days = day + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let from_march = (5 * of_year + 2) / 153;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (era * 400 + year + u64::from(month <= 2), month, of_year - (153 * from_march + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn moments_are_those_of_the_calendar() {
        let of = |seconds: u64| moment(UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(of(0), "1970-01-01T00:00:00Z");
        assert_eq!(of(951_782_399), "2000-02-28T23:59:59Z");
        assert_eq!(of(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(of(1_709_251_200), "2024-03-01T00:00:00Z");
        assert_eq!(of(1_767_225_599), "2025-12-31T23:59:59Z");
    }
}
