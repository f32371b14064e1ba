//! The current snapshot, behind an atomic pointer, and its counts. A request loads it once and uses only that.

use std::collections::{HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, Weak};

use arc_swap::ArcSwap;
use chrono::{DateTime, Utc};
use roaring::RoaringBitmap;
use tokio::sync::watch;

use super::coding::CachedBody;
use super::document::Document;
use super::figures::StoredFigures;
use super::index::Values;
use super::input::SnapshotInput;
use super::store::Publication;
use crate::compute::{lock, made_once};
use crate::model::{MentionKind, fold};
use crate::storage::Database;
use crate::storage::reviews::DatabasePosition;
use crate::wire;

/// Maximum number of superseded snapshots kept alive: a reader of an older one is cut off when it reads on, and a stalled one by the
/// timeout of writes.
const SUPERSEDED_MAX: usize = 4;

/// A published document.
#[derive(Debug)]
pub struct PublishedDocument {
    pub document: Document,
    /// The body, with every coding that is ready.
    pub body: Arc<CachedBody>,
    pub publication: Publication,
}

/// All documents, rendered from the same reviews. Immutable except for its caches.
#[derive(Debug)]
pub struct Snapshot {
    /// Asked for its text index, and by [`super::read_transparency`].
    pub database: Database,
    /// The newest change when it was read.
    pub position: DatabasePosition,
    /// Reviews that changed after this change are read again for the next snapshot.
    pub read_again_after: i64,
    /// Read in the same transaction, if the transparency of the snapshot before was requested.
    pub(super) figures: Option<StoredFigures>,
    pub(super) is_transparency_requested: AtomicBool,
    pub input: SnapshotInput,
    /// The value of [`Document::Insights`].
    pub insights: Arc<wire::Insights>,
    /// All, in the order of [`Document::ALL`].
    pub(super) documents: Vec<Arc<PublishedDocument>>,
    pub(super) counts: OnceLock<MentionCounts>,
    pub(super) is_revoked: AtomicBool,
}

impl Snapshot {
    /// Whether both are of the same change, share the insights, which are made of the reviews and the business, and have the same
    /// documents.
    pub fn is_same_as(&self, other: &Self) -> bool {
        let mut documents = self.documents().zip(other.documents());
        let [postponed, other_postponed] =
            [self, other].map(|one| one.input.postponed.as_ref().map(Arc::as_ptr));
        self.position == other.position
            && Arc::ptr_eq(&self.insights, &other.insights)
            && postponed == other_postponed
            && documents.all(|(one, other)| Arc::ptr_eq(one, other))
    }

    pub fn document(&self, document: Document) -> &Arc<PublishedDocument> {
        &self.documents[document as usize]
    }

    /// The last change of [`Document::Reviews`].
    pub fn changed_at(&self) -> DateTime<Utc> {
        self.document(Document::Reviews).publication.changed_at
    }

    /// In the order of [`Document::ALL`].
    pub fn documents(&self) -> impl Iterator<Item = &Arc<PublishedDocument>> {
        self.documents.iter()
    }

    /// Counts of mentions; computed on the first call.
    pub fn counts(&self) -> &MentionCounts {
        made_once(&self.counts, || MentionCounts::of(&self.input))
    }

    /// Whether it is so old that responses that still read it must end.
    pub fn is_revoked(&self) -> bool {
        self.is_revoked.load(Ordering::Relaxed)
    }
}

#[derive(Debug)]
pub struct CurrentSnapshot {
    snapshot: ArcSwap<Snapshot>,
    superseded: Mutex<VecDeque<Weak<Snapshot>>>,
    swaps: watch::Sender<u64>,
}

impl CurrentSnapshot {
    pub fn new(first: Snapshot) -> Self {
        Self {
            snapshot: ArcSwap::from_pointee(first),
            superseded: Mutex::default(),
            swaps: watch::Sender::new(0),
        }
    }

    pub fn load(&self) -> Arc<Snapshot> {
        self.snapshot.load_full()
    }

