//! A search as REST, MCP and pages ask it: the parameters, and the filter made from them.

use super::cursor::{Cursor, CursorParameter};
use super::names::aspect_of;
use crate::links::with_query;
use crate::model::{PluralEndings, Sort, TextMatch, TextQuery, fold};
use crate::snapshot::input::SnapshotInput;
use crate::wire::parameters::{self, Arguments, LIMIT_DEFAULT, Limit, Parameter, arguments};
use crate::wire::{Issue, IssueCode};

#[derive(Debug)]
pub struct SearchRequest {
    /// With its order.
    pub filter: ReviewFilter,
    pub limit: u8,
    /// `None` for the first page.
    pub cursor: Option<Cursor>,
}

arguments! {
    pub struct SearchParameters {
        /// Exact number of stars.
        rating: parameters::Rating,
        /// Minimum rating (inclusive, decimals allowed).
        min_rating: parameters::MinRating,
        /// Maximum rating (inclusive, decimals allowed).
        max_rating: parameters::MaxRating,
        /// On or after this day, `YYYY-MM-DD`.
        since: parameters::Since,
        /// On or before this day, `YYYY-MM-DD`.
        until: parameters::Until,
        /// Text to find, ignoring case, 1 to 1,000 characters.
        query: parameters::Query,
        /// `words` in any order, or `substring` (default).
        text_match: parameters::MatchRule,
        /// Name of a technician mentioned, as listed, ignoring case.
        mentions_technician: parameters::MentionsTechnician,
        /// Id of a service mentioned.
        mentions_service: parameters::MentionsService,
        /// Language tag, for example `en`.
        language: parameters::Language,
        /// Name of the source.
        source: parameters::Source,
        /// Only with a text, or only without.
        has_text: parameters::HasText,
        /// Only with an owner's answer, or only without.
        has_response: parameters::HasResponse,
        /// Id of an aspect, for example `punctuality`.
        aspect: parameters::Aspect,
        /// Sentiment on the aspect; only with `aspect`.
        polarity: parameters::Polarity,
        /// Order (default `newest`). Equal stars: newest first.
        sort: parameters::SortOrder,
        /// Maximum number of reviews to return.
        limit: Limit,
        /// `next_cursor` of an answer to the same filters.
        cursor: CursorParameter,
    }
}

impl SearchRequest {
    /// A search of the reviews of `input`; `issues` are those of the parameters, to which others are added. `text_match` is
    /// the default mode; plurals are those of the business's language. An aspect must belong to the trade.
    pub fn new(
        mut parameters: SearchParameters,
        issues: &mut Vec<Issue>,
        input: &SnapshotInput,
        text_match: TextMatch,
    ) -> Self {
        parameters.text_match.get_or_insert(text_match);
        if let Some(vote) = parameters.polarity.filter(|_| parameters.aspect.is_none()) {
            let message = format!("must be given together with {}", parameters::Aspect::NAME);
            let (name, code) = (parameters::Polarity::NAME, IssueCode::InvalidString);
            issues.push(Issue::new(name, code, message, vote.name()));
        }
        if let Some(id) = parameters.aspect.as_deref() {
            aspect_of(issues, input.analyzer.trade(), id);
        }
        let plural_endings = PluralEndings::of(input.business.language.as_deref());
        let filter = ReviewFilter::new(&parameters, plural_endings);
        // With an invalid filter, the cursor cannot be checked.
        if let Some(cursor) = &parameters.cursor
            && issues.is_empty()
            && !cursor.belongs_to(&filter.canonical())
        {
            issues.push(cursor.invalid());
        }
        Self {
            filter,
            limit: parameters.limit.unwrap_or(LIMIT_DEFAULT),
            cursor: parameters.cursor,
        }
    }
}

/// All conditions must hold; an absent one always does.
#[derive(Debug, Clone, Default)]
pub struct ReviewFilter {
    /// With the default of each absent choice; without page size and cursor.
    pub parameters: SearchParameters,
    pub text: Option<TextQuery>,
}

impl ReviewFilter {
    /// An empty text counts as absent. The words of a query are searched without these endings.
    pub fn new(parameters: &SearchParameters, plural_endings: PluralEndings) -> Self {
        let text_match = parameters.text_match.unwrap_or_default();
        let query = (parameters.query.as_deref()).filter(|query| !query.is_empty());
        Self {
            text: query.map(|query| TextQuery::new(query, text_match, plural_endings)),
            parameters: SearchParameters {
                text_match: Some(text_match),
                sort: Some(parameters.sort.unwrap_or_default()),
                limit: None,
                cursor: None,
                ..parameters.clone()
            },
        }
    }

    pub fn sort(&self) -> Sort {
        self.parameters.sort.unwrap_or_default()
    }

    /// The conditions and the order as a query string, which is the same for texts and names that differ only in case.
    pub fn canonical(&self) -> String {
        let pairs = self.parameters.pairs().into_iter();
        with_query("", pairs.map(|(name, value)| (name, fold(&value))))
    }
}
