//! The publisher: reads what changed in one transaction, renders what differs, and publishes it
//! before anybody sees it.

use std::collections::HashSet;
use std::sync::Arc;

use sqlx::SqliteConnection;
use thiserror::Error;

use super::backlog::Backlog;
use super::cached_body::CachedBody;
use super::current::{PublishedDocument, Snapshot};
use super::document::Document;
use super::entry_loader::{ANALYZE_AT_ONCE_MAX, EntryLoader, Loaded, cost};
use super::index::ReviewIndex;
use super::input::SnapshotInput;
use super::observer::Observer;
use super::publication::Publication;
use super::render::{self, Draft, draft};
use super::store;
use crate::business::{self, Business};
use crate::clock::Clock;
use crate::db::{Database, DbError};
use crate::insights::{Analyzer, Engine};
use crate::links::Links;
use crate::reviews::store::{self as reviews, Changed, DatabasePosition};

/// With more changed reviews than this share of all, analyzing everything anew is quicker than one
/// by one.
const CHANGED_SHARE_MAX: usize = 4;
/// How often a snapshot is rendered whose dates another process stored meanwhile.
const ATTEMPTS_MAX: usize = 4;

/// Renders the next snapshot from what has changed, and swaps it in.
#[derive(Debug, Clone)]
pub struct Publisher {
    database: Database,
    links: Links,
    clock: Clock,
    engine: Arc<Engine>,
    backlog: Arc<Backlog>,
}

/// Why no snapshot could be rendered; the one before stays out.
#[derive(Debug, Error)]
pub enum PublishError {
    /// The database could not be read.
    #[error("cannot read the reviews: {0}")]
    Read(DbError),
    /// What was rendered could not be published.
    #[error("cannot publish: {0}")]
    Publish(DbError),
    /// What others changed has been changed again, or was dated by another process, each time before it could be dated.
    #[error("cannot publish: others change the reviews faster than they can be rendered")]
    Overtaken,
}

/// What one look at the database gave.
struct DatabaseState {
    position: DatabasePosition,
    input: SnapshotInput,
    /// What is out, in the order of [`Document::ALL`].
    out: Vec<Option<Publication>>,
    /// Whether that is what was rendered from these very reviews, and the first base URL is kept.
    is_recorded: bool,
    /// What was made for this snapshot, and is to be stored.
    loaded: Loaded,
    /// Whether all is what the previous snapshot was rendered from.
    is_same: bool,
}

impl Publisher {
    /// A publisher for this database, whose links are these, with the built-in trade.
    #[must_use]
    pub fn new(database: Database, links: Links, clock: Clock) -> Self {
        Self {
            database,
            links,
            clock,
            engine: Engine::built_in(),
            backlog: Arc::default(),
        }
    }

    /// The same publisher, whose reviews that engine reads.
    #[must_use]
    pub fn with_engine(self, engine: Arc<Engine>) -> Self {
        Self { engine, ..self }
    }

    /// What is left to do when a snapshot is out.
    #[must_use]
    pub const fn backlog(&self) -> &Arc<Backlog> {
        &self.backlog
    }

    /// The database that is published.
    #[must_use]
    pub const fn database(&self) -> &Database {
        &self.database
    }

    /// The links that it renders.
    #[must_use]
    pub const fn links(&self) -> &Links {
        &self.links
    }

    /// The clock that dates publications.
    #[must_use]
    pub const fn clock(&self) -> &Clock {
        &self.clock
    }

    /// The snapshot of what is there now.
    ///
    /// # Errors
    /// [`PublishError`].
    pub async fn first(&self) -> Result<Snapshot, PublishError> {
        Ok(self.build(None).await?.0)
    }

    /// The snapshot after `previous`, or `None` where nothing that is rendered changed.
    ///
    /// # Errors
    /// [`PublishError`]; nothing is changed then.
    pub async fn next(&self, previous: &Snapshot) -> Result<Option<Snapshot>, PublishError> {
        let (snapshot, is_new) = self.build(Some(previous)).await?;
        Ok(is_new.then_some(snapshot))
    }

