//! `get_insights`: the printed document, whole or one aspect of it. What is in it is the printer's concern: aspects are
//! found by their `id` and `label`, whatever else they have.

use serde_json::{Value, json};

use super::arguments::Arguments;
use super::excerpt;
use super::listing::Refusal;
use super::text;
use crate::edition::{Document, Edition};
use crate::reviews::{fold, parameters};
use crate::wire::Facet;

/// What may be left out of the insights for them to be small enough, the least needed first: series and co-mentions, ids behind
/// figures, quotes that the aspects' own nearly repeat, then what `list_facets` has in short, and the aspects' quotes late. One
/// aspect alone has all of it.
pub const PARTS: [&str; 14] = [
    "months",
    "co_mentioned",
    "review_ids",
    "evidence",
    "entities.aspects",
    "topics.quote",
    "entities.quotes",
    "sub_topics",
    "trend",
    "entities",
    "topics",
    "faq",
    "quotes",
    "summary",
];
/// How many aspects an error names.
const NAMED_MAX: usize = 100;

/// The insights of an edition.
#[derive(Debug)]
pub struct Insights {
    printed: Value,
    whole: Value,
}

impl Insights {
    /// Those that are printed.
    #[must_use]
    pub fn of(edition: &Edition) -> Self {
        let bytes = edition.document(Document::Insights).sheet.content.pieces.concat();
        // Printed as JSON by ourselves.
        let printed: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        Self { whole: excerpt::fit(printed.clone(), &PARTS), printed }
    }

    /// What a call asks for: all of them, or one aspect.
    ///
    /// # Errors
    /// Where an argument is wrong, or there is no such aspect.
    pub fn asked(&self, mut arguments: Arguments<'_>) -> Result<Value, Refusal> {
        let aspect = arguments.take::<parameters::Aspect>();
        match arguments.finish(Some(aspect))? {
            Some(aspect) => self.aspect(&aspect),
            None => Ok(self.whole.clone()),
        }
    }

    /// All of them, as far as they fit.
    #[must_use]
    pub const fn whole(&self) -> &Value {
        &self.whole
    }

    /// One aspect, with what the figures were made of.
    ///
    /// # Errors
    /// Where there is none of that id or label; the text names those there are.
    pub fn aspect(&self, name: &str) -> Result<Value, Refusal> {
        let wanted = fold(name);
        let is_wanted =
            |aspect: &&Value| ["id", "label"].iter().any(|key| said(aspect, key).is_some_and(|said| fold(said) == wanted));
        let Some(aspect) = self.aspects().find(is_wanted) else {
            let ids: Vec<&str> = self.aspects().filter_map(|aspect| said(aspect, "id")).take(NAMED_MAX).collect();
            let there_are = match ids.as_slice() {
                [] => "there are none now. Call get_insights without aspect".to_owned(),
                ids => format!("there are {}", ids.join(", ")),
            };
            let name = text(&Value::String(name.chars().take(100).collect()));
            return Err(Refusal::Arguments(format!("There is no aspect {name}; {there_are}.")));
        };
        let mut answer = json!({ "aspects": [aspect] });
        for member in ["generated_from", "method"] {
            if let Some(value) = self.printed.get(member) {
                answer[member] = value.clone();
            }
        }
        Ok(excerpt::fit(answer, &PARTS))
    }

    /// What is derived of somebody or something in a list of the entities, but for its series by month.
    #[must_use]
    pub fn entity(&self, list: &str, facet: &Facet) -> Option<Value> {
        let entities = self.printed.get("entities")?.get(list)?.as_array()?;
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

    fn aspects(&self) -> impl Iterator<Item = &Value> {
        self.printed.get("aspects").and_then(Value::as_array).into_iter().flatten()
    }
}

fn said<'a>(aspect: &'a Value, key: &str) -> Option<&'a str> {
    aspect.get(key).and_then(Value::as_str)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Insights;
    use crate::mcp::offer::excerpt::fit;
    use crate::mcp::offer::listing::Refusal;

    #[test]
    fn an_aspect_is_found_by_id_or_label_and_an_unknown_one_names_those_there_are() {
        let printed = json!({
            "aspects": [{"id": "price", "label": "Value for money", "reviews": 3}, {"id": "honesty", "label": "Honesty"}],
            "faq": [], "generated_from": {"reviews": 4}, "method": {"name": "m"},
        });
        let insights = Insights { whole: fit(printed.clone(), &super::PARTS), printed };
        let expected = json!({
            "aspects": [{"id": "price", "label": "Value for money", "reviews": 3}],
            "generated_from": {"reviews": 4}, "method": {"name": "m"},
        });
        for name in ["price", "PRICE", "value for money"] {
            assert_eq!(insights.aspect(name), Ok(expected.clone()), "{name}");
        }
        let refused = Refusal::Arguments("There is no aspect \"pri\\nce\"; there are price, honesty.".to_owned());
        assert_eq!(insights.aspect("pri\nce"), Err(refused));
        let none = Insights { printed: json!({"aspects": []}), whole: json!({}) };
        let refused = "There is no aspect \"x\"; there are none now. Call get_insights without aspect.".to_owned();
        assert_eq!(none.aspect("x"), Err(Refusal::Arguments(refused)));
    }
}
