//! Routes: path, methods, operation IDs and handlers as each module exports them, and the table of all, with what each
//! counts. `Allow`, OPTIONS, metric labels, the home page and tests of the docs all use it.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use poem::endpoint::{BoxEndpoint, make_sync};
use poem::http::header::LOCATION;
use poem::http::{HeaderMap, HeaderValue, Method, StatusCode};
use poem::{Endpoint, EndpointExt, IntoResponse, Request, Response};

use super::UrlParameters;
use crate::links::normal;
use crate::metrics;
use crate::metrics::{Counter, Histogram};

/// Answers GET and HEAD of a path from the header fields without waiting, or not if the answer is not ready. The server
/// calls it before it converts the request.
pub type AtHand = Arc<dyn Fn(&HeaderMap) -> Option<Response> + Send + Sync>;

pub struct Route {
    /// For example `/api/reviews/:id`; `:name` matches one segment.
    pub pattern: &'static str,
    /// The name under which the path is listed for people; `None` if it is not listed.
    pub title: Option<&'static str>,
    /// The redirect's target, relative to the pattern; `None` if the path is not a redirect.
    pub target: Option<&'static str>,
    handlers: Vec<RouteHandler>,
    at_hand: Option<AtHand>,
    pub counts: AnswerCounts,
}

struct RouteHandler {
    method: Method,
    /// The operation ID in the OpenAPI document; `None` if it is not documented.
    operation: Option<&'static str>,
    endpoint: BoxEndpoint<'static>,
}

impl Route {
    pub fn new(pattern: &'static str) -> Self {
        Self {
            pattern,
            title: None,
            target: None,
            handlers: Vec::new(),
            at_hand: None,
            counts: AnswerCounts::of(label(pattern)),
        }
    }

    /// A permanent redirect that keeps the query string (308, so that clients do not change the method). `target` is
    /// relative to `pattern`, so it holds below any base URL.
    pub fn leading_to(pattern: &'static str, target: &'static str) -> Self {
        let lead = move |request: Request| {
            let query = request.uri().query();
            let location = query.map(|query| format!("{target}?{query}"));
            let location = location.and_then(|url| HeaderValue::from_bytes(url.as_bytes()).ok());
            Response::builder()
                .status(StatusCode::PERMANENT_REDIRECT)
                .header(
                    LOCATION,
                    location.unwrap_or_else(|| HeaderValue::from_static(target)),
                )
                .finish()
        };
        Self {
            target: Some(target),
            ..Self::new(pattern).get(None, make_sync(lead))
        }
    }

    /// Adds an [`AtHand`] answer to GET and HEAD of this path without a query string.
    pub fn at_hand(
        mut self,
        answer: impl Fn(&HeaderMap) -> Option<Response> + Send + Sync + 'static,
    ) -> Self {
        self.at_hand = Some(Arc::new(answer));
        self
    }

    /// Adds a handler for GET and HEAD.
    pub fn get<E: Endpoint<Output: IntoResponse> + 'static>(
        self,
        operation: impl Into<Option<&'static str>>,
        endpoint: E,
    ) -> Self {
        self.on(Method::GET, operation, endpoint)
    }

    pub fn on<E>(
        mut self,
        method: Method,
        operation: impl Into<Option<&'static str>>,
        endpoint: E,
    ) -> Self
    where
        E: Endpoint<Output: IntoResponse> + 'static,
    {
        self.handlers.push(RouteHandler {
            method,
            operation: operation.into(),
            endpoint: endpoint.map_to_response().boxed(),
        });
        self
    }

    /// Lists the path for people under `title`.
    pub const fn titled(mut self, title: &'static str) -> Self {
        self.title = Some(title);
        self
    }

    /// What the OpenAPI document describes of the route: its pattern, the method and the ID of each operation.
    pub fn operations(&self) -> impl Iterator<Item = (&'static str, Method, &'static str)> {
        self.handlers
            .iter()
            .filter_map(|handler| Some((self.pattern, handler.method.clone(), handler.operation?)))
    }

    /// HEAD has the handler of GET (RFC 9110 §9.3.2).
    pub fn endpoint(&self, method: &Method) -> Option<&BoxEndpoint<'static>> {
        let method = if *method == Method::HEAD {
            &Method::GET
        } else {
            method
        };
        self.handlers
            .iter()
            .find(|handler| handler.method == *method)
            .map(|handler| &handler.endpoint)
    }

    /// The methods for `Allow`; OPTIONS is always included.
    pub fn methods(&self) -> Vec<Method> {
        let answered = self
            .handlers
            .iter()
            .flat_map(|handler| match handler.method {
                Method::GET => vec![Method::GET, Method::HEAD],
                ref other => vec![other.clone()],
            });
        answered.chain([Method::OPTIONS]).collect()
    }
}

// What is counted of each route's responses.

