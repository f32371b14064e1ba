//! Reads the business and the editorial texts from JSON: files that an owner writes, and the first part of our own
//! documents (`docs/IMPORT.md`). Every value that the tables would refuse is refused here.

use std::collections::HashSet;

use chrono::NaiveTime;
use chrono_tz::{TZ_VARIANTS, Tz};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::fault::FieldError;
use super::shape::{Member, NAME, NAMES, Shape, ShapeReader, needed, optional, patch};
use crate::model::business::{
    Business, DayOfWeek, Editorial, PublishStaff, TEXT_BYTES_MAX, local_business_type,
};
use crate::model::text::{is_made_of_subtags, quoted, url, words};

/// The length of tag that implementations must support (RFC 5646 §4.4.1).
const LANGUAGE_BYTES_MAX: usize = 35;

const URL: Shape = Shape::Word(url);

const BUSINESS: &[Member] = &[
    needed("id", NAME),
    needed("name", NAME),
    // A type that search engines do not know stays as it is.
    optional(
        "type",
        Shape::Word(|name| Ok(local_business_type(name).unwrap_or(name).to_owned())),
    ),
    optional(
        "time_zone",
        Shape::Word(|name| zone(name).map(|zone| zone.name().to_owned())),
    ),
    optional("publish_staff", Shape::Word(publish_staff)),
    optional("language", Shape::Word(language)),
    optional("country", Shape::Word(country)),
    optional("description", NAME),
    optional("url", URL),
    optional("telephone", NAME),
    optional("address", Shape::Object(ADDRESS)),
    optional("geo", Shape::Object(GEO)),
    optional("hours", Shape::List(&Shape::Object(HOURS))),
    optional("same_as", Shape::List(&URL)),
    optional("review_links", Shape::List(&Shape::Object(REVIEW_LINK))),
    optional("review_policy", Shape::Object(REVIEW_POLICY)),
    optional("services", Shape::List(&Shape::Object(SERVICE))),
    optional("technicians", Shape::List(&Shape::Object(TECHNICIAN))),
    optional("service_areas", NAMES),
];

/// In the order of `init --address`.
pub const ADDRESS: &[Member] = &[
    optional("street_address", Shape::Any),
    optional("locality", Shape::Any),
    optional("region", Shape::Any),
    optional("postal_code", Shape::Any),
    optional("country", Shape::Any),
];
const GEO: &[Member] = &[
    needed("latitude", Shape::Degrees(90.0)),
    needed("longitude", Shape::Degrees(180.0)),
];
const HOURS: &[Member] = &[
    needed("days", Shape::List(&Shape::Word(day_of_week))),
    needed("opens", Shape::Word(time_of_day)),
    needed("closes", Shape::Word(time_of_day)),
];
const REVIEW_LINK: &[Member] = &[needed("name", NAME), needed("url", Shape::Word(https_url))];
const REVIEW_POLICY: &[Member] = &[
    optional("collection", NAME),
    optional("verification", NAME),
    optional("moderation", NAME),
    optional("incentives", NAME),
    optional("contact", Shape::Word(contact)),
];
const SERVICE: &[Member] = &[
    needed("id", NAME),
    needed("name", NAME),
    optional("synonyms", NAMES),
];
const TECHNICIAN: &[Member] = &[
    needed("id", NAME),
    needed("name", NAME),
    optional("aliases", NAMES),
];

const EDITORIAL: &[Member] = &[
    optional("summary", Shape::Object(&[needed("text", NAME)])),
    optional("faq", Shape::List(&Shape::Object(FAQ_ENTRY))),
];
const FAQ_ENTRY: &[Member] = &[
    optional("id", NAME),
    needed("question", NAME),
    needed("answer", NAME),
];

/// Who wrote a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// This service, perhaps another release of it: unknown members are left out.
    Service,
    /// The owner: unknown members are faults, and so are types that search engines do not know. A document that is not whole
    /// changes only what it has.
    Owner { is_whole: bool },
}

