//! Tools, called as functions: they match REST, stay small, and their errors say what to change.

mod answers;
mod insights_parts;
mod listed;
mod manual;
mod pages;
mod refused;
mod same_as_rest;

use std::sync::Arc;

use reviews_service::mcp::catalog::{CallError, Catalog, Object, RESULT_BYTES_MAX, TOOL_LIST};
use reviews_service::mcp::escaped_json;
use reviews_service::model::{Mentions, Rating, Review};
use serde_json::{Value, json};

use crate::support::{
    Generator, INSIGHTS_PARTS, TestApp, form, review_with_text, table, with_sample,
};

/// The members of a JSON object.
fn members(object: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let members = object.as_object().unwrap().iter();
    members.map(|(name, value)| (name.as_str(), value))
}

/// A service and its catalog.
struct Tools<'a> {
    app: &'a TestApp,
    catalog: Catalog,
}

impl<'a> Tools<'a> {
    fn of(app: &'a TestApp) -> Self {
        Self {
            app,
            catalog: Catalog::new(Arc::clone(&app.app().ctx.current)),
        }
    }

    async fn ask(&self, tool: &str, arguments: &Object) -> Result<Value, CallError> {
        let answer = self.catalog.call(tool, arguments).await;
        answer.map(|answer| answer.parse().unwrap())
    }

    /// A tool's answer.
    async fn call(&self, tool: &str, arguments: Value) -> Value {
        let answer = self.ask(tool, &object(arguments)).await;
        answer.unwrap_or_else(|refusal| panic!("{tool}: {refusal:?}"))
    }

    /// The error text of a refused call.
    async fn refused(&self, tool: &str, arguments: Value) -> String {
        match self.ask(tool, &object(arguments)).await {
            Err(CallError::Arguments(text)) => text,
            other => panic!("{tool}: {other:?}"),
        }
    }

    async fn get(&self, target: &str) -> Value {
        self.app.json(target).await
    }
}

fn query_of(arguments: &Object) -> String {
    form(arguments.iter().map(|(name, value)| {
        let text = value.as_str().map(str::to_owned);
        (name, text.unwrap_or_else(|| value.to_string()))
    }))
}

fn object(value: Value) -> Object {
    let Value::Object(members) = value else {
        panic!("not an object: {value}")
    };
    members
}
