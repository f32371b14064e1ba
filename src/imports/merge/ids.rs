//! Rows with an ID of their own, and the IDs of new reviews.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::LazyLock;

use serde::Deserialize;

use crate::imports::incoming::ReviewRow;
use crate::imports::value::names::of_platform;
use crate::model::text::words;
use crate::model::{Digests, ReviewId, parse_toml};
use crate::storage::reviews::{Known, KnownReview};

/// The review of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowMatch {
    Known(ReviewId),
    /// Under this id, which is the row's own unless another review has that.
    New(ReviewId),
    /// The row may be one of these reviews, the first of several, and is not imported.
    Doubtful(Vec<ReviewId>),
    /// With the reason.
    Rejected(String),
    /// Another row of the same review is used.
    Repeated,
}

/// The reviews of rows with IDs that are known, or why a row is none, and the IDs of these reviews. Of several rows of one ID the last
/// counts; if one differs from it in author, day and text, all are rejected.
pub fn match_ids<'k>(
    rows: &[ReviewRow],
    known: &'k Known,
) -> (Vec<Option<RowMatch>>, HashSet<&'k ReviewId>) {
    let mut by_id: HashMap<(&str, &str), &ReviewId> = HashMap::new();
    for (id, known) in known {
        if let Some(id_at_source) = known.id_at_source() {
            by_id.insert((known.source_name(), id_at_source), id);
        }
        // A native row that names no source may be of any.
        for source in [known.source_name(), ""] {
            by_id.entry((source, id.as_str())).or_insert(id);
        }
    }
    let mut rows_of: BTreeMap<(&str, &ReviewId), Vec<usize>> = BTreeMap::new();
    for (index, row) in rows
        .iter()
        .enumerate()
        .filter(|(_, row)| row.incoming.has_own_id)
    {
        let source = row.incoming.source_name().unwrap_or_default();
        rows_of.entry((source, row.id())).or_default().push(index);
    }
    let mut matches = vec![None; rows.len()];
    let mut found = HashSet::new();
    for ((source, own_id), of_id) in rows_of {
        let last = of_id[of_id.len() - 1];
        let is_one = |other: &Digests| may_be_one(&rows[last], other);
        let id = by_id.get(&(source, own_id.as_str())).copied();
        let is_other = |known: &&KnownReview| {
            let digests = known.digests();
            !digests.is_empty() && !digests.iter().any(is_one)
        };
        let other = id.map(|id| &known[id]).filter(is_other);
        // One that does not fit into ours is not shown.
        let shown = if is_derived(own_id.as_str()) {
            "of these rows"
        } else {
            own_id.as_str()
        };
        let reason = if !of_id.iter().all(|row| is_one(&rows[*row].digests)) {
            let count = of_id.len();
            format!("{count} rows that differ in author, date and text have the ID {shown}")
        } else if let Some(known) = other.filter(|it| it.source_name() == rows[last].source()) {
            let of = known.review().map_or_else(
                || ", which you deleted".to_owned(),
                |review| format!(", by {} of {}", review.author, review.date),
            );
            format!("{shown} is the ID of another review{of}: author, date and text all differ")
        } else {
            for row in &of_id {
                matches[*row] = (*row != last).then_some(RowMatch::Repeated);
            }
            let id = id.filter(|_| other.is_none());
            if let Some(id) = id.filter(|id| found.insert(*id)) {
                matches[last] = Some(RowMatch::Known(id.clone()));
            }
            continue;
        };
        for row in of_id {
            matches[row] = Some(RowMatch::Rejected(format!(
                "id: {reason}; a column that counts the rows has no IDs: name the one with the IDs in the source's format"
            )));
        }
    }
    (matches, found)
}

/// Whether two statements of one ID may be of one review: author, day or text are the same. Of a table, whose IDs are less sure, a name
/// that many share says nothing.
fn may_be_one(row: &ReviewRow, other: &Digests) -> bool {
    let one = &row.digests;
    let is_name = !row.format.is_table() || !is_shared_name(row.author());
    is_name && one.has_author_of(other)
        || one.has_day_of(other)
        || one.text == other.text && !row.review().text.is_empty()
}

/// Gives new reviews their IDs: the row's own; if another review has it, that after its source's name; then these with numbers.
pub struct NewIds<'k> {
    known: &'k Known,
    others: &'k HashSet<ReviewId>,
    taken: HashSet<ReviewId>,
    /// The last number of an ID.
    numbers: HashMap<ReviewId, u64>,
}

impl<'k> NewIds<'k> {
    pub fn new(known: &'k Known, others: &'k HashSet<ReviewId>) -> Self {
        Self {
            known,
            others,
            taken: HashSet::new(),
            numbers: HashMap::new(),
        }
    }

    pub fn next(&mut self, row: &ReviewRow) -> ReviewId {
        let is_free = |id: &ReviewId| {
            !(self.known.contains_key(id) || self.others.contains(id) || self.taken.contains(id))
        };
        let mut id = row.id().clone();
        if !is_free(&id) && row.incoming.has_own_id {
            id = of_platform(&prefix(row.source()), id.as_str()).unwrap_or(id);
        }
        let number = self.numbers.entry(id.clone()).or_insert(1);
        let base = id.to_string();
        while !is_free(&id) {
            *number += 1;
            id = of_platform(&base, &number.to_string()).unwrap_or(id);
        }
        self.taken.insert(id.clone());
        id
    }
}

/// The name of a source as the beginning of an ID.
fn prefix(source: &str) -> String {
    let name = words(source).replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    match name.trim_matches('-') {
        "" => "source".to_owned(),
        name => name.to_owned(),
    }
}

/// Whether an id was derived from a row without one; see `value::names::digest`.
pub fn is_derived(id: &str) -> bool {
    let numbered = id.rsplit_once('-');
    let numbered =
        numbered.filter(|(_, number)| number.len() < 16 && number.parse::<u64>().is_ok());
    let digest = numbered.map_or(id, |(id, _)| id).rsplit('-').next();
    digest.is_some_and(|it| it.len() == 32 && it.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Whether many people may have the name, so that it does not identify one.
pub fn is_shared_name(name: &str) -> bool {
    #[derive(Deserialize)]
    struct Names {
        shared: Vec<String>,
    }
    static NAMES: LazyLock<Names> = LazyLock::new(|| parse_toml(include_str!("names.toml")));
    let name = name.trim().to_lowercase();
    name.is_empty() || NAMES.shared.contains(&name)
}
