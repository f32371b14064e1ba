//! What is made of an edition once and then given to everybody who asks: answers that take reading all blocks or a whole
//! document. Each is made when it is first asked for, and goes with its edition.

use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use serde_json::{Value, json};

use super::excerpt;
use super::facets::{Counts, facets};
use super::insights::Insights;
use super::shape;
use crate::ctx::Ctx;
use crate::edition::Edition;
use crate::wire;

/// What of the business may be left out, the least needed first; `list_facets` has most of it.
pub const BUSINESS_PARTS: [&str; 6] = ["synonyms", "aliases", "service_areas", "technicians", "services", "address"];

/// An edition with what was made of it.
#[derive(Debug)]
pub struct View {
    /// The edition itself.
    pub edition: Arc<Edition>,
    made: Arc<Made>,
}

#[derive(Debug, Default)]
struct Made {
    business: OnceLock<Value>,
    counts: OnceLock<Counts>,
    facets: OnceLock<Value>,
    insights: OnceLock<Insights>,
}

/// What was made of the edition that was asked for last.
#[derive(Debug)]
pub struct Views {
    ctx: Arc<Ctx>,
    last: Mutex<(Weak<Edition>, Arc<Made>)>,
}

impl Views {
    /// Nothing is made yet.
    #[must_use]
    pub fn new(ctx: Arc<Ctx>) -> Self {
        Self { ctx, last: Mutex::default() }
    }

    /// The edition that is out.
    #[must_use]
    pub fn current(&self) -> View {
        let edition = self.ctx.current.load();
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        // While we hold it weakly, its address is not given to another.
        if !std::ptr::eq(last.0.as_ptr(), Arc::as_ptr(&edition)) {
            *last = (Arc::downgrade(&edition), Arc::default());
        }
        View { made: Arc::clone(&last.1), edition }
    }
}

impl View {
    /// The answer of `get_business`.
    #[must_use]
    pub fn business(&self) -> &Value {
        self.made.business.get_or_init(|| {
            let copy = &self.edition.copy;
            let mut answer = json!({
                "business": shape(&wire::Business::from(&copy.business)),
                "aggregate_rating": shape(&wire::AggregateRating::from(&copy.shelf.tally())),
            });
            if let Some(updated_at) = copy.shelf.blocks().iter().filter_map(|block| block.updated_at()).max() {
                answer["updated_at"] = shape(&updated_at);
            }
            excerpt::fit(answer, &BUSINESS_PARTS)
        })
    }

    /// Everybody and everything that reviews mention or the firm lists, counted.
    #[must_use]
    pub fn counts(&self) -> &Counts {
        self.made.counts.get_or_init(|| Counts::of(&self.edition.copy))
    }

    /// The answer of `list_facets`.
    #[must_use]
    pub fn facets(&self) -> &Value {
        self.made.facets.get_or_init(|| facets(self.counts(), &self.edition.copy.shelf))
    }

    /// The insights, as they are printed and as they are given.
    #[must_use]
    pub fn insights(&self) -> &Insights {
        self.made.insights.get_or_init(|| Insights::of(&self.edition))
    }
}
