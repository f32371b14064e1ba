//! The business's rows: read whole (they are few), replaced whole.

use chrono_tz::Tz;
use serde_json::{Map, Value};
use sqlx::{Sqlite, SqliteConnection, Transaction};

use super::{Business, Service, Technician};
use crate::db::Text;

/// The business, or `None` where the database has none yet.
///
/// A time zone that is no IANA name (a shell can write one) counts as UTC, and is reported.
///
/// # Errors
/// When the database cannot be read.
pub async fn find(connection: &mut SqliteConnection) -> sqlx::Result<Option<Business>> {
    let row = sqlx::query!(
        r#"select business_id as "business_id: Text", name as "name: Text", type as "kind: Text", time_zone as "time_zone: Text",
             language as "language: Text", description as "description: Text", url as "url: Text", telephone as "telephone: Text", address as "address: Text",
             latitude, longitude, same_as as "same_as: Text"
           from business"#
    )
    .fetch_optional(&mut *connection)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let services = sqlx::query!(
        r#"select service_id as "id: Text", name as "name: Text", synonyms as "synonyms: Text"
           from service order by position, service_id"#
    )
    .fetch_all(&mut *connection)
    .await?
    .into_iter()
    .map(|row| Service { id: row.id.into(), name: row.name.into(), synonyms: texts(row.synonyms.as_ref()) })
    .collect();
    let technicians = sqlx::query!(
        r#"select technician_id as "id: Text", name as "name: Text", aliases as "aliases: Text"
           from technician order by position, technician_id"#
    )
    .fetch_all(&mut *connection)
    .await?
    .into_iter()
    .map(|row| Technician { id: row.id.into(), name: row.name.into(), aliases: texts(row.aliases.as_ref()) })
    .collect();
    let service_areas = sqlx::query_scalar!(r#"select name as "name: Text" from service_area order by position, name"#)
        .fetch_all(&mut *connection)
        .await?
        .into_iter()
        .map(String::from)
        .collect();
    let time_zone = row.time_zone.as_ref().parse().unwrap_or_else(|_| {
        tracing::warn!(
            time_zone = row.time_zone.as_ref(),
            "business.time_zone_unknown: counting days in UTC; set business.time_zone to an IANA name"
        );
        Tz::UTC
    });
    Ok(Some(Business {
        id: row.business_id.into(),
        name: row.name.into(),
        kind: row.kind.into(),
        time_zone,
        language: row.language.map(String::from),
        description: row.description.map(String::from),
        url: row.url.map(String::from),
        telephone: row.telephone.map(String::from),
        address: row.address.and_then(|address| object(address.as_ref())),
        geo: row.latitude.zip(row.longitude),
        same_as: texts(row.same_as.as_ref()),
        services,
        technicians,
        service_areas,
    }))
}

/// Puts `business` in the place of what is there.
///
/// # Errors
/// When the database refuses it.
pub async fn replace(write: &mut Transaction<'static, Sqlite>, business: &Business) -> sqlx::Result<()> {
    let time_zone = business.time_zone.name();
    let address = business.address.as_ref().map(|address| Value::Object(address.clone()).to_string());
    let (latitude, longitude) = (business.geo.map(|geo| geo.0), business.geo.map(|geo| geo.1));
    let same_as = array(&business.same_as);
    sqlx::query!("delete from business").execute(&mut **write).await?;
    sqlx::query!(
        "insert into business (business_id, name, type, time_zone, language, description, url, telephone, address, latitude,
           longitude, same_as)
         values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        business.id,
        business.name,
        business.kind,
        time_zone,
        business.language,
        business.description,
        business.url,
        business.telephone,
        address,
        latitude,
        longitude,
        same_as,
    )
    .execute(&mut **write)
    .await?;
    sqlx::query!("delete from service").execute(&mut **write).await?;
    for (position, service) in (0_i64..).zip(&business.services) {
        let synonyms = array(&service.synonyms);
        sqlx::query!(
            "insert into service (service_id, position, name, synonyms) values (?, ?, ?, ?)",
            service.id,
            position,
            service.name,
            synonyms,
        )
        .execute(&mut **write)
        .await?;
    }
    sqlx::query!("delete from technician").execute(&mut **write).await?;
    for (position, technician) in (0_i64..).zip(&business.technicians) {
        let aliases = array(&technician.aliases);
        sqlx::query!(
            "insert into technician (technician_id, position, name, aliases) values (?, ?, ?, ?)",
            technician.id,
            position,
            technician.name,
            aliases,
        )
        .execute(&mut **write)
        .await?;
    }
    sqlx::query!("delete from service_area").execute(&mut **write).await?;
    for (position, name) in (0_i64..).zip(&business.service_areas) {
        sqlx::query!("insert into service_area (name, position) values (?, ?)", name, position).execute(&mut **write).await?;
    }
    Ok(())
}

fn array(texts: &[String]) -> String {
    Value::from(texts).to_string()
}

/// The strings of a JSON array; the table's checks say that it is one, so what is no string is left out.
fn texts(json: &str) -> Vec<String> {
    let Ok(Value::Array(values)) = serde_json::from_str(json) else { return Vec::new() };
    values.into_iter().filter_map(|value| value.as_str().map(str::to_owned)).collect()
}

fn object(json: &str) -> Option<Map<String, Value>> {
    serde_json::from_str(json).ok()
}
