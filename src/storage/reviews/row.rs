//! From a row as it is stored to a review, or to why there is none. Apart from the queries, because
//! it decides what a foreign writer may have done to a row and it still counts; knows nothing of
//! SQL.

use chrono::{DateTime, Utc};
use thiserror::Error;

use super::packed::PackedRow;
use crate::model::Day;
use crate::model::{
    InvalidReviewId, Mentions, Method, Rating, Response, Review, ReviewId, Source, Status,
    Verification,
};

/// Why no review can be made of a row, which is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Flaw {
    /// The checks were switched off.
    #[error("breaks the table's checks and is left out; import it again, or delete it")]
    Broken,
    /// More than a row may bring.
    #[error(
        "has more than 1 MiB of text in all and is left out; import it again with a shorter text, or delete it"
    )]
    Oversized,
    /// It is of a time when the id was none of the reserved ones.
    #[error(
        "has an ID that cannot be part of a link (`.`, `..`, `search`) and is left out; import it again with another ID, and \
         delete it"
    )]
    Reserved,
}

/// The review of a row; where there is none, the log says why.
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

/// The review of a row.
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
        // The later one: a shell may have bound none, or an earlier one.
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

/// The text of a value that the table's checks allow no other characters in.
pub(super) fn ascii(value: Option<&[u8]>) -> Option<&str> {
    std::str::from_utf8(value?).ok()
}

/// The text of these bytes.
pub(super) fn text_lossy(bytes: &[u8]) -> String {
    // The strict reading is the quicker one, and nearly all is right.
    std::str::from_utf8(bytes).map_or_else(
        |_| String::from_utf8_lossy(bytes).into_owned(),
        str::to_owned,
    )
}
