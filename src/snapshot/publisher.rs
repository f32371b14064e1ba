//! The publisher: reads the changes in one transaction, renders the documents that differ, and records the publication
//! before clients can see it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use chrono::{DateTime, SubsecRound as _};
use sqlx::SqliteConnection;

use super::coding::CachedBody;
use super::current::{PublishedDocument, Snapshot};
use super::document::{Document, insights, render};
use super::entries::Entries;
use super::figures::StoredFigures;
use super::input::{
    ANALYZE_AT_ONCE_MAX, AnalysisProgress, EntryLoader, Loaded, PostponedAnalyses, SnapshotInput,
    cost,
};
use super::store;
use super::store::Publication;
use crate::clock::Clock;
use crate::insights::Analyzer;
use crate::insights::store::save;
use crate::links::Links;
use crate::model::ReviewId;
use crate::model::business::{Business, PublishStaff};
use crate::storage;
use crate::storage::reviews::{DatabasePosition, Observation, withheld};
use crate::storage::{AtPath as _, Database, DbError, reviews};
use crate::wire;

/// What this process does with its snapshots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Raises versions, and stores publications, analyses and dates before clients can see them.
    Sender,
    /// Shows its own rendering, with the stored version and instant where the digests are equal. Of what it made it stores only the
    /// analyses that no snapshot waited for, which are the same in each process.
    Reader,
}

impl Role {
    pub fn of(database: &Database) -> Self {
        if database.may_send() {
            Self::Sender
        } else {
            Self::Reader
        }
    }
}

/// Renders the next snapshot from the changes.
#[derive(Debug, Clone)]
pub struct Publisher {
    pub database: Database,
    pub links: Links,
    /// Gives publication dates.
    pub clock: Clock,
    /// The configured one; without it, the business's type selects the trade.
    pub trade: Option<String>,
}

impl Publisher {
    pub fn new(database: Database, links: Links, clock: Clock) -> Self {
        Self {
            database,
            links,
            clock,
            trade: None,
        }
    }

    /// The snapshot after `previous`, or `None` if no rendered data changed.
    ///
    /// # Errors
    /// When the database cannot be read or written; then nothing is changed.
    pub async fn next(&self, previous: &Snapshot) -> Result<Option<Snapshot>, DbError> {
        let next = self.build(Some(previous)).await?;
        // A node's file is an older one until rqlited, after its start, has the later writes again.
        let is_older =
            self.database.has_nodes() && next.position.change_no < previous.position.change_no;
        Ok((!is_older && !next.is_same_as(previous)).then_some(next))
    }

    /// Reads the database, renders the documents, and does what the [`Role`] of the process says. Without a `previous` snapshot it
    /// is the first one.
    ///
    /// # Errors
    /// When the database cannot be read or written.
    pub async fn build(&self, previous: Option<&Snapshot>) -> Result<Snapshot, DbError> {
        let role = Role::of(&self.database);
        let (stored, input, loaded, figures) = self.read(previous).await?;
        if role == Role::Sender {
            // Stored first, so that no later snapshot repeats them.
            save(&self.database, &loaded.analyzed, stored.position.change_no).await?;
        }
        let former = previous.filter(|snapshot| stored.is_after(snapshot));
        let same = former.filter(|former| former.input.has_insights_of(&input));
        let insights = match same {
            Some(same) => Arc::clone(&same.insights),
            None => Arc::new(insights(&input)),
        };
        // A document has a new version if it differs in more than the instant of its last change.
        let epoch = DateTime::UNIX_EPOCH;
        let digests =
            Document::ALL.map(|document| render(document, &input, &insights, epoch).digest);
        let publications = self.publications(&digests, previous, &stored, role);
        if role == Role::Sender {
            self.record(&publications, &stored, &loaded.observed)
                .await?;
        }
        let documents = Document::ALL.into_iter().zip(publications);
        let documents: Vec<_> = documents
            .map(|(document, publication)| {
                let before = previous.map(|previous| previous.document(document));
                match before.filter(|before| before.publication == publication) {
                    Some(before) => Arc::clone(before),
                    None => self.finish(document, publication, &input, &insights),
                }
            })
            .collect();
        let newest = stored.position.change_no;
        let read_again_after = match role {
            Role::Sender => newest,
            // Changes by other programs are read again once the sender has dated them, which does not count as a change.
            Role::Reader => newest.min(stored.published_change_no),
        };
        Ok(Snapshot {
            database: self.database.clone(),
            position: stored.position,
            read_again_after,
            figures,
            is_transparency_requested: AtomicBool::new(false),
            input,
            insights,
            documents,
            counts: OnceLock::new(),
            is_revoked: AtomicBool::new(false),
        })
    }

