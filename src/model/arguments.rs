//! What a search is asked for, taken from wherever parameters come from: a query string, or the
//! arguments of an agent's call. Written once, so that no surface knows a filter that another one
//! lacks.

use super::day::Day;
use super::parameters::{
    self, InvalidParameter, Parameter, ParameterFault, ParameterSource, ParameterValue,
};
use super::review::{Rating, Vote};
use super::sort::Sort;
use super::words::{PluralEndings, TextMatch};

/// The search parameters, parsed: present and absent, but each in its bounds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SearchArguments {
    /// Exact number of stars, 1 to 5.
    pub rating: Option<Rating>,
    /// Least stars, 1 to 5.
    pub min_rating: Option<f64>,
    /// Most stars, 1 to 5.
    pub max_rating: Option<f64>,
    /// First day that matches, inclusive.
    pub since: Option<Day>,
    /// Last day that matches, inclusive.
    pub until: Option<Day>,
    /// What the text must hold.
    pub query: Option<String>,
    /// How `query` is looked for.
    pub text_match: TextMatch,
    /// The plural endings that words are looked for without.
    pub plural_endings: PluralEndings,
    /// Name, as it is shown, of a technician who must be mentioned.
    pub mentions_technician: Option<String>,
    /// Id of a service that must be mentioned.
    pub mentions_service: Option<String>,
    /// Language tag (BCP 47), in any case.
    pub language: Option<String>,
    /// Name of the source.
    pub source: Option<String>,
    /// Whether it says something.
    pub has_text: Option<bool>,
    /// Whether the owner answered.
    pub has_response: Option<bool>,
    /// Id of an aspect that it speaks of.
    pub aspect: Option<String>,
    /// How it speaks of that aspect; only beside `aspect`.
    pub polarity: Option<Vote>,
    /// Order of the results; newest first where not given.
    pub sort: Sort,
}

impl SearchArguments {
    /// Those that `source` has; what is wrong with them is kept there. `text_match` holds where it
    /// names none.
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

/// That a polarity is asked for, and nobody says of what.
fn without_aspect(polarity: ParameterValue<parameters::Polarity>) -> InvalidParameter {
    let message = format!("must be given together with {}", parameters::Aspect::NAME);
    InvalidParameter::new::<parameters::Polarity>(ParameterFault::Text, message, polarity.name())
}
