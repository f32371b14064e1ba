//! The publisher: reads the changes in one transaction, renders the documents that differ, and records the publication
//! before clients can see it.

use std::collections::HashSet;
use std::sync::Arc;

use chrono::{DateTime, SubsecRound as _, Utc};
use sqlx::SqliteConnection;
use thiserror::Error;

use super::coding::CachedBody;
use super::current::{PublishedDocument, Snapshot};
use super::document::{Document, Draft, draft};
use super::entries::Entries;
use super::input::{
    ANALYZE_AT_ONCE_MAX, AnalysisProgress, EntryLoader, Loaded, SnapshotInput, cost,
};
use super::insights::insights;
use super::staff::Staff;
use super::store;
use super::store::Publication;
use crate::clock::Clock;
use crate::insights::store::save;
use crate::insights::{Analyzer, Engine};
use crate::links::Links;
use crate::model::ReviewId;
use crate::model::business::Business;
use crate::storage;
use crate::storage::reviews::{Changed, DatabasePosition, withheld};
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
    pub progress: Arc<AnalysisProgress>,
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
            progress: Arc::default(),
        }
    }

    /// Builds a snapshot of the current state.
    ///
    /// # Errors
    /// See [`PublishError`].
    pub async fn first(&self) -> Result<Snapshot, PublishError> {
        Ok(self.build(None).await?.0)
    }

    /// The snapshot after `previous`, or `None` if no rendered data changed.
    ///
    /// # Errors
    /// See [`PublishError`]; then nothing is changed.
    pub async fn next(&self, previous: &Snapshot) -> Result<Option<Snapshot>, PublishError> {
        let (snapshot, is_new) = self.build(Some(previous)).await?;
        Ok(is_new.then_some(snapshot))
    }

    /// A snapshot, and whether it differs from `previous`.
    async fn build(&self, previous: Option<&Snapshot>) -> Result<(Snapshot, bool), PublishError> {
        let is_read = self.progress.take_analyzed();
        let mut rendered = self.build_with(previous, is_read).await;
        for _ in 1..ATTEMPTS_MAX {
            if !matches!(rendered, Err(PublishError::Overtaken)) {
                break;
            }
            self.database.await_other_writes().await;
            rendered = self.build_with(previous, is_read).await;
        }
        if is_read && rendered.is_err() {
            self.progress.set_analyzed();
        }
        rendered
    }

    /// `is_read` is whether the analyses missing in the previous snapshot are done.
    async fn build_with(
        &self,
        previous: Option<&Snapshot>,
        is_read: bool,
    ) -> Result<(Snapshot, bool), PublishError> {
        let fault = |error| PublishError::Read(DbError::at(self.database.path(), error));
        let mut transaction = self.database.readers().begin().await.map_err(fault)?;
        let sources = RenderSources {
            engine: self.engine.as_ref(),
            links: &self.links,
            progress: &self.progress,
            // The stored precision.
            now: self.clock.now().trunc_subsecs(3),
        };
        let mut state = DatabaseState::read(&sources, &mut transaction, previous, is_read)
            .await
            .map_err(fault)?;
        transaction.commit().await.map_err(fault)?;
        if self.records {
            // Stored first, so that no later snapshot repeats them.
            let saved = save(&self.database, &state.loaded.analyzed);
            saved.await.map_err(PublishError::Publish)?;
        }
        // After the read, so that changes in between are swept now and read by the next snapshot. If it were before, a
        // review withheld in between would precede the change number from which the next sweep starts, and would never
        // be swept.
        let seen = previous.map_or(0, |previous| previous.position.change_no);
        let swept = self.database.sweep_derived(seen).await;
        swept.map_err(PublishError::Read)?;
        let insights = match previous.filter(|_| state.is_same) {
            Some(previous) => Arc::clone(&previous.insights),
            None => Arc::new(insights(&state.input, &self.links)),
        };
        let drafts =
            Document::ALL.map(|document| draft(document, &state.input, &insights, &self.links));
        let digests = drafts.each_ref().map(|draft| draft.digest.clone());
        let (publications, undated) = self.published(&digests, previous, &mut state).await?;
        let mut is_new = !state.is_same;
        let mut documents = Vec::with_capacity(Document::ALL.len());
        for ((document, draft), (publication, is_confirmed)) in
            Document::ALL.into_iter().zip(drafts).zip(publications)
        {
            let before = previous.map(|previous| previous.document(document));
            let is_as_before = |before: &&Arc<PublishedDocument>| {
                before.publication == publication && before.is_confirmed == is_confirmed
            };
            if let Some(before) = before.filter(is_as_before) {
                documents.push(Arc::clone(before));
                continue;
            }
            is_new = true;
            let body = cached_body(document, draft, &publication, before);
            documents.push(Arc::new(PublishedDocument::new(
                document,
                body,
                publication,
                is_confirmed,
                &self.links,
            )));
        }
        let database = self.database.clone();
        let mut snapshot =
            Snapshot::new(database, state.position, state.input, insights, documents);
        snapshot.undated = undated;
        Ok((snapshot, is_new))
    }

    /// Each document's publication, whether its row is for these bytes, and the reviews without a stored date.
    async fn published(
        &self,
        digests: &[String],
        previous: Option<&Snapshot>,
        state: &mut DatabaseState,
    ) -> Result<(Vec<(Publication, bool)>, Vec<ReviewId>), PublishError> {
        if !self.records || !self.database.may_publish() {
            let now = self.clock.now();
            let rendered = Document::ALL.into_iter().zip(digests).zip(&state.out);
            let shown = rendered.map(|((document, digest), row)| {
                let last = previous.map(|previous| &previous.document(document).publication);
                shown(digest, last, row.as_ref(), now)
            });
            return Ok((shown.collect(), std::mem::take(&mut state.loaded.undated)));
        }
        let raised = self.publish(digests, previous, state).await?;
        let confirmed = raised.into_iter().map(|publication| (publication, true));
        Ok((confirmed.collect(), Vec::new()))
    }

    /// Publishes due documents in one transaction, and records the change number and the observations; without any of
    /// these it writes nothing.
    async fn publish(
        &self,
        digests: &[String],
        previous: Option<&Snapshot>,
        state: &DatabaseState,
    ) -> Result<Vec<Publication>, PublishError> {
        let fault = |error| {
            if is_overtaken(&error) {
                return PublishError::Overtaken;
            }
            PublishError::Publish(DbError::at(self.database.path(), error))
        };
        let now = self.clock.now();
        let last = |document| previous.and_then(|previous| previous.document(document).confirmed());
        let rendered = || Document::ALL.into_iter().zip(digests);
        let standing: Option<Vec<Publication>> = rendered()
            .zip(&state.out)
            .map(|((document, digest), row)| {
                let (publication, is_due) =
                    Publication::due(digest, last(document), row.as_ref(), 0, now);
                (!is_due).then_some(publication)
            })
            .collect();
        let observed = &state.loaded.observed;
        let is_recorded = state.is_recorded && observed.is_empty();
        if let Some(standing) = standing.filter(|_| is_recorded) {
            return Ok(standing);
        }
        let change_no = state.position.change_no;
        let mut write = self.database.write().await.map_err(PublishError::Publish)?;
        store::record_base(&mut write, &self.links)
            .await
            .map_err(fault)?;
        if !observed.is_empty() {
            reviews::observe(&mut write, observed, change_no)
                .await
                .map_err(fault)?;
        }
        let mut publications = Vec::with_capacity(digests.len());
        for (document, digest) in rendered() {
            publications.push(
                store::publish(&mut write, document, digest, last(document), now)
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

/// A document's cached body; the published one, with its codings, if the bytes are the same.
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

// Publications shown by a process that raises no versions: a local agent's, or a node's while another node does.

/// The publication of a document with this digest, and whether its `row` is for these bytes. If it is, the row applies;
/// otherwise the date is not later than the published one, so that no date goes back when the row arrives.
fn shown(
    digest: &str,
    last: Option<&Publication>,
    row: Option<&Publication>,
    now: DateTime<Utc>,
) -> (Publication, bool) {
    if let Some(row) = row.filter(|row| row.digest == digest) {
        return (row.clone(), true);
    }
    let known = || last.into_iter().chain(row);
    let changed_at = known().map(|one| one.changed_at).max();
    let publication = Publication {
        version: known().map(|one| one.version).max().unwrap_or(0),
        digest: digest.to_owned(),
        changed_at: changed_at.unwrap_or_else(|| now.trunc_subsecs(3)),
        is_same_second: false,
    };
    (publication, false)
}

// Reads the database in one transaction: the reviews, with new analyses of changed ones, and whether anything differs
// from the previous snapshot.

/// If more than one in this many reviews changed, loading all is quicker than loading each changed one.
const CHANGED_SHARE_MAX: usize = 4;

/// What a snapshot is made with, besides the database.
struct RenderSources<'a> {
    engine: Option<&'a Arc<Engine>>,
    links: &'a Links,
    progress: &'a AnalysisProgress,
    /// The instant of changes by other programs that are seen now.
    now: DateTime<Utc>,
}

struct DatabaseState {
    pub position: DatabasePosition,
    pub input: SnapshotInput,
    /// The publications, in the order of [`Document::ALL`].
    pub out: Vec<Option<Publication>>,
    /// Whether the stored publications were rendered from this very change, and the first base URL is stored.
    pub is_recorded: bool,
    /// Results to be stored.
    pub loaded: Loaded,
    /// Whether everything equals the previous snapshot's input.
    pub is_same: bool,
}

impl DatabaseState {
    /// Reads the state and reuses the unchanged parts of `previous`.
    pub async fn read(
        sources: &RenderSources<'_>,
        connection: &mut SqliteConnection,
        previous: Option<&Snapshot>,
        is_read: bool,
    ) -> sqlx::Result<Self> {
        let position = reviews::position(connection).await?;
        let mut out = Vec::with_capacity(Document::ALL.len());
        for document in Document::ALL {
            out.push(store::find(connection, document).await?);
        }
        let business = storage::business::find(connection)
            .await?
            .unwrap_or_default();
        let editorial = storage::business::editorial(connection).await?;
        let withheld = withheld(connection).await?;
        let first_links = store::first_base(connection).await?;
        let is_base_kept = first_links.is_some() || sources.links.is_loopback();
        let is_recorded =
            is_base_kept && store::is_rendered_from(connection, position.change_no).await?;
        let first_links = first_links.unwrap_or_else(|| sources.links.clone());
        let known = previous.filter(|snapshot| is_after(snapshot, &position, &out));
        let next_analyzer = analyzer(sources.engine, &business, previous);
        let analyzer = analyzer_in_force(known, &next_analyzer, is_read);
        let has_former = !Arc::ptr_eq(&analyzer, &next_analyzer);
        // While the analyses are those of the former roster, they may have its names.
        let former = known.filter(|_| has_former).into_iter();
        let former = former.flat_map(|known| known.input.staff.full_names());
        let former = former.map(str::to_owned).collect();
        let (staff, business) = Staff::load(connection, business, former).await?;
        let staff = Arc::new(staff);
        let same = previous.filter(|snapshot| snapshot.position.lineage == position.lineage);
        let mut loader = EntryLoader {
            analyzer: Arc::clone(&analyzer),
            staff: Arc::clone(&staff),
            links: sources.links,
            progress: sources.progress,
            now: sources.now,
            published: same.map(|snapshot| &snapshot.input),
            loaded: Loaded::default(),
        };
        let entries = entries(&mut loader, connection, known, &position, is_read).await?;
        let loaded = loader.loaded;
        let mut input = SnapshotInput {
            entries: Entries::default(),
            business,
            editorial,
            withheld,
            first_links: Some(first_links),
            staff,
            analyzer,
            next_analyzer,
        };
        let is_as_before = |known: &Snapshot| {
            known.position == position && known.input.is_same_but_for_reviews(&input)
        };
        let is_same = entries.is_none() && known.is_some_and(is_as_before);
        input.entries = entries
            .or_else(|| known.map(|snapshot| snapshot.input.entries.clone()))
            .unwrap_or_default();
        Ok(Self {
            position,
            input,
            out,
            is_recorded,
            loaded,
            is_same,
        })
    }
}

/// The analyzer for `business`: the previous one unless its method changed.
fn analyzer(
    engine: Option<&Arc<Engine>>,
    business: &Business,
    previous: Option<&Snapshot>,
) -> Arc<Analyzer> {
    if let Some(previous) = previous.filter(|previous| previous.input.staff.is_of(business)) {
        return Arc::clone(&previous.input.next_analyzer);
    }
    let analyzer = Analyzer::new(business, &Engine::of(engine, business));
    let known = previous
        .iter()
        .flat_map(|snapshot| [&snapshot.input.analyzer, &snapshot.input.next_analyzer]);
    let same = known
        .into_iter()
        .find(|known| known.method() == analyzer.method());
    same.map_or_else(|| Arc::new(analyzer), Arc::clone)
}

/// The entries: the previous ones with their changes, or all loaded again; `None` if nothing changed.
async fn entries(
    loader: &mut EntryLoader<'_>,
    connection: &mut SqliteConnection,
    known: Option<&Snapshot>,
    now: &DatabasePosition,
    is_read: bool,
) -> sqlx::Result<Option<Entries>> {
    let Some(snapshot) = known.filter(|snapshot| loader.is_of(&snapshot.input)) else {
        return reload(loader, connection, known).await.map(Some);
    };
    let (entries, seen) = (&snapshot.input.entries, snapshot.position.change_no);
    let mut unanalyzed: Vec<&str> = if is_read {
        let positions = entries.index().unanalyzed.iter();
        positions
            .map(|at| entries[at as usize].id().as_str())
            .collect()
    } else {
        Vec::new()
    };
    // Another process may have dated them since, which does not count as a change.
    unanalyzed.extend(snapshot.undated.iter().map(ReviewId::as_str));
    if seen == now.change_no && unanalyzed.is_empty() {
        return Ok(None);
    }
    let changed = reviews::count_changed_since(connection, seen).await?;
    if changed + unanalyzed.len() > entries.len() / CHANGED_SHARE_MAX {
        return reload(loader, connection, known).await.map(Some);
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
    Ok(Some(loader.revise(entries, changes).await))
}

/// All reviews loaded again.
async fn reload(
    loader: &mut EntryLoader<'_>,
    connection: &mut SqliteConnection,
    known: Option<&Snapshot>,
) -> sqlx::Result<Entries> {
    let known = known.map(|known| known.input.entries.clone());
    loader.all(connection, &known.unwrap_or_default()).await
}

/// The analyzer of the next snapshot: the previous one continues while analyzing everything again is long and not
/// finished.
fn analyzer_in_force(
    known: Option<&Snapshot>,
    next: &Arc<Analyzer>,
    is_read: bool,
) -> Arc<Analyzer> {
    let before = known.map(|snapshot| &snapshot.input).filter(|input| {
        let is_long =
            cost(input.entries.len(), input.entries.index().text_bytes) > ANALYZE_AT_ONCE_MAX;
        // The finished analyses are those of the analyzer that the previous snapshot waited for.
        is_long && !(is_read && Arc::ptr_eq(&input.next_analyzer, next))
    });
    Arc::clone(before.map_or(next, |input| &input.analyzer))
}

/// Whether `now` is a later state of the database of `snapshot`. If the lineage differs, or change numbers or versions
/// went back, it is another database or a restored copy.
fn is_after(snapshot: &Snapshot, now: &DatabasePosition, out: &[Option<Publication>]) -> bool {
    let went_back = |(document, row): (Document, &Option<Publication>)| {
        row.as_ref()
            .is_none_or(|row| row.version < snapshot.document(document).publication.version)
    };
    snapshot.position.lineage == now.lineage
        && snapshot.position.change_no <= now.change_no
        && !Document::ALL.into_iter().zip(out).any(went_back)
}

// The input of a snapshot for read-only commands.

/// The input that a snapshot would have now, and the number of its analyses that are not stored; nothing is written.
pub async fn survey(
    connection: &mut SqliteConnection,
    engine: Option<&Arc<Engine>>,
    links: &Links,
) -> sqlx::Result<(SnapshotInput, usize)> {
    let sources = RenderSources {
        engine,
        links,
        progress: &AnalysisProgress::default(),
        now: DateTime::default(),
    };
    let DatabaseState { input, loaded, .. } =
        DatabaseState::read(&sources, connection, None, false).await?;
    let behind = loaded.analyzed.len() + input.entries.index().count_unanalyzed();
    Ok((input, behind))
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, Utc};

    use super::shown;
    use crate::snapshot::store::Publication;

    fn at(second: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(second, 0).unwrap()
    }

    fn row(version: i64, digest: &str, second: i64) -> Publication {
        Publication {
            version,
            digest: digest.to_owned(),
            changed_at: at(second),
            is_same_second: false,
        }
    }

    #[test]
    fn a_row_of_the_same_bytes_is_shown() {
        let (last, out) = (row(3, "old", 10), row(4, "new", 20));
        let (shown, is_confirmed) = shown("new", Some(&last), Some(&out), at(50));
        assert_eq!((shown, is_confirmed), (out, true));
    }

    #[test]
    fn a_document_ahead_of_the_row_is_dated_no_later_than_the_row() {
        let (last, out) = (row(3, "old", 10), row(3, "old", 10));
        let (shown, is_confirmed) = shown("new", Some(&last), Some(&out), at(50));
        assert!(!is_confirmed);
        assert_eq!((shown.version, shown.changed_at), (3, at(10)));
        let (shown, _) = super::shown("new", None, None, at(50));
        assert_eq!((shown.version, shown.changed_at), (0, at(50)));
    }
}
