//! Finds the places that the business serves. The name of a place is often also the name of a person or street, so a
//! capital letter is not sufficient evidence.

use super::context::TokenContext;
use super::guards::Guards;
use super::name_forms;
use super::words::WordClass::{
    self, Be, BeforeMonth, Common, Compass, Deed, Determiner, Firm, FirstName, Home, Link, Near,
    Own, Pair, Pronoun, Rank, State, Toward, Trade, Wide, With,
};
use super::words::{Dictionary, NameTrie, TaggedText};
use crate::insights::analysis::Mention;
use crate::insights::text::{Capitalisation, TokenizedText};
use crate::model::MentionKind;

/// Classes of words that may be capitalised beside a place without being part of the place's name.
const FUNCTION: [WordClass; 12] = [
    Compass,
    Near,
    Toward,
    Link,
    Pair,
    Own,
    Determiner,
    With,
    Be,
    Deed,
    Pronoun,
    BeforeMonth,
];

/// The business's service areas, by the words of their names.
#[derive(Debug, Clone)]
pub struct Areas {
    pub(super) names: Vec<String>,
    pub(super) forms: NameTrie<u32>,
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
    let (next, word) = (context.word(1), context.word(0));
    let (is_many, is_capital) = (context.name.len() > 1, context.is_capital());
    let is_ordinary = !is_many && word.is_ordinary() && !is_capital;
    let is_misspelled = context.words().any(|word| word.is_misspelled);
    if is_ordinary || is_misspelled || is_street(context) || is_of_another_name(context) {
        return None;
    }
    let guards = Guards::get();
    if guards.state.holds(context) || !is_capital && guards.state_in_lower_case.holds(context) {
        return Some("area_and_state");
    }
    let is_wide = context.word(-1).is(Wide)
        && !context.word(-2).begins_noun()
        && (is_capital && !context.is_capital_at(-1) || context.at(-2).is_none());
    let is_home = guards.place_of_home.holds(context) && !(context.is_at_start() && next.is(Deed));
    let may_be_direction = is_capital || is_many || !word.is(FirstName);
    let is_place = is_joined
        || is_wide
        || is_home
        || is_many && is_capital
        || guards.place.holds(context)
        || may_be_direction && guards.toward_place.holds(context);
    is_place.then_some("area")
}

/// `Mesa Dr`, `on Gilbert`, `Gilbert and Baseline`
fn is_street(context: &TokenContext<'_>) -> bool {
    let is_on = matches!(context.text(-1), "on" | "off" | "at") && !context.word(1).is(Home);
    is_on || Guards::get().street.holds(context)
}

/// `Mr. Gilbert`, `Bob Gilbert`, `Costa Mesa`, `Mesa Plumbing`, `Gilbert High School`: part of a longer name.
fn is_of_another_name(context: &TokenContext<'_>) -> bool {
    let is_named = |at: &usize| {
        context.tagged.text.tokens()[*at].shape == Capitalisation::Capitalised
            && !context.tagged.word(*at).is_any(&FUNCTION)
    };
    if let Some(before) = context.at(-1).filter(is_named) {
        let word = context.tagged.word(before);
        let is_inside = before > context.sentence.start && word.is(Common);
        if !word.has_s && (word.is(FirstName) || word.is(Rank) || word.is_unknown() || is_inside) {
            return true;
        }
    }
    let after = context.at(1).filter(is_named);
    let is_longer = after.filter(|_| !context.has_s()).is_some_and(|at| {
        let word = context.tagged.word(at);
        let is_home = word.is(Home) && !word.is(Trade) || word.is(State);
        !is_home && (word.is(Trade) || word.is(Firm) || word.is_unknown() || word.is(Common))
    });
    context.is_titled() || is_longer
}
