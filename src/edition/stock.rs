//! From rows to entries: reviews are taken out of the database with what is kept of their readings, and what is missing
//! is read at once if that takes no longer than a moment. Otherwise they appear unread, and are read for a later edition.

use std::collections::HashMap;
use std::sync::Arc;

use sqlx::SqliteConnection;
use tokio::task::yield_now;

use super::backlog::Backlog;
use super::entry::Entry;
use super::print::Copy;
use super::shelf::{Filler, Shelf};
use crate::business;
use crate::insights::store::{Kept, Stored, editorial, stored};
use crate::insights::{Engine, Note, Reader, Subject, TEXT_CHARS_MAX};
use crate::links::Links;
use crate::reviews::store::{Changed, Newest, Numbered, withheld};
use crate::reviews::{Review, ReviewId, Status};

/// How much is read while readers wait for an edition, in [`cost`]: about 300 ms at ten bytes a microsecond. Counted and
/// not timed, so that the same database always gives the same edition.
pub const READ_AT_ONCE_MAX: usize = 3_000_000;
/// What a review costs besides the bytes of its text: as many bytes as take as long.
const REVIEW_COST: usize = 300;
/// How many bytes of a text are read at most: four for each code point.
const TEXT_BYTES_MAX: usize = 4 * TEXT_CHARS_MAX;
/// How many reviews are looked up, or read, at a time; in between others may work.
const BATCH: usize = 64;

/// What it costs to read so many texts with so many bytes together.
#[must_use]
pub const fn cost(reviews: usize, bytes: usize) -> usize {
    reviews.saturating_mul(REVIEW_COST).saturating_add(bytes)
}

/// Makes entries for one edition.
#[derive(Debug)]
pub struct Stock<'a> {
    connection: &'a mut SqliteConnection,
    reader: Arc<Reader>,
    links: &'a Links,
    backlog: &'a Backlog,
    /// What was read for this edition, and is to be kept.
    read: Vec<Kept>,
}

/// Reviews that are to be read, as long as they are few enough to be read at once.
#[derive(Debug, Default)]
struct Missing {
    reviews: Vec<(Numbered, String)>,
    cost: usize,
}

impl Missing {
    fn add(&mut self, numbered: &Numbered, hash: String) {
        self.cost = self.cost.saturating_add(cost(1, numbered.review.text.len().min(TEXT_BYTES_MAX)));
        if self.cost <= READ_AT_ONCE_MAX {
            self.reviews.push((numbered.clone(), hash));
        } else {
            self.reviews = Vec::new();
        }
    }
}

impl<'a> Stock<'a> {
    /// Entries of what `connection` sees, with links and readings of these, and with what `backlog` has of these readings.
    pub const fn new(connection: &'a mut SqliteConnection, reader: Arc<Reader>, links: &'a Links, backlog: &'a Backlog) -> Self {
        Self { connection, reader, links, backlog, read: Vec::new() }
    }

    /// Whether these are entries as `reader` reads.
    #[must_use]
    pub fn is_of(&self, reader: &Arc<Reader>) -> bool {
        self.reader.method() == reader.method()
    }

    /// What it is taken out of.
    pub const fn connection(&mut self) -> &mut SqliteConnection {
        self.connection
    }

    /// What was read for this edition, and is to be kept.
    #[must_use]
    pub fn into_read(self) -> Vec<Kept> {
        self.read
    }

