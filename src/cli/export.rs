//! `reviews export`: everything, withheld reviews and what was decided included, in files that an import takes again.

use std::fs::File;
use std::io::{self, BufRead, BufWriter, Read, Write};
use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, ValueEnum};
use serde_json::Value;

use super::output::{self, Protected};
use super::{Outcome, report_done};
use crate::config::DatabaseConfig;
use crate::imports::export::{COLUMNS, Export, Exported};
use crate::mcp::escaped;
use crate::storage::{Database, DbError};

/// Write all reviews, withheld ones, decisions and deletions included
#[derive(Debug, Args)]
pub struct ExportCommand {
    /// Where to [default: standard output]; made with mode 0600, and written over only if it is such a file
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// As what
    #[arg(long, value_name = "F", value_enum, default_value_t = Shape::Jsonl)]
    format: Shape,
}

/// What an export is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Shape {
    /// JSON Lines, the native record
    Jsonl,
    /// A table with the native record's fields as columns
    Csv,
}

/// What `export` writes, and may write over.
const EXPORTED: output::Kind = output::Kind {
    name: "export of this command",
    is_former,
};

/// Whether the file begins as an export does: with a record of ours, or with our columns.
fn is_former(file: &mut dyn BufRead) -> io::Result<bool> {
    let mut line = Vec::new();
    file.take(4 << 20).read_until(b'\n', &mut line)?;
    // Exports of earlier releases lack the last column.
    if line.starts_with(COLUMNS[..COLUMNS.len() - 1].join(",").as_bytes()) {
        return Ok(true);
    }
    let Ok(Value::Object(members)) = serde_json::from_slice(&line) else {
        return Ok(false);
    };
    let is_review = ["id", "rating", "verification", "mentions"]
        .iter()
        .all(|name| members.contains_key(*name));
    Ok(is_review
        || (members.len() == 2 && members.contains_key("id") && members.contains_key("deleted")))
}

impl ExportCommand {
    pub(super) async fn run(self, config: &DatabaseConfig) -> anyhow::Result<Outcome> {
        let path = config.path()?;
        let readers = Database::open_read_only(&path).await?;
        let fault = |error| DbError::at(&path, error);
        let protected = Protected {
            database: &path,
            inputs: &[],
        };
        let file = self
            .file
            .as_deref()
            .map(|file| output::create("FILE", file, &protected, &EXPORTED))
            .transpose()?;
        let name = file.as_ref().map_or_else(
            || "standard output".to_owned(),
            |(path, _)| path.display().to_string(),
        );
        let mut out = Out::new(self.format, file.map(|(_, file)| file))?;
        let mut transaction = readers.begin().await.map_err(fault)?;
        let mut export = Export::new(&mut transaction).await.map_err(fault)?;
        let (mut reviews, mut deleted) = (0_u64, 0_u64);
        while let Some(lines) = export.next(&mut transaction).await.map_err(fault)? {
            for line in lines {
                match &line {
                    Exported::Review(..) => reviews += 1,
                    Exported::Deleted(_) => deleted += 1,
                }
                out.put(&line)
                    .with_context(|| format!("{name} cannot be written"))?;
            }
        }
        out.finish()
            .with_context(|| format!("{name} cannot be written"))?;
        drop(transaction);
        readers.close().await;
        if self.file.is_some() {
            report_done(&format!(
                "{name}: {reviews} reviews, {deleted} deleted; readable by you alone\n"
            ));
        }
        Ok(Outcome::Done)
    }
}

/// Where an export is written, in the shape that was asked for.
enum Out {
    Lines(Box<dyn Write>),
    Table(Box<csv::Writer<Box<dyn Write>>>),
}

impl Out {
    fn new(shape: Shape, file: Option<File>) -> anyhow::Result<Self> {
        let out: Box<dyn Write> = match file {
            Some(file) => Box::new(BufWriter::new(file)),
            None => Box::new(BufWriter::new(io::stdout())),
        };
        Ok(match shape {
            Shape::Jsonl => Self::Lines(out),
            Shape::Csv => {
                let mut table = csv::Writer::from_writer(out);
                table.write_record(COLUMNS)?;
                Self::Table(Box::new(table))
            }
        })
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
