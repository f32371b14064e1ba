//! Which review each row of an import is. A row is only ever a review of its own source and location.

use std::collections::{BTreeMap, HashMap, HashSet};

use chrono::{DateTime, Utc};

use crate::imports::map::values::{Names, names};
use crate::imports::map::{Incoming, SOURCE_DEFAULT, values};
use crate::imports::merge::collector::Row;
use crate::imports::platforms::{TABLE, all_formats};
use crate::imports::request::ImportRequest;
use crate::model::text::words;
use crate::model::{
    Day, DigestKey, Fingerprints, GONE, Review, ReviewId, Status, Unit, is_one_name,
};
use crate::storage::reviews::{Known, KnownReview, SourceVersion};

/// Whether a review is of the row's source and location, as far as both are known.
fn is_of_place(known: &KnownReview, row: &Row) -> bool {
    let Some(name) = row.incoming.source_name() else {
        return true;
    };
    match (&known.source, known.review()) {
        // A source that gives no location may mean any of its locations.
        (Some(source), _) => {
            let locations = source
                .location
                .as_ref()
                .zip(row.incoming.unpublished.location.as_ref());
            source.source_name == name && locations.is_none_or(|(one, other)| one == other)
        }
        // A review by hand that names no source may be of any.
        (None, Some(review)) => [name, SOURCE_DEFAULT].contains(&review.source.name.as_str()),
        (None, None) => true,
    }
}

/// How rows are merged.
pub struct Rules<'r> {
    pub key: DigestKey,
    pub now: DateTime<Utc>,
    pub request: &'r ImportRequest,
}

/// The review of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Identity {
    Known(ReviewId),
    /// Under this id, which is the row's own unless a review of another source has that.
    New(ReviewId),
    /// The row is not imported, because it may be several reviews, with the reason.
    Undecided(String),
    /// The row is rejected, with the reason.
    Wrong(String),
    /// Another row with the same id is newer.
    Repeated,
}

/// The rows, and the reviews, of one author on one day.
type Group<'k> = (Vec<usize>, Vec<&'k ReviewId>);

/// Maximum number of rows, and of reviews, of one author on one day that are compared.
const COMPARED_MAX: usize = 16;

