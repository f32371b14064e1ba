//! `/.well-known/openapi.json`: the document that poem-openapi writes from the handlers, with one step to OpenAPI 3.1.0, and
//! with the examples of `examples.json`.

use std::sync::{Arc, LazyLock, Mutex};

use poem_openapi::{ContactObject, LicenseObject, OpenApi, OpenApiService, ServerObject};
use serde_json::{Map, Value, json};

use super::operation::JSON;
use crate::compute::lock;
use crate::model::ReviewId;
use crate::snapshot::{CachedBody, Document, Snapshot};
use crate::wire;

/// Answers of operations without parameters, by path.
const EXAMPLES: &str = include_str!("examples.json");
/// The licence of the service and of this document (SPDX).
const LICENSE: &str = env!("CARGO_PKG_LICENSE");

pub struct Description {
    /// Made when it is first read, which takes some milliseconds.
    document: LazyLock<Value, Box<dyn FnOnce() -> Value + Send>>,
    /// The last one that was asked for, with the ID of the review in it.
    last: Mutex<Option<(Option<ReviewId>, Arc<CachedBody>)>>,
}

impl Description {
    /// The description of `api` below the base URL, to which `describe_more` adds what is not of the API.
    pub fn new(
        api: impl OpenApi + Send + 'static,
        base_url: String,
        describe_more: fn(&mut Value),
    ) -> Self {
        Self {
            document: LazyLock::new(Box::new(move || {
                let mut document = to_3_1(write(api, &base_url), &base_url);
                add_examples(&mut document);
                describe_more(&mut document);
                document
            })),
            last: Mutex::default(),
        }
    }

    /// The document; the example of a review's ID is that of the oldest review.
    pub fn body(&self, snapshot: &Snapshot) -> Arc<CachedBody> {
        let oldest = snapshot.input.entries.last();
        let oldest = oldest.map(|entry| entry.review.id.clone());
        let mut last = lock(&self.last);
        if let Some((id, body)) = &*last
            && *id == oldest
        {
            return Arc::clone(body);
        }
        let mut document = self.document.clone();
        if let Some(id) = &oldest {
            // The operation has one parameter.
            let review = &mut document["paths"]["/api/reviews/{id}"]["get"];
            review["parameters"][0]["example"] = json!(id.as_str());
        }
        let body = Arc::new(CachedBody::whole(JSON, wire::json(&document)));
        *last = Some((oldest, Arc::clone(&body)));
        body
    }
}

fn add_examples(document: &mut Value) {
    let examples: Map<String, Value> = serde_json::from_str(EXAMPLES)
        .unwrap_or_else(|error| unreachable!("{error} in examples.json"));
    for (path, example) in examples {
        let answer = &mut document["paths"][path]["get"]["responses"]["200"];
        members(answer, "content").for_each(|content| content["example"] = example.clone());
    }
}

/// The document of `api` as the framework writes it, in OpenAPI 3.0.0.
fn write(api: impl OpenApi, base_url: &str) -> Value {
    let spec = OpenApiService::new(api, "Reviews Service", "1.0.0")
        .summary("The published reviews of one business, read-only.")
        .description(
            "Read-only access to the published reviews, without a key. All documents change together. Send `If-None-Match` with \
             the last `ETag` to get 304 without a body if the document is unchanged. Errors are `application/problem+json` (RFC \
             9457); `issues` lists every invalid parameter. Lists are paged: repeat the request with `cursor` set to \
             `next_cursor` of the last answer, until an answer has none.",
        )
        .contact(ContactObject::new().name("Reviews Service").url(format!("{base_url}/")))
        .license(LicenseObject::new(LICENSE).identifier(LICENSE))
        .server(ServerObject::new(base_url))
        .spec();
    // JSON Schema has no `naive-date`.
    serde_json::from_str(&spec.replace("naive-date", "date"))
        .unwrap_or_else(|error| unreachable!("poem-openapi writes JSON: {error}"))
}

/// The document in OpenAPI 3.1.0; superfluous once the framework writes it. It changes only what our document contains. No
/// operation needs a key (`security: []`).
fn to_3_1(mut document: Value, base_url: &str) -> Value {
    let operations = members(&mut document, "paths").filter_map(Value::as_object_mut);
    for operation in operations.flat_map(Map::values_mut) {
        let Some(Value::Array(arguments)) = operation.get_mut("parameters").map(Value::take) else {
            continue;
        };
        let parameters = arguments.into_iter().flat_map(|mut argument| {
            // 3.0 has the example of a parameter in its schema, if at all.
            let schema = argument["schema"].as_object_mut();
            match schema.and_then(|schema| schema.remove("example")) {
                // The parameters that `documented_as` describes.
                Some(Value::Array(parameters)) => return parameters,
                Some(example) => argument["example"] = example,
                None => {}
            }
            vec![argument]
        });
        operation["parameters"] = parameters.collect();
    }
    let topic = format!("{base_url}{}", Document::JsonFeed.path());
    let fields = &mut document["components"]["schemas"]["HubRequest"]["properties"];
    for (field, example) in [
        ("hub.callback", "https://subscriber.example.com/callback"),
        ("hub.topic", &topic),
        ("hub.lease_seconds", "864000"),
        ("hub.secret", "a-secret-of-your-own"),
    ] {
        fields[field]["examples"] = json!([example]);
    }
    convert(&mut document["components"]["schemas"]);
    document["openapi"] = json!("3.1.0");
    document["security"] = json!([]);
    document
}

/// 3.0 writes notes on a reference as `allOf: [{$ref}, {notes}]`; 3.1 allows them next to the reference, where the framework
/// repeats them.
fn convert(schema: &mut Value) {
    let Some(keywords) = schema.as_object_mut() else {
        return;
    };
    if let Some(mut parts) = keywords.remove("allOf") {
        keywords.insert("$ref".to_owned(), parts[0]["$ref"].take());
    }
    // JSON Schema has no unsigned formats.
    let is_unsigned = |format: &Value| format.as_str().is_some_and(|name| name.starts_with("uint"));
    keywords.retain(|name, value| name != "format" || !is_unsigned(value));
    keywords.values_mut().for_each(convert);
}

/// The values of the object under `key`.
fn members<'a>(holder: &'a mut Value, key: &str) -> impl Iterator<Item = &'a mut Value> {
    let object = holder.get_mut(key).and_then(Value::as_object_mut);
    object.into_iter().flat_map(Map::values_mut)
}