    /// Reads the state and the input of the next snapshot in one transaction.
    async fn read(
        &self,
        previous: Option<&Snapshot>,
    ) -> Result<(StoredState, SnapshotInput, Loaded, Option<StoredFigures>), DbError> {
        let read = async {
            let mut transaction = self.database.readers().begin().await?;
            let stored = StoredState::read(&mut transaction).await?;
            let former = previous.filter(|snapshot| stored.is_after(snapshot));
            let own_business = storage::business::find(&mut transaction).await?;
            let own_business = own_business.unwrap_or_default();
            let former_input = former.map(|former| &former.input);
            let (analyzer, postponed) =
                choose_analyzer(former_input, &own_business, self.trade.as_deref());
            let mut business = own_business.clone();
            if business.publish_staff == PublishStaff::Off {
                business.technicians.clear();
            }
            let mut loader = EntryLoader {
                analyzer,
                publish_staff: business.publish_staff,
                links: &self.links,
                // The stored precision.
                now: self.clock.now().trunc_subsecs(3),
                published: former_input,
                loaded: Loaded::default(),
            };
            let entries = read_entries(&mut loader, &mut transaction, former).await?;
            let is_complete = loader.analyzer.method() == postponed.analyzer.method()
                && entries.index().unanalyzed.is_empty();
            let first_links = stored.first_links.clone();
            let input = SnapshotInput {
                postponed: (!is_complete).then_some(postponed),
                entries,
                business,
                own_business: Arc::new(own_business),
                editorial: storage::business::editorial(&mut transaction).await?,
                withheld: withheld(&mut transaction).await?,
                links: self.links.clone(),
                first_links: first_links.unwrap_or_else(|| self.links.clone()),
                analyzer: Arc::clone(&loader.analyzer),
            };
            let is_requested = previous
                .is_some_and(|snapshot| snapshot.is_transparency_requested.load(Ordering::Relaxed));
            let figures = if is_requested {
                // Publishing does not depend on them.
                StoredFigures::read(&mut transaction, &input.entries)
                    .await
                    .inspect_err(|error| tracing::warn!(%error, "transparency.not_read: the database cannot be read"))
                    .ok()
            } else {
                None
            };
            transaction.commit().await?;
            Ok((stored, input, loader.loaded, figures))
        };
        read.await.at(self.database.path())
    }

    /// The publications of the documents with these digests, in the order of [`Document::ALL`].
    fn publications(
        &self,
        digests: &[String],
        previous: Option<&Snapshot>,
        stored: &StoredState,
        role: Role,
    ) -> Vec<Publication> {
        let now = self.clock.now();
        let rendered = Document::ALL.into_iter().zip(digests);
        let rendered = rendered.zip(&stored.publications);
        let publications = rendered.map(|((document, digest), row)| {
            let last = previous.map(|previous| &previous.document(document).publication);
            match role {
                Role::Sender => {
                    let last = last.filter(|last| last.is_confirmed);
                    Publication::due(digest, last, row.as_ref(), now)
                }
                Role::Reader => Publication::shown(digest, last, row.as_ref(), now),
            }
        });
        publications.collect()
    }

    /// The document as published.
    fn finish(
        &self,
        document: Document,
        publication: Publication,
        input: &SnapshotInput,
        insights: &wire::Insights,
    ) -> Arc<PublishedDocument> {
        let content = render(document, input, insights, publication.changed_at);
        let mut body = CachedBody::new(document.content_type(), content).dated(&publication);
        if document.is_topic() {
            body.add("link", &document.link(&self.links));
        }
        Arc::new(PublishedDocument {
            document,
            body: Arc::new(body),
            publication,
        })
    }

    /// Records the publications, the change number and the observations in one transaction, unless all are stored.
    async fn record(
        &self,
        publications: &[Publication],
        stored: &StoredState,
        observed: &[Observation],
    ) -> Result<(), DbError> {
        let rows = &stored.publications;
        let is_due = !rows.iter().flatten().eq(publications);
        let change_no = stored.position.change_no;
        let is_base_kept = stored.first_links.is_some() || self.links.is_loopback();
        let is_recorded = is_base_kept && stored.published_change_no == change_no;
        if is_recorded && observed.is_empty() && !is_due {
            return Ok(());
        }
        let mut write = self.database.write_as_sender().await?;
        let recorded = async {
            store::record_base(&mut write, &self.links).await?;
            if !observed.is_empty() {
                reviews::observe(&mut write, observed, change_no).await?;
            }
            let all = Document::ALL.into_iter().zip(rows).zip(publications);
            for ((document, row), publication) in all {
                store::publish(&mut write, document, row.as_ref(), publication, change_no).await?;
            }
            write.commit().await
        };
        recorded.await.at(self.database.path())
    }
}

