//! The command `reviews export`: all reviews, including withheld ones and decisions, in a format that can be imported.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use clap::{Args, ValueEnum};
use serde_json::{Map, Value};
use sqlx::{SqliteConnection, SqlitePool};

use super::business::own;
use super::editorial::as_json;
use super::output::{self, Protected};
use super::report::{Exit, progress, report_done};
use crate::config::DatabaseConfig;
use crate::imports::export::{COLUMNS, Export, Exported};
use crate::mcp::escaped;
use crate::model::business::Editorial;
use crate::storage::business;
use crate::storage::reviews::counts;
use crate::storage::{Database, is_database, unused_name};

/// Export all reviews, including withheld ones, decisions and deletions
#[derive(Debug, Args)]
pub struct ExportCommand {
    /// The file to write [default: standard output]; created with mode 0600
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Overwrite FILE if it exists
    #[arg(long, requires = "file")]
    force: bool,
    /// Output format
    #[arg(long, value_name = "F", value_enum, default_value_t = ExportFormat::Jsonl)]
    format: ExportFormat,
}

/// What an export is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// JSON Lines, the native record
    Jsonl,
    /// A table with the native record's fields as columns
    Csv,
}

impl ExportCommand {
    pub(super) async fn run(self, config: &DatabaseConfig) -> anyhow::Result<Exit> {
        let path = config.path()?;
        let readers = Database::open_read_only(&path).await?;
        let protected = Protected {
            database: &path,
            inputs: &[],
        };
        let file = self.file.as_deref();
        let former = file.filter(|_| self.force);
        let former = former.and_then(|file| file.canonicalize().ok());
        let former = former.filter(|file| file.is_file());
        if let Some(file) = file {
            output::protect(&format!("FILE {}", file.display()), file, &protected)?;
        }
        if let Some(former) = &former {
            let name = former.display();
            ensure!(
                !is_database(former),
                "{name} is a database; name another file"
            );
        }
        let begun = former.as_deref().map(unused_name).transpose()?;
        let path_out = begun.as_deref().or(file);
        let out = path_out.map(|path| output::create("FILE", path, &protected, None));
        let out = out.transpose()?;
        // A regular file is a new one; pipes and devices are used as they are.
        let is_new = match &out {
            Some(out) => out.metadata()?.is_file(),
            None => false,
        };
        let name = file.map_or_else(
            || "standard output".to_owned(),
            |file| file.display().to_string(),
        );
        let written = self.write(&readers, &name, out).await;
        let written = written.and_then(|written| {
            if let Some((begun, former)) = begun.as_deref().zip(former.as_deref()) {
                take_its_place(begun, former)
                    .with_context(|| format!("{name} cannot be written"))?;
            }
            Ok(written)
        });
        if let (Err(_), true, Some(path)) = (&written, is_new, path_out) {
            // A part of an export looks like a whole one; an error of its removal would hide the actual one.
            drop(fs::remove_file(path));
        }
        let Written {
            reviews,
            deleted,
            unreadable,
        } = written?;
        readers.close().await;
        let lacks = match self.format {
            ExportFormat::Jsonl => "",
            ExportFormat::Csv => TABLE_LACKS,
        };
        if self.file.is_some() {
            report_done(&format!(
                "{name}: {reviews} reviews, {deleted} IDs without a review; readable only by you\n{lacks}"
            ));
        } else if !lacks.is_empty() {
            // The table is complete even if the note cannot be printed.
            let _ = write!(io::stderr(), "{lacks}");
        }
        if unreadable == 0 {
            return Ok(Exit::Done);
        }
        let _ = writeln!(
            io::stderr(),
            "warning: {unreadable} rows cannot be read as reviews and are not in the export; `reviews check` names them"
        );
        Ok(Exit::SomeRejected)
    }

    /// Writes to `file` or standard output.
    async fn write(
        &self,
        readers: &SqlitePool,
        name: &str,
        file: Option<File>,
    ) -> anyhow::Result<Written> {
        let unwritable = || format!("{name} cannot be written");
        let mut out = Out::new(self.format, file)?;
        let mut transaction = readers.begin().await?;
        if let Some(about) = about(&mut transaction).await? {
            out.begin(&about).with_context(unwritable)?;
        }
        let mut export = Export::new(&mut transaction).await?;
        let total = counts(&mut transaction).await?;
        let total = total.iter().map(|one| one.count).sum();
        let bar = progress("exporting", total);
        let (mut reviews, mut deleted) = (0, 0);
        while let Some(lines) = export.next(&mut transaction).await? {
            for line in lines {
                match &line {
                    Exported::Review(..) => reviews += 1,
                    Exported::Deleted(_) => deleted += 1,
                }
                out.put(&line).with_context(unwritable)?;
            }
            bar.set_position(reviews);
        }
        drop(bar);
        out.finish().with_context(unwritable)?;
        Ok(Written {
            reviews,
            deleted,
            unreadable: u64::saturating_sub(total, reviews),
        })
    }
}

/// The numbers of lines that were written, and of rows that were not.
struct Written {
    reviews: u64,
    deleted: u64,
    /// Rows that are not reviews, for example with a date that is none.
    unreadable: u64,
}

/// Replaces the former file by the new one only after the export succeeded.
fn take_its_place(begun: &Path, former: &Path) -> io::Result<()> {
    File::open(begun)?.sync_all()?;
    fs::rename(begun, former)
}

/// The note on content that a table has no columns for.
const TABLE_LACKS: &str = "note: a table cannot hold the business and the editorial texts; export without `--format csv` to \
    include them\n";

/// The first line with business and editorial texts; `None` if there are none.
async fn about(connection: &mut SqliteConnection) -> anyhow::Result<Option<Value>> {
    let own = own(&mut *connection).await?;
    let editorial = business::editorial(&mut *connection).await?;
    let mut members = Map::new();
    if let Some(own) = &own {
        members.insert("business".to_owned(), serde_json::to_value(own)?);
    }
    if editorial != Editorial::default() || own.is_some() {
        members.insert("editorial".to_owned(), as_json(&editorial));
    }
    Ok((!members.is_empty()).then_some(Value::Object(members)))
}

/// The output in the requested format.
enum Out {
    Lines(Box<dyn Write>),
    Table(Box<csv::Writer<Box<dyn Write>>>),
}

impl Out {
    fn new(shape: ExportFormat, file: Option<File>) -> anyhow::Result<Self> {
        let out: Box<dyn Write> = match file {
            Some(file) => Box::new(BufWriter::new(file)),
            None => Box::new(BufWriter::new(io::stdout())),
        };
        Ok(match shape {
            ExportFormat::Jsonl => Self::Lines(out),
            ExportFormat::Csv => {
                let mut table = csv::Writer::from_writer(out);
                table.write_record(COLUMNS)?;
                Self::Table(Box::new(table))
            }
        })
    }

    /// Writes the line before the reviews; a table has none.
    fn begin(&mut self, about: &Value) -> anyhow::Result<()> {
        if let Self::Lines(out) = self {
            writeln!(out, "{}", escaped(about.to_string()))?;
        }
        Ok(())
    }

    fn put(&mut self, line: &Exported) -> anyhow::Result<()> {
        match self {
            Self::Lines(out) => {
                writeln!(out, "{}", escaped(line.json().to_string()))?;
            }
            Self::Table(table) => table.write_record(line.cells())?,
        }
        Ok(())
    }

    fn finish(self) -> io::Result<()> {
        match self {
            Self::Lines(mut out) => out.flush(),
            Self::Table(mut table) => table.flush(),
        }
    }
}