/// Responses are counted by these classes of status.
const CLASSES: [&str; 5] = ["2xx", "304", "3xx", "4xx", "5xx"];
/// The classes whose series start at zero: successes and failures.
const BEGUN_CLASSES: [usize; 2] = [0, 4];

/// The counters of one route, cached because a registry lookup costs more than counting.
pub struct AnswerCounts {
    /// The route's label in metrics and in the request log.
    pub route: &'static str,
    by_class: [OnceLock<Counter>; CLASSES.len()],
    seconds: OnceLock<Histogram>,
}

impl AnswerCounts {
    /// The series that alerts use start at zero; the others with their first response.
    fn of(route: &'static str) -> Self {
        let counts = Self {
            route,
            by_class: std::array::from_fn(|_| OnceLock::new()),
            seconds: OnceLock::new(),
        };
        for class in BEGUN_CLASSES {
            counts.counter(class);
        }
        counts
    }

    fn counter(&self, class: usize) -> &Counter {
        self.by_class[class]
            .get_or_init(|| metrics::REQUESTS.counter(&[self.route, CLASSES[class]]))
    }

    /// Counts a response that took so long.
    pub fn count(&self, status: StatusCode, taken: Duration) {
        let class = match status.as_u16() {
            200..=299 => 0,
            304 => 1,
            300..=399 => 2,
            400..=499 => 3,
            _ => 4,
        };
        self.counter(class).inc();
        self.seconds
            .get_or_init(|| metrics::REQUEST_SECONDS.histogram(&[self.route]))
            .observe(taken.as_secs_f64());
    }
}

/// Names of assets contain digests, which change with each release.
fn label(pattern: &'static str) -> &'static str {
    if pattern.starts_with("/assets/") {
        "/assets/:file"
    } else {
        pattern
    }
}

// The table of all routes.

/// If two routes match, the first one applies.
pub struct RouteTable {
    pub routes: Vec<Route>,
    /// Of paths without a route, under one label because clients choose paths freely.
    pub unrouted: AnswerCounts,
}

impl RouteTable {
    pub fn new(routes: Vec<Route>) -> Self {
        let unrouted = AnswerCounts::of("none");
        Self { routes, unrouted }
    }

    /// The ready answer to GET of exactly this path, and its route.
    pub fn at_hand(&self, path: &str) -> Option<(&Route, &AtHand)> {
        self.routes.iter().find_map(|route| {
            let answer = route.at_hand.as_ref()?;
            (route.pattern == path).then_some((route, answer))
        })
    }

    /// The request's route; stores the URL's parameters in the request.
    pub fn take(&self, request: &mut Request) -> Option<&Route> {
        let path = normal(request.uri().path());
        let (route, segments) = self.matching(&path)?;
        if !segments.is_empty() || request.uri().query().is_some() {
            let parameters = UrlParameters::of_path(segments);
            drop(path);
            request.extensions_mut().insert(parameters);
        }
        Some(route)
    }

    fn matching<'a>(&self, path: &'a str) -> Option<(&Route, Vec<(&'static str, &'a str)>)> {
        let mut routes = self.routes.iter();
        routes.find_map(|route| Some((route, segments(route.pattern, path)?)))
    }
}

/// The named segments of `path`, if the pattern matches.
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
    use super::{RouteTable, normal, segments};
    use crate::web::Route;

    #[test]
    fn a_path_belongs_to_the_first_route_that_matches() {
        let patterns = [
            "/",
            "/reviews.json",
            "/api/reviews/search",
            "/api/reviews/since/:date",
            "/api/reviews/:id",
            "/a/:id/e.json",
        ];
        let table = RouteTable::new(patterns.map(Route::new).into());
        for (path, pattern) in [
            ("/", Some("/")),
            ("/api/reviews/search", Some("/api/reviews/search")),
            ("/api/reviews/r-1", Some("/api/reviews/:id")),
            (
                "/api/reviews/since/2024-01-01",
                Some("/api/reviews/since/:date"),
            ),
            ("/a/%FF/e.json", Some("/a/:id/e.json")),
            ("/a//e.json", None),
            ("/%72eviews.json", Some("/reviews.json")),
            ("/%2572eviews.json", None),
            ("/%2Freviews.json", None),
            ("/api%2Freviews/search", None),
            ("/api/reviews/%73earch", Some("/api/reviews/search")),
            ("/api/reviews/%", Some("/api/reviews/:id")),
            ("/%+2eviews.json", None),
            ("/%€", None),
            ("/api/reviews/", None),
            ("/reviews.json/", None),
            ("", None),
        ] {
            let found = table
                .matching(&normal(path))
                .map(|(route, _)| route.pattern);
            assert_eq!(found, pattern, "{path}");
        }
        assert_eq!(
            segments("/a/:id/e.json", "/a/x%20y/e.json"),
            Some(vec![("id", "x%20y")])
        );
    }
}
