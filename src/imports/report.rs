//! The report of an import and its progress events; `cli` formats them.

use std::collections::BTreeMap;
use std::io::Read;
use std::{fmt, io};

use serde_json::Value;
use thiserror::Error;

use crate::imports::draft::Draft;
pub use crate::imports::fault::{FileError, Position};
use crate::imports::format::Format;
use crate::imports::row::{HiddenRows, HidingValues};
use crate::model::text::shorten;
use crate::model::{Review, Unit, named};
use crate::storage::{DbError, first_faults};

named! {
    /// What becomes of a row, or of a review, by the words of the report.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Outcome {
        New = "new",
        /// Of an undo: has its former values again.
        Updated = "updated",
        Unchanged = "unchanged",
        Rejected = "rejected",
        /// Withheld now, and not before.
        NewlyWithheld = "withheld",
        /// Published now, and withheld before.
        PublishedAgain = "published again",
        KeptWithheld = "kept withheld",
        /// Has fields that the owner edited and for which the source has another value.
        KeptEdited = "kept edited",
        KeptDeleted = "kept deleted",
        /// Not stored, so that the name does not come back.
        KeptAnonymous = "kept anonymous: equal to a review of another source whose name you took away",
        /// Imported although the owner had deleted it.
        Restored = "brought back from deletion",
        /// Listed as deleted by one of our exports, and unknown here.
        NotedDeleted = "recorded as deleted that the database did not have",
        /// Listed as deleted by one of our exports, and there.
        StillThere = "still there, although listed as deleted in the file (`reviews delete ID` deletes one)",
        /// Not imported until the owner decides; with the reviews that it may be.
        Doubtful = "doubtful and not imported; pass --doubtful new if such rows are new reviews, --doubtful same if each is the one \
            review named; neither brings back a deleted one without --restore of `reviews import`",
        /// Superseded by another row of the same review.
        Repeated = "repeated: of rows with the same ID the last one was used, of equal rows one",
        /// Answers another row.
        LeftOut = "left out: comments on reviews (give your replies with `reviews reply`), or reviews of products",
        /// Of a review that another source brought, which a run may not touch.
        OfOther = "left out, of reviews that other imports brought, or that were deleted",
        /// Of another business, by the format's `only`.
        Elsewhere = "of another business left out",
        /// Withheld because its source no longer lists it.
        Withdrawn = "withdrawn, no longer listed by the source",
        /// Has the author, day, stars and text of a review of another source.
        Duplicate = "equal to a review of another source (--skip-duplicates of `reviews import` leaves new ones out)",
        /// Added by the import that is undone.
        Removed = "removed",
        /// Has or is marked by decisions of the owner that came with the import that is undone.
        DecisionUndone = "with your decisions, which are undone, too",
        /// Restored by the import that is undone.
        DeletedAgain = "restored by the import, now deleted again",
        /// Deleted since the import that is undone.
        Gone = "deleted since",
        /// Left as it is by an undo, with the reason.
        Left = "left unchanged",
    }
}

/// What came of an import or of its undoing, or would come of either.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImportReport {
    pub is_undo: bool,
    /// In the order of reading.
    pub files: Vec<FileReport>,
    pub outcomes: BTreeMap<Outcome, Named>,
    /// Withheld reviews in this import, by reason.
    pub withheld: BTreeMap<String, u64>,
    /// Whether the answer of a run names a next page that nothing reads.
    pub has_further_page: bool,
    /// Reviews of the files' sources that have no row, by source.
    pub without_row: BTreeMap<String, u64>,
    /// The sources with which the import keeps another format than before.
    pub kept_formats: Vec<String>,
    /// The values of columns of publication that the formats do not list.
    pub new_values: HidingValues,
    /// What rejected rows hide.
    pub rejected_hidden: HiddenRows,
    /// Name of the imported business, if the database had none before.
    pub business: Option<String>,
    /// Of a dry run: why the import is not taken without the owner.
    pub refusals: Vec<String>,
    /// Members that are passed over.
    pub unread: Vec<String>,
    /// Sentences about the files, such as the order of day and month in their dates.
    pub notes: Vec<String>,
}

