//! `/insights?aspect=…`: the figures of one aspect and the sentences behind them, in pages.

use std::borrow::Cow;
use std::iter;

use askama::Template;

use super::rows::{FiguresFragment, aspect_path};
use crate::links::Links;
use crate::model::Vote;
use crate::pages::filters::{POLARITIES, polarity_words};
use crate::pages::frame::{ChoiceLink, Frame, Site, render};
use crate::pages::words::Stars;
use crate::search::insights::EvidenceQuery;
use crate::snapshot::Snapshot;
use crate::wire;
use crate::wire::parameters::LIMIT_DEFAULT;

/// Number of characters of a review shown on each side of a finding.
const CONTEXT_CHARACTERS: usize = 120;

#[derive(Template)]
#[template(path = "aspect_page.html")]
struct AspectPage<'a> {
    frame: Frame<'a>,
    label: Cow<'a, str>,
    figures: Option<FiguresFragment<'a>>,
    summary: Cow<'static, str>,
    polarities: Vec<ChoiceLink>,
    reviews: Vec<Sentences>,
    /// Address and label of the next page.
    next: Option<(String, Cow<'static, str>)>,
    json_url: String,
}

/// The sentences of one review about the aspect.
struct Sentences {
    stars: Stars,
    date: String,
    day: Cow<'static, str>,
    polarity: Cow<'static, str>,
    href: String,
    findings: Vec<ShownFinding>,
}

struct ShownFinding {
    before: String,
    text: String,
    after: String,
    polarity: Cow<'static, str>,
}

/// `address` with the parameter `polarity`, which `separator` precedes.
fn with_polarity(address: String, separator: char, polarity: Option<Vote>) -> String {
    match polarity {
        Some(polarity) => format!("{address}{separator}polarity={}", polarity.name()),
        None => address,
    }
}

/// The page with the sentences behind an aspect; its figures are those of the insights.
pub fn show(
    snapshot: &Snapshot,
    query: EvidenceQuery<'_>,
    (page, texts): (wire::AspectEvidence, Vec<String>),
    links: &Links,
) -> String {
    let business = &snapshot.input.business;
    let site = Site::new(business, links);
    let (id, asked) = (&query.aspect.id, query.request);
    let mut aspects = snapshot.insights.aspects.iter();
    let aspect = aspects.find(|one| one.id == *id);
    let locale = &site.locale;
    let path = |polarity| {
        let path = with_polarity(aspect_path(id, &site), '&', polarity);
        match asked.limit {
            LIMIT_DEFAULT => path,
            limit => format!("{path}&limit={limit}"),
        }
    };
    let summary = match asked.polarity {
        Some(polarity) => {
            let polarity = polarity_words(polarity, locale);
            let texts = [("polarity", &*polarity)];
            locale.counted_with("reviews-speak-of-it-so", page.total, &texts)
        }
        None => locale.counted("reviews-speak-of-it", page.total),
    };
    let polarities = iter::once(None).chain(POLARITIES.map(Some));
    let polarities = polarities.map(|polarity| ChoiceLink {
        words: polarity.map_or_else(
            || locale.message("all"),
            |polarity| polarity_words(polarity, locale),
        ),
        href: path(polarity),
        is_current: polarity == asked.polarity,
    });
    let next = page.next_cursor.as_ref().map(|cursor| {
        let limit = locale.number(u64::from(asked.limit));
        (
            format!("{}&cursor={cursor}", path(asked.polarity)),
            locale.message_with("next", &[("number", &limit)]),
        )
    });
    let label = locale.name(&query.aspect.label);
    let named = [("topic", &*label), ("business", &business.name)];
    render(&AspectPage {
        figures: aspect.map(|aspect| FiguresFragment::of_aspect(aspect, locale)),
        summary,
        polarities: polarities.collect(),
        next,
        reviews: page
            .reviews
            .into_iter()
            .zip(&texts)
            .map(|(review, text)| sentences(review, text, &site))
            .collect(),
        json_url: with_polarity(links.evidence(id), '?', asked.polarity),
        frame: Frame {
            title: locale.message_with("aspect-title", &named),
            description: Some(locale.message_with("aspect-described", &named)),
            canonical: Some(links.absolute(&format!("/insights?aspect={id}"))),
            is_hidden_from_search: asked.polarity.is_some(),
            site: site.clone(),
        },
        label,
    })
}

fn sentences(review: wire::EvidenceReview, text: &str, site: &Site<'_>) -> Sentences {
    let finding = |finding: wire::EvidenceFinding| {
        let (before, after) = around(text, finding.start, finding.end);
        ShownFinding {
            before,
            after,
            polarity: polarity_words(finding.polarity.into(), &site.locale),
            text: finding.text,
        }
    };
    Sentences {
        stars: Stars::new(review.stars, &site.locale),
        date: review.date.to_string(),
        day: site.locale.day(review.date),
        polarity: polarity_words(review.polarity.into(), &site.locale),
        href: site.review(&review.review_id),
        findings: review.findings.into_iter().map(finding).collect(),
    }
}

/// The text before and after code points `start..end` of `text`, cut between words.
fn around(text: &str, start: u32, end: u32) -> (String, String) {
    let at = |character: usize| {
        let mut starts = text.char_indices().map(|(start, _)| start);
        starts.nth(character).unwrap_or(text.len())
    };
    let (start, end) = (start as usize, end as usize);
    let (from, to) = (
        start.saturating_sub(CONTEXT_CHARACTERS),
        at(end.saturating_add(CONTEXT_CHARACTERS)),
    );
    let before = &text[at(from)..at(start)];
    let before = match before.split_once(char::is_whitespace) {
        Some((_, rest)) if from > 0 => format!("… {rest}"),
        Some(_) | None => before.to_owned(),
    };
    let after = &text[at(end)..to];
    let after = match after.rsplit_once(char::is_whitespace) {
        Some((rest, _)) if to < text.len() => format!("{rest} …"),
        Some(_) | None => after.to_owned(),
    };
    (before, after)
}

#[cfg(test)]
mod tests {
    use super::around;

    #[test]
    fn the_words_around_a_finding_are_whole() {
        let text = format!(
            "{} they came late and {}",
            "word ".repeat(60),
            "then some more ".repeat(20)
        );
        let start = u32::try_from(text.chars().count()).unwrap();
        let at = u32::try_from(text.find("came late").unwrap()).unwrap();
        let (before, after) = around(&text, at, at + 9);
        assert!(
            before.starts_with("… word") && before.ends_with("they "),
            "{before}"
        );
        assert!(
            after.starts_with(" and then") && after.ends_with(" …"),
            "{after}"
        );
        assert_eq!(
            around("é so late é", 2, 9),
            ("é ".to_owned(), " é".to_owned())
        );
        assert_eq!(around(&text, start + 5, start + 9).1, "");
    }
}
