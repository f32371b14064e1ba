//! The sample data of a folder: business.json, reviews.jsonl and, if it is there, editorial.json.
//!
//! Apart from ordinary imports, because here the business is replaced, and a file that is written
//! by hand is told line and column. The editorial texts are only read: their rows belong to
//! `insights`, which stands beside this room.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use serde_json::Value;
use thiserror::Error;

use super::collector::{Collected, Collector, Terms, Watcher};
use super::detect::{Detected, Rows};
use super::fields::{Fields, Problem};
use super::file_error::{FailedFile, ImportError, reason};
use super::merging::{Merging, Wishes};
use super::platform::Options;
use super::platforms::native;
use super::report::{Report, Watch};
use super::sink::{FileStart, RowSink as _};
use super::sources::{self, Budget};
use super::store::Staging;
use super::{bounds, locate, profile, read, time_zone};
use crate::business::{self, Business, Editorial, Question};
use crate::clock::Clock;
use crate::db::Write;

/// What a folder of sample data holds, ready to be written.
#[derive(Debug)]
pub struct Seed {
    business: ReadBusiness,
    collected: Collected,
    now: DateTime<Utc>,
    /// The editorial texts, where editorial.json is there.
    pub editorial: Option<Editorial>,
}

/// Why a folder holds no sample data. Nothing was changed then.
#[derive(Debug, Error)]
pub enum SeedError {
    /// A file that must be there is not.
    #[error("{}: there is no such file; a folder of sample data has business.json and reviews.jsonl, and may have editorial.json", .0.display())]
    Missing(PathBuf),
    /// A file cannot be read.
    #[error("{}: cannot be read: {reason}", path.display())]
    Unreadable {
        /// The file that cannot be read.
        path: PathBuf,
        /// What the operating system said.
        reason: io::Error,
    },
    /// A file is wrong.
    #[error("{}:{line}:{column}: {message}", path.display())]
    Wrong {
        /// The file that is wrong.
        path: PathBuf,
        /// The line, from 1; 1 where the place is unknown.
        line: usize,
        /// The column, in bytes from 1; 1 where the place is unknown.
        column: usize,
        /// What is wrong, and what is allowed.
        message: String,
    },
    /// The reviews cannot be read.
    #[error(transparent)]
    Reviews(#[from] ImportError),
}

/// A business as a file describes it.
#[derive(Debug)]
pub struct ReadBusiness {
    /// What the file says; the default where it says nothing.
    pub business: Business,
    /// Whether it says in which time zone that is.
    pub has_zone: bool,
    /// Whether it says how technicians are shown.
    pub has_publish_staff: bool,
}

impl ReadBusiness {
    /// The business that comes in the place of `known`: a file that does not say how technicians are shown, as those that
    /// the service itself publishes, shows nobody who was not shown.
    #[must_use]
    pub fn instead_of(&self, known: Option<&Business>) -> Business {
        let mut business = self.business.clone();
        if let Some(known) = known.filter(|_| !self.has_publish_staff) {
            business.publish_staff = known.publish_staff;
        }
        business
    }
}

/// The business of the file at `path`.
///
/// # Errors
/// [`SeedError`], which names the file, and where it can the line.
pub fn business(path: &Path) -> Result<ReadBusiness, SeedError> {
    parse(path, |value| {
        let has = |name| {
            let said = value.get(name).and_then(Value::as_str);
            said.is_some_and(|said| !said.is_empty())
        };
        Ok(ReadBusiness {
            business: profile::business(value)?,
            has_zone: has("time_zone"),
            has_publish_staff: has("publish_staff"),
        })
    })
}

/// Reads the sample data in `folder`. Rows of reviews.jsonl that are wrong are told to `watch`, and
/// stop nothing.
///
/// # Errors
/// [`SeedError`], which names the file.
pub fn read(
    folder: &Path,
    clock: &Clock,
    watch: &mut (dyn Watch + Send),
) -> Result<Seed, SeedError> {
    let now = clock.now();
    let business = business(&folder.join("business.json"))?;
    let path = folder.join("editorial.json");
    let editorial = if path.exists() {
        Some(parse(&path, editorial)?)
    } else {
        None
    };
    let path = folder.join("reviews.jsonl");
    if !path.is_file() {
        return Err(SeedError::Missing(path));
    }
    let all = |fault| {
        ImportError::Files(vec![FailedFile {
            file: path.display().to_string(),
            fault,
        }])
    };
    let mut collector = Collector::new(
        now,
        true,
        Some(business.business.time_zone),
        Terms::default(),
        watch,
    )
    .map_err(all)?;
    let mut faults = Vec::new();
    let mut take = |opened: sources::Opened<'_>| {
        let sources::Opened::Reviews(mut input) = opened else {
            return Ok(());
        };
        collector.begin(FileStart {
            name: input.name,
            format: &native::FORMAT,
        })?;
        let found = Detected {
            format: &native::FORMAT,
            rows: Rows::Lines { rejected: false },
        };
        read::read(&found, &mut *input.all, Options::default(), &mut collector)
    };
    sources::open(&path, &Budget::default(), &mut take, &mut faults);
    if !faults.is_empty() {
        return Err(ImportError::Files(faults).into());
    }
    let collected = collector.finish().map_err(all)?;
    Ok(Seed {
        business,
        collected,
        now,
        editorial,
    })
}

