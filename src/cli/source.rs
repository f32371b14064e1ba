//! The command `reviews source`: the sources of the reviews, and giving one another name.

use std::path::PathBuf;

use anyhow::{anyhow, bail, ensure};
use clap::{Args, Subcommand};
use sqlx::SqliteConnection;

use super::database::{change, existing_address, read};
use super::import::read_format;
use super::report::{Exit, counted, print_result};
use crate::config::DatabaseConfig;
use crate::imports::{base_of, composed, respell};
use crate::model::text::quote_for_shell;
use crate::storage::formats::{load_formats, store_format};
use crate::storage::reviews::{SourceCounts, counts_by_source, rename_source};

/// List the sources with their reviews, or give one another name
#[derive(Debug, Args)]
pub struct SourceCommand {
    #[command(subcommand)]
    action: Option<SourceAction>,
}

#[derive(Debug, Subcommand)]
enum SourceAction {
    /// Give a source another name
    Rename {
        /// The source's present name
        #[arg(value_name = "OLD")]
        old: String,
        /// The new name, which no other source has
        #[arg(value_name = "NEW", value_parser = composed)]
        new: String,
    },
    /// Show how the files of a source are read, or replace it; the next import of the source follows
    Format {
        /// The source's name, as `reviews source` lists it
        #[arg(value_name = "NAME", value_parser = composed)]
        name: String,
        /// The new format, as `reviews import --format draft` drafts one
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
    },
}

impl SourceCommand {
    pub(super) async fn run(self, config: &DatabaseConfig) -> anyhow::Result<Exit> {
        let (old, new) = match self.action {
            None => return print_result(&format_sources(&read(config, counts_by_source).await?)),
            Some(SourceAction::Format { name, file }) => return format(config, name, file).await,
            Some(SourceAction::Rename { old, new }) => (old, new),
        };
        ensure!(
            !new.is_empty(),
            "NEW is empty; give the new name of the source"
        );
        ensure!(old != new, "{old} has this name already");
        change(&existing_address(config)?, async |database| {
            let (mut old, mut new) = (old.clone(), new.clone());
            let mut write = database.write_as_owner().await?;
            let mut counts = counts_by_source(write.for_reading()).await?;
            // Names that differ only in case are one source, as in imports; the source itself may get another case.
            respell(&mut old, &counts);
            let Some(own) = counts.iter().find(|count| count.source_name == old) else {
                bail!("no review is from {old}; `reviews source` lists the sources");
            };
            let reviews = counted((own.published + own.withheld).cast_unsigned(), "review is", "reviews are");
            counts.retain(|count| count.source_name != old);
            respell(&mut new, &counts);
            let name = quote_for_shell(&new);
            ensure!(
                rename_source(&mut write, &old, &new).await?,
                "{new} has reviews or a format already, and two sources cannot become one; to move the reviews of {old}, take its imports back \
                 with `reviews undo --source {}` and import its files with --source {name}",
                quote_for_shell(&old)
            );
            write.commit().await?;
            Ok(format!(
                "{reviews} now from {new}, which was {old}\nimport files of it with --source {name}; a column of sources in them must say \
                 {new}, too\n"
            ))
        })
        .await
    }
}

/// Shows the format of a source, or replaces it with that in a file.
async fn format(
    config: &DatabaseConfig,
    name: String,
    file: Option<PathBuf>,
) -> anyhow::Result<Exit> {
    let (counts, kept) = read(config, async |reader: &mut SqliteConnection| {
        let counts = counts_by_source(&mut *reader).await?;
        anyhow::Ok((counts, load_formats(reader).await?))
    })
    .await?;
    let mut source = name;
    respell(&mut source, &counts);
    let Some(file) = file else {
        let is_source = |count: &SourceCounts| count.source_name == source;
        ensure!(
            kept.contains_key(&source) || counts.iter().any(is_source),
            "no source {source}; `reviews source` lists the sources"
        );
        return print_result(&kept.get(&source).cloned().unwrap_or_else(|| {
            format!(
                "# {source} keeps no format: each of its files is read by the built-in format of its platform.\n"
            )
        }));
    };
    let format = read_format(&file)?;
    base_of(&format).map_err(|fault| anyhow!("{}: {fault}", file.display()))?;
    ensure!(
        format.open.is_empty(),
        "{}: {} is open; replace each \"?\"",
        file.display(),
        format.open.iter().cloned().collect::<Vec<_>>().join(", ")
    );
    let text = format.to_text();
    change(&existing_address(config)?, async |database| {
        let mut write = database.write_as_owner().await?;
        store_format(&mut write, &source, Some(&text)).await?;
        write.commit().await?;
        Ok(format!(
            "{text}# kept for {source}; import its files again, so that its reviews follow\n"
        ))
    })
    .await
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
