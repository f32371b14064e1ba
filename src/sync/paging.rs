//! The next page of an answer, by `Link` (RFC 8288) or as the platform's TOML file says. It is always fetched from the
//! source's own origin and path.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};

use reqwest::header::{HeaderMap, LINK};
use serde_json::Value;
use url::Url;

use super::answer::Answer;
use crate::imports::Paging;

/// Follows the pages of one run.
pub struct Pager {
    /// The first page.
    first: Url,
    paging: Option<&'static Paging>,
    hasher: RandomState,
    /// Hashes of all rows so far.
    seen_rows: HashSet<u64>,
    seen_urls: HashSet<String>,
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
    pub fn new(first: &Url, paging: Option<&'static Paging>) -> Self {
        Self {
            first: first.clone(),
            paging,
            hasher: RandomState::new(),
            seen_rows: HashSet::new(),
            seen_urls: HashSet::from([first.to_string()]),
            total: None,
        }
    }

    /// Whether this status of a further page means that there is none.
    pub fn is_end(&self, status: u16) -> bool {
        self.paging
            .is_some_and(|paging| paging.end_status.contains(&status))
    }

    /// The rows so far.
    pub fn rows(&self) -> usize {
        self.seen_rows.len()
    }

    /// Takes the page at `url`. One without rows, or with rows of earlier pages only, is the end; a short one is not.
    pub fn turn(&mut self, url: &Url, headers: &HeaderMap, body: &[u8]) -> Turn {
        let answer = Answer::of(body);
        let rows = answer.rows(self.paging.and_then(|paging| paging.rows));
        let before = self.seen_rows.len();
        match rows {
            Some(rows) => self
                .seen_rows
                .extend(rows.iter().map(|row| self.hasher.hash_one(row.get()))),
            None => self.seen_rows.extend([self.hasher.hash_one(body)]),
        }
        let total = self
            .paging
            .and_then(|paging| answer.member(paging.total?)?.get().parse().ok());
        self.total = self.total.max(total);
        let is_new = self.seen_rows.len() > before;
        let next = self.next(url, headers, &answer);
        // A token that repeats would lead around in circles.
        let next = next.filter(|next| is_new && self.seen_urls.insert(next.to_string()));
        Turn { is_new, next }
    }

    fn next(&self, url: &Url, headers: &HeaderMap, answer: &Answer<'_>) -> Option<Url> {
        if let Some(paging) = self.paging {
            let text = |path: &str| match serde_json::from_str(answer.member(path)?.get()).ok()? {
                Value::String(text) => Some(text).filter(|text| !text.is_empty()),
                Value::Number(number) => Some(number.to_string()),
                Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
            };
            if let (Some(token), Some(parameter)) = (paging.token, paging.parameter) {
                return Some(with_parameter(url, parameter, &text(token)?));
            }
            if let Some(next_url) = paging.next_url {
                return self.with_query_of(&text(next_url)?);
            }
            let number = |name: &str, default| {
                parameter(url, name).map_or(Some(default), |value| value.parse::<u64>().ok())
            };
            if let Some(page) = paging.page {
                return Some(with_parameter(
                    url,
                    page,
                    &(number(page, 1)? + 1).to_string(),
                ));
            }
            if let (Some(offset), Some(size)) = (paging.offset, paging.size)
                && let Some(step) = parameter(url, size).and_then(|size| size.parse::<u64>().ok())
            {
                return Some(with_parameter(
                    url,
                    offset,
                    &(number(offset, 0)? + step).to_string(),
                ));
            }
        }
        let links = headers
            .get_all(LINK)
            .iter()
            .filter_map(|link| link.to_str().ok());
        let next = links
            .flat_map(link_values)
            .find(|(_, parameters)| is_next(parameters));
        self.with_query_of(next?.0)
    }

    /// The first page's URL with the query of another one, and those of its own parameters that the other one lacks.
    fn with_query_of(&self, link: &str) -> Option<Url> {
        let other = self.first.join(link).ok()?;
        let mut pairs: Vec<(String, String)> = other.query_pairs().into_owned().collect();
        let own = self.first.query_pairs().into_owned();
        let missing: Vec<_> = own
            .filter(|(name, _)| !pairs.iter().any(|(other, _)| other == name))
            .collect();
        pairs.extend(missing);
        let mut next = self.first.clone();
        next.query_pairs_mut().clear().extend_pairs(pairs);
        Some(next)
    }
}

