//! Google: `reviews.json` and its further pages from a Google Takeout of the Business Profile, and the same structure
//! from the Business Profile API (`accounts.locations.reviews.list`, v4).
//!
//! Specification: <https://developers.google.com/my-business/reference/rest/v4/accounts.locations.reviews>.

use std::sync::LazyLock;

use serde_json::Value;

use crate::imports::map::date::dated;
use crate::imports::map::fields::{
    FieldError, Fields, Names, names, noted, or_default, shown_text,
};
use crate::imports::map::{
    Answer, Calendar, Dated, Incoming, Posted, Stated, StatedParts, answer, values,
};
use crate::imports::platforms::format::{BY_PLATFORM, Format, Reader};
use crate::imports::platforms::paging::Paging;
use crate::model::{InvalidReviewId, Rating, ReviewId, Source};

/// Google's name for an anonymous author.
const ANONYMOUS: &str = "A Google user";
const MEMBERS: Names = "name, reviewId, starRating, reviewer.displayName, reviewer.isAnonymous, comment, createTime, \
    updateTime, reviewReply.comment, reviewReply.updateTime, reviewReply.reviewReplyState, reviewReply.state, reviewReplyState";
const STARS: Names = "ONE, TWO, THREE, FOUR, FIVE";

pub static FORMAT: LazyLock<Format> = LazyLock::new(|| Format {
    name: "google",
    label: "Google Business Profile (Takeout or API)",
    document: "reviews, averageRating, totalReviewCount, nextPageToken",
    keys: vec!["starRating"],
    reader: Reader::Json(review),
    members: names(MEMBERS).collect(),
    paging: Some(Paging {
        rows: Some("reviews"),
        token: Some("nextPageToken"),
        parameter: Some("pageToken"),
        total: Some("totalReviewCount"),
        ..Paging::default()
    }),
    ..Format::default()
});

fn review(value: &Value, calendar: Calendar) -> Result<Incoming, Vec<FieldError>> {
    let fields = Fields::of(value, String::new())?;
    let mut wrong = Vec::new();
    let its = &mut wrong;
    let posted = fields.needed("createTime", at(&fields, "createTime", calendar));
    let posted = noted(its, posted);
    let (id, location) = noted(its, id(&fields)).unzip();
    let rating = noted(its, rating(&fields));
    let author = noted(its, author(&fields));
    let text = or_default(its, fields.text("comment"));
    let stated = StatedParts {
        // Reviews with stars only have no comment.
        text: Stated::Given(text.map(original).unwrap_or_default().to_owned()),
        source: Stated::Given(Source {
            name: "Google".to_owned(),
            url: None,
        }),
        location: location.flatten(),
        verification: Stated::Given(BY_PLATFORM),
        response: or_default(its, reply(&fields, calendar)),
        updated: or_default(its, fields.instant("updateTime"))
            .map(Posted::Instant)
            .or(posted.map(|its| its.posted)),
        ..StatedParts::default()
    };
    Incoming::of(id, rating, posted, author, stated, wrong)
}

/// The day of an instant.
fn at(fields: &Fields<'_>, name: &str, calendar: Calendar) -> Result<Option<Dated>, FieldError> {
    let instant = fields.instant(name)?.map(Posted::Instant);
    dated(fields, name, instant, calendar)
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
        .or_else(|_| values::digest("google", &[&key]))
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
fn reply(fields: &Fields<'_>, calendar: Calendar) -> Result<Stated<Answer>, FieldError> {
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
    let posted = at(&reply, "updateTime", calendar)?;
    Ok(Stated::Given(answer(text.to_owned(), posted, None)))
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
