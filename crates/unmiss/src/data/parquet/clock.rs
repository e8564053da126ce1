//! Counts of days and parts of seconds since 1970 as ISO 8601 text.

const DAY: i64 = 86_400;

/// A day, counted from 1970-01-01, in the proleptic Gregorian calendar.
pub(super) fn date(days: i64) -> String {
    // Count from 0000-03-01, so that a leap day is the last day of its year; 400 years have 146 097 days.
    let shifted = i128::from(days) + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    // Months from March have 31, 30, 31, 30, 31 days, over and over: 153 days in five months.
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + i128::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

/// A time of day in parts of a second, as `hh:mm:ss` with the fraction if there is one.
pub(super) fn time(parts: i64, parts_per_second: i64) -> String {
    let seconds = parts.div_euclid(parts_per_second);
    let fraction = parts.rem_euclid(parts_per_second);
    let clock = format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    if fraction == 0 {
        return clock;
    }
    let digits = parts_per_second.ilog10() as usize;
    let fraction = format!("{fraction:0digits$}");
    format!("{clock}.{}", fraction.trim_end_matches('0'))
}

/// A moment in parts of a second since 1970, as `yyyy-mm-ddThh:mm:ss`.
pub(super) fn moment(parts: i64, parts_per_second: i64) -> String {
    let parts_per_day = DAY * parts_per_second;
    let day = date(parts.div_euclid(parts_per_day));
    format!("{day}T{}", time(parts.rem_euclid(parts_per_day), parts_per_second))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_days() {
        // From the definition of the epoch and of leap years.
        for (days, text) in [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (59, "1970-03-01"),
            (789, "1972-02-29"),
            (11_016, "2000-02-29"),
            (19_813, "2024-03-31"),
            (-719_528, "0000-01-01"),
        ] {
            assert_eq!(date(days), text);
        }
    }

    #[test]
    fn known_moments() {
        assert_eq!(moment(951_782_400_250, 1000), "2000-02-29T00:00:00.25");
        assert_eq!(moment(-1, 1_000_000), "1969-12-31T23:59:59.999999");
        assert_eq!(time(29_730, 1), "08:15:30");
        for extreme in [i64::MIN, i64::MAX] {
            moment(extreme, 1000);
            date(extreme);
        }
    }
}
