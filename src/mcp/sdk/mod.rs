//! The one place that knows the official SDK, which gets a new major version every few months: it
//! turns a call into the SDK's types, and a result of those types into JSON as the revision has it.
//!
//! Of the SDK only its types are used. Its dispatcher wants a connected peer, and its HTTP service
//! spawns tasks for each request, keeps sessions in memory and is strict where clients are not.

#[cfg(feature = "conformance")]
mod fixtures;
mod handlers;

use rmcp::model::{CacheScope, ClientRequest, ErrorCode, ErrorData, MetaObject, ServerResult};
use serde_json::json;

use self::handlers::{FRESH_MS, Handlers};
use super::catalog::Catalog;
use super::message::{Call, METHOD_NOT_FOUND, RpcError};
use super::stateless::Revision;
use crate::links::Links;

/// The member of a result's `_meta` with who we are.
const SERVER_INFO_META: &str = "io.modelcontextprotocol/serverInfo";
/// The methods that are served; any other is unknown.
const METHODS: [&str; 11] = [
    "initialize",
    "ping",
    "server/discover",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "prompts/list",
    "prompts/get",
    "completion/complete",
];

/// Answers calls in the SDK's types.
pub struct Sdk {
    handlers: Handlers,
}

/// A result, as JSON.
#[derive(Debug)]
pub struct Answer {
    /// The member `result` of the message.
    pub json: String,
    /// The revision that was agreed on, where the call opened a session.
    pub opens: Option<Revision>,
}

impl Sdk {
    /// Answers with what `catalog` offers.
    #[must_use]
    pub fn new(catalog: Catalog, links: &Links) -> Self {
        Self {
            handlers: Handlers::new(catalog, links),
        }
    }

