//! The commands `reviews source` and `reviews undo`: the sources of the reviews, giving one another name, and taking back its newest import.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context as _, bail, ensure};
use chrono_tz::Tz;
use clap::{Args, Subcommand};
use sqlx::SqliteConnection;

use super::database::{change, existing_address, read};
use super::decisions::erase_traces;
use super::import::{read_format, summary};
use super::report::{Exit, counted};
use super::session::Session;
use super::status::run_line;
use crate::config::{DatabaseConfig, SyncConfig};
use crate::imports::{
    Format, Outcome, SOURCE_DEFAULT, Undone, base_of, basic_string, check_size, find_format,
    format_names, lost_public_columns, parse_source_name, respell, undo,
};
use crate::model::text::{nearest, quote_for_shell};
use crate::model::{ReviewField, fold};
use crate::storage::business::time_zone;
use crate::storage::reviews::{
    FormatChange, KeptFormats, SourceCounts, counts_by_source, load_formats, rename_source,
    store_formats, unreadable,
};
use crate::storage::sync::{find_entry_by_rows, note_removed, note_source, sync_states};
use crate::sync::{SyncEntry, SyncFile};

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
        #[arg(value_name = "NEW", value_parser = parse_source_argument)]
        new: String,
        #[command(flatten)]
        sync: SyncConfig,
    },
    /// Show how the files of a source are read, or replace it; the next import of the source follows
    Format {
        /// The source's name, as `reviews source` lists it
        #[arg(value_name = "NAME", value_parser = parse_source_argument)]
        name: String,
        /// The new format, as `reviews import --format draft` drafts one
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
    },
}

impl SourceCommand {
    pub(super) async fn run(
        self,
        config: &DatabaseConfig,
        session: &Session,
    ) -> anyhow::Result<Exit> {
        match self.action {
            None => {
                let counts = async |reader: &mut SqliteConnection| {
                    let unreadable = unreadable(&mut *reader).await?;
                    counts_by_source(reader, &unreadable).await
                };
                session.print_result(&format_sources(&read(config, counts).await?))
            }
            Some(SourceAction::Format { name, file }) => format(config, session, name, file).await,
            Some(SourceAction::Rename { old, new, sync }) => {
                let sync = sync.within(&session.environment);
                rename(config, session, old, new, &sync).await
            }
        }
    }
}

/// Gives a source another name, and holds the entries that state the former one.
async fn rename(
    config: &DatabaseConfig,
    session: &Session,
    old: String,
    new: String,
    sync: &SyncConfig,
) -> anyhow::Result<Exit> {
    ensure!(old != new, "{old} has this name already");
    change(&existing_address(config)?, session, async |database| {
        let (mut old, mut new) = (old.clone(), new.clone());
        let mut write = database.write_as_owner().await?;
        let mut counts = counts_by_source(write.reader(), &[]).await?;
        // Names that differ only in case are one source, as in imports; the source itself may get another case.
        respell(&mut old, &counts);
        let Some(found) = counts.iter().find(|count| count.source_name == old) else {
            bail!("there is no source {old}; `reviews source` lists the sources");
        };
        let reviews = counted((found.published + found.withheld).cast_unsigned(), "review is", "reviews are");
        counts.retain(|count| count.source_name != old);
        respell(&mut new, &counts);
        let name = quote_for_shell(&new);
        if let Some(file) = SyncFile::read(sync, database.path()).map_err(anyhow::Error::msg)? {
            note_removed(&mut write, file.entries.iter().map(|it| it.name.as_str())).await?;
            for SyncEntry { name, source, .. } in &file.entries {
                if source.as_ref().is_some_and(|source| fold(source) == fold(&old)) {
                    note_source(&mut write, name, &old).await?;
                }
            }
        }
        if let Some(entry) = find_entry_by_rows(write.reader(), &old).await? {
            bail!("the rows of the entry {}, and not its file, say which reviews are of {old}, so its next run may bring them again; nothing \
                   was changed; take the entry out of its file first", entry.as_ref());
        }
        let taken = counts.iter().find(|it| it.source_name == new);
        ensure!(
            taken.is_none_or(|it| it.published + it.withheld > 0),
            "{new} has no review, but a format; give it another name, `reviews source rename {name} NAME`, then run this again"
        );
        ensure!(
            rename_source(&mut write, &old, &new).await?,
            "{new} has reviews already, and two sources cannot become one; to move the reviews of {old}, take its imports back \
             with `reviews undo --source {}` and import its files with --source {name}",
            quote_for_shell(&old)
        );
        let mut held = sync_states(write.reader()).await?;
        held.retain(|_, it| it.is_held && !it.is_removed && it.source.as_ref() == Some(&new));
        write.commit().await?;
        let source = basic_string(&new);
        let advice = held.keys().map(|entry| {
            format!("the entry {entry} is held: write `source = {source}` into it, then `reviews sync run {entry}` fetches it\n")
        });
        let advice: String = advice.collect();
        Ok(format!(
            "{reviews} now from {new}, which was {old}\nimport files of it with --source {name}; a column of sources in them must say \
             {new}, too\n{advice}"
        ))
    })
    .await
}

