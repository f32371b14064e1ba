//! The press: reads what changed in one transaction, prints what differs, and publishes it before anybody sees it.

use std::collections::HashSet;
use std::sync::Arc;

use sqlx::SqliteConnection;
use thiserror::Error;

use super::backlog::Backlog;
use super::current::{Edition, Printed};
use super::document::Document;
use super::print::{Copy, print};
use super::publication::Publication;
use super::sheet::Sheet;
use super::shelf::Shelf;
use super::stock::{READ_AT_ONCE_MAX, Stock, cost};
use super::store;
use crate::business::{self, Business};
use crate::clock::Clock;
use crate::db::{Database, DbError};
use crate::insights::store::Kept;
use crate::insights::{self, Engine, Reader};
use crate::links::Links;
use crate::reviews::store::{self as reviews, Changed, Reading};

/// With more changed reviews than this share of all, reading everything anew is quicker than one by one.
const CHANGED_SHARE_MAX: usize = 4;

/// Prints editions.
#[derive(Debug, Clone)]
pub struct Press {
    database: Database,
    links: Links,
    clock: Clock,
    engine: Arc<Engine>,
    backlog: Arc<Backlog>,
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
    /// What was read for this edition, and is to be kept.
    kept: Vec<Kept>,
    /// Whether all is what the edition before was printed from.
    is_same: bool,
}

impl Press {
    /// A press for this database, whose links are these, with the built-in trade.
    #[must_use]
    pub fn new(database: Database, links: Links, clock: Clock) -> Self {
        Self { database, links, clock, engine: Engine::built_in(), backlog: Arc::default() }
    }

    /// The same press, whose reviews that engine reads.
    #[must_use]
    pub fn with_engine(self, engine: Arc<Engine>) -> Self {
        Self { engine, ..self }
    }

    /// What is left to do when an edition is out.
    #[must_use]
    pub const fn backlog(&self) -> &Arc<Backlog> {
        &self.backlog
    }

    /// The database.
    #[must_use]
    pub const fn database(&self) -> &Database {
        &self.database
    }

    /// The links that it prints.
    #[must_use]
    pub const fn links(&self) -> &Links {
        &self.links
    }

    /// Its clock.
    #[must_use]
    pub const fn clock(&self) -> &Clock {
        &self.clock
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
        let is_read = self.backlog.take_read();
        let printed = self.print_read(previous, is_read).await;
        if is_read && printed.is_err() {
            self.backlog.set_read();
        }
        printed
    }

    /// The same, given whether what the edition before could not wait for has been read.
    async fn print_read(&self, previous: Option<&Edition>, is_read: bool) -> Result<(Edition, bool), PressError> {
        let fault = |error| PressError::Read(DbError::at(self.database.path(), error));
        let mut transaction = self.database.readers().begin().await.map_err(fault)?;
        let mut read = self.read(&mut transaction, previous, is_read).await.map_err(fault)?;
        // Before it is published: where that fails, the next try finds here what was read.
        self.backlog.add(std::mem::take(&mut read.kept));
        transaction.commit().await.map_err(fault)?;
        let same = previous.filter(|_| read.is_same);
        let sheets = Document::ALL.map(|document| match same {
            Some(previous) => Arc::clone(&previous.document(document).sheet),
            None => sheet(document, &read.copy, &self.links, previous),
        });
        let publications = self.publish(&sheets, previous, &read).await.map_err(PressError::Publish)?;
        let Read { reading, copy, is_same, .. } = read;
        let mut is_new = !is_same;
        let mut documents = Vec::with_capacity(sheets.len());
        for ((document, sheet), publication) in Document::ALL.into_iter().zip(sheets).zip(publications) {
            let before = previous.map(|previous| previous.document(document));
            let same = before.filter(|before| Arc::ptr_eq(&before.sheet, &sheet) && before.publication == publication);
            is_new |= same.is_none();
            documents.push(same.map_or_else(|| Arc::new(Printed { document, sheet, publication }), Arc::clone));
        }
        Ok((Edition::new(reading, copy, documents), is_new))
    }

