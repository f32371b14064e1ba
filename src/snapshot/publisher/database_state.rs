//! Reads the database in one transaction: the reviews, with new analyses of changed ones, and whether anything differs
//! from the previous snapshot.

use std::collections::HashSet;
use std::sync::Arc;

use sqlx::SqliteConnection;

use super::Publisher;
use crate::insights::{Analyzer, Engines};
use crate::links::Links;
use crate::model::ReviewId;
use crate::model::business::Business;
use crate::snapshot::current::Snapshot;
use crate::snapshot::document::Document;
use crate::snapshot::index::ReviewIndex;
use crate::snapshot::input::Observer;
use crate::snapshot::input::SnapshotInput;
use crate::snapshot::input::{ANALYZE_AT_ONCE_MAX, Backlog, EntryLoader, Loaded, cost};
use crate::snapshot::publication::Publication;
use crate::snapshot::staff::Staff;
use crate::snapshot::store;
use crate::storage;
use crate::storage::reviews;
use crate::storage::reviews::{Changed, DatabasePosition, withheld};

/// If more than one in this many reviews changed, loading all is quicker than loading each changed one.
const CHANGED_SHARE_MAX: usize = 4;

pub struct DatabaseState {
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
        publisher: &Publisher,
        connection: &mut SqliteConnection,
        previous: Option<&Snapshot>,
        is_read: bool,
    ) -> sqlx::Result<Self> {
        let position = reviews::position(connection).await?;
        let out = what_is_out(connection).await?;
        let business = storage::business::find(connection)
            .await?
            .unwrap_or_default();
        let editorial = storage::business::editorial(connection).await?;
        let withheld = withheld(connection).await?;
        let first_links = store::first_base(connection).await?;
        let is_base_kept = first_links.is_some() || publisher.links.is_loopback();
        let is_recorded =
            is_base_kept && store::is_rendered_from(connection, position.change_no).await?;
        let first_links = first_links.unwrap_or_else(|| publisher.links.clone());
        let known = previous.filter(|snapshot| is_after(snapshot, &position, &out));
        let next_analyzer = analyzer(publisher, &business, previous);
        let analyzer = analyzer_in_force(known, &next_analyzer, is_read);
        let has_former = !Arc::ptr_eq(&analyzer, &next_analyzer);
        let (staff, business) = staff(connection, business, known.filter(|_| has_former)).await?;
        let mut loader = EntryLoader::new(
            connection,
            Arc::clone(&analyzer),
            Arc::clone(&staff),
            &publisher.links,
            &publisher.backlog,
        )
        .observing(
            observer(publisher, previous, &position),
            previous.map(|previous| Arc::clone(&previous.input.staff)),
        );
        let review_index = review_index(&mut loader, known, &position, is_read).await?;
        let loaded = loader.into_loaded();
        let mut input = SnapshotInput {
            review_index: ReviewIndex::default(),
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
        let is_same = review_index.is_none() && known.is_some_and(is_as_before);
        input.review_index = review_index
            .or_else(|| known.map(|snapshot| snapshot.input.review_index.clone()))
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

/// Dates changes since `previous` if it is from the same database.
fn observer(
    publisher: &Publisher,
    previous: Option<&Snapshot>,
    position: &DatabasePosition,
) -> Observer {
    let same = previous.filter(|snapshot| snapshot.position.lineage == position.lineage);
    let out = same.map(|snapshot| snapshot.input.review_index.clone());
    Observer::new(publisher.clock.now(), out)
}

/// The shown names of technicians, and the business with them. `former` is the published state while the analyses are
/// still those of its roster.
async fn staff(
    connection: &mut SqliteConnection,
    business: Business,
    former: Option<&Snapshot>,
) -> sqlx::Result<(Arc<Staff>, Business)> {
    let former = former
        .iter()
        .flat_map(|known| known.input.staff.full_names());
    let former = former.map(str::to_owned).collect();
    let (staff, business) = Staff::load(connection, business, former).await?;
    Ok((Arc::new(staff), business))
}

/// The analyzer for `business`: the previous one unless its method changed.
fn analyzer(
    publisher: &Publisher,
    business: &Business,
    previous: Option<&Snapshot>,
) -> Arc<Analyzer> {
    if let Some(previous) = previous.filter(|previous| previous.input.staff.is_of(business)) {
        return Arc::clone(&previous.input.next_analyzer);
    }
    let analyzer = Analyzer::new(business, &publisher.engines.of(business));
    let known = previous
        .iter()
        .flat_map(|snapshot| [&snapshot.input.analyzer, &snapshot.input.next_analyzer]);
    let same = known
        .into_iter()
        .find(|known| known.method() == analyzer.method());
    same.map_or_else(|| Arc::new(analyzer), Arc::clone)
}

/// Reads the publications, in the order of [`Document::ALL`].
async fn what_is_out(connection: &mut SqliteConnection) -> sqlx::Result<Vec<Option<Publication>>> {
    let mut out = Vec::with_capacity(Document::ALL.len());
    for document in Document::ALL {
        out.push(store::find(connection, document).await?);
    }
    Ok(out)
}

/// The reviews: the previous ones with their changes, or all loaded again; `None` if nothing changed.
async fn review_index(
    loader: &mut EntryLoader<'_>,
    known: Option<&Snapshot>,
    now: &DatabasePosition,
    is_read: bool,
) -> sqlx::Result<Option<ReviewIndex>> {
    let Some(snapshot) = known.filter(|snapshot| loader.is_of(&snapshot.input)) else {
        return all_anew(loader, known).await.map(Some);
    };
    let (review_index, seen) = (&snapshot.input.review_index, snapshot.position.change_no);
    let mut unanalyzed: Vec<&str> = if is_read {
        review_index.unanalyzed().collect()
    } else {
        Vec::new()
    };
    // Another process may have dated them since, which does not count as a change.
    unanalyzed.extend(snapshot.undated.iter().map(ReviewId::as_str));
    if seen == now.change_no && unanalyzed.is_empty() {
        return Ok(None);
    }
    let connection = loader.connection();
    let at_most = (review_index.len() / CHANGED_SHARE_MAX).min(review_index.changes_max());
    if reviews::count_changed_since(connection, seen).await? + unanalyzed.len() > at_most {
        return all_anew(loader, known).await.map(Some);
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

/// All reviews loaded again, reusing analyses of the previous snapshot.
async fn all_anew(
    loader: &mut EntryLoader<'_>,
    known: Option<&Snapshot>,
) -> sqlx::Result<ReviewIndex> {
    let all = loader.all().await?;
    Ok(match known {
        Some(known) => all.sharing(&known.input.review_index),
        None => all,
    })
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
            cost(input.review_index.len(), input.review_index.text_bytes()) > ANALYZE_AT_ONCE_MAX;
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
///
/// # Errors
/// If the database cannot be read.
pub async fn survey(
    connection: &mut SqliteConnection,
    engines: &Engines,
    links: &Links,
) -> sqlx::Result<(SnapshotInput, usize)> {
    let business = storage::business::find(&mut *connection)
        .await?
        .unwrap_or_default();
    let editorial = storage::business::editorial(&mut *connection).await?;
    let withheld = withheld(&mut *connection).await?;
    let analyzer = Arc::new(Analyzer::new(&business, &engines.of(&business)));
    let backlog = Backlog::default();
    let (staff, business) = Staff::load(&mut *connection, business, Vec::new()).await?;
    let staff = Arc::new(staff);
    let mut loader = EntryLoader::new(
        connection,
        Arc::clone(&analyzer),
        Arc::clone(&staff),
        links,
        &backlog,
    );
    let review_index = loader.all().await?;
    let behind = loader.into_loaded().analyzed.len() + review_index.count_unanalyzed();
    Ok((
        SnapshotInput {
            review_index,
            business,
            editorial,
            withheld,
            first_links: None,
            staff,
            next_analyzer: Arc::clone(&analyzer),
            analyzer,
        },
        behind,
    ))
}