/// Reads the business in `value`. A missing member keeps its value from `before`, and `null` removes it.
pub fn business(
    value: &Value,
    before: &Business,
    origin: Origin,
) -> Result<Business, Vec<FieldError>> {
    let mut reader = reader(origin);
    let mut members = reader.members("", value, BUSINESS);
    if let Some(kind) = members.get("type").and_then(Value::as_str)
        && let Err(unknown) = local_business_type(kind)
        && origin != Origin::Service
    {
        reader.fault("type", unknown.to_string());
    }
    for list in ["services", "technicians", "service_areas"] {
        check_unique(&mut reader, &members, list);
    }
    check_hours(&mut reader, &members);
    if let Some(geo @ Value::Object(_)) = members.get_mut("geo") {
        *geo = json!([geo["latitude"], geo["longitude"]]);
    }
    let mut business: Business = merge(before, members, reader.faults)?;
    if let Some(address) = &mut business.address {
        address.retain(|_, part| !part.is_null());
    }
    business.address = business.address.filter(|address| !address.is_empty());
    Ok(business)
}

/// Reads the editorial texts in `value`; a missing member keeps its value from `before`, and `null` removes it.
pub fn editorial(
    value: &Value,
    before: &Editorial,
    origin: Origin,
) -> Result<Editorial, Vec<FieldError>> {
    let mut reader = reader(origin);
    let mut members = reader.members("", value, EDITORIAL);
    check_unique(&mut reader, &members, "faq");
    let entries = members.get_mut("faq").and_then(Value::as_array_mut);
    for entry in entries
        .into_iter()
        .flatten()
        .filter(|entry| entry.is_object())
    {
        if entry["id"].is_null() {
            entry["id"] = json!(entry["question"].as_str().map(id_of_words));
        }
    }
    if let Some(summary @ Value::Object(_)) = members.get_mut("summary") {
        *summary = summary["text"].take();
    }
    merge(before, members, reader.faults)
}

fn reader(origin: Origin) -> ShapeReader {
    ShapeReader {
        calendar: None,
        bytes_max: TEXT_BYTES_MAX,
        is_strict: origin != Origin::Service,
        is_patch: origin == Origin::Owner { is_whole: false },
        faults: Vec::new(),
    }
}

/// An ID of the words of a text: `do-you-work-on-sundays`.
fn id_of_words(text: &str) -> String {
    words(text).trim().replace(' ', "-")
}

/// Refuses a list of which two elements are equal, or have the same id, which may be made of a question.
fn check_unique(reader: &mut ShapeReader, members: &Map<String, Value>, list: &str) {
    let mut seen = HashSet::new();
    let elements = members.get(list).and_then(Value::as_array);
    for (index, element) in elements.into_iter().flatten().enumerate() {
        let text = |name: &str| element.get(name).and_then(Value::as_str);
        let (key, member) = match (text("id"), text("question")) {
            (Some(id), _) => (id.to_owned(), ".id"),
            (None, Some(question)) => (id_of_words(question), ".question"),
            (None, None) => (element.as_str().unwrap_or_default().to_owned(), ""),
        };
        let shown = quoted(&key);
        if !key.is_empty() && !seen.insert(key) {
            let message = format!("{shown} appears twice; each must be unique");
            reader.fault(format!("{list}[{index}]{member}"), message);
        }
    }
}

/// Refuses hours without a day or without a length.
fn check_hours(reader: &mut ShapeReader, members: &Map<String, Value>) {
    let hours = members.get("hours").and_then(Value::as_array);
    for (index, hours) in hours.into_iter().flatten().enumerate() {
        if hours["days"] == json!([]) {
            let advice = "empty; name a day, or leave the entry out";
            reader.fault(format!("hours[{index}].days"), advice);
        }
        if hours["opens"].is_string() && hours["opens"] == hours["closes"] {
            let advice = "the same as opens; write 00:00 and 23:59 for a whole day";
            reader.fault(format!("hours[{index}].closes"), advice);
        }
    }
}