/// The reviews of `rows`, in their order.
pub fn identify(rows: &[Row], known: &Known, rules: &Rules<'_>) -> Vec<Identity> {
    let mut search = IdentitySearch {
        rows,
        known,
        rules,
        own_ids: own_ids(known),
        identities: repeated(rows),
        claimed: HashSet::new(),
    };
    let mut open = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        if search.identities[index].is_some() {
            continue;
        }
        let identity = search.by_id(row);
        if let Identity::New(id) = identity {
            open.push((index, id));
        } else {
            search.set(index, identity);
        }
    }
    let open = search.by_content(open);
    let open = search.by_edits(open);
    let open = search.by_deleted(open);
    for (index, id) in open {
        search.set(index, Identity::New(id));
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
        let location = row.incoming.unpublished.location.as_deref();
        let key = (row.incoming.source_name(), location, row.id());
        groups.entry(key).or_default().push(index);
    }
    let mut identities = vec![None; rows.len()];
    for ((_, _, id), indices) in groups {
        let (mut newest, mut is_one) = (indices[0], true);
        for index in &indices[1..] {
            let [row, other] = [*index, newest].map(|index| &rows[index].incoming);
            is_one &= !row.has_own_id || may_be_one(row, other);
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

/// Whether two rows with one id may be the same review: the texts are equal, the author is, or the day is and the texts do not
/// differ wholly.
fn may_be_one(one: &Incoming, other: &Incoming) -> bool {
    let [one, other] = [one, other].map(|incoming| &incoming.statement.review);
    let texts = [&one.text, &other.text];
    let is_one_empty = texts.iter().any(|text| text.is_empty());
    let is_text_same = !is_one_empty && one.text == other.text;
    let is_author_same = one.author == other.author && !is_shared_name(&one.author);
    let is_day_same = one.date == other.date && (is_one_empty || shares_half(texts[0], texts[1]));
    is_text_same || is_author_same || is_day_same
}

/// The reviews whose source gives them another id than they have here: by source and that id.
type OwnIds<'k> = HashMap<(&'k str, &'k str), Vec<&'k ReviewId>>;

fn own_ids(known: &Known) -> OwnIds<'_> {
    let mut ids = OwnIds::new();
    for (id, known) in known {
        if let Some(source) = &known.source
            && let Some(own) = &source.own_id
        {
            let key = (source.source_name.as_str(), own.as_str());
            ids.entry(key).or_default().push(id);
        }
    }
    ids
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

/// Rows that are no known review by their id, each with the id of a new review.
type Open = Vec<(usize, ReviewId)>;

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
        let is_free = match &identity {
            Identity::Known(id) | Identity::New(id) => self.claimed.insert(id.clone()),
            Identity::Undecided(_) | Identity::Wrong(_) | Identity::Repeated => true,
        };
        self.identities[index] = Some(if is_free {
            identity
        } else {
            Identity::Wrong(format!(
                "id: another row is the review with the ID {}; give one of them another ID",
                shown_id(row.id())
            ))
        });
    }

    /// Sets the rows that `find` identifies; returns the others.
    fn settle(
        &mut self,
        open: Open,
        mut find: impl FnMut(&Self, usize) -> Option<Identity>,
    ) -> Open {
        let mut others = Open::new();
        for (index, id) in open {
            match find(self, index) {
                Some(identity) => self.set(index, identity),
                None => others.push((index, id)),
            }
        }
        others
    }

    /// The review with the row's id; [`Identity::New`] if there is none.
    fn by_id(&self, row: &Row) -> Identity {
        let source = row.incoming.source_name();
        let mut own = source
            .and_then(|source| self.own_ids.get(&(source, row.id().as_str())))
            .into_iter()
            .flatten();
        let found = own.find_map(|id| self.at(row, id));
        // A deleted review of an export names no source, so a review with the source in front goes first.
        let known = self.known.get(row.id());
        let is_nameless = known.is_some_and(|it| it.is_deleted() && it.source.is_none());
        let prefixed = source
            .filter(|_| is_nameless)
            .and_then(|source| self.at(row, &prefixed_id(source, row.id())?));
        let found = found.or(prefixed).or_else(|| self.at(row, row.id()));
        found.unwrap_or_else(|| match known {
            Some(_) => self.by_prefixed_id(row),
            None => Identity::New(row.id().clone()),
        })
    }

    /// The review with the row's id and its source in front.
    fn by_prefixed_id(&self, row: &Row) -> Identity {
        let prefixed = prefixed_id(row.source(), row.id());
        let found = prefixed.as_ref().and_then(|id| self.at(row, id));
        let is_free = |id: &ReviewId| !self.known.contains_key(id) && !self.claimed.contains(id);
        let new = prefixed.filter(is_free).map(Identity::New);
        found.or(new).unwrap_or_else(|| {
            Identity::Wrong(format!(
                "id: reviews of too many sources have the ID {}; give it another one",
                shown_id(row.id())
            ))
        })
    }

    /// The review `id`, if it may be the row's: it is of the same source and location.
    fn at(&self, row: &Row, id: &ReviewId) -> Option<Identity> {
        let known = self.known.get(id)?;
        if !is_of_place(known, row) {
            return None;
        }
        let is_one = !row.incoming.has_own_id || self.is_alike(row, known);
        match known.review() {
            // The content decides for a review that no source gave yet, and for one of another source than that of a row that
            // states none.
            Some(review) if !is_one => {
                let source = known.source.as_ref();
                let is_same_source = source.is_some_and(|it| it.source_name == row.source());
                is_same_source.then(|| Identity::Wrong(other_review(review)))
            }
            Some(_) | None => Some(Identity::Known(id.clone())),
        }
    }

    /// Whether author, day or text of the row are those of the review, or those that its source last gave it.
    fn is_alike(&self, row: &Row, known: &KnownReview) -> bool {
        let Some(review) = known.review() else {
            return true;
        };
        let stated = row.review_as(&review.id);
        let is_same = |unit| self.is_same(unit, &stated, known);
        // Ids of hand-made tables are less sure than a name that few share.
        let is_name = row.format.name != TABLE.name || !is_shared_name(&stated.author);
        is_name && is_same(Unit::Author)
            || is_same(Unit::Date)
            || !stated.text.is_empty() && is_same(Unit::Text)
    }

    /// Whether `stated`, which has the review's id, has the value of the review, or the one that its source last gave.
    fn is_same(&self, unit: Unit, stated: &Review, known: &KnownReview) -> bool {
        let (there, source) = (known.review(), known.source.as_ref());
        there.is_some_and(|there| unit.is_same(there, stated))
            || source.is_some_and(|source| {
                source.base.get(unit) == Some(self.rules.key.digest(unit, stated))
            })
    }

    /// The reviews of a source that no row has by its id.
    fn orphans(&self) -> impl Iterator<Item = (&'k ReviewId, &'k KnownReview, &'k SourceVersion)> {
        let known = self.known.iter();
        let orphans = known.filter(|(id, _)| !self.claimed.contains(*id));
        orphans.filter_map(|(id, known)| Some((id, known, known.source.as_ref()?)))
    }

    /// Rows without an id whose author, day, stars and text are those of a review, such as after a change of the source's
    /// name, or of the order in which dates are read. A row with an id is such a review if that one came without.
    fn by_content(&mut self, open: Open) -> Open {
        if open.is_empty() {
            return open;
        }
        // By source too, because many reviews of other sources may be alike; `None` is a row that states no source.
        let mut alike: HashMap<(i64, Option<&str>), Vec<&ReviewId>> = HashMap::new();
        for is_deleted in [false, true] {
            let orphans = self.orphans();
            for (id, _, source) in orphans.filter(|(_, it, _)| it.is_deleted() == is_deleted) {
                for name in [None, Some(source.source_name.as_str())] {
                    let key = (source.fingerprints.content, name);
                    alike.entry(key).or_default().push(id);
                }
            }
        }
        self.settle(open, |search, index| {
            let row = &search.rows[index];
            let text = row.incoming.text()?;
            let has_own_id = row.incoming.has_own_id;
            if has_own_id && text.is_empty() {
                return None;
            }
            let is_review = |id: &&&ReviewId| {
                let known = &search.known[**id];
                (!has_own_id || is_derived(id.as_str()))
                    && is_of_place(known, row)
                    && !search.claimed.contains(**id)
                    && (known.review()).is_none_or(|it| search.has_name(known, it, row))
            };
            let find = |review: &Review| {
                let content = Fingerprints::new(review, row.author()).content;
                let candidates = alike.get(&(content, row.incoming.source_name()))?;
                candidates.iter().find(is_review)
            };
            let in_other_order = || {
                let date = row.review().date.in_other_order()?;
                let is_sure = may_be_edited(row) && !text.is_empty();
                let review = Review {
                    date,
                    ..row.review().clone()
                };
                find(&review).filter(|_| is_sure)
            };
            let id = find(row.review()).or_else(in_other_order)?;
            Some(Identity::Known((*id).clone()))
        })
    }

    /// Whether the review is of the row's author, as the source last gave that or as it stands.
    fn has_name(&self, known: &KnownReview, there: &Review, row: &Row) -> bool {
        let author_day = Fingerprints::author_day(row.author(), row.review().date);
        let source = known.source.as_ref();
        is_one_name(&there.author, row.author())
            || source.is_some_and(|source| source.fingerprints.author_day == author_day)
            || self.is_same(Unit::Author, &row.review_as(&there.id), known)
    }

    /// Rows without an id that fill empty fields of a review, or whose stars or text were edited.
    fn by_edits(&mut self, open: Open) -> Open {
        let mut groups: BTreeMap<i64, Group<'k>> = BTreeMap::new();
        let rows = self.rows;
        for (index, _) in &open {
            let row = &rows[*index];
            if may_be_edited(row) {
                let key = Fingerprints::author_day(row.author(), row.review().date);
                groups.entry(key).or_default().0.push(*index);
            }
        }
        if groups.is_empty() {
            return open;
        }
        for (id, known, source) in self.orphans() {
            let Some(review) = known.review() else {
                continue;
            };
            // The source knows nothing of an author or a day that the owner edited.
            let keys = [
                source.fingerprints.author_day,
                Fingerprints::author_day(&review.author, review.date),
            ];
            let key = keys.into_iter().find(|key| groups.contains_key(key));
            if let Some((group, reviews)) = key.and_then(|key| groups.get_mut(&key))
                && group.iter().any(|index| is_of_place(known, &rows[*index]))
            {
                reviews.push(id);
            }
        }
        groups.retain(|_, (_, reviews)| !reviews.is_empty());
        let compared = groups
            .values()
            .flat_map(|(rows, reviews)| self.compare(rows, reviews));
        let mut found: HashMap<usize, (Identity, bool)> = compared.collect();
        let present: HashSet<ReviewId> = found
            .values()
            .filter_map(|(identity, _)| {
                if let Identity::Known(id) = identity {
                    return Some(id.clone());
                }
                None
            })
            .collect();
        found
            .retain(|index, (_, is_edit)| !*is_edit || self.has_most_rows(&rows[*index], &present));
        self.settle(open, |_, index| Some(found.remove(&index)?.0))
    }

    /// Rows without an id that may be a deleted review whose row was edited: author and day are the same. With `--restore`
    /// they are.
    fn by_deleted(&mut self, open: Open) -> Open {
        let mut deleted: HashMap<i64, Vec<&ReviewId>> = HashMap::new();
        let orphans = self.orphans();
        for (id, _, source) in orphans.filter(|(_, known, _)| known.is_deleted()) {
            let list = deleted.entry(source.fingerprints.author_day).or_default();
            list.push(id);
        }
        self.settle(open, |search, index| {
            let row = &search.rows[index];
            let candidates = deleted.get(&Fingerprints::author_day(row.author(), row.review().date))?;
            let id = candidates.iter().find(|id| {
                may_be_edited(row)
                    && is_of_place(&search.known[**id], row)
                    && !search.claimed.contains(**id)
            })?;
            Some(if search.rules.request.restore {
                Identity::Known((*id).clone())
            } else {
                Identity::Undecided(format!(
                    "may be {id}, which you deleted; --restore brings that back, and a row with an ID of its own is another \
                     review"
                ))
            })
        })
    }

    /// Compares the rows and the reviews of one author and day. Returns the review of each row that may be one, with whether
    /// its stars or text were edited.
    fn compare(&self, rows: &[usize], reviews: &[&'k ReviewId]) -> Vec<(usize, (Identity, bool))> {
        let undecided = |reason| (Identity::Undecided(reason), false);
        if rows.len() > COMPARED_MAX || reviews.len() > COMPARED_MAX {
            let count = reviews.len();
            let reason = format!("may be any of {count} reviews of the same author and day");
            let undecided = rows.iter().map(|index| (*index, undecided(reason.clone())));
            return undecided.collect();
        }
        let mut pairs: Vec<(usize, &ReviewId, Relation)> = rows
            .iter()
            .flat_map(|row| {
                let related = |id: &&'k ReviewId| {
                    let relation = self.relation(&self.rows[*row], &self.known[*id])?;
                    Some((*row, *id, relation))
                };
                reviews.iter().filter_map(related)
            })
            .collect();
        // The rows that fill one review, which no other row fills.
        let fills = pairs.iter().filter(|pair| pair.2 == Relation::Fills);
        let is_alone = |(row, id, _): &&(usize, &ReviewId, Relation)| {
            let rivals = fills.clone();
            rivals
                .filter(|other| other.0 == *row || other.1 == *id)
                .count()
                == 1
        };
        let filled: HashMap<usize, &ReviewId> = fills
            .clone()
            .filter(is_alone)
            .map(|(row, id, _)| (*row, *id))
            .collect();
        // The others are compared without the filled ones, as they are when the file is imported again.
        let is_filled = |id: &&ReviewId| filled.values().any(|other| other == id);
        pairs.retain(|(row, id, relation)| {
            !filled.contains_key(row) && (*relation == Relation::Fills || !is_filled(id))
        });
        let find = |row: usize| {
            if let Some(id) = filled.get(&row) {
                return Some((Identity::Known((*id).clone()), false));
            }
            let own = pairs.iter().filter(|pair| pair.0 == row);
            let nearest = own.clone().map(|pair| pair.2).min()?;
            let ids: Vec<&ReviewId> = own
                .filter(|pair| pair.2 == nearest)
                .map(|pair| pair.1)
                .collect();
            Some(match (nearest, &ids[..]) {
                (Relation::Edits, [only])
                    if pairs.iter().filter(|pair| pair.1 == *only).count() == 1 =>
                {
                    (Identity::Known((*only).clone()), true)
                }
                (Relation::Empties, ids) => undecided(format!(
                    "may be {}, whose text the file does not have",
                    ids[0]
                )),
                (_, ids) => {
                    let ids: Vec<&str> = ids.iter().map(|id| id.as_str()).collect();
                    undecided(format!(
                        "may be {}, and so may another row or review of that day",
                        ids.join(" or ")
                    ))
                }
            })
        };
        let rows = rows.iter();
        rows.filter_map(|row| Some((*row, find(*row)?))).collect()
    }

    fn relation(&self, row: &Row, known: &KnownReview) -> Option<Relation> {
        let source = known.source.as_ref().filter(|_| is_of_place(known, row))?;
        let there = known.review()?;
        let stated = &row.review_as(&there.id);
        let unstated = &row.incoming.statement.unstated;
        let is_same = |unit| self.is_same(unit, stated, known);
        let is_untouched = |unit| {
            let last = source.base.get(unit);
            last.is_none_or(|last| last == self.rules.key.digest(unit, there))
        };
        let fits = |unit: Unit| {
            // An export has the owner's value, and not what the source said before, which may have been nothing.
            let is_kept = source.base.is_decided(unit) && unit.is_unset(stated);
            unstated.contains(&unit)
                || is_same(unit)
                || is_kept
                || is_untouched(unit) && adds(unit, there, stated)
        };
        let is_compared = |unit: &Unit| !matches!(unit, Unit::Status | Unit::Verification);
        if Unit::ALL.into_iter().filter(is_compared).all(fits) {
            return Some(Relation::Fills);
        }
        let (is_text_same, is_rating_same) = (is_same(Unit::Text), is_same(Unit::Rating));
        if unstated.contains(&Unit::Text) {
            None
        } else if stated.text.is_empty() && !is_text_same {
            is_rating_same.then_some(Relation::Empties)
        } else {
            // The text that the source gave before the owner edited it is not stored.
            let is_edit = is_text_same
                || is_rating_same
                    && (!is_untouched(Unit::Text) || shares_half(&stated.text, &there.text));
            is_edit.then_some(Relation::Edits)
        }
    }

    /// Whether the files still have nine tenths of the reviews of the row's source and location between their first and
    /// last day; `present` are reviews that rows are by an edit.
    fn has_most_rows(&self, row: &Row, present: &HashSet<ReviewId>) -> bool {
        let source = row.incoming.source_name();
        let rows = self
            .rows
            .iter()
            .filter(|other| other.incoming.source_name() == source);
        let days: Vec<Day> = rows.map(|other| other.review().date).collect();
        let (Some(first), Some(last)) = (days.iter().min(), days.iter().max()) else {
            return false;
        };
        let is_counted = |known: &KnownReview| {
            known.source.is_some()
                && is_of_place(known, row)
                && known.review().is_some_and(|review| {
                    (*first..=*last).contains(&review.date)
                        && review.status != Status::withheld(GONE)
                })
        };
        let (mut all, mut there) = (0_u64, 0_u64);
        for (id, _) in self.known.iter().filter(|(_, known)| is_counted(known)) {
            all += 1;
            there += u64::from(self.claimed.contains(id) || present.contains(id));
        }
        there * 10 >= all * 9
    }
}

