//! The active filters in words: every filtered list names them (FTC 16 CFR 465).

use std::borrow::Cow;

use crate::model::{SearchArguments, TextMatch};
use crate::pages::form::polarity;
use crate::pages::locale::Locale;
use crate::snapshot::input::SnapshotInput;

/// One filter: its parameters and its label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterWords {
    /// The parameter and the one that has no meaning without it; removing both removes the filter.
    pub names: [&'static str; 2],
    /// For example `5 stars`.
    pub words: Cow<'static, str>,
}

/// In the order of the form.
#[must_use]
pub fn filters(
    arguments: &SearchArguments,
    input: &SnapshotInput,
    locale: &Locale,
) -> Vec<FilterWords> {
    let SearchArguments {
        rating,
        min_rating,
        max_rating,
        since,
        until,
        query,
        text_match,
        plural_endings: _,
        mentions_technician,
        mentions_service,
        language,
        source,
        has_text,
        has_response,
        aspect,
        polarity: vote,
        sort: _,
    } = arguments;
    let (business, trade) = (&input.business, input.analyzer.trade());
    let service = mentions_service.as_deref().map(|id| {
        let listed = business.services.iter().find(|service| service.id == id);
        listed.map_or(id, |service| &service.name)
    });
    let aspect = aspect.as_deref().map(|id| {
        let label = trade.aspect(id).map(|at| trade.aspects[at].label.as_str());
        label.map_or(Cow::Borrowed(id), |label| locale.name(label))
    });
    let with = |name: &'static str, words: Option<Cow<'static, str>>| {
        let names = match name {
            "query" => [name, "match"],
            "aspect" => [name, "polarity"],
            _ => [name, name],
        };
        words.map(|words| FilterWords { names, words })
    };
    let all = [
        with(
            "query",
            query.as_deref().map(|text| match text_match {
                TextMatch::Words => locale.message_with("filter-words", &[("text", text)]),
                TextMatch::Substring => locale.message_with("filter-substring", &[("text", text)]),
            }),
        ),
        with(
            "rating",
            rating.map(|rating| locale.counted("stars", rating.stars().into())),
        ),
        with(
            "min_rating",
            min_rating.map(|least| {
                locale.message_with("filter-min-stars", &[("stars", &least.to_string())])
            }),
        ),
        with(
            "max_rating",
            max_rating.map(|most| {
                locale.message_with("filter-max-stars", &[("stars", &most.to_string())])
            }),
        ),
        with(
            "since",
            since.map(|first| {
                locale.message_with("filter-since", &[("day", &locale.day(first.date()))])
            }),
        ),
        with(
            "until",
            until.map(|last| {
                locale.message_with("filter-until", &[("day", &locale.day(last.date()))])
            }),
        ),
        with(
            "mentions_technician",
            (mentions_technician.as_deref())
                .map(|name| locale.message_with("filter-technician", &[("name", name)])),
        ),
        with(
            "mentions_service",
            service.map(|name| locale.message_with("filter-service", &[("name", name)])),
        ),
        with(
            "language",
            (language.as_deref())
                .map(|tag| locale.message_with("filter-language", &[("tag", tag)])),
        ),
        with(
            "source",
            (source.as_deref()).map(|name| locale.message_with("filter-source", &[("name", name)])),
        ),
        with(
            "aspect",
            aspect.map(|name| locale.message_with("filter-aspect", &[("name", &name)])),
        ),
        with(
            "polarity",
            vote.map(|vote| {
                let words = polarity(vote, locale);
                locale.message_with("filter-polarity", &[("polarity", &words)])
            }),
        ),
        with(
            "has_text",
            has_text.map(|has| {
                if has {
                    locale.message("filter-text")
                } else {
                    locale.message("filter-no-text")
                }
            }),
        ),
        with(
            "has_response",
            has_response.map(|has| {
                if has {
                    locale.message("filter-response")
                } else {
                    locale.message("filter-no-response")
                }
            }),
        ),
    ];
    all.into_iter().flatten().collect()
}

#[must_use]
pub fn without(arguments: &SearchArguments, filter: &FilterWords) -> SearchArguments {
    let mut fewer = arguments.clone();
    match filter.names[0] {
        "query" => fewer.query = None,
        "rating" => fewer.rating = None,
        "min_rating" => fewer.min_rating = None,
        "max_rating" => fewer.max_rating = None,
        "since" => fewer.since = None,
        "until" => fewer.until = None,
        "mentions_technician" => fewer.mentions_technician = None,
        "mentions_service" => fewer.mentions_service = None,
        "language" => fewer.language = None,
        "source" => fewer.source = None,
        "aspect" => (fewer.aspect, fewer.polarity) = (None, None),
        "polarity" => fewer.polarity = None,
        "has_text" => fewer.has_text = None,
        _ => fewer.has_response = None,
    }
    fewer
}
