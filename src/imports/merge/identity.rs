//! Which review each row of an import is. A row is only ever a review of its own source and location.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use chrono::{DateTime, Utc};

use crate::imports::map::values::{Names, names};
use crate::imports::map::{Incoming, SOURCE_DEFAULT, values};
use crate::imports::merge::collector::Row;
use crate::imports::platforms::all_formats;
use crate::imports::request::ImportRequest;
use crate::model::{Base, Day, DigestKey, Fingerprints, GONE, Review, ReviewId, Status, Unit};
use crate::storage::reviews::{AlikeReviews, DeletedReview, SourceVersion};

/// Maximum number of sources whose names are equal in an id, such as `Angi` and `angi`.
pub const PREFIXES_MAX: u32 = 3;

/// What the database knows of the reviews that an import may touch.
#[derive(Debug, Default)]
pub struct Known {
    pub reviews: HashMap<ReviewId, KnownReview>,
    /// Ids of reviews that the owner deleted, with what is kept of them.
    pub deleted: HashMap<ReviewId, Option<DeletedReview>>,
    /// Of the rows, in their order.
    pub fingerprints: Vec<Fingerprints>,
    /// The reviews with the fingerprints of the rows, by fingerprint.
    pub alike: HashMap<i64, Vec<AlikeReviews>>,
}

#[derive(Debug)]
pub struct KnownReview {
    /// Of a row that cannot be read: as its source states it now, with the owner's decisions.
    pub review: Review,
    /// `None` if no source gave it.
    pub source: Option<SourceVersion>,
    pub is_readable: bool,
}

impl Known {
    /// Adds reviews with their sources' versions; returns the versions of reviews that cannot be read.
    pub fn add(
        &mut self,
        reviews: HashMap<String, Review>,
        mut sources: HashMap<String, SourceVersion>,
    ) -> HashMap<String, SourceVersion> {
        for (id, review) in reviews {
            let known = KnownReview {
                source: sources.remove(&id),
                review,
                is_readable: true,
            };
            self.reviews.insert(known.review.id.clone(), known);
        }
        sources
    }

    /// Whether the row's id is that of a review from another source or location.
    pub fn is_taken_elsewhere(&self, row: &Row) -> bool {
        let review = self.reviews.get(row.id());
        let deleted = self.deleted.get(row.id());
        review.is_some_and(|review| !is_of_place(row, review))
            || deleted.is_some_and(|review| {
                review
                    .as_ref()
                    .is_none_or(|review| !is_deleted_of_place(row, review))
            })
    }
}

/// Whether the review is of the row's source and location, as far as both are known.
pub fn is_of_place(row: &Row, known: &KnownReview) -> bool {
    let location = row.incoming.location.as_deref();
    match (&known.source, row.incoming.source_name()) {
        (Some(source), Some(name)) => is_place(
            &source.source_name,
            source.location.as_deref(),
            name,
            location,
        ),
        // A review by hand that names no source may be of any.
        (None, Some(name)) => {
            let own = &known.review.source.name;
            own == name || own == SOURCE_DEFAULT
        }
        (_, None) => true,
    }
}

pub fn is_deleted_of_place(row: &Row, deleted: &DeletedReview) -> bool {
    let location = row.incoming.location.as_deref();
    let name = row.incoming.source_name();
    name.is_none_or(|name| {
        is_place(
            &deleted.source_name,
            deleted.location.as_deref(),
            name,
            location,
        )
    })
}

/// A source that gives no location may mean any of its locations.
fn is_place(source: &str, location: Option<&str>, name: &str, of: Option<&str>) -> bool {
    source == name && location.zip(of).is_none_or(|(one, other)| one == other)
}

/// How rows are merged.
pub struct Rules<'r> {
    pub key: DigestKey,
    pub now: DateTime<Utc>,
    pub request: &'r ImportRequest,
}

/// The sources of the rows.
pub fn source_names(rows: &[Row]) -> Vec<&str> {
    let names: BTreeSet<&str> = rows.iter().map(Row::source).collect();
    names.into_iter().collect()
}

