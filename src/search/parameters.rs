//! The parameters of a search, the same for REST, pages, the feed and agents: how they are read, which searches are the same,
//! and the cursor of a page.

use std::borrow::Cow;
use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::NaiveDate;

use super::text::{TextMatch, TextQuery};
use crate::insights::Trade;
use crate::links::with_query;
use crate::model::{Day, FNV_OFFSET, MentionKind, Review, ReviewId, Sort, Vote, fnv1a, fold};
use crate::snapshot::document::FEED_REVIEWS;
use crate::wire::parameters::STARS;
use crate::wire::{Arguments, Issue, IssueCode, Parameters};

/// All conditions must hold; an absent one always does.
#[derive(Debug, Clone, Default)]
pub struct SearchParameters {
    pub rating: Option<u8>,
    pub min_rating: Option<f64>,
    pub max_rating: Option<f64>,
    pub since: Option<Day>,
    pub until: Option<Day>,
    pub query: Option<String>,
    pub text_match: TextMatch,
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
    pub sort: Sort,
    /// Maximum number of reviews on a page.
    pub limit: u8,
    /// `None` for the first page.
    pub cursor: Option<Cursor>,
}

impl Parameters for SearchParameters {
    fn parse(arguments: &mut Arguments) -> Self {
        let filters = Self::parse_filters(arguments);
        let sort = arguments.one_of("sort", &Sort::ALL, Sort::find, "Order (default `newest`).");
        let parameters = Self {
            sort: sort.unwrap_or_default(),
            limit: arguments.limit(),
            cursor: Cursor::parse(arguments, "`next_cursor` of an answer to the same filters."),
            ..filters
        };
        parameters.check_cursor(&mut arguments.issues);
        parameters
    }
}

/// The parameters of the feed of a search, in the form of a page's: it is always the newest reviews.
#[derive(Debug)]
pub struct FeedParameters(pub SearchParameters);

impl Parameters for FeedParameters {
    fn parse(arguments: &mut Arguments) -> Self {
        arguments.omit_empty();
        Self(SearchParameters {
            limit: FEED_REVIEWS,
            ..SearchParameters::parse_filters(arguments)
        })
    }
}

impl SearchParameters {
    /// Pages search for words unless `match` is given, others for a substring.
    fn parse_filters(arguments: &mut Arguments) -> Self {
        let default_match = if arguments.is_form() {
            TextMatch::Words
        } else {
            TextMatch::Substring
        };
        let parameters = Self {
            rating: arguments.whole("rating", STARS, "Exact number of stars."),
            min_rating: arguments.decimal("min_rating", STARS, "At least this rating, like 4.5."),
            max_rating: arguments.decimal("max_rating", STARS, "At most this rating, like 2.5."),
            since: arguments.day("since", "On or after this day, `YYYY-MM-DD`."),
            until: arguments.day("until", "On or before this day, `YYYY-MM-DD`."),
            query: arguments.example("on time").text(
                "query",
                "Text to find, ignoring case, 1 to 1,000 characters.",
            ),
            text_match: arguments
                .one_of(
                    "match",
                    &TextMatch::ALL,
                    TextMatch::find,
                    "`substring`, or `words` in any order. Default `substring`; of `/search` and its feed `words`.",
                )
                .unwrap_or(default_match),
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
        };
        if let (None, Some(vote)) = (&parameters.aspect, parameters.polarity) {
            let (code, message) = (
                IssueCode::InvalidString,
                "must be given together with aspect",
            );
            let issue = Issue::new("polarity", code, message, vote.name());
            arguments.issues.push(issue);
        }
        parameters
    }

    /// Adds an issue about an aspect that the trade does not have, because a result of 0 would look like no reviews on it.
    pub fn check_aspect(&self, trade: &Trade, issues: &mut Vec<Issue>) {
        let (known, code) = (trade.shown_ids(), IssueCode::InvalidString);
        if let Some(id) = self.aspect.as_deref().filter(|id| !known.contains(id)) {
            let message = format!("must be one of: {}", known.join(", "));
            issues.push(Issue::new("aspect", code, message, id));
        }
    }

    /// Adds an issue about a cursor of another search. With an invalid parameter it cannot be checked.
    pub fn check_cursor(&self, issues: &mut Vec<Issue>) {
        if let Some(cursor) = &self.cursor
            && issues.is_empty()
            && cursor.filter != self.fingerprint()
        {
            let (code, received) = (IssueCode::InvalidString, cursor.to_string());
            issues.push(Issue::new(CURSOR, code, CURSOR_ALLOWED, &received));
        }
    }

    /// The text to be found.
    pub fn text(&self) -> Option<TextQuery> {
        let query = self.query.as_deref().filter(|query| !query.is_empty())?;
        Some(TextQuery::new(query, self.text_match))
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

    /// A hash of the filters and the order, the same for texts and names that differ only in case, and in all processes.
    fn fingerprint(&self) -> u64 {
        let pairs = self.pairs().into_iter();
        let canonical = with_query("", pairs.map(|(name, value)| (name, fold(&value))));
        fnv1a(FNV_OFFSET, canonical.as_bytes())
    }

    /// The address of the newest reviews of this search at `path`, whose default is to search for words; the same for every
    /// spelling of the parameters.
    pub fn address_of_newest(&self, path: &str) -> String {
        let has_match = self.query.is_some() && self.text_match != TextMatch::Words;
        let pairs = self.pairs().into_iter();
        with_query(
            path,
            pairs.filter(|(name, _)| *name != "sort" && (*name != "match" || has_match)),
        )
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
            ("match", Some(self.text_match.to_string())),
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
            ("sort", Some(self.sort.to_string())),
        ];
        let present = pairs.into_iter();
        present
            .filter_map(|(name, value)| Some((name, value?)))
            .collect()
    }
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

/// The name of the parameter.
const CURSOR: &str = "cursor";
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
    /// The cursor after a page of a search whose last review is `last`.
    pub fn after(parameters: &SearchParameters, last: &Review) -> Self {
        Self {
            filter: parameters.fingerprint(),
            stars: parameters.sort.stars().map(|_| last.rating.stars()),
            day: last.date,
            id: last.id.to_string(),
        }
    }

    /// The parameter `cursor`.
    pub fn parse(arguments: &mut Arguments, description: &'static str) -> Option<Self> {
        arguments.syntax(CURSOR, CURSOR_ALLOWED, Self::find, description)
    }

    /// A link to the page after that of `query`, at the absolute `path` (RFC 8288 §3.3).
    pub fn next_link(query: &Arguments, path: &str, next: &str) -> String {
        let address = query.address(path, &[CURSOR], &[(CURSOR, next)]);
        format!("<{address}>; rel=\"next\"")
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
