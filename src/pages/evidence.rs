//! `/insights?aspect=…`: the sentences behind one figure, a page at a time; without `aspect` the page of all insights.

use std::sync::Arc;

use askama::Template;
use poem::http::StatusCode;
use poem::{Endpoint, Request, Response, Result};

use super::aspect::path;
use super::cached::{Page as CachedPage, Pages};
use super::frame::{Frame, POLICY, Site, protected};
use super::search::take;
use super::words::{Stars, counted, day};
use crate::ctx::Ctx;
use crate::edition::Edition;
use crate::links::Links;
use crate::respond::{self, UrlParameters, problem};
use crate::reviews::{LIMIT_DEFAULT, parameters};
use crate::search::evidence::{Page, PolarityParameter, Question, Supporting, evidence};
use crate::search::{Cursor, CursorParameter};
use crate::wire;

/// How many characters of a review are shown on each side of a finding.
const CONTEXT_CHARACTERS: usize = 120;

#[derive(Template)]
#[template(path = "evidence.html")]
struct EvidencePage {
    frame: Frame,
    label: String,
    filtered: String,
    chips: Vec<Chip>,
    items: Vec<Evidence>,
    next: Option<String>,
    limit: u8,
    json_url: String,
}

struct Chip {
    name: &'static str,
    href: String,
    is_current: bool,
}

struct Evidence {
    stars: Stars,
    date: String,
    day: String,
    polarity: &'static str,
    href: String,
    findings: Vec<Finding>,
}

struct Finding {
    before: String,
    text: String,
    after: String,
    polarity: &'static str,
}

/// `/insights`, with `aspect` or without.
pub struct Insights {
    /// Whose edition it shows.
    pub ctx: Arc<Ctx>,
    /// Where the page of all insights is kept.
    pub pages: Arc<Pages>,
}

impl Endpoint for Insights {
    type Output = Response;

    async fn call(&self, request: Request) -> Result<Response> {
        let edition = self.ctx.current.load();
        let mut issues = Vec::new();
        let aspect = take(UrlParameters::query::<parameters::Aspect>(&request), &mut issues).filter(|id| !id.is_empty());
        let vote = take(UrlParameters::query::<PolarityParameter>(&request), &mut issues);
        let limit = take(UrlParameters::query::<parameters::Limit>(&request), &mut issues).unwrap_or(LIMIT_DEFAULT);
        let cursor: Option<Cursor> = take(UrlParameters::query::<CursorParameter>(&request), &mut issues);
        let Some(id) = aspect.filter(|_| issues.is_empty()) else {
            if !issues.is_empty() {
                return Ok(respond::invalid_parameters(issues));
            }
            let sheet = self.pages.of(&edition, CachedPage::Insights);
            return Ok(protected(respond::sheet(request.headers(), &edition, &sheet), POLICY));
        };
        let trade = edition.copy.reader.trade();
        let found = trade.aspect(&id).and_then(|at| Some((u8::try_from(at).ok()?, &trade.aspects[at])));
        let Some((at, aspect)) = found else {
            return Ok(problem(StatusCode::NOT_FOUND, "There is no aspect of that id; /insights lists them."));
        };
        let question = Question { aspect: at, vote };
        if let Some(cursor) = cursor.as_ref().filter(|cursor| !cursor.belongs_to(&question.canonical(trade))) {
            return Ok(respond::invalid_parameters(vec![cursor.invalid().into()]));
        }
        let asked = Asked { id: &aspect.id, label: &aspect.label, polarity: vote.map(Into::into), limit };
        let page = evidence(&edition, question, usize::from(limit), cursor.as_ref());
        let html = show_evidence(&edition, asked, page, &self.ctx.links);
        Ok(super::frame::page(&request, edition, html, POLICY))
    }
}

/// What is asked of an aspect's sentences, parsed already.
#[derive(Debug, Clone, Copy)]
struct Asked<'a> {
    /// The aspect's id.
    id: &'a str,
    /// Its name.
    label: &'a str,
    /// Only those that speak so.
    polarity: Option<wire::Polarity>,
    /// How many reviews a page has.
    limit: u8,
}

