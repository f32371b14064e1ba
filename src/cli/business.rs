//! The commands that set up and change the business: `reviews init`, `reviews business` and `reviews editorial`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use chrono_tz::Tz;
use clap::Args;
use clap::builder::{NonEmptyStringValueParser, TypedValueParser as _};
use serde_json::{Map, Value, json};
use sqlx::SqliteConnection;

use super::database::{change, existing_address, read, repeat_if_overtaken};
use super::report::{Exit, format_lines};
use super::session::Session;
use super::status::{PUBLISH, first_step, policy_advice};
use crate::config::{DatabaseAddress, DatabaseConfig};
use crate::imports::owner::{ADDRESS, OwnerFile, country, language, zone};
use crate::model::business::{Business, local_business_type};
use crate::model::text::{slug, url, without_controls};
use crate::pages::PageLanguage;
use crate::storage;
use crate::storage::business::{refuse_sample, sample_state};
use crate::storage::reviews::counts_by_source;
use crate::storage::{Database, Write};
use crate::wire;

/// Create the database and set up your business; run it again to change single fields
#[derive(Debug, Args)]
pub struct Init {
    /// Name of the business
    #[arg(long, value_name = "N", value_parser = NonEmptyStringValueParser::new().try_map(|name| without_controls(&name)))]
    name: Option<String>,
    /// A schema.org `LocalBusiness` subtype, for example `HVACBusiness`
    #[arg(long = "type", value_name = "T", value_parser = local_business_type)]
    kind: Option<&'static str>,
    /// Time zone of the business (IANA name), for example America/Phoenix
    #[arg(long, value_name = "Z", value_parser = zone)]
    time_zone: Option<Tz>,
    /// Country of the business (ISO 3166), for example US; it decides how pages and imports read and write dates
    #[arg(long, value_name = "CC", value_parser = country)]
    country: Option<String>,
    /// Website of the business
    #[arg(long = "url", value_name = "U", value_parser = |site: &str| url(&without_controls(site)?))]
    site: Option<String>,
    /// Telephone number of the business
    #[arg(long, value_name = "P", value_parser = NonEmptyStringValueParser::new().try_map(|phone| without_controls(&phone)))]
    telephone: Option<String>,
    /// Postal address of the business as STREET, TOWN, REGION, POSTAL CODE, COUNTRY, for example "12 Main St, Mesa, AZ, 85201,
    /// US"
    #[arg(long, value_name = "A", value_parser = postal_address)]
    address: Option<Map<String, Value>>,
    /// Language of the business as a tag, for example es-MX; pages are in English, Spanish, German or French
    #[arg(long, value_name = "L", value_parser = language)]
    language: Option<String>,
}

impl Init {
    pub(super) async fn run(
        self,
        config: &DatabaseConfig,
        session: &Session,
    ) -> anyhow::Result<Exit> {
        let address = config.address()?;
        repeat_if_overtaken(|| self.set_up(&address, session)).await
    }

    async fn set_up(&self, address: &DatabaseAddress, session: &Session) -> anyhow::Result<Exit> {
        let path = address.file();
        let (database, _) = Database::open_at(address).await?;
        let mut write = database.write_as_owner().await?;
        let has_zone = self.time_zone.is_some();
        let known = storage::business::find(write.reader()).await?;
        let business = self.applied_to(known.as_ref());
        if known.as_ref() != Some(&business) {
            refuse_sample(write.reader(), path).await?;
        }
        store_business(&mut write, known.as_ref(), &business, has_zone).await?;
        let is_zone_known = storage::business::time_zone(write.reader())
            .await?
            .is_some();
        let counts = counts_by_source(write.reader(), &[]).await?;
        let has_reviews = counts.iter().any(|one| one.published + one.withheld > 0);
        let sample = sample_state(write.reader()).await?;
        write.commit().await?;
        database.close().await;
        let next = first_step(sample, business.is_set_up(), is_zone_known, has_reviews);
        let next = next.as_deref().unwrap_or(PUBLISH);
        let summary = format_summary(&business, is_zone_known, path);
        Ok(session.print_report(&format!("{summary}next        {next}\n")))
    }

