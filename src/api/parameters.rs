//! Extractors for parameters: each returns its value or its error, so that all errors are reported at once. The
//! framework's extractors stop at the first.
//!
//! Each argument of a handler documents one parameter. The framework documents it under the argument's name, which
//! must be the parameter's; the test `what_is_described_is_what_is_answered` checks it.

use std::marker::PhantomData;

use poem::{Request, RequestBody, Response};
use poem_openapi::registry::{MetaParamIn, MetaSchemaRef, Registry};
use poem_openapi::{ApiExtractor, ApiExtractorType, ExtractParamOptions};

use crate::model::parameters::{
    InvalidParameter, Parameter, ParameterSource, Parsed, RECEIVED_CHARACTERS_MAX,
};
use crate::search::CursorParameter;
use crate::web::{UrlParameters, invalid_parameters};
use crate::wire::Issue;
use crate::wire::parameters::{Described, schema};

/// Maximum number of ignored names in a response.
const IGNORED_MAX: usize = 20;

/// A documented parameter of the query string. [`RequestParameters`] reads its value from the request, like any other
/// parameter source.
pub struct Query<P: Parameter>(PhantomData<fn() -> P>);

/// A parameter of the path. The framework's derive recognises path parameters by this type name.
pub struct Path<P: Parameter>(pub Parsed<P>);

/// Reads a request's parameters and collects their names and errors.
#[derive(Debug)]
pub struct RequestParameters<'a> {
    request: &'a Request,
    names: Vec<&'static str>,
    issues: Vec<Issue>,
}

impl ParameterSource for RequestParameters<'_> {
    fn read<P: Parameter>(&mut self) -> Parsed<P> {
        self.names.push(P::NAME);
        UrlParameters::query::<P>(self.request)
    }

    fn refuse(&mut self, invalid: InvalidParameter) {
        self.issues.push(invalid.into());
    }

    fn is_wrong(&self) -> bool {
        !self.issues.is_empty()
    }
}

impl<'a> RequestParameters<'a> {
    pub const fn of(request: &'a Request) -> Self {
        Self {
            request,
            names: Vec::new(),
            issues: Vec::new(),
        }
    }

    pub const fn request(&self) -> &'a Request {
        self.request
    }

    /// The names of given parameters that were not read, without duplicates.
    pub fn ignored_names(&self) -> Vec<String> {
        let mut ignored = Vec::new();
        for (name, _) in
            UrlParameters::pairs(self.request).filter(|(name, _)| !self.names.contains(name))
        {
            let name: String = name.chars().take(RECEIVED_CHARACTERS_MAX).collect();
            if ignored.len() < IGNORED_MAX && !ignored.contains(&name) {
                ignored.push(name);
            }
        }
        ignored
    }

    /// The query string of the request for the page at `cursor`.
    pub fn next_query(&self, cursor: &str) -> String {
        let is_kept = |name: &str| self.names.contains(&name) && name != CursorParameter::NAME;
        let pairs = UrlParameters::pairs(self.request)
            .filter_map(|(name, value)| Some((name, value.ok().filter(|_| is_kept(name))?)));
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        query
            .extend_pairs(pairs)
            .append_pair(CursorParameter::NAME, cursor)
            .finish()
    }

    /// The error response; there must be at least one issue.
    pub fn into_problem(self) -> Response {
        invalid_parameters(self.issues)
    }

    /// The error response if there are issues.
    pub fn problem(&mut self) -> Option<Response> {
        (!self.issues.is_empty()).then(|| invalid_parameters(std::mem::take(&mut self.issues)))
    }
}

impl<'a, P: Parameter<Kind: Described>> ApiExtractor<'a> for Query<P> {
    const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::Parameter];
    const PARAM_IS_REQUIRED: bool = P::IS_REQUIRED;
    type ParamType = ();
    type ParamRawType = ();

    fn register(registry: &mut Registry) {
        P::Kind::register(registry);
    }

    fn param_in() -> Option<MetaParamIn> {
        Some(MetaParamIn::Query)
    }

    fn param_schema_ref() -> Option<MetaSchemaRef> {
        Some(schema::<P>())
    }

    async fn from_request(
        _: &'a Request,
        _: &mut RequestBody,
        _: ExtractParamOptions<()>,
    ) -> poem::Result<Self> {
        Ok(Self(PhantomData))
    }
}

impl<'a, P: Parameter<Kind: Described>> ApiExtractor<'a> for Path<P> {
    const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::Parameter];
    const PARAM_IS_REQUIRED: bool = true;
    type ParamType = ();
    type ParamRawType = ();

    fn register(registry: &mut Registry) {
        P::Kind::register(registry);
    }

    fn param_in() -> Option<MetaParamIn> {
        Some(MetaParamIn::Path)
    }

    fn param_schema_ref() -> Option<MetaSchemaRef> {
        Some(schema::<P>())
    }

    async fn from_request(
        request: &'a Request,
        _: &mut RequestBody,
        _: ExtractParamOptions<()>,
    ) -> poem::Result<Self> {
        Ok(Self(UrlParameters::path::<P>(request)))
    }
}