    /// A snapshot, and whether it is another than `previous`.
    async fn build(&self, previous: Option<&Snapshot>) -> Result<(Snapshot, bool), PublishError> {
        let is_read = self.backlog.take_analyzed();
        let mut rendered = self.build_with(previous, is_read).await;
        for _ in 1..ATTEMPTS_MAX {
            if !matches!(rendered, Err(PublishError::Overtaken)) {
                break;
            }
            rendered = self.build_with(previous, is_read).await;
        }
        if is_read && rendered.is_err() {
            self.backlog.set_analyzed();
        }
        rendered
    }

    /// The same, given whether what the previous snapshot could not wait for has been read.
    async fn build_with(
        &self,
        previous: Option<&Snapshot>,
        is_read: bool,
    ) -> Result<(Snapshot, bool), PublishError> {
        let fault = |error| PublishError::Read(DbError::at(self.database.path(), error));
        let mut transaction = self.database.readers().begin().await.map_err(fault)?;
        let mut state = self
            .read_state(&mut transaction, previous, is_read)
            .await
            .map_err(fault)?;
        // Before it is published: where that fails, the next try finds here what was read.
        self.backlog.add(std::mem::take(&mut state.loaded.analyzed));
        transaction.commit().await.map_err(fault)?;
        let same = previous.filter(|_| state.is_same);
        let drafts = Document::ALL.map(|document| match same {
            Some(_) => None,
            None => Some(draft(document, &state.input, &self.links)),
        });
        let digests = Document::ALL.map(|document| {
            let out = same.map(|previous| &previous.document(document).publication);
            match (&drafts[document.index()], out) {
                (Some(draft), _) => draft.digest.clone(),
                (None, out) => out.map(|out| out.digest.clone()).unwrap_or_default(),
            }
        });
        let publications = self.publish(&digests, previous, &state).await?;
        let DatabaseState {
            position,
            input,
            is_same,
            ..
        } = state;
        let mut is_new = !is_same;
        let mut documents = Vec::with_capacity(Document::ALL.len());
        for ((document, draft), publication) in
            Document::ALL.into_iter().zip(drafts).zip(publications)
        {
            let before = previous.map(|previous| previous.document(document));
            if let Some(before) = before.filter(|before| before.publication == publication) {
                documents.push(Arc::clone(before));
                continue;
            }
            is_new = true;
            let draft = draft.unwrap_or_else(|| render::draft(document, &input, &self.links));
            let body = cached_body(document, draft, &publication, before);
            documents.push(Arc::new(PublishedDocument {
                document,
                body,
                publication,
            }));
        }
        Ok((Snapshot::new(position, input, documents), is_new))
    }

    async fn read_state(
        &self,
        connection: &mut SqliteConnection,
        previous: Option<&Snapshot>,
        is_read: bool,
    ) -> sqlx::Result<DatabaseState> {
        let position = reviews::position(connection).await?;
        let out = what_is_out(connection).await?;
        let business = business::find(connection).await?.unwrap_or_default();
        let editorial = business::editorial(connection).await?;
        let withheld = reviews::withheld(connection).await?;
        let first_links = store::first_base(connection).await?;
        let is_recorded = first_links.is_some()
            && store::is_rendered_from(connection, position.change_no).await?;
        let first_links = first_links.unwrap_or_else(|| self.links.clone());
        let known = previous.filter(|snapshot| is_after(snapshot, &position, &out));
        let next_analyzer = self.analyzer(&business, previous);
        let analyzer = analyzer_in_force(known, &next_analyzer, is_read);
        let mut loader = EntryLoader::new(
            connection,
            Arc::clone(&analyzer),
            &self.links,
            &self.backlog,
        )
        .observing(self.observer(previous, &position));
        let review_index = review_index(&mut loader, known, &position, is_read).await?;
        let loaded = loader.into_loaded();
        let is_same = review_index.is_none()
            && known.is_some_and(|snapshot| {
                let SnapshotInput {
                    review_index: _,
                    business: its,
                    editorial: text,
                    withheld: others,
                    first_links: their_links,
                    analyzer: _,
                    next_analyzer: next,
                } = &snapshot.input;
                snapshot.position == position
                    && (its, text, others) == (&business, &editorial, &withheld)
                    && their_links.as_ref() == Some(&first_links)
                    && Arc::ptr_eq(next, &next_analyzer)
            });
        let review_index = review_index
            .or_else(|| known.map(|snapshot| snapshot.input.review_index.clone()))
            .unwrap_or_default();
        let input = SnapshotInput {
            review_index,
            business,
            editorial,
            withheld,
            first_links: Some(first_links),
            analyzer,
            next_analyzer,
        };
        Ok(DatabaseState {
            position,
            input,
            out,
            is_recorded,
            loaded,
            is_same,
        })
    }

