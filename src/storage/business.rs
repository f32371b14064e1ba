//! The business's rows: few, so they are read and replaced as a whole.

use std::borrow::Cow;
use std::path::Path;

use chrono_tz::Tz;
use serde::Deserialize as _;
use serde_json::{Map, Value, json};
use sqlx::SqliteConnection;

use super::columns::Text;
use super::error::{AtPath as _, DbError};
use super::write::Write;
use crate::model::business::{Business, Editorial, Geo, PublishStaff};

/// Deletes all rows of these tables.
macro_rules! empty {
    ($write:ident, $($table:literal),+) => {
        $(sqlx::query!("delete from " + $table).execute(&mut *$write).await?;)+
    };
}

/// `None` if the database has no business yet. A value that another program made unreadable is left out and reported; without an IANA
/// name the time zone is UTC.
pub async fn find(connection: &mut SqliteConnection) -> sqlx::Result<Option<Business>> {
    let row = sqlx::query!(
        r#"select json_object('id', business_id, 'name', name, 'type', type, 'time_zone', time_zone, 'publish_staff', publish_staff,
             'language', language, 'country', country, 'description', description, 'url', url, 'telephone', telephone, 'address', json(address),
             'hours', json(hours), 'same_as', json(same_as), 'review_links', json(review_links), 'review_policy', json(review_policy),
             'services', json((select json_group_array(json_object('id', service_id, 'name', name, 'synonyms', json(synonyms)))
               from (select * from service order by position, service_id))),
             'technicians', json((select json_group_array(json_object('id', technician_id, 'name', name, 'aliases', json(aliases)))
               from (select * from technician order by position, technician_id))),
             'service_areas', json((select json_group_array(name) from (select name from service_area order by position, name))))
             as "json!: Vec<u8>", latitude, longitude
           from business"#
    )
    .fetch_optional(connection)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let text = String::from_utf8_lossy(&row.json);
    let has_broken_bytes = matches!(text, Cow::Owned(_));
    let mut members: Map<String, Value> =
        serde_json::from_str(&text).map_err(|error| sqlx::Error::Decode(error.into()))?;
    // Another program may have written a value of another kind, or bytes that are no UTF-8: it counts as absent, and so do names that it
    // might have hidden.
    let is_readable = |name: &str, value: &Value| {
        let is_broken = has_broken_bytes && value.to_string().contains(char::REPLACEMENT_CHARACTER);
        !is_broken && Business::deserialize(json!({ name: value })).is_ok()
    };
    members.retain(|name, value| {
        if is_readable(name, value) {
            return true;
        }
        tracing::warn!(member = %name, "business.unreadable: a value of the business is left out; set it with `reviews business FILE`");
        let Some(elements) = value.as_array_mut() else {
            return false;
        };
        elements.retain(|element| is_readable(name, &json!([element])));
        is_readable(name, value)
    });
    let is_staff_known = members.contains_key("publish_staff");
    let mut business = Business::deserialize(Value::Object(members)).unwrap_or_default();
    if !is_staff_known {
        business.publish_staff = PublishStaff::Off;
    }
    business.geo = (row.latitude.zip(row.longitude)).map(|(latitude, longitude)| Geo {
        latitude,
        longitude,
    });
    Ok(Some(business))
}

