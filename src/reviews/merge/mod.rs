//! The merge of an import (CONTRACT §2.1): what the source says, what it said last time, and what
//! is there now. A pure function of a review; which rows it is asked for, and what becomes of the
//! answer, is the importer's affair.

use chrono::{DateTime, Utc};

use super::digest::{Base, DigestKey};
use super::review::{Review, Status};
use super::unit::{Unit, Units};

/// Why a review does not appear that says it is not verified, and nothing else.
pub const NOT_VERIFIED: &str = "not verified";
/// Why a review does not appear that its source no longer gives.
pub const GONE: &str = "gone at the source";
/// Why a review does not appear that another source gave already.
pub const DUPLICATE: &str = "duplicate";

/// A review as an import states it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// What it says, and defaults for what it leaves unsaid.
    pub review: Review,
    /// What it does not state: that overwrites nothing.
    pub unsaid: Units,
    /// What is no word of the source's, but a decision of the owner's that comes with our own
    /// export.
    pub decided: Units,
}

/// What a merge came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    /// The review as it shall be.
    pub review: Review,
    /// The base of the next merge.
    pub base: Base,
    /// What was taken from the source.
    pub taken: Units,
    /// What the source has otherwise, and the owner's stays.
    pub kept: Units,
}

/// A review that was not there: all is the source's, but for what its owner had decided.
#[must_use]
pub fn adopt(key: &DigestKey, said: &Statement) -> Merged {
    let review = appearing(said.review.clone());
    let mut base = Base::of(key, &review, said.decided);
    said.decided.iter().for_each(|unit| base.set_decided(unit));
    Merged {
        review,
        base,
        taken: Unit::ALL.into_iter().collect(),
        kept: Units::NONE,
    }
}

/// Merges what an import says into what is there.
#[must_use]
pub fn merge(
    key: &DigestKey,
    row: &Review,
    base: &Base,
    said: &Statement,
    now: DateTime<Utc>,
) -> Merged {
    let said = &with_status(key, base, said);
    let mut merged = Merged {
        review: row.clone(),
        base: base.clone(),
        taken: Units::NONE,
        kept: Units::NONE,
    };
    for unit in Unit::ALL {
        merge_unit(key, unit, row, said, &mut merged);
    }
    merged.review = appearing(merged.review);
    if merged.review.status != row.status && !merged.taken.has(Unit::Status) {
        merged.taken.insert(Unit::Status);
    }
    let newer = said
        .review
        .updated_at
        .filter(|its| row.updated_at.is_none_or(|at| at < *its));
    merged.review.updated_at = match newer {
        Some(newer) => Some(newer),
        None if merged.taken.is_empty() => row.updated_at,
        // It moves with every visible change, and never goes back.
        None => Some(row.updated_at.map_or(now, |at| at.max(now))),
    };
    merged
}

fn merge_unit(key: &DigestKey, unit: Unit, row: &Review, said: &Statement, merged: &mut Merged) {
    let is_decision = said.decided.has(unit);
    if said.unsaid.has(unit) && !is_decision {
        return;
    }
    let (its, ours, last) = (
        key.digest(unit, &said.review),
        key.digest(unit, row),
        merged.base.get(unit),
    );
    // What a source hides is never published because nobody knows what it said before.
    let hides = unit == Unit::Status
        && row.status == Status::Published
        && said.review.status != Status::Published;
    let is_untouched = last.map_or_else(|| unit.is_unset(row) || hides, |last| last == ours);
    if its == ours {
        // Equal again: no longer a decision, unless it comes as one.
    } else if last == Some(its) && !is_decision {
        merged.kept.insert(unit);
    } else if is_untouched {
        unit.copy(&said.review, &mut merged.review);
        merged.taken.insert(unit);
    } else {
        merged.kept.insert(unit);
    }
    if !is_decision {
        merged.base.set(unit, its);
    } else if last.is_none() {
        merged.base.set_decided(unit);
    }
}

/// What the statement says of the status, given why the review does not appear.
fn with_status(key: &DigestKey, base: &Base, said: &Statement) -> Statement {
    let mut said = said.clone();
    let was = |reason: &str| {
        let withheld = Review {
            status: Status::Withheld {
                reason: Some(reason.to_owned()),
            },
            ..said.review.clone()
        };
        base.get(Unit::Status) == Some(key.digest(Unit::Status, &withheld))
    };
    if said.unsaid.has(Unit::Status) && was(GONE) {
        // It is back, and nothing else was said against it.
        said.review.status = Status::Published;
        said.unsaid.remove(Unit::Status);
    } else if !said.unsaid.has(Unit::Status)
        && said.review.status == Status::Published
        && was(DUPLICATE)
    {
        // Its source shows it as before; that it is there twice has not changed.
        said.unsaid.insert(Unit::Status);
    }
    said
}

/// A review that is not verified never appears (CONTRACT §2).
fn appearing(mut review: Review) -> Review {
    if !review.verification.verified && review.status == Status::Published {
        review.status = Status::Withheld {
            reason: Some(NOT_VERIFIED.to_owned()),
        };
    }
    review
}

#[cfg(test)]
mod laws;
#[cfg(test)]
mod tests;
