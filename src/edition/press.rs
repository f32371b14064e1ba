//! The press: reads what changed in one transaction, prints what differs, and publishes it before anybody sees it.

use std::sync::Arc;

use sqlx::SqliteConnection;
use thiserror::Error;

use super::current::{Edition, Printed};
use super::document::Document;
use super::entry::Entry;
use super::print::{Copy, print};
use super::sheet::Sheet;
use super::shelf::{Filler, Shelf};
use super::store::{self, Publication};
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
        let Read { reading, copy, out } = read;
        let sheets = Document::ALL.map(|document| sheet(document, &copy, &self.links, previous));
        let publications = self.publish(&sheets, &reading, out).await.map_err(PressError::Publish)?;
        let mut is_new = previous.is_none_or(|previous| previous.reading != reading);
        let mut documents = Vec::with_capacity(sheets.len());
        for ((document, sheet), publication) in Document::ALL.into_iter().zip(sheets).zip(publications) {
            let before = previous.map(|previous| previous.document(document));
            match before.filter(|before| Arc::ptr_eq(&before.sheet, &sheet) && before.publication == publication) {
                Some(before) => documents.push(Arc::clone(before)),
                None => {
                    is_new = true;
                    documents.push(Arc::new(Printed { document, sheet, publication }));
                }
            }
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
            shelf: self.shelf(connection, previous, &reading).await?,
            business: business::find(connection).await?.unwrap_or_default(),
            editorial: insights::store::editorial(connection).await?,
            withheld: reviews::withheld(connection).await?,
        };
        Ok(Read { reading, copy, out })
    }

    /// The reviews: those of the edition before but for what changed, or all read anew.
    async fn shelf(&self, connection: &mut SqliteConnection, previous: Option<&Edition>, now: &Reading) -> sqlx::Result<Shelf> {
        // Another lineage, or numbers that went back: this is not the database that we know.
        let known = previous.filter(|edition| edition.reading.lineage == now.lineage && edition.reading.change_no <= now.change_no);
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

    /// Publishes what differs from what is out, in one transaction; where nothing does, nothing is written.
    async fn publish(
        &self,
        sheets: &[Arc<Sheet>],
        reading: &Reading,
        out: Vec<Option<Publication>>,
    ) -> Result<Vec<Publication>, DbError> {
        let fault = |error| DbError::at(self.database.path(), error);
        let mut publications = Vec::with_capacity(sheets.len());
        let mut write = None;
        for ((document, sheet), out) in Document::ALL.into_iter().zip(sheets).zip(out) {
            let digest = &sheet.content.digest;
            if let Some(out) = out.filter(|out| out.digest == *digest) {
                publications.push(out);
                continue;
            }
            let mut transaction = match write.take() {
                Some(transaction) => transaction,
                None => self.database.write().await?,
            };
            let now = self.clock.now();
            publications.push(store::publish(&mut transaction, document, digest, reading.change_no, now).await.map_err(fault)?);
            write = Some(transaction);
        }
        if let Some(transaction) = write {
            transaction.commit().await.map_err(fault)?;
        }
        Ok(publications)
    }
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