/// `None` if no time zone was ever set; days of instants are then unknown.
pub async fn time_zone(connection: &mut SqliteConnection) -> sqlx::Result<Option<Tz>> {
    let row = sqlx::query!(r#"select time_zone as "zone!: Text", exists (select 1 from instance where dates_time_zone is not null) as "is_set!: bool" from business"#)
        .fetch_optional(&mut *connection)
        .await?;
    let set = row.filter(|row| row.is_set || row.zone.as_ref() != Tz::UTC.name());
    Ok(set.map(|row| row.zone.as_ref().parse().unwrap_or(Tz::UTC)))
}

/// Records that the time zone was set, UTC too.
pub async fn note_time_zone(write: &mut Write, zone: Tz) -> sqlx::Result<()> {
    let name = zone.name();
    execute!(
        write,
        "insert into instance (dates_time_zone) values (?) on conflict (only_row)
         do update set dates_time_zone = excluded.dates_time_zone where dates_time_zone is not excluded.dates_time_zone",
        name
    )
}

pub async fn replace(write: &mut Write, business: &Business) -> sqlx::Result<()> {
    let latitude = business.geo.map(|geo| geo.latitude);
    let longitude = business.geo.map(|geo| geo.longitude);
    let business = json!(business).to_string();
    empty!(write, "business", "service", "technician", "service_area");
    execute!(
        write,
        "insert into business (business_id, name, type, time_zone, publish_staff, language, country, description, url,
           telephone, address, latitude, longitude, hours, same_as, review_links, review_policy)
         values (?1 ->> 'id', ?1 ->> 'name', ?1 ->> 'type', ?1 ->> 'time_zone', ?1 ->> 'publish_staff', ?1 ->> 'language',
           ?1 ->> 'country', ?1 ->> 'description', ?1 ->> 'url', ?1 ->> 'telephone', ?1 ->> 'address', ?2, ?3, ?1 -> 'hours',
           ?1 -> 'same_as', ?1 -> 'review_links', ?1 -> 'review_policy')",
        business,
        latitude,
        longitude
    )?;
    execute!(
        write,
        "insert into service (service_id, position, name, synonyms)
         select value ->> 'id', key, value ->> 'name', coalesce(value -> 'synonyms', '[]')
         from json_each(?, '$.services')",
        business
    )?;
    execute!(
        write,
        "insert into technician (technician_id, position, name, aliases)
         select value ->> 'id', key, value ->> 'name', coalesce(value -> 'aliases', '[]')
         from json_each(?, '$.technicians')",
        business
    )?;
    execute!(
        write,
        "insert into service_area (name, position) select value, key from json_each(?, '$.service_areas')",
        business
    )
}

// The editorial texts: rows that only the owner changes.

pub async fn editorial(connection: &mut SqliteConnection) -> sqlx::Result<Editorial> {
    let editorial = sqlx::query_scalar!(
        r#"select json_object('summary', (select json_object('text', text) from editorial_summary), 'faq',
             json((select json_group_array(json_object('id', faq_id, 'question', question, 'answer', answer))
               from (select * from editorial_faq order by position, faq_id)))) as "json!: Text""#
    )
    .fetch_one(connection)
    .await?;
    serde_json::from_str(editorial.as_ref()).map_err(|error| sqlx::Error::Decode(error.into()))
}

pub async fn replace_editorial(write: &mut Write, editorial: &Editorial) -> sqlx::Result<()> {
    let editorial = json!(editorial).to_string();
    empty!(write, "editorial_summary", "editorial_faq");
    execute!(
        write,
        "insert into editorial_summary (text) select value from json_each(?1, '$.summary')",
        editorial
    )?;
    execute!(
        write,
        "insert into editorial_faq (faq_id, position, question, answer)
         select value ->> 'id', key, value ->> 'question', value ->> 'answer' from json_each(?, '$.faq')",
        editorial
    )
}

// Whether the database holds sample data, which never mix with a firm's own reviews.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SampleState {
    /// There is no business and no review, and there never was.
    Empty,
    Sample,
    /// The business's own data.
    Own,
}

pub async fn sample_state(connection: &mut SqliteConnection) -> sqlx::Result<SampleState> {
    let state = sqlx::query!(
        r#"select exists (select 1 from instance where is_sample) as "is_sample!: bool",
             exists (select 1 from business) or exists (select 1 from review_change where review_id <> '') as "has_any!: bool""#
    )
    .fetch_one(connection)
    .await?;
    Ok(match (state.is_sample, state.has_any) {
        (true, _) => SampleState::Sample,
        (false, false) => SampleState::Empty,
        (false, true) => SampleState::Own,
    })
}

/// # Errors
/// [`DbError::Sample`] if the database at `path` holds sample data.
pub async fn refuse_sample(connection: &mut SqliteConnection, path: &Path) -> Result<(), DbError> {
    if sample_state(connection).await.at(path)? == SampleState::Sample {
        return Err(DbError::Sample(path.to_owned()));
    }
    Ok(())
}

/// Records that the data are a sample.
pub async fn note_sample(write: &mut Write) -> sqlx::Result<()> {
    execute!(
        write,
        "insert into instance (is_sample) values (1) on conflict (only_row) do update set is_sample = 1 where not is_sample"
    )
}
