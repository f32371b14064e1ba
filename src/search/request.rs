//! A search as REST, MCP and pages ask it: the parameters, the filter made from them, and the cursor of a page.

use std::borrow::Cow;
use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::NaiveDate;

use crate::insights::Trade;
use crate::links::with_query;
use crate::model::{
    Day, FNV_OFFSET, MentionKind, PluralEndings, Review, ReviewId, Sort, TextMatch, TextQuery,
    Vote, fnv1a, fold,
};
use crate::snapshot::input::SnapshotInput;
use crate::wire::parameters::{LIMIT_DEFAULT, STARS};
use crate::wire::{Arguments, Issue, IssueCode, Parameters};

#[derive(Debug)]
pub struct SearchRequest {
    /// With its order.
    pub filter: ReviewFilter,
    pub limit: u8,
    /// `None` for the first page.
    pub cursor: Option<Cursor>,
}

/// Maximum number of characters of `query`.
const QUERY_CHARACTERS_MAX: usize = 1_000;

#[derive(Debug, Clone, Default)]
pub struct SearchParameters {
    pub rating: Option<u8>,
    pub min_rating: Option<f64>,
    pub max_rating: Option<f64>,
    pub since: Option<Day>,
    pub until: Option<Day>,
    pub query: Option<String>,
    pub text_match: Option<TextMatch>,
    pub mentions_technician: Option<String>,
    pub mentions_service: Option<String>,
    pub mentions_area: Option<String>,
    pub verified: Option<bool>,
    pub language: Option<String>,
    pub source: Option<String>,
    pub has_text: Option<bool>,
    pub has_reply: Option<bool>,
    pub aspect: Option<String>,
    pub polarity: Option<Vote>,
    pub sort: Option<Sort>,
    pub limit: Option<u8>,
    pub cursor: Option<Cursor>,
}

impl Parameters for SearchParameters {
    fn parse(arguments: &mut Arguments) -> Self {
        let filters = Self::parse_filters(arguments);
        Self {
            sort: arguments.one_of("sort", &Sort::ALL, Sort::find, "Order (default `newest`)."),
            limit: arguments.limit(),
            cursor: Cursor::parse(arguments, "`next_cursor` of an answer to the same filters."),
            ..filters
        }
    }
}

/// The parameters of the feed of a search, in the form of a page's: it is always the newest reviews.
#[derive(Debug)]
pub struct FeedParameters(pub SearchParameters);

impl Parameters for FeedParameters {
    fn parse(arguments: &mut Arguments) -> Self {
        arguments.omit_empty();
        Self(SearchParameters::parse_filters(arguments))
    }
}

impl SearchParameters {
    fn parse_filters(arguments: &mut Arguments) -> Self {
        Self {
            rating: arguments.whole("rating", STARS, "Exact number of stars."),
            min_rating: arguments.decimal("min_rating", STARS, "At least this rating, like 4.5."),
            max_rating: arguments.decimal("max_rating", STARS, "At most this rating, like 2.5."),
            since: arguments.day("since", "On or after this day, `YYYY-MM-DD`."),
            until: arguments.day("until", "On or before this day, `YYYY-MM-DD`."),
            query: arguments.example("on time").short_text(
                "query",
                QUERY_CHARACTERS_MAX,
                "Text to find, ignoring case, 1 to 1,000 characters.",
            ),
            text_match: arguments.one_of(
                "match",
                &TextMatch::ALL,
                TextMatch::find,
                "`substring` (default) or `words` in any order.",
            ),
            mentions_technician: arguments.text(
                "mentions_technician",
                "Full name, alias or unique first name.",
            ),
            mentions_service: arguments.text("mentions_service", "Id, name or synonym."),
            mentions_area: arguments.text("mentions_area", "Name of a service area."),
            verified: arguments.flag("verified", "Only verified reviews, or only others."),
            language: arguments.text("language", "Language tag, for example `en`."),
            source: arguments.text("source", "Name of the source."),
            has_text: arguments.flag("has_text", "Only with a text, or only without."),
            has_reply: arguments.flag("has_reply", "Only with the owner's reply, or without."),
            aspect: arguments.text("aspect", "Id of an aspect, for example `punctuality`."),
            polarity: arguments.polarity("Sentiment on the aspect; only with `aspect`."),
            ..Self::default()
        }
    }

    /// The names of people, services and places that reviews must mention.
    pub fn mentions(&self) -> impl Iterator<Item = (MentionKind, &str)> {
        let mentions = [
            (MentionKind::Technician, &self.mentions_technician),
            (MentionKind::Service, &self.mentions_service),
            (MentionKind::ServiceArea, &self.mentions_area),
        ];
        let present = mentions.into_iter();
        present.filter_map(|(kind, name)| Some((kind, name.as_deref()?)))
    }

