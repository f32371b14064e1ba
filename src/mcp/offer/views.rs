//! What is made of an edition once and then given to everybody who asks: answers that take reading all blocks or a whole
//! document. Each is made when it is first asked for, and goes with its edition.

use std::sync::{Arc, OnceLock};

use serde_json::Value;

use super::excerpt::{self, RESULT_BYTES_MAX};
use super::insights::Insights;
use super::{shape, text};
use crate::ctx::Ctx;
use crate::edition::Edition;
use crate::edition::print::head;
use crate::search::PerEdition;
use crate::search::facets::{Counts, VALUES_MAX, facets};

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
    made: PerEdition<Made>,
}

impl Views {
    /// Nothing is made yet.
    #[must_use]
    pub fn new(ctx: Arc<Ctx>) -> Self {
        Self { ctx, made: PerEdition::default() }
    }

    /// The edition that is out.
    #[must_use]
    pub fn current(&self) -> View {
        let edition = self.ctx.current.load();
        View { made: self.made.of(&edition), edition }
    }
}

impl View {
    /// The answer of `get_business`.
    #[must_use]
    pub fn business(&self) -> &Value {
        self.made.business.get_or_init(|| excerpt::fit(shape(&head(&self.edition.copy)), &BUSINESS_PARTS))
    }

    /// Everybody and everything that reviews mention or the firm lists, counted.
    #[must_use]
    pub fn counts(&self) -> &Counts {
        self.made.counts.get_or_init(|| Counts::of(&self.edition.copy))
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
            let answer = shape(&facets(self.counts(), &self.edition.copy.shelf, most));
            if most == 1 || text(&answer).len() <= RESULT_BYTES_MAX {
                return answer;
            }
            most /= 2;
        }
    }

    /// The insights, as they are printed and as they are given.
    #[must_use]
    pub fn insights(&self) -> &Insights {
        self.made.insights.get_or_init(|| Insights::of(&self.edition))
    }
}