fn parameter(url: &Url, name: &str) -> Option<String> {
    let mut pairs = url.query_pairs();
    pairs
        .find(|(other, _)| other == name)
        .map(|(_, value)| value.into_owned())
}

fn with_parameter(url: &Url, name: &str, value: &str) -> Url {
    let others: Vec<(String, String)> = url
        .query_pairs()
        .into_owned()
        .filter(|(other, _)| other != name)
        .collect();
    let mut url = url.clone();
    url.query_pairs_mut()
        .clear()
        .extend_pairs(others)
        .append_pair(name, value);
    url
}

/// The targets of a `Link` field with their parameters: `<URL>; rel="next", <URL>; rel="last"`.
fn link_values(field: &str) -> impl Iterator<Item = (&str, &str)> {
    // A target may contain commas and semicolons, so the parts begin at the angle brackets.
    field
        .split('<')
        .skip(1)
        .filter_map(|part| part.split_once('>'))
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

    fn turn(
        paging: Option<&'static Paging>,
        first: &str,
        link: &str,
        body: &str,
    ) -> Option<String> {
        let (first, mut headers) = (first.parse().unwrap(), HeaderMap::new());
        if !link.is_empty() {
            headers.insert(LINK, link.parse().unwrap());
        }
        let turn = Pager::new(&first, paging).turn(&first, &headers, body.as_bytes());
        turn.next.map(|next| next.to_string())
    }

    #[test]
    fn link_is_read_by_its_relation() {
        let first = "https://shop.test/api?per_page=2&key=k";
        for (link, next) in [
            (
                "<https://shop.test/api?page=2>; rel=\"next\"",
                Some("page=2"),
            ),
            (
                "</a?page=1>; rel=prev, <?page=3,4>; title=\"a, b\"; REL=\"last next\"",
                Some("page=3%2C4"),
            ),
            ("<http://10.0.0.1/b?page=9>; rel=next", Some("page=9")),
            ("<https://shop.test/api?page=2>; rel=\"previous\"", None),
            ("", None),
        ] {
            let next = next.map(|query| format!("https://shop.test/api?{query}&per_page=2&key=k"));
            assert_eq!(turn(None, first, link, "[1]"), next, "{link}");
        }
    }

    #[test]
    fn next_page_is_found_as_the_platform_says() {
        let [token, offset, page] = [
            "rows = 'data.rows'\ntoken = 'data.paging.next'\nparameter = 'cursor'",
            "offset = 'offset'\nsize = 'limit'",
            "page = 'page'",
        ]
        .map(|table| -> &'static Paging { Box::leak(Box::new(toml::from_str(table).unwrap())) });
        let rows =
            |next: &str| format!(r#"{{"data": {{"rows": [1], "paging": {{"next": {next}}}}}}}"#);
        for (paging, query, body, next) in [
            (token, "", rows("\"a b\""), Some("cursor=a+b")),
            (token, "", rows("7"), Some("cursor=7")),
            (token, "", rows("\"\""), None),
            (token, "", rows("null"), None),
            (
                offset,
                "limit=5",
                "[1]".to_owned(),
                Some("limit=5&offset=5"),
            ),
            (
                offset,
                "limit=5&offset=10",
                "[1]".to_owned(),
                Some("limit=5&offset=15"),
            ),
            (offset, "", "[1]".to_owned(), None),
            (page, "", "[1]".to_owned(), Some("page=2")),
            (page, "page=4", "[1]".to_owned(), Some("page=5")),
            (page, "page=4", "[]".to_owned(), None),
        ] {
            let next = next.map(|query| format!("https://shop.test/api?{query}"));
            let first = format!("https://shop.test/api?{query}");
            assert_eq!(
                turn(Some(paging), &first, "", &body),
                next,
                "{query} {body}"
            );
        }
    }
}
