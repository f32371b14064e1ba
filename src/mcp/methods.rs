//! The MCP methods: results from the catalog as JSON of the requested revision.
//!
//! Only the types of the official SDK are used: its dispatcher needs a connected peer, and its HTTP service spawns
//! tasks per request, keeps sessions in memory and rejects common clients.

use std::sync::LazyLock;

use rmcp::model::{
    self, CacheScope, ContentBlock, ErrorCode, ErrorData, MetaObject, ProtocolVersion,
    ServerCapabilities, ServerConfig, ServerResult,
};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::catalog::{CallError, Catalog, ToolAnswer};
use super::message::Call;
use super::revision::Revision;
use crate::compute::run_long;
use crate::links::Links;

#[cfg(feature = "conformance")]
#[path = "../../tests/conformance/fixtures.rs"]
mod fixtures;

/// The member of a result's `_meta` with the server's identity.
const SERVER_INFO_META: &str = "io.modelcontextprotocol/serverInfo";
/// The time for which clients may cache the list of tools, in milliseconds: the same as for GET.
const FRESH_MS: u64 = 60_000;
/// Maximum number of characters of the reason why params are refused.
const REASON_CHARACTERS_MAX: usize = 200;

pub struct Methods {
    /// Made when it is first used, because its schemas take some milliseconds.
    catalog: LazyLock<Catalog, Box<dyn FnOnce() -> Catalog + Send>>,
    /// The constant part of the server's description.
    config: ServerConfig,
    home: String,
}

#[derive(Debug)]
pub struct MethodResult {
    /// The member `result` of the message, as JSON.
    pub json: String,
    /// The agreed revision if the call opened a session.
    pub opens: Option<Revision>,
}

impl Methods {
    pub fn new(make_catalog: impl FnOnce() -> Catalog + Send + 'static, links: &Links) -> Self {
        let mut capabilities = ServerCapabilities::default();
        capabilities.tools = Some(model::ToolsCapability::default());
        let config = ServerConfig::new(capabilities)
            .with_protocol_version(version(Revision::NEWEST_WITH_SESSIONS));
        Self {
            catalog: LazyLock::new(Box::new(move || run_long(make_catalog))),
            config,
            home: links.home(),
        }
    }