    /// The present ones as in a query string, without page size and cursor, in the order of the documentation.
    pub fn pairs(&self) -> Vec<(&'static str, String)> {
        let pairs = [
            ("rating", self.rating.map(|stars| stars.to_string())),
            ("min_rating", self.min_rating.map(|stars| stars.to_string())),
            ("max_rating", self.max_rating.map(|stars| stars.to_string())),
            ("since", self.since.map(|day| day.to_string())),
            ("until", self.until.map(|day| day.to_string())),
            ("query", self.query.clone()),
            ("match", self.text_match.map(|one| one.to_string())),
            ("mentions_technician", self.mentions_technician.clone()),
            ("mentions_service", self.mentions_service.clone()),
            ("mentions_area", self.mentions_area.clone()),
            ("verified", self.verified.map(|flag| flag.to_string())),
            ("language", self.language.clone()),
            ("source", self.source.clone()),
            ("has_text", self.has_text.map(|flag| flag.to_string())),
            ("has_reply", self.has_reply.map(|flag| flag.to_string())),
            ("aspect", self.aspect.clone()),
            ("polarity", self.polarity.map(|vote| vote.to_string())),
            ("sort", self.sort.map(|sort| sort.to_string())),
        ];
        let present = pairs.into_iter();
        present
            .filter_map(|(name, value)| Some((name, value?)))
            .collect()
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
            let (code, message) = (
                IssueCode::InvalidString,
                "must be given together with aspect",
            );
            issues.push(Issue::new("polarity", code, message, vote.name()));
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
    let found = trade.shown_ids().iter().position(|shown| *shown == id);
    if found.is_none() {
        let message = format!("must be one of: {}", trade.shown_ids().join(", "));
        issues.push(Issue::new("aspect", IssueCode::InvalidString, message, id));
    }
    found
}

/// The parameter of the reviews since a day.
#[derive(Debug)]
pub struct SinceParameters {
    pub date: Option<Day>,
}

impl Parameters for SinceParameters {
    fn parse(arguments: &mut Arguments) -> Self {
        let first_day = arguments.required("2026-01-01");
        Self {
            date: first_day.day("date", "The first day, `YYYY-MM-DD`."),
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

/// The name of the parameter.
pub const CURSOR: &str = "cursor";
const CURSOR_ALLOWED: &str = "must be `next_cursor` of an answer to the same filters";
/// The format's version, so that another release's cursor is refused instead of misread.
const VERSION: u8 = 7;

/// Where the next page begins. It is a position in the order, not a count, so that reviews added
/// between two pages are neither repeated nor skipped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    /// A hash of the filters.
    filter: u64,
    /// The stars of the page's last review, if the order is by stars.
    pub stars: Option<u8>,
    /// The day of the page's last review.
    pub day: Day,
    /// The ID of the page's last review.
    pub id: String,
}

/// The version, and the fields of a cursor in their order.
type CursorParts<'a> = (u8, u64, Option<u8>, NaiveDate, Cow<'a, str>);

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
            stars: None,
            day,
            id: id.to_owned(),
        }
    }

    /// The parameter `cursor`.
    pub fn parse(arguments: &mut Arguments, description: &'static str) -> Option<Self> {
        arguments.syntax(CURSOR, CURSOR_ALLOWED, Self::find, description)
    }

    /// `None` for a text that no cursor of this release has.
    fn find(text: &str) -> Option<Self> {
        let json = URL_SAFE_NO_PAD.decode(text).ok()?;
        let (version, filter, stars, day, id): CursorParts<'_> =
            serde_json::from_slice(&json).ok()?;
        let is_possible = version == VERSION
            && stars.is_none_or(|stars| (1..=5).contains(&stars))
            && id.parse::<ReviewId>().is_ok();
        Some(Self {
            filter,
            stars,
            day: Day::new(day)?,
            id: id.into_owned(),
        })
        .filter(|_| is_possible)
    }

    pub fn belongs_to(&self, filter: &str) -> bool {
        self.filter == fingerprint(filter)
    }

    /// The error for a cursor of another query.
    pub fn invalid(&self) -> Issue {
        let (code, received) = (IssueCode::InvalidString, self.to_string());
        Issue::new(CURSOR, code, CURSOR_ALLOWED, &received)
    }
}

impl fmt::Display for Cursor {
    /// Opaque: base64url of JSON.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (day, id) = (self.day.date(), Cow::from(&self.id));
        let parts: CursorParts<'_> = (VERSION, self.filter, self.stars, day, id);
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
    use crate::wire::{Arguments, Parameters as _};

    fn day() -> Day {
        "2024-05-05".parse().unwrap()
    }

    #[test]
    fn every_parameter_but_page_size_and_cursor_is_in_an_address() {
        for parameter in SearchParameters::describe() {
            let (name, schema) = (parameter.name, &parameter.schema);
            let value = match (schema["type"].as_str(), schema["format"].as_str()) {
                (Some("boolean"), _) => "true",
                (Some("integer" | "number"), _) => "3",
                (_, Some("date")) => "2024-05-05",
                _ => schema["enum"][0].as_str().unwrap_or("x"),
            };
            let mut arguments = Arguments::query(&format!("{name}={value}"));
            let pairs = SearchParameters::parse(&mut arguments).pairs();
            let is_of_page = ["limit", "cursor"].contains(&name);
            assert_eq!(pairs.is_empty(), is_of_page, "{name}");
            for pair in pairs {
                assert_eq!(pair, (name, value.to_owned()));
            }
        }
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
        assert_eq!(Cursor::find(&text), Some(cursor.clone()));
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
            assert_eq!(Cursor::find(bad), None, "{bad}");
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
        assert_eq!(Cursor::find(&cursor.to_string()), Some(cursor.clone()));
        for (sort, fits) in [
            (Sort::Lowest, true),
            (Sort::Highest, false),
            (Sort::Oldest, false),
            (Sort::Newest, false),
        ] {
            assert_eq!(cursor.belongs_to(&of(sort)), fits, "{sort:?}");
        }
        let sixth = Cursor {
            stars: Some(6),
            ..cursor
        };
        assert_eq!(Cursor::find(&sixth.to_string()), None);
    }
}