// Reads the database: the reviews, with new analyses of changed ones; what did not change is that of the former snapshot.

/// If more than one in this many reviews changed, loading all is quicker than loading each changed one.
const CHANGED_SHARE: usize = 4;

/// What is stored of changes and publications when a snapshot is read. Change numbers count changes of reviews, from 1.
struct StoredState {
    /// The newest change.
    position: DatabasePosition,
    /// The newest change that all publications have: a sender that stops before it records leaves it behind `position`.
    published_change_no: i64,
    /// In the order of [`Document::ALL`]. The version of each counts the changes of its bytes.
    publications: Vec<Option<Publication>>,
    /// Those of the base URL first published, if it is stored.
    first_links: Option<Links>,
}

impl StoredState {
    async fn read(connection: &mut SqliteConnection) -> sqlx::Result<Self> {
        let position = reviews::position(connection).await?;
        let mut publications = Vec::with_capacity(Document::ALL.len());
        for document in Document::ALL {
            publications.push(store::find(connection, document).await?);
        }
        Ok(Self {
            position,
            published_change_no: store::published_change_no(connection).await?,
            publications,
            first_links: store::first_base(connection).await?,
        })
    }

    /// Whether this is a later state of the database of `snapshot`. If the lineage differs, or change numbers or
    /// versions went back, it is another database or a restored copy.
    fn is_after(&self, snapshot: &Snapshot) -> bool {
        let mut rows = Document::ALL.into_iter().zip(&self.publications);
        snapshot.position.lineage == self.position.lineage
            && snapshot.position.change_no <= self.position.change_no
            && rows.all(|(document, row)| {
                let version = snapshot.document(document).publication.version;
                row.as_ref().is_some_and(|row| row.version >= version)
            })
    }
}

/// The analyzer of the next snapshot, and the analyses that are made after it if it lacks some: those of the target analyzer, which may be
/// another one. The former analyzer stays until all of these are stored, unless all can be made at once ([`ANALYZE_AT_ONCE_MAX`]).
fn choose_analyzer(
    former: Option<&SnapshotInput>,
    business: &Business,
    trade: Option<&str>,
) -> (Arc<Analyzer>, Arc<PostponedAnalyses>) {
    let postponed = former.and_then(|former| former.postponed.as_ref());
    let target = match former {
        Some(former) if *former.own_business == *business => {
            Arc::clone(postponed.map_or(&former.analyzer, |one| &one.analyzer))
        }
        Some(_) | None => Arc::new(Analyzer::new(business, trade)),
    };
    let not_begun = PostponedAnalyses::new(&target);
    let Some(former) = former else {
        return (target, not_begun);
    };
    let postponed = postponed.filter(|one| one.analyzer.method() == target.method());
    let work = cost(former.entries.len(), former.entries.index().text_bytes);
    match postponed.map(|one| (one, one.progress())) {
        Some((one, AnalysisProgress::Begun | AnalysisProgress::StoredThrough(..))) => {
            (Arc::clone(&former.analyzer), Arc::clone(one))
        }
        // All reviews would be analyzed again.
        None if work > ANALYZE_AT_ONCE_MAX => (Arc::clone(&former.analyzer), not_begun),
        Some((_, AnalysisProgress::Stored)) | None => (target, not_begun),
    }
}

/// The former entries with their changes, or all loaded again.
async fn read_entries(
    loader: &mut EntryLoader<'_>,
    connection: &mut SqliteConnection,
    former: Option<&Snapshot>,
) -> sqlx::Result<Entries> {
    let Some(former) = former else {
        return loader.all(connection, &Entries::default()).await;
    };
    let (entries, settled) = (&former.input.entries, former.read_again_after);
    if !loader.is_of(&former.input) {
        return loader.all(connection, entries).await;
    }
    let mut ids = reviews::changed_ids(connection, settled).await?;
    if former.input.has_stored_analyses() {
        let positions = entries.index().unanalyzed.iter();
        ids.extend(positions.map(|at| entries[at as usize].id().clone()));
    }
    if ids.is_empty() {
        return Ok(entries.clone());
    }
    if ids.len() > entries.len() / CHANGED_SHARE {
        return loader.all(connection, entries).await;
    }
    let list: Vec<&str> = ids.iter().map(ReviewId::as_str).collect();
    let reviews = reviews::published(connection, &list).await?;
    Ok(loader.revise(entries, &ids, reviews))
}