impl ImportReport {
    /// Counts a row or a review; `name` is called only if it will be listed.
    pub fn add(&mut self, outcome: Outcome, name: impl FnOnce() -> String) {
        self.outcomes.entry(outcome).or_default().add(name);
    }

    pub fn named(&self, outcome: Outcome) -> &Named {
        static NONE: Named = Named {
            count: 0,
            names: Vec::new(),
        };
        self.outcomes.get(&outcome).unwrap_or(&NONE)
    }

    pub fn count(&self, outcome: Outcome) -> u64 {
        self.named(outcome).count
    }

    /// Number of rows of all files, without blank lines.
    pub fn rows(&self) -> u64 {
        self.files.iter().map(|file| file.rows).sum()
    }

    /// Notes a row of the file with this number that is not imported, and hands it to `watch`.
    ///
    /// # Errors
    /// When the row cannot be stored.
    pub fn reject(
        &mut self,
        watch: &mut dyn Watch,
        file: usize,
        at: Position,
        error: String,
        row: Value,
    ) -> Result<(), String> {
        self.add(Outcome::Rejected, String::new);
        let file = &mut self.files[file];
        file.rejected += 1;
        let rejection = Rejection {
            file: file.name.clone(),
            at,
            error,
            row,
        };
        let stored = watch.rejected(rejection);
        stored.map_err(|error| format!("a rejected row cannot be stored: {error}"))
    }

    /// Notes a sentence for the owner, once.
    pub fn note(&mut self, sentence: String) {
        if !self.notes.contains(&sentence) {
            self.notes.push(sentence);
        }
    }
}

/// Maximum number of characters of a text or a value in a preview.
const PREVIEW_CHARACTERS_MAX: usize = 80;

/// A review in one line.
pub fn preview(review: &Review) -> String {
    let stars = review.rating.stars();
    let noun = if stars == 1 { "star" } else { "stars" };
    let text = shortened(&review.text, 0);
    let separator = if text.is_empty() { "" } else { ": " };
    let (id, date, author) = (&review.id, review.date, &review.author);
    format!("{id}  {stars} {noun}, {date}, {author}{separator}{text}")
}

/// A review in one line, then a line for each field that changes.
pub fn preview_change(before: &Review, after: &Review) -> String {
    let changes = Unit::ALL.into_iter().filter_map(|unit| {
        let (old, new) = (unit.describe(before), unit.describe(after));
        let equal = old.chars().zip(new.chars());
        let common = equal.take_while(|(one, other)| one == other).count();
        // Long values that begin alike are shown from shortly before their difference.
        let is_long = common > PREVIEW_CHARACTERS_MAX / 2;
        let from = if is_long { common - 20 } else { 0 };
        let [shown, new_shown] = [&old, &new].map(|value| shortened(value, from));
        let name = unit.name();
        (old != new).then(|| format!("\n    {name}: {shown} → {new_shown}"))
    });
    preview(after) + &changes.collect::<String>()
}

/// The text in one line, from the character `from` on, with an ellipsis where something is left out.
fn shortened(text: &str, from: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let rest: String = words.join(" ").chars().skip(from).collect();
    let before = if from > 0 { "…" } else { "" };
    before.to_owned() + &shorten(&rest, PREVIEW_CHARACTERS_MAX)
}

/// A file, or a file in an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileReport {
    /// File name; for a file in an archive, with the archive's name.
    pub name: String,
    /// As a value of `--format`; `table` for an owner's.
    pub format: String,
    /// The name of the format, and its note for the owner.
    pub label: String,
    pub note: Option<String>,
    /// Whether the format gives only some of a place's reviews.
    pub excerpts: bool,
    /// What each field is read from.
    pub fields: Vec<String>,
    /// Number of rows, without blank lines.
    pub rows: u64,
    pub rejected: u64,
}

