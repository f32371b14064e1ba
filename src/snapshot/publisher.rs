//! The publisher: reads the changes in one transaction, renders the documents that differ, and records the publication
//! before clients can see it.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use chrono::{DateTime, SubsecRound as _, Utc};
use sqlx::SqliteConnection;
use thiserror::Error;

use super::coding::CachedBody;
use super::current::{PublishedDocument, Snapshot};
use super::document::{Document, Draft, draft};
use super::entries::Entries;
use super::input::{ANALYZE_AT_ONCE_MAX, Analysing, EntryLoader, Loaded, SnapshotInput, cost};
use super::insights::insights;
use super::store;
use super::store::{Publication, RowState};
use crate::clock::Clock;
use crate::insights::store::save;
use crate::insights::{Analyzer, Engine};
use crate::links::Links;
use crate::model::ReviewId;
use crate::model::business::{Business, Editorial, PublishStaff};
use crate::storage;
use crate::storage::reviews::{Changed, DatabasePosition, Observation, Reasons, withheld};
use crate::storage::{Database, DbError, is_overtaken, reviews};

/// Attempts to render a snapshot when another process keeps storing dates in between.
const ATTEMPTS_MAX: usize = 4;

/// Renders the next snapshot from the changes.
#[derive(Debug, Clone)]
pub struct Publisher {
    pub database: Database,
    pub links: Links,
    /// Gives publication dates.
    pub clock: Clock,
    /// The configured one; without it, the business's type selects the trade whose engine analyzes.
    pub engine: Option<Arc<Engine>>,
    /// Whether it may record publications. Without it, another process does, and this one only shows the documents.
    pub records: bool,
    /// Reviews loaded since the start, each time they are.
    pub loaded: Arc<AtomicU64>,
}

/// The previous snapshot stays published.
#[derive(Debug, Error)]
pub enum PublishError {
    #[error("cannot read the reviews: {0}")]
    Read(DbError),
    #[error("cannot publish: {0}")]
    Publish(DbError),
    /// In each attempt another process dated the same changes first.
    #[error("cannot publish: another process dates the same changes")]
    Overtaken,
}

impl Publisher {
    pub fn new(database: Database, links: Links, clock: Clock) -> Self {
        Self {
            database,
            links,
            clock,
            engine: None,
            records: true,
            loaded: Arc::default(),
        }
    }

    /// Builds a snapshot of the current state.
    ///
    /// # Errors
    /// See [`PublishError`].
    pub async fn first(&self) -> Result<Snapshot, PublishError> {
        self.build(None).await
    }

    /// The snapshot after `previous`, or `None` if no rendered data changed.
    ///
    /// # Errors
    /// See [`PublishError`]; then nothing is changed.
    pub async fn next(&self, previous: &Snapshot) -> Result<Option<Snapshot>, PublishError> {
        let next = self.build(Some(previous)).await?;
        Ok((!next.is_same_as(previous)).then_some(next))
    }

    async fn build(&self, previous: Option<&Snapshot>) -> Result<Snapshot, PublishError> {
        let mut attempts = 1;
        loop {
            let built = Box::pin(self.build_once(previous)).await;
            if !matches!(built, Err(PublishError::Overtaken)) || attempts == ATTEMPTS_MAX {
                break built;
            }
            attempts += 1;
            self.database.await_other_writes().await;
        }
    }

