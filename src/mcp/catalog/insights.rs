//! The rendered insights, of which prompts take what they need.

use serde_json::Value;

use crate::model::fold;
use crate::snapshot::{Document, Snapshot};
use crate::wire::Facet;

/// The insights of a snapshot.
#[derive(Debug)]
pub struct Insights {
    rendered: Value,
}

impl Insights {
    /// Those that are rendered.
    #[must_use]
    pub fn of(snapshot: &Snapshot) -> Self {
        let bytes = snapshot
            .document(Document::Insights)
            .body
            .content
            .pieces
            .concat();
        // Rendered as JSON by ourselves.
        let rendered = serde_json::from_slice(&bytes).unwrap_or_default();
        Self { rendered }
    }

    /// What is derived of somebody or something in a list of the entities, but for its series by
    /// month.
    #[must_use]
    pub fn entity(&self, list: &str, facet: &Facet) -> Option<Value> {
        let entities = self.rendered.get("entities")?.get(list)?.as_array()?;
        let is_wanted = |entity: &&Value| match (said(entity, "id"), facet.id.as_deref()) {
            (Some(one), Some(other)) => one == other,
            _ => said(entity, "name").is_some_and(|name| fold(name) == fold(&facet.name)),
        };
        let mut entity = entities.iter().find(is_wanted)?.clone();
        if let Some(Value::Object(trend)) = entity.get_mut("trend") {
            trend.remove("months");
        }
        Some(entity)
    }
}

fn said<'a>(aspect: &'a Value, key: &str) -> Option<&'a str> {
    aspect.get(key).and_then(Value::as_str)
}
