//! The routes of a listener: one [`poem::Route`], with what poem leaves out: the list of paths and methods (for `Allow`,
//! metrics and the tests of the docs), OPTIONS, and checks of what hyper leaves unchecked in a request's head.

use std::collections::HashMap;

use poem::endpoint::BoxEndpoint;
use poem::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_MAX_AGE, ALLOW,
    HOST, LOCATION,
};
use poem::http::{HeaderValue, Method, StatusCode, Version};
use poem::middleware::CatchPanic;
use poem::{Endpoint, EndpointExt, IntoEndpoint, Request, Response, Route};
use poem_openapi::OpenApi;

use super::problem::HttpProblem;
use crate::config::bounds::TARGET_BYTES_MAX;

const ALLOWED_HEADERS: HeaderValue = HeaderValue::from_static(
    "If-None-Match, If-Modified-Since, Content-Type, Accept, Authorization, \
    MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Last-Event-ID",
);
/// The time for which browsers may cache a preflight response: a day.
const PREFLIGHT_SECONDS: HeaderValue = HeaderValue::from_static("86400");

#[derive(Default)]
pub struct Routes {
    pub route: Route,
    pub list: Vec<ListedRoute>,
}

#[derive(Debug, Clone)]
pub struct ListedRoute {
    /// For example `/api/reviews/:id`.
    pub path: String,
    /// In the order of `Allow`; HEAD with GET, and OPTIONS always.
    pub methods: Vec<Method>,
    /// Whether people read it, and type its address.
    pub is_page: bool,
}

impl ListedRoute {
    fn matches(&self, path: &str) -> bool {
        let mut segments = path.split('/');
        let mut patterns = self.path.split('/');
        let is_start = patterns.all(|pattern| {
            let segment = segments.next();
            let is_value = |segment: &str| pattern.starts_with(':') && !segment.is_empty();
            segment.is_some_and(|segment| segment == pattern || is_value(segment))
        });
        is_start && segments.next().is_none()
    }
}

