//! A search as REST, MCP and pages ask it: the parameters, and the filter made from them.

use url::form_urlencoded;

use super::cursor::{Cursor, CursorParameter};
use super::names::aspect_of;
use crate::model::{Day, PluralEndings, Sort, TextMatch, TextQuery, Vote, fold};
use crate::snapshot::input::SnapshotInput;
use crate::wire::parameters::{self, LIMIT_DEFAULT, Limit, Parameter, arguments};
use crate::wire::{Issue, IssueCode};

#[derive(Debug)]
pub struct SearchRequest {
    /// As given, with a mode for texts and without the cursor.
    pub parameters: SearchParameters,
    /// The parameters as a filter with its order.
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
        let cursor = parameters.cursor.take();
        // With an invalid filter, the cursor cannot be checked.
        if let Some(cursor) = cursor
            .as_ref()
            .filter(|cursor| !cursor.belongs_to(&filter.canonical()))
            && issues.is_empty()
        {
            issues.push(cursor.invalid());
        }
        Self {
            filter,
            limit: parameters.limit.unwrap_or(LIMIT_DEFAULT),
            cursor,
            parameters,
        }
    }
}

/// All conditions must hold; an absent one always does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReviewFilter {
    /// Whether one star to five stars match; `None` if all do.
    pub stars: Option<[bool; 5]>,
    /// First matching day.
    pub since: Option<Day>,
    /// Last matching day.
    pub until: Option<Day>,
    pub text: Option<TextQuery>,
    /// Folded full name, not empty.
    pub technician: Option<String>,
    /// Service id.
    pub service: Option<String>,
    /// Folded language tag, because tags are case-insensitive (RFC 5646 §2.1.1); not empty.
    pub language: Option<String>,
    /// Folded source name, not empty.
    pub source: Option<String>,
    pub has_text: Option<bool>,
    pub has_response: Option<bool>,
    /// Id of an aspect that must be mentioned.
    pub aspect: Option<String>,
    /// Required sentiment of that aspect; `None` allows any.
    pub vote: Option<Vote>,
    pub sort: Sort,
}

impl ReviewFilter {
    /// An empty text or name counts as absent.
    /// The words of a query are searched without these endings.
    pub fn new(parameters: &SearchParameters, plural_endings: PluralEndings) -> Self {
        let SearchParameters {
            rating,
            min_rating,
            max_rating,
            since,
            until,
            query,
            text_match,
            mentions_technician,
            mentions_service,
            language,
            source,
            has_text,
            has_response,
            aspect,
            polarity,
            sort,
            limit: _,
            cursor: _,
        } = parameters;
        let present = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
        let matches = |stars: u8| {
            rating.is_none_or(|rating| rating == stars)
                && min_rating.is_none_or(|least| f64::from(stars) >= least)
                && max_rating.is_none_or(|most| f64::from(stars) <= most)
        };
        let has_stars = rating.is_some() || min_rating.is_some() || max_rating.is_some();
        Self {
            stars: has_stars.then(|| [1, 2, 3, 4, 5].map(matches)),
            since: *since,
            until: *until,
            text: present(query).map(|query| {
                TextQuery::new(&query, text_match.unwrap_or_default(), plural_endings)
            }),
            technician: present(mentions_technician).map(|name| fold(&name)),
            service: present(mentions_service),
            language: present(language).map(|tag| fold(&tag)),
            source: present(source).map(|name| fold(&name)),
            has_text: *has_text,
            has_response: *has_response,
            aspect: present(aspect),
            vote: *polarity,
            sort: sort.unwrap_or_default(),
        }
    }

    /// The conditions and the order as a query string, which is the same for parameters with the same meaning.
    pub fn canonical(&self) -> String {
        let mut text = form_urlencoded::Serializer::new(String::new());
        let mut add = |name: &str, value: Option<&str>| {
            if let Some(value) = value {
                text.append_pair(name, value);
            }
        };
        let stars = self.stars.map(|stars| {
            let matching = ('1'..='5').zip(stars).filter(|(_, matches)| *matches);
            matching.map(|(stars, _)| stars).collect::<String>()
        });
        let flag = |flag: Option<bool>| flag.map(|flag| if flag { "true" } else { "false" });
        add("stars", stars.as_deref());
        add("since", self.since.map(|day| day.to_string()).as_deref());
        add("until", self.until.map(|day| day.to_string()).as_deref());
        if let Some(query) = &self.text {
            add("query", Some(&query.whole));
            add("match", Some(query.text_match.name()));
            query
                .words
                .iter()
                .flatten()
                .for_each(|form| add("form", Some(form)));
        }
        add("technician", self.technician.as_deref());
        add("service", self.service.as_deref());
        add("language", self.language.as_deref());
        add("source", self.source.as_deref());
        add("has_text", flag(self.has_text));
        add("has_response", flag(self.has_response));
        add("aspect", self.aspect.as_deref());
        add("polarity", self.vote.map(Vote::name));
        add("sort", Some(self.sort.name()));
        text.finish()
    }
}