/// The page of the sentences behind an aspect.
fn show_evidence(edition: &Edition, asked: Asked<'_>, page: Page, links: &Links) -> String {
    let business = &edition.copy.business;
    let site = Site::new(business, links);
    let Asked { id, label, polarity, limit } = asked;
    let of = |polarity: Option<wire::Polarity>| {
        let suffix = polarity.map(|polarity| format!("&polarity={}", name(polarity))).unwrap_or_default();
        path(id, &site) + &suffix
    };
    let shown = [
        None,
        Some(wire::Polarity::Positive),
        Some(wire::Polarity::Negative),
        Some(wire::Polarity::Mixed),
        Some(wire::Polarity::Neutral),
        Some(wire::Polarity::Uncertain),
    ];
    let chips = shown.map(|one| Chip { name: one.map_or("all", name), href: of(one), is_current: one == polarity });
    let total = counted(page.total, "review speaks", "reviews speak");
    let suffix = polarity.map(|polarity| format!("?polarity={}", name(polarity))).unwrap_or_default();
    let template = EvidencePage {
        filtered: match polarity {
            Some(polarity) => format!("Filtered: {total} of it so that the whole is {}. Newest first.", name(polarity)),
            None => format!("{total} of it. Newest first."),
        },
        chips: chips.into(),
        next: page.next.as_ref().map(|cursor| format!("{}&cursor={cursor}", of(polarity))),
        items: page.reviews.into_iter().map(|supporting| item(supporting, &site)).collect(),
        limit,
        json_url: links.evidence(id) + &suffix,
        frame: Frame {
            title: format!("{label}: what customers say about {}", business.name),
            description: None,
            canonical: Some(links.absolute(&format!("/insights?aspect={id}"))),
            is_hidden_from_search: polarity.is_some(),
            site,
        },
        label: label.to_owned(),
    };
    super::rendered(&template)
}

fn item(supporting: Supporting, site: &Site) -> Evidence {
    let Supporting { review, vote, findings } = supporting;
    let text = &review.text;
    let finding = |finding| {
        let finding = wire::EvidenceFinding::new(finding, text);
        let (before, after) = around(text, finding.start, finding.end);
        Finding { before, after, polarity: name(finding.polarity), text: finding.text }
    };
    Evidence {
        stars: Stars(review.rating),
        date: review.date.to_string(),
        day: day(review.date),
        polarity: name(vote.into()),
        href: site.review(&review.id),
        findings: findings.into_iter().map(finding).collect(),
    }
}

/// What stands before and after code points `start..end` of `text`, cut at words.
fn around(text: &str, start: u32, end: u32) -> (String, String) {
    let (start, end) = (usize::try_from(start).unwrap_or(usize::MAX), usize::try_from(end).unwrap_or(usize::MAX));
    let from = start.saturating_sub(CONTEXT_CHARACTERS);
    let before: String = text.chars().skip(from).take(start - from).collect();
    let before = if from == 0 {
        before
    } else {
        before.split_once(char::is_whitespace).map_or(before.clone(), |(_, rest)| format!("… {rest}"))
    };
    let after: String = text.chars().skip(end).take(CONTEXT_CHARACTERS).collect();
    let is_all = text.chars().nth(end.saturating_add(CONTEXT_CHARACTERS)).is_none();
    let after = if is_all {
        after
    } else {
        after.rsplit_once(char::is_whitespace).map_or(after.clone(), |(rest, _)| format!("{rest} …"))
    };
    (before, after)
}

const fn name(polarity: wire::Polarity) -> &'static str {
    match polarity {
        wire::Polarity::Positive => "positive",
        wire::Polarity::Negative => "negative",
        wire::Polarity::Neutral => "neutral",
        wire::Polarity::Mixed => "mixed",
        wire::Polarity::Uncertain => "uncertain",
    }
}

#[cfg(test)]
mod tests {
    use super::around;

    #[test]
    fn the_words_around_a_finding_are_whole() {
        let text = format!("{} they came late and {}", "word ".repeat(60), "then some more ".repeat(20));
        let start = u32::try_from(text.chars().count()).unwrap();
        let at = u32::try_from(text.find("came late").unwrap()).unwrap();
        let (before, after) = around(&text, at, at + 9);
        assert!(before.starts_with("… word") && before.ends_with("they "), "{before}");
        assert!(after.starts_with(" and then") && after.ends_with(" …"), "{after}");
        assert_eq!(around("é so late é", 2, 9), ("é ".to_owned(), " é".to_owned()));
        assert_eq!(around(&text, start + 5, start + 9).1, "");
    }
}
