//! How a handler gets its parameters: each by itself, as its value or as what is wrong with it, so that all that is wrong can be
//! said at once (CONTRACT §3). The framework's own extractors end at the first.
//!
//! An argument of a handler is one described parameter. The framework reads the name in the document from the argument's name,
//! which must be that of the parameter; the test `what_is_described_is_what_is_answered` holds it.

use poem::{Request, RequestBody, Response};
use poem_openapi::registry::{MetaParamIn, MetaSchemaRef, Registry};
use poem_openapi::{ApiExtractor, ApiExtractorType, ExtractParamOptions};

use crate::respond::{UrlParameters, invalid_parameters};
use crate::reviews::parameters::{InvalidParameter, Parameter, Parsed, Value};
use crate::wire::Issue;
use crate::wire::parameters::{Described, schema};

/// A parameter of the query string.
pub struct Query<P: Parameter>(pub Parsed<P>);

/// A part of the path. The derive of an API looks for a type of this very name to tell such a parameter from others.
pub struct Path<P: Parameter>(pub Parsed<P>);

/// What is wrong with the parameters of a request.
#[derive(Debug, Default)]
pub struct Issues(Vec<Issue>);

impl Issues {
    /// The value, or `None` where it is absent or wrong; what is wrong is kept.
    pub fn take<T>(&mut self, parsed: Result<Option<T>, InvalidParameter>) -> Option<T> {
        parsed.unwrap_or_else(|invalid| {
            self.0.push(invalid.into());
            None
        })
    }

    /// The value of what must be given; `None` where it is absent or wrong, which is kept.
    pub fn require<P: Parameter>(&mut self, parsed: Parsed<P>) -> Option<Value<P>> {
        self.take(parsed.and_then(|value| value.map(Some).ok_or_else(InvalidParameter::missing::<P>)))
    }

    /// The answer to a request with these, of which there is at least one.
    pub fn into_problem(self) -> Response {
        invalid_parameters(self.0)
    }

    /// The answer to a request with these, if there are any.
    pub fn problem(self) -> Option<Response> {
        (!self.0.is_empty()).then(|| invalid_parameters(self.0))
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

    async fn from_request(request: &'a Request, _: &mut RequestBody, _: ExtractParamOptions<()>) -> poem::Result<Self> {
        Ok(Self(UrlParameters::query::<P>(request)))
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

    async fn from_request(request: &'a Request, _: &mut RequestBody, _: ExtractParamOptions<()>) -> poem::Result<Self> {
        Ok(Self(UrlParameters::path::<P>(request)))
    }
}