    /// A shelf of all published reviews.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn all(&mut self) -> sqlx::Result<Shelf> {
        let (mut newest, mut filler, mut missing) = (Newest::default(), Filler::default(), Missing::default());
        while let Some(reviews) = newest.next_numbered(self.connection).await? {
            let mut kept = self.kept(&reviews).await?;
            for numbered in reviews {
                let kept = kept.remove(numbered.review.id.as_str());
                filler.push(&self.entry(numbered, kept, &mut missing));
            }
        }
        let shelf = filler.finish();
        if missing.reviews.is_empty() {
            return Ok(shelf);
        }
        let read = self.read_all(missing.reviews).await;
        Ok(shelf.revise(read))
    }

    /// `shelf` after these changes.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn revise(&mut self, shelf: &Shelf, changes: Vec<Changed>) -> sqlx::Result<Shelf> {
        let (mut entries, mut missing): (HashMap<ReviewId, Option<Entry>>, _) = (HashMap::new(), Missing::default());
        let mut published = Vec::with_capacity(changes.len());
        for Changed { id, review } in changes {
            match review.filter(|numbered| numbered.review.status == Status::Published) {
                Some(numbered) => published.push(numbered),
                None => drop(entries.insert(id, None)),
            }
        }
        while !published.is_empty() {
            let batch = published.split_off(published.len().saturating_sub(BATCH));
            let mut kept = self.kept(&batch).await?;
            for numbered in batch {
                let (id, kept) = (numbered.review.id.clone(), kept.remove(numbered.review.id.as_str()));
                let entry = self.entry(numbered, kept, &mut missing);
                entries.insert(id, Some(entry));
            }
        }
        entries.extend(self.read_all(missing.reviews).await);
        Ok(shelf.revise(entries.into_iter().collect()))
    }

    async fn kept(&mut self, reviews: &[Numbered]) -> sqlx::Result<HashMap<String, Stored>> {
        let ids: Vec<&str> = reviews.iter().map(|numbered| numbered.review.id.as_str()).collect();
        stored(self.connection, &ids).await
    }

    /// The entry of a review, given what is kept of its reading.
    fn entry(&self, numbered: Numbered, kept: Option<Stored>, missing: &mut Missing) -> Entry {
        let hash = Subject::of(&numbered.review).hash();
        let waits = |kept: &Arc<Kept>| kept.text_hash == hash && kept.method_hash == self.reader.method();
        if let Some(waiting) = self.backlog.find(numbered.review.id.as_str()).filter(waits) {
            // Stars and day may have changed since, which are not read and stand in the note.
            let note = Note::new(&waiting.reading, &numbered.review, self.reader.trade());
            return Entry::read(numbered.review, &waiting.reading.names(), note, self.links).numbered(numbered.review_no);
        }
        let Some(kept) = kept.filter(|kept| kept.text_hash == hash) else {
            missing.add(&numbered, hash);
            return Entry::unread(numbered.review, self.links).numbered(numbered.review_no);
        };
        let note = if kept.method_hash == self.reader.method() { kept.note(&numbered.review) } else { None };
        let Some(note) = note else {
            missing.add(&numbered, hash);
            return Entry::to_read_anew(numbered.review, &kept.names, self.links).numbered(numbered.review_no);
        };
        Entry::read(numbered.review, &kept.names, note, self.links).numbered(numbered.review_no)
    }

    async fn read_all(&mut self, reviews: Vec<(Numbered, String)>) -> Vec<(ReviewId, Option<Entry>)> {
        let mut entries = Vec::with_capacity(reviews.len());
        for (Numbered { review_no, review }, text_hash) in reviews {
            if entries.len() % BATCH == BATCH - 1 {
                yield_now().await;
            }
            let id = review.id.clone();
            let kept = read(&self.reader, &review, text_hash);
            let entry = Entry::read(review, &kept.reading.names(), kept.note.clone(), self.links);
            entries.push((id, Some(entry.numbered(review_no))));
            self.read.push(kept);
        }
        metrics::counter!("insights_read_total").increment(entries.len() as u64);
        entries
    }
}

/// All that an edition would be printed from now, and how many readings for it are not kept: nothing is written, and
/// nobody is told.
///
/// # Errors
/// When the database cannot be read.
pub async fn survey(connection: &mut SqliteConnection, engine: &Arc<Engine>, links: &Links) -> sqlx::Result<(Copy, usize)> {
    let business = business::find(&mut *connection).await?.unwrap_or_default();
    let editorial = editorial(&mut *connection).await?;
    let withheld = withheld(&mut *connection).await?;
    let reader = Arc::new(Reader::new(&business, engine));
    let backlog = Backlog::default();
    let mut stock = Stock::new(connection, Arc::clone(&reader), links, &backlog);
    let shelf = stock.all().await?;
    let behind = stock.into_read().len() + shelf.count_unread();
    Ok((Copy { shelf, business, editorial, withheld, next_reader: Arc::clone(&reader), reader }, behind))
}

/// Reads one review's text, whose hash is this.
#[must_use]
pub fn read(reader: &Reader, review: &Review, text_hash: String) -> Kept {
    let reading = reader.read(&Subject::of(review));
    let note = Note::new(&reading, review, reader.trade());
    Kept { id: review.id.to_string(), text_hash, method_hash: reader.method().to_owned(), reading, note }
}
