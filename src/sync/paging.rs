//! The next page of an answer, by `Link` (RFC 8288) or as the format says. It is always fetched from the entry's own origin and
//! path.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};
use std::ops::ControlFlow;

use reqwest::header::{HeaderMap, LINK};
use url::Url;

use super::client::{FetchedPage, NO_REVIEWS, SyncError};
use crate::imports::{Format, Paging};
use crate::model::json::{self, elements, is_empty_list, visit};

/// Objects deep to which a further page is looked for that no platform's file describes.
const DEPTH_MAX: usize = 3;

pub struct Pager {
    /// The first page.
    first: Url,
    /// That of the first page.
    pub format: Option<Format>,
    hasher: RandomState,
    /// Hashes of the lists so far: a source may repeat its last page for ever.
    seen_lists: HashSet<u64>,
    seen_urls: HashSet<Url>,
    /// The page that is fetched next.
    pub next: Option<Url>,
    /// The number of reviews that the source says it has, where the format describes it.
    pub total: Option<u64>,
    /// Whether the last page names a next one that is not read.
    pub has_further_page: bool,
}

/// Whether a member of an object, or of the objects in it, names a next page; lists are not looked into.
fn names_next_page(json: &str, depth: usize) -> bool {
    if !json.starts_with('{') {
        return false;
    }
    let found = visit(json, |name, value| {
        let plain = name.replace(['_', '-'], "").to_ascii_lowercase();
        let is_empty = matches!(value, "null" | "\"\"" | "0" | "false" | "{}" | "[]");
        // A number there is the offset of this page, and a text the token of the next.
        let is_token = plain == "offset" && value.starts_with('"');
        let says_more = plain.starts_with("hasmore") || plain.starts_with("hasnext");
        let is_named = !is_empty && (plain.starts_with("next") || is_token)
            || says_more && value == "true"
            || depth > 0 && names_next_page(value, depth - 1);
        if is_named {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    found.is_some()
}

impl Pager {
    pub fn new(first: Url) -> Self {
        Self {
            format: None,
            hasher: RandomState::new(),
            seen_lists: HashSet::new(),
            seen_urls: HashSet::from([first.clone()]),
            next: Some(first.clone()),
            first,
            total: None,
            has_further_page: false,
        }
    }

    /// Checks that the address says by how much an offset grows; of a platform's format it has one page otherwise.
    ///
    /// # Errors
    /// If it does not.
    pub fn check_page_size(&self) -> Result<(), SyncError> {
        let format = self.format.as_ref().filter(|format| format.is_table());
        let size = format.and_then(|format| format.paging.as_ref()?.size.as_ref());
        if size.is_none_or(|name| number_in(&self.first, name, None).is_some()) {
            return Ok(());
        }
        let reason = "[paging] of the format: size is the name of the address's parameter with the number of reviews per page, such as \
             \"limit\"; the address has none of that name";
        Err(reason.into())
    }

    fn paging(&self) -> Option<&Paging> {
        self.format.as_ref()?.paging.as_ref()
    }

    /// Whether this status of a further page means that there is none.
    pub fn is_end(&self, status: u16) -> bool {
        (self.paging()).is_some_and(|paging| paging.end_status.contains(&status))
    }

    /// Takes the page at `url` with this body, and finds the next one; returns whether it has rows that no earlier page had. A page without
    /// is the end; a short one is not.
    ///
    /// # Errors
    /// If a further page has no list of rows.
    pub fn turn(&mut self, url: &Url, page: &FetchedPage, body: &str) -> Result<bool, SyncError> {
        let rows = self.find_rows(body)?;
        let has_rows = !rows.is_empty() && !is_empty_list(rows);
        let is_new = has_rows && self.seen_lists.insert(self.hasher.hash_one(rows));
        let paging = self.paging();
        let total = paging.and_then(|paging| paging.total.as_ref());
        let total = total.and_then(|path| word(member(body, path)?)?.parse().ok());
        let path = paging.and_then(|paging| paging.next.as_ref());
        let link = next_link(&page.headers).map(str::to_owned);
        let link = link.or_else(|| word(member(body, path?)?));
        let candidate = match &link {
            Some(link) => self.with_query_of(link),
            None => self.next_by_format(url, body, rows),
        };
        // A token that repeats would lead around in circles.
        let is_by_token = candidate.is_some() && paging.is_some_and(|it| it.token.is_some());
        let next = candidate.filter(|next| !self.seen_urls.contains(next));
        let says_more = match &link {
            Some(link) => next.is_some() || self.is_elsewhere(link),
            // A token that the page lacks says nothing of a next one.
            None if is_by_token => next.is_some(),
            None => names_next_page(body, DEPTH_MAX),
        };
        self.total = self.total.max(total);
        self.next = next.filter(|_| is_new);
        self.seen_urls.extend(self.next.clone());
        self.has_further_page = self.next.is_none() && says_more;
        Ok(is_new)
    }

    /// The list of rows in a page: of JSON where the format says, else the whole page.
    fn find_rows<'b>(&self, body: &'b str) -> Result<&'b str, SyncError> {
        let paths = self.paging().and_then(|paging| paging.rows.as_deref());
        let Some(paths) = paths.filter(|_| body.starts_with(['{', '<'])) else {
            return Ok(body);
        };
        let mut lists = paths.split(", ").filter_map(|path| member(body, path));
        match lists.find(|list| list.starts_with('[')) {
            None if !self.seen_lists.is_empty() => Err(NO_REVIEWS.into()),
            list => Ok(list.unwrap_or(body)),
        }
    }

    /// Whether the link is of another path, of which nothing but the query would be read.
    fn is_elsewhere(&self, link: &str) -> bool {
        let target = self.first.join(link);
        target.is_ok_and(|target| target.path() != self.first.path())
    }

    /// The page after the one at `url`, as the format says. An offset grows by no more than the page has, which a server may have cut.
    fn next_by_format(&self, url: &Url, body: &str, rows: &str) -> Option<Url> {
        let paging = self.paging()?;
        if paging.next.is_some() {
            return None;
        }
        if let (Some(token), Some(parameter)) = (&paging.token, &paging.parameter) {
            let token = word(member(body, token)?)?;
            return Some(with_parameter(url, parameter, &token));
        }
        let (name, value) = match (&paging.page, &paging.offset, &paging.size) {
            (Some(page), ..) => (page, number_in(url, page, Some(1))?.checked_add(1)?),
            (None, Some(offset), Some(size)) => {
                let mut size = number_in(url, size, None)?;
                if rows.starts_with('[') {
                    size = size.min(elements(rows).len() as u64);
                }
                (offset, number_in(url, offset, Some(0))?.checked_add(size)?)
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
        let named: HashSet<String> = next.query_pairs().map(|pair| pair.0.into_owned()).collect();
        for (name, value) in self.first.query_pairs() {
            if !named.contains(&*name) {
                next.query_pairs_mut().append_pair(&name, &value);
            }
        }
        Some(next)
    }
}

/// The number in a parameter of a URL.
fn number_in(url: &Url, name: &str, default: Option<u64>) -> Option<u64> {
    let mut pairs = url.query_pairs();
    let value = pairs.find(|(other, _)| other == name);
    value.map_or(default, |(_, value)| value.parse().ok())
}

fn with_parameter(url: &Url, name: &str, value: &str) -> Url {
    let mut others: Vec<_> = url.query_pairs().into_owned().collect();
    others.retain(|(other, _)| other != name);
    let mut url = url.clone();
    (url.query_pairs_mut().clear().extend_pairs(others)).append_pair(name, value);
    url
}

/// The target of `rel="next"` in `Link` fields such as `<URL>; rel="next", <URL>; rel="last"`.
fn next_link(headers: &HeaderMap) -> Option<&str> {
    for field in headers.get_all(LINK) {
        // A target may contain commas and semicolons, so the parts begin at the angle brackets.
        for part in field.to_str().unwrap_or_default().split('<') {
            let (target, parameters) = part.split_once('>').unwrap_or_default();
            if is_next(parameters) {
                return Some(target);
            }
        }
    }
    None
}

fn is_next(parameters: &str) -> bool {
    parameters.split([';', ',']).any(|parameter| {
        let (name, value) = parameter.split_once('=').unwrap_or_default();
        let mut relations = value.trim().trim_matches('"').split_ascii_whitespace();
        name.trim().eq_ignore_ascii_case("rel")
            && relations.any(|relation| relation.eq_ignore_ascii_case("next"))
    })
}

// Reads single members of a JSON answer. It is never parsed as a whole, because values take up to a hundred times the bytes of
// their text.

/// The value at `path`, such as `response.pagination.total`.
pub fn member<'j>(json: &'j str, path: &str) -> Option<&'j str> {
    path.split('.').try_fold(json, json::member)
}

/// The text of a string that is not empty, or of a number.
pub fn word(json: &str) -> Option<String> {
    if json.starts_with('"') {
        let text: Option<String> = serde_json::from_str(json).ok();
        return text.filter(|text| !text.is_empty());
    }
    let is_number = json.starts_with(|first: char| first == '-' || first.is_ascii_digit());
    is_number.then(|| json.to_owned())
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderName;

    use super::*;
    use crate::imports::find_format;

    fn page(headers: impl IntoIterator<Item = (HeaderName, &'static str)>) -> FetchedPage {
        let headers = headers.into_iter();
        FetchedPage {
            status: reqwest::StatusCode::OK,
            headers: headers
                .map(|(name, value)| (name, value.parse().unwrap()))
                .collect(),
        }
    }

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
            let (page, mut pager) = (page([(LINK, link)]), Pager::new(first.clone()));
            pager.turn(&first, &page, "[1]").unwrap();
            let next = next.map(|query| format!("https://shop.test/api?{query}&per_page=2&key=k"));
            assert_eq!(pager.next.map(String::from), next, "{link}");
        }
    }

    /// Of those platforms of which the guide has no entry, and of Apify, by its offset.
    #[test]
    fn next_page_is_found_in_the_style_of_each_platform() {
        for (name, query, body, next) in [
            (
                "trustpilot",
                "perPage=2",
                r#"{"reviews": [{"id": "t1"}]}"#,
                Some("perPage=2&page=2"),
            ),
            (
                "app_store",
                "",
                r#"{"data": [{"id": "j"}], "links": {"next": "https://cdn.test/other?after=b"}}"#,
                Some("after=b"),
            ),
            (
                "app_store",
                "",
                r#"{"data": [{"id": "j"}], "links": {"next": null}}"#,
                None,
            ),
            (
                "serpapi",
                "engine=maps",
                r#"{"reviews": [{"review_id": "s"}], "serpapi_pagination": {"next_page_token": "b"}}"#,
                Some("engine=maps&next_page_token=b"),
            ),
            (
                "podium",
                "limit=2&cursor=2",
                r#"{"data": [{"uid": "p"}], "metadata": {"nextCursor": 4}}"#,
                Some("limit=2&cursor=4"),
            ),
            (
                "apify",
                "limit=2",
                r#"[{"reviewId": "a"}]"#,
                Some("limit=2&offset=1"),
            ),
            (
                "apify",
                "limit=2&offset=2",
                "{\"reviewId\": \"a\"}\n{\"reviewId\": \"b\"}",
                Some("limit=2&offset=4"),
            ),
            ("apify", "", r#"[{"reviewId": "a"}]"#, None),
            ("woocommerce_rest", "per_page=2", "[]", None),
            (
                "trustpilot",
                "",
                "Date,Stars\n2026-03-01,5\n",
                Some("page=2"),
            ),
        ] {
            let url: Url = format!("https://shop.test/r?{query}").parse().unwrap();
            let (page, mut pager) = (page([]), Pager::new(url.clone()));
            pager.format = find_format(name).as_deref().cloned();
            pager.turn(&url, &page, body).unwrap();
            let next = next.map(|query| format!("https://shop.test/r?{query}"));
            assert_eq!(pager.next.take().map(String::from), next, "{name}: {body}");
            assert_eq!(pager.is_end(400), name == "woocommerce_rest");
            // The same page again is the end.
            let is_new = pager.turn(&url, &page, body).unwrap();
            assert_eq!((is_new, &pager.next), (false, &None), "{name}: {body}");
        }
    }

    #[test]
    fn members_name_a_next_page() {
        for (body, is_named) in [
            (r#"{"offset": "itr1", "records": [{}]}"#, true),
            (r#"{"next": "https://h.test/?page=2", "results": []}"#, true),
            (r#"{"links": {"next": {"href": "/2"}}}"#, true),
            (r#"{"nextPageToken": "x"}"#, true),
            (r#"{"page_info": {"has_next_page": true}}"#, true),
            (r#"{"meta": {"pagination": {"total": 3}}}"#, false),
            (
                r#"{"count": 2, "next": null, "total": 2, "offset": 0, "totalPages": 1, "nextPageToken": ""}"#,
                false,
            ),
            (r#"{"reviews": [{"next": "x"}], "totalScore": 45}"#, false),
            ("a,next\n", false),
        ] {
            assert_eq!(names_next_page(body, DEPTH_MAX), is_named, "{body}");
        }
    }
}