    /// Dates what others changed since `previous`, if that is of the same database.
    fn observer(&self, previous: Option<&Snapshot>, position: &DatabasePosition) -> Observer {
        let same = previous.filter(|snapshot| snapshot.position.lineage == position.lineage);
        let out = same.map(|snapshot| snapshot.input.review_index.clone());
        Observer::new(self.clock.now(), out)
    }

    /// Who reads for `business`: the one before, unless its method has changed.
    fn analyzer(&self, business: &Business, previous: Option<&Snapshot>) -> Arc<Analyzer> {
        if let Some(previous) = previous.filter(|previous| previous.input.business == *business) {
            return Arc::clone(&previous.input.next_analyzer);
        }
        let analyzer = Analyzer::new(business, &self.engine);
        let known = previous
            .iter()
            .flat_map(|snapshot| [&snapshot.input.analyzer, &snapshot.input.next_analyzer]);
        let same = known
            .into_iter()
            .find(|known| known.method() == analyzer.method());
        same.map_or_else(|| Arc::new(analyzer), Arc::clone)
    }

    /// Publishes what is due, in one transaction, and records from which change it was rendered and what was observed;
    /// where nothing is due and nothing is to be noted, nothing is written.
    async fn publish(
        &self,
        digests: &[String],
        previous: Option<&Snapshot>,
        state: &DatabaseState,
    ) -> Result<Vec<Publication>, PublishError> {
        let fault = |error| PublishError::Publish(DbError::at(self.database.path(), error));
        let now = self.clock.now();
        let said = |document| previous.map(|previous| &previous.document(document).publication);
        let rendered = || Document::ALL.into_iter().zip(digests);
        let standing: Option<Vec<Publication>> = rendered()
            .zip(&state.out)
            .map(|((document, digest), row)| {
                Publication::due(digest, said(document), row.as_ref(), 0, now).standing()
            })
            .collect();
        let observed = &state.loaded.observed;
        let is_recorded = state.is_recorded && observed.is_empty();
        if let Some(standing) = standing.filter(|_| is_recorded) {
            return Ok(standing);
        }
        let change_no = state.position.change_no;
        let mut write = self.database.write().await.map_err(PublishError::Publish)?;
        store::keep_first_base(&mut write, &self.links)
            .await
            .map_err(fault)?;
        if !observed.is_empty() {
            let stored = reviews::observe(&mut write, observed, change_no)
                .await
                .map_err(fault)?;
            if stored < observed.len() {
                return Err(PublishError::Overtaken);
            }
        }
        let mut publications = Vec::with_capacity(digests.len());
        for (document, digest) in rendered() {
            publications.push(
                store::publish(&mut write, document, digest, said(document), now)
                    .await
                    .map_err(fault)?,
            );
        }
        store::record_rendered_from(&mut write, change_no)
            .await
            .map_err(fault)?;
        write.commit().await.map_err(fault)?;
        Ok(publications)
    }
}

