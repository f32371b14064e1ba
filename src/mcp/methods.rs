//! The MCP methods: results from the catalog as JSON of the requested revision.
//!
//! Without the official SDK: its dispatcher needs a connected peer, and its HTTP service spawns tasks per request, keeps
//! sessions in memory and rejects common clients.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::catalog::{CallError, Catalog, Object, TOOL_LIST};
use super::message::{Call, ErrorCode, ErrorData, Revision};
use crate::config::bounds::ECHO_CHARACTERS_MAX;
use crate::model::text::shorten;

/// The member of a result's `_meta` with the server's identity.
const SERVER_INFO_META: &str = "io.modelcontextprotocol/serverInfo";
/// The time for which clients may cache the list of tools, in milliseconds: the same as for GET.
const FRESH_MS: u64 = 60_000;

impl Catalog {
    /// The member `result` of the answer to a request, as JSON by the rules of `revision`.
    ///
    /// # Errors
    /// The JSON-RPC error.
    pub async fn answer(&self, call: Call, revision: Revision) -> Result<String, ErrorData> {
        let Call { method, params, .. } = call;
        let is_stateless = revision == Revision::July2026;
        if is_stateless && matches!(method.as_str(), "initialize" | "ping") {
            let reason = format!("{} has no method {method}.", Revision::July2026.name());
            return Err(ErrorData::new(ErrorCode::MethodNotFound, reason));
        }
        let mut result = match method.as_str() {
            "initialize" => {
                let request: InitializeParams = read(&method, params)?;
                // The answer is in the requested revision, or in the newest one with `initialize`.
                let revision = Revision::find(&request.protocol_version)
                    .filter(|revision| *revision != Revision::July2026)
                    .unwrap_or(Revision::NEWEST_WITH_INITIALIZE);
                json!({
                    "protocolVersion": revision.name(), "serverInfo": self.identity(),
                    "capabilities": { "tools": {} }, "instructions": self.instructions(),
                })
                .to_string()
            }
            // The stateless revision's replacement for `initialize`.
            "server/discover" => json!({
                "supportedVersions": Revision::ALL.map(Revision::name), "capabilities": { "tools": {} },
                "instructions": self.instructions(),
            })
            .to_string(),
            "ping" => "{}".to_owned(),
            "tools/list" => {
                let page: ListParams = read(&method, params)?;
                if page.cursor.is_some() {
                    let reason = "Unknown cursor: the list is complete; leave it out.";
                    return Err(ErrorData::new(ErrorCode::InvalidParams, reason));
                }
                json!({ "tools": *TOOL_LIST }).to_string()
            }
            "tools/call" => self.call_tool(read(&method, params)?).await?,
            unknown => {
                let reason = format!("Unknown method {unknown}.");
                return Err(ErrorData::new(ErrorCode::MethodNotFound, reason));
            }
        };
        if is_stateless {
            // The business may be renamed at any time.
            let mut more =
                json!({ "resultType": "complete", "_meta": { SERVER_INFO_META: self.identity() } });
            if method != "tools/call" {
                more["ttlMs"] = FRESH_MS.into();
                more["cacheScope"] = "public".into();
            }
            // Spliced, because a result may be long.
            result.truncate(result.len() - 1);
            result.push(',');
            result.push_str(&more.to_string()[1..]);
        }
        Ok(result)
    }

    /// The server's identity, with the current name of the business.
    fn identity(&self) -> Value {
        json!({
            "name": "reviews-service", "version": env!("CARGO_PKG_VERSION"),
            "title": format!("Reviews of {}", self.business_name()), "websiteUrl": self.home(),
        })
    }

    /// A tool's result as JSON; invalid arguments are also a result, because the model should read them.
    async fn call_tool(&self, request: CallParams) -> Result<String, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let content = |text: String| json!([{ "type": "text", "text": text }]);
        match self.call(&request.name, &arguments).await {
            Ok(json) => Ok(format!(
                r#"{{"structuredContent":{json},"isError":false,"content":{}}}"#,
                content(json.clone())
            )),
            Err(CallError::Arguments(advice)) => {
                Ok(json!({ "content": content(advice), "isError": true }).to_string())
            }
            Err(CallError::Unknown) => {
                let reason = format!("Unknown tool {}; see tools/list.", request.name);
                Err(ErrorData::new(ErrorCode::InvalidParams, reason))
            }
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct InitializeParams {
    protocol_version: String,
}

#[derive(Deserialize)]
struct ListParams {
    cursor: Option<String>,
}

#[derive(Deserialize)]
struct CallParams {
    name: String,
    arguments: Option<Object>,
}

/// The params of a request as the type of its method.
fn read<T: DeserializeOwned>(method: &str, params: Map<String, Value>) -> Result<T, ErrorData> {
    T::deserialize(params).map_err(|error| {
        // It may repeat a value of the params.
        let reason = shorten(&error.to_string(), ECHO_CHARACTERS_MAX);
        let message = format!("The params of {method} do not match the schema of MCP: {reason}.");
        ErrorData::new(ErrorCode::InvalidParams, message)
    })
}
