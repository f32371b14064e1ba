//! `reviews init`: makes the database and the business, or changes what is given of it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::ensure;
use chrono_tz::{TZ_VARIANTS, Tz};
use clap::Args;
use url::Url;

use super::{Outcome, report_done};
use crate::clock::Clock;
use crate::config::DatabaseConfig;
use crate::imports::time_zone;
use crate::model::business::{Business, UnknownType, local_business_type};
use crate::storage;
use crate::storage::business::sample;
use crate::storage::{DbError, Opening, Write};

/// Make the database and the business; again: change only what is given, and show it
#[derive(Debug, Clone, Args)]
pub struct Init {
    /// The firm's name
    #[arg(long, value_name = "N")]
    name: Option<String>,
    /// A schema.org `LocalBusiness` subtype, for example `HVACBusiness`
    #[arg(long = "type", value_name = "T", value_parser = local_business_type)]
    kind: Option<&'static str>,
    /// Where its days begin and end, for example America/Phoenix
    #[arg(long, value_name = "Z", value_parser = time_zone)]
    time_zone: Option<Tz>,
    /// Its own site
    #[arg(long = "url", value_name = "U", value_parser = address)]
    site: Option<String>,
    /// Empty a database that holds the sample, for reviews of your own
    #[arg(long)]
    discard_sample: bool,
}

/// A business as a command left it.
pub(super) struct Settled {
    pub(super) business: Business,
    pub(super) is_zone_known: bool,
    /// How many days of instants moved.
    pub(super) moved: u64,
    pub(super) path: PathBuf,
}

impl Init {
    pub(super) async fn run(
        self,
        config: &DatabaseConfig,
        clock: &Clock,
    ) -> anyhow::Result<Outcome> {
        ensure!(
            (self.name.as_ref()).is_none_or(|name| !name.trim().is_empty()),
            "--name is empty; leave it out, or say what it is"
        );
        let (path, opening) = (config.path()?, Opening::at_once(&config.address()?).await?);
        let database = opening.database();
        let fault = |error| DbError::at(&path, error);
        let mut write = database.write_as_owner().await?;
        let discarded = if self.discard_sample {
            Some(discard_sample(&mut write, &path).await?)
        } else {
            None
        };
        let time_zone = self.time_zone;
        let known = storage::business::find(&mut write).await.map_err(fault)?;
        let business = self.applied_to(known.as_ref());
        if known.as_ref() != Some(&business) {
            storage::business::replace(&mut write, &business)
                .await
                .map_err(fault)?;
        }
        let mut moved = 0;
        if let Some(zone) = time_zone {
            moved = time_zone::follow(&mut write, zone, clock.now())
                .await
                .map_err(fault)?;
        }
        let is_zone_known = storage::business::time_zone(&mut write)
            .await
            .map_err(fault)?
            .is_some();
        write.commit().await.map_err(fault)?;
        if discarded.is_some() {
            database.erase_traces_or_leave_them().await?;
        }
        opening.keep().await?;
        if let Some(reviews) = discarded {
            report_done(&format!(
                "the sample is gone: {reviews} reviews, its business and its editorial texts\n"
            ));
        }
        report_done(&told(&Settled {
            business,
            is_zone_known,
            moved,
            path,
        }));
        Ok(Outcome::Done)
    }

    /// The business with what is given in the place of what is known.
    fn applied_to(self, known: Option<&Business>) -> Business {
        let before = known.cloned().unwrap_or_default();
        let id = match (known, &self.name) {
            (None, Some(name)) => slug(name),
            (Some(_), _) | (None, None) => before.id.clone(),
        };
        Business {
            id,
            name: self.name.unwrap_or(before.name),
            kind: self.kind.map_or(before.kind, str::to_owned),
            time_zone: self.time_zone.unwrap_or(before.time_zone),
            url: self.site.or(before.url),
            ..before
        }
    }
}

/// Empties a database that holds the sample and nothing else; says how many reviews that were.
async fn discard_sample(write: &mut Write, path: &Path) -> anyhow::Result<u64> {
    let fault = |error| DbError::at(path, error);
    ensure!(
        sample::state(write).await.map_err(fault)? == sample::SampleState::Alone,
        "the database {} holds no sample by itself, so nothing was discarded; leave --discard-sample out",
        path.display()
    );
    Ok(sample::discard(write).await.map_err(fault)?)
}

/// The business as people read it.
pub(super) fn told(settled: &Settled) -> String {
    let Settled {
        business,
        is_zone_known,
        moved,
        path,
    } = settled;
    let zone = if *is_zone_known {
        business.time_zone.name()
    } else {
        "not set; `reviews init --time-zone ZONE` sets it"
    };
    let mut text = String::new();
    let mut line = |name: &str, value: &str| {
        let _ = writeln!(text, "{name:<12}{value}");
    };
    line("database", &path.display().to_string());
    line("name", &business.name);
    line("type", &business.kind);
    line("time zone", zone);
    line("url", business.url.as_deref().unwrap_or("not set"));
    line("staff", business.publish_staff.name());
    let (services, people, areas) = (
        business.services.len(),
        business.technicians.len(),
        business.service_areas.len(),
    );
    line(
        "lists",
        &format!("{services} services, {people} technicians, {areas} service areas"),
    );
    if *moved > 0 {
        line(
            "moved",
            &format!(
                "{moved} reviews to the day that their instant has in {}",
                business.time_zone.name()
            ),
        );
    }
    for remark in remarks(business) {
        let _ = writeln!(text, "note        {remark}");
    }
    text
}

/// What search engines lack of the business, each with what to do.
pub(super) fn remarks(business: &Business) -> Vec<String> {
    let mut remarks = Vec::new();
    if let Err(UnknownType { name, nearest }) = local_business_type(&business.kind) {
        remarks.push(format!(
            "the type {name} is none of schema.org's local businesses, so pages say LocalBusiness to search engines; \
             set one, for example `reviews init --type {nearest}`"
        ));
    }
    if business
        .address
        .as_ref()
        .is_none_or(serde_json::Map::is_empty)
    {
        remarks.push(format!(
            "no address; search engines need one to list the business (Google requires it): put {ADDRESS} into a file \
             and load it with `reviews business FILE`"
        ));
    }
    remarks
}

/// An address as a `business.json` has it.
const ADDRESS: &str = r#"{"address": {"street_address": "12 Main St", "locality": "Mesa", "region": "AZ", "postal_code": "85201", "country": "US"}}"#;

/// An id made of a name: lower-case letters and digits, the rest as single hyphens.
fn slug(name: &str) -> String {
    let words = name
        .split(|character: char| !character.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty());
    let slug = words
        .map(str::to_ascii_lowercase)
        .collect::<Vec<_>>()
        .join("-");
    if slug.is_empty() {
        Business::default().id
    } else {
        slug
    }
}

fn time_zone(name: &str) -> Result<Tz, String> {
    name.parse().map_err(|_| {
        let same = TZ_VARIANTS
            .iter()
            .find(|zone| zone.name().eq_ignore_ascii_case(name))
            .map_or("America/Phoenix", |zone| zone.name());
        format!("`{name}` is no time zone of the IANA database; write it like {same}")
    })
}

fn address(text: &str) -> Result<String, String> {
    let fits = Url::parse(text)
        .is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.host_str().is_some());
    if fits {
        Ok(text.to_owned())
    } else {
        Err(format!("`{text}` is no http or https URL"))
    }
}
