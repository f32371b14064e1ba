//! Search parameters, parsed from a query string or from the arguments of an agent's call, so that every interface has
//! the same filters.

use super::day::Day;
use super::parameters::{
    self, InvalidParameter, Parameter, ParameterFault, ParameterSource, ParameterValue,
};
use super::review::{Rating, Vote};
use super::sort::Sort;
use super::words::{PluralEndings, TextMatch};

/// The parsed search parameters, each within its bounds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SearchArguments {
    pub rating: Option<Rating>,
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

impl SearchArguments {
    /// Parses the parameters of `source`, which records invalid ones. `text_match` is the default match rule.
    pub fn take_from(
        source: &mut impl ParameterSource,
        text_match: TextMatch,
        plural_endings: PluralEndings,
    ) -> Self {
        let arguments = Self {
            rating: source.take::<parameters::Rating>(),
            min_rating: source.take::<parameters::MinRating>(),
            max_rating: source.take::<parameters::MaxRating>(),
            since: source.take::<parameters::Since>(),
            until: source.take::<parameters::Until>(),
            query: source.take::<parameters::Query>(),
            text_match: (source.take::<parameters::MatchRule>()).unwrap_or(text_match),
            plural_endings,
            mentions_technician: source.take::<parameters::MentionsTechnician>(),
            mentions_service: source.take::<parameters::MentionsService>(),
            language: source.take::<parameters::Language>(),
            source: source.take::<parameters::Source>(),
            has_text: source.take::<parameters::HasText>(),
            has_response: source.take::<parameters::HasResponse>(),
            aspect: source.take::<parameters::Aspect>(),
            polarity: source.take::<parameters::Polarity>(),
            sort: source.take::<parameters::SortOrder>().unwrap_or_default(),
        };
        if let Some(alone) = arguments.polarity.filter(|_| arguments.aspect.is_none()) {
            source.refuse(without_aspect(alone));
        }
        arguments
    }
}

/// The error for a polarity without an aspect.
fn without_aspect(polarity: ParameterValue<parameters::Polarity>) -> InvalidParameter {
    let message = format!("must be given together with {}", parameters::Aspect::NAME);
    InvalidParameter::new::<parameters::Polarity>(ParameterFault::Text, message, polarity.name())
}
