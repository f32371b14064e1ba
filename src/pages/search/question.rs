//! What a search page is asked: the parameters of `/api/reviews/search`, taken by the same code, all
//! faults at once.

use poem::Request;

use crate::insights::Trade;
use crate::pages::query::PageQuery;
use crate::search::SearchRequest;

/// A question as it was sent, and what it means.
#[derive(Debug)]
pub struct Question {
    /// Its parts, and what is wrong with them.
    pub query: PageQuery,
    /// What they mean; to be answered only where `query.issues` is empty.
    pub search: SearchRequest,
}

impl Question {
    /// Parses the question of `request` about reviews that are read by `trade`.
    #[must_use]
    pub fn of(request: &Request, trade: &Trade) -> Self {
        let mut query = PageQuery::of(request);
        let search = SearchRequest::take_from(&mut query.source(request), trade);
        Self { query, search }
    }
}