/// The review of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Identity {
    Known(ReviewId),
    /// Under this id, which is the row's own unless a review of another source has that.
    New(ReviewId),
    /// The owner deleted it.
    Deleted(ReviewId),
    /// The row is not imported, because it may be several reviews, with the reason.
    Undecided(String),
    /// The row is rejected, with the reason.
    Wrong(String),
    /// Another row with the same id is newer.
    Repeated,
}

impl Identity {
    /// The id of the review, if the row is one.
    const fn id(&self) -> Option<&ReviewId> {
        match self {
            Self::Known(id) | Self::New(id) | Self::Deleted(id) => Some(id),
            Self::Undecided(_) | Self::Wrong(_) | Self::Repeated => None,
        }
    }
}

/// Maximum number of rows, and of reviews, of one author on one day that are compared.
const COMPARED_MAX: usize = 16;

/// The reviews of `rows`, in their order.
pub fn identify(rows: &[Row], known: &Known, rules: &Rules<'_>) -> Vec<Identity> {
    let mut search = IdentitySearch {
        rows,
        known,
        rules,
        own_ids: OwnIds::of(known),
        identities: repeated(rows),
        claimed: HashSet::new(),
    };
    let mut open = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        if search.identities[index].is_some() {
            continue;
        }
        let identity = search.by_id(row);
        if matches!(identity, Identity::New(_)) {
            open.push((index, identity));
        } else {
            search.set(index, identity);
        }
    }
    let open = search.by_content(open);
    let open = search.by_edits(open);
    let open = search.by_deleted(open);
    for (index, identity) in open {
        search.set(index, identity);
    }
    let identities = search.identities.into_iter();
    identities
        .map(|identity| identity.unwrap_or(Identity::Repeated))
        .collect()
}

/// Marks rows that have the id of another row: of rows of one review the newest counts, or the last one. Rows that are
/// different reviews are all rejected.
fn repeated(rows: &[Row]) -> Vec<Option<Identity>> {
    type Key<'r> = (Option<&'r str>, Option<&'r str>, &'r ReviewId);
    let mut groups: HashMap<Key<'_>, Vec<usize>> = HashMap::with_capacity(rows.len());
    for (index, row) in rows.iter().enumerate() {
        let location = row.incoming.location.as_deref();
        let key = (row.incoming.source_name(), location, row.id());
        groups.entry(key).or_default().push(index);
    }
    let mut identities = vec![None; rows.len()];
    for ((_, _, id), indices) in groups {
        let (mut newest, mut is_one) = (indices[0], true);
        for index in &indices[1..] {
            let [row, other] = [*index, newest].map(|index| &rows[index].incoming);
            is_one &= !row.has_own_id || is_alike(row, other);
            let times = row.changed_at.zip(other.changed_at);
            if times.is_none_or(|(at, before)| at >= before) {
                newest = *index;
            }
        }
        let reason = format_args!(
            "id: {} rows that differ in author, date and text have the ID {}, so it is none; correct it, name the column with \
             the IDs with --map id=COLUMN, or ignore it with --map id=",
            indices.len(),
            shown_id(id)
        );
        for index in &indices {
            if !is_one {
                identities[*index] = Some(Identity::Wrong(reason.to_string()));
            } else if *index != newest {
                identities[*index] = Some(Identity::Repeated);
            }
        }
    }
    identities
}

/// Whether two rows with one id may be the same review: author, day or text are equal.
fn is_alike(one: &Incoming, other: &Incoming) -> bool {
    let [one, other] = [one, other].map(|incoming| &incoming.statement.review);
    let is_text_same = !one.text.is_empty() && one.text == other.text;
    one.author == other.author || one.date == other.date || is_text_same
}

/// The reviews, and the deleted ones, whose source gives them another id than they have here: by source and that id.
struct OwnIds<'k>(HashMap<(&'k str, &'k str), Vec<&'k ReviewId>>);

