//! `/.well-known/security.txt` (RFC 9116): where security faults are reported; nothing where no
//! contact is set.

use std::fmt::Write;
use std::sync::Arc;

use chrono::{DateTime, Datelike, Months, NaiveDate, Utc};
use poem::http::StatusCode;
use poem::{Endpoint, Request, Response, Result};

use crate::ctx::Ctx;
use crate::links::{Links, SECURITY_PATH};
use crate::respond::{self, problem};

/// For so many months it may be relied on, counted from the first day of this one: less than a year
/// (RFC 9116 §2.5.5), and the same bytes for a whole month.
const VALID_MONTHS: Months = Months::new(6);

/// The endpoint of `/.well-known/security.txt`; 404 where no contact is set.
pub struct SecurityText(pub Arc<Ctx>);

impl Endpoint for SecurityText {
    type Output = Response;

    async fn call(&self, request: Request) -> Result<Response> {
        let ctx = &self.0;
        let contacts = ctx.contacts();
        let text = Some(contacts)
            .filter(|contacts| !contacts.is_empty())
            .and_then(|contacts| security_text(contacts, ctx.clock.now(), &ctx.links));
        let Some(text) = text else {
            return Ok(problem(
                StatusCode::NOT_FOUND,
                "No security contact is set; whoever runs the service can set REVIEWS_SECURITY_CONTACT.",
            ));
        };
        Ok(respond::made(
            request.headers(),
            ctx.current.load(),
            "text/plain; charset=utf-8",
            text,
        ))
    }
}

/// The file; none at the end of all calendars.
fn security_text(contacts: &[String], now: DateTime<Utc>, links: &Links) -> Option<String> {
    let month = NaiveDate::from_ymd_opt(now.year(), now.month(), 1)?;
    let expires = month.checked_add_months(VALID_MONTHS)?;
    let mut text = String::new();
    // Writing into a String cannot fail.
    for contact in contacts {
        let _ = writeln!(text, "Contact: {contact}");
    }
    let _ = writeln!(text, "Expires: {expires}T00:00:00Z");
    let _ = writeln!(text, "Preferred-Languages: en");
    let _ = writeln!(text, "Canonical: {}", links.absolute(SECURITY_PATH));
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::security_text;

    #[test]
    fn the_file_expires_within_a_year_and_says_where_it_belongs() {
        let links = "https://example.com/r".parse().unwrap();
        let at = |now: &str| {
            let contacts = ["mailto:a@example.com".to_owned()];
            security_text(&contacts, now.parse().unwrap(), &links).unwrap()
        };
        assert_eq!(
            at("2026-11-20T18:00:00Z"),
            "Contact: mailto:a@example.com\nExpires: 2027-05-01T00:00:00Z\nPreferred-Languages: en\n\
             Canonical: https://example.com/r/.well-known/security.txt\n"
        );
        assert_eq!(at("2026-11-01T00:00:00Z"), at("2026-11-30T23:59:59Z"));
    }
}