    /// Publishes another snapshot; readers of more than [`SUPERSEDED_MAX`] older ones are cut off.
    pub fn swap(&self, next: Snapshot) {
        let old = self.snapshot.swap(Arc::new(next));
        let mut superseded = lock(&self.superseded);
        superseded.push_back(Arc::downgrade(&old));
        drop(old);
        superseded.retain(|snapshot| snapshot.strong_count() > 0);
        while superseded.len() > SUPERSEDED_MAX {
            if let Some(oldest) = superseded
                .pop_front()
                .and_then(|snapshot| snapshot.upgrade())
            {
                oldest.is_revoked.store(true, Ordering::Relaxed);
            }
        }
        drop(superseded);
        self.swaps.send_modify(|swaps| *swaps += 1);
    }

    /// Receives the number of swaps so far.
    pub fn swaps(&self) -> watch::Receiver<u64> {
        self.swaps.subscribe()
    }
}

/// A value derived from the latest snapshot, made on the first call and shared by later ones.
#[derive(Debug, Default)]
pub struct PerSnapshot<T>(Mutex<(Weak<Snapshot>, Arc<T>)>);

impl<T: Default> PerSnapshot<T> {
    /// The value for `snapshot`: a default one if the last call was for another snapshot.
    pub fn of(&self, snapshot: &Arc<Snapshot>) -> Arc<T> {
        let mut last = lock(&self.0);
        // The weak reference keeps the allocation, so its address is not reused.
        if !std::ptr::eq(last.0.as_ptr(), Arc::as_ptr(snapshot)) {
            *last = (Arc::downgrade(snapshot), Arc::default());
        }
        Arc::clone(&last.1)
    }

    /// Makes the next call of [`Self::of`] give a default value, also for the same snapshot.
    pub fn forget(&self) {
        *lock(&self.0) = (Weak::new(), Arc::default());
    }
}

/// Lists are ordered by count, then by name.
#[derive(Debug, Default)]
pub struct MentionCounts {
    /// The technicians by shown name.
    pub technicians: Vec<wire::Facet>,
    /// Each has an ID.
    pub services: Vec<wire::Facet>,
    pub service_areas: Vec<wire::Facet>,
    /// The sources of the reviews.
    pub sources: Vec<wire::Facet>,
    /// Language tags.
    pub languages: Vec<wire::Facet>,
}

impl MentionCounts {
    pub fn of_kind(&self, kind: MentionKind) -> &[wire::Facet] {
        match kind {
            MentionKind::Technician => &self.technicians,
            MentionKind::Service => &self.services,
            MentionKind::ServiceArea => &self.service_areas,
        }
    }

    /// The mentions in the reviews of `input`, and listed entities that no review mentions.
    pub fn of(input: &SnapshotInput) -> Self {
        let index = input.entries.index();
        let business = &input.business;
        let people = (business.technicians.iter())
            .map(|one| (fold(&one.name), Some(one.id.clone()), one.name.clone()));
        let work = (business.services.iter())
            .map(|one| (one.id.clone(), Some(one.id.clone()), one.name.clone()));
        let places = (business.service_areas.iter()).map(|name| (fold(name), None, name.clone()));
        let mut services = facets(work.collect(), &index.services);
        // A service that the business does not list has only its name as ID.
        for service in services.iter_mut().filter(|service| service.id.is_none()) {
            service.id = Some(service.name.clone());
        }
        Self {
            technicians: facets(people.collect(), &index.technicians),
            services,
            service_areas: facets(places.collect(), &index.service_areas),
            sources: facets(Vec::new(), &index.sources),
            languages: facets(Vec::new(), &index.languages),
        }
    }
}

/// The business's own entities (key, ID, name) and other values of reviews.
fn facets(own: Vec<(String, Option<String>, String)>, values: &Values) -> Vec<wire::Facet> {
    let mut listed = HashSet::new();
    let mut facets = Vec::new();
    for (key, id, name) in own {
        // Of two listed entities with the same key, the first has the reviews.
        let found = values.get(&key).filter(|_| !listed.contains(&key));
        let reviews = found.map_or(0, RoaringBitmap::len);
        listed.insert(key);
        facets.push(wire::Facet { id, name, reviews });
    }
    let others = values.iter().filter(|(key, _)| !listed.contains(*key));
    facets.extend(others.map(|(_, value)| wire::Facet {
        id: None,
        name: value.spellings[0].clone(),
        reviews: value.positions.len(),
    }));
    facets.sort_by(|one, other| one.order().cmp(&other.order()));
    facets
}
