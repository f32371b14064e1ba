//! Reviews in schema.org's JSON-LD, bare or inside a page: <https://schema.org/Review>.
//!
//! Enclosing objects (a business, a product, a `@graph`) are searched; names may have the prefix `schema:`.

use std::num::NonZeroU8;
use std::sync::LazyLock;

use serde_json::{Map, Value};

use crate::imports::map::date::{Dates, dated};
use crate::imports::map::fields::{FieldError, Fields, Names, names, noted, or_default, url};
use crate::imports::map::{
    Answer, Calendar, Dated, Incoming, Posted, SOURCE_DEFAULT, Stated, StatedParts, answer, values,
};
use crate::imports::platforms::format::{BY_PLATFORM, Format, Reader};
use crate::model::{Rating, ReviewId, Source};

pub static FORMAT: LazyLock<Format> = LazyLock::new(|| Format {
    name: "schema-org",
    label: "schema.org (JSON-LD, in HTML too)",
    keys: vec!["@context, @type", "@context, @graph", "@type, reviewRating"],
    reader: Reader::LinkedData,
    members: names(MEMBERS).collect(),
    ids: Some("schema"),
    ..Format::default()
});

const MEMBERS: Names = "@context, @type, @id, url, identifier, reviewRating.@type, reviewRating.ratingValue, \
    reviewRating.bestRating, datePublished, dateModified, reviewBody, description, name, headline, inLanguage, inLanguage.name, \
    publisher, publisher.@type, publisher.name, itemReviewed, itemReviewed.@type, itemReviewed.name, author, author.@type, \
    author.name, comment.@type, comment.text, comment.dateCreated, comment.author, comment.author.@type, comment.author.name";

/// Maximum nesting depth that is searched.
pub const DEEP_MAX: usize = 32;

/// Appends every schema.org review in `data` to `reviews`.
pub fn collect(data: &Value, deep: usize, reviews: &mut Vec<Value>) {
    let inside = |value| collect(value, deep - 1, reviews);
    match data {
        Value::Object(members) if is_review(members) => reviews.push(data.clone()),
        Value::Array(elements) if deep > 0 => elements.iter().for_each(inside),
        Value::Object(members) if deep > 0 => members.values().for_each(inside),
        Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Array(_)
        | Value::Object(_) => {}
    }
}

fn is_review(members: &Map<String, Value>) -> bool {
    let of = |kind: &Value| {
        let kind = kind
            .as_str()
            .and_then(|kind| kind.rsplit(['/', ':']).next());
        kind.is_some_and(|kind| kind == "Review" || kind == "UserReview")
    };
    match members.get("@type") {
        Some(Value::Array(kinds)) => kinds.iter().any(of),
        Some(kind) => of(kind),
        None => false,
    }
}

/// The review in `value`, or all its errors.
/// `scale` and `source` are those of a review that does not say them.
pub fn review(
    value: &Value,
    calendar: Calendar,
    dates: Dates<'_>,
    scale: Option<NonZeroU8>,
    source: Option<&str>,
) -> Result<Incoming, Vec<FieldError>> {
    let fields = &Fields::of(value, String::new())?;
    let mut wrong = Vec::new();
    let its = &mut wrong;
    let stars = noted(its, stars(fields, scale));
    let posted = placed(fields, "datePublished", dates, calendar);
    let posted = fields.needed("datePublished", posted);
    let posted = noted(its, posted);
    let author = noted(its, named(fields, "author"));
    let author = author.map(|name| name.unwrap_or_else(|| "Anonymous".to_owned()));
    let text = or_default(its, first(fields, ["reviewBody", "description"])).unwrap_or_default();
    let title = or_default(its, first(fields, ["name", "headline"]));
    let language = or_default(its, named(fields, "inLanguage"));
    let language = language.and_then(|name| values::language_tag(&name));
    let source = noted(its, named_source(fields, source));
    let response = or_default(its, response(fields, dates, calendar));
    let updated = or_default(its, time(fields, "dateModified", dates)).and_then(Posted::instant);
    let location = or_default(its, named(fields, "itemReviewed"));
    let id = or_default(its, own_id(fields));
    let stated = StatedParts {
        title: title.map_or(Stated::Unsaid, Stated::Given),
        text: Stated::Given(text),
        language: language.map_or(Stated::Unsaid, Stated::Given),
        source: source.map_or(Stated::Unsaid, Stated::Given),
        location,
        verification: Stated::Given(BY_PLATFORM),
        response,
        updated: updated.map(Posted::Instant),
        ..StatedParts::default()
    };
    Incoming::of(id, stars, posted, author, stated, wrong)
}

