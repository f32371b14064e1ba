//! The next page of an answer, by `Link` (RFC 8288) or as the platform's TOML file says. It is always fetched from the
//! source's own origin and path.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};

use reqwest::header::{HeaderMap, LINK};
use url::Url;

use super::answer::{each_element, each_member, member, word};
use super::client::Page;
use super::error::SyncError;
use crate::imports::map::fields::ReviewField;
use crate::imports::{Format, Paging};

/// Rows of all pages of a run, of which hashes are kept.
const ROWS_MAX: usize = 2_000_000;
/// Objects deep to which a further page is looked for that no platform's file describes.
const DEPTH_MAX: usize = 3;

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
    /// The number of reviews that the source says it has, where the platform's file describes it.
    pub total: Option<u64>,
    pub announced: Announced,
}

/// What an answer says of further pages that nothing describes, by the names of its members and headers.
#[derive(Debug, Default)]
pub struct Announced {
    next: Option<String>,
    /// With the largest number of rows that it names.
    total: Option<(String, u64)>,
}

/// What a page brings.
#[derive(Debug, PartialEq, Eq)]
pub struct Turn {
    /// Whether it has a row that no earlier page has.
    pub is_new: bool,
    pub next: Option<Url>,
}

impl Announced {
    /// The member or header that says that there are more than `rows` reviews.
    pub fn more_than(&self, rows: u64) -> Option<&str> {
        let total = self.total.as_ref().filter(|(_, total)| *total > rows);
        let next = self.next.as_deref();
        next.or_else(|| total.map(|(name, _)| name.as_str()))
    }

    fn note(&mut self, name: &str, number: u64, are_pages: bool) {
        if are_pages && number > 1 {
            self.next.get_or_insert_with(|| name.to_owned());
        } else if !are_pages && self.total.as_ref().is_none_or(|(_, most)| *most < number) {
            self.total = Some((name.to_owned(), number));
        }
    }

    fn read_headers(&mut self, page: &Page) {
        for (name, are_pages) in [
            ("X-WP-TotalPages", true),
            ("X-Total-Pages", true),
            ("X-Apify-Pagination-Total", false),
        ] {
            if let Some(number) = page
                .header(name)
                .and_then(|value| value.trim().parse().ok())
            {
                self.note(name, number, are_pages);
            }
        }
    }

    /// Looks at the members of an object, but not into its lists. `is_next` says whether the object is one of a next page.
    fn read_members(&mut self, json: &str, path: &str, is_next: bool, depth: usize) {
        each_member(json, |name, value| {
            let path = if path.is_empty() {
                name.to_owned()
            } else {
                format!("{path}.{name}")
            };
            let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
            let plain = plain.to_ascii_lowercase();
            let is_next = is_next || plain.starts_with("next");
            if value.starts_with('{') {
                if depth < DEPTH_MAX {
                    self.read_members(value, &path, is_next, depth + 1);
                }
                return;
            }
            let number: Option<u64> = word(value).and_then(|word| word.parse().ok());
            let is_token = value.starts_with('"') && word(value).is_some();
            // A number there is the offset of this page, and a text the token of the next.
            let is_offset = plain == "offset" && is_token;
            let says_more = ["hasmore", "hasnext"]
                .iter()
                .any(|begin| plain.starts_with(begin));
            if (is_next && (is_token || number.is_some_and(|number| number > 0)))
                || is_offset
                || (says_more && value == "true")
            {
                self.next.get_or_insert(path);
            } else if let Some(number) = number
                && let Some(of) = plain
                    .strip_prefix("total")
                    .or((plain == "count").then_some(""))
                && TOTALS.contains(&of)
            {
                self.note(&path, number, of == "pages");
            }
        });
    }
}

/// What `total` counts if it counts rows or pages.
const TOTALS: [&str; 9] = [
    "", "count", "items", "results", "records", "reviews", "rows", "elements", "pages",
];

impl Pager {
    pub fn new(first: &Url, format: Option<&'static Format>) -> Self {
        Self {
            first: first.clone(),
            format,
            hasher: RandomState::new(),
            seen_rows: HashSet::new(),
            seen_urls: HashSet::from([first.clone()]),
            has_links: false,
            total: None,
            announced: Announced::default(),
        }
    }

