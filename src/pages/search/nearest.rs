//! Suggestions when a search finds nothing: the nearest names, fewer words, one filter less. The page shows the number
//! of results of each.

use super::SearchQuestion;
use super::filters::{filters, without};
use crate::links::Links;
use crate::model::{ReviewFilter, SearchArguments, TextMatch};
use crate::pages::frame::Site;
use crate::search::did_you_mean;
use crate::snapshot::Snapshot;

/// Maximum number of searches counted for one page.
const COUNTED_MAX: usize = 8;
/// With at most this many words, searches without each single word are suggested.
const WORDS_MAX: usize = 4;

pub struct Candidate {
    pub filter: ReviewFilter,
    /// Its label.
    pub words: String,
    /// Its address.
    pub href: String,
}

impl Candidate {
    fn new(arguments: &SearchArguments, words: String, href: String) -> Self {
        let filter = ReviewFilter::new(arguments);
        Self {
            filter,
            words,
            href,
        }
    }
}

/// The searches to be counted, most similar first.
pub fn candidates(
    snapshot: &Snapshot,
    question: &SearchQuestion,
    links: &Links,
) -> impl Iterator<Item = Candidate> + use<> {
    let site = &Site::new(&snapshot.input.business, links);
    let candidates = [
        names(snapshot, question, site),
        fewer_words(question, site),
        fewer_filters(snapshot, question, site),
    ];
    candidates.into_iter().flatten().take(COUNTED_MAX)
}

/// The same search with the nearest known name in place of each unknown one.
fn names(snapshot: &Snapshot, question: &SearchQuestion, site: &Site) -> Vec<Candidate> {
    let arguments = &question.search.arguments;
    let Some(meant) = did_you_mean(snapshot, arguments, 0) else {
        return Vec::new();
    };
    let mut changed = arguments.clone();
    let mut candidates = Vec::new();
    for (name, field, value) in [
        (
            "mentions_technician",
            &mut changed.mentions_technician,
            meant.mentions_technician,
        ),
        (
            "mentions_service",
            &mut changed.mentions_service,
            meant.mentions_service,
        ),
        ("language", &mut changed.language, meant.language),
        ("source", &mut changed.source, meant.source),
    ] {
        if let Some(value) = value {
            *field = Some(value.clone());
            candidates.push((name, value));
        }
    }
    // All names are replaced at once: if two are wrong, correcting one still finds nothing.
    let names: Vec<&str> = candidates.iter().map(|(name, _)| *name).collect();
    let pairs: Vec<(&str, &str)> = (candidates.iter())
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    let values: Vec<String> = candidates.iter().map(|(_, value)| value.clone()).collect();
    let words = site.locale.list(&values);
    let words = (site.locale).message_with("nearest-name", &[("name", &words)]);
    let without = [names.as_slice(), &["cursor"]].concat();
    let href = question
        .query
        .address(&format!("{}/search", site.root), &without, &pairs);
    vec![Candidate::new(&changed, words.into_owned(), href)]
}

/// The same search by words, and without one of them.
fn fewer_words(question: &SearchQuestion, site: &Site) -> Vec<Candidate> {
    let (arguments, path) = (&question.search.arguments, format!("{}/search", site.root));
    let Some(text) = arguments.query.as_deref() else {
        return Vec::new();
    };
    let mut candidates = Vec::new();
    if arguments.text_match == TextMatch::Substring {
        let changed = SearchArguments {
            text_match: TextMatch::Words,
            ..arguments.clone()
        };
        let words = site.locale.message("nearest-by-words").into_owned();
        let href = question.query.address(&path, &["match", "cursor"], &[]);
        candidates.push(Candidate::new(&changed, words, href));
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    if (2..=WORDS_MAX).contains(&words.len()) {
        for left_out in 0..words.len() {
            let kept = words.iter().enumerate();
            let kept = kept.filter(|(at, _)| *at != left_out);
            let kept: Vec<&str> = kept.map(|(_, word)| *word).collect();
            let kept = kept.join(" ");
            let words = (site.locale).message_with("nearest-words", &[("text", &kept)]);
            let without = ["query", "match", "cursor"];
            let href = (question.query).address(&path, &without, &[("query", &kept)]);
            let changed = SearchArguments {
                query: Some(kept),
                text_match: TextMatch::Words,
                ..arguments.clone()
            };
            candidates.push(Candidate::new(&changed, words.into_owned(), href));
        }
    }
    candidates
}

/// The same search without one of its filters.
fn fewer_filters(snapshot: &Snapshot, question: &SearchQuestion, site: &Site) -> Vec<Candidate> {
    let arguments = &question.search.arguments;
    let filters = filters(arguments, &snapshot.input, &site.locale);
    let fewer = filters.into_iter().map(|filter| {
        let words = (site.locale).message_with("nearest-without", &[("filter", &filter.words)]);
        let href = question.query.address(
            &format!("{}/search", site.root),
            &[filter.names[0], filter.names[1], "cursor"],
            &[],
        );
        Candidate::new(&without(arguments, &filter), words.into_owned(), href)
    });
    fewer.collect()
}
