//! The next page of an answer, by `Link` (RFC 8288) or as the platform's TOML file says. It is always fetched from the
//! source's own origin and path.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};

use reqwest::header::{HeaderMap, LINK};
use serde_json::Value;
use url::Url;

use super::client::{Answer, Page, member};
use crate::imports::map::ReviewField;
use crate::imports::{Format, Paging};

pub struct Pager {
    /// The first page.
    first: Url,
    format: Option<&'static Format>,
    hasher: RandomState,
    /// Hashes of the rows so far, by their ids.
    seen_rows: HashSet<u64>,
    seen_urls: HashSet<Url>,
    /// Whether a page named the next one by `Link`; then the others do, too.
    has_links: bool,
    /// Whether the first page is lines of text, of which an empty page has none.
    is_text: bool,
    /// The number of reviews that the source says it has.
    pub total: Option<u64>,
}

/// What a page brings.
#[derive(Debug, PartialEq, Eq)]
pub struct Turn {
    /// Whether it has a row that no earlier page has.
    pub is_new: bool,
    pub next: Option<Url>,
}

impl Pager {
    pub fn new(first: &Url, format: Option<&'static Format>, answer: &Answer<'_>) -> Self {
        Self {
            first: first.clone(),
            format,
            hasher: RandomState::new(),
            seen_rows: HashSet::new(),
            seen_urls: HashSet::from([first.clone()]),
            has_links: false,
            is_text: matches!(answer, Answer::Other(_)),
            total: None,
        }
    }

    fn paging(&self) -> Option<&'static Paging> {
        self.format?.paging.as_ref()
    }

    /// Whether this answer to the request of a further page means that there is none.
    pub fn is_end(&self, status: u16, answer: &Answer<'_>) -> bool {
        (self.paging()).is_some_and(|paging| paging.end_status.contains(&status))
            || (self.is_text && status == 200 && matches!(answer, Answer::Other(b"")))
    }

    pub fn rows(&self) -> usize {
        self.seen_rows.len()
    }

    /// Takes the page at `url`. One without rows, or with rows of earlier pages only, is the end; a short one is not.
    pub fn turn(&mut self, url: &Url, page: &Page, answer: &Answer<'_>) -> Turn {
        let before = self.seen_rows.len();
        let paging = self.paging();
        let rows = answer.rows(paging.and_then(|paging| paging.rows));
        let hashes: Vec<u64> = match rows {
            Some(rows) => rows
                .iter()
                .map(|row| self.hasher.hash_one(self.identity(row)))
                .collect(),
            None => vec![self.hasher.hash_one(&page.body)],
        };
        self.seen_rows.extend(hashes);
        let total = paging.and_then(|paging| answer.member(paging.total?)?.as_u64());
        self.total = self.total.max(total);
        let is_new = self.seen_rows.len() > before;
        let link = next_link(&page.headers);
        self.has_links |= link.is_some();
        let next = match link {
            Some(link) => self.with_query_of(link),
            None if self.has_links => None,
            None => self.next(url, answer),
        };
        // A token that repeats would lead around in circles.
        let next = next.filter(|next| is_new && self.seen_urls.insert(next.clone()));
        Turn { is_new, next }
    }

    /// What tells a row from those before: its id, because other members may change from page to page, or the whole row.
    fn identity<'r>(&self, row: &'r Value) -> &'r Value {
        let columns = self.format.into_iter();
        let mut columns = columns.flat_map(|format| format.columns(ReviewField::Id));
        let id =
            columns.find_map(|path| member(row, path).filter(|id| !id.is_null() && **id != ""));
        id.unwrap_or(row)
    }

    /// The page after the one at `url`, as the platform's file says.
    fn next(&self, url: &Url, answer: &Answer<'_>) -> Option<Url> {
        let paging = self.paging()?;
        let text = |path: &str| match answer.member(path)? {
            Value::String(text) => Some(text.clone()).filter(|text| !text.is_empty()),
            Value::Number(number) => Some(number.to_string()),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        };
        if let Some(next_url) = paging.next_url {
            return self.with_query_of(&text(next_url)?);
        }
        if let (Some(token), Some(parameter)) = (paging.token, paging.parameter) {
            return Some(with_parameter(url, parameter, &text(token)?));
        }
        let number = |name: &str, default| {
            let mut pairs = url.query_pairs();
            let value = pairs.find(|(other, _)| other == name);
            value.map_or(default, |(_, value)| value.parse::<u64>().ok())
        };
        let (name, value) = match (paging.page, paging.offset, paging.size) {
            (Some(page), ..) => (page, number(page, Some(1))? + 1),
            (None, Some(offset), Some(size)) => {
                (offset, number(offset, Some(0))? + number(size, None)?)
            }
            (None, ..) => return None,
        };
        Some(with_parameter(url, name, &value.to_string()))
    }

    /// The first page's URL with the query of another one, whose host and path may be those behind a proxy, and with its
    /// own parameters that the other one lacks.
    fn with_query_of(&self, link: &str) -> Option<Url> {
        let mut next = self.first.clone();
        next.set_query(self.first.join(link).ok()?.query());
        let own = self.first.query_pairs().into_owned();
        let lacks = |(name, _): &(String, String)| !next.query_pairs().any(|pair| pair.0 == *name);
        let missing: Vec<_> = own.filter(lacks).collect();
        if !missing.is_empty() {
            next.query_pairs_mut().extend_pairs(missing);
        }
        Some(next)
    }
}

