//! A search as it is asked for, from whatever source its parameters come: filters, page and cursor.
//! The same for REST, for agents and for pages.

use super::cursor::{Cursor, CursorParameter};
use crate::insights::Trade;
use crate::reviews::parameters::{Aspect, Fault, InvalidParameter, Limit, ParameterSource};
use crate::reviews::{LIMIT_DEFAULT, ReviewFilter, SearchArguments};

/// A search, ready to be answered.
#[derive(Debug)]
pub struct SearchRequest {
    /// What was asked for, in its words.
    pub arguments: SearchArguments,
    /// The same as a filter with its order.
    pub filter: ReviewFilter,
    /// How many reviews a page has.
    pub limit: u8,
    /// Where the page begins, if not with the first review.
    pub cursor: Option<Cursor>,
}

impl SearchRequest {
    /// The search that `source` asks for; what is wrong with it is kept there. An aspect must be one
    /// of `trade`: a search for another one would answer 0, as if no review were about it.
    pub fn take_from(source: &mut impl ParameterSource, trade: &Trade) -> Self {
        let arguments = SearchArguments::take_from(source);
        if let Some(asked) = arguments.aspect.as_deref()
            && trade.aspect(asked).is_none()
        {
            let message = format!("must be one of: {}", trade.aspect_ids().join(", "));
            source.refuse(InvalidParameter::new::<Aspect>(Fault::Text, message, asked));
        }
        let limit = source.take::<Limit>().unwrap_or(LIMIT_DEFAULT);
        let cursor = source.take::<CursorParameter>();
        let filter = ReviewFilter::new(&arguments);
        // Of filters that are wrong nobody knows what they are.
        if let Some(cursor) = cursor.as_ref().filter(|cursor| !cursor.fits(&filter))
            && !source.is_wrong()
        {
            source.refuse(cursor.invalid());
        }
        Self {
            arguments,
            filter,
            limit,
            cursor,
        }
    }
}