pub type Methods = Vec<(Method, BoxEndpoint<'static>)>;

impl Routes {
    /// A handler for GET and HEAD.
    #[must_use]
    pub fn get(self, path: &str, handler: impl IntoEndpoint<Endpoint: 'static>) -> Self {
        let handler = handler.into_endpoint().map_to_response().boxed();
        self.at(path, vec![(Method::GET, handler)])
    }

    /// A handler for GET and HEAD of a page, whose path may end with a slash (see [`redirect_to_page`]).
    #[must_use]
    pub fn page(self, path: &str, handler: impl IntoEndpoint<Endpoint: 'static>) -> Self {
        let mut routes = self.get(path, handler);
        if let Some(page) = routes.list.last_mut() {
            page.is_page = true;
        }
        routes
    }

    /// The operations of `api`, at the paths of their attributes.
    #[must_use]
    pub fn api<A: OpenApi>(self, api: A) -> Self {
        let mut handlers = HashMap::new();
        api.add_routes(&mut handlers);
        // They have the paths with numbers in place of the parameters' names.
        let handlers = handlers.into_iter();
        let handlers = handlers.map(|(path, methods)| (without_names(&path), methods));
        let mut handlers: HashMap<String, _> = handlers.collect();
        let paths = A::meta().into_iter().flat_map(|api| api.paths);
        paths.fold(self, |routes, path| {
            let methods = handlers.remove(&without_names(&path.path));
            let path = path.path.replace('{', ":").replace('}', "");
            routes.at(&path, methods.into_iter().flatten().collect())
        })
    }

    #[must_use]
    pub fn at(mut self, path: &str, handlers: Methods) -> Self {
        let mut methods: Vec<Method> = handlers.iter().map(|(method, _)| method.clone()).collect();
        methods.extend(methods.contains(&Method::GET).then_some(Method::HEAD));
        // GET, HEAD and POST before the others.
        methods.sort_by_key(|method| (*method == Method::DELETE, method.as_str().to_owned()));
        methods.push(Method::OPTIONS);
        let allowed: Vec<&str> = methods.iter().map(Method::as_str).collect();
        // Names of methods are always valid.
        let allowed = HeaderValue::try_from(allowed.join(", "))
            .unwrap_or_else(|fault| unreachable!("{fault}"));
        self.list.push(ListedRoute {
            path: path.to_owned(),
            methods,
            is_page: false,
        });
        let panics = CatchPanic::new().with_handler(|_| {
            tracing::error!(
                "request.panicked: a handler panicked; the panic message is logged above"
            );
            StatusCode::INTERNAL_SERVER_ERROR
        });
        let handlers = MethodHandlers { allowed, handlers };
        self.route = self.route.at(path, handlers.with(panics));
        self
    }
}

/// The handlers of one path. Poem's `RouteMethod` answers neither OPTIONS nor with `Allow`.
struct MethodHandlers {
    /// The value of `Allow`.
    allowed: HeaderValue,
    handlers: Methods,
}

impl Endpoint for MethodHandlers {
    type Output = Response;

    async fn call(&self, request: Request) -> poem::Result<Response> {
        let mut handlers = self.handlers.iter();
        match handlers.find(|(method, _)| method == request.method()) {
            Some((_, handler)) => handler.call(request).await,
            None if *request.method() == Method::OPTIONS => Ok(options(&self.allowed)),
            None => Err(HttpProblem::method_not_allowed(&self.allowed).into()),
        }
    }
}

fn options(allowed: &HeaderValue) -> Response {
    Response::builder()
        .status(StatusCode::NO_CONTENT)
        .header(ALLOW, allowed)
        .header(ACCESS_CONTROL_ALLOW_METHODS, allowed)
        .header(ACCESS_CONTROL_ALLOW_HEADERS, ALLOWED_HEADERS)
        .header(ACCESS_CONTROL_MAX_AGE, PREFLIGHT_SECONDS)
        .finish()
}

/// A path with `*` in place of each parameter: `{id}` in OpenAPI, `:param0` in poem-openapi's routes.
fn without_names(path: &str) -> String {
    let segments = path.split('/').map(|segment| {
        let is_parameter = segment.starts_with(['{', ':']);
        if is_parameter { "*" } else { segment }
    });
    segments.collect::<Vec<_>>().join("/")
}

/// The answer to a request for the path of a page with a slash at its end: that it is permanently at the path without it, which says what
/// it allows.
pub fn redirect_to_page(request: &Request, routes: &[ListedRoute]) -> Option<Response> {
    let path = request.uri().path().strip_suffix('/')?;
    let mut pages = routes.iter().filter(|route| route.is_page);
    if !pages.any(|page| page.matches(path)) {
        return None;
    }
    let name = path.rsplit('/').next().unwrap_or_default();
    let query = request.uri().query();
    let query = query.map(|query| format!("?{query}")).unwrap_or_default();
    // Relative, because a proxy may serve this below another path.
    let location = HeaderValue::try_from(format!("../{name}{query}")).ok()?;
    let redirect = Response::builder().status(StatusCode::PERMANENT_REDIRECT);
    Some(redirect.header(LOCATION, location).finish())
}

// What hyper leaves unchecked in a request's head.

/// # Errors
/// 414, or 400 without exactly one `Host`.
pub fn check_target(request: &Request) -> Result<(), HttpProblem> {
    let uri = request.uri();
    let target_bytes = uri.path_and_query().map_or(0, |part| part.as_str().len())
        + uri.authority().map_or(0, |part| part.as_str().len());
    if target_bytes > TARGET_BYTES_MAX {
        let detail = format!(
            "The request's target is longer than {TARGET_BYTES_MAX} bytes. Shorten its path or query."
        );
        return Err(HttpProblem::new(StatusCode::URI_TOO_LONG, detail));
    }
    // RFC 9112 §3.2.
    let hosts = request.headers().get_all(HOST).iter().count();
    if hosts > 1 || hosts == 0 && request.version() >= Version::HTTP_11 {
        let detail = "An HTTP/1.1 request needs a `Host` header field, once. Send exactly one.";
        return Err(HttpProblem::new(StatusCode::BAD_REQUEST, detail));
    }
    Ok(())
}