fn with_parameter(url: &Url, name: &str, value: &str) -> Url {
    let others: Vec<_> = url
        .query_pairs()
        .into_owned()
        .filter(|(other, _)| other != name)
        .collect();
    let mut url = url.clone();
    let mut query = url.query_pairs_mut();
    query.clear().extend_pairs(others).append_pair(name, value);
    drop(query);
    url
}

/// The target of `rel="next"` in `Link` fields such as `<URL>; rel="next", <URL>; rel="last"`.
fn next_link(headers: &HeaderMap) -> Option<&str> {
    let fields = headers.get_all(LINK).iter();
    // A target may contain commas and semicolons, so the parts begin at the angle brackets.
    let parts = fields.filter_map(|field| Some(field.to_str().ok()?.split('<').skip(1)));
    let mut links = parts.flatten().filter_map(|part| part.split_once('>'));
    let (target, _) = links.find(|(_, parameters)| is_next(parameters))?;
    Some(target)
}

fn is_next(parameters: &str) -> bool {
    parameters.split([';', ',']).any(|parameter| {
        let relation = parameter
            .split_once('=')
            .filter(|(name, _)| name.trim().eq_ignore_ascii_case("rel"));
        relation.is_some_and(|(_, value)| {
            value
                .trim()
                .trim_matches('"')
                .split_ascii_whitespace()
                .any(|word| word.eq_ignore_ascii_case("next"))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_link_is_found_by_relation() {
        let first: Url = "https://shop.test/api?per_page=2&key=k".parse().unwrap();
        for (link, next) in [
            (
                "<https://shop.test/api?page=2>; rel=\"next\"",
                Some("page=2"),
            ),
            (
                "</a?page=1>; rel=prev, <?page=3,4>; title=\"a, b\"; REL=\"last next\"",
                Some("page=3,4"),
            ),
            ("<http://10.0.0.1/b?page=9>; rel=next", Some("page=9")),
            ("<https://shop.test/api?page=2>; rel=\"previous\"", None),
            ("", None),
        ] {
            let headers = HeaderMap::from_iter([(LINK, link.parse().unwrap())]);
            let (body, status) = (b"[1]".to_vec(), reqwest::StatusCode::OK);
            let page = Page {
                status,
                headers,
                body,
            };
            let answer = Answer::of(&page.body);
            let turn = Pager::new(&first, None, &answer).turn(&first, &page, &answer);
            let next = next.map(|query| format!("https://shop.test/api?{query}&per_page=2&key=k"));
            assert_eq!(turn.next.map(String::from), next, "{link}");
        }
    }
}