impl<'k> OwnIds<'k> {
    fn of(known: &'k Known) -> Self {
        let sources = known
            .reviews
            .values()
            .filter_map(|kept| kept.source.as_ref());
        let reviews = sources.map(|kept| (&kept.source_name, &kept.own_id, &kept.id));
        let deleted = known.deleted.values().flatten();
        let deleted = deleted.map(|kept| (&kept.source_name, &kept.own_id, &kept.id));
        let mut ids: HashMap<_, Vec<&ReviewId>> = HashMap::new();
        for (source, own, id) in reviews.chain(deleted) {
            if let Some(own) = own {
                let key = (source.as_str(), own.as_str());
                ids.entry(key).or_default().push(id);
            }
        }
        Self(ids)
    }
}

struct IdentitySearch<'k> {
    rows: &'k [Row],
    known: &'k Known,
    rules: &'k Rules<'k>,
    own_ids: OwnIds<'k>,
    identities: Vec<Option<Identity>>,
    /// Ids that belong to a row.
    claimed: HashSet<ReviewId>,
}

/// Rows that are no known review by their id.
type Open = Vec<(usize, Identity)>;

impl<'k> IdentitySearch<'k> {
    fn set(&mut self, index: usize, identity: Identity) {
        let row = &self.rows[index];
        let identity = if let Identity::New(id) = &identity
            && self.claimed.contains(id)
        {
            // Another row of this import, from another source, is new under this id.
            self.by_prefixed_id(row)
        } else {
            identity
        };
        let is_free = identity
            .id()
            .is_none_or(|id| self.claimed.insert(id.clone()));
        self.identities[index] = Some(if is_free {
            identity
        } else {
            Identity::Wrong(format!(
                "id: another row is the review with the ID {}; give one of them another ID",
                shown_id(row.id())
            ))
        });
    }

    /// The review with the row's id; [`Identity::New`] if there is none.
    fn by_id(&self, row: &Row) -> Identity {
        let source = row.incoming.source_name();
        let own = source.and_then(|source| self.own_ids.0.get(&(source, row.id().as_str())));
        let mut own = own.into_iter().flatten();
        let found = own.find_map(|id| self.at(row, id));
        // A deleted review of an export names no source, so a review with the source in front goes first.
        let is_nameless = matches!(self.known.deleted.get(row.id()), Some(None));
        let prefixed = source.filter(|_| is_nameless);
        let prefixed = prefixed.and_then(|source| self.at(row, &prefixed_id(source, 1, row.id())?));
        let found = found.or(prefixed);
        if let Some(identity) = found.or_else(|| self.at(row, row.id())) {
            return identity;
        }
        if self.is_taken(row.id()) {
            return self.by_prefixed_id(row);
        }
        Identity::New(row.id().clone())
    }

    /// The review with the row's id and its source in front.
    fn by_prefixed_id(&self, row: &Row) -> Identity {
        let source = row.source();
        let prefixed = (1..=PREFIXES_MAX).filter_map(|n| prefixed_id(source, n, row.id()));
        for id in prefixed {
            if let Some(identity) = self.at(row, &id) {
                return identity;
            }
            if !self.is_taken(&id) && !self.claimed.contains(&id) {
                return Identity::New(id);
            }
        }
        Identity::Wrong(format!(
            "id: reviews of too many sources have the ID {}; give it another one",
            shown_id(row.id())
        ))
    }

    fn is_taken(&self, id: &ReviewId) -> bool {
        self.known.reviews.contains_key(id) || self.known.deleted.contains_key(id)
    }

    /// The review `id`, if it may be the row's: it is of the same source and location.
    fn at(&self, row: &Row, id: &ReviewId) -> Option<Identity> {
        if let Some(review) = self.known.reviews.get(id) {
            let is_own = is_of_place(row, review);
            // The content decides for a review that no source gave yet, and for one of another source than that of a row that
            // states none.
            let source = review.source.as_ref();
            let is_same_source = source.is_some_and(|source| source.source_name == row.source());
            let is_alike = !row.incoming.has_own_id || self.is_alike(row, review);
            return match (is_own, is_alike) {
                (true, true) => Some(Identity::Known(id.clone())),
                (true, false) if is_same_source => {
                    Some(Identity::Wrong(other_review(&review.review)))
                }
                _ => None,
            };
        }
        let deleted = self.known.deleted.get(id)?;
        let is_own = deleted
            .as_ref()
            .is_none_or(|deleted| is_deleted_of_place(row, deleted));
        is_own.then(|| Identity::Deleted(id.clone()))
    }

