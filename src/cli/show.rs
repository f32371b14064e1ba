//! `reviews show`: one review as the database has it, and what of it was the owner's decision.

use std::fmt::Write as _;

use clap::Args;

use super::{Outcome, say};
use crate::config::DatabaseConfig;
use crate::imports::export::Exported;
use crate::model::{Base, DigestKey, Review, ReviewId, Unit, Units};
use crate::storage::reviews;
use crate::storage::reviews::SourceRow;
use crate::storage::{Database, DbError};

/// Show one review, published or withheld, and what of it you decided
#[derive(Debug, Args)]
pub struct Show {
    /// Its id
    #[arg(value_name = "ID")]
    id: ReviewId,
}

impl Show {
    pub(super) async fn run(self, config: &DatabaseConfig) -> anyhow::Result<Outcome> {
        let path = config.path()?;
        let fault = |error| DbError::at(&path, error);
        let readers = Database::open_read_only(&path).await?;
        let mut reader = readers.acquire().await.map_err(fault)?;
        let mut standing = reviews::standing(&mut reader, &[self.id.as_str()])
            .await
            .map_err(fault)?;
        let key = reviews::find_key(&mut reader).await.map_err(fault)?;
        drop(reader);
        readers.close().await;
        if standing.deleted.contains(self.id.as_str()) {
            anyhow::bail!(
                "the review {} was deleted; `reviews import FILE --restore` brings it back from a file that has it",
                self.id
            );
        }
        let Some(review) = standing.reviews.remove(self.id.as_str()) else {
            anyhow::bail!(
                "there is no review {}; `sqlite3 FILE \"select review_id from review\"` lists them",
                self.id
            );
        };
        let source = standing.sources.remove(self.id.as_str());
        say(&told(review, source, key.as_ref()))?;
        Ok(Outcome::Done)
    }
}

/// The review as people read it, member by member, and what of it imports leave as it is.
fn told(review: Review, source: Option<SourceRow>, key: Option<&DigestKey>) -> String {
    let base = source
        .as_ref()
        .map_or_else(Base::default, |source| source.base.clone());
    let decided = key.map_or(Units::NONE, |key| base.decided(key, &review));
    let decided = if source.is_some() {
        decided
    } else {
        Units::NONE
    };
    let mut text = String::new();
    let json = Exported::Review(Box::new(review), Units::NONE, source.clone()).json();
    if let Some(members) = json.as_object() {
        for (name, value) in members {
            let value = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            let _ = writeln!(text, "{name:<16}{value}");
        }
    }
    let names: Vec<&str> = decided.iter().map(Unit::name).collect();
    let _ = match (source, names.is_empty()) {
        (None, _) => writeln!(
            text,
            "{:<16}made by hand, or before imports kept what sources say",
            "decided"
        ),
        (Some(_), true) => writeln!(
            text,
            "{:<16}nothing: all is as its source gave it",
            "decided"
        ),
        (Some(_), false) => writeln!(
            text,
            "{:<16}{}: imports leave that as it is",
            "decided",
            names.join(", ")
        ),
    };
    text
}