    fn applied_to(&self, known: Option<&Business>) -> Business {
        let before = known.cloned().unwrap_or_default();
        // The business may have been created without a name.
        let is_unnamed = before.id == Business::default().id;
        let new_name = self.name.as_deref().filter(|_| is_unnamed);
        let id = new_name.map(slug).filter(|id| !id.is_empty());
        Business {
            id: id.unwrap_or(before.id),
            name: self.name.clone().unwrap_or(before.name),
            kind: self.kind.map_or(before.kind, str::to_owned),
            time_zone: self.time_zone.unwrap_or(before.time_zone),
            country: self.country.clone().or(before.country),
            language: self.language.clone().or(before.language),
            url: self.site.clone().or(before.url),
            telephone: self.telephone.clone().or(before.telephone),
            address: self.address.clone().or(before.address),
            ..before
        }
    }
}

/// Stores the business if it differs from the known one, and its time zone if it `has_zone`.
async fn store_business(
    write: &mut Write,
    known: Option<&Business>,
    business: &Business,
    has_zone: bool,
) -> sqlx::Result<()> {
    if known != Some(business) {
        storage::business::replace(write, business).await?;
    }
    if has_zone {
        storage::business::note_time_zone(write, business.time_zone).await?;
    }
    Ok(())
}

/// The business as text.
fn format_summary(business: &Business, is_zone_known: bool, path: &Path) -> String {
    let zone = if is_zone_known {
        business.time_zone.name()
    } else {
        "not set; `reviews init --time-zone ZONE` sets it"
    };
    let address = business.address.iter().flat_map(|address| {
        let parts = ADDRESS.iter();
        parts.filter_map(|part| address.get(*part)?.as_str())
    });
    let lines = [
        ("database", path.display().to_string()),
        ("name", business.name.clone()),
        ("type", business.kind.clone()),
        ("time zone", zone.to_owned()),
        ("country", business.country.clone().unwrap_or_default()),
        ("language", format_language(business.language.as_deref())),
        ("url", business.url.clone().unwrap_or_default()),
        ("telephone", business.telephone.clone().unwrap_or_default()),
        ("address", address.collect::<Vec<_>>().join(", ")),
        ("staff", business.publish_staff.name().to_owned()),
        ("note", policy_advice(&business.review_policy.not_stated())),
    ];
    format_lines(12, &lines)
}

/// The language of the business, and that of the pages.
fn format_language(tag: Option<&str>) -> String {
    let Some(tag) = tag else {
        return "not set, so pages are in English; `reviews init --language es` (or de, fr) changes that"
            .to_owned();
    };
    match PageLanguage::of_tag(tag) {
        Some(language) => format!("{tag}, so pages are in {}", language.own_name()),
        None => format!("{tag}, which pages do not have, so they are in English"),
    }
}

/// Parses an address of comma-separated parts. A region that ends in a number, `AZ 85201`, includes the postal code,
/// and a fourth part without digits is the country.
fn postal_address(text: &str) -> Result<Map<String, Value>, String> {
    without_controls(text)?;
    let mut parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let has_digit = |part: &str| part.contains(|c: char| c.is_ascii_digit());
    if let Some((region, code)) = parts.get(2).and_then(|region| region.rsplit_once(' '))
        && has_digit(code)
    {
        parts.splice(2..3, [region, code]);
    } else if let [_, _, _, country] = parts[..]
        && !has_digit(country)
    {
        parts.insert(3, "");
    }
    if parts.len() > ADDRESS.len() || parts.iter().all(|part| part.is_empty()) {
        return Err(
            "write it as STREET, TOWN, REGION, POSTAL CODE, COUNTRY; a part may be empty, and `reviews business FILE` takes any address"
                .to_owned(),
        );
    }
    let parts = ADDRESS.iter().zip(parts);
    let filled = parts.filter(|(_, part)| !part.is_empty());
    Ok(filled
        .map(|(name, part)| ((*name).to_owned(), Value::from(part)))
        .collect())
}

