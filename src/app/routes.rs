//! The one route table: every path that the service answers, what may be done there, and who does it. Allow, OPTIONS, the labels
//! of the metrics, the home page and the tests of the docs all read it.

use poem::Request;

use crate::respond::{Route, UrlParameters};

/// Every route; where two match, the first does.
#[derive(Debug)]
pub struct RouteTable(Vec<Route>);

impl RouteTable {
    /// The table of these, in this order.
    #[must_use]
    pub const fn new(routes: Vec<Route>) -> Self {
        Self(routes)
    }

    /// The routes.
    #[must_use]
    pub fn routes(&self) -> &[Route] {
        &self.0
    }

    /// The route that a path belongs to.
    #[must_use]
    pub fn find(&self, path: &str) -> Option<&Route> {
        self.matching(path).map(|(route, _)| route)
    }

    /// The route of a request; what its URL says is kept with it.
    pub fn take(&self, request: &mut Request) -> Option<&Route> {
        let (route, segments) = self.matching(request.uri().path())?;
        if !segments.is_empty() || request.uri().query().is_some() {
            let parameters = UrlParameters::of_path(segments);
            request.extensions_mut().insert(parameters);
        }
        Some(route)
    }

    fn matching<'a>(&self, path: &'a str) -> Option<(&Route, Vec<(&'static str, &'a str)>)> {
        self.0.iter().find_map(|route| Some((route, segments(route.pattern, path)?)))
    }
}

/// The segments of `path` that the pattern names, if it matches.
fn segments<'a>(pattern: &'static str, path: &'a str) -> Option<Vec<(&'static str, &'a str)>> {
    if pattern == path {
        return Some(Vec::new());
    }
    if !pattern.contains(':') {
        return None;
    }
    let mut named = Vec::new();
    let (mut wanted, mut given) = (pattern.split('/'), path.split('/'));
    loop {
        match (wanted.next(), given.next()) {
            (None, None) => return Some(named),
            (Some(wanted), Some(given)) => match wanted.strip_prefix(':') {
                Some(name) if !given.is_empty() => named.push((name, given)),
                None if wanted == given => {}
                Some(_) | None => return None,
            },
            (Some(_), None) | (None, Some(_)) => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{RouteTable, segments};
    use crate::respond::Route;

    #[test]
    fn a_path_belongs_to_the_first_route_that_matches() {
        let patterns =
            ["/", "/reviews.json", "/api/reviews/search", "/api/reviews/since/:date", "/api/reviews/:id", "/a/:id/e.json"];
        let table = RouteTable::new(patterns.map(Route::new).into());
        for (path, pattern) in [
            ("/", Some("/")),
            ("/api/reviews/search", Some("/api/reviews/search")),
            ("/api/reviews/r-1", Some("/api/reviews/:id")),
            ("/api/reviews/since/2024-01-01", Some("/api/reviews/since/:date")),
            ("/a/%FF/e.json", Some("/a/:id/e.json")),
            ("/a//e.json", None),
            ("/api/reviews/", None),
            ("/reviews.json/", None),
            ("", None),
        ] {
            assert_eq!(table.find(path).map(|route| route.pattern), pattern, "{path}");
        }
        assert_eq!(segments("/a/:id/e.json", "/a/x%20y/e.json"), Some(vec![("id", "x%20y")]));
    }
}