fn stars(fields: &Fields<'_>, scale: Option<NonZeroU8>) -> Result<Rating, FieldError> {
    let rated = fields.needed("reviewRating", fields.object("reviewRating"))?;
    let text = |name| {
        let value = rated.value(name)?;
        Some(
            value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned),
        )
    };
    let value = text("ratingValue").ok_or_else(|| rated.missing("ratingValue"))?;
    let whole = |best: f64| (1..=u8::MAX).find(|whole| f64::from(*whole).total_cmp(&best).is_eq());
    let best = text("bestRating").map(|best| best.trim().parse().ok().and_then(whole));
    if best == Some(None) {
        return Err(rated.problem("bestRating", "is not a whole number from 1 to 255"));
    }
    let best = best.flatten().and_then(NonZeroU8::new);
    // On a scale of five, half stars are refused without `--scale`, as in all formats.
    let is_given = |best: &NonZeroU8| best.get() != 5 || scale.is_some();
    let scale = best.or(scale).filter(is_given);
    values::parse_rating(&value, scale).map_err(|error| rated.problem("ratingValue", error))
}

fn time(fields: &Fields<'_>, name: &str, dates: Dates<'_>) -> Result<Option<Posted>, FieldError> {
    fields.read(name, |text| dates.parse(text))
}

fn placed(
    fields: &Fields<'_>,
    name: &str,
    dates: Dates<'_>,
    calendar: Calendar,
) -> Result<Option<Dated>, FieldError> {
    dated(fields, name, time(fields, name, dates)?, calendar)
}

/// The value of `name`, or the first of several.
fn single<'a>(fields: &Fields<'a>, name: &str) -> Option<&'a Value> {
    match fields.value(name) {
        Some(Value::Array(several)) => several.first(),
        other => other,
    }
}

/// The name of a person, an organization or a thing: a plain text, an object, or the first of several.
fn named(fields: &Fields<'_>, name: &str) -> Result<Option<String>, FieldError> {
    match single(fields, name) {
        Some(Value::String(text)) => {
            Ok(Some(text.trim().to_owned()).filter(|text| !text.is_empty()))
        }
        Some(value @ Value::Object(_)) => Fields::of(value, fields.path(name))?.filled("name"),
        _ => Ok(None),
    }
}

fn first(fields: &Fields<'_>, names: [&str; 2]) -> Result<Option<String>, FieldError> {
    Ok(fields.filled(names[0])?.or(fields.filled(names[1])?))
}

fn named_source(fields: &Fields<'_>, given: Option<&str>) -> Result<Source, FieldError> {
    let given = || given.unwrap_or(SOURCE_DEFAULT).to_owned();
    let name = named(fields, "publisher")?.unwrap_or_else(given);
    let url = fields.filled("url")?.filter(|address| url(address).is_ok());
    Ok(Source { name, url })
}

/// The address alone is no id: it may be that of a page with several reviews.
fn own_id(fields: &Fields<'_>) -> Result<Option<ReviewId>, FieldError> {
    // A blank one would be the id of all reviews that have such a one.
    let own = |name| {
        let text = fields.filled(name);
        text.map(|text| text.filter(|text| !text.trim().is_empty()))
    };
    let id = own("@id")?.or(own("identifier").ok().flatten());
    id.map(|id| values::of_platform("schema", &id))
        .transpose()
        .map_err(|error| fields.problem("@id", error.to_string()))
}

/// Schema.org has no property for an owner's answer; sites commonly use a comment for it.
fn response(
    fields: &Fields<'_>,
    dates: Dates<'_>,
    calendar: Calendar,
) -> Result<Stated<Answer>, FieldError> {
    let Some(value @ Value::Object(_)) = single(fields, "comment") else {
        return Ok(Stated::Unsaid);
    };
    let comment = Fields::of(value, fields.path("comment"))?;
    let Some(text) = comment.filled("text")? else {
        return Ok(Stated::Unsaid);
    };
    let posted = placed(&comment, "dateCreated", dates, calendar)?;
    let author = named(&comment, "author")?;
    Ok(Stated::Given(answer(text, posted, author)))
}
