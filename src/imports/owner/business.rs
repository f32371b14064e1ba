//! Reads the business and the editorial texts from JSON: files that an owner writes, and the first part of our own
//! documents (`docs/IMPORT.md`). Every value that the tables would refuse is refused here.

use std::collections::HashSet;

use chrono::NaiveTime;
use chrono_tz::{TZ_VARIANTS, Tz};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use url::Url;

use crate::imports::fault::FieldError;
use crate::model::business::{Business, Editorial, TEXT_BYTES_MAX, local_business_type};
use crate::model::json::join;
use crate::model::text::{check_text, is_made_of_subtags, nearest, quoted, url, words};
use crate::storage::FAULTS_SHOWN;

/// The length of tag that implementations must support (RFC 5646 §4.4.1).
const LANGUAGE_BYTES_MAX: usize = 35;

/// The parts of an address, in the order of `init --address`.
pub const ADDRESS: [&str; 5] = [
    "street_address",
    "locality",
    "region",
    "postal_code",
    "country",
];

/// Checks a text, or corrects it.
pub type TextRule = fn(&str) -> Result<String, String>;

/// The rules for texts by their paths, in which `[]` is any element of a list.
const RULES: [(&str, TextRule); 9] = [
    ("time_zone", |name| {
        zone(name).map(|zone| zone.name().to_owned())
    }),
    ("language", language),
    ("country", country),
    ("url", url),
    ("same_as[]", url),
    ("review_links[].url", https_url),
    ("review_policy.contact", contact),
    ("hours[].opens", time_of_day),
    ("hours[].closes", time_of_day),
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
    let (mut value, mut faults) = (value.clone(), Vec::new());
    read_texts(&mut value, ["", ""], &RULES, &mut faults);
    let is_patch = origin == Origin::Owner { is_whole: false };
    for name in ["id", "name"] {
        if value.get(name).map_or(!is_patch, Value::is_null) {
            faults.push(FieldError::new(name, "missing"));
        }
    }
    check_address(&mut value, origin, &mut faults);
    let has_kind = value.get("type").is_some();
    let mut business: Business = merge(before, value, origin, &mut faults);
    match local_business_type(&business.kind) {
        Ok(known) => known.clone_into(&mut business.kind),
        // A type that search engines do not know stays as it is.
        Err(unknown) if has_kind && origin != Origin::Service => {
            faults.push(FieldError::new("type", unknown));
        }
        Err(_) => {}
    }
    let ids = business.services.iter().map(|service| &service.id);
    check_unique(ids, |index| format!("services[{index}].id"), &mut faults);
    let ids = business.technicians.iter().map(|person| &person.id);
    check_unique(ids, |index| format!("technicians[{index}].id"), &mut faults);
    let names = &business.service_areas;
    check_unique(
        names,
        |index| format!("service_areas[{index}]"),
        &mut faults,
    );
    check_places(&business, &mut faults);
    business.address = business.address.filter(|address| !address.is_empty());
    if faults.is_empty() {
        Ok(business)
    } else {
        Err(faults)
    }
}

/// Reads the editorial texts in `value`; a missing member keeps its value from `before`, and `null` removes it.
pub fn editorial(
    value: &Value,
    before: &Editorial,
    origin: Origin,
) -> Result<Editorial, Vec<FieldError>> {
    let (mut value, mut faults) = (value.clone(), Vec::new());
    read_texts(&mut value, ["", ""], &RULES, &mut faults);
    let mut editorial: Editorial = merge(before, value, origin, &mut faults);
    let mut members = Vec::new();
    for entry in &mut editorial.faq {
        members.push(if entry.id.is_empty() {
            "question"
        } else {
            "id"
        });
        if entry.id.is_empty() {
            entry.id = id_of_words(&entry.question);
        }
    }
    let ids = editorial.faq.iter().map(|entry| &entry.id);
    let path = |index: usize| format!("faq[{index}].{}", members[index]);
    check_unique(ids, path, &mut faults);
    if faults.is_empty() {
        Ok(editorial)
    } else {
        Err(faults)
    }
}