    fn paging(&self) -> Option<&'static Paging> {
        self.format?.paging.as_ref()
    }

    /// Whether this status of a further page means that there is none.
    pub fn is_end(&self, status: u16) -> bool {
        (self.paging()).is_some_and(|paging| paging.end_status.contains(&status))
    }

    pub fn rows(&self) -> usize {
        self.seen_rows.len()
    }

    /// Takes the page at `url` with this body. One without rows, or with rows of earlier pages only, is the end; a short one is not.
    ///
    /// # Errors
    /// If a further page has no list of rows, or there are too many.
    pub fn turn(&mut self, url: &Url, page: &Page, body: &str) -> Result<Turn, SyncError> {
        let (before, paging) = (self.seen_rows.len(), self.paging());
        let is_list = self.note_rows(body, paging.and_then(|paging| paging.rows));
        if !is_list {
            // An object is none of the texts below.
            if paging.is_some_and(|paging| paging.rows.is_some()) && before > 0 {
                return Err(page.no_reviews());
            }
            // A table or another text, of which an empty page has nothing.
            if !body.is_empty() {
                self.seen_rows.insert(self.hasher.hash_one(body));
            }
        }
        if self.seen_rows.len() > ROWS_MAX {
            return Err(SyncError::failed(format!(
                "the pages have more than {ROWS_MAX} rows"
            )));
        }
        let total = paging.and_then(|paging| word(member(body, paging.total?)?)?.parse().ok());
        let stated =
            ["X-WP-Total", "X-Total-Count"].map(|name| page.header(name)?.trim().parse().ok());
        self.total = stated.into_iter().fold(self.total.max(total), Option::max);
        let is_new = self.seen_rows.len() > before;
        let link = next_link(&page.headers);
        self.has_links |= link.is_some();
        let next = match link {
            Some(link) => self.with_query_of(link),
            None if self.has_links => None,
            None => self.next(url, body),
        };
        if !self.has_links && paging.is_none() {
            self.announced.read_headers(page);
            self.announced.read_members(body, "", false, 0);
        }
        // A token that repeats would lead around in circles.
        let next = next.filter(|next| is_new && self.seen_urls.insert(next.clone()));
        Ok(Turn { is_new, next })
    }

    /// Keeps what tells each row from those before: its id, because other members may change from page to page, or the whole row.
    /// Returns whether there is a list: the answer, or the array at the first of `paths` that it has.
    fn note_rows(&mut self, body: &str, paths: Option<&str>) -> bool {
        let (format, hasher, seen) = (self.format, &self.hasher, &mut self.seen_rows);
        let mut note = |row: &str| {
            // Counted before the page ends, so that memory is bounded.
            if seen.len() <= ROWS_MAX {
                let mut ids = format
                    .into_iter()
                    .flat_map(|it| it.columns(ReviewField::Id));
                let id = ids.find_map(|path| word(member(row, path)?));
                seen.insert(match id {
                    Some(id) => hasher.hash_one(id),
                    None => hasher.hash_one(row),
                });
            }
        };
        if body.starts_with('[') {
            return each_element(body, note);
        }
        let mut paths = paths.into_iter().flat_map(|paths| paths.split(", "));
        let list = paths.find_map(|path| member(body, path));
        list.is_some_and(|list| each_element(list, &mut note))
    }

    /// The page after the one at `url`, as the platform's file says.
    fn next(&self, url: &Url, body: &str) -> Option<Url> {
        let paging = self.paging()?;
        let text = |path: &str| word(member(body, path)?);
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
            (Some(page), ..) => (page, number(page, Some(1))?.checked_add(1)?),
            (None, Some(offset), Some(size)) => {
                let size = number(size, None)?;
                (offset, number(offset, Some(0))?.checked_add(size)?)
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
    use reqwest::header::HeaderName;

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
            let page = Page {
                status: reqwest::StatusCode::OK,
                headers: HeaderMap::from_iter([(LINK, link.parse().unwrap())]),
                bytes: 3,
            };
            let turn = Pager::new(&first, None).turn(&first, &page, "[1]");
            let next = next.map(|query| format!("https://shop.test/api?{query}&per_page=2&key=k"));
            assert_eq!(turn.unwrap().next.map(String::from), next, "{link}");
        }
    }

    #[test]
    fn answer_that_says_that_there_is_more_is_known_by_its_members() {
        let page = |header: Option<(&'static str, &str)>| Page {
            status: reqwest::StatusCode::OK,
            headers: header
                .into_iter()
                .map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap()))
                .collect(),
            bytes: 0,
        };
        for (body, name) in [
            (r#"{"offset": "itr1", "records": [{}]}"#, Some("offset")),
            (
                r#"{"next": "https://h.test/?page=2", "results": []}"#,
                Some("next"),
            ),
            (
                r#"{"links": {"next": {"href": "/2"}}}"#,
                Some("links.next.href"),
            ),
            (r#"{"nextPageToken": "x"}"#, Some("nextPageToken")),
            (
                r#"{"meta": {"pagination": {"total": 3}}}"#,
                Some("meta.pagination.total"),
            ),
            (r#"{"total_pages": 2}"#, Some("total_pages")),
            (
                r#"{"page_info": {"has_next_page": true}}"#,
                Some("page_info.has_next_page"),
            ),
            (r#"{"count": 3}"#, Some("count")),
            (
                r#"{"count": 2, "next": null, "total": 2, "offset": 0, "totalPages": 1, "nextPageToken": ""}"#,
                None,
            ),
            (
                r#"{"reviews": [{"next": "x", "total": 9}], "totalScore": 45}"#,
                None,
            ),
            (
                "a,next
", None,
            ),
        ] {
            let mut announced = Announced::default();
            announced.read_members(body, "", false, 0);
            assert_eq!(announced.more_than(2), name, "{body}");
        }
        let mut announced = Announced::default();
        announced.read_headers(&page(Some(("x-wp-totalpages", "1"))));
        assert_eq!(announced.more_than(2), None);
        announced.read_headers(&page(Some(("x-wp-totalpages", "2"))));
        assert_eq!(announced.more_than(2), Some("X-WP-TotalPages"));
    }
}
