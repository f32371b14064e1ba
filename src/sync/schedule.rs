//! When a source is fetched: at an interval, or by five fields of cron in the business's time zone.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use croner::Cron;
use croner::parser::{CronParser, Seconds, Year};

use crate::config::TimeSpan;
use crate::random::Random;

/// Republished sheets and most platforms' limits allow no more.
const INTERVAL_MIN: Duration = Duration::from_mins(5);

/// Times among which the longest gap is searched: ten days of a run every five minutes, so that they have a weekend.
const TIMES_MAX: usize = 3_000;

#[derive(Debug, Clone)]
pub enum SourceSchedule {
    /// As it was written, and the interval.
    Every(String, Duration),
    At(String, Box<Cron>),
}

impl Default for SourceSchedule {
    fn default() -> Self {
        Self::Every("6h".to_owned(), Duration::from_hours(6))
    }
}

impl fmt::Display for SourceSchedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Every(text, _) | Self::At(text, _)) = self;
        f.write_str(text)
    }
}

impl FromStr for SourceSchedule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.trim().contains(char::is_whitespace) {
            Self::parse_cron(text)
        } else {
            Self::parse_interval(text)
        }
    }
}

impl SourceSchedule {
    /// # Errors
    /// If the text is no interval, or less than 5 minutes.
    pub fn parse_interval(text: &str) -> Result<Self, String> {
        let span: TimeSpan = text.trim().parse()?;
        if span.0 < INTERVAL_MIN {
            return Err(format!("`{text}` is less than 5 minutes; write 5m or more"));
        }
        Ok(Self::Every(text.trim().to_owned(), span.0))
    }

    /// # Errors
    /// If the text is not five fields of cron.
    pub fn parse_cron(text: &str) -> Result<Self, String> {
        let parser = CronParser::builder()
            .seconds(Seconds::Disallowed)
            .year(Year::Disallowed)
            .build();
        let fault = |reason: &str| {
            format!(
                "`{text}` is not a schedule ({reason}); write five fields: minute, hour, day, month, weekday, like \"15 3 * * *\""
            )
        };
        // The parser also takes nicknames such as @daily.
        if text.split_whitespace().count() != 5 {
            return Err(fault("it has not five fields"));
        }
        let cron = parser.parse(text.trim());
        let cron = cron.map_err(|error| fault(&error.to_string()))?;
        if cron
            .find_next_occurrence(&DateTime::UNIX_EPOCH, false)
            .is_err()
        {
            return Err(fault("its day never comes"));
        }
        Ok(Self::At(text.trim().to_owned(), Box::new(cron)))
    }

    /// The next time after `now`; an interval is longer by a random part of up to a tenth.
    pub fn next(&self, now: DateTime<Utc>, zone: Tz, random: &Random) -> DateTime<Utc> {
        match self {
            Self::Every(_, interval) => {
                now + *interval + interval.div_f64(10.0).mul_f64(random.fraction())
            }
            Self::At(_, cron) => {
                let next = cron.find_next_occurrence(&now.with_timezone(&zone), false);
                // A day that never comes, such as February 30.
                next.map_or(now + TimeDelta::days(366), |next| next.to_utc())
            }
        }
    }

    /// The longest time between two runs in seconds.
    pub fn interval_seconds(&self, now: DateTime<Utc>) -> f64 {
        match self {
            Self::Every(_, interval) => interval.as_secs_f64(),
            Self::At(_, cron) => {
                let year = TimeDelta::days(366);
                let times: Vec<_> = (cron.iter_after(now).take(TIMES_MAX))
                    .take_while(|time| *time < now + year)
                    .collect();
                let gaps = times.windows(2).map(|pair| pair[1] - pair[0]);
                gaps.max().unwrap_or(year).as_seconds_f64()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cron_is_in_the_time_zone_of_the_business() {
        let schedule: SourceSchedule = "15 3 * * mon".parse().unwrap();
        let now = "2026-11-20T12:00:00Z".parse().unwrap();
        let next = schedule.next(now, Tz::America__Phoenix, &Random::seeded(1));
        assert_eq!(next.to_rfc3339(), "2026-11-23T10:15:00+00:00");
        assert!((schedule.interval_seconds(now) - 604_800.0).abs() < 1.0);
    }

    #[test]
    fn interval_of_uneven_times_is_the_longest_gap() {
        let now = "2026-11-20T12:00:00Z".parse().unwrap();
        for (text, hours) in [
            ("0 9,10 * * *", 23.0),
            ("*/30 9-17 * * 1-5", 63.5),
            ("0 3 30 12 *", 365.0 * 24.0),
        ] {
            let schedule: SourceSchedule = text.parse().unwrap();
            let found = schedule.interval_seconds(now) / 3_600.0;
            assert!(found >= hours && found < hours + 48.0, "{text}: {found}");
        }
        assert!("0 0 30 2 *".parse::<SourceSchedule>().is_err(), "never");
    }

    #[test]
    fn interval_is_longer_by_at_most_a_tenth() {
        let schedule: SourceSchedule = "6h".parse().unwrap();
        let (now, random) = (DateTime::UNIX_EPOCH, Random::seeded(1));
        for _ in 0..100 {
            let wait = schedule.next(now, Tz::UTC, &random) - now;
            assert!(
                wait >= TimeDelta::hours(6) && wait <= TimeDelta::minutes(396),
                "{wait}"
            );
        }
    }
}