    async fn read(&self, connection: &mut SqliteConnection, previous: Option<&Edition>, is_read: bool) -> sqlx::Result<Read> {
        let reading = reviews::position(connection).await?;
        let mut out = Vec::with_capacity(Document::ALL.len());
        for document in Document::ALL {
            out.push(store::find(connection, document).await?);
        }
        let business = business::find(connection).await?.unwrap_or_default();
        let editorial = insights::store::editorial(connection).await?;
        let withheld = reviews::withheld(connection).await?;
        let is_noted = store::is_printed_from(connection, reading.change_no).await?;
        let known = previous.filter(|edition| is_after(edition, &reading, &out));
        let next_reader = self.reader(&business, previous);
        let reader = reader_in_force(known, &next_reader, is_read);
        let mut stock = Stock::new(connection, Arc::clone(&reader), &self.links, &self.backlog);
        let shelf = shelf(&mut stock, known, &reading, is_read).await?;
        let kept = stock.into_read();
        let is_same = shelf.is_none()
            && known.is_some_and(|edition| {
                let Copy { shelf: _, business: its, editorial: text, withheld: others, reader: _, next_reader: next } =
                    &edition.copy;
                edition.reading == reading
                    && (its, text, others) == (&business, &editorial, &withheld)
                    && Arc::ptr_eq(next, &next_reader)
            });
        let shelf = shelf.or_else(|| known.map(|edition| edition.copy.shelf.clone())).unwrap_or_default();
        let copy = Copy { shelf, business, editorial, withheld, reader, next_reader };
        Ok(Read { reading, copy, out, is_noted, kept, is_same })
    }

    /// Who reads for `business`: the one before, unless its method has changed.
    fn reader(&self, business: &Business, previous: Option<&Edition>) -> Arc<Reader> {
        if let Some(previous) = previous.filter(|previous| previous.copy.business == *business) {
            return Arc::clone(&previous.copy.next_reader);
        }
        let reader = Reader::new(business, &self.engine);
        let known = previous.iter().flat_map(|edition| [&edition.copy.reader, &edition.copy.next_reader]);
        let same = known.into_iter().find(|known| known.method() == reader.method());
        same.map_or_else(|| Arc::new(reader), Arc::clone)
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

/// The reviews: those of the edition before but for what changed, or all taken anew; `None` where nothing changed.
async fn shelf(stock: &mut Stock<'_>, known: Option<&Edition>, now: &Reading, is_read: bool) -> sqlx::Result<Option<Shelf>> {
    let Some(edition) = known.filter(|edition| stock.is_of(&edition.copy.reader)) else { return stock.all().await.map(Some) };
    let (shelf, seen) = (&edition.copy.shelf, edition.reading.change_no);
    let unread: Vec<&str> = if is_read { shelf.unread().collect() } else { Vec::new() };
    if seen == now.change_no && unread.is_empty() {
        return Ok(None);
    }
    let connection = stock.connection();
    if reviews::count_changed_since(connection, seen).await? + unread.len() > shelf.len() / CHANGED_SHARE_MAX {
        return stock.all().await.map(Some);
    }
    let mut changes = reviews::changed_since(connection, seen).await?;
    let changed: HashSet<&str> = changes.iter().map(|changed| changed.id.as_str()).collect();
    let unread: Vec<&str> = unread.into_iter().filter(|id| !changed.contains(id)).collect();
    let unread = reviews::published(connection, &unread).await?;
    changes.extend(unread.into_iter().map(|numbered| Changed { id: numbered.review.id.clone(), review: Some(numbered) }));
    stock.revise(shelf, changes).await.map(Some)
}

/// Who has read what the next edition shows: the reader before goes on while reading everything anew takes longer than a
/// moment and is not done yet.
fn reader_in_force(known: Option<&Edition>, next: &Arc<Reader>, is_read: bool) -> Arc<Reader> {
    let before = known.map(|edition| &edition.copy).filter(|copy| {
        let is_long = cost(copy.shelf.len(), copy.shelf.text_bytes()) > READ_AT_ONCE_MAX;
        // What was read anew was so by whom the edition before waited for.
        is_long && !(is_read && Arc::ptr_eq(&copy.next_reader, next))
    });
    Arc::clone(before.map_or(next, |copy| &copy.reader))
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
