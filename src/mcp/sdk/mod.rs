//! The one place that knows the official SDK, which gets a new major version every few months: it
//! turns a call into the SDK's types, lets the SDK dispatch it and shape the result for the
//! revision, and fills in what is offered.
//!
//! Its HTTP service is not used: that spawns tasks for each request, keeps sessions in memory and
//! is strict where clients are not.

#[cfg(feature = "conformance")]
mod fixtures;
mod shapes;

use std::borrow::Cow;

use rmcp::model::{
    self, CacheScope, ClientRequest, ErrorCode, ErrorData, GetMeta, MetaObject, ProtocolVersion,
    ServerCapabilities, ServerConfig, ServerResult,
};
use rmcp::service::{RequestContext, Service, serve_directly};
use rmcp::{Peer, RoleServer, ServerHandler};
use serde_json::json;

use super::catalog::{self, CallError, Catalog};
use super::escape::escaped;
use super::message::{Call, Id, METHOD_NOT_FOUND, RpcError};
use super::revision::Revision;
use crate::links::Links;
use shapes::{prompt, resource, template, tool};

/// How long clients may keep lists and resources, in milliseconds: as long as the same over GET.
const FRESH_MS: u64 = 60_000;
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

/// Answers calls by the SDK.
pub struct Sdk {
    handler: Handler,
    peer: Peer<RoleServer>,
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
    /// Answers with what is offered.
    #[must_use]
    pub fn new(catalog: Catalog, links: &Links) -> Self {
        let handler = Handler::new(catalog, links);
        // The SDK wants somebody to talk to. Nothing is ever sent to a client unasked, so this one
        // has hung up already.
        let connection = serve_directly(Silent, (tokio::io::empty(), tokio::io::sink()), None);
        Self {
            handler,
            peer: connection.peer().clone(),
        }
    }

    /// Answers a request, in the shape of the stateless revision or in that of the others; with links
    /// to resources where the revision knows them.
    ///
    /// # Errors
    /// The JSON-RPC error.
    pub async fn answer(
        &self,
        id: &Id,
        call: Call,
        is_stateless: bool,
        has_links: bool,
    ) -> Result<Answer, RpcError> {
        let Call { method, params, .. } = call;
        if !METHODS.contains(&method.as_str()) {
            return Err(RpcError::new(
                METHOD_NOT_FOUND,
                format!("There is no method {method} here."),
            ));
        }
        let request = json!({ "method": method, "params": params });
        let mut request: ClientRequest = serde_json::from_value(request).map_err(internal)?;
        let id = serde_json::from_value(id.value().clone()).unwrap_or(model::RequestId::Number(0));
        let mut context = RequestContext::new(id, self.peer.clone());
        context.meta = std::mem::take(request.get_meta_mut());
        let mut result = Service::handle_request(&self.handler, request, context)
            .await
            .map_err(RpcError::from)?;
        let opens = if let ServerResult::InitializeResult(opened) = &result {
            Revision::of(opened.protocol_version.as_str())
        } else {
            None
        };
        if is_stateless {
            self.complete(&mut result);
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
        let identity = serde_json::to_value(self.handler.identity()).unwrap_or_default();
        meta.get_or_insert_with(MetaObject::new)
            .insert(SERVER_INFO_META.to_owned(), identity);
        if let Some((ttl_ms, scope)) = hints {
            (*ttl_ms, *scope) = (Some(FRESH_MS), Some(CacheScope::Public));
        }
    }
}

/// The other end of no connection.
struct Silent;
impl ServerHandler for Silent {}

/// What the SDK dispatches to.
struct Handler {
    catalog: Catalog,
    /// What never changes of it.
    config: ServerConfig,
    home: String,
    tools: Vec<model::Tool>,
    templates: Vec<model::ResourceTemplate>,
    prompts: Vec<model::Prompt>,
}

impl Handler {
    fn new(catalog: Catalog, links: &Links) -> Self {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_prompts()
            .enable_completions()
            .build();
        let config = ServerConfig::new(capabilities)
            .with_protocol_version(version(Revision::NEWEST_WITH_SESSIONS));
        let tools = catalog.tools().iter().map(tool).collect();
        let templates = catalog.templates().iter().map(template).collect();
        let prompts = catalog.prompts().iter().map(prompt).collect();
        Self {
            catalog,
            config,
            home: links.home(),
            tools,
            templates,
            prompts,
        }
    }
}

impl Handler {
    /// Who answers: the service, and whose reviews it has now.
    fn identity(&self) -> model::Implementation {
        model::Implementation::new("reviews-service", env!("CARGO_PKG_VERSION"))
            .with_title(format!("Reviews of {}", self.catalog.business_name()))
            .with_website_url(self.home.clone())
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let config = self.config.clone().with_server_info(self.identity());
        config.with_instructions(self.catalog.instructions())
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Revision::ALL.map(version).to_vec().into()
    }