/// As [`parse_source_name`]; an empty name is refused.
fn parse_source_argument(argument: &str) -> Result<String, String> {
    let name = parse_source_name(argument)?;
    if name.is_empty() {
        return Err("it is empty; give the name of a source".to_owned());
    }
    Ok(name)
}

/// Shows the format of a source, or replaces it with that in a file.
async fn format(
    config: &DatabaseConfig,
    session: &Session,
    name: String,
    file: Option<PathBuf>,
) -> anyhow::Result<Exit> {
    let (counts, kept) = read(config, async |reader: &mut SqliteConnection| {
        let counts = counts_by_source(&mut *reader, &[]).await?;
        anyhow::Ok((counts, load_formats(reader).await?))
    })
    .await?;
    let mut source = name;
    if let Some(format) = built_in_formats(&source).first() {
        source = format.source.clone().unwrap_or(source);
    }
    respell(&mut source, &counts);
    let names = counts.iter().map(|one| &*one.source_name);
    let is_known = names.clone().any(|name| name == source) || kept.contains_key(&source);
    let near = nearest(&source, names.chain([SOURCE_DEFAULT]));
    let Some(file) = file else {
        // The default source is one without reviews, too, as after the undo of its first import.
        ensure!(
            is_known || source == SOURCE_DEFAULT,
            "no source {source}; `reviews source` lists the sources, and `reviews source format {} FILE` sets the format of a new one",
            quote_for_shell(&source)
        );
        return session.print_result(&kept.get(&source).cloned().unwrap_or_else(|| {
            format!(
                "# {source} keeps no format: each of its files is read by the built-in format of its platform, or drafted.\n"
            )
        }));
    };
    let mut format = read_format(&file, session)?;
    ensure!(
        format.open.is_empty(),
        "{}: {} is open; replace each \"?\"",
        file.display(),
        format.open.iter().cloned().collect::<Vec<_>>().join(", ")
    );
    // The files of a source that was renamed are those of its platform.
    let former = kept.get(&source).and_then(|text| Format::parse(text).ok());
    if let Some(former) = &former {
        format.add_seen(former);
    }
    let platform = former.and_then(|former| find_format(&former.like?)?.source.clone());
    let platform = platform.as_deref().unwrap_or(&source);
    check_like(&format, platform).with_context(|| format!("{}", file.display()))?;
    let text = format.to_text();
    check_size(&text)?;
    let new = near.filter(|near| !is_known && *near != source);
    let new = new.map(|near| format!(", which is a new source (the nearest is {near})"));
    let new = new.unwrap_or_default();
    let before = kept.get(&source).cloned();
    let lost = lost_public_columns(before.as_deref().unwrap_or_default(), &text).join("\", \"");
    let lost = if lost.is_empty() {
        lost
    } else {
        format!(
            "# the former rule by which \"{lost}\" decided what is public is gone, or another\n"
        )
    };
    let changes = [FormatChange {
        before,
        after: Some(text.clone()),
        source: source.clone(),
    }];
    change(&existing_address(config)?, session, async |database| {
        let mut write = database.write_as_owner().await?;
        store_formats(&mut write, &changes, None).await?;
        write.commit().await?;
        Ok(format!(
            "{text}# kept for {source}{new}; import its files again, so that its reviews follow\n{lost}"
        ))
    })
    .await
}