impl Seed {
    /// Writes the business and the reviews within `write`, which the caller commits. What is there
    /// already stays as it is, so that a second time changes nothing.
    ///
    /// # Errors
    /// When the database refuses it.
    pub async fn write(self, write: &mut Write, watch: Watcher<'_>) -> sqlx::Result<Report> {
        let known = business::find(write).await?;
        let business = self.business.instead_of(known.as_ref());
        if known.as_ref() != Some(&business) {
            business::replace(write, &business).await?;
        }
        let moved = time_zone::follow(write, business.time_zone, self.now).await?;
        let Collected {
            spool,
            business: _,
            report,
        } = self.collected;
        let mut staging = Staging::fill(spool).await?;
        let mut merging = Merging::new(write, self.now, Wishes::default(), report).await?;
        merging.all(&mut staging, watch).await?;
        Ok(Report {
            moved,
            ..merging.report
        })
    }
}

fn parse<T>(path: &Path, make: impl FnOnce(&Value) -> Result<T, Problem>) -> Result<T, SeedError> {
    let unreadable = |reason: io::Error| {
        let is_missing = reason.kind() == io::ErrorKind::NotFound;
        let path = path.to_owned();
        if is_missing {
            SeedError::Missing(path)
        } else {
            SeedError::Unreadable { path, reason }
        }
    };
    let mut text = String::new();
    File::open(path)
        .and_then(|file| file.take(bounds::INPUT_BYTES_MAX).read_to_string(&mut text))
        .map_err(unreadable)?;
    let json = text.trim_start_matches('\u{feff}');
    let wrong = |line, column, message| SeedError::Wrong {
        path: path.to_owned(),
        line,
        column,
        message,
    };
    let value = serde_json::from_str(json).map_err(|error| {
        wrong(
            error.line(),
            error.column(),
            format!("the JSON is broken ({})", reason(&error)),
        )
    })?;
    make(&value).map_err(|problem| {
        let (line, column) = locate::locate(json, &problem.path).unwrap_or((1, 1));
        wrong(line, column, problem.to_string())
    })
}

fn editorial(value: &Value) -> Result<Editorial, Problem> {
    profile::check_lengths(value, &mut String::new())?;
    let fields = Fields::of(value, String::new())?;
    let summary = fields
        .object("summary")?
        .map(|summary| summary.required("text"))
        .transpose()?;
    let mut faq: Vec<Question> = Vec::new();
    for (path, value) in fields.list("faq")? {
        let entry = Fields::of(value, path)?;
        let id = entry.required("id")?;
        if faq.iter().any(|other| other.id == id) {
            return Err(entry.problem(
                "id",
                format!("\"{id}\" is there twice; each must be its own"),
            ));
        }
        faq.push(Question {
            id,
            question: entry.required("question")?,
            answer: entry.required("answer")?,
        });
    }
    Ok(Editorial { summary, faq })
}
