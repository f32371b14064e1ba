//! What is listed, in the SDK's types.

use std::sync::Arc;

use rmcp::model;

use crate::mcp::catalog;

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

/// A link to a resource: no more than its name, for it stands beside the answer that has it.
pub fn link(resource: catalog::Resource) -> model::Resource {
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
