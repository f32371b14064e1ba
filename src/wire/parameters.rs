//! Parameters of requests: the OpenAPI schema of each kind, the issue of a wrong value, and the hub's form.

pub use poem_openapi::registry::MetaSchemaRef;
use poem_openapi::registry::{MetaSchema, Registry};
use poem_openapi::types::Type;
use poem_openapi::{Enum, Object};
use serde_json::json;

use super::insights::Polarity;
use super::problem::{Issue, IssueCode};
use crate::model::parameters::{
    Date, Decimal, Flag, InsightsPart, InvalidParameter, OneOf, Parameter, ParameterFault,
    ParameterKind, StarsKind, TextKind, Whole,
};
use crate::model::{Sort, TextMatch, Vote};

pub trait Described: ParameterKind {
    /// The OpenAPI schema, including the bounds.
    fn schema(self) -> MetaSchemaRef;

    /// Registers the component that the schema refers to, if any.
    fn register(_: &mut Registry) {}
}

pub fn schema<P: Parameter<Kind: Described>>() -> MetaSchemaRef {
    let default = P::DEFAULT.map(|default| json!(default));
    P::KIND.schema().merge(MetaSchema {
        default,
        ..MetaSchema::ANY
    })
}

fn inline(schema: MetaSchema) -> MetaSchemaRef {
    MetaSchemaRef::Inline(Box::new(schema))
}

impl Described for Whole {
    fn schema(self) -> MetaSchemaRef {
        let (minimum, maximum) = (Some(f64::from(self.least)), Some(f64::from(self.most)));
        inline(MetaSchema {
            minimum,
            maximum,
            ..MetaSchema::new("integer")
        })
    }
}

impl Described for StarsKind {
    fn schema(self) -> MetaSchemaRef {
        Self::BOUNDS.schema()
    }
}

impl Described for Decimal {
    fn schema(self) -> MetaSchemaRef {
        let (minimum, maximum) = (Some(f64::from(self.0.least)), Some(f64::from(self.0.most)));
        inline(MetaSchema {
            minimum,
            maximum,
            ..MetaSchema::new_with_format("number", "double")
        })
    }
}

impl Described for Date {
    fn schema(self) -> MetaSchemaRef {
        inline(MetaSchema::new_with_format("string", "date"))
    }
}

impl Described for TextKind {
    fn schema(self) -> MetaSchemaRef {
        inline(MetaSchema {
            max_length: self.characters_max,
            ..MetaSchema::new("string")
        })
    }
}

impl Described for Flag {
    fn schema(self) -> MetaSchemaRef {
        inline(MetaSchema::new("boolean"))
    }
}

impl Described for OneOf<Vote> {
    fn schema(self) -> MetaSchemaRef {
        Polarity::schema_ref()
    }

    fn register(registry: &mut Registry) {
        Polarity::register(registry);
    }
}

impl Described for OneOf<TextMatch> {
    fn schema(self) -> MetaSchemaRef {
        one_of_these(&self)
    }
}

impl Described for OneOf<Sort> {
    fn schema(self) -> MetaSchemaRef {
        one_of_these(&self)
    }
}

impl Described for OneOf<InsightsPart> {
    fn schema(self) -> MetaSchemaRef {
        one_of_these(&self)
    }
}

fn one_of_these<T: Copy>(choice: &OneOf<T>) -> MetaSchemaRef {
    let names = choice.0.iter().map(|value| json!((choice.1)(*value)));
    inline(MetaSchema {
        enum_items: names.collect(),
        ..MetaSchema::new("string")
    })
}

impl From<InvalidParameter> for Issue {
    fn from(invalid: InvalidParameter) -> Self {
        let InvalidParameter {
            name,
            fault,
            message,
            received,
        } = invalid;
        let code = match fault {
            ParameterFault::Type => IssueCode::InvalidType,
            ParameterFault::TooSmall => IssueCode::TooSmall,
            ParameterFault::TooBig => IssueCode::TooBig,
            ParameterFault::Date => IssueCode::InvalidDate,
            ParameterFault::Text => IssueCode::InvalidString,
            ParameterFault::Duplicate => IssueCode::Duplicate,
        };
        Self {
            path: vec![name.to_owned()],
            code,
            message,
            received,
        }
    }
}

// The form of a subscriber's request to the hub (W3C WebSub §5.1).

/// A request to the hub, as a form.
#[derive(Debug, Clone, PartialEq, Eq, Object)]
pub struct HubRequest {
    /// Where to deliver: an `https` URL of at most 2,048 bytes with a public host, port 443 or from 1024 up, no user and no
    /// fragment.
    #[oai(rename = "hub.callback", validator(max_length = 2048))]
    pub callback: String,
    /// Whether to start or renew a subscription, or to end one.
    #[oai(rename = "hub.mode")]
    pub mode: HubMode,
    /// The topic: the URL of `/reviews.json`, `/api/feed.json` or `/feed.xml`, as given in its `Link` header (`self`).
    #[oai(rename = "hub.topic")]
    pub topic: String,
    /// Requested lease in seconds, in digits and above 0; the hub grants the nearest value within its bounds. Ignored on
    /// `unsubscribe`.
    #[oai(rename = "hub.lease_seconds")]
    pub lease_seconds: Option<String>,
    /// Secret that signs the deliveries; less than 200 bytes in UTF-8.
    #[oai(rename = "hub.secret", validator(max_length = 199))]
    pub secret: Option<String>,
}

/// Whether to subscribe or to unsubscribe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum HubMode {
    /// Start a subscription, or renew one.
    Subscribe,
    /// End an existing subscription.
    Unsubscribe,
}
