//! Imports: reviews that come from somewhere else, made ours.
//!
//! A file's way: `sources` opens it, `detect` finds its format by content, the format reads its rows, `record` or the
//! format itself makes reviews of them, `intake` keeps what counts, and one transaction writes it. Each row is judged by
//! itself; a file that cannot be read stops the whole call before anything is written.

mod authors;
mod detect;
mod document;
mod elements;
mod fault;
mod fields;
mod format;
mod google;
mod incoming;
mod intake;
mod jsonl;
mod kept;
mod locate;
mod merging;
mod profile;
mod record;
mod rename;
mod report;
mod rules;
pub mod seed;
mod sink;
mod sources;
mod spool;
mod store;
mod withdraw;

use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

pub use fault::{Fault, FileFault, ImportError};
pub use fields::Problem;
pub use format::Format;
pub use kept::Named;
pub use rename::{Rename, RenameError};
pub use report::{FileReport, Position, Quiet, Rejection, Report, Watch};
pub use sources::{INPUT_BYTES_MAX, is_taken_from_folders};

use crate::business;
use crate::clock::Clock;
use crate::db::{Database, DbError};
use intake::{Gathered, Intake, Terms, Watcher};
use merging::{Merging, Wishes};
use sink::{FileStart, RowSink as _};
use store::Staging;

/// What is to be imported, and how.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command by itself")]
pub struct Order {
    /// Files, zip archives, folders; `-` for standard input.
    pub files: Vec<PathBuf>,
    /// The format of all of them; where nobody says, each one's is found by its content.
    pub format: Option<&'static Format>,
    /// What JSON Lines call our fields.
    pub renames: Vec<Rename>,
    /// Whether to do everything and then leave the database as it was.
    pub dry_run: bool,
    /// Whether reviews that the owner deleted come back.
    pub restore: bool,
    /// Whether copies of other sources' reviews are withheld.
    pub skip_duplicates: bool,
    /// Whether authors' names stay whole that were never public.
    pub full_names: bool,
    /// The only location whose reviews are meant.
    pub location: Option<String>,
    /// Whether reviews that their source no longer gives are withheld.
    pub withdraw_missing: bool,
    /// Whether that may be many of them.
    pub yes: bool,
}

/// Merges the reviews in `order` into those that are there, all in one transaction (CONTRACT §2.1). Rows that are wrong are
/// told to `watch`, and stop nothing.
///
/// # Errors
/// [`ImportError`]; then nothing was changed.
pub async fn import(
    database: &Database,
    clock: &Clock,
    order: &Order,
    watch: &mut (dyn Watch + Send),
) -> Result<Report, ImportError> {
    let now = clock.now();
    let fault = |error| DbError::at(database.path(), error);
    let mut reader = database.readers().acquire().await.map_err(fault)?;
    let is_known = business::find(&mut reader).await.map_err(fault)?.is_some();
    let zone = business::time_zone(&mut reader).await.map_err(fault)?;
    drop(reader);
    let Gathered { spool, business, report } = gather(order, now, is_known, zone, watch).map_err(ImportError::Files)?;
    let mut staging = Staging::fill(spool).await.map_err(ImportError::Staging)?;
    let mut write = database.write_long(clock).await?;
    if let Some(business) = &business {
        business::replace(&mut write, business).await.map_err(fault)?;
        business::note_time_zone(&mut write, business.time_zone).await.map_err(fault)?;
    }
    let wishes = Wishes { restore: order.restore, skip_duplicates: order.skip_duplicates };
    let mut merging = Merging::new(&mut write, now, wishes, report).await.map_err(fault)?;
    merging.all(&mut staging, watch).await.map_err(fault)?;
    if order.withdraw_missing {
        withdraw::missing(&mut merging, &mut staging, order.yes).await.map_err(|error| match error {
            withdraw::WithdrawError::Refused(reason) => ImportError::Withdrawal(reason),
            withdraw::WithdrawError::Database(error) => fault(error).into(),
        })?;
    }
    let report = merging.report;
    if order.dry_run { write.rollback().await } else { write.commit().await }.map_err(fault)?;
    Ok(report)
}

/// Reads everything in `order`. Where files cannot be read, says so of each of them.
fn gather(
    order: &Order,
    now: DateTime<Utc>,
    is_known: bool,
    zone: Option<Tz>,
    watch: Watcher<'_>,
) -> Result<Gathered, Vec<FileFault>> {
    let mut faults = Vec::new();
    let stdin = order.files.iter().filter(|file| *file == Path::new("-"));
    if stdin.count() > 1 {
        return Err(vec![FileFault { file: "-".to_owned(), fault: Fault::InputTwice }]);
    }
    let terms = Terms {
        renames: &order.renames,
        location: order.location.as_deref(),
        full_names: order.full_names,
        is_whole: order.withdraw_missing,
    };
    let all = |fault| vec![FileFault { file: "import".to_owned(), fault }];
    let mut intake = Intake::new(now, is_known, zone, terms, watch).map_err(all)?;
    let budget = sources::Budget::default();
    let mut take = |mut input: sources::Input<'_>| {
        let format = detect::detect(&input.head, order.format)?;
        intake.begin(FileStart { name: input.name, format })?;
        (format.read)(&mut *input.all, &mut intake)
    };
    for file in &order.files {
        sources::open(file, &budget, &mut take, &mut faults);
    }
    if faults.is_empty() { intake.finish().map_err(all) } else { Err(faults) }
}