/// The publications' rows, in the order of [`Document::ALL`].
async fn what_is_out(connection: &mut SqliteConnection) -> sqlx::Result<Vec<Option<Publication>>> {
    let mut out = Vec::with_capacity(Document::ALL.len());
    for document in Document::ALL {
        out.push(store::find(connection, document).await?);
    }
    Ok(out)
}

/// The reviews: those of the previous snapshot but for what changed, or all taken anew; `None`
/// where nothing changed.
async fn review_index(
    loader: &mut EntryLoader<'_>,
    known: Option<&Snapshot>,
    now: &DatabasePosition,
    is_read: bool,
) -> sqlx::Result<Option<ReviewIndex>> {
    let Some(snapshot) = known.filter(|snapshot| loader.is_of(&snapshot.input.analyzer)) else {
        return loader.all().await.map(Some);
    };
    let (review_index, seen) = (&snapshot.input.review_index, snapshot.position.change_no);
    let unanalyzed: Vec<&str> = if is_read {
        review_index.unanalyzed().collect()
    } else {
        Vec::new()
    };
    if seen == now.change_no && unanalyzed.is_empty() {
        return Ok(None);
    }
    let connection = loader.connection();
    if reviews::count_changed_since(connection, seen).await? + unanalyzed.len()
        > review_index.len() / CHANGED_SHARE_MAX
    {
        return loader.all().await.map(Some);
    }
    let mut changes = reviews::changed_since(connection, seen).await?;
    let changed: HashSet<&str> = changes.iter().map(|changed| changed.id.as_str()).collect();
    let unanalyzed: Vec<&str> = unanalyzed
        .into_iter()
        .filter(|id| !changed.contains(id))
        .collect();
    let unanalyzed = reviews::published(connection, &unanalyzed).await?;
    changes.extend(unanalyzed.into_iter().map(|numbered| Changed {
        id: numbered.review.id.clone(),
        review: Some(numbered),
    }));
    loader.revise(review_index, changes).await.map(Some)
}

/// Who has read what the next snapshot shows: the analyzer before goes on while analyzing
/// everything anew takes longer than a moment and is not done yet.
fn analyzer_in_force(
    known: Option<&Snapshot>,
    next: &Arc<Analyzer>,
    is_read: bool,
) -> Arc<Analyzer> {
    let before = known.map(|snapshot| &snapshot.input).filter(|input| {
        let is_long =
            cost(input.review_index.len(), input.review_index.text_bytes()) > ANALYZE_AT_ONCE_MAX;
        // What was analyzed anew was so by whom the previous snapshot waited for.
        is_long && !(is_read && Arc::ptr_eq(&input.next_analyzer, next))
    });
    Arc::clone(before.map_or(next, |input| &input.analyzer))
}

/// Whether the database that says this is the one that `snapshot` was rendered from, at that time
/// or later. Another lineage, change numbers that went back, or versions that did: then it is
/// another one, or a restored copy.
fn is_after(snapshot: &Snapshot, now: &DatabasePosition, out: &[Option<Publication>]) -> bool {
    let went_back = |(document, row): (Document, &Option<Publication>)| {
        row.as_ref()
            .is_none_or(|row| row.version < snapshot.document(document).publication.version)
    };
    snapshot.position.lineage == now.lineage
        && snapshot.position.change_no <= now.change_no
        && !Document::ALL.into_iter().zip(out).any(went_back)
}

/// A document's cached body; the very same one, with its codings, where what is out has the same bytes.
fn cached_body(
    document: Document,
    draft: Draft,
    publication: &Publication,
    before: Option<&Arc<PublishedDocument>>,
) -> Arc<CachedBody> {
    let content = draft.finish(publication.changed_at);
    let before = before.map(|before| &before.body);
    match before.filter(|before| before.content.digest == content.digest) {
        Some(before) => Arc::clone(before),
        None => Arc::new(CachedBody::new(document.content_type(), content)),
    }
}
