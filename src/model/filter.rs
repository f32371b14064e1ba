//! The filter of a search, the same for REST and for agents: its arguments, and the conditions made from them.

use super::review::Day;
use super::votes::Vote;
use super::words::{PluralEndings, TextMatch, fold};

/// What a review has, of what filters ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Traits {
    /// The text is not empty.
    pub has_text: bool,
    /// The owner responded.
    pub has_response: bool,
}

/// All conditions must hold; an absent one always does.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct ReviewFilter {
    /// Bit `n - 1` means n stars.
    stars: Option<u8>,
    /// First matching day.
    pub since: Option<Day>,
    /// Last matching day.
    pub until: Option<Day>,
    /// Folded text that must occur in the folded text, unless all of [`Self::stems`] do; not empty.
    pub query: Option<String>,
    /// For a search by words: [`PluralEndings::stems`](super::PluralEndings::stems).
    stems: Option<Vec<String>>,
    /// Folded full name, not empty.
    pub technician: Option<String>,
    /// Service id.
    pub service: Option<String>,
    /// Folded language tag, because tags are case-insensitive (RFC 5646 §2.1.1); not empty.
    pub language: Option<String>,
    /// Folded source name, not empty.
    pub source: Option<String>,
    has_text: Option<bool>,
    has_response: Option<bool>,
    /// Id of an aspect that must be mentioned.
    pub aspect: Option<String>,
    /// Required sentiment of that aspect; `None` allows any.
    pub vote: Option<Vote>,
    pub sort: Sort,
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
        let given = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
        let wanted = |stars: u8| {
            rating.is_none_or(|rating| rating == stars)
                && min_rating.is_none_or(|least| f64::from(stars) >= least)
                && max_rating.is_none_or(|most| f64::from(stars) <= most)
        };
        let stars = (1..=5)
            .filter(|stars| wanted(*stars))
            .fold(0_u8, |set, stars| set | 1 << (stars - 1));
        let query = given(query).map(|text| fold(&text));
        let stems = |folded: &String| plural_endings.stems(folded);
        Self {
            stars: (rating.is_some() || min_rating.is_some() || max_rating.is_some())
                .then_some(stars),
            since: *since,
            until: *until,
            stems: (query.as_ref())
                .filter(|_| *text_match == TextMatch::Words)
                .map(stems),
            query,
            technician: given(mentions_technician).map(|name| fold(&name)),
            service: given(mentions_service),
            language: given(language).map(|tag| fold(&tag)),
            source: given(source).map(|name| fold(&name)),
            has_text: *has_text,
            has_response: *has_response,
            aspect: given(aspect),
            vote: *polarity,
            sort: *sort,
        }
    }

    /// Whether reviews with `stars` stars (1 to 5) may match.
    pub fn takes_stars(&self, stars: u8) -> bool {
        self.stars.is_none_or(|set| set & (1 << (stars - 1)) != 0)
    }

    /// Whether the filter has a condition on stars.
    pub const fn asks_stars(&self) -> bool {
        self.stars.is_some()
    }

    /// Stems that match instead of the query if each begins a word; empty if only the query counts.
    pub fn stems(&self) -> &[String] {
        self.stems.as_deref().unwrap_or_default()
    }

    /// Whether the search is by words.
    pub const fn asks_words(&self) -> bool {
        self.stems.is_some()
    }

    /// Texts that every match contains: all stems, because the whole query contains them too; without stems, the query.
    pub fn held(&self) -> Vec<&str> {
        match self.stems() {
            [] => self.query.as_deref().into_iter().collect(),
            stems => stems.iter().map(String::as_str).collect(),
        }
    }

    pub fn takes_traits(&self, traits: Traits) -> bool {
        self.has_text.is_none_or(|wanted| wanted == traits.has_text)
            && self
                .has_response
                .is_none_or(|wanted| wanted == traits.has_response)
    }

    /// Whether the filter has a condition on traits.
    pub const fn asks_traits(&self) -> bool {
        self.has_text.is_some() || self.has_response.is_some()
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
