//! Rows on their way from the files to the database, on disk: an import needs the same memory
//! however many rows it has. A JSON array each, in a file without a name; what sorts them stands apart,
//! so that their texts are written once and read once.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};

use chrono::{DateTime, Utc};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::model::{
    Mentions, Method, Rating, Response, Review, ReviewId, Source, Statement, Status, Units,
    Verification,
};

/// A row as it was taken in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Staged {
    /// A review to be merged with what is there.
    Review(Box<StagedReview>),
    /// The owner deleted the review of that id.
    Deleted(ReviewId),
}

/// A review as it was taken in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StagedReview {
    /// What is said of it.
    pub(super) said: Statement,
    /// Which location it is about.
    pub(super) location: Option<String>,
    /// When it was written, where an instant is given.
    pub(super) posted_at: Option<DateTime<Utc>>,
    /// When it was answered, likewise.
    pub(super) responded_at: Option<DateTime<Utc>>,
    /// What its source calls itself, where that is not the review's own word for it.
    pub(super) source_name: Option<String>,
    /// Whether its row has an id; else the id is a digest of the row.
    pub(super) has_id: bool,
}

impl StagedReview {
    /// What its source calls itself.
    pub(super) fn source_name(&self) -> &str {
        let own = &self.said.review.source.name;
        self.source_name.as_ref().unwrap_or(own)
    }
}

impl Staged {
    /// The id of the review that it gives or deletes.
    pub(super) const fn id(&self) -> &ReviewId {
        match self {
            Self::Review(review) => &review.said.review.id,
            Self::Deleted(id) => id,
        }
    }
}

/// Rows in one temporary file, and in another a line for each: its id, what tells rows of one id
/// apart, and where it stands in the first.
#[derive(Debug)]
pub(super) struct Spool {
    rows: BufWriter<File>,
    entries: BufWriter<File>,
    /// How many bytes of rows there are.
    bytes: u64,
}

/// The rows of a spool that nothing is added to any more.
#[derive(Debug)]
pub(super) struct SpooledRows(File);

impl Spool {
    /// An empty one, in the folder for temporary files.
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self {
            rows: BufWriter::new(tempfile::tempfile()?),
            entries: BufWriter::new(tempfile::tempfile()?),
            bytes: 0,
        })
    }

    /// Appends a row.
    pub(super) fn push(&mut self, staged: &Staged) -> io::Result<()> {
        let entry = match staged {
            Staged::Review(review) => {
                let row = serde_json::to_vec(&packed(review))?;
                self.rows.write_all(&row)?;
                let start = self.bytes;
                self.bytes += row.len() as u64;
                let its = &review.said.review;
                let updated = its.updated_at.map(|at| at.timestamp_micros());
                let (source, location) = (review.source_name(), &review.location);
                json!([
                    its.id.as_str(),
                    updated,
                    source,
                    location,
                    start,
                    row.len(),
                    review.has_id
                ])
            }
            Staged::Deleted(id) => json!([id.as_str(), null, null, null, null, null, true]),
        };
        serde_json::to_writer(&mut self.entries, &entry)?;
        self.entries.write_all(b"\n")
    }

    /// The rows, and their entries from the first, one JSON array
    /// `[id, updated, source, location, start, bytes, has_id]` each; start and bytes are null for a deletion.
    pub(super) fn into_parts(
        self,
    ) -> io::Result<(SpooledRows, impl Iterator<Item = io::Result<String>>)> {
        let written =
            |file: BufWriter<File>| file.into_inner().map_err(io::IntoInnerError::into_error);
        let mut entries = written(self.entries)?;
        entries.rewind()?;
        Ok((
            SpooledRows(written(self.rows)?),
            BufReader::new(entries).lines(),
        ))
    }
}

impl SpooledRows {
    /// The row of so many bytes that begins there.
    pub(super) fn read(&mut self, start: u64, bytes: usize) -> io::Result<String> {
        let mut row = vec![0; bytes];
        self.0.seek(SeekFrom::Start(start))?;
        self.0.read_exact(&mut row)?;
        String::from_utf8(row).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
    }
}

fn packed(staged: &StagedReview) -> Value {
    let StagedReview {
        said,
        location: _,
        posted_at,
        responded_at,
        source_name,
        has_id,
    } = staged;
    let Review {
        id: _,
        rating,
        date,
        author,
        title,
        text,
        language,
        source,
        verification,
        mentions,
        response,
        status,
        updated_at,
    } = &said.review;
    let reason = match status {
        Status::Published => None,
        Status::Withheld { reason } => Some([reason]),
    };
    let response = response
        .as_ref()
        .map(|its| json!([its.text, its.date.map(|day| day.to_string()), its.author]));
    json!([
        rating.stars(),
        date.to_string(),
        author,
        title,
        text,
        language,
        source.name,
        source.url,
        verification.verified,
        verification.method.name(),
        verification.verified_at,
        mentions.technicians,
        mentions.services,
        mentions.service_areas,
        response,
        reason,
        updated_at,
        said.unsaid.bits(),
        said.decided.bits(),
        posted_at,
        responded_at,
        source_name,
        has_id,
    ])
}

/// The row of that key, from what stands behind it; `None` for what no import has written.
pub(super) fn unpack(id: &str, packed: Option<&str>) -> Option<Staged> {
    let id: ReviewId = id.parse().ok()?;
    let Some(packed) = packed else {
        return Some(Staged::Deleted(id));
    };
    let mut values = Values(serde_json::from_str::<Vec<Value>>(packed).ok()?.into_iter());
    let review = Review {
        id,
        rating: Rating::try_from(values.next::<i64>()?).ok()?,
        date: values.next::<String>()?.parse().ok()?,
        author: values.next()?,
        title: values.next()?,
        text: values.next()?,
        language: values.next()?,
        source: Source {
            name: values.next()?,
            url: values.next()?,
        },
        verification: Verification {
            verified: values.next()?,
            method: Method::find(&values.next::<String>()?)?,
            verified_at: values.next()?,
        },
        mentions: Mentions::new(values.next()?, values.next()?, values.next()?),
        response: values
            .next::<Option<(String, Option<String>, Option<String>)>>()?
            .map(|(text, date, author)| Response {
                text,
                date: date.and_then(|day| day.parse().ok()),
                author,
            }),
        status: match values.next::<Option<[Option<String>; 1]>>()? {
            Some([reason]) => Status::Withheld { reason },
            None => Status::Published,
        },
        updated_at: values.next()?,
    };
    let (unsaid, decided) = (
        Units::from_bits(values.next()?),
        Units::from_bits(values.next()?),
    );
    let (posted_at, responded_at, source_name) = (values.next()?, values.next()?, values.next()?);
    let has_id = values.next()?;
    let said = Statement {
        review,
        unsaid,
        decided,
    };
    Some(Staged::Review(Box::new(StagedReview {
        said,
        location: None,
        posted_at,
        responded_at,
        source_name,
        has_id,
    })))
}

struct Values(std::vec::IntoIter<Value>);

impl Values {
    fn next<T: DeserializeOwned>(&mut self) -> Option<T> {
        serde_json::from_value(self.0.next()?).ok()
    }
}
