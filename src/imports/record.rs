//! The native record: one review as JSON, as our own files and documents have it (`docs/IMPORT.md`).
//!
//! Strict, because what gets in is published under the firm's name: a field that is wrong rejects the row. Fields that
//! are none of ours are ignored, `url` among them, which is made when publishing.

use serde_json::Value;

use super::fields::{Fields, Problem, shown};
use super::rules::Rules;
use crate::reviews::{Day, Mentions, Method, Rating, Response, Review, Source, Status, Verification};

/// Where a review is from that does not say.
const SOURCE_DEFAULT: &str = "Direct";
/// Why a review does not appear that says it is not verified, and nothing else.
const NOT_VERIFIED: &str = "not verified";

/// The review that `value` describes.
pub(super) fn review(value: &Value, rules: Rules) -> Result<Review, Problem> {
    let fields = Fields::of(value, String::new())?;
    let verification = verification(&fields)?;
    Ok(Review {
        id: fields.parsed("id")?.ok_or_else(|| fields.missing("id"))?,
        rating: rating(&fields)?,
        date: day(&fields, "date", rules)?.ok_or_else(|| fields.missing("date"))?,
        author: fields.required("author")?,
        title: fields.filled("title")?,
        text: fields.text("text")?.ok_or_else(|| no_text(&fields))?.to_owned(),
        language: language(&fields)?,
        source: source(&fields)?,
        status: status(&fields, verification.verified)?,
        verification,
        mentions: mentions(&fields)?,
        response: response(&fields, rules)?,
        updated_at: fields.instant("updated_at")?,
    })
}

fn rating(fields: &Fields<'_>) -> Result<Rating, Problem> {
    const ALLOWED: &str = "one of 1, 2, 3, 4, 5";
    let stars = fields.whole("rating", ALLOWED)?.ok_or_else(|| fields.missing("rating"))?;
    Rating::try_from(stars).map_err(|_| fields.problem("rating", format!("{stars} is not {ALLOWED}")))
}

fn no_text(fields: &Fields<'_>) -> Problem {
    fields.problem("text", "missing; write \"\" for stars without words")
}

/// The plausible day of the field `name`.
fn day(fields: &Fields<'_>, name: &str, rules: Rules) -> Result<Option<Day>, Problem> {
    let check = |day| rules.plausible(day).map_err(|message| fields.problem(name, message));
    fields.parsed::<Day>(name)?.map(check).transpose()
}

/// Subtags as BCP 47 (RFC 5646 §2.1) shapes them; whether a tag is registered is not asked.
fn language(fields: &Fields<'_>) -> Result<Option<String>, Problem> {
    let subtag = |part: &str| (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let shaped = |tag: &str| tag.split('-').all(subtag) && tag.starts_with(|first: char| first.is_ascii_alphabetic());
    let tag = fields.filled("language")?;
    match tag {
        Some(tag) if !shaped(&tag) => {
            let message = format!("{} is no language tag of BCP 47, for example en or es-MX", shown(&Value::from(tag)));
            Err(fields.problem("language", message))
        }
        tag => Ok(tag),
    }
}

fn source(fields: &Fields<'_>) -> Result<Source, Problem> {
    match fields.object("source")? {
        Some(source) => Ok(Source { name: source.required("name")?, url: source.url("url")? }),
        None => Ok(Source { name: SOURCE_DEFAULT.to_owned(), url: None }),
    }
}

/// Whoever imports a row that does not say vouches for it.
fn verification(fields: &Fields<'_>) -> Result<Verification, Problem> {
    let Some(verification) = fields.object("verification")? else {
        return Ok(Verification { verified: true, method: Method::Manual, verified_at: None });
    };
    let method = match verification.filled("method")? {
        Some(name) => Method::find(&name).ok_or_else(|| {
            let allowed = Method::ALL.map(Method::name).join(", ");
            verification.problem("method", format!("{} is not one of {allowed}", shown(&Value::from(name))))
        })?,
        None => Method::Manual,
    };
    let verified = verification.flag("verified")?.unwrap_or(true);
    Ok(Verification { verified, method, verified_at: verification.instant("verified_at")? })
}

fn status(fields: &Fields<'_>, verified: bool) -> Result<Status, Problem> {
    let reason = fields.filled("withheld_reason")?;
    let withheld = match fields.filled("status")?.as_deref() {
        // A reason without a status can only mean one thing, and the other guess would publish what should not be.
        None => reason.is_some(),
        Some("withheld") => true,
        Some("published") if reason.is_some() => {
            return Err(fields.problem("withheld_reason", "given although status is \"published\"; leave one of them out"));
        }
        Some("published") => false,
        Some(other) => {
            let message = format!("{} is not one of published, withheld", shown(&Value::from(other)));
            return Err(fields.problem("status", message));
        }
    };
    Ok(match (withheld, verified) {
        (false, true) => Status::Published,
        (true, true) => Status::Withheld { reason },
        (_, false) => Status::Withheld { reason: reason.or_else(|| Some(NOT_VERIFIED.to_owned())) },
    })
}

fn mentions(fields: &Fields<'_>) -> Result<Mentions, Problem> {
    let Some(mentions) = fields.object("mentions")? else { return Ok(Mentions::default()) };
    let names = |name| {
        let names = mentions.texts(name)?;
        // The rows of a review's mentions are read packed between control characters.
        let broken = names.iter().position(|name| name.contains(char::is_control));
        broken.map_or(Ok(names), |at| Err(mentions.problem(&format!("{name}[{at}]"), "has a control character; remove it")))
    };
    Ok(Mentions::new(names("technicians")?, names("services")?, names("service_areas")?))
}

fn response(fields: &Fields<'_>, rules: Rules) -> Result<Option<Response>, Problem> {
    let Some(response) = fields.object("response")? else { return Ok(None) };
    let text = response.text("text")?.ok_or_else(|| response.missing("text"))?.to_owned();
    let (date, author) = (day(&response, "date", rules)?, response.filled("author")?);
    // Exports that write every field have an empty answer where there is none.
    Ok((!text.is_empty()).then_some(Response { text, date, author }))
}
