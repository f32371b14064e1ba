//! The business as JSON: `business.json` of the seeds, and the `business` of our own documents
//! (`docs/IMPORT.md`).
//!
//! What the tables would refuse is refused here, in words that name the field.

use std::collections::HashSet;
use std::fmt::Write as _;

use chrono_tz::{TZ_VARIANTS, Tz};
use serde_json::Value;

use super::fields::{Fields, Problem, shown};
use crate::business::{Business, PublishStaff, Service, TEXT_BYTES_MAX, Technician};

/// The longest tag that anybody is to expect (RFC 5646 §4.4.1).
const LANGUAGE_BYTES_MAX: usize = 35;

/// The business that `value` describes.
pub(super) fn business(value: &Value) -> Result<Business, Problem> {
    check_lengths(value, &mut String::new())?;
    let fields = Fields::of(value, String::new())?;
    let default = Business::default();
    let address = fields
        .object("address")?
        .and_then(|_| fields.value("address"))
        .and_then(Value::as_object)
        .cloned();
    Ok(Business {
        id: fields.required("id")?,
        name: fields.required("name")?,
        kind: fields.filled("type")?.unwrap_or(default.kind),
        time_zone: time_zone(&fields)?,
        publish_staff: publish_staff(&fields)?.unwrap_or_default(),
        language: language(&fields)?,
        description: fields.filled("description")?,
        url: fields.url("url")?,
        telephone: fields.filled("telephone")?,
        address,
        geo: geo(&fields)?,
        same_as: fields.urls("same_as")?,
        services: services(&fields)?,
        technicians: technicians(&fields)?,
        service_areas: service_areas(&fields)?,
    })
}

/// How the technicians are to be shown, where that is said.
fn publish_staff(fields: &Fields<'_>) -> Result<Option<PublishStaff>, Problem> {
    let Some(name) = fields.filled("publish_staff")? else {
        return Ok(None);
    };
    let known = PublishStaff::find(&name).ok_or_else(|| {
        let message = format!(
            "{} is none of {}",
            shown(&Value::from(name.as_str())),
            PublishStaff::ALL.map(PublishStaff::name).join(", ")
        );
        fields.problem("publish_staff", message)
    });
    known.map(Some)
}

/// Refuses a text that is too long to be published with every document.
pub(super) fn check_lengths(value: &Value, path: &mut String) -> Result<(), Problem> {
    let length = path.len();
    match value {
        Value::String(text) if text.len() > TEXT_BYTES_MAX => {
            return Err(Problem {
                path: path.clone(),
                message: format!(
                    "has {} bytes; at most {TEXT_BYTES_MAX} are published, so shorten it",
                    text.len()
                ),
            });
        }
        Value::Array(values) => {
            for (index, value) in values.iter().enumerate() {
                // Writing to a String cannot fail.
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

fn time_zone(fields: &Fields<'_>) -> Result<Tz, Problem> {
    let Some(name) = fields.filled("time_zone")? else {
        return Ok(Tz::UTC);
    };
    name.parse().map_err(|_| {
        let meant = TZ_VARIANTS
            .iter()
            .find(|zone| zone.name().eq_ignore_ascii_case(&name))
            .map_or("America/Phoenix", |zone| zone.name());
        let message = format!(
            "{} is no time zone of the IANA database; write it like {meant}",
            shown(&Value::from(name.as_str()))
        );
        fields.problem("time_zone", message)
    })
}

/// A language tag, well formed (RFC 5646 §2.1): whether it is registered is not asked.
fn language(fields: &Fields<'_>) -> Result<Option<String>, Problem> {
    let Some(tag) = fields.filled("language")? else {
        return Ok(None);
    };
    let is_part = |part: &str| {
        (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    let primary = tag.split('-').next().unwrap_or_default();
    let is_primary = primary.len() >= 2 && primary.bytes().all(|byte| byte.is_ascii_alphabetic());
    if is_primary && tag.len() <= LANGUAGE_BYTES_MAX && tag.split('-').all(is_part) {
        return Ok(Some(tag));
    }
    let message = format!(
        "{} is no language tag; write it like en or es-MX",
        shown(&Value::from(tag.as_str()))
    );
    Err(fields.problem("language", message))
}

fn geo(fields: &Fields<'_>) -> Result<Option<(f64, f64)>, Problem> {
    let Some(geo) = fields.object("geo")? else {
        return Ok(None);
    };
    let degrees = |name, most: f64| {
        let degrees = geo.number(name)?.ok_or_else(|| geo.missing(name))?;
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

fn services(fields: &Fields<'_>) -> Result<Vec<Service>, Problem> {
    let mut ids = HashSet::new();
    let one = |(path, value)| {
        let service = Fields::of(value, path)?;
        let id = service.required("id")?;
        once(&mut ids, &id, || service.path("id"))?;
        Ok(Service {
            id,
            name: service.required("name")?,
            synonyms: service.texts("synonyms")?,
        })
    };
    fields.list("services")?.map(one).collect()
}

fn technicians(fields: &Fields<'_>) -> Result<Vec<Technician>, Problem> {
    let mut ids = HashSet::new();
    let one = |(path, value)| {
        let technician = Fields::of(value, path)?;
        let id = technician.required("id")?;
        once(&mut ids, &id, || technician.path("id"))?;
        Ok(Technician {
            id,
            name: technician.required("name")?,
            aliases: technician.texts("aliases")?,
        })
    };
    fields.list("technicians")?.map(one).collect()
}

fn service_areas(fields: &Fields<'_>) -> Result<Vec<String>, Problem> {
    let areas = fields.texts("service_areas")?;
    let mut names = HashSet::new();
    for (index, area) in areas.iter().enumerate() {
        once(&mut names, area, || {
            format!("{}[{index}]", fields.path("service_areas"))
        })?;
    }
    Ok(areas)
}

fn once(seen: &mut HashSet<String>, key: &str, path: impl Fn() -> String) -> Result<(), Problem> {
    if seen.insert(key.to_owned()) {
        return Ok(());
    }
    Err(Problem {
        path: path(),
        message: format!(
            "{} is there twice; each must be its own",
            shown(&Value::from(key))
        ),
    })
}
