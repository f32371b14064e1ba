//! What each method answers, from the catalog, in the SDK's types.

use std::sync::Arc;

use rmcp::model;
use rmcp::model::{CacheScope, ErrorData, ProtocolVersion, ServerCapabilities, ServerConfig};
use serde_json::json;

#[cfg(feature = "conformance")]
use super::fixtures;
use crate::links::Links;
use crate::mcp::catalog;
use crate::mcp::catalog::{CallError, Catalog};
use crate::mcp::escape::escaped;
use crate::mcp::stateless::Revision;

/// How long clients may keep lists and resources, in milliseconds: as long as the same over GET.
pub const FRESH_MS: u64 = 60_000;

/// Answers each method from the catalog.
pub struct Handlers {
    catalog: Catalog,
    /// What never changes of it.
    config: ServerConfig,
    home: String,
    tools: Vec<model::Tool>,
    templates: Vec<model::ResourceTemplate>,
    prompts: Vec<model::Prompt>,
}

impl Handlers {
    /// Answers with what `catalog` offers.
    pub fn new(catalog: Catalog, links: &Links) -> Self {
        let mut capabilities = ServerCapabilities::default();
        capabilities.tools = Some(model::ToolsCapability::default());
        capabilities.resources = Some(model::ResourcesCapability::default());
        capabilities.prompts = Some(model::PromptsCapability::default());
        capabilities.completions = Some(model::JsonObject::new());
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

    /// Who answers: the service, and whose reviews it has now.
    pub fn identity(&self) -> model::Implementation {
        model::Implementation::new("reviews-service", env!("CARGO_PKG_VERSION"))
            .with_title(format!("Reviews of {}", self.catalog.business_name()))
            .with_website_url(self.home.clone())
    }

    /// Opens a session in the revision asked for, or in the newest that has sessions.
    pub fn initialize(&self, request: &model::InitializeRequestParams) -> model::InitializeResult {
        let revision = Revision::of(request.protocol_version.as_str())
            .filter(|revision| revision.has_sessions())
            .unwrap_or(Revision::NEWEST_WITH_SESSIONS);
        self.info().with_protocol_version(version(revision))
    }

    /// What a client of the stateless revision learns in place of `initialize`.
    pub fn discover(&self) -> model::DiscoverResult {
        let versions = Revision::ALL.map(version).to_vec();
        model::DiscoverResult::from_server_info(versions, self.info())
            .with_ttl_ms(FRESH_MS)
            .with_cache_scope(CacheScope::Public)
    }

    fn info(&self) -> ServerConfig {
        let config = self.config.clone().with_server_info(self.identity());
        config.with_instructions(self.catalog.instructions())
    }

    /// All tools, on one page.
    pub fn list_tools(
        &self,
        page: Option<model::PaginatedRequestParams>,
    ) -> Result<model::ListToolsResult, ErrorData> {
        first(page)?;
        Ok(model::ListToolsResult::with_all_items(self.tools.clone()))
    }

    /// The result of a tool; faulty arguments are a result too, for the agent to read.
    pub async fn call_tool(
        &self,
        request: model::CallToolRequestParams,
    ) -> Result<model::CallToolResult, ErrorData> {
        #[cfg(feature = "conformance")]
        if let Some(result) = fixtures::tool(&request.name) {
            return Ok(result);
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
                    links.map(|link| model::ContentBlock::resource_link(resource_link(link)));
                result.content.extend(links);
                result.structured_content = Some(structured);
                result
            }
            Err(CallError::Arguments(advice)) => {
                model::CallToolResult::error(vec![model::ContentBlock::text(advice)])
            }
            Err(CallError::Unknown) => return Err(unknown("tool", &request.name)),
        };
        Ok(result)
    }

    /// All resources, on one page.
    pub fn list_resources(
        &self,
        page: Option<model::PaginatedRequestParams>,
    ) -> Result<model::ListResourcesResult, ErrorData> {
        first(page)?;
        Ok(model::ListResourcesResult::with_all_items(
            self.catalog.resources().into_iter().map(resource).collect(),
        ))
    }

    /// All templates of resources, on one page.
    pub fn list_resource_templates(
        &self,
        page: Option<model::PaginatedRequestParams>,
    ) -> Result<model::ListResourceTemplatesResult, ErrorData> {
        first(page)?;
        Ok(model::ListResourceTemplatesResult::with_all_items(
            self.templates.clone(),
        ))
    }

    /// The text of a resource.
    pub fn read_resource(
        &self,
        request: &model::ReadResourceRequestParams,
    ) -> Result<model::ReadResourceResult, ErrorData> {
        #[cfg(feature = "conformance")]
        if let Some(result) = fixtures::resource(&request.uri) {
            return Ok(result);
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
        Ok(model::ReadResourceResult::new(vec![contents]))
    }

    /// All prompts, on one page.
    pub fn list_prompts(
        &self,
        page: Option<model::PaginatedRequestParams>,
    ) -> Result<model::ListPromptsResult, ErrorData> {
        first(page)?;
        Ok(model::ListPromptsResult::with_all_items(
            self.prompts.clone(),
        ))
    }

    /// The messages of a prompt, with its arguments filled in.
    pub fn get_prompt(
        &self,
        request: model::GetPromptRequestParams,
    ) -> Result<model::GetPromptResult, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        #[cfg(feature = "conformance")]
        if let Some(result) = fixtures::prompt(&request.name, &arguments) {
            return Ok(result);
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
        Ok(result)
    }

    /// Values that complete an argument of a prompt or a template.
    pub fn complete(
        &self,
        request: &model::CompleteRequestParams,
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

// What is listed, in the SDK's types.

/// A tool, marked as harmless: it reads, the same again gives the same, and it reaches nowhere
/// else.
pub fn tool(tool: &catalog::Tool) -> model::Tool {
    let hints = model::ToolAnnotations::new()
        .read_only(true)
        .idempotent(true)
        .destructive(false)
        .open_world(false);
    model::Tool::new(
        tool.name,
        tool.description.clone(),
        Arc::new(tool.input_schema.clone()),
    )
    .with_title(tool.title)
    .with_raw_output_schema(Arc::new(tool.output_schema.clone()))
    .with_annotations(hints)
}

/// A resource as it is listed, with title and description.
pub fn resource(resource: catalog::Resource) -> model::Resource {
    let catalog::Resource {
        uri,
        name,
        title,
        description,
        mime_type,
    } = resource;
    model::Resource::new(uri, name)
        .with_title(title)
        .with_description(description)
        .with_mime_type(mime_type)
}

/// A link to a resource: only its name, because the answer beside it has the resource.
pub fn resource_link(resource: catalog::Resource) -> model::Resource {
    model::Resource::new(resource.uri, resource.name).with_mime_type(resource.mime_type)
}

/// Resources of one kind.
pub fn template(template: &catalog::Template) -> model::ResourceTemplate {
    model::ResourceTemplate::new(template.uri_template, template.name)
        .with_title(template.title)
        .with_description(template.description.clone())
        .with_mime_type(template.mime_type)
}

/// A prompt as it is listed, with its arguments.
pub fn prompt(prompt: &catalog::Prompt) -> model::Prompt {
    let arguments = prompt.arguments.iter().map(|argument| {
        model::PromptArgument::new(argument.name)
            .with_description(argument.description)
            .with_required(argument.required)
    });
    model::Prompt::new(
        prompt.name,
        Some(prompt.description.clone()),
        Some(arguments.collect()),
    )
    .with_title(prompt.title)
}