impl FileReport {
    pub fn new(name: String, format: &Format) -> Self {
        let is_table = format.is_table();
        let format_name = if is_table { "table" } else { &format.name };
        let label = if is_table {
            "the source's format"
        } else {
            &format.label
        };
        Self {
            name,
            format: format_name.to_owned(),
            label: label.to_owned(),
            note: format.note.clone(),
            excerpts: format.excerpts,
            fields: Vec::new(),
            rows: 0,
            rejected: 0,
        }
    }
}

/// A row that was rejected.
#[derive(Debug, Clone, PartialEq)]
pub struct Rejection {
    /// As in `FileReport::name`.
    pub file: String,
    pub at: Position,
    /// The problem, and advice for the user.
    pub error: String,
    /// As JSON if the row is valid JSON, otherwise as text; truncated if too long.
    pub row: Value,
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.at, self.error)
    }
}

/// Receives the events of a running import, and has the input of its command.
pub trait Watch {
    /// What the file `-` stands for.
    fn input(&mut self) -> Box<dyn Read + Send> {
        Box::new(io::empty())
    }

    /// Whether the import is to stop; once it is true, it stays so. Looked at between rows.
    fn is_stopped(&self) -> bool {
        false
    }

    /// `rows` of about `all` have been read so far.
    fn read(&mut self, _rows: u64, _all: u64) {}

    /// A row was rejected.
    ///
    /// # Errors
    /// When the row cannot be stored; the import then fails and writes nothing.
    fn rejected(&mut self, _rejection: Rejection) -> io::Result<()> {
        Ok(())
    }
}

/// Why a guard does not take an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    pub reason: String,
    /// Whose reviews these are; the name may be an answer's.
    pub source: Option<String>,
    /// Some of the reviews with their old and new values.
    pub examples: Vec<String>,
    pub advice: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(source) = &self.source {
            write!(f, "{source}: ")?;
        }
        f.write_str(&self.reason)?;
        if self.examples.is_empty() {
            write!(f, "; {}", self.advice)
        } else {
            let examples = self.examples.join("\n");
            write!(f, ", for example\n{examples}\n{}", self.advice)
        }
    }
}

/// `Send`, because an import moves between tasks.
pub type Watcher<'a> = &'a mut (dyn Watch + Send);

// Lists of reviews in a report: all reviews are counted, and the first are named.

/// Maximum number of named reviews.
pub const NAMED_MAX: usize = 20;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Named {
    pub count: u64,
    /// The first reviews, by id and remark.
    pub names: Vec<String>,
}

impl Named {
    /// Counts one more review; `name` is called only if the review will be listed, which one with an empty name is not.
    pub fn add(&mut self, name: impl FnOnce() -> String) {
        self.count += 1;
        if self.names.len() < NAMED_MAX {
            self.names.extend(Some(name()).filter(|it| !it.is_empty()));
        }
    }
}

// Errors of a whole file or a whole import. An error in a single row is a [`Rejection`], which does not stop the import.

/// Why an import, or its undoing, failed; nothing was changed.
#[derive(Debug, Error)]
pub enum ImportError {
    /// A file cannot be imported, or the import would do more than requested, or something that was probably not intended.
    #[error("{0}")]
    Refused(String),
    /// It would change too much without the owner.
    #[error("{0}; nothing was changed")]
    Guarded(Refusal),
    /// Something must be decided about the format first.
    #[error("open: {}", .0.describe_open().join("; "))]
    Open(Box<Draft>),
    /// [`Watch::is_stopped`]
    #[error("the import was stopped; nothing was changed")]
    Stopped,
    /// The database could not be read or written.
    #[error("{0}")]
    Database(#[from] DbError),
}

impl ImportError {
    /// # Errors
    /// If there are faults, each about a file.
    pub(super) fn refuse_files(faults: Vec<String>) -> Result<(), Self> {
        if faults.is_empty() {
            return Ok(());
        }
        let faults = first_faults(faults, "files cannot be imported");
        Err(Self::Refused(faults.join("\n")))
    }
}

impl From<FileError> for ImportError {
    fn from(error: FileError) -> Self {
        Self::Refused(error.to_string())
    }
}
