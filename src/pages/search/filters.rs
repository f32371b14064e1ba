//! What a search leaves out, in words: every list that is filtered says so (FTC 16 CFR 465).

use crate::model::business::Business;
use crate::model::{SearchArguments, Vote};
use crate::pages::words::{counted, day};

/// One filter: the parameters that make it, and its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterWords {
    /// The parameter; without it the filter is gone.
    pub name: &'static str,
    /// For example `5 stars`.
    pub words: String,
}

/// The filters of `arguments`, in the order of the form.
#[must_use]
pub fn filters(arguments: &SearchArguments, business: &Business) -> Vec<FilterWords> {
    let mut filters = of_text(arguments);
    filters.extend(of_stars(arguments));
    filters.extend(of_days(arguments));
    filters.extend(of_names(arguments, business));
    filters.extend(of_opinions(arguments));
    filters.extend(of_traits(arguments));
    filters
}

fn filter(name: &'static str, words: Option<String>) -> Option<FilterWords> {
    words.map(|words| FilterWords { name, words })
}

fn given(text: Option<&String>) -> Option<&String> {
    text.filter(|text| !text.is_empty())
}

fn of_text(arguments: &SearchArguments) -> Vec<FilterWords> {
    let words = given(arguments.query.as_ref()).map(|text| format!("with “{text}”"));
    filter("query", words).into_iter().collect()
}

fn of_stars(arguments: &SearchArguments) -> impl Iterator<Item = FilterWords> {
    let exact = arguments
        .rating
        .map(|rating| counted(u64::from(rating.stars()), "star", "stars"));
    let least = arguments
        .min_rating
        .map(|least| format!("{least} stars or more"));
    let most = arguments
        .max_rating
        .map(|most| format!("{most} stars or fewer"));
    [
        filter("rating", exact),
        filter("min_rating", least),
        filter("max_rating", most),
    ]
    .into_iter()
    .flatten()
}

fn of_days(arguments: &SearchArguments) -> impl Iterator<Item = FilterWords> {
    let since = arguments
        .since
        .map(|first| format!("since {}", day(first.date())));
    let until = arguments
        .until
        .map(|last| format!("until {}", day(last.date())));
    [filter("since", since), filter("until", until)]
        .into_iter()
        .flatten()
}

fn of_names(arguments: &SearchArguments, business: &Business) -> Vec<FilterWords> {
    let SearchArguments {
        mentions_technician,
        mentions_service,
        language,
        source,
        ..
    } = arguments;
    let service = given(mentions_service.as_ref()).map(|id| {
        let listed = business.services.iter().find(|service| service.id == *id);
        format!("about {}", listed.map_or(id, |service| &service.name))
    });
    [
        filter(
            "mentions_technician",
            given(mentions_technician.as_ref()).map(|name| format!("naming {name}")),
        ),
        filter("mentions_service", service),
        filter(
            "language",
            given(language.as_ref()).map(|tag| format!("in language {tag}")),
        ),
        filter(
            "source",
            given(source.as_ref()).map(|name| format!("from {name}")),
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn of_opinions(arguments: &SearchArguments) -> impl Iterator<Item = FilterWords> {
    let aspect = arguments.aspect.as_ref();
    let polarity = arguments.polarity.map(Vote::name);
    [
        filter("aspect", aspect.map(|id| format!("speaking of {id}"))),
        filter("polarity", polarity.map(|name| format!("{name} about it"))),
    ]
    .into_iter()
    .flatten()
}

fn of_traits(arguments: &SearchArguments) -> impl Iterator<Item = FilterWords> {
    let choose = |has: Option<bool>, with: &str, without: &str| {
        has.map(|has| if has { with } else { without }.to_owned())
    };
    let text = choose(arguments.has_text, "with words", "without words");
    let response = choose(
        arguments.has_response,
        "with an answer",
        "without an answer",
    );
    [filter("has_text", text), filter("has_response", response)]
        .into_iter()
        .flatten()
}