    /// Reads the database, renders the documents, and records their publication.
    async fn build_once(&self, previous: Option<&Snapshot>) -> Result<Snapshot, PublishError> {
        let (stored, mut input, loaded) = self.read(previous).await?;
        if self.records {
            // Stored first, so that no later snapshot repeats them.
            let saved = save(&self.database, &loaded.analyzed);
            saved.await.map_err(PublishError::Publish)?;
        }
        let former = previous.filter(|snapshot| stored.is_after(snapshot));
        // After the read, so that changes in between are swept now and read by the next snapshot. If it were before, a
        // review withheld in between would precede the change number from which the next sweep starts, and would never
        // be swept.
        let seen = former.map_or(0, |former| former.position.change_no);
        let swept = self.database.sweep_derived(seen).await;
        swept.map_err(PublishError::Read)?;
        let same = former
            .filter(|former| former.position == stored.position && former.input.is_same_as(&input));
        let insights = match same {
            Some(same) => Arc::clone(&same.insights),
            None => Arc::new(insights(&input)),
        };
        let drafts = Document::ALL.map(|document| draft(document, &input, &insights));
        let publications = if self.records && self.database.may_publish() {
            input.undated.clear();
            self.record(&drafts, previous, &stored, &loaded.observed)
                .await?
        } else {
            self.publications_ahead(&drafts, previous, &stored)
        };
        let documents = Document::ALL.into_iter().zip(drafts).zip(publications);
        let documents = documents.map(|((document, draft), publication)| {
            let before = previous.map(|previous| previous.document(document));
            if let Some(before) = before.filter(|before| before.publication == publication) {
                return Arc::clone(before);
            }
            let content = draft.finish(publication.changed_at);
            let mut body = CachedBody::new(document.content_type(), content).dated(&publication);
            if document.is_topic() {
                body.add("link", &document.link(&self.links));
            }
            let same = before.filter(|before| before.body.content.digest == body.content.digest);
            if let Some(same) = same {
                body.share_codings(&same.body);
            }
            Arc::new(PublishedDocument {
                document,
                body: Arc::new(body),
                publication,
            })
        });
        let (database, position) = (self.database.clone(), stored.position);
        Ok(Snapshot::new(
            database,
            position,
            input,
            insights,
            documents.collect(),
        ))
    }

    /// Reads the state and the input of the next snapshot in one transaction.
    async fn read(
        &self,
        previous: Option<&Snapshot>,
    ) -> Result<(StoredState, SnapshotInput, Loaded), PublishError> {
        let fault = |error| PublishError::Read(DbError::at(self.database.path(), error));
        let mut transaction = self.database.readers().begin().await.map_err(fault)?;
        let stored = StoredState::read(&mut transaction, &self.links)
            .await
            .map_err(fault)?;
        let sources = InputSources {
            engine: self.engine.as_ref(),
            links: &self.links,
            loaded: &self.loaded,
            // The stored precision.
            now: self.clock.now().trunc_subsecs(3),
            former: previous.filter(|snapshot| stored.is_after(snapshot)),
        };
        let (input, loaded) = read_input(&sources, &mut transaction, &stored)
            .await
            .map_err(fault)?;
        transaction.commit().await.map_err(fault)?;
        Ok((stored, input, loaded))
    }

