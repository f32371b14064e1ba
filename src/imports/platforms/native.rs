//! Native records, one per line or in an array, as `reviews export` writes them (`docs/IMPORT.md`), and those of another
//! instance's `/reviews.json`.

use std::sync::LazyLock;

use serde_json::Value;

use crate::imports::map::business::is_made_of_subtags;
use crate::imports::map::date::dated;
use crate::imports::map::fields::{FieldError, Fields, noted, or_default, shown_text};
use crate::imports::map::{
    Answer, Calendar, Dated, Incoming, Noted, Posted, Stated, StatedParts, answer,
};
use crate::imports::platforms::format::{Format, Reader};
use crate::model::{
    Day, Mentions, Method, NOT_VERIFIED, Rating, Source, Status, Unit, Units, Verification,
};

pub static FORMAT: LazyLock<Format> = LazyLock::new(|| Format {
    name: "jsonl",
    label: "native format (JSON Lines, CSV)",
    // Names that all our records have, the shortest list first.
    keys: vec![
        "id, rating, date",
        "rating, date, author",
        "rating, author, text",
        "id, deleted",
    ],
    reader: Reader::Native,
    ..Format::default()
});

/// Another instance's `/reviews.json`. Its business is imported if the database has none; its counts are ignored.
pub static DOCUMENT: LazyLock<Format> = LazyLock::new(|| Format {
    name: "reviews-json",
    label: "/reviews.json of this service",
    // A large business may fill all bytes that detection reads, so its own members must identify the format.
    document: "business, aggregate_rating",
    reader: Reader::Document,
    ..Format::default()
});

// Reads the native record: one review as JSON, as in our own files and documents (`docs/IMPORT.md`).
//
// It is strict because reviews are published under the business's name: an invalid field rejects the row. Unknown
// fields are ignored, and so is `url`, which is computed when publishing.

/// The review in `value`, or all its errors.
pub fn review(value: &Value, calendar: Calendar) -> Result<Incoming, Vec<FieldError>> {
    let fields = &Fields::of(value, String::new())?;
    let mut wrong = Vec::new();
    let its = &mut wrong;
    let id = noted(its, fields.needed("id", fields.parsed("id")));
    let rating = noted(its, rating(fields));
    let posted = noted(its, fields.needed("date", day(fields, "date", calendar)));
    let author = noted(its, fields.required("author"));
    let title = or_default(its, stated(fields, "title"));
    let text = Stated::Given(or_default(its, text(fields)).to_owned());
    let language = or_default(its, language(fields));
    let source = or_default(its, source(fields));
    let verification = or_default(its, verification(fields));
    let stated = StatedParts {
        title,
        text,
        language,
        source,
        status: or_default(its, status(fields, &verification)),
        verification,
        mentions: or_default(its, mentions(fields)),
        response: or_default(its, response(fields, calendar)),
        updated: or_default(its, fields.instant("updated_at")).map(Posted::Instant),
        location: or_default(its, fields.filled("location")),
        decided: or_default(its, decided(fields)),
        noted: Noted {
            posted_at: or_default(its, fields.instant("posted_at")),
            responded_at: or_default(its, fields.instant("responded_at")),
            source_name: or_default(its, fields.filled("imported_from")),
            writer: None,
        },
    };
    Incoming::of(id, rating, posted, author, stated, wrong)
}

/// A missing field is unstated; `null` and an empty text mean that there is no value.
fn stated(fields: &Fields<'_>, name: &str) -> Result<Stated<String>, FieldError> {
    let text = fields.text(name)?;
    Ok(match text {
        Some("") => Stated::None,
        Some(text) => Stated::Given(text.to_owned()),
        None => unsaid(fields, name),
    })
}

fn unsaid<T>(fields: &Fields<'_>, name: &str) -> Stated<T> {
    if fields.is_null(name) {
        Stated::None
    } else {
        Stated::Unsaid
    }
}

fn rating(fields: &Fields<'_>) -> Result<Rating, FieldError> {
    const ALLOWED: &str = "one of 1, 2, 3, 4, 5";
    let stars = fields.needed("rating", fields.whole("rating", ALLOWED))?;
    Rating::try_from(stars)
        .map_err(|_| fields.problem("rating", format!("{stars} is not {ALLOWED}")))
}

fn text<'a>(fields: &Fields<'a>) -> Result<&'a str, FieldError> {
    let text = fields.text("text")?;
    text.ok_or_else(|| fields.problem("text", "missing; write \"\" for a rating without a text"))
}

fn day(fields: &Fields<'_>, name: &str, calendar: Calendar) -> Result<Option<Dated>, FieldError> {
    let day = fields.parsed::<Day>(name)?.map(Posted::Day);
    dated(fields, name, day, calendar)
}

