//! The command `reviews source`: the sources of the reviews, and giving one another name.

use std::fmt::Write as _;

use anyhow::{bail, ensure};
use clap::{Args, Subcommand};
use sqlx::SqliteConnection;

use super::database::{change, existing_address, read};
use super::report::{Exit, counted, format_table, print_result};
use crate::clock::Clock;
use crate::config::DatabaseConfig;
use crate::imports::{
    ColumnChoices, PublicSubject, SOURCE_DEFAULT, composed, header_key, rename_source, respell,
    shown_value,
};
use crate::model::text::{nearest, quote_for_shell};
use crate::storage::columns::{KeptColumn, KeptColumns};
use crate::storage::reviews::{SourceCounts, counts_by_source};
use crate::storage::sync::{forget_answers, sync_sources};
use crate::sync::Source;

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
    },
    Columns(ColumnsCommand),
}

/// Show how the tables of a source are read, or change it; the next import of the source follows
#[derive(Debug, Args)]
struct ColumnsCommand {
    /// The source's name, as `reviews source` lists it
    #[arg(value_name = "NAME", value_parser = composed)]
    name: String,
    #[command(flatten)]
    choices: ColumnChoices,
    /// Forget what is kept of COLUMN, so that the next import asks again; comes before the other options; may be repeated
    #[arg(long, value_name = "COLUMN")]
    forget: Vec<String>,
}

impl SourceCommand {
    pub(super) async fn run(self, config: &DatabaseConfig, clock: &Clock) -> anyhow::Result<Exit> {
        let (old, new) = match self.action {
            None => return print_result(&format_sources(&read(config, counts_by_source).await?)),
            Some(SourceAction::Columns(columns)) => return columns.run(config, clock).await,
            Some(SourceAction::Rename { old, new }) => (old, new),
        };
        ensure!(
            !new.is_empty(),
            "NEW is empty; give the new name of the source"
        );
        ensure!(old != new, "{old} has this name already");
        change(&existing_address(config)?, async |database| {
            let renamed = rename_source(database, clock, &old, &new).await?;
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
                "{reviews} now from {name}, which was {former}{before}\nimport files of it with --source {}; a column of sources \
                 in them must say {name}, too\n",
                quote_for_shell(&name)
            ))
        })
        .await
    }
}

impl ColumnsCommand {
    async fn run(self, config: &DatabaseConfig, clock: &Clock) -> anyhow::Result<Exit> {
        let (counts, before, fetched) = read(config, async |reader: &mut SqliteConnection| {
            let counts = counts_by_source(&mut *reader).await?;
            let kept = KeptColumns::load(&mut *reader).await?;
            anyhow::Ok((counts, kept, sync_sources(reader).await?))
        })
        .await?;
        let mut source = self.name;
        respell(&mut source, &counts);
        let mut known: Vec<&str> = counts
            .iter()
            .map(|count| count.source_name.as_str())
            .collect();
        known.extend(before.all().map(|column| column.source.as_str()));
        // A source that is fetched may have had no reviews yet.
        let fetched = fetched
            .iter()
            .filter_map(|row| Source::read(row).ok()?.import_request().ok());
        let fetched: Vec<String> = fetched
            .map(|request| request.source.unwrap_or_else(|| SOURCE_DEFAULT.to_owned()))
            .collect();
        known.extend(fetched.iter().map(String::as_str));
        if !known.contains(&source.as_str()) {
            let near = nearest(&source, known);
            let near =
                near.map_or_else(String::new, |name| format!("; the nearest name is {name}"));
            bail!("no source {source}{near}; `reviews source` lists the sources");
        }
        if self.forget.is_empty() && self.choices == ColumnChoices::default() {
            return print_result(&format_columns(&source, &before));
        }
        if let Some(word) = self.choices.placeholder() {
            bail!("replace {word} in the options; nothing was changed");
        }
        let mut kept = before.clone();
        for header in &self.forget {
            let key = header_key(header);
            let is_it = |it: &KeptColumn| {
                it.source == source && !it.header.is_empty() && header_key(&it.header) == key
            };
            ensure!(
                kept.all().any(is_it),
                "nothing is kept of a column {header} of {source}; `reviews source columns {}` lists them",
                quote_for_shell(&source)
            );
            kept.retain(|it| !is_it(it));
        }
        self.choices
            .apply(&mut kept, &source, &self.choices.headers(&before, &source));
        change(&existing_address(config)?, async |database| {
            let mut write = database.write_as_owner().await?;
            kept.store(&mut write, &before, None, clock.now()).await?;
            forget_answers(&mut write).await?;
            write.commit().await?;
            Ok(format!(
                "{}import files of {source} again, so that its reviews follow\n",
                format_columns(&source, &kept)
            ))
        })
        .await
    }
}

/// How the tables of a source are read, one column in a line.
fn format_columns(source: &str, kept: &KeptColumns) -> String {
    let values = |values: &[String]| {
        let values = values.iter().map(|value| shown_value(value));
        values.collect::<Vec<_>>().join(", ")
    };
    let row = |column: &KeptColumn| {
        let mut reads = column.field.clone();
        if PublicSubject::of_field(&column.field).is_some() {
            let _ = write!(reads, " if {}", values(&column.public_values));
            if !column.withheld_values.is_empty() {
                let _ = write!(reads, "; not if {}", values(&column.withheld_values));
            }
        }
        if let Some(order) = &column.date_order {
            let _ = write!(reads, ", {}", order.replace('_', " "));
        }
        if let Some(scale) = column.scale {
            let _ = write!(reads, ", scale up to {scale}");
        }
        let header = if column.header.is_empty() {
            "(none)".to_owned()
        } else {
            column.header.clone()
        };
        [header, reads, column.decided_by.clone()]
    };
    let rows: Vec<[String; 3]> = kept.of(source).map(row).collect();
    if rows.is_empty() {
        return format!(
            "Nothing is kept of the columns of {source}; the import of a table keeps what is decided about them.\n"
        );
    }
    format_table(["column", "is read as", "decided by"], rows)
}

fn format_sources(sources: &[SourceCounts]) -> String {
    if sources.is_empty() {
        return "No reviews yet; `reviews import FILE` adds some.\n".to_owned();
    }
    let line = |source: &SourceCounts| {
        let (name, published, withheld) = (&source.source_name, source.published, source.withheld);
        format!("{name}: {published} published, {withheld} withheld\n")
    };
    sources.iter().map(line).collect()
}