    /// Whether author, day or text of the row are those of the review, or those that its source last gave it.
    fn is_alike(&self, row: &Row, known: &KnownReview) -> bool {
        let (stated, review) = (row.review(), &known.review);
        if stated.author == review.author
            || stated.date == review.date
            || (!stated.text.is_empty() && stated.text == review.text)
            || !known.is_readable
        {
            return true;
        }
        let Some(source) = &known.source else {
            return false;
        };
        let stated = row.incoming.statement_of(&review.id).review;
        let is_unit = |unit| source.base.get(unit) == Some(self.rules.key.digest(unit, &stated));
        is_unit(Unit::Author)
            || is_unit(Unit::Date)
            || (!stated.text.is_empty() && is_unit(Unit::Text))
    }

    /// The reviews of the source that no row has by its id.
    fn orphans(&self) -> Vec<(&'k ReviewId, &'k KnownReview)> {
        let known = self.known.reviews.iter();
        let mut orphans: Vec<_> = known
            .filter(|(id, known)| known.source.is_some() && !self.claimed.contains(*id))
            .collect();
        orphans.sort_unstable_by_key(|(id, _)| *id);
        orphans
    }

    /// Rows without an id whose author, day, stars and text are those of a review, such as after a change of the source's
    /// name. A row with an id is such a review if that one came without.
    fn by_content(&mut self, open: Open) -> Open {
        if open.is_empty() {
            return open;
        }
        let mut alike: HashMap<i64, Vec<Identity>> = HashMap::new();
        for (id, known) in self.orphans() {
            if let Some(source) = &known.source {
                let list = alike.entry(source.fingerprints.content).or_default();
                list.push(Identity::Known(id.clone()));
            }
        }
        let mut deleted: Vec<&DeletedReview> = self.known.deleted.values().flatten().collect();
        deleted.sort_unstable_by_key(|review| &review.id);
        for review in deleted {
            let list = alike.entry(review.fingerprints.content).or_default();
            list.push(Identity::Deleted(review.id.clone()));
        }
        let mut left = Vec::new();
        for (index, identity) in open {
            let row = &self.rows[index];
            let text = row.incoming.text();
            let is_review = |candidate: &&Identity| {
                let Some(id) = candidate.id() else {
                    return false;
                };
                let is_own = match (self.known.reviews.get(id), self.known.deleted.get(id)) {
                    (Some(review), _) => is_of_place(row, review),
                    (None, Some(Some(deleted))) => is_deleted_of_place(row, deleted),
                    (None, _) => false,
                };
                let may_be = if row.incoming.has_own_id {
                    is_derived(id) && text.is_some_and(|text| !text.is_empty())
                } else {
                    text.is_some()
                };
                is_own && may_be && !self.claimed.contains(id)
            };
            let candidates = alike.get(&self.known.fingerprints[index].content);
            let found = candidates.and_then(|candidates| candidates.iter().find(is_review));
            match found.cloned() {
                Some(found) => self.set(index, found),
                None => left.push((index, identity)),
            }
        }
        left
    }

