//! Reads the business from JSON: `business.json` of the seeds, and the `business` of our own documents
//! (`docs/IMPORT.md`).
//!
//! Every value that the tables would refuse is refused here, with a message that names the field.

use std::collections::HashSet;
use std::fmt::Write as _;

use chrono_tz::{TZ_VARIANTS, Tz};
use serde_json::{Map, Value};

use crate::imports::map::fields::{FieldError, Fields, Names, shown_text};
use crate::model::business::{
    Business, Editorial, FaqEntry, PublishStaff, ReviewLink, Service, TEXT_BYTES_MAX, Technician,
    local_business_type,
};

/// The length of tag that implementations must support (RFC 5646 §4.4.1).
const LANGUAGE_BYTES_MAX: usize = 35;

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

/// For files written by hand: refuses unknown members, and types that search engines do not know. Documents of another
/// release may have both.
pub fn check_members(value: &Value) -> Result<(), FieldError> {
    let fields = Fields::of(value, String::new())?;
    fields.only(MEMBERS)?;
    for (name, members) in PARTS {
        if let Some(part) = fields.object(name)? {
            part.only(members)?;
        }
    }
    for (name, members) in ELEMENTS {
        for (path, element) in fields.list(name)? {
            Fields::of(element, path)?.only(members)?;
        }
    }
    let parse = |kind: &str| local_business_type(kind).map_err(|unknown| unknown.to_string());
    fields.read("type", parse).map(drop)
}

/// Reads the business in `value`. A missing member keeps its value from `before`; `null` removes it. With `is_whole`,
/// id and name are required.
pub fn business(value: &Value, before: Business, is_whole: bool) -> Result<Business, FieldError> {
    check_lengths(value, &mut String::new())?;
    let fields = &Fields::of(value, String::new())?;
    let default = Business::default();
    let required = |name, before| {
        if is_whole || fields.has(name) {
            fields.required(name)
        } else {
            Ok(before)
        }
    };
    let kind = |fields: &Fields<'_>, name: &str| {
        let named = fields.filled(name)?.unwrap_or(default.kind);
        Ok(local_business_type(&named).map_or(named, str::to_owned))
    };
    let address = address(fields, before.address.clone());
    Ok(Business {
        id: required("id", before.id)?,
        name: required("name", before.name)?,
        kind: given(fields, "type", before.kind, kind)?,
        time_zone: given(fields, "time_zone", before.time_zone, time_zone)?,
        publish_staff: given(fields, "publish_staff", before.publish_staff, publish_staff)?,
        language: given(fields, "language", before.language, language)?,
        country: given(fields, "country", before.country, country)?,
        description: given(fields, "description", before.description, Fields::filled)?,
        url: given(fields, "url", before.url, Fields::url)?,
        telephone: given(fields, "telephone", before.telephone, Fields::filled)?,
        address: address?,
        geo: given(fields, "geo", before.geo, geo)?,
        same_as: given(fields, "same_as", before.same_as, Fields::urls)?,
        review_links: given(fields, "review_links", before.review_links, review_links)?,
        services: given(fields, "services", before.services, services)?,
        technicians: given(fields, "technicians", before.technicians, technicians)?,
        service_areas: given(fields, "service_areas", before.service_areas, service_areas)?,
    })
}

/// The result of `read` for the member `name`; if the file does not have the member, its value from `before`.
fn given<'f, T>(
    fields: &Fields<'f>,
    name: &str,
    before: T,
    read: impl FnOnce(&Fields<'f>, &str) -> Result<T, FieldError>,
) -> Result<T, FieldError> {
    if fields.has(name) {
        read(fields, name)
    } else {
        Ok(before)
    }
}

