//! Google: `reviews.json` and its further pages from a Google Takeout of the Business Profile, and the same structure
//! from the Business Profile API (`accounts.locations.reviews.list`, v4).
//!
//! Specification: <https://developers.google.com/my-business/reference/rest/v4/accounts.locations.reviews>.

use std::sync::LazyLock;

use serde_json::Value;

use crate::imports::map::fields::{FieldError, Fields, Names, names, noted, shown_text};
use crate::imports::map::{Dated, Incoming, IncomingResponse, Posted, values};
use crate::imports::platforms::format::{BY_PLATFORM, Format, Reader};
use crate::model::{InvalidReviewId, Rating, ReviewId, Source, Stated};

/// Google's name for an anonymous author.
const ANONYMOUS: &str = "A Google user";
const STARS: Names = "ONE, TWO, THREE, FOUR, FIVE";

pub static FORMAT: LazyLock<Format> = LazyLock::new(|| Format {
    name: "google",
    label: "Google Business Profile (Takeout or API)",
    renames: false,
    document: "reviews, averageRating, totalReviewCount, nextPageToken",
    keys: vec!["starRating"],
    reader: Reader::Json(review),
    ..Format::default()
});

fn review(value: &Value) -> Result<Incoming, Vec<FieldError>> {
    let fields = Fields::of(value, String::new()).map_err(|problem| vec![problem])?;
    let mut wrong = Vec::new();
    let created = fields.needed("createTime", fields.instant("createTime"));
    let created = noted(&mut wrong, created);
    let id = noted(&mut wrong, id(&fields));
    let rating = noted(&mut wrong, rating(&fields));
    let author = noted(&mut wrong, author(&fields));
    let text = noted(&mut wrong, fields.text("comment"));
    let response = noted(&mut wrong, reply(&fields));
    let updated = noted(&mut wrong, fields.instant("updateTime"));
    let made = || {
        let (id, location) = id?;
        let posted = Dated::new(Posted::Instant(created?), "createTime");
        Some(Incoming {
            // Reviews with stars only have no comment.
            text: Stated::Given(text?.map(original).unwrap_or_default().to_owned()),
            source: Stated::Given(Source {
                name: "Google".to_owned(),
                url: None,
            }),
            location,
            verification: Stated::Given(BY_PLATFORM),
            response: response?,
            updated_at: updated?.or(created),
            ..Incoming::new(id, rating?, posted, author?)
        })
    };
    made().ok_or(wrong)
}

/// An id from the location and the review, without the account: if two accounts own a location, it is exported twice.
fn id(fields: &Fields<'_>) -> Result<(ReviewId, Option<String>), FieldError> {
    let (name, id) = (fields.filled("name")?, fields.filled("reviewId")?);
    let parts: Vec<&str> = name.iter().flat_map(|name| name.split('/')).collect();
    let mut place = None;
    let key = match (parts.as_slice(), id, &name) {
        ([.., "locations", location, "reviews", review], _, _) => {
            place = Some((*location).to_owned());
            format!("{location}.{review}")
        }
        (_, Some(id), _) => id,
        (_, None, Some(name)) => {
            let shown = shown_text(name);
            let message = format!("{shown} is not accounts/…/locations/…/reviews/…");
            return Err(fields.problem("name", message));
        }
        (_, None, None) => return Err(fields.missing("name")),
    };
    // Google's ids are opaque and may not fit our syntax; such an id is replaced by its digest.
    let id = key
        .parse()
        .or_else(|_| values::short_digest("google", &key))
        .map_err(|_: InvalidReviewId| fields.missing("name"));
    Ok((id?, place))
}

fn rating(fields: &Fields<'_>) -> Result<Rating, FieldError> {
    let name = fields.needed("starRating", fields.text("starRating"))?;
    let found = names(STARS).zip(1..).find(|(its, _)| *its == name);
    let stars = found.and_then(|(_, stars)| Rating::try_from(stars).ok());
    stars.ok_or_else(|| {
        let message = format!("{} is not one of {STARS}", shown_text(name));
        fields.problem("starRating", message)
    })
}

fn author(fields: &Fields<'_>) -> Result<String, FieldError> {
    let Some(reviewer) = fields.object("reviewer")? else {
        return Ok(ANONYMOUS.to_owned());
    };
    let anonymous = reviewer.flag("isAnonymous")?.unwrap_or(false);
    let name = reviewer
        .filled("displayName")?
        .filter(|name| !anonymous && !name.trim().is_empty());
    Ok(name.unwrap_or_else(|| ANONYMOUS.to_owned()))
}

/// The owner's reply, if Google shows it. Since 2026 replies are moderated, and exports also contain pending and
/// rejected ones. Older exports have no state and contain only published replies.
fn reply(fields: &Fields<'_>) -> Result<Stated<IncomingResponse>, FieldError> {
    // Google exports all data, so a missing reply means that there is none.
    let Some(reply) = fields.object("reviewReply")? else {
        return Ok(Stated::None);
    };
    let state = reply
        .text("reviewReplyState")?
        .or(reply.text("state")?)
        .or(fields.text("reviewReplyState")?);
    let text = reply.text("comment")?.map(original).unwrap_or_default();
    if text.is_empty() || state.is_some_and(|state| state != "APPROVED") {
        return Ok(Stated::None);
    }
    let updated = reply.instant("updateTime")?.map(Posted::Instant);
    Ok(Stated::Given(IncomingResponse {
        text: text.to_owned(),
        posted: updated.map(|posted| Dated::new(posted, reply.path("updateTime"))),
        author: None,
    }))
}

/// The customer's words without Google's translation, which precedes or follows them in the same text. Without the
/// original, the text keeps Google's mark, so that the translation is not taken for the customer's words.
fn original(text: &str) -> &str {
    const TRANSLATED: &str = "(Translated by Google)";
    const ORIGINAL: &str = "(Original)";
    let trimmed = text.trim_start();
    let Some(at) = trimmed.find(TRANSLATED) else {
        return text;
    };
    if at > 0 {
        // In the middle of a line, the words of the mark are the customer's own.
        let before = &trimmed[..at];
        return if before.ends_with('\n') {
            before.trim_end()
        } else {
            text
        };
    }
    let on_its_line = trimmed.find("\n(Original)").map(|at| at + 1);
    on_its_line
        .or_else(|| trimmed.find(ORIGINAL))
        .map_or(text, |at| trimmed[at + ORIGINAL.len()..].trim())
}

#[cfg(test)]
mod tests {
    use super::original;

    #[test]
    fn the_customer_s_own_words_are_published() {
        for (text, own) in [
            (
                "(Translated by Google) Very good.\n\n(Original)\nMuy bueno.",
                "Muy bueno.",
            ),
            ("(Translated by Google) Good (Original) Bueno", "Bueno"),
            (
                "Muy bueno.\n\n(Translated by Google)\nVery good.",
                "Muy bueno.",
            ),
            (
                "(Translated by Google) Very good.",
                "(Translated by Google) Very good.",
            ),
            (
                "The menu was wrong (Translated by Google), I guess",
                "The menu was wrong (Translated by Google), I guess",
            ),
            ("Plain (Original) text", "Plain (Original) text"),
            ("", ""),
        ] {
            assert_eq!(original(text), own);
        }
    }
}
