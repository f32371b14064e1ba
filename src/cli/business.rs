//! `reviews business`: shows the business, or loads it from a file.

use std::path::PathBuf;

use clap::Args;

use super::init::{Settled, told};
use super::{Outcome, report_done, say};
use crate::business;
use crate::clock::Clock;
use crate::config::DatabaseConfig;
use crate::db::{Database, DbError, Opening};
use crate::imports::{seed, time_zone};
use crate::wire;

/// Show the business, or load it from a business.json: facts, services, technicians, areas
#[derive(Debug, Clone, Args)]
pub struct BusinessCommand {
    /// A business.json; without it, the business is shown as one
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
}

impl BusinessCommand {
    pub(super) async fn run(
        self,
        config: &DatabaseConfig,
        clock: &Clock,
    ) -> anyhow::Result<Outcome> {
        let path = config.path()?;
        let fault = |error| DbError::at(&path, error);
        let Some(file) = self.file else {
            let readers = Database::open_read_only(&path).await?;
            let mut reader = readers.acquire().await.map_err(fault)?;
            let business = business::find(&mut reader).await.map_err(fault)?;
            drop(reader);
            readers.close().await;
            let Some(business) = business else {
                anyhow::bail!("there is no business yet; `reviews init --name NAME` makes it")
            };
            let mut text = serde_json::to_string_pretty(&wire::OwnBusiness::from(&business))?;
            text.push('\n');
            say(&text)?;
            return Ok(Outcome::Done);
        };
        let read = seed::business(&file)?;
        let has_zone = read.has_zone;
        let opening = Opening::at_once(&config.address()?).await?;
        let mut write = opening.database().write_as_owner().await?;
        let known = business::find(&mut write).await.map_err(fault)?;
        let mut loaded = read.instead_of(known.as_ref());
        if !has_zone && let Some(zone) = business::time_zone(&mut write).await.map_err(fault)? {
            // A file that does not say where the business is does not move it.
            loaded.time_zone = zone;
        }
        let is_zone_known = has_zone
            || business::time_zone(&mut write)
                .await
                .map_err(fault)?
                .is_some();
        business::replace(&mut write, &loaded)
            .await
            .map_err(fault)?;
        let mut moved = 0;
        if is_zone_known {
            moved = time_zone::follow(&mut write, loaded.time_zone, clock.now())
                .await
                .map_err(fault)?;
        }
        write.commit().await.map_err(fault)?;
        opening.keep().await?;
        report_done(&told(&Settled {
            business: loaded,
            is_zone_known,
            moved,
            path,
        }));
        Ok(Outcome::Done)
    }
}
