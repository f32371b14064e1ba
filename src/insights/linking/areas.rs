//! Finds the places that the business serves. The name of a place is often also the name of a person or street, so a
//! capital letter is not sufficient evidence.

use super::context::TokenContext;
use super::guards::Guards;
use super::name_forms;
use super::words::WordClass::{Common, Firm, FirstName, Pair, Rank, Trade, Wide};
use super::words::{Dictionary, NameTrie, TaggedText};
use crate::insights::analysis::Mention;
use crate::insights::text::{Capitalisation, TokenizedText};
use crate::model::MentionKind;

/// The business's service areas, by the words of their names.
#[derive(Debug, Clone)]
pub struct Areas {
    names: Vec<String>,
    forms: NameTrie<u32>,
}

impl Areas {
    /// Adds the words of the places to `words`.
    pub fn new(names: &[String], words: &mut Dictionary) -> Self {
        let mut entries = Vec::new();
        for (area, name) in (0..).zip(names) {
            let text = TokenizedText::new(name);
            let form = name_forms::words(&text).map(|word| words.number(word));
            entries.push((form.collect(), area));
        }
        Self {
            names: names.to_vec(),
            forms: NameTrie::new(&entries),
        }
    }

    /// The named places, in order.
    pub fn find(&self, tagged: &TaggedText<'_>) -> Vec<Mention> {
        let (mut found, mut last_end) = (Vec::new(), None);
        let is_joint = |at: usize| tagged.word(at).is(Pair) || tagged.text.word(at) == "/";
        TokenContext::each(tagged, &self.forms, |context, areas| {
            let (at, end, sentence) = (context.name.start, context.name.end, &context.sentence);
            // A place joined to one that was already found counts too: `in Mesa, Gilbert and Chandler`.
            let is_joined = last_end.is_some_and(|last: usize| {
                last < at && last >= sentence.start && (last..at).all(is_joint)
            });
            if let (Some(rule), Some(area)) = (rule(context, is_joined), areas.first()) {
                let name = self.names[*area as usize].clone();
                found.push(context.mention(MentionKind::ServiceArea, vec![name], rule));
                last_end = Some(end);
            }
        });
        found
    }
}

/// The rule by which the words name that place, if there is one.
fn rule(context: &TokenContext<'_>, is_joined: bool) -> Option<&'static str> {
    let guards = Guards::get();
    let (is_many, is_capital) = (context.name.len() > 1, context.is_capital());
    let is_ordinary = !is_many && context.word(0).is_ordinary() && !is_capital;
    if is_ordinary || guards.street.holds(context) || is_of_another_name(context) {
        return None;
    }
    if guards.state.holds(context) || !is_capital && guards.state_in_lower_case.holds(context) {
        return Some("area_and_state");
    }
    let is_wide = context.word(-1).is(Wide)
        && !context.word(-2).begins_noun()
        && (is_capital && !context.is_capital_at(-1) || context.at(-2).is_none());
    let is_place = is_joined
        || is_wide
        || is_many && is_capital
        || guards.place.holds(context)
        || guards.place_of_home.holds(context)
        || guards.toward_place.holds(context);
    is_place.then_some("area")
}

/// `Bob Gilbert`, `Costa Mesa`, `Mesa Plumbing`, `Gilbert High School`: part of a longer name.
fn is_of_another_name(context: &TokenContext<'_>) -> bool {
    let named = |n: isize| {
        let at = context.at(n)?;
        let shape = context.tagged.text.tokens()[at].shape;
        (shape == Capitalisation::Capitalised).then(|| context.tagged.word(at))
    };
    let is_before = named(-1)
        .is_some_and(|word| !word.has_s && (word.is_any(&[FirstName, Rank]) || word.is_unknown()));
    let is_after =
        named(1).is_some_and(|word| word.is_any(&[Trade, Firm, Common]) || word.is_unknown());
    is_before || is_after && !context.has_s()
}