/// Refuses a format that would be passed over: the files of a platform are read by its built-in formats, to which only one that is `like` one
/// of them adds. One that names the columns is of a table from the same source.
fn check_like(format: &Format, source: &str) -> anyhow::Result<()> {
    let formats = built_in_formats(source);
    let names: Vec<&str> = formats.iter().map(|format| format.name.as_str()).collect();
    let core = [ReviewField::Rating, ReviewField::Date];
    let is_whole = core.iter().all(|it| format.fields.contains_key(it));
    let like = base_of(format)?;
    let fault = match like {
        _ if names.is_empty() || source == SOURCE_DEFAULT => return Ok(()),
        Some(like) if like.source.is_some() && !formats.contains(&like) => {
            format!("`like = {:?}` is of another source", like.name)
        }
        None if !is_whole => format!("write `like = {:?}` above it", names[0]),
        Some(_) | None => return Ok(()),
    };
    bail!(
        "{fault}: files of {source} are read by a built-in format, here one of {}",
        names.join(", ")
    )
}

/// The built-in formats whose files are of a source.
fn built_in_formats(source: &str) -> Vec<Arc<Format>> {
    let mut formats: Vec<Arc<Format>> = format_names().filter_map(find_format).collect();
    formats.retain(|it| (it.source.as_ref()).is_some_and(|name| fold(name) == fold(source)));
    formats
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

/// Undo the newest import of a source: remove the reviews that it added, and give all others their former values
#[derive(Debug, Args)]
pub struct UndoCommand {
    /// The source whose newest import is undone [default: the one that was last imported by hand]
    #[arg(long, value_name = "NAME", value_parser = parse_source_name)]
    source: Option<String>,
    /// Report what would be done, without changing anything
    #[arg(long)]
    dry_run: bool,
}

impl UndoCommand {
    pub(super) async fn run(
        self,
        config: &DatabaseConfig,
        session: &Session,
    ) -> anyhow::Result<Exit> {
        change(&existing_address(config)?, session, async |database| {
            let undone = undo(
                database,
                &session.clock,
                self.source.as_deref(),
                self.dry_run,
            )
            .await?;
            let zone = time_zone(&mut *database.reader().await?).await?;
            let zone = zone.unwrap_or_default();
            let erased = [Outcome::Removed, Outcome::DeletedAgain];
            let is_erased = erased.iter().any(|one| undone.report.count(*one) > 0);
            let mut text = format_undone(&undone, self.dry_run, zone);
            if is_erased && !self.dry_run {
                let traces = erase_traces(database).await?;
                let _ = writeln!(text, "the removed reviews are gone, {traces}");
            }
            Ok(text)
        })
        .await
    }
}

fn format_undone(undone: &Undone, is_dry_run: bool, zone: Tz) -> String {
    let (run, report) = (&undone.run, &undone.report);
    let mut text = run_line(run, zone);
    text = format!("{text}\n{}", summary(report, is_dry_run));
    let is = if is_dry_run { "would be" } else { "is" };
    if let Some(entry) = &run.sync_entry {
        let _ = writeln!(
            text,
            "the entry {entry} {is} held, so that it does not bring them back; if its file has it, `reviews sync run {entry}` fetches it again"
        );
    }
    text += &format_reverted(&undone.formats, &format!("{is} read as before again"), "");
    if !is_dry_run {
        text.push_str("undone; the same files can be imported again\n");
    }
    text
}

/// A line for each source that has an earlier format again, of `formats` the second: `read` says which, and `later` where the later one is.
pub(super) fn format_reverted(formats: &[KeptFormats; 2], read: &str, later: &str) -> String {
    let [before, after] = formats;
    let sources: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let mut text = String::new();
    for source in sources {
        let [before, after] =
            [before, after].map(|formats| formats.get(source).map_or("", String::as_str));
        let lost = lost_public_columns(before, after).join("\", \"");
        if !lost.is_empty() {
            let name = quote_for_shell(source);
            let _ = writeln!(
                text,
                "warning: {source} {read}, without the later rule by which \"{lost}\" decides what is public; before its next import, set a format \
                 that has it with `reviews source format {name} FILE`{later}"
            );
        } else if before != after && !after.is_empty() {
            let _ = writeln!(text, "note: {source} {read}");
        }
    }
    text
}
