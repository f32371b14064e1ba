//! Dates changes of writers that do not set `updated_at`, with the instant at which the publisher first sees them.
//! Decides which changes are visible; it contains no SQL.

use bytes::Bytes;
use chrono::{DateTime, SubsecRound, Utc};

use super::index::ReviewIndex;
use crate::model::ReviewId;
use crate::storage::reviews::{Binding, Numbered, Observation};

/// The default observer has the epoch as its time, so it dates nothing; use it for read-only surveys.
#[derive(Debug, Default)]
pub struct Observer {
    now: DateTime<Utc>,
    out: Option<ReviewIndex>,
    observed: Vec<Observation>,
    undated: Vec<ReviewId>,
}

impl Observer {
    /// Dates with `now` every review that differs from its version in `out`.
    #[must_use]
    pub fn new(now: DateTime<Utc>, out: Option<ReviewIndex>) -> Self {
        Self {
            // The stored precision.
            now: now.trunc_subsecs(3),
            out,
            observed: Vec::new(),
            undated: Vec::new(),
        }
    }

    /// The review, dated if another writer changed it; it keeps its instant if it renders as before.
    #[must_use]
    pub fn date(
        &mut self,
        mut numbered: Numbered,
        render: impl FnOnce(&Numbered) -> Vec<u8>,
    ) -> Numbered {
        let Some(review_no) = numbered.review_no else {
            return numbered;
        };
        let given = numbered.review.updated_at;
        let observed_at = match numbered.binding {
            Binding::Bound => return numbered,
            // The writer has set the date.
            Binding::New if given.is_some() => None,
            Binding::New | Binding::Foreign => {
                let out = self.out(&numbered.review.id);
                let floor = out.as_ref().map(|(_, at)| *at).max(given);
                let is_as_before = out.is_some_and(|(json, at)| {
                    numbered.review.updated_at = Some(at);
                    render(&numbered) == json
                });
                if is_as_before {
                    // Nothing visible changed except, possibly, a later instant that the writer set.
                    floor
                } else {
                    Some(self.now.max(floor.unwrap_or_default()))
                }
            }
        };
        numbered.review.updated_at = observed_at.or(given);
        self.observed.push(Observation {
            review_no,
            observed_at,
        });
        self.undated.push(numbered.review.id.clone());
        numbered
    }

    /// The observations in order, and their reviews.
    #[must_use]
    pub fn into_observed(self) -> (Vec<Observation>, Vec<ReviewId>) {
        (self.observed, self.undated)
    }

    /// The published review, and when it changed.
    fn out(&self, id: &ReviewId) -> Option<(Bytes, DateTime<Utc>)> {
        let out = self.out.as_ref()?;
        let place = out.find(id)?;
        Some((out.json_of(place), out.review(place)?.updated_at))
    }
}