    async fn initialize(
        &self,
        request: model::InitializeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<model::InitializeResult, ErrorData> {
        self.negotiate_initialize(&request)
    }

    async fn discover(
        &self,
        _: RequestContext<RoleServer>,
    ) -> Result<model::DiscoverResult, ErrorData> {
        let versions = Revision::ALL.map(version).to_vec();
        let result =
            model::DiscoverResult::from_server_info(versions, ServerHandler::get_info(self));
        Ok(result
            .with_ttl_ms(FRESH_MS)
            .with_cache_scope(CacheScope::Public))
    }

    async fn list_tools(
        &self,
        page: Option<model::PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<model::ListToolsResult, ErrorData> {
        first(page)?;
        Ok(model::ListToolsResult::with_all_items(self.tools.clone()))
    }

    async fn call_tool(
        &self,
        request: model::CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<model::CallToolResponse, ErrorData> {
        #[cfg(feature = "conformance")]
        if let Some(result) = fixtures::tool(&request.name) {
            return Ok(result.into());
        }
        let called = self
            .catalog
            .call(&request.name, &request.arguments.unwrap_or_default())
            .await;
        let result = match called {
            Ok(structured) => {
                let mut result = model::CallToolResult::success(vec![model::ContentBlock::text(
                    catalog::text(&structured),
                )]);
                let links = self.catalog.links(&structured).into_iter();
                let links =
                    links.map(|link| model::ContentBlock::resource_link(shapes::link(link)));
                result.content.extend(links);
                result.structured_content = Some(structured);
                result
            }
            Err(CallError::Arguments(advice)) => {
                model::CallToolResult::error(vec![model::ContentBlock::text(advice)])
            }
            Err(CallError::Unknown) => return Err(unknown("tool", &request.name)),
        };
        Ok(result.into())
    }

    async fn list_resources(
        &self,
        page: Option<model::PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<model::ListResourcesResult, ErrorData> {
        first(page)?;
        Ok(model::ListResourcesResult::with_all_items(
            self.catalog.resources().into_iter().map(resource).collect(),
        ))
    }

    async fn list_resource_templates(
        &self,
        page: Option<model::PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<model::ListResourceTemplatesResult, ErrorData> {
        first(page)?;
        Ok(model::ListResourceTemplatesResult::with_all_items(
            self.templates.clone(),
        ))
    }

    async fn read_resource(
        &self,
        request: model::ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<model::ReadResourceResponse, ErrorData> {
        #[cfg(feature = "conformance")]
        if let Some(result) = fixtures::resource(&request.uri) {
            return Ok(result.into());
        }
        let Some(catalog::Contents {
            uri,
            mime_type,
            text,
        }) = self.catalog.read(&request.uri)
        else {
            let told = format!(
                "There is no resource {}; resources/list and resources/templates/list show what there is.",
                request.uri
            );
            return Err(ErrorData::resource_not_found(
                told,
                Some(json!({ "uri": request.uri })),
            ));
        };
        let text = if mime_type.ends_with("json") {
            escaped(text)
        } else {
            text
        };
        let contents = model::ResourceContents::text(text, uri).with_mime_type(mime_type);
        Ok(model::ReadResourceResult::new(vec![contents]).into())
    }

    async fn list_prompts(
        &self,
        page: Option<model::PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<model::ListPromptsResult, ErrorData> {
        first(page)?;
        Ok(model::ListPromptsResult::with_all_items(
            self.prompts.clone(),
        ))
    }

    async fn get_prompt(
        &self,
        request: model::GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<model::GetPromptResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        #[cfg(feature = "conformance")]
        if let Some(result) = fixtures::prompt(&request.name, &arguments) {
            return Ok(result.into());
        }
        let made = self.catalog.prompt(&request.name, &arguments);
        let messages = made.map_err(|refusal| refused(refusal, "prompt", &request.name))?;
        let messages = messages.into_iter().map(|message| {
            let role = match message.role {
                catalog::Role::User => model::Role::User,
                catalog::Role::Assistant => model::Role::Assistant,
            };
            model::PromptMessage::new_text(role, message.text)
        });
        let mut result = model::GetPromptResult::new(messages.collect());
        result.description = self
            .prompts
            .iter()
            .find(|prompt| prompt.name == request.name)
            .and_then(|prompt| prompt.description.clone());
        Ok(result.into())
    }

    async fn complete(
        &self,
        request: model::CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<model::CompleteResult, ErrorData> {
        #[cfg(feature = "conformance")]
        if fixtures::completes(&request.r#ref) {
            return Ok(model::CompleteResult::default());
        }
        let (reference, kind, name) = match &request.r#ref {
            model::Reference::Prompt(prompt) => (
                catalog::Reference::Prompt(&prompt.name),
                "prompt",
                &prompt.name,
            ),
            model::Reference::Resource(template) => (
                catalog::Reference::Resource(&template.uri),
                "resource template",
                &template.uri,
            ),
            _ => {
                return Err(ErrorData::invalid_params(
                    "params.ref is of a kind that is not known here.",
                    None,
                ));
            }
        };
        let completed =
            self.catalog
                .complete(reference, &request.argument.name, &request.argument.value);
        let catalog::Completion {
            values,
            total,
            has_more,
        } = completed.map_err(|refusal| refused(refusal, kind, name))?;
        let completion =
            model::CompletionInfo::with_pagination(values, u32::try_from(total).ok(), has_more);
        completion
            .map(model::CompleteResult::new)
            .map_err(|error| ErrorData::internal_error(error, None))
    }

    /// What has a method that we serve, but no parameters that the SDK can read.
    async fn on_custom_request(
        &self,
        request: model::CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<model::CustomResult, ErrorData> {
        Err(ErrorData::invalid_params(
            format!(
                "The params of {} are not of the shape that MCP gives them.",
                request.method
            ),
            None,
        ))
    }
}

impl From<ErrorData> for RpcError {
    fn from(error: ErrorData) -> Self {
        let ErrorData {
            code,
            message,
            data,
        } = error;
        let message = if code == ErrorCode::METHOD_NOT_FOUND {
            format!("There is no method {message} here.")
        } else {
            message.into_owned()
        };
        Self {
            code: code.0,
            message,
            data,
        }
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

/// Lists come whole, so we hand out no cursor, and none is ours.
fn first(page: Option<model::PaginatedRequestParams>) -> Result<(), ErrorData> {
    match page.and_then(|page| page.cursor) {
        None => Ok(()),
        Some(_) => Err(ErrorData::invalid_params(
            "That cursor is not ours: lists here come whole; leave it out.",
            None,
        )),
    }
}

fn unknown(kind: &str, name: &str) -> ErrorData {
    ErrorData::invalid_params(format!("There is no {kind} {name} here."), None)
}

fn refused(refusal: CallError, kind: &str, name: &str) -> ErrorData {
    match refusal {
        CallError::Unknown => unknown(kind, name),
        CallError::Arguments(advice) => ErrorData::invalid_params(advice, None),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is what map_err is given")]
fn internal(error: serde_json::Error) -> RpcError {
    ErrorData::internal_error(
        format!("Something went wrong on our side ({error}); report it."),
        None,
    )
    .into()
}
