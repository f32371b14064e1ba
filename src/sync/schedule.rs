//! When an entry is fetched: an interval, or times of day in the business's time zone.

use std::fmt;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use croner::Cron;
use croner::parser::{CronParser, Seconds, Year};

use crate::config::TimeSpan;
use crate::random::Random;

/// Republished sheets and most platforms' limits allow no more.
const INTERVAL_MIN: Duration = Duration::from_mins(5);

/// Times that are compared with [`INTERVAL_MIN`]: more than a day can have, and each day of a schedule has the same ones.
const PAIRS_MAX: usize = 300;

#[derive(Debug, Clone)]
pub enum Schedule {
    /// As it was written, and the interval.
    Every(String, Duration),
    At(String, Box<Cron>),
}

impl Default for Schedule {
    fn default() -> Self {
        Self::Every("6h".to_owned(), Duration::from_hours(6))
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Every(text, _) | Self::At(text, _)) = self;
        f.write_str(text)
    }
}

impl Schedule {
    /// # Errors
    /// If the text is no interval, or less than 5 minutes.
    pub fn parse_interval(text: &str) -> Result<Self, String> {
        let span: Result<TimeSpan, _> = text.trim().parse();
        let span = span.map_err(|_| "no interval; write it like 90m or 6h, at most a year")?;
        if span.0 < INTERVAL_MIN {
            return Err("less than 5 minutes; write 5m or more".to_owned());
        }
        Ok(Self::Every(text.trim().to_owned(), span.0))
    }

    /// # Errors
    /// If the text is not five fields of cron, or its times are less than 5 minutes apart.
    pub fn parse_cron(text: &str) -> Result<Self, String> {
        let parser = CronParser::builder()
            .seconds(Seconds::Disallowed)
            .year(Year::Disallowed)
            .build();
        let fault = |reason: &str| {
            format!(
                "no schedule: {reason}; write five fields: minute, hour, day, month, weekday, like \"15 3 * * *\""
            )
        };
        // The parser also takes nicknames such as @daily.
        if text.split_whitespace().count() != 5 {
            return Err(fault("it has not five fields"));
        }
        let cron = parser
            .parse(text.trim())
            .map_err(|_| fault("a field has another value than it may have"))?;
        if cron
            .find_next_occurrence(&DateTime::UNIX_EPOCH, false)
            .is_err()
        {
            return Err(fault("its day never comes"));
        }
        let times: Vec<_> = cron
            .iter_after(DateTime::UNIX_EPOCH)
            .take(PAIRS_MAX)
            .collect();
        let is_short = |pair: &[DateTime<Utc>]| {
            (pair[1] - pair[0])
                .to_std()
                .is_ok_and(|gap| gap < INTERVAL_MIN)
        };
        if times.windows(2).any(is_short) {
            return Err("times less than 5 minutes apart; name fewer minutes, like */5".to_owned());
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
                // Far in the future; `parse_cron` refuses days that never come.
                next.map_or(now + TimeDelta::days(366), |next| next.to_utc())
            }
        }
    }

    /// The latest time that a run can have which was stored before `now`.
    pub fn latest(&self, now: DateTime<Utc>, zone: Tz) -> DateTime<Utc> {
        match self {
            Self::Every(_, interval) => now + *interval + interval.div_f64(10.0),
            Self::At(..) => self.next(now, zone, &Random::seeded(0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cron_of_other_than_five_fields_or_minutes_is_refused() {
        for text in [
            "* * * * *",
            "0,2 3 * * *",
            "*/3 * * * *",
            "0,59 * * * *",
            "* * * *",
            "* * * * * *",
            "61 * * * *",
            "@daily",
            "0 0 30 2 *",
        ] {
            assert!(Schedule::parse_cron(text).is_err(), "{text}");
        }
        for text in [
            "*/5 * * * *",
            "15 3 * * *",
            "0 3 29 2 *",
            "0,30 8-18 * * 1-5",
        ] {
            assert!(Schedule::parse_cron(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn cron_is_in_the_time_zone_of_the_business() {
        let schedule = Schedule::parse_cron("15 3 * * mon").unwrap();
        let now = "2026-11-20T12:00:00Z".parse().unwrap();
        let next = schedule.next(now, Tz::America__Phoenix, &Random::seeded(1));
        assert_eq!(next.to_rfc3339(), "2026-11-23T10:15:00+00:00");
        assert_eq!(schedule.latest(now, Tz::America__Phoenix), next);
    }

    #[test]
    fn interval_is_longer_by_at_most_a_tenth() {
        let schedule = Schedule::parse_interval("6h").unwrap();
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
