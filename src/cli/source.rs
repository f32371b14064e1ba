//! The command `reviews source`: the sources of the reviews, and giving one another name.

use anyhow::ensure;
use clap::{Args, Subcommand};

use super::database::{change, existing_address, read};
use super::import::quoted;
use super::report::{Exit, counted, print_result};
use crate::clock::Clock;
use crate::config::DatabaseConfig;
use crate::imports::{composed, rename_source};
use crate::storage::reviews::{PlaceCount, counts_by_place};

/// List the sources with their reviews, or give one another name
#[derive(Debug, Args)]
pub struct SourceCommand {
    #[command(subcommand)]
    action: Option<SourceAction>,
}

#[derive(Debug, Subcommand)]
enum SourceAction {
    /// Give all reviews of a source another source's name, so that imports of that source update them
    Rename {
        /// The source's present name
        #[arg(value_name = "OLD")]
        old: String,
        /// The new name; another source may have it, unless some reviews of both have the same ID or text
        #[arg(value_name = "NEW", value_parser = composed)]
        new: String,
        /// Only reviews of this location
        #[arg(long, value_name = "L")]
        location: Option<String>,
    },
}

impl SourceCommand {
    pub(super) async fn run(self, config: &DatabaseConfig, clock: &Clock) -> anyhow::Result<Exit> {
        let Some(SourceAction::Rename { old, new, location }) = self.action else {
            return print_result(&format_places(&read(config, counts_by_place).await?));
        };
        ensure!(
            !new.is_empty(),
            "NEW is empty; give the new name of the source"
        );
        ensure!(old != new, "{old} has this name already");
        change(&existing_address(config)?, async |database| {
            let renamed = rename_source(database, clock, &old, &new, location.as_deref()).await?;
            let reviews = counted(renamed.count, "review is", "reviews are");
            let (former, name) = (renamed.former_name, renamed.name);
            let before = match renamed.count_before {
                0 => String::new(),
                count => format!(
                    "; {name} had {} before",
                    counted(count, "review", "reviews")
                ),
            };
            Ok(format!(
                "{reviews} now from {name}, which was {former}{before}\nimport files of it with --source '{}'; a column of sources \
                 in them must say {name}, too\n",
                quoted(&name)
            ))
        })
        .await
    }
}

fn format_places(places: &[PlaceCount]) -> String {
    if places.is_empty() {
        return "No reviews yet; `reviews import FILE` adds some.\n".to_owned();
    }
    let line = |place: &PlaceCount| {
        let (name, published, withheld) = (&place.source_name, place.published, place.withheld);
        let location = place.location.as_ref();
        let location = location.map_or_else(String::new, |at| format!(", location {at}"));
        format!("{name}{location}: {published} published, {withheld} withheld\n")
    };
    places.iter().map(line).collect()
}