/// Show the business, or merge a business.json into it: facts, services, technicians, areas
#[derive(Debug, Args)]
pub struct BusinessCommand {
    /// A business.json to merge: missing members stay, null removes a member, a list replaces the whole list; without FILE, print
    /// the business in this format
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Replace the business with FILE: members that FILE lacks are removed, except time_zone and publish_staff
    #[expect(clippy::doc_markdown, reason = "`--help` prints it as it is")]
    #[arg(long, requires = "file")]
    replace: bool,
}

impl BusinessCommand {
    pub(super) async fn run(
        self,
        config: &DatabaseConfig,
        session: &Session,
    ) -> anyhow::Result<Exit> {
        let Some(file) = &self.file else {
            return show(config, session).await;
        };
        let address = config.address()?;
        let file = OwnerFile::read(&session.environment.resolve(file))?;
        change(&address, session, async |database| {
            let mut write = database.write_as_owner().await?;
            let known = storage::business::find(write.reader()).await?;
            let loaded = file.business(known.as_ref(), self.replace)?;
            let stored_zone = storage::business::time_zone(write.reader()).await?;
            let is_zone_known = file.says("time_zone") || stored_zone.is_some();
            store_business(&mut write, known.as_ref(), &loaded, is_zone_known).await?;
            write.commit().await?;
            let [before, after] =
                [known.as_ref(), Some(&loaded)].map(|it| it.map(wire::Business::from));
            let changed = format_changed(&json!(before), &json!(after));
            Ok(format_summary(&loaded, is_zone_known, address.file()) + &changed)
        })
        .await
    }
}

async fn show(config: &DatabaseConfig, session: &Session) -> anyhow::Result<Exit> {
    let Some(business) = read(config, read_own_business).await? else {
        anyhow::bail!("no business yet; create it with `reviews init --name NAME`")
    };
    let mut text = serde_json::to_string_pretty(&business)?;
    text.push('\n');
    session.print_result(&text)
}

/// The business as in a file. A time zone that was never set is left out, because the file would set it.
pub(super) async fn read_own_business(
    connection: &mut SqliteConnection,
) -> sqlx::Result<Option<wire::Business>> {
    let Some(business) = storage::business::find(&mut *connection).await? else {
        return Ok(None);
    };
    let mut own = wire::Business::from(&business);
    if storage::business::time_zone(connection).await?.is_none() {
        own.time_zone.clear();
    }
    Ok(Some(own))
}

/// Show your own FAQ and summary, or load them from an editorial.json
#[derive(Debug, Args)]
pub struct EditorialCommand {
    /// An editorial.json, {"summary": {"text"}, "faq": [{"question", "answer"}]}: missing members stay, null removes a
    /// member, a list replaces the whole list; an entry may have an "id", else it is made of the question
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
}

impl EditorialCommand {
    pub(super) async fn run(
        self,
        config: &DatabaseConfig,
        session: &Session,
    ) -> anyhow::Result<Exit> {
        let Some(file) = &self.file else {
            let editorial = read(config, storage::business::editorial).await?;
            return session.print_result(&format!("{:#}\n", json!(editorial)));
        };
        let file = OwnerFile::read(&session.environment.resolve(file))?;
        change(&existing_address(config)?, session, async |database| {
            let mut write = database.write_as_owner().await?;
            let known = storage::business::editorial(write.reader()).await?;
            let loaded = file.editorial(&known)?;
            if loaded != known {
                storage::business::replace_editorial(&mut write, &loaded).await?;
            }
            write.commit().await?;
            Ok(format_changed(&json!(known), &json!(loaded)))
        })
        .await
    }
}

/// The names of the members that differ.
fn format_changed(before: &Value, after: &Value) -> String {
    let objects = [before, after].into_iter().filter_map(Value::as_object);
    let names: BTreeSet<&String> = objects.flat_map(Map::keys).collect();
    let names = names.into_iter().map(String::as_str);
    let changed: Vec<&str> = names.filter(|name| before[*name] != after[*name]).collect();
    if changed.is_empty() {
        "nothing changed\n".to_owned()
    } else {
        format!("changed     {}\n", changed.join(", "))
    }
}
