//! Reads the business from JSON: `business.json` of the seeds, and the `business` of our own documents
//! (`docs/IMPORT.md`).
//!
//! Every value that the tables would refuse is refused here, with a message that names the field; all of them at once.

use std::collections::HashSet;
use std::fmt::Write as _;

use chrono_tz::{TZ_VARIANTS, Tz};
use serde_json::{Map, Value};

use crate::imports::map::fields::{
    FieldError, Fields, Names, element, noted, or_default, shown_text, url,
};
use crate::imports::map::values::{is_made_of_subtags, words};
use crate::model::business::{
    Business, Editorial, FaqEntry, PublishStaff, ReviewLink, Service, TEXT_BYTES_MAX, Technician,
    local_business_type,
};

/// The length of tag that implementations must support (RFC 5646 §4.4.1).
const LANGUAGE_BYTES_MAX: usize = 35;

/// Maximum length of an ID that is made of a text.
const ID_CHARACTERS_MAX: usize = 80;

/// Known members of the business.
const MEMBERS: Names = "id, name, type, time_zone, publish_staff, language, country, description, url, telephone, address, \
    geo, same_as, review_links, services, technicians, service_areas";

/// Known members of its objects.
const PARTS: [(&str, Names); 2] = [
    (
        "address",
        "street_address, locality, region, postal_code, country",
    ),
    ("geo", "latitude, longitude"),
];

/// Known members of the objects in its lists.
const ELEMENTS: [(&str, Names); 3] = [
    ("review_links", "name, url"),
    ("services", "id, name, synonyms"),
    ("technicians", "id, name, aliases"),
];

/// For files written by hand: refuses unknown members, types that search engines do not know, and wrong values. Documents
/// of another release may have such members and types.
pub fn check(value: &Value) -> Result<(), Vec<FieldError>> {
    let fields = Fields::of(value, String::new())?;
    let mut wrong = fields.unknown(MEMBERS);
    // Members of another type are reported with the values.
    for (name, members) in PARTS {
        if let Ok(Some(part)) = fields.object(name) {
            wrong.extend(part.unknown(members));
        }
    }
    for (name, members) in ELEMENTS {
        for (path, element) in fields.list(name).into_iter().flatten() {
            if let Ok(element) = Fields::of(element, path) {
                wrong.extend(element.unknown(members));
            }
        }
    }
    let parse = |kind: &str| local_business_type(kind).map_err(|unknown| unknown.to_string());
    if let Err(unknown) = fields.read("type", parse) {
        wrong.push(unknown);
    }
    if let Err(values) = business(value, Business::default(), false) {
        wrong.extend(values.into_iter().filter(|fault| fault.path != "type"));
    }
    faultless((), wrong)
}

/// Reads the business in `value`. A missing member keeps its value from `before`; `null` removes it. With `is_whole`,
/// id and name are required.
pub fn business(
    value: &Value,
    before: Business,
    is_whole: bool,
) -> Result<Business, Vec<FieldError>> {
    let mut members = Members {
        fields: Fields::of(value, String::new())?,
        faults: too_long(value),
    };
    for name in ["id", "name"] {
        if is_whole && !members.fields.has(name) {
            members.faults.push(members.fields.missing(name));
        }
    }
    let business = Business {
        id: members.member("id", before.id, Fields::required),
        name: members.member("name", before.name, Fields::required),
        kind: members.member("type", before.kind, kind),
        time_zone: members.member("time_zone", before.time_zone, time_zone),
        publish_staff: members.member("publish_staff", before.publish_staff, publish_staff),
        language: members.member("language", before.language, language),
        country: members.member("country", before.country, country),
        description: members.member("description", before.description, Fields::filled),
        url: members.member("url", before.url, Fields::url),
        telephone: members.member("telephone", before.telephone, Fields::filled),
        address: address(&mut members, before.address),
        geo: members.member("geo", before.geo, geo),
        same_as: members.member("same_as", before.same_as, urls),
        review_links: members.member("review_links", before.review_links, review_links),
        services: members.member("services", before.services, services),
        technicians: members.member("technicians", before.technicians, technicians),
        service_areas: members.member("service_areas", before.service_areas, service_areas),
    };
    faultless(business, members.faults)
}

