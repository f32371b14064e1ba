//! The publisher: reads the changes in one transaction, renders the documents that differ, and records the publication
//! before clients can see it.

pub(crate) mod database_state;

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, SubsecRound as _, Utc};
use database_state::DatabaseState;
use thiserror::Error;

use super::coding::CachedBody;
use super::current::{PublishedDocument, Snapshot};
use super::document::Document;
use super::document::{Draft, draft};
use super::input::Backlog;
use super::input::SnapshotInput;
use super::insights::insights;
use super::publication::Publication;
use super::store;
use crate::clock::Clock;
use crate::insights::Engines;
use crate::links::Links;
use crate::model::ReviewId;
use crate::storage::reviews;
use crate::storage::{Database, DbError, is_overtaken};

/// Attempts to render a snapshot when another process keeps storing dates in between.
const ATTEMPTS_MAX: usize = 4;
/// The usual time until a write to a cluster is in a node's file.
const FILE_LAG: Duration = Duration::from_millis(120);

/// Renders the next snapshot from the changes.
#[derive(Debug, Clone)]
pub struct Publisher {
    database: Database,
    links: Links,
    clock: Clock,
    engines: Engines,
    backlog: Arc<Backlog>,
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
    /// The business's type selects the trade whose engine analyzes.
    #[must_use]
    pub fn new(database: Database, links: Links, clock: Clock) -> Self {
        Self {
            database,
            links,
            clock,
            engines: Engines::default(),
            backlog: Arc::default(),
        }
    }

    /// Replaces the engines that analyze reviews.
    #[must_use]
    pub fn with_engines(self, engines: impl Into<Engines>) -> Self {
        Self {
            engines: engines.into(),
            ..self
        }
    }

    /// The work that remains after a snapshot is published.
    #[must_use]
    pub const fn backlog(&self) -> &Arc<Backlog> {
        &self.backlog
    }

    #[must_use]
    pub const fn database(&self) -> &Database {
        &self.database
    }

    #[must_use]
    pub const fn links(&self) -> &Links {
        &self.links
    }

    /// The clock of publication dates.
    #[must_use]
    pub const fn clock(&self) -> &Clock {
        &self.clock
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
        let is_read = self.backlog.take_analyzed();
        let mut rendered = self.build_with(previous, is_read).await;
        for _ in 1..ATTEMPTS_MAX {
            if !matches!(rendered, Err(PublishError::Overtaken)) {
                break;
            }
            if self.database.is_cluster() {
                // The write that overtook this one is still being replicated to this node's file.
                Clock::system().sleep(FILE_LAG).await;
            }
            rendered = self.build_with(previous, is_read).await;
        }
        if is_read && rendered.is_err() {
            self.backlog.set_analyzed();
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
        let mut state = DatabaseState::read(self, &mut transaction, previous, is_read)
            .await
            .map_err(fault)?;
        // Before publishing: if that fails, the next attempt finds these analyses here.
        self.backlog.add(std::mem::take(&mut state.loaded.analyzed));
        transaction.commit().await.map_err(fault)?;
        // After the read, so that changes in between are swept now and read by the next snapshot. If it were before, a
        // review withheld in between would precede the change number from which the next sweep starts, and would never
        // be swept.
        let seen = previous.map_or(0, |previous| previous.position.change_no);
        let swept = self.database.sweep_derived(seen).await;
        swept.map_err(PublishError::Read)?;
        let same = previous.filter(|_| state.is_same);
        let insights = match same {
            Some(previous) => Arc::clone(&previous.insights),
            None => Arc::new(insights(&state.input, &self.links)),
        };
        let draft_of =
            |input: &SnapshotInput, document| draft(document, input, &insights, &self.links);
        let drafts =
            Document::ALL.map(|document| same.is_none().then(|| draft_of(&state.input, document)));
        let digests = Document::ALL.map(|document| {
            let out = same.map(|previous| &previous.document(document).publication.digest);
            let drafted = drafts[document.index()].as_ref();
            let digest = drafted.map(|draft| &draft.digest).or(out);
            digest.cloned().unwrap_or_default()
        });
        let (publications, undated) = self.published(&digests, previous, &mut state).await?;
        let DatabaseState {
            position,
            input,
            is_same,
            ..
        } = state;
        let mut is_new = !is_same;
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
            let draft = draft.unwrap_or_else(|| draft_of(&input, document));
            let body = cached_body(document, draft, &publication, before);
            documents.push(Arc::new(PublishedDocument {
                document,
                body,
                publication,
                is_confirmed,
            }));
        }
        let mut snapshot = Snapshot::new(position, input, insights, documents);
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
        if !self.database.may_publish() {
            let shown = publications_shown(digests, previous, &state.out, self.clock.now());
            return Ok((shown, std::mem::take(&mut state.loaded.undated)));
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
        let said = |document| previous.and_then(|previous| previous.document(document).confirmed());
        let rendered = || Document::ALL.into_iter().zip(digests);
        let standing: Option<Vec<Publication>> = rendered()
            .zip(&state.out)
            .map(|((document, digest), row)| {
                let (publication, is_due) =
                    Publication::due(digest, said(document), row.as_ref(), 0, now);
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
        store::keep_first_base(&mut write, &self.links)
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

// Publications on a node that raises no versions because another node of its cluster does.

/// The publication of each document with these digests, and whether its row in `out` is for these bytes. If it is, the
/// row applies; otherwise the date is not later than the published one, so that no date goes back when the row
/// arrives.
fn publications_shown(
    digests: &[String],
    previous: Option<&Snapshot>,
    out: &[Option<Publication>],
    now: DateTime<Utc>,
) -> Vec<(Publication, bool)> {
    let shown = Document::ALL.into_iter().zip(digests).zip(out);
    let shown = shown.map(|((document, digest), row)| {
        let said = previous.map(|previous| &previous.document(document).publication);
        one(digest, said, row.as_ref(), now)
    });
    shown.collect()
}

fn one(
    digest: &str,
    said: Option<&Publication>,
    row: Option<&Publication>,
    now: DateTime<Utc>,
) -> (Publication, bool) {
    if let Some(row) = row.filter(|row| row.digest == digest) {
        return (row.clone(), true);
    }
    let known = || said.into_iter().chain(row);
    let changed_at = known().map(|one| one.changed_at).max();
    let publication = Publication {
        version: known().map(|one| one.version).max().unwrap_or(0),
        digest: digest.to_owned(),
        changed_at: changed_at.unwrap_or_else(|| now.trunc_subsecs(3)),
        is_same_second: false,
    };
    (publication, false)
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, Utc};

    use super::one;
    use crate::snapshot::publication::Publication;

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
    fn a_row_of_these_bytes_is_what_is_said() {
        let (said, out) = (row(3, "old", 10), row(4, "new", 20));
        let (shown, is_confirmed) = one("new", Some(&said), Some(&out), at(50));
        assert_eq!((shown, is_confirmed), (out, true));
    }

    #[test]
    fn what_was_rendered_ahead_of_the_row_is_dated_no_later_than_what_is_out() {
        let (said, out) = (row(3, "old", 10), row(3, "old", 10));
        let (shown, is_confirmed) = one("new", Some(&said), Some(&out), at(50));
        assert!(!is_confirmed);
        assert_eq!((shown.version, shown.changed_at), (3, at(10)));
        let (shown, _) = one("new", None, None, at(50));
        assert_eq!((shown.version, shown.changed_at), (0, at(50)));
    }
}
