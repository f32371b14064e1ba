//! The business's rows: few, so they are read and replaced as a whole.

use std::path::Path;

use chrono_tz::Tz;
use serde_json::json;
use sqlx::SqliteConnection;

use super::error::{AtPath as _, DbError};
use super::text::{NullableText, Text, strings};
use super::write::Write;
use crate::model::business::{
    Business, Editorial, FaqEntry, Geo, PublishStaff, Service, Summary, Technician,
};

/// Deletes all rows of these tables.
macro_rules! empty {
    ($write:ident, $($table:literal),+) => {
        $(sqlx::query!("delete from " + $table).execute(&mut *$write).await?;)+
    };
}

/// `None` if the database has no business yet. A time zone without an IANA name (a shell can write one) counts as UTC
/// and is reported.
pub async fn find(connection: &mut SqliteConnection) -> sqlx::Result<Option<Business>> {
    let row = sqlx::query!(
        r#"select business_id as "business_id!: Text", name as "name!: Text", type as "kind!: Text",
             time_zone as "time_zone!: Text", publish_staff as "publish_staff!: Text", language as "language!: NullableText",
             country as "country!: NullableText", description as "description!: NullableText", url as "url!: NullableText",
             telephone as "telephone!: NullableText", address as "address: Text", latitude, longitude, hours as "hours!: Text",
             same_as as "same_as!: Text", review_links as "review_links!: Text", review_policy as "review_policy!: Text"
           from business"#
    )
    .fetch_optional(&mut *connection)
    .await?;
    let Some(row) = row else { return Ok(None) };
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
        // The table allows no other value. If its check was circumvented, no names may appear by accident.
        publish_staff: PublishStaff::find(row.publish_staff.as_ref()).unwrap_or(PublishStaff::Off),
        language: row.language.into(),
        country: row.country.into(),
        description: row.description.into(),
        url: row.url.into(),
        telephone: row.telephone.into(),
        address: row
            .address
            .and_then(|json| serde_json::from_str(json.as_ref()).ok()),
        geo: (row.latitude.zip(row.longitude)).map(|(latitude, longitude)| Geo {
            latitude,
            longitude,
        }),
        // Other programs may write other JSON.
        hours: serde_json::from_str(row.hours.as_ref()).unwrap_or_default(),
        same_as: row.same_as.into(),
        review_links: row.review_links.into(),
        review_policy: serde_json::from_str(row.review_policy.as_ref()).unwrap_or_default(),
        services: services(connection).await?,
        technicians: technicians(connection).await?,
        service_areas: service_areas(connection).await?,
    }))
}

/// In the owner's order.
async fn services(connection: &mut SqliteConnection) -> sqlx::Result<Vec<Service>> {
    sqlx::query_as!(
        Service,
        r#"select service_id as "id: Text", name as "name: Text",
             synonyms as "synonyms!: Text" from service order by position, service_id"#
    )
    .fetch_all(connection)
    .await
}

/// In the owner's order.
async fn service_areas(connection: &mut SqliteConnection) -> sqlx::Result<Vec<String>> {
    let rows = sqlx::query_scalar!(
        r#"select name as "name: Text" from service_area order by position, name"#
    )
    .fetch_all(connection)
    .await?;
    Ok(strings(rows))
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
    let (time_zone, publish_staff) = (business.time_zone.name(), business.publish_staff.name());
    let address = business.address.as_ref();
    let address = address.map(|address| json!(address).to_string());
    let latitude = business.geo.map(|geo| geo.latitude);
    let longitude = business.geo.map(|geo| geo.longitude);
    let hours = json!(business.hours).to_string();
    let same_as = json!(business.same_as).to_string();
    let review_links = json!(business.review_links).to_string();
    let review_policy = json!(business.review_policy).to_string();
    empty!(write, "business");
    execute!(
        write,
        "insert into business (business_id, name, type, time_zone, publish_staff, language, country, description, url,
           telephone, address, latitude, longitude, hours, same_as, review_links, review_policy)
         values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        business.id,
        business.name,
        business.kind,
        time_zone,
        publish_staff,
        business.language,
        business.country,
        business.description,
        business.url,
        business.telephone,
        address,
        latitude,
        longitude,
        hours,
        same_as,
        review_links,
        review_policy
    )?;
    let services = json!(business.services).to_string();
    empty!(write, "service");
    execute!(
        write,
        "insert into service (service_id, position, name, synonyms)
         select value ->> 'id', key, value ->> 'name', coalesce(value -> 'synonyms', '[]')
         from json_each(?)",
        services
    )?;
    let technicians = json!(business.technicians).to_string();
    empty!(write, "technician");
    execute!(
        write,
        "insert into technician (technician_id, position, name, aliases)
         select value ->> 'id', key, value ->> 'name', coalesce(value -> 'aliases', '[]')
         from json_each(?)",
        technicians
    )?;
    let service_areas = json!(business.service_areas).to_string();
    empty!(write, "service_area");
    execute!(
        write,
        "insert into service_area (name, position) select value, key from json_each(?)",
        service_areas
    )
}

/// In the owner's order.
async fn technicians(connection: &mut SqliteConnection) -> sqlx::Result<Vec<Technician>> {
    sqlx::query_as!(
        Technician,
        r#"select technician_id as "id: Text", name as "name: Text",
             aliases as "aliases!: Text" from technician order by position, technician_id"#
    )
    .fetch_all(connection)
    .await
}

// The editorial texts: rows that only the owner changes.

pub async fn editorial(connection: &mut SqliteConnection) -> sqlx::Result<Editorial> {
    let summary = sqlx::query_scalar!(r#"select text as "text: Text" from editorial_summary"#)
        .fetch_optional(&mut *connection)
        .await?;
    let faq = sqlx::query_as!(
        FaqEntry,
        r#"select faq_id as "id: Text", question as "question: Text", answer as "answer: Text"
           from editorial_faq order by position, faq_id"#
    )
    .fetch_all(connection)
    .await?;
    Ok(Editorial {
        summary: summary.map(|text| Summary { text: text.into() }),
        faq,
    })
}

pub async fn replace_editorial(write: &mut Write, editorial: &Editorial) -> sqlx::Result<()> {
    empty!(write, "editorial_summary");
    if let Some(summary) = &editorial.summary {
        execute!(
            write,
            "insert into editorial_summary (text) values (?)",
            summary.text
        )?;
    }
    let faq = json!(editorial.faq).to_string();
    empty!(write, "editorial_faq");
    execute!(
        write,
        "insert into editorial_faq (faq_id, position, question, answer)
         select value ->> 'id', key, value ->> 'question', value ->> 'answer' from json_each(?)",
        faq
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
        "insert into instance (is_sample) values (1) on conflict (only_row) do update set is_sample = 1"
    )
}
