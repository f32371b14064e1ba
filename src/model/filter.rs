//! The filter of a search, the same for REST and for agents: its arguments, and the conditions made from them.

use url::form_urlencoded;

use super::review::Day;
use super::votes::Vote;
use super::words::{PluralEndings, TextMatch, fold, fold_plainly, plain};

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

/// The text that reviews must contain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextQuery {
    pub text_match: TextMatch,
    /// Must occur in the text, unless all of `stems` do. Folded, plainly if words are searched.
    pub whole: String,
    /// [`PluralEndings::stems`], each of which must begin a word. Empty if only the whole query counts.
    pub stems: Vec<String>,
}

impl TextQuery {
    fn new(query: &str, text_match: TextMatch, plural_endings: PluralEndings) -> Self {
        let (whole, stems) = match text_match {
            TextMatch::Substring => (fold(query), Vec::new()),
            TextMatch::Words => {
                let whole = fold_plainly(query);
                let stems = plural_endings.stems(&whole);
                (whole, stems)
            }
        };
        Self {
            text_match,
            whole,
            stems,
        }
    }

    /// Texts that the plain form of every match contains: all stems, because the whole query contains them too; without stems,
    /// the query.
    pub fn plain_parts(&self) -> Vec<String> {
        match self.text_match {
            TextMatch::Substring => vec![plain(&self.whole)],
            TextMatch::Words if self.stems.is_empty() => vec![self.whole.clone()],
            TextMatch::Words => self.stems.clone(),
        }
    }
}

impl ReviewFilter {
    /// An empty text or name counts as absent.
    pub fn new(arguments: &SearchArguments) -> Self {
        let SearchArguments {
            rating,
            min_rating,
            max_rating,
            since,
            until,
            query,
            text_match,
            plural_endings,
            mentions_technician,
            mentions_service,
            language,
            source,
            has_text,
            has_response,
            aspect,
            polarity,
            sort,
        } = arguments;
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
            text: present(query).map(|query| TextQuery::new(&query, *text_match, *plural_endings)),
            technician: present(mentions_technician).map(|name| fold(&name)),
            service: present(mentions_service),
            language: present(language).map(|tag| fold(&tag)),
            source: present(source).map(|name| fold(&name)),
            has_text: *has_text,
            has_response: *has_response,
            aspect: present(aspect),
            vote: *polarity,
            sort: *sort,
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
            query.stems.iter().for_each(|stem| add("stem", Some(stem)));
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

/// The parsed search parameters, each within its bounds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SearchArguments {
    /// 1 to 5.
    pub rating: Option<u8>,
    pub min_rating: Option<f64>,
    pub max_rating: Option<f64>,
    pub since: Option<Day>,
    pub until: Option<Day>,
    /// Text that must occur.
    pub query: Option<String>,
    pub text_match: TextMatch,
    /// Plural endings that are removed from words to get their stems.
    pub plural_endings: PluralEndings,
    /// Published name of the technician.
    pub mentions_technician: Option<String>,
    /// Service id.
    pub mentions_service: Option<String>,
    /// BCP 47, case-insensitive.
    pub language: Option<String>,
    pub source: Option<String>,
    /// Whether the text is not empty.
    pub has_text: Option<bool>,
    pub has_response: Option<bool>,
    /// Id of an aspect that the review mentions.
    pub aspect: Option<String>,
    /// Sentiment of that aspect; only with `aspect`.
    pub polarity: Option<Vote>,
    /// Newest first by default.
    pub sort: Sort,
}

named! {
    /// An order of reviews. Reviews with equal stars are ordered newest first, and reviews of one day by id.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
    pub enum Sort {
        #[default]
        Newest = "newest",
        Oldest = "oldest",
        /// 5 to 1 stars.
        Highest = "highest",
        /// 1 to 5 stars.
        Lowest = "lowest",
    }
}

impl Sort {
    /// The stars (1 to 5) in this order; `None` for an order by date.
    pub const fn stars(self) -> Option<[u8; 5]> {
        match self {
            Self::Newest | Self::Oldest => None,
            Self::Highest => Some([5, 4, 3, 2, 1]),
            Self::Lowest => Some([1, 2, 3, 4, 5]),
        }
    }
}
