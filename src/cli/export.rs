//! The command `reviews export`: all reviews, including withheld ones and decisions, as JSON Lines that can be imported, or CSV.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use sqlx::{SqliteConnection, SqlitePool};

use super::business::read_own_business;
use super::output;
use super::report::{Exit, counted};
use super::session::Session;
use crate::config::DatabaseConfig;
use crate::imports::native::{Export, columns_of_table, export_record, record_cells};
use crate::model::business::Editorial;
use crate::model::json::without_nulls;
use crate::model::text::escaped;
use crate::storage::Database;
use crate::storage::business;
use crate::storage::reviews::{KeptFormats, counts_by_source, load_formats};

/// Export all reviews, including withheld ones, decisions and deletions
#[derive(Debug, Args)]
pub struct ExportCommand {
    /// The file to write [default: -, standard output]; created with mode 0600
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Overwrite FILE if it exists
    #[arg(long, requires = "file")]
    force: bool,
    /// Output format [default: csv if FILE ends in .csv, else jsonl]
    #[arg(long, value_name = "F", value_enum)]
    format: Option<ExportFormat>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// JSON Lines, the native record
    Jsonl,
    /// A table for spreadsheets, which is not imported again
    Csv,
}

impl ExportCommand {
    /// As asked for, else by the name of the file.
    fn format(&self) -> ExportFormat {
        let extension = self.file.as_deref().and_then(Path::extension);
        let is_table = extension.is_some_and(|it| it.eq_ignore_ascii_case("csv"));
        let named = if is_table {
            ExportFormat::Csv
        } else {
            ExportFormat::Jsonl
        };
        self.format.unwrap_or(named)
    }

    pub(super) async fn run(
        mut self,
        config: &DatabaseConfig,
        session: &Session,
    ) -> anyhow::Result<Exit> {
        self.file = self.file.filter(|file| file != Path::new("-"));
        let format = self.format();
        let path = config.path()?;
        let readers = Database::open_read_only(&path).await?;
        let environment = &session.environment;
        let mut output = self.file.as_deref().map(|file| {
            output::begin("FILE", file, &path, environment, |former| {
                let name = former.display();
                ensure!(
                    self.force,
                    "FILE {name} already exists; name another file, or overwrite it with --force"
                );
                Ok(())
            })
        }).transpose()?;
        let name = self.file.as_ref().map_or_else(
            || "standard output".to_owned(),
            |file| file.display().to_string(),
        );
        let out: Box<dyn Write + '_> = match &mut output {
            Some(output) => Box::new(output),
            None => Box::new(BufWriter::new(session.output.clone())),
        };
        let written = write(format, &readers, &name, out).await?;
        if let Some(output) = output {
            output.keep()?;
        }
        readers.close().await;
        if self.file.is_some() {
            session.print_report(&format!(
                "{name}: {}, {}; readable only by you\n",
                counted(written.reviews, "review", "reviews"),
                counted(
                    written.deleted,
                    "ID without a review",
                    "IDs without a review"
                ),
            ));
        }
        if written.unreadable == 0 {
            return Ok(Exit::Done);
        }
        let _ = session.print_note(&format!(
            "warning: {} not in the export; `reviews check` names them",
            counted(
                written.unreadable,
                "row cannot be read as a review and is",
                "rows cannot be read as reviews and are"
            )
        ));
        Ok(Exit::SomeRejected)
    }
}

#[derive(Default)]
struct ExportCounts {
    reviews: u64,
    deleted: u64,
    /// Rows that are not reviews, for example with a date that is none.
    unreadable: u64,
}

/// Writes to `out`, which is called `name`.
async fn write(
    format: ExportFormat,
    readers: &SqlitePool,
    name: &str,
    mut out: Box<dyn Write + '_>,
) -> anyhow::Result<ExportCounts> {
    let unwritable = || format!("{name} cannot be written");
    let mut transaction = readers.begin().await?;
    let formats = load_formats(&mut transaction).await?;
    let first = match format {
        ExportFormat::Jsonl => about(&mut transaction, &formats)
            .await?
            .as_ref()
            .map(json_line),
        ExportFormat::Csv => Some(record(columns_of_table())?),
    };
    if let Some(first) = first {
        out.write_all(&first).with_context(unwritable)?;
    }
    let mut export = Export::default();
    let stored = counts_by_source(&mut transaction, &[]).await?;
    let mut counts = ExportCounts::default();
    while let Some(lines) = export.next(&mut transaction).await? {
        for (id, known) in lines {
            counts.deleted += u64::from(known.is_deleted());
            counts.reviews += u64::from(!known.is_deleted());
            let exported = export_record(&id, &known);
            let line = match format {
                ExportFormat::Jsonl => json_line(&exported),
                ExportFormat::Csv => record(record_cells(&exported))?,
            };
            out.write_all(&line).with_context(unwritable)?;
        }
    }
    out.flush().with_context(unwritable)?;
    let stored: i64 = stored.iter().map(|one| one.published + one.withheld).sum();
    counts.unreadable = stored.unsigned_abs().saturating_sub(counts.reviews);
    Ok(counts)
}

/// The first line with business, editorial texts, and the formats of sources; `None` if there is none of
/// these.
async fn about(
    connection: &mut SqliteConnection,
    formats: &KeptFormats,
) -> sqlx::Result<Option<Value>> {
    let own = read_own_business(&mut *connection).await?;
    let editorial = business::editorial(connection).await?;
    let has_any = own.is_some() || editorial != Editorial::default() || !formats.is_empty();
    // The line is recognised by the editorial texts, even without one.
    let line = without_nulls(json!({
        "business": own,
        "editorial": editorial,
        "formats": (!formats.is_empty()).then_some(formats),
    }));
    Ok(has_any.then_some(line))
}

/// A line of JSON Lines.
fn json_line(json: &Value) -> Vec<u8> {
    (escaped(json.to_string()) + "\n").into_bytes()
}

fn record<C: AsRef<[u8]>>(cells: impl IntoIterator<Item = C>) -> anyhow::Result<Vec<u8>> {
    let mut table = csv::Writer::from_writer(Vec::new());
    table.write_record(cells)?;
    Ok(table.into_inner()?)
}