    /// Rows without an id that fill empty fields of a review, or whose stars or text were edited.
    fn by_edits(&mut self, open: Open) -> Open {
        type Key<'k> = (&'k str, Day);
        let mut groups: BTreeMap<Key<'_>, (Vec<usize>, Vec<&ReviewId>)> = BTreeMap::new();
        let rows = self.rows;
        for (index, _) in &open {
            let row = &rows[*index];
            if may_be_edited(row) {
                let key = (row.review().author.as_str(), row.review().date);
                groups.entry(key).or_default().0.push(*index);
            }
        }
        if groups.is_empty() {
            return open;
        }
        for (id, known) in self.orphans() {
            if let Some(group) = groups.get_mut(&(known.review.author.as_str(), known.review.date))
            {
                group.1.push(id);
            }
        }
        let mut matches: Vec<(usize, Match<'k>)> = Vec::new();
        for (rows, reviews) in groups.values().filter(|(_, reviews)| !reviews.is_empty()) {
            self.compare(rows, reviews, &mut matches);
        }
        let present = matches.iter().filter_map(|(_, found)| match found {
            Match::Fills(id) | Match::Edits(id) => Some(*id),
            Match::Undecided(_) => None,
        });
        let present: HashSet<&ReviewId> = present.collect();
        let mut found: HashMap<usize, Identity> = HashMap::new();
        for (index, matched) in matches {
            let identity = match matched {
                Match::Fills(id) => Identity::Known(id.clone()),
                Match::Edits(id) if self.has_most_rows(&rows[index], &present) => {
                    Identity::Known(id.clone())
                }
                Match::Edits(_) => continue,
                Match::Undecided(reason) => Identity::Undecided(reason),
            };
            found.insert(index, identity);
        }
        let mut left = Vec::new();
        for (index, identity) in open {
            match found.remove(&index) {
                Some(found) => self.set(index, found),
                None => left.push((index, identity)),
            }
        }
        left
    }

    /// Rows without an id that may be a deleted review whose row was edited: author and day are the same. With `--restore`
    /// they are.
    fn by_deleted(&mut self, open: Open) -> Open {
        let mut deleted: HashMap<i64, Vec<&DeletedReview>> = HashMap::new();
        for kept in self.known.deleted.values().flatten() {
            let list = deleted.entry(kept.fingerprints.author_day).or_default();
            list.push(kept);
        }
        let mut left = Vec::new();
        for (index, identity) in open {
            let row = &self.rows[index];
            let candidates = deleted.get(&self.known.fingerprints[index].author_day);
            let mut candidates = candidates.into_iter().flatten();
            let found = candidates.find(|kept| {
                may_be_edited(row)
                    && is_deleted_of_place(row, kept)
                    && !self.claimed.contains(&kept.id)
            });
            match found {
                Some(kept) if self.rules.request.restore => {
                    self.set(index, Identity::Deleted(kept.id.clone()));
                }
                Some(kept) => {
                    let reason = format!(
                        "may be {}, which you deleted; --restore brings that back, and a row with an ID of its own is another \
                         review",
                        kept.id
                    );
                    self.set(index, Identity::Undecided(reason));
                }
                None => left.push((index, identity)),
            }
        }
        left
    }

