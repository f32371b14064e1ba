//! Dates the changes of others, who bind no `updated_at`: with the instant at which the publisher first sees them.
//! Apart from loading, because it decides alone what counts as a visible change. Knows no SQL.

use bytes::Bytes;
use chrono::{DateTime, SubsecRound, Utc};

use super::index::ReviewIndex;
use crate::model::ReviewId;
use crate::storage::reviews::{Binding, Numbered, Observation};

/// See the head of this file. The default observes at the epoch, so that it dates nothing; it is for whoever only looks.
#[derive(Debug, Default)]
pub struct Observer {
    now: DateTime<Utc>,
    out: Option<ReviewIndex>,
    observed: Vec<Observation>,
    undated: Vec<ReviewId>,
}

impl Observer {
    /// Dates with `now` what differs from the reviews that are `out`.
    #[must_use]
    pub fn new(now: DateTime<Utc>, out: Option<ReviewIndex>) -> Self {
        Self {
            // As it is stored and shown.
            now: now.trunc_subsecs(3),
            out,
            observed: Vec::new(),
            undated: Vec::new(),
        }
    }

    /// The review, dated where somebody else changed it, given what it is rendered as: it keeps its instant while it looks
    /// as it did.
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
            // Its writer says when it is from.
            Binding::New if given.is_some() => None,
            Binding::New | Binding::Foreign => {
                let out = self.out(&numbered.review.id);
                let floor = out.as_ref().map(|(_, at)| *at).max(given);
                let is_as_before = out.is_some_and(|(json, at)| {
                    numbered.review.updated_at = Some(at);
                    render(&numbered) == json
                });
                if is_as_before {
                    // Nothing is to be seen of it but, maybe, a later instant, which its writer bound.
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

    /// The observations, in the order in which they were made, and of which reviews they are.
    #[must_use]
    pub fn into_observed(self) -> (Vec<Observation>, Vec<ReviewId>) {
        (self.observed, self.undated)
    }

    /// The review as it is out, and when it changed.
    fn out(&self, id: &ReviewId) -> Option<(Bytes, DateTime<Utc>)> {
        let out = self.out.as_ref()?;
        let place = out.find(id)?;
        Some((out.json_of(place), out.review(place)?.updated_at))
    }
}
