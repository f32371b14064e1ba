//! The press: reads what changed in one transaction, prints what differs, and publishes it before anybody sees it.

use std::sync::Arc;

use sqlx::SqliteConnection;
use thiserror::Error;

use super::current::{Edition, Printed};
use super::document::Document;
use super::entry::Entry;
use super::print::{Copy, print};
use super::publication::Publication;
use super::sheet::Sheet;
use super::shelf::{Filler, Shelf};
use super::store;
use crate::business;
use crate::clock::Clock;
use crate::db::{Database, DbError};
use crate::insights;
use crate::links::Links;
use crate::reviews::Status;
use crate::reviews::store::{self as reviews, Reading};

/// With more changed reviews than this share of all, reading everything anew is quicker than one by one.
const CHANGED_SHARE_MAX: usize = 4;

/// Prints editions.
#[derive(Debug, Clone)]
pub struct Press {
    database: Database,
    links: Links,
    clock: Clock,
}

/// Why no edition could be printed; the one before stays out.
#[derive(Debug, Error)]
pub enum PressError {
    /// The database could not be read.
    #[error("cannot read the reviews: {0}")]
    Read(DbError),
    /// What was printed could not be published.
    #[error("cannot publish: {0}")]
    Publish(DbError),
}

/// What one look at the database gave.
struct Read {
    reading: Reading,
    copy: Copy,
    /// What is out, in the order of [`Document::ALL`].
    out: Vec<Option<Publication>>,
    /// Whether that is what was printed from these very reviews.
    is_noted: bool,
}

impl Press {
    /// A press for this database, whose links are these.
    #[must_use]
    pub const fn new(database: Database, links: Links, clock: Clock) -> Self {
        Self { database, links, clock }
    }

    /// The edition of what is there now.
    ///
    /// # Errors
    /// [`PressError`].
    pub async fn first(&self) -> Result<Edition, PressError> {
        Ok(self.print(None).await?.0)
    }

    /// The edition after `previous`, or `None` where nothing that is printed changed.
    ///
    /// # Errors
    /// [`PressError`]; nothing is changed then.
    pub async fn next(&self, previous: &Edition) -> Result<Option<Edition>, PressError> {
        let (edition, is_new) = self.print(Some(previous)).await?;
        Ok(is_new.then_some(edition))
    }

    /// An edition, and whether it is another than `previous`.
    async fn print(&self, previous: Option<&Edition>) -> Result<(Edition, bool), PressError> {
        let fault = |error| PressError::Read(DbError::at(self.database.path(), error));
        let mut transaction = self.database.readers().begin().await.map_err(fault)?;
        let read = self.read(&mut transaction, previous).await.map_err(fault)?;
        transaction.commit().await.map_err(fault)?;
        let sheets = Document::ALL.map(|document| sheet(document, &read.copy, &self.links, previous));
        let publications = self.publish(&sheets, previous, &read).await.map_err(PressError::Publish)?;
        let Read { reading, copy, .. } = read;
        let mut is_new = previous.is_none_or(|previous| previous.reading != reading);
        let mut documents = Vec::with_capacity(sheets.len());
        for ((document, sheet), publication) in Document::ALL.into_iter().zip(sheets).zip(publications) {
            let before = previous.map(|previous| previous.document(document));
            let same = before.filter(|before| Arc::ptr_eq(&before.sheet, &sheet) && before.publication == publication);
            is_new |= same.is_none();
            documents.push(same.map_or_else(|| Arc::new(Printed { document, sheet, publication }), Arc::clone));
        }
        Ok((Edition::new(reading, copy, documents), is_new))
    }

    async fn read(&self, connection: &mut SqliteConnection, previous: Option<&Edition>) -> sqlx::Result<Read> {
        let reading = reviews::position(connection).await?;
        let mut out = Vec::with_capacity(Document::ALL.len());
        for document in Document::ALL {
            out.push(store::find(connection, document).await?);
        }
        let copy = Copy {
            shelf: self.shelf(connection, previous.filter(|edition| is_after(edition, &reading, &out)), &reading).await?,
            business: business::find(connection).await?.unwrap_or_default(),
            editorial: insights::store::editorial(connection).await?,
            withheld: reviews::withheld(connection).await?,
        };
        let is_noted = store::is_printed_from(connection, reading.change_no).await?;
        Ok(Read { reading, copy, out, is_noted })
    }