    /// Answers a request, in the shape of the stateless revision or in that of the others; with links
    /// to resources where the revision knows them.
    ///
    /// # Errors
    /// The JSON-RPC error.
    pub async fn answer(
        &self,
        call: Call,
        is_stateless: bool,
        has_links: bool,
    ) -> Result<Answer, RpcError> {
        let Call { method, params, .. } = call;
        if !METHODS.contains(&method.as_str()) {
            return Err(unknown_method(&method));
        }
        let request = json!({ "method": method, "params": params });
        let request: ClientRequest = serde_json::from_value(request).map_err(internal)?;
        let mut result = self.dispatch(request).await.map_err(|error| {
            let mut error = RpcError::from(error);
            // The stateless revision has no code of its own for it.
            if is_stateless && error.code == ErrorCode::RESOURCE_NOT_FOUND.0 {
                error.code = ErrorCode::INVALID_PARAMS.0;
            }
            error
        })?;
        let opens = if let ServerResult::InitializeResult(opened) = &result {
            Revision::of(opened.protocol_version.as_str())
        } else {
            None
        };
        if is_stateless {
            self.complete(&mut result);
        } else {
            result.strip_result_type_for_legacy_peer();
        }
        if let ServerResult::CallToolResult(result) = &mut result
            && !has_links
        {
            result
                .content
                .retain(|block| block.as_resource_link().is_none());
        }
        Ok(Answer {
            json: serde_json::to_string(&result).map_err(internal)?,
            opens,
        })
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the SDK's requests are many, and `METHODS` lets these in alone"
    )]
    async fn dispatch(&self, request: ClientRequest) -> Result<ServerResult, ErrorData> {
        use ServerResult as Of;
        let handlers = &self.handlers;
        match request {
            ClientRequest::InitializeRequest(request) => {
                Ok(Of::InitializeResult(handlers.initialize(&request.params)))
            }
            ClientRequest::DiscoverRequest(_) => Ok(Of::DiscoverResult(handlers.discover())),
            ClientRequest::PingRequest(_) => Ok(Of::empty(())),
            ClientRequest::ListToolsRequest(request) => {
                handlers.list_tools(request.params).map(Of::ListToolsResult)
            }
            ClientRequest::CallToolRequest(request) => handlers
                .call_tool(request.params)
                .await
                .map(Of::CallToolResult),
            ClientRequest::ListResourcesRequest(request) => handlers
                .list_resources(request.params)
                .map(Of::ListResourcesResult),
            ClientRequest::ListResourceTemplatesRequest(request) => handlers
                .list_resource_templates(request.params)
                .map(Of::ListResourceTemplatesResult),
            ClientRequest::ReadResourceRequest(request) => handlers
                .read_resource(&request.params)
                .map(Of::ReadResourceResult),
            ClientRequest::ListPromptsRequest(request) => handlers
                .list_prompts(request.params)
                .map(Of::ListPromptsResult),
            ClientRequest::GetPromptRequest(request) => {
                handlers.get_prompt(request.params).map(Of::GetPromptResult)
            }
            ClientRequest::CompleteRequest(request) => {
                handlers.complete(&request.params).map(Of::CompleteResult)
            }
            // A method that we serve, with params that the SDK cannot parse.
            ClientRequest::CustomRequest(request) => Err(ErrorData::invalid_params(
                format!(
                    "The params of {} are not of the shape that MCP gives them.",
                    request.method
                ),
                None,
            )),
            other => Err(ErrorData::new(
                ErrorCode::METHOD_NOT_FOUND,
                other.method().to_owned(),
                None,
            )),
        }
    }

    /// Says who answered, and for how long and for whom it holds.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the SDK's results are many, and of most none is ever made here"
    )]
    fn complete(&self, result: &mut ServerResult) {
        let (meta, hints) = match result {
            ServerResult::ListToolsResult(list) => (
                &mut list.meta,
                Some((&mut list.ttl_ms, &mut list.cache_scope)),
            ),
            ServerResult::ListPromptsResult(list) => (
                &mut list.meta,
                Some((&mut list.ttl_ms, &mut list.cache_scope)),
            ),
            ServerResult::ListResourcesResult(list) => (
                &mut list.meta,
                Some((&mut list.ttl_ms, &mut list.cache_scope)),
            ),
            ServerResult::ListResourceTemplatesResult(list) => (
                &mut list.meta,
                Some((&mut list.ttl_ms, &mut list.cache_scope)),
            ),
            ServerResult::ReadResourceResult(read) => (
                &mut read.meta,
                Some((&mut read.ttl_ms, &mut read.cache_scope)),
            ),
            ServerResult::CallToolResult(result) => (&mut result.meta, None),
            ServerResult::GetPromptResult(result) => (&mut result.meta, None),
            ServerResult::CompleteResult(result) => (&mut result.meta, None),
            _ => return,
        };
        // The firm may be renamed at any time.
        let identity = serde_json::to_value(self.handlers.identity()).unwrap_or_default();
        meta.get_or_insert_with(MetaObject::new)
            .insert(SERVER_INFO_META.to_owned(), identity);
        if let Some((ttl_ms, scope)) = hints {
            (*ttl_ms, *scope) = (Some(FRESH_MS), Some(CacheScope::Public));
        }
    }
}

impl From<ErrorData> for RpcError {
    fn from(error: ErrorData) -> Self {
        let ErrorData {
            code,
            message,
            data,
        } = error;
        if code == ErrorCode::METHOD_NOT_FOUND {
            return unknown_method(&message);
        }
        Self {
            code: code.0,
            message: message.into_owned(),
            data,
        }
    }
}

fn unknown_method(method: &str) -> RpcError {
    RpcError::new(
        METHOD_NOT_FOUND,
        format!("There is no method {method} here."),
    )
}

#[expect(clippy::needless_pass_by_value, reason = "it is what map_err is given")]
fn internal(error: serde_json::Error) -> RpcError {
    ErrorData::internal_error(
        format!("Something went wrong on our side ({error}); report it."),
        None,
    )
    .into()
}
