//! Turns a stored row into a review, or into the reason why the row is invalid. Determines which changes of a row by
//! other programs are accepted; contains no SQL.

use chrono::{DateTime, Utc};
use thiserror::Error;

use super::packed::PackedRow;
use crate::model::Day;
use crate::model::{
    InvalidReviewId, Mentions, Method, Rating, Response, Review, ReviewId, Source, Status,
    Verification,
};

/// The reason why a row is invalid and left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Flaw {
    /// It violates the table's checks, which another program switched off.
    #[error("breaks the table's checks and is left out; import it again, or delete it")]
    Broken,
    /// It has more text than a row may have.
    #[error(
        "has more than 1 MiB of text in all and is left out; import it again with a shorter text, or delete it"
    )]
    Oversized,
    /// Its id became reserved after it was written.
    #[error(
        "has an ID that cannot be part of a link (`.`, `..`, `search`) and is left out; import it again with another ID, and \
         delete it"
    )]
    Reserved,
}

/// `None` if the row is invalid; the reason is logged.
pub(super) fn readable(row: &PackedRow<'_>) -> Option<Review> {
    let review = review(row);
    if let Err(flaw) = &review {
        tracing::warn!(
            review.id = row.review_id.map(text_lossy),
            "review.unreadable: the row {flaw}"
        );
    }
    review.ok()
}

pub(super) fn review(row: &PackedRow<'_>) -> Result<Review, Flaw> {
    if row.others.iter().all(Option::is_none) {
        return Err(Flaw::Oversized);
    }
    let id = ascii(row.review_id)
        .ok_or(Flaw::Broken)?
        .parse()
        .map_err(|error| match error {
            InvalidReviewId::Reserved(_) => Flaw::Reserved,
            InvalidReviewId::Characters(_) => Flaw::Broken,
        })?;
    sound(id, row).ok_or(Flaw::Broken)
}

fn sound(id: ReviewId, row: &PackedRow<'_>) -> Option<Review> {
    let [
        rating,
        author,
        title,
        text,
        status,
        withheld_reason,
        language,
        source_name,
        source_url,
        rest @ ..,
    ] = row.others;
    let [
        verified,
        method,
        verified_at,
        response_text,
        response_on,
        response_author,
        updated_at,
    ] = rest;
    let status = match (status?, verified?) {
        (b"published", b"1") => Status::Published,
        (b"withheld", _) => Status::Withheld {
            reason: withheld_reason.map(text_lossy),
        },
        _ => return None,
    };
    Some(Review {
        id,
        rating: Rating::try_from(ascii(rating)?.parse::<i64>().ok()?).ok()?,
        date: ascii(row.reviewed_on)?.parse().ok()?,
        author: text_lossy(author?),
        title: title.map(text_lossy),
        text: text_lossy(text?),
        language: language.map(text_lossy),
        source: Source {
            name: text_lossy(source_name?),
            url: source_url.map(text_lossy),
        },
        verification: Verification {
            verified: verified? == b"1",
            method: Method::find(ascii(method)?)?,
            verified_at: ascii(verified_at).and_then(instant),
        },
        mentions: mentions(&row.mentions),
        response: response_text.map(|text| Response {
            text: text_lossy(text),
            date: ascii(response_on).and_then(|day| day.parse::<Day>().ok()),
            author: response_author.map(text_lossy),
        }),
        status,
        // The later of the two counts: a shell may have set no time, or an earlier one.
        updated_at: ascii(updated_at)
            .and_then(instant)
            .max(ascii(row.observed_at).and_then(instant)),
    })
}

fn mentions(pairs: &[(&[u8], &[u8])]) -> Mentions {
    let of = |kind: &str| {
        pairs
            .iter()
            .filter(|(its, _)| *its == kind.as_bytes())
            .map(|(_, value)| text_lossy(value))
            .collect()
    };
    Mentions::new(of("technician"), of("service"), of("service_area"))
}

fn instant(text: &str) -> Option<DateTime<Utc>> {
    DateTime::parse_from_rfc3339(text)
        .ok()
        .map(|instant| instant.to_utc())
}

/// For columns whose checks allow only ASCII.
pub(super) fn ascii(value: Option<&[u8]>) -> Option<&str> {
    std::str::from_utf8(value?).ok()
}

pub(super) fn text_lossy(bytes: &[u8]) -> String {
    // The strict conversion is faster, and nearly all values are valid.
    std::str::from_utf8(bytes).map_or_else(
        |_| String::from_utf8_lossy(bytes).into_owned(),
        str::to_owned,
    )
}
