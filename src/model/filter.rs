//! Which reviews a question asks for. The same for REST and for agents.

use super::arguments::SearchArguments;
use super::day::Day;
use super::fold::fold;
use super::review::Vote;
use super::sort::Sort;
use super::words::TextMatch;

/// How many reviews a page has where nobody says.
pub const LIMIT_DEFAULT: u8 = 20;
/// How many reviews a page has at the most.
pub const LIMIT_MAX: u8 = 100;
/// How many characters `query` has at the most.
pub const QUERY_CHARACTERS_MAX: usize = 1_000;

/// What a review has or has not, as a set of bits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Traits(u8);

impl Traits {
    /// The review has a text that is not empty.
    pub const TEXT: Self = Self(1);
    /// The owner has responded to the review.
    pub const RESPONSE: Self = Self(2);

    /// Those of a review.
    #[must_use]
    pub fn of(has_text: bool, has_response: bool) -> Self {
        Self((u8::from(has_text) * Self::TEXT.0) | (u8::from(has_response) * Self::RESPONSE.0))
    }
}

/// Which traits matter, and which of those there must be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
struct TraitFilter {
    mask: u8,
    wanted: u8,
}

impl TraitFilter {
    fn with(self, one: Traits, wanted: Option<bool>) -> Self {
        match wanted {
            Some(wanted) => Self {
                mask: self.mask | one.0,
                wanted: self.wanted | (u8::from(wanted) * one.0),
            },
            None => self,
        }
    }
}

/// What a review must be to be found, and in which order. All parts must hold; an absent part always
/// does.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct ReviewFilter {
    /// Bit `n - 1` stands for n stars.
    stars: Option<u8>,
    since: Option<Day>,
    until: Option<Day>,
    /// The text to find, folded and not empty.
    query: Option<String>,
    /// Where words are looked for: those of [`PluralEndings::stems`](super::PluralEndings::stems).
    stems: Option<Vec<String>>,
    /// The technician's name, folded and not empty.
    technician: Option<String>,
    service: Option<String>,
    /// The language tag, folded and not empty.
    language: Option<String>,
    /// The source's name, folded and not empty.
    source: Option<String>,
    traits: TraitFilter,
    aspect: Option<String>,
    vote: Option<Vote>,
    sort: Sort,
}

impl ReviewFilter {
    /// The filter that `arguments` describe. An empty text or name is as if absent.
    #[must_use]
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
            rating.is_none_or(|rating| rating.stars() == stars)
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
            traits: TraitFilter::default()
                .with(Traits::TEXT, *has_text)
                .with(Traits::RESPONSE, *has_response),
            aspect: given(aspect),
            vote: *polarity,
            sort: *sort,
        }
    }

    /// Whether reviews of that many stars (1 to 5) may be found.
    #[must_use]
    pub fn takes_stars(&self, stars: u8) -> bool {
        self.stars.is_none_or(|set| set & (1 << (stars - 1)) != 0)
    }

    /// Whether stars matter at all.
    #[must_use]
    pub const fn asks_stars(&self) -> bool {
        self.stars.is_some()
    }

    /// The first day that may be found.
    #[must_use]
    pub const fn since(&self) -> Option<Day> {
        self.since
    }

    /// The last day that may be found.
    #[must_use]
    pub const fn until(&self) -> Option<Day> {
        self.until
    }

    /// What the folded text must hold, if not each of [`Self::stems`].
    #[must_use]
    pub fn query(&self) -> Option<&str> {
        self.query.as_deref()
    }

    /// What words of the folded text may begin with instead; none where the query alone decides.
    #[must_use]
    pub fn stems(&self) -> &[String] {
        self.stems.as_deref().unwrap_or_default()
    }

    /// Whether words are looked for.
    #[must_use]
    pub const fn asks_words(&self) -> bool {
        self.stems.is_some()
    }

    /// What every folded text holds that may be found, somewhere: each stem, for the whole query
    /// holds them too, or else the query.
    #[must_use]
    pub fn held(&self) -> Vec<&str> {
        match self.stems() {
            [] => self.query().into_iter().collect(),
            stems => stems.iter().map(String::as_str).collect(),
        }
    }

    /// The folded full name that must be mentioned.
    #[must_use]
    pub fn technician(&self) -> Option<&str> {
        self.technician.as_deref()
    }

    /// The id of the service that must be mentioned.
    #[must_use]
    pub fn service(&self) -> Option<&str> {
        self.service.as_deref()
    }

    /// The folded language tag that it must have (RFC 5646 §2.1.1: in any case).
    #[must_use]
    pub fn language(&self) -> Option<&str> {
        self.language.as_deref()
    }

    /// The folded name of the source that it must be from.
    #[must_use]
    pub fn source(&self) -> Option<&str> {
        self.source.as_deref()
    }

    /// Whether reviews with these traits may be found.
    #[must_use]
    pub const fn takes_traits(&self, traits: Traits) -> bool {
        traits.0 & self.traits.mask == self.traits.wanted
    }

    /// Whether traits matter at all.
    #[must_use]
    pub const fn asks_traits(&self) -> bool {
        self.traits.mask != 0
    }

    /// The id of the aspect that must be spoken of.
    #[must_use]
    pub fn aspect(&self) -> Option<&str> {
        self.aspect.as_deref()
    }

    /// How that aspect must be spoken of; in any way where it is absent.
    #[must_use]
    pub const fn vote(&self) -> Option<Vote> {
        self.vote
    }

    /// The order in which reviews are found.
    #[must_use]
    pub const fn sort(&self) -> Sort {
        self.sort
    }

    /// [`ReviewFilter::canonical`] with the order: what a cursor is bound to.
    #[must_use]
    pub fn question(&self) -> String {
        if self.sort == Sort::Newest {
            return self.canonical();
        }
        format!("{} sort: {}", self.canonical(), self.sort.name())
    }

    /// A text that is the same for equal filters and for no others, in whatever order.
    #[must_use]
    pub fn canonical(&self) -> String {
        let Self {
            stars,
            since,
            until,
            query,
            stems,
            technician,
            service,
            language,
            source,
            traits,
            aspect,
            vote,
            sort: _,
        } = self;
        let first = format!(
            "ReviewFilter {{ stars: {stars:?}, since: {since:?}, until: {until:?}, query: {query:?}, technician: {technician:?}, \
             service: {service:?} }}"
        );
        // Later filters are named where they matter alone, so that cursors of earlier releases go
        // on.
        let labels = if language.is_none() && source.is_none() && traits.mask == 0 {
            String::new()
        } else {
            format!(" language: {language:?}, source: {source:?}, traits: {traits:?}")
        };
        let opinion = aspect.as_ref().map_or_else(String::new, |aspect| {
            format!(" aspect: {aspect:?}, vote: {vote:?}")
        });
        let words = stems
            .as_ref()
            .map_or_else(String::new, |stems| format!(" words: {stems:?}"));
        format!("{first}{labels}{opinion}{words}")
    }
}