/// How a row may be a review of its author and day, the nearest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Relation {
    /// The row differs only in fields that are empty in the review and that the owner did not edit.
    Fills,
    /// Stars or text differ, and so may fields beside them.
    Edits,
    /// The review has a text, and the row has none.
    Empties,
}

/// The id of a row of `source`, if a review of another source has its own.
fn prefixed_id(source: &str, id: &ReviewId) -> Option<ReviewId> {
    let name = words(source).replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    let prefix = match name.trim_matches('-') {
        "" => "source",
        name => name,
    };
    values::of_platform(prefix, id.as_str()).ok()
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
    if is_derived(id.as_str()) {
        "of this row"
    } else {
        id.as_str()
    }
}

/// Whether an id was derived from a row without one; see `map::values::digest`.
pub fn is_derived(id: &str) -> bool {
    let digest = id
        .rsplit('-')
        .next()
        .unwrap_or_default()
        .split('.')
        .next()
        .unwrap_or_default();
    digest.len() == 32 && digest.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether a row is found by author and day if its stars or text were edited.
fn may_be_edited(row: &Row) -> bool {
    !row.incoming.has_own_id && !row.format.excerpts && !is_shared_name(row.author())
}

/// Whether many people may have the name, so that it identifies nobody.
pub fn is_shared_name(name: &str) -> bool {
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
    let [text, former] = [text, former].map(str::to_lowercase);
    let former: HashSet<&str> = former.split_whitespace().collect();
    let words: Vec<&str> = text.split_whitespace().collect();
    let shared = words.iter().filter(|word| former.contains(*word));
    shared.count() * 2 >= words.len()
}

/// Whether the unit is empty in `there`, or `stated` only adds to it.
fn adds(unit: Unit, there: &Review, stated: &Review) -> bool {
    let is_named = there.source.name == stated.source.name && there.source.url.is_none();
    unit.is_unset(there) || unit == Unit::Source && is_named
}
