//! What is made of a snapshot once and then given to everybody who asks: answers that take reading
//! all segments or a whole document. Each is made when it is first asked for, and goes with its
//! snapshot.

use std::sync::{Arc, OnceLock};

use serde_json::Value;

use super::insights::Insights;
use super::size_budget::{self, RESULT_BYTES_MAX};
use super::{shape, text};
use crate::search::PerSnapshot;
use crate::search::facets::{Counts, LazyCounts, VALUES_MAX, facets};
use crate::snapshot::Snapshot;
use crate::snapshot::render::head;
use crate::web::context::Ctx;
use crate::wire;

/// What of the business may be left out, the least needed first; `list_facets` has most of it.
pub const BUSINESS_PARTS: [&str; 6] = [
    "synonyms",
    "aliases",
    "service_areas",
    "technicians",
    "services",
    "address",
];

/// A snapshot with what was made of it.
#[derive(Debug)]
pub struct View {
    /// The snapshot that was out when the view was taken.
    pub snapshot: Arc<Snapshot>,
    made: Arc<Made>,
    counts: Arc<LazyCounts>,
}

#[derive(Debug, Default)]
struct Made {
    business: OnceLock<Value>,
    facets: OnceLock<Value>,
    insights: OnceLock<Insights>,
}

/// What was made of the snapshot that was asked for last.
#[derive(Debug)]
pub struct Views {
    ctx: Arc<Ctx>,
    made: PerSnapshot<Made>,
}

impl Views {
    /// Nothing is made yet.
    #[must_use]
    pub fn new(ctx: Arc<Ctx>) -> Self {
        Self {
            ctx,
            made: PerSnapshot::default(),
        }
    }

    /// The snapshot that is out.
    #[must_use]
    pub fn current(&self) -> View {
        let snapshot = self.ctx.current.load();
        View {
            made: self.made.of(&snapshot),
            counts: self.ctx.counts(&snapshot),
            snapshot,
        }
    }
}

impl View {
    /// The answer of `get_business`.
    #[must_use]
    pub fn business(&self) -> &Value {
        self.made.business.get_or_init(|| {
            let head = head(&self.snapshot.input, Some(self.snapshot.changed_at()));
            size_budget::fit(shape(&head), &BUSINESS_PARTS)
        })
    }

    /// Everybody and everything that reviews mention or the firm lists, counted.
    #[must_use]
    pub fn counts(&self) -> &Counts {
        self.counts.of(&self.snapshot)
    }

    /// The insights, read back.
    #[must_use]
    pub fn rendered_insights(&self) -> Option<&wire::Insights> {
        self.counts.insights(&self.snapshot)
    }

    /// The answer of `list_facets`.
    #[must_use]
    pub fn facets(&self) -> &Value {
        self.made.facets.get_or_init(|| self.fitting_facets())
    }

    /// The facets that REST gives, or of each list fewer, as many as fit.
    fn fitting_facets(&self) -> Value {
        let mut most = VALUES_MAX;
        loop {
            let answer = shape(&facets(self.counts(), &self.snapshot, most));
            if most == 1 || text(&answer).len() <= RESULT_BYTES_MAX {
                return answer;
            }
            most /= 2;
        }
    }

    /// The insights, as they are rendered and as they are given.
    #[must_use]
    pub fn insights(&self) -> &Insights {
        self.made
            .insights
            .get_or_init(|| Insights::of(&self.snapshot))
    }
}