    /// The reviews: those of the edition before but for what changed, or all read anew.
    async fn shelf(&self, connection: &mut SqliteConnection, known: Option<&Edition>, now: &Reading) -> sqlx::Result<Shelf> {
        if let Some(edition) = known {
            let (shelf, seen) = (&edition.copy.shelf, edition.reading.change_no);
            if seen == now.change_no {
                return Ok(shelf.clone());
            }
            if reviews::count_changed_since(connection, seen).await? <= shelf.len() / CHANGED_SHARE_MAX {
                return Ok(shelf.revise(self.changed(connection, seen).await?));
            }
        }
        let mut filler = Filler::default();
        reviews::each_published(connection, |review| filler.push(&Entry::new(review, &self.links))).await?;
        Ok(filler.finish())
    }

    async fn changed(
        &self,
        connection: &mut SqliteConnection,
        seen: i64,
    ) -> sqlx::Result<Vec<(crate::reviews::ReviewId, Option<Entry>)>> {
        let changed = reviews::changed_since(connection, seen).await?;
        let entry = |changed: reviews::Changed| {
            let published = changed.review.filter(|review| review.status == Status::Published);
            (changed.id, published.map(|review| Entry::new(review, &self.links)))
        };
        Ok(changed.into_iter().map(entry).collect())
    }

    /// Publishes what is due, in one transaction, and notes from which change it was printed; where nothing is due and
    /// nothing is to be noted, nothing is written.
    async fn publish(&self, sheets: &[Arc<Sheet>], previous: Option<&Edition>, read: &Read) -> Result<Vec<Publication>, DbError> {
        let fault = |error| DbError::at(self.database.path(), error);
        let now = self.clock.now();
        let said = |document| previous.map(|previous| &previous.document(document).publication);
        let printed = || Document::ALL.into_iter().zip(sheets.iter().map(|sheet| &sheet.content.digest));
        let standing: Option<Vec<Publication>> = printed()
            .zip(&read.out)
            .map(|((document, digest), row)| Publication::due(digest, said(document), row.as_ref(), 0, now).standing())
            .collect();
        if let Some(standing) = standing.filter(|_| read.is_noted) {
            return Ok(standing);
        }
        let mut write = self.database.write().await?;
        let mut publications = Vec::with_capacity(sheets.len());
        for (document, digest) in printed() {
            publications.push(store::publish(&mut write, document, digest, said(document), now).await.map_err(fault)?);
        }
        store::note_printed_from(&mut write, read.reading.change_no).await.map_err(fault)?;
        write.commit().await.map_err(fault)?;
        Ok(publications)
    }
}

/// Whether the database that says this is the one that `edition` was printed from, at that time or later. Another lineage,
/// change numbers that went back, or versions that did: then it is another one, or a restored copy.
fn is_after(edition: &Edition, now: &Reading, out: &[Option<Publication>]) -> bool {
    let went_back = |(document, row): (Document, &Option<Publication>)| {
        row.as_ref().is_none_or(|row| row.version < edition.document(document).publication.version)
    };
    edition.reading.lineage == now.lineage
        && edition.reading.change_no <= now.change_no
        && !Document::ALL.into_iter().zip(out).any(went_back)
}

/// A document's sheet; the very same one, with its codings, where the edition before has the same bytes.
fn sheet(document: Document, copy: &Copy, links: &Links, previous: Option<&Edition>) -> Arc<Sheet> {
    let content = print(document, copy, links);
    let before = previous.map(|previous| &previous.document(document).sheet);
    match before.filter(|before| before.content.digest == content.digest) {
        Some(before) => Arc::clone(before),
        None => Arc::new(Sheet::new(document.content_type(), content)),
    }
}
