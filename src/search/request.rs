//! A search as REST, MCP and pages ask it: the parameters, the filter made from them, and the cursor of a page.

use std::borrow::Cow;
use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::NaiveDate;

use crate::insights::Trade;
use crate::links::with_query;
use crate::model::{
    Day, FNV_OFFSET, PluralEndings, Review, ReviewId, Sort, TextMatch, TextQuery, fnv1a, fold,
};
use crate::snapshot::input::SnapshotInput;
use crate::wire::parameters::{
    self, Arguments, LIMIT_DEFAULT, Limit, Parameter, TextOf, arguments, parameters,
};
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

/// The index in `trade` of the aspect with that ID. An unknown one is an error, because a result of 0 would look like
/// no reviews on it.
pub fn aspect_of(issues: &mut Vec<Issue>, trade: &Trade, id: &str) -> Option<usize> {
    let found = trade.aspect(id);
    if found.is_none() {
        let message = format!("must be one of: {}", trade.aspect_ids().join(", "));
        let issue = Issue::new(
            parameters::Aspect::NAME,
            IssueCode::InvalidString,
            message,
            id,
        );
        issues.push(issue);
    }
    found
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

/// The format's version, so that another release's cursor is refused instead of misread.
const VERSION: u8 = 6;

/// Where the next page begins or the previous one ends. It is a position in the order, not a count, so that reviews added
/// between two pages are neither repeated nor skipped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    /// A hash of the filters.
    filter: u64,
    /// Whether the page ends at the position, instead of beginning after it.
    pub ends_page: bool,
    /// The stars of the page's last review, if the order is by stars.
    pub stars: Option<u8>,
    /// The day of the page's last review.
    pub day: Day,
    /// The ID of the page's last review.
    pub id: String,
}

/// The version, and the fields of a cursor in their order.
type CursorParts<'a> = (u8, u64, bool, Option<u8>, NaiveDate, Cow<'a, str>);

impl Cursor {
    /// The cursor after a page of `filter` in the order `sort` whose last review is `last`.
    pub fn after(filter: &str, sort: Sort, last: &Review) -> Self {
        Self {
            stars: sort.stars().map(|_| last.rating.stars()),
            ..Self::at(filter, last.date, last.id.as_str())
        }
    }

    /// The cursor after a page of `filter` whose last review has this day and ID. `filter` is the canonical text of the
    /// parameters.
    pub fn at(filter: &str, day: Day, id: &str) -> Self {
        Self {
            filter: fingerprint(filter),
            ends_page: false,
            stars: None,
            day,
            id: id.to_owned(),
        }
    }

    /// `None` for a text that no cursor of this release has.
    fn parse(text: &str) -> Option<Self> {
        let json = URL_SAFE_NO_PAD.decode(text).ok()?;
        let (version, filter, ends_page, stars, day, id): CursorParts<'_> =
            serde_json::from_slice(&json).ok()?;
        let is_possible = version == VERSION
            && stars.is_none_or(|stars| (1..=5).contains(&stars))
            && id.parse::<ReviewId>().is_ok();
        Some(Self {
            filter,
            ends_page,
            stars,
            day: Day::new(day)?,
            id: id.into_owned(),
        })
        .filter(|_| is_possible)
    }

    /// The cursor of the page that ends at the same position.
    pub fn ending_there(self) -> Self {
        Self {
            ends_page: true,
            ..self
        }
    }

    pub fn belongs_to(&self, filter: &str) -> bool {
        self.filter == fingerprint(filter)
    }

    /// The error for a cursor of another query.
    pub fn invalid(&self) -> Issue {
        Issue::of::<CursorParameter>(IssueCode::InvalidString, &self.to_string())
    }
}

parameters! {
    CursorParameter = "cursor", TextOf<Cursor>: TextOf(Cursor::parse, "must be `next_cursor` of an answer to the same filters");
}

impl fmt::Display for Cursor {
    /// Opaque: base64url of JSON.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (day, id) = (self.day.date(), Cow::from(&self.id));
        let parts: CursorParts<'_> = (VERSION, self.filter, self.ends_page, self.stars, day, id);
        let json = serde_json::to_vec(&parts).map_err(|_| fmt::Error)?;
        f.write_str(&URL_SAFE_NO_PAD.encode(json))
    }
}

/// It is the same in all processes.
fn fingerprint(filter: &str) -> u64 {
    fnv1a(FNV_OFFSET, filter.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::Cursor;
    use crate::model::{Day, PluralEndings, Sort};
    use crate::search::{ReviewFilter, SearchParameters};

    fn day() -> Day {
        "2024-05-05".parse().unwrap()
    }

    #[test]
    fn a_cursor_is_valid_only_for_the_same_filters() {
        let of = |query: &str| {
            ReviewFilter::new(
                &SearchParameters {
                    query: Some(query.to_owned()),
                    ..SearchParameters::default()
                },
                PluralEndings::default(),
            )
            .canonical()
        };
        let cursor = Cursor::at(&of("leak"), day(), "r-1");
        let text = cursor.to_string();
        assert_eq!(Cursor::parse(&text), Some(cursor.clone()));
        assert!(cursor.belongs_to(&of("LEAK")));
        assert!(!cursor.belongs_to(&of("leaks")));
        for bad in [
            "",
            "x",
            "AAAA",
            &text[1..],
            &format!("{text}!"),
            &text[..18],
        ] {
            assert_eq!(Cursor::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_cursor_by_stars_is_valid_only_for_the_same_order() {
        let of = |sort| {
            ReviewFilter::new(
                &SearchParameters {
                    sort: Some(sort),
                    ..SearchParameters::default()
                },
                PluralEndings::default(),
            )
            .canonical()
        };
        let cursor = Cursor {
            stars: Some(2),
            ..Cursor::at(&of(Sort::Lowest), day(), "r-1")
        };
        assert_eq!(cursor.stars, Some(2));
        assert_eq!(Cursor::parse(&cursor.to_string()), Some(cursor.clone()));
        for (sort, fits) in [
            (Sort::Lowest, true),
            (Sort::Highest, false),
            (Sort::Oldest, false),
            (Sort::Newest, false),
        ] {
            assert_eq!(cursor.belongs_to(&of(sort)), fits, "{sort:?}");
        }
        let ending = cursor.clone().ending_there();
        assert_eq!(Cursor::parse(&ending.to_string()), Some(ending.clone()));
        assert_ne!(ending, cursor);
        let sixth = Cursor {
            stars: Some(6),
            ..cursor
        };
        assert_eq!(Cursor::parse(&sixth.to_string()), None);
    }
}