fn faultless<T>(read: T, wrong: Vec<FieldError>) -> Result<T, Vec<FieldError>> {
    if wrong.is_empty() {
        Ok(read)
    } else {
        Err(wrong)
    }
}

/// Reads the members of an object, and notes all that is wrong with them.
struct Members<'f> {
    fields: Fields<'f>,
    faults: Vec<FieldError>,
}

impl<'f> Members<'f> {
    /// The result of `read` for the member `name`; `before` if the object does not have the member, or has a wrong one.
    fn member<T, E: Into<Vec<FieldError>>>(
        &mut self,
        name: &str,
        before: T,
        read: impl FnOnce(&Fields<'f>, &str) -> Result<T, E>,
    ) -> T {
        if !self.fields.has(name) {
            return before;
        }
        read(&self.fields, name).unwrap_or_else(|faults| {
            self.faults.extend(faults.into());
            before
        })
    }

    /// The member `name`, which must be present; empty if it is wrong.
    fn required(&mut self, name: &str) -> String {
        or_default(&mut self.faults, self.fields.required(name))
    }
}

/// What `make` makes of each element, or the faults of all.
fn each<T, M, E: Into<Vec<FieldError>>>(
    elements: impl Iterator<Item = T>,
    mut make: impl FnMut(T) -> Result<M, E>,
) -> Result<Vec<M>, Vec<FieldError>> {
    let (mut all, mut wrong) = (Vec::new(), Vec::new());
    for element in elements {
        match make(element) {
            Ok(read) => all.push(read),
            Err(faults) => wrong.extend(faults.into()),
        }
    }
    faultless(all, wrong)
}

/// Merges the address by part, like the business itself: a new postal code leaves the street unchanged.
fn address(
    members: &mut Members<'_>,
    before: Option<Map<String, Value>>,
) -> Option<Map<String, Value>> {
    if members.fields.is_null("address") {
        return None;
    }
    members
        .faults
        .extend(members.fields.object("address").err());
    let Some(Value::Object(parts)) = members.fields.value("address") else {
        return before;
    };
    let mut address = before.unwrap_or_default();
    address.extend(parts.clone());
    address.retain(|_, part| !part.is_null());
    Some(address).filter(|address| !address.is_empty())
}

/// A type that search engines do not know stays as it is.
fn kind(fields: &Fields<'_>, member: &str) -> Result<String, FieldError> {
    let named = fields.filled(member)?;
    let named = named.unwrap_or_else(|| Business::default().kind);
    Ok(local_business_type(&named).map_or(named, str::to_owned))
}

fn publish_staff(fields: &Fields<'_>, member: &str) -> Result<PublishStaff, FieldError> {
    let parse = |name: &str| {
        PublishStaff::find(name).ok_or_else(|| {
            let names = PublishStaff::ALL.map(PublishStaff::name).join(", ");
            format!("{} is not one of {names}", shown_text(name))
        })
    };
    Ok(fields.read(member, parse)?.unwrap_or_default())
}

/// The texts in `value` that are too long to be published with every document.
fn too_long(value: &Value) -> Vec<FieldError> {
    let mut wrong = Vec::new();
    find_too_long(value, &mut String::new(), &mut wrong);
    wrong
}

fn find_too_long(value: &Value, path: &mut String, wrong: &mut Vec<FieldError>) {
    let length = path.len();
    match value {
        Value::String(text) if text.len() > TEXT_BYTES_MAX => {
            let message = format!(
                "has {} bytes; at most {TEXT_BYTES_MAX} can be published; shorten it",
                text.len()
            );
            wrong.push(FieldError::new(path.as_str(), message));
        }
        Value::Array(values) => {
            for (index, value) in values.iter().enumerate() {
                // Writing to a `String` cannot fail.
                let _ = write!(path, "[{index}]");
                find_too_long(value, path, wrong);
                path.truncate(length);
            }
        }
        Value::Object(members) => {
            for (name, value) in members {
                if length > 0 {
                    path.push('.');
                }
                path.push_str(name);
                find_too_long(value, path, wrong);
                path.truncate(length);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn time_zone(fields: &Fields<'_>, member: &str) -> Result<Tz, FieldError> {
    Ok(fields.read(member, zone)?.unwrap_or(Tz::UTC))
}

/// The time zone of that name.
pub fn zone(name: &str) -> Result<Tz, String> {
    name.parse().map_err(|_| {
        let mut zones = TZ_VARIANTS.iter().map(|zone| zone.name());
        let nearest = zones.find(|zone| zone.eq_ignore_ascii_case(name));
        format!(
            "{} is not a time zone of the IANA database; write it like {}",
            shown_text(name),
            nearest.unwrap_or("America/Phoenix")
        )
    })
}

/// Checks that a language tag is well formed (RFC 5646 §2.1), not that it is registered.
fn language(fields: &Fields<'_>, member: &str) -> Result<Option<String>, FieldError> {
    fields.read(member, |tag| {
        let primary = tag.split('-').next().unwrap_or_default();
        let is_primary =
            primary.len() >= 2 && primary.bytes().all(|byte| byte.is_ascii_alphabetic());
        if is_primary && tag.len() <= LANGUAGE_BYTES_MAX && is_made_of_subtags(tag) {
            return Ok(tag.to_owned());
        }
        let shown = shown_text(tag);
        Err(format!(
            "{shown} is not a language tag; write it like en or es-MX"
        ))
    })
}

/// Checks the form of a country code, not that it is assigned.
fn country(fields: &Fields<'_>, member: &str) -> Result<Option<String>, FieldError> {
    fields.read(member, |code| {
        if code.len() == 2 && code.bytes().all(|byte| byte.is_ascii_alphabetic()) {
            return Ok(code.to_ascii_uppercase());
        }
        let shown = shown_text(code);
        Err(format!(
            "{shown} is not a country code of ISO 3166; write it like US or DE"
        ))
    })
}

/// Pages where customers can write a review. A published page links to them, so they must be https.
fn review_links(fields: &Fields<'_>, member: &str) -> Result<Vec<ReviewLink>, Vec<FieldError>> {
    each(fields.list(member)?, |(path, value)| {
        let link = Fields::of(value, path)?;
        let url = link.needed("url", link.url("url")).and_then(|url| {
            let scheme = url.get(..8);
            if scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case("https://")) {
                return Ok(url);
            }
            let message = format!("{} must begin with https://", shown_text(&url));
            Err(link.problem("url", message))
        });
        let mut wrong = Vec::new();
        let [name, url] = [link.required("name"), url].map(|read| noted(&mut wrong, read));
        let link = name.zip(url).map(|(name, url)| ReviewLink { name, url });
        link.ok_or(wrong)
    })
}

fn urls(fields: &Fields<'_>, member: &str) -> Result<Vec<String>, Vec<FieldError>> {
    each(fields.list(member)?, |(path, value)| {
        let text = element(&path, value)?;
        url(&text).map_err(|message| FieldError::new(path, message))
    })
}

fn geo(fields: &Fields<'_>, member: &str) -> Result<Option<(f64, f64)>, Vec<FieldError>> {
    let Some(geo) = fields.object(member)? else {
        return Ok(None);
    };
    let degrees = |name, most: f64| {
        let degrees = geo.needed(name, geo.number(name))?;
        let on_earth = (-most..=most).contains(&degrees);
        if on_earth {
            Ok(degrees)
        } else {
            Err(geo.problem(name, format!("{degrees} is not between -{most} and {most}")))
        }
    };
    let mut wrong = Vec::new();
    let [latitude, longitude] = [degrees("latitude", 90.0), degrees("longitude", 180.0)]
        .map(|degrees| noted(&mut wrong, degrees));
    faultless(latitude.zip(longitude), wrong)
}

fn services(fields: &Fields<'_>, member: &str) -> Result<Vec<Service>, Vec<FieldError>> {
    entries(fields, member, "id", |members, id| Service {
        id,
        name: members.required("name"),
        synonyms: members.member("synonyms", Vec::new(), texts),
    })
}

fn technicians(fields: &Fields<'_>, member: &str) -> Result<Vec<Technician>, Vec<FieldError>> {
    entries(fields, member, "id", |members, id| Technician {
        id,
        name: members.required("name"),
        aliases: members.member("aliases", Vec::new(), texts),
    })
}

/// Reads the objects in the list `name`, each of which must have its own id: its member `id`, or one that is made of the
/// member `id_source`.
fn entries<T>(
    fields: &Fields<'_>,
    name: &str,
    id_source: &str,
    make: impl Fn(&mut Members<'_>, String) -> T,
) -> Result<Vec<T>, Vec<FieldError>> {
    let mut ids = HashSet::new();
    each(fields.list(name)?, |(path, value)| {
        let fields = Fields::of(value, path)?;
        let (id, member) = if fields.has("id") {
            (fields.required("id"), "id")
        } else {
            let id = fields.required(id_source).map(|text| id_of_words(&text));
            (id, id_source)
        };
        let id = id.and_then(|id| once(&mut ids, id, || fields.path(member)));
        let mut members = Members {
            fields,
            faults: Vec::new(),
        };
        let id = or_default(&mut members.faults, id);
        let entry = make(&mut members, id);
        faultless(entry, members.faults)
    })
}

/// An ID of the words of a text: `do-you-work-on-sundays`.
fn id_of_words(text: &str) -> String {
    let id = words(text).trim().replace(' ', "-");
    id.chars().take(ID_CHARACTERS_MAX).collect()
}

fn texts(fields: &Fields<'_>, member: &str) -> Result<Vec<String>, Vec<FieldError>> {
    each(fields.list(member)?, |(path, value)| element(&path, value))
}

fn service_areas(fields: &Fields<'_>, member: &str) -> Result<Vec<String>, Vec<FieldError>> {
    let mut names = HashSet::new();
    each(fields.list(member)?, |(path, value)| {
        once(&mut names, element(&path, value)?, || path.clone())
    })
}

/// The key, if it is not in `seen` yet.
fn once(
    seen: &mut HashSet<String>,
    key: String,
    path: impl Fn() -> String,
) -> Result<String, FieldError> {
    if seen.insert(key.clone()) {
        return Ok(key);
    }
    let message = format!("{} appears twice; each must be unique", shown_text(&key));
    Err(FieldError::new(path(), message))
}

// The editorial texts, as in an `editorial.json` and the first line of an export.

/// Refuses unknown members and wrong values.
pub fn check_editorial(value: &Value) -> Result<(), Vec<FieldError>> {
    let fields = Fields::of(value, String::new())?;
    let mut wrong = fields.unknown("summary, faq");
    // Members of another type are reported with the values.
    if let Ok(Some(summary)) = fields.object("summary") {
        wrong.extend(summary.unknown("text"));
    }
    for (path, entry) in fields.list("faq").into_iter().flatten() {
        if let Ok(entry) = Fields::of(entry, path) {
            wrong.extend(entry.unknown("id, question, answer"));
        }
    }
    wrong.extend(
        editorial(value, Editorial::default())
            .err()
            .unwrap_or_default(),
    );
    faultless((), wrong)
}

/// Reads the editorial texts in `value`; a missing member keeps its value from `before`, and `null` removes it.
pub fn editorial(value: &Value, before: Editorial) -> Result<Editorial, Vec<FieldError>> {
    let mut members = Members {
        fields: Fields::of(value, String::new())?,
        faults: too_long(value),
    };
    let summary = members.member("summary", before.summary, |fields, name| {
        let summary = fields.object(name)?;
        summary.map(|summary| summary.required("text")).transpose()
    });
    let faq = members.member("faq", before.faq, |fields, name| {
        entries(fields, name, "question", |members, id| FaqEntry {
            id,
            question: members.required("question"),
            answer: members.required("answer"),
        })
    });
    faultless(Editorial { summary, faq }, members.faults)
}
