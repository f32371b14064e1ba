//! The one route table: every path that the service answers, and what may be done there. Allow, OPTIONS, the labels of the
//! metrics and the test of the docs all read it; the test `routing` holds it against what really answers.

use poem::http::Method;

use crate::edition::Document;
use crate::links::{HUB_PATH, MCP_PATH};

const READ: &[Method] = &[Method::GET, Method::HEAD, Method::OPTIONS];

/// A path pattern (`:name` stands for one segment) and its methods.
#[derive(Debug, Clone, Copy)]
pub struct Route {
    /// For example `/api/reviews/:id`.
    pub pattern: &'static str,
    /// What is allowed there.
    pub methods: &'static [Method],
}

/// Every route; where two match, the first does.
pub const ROUTES: [Route; 17] = [
    read("/"),
    read(Document::Reviews.path()),
    read(Document::Insights.path()),
    read(Document::JsonFeed.path()),
    read(Document::AtomFeed.path()),
    read("/insights/aspects/:id/evidence.json"),
    read("/api/reviews/search"),
    read("/api/reviews/since/:date"),
    read("/api/reviews/:id"),
    read("/reviews/:id"),
    read(OPENAPI_PATH),
    read("/docs"),
    read("/healthz"),
    read("/readyz"),
    read("/metrics"),
    Route { pattern: HUB_PATH, methods: &[Method::POST, Method::OPTIONS] },
    Route { pattern: MCP_PATH, methods: &[Method::POST, Method::DELETE, Method::OPTIONS] },
];

/// Where the OpenAPI document is.
pub const OPENAPI_PATH: &str = "/.well-known/openapi.json";

const fn read(pattern: &'static str) -> Route {
    Route { pattern, methods: READ }
}

/// The route that a path belongs to.
#[must_use]
pub fn find(path: &str) -> Option<&'static Route> {
    ROUTES.iter().find(|route| matches(route.pattern, path))
}

fn matches(pattern: &str, path: &str) -> bool {
    let (mut wanted, mut given) = (pattern.split('/'), path.split('/'));
    loop {
        match (wanted.next(), given.next()) {
            (None, None) => return true,
            (Some(wanted), Some(given)) if wanted == given || (wanted.starts_with(':') && !given.is_empty()) => {}
            (Some(_) | None, Some(_) | None) => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::find;

    #[test]
    fn a_path_belongs_to_the_first_route_that_matches() {
        for (path, pattern) in [
            ("/", Some("/")),
            ("/api/reviews/search", Some("/api/reviews/search")),
            ("/api/reviews/r-1", Some("/api/reviews/:id")),
            ("/api/reviews/since/2024-01-01", Some("/api/reviews/since/:date")),
            ("/api/reviews/", None),
            ("/reviews.json/", None),
            ("", None),
        ] {
            assert_eq!(find(path).map(|route| route.pattern), pattern, "{path}");
        }
    }
}