/// Merges the address by part, like the business itself: a new postal code leaves the street unchanged.
fn address(
    fields: &Fields<'_>,
    before: Option<Map<String, Value>>,
) -> Result<Option<Map<String, Value>>, FieldError> {
    if fields.is_null("address") {
        return Ok(None);
    }
    fields.object("address")?;
    let Some(Value::Object(parts)) = fields.value("address") else {
        return Ok(before);
    };
    let mut address = before.unwrap_or_default();
    address.extend(parts.clone());
    address.retain(|_, part| !part.is_null());
    Ok(Some(address))
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

/// Refuses texts that are too long to be published with every document.
pub fn check_lengths(value: &Value, path: &mut String) -> Result<(), FieldError> {
    let length = path.len();
    match value {
        Value::String(text) if text.len() > TEXT_BYTES_MAX => {
            let message = format!(
                "has {} bytes; at most {TEXT_BYTES_MAX} can be published; shorten it",
                text.len()
            );
            return Err(FieldError::new(path.as_str(), message));
        }
        Value::Array(values) => {
            for (index, value) in values.iter().enumerate() {
                // Writing to a `String` cannot fail.
                let _ = write!(path, "[{index}]");
                check_lengths(value, path)?;
                path.truncate(length);
            }
        }
        Value::Object(members) => {
            for (name, value) in members {
                if length > 0 {
                    path.push('.');
                }
                path.push_str(name);
                check_lengths(value, path)?;
                path.truncate(length);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    Ok(())
}

fn time_zone(fields: &Fields<'_>, member: &str) -> Result<Tz, FieldError> {
    let parse = |name: &str| {
        name.parse().map_err(|_| {
            let mut zones = TZ_VARIANTS.iter().map(|zone| zone.name());
            let meant = zones.find(|zone| zone.eq_ignore_ascii_case(name));
            format!(
                "{} is not a time zone of the IANA database; write it like {}",
                shown_text(name),
                meant.unwrap_or("America/Phoenix")
            )
        })
    };
    Ok(fields.read(member, parse)?.unwrap_or(Tz::UTC))
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

/// Whether all parts of a language tag have the form of subtags (RFC 5646 §2.1).
pub fn is_made_of_subtags(tag: &str) -> bool {
    tag.split('-').all(|part| {
        (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
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
fn review_links(fields: &Fields<'_>, member: &str) -> Result<Vec<ReviewLink>, FieldError> {
    let one = |(path, value)| {
        let link = Fields::of(value, path)?;
        let url = link.needed("url", link.url("url"))?;
        let scheme = url.get(..8);
        if !scheme.is_some_and(|its| its.eq_ignore_ascii_case("https://")) {
            let message = format!("{} must begin with https://", shown_text(&url));
            return Err(link.problem("url", message));
        }
        Ok(ReviewLink {
            name: link.required("name")?,
            url,
        })
    };
    fields.list(member)?.map(one).collect()
}

fn geo(fields: &Fields<'_>, member: &str) -> Result<Option<(f64, f64)>, FieldError> {
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
    Ok(Some((
        degrees("latitude", 90.0)?,
        degrees("longitude", 180.0)?,
    )))
}

fn services(fields: &Fields<'_>, member: &str) -> Result<Vec<Service>, FieldError> {
    entries(fields, member, |id, entry| {
        Ok(Service {
            id,
            name: entry.required("name")?,
            synonyms: entry.texts("synonyms")?,
        })
    })
}

fn technicians(fields: &Fields<'_>, member: &str) -> Result<Vec<Technician>, FieldError> {
    entries(fields, member, |id, entry| {
        Ok(Technician {
            id,
            name: entry.required("name")?,
            aliases: entry.texts("aliases")?,
        })
    })
}

/// Reads the objects in the list `name`, each of which must have its own id.
fn entries<T>(
    fields: &Fields<'_>,
    name: &str,
    make: impl Fn(String, &Fields<'_>) -> Result<T, FieldError>,
) -> Result<Vec<T>, FieldError> {
    let mut ids = HashSet::new();
    let one = |(path, value)| {
        let entry = Fields::of(value, path)?;
        let id = entry.required("id")?;
        once(&mut ids, &id, || entry.path("id"))?;
        make(id, &entry)
    };
    fields.list(name)?.map(one).collect()
}

fn service_areas(fields: &Fields<'_>, member: &str) -> Result<Vec<String>, FieldError> {
    let areas = fields.texts(member)?;
    let mut names = HashSet::new();
    for (index, area) in areas.iter().enumerate() {
        once(&mut names, area, || {
            format!("{}[{index}]", fields.path(member))
        })?;
    }
    Ok(areas)
}

fn once(
    seen: &mut HashSet<String>,
    key: &str,
    path: impl Fn() -> String,
) -> Result<(), FieldError> {
    if seen.insert(key.to_owned()) {
        return Ok(());
    }
    let message = format!("{} appears twice; each must be unique", shown_text(key));
    Err(FieldError::new(path(), message))
}

// The editorial texts, as in an `editorial.json` and the first line of an export.

/// Refuses unknown members; the message names the nearest known one.
pub fn check_editorial(value: &Value) -> Result<(), FieldError> {
    let fields = Fields::of(value, String::new())?;
    fields.only("summary, faq")?;
    if fields.has("summary")
        && let Some(summary) = fields.object("summary")?
    {
        summary.only("text")?;
    }
    if fields.has("faq") {
        for (path, entry) in fields.list("faq")? {
            Fields::of(entry, path)?.only("id, question, answer")?;
        }
    }
    Ok(())
}

/// Reads the editorial texts in `value`; a missing member keeps its value from `before`, and `null` removes it.
pub fn editorial(value: &Value, before: Editorial) -> Result<Editorial, FieldError> {
    check_lengths(value, &mut String::new())?;
    let fields = Fields::of(value, String::new())?;
    let summary = given(&fields, "summary", before.summary, |fields, name| {
        let summary = fields.object(name)?;
        summary.map(|its| its.required("text")).transpose()
    })?;
    let faq = given(&fields, "faq", before.faq, |fields, name| {
        entries(fields, name, |id, entry| {
            Ok(FaqEntry {
                id,
                question: entry.required("question")?,
                answer: entry.required("answer")?,
            })
        })
    })?;
    Ok(Editorial { summary, faq })
}