/// The names of the units that the owner decided.
fn decided(fields: &Fields<'_>) -> Result<Units, FieldError> {
    let unit = |name: &String| {
        Unit::find(name).ok_or_else(|| {
            let known = Unit::ALL.map(Unit::name).join(", ");
            let message =
                format!("`{name}` is not a field that an owner can edit; use those of {known}");
            fields.problem("decided", message)
        })
    };
    fields.texts("decided")?.iter().map(unit).collect()
}

/// Checks the form of BCP 47 subtags (RFC 5646 §2.1), not that a tag is registered.
fn language(fields: &Fields<'_>) -> Result<Stated<String>, FieldError> {
    let shaped = |tag: &str| {
        is_made_of_subtags(tag) && tag.starts_with(|first: char| first.is_ascii_alphabetic())
    };
    match stated(fields, "language")? {
        Stated::Given(tag) if !shaped(&tag) => {
            let message = format!(
                "{} is not a language tag of BCP 47, for example en or es-MX",
                shown_text(&tag)
            );
            Err(fields.problem("language", message))
        }
        tag @ (Stated::Given(_) | Stated::None | Stated::Unsaid) => Ok(tag),
    }
}

fn source(fields: &Fields<'_>) -> Result<Stated<Source>, FieldError> {
    match fields.object("source")? {
        Some(source) => Ok(Stated::Given(Source {
            name: source.required("name")?,
            url: source.url("url")?,
        })),
        None => Ok(Stated::Unsaid),
    }
}

fn verification(fields: &Fields<'_>) -> Result<Stated<Verification>, FieldError> {
    let Some(verification) = fields.object("verification")? else {
        return Ok(Stated::Unsaid);
    };
    let parse = |name: &str| {
        Method::find(name).ok_or_else(|| {
            let allowed = Method::ALL.map(Method::name).join(", ");
            format!("{} is not one of {allowed}", shown_text(name))
        })
    };
    let method = verification.read("method", parse)?;
    Ok(Stated::Given(Verification {
        verified: verification.flag("verified")?.unwrap_or(true),
        method: method.unwrap_or(Method::Manual),
        verified_at: verification.instant("verified_at")?,
    }))
}

/// An unverified row is withheld, even if its status is published.
fn status(
    fields: &Fields<'_>,
    verification: &Stated<Verification>,
) -> Result<Stated<Status>, FieldError> {
    let reason = fields.filled("withheld_reason")?;
    let withheld = match fields.filled("status")?.as_deref() {
        // A reason without a status means withheld; otherwise a review that must stay hidden would be published.
        None => reason.is_some().then_some(true),
        Some("withheld") => Some(true),
        Some("published") if reason.is_some() => {
            return Err(fields.problem(
                "withheld_reason",
                "given although status is \"published\"; leave one of them out",
            ));
        }
        Some("published") => Some(false),
        Some(other) => {
            let message = format!("{} is not one of published, withheld", shown_text(other));
            return Err(fields.problem("status", message));
        }
    };
    let unverified = verification.given().is_some_and(|its| !its.verified);
    // Our own exports state explicitly that there is no reason.
    let reasonless = fields.is_null("withheld_reason") && withheld == Some(true);
    Ok(match withheld {
        _ if unverified && !reasonless => Stated::Given(Status::Withheld {
            reason: reason.or_else(|| Some(NOT_VERIFIED.to_owned())),
        }),
        Some(true) => Stated::Given(Status::Withheld { reason }),
        Some(false) => Stated::Given(Status::Published),
        None => Stated::Unsaid,
    })
}

fn mentions(fields: &Fields<'_>) -> Result<Stated<Mentions>, FieldError> {
    let Some(mentions) = fields.object("mentions")? else {
        return Ok(unsaid(fields, "mentions"));
    };
    let names = |name| {
        let names = mentions.texts(name)?;
        // Mentions are read packed between control characters.
        let broken = names
            .iter()
            .position(|name| name.contains(char::is_control));
        broken.map_or(Ok(names), |at| {
            Err(mentions.problem(
                &format!("{name}[{at}]"),
                "has a control character; remove it",
            ))
        })
    };
    Ok(Stated::Given(Mentions::new(
        names("technicians")?,
        names("services")?,
        names("service_areas")?,
    )))
}

fn response(fields: &Fields<'_>, calendar: Calendar) -> Result<Stated<Answer>, FieldError> {
    let Some(response) = fields.object("response")? else {
        return Ok(unsaid(fields, "response"));
    };
    let text = response.needed("text", response.text("text"))?.to_owned();
    let posted = day(&response, "date", calendar)?;
    let author = response.filled("author")?;
    // Exports that write every field have an empty answer if there is none.
    Ok(if text.is_empty() {
        Stated::None
    } else {
        Stated::Given(answer(text, posted, author))
    })
}