    /// Answers a request by the rules of `revision`; `None` if none is agreed on yet.
    ///
    /// # Errors
    /// The JSON-RPC error.
    pub fn answer(
        &self,
        call: Call,
        revision: Option<Revision>,
    ) -> Result<MethodResult, ErrorData> {
        let Call { method, params, .. } = call;
        let is_stateless = revision == Some(Revision::July2026);
        if is_stateless && matches!(method.as_str(), "initialize" | "ping") {
            let reason = format!("{} has no method {method}.", Revision::July2026.name());
            return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, reason, None));
        }
        let mut result = self.dispatch(&method, params)?;
        let opens = if let ServerResult::InitializeResult(opened) = &result {
            Revision::find(opened.protocol_version.as_str())
        } else {
            None
        };
        if is_stateless {
            self.complete(&mut result);
        } else {
            result.strip_result_type_for_legacy_peer();
        }
        let json = serde_json::to_string(&result).map_err(|error| {
            ErrorData::internal_error(format!("Internal error ({error}); report it."), None)
        })?;
        Ok(MethodResult { json, opens })
    }

    fn dispatch(
        &self,
        method: &str,
        params: Map<String, Value>,
    ) -> Result<ServerResult, ErrorData> {
        use ServerResult as Of;
        let catalog = &self.catalog;
        Ok(match method {
            "initialize" => {
                let request: model::InitializeRequestParams = read(method, params)?;
                // The answer is in the requested revision, or in the newest one with sessions.
                let revision = Revision::find(request.protocol_version.as_str())
                    .filter(|revision| revision.has_sessions())
                    .unwrap_or(Revision::NEWEST_WITH_SESSIONS);
                Of::InitializeResult(self.info().with_protocol_version(version(revision)))
            }
            // The stateless revision's replacement for `initialize`.
            "server/discover" => {
                let versions = Revision::ALL.map(version).to_vec();
                let discovered = model::DiscoverResult::from_server_info(versions, self.info())
                    .with_ttl_ms(FRESH_MS)
                    .with_cache_scope(CacheScope::Public);
                Of::DiscoverResult(discovered)
            }
            "ping" => Of::empty(()),
            "tools/list" => {
                let page: model::PaginatedRequestParams = read(method, params)?;
                if page.cursor.is_some() {
                    let reason = "Unknown cursor: the list is complete; leave it out.";
                    return Err(ErrorData::invalid_params(reason, None));
                }
                let tools = catalog.tools.clone();
                Of::ListToolsResult(model::ListToolsResult::with_all_items(tools))
            }
            "tools/call" => Of::CallToolResult(self.call_tool(read(method, params)?)?),
            unknown => {
                let reason = format!("Unknown method {unknown}.");
                return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, reason, None));
            }
        })
    }

    /// The server's identity, with the current name of the business.
    fn identity(&self) -> model::Implementation {
        model::Implementation::new("reviews-service", env!("CARGO_PKG_VERSION"))
            .with_title(format!("Reviews of {}", self.catalog.business_name()))
            .with_website_url(self.home.clone())
    }

    fn info(&self) -> ServerConfig {
        let config = self.config.clone().with_server_info(self.identity());
        config.with_instructions(self.catalog.instructions())
    }

    /// A tool's result; invalid arguments are also a result, because the model should read them.
    fn call_tool(
        &self,
        request: model::CallToolRequestParams,
    ) -> Result<model::CallToolResult, ErrorData> {
        #[cfg(feature = "conformance")]
        if let Some(result) = fixtures::tool(&request.name) {
            return Ok(result);
        }
        let arguments = request.arguments.unwrap_or_default();
        match self.catalog.call(&request.name, &arguments) {
            Ok(ToolAnswer { structured, text }) => {
                let mut result = model::CallToolResult::success(vec![ContentBlock::text(text)]);
                result.structured_content = Some(structured);
                Ok(result)
            }
            Err(CallError::Arguments(advice)) => {
                let advice = vec![ContentBlock::text(advice)];
                Ok(model::CallToolResult::error(advice))
            }
            Err(CallError::Unknown) => {
                let reason = format!("Unknown tool {}; see tools/list.", request.name);
                Err(ErrorData::invalid_params(reason, None))
            }
        }
    }

    /// Adds the server's identity and the time for which clients may cache the result.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the SDK's results are many, and of most none is ever made here"
    )]
    fn complete(&self, result: &mut ServerResult) {
        let meta = match result {
            ServerResult::ListToolsResult(list) => {
                list.ttl_ms = Some(FRESH_MS);
                list.cache_scope = Some(CacheScope::Public);
                &mut list.meta
            }
            ServerResult::CallToolResult(result) => &mut result.meta,
            _ => return,
        };
        // The business may be renamed at any time.
        let identity = serde_json::to_value(self.identity()).unwrap_or_default();
        meta.get_or_insert_with(MetaObject::new)
            .insert(SERVER_INFO_META.to_owned(), identity);
    }
}

fn version(revision: Revision) -> ProtocolVersion {
    match revision {
        Revision::March2025 => ProtocolVersion::V_2025_03_26,
        Revision::June2025 => ProtocolVersion::V_2025_06_18,
        Revision::November2025 => ProtocolVersion::V_2025_11_25,
        Revision::July2026 => ProtocolVersion::V_2026_07_28,
    }
}

/// The params of a request as the type of its method.
fn read<T: DeserializeOwned>(method: &str, params: Map<String, Value>) -> Result<T, ErrorData> {
    T::deserialize(params).map_err(|error| {
        // It may repeat a value of the params.
        let reason: String = error
            .to_string()
            .chars()
            .take(REASON_CHARACTERS_MAX)
            .collect();
        let message = format!("The params of {method} do not match the schema of MCP: {reason}.");
        ErrorData::invalid_params(message, None)
    })
}