    /// Publishes due documents in one transaction, and records the change number and the observations; without any of
    /// these it writes nothing.
    async fn record(
        &self,
        drafts: &[Draft],
        previous: Option<&Snapshot>,
        stored: &StoredState,
        observed: &[Observation],
    ) -> Result<Vec<Publication>, PublishError> {
        let fault = |error| {
            if is_overtaken(&error) {
                return PublishError::Overtaken;
            }
            PublishError::Publish(DbError::at(self.database.path(), error))
        };
        let now = self.clock.now();
        let last = |document| previous.and_then(|previous| previous.document(document).confirmed());
        let rendered = Document::ALL.into_iter().zip(drafts);
        let standing = rendered.clone().zip(&stored.publications);
        let standing: Vec<Publication> = standing
            .map(|((document, draft), row)| {
                Publication::due(&draft.digest, last(document), row.as_ref(), 0, now)
            })
            .collect();
        let is_due = standing
            .iter()
            .any(|publication| publication.row == RowState::Due);
        if stored.is_recorded && observed.is_empty() && !is_due {
            return Ok(standing);
        }
        let change_no = stored.position.change_no;
        let mut write = self.database.write().await.map_err(PublishError::Publish)?;
        store::record_base(&mut write, &self.links)
            .await
            .map_err(fault)?;
        if !observed.is_empty() {
            reviews::observe(&mut write, observed, change_no)
                .await
                .map_err(fault)?;
        }
        let mut publications = Vec::with_capacity(drafts.len());
        for (document, draft) in rendered {
            publications.push(
                store::publish(&mut write, document, &draft.digest, last(document), now)
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

    /// The publications that a process shows which raises no versions: a local agent, or a node while another node
    /// raises them.
    fn publications_ahead(
        &self,
        drafts: &[Draft],
        previous: Option<&Snapshot>,
        stored: &StoredState,
    ) -> Vec<Publication> {
        let now = self.clock.now();
        let rendered = Document::ALL
            .into_iter()
            .zip(drafts)
            .zip(&stored.publications);
        rendered
            .map(|((document, draft), row)| {
                let last = previous.map(|previous| &previous.document(document).publication);
                Publication::shown(&draft.digest, last, row.as_ref(), now)
            })
            .collect()
    }
}

// Reads the database: the reviews, with new analyses of changed ones; what did not change is that of the former snapshot.

/// If more than one in this many reviews changed, loading all is quicker than loading each changed one.
const CHANGED_SHARE_MAX: usize = 4;

/// What is stored besides the reviews.
struct StoredState {
    position: DatabasePosition,
    /// In the order of [`Document::ALL`].
    publications: Vec<Option<Publication>>,
    /// Whether the publications were rendered from this very change, and the first base URL is stored.
    is_recorded: bool,
    business: Business,
    editorial: Editorial,
    withheld: Reasons,
    first_links: Links,
}

impl StoredState {
    async fn read(connection: &mut SqliteConnection, links: &Links) -> sqlx::Result<Self> {
        let position = reviews::position(connection).await?;
        let mut publications = Vec::with_capacity(Document::ALL.len());
        for document in Document::ALL {
            publications.push(store::find(connection, document).await?);
        }
        let business = storage::business::find(connection).await?;
        let first_links = store::first_base(connection).await?;
        let is_base_kept = first_links.is_some() || links.is_loopback();
        Ok(Self {
            is_recorded: is_base_kept
                && store::is_rendered_from(connection, position.change_no).await?,
            position,
            publications,
            business: business.unwrap_or_default(),
            editorial: storage::business::editorial(connection).await?,
            withheld: withheld(connection).await?,
            first_links: first_links.unwrap_or_else(|| links.clone()),
        })
    }

    /// Whether this is a later state of the database of `snapshot`. If the lineage differs, or change numbers or
    /// versions went back, it is another database or a restored copy.
    fn is_after(&self, snapshot: &Snapshot) -> bool {
        let went_back = |(document, row): (Document, &Option<Publication>)| {
            row.as_ref()
                .is_none_or(|row| row.version < snapshot.document(document).publication.version)
        };
        snapshot.position.lineage == self.position.lineage
            && snapshot.position.change_no <= self.position.change_no
            && !Document::ALL
                .into_iter()
                .zip(&self.publications)
                .any(went_back)
    }
}

/// What the input of a snapshot is made with, besides the database.
struct InputSources<'a> {
    engine: Option<&'a Arc<Engine>>,
    links: &'a Links,
    loaded: &'a AtomicU64,
    /// The instant of changes by other programs that are seen now.
    now: DateTime<Utc>,
    /// The previous snapshot, if it is of the same database.
    former: Option<&'a Snapshot>,
}

/// The input of a snapshot, and what is to be stored of it.
async fn read_input(
    sources: &InputSources<'_>,
    connection: &mut SqliteConnection,
    stored: &StoredState,
) -> sqlx::Result<(SnapshotInput, Loaded)> {
    let former = sources.former;
    let next = analyzer(sources.engine, &stored.business, former);
    let analyzer = analyzer_in_force(former, &next);
    let mut business = stored.business.clone();
    if business.publish_staff == PublishStaff::Off {
        business.technicians.clear();
    }
    let mut loader = EntryLoader {
        analyzer: Arc::clone(&analyzer),
        publish_staff: business.publish_staff,
        links: sources.links,
        loaded_count: sources.loaded,
        now: sources.now,
        published: former.map(|former| &former.input),
        loaded: Loaded::default(),
    };
    let entries = read_entries(&mut loader, connection, sources, &stored.position).await?;
    let mut loaded = loader.loaded;
    let is_behind = analyzer.method() != next.method() || entries.index().count_unanalyzed() > 0;
    let input = SnapshotInput {
        analysing: is_behind.then(|| analysing(former, &next)),
        entries,
        undated: std::mem::take(&mut loaded.undated),
        business,
        own_business: Arc::new(stored.business.clone()),
        editorial: stored.editorial.clone(),
        withheld: stored.withheld.clone(),
        links: sources.links.clone(),
        first_links: Some(stored.first_links.clone()),
        analyzer,
    };
    Ok((input, loaded))
}

/// The analyzer for `business`: the former one unless its method changed.
fn analyzer(
    engine: Option<&Arc<Engine>>,
    business: &Business,
    former: Option<&Snapshot>,
) -> Arc<Analyzer> {
    if let Some(former) = former.filter(|former| *former.input.own_business == *business) {
        return Arc::clone(former.input.next_analyzer());
    }
    let analyzer = Analyzer::new(business, &Engine::of(engine, business));
    let known = former
        .iter()
        .flat_map(|snapshot| [&snapshot.input.analyzer, snapshot.input.next_analyzer()]);
    let same = known
        .into_iter()
        .find(|known| known.method() == analyzer.method());
    same.map_or_else(|| Arc::new(analyzer), Arc::clone)
}

/// The former entries with their changes, or all loaded again.
async fn read_entries(
    loader: &mut EntryLoader<'_>,
    connection: &mut SqliteConnection,
    sources: &InputSources<'_>,
    now: &DatabasePosition,
) -> sqlx::Result<Entries> {
    let Some(former) = sources.former else {
        return loader.all(connection, &Entries::default()).await;
    };
    let (entries, seen) = (&former.input.entries, former.position.change_no);
    if !loader.is_of(&former.input) {
        return loader.all(connection, entries).await;
    }
    let mut unanalyzed: Vec<&str> = Vec::new();
    if former.input.has_next_analyses() {
        let positions = entries.index().unanalyzed.iter();
        unanalyzed.extend(positions.map(|at| entries[at as usize].id().as_str()));
    }
    // Another process may have dated them since, which does not count as a change.
    unanalyzed.extend(former.input.undated.iter().map(ReviewId::as_str));
    if seen == now.change_no && unanalyzed.is_empty() {
        return Ok(entries.clone());
    }
    let changed = reviews::count_changed_since(connection, seen).await?;
    if changed + unanalyzed.len() > entries.len() / CHANGED_SHARE_MAX {
        return loader.all(connection, entries).await;
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
    Ok(loader.revise(entries, changes).await)
}

/// The analyzer of this snapshot: the former one continues while analyzing everything again is long and not finished.
fn analyzer_in_force(former: Option<&Snapshot>, next: &Arc<Analyzer>) -> Arc<Analyzer> {
    let former = former.map(|former| &former.input);
    let continued = former.filter(|input| {
        let is_long =
            cost(input.entries.len(), input.entries.index().text_bytes) > ANALYZE_AT_ONCE_MAX;
        // The stored analyses are those of the analyzer that the former snapshot waited for.
        let is_finished = input.has_next_analyses() && Arc::ptr_eq(input.next_analyzer(), next);
        is_long && !is_finished
    });
    Arc::clone(continued.map_or(next, |input| &input.analyzer))
}

/// The analyses by `next` that follow: those of the former snapshot, if they continue.
fn analysing(former: Option<&Snapshot>, next: &Arc<Analyzer>) -> Arc<Analysing> {
    let former = former.and_then(|former| former.input.analysing.as_ref());
    let continued = former.filter(|one| Arc::ptr_eq(&one.analyzer, next) && !one.are_stored());
    continued.map_or_else(|| Arc::new(Analysing::new(next)), Arc::clone)
}