/// Checks the texts in a value, whose path is given with and without the numbers of elements, and corrects them by their rules. A member
/// whose text is blank is left out, and in lists, which are replaced whole, one that is null.
pub fn read_texts(
    value: &mut Value,
    [path, pattern]: [&str; 2],
    rules: &[(&str, TextRule)],
    faults: &mut Vec<FieldError>,
) {
    let is_blank = |text: &str| text.trim().is_empty();
    match value {
        Value::Object(members) => {
            let is_in_list = pattern.ends_with(']');
            members.retain(|_, member| {
                !(member.as_str().is_some_and(is_blank) || is_in_list && member.is_null())
            });
            for (name, member) in members {
                let paths = [path, pattern].map(|path| join(path, name));
                read_texts(member, paths.each_ref().map(String::as_str), rules, faults);
            }
        }
        Value::Array(elements) => {
            for (index, element) in elements.iter_mut().enumerate() {
                let paths = [format!("{path}[{index}]"), format!("{pattern}[]")];
                read_texts(element, paths.each_ref().map(String::as_str), rules, faults);
            }
        }
        Value::String(text) if is_blank(text) => {
            faults.push(FieldError::new(path, "empty; leave it out"));
        }
        Value::String(text) => {
            let rule = rules.iter().find(|(of, _)| *of == pattern);
            let checked = check_text(text, TEXT_BYTES_MAX);
            let read = checked.and_then(|()| rule.map(|(_, read)| read(text)).transpose());
            match read {
                Ok(Some(read)) => *text = read,
                Ok(None) => {}
                Err(message) => faults.push(FieldError::new(path, message)),
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// `before` with the members of `value`, of which null removes one (RFC 7396, but lists are replaced whole).
fn merge<T: Serialize + DeserializeOwned + Clone>(
    before: &T,
    value: Value,
    origin: Origin,
    faults: &mut Vec<FieldError>,
) -> T {
    if !value.is_object() {
        faults.push(FieldError::new("", "is not a JSON object in {…}"));
        return before.clone();
    }
    let mut merged = json!(before);
    patch(&mut merged, value);
    // Each round removes an unknown member.
    for _ in 0..FAULTS_SHOWN {
        let error = match serde_path_to_error::deserialize(&merged) {
            Ok(read) => return read,
            Err(error) => error,
        };
        let (path, message) = (error.path().to_string(), error.inner().to_string());
        let mut names = message.split('`').skip(1).step_by(2);
        let name = names.next().unwrap_or_default();
        if message.starts_with("missing field") {
            faults.push(FieldError::new(join(&path, name), "missing"));
            break;
        }
        if !message.starts_with("unknown field") {
            faults.push(FieldError::new(path, message));
            break;
        }
        if origin != Origin::Service {
            let known: Vec<&str> = names.collect();
            faults.push(unknown_member(&path, name, &known));
        }
        let pointer = path.replace(['[', '.'], "/").replace(']', "");
        let (object, _) = pointer.rsplit_once('/').unwrap_or_default();
        let object = match object {
            "" => Some(&mut merged),
            object => merged.pointer_mut(&format!("/{object}")),
        };
        if let Some(members) = object.and_then(Value::as_object_mut) {
            members.remove(name);
        }
    }
    if faults.is_empty() {
        faults.push(FieldError::new("", "has too many unknown members"));
    }
    before.clone()
}

fn unknown_member(path: &str, name: &str, known: &[&str]) -> FieldError {
    let near = nearest(name, known.iter().copied()).unwrap_or_default();
    let known = known.join(", ");
    FieldError::new(
        path,
        format!("is unknown, did you mean {near}? Known: {known}"),
    )
}

/// Changes `target` to have these members, of which null removes one (RFC 7396, but lists are replaced whole).
fn patch(target: &mut Value, value: Value) {
    let Value::Object(members) = value else {
        *target = value;
        return;
    };
    if !target.is_object() {
        *target = json!({});
    }
    for (name, member) in members {
        if !member.is_null() {
            patch(&mut target[&name], member);
        } else if let Some(target) = target.as_object_mut() {
            target.remove(&name);
        }
    }
}

/// An ID of the words of a text: `do-you-work-on-sundays`.
fn id_of_words(text: &str) -> String {
    words(text).trim().replace(' ', "-")
}

/// Refuses a key that appears twice; `path` is where one is.
fn check_unique<'k>(
    keys: impl IntoIterator<Item = &'k String>,
    path: impl Fn(usize) -> String,
    faults: &mut Vec<FieldError>,
) {
    let mut seen = HashSet::new();
    for (index, key) in keys.into_iter().enumerate() {
        if !seen.insert(key) {
            let shown = quoted(key);
            let message = format!("{shown} appears twice; each must be unique");
            faults.push(FieldError::new(path(index), message));
        }
    }
}

/// Refuses parts of an address that there are not, or leaves them out of a document of this service.
fn check_address(value: &mut Value, origin: Origin, faults: &mut Vec<FieldError>) {
    let Some(address) = value.get_mut("address").and_then(Value::as_object_mut) else {
        return;
    };
    address.retain(|name, _| {
        let is_known = ADDRESS.contains(&name.as_str());
        if !is_known && origin != Origin::Service {
            faults.push(unknown_member(&join("address", name), name, &ADDRESS));
        }
        is_known
    });
}

/// Refuses a position that is none, and hours without a day or without a length.
fn check_places(business: &Business, faults: &mut Vec<FieldError>) {
    let geo = business.geo.iter();
    for (path, degrees, most) in geo.flat_map(|geo| {
        [
            ("geo.latitude", geo.latitude, 90.0),
            ("geo.longitude", geo.longitude, 180.0),
        ]
    }) {
        if degrees.abs() > most {
            let message = format!("{degrees} is not between -{most} and {most}");
            faults.push(FieldError::new(path, message));
        }
    }
    for (index, hours) in business.hours.iter().enumerate() {
        if hours.days.is_empty() {
            let advice = "empty; name a day, or leave the entry out";
            faults.push(FieldError::new(format!("hours[{index}].days"), advice));
        }
        if hours.opens == hours.closes {
            let advice = "the same as opens; write 00:00 and 23:59 for a whole day";
            faults.push(FieldError::new(format!("hours[{index}].closes"), advice));
        }
    }
}

/// Checks the URL to which people report a review.
fn contact(text: &str) -> Result<String, String> {
    let is_mail = |url: Url| url.scheme() == "mailto" && url.path().contains('@');
    if Url::parse(text).is_ok_and(is_mail) || https_url(text).is_ok() {
        return Ok(text.to_owned());
    }
    let shown = quoted(text);
    Err(format!(
        "{shown} is neither an email address like mailto:reviews@sample.test nor a URL that begins with https://"
    ))
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
        let written = name.replace(' ', "_");
        let nearest = zones.find(|zone| zone.eq_ignore_ascii_case(&written));
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