/// Checks the URL to which people report a review.
fn contact(text: &str) -> Result<String, String> {
    let address = text.strip_prefix("mailto:");
    let is_address = address
        .and_then(|address| address.split_once('@'))
        .is_some_and(|(name, host)| {
            let is_part = |part: &str| {
                !part.is_empty()
                    && !part.contains(|c: char| c.is_whitespace() || "@?<>\"".contains(c))
            };
            is_part(name) && is_part(host)
        });
    if is_address || https_url(text).is_ok() {
        return Ok(text.to_owned());
    }
    let shown = quoted(text);
    Err(format!(
        "{shown} is neither an email address like mailto:reviews@sample.test nor a URL that begins with https://"
    ))
}

/// `before` with these members, of which null removes one (RFC 7396, but lists are replaced whole).
fn merge<T: Serialize + DeserializeOwned>(
    before: &T,
    members: Map<String, Value>,
    faults: Vec<FieldError>,
) -> Result<T, Vec<FieldError>> {
    if !faults.is_empty() {
        return Err(faults);
    }
    let mut merged = json!(before);
    patch(&mut merged, Value::Object(members));
    T::deserialize(merged).map_err(|error| vec![FieldError::new("", error.to_string())])
}

fn publish_staff(name: &str) -> Result<String, String> {
    if PublishStaff::find(name).is_some() {
        return Ok(name.to_owned());
    }
    let names = PublishStaff::ALL.map(PublishStaff::name).join(", ");
    Err(format!("{} is not one of {names}", quoted(name)))
}

fn day_of_week(name: &str) -> Result<String, String> {
    let name = name.to_lowercase();
    if DayOfWeek::find(&name).is_some() {
        return Ok(name);
    }
    let names = DayOfWeek::ALL.map(DayOfWeek::name).join(", ");
    Err(format!("{} is not one of {names}", quoted(&name)))
}

fn time_of_day(text: &str) -> Result<String, String> {
    if text.len() == 5 && NaiveTime::parse_from_str(text, "%H:%M").is_ok() {
        return Ok(text.to_owned());
    }
    Err(format!(
        "{} is not a time of day from 00:00 to 23:59; write it like 08:30 or 17:00",
        quoted(text)
    ))
}

/// The time zone of that name.
pub fn zone(name: &str) -> Result<Tz, String> {
    name.parse().map_err(|_| {
        let mut zones = TZ_VARIANTS.iter().map(|zone| zone.name());
        let nearest = zones.find(|zone| zone.eq_ignore_ascii_case(name));
        format!(
            "{} is not a time zone of the IANA database; write it like {}",
            quoted(name),
            nearest.unwrap_or("America/Phoenix")
        )
    })
}

/// Checks that a language tag is well formed (RFC 5646 §2.1), not that it is registered.
pub fn language(tag: &str) -> Result<String, String> {
    let primary = tag.split('-').next().unwrap_or_default();
    let is_primary = primary.len() >= 2 && primary.bytes().all(|byte| byte.is_ascii_alphabetic());
    if is_primary && tag.len() <= LANGUAGE_BYTES_MAX && is_made_of_subtags(tag) {
        return Ok(tag.to_owned());
    }
    Err(format!(
        "{} is not a language tag; write it like en or es-MX",
        quoted(tag)
    ))
}

/// Checks the form of a country code, not that it is assigned.
pub fn country(code: &str) -> Result<String, String> {
    if code.len() == 2 && code.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return Ok(code.to_ascii_uppercase());
    }
    Err(format!(
        "{} is not a country code of ISO 3166; write it like US or DE",
        quoted(code)
    ))
}

/// The URL of a page where customers can write a review. A published page links to it, so it must be https.
fn https_url(text: &str) -> Result<String, String> {
    let text = url(text)?;
    let scheme = text.get(..8);
    if scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case("https://")) {
        return Ok(text);
    }
    Err(format!("{} must begin with https://", quoted(&text)))
}