    /// Compares the rows and the reviews of one author and day.
    fn compare(
        &self,
        rows: &[usize],
        reviews: &[&'k ReviewId],
        matches: &mut Vec<(usize, Match<'k>)>,
    ) {
        if rows.len() > COMPARED_MAX || reviews.len() > COMPARED_MAX {
            let reason = format!(
                "may be any of {} reviews of the same author and day",
                reviews.len()
            );
            let undecided = |index: &usize| (*index, Match::Undecided(reason.clone()));
            matches.extend(rows.iter().map(undecided));
            return;
        }
        let reviews_of = |index: usize, relation: Relation| -> Vec<&'k ReviewId> {
            let row = &self.rows[index];
            let is_so = |id: &&&ReviewId| self.relation(row, &self.known.reviews[**id]) == relation;
            reviews.iter().filter(is_so).copied().collect()
        };
        let fills: Vec<Vec<&ReviewId>> = (rows.iter())
            .map(|index| reviews_of(*index, Relation::Fills))
            .collect();
        let is_alone = rows.len() == 1 && reviews.len() == 1;
        for (index, filled) in rows.iter().zip(&fills) {
            let edited = if filled.is_empty() {
                reviews_of(*index, Relation::Edits)
            } else {
                Vec::new()
            };
            let is_sure = |id| fills.iter().filter(|others| others.contains(id)).count() == 1;
            let matched = match (filled.as_slice(), edited.as_slice()) {
                ([only], _) if is_sure(only) => Match::Fills(only),
                ([], [only]) if is_alone => Match::Edits(only),
                ([], []) => match reviews_of(*index, Relation::Empties).first() {
                    Some(id) => {
                        Match::Undecided(format!("may be {id}, whose text the file does not have"))
                    }
                    None => continue,
                },
                ([], several) | (several, _) => {
                    let ids: Vec<&str> = several.iter().map(|id| id.as_str()).collect();
                    Match::Undecided(format!(
                        "may be {}, and so may another row or review of that day",
                        ids.join(" or ")
                    ))
                }
            };
            matches.push((*index, matched));
        }
    }

    fn relation(&self, row: &Row, known: &KnownReview) -> Relation {
        let Some(source) = known.source.as_ref().filter(|_| is_of_place(row, known)) else {
            return Relation::None;
        };
        let there = &known.review;
        let statement = row.incoming.statement_of(&there.id);
        let (stated, unstated) = (&statement.review, statement.unstated);
        let key = &self.rules.key;
        let is_same = |unit: Unit| {
            is_same(
                key.digest(unit, stated),
                key.digest(unit, there),
                &source.base,
                unit,
            )
        };
        let fits = |unit: Unit| {
            let is_untouched = source
                .base
                .get(unit)
                .is_none_or(|last| last == key.digest(unit, there));
            unstated.has(unit) || is_same(unit) || (is_untouched && adds(unit, there, stated))
        };
        let is_compared = |unit: &Unit| !matches!(unit, Unit::Status | Unit::Verification);
        if Unit::ALL.into_iter().filter(is_compared).all(fits) {
            return Relation::Fills;
        }
        if unstated.has(Unit::Text) {
            return Relation::None;
        }
        let (is_text_same, is_rating_same) = (is_same(Unit::Text), is_same(Unit::Rating));
        if stated.text.is_empty() && !is_text_same {
            return if is_rating_same {
                Relation::Empties
            } else {
                Relation::None
            };
        }
        if is_text_same || (is_rating_same && shares_half(&stated.text, &there.text)) {
            Relation::Edits
        } else {
            Relation::None
        }
    }

    /// Whether the files still have nine tenths of the reviews of the row's source and location between their first and
    /// last day; `present` are reviews that rows are by an edit.
    fn has_most_rows(&self, row: &Row, present: &HashSet<&ReviewId>) -> bool {
        let source = row.incoming.source_name();
        let rows = self
            .rows
            .iter()
            .filter(|other| other.incoming.source_name() == source);
        let days: Vec<Day> = rows.map(|other| other.review().date).collect();
        let (Some(first), Some(last)) = (days.iter().min(), days.iter().max()) else {
            return false;
        };
        let (mut all, mut there) = (0_u64, 0_u64);
        for (id, known) in &self.known.reviews {
            let is_in_span = (*first..=*last).contains(&known.review.date);
            if is_in_span
                && known.source.is_some()
                && known.review.status != Status::withheld(GONE)
                && is_of_place(row, known)
            {
                all += 1;
                there += u64::from(self.claimed.contains(id) || present.contains(id));
            }
        }
        there * 10 >= all * 9
    }
}

/// What an edited row is.
#[derive(Debug)]
enum Match<'k> {
    /// It fills empty fields of the review.
    Fills(&'k ReviewId),
    /// Its stars or text were edited.
    Edits(&'k ReviewId),
    /// With the reason.
    Undecided(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Relation {
    /// The row differs only in fields that are empty in the review and that the owner did not edit.
    Fills,
    /// Stars or text differ, and so may fields beside them.
    Edits,
    /// The review has a text, and the row has none.
    Empties,
    None,
}

/// Whether the row has the value of the review, or the one that its source last gave.
fn is_same(stated: [u8; 8], there: [u8; 8], base: &Base, unit: Unit) -> bool {
    stated == there || base.get(unit) == Some(stated)
}

/// An id that the ids of `source` have in front where a review of another source has the id.
pub fn prefixed_id(source: &str, number: u32, id: &ReviewId) -> Option<ReviewId> {
    let letters = source
        .chars()
        .map(|letter| match letter.to_ascii_lowercase() {
            letter @ ('a'..='z' | '0'..='9') => letter,
            _ => '-',
        });
    let name: String = letters.collect();
    let name = name.trim_matches('-');
    let name = if name.is_empty() { "source" } else { name };
    let prefix = match number {
        1 => name.to_owned(),
        _ => format!("{name}-{number}"),
    };
    values::of_platform(&prefix, id.as_str()).ok()
}

fn other_review(review: &Review) -> String {
    format!(
        "id: {} is the ID of another review, by {} of {}: author, date and text all differ; a column that counts the rows of \
         a file has no IDs: name the column with the IDs with --map id=COLUMN, or ignore it with --map id=",
        shown_id(&review.id),
        review.author,
        review.date
    )
}

/// An id as in the file, unless it did not fit into ours.
fn shown_id(id: &ReviewId) -> &str {
    if is_derived(id) {
        "of this row"
    } else {
        id.as_str()
    }
}

/// Whether an id was derived from a row without one; see `map::values::digest`.
pub fn is_derived(id: &ReviewId) -> bool {
    let digest = id
        .as_str()
        .rsplit_once('-')
        .map_or("", |(_, digest)| digest);
    let digest = digest.split('.').next().unwrap_or_default();
    digest.len() == 32 && digest.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether a row is found by author and day if its stars or text were edited.
fn may_be_edited(row: &Row) -> bool {
    !row.incoming.has_own_id && !row.format.excerpts && !is_shared_name(&row.review().author)
}

/// Whether many people may have the name, so that it identifies nobody.
fn is_shared_name(name: &str) -> bool {
    const SHARED: Names =
        "anonymous, a google user, customer, guest, verified customer, verified buyer";
    let name = name.trim().to_lowercase();
    let mut anonymous = all_formats().filter_map(|format| format.anonymous);
    name.is_empty()
        || names(SHARED).any(|shared| shared == name)
        || anonymous.any(|author| author.to_lowercase() == name)
}

/// Whether at least half of the words of `text` are also in `former`.
fn shares_half(text: &str, former: &str) -> bool {
    let mut left: HashMap<String, usize> = HashMap::new();
    let words =
        |text: &str| -> Vec<String> { text.split_whitespace().map(str::to_lowercase).collect() };
    for word in words(former) {
        *left.entry(word).or_default() += 1;
    }
    let text = words(text);
    let is_shared = |word: &&String| match left.get_mut(*word) {
        Some(count) if *count > 0 => {
            *count -= 1;
            true
        }
        _ => false,
    };
    let shared = text.iter().filter(is_shared).count();
    shared * 2 >= text.len()
}

/// Whether every part of the unit is either empty in `there` or equal to that of `said`.
fn adds(unit: Unit, there: &Review, stated: &Review) -> bool {
    fn part<T: PartialEq>(there: Option<&T>, stated: Option<&T>) -> bool {
        there.is_none() || there == stated
    }
    match (unit, &there.response, &stated.response) {
        (Unit::Source, _, _) => {
            there.source.name == stated.source.name
                && part(there.source.url.as_ref(), stated.source.url.as_ref())
        }
        (Unit::Response, Some(there), Some(stated)) => {
            there.text == stated.text
                && part(there.date.as_ref(), stated.date.as_ref())
                && part(there.author.as_ref(), stated.author.as_ref())
        }
        (Unit::Mentions, _, _) => {
            let list = |there: &[String], stated: &[String]| there.is_empty() || there == stated;
            let (there, stated) = (&there.mentions, &stated.mentions);
            list(&there.technicians, &stated.technicians)
                && list(&there.services, &stated.services)
                && list(&there.service_areas, &stated.service_areas)
        }
        _ => unit.is_unset(there),
    }
}
