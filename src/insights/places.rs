//! Finds the services and the places of the business in a text. [`is_something_else`] decides which words do not mean a
//! service, [`area_rule`] which mean a place; the contexts are in `names.toml`.

use super::analysis::Mention;
use super::contexts::{Context, NameContext};
use super::names::WordClass::{Common, Firm, FirstName, Pair, Rank, Trade, Wide};
use super::names::{Dictionary, NameTrie, TaggedText, WordTable, words_of};
use super::text::{Capitalisation, TokenizedText};
use super::words::LanguageWords;
use crate::model::MentionKind;
use crate::model::business::Service;

/// A list of `names.toml`.
fn list(name: &str) -> &'static [String] {
    WordTable::get().lists.get(name).map_or(&[], Vec::as_slice)
}

/// Whether these words together mean something else than each of them: `water heater`, unless the business lists them as a
/// synonym.
fn is_compound(first: &str, second: &str) -> bool {
    let mut compounds = list("compounds").iter();
    compounds.any(|one| one.split_once(' ') == Some((first, second)))
}

#[derive(Debug, Clone)]
pub struct Services {
    ids: Vec<String>,
    forms: NameTrie<u32>,
    /// The words of the business's name, in lower case: within it they name no service.
    firm: Vec<String>,
}

impl Services {
    /// Adds the words of the services to `words`.
    pub fn new(services: &[Service], firm: &str, words: &mut Dictionary) -> Self {
        let mut entries = Vec::new();
        let mut numbers = |form: &[String]| form.iter().map(|word| number(word, words)).collect();
        for (service, offered) in (0..).zip(services) {
            for form in service_forms(offered) {
                entries.push((numbers(&form), service));
            }
        }
        Self {
            ids: services.iter().map(|service| service.id.clone()).collect(),
            forms: NameTrie::new(&entries),
            firm: words_of(&TokenizedText::new(firm))
                .map(str::to_owned)
                .collect(),
        }
    }

    /// The named services, in order.
    pub fn find(&self, tagged: &TaggedText<'_>) -> Vec<Mention> {
        let mut found = Vec::new();
        NameContext::each(tagged, &self.forms, |context, services| {
            if is_something_else(context) || self.is_in_firm_name(context) {
                return;
            }
            let mut ids: Vec<String> = services
                .iter()
                .map(|service| &self.ids[*service as usize])
                .cloned()
                .collect();
            ids.sort();
            let rule = if context.name.len() > 1 {
                "phrase"
            } else {
                "synonym"
            };
            found.push(context.mention(MentionKind::Service, ids, rule));
        });
        found
    }

    /// Whether the word beside it is that of the business's name: `Mr Dakgalbi`.
    fn is_in_firm_name(&self, context: &NameContext<'_>) -> bool {
        let text = context.tagged.text;
        let name: Vec<&str> = context.name.clone().map(|at| text.word(at)).collect();
        let mut windows = self.firm.windows(name.len()).enumerate();
        windows.any(|(at, words)| {
            let is_word = |offset: isize, n: Option<usize>| {
                n.and_then(|n| self.firm.get(n))
                    .is_some_and(|word| context.text(offset) == word)
            };
            words == name && (is_word(-1, at.checked_sub(1)) || is_word(1, Some(at + words.len())))
        })
    }
}

/// Whether the words have another meaning in this context.
fn is_something_else(context: &NameContext<'_>) -> bool {
    let (tagged, tokens) = (context.tagged, &context.name);
    let (first, last) = (
        tagged.text.word(tokens.start),
        tagged.text.word(tokens.end - 1),
    );
    let stem = last.strip_suffix('s').unwrap_or(last);
    // A service `Wills` with the synonym `will`.
    let function_words = &LanguageWords::english().function_words;
    if tokens.len() == 1
        && tagged.text.is_among(tokens.start, function_words)
        && !context.word(-1).begins_noun()
    {
        return true;
    }
    if is_compound(context.text(-1), first) || is_compound(stem, context.text(1)) {
        return true;
    }
    if matches!(last, "up" | "out" | "off" | "down") && first.ends_with("ed") {
        return context.is_in(Context::ServiceParticiple);
    }
    tokens.len() == 1
        && (context.is_in(Context::Simile) && !context.is_in(Context::Proof)
            || context.is_in(Context::ServiceVerb))
}

/// The number of a word, which is the same for its singular and plural.
fn number(word: &str, words: &mut Dictionary) -> u32 {
    let singular = singular(word);
    let id = words.number(&singular);
    words.variant(word, id, false);
    if let [_, plural, ..] = LanguageWords::english().forms(&singular).as_slice() {
        words.variant(plural, id, true);
    }
    id
}

fn singular(word: &str) -> String {
    if let Some(stem) = word.strip_suffix("ies").filter(|stem| stem.len() > 2) {
        return format!("{stem}y");
    }
    let es = ["ches", "shes", "xes", "sses"]
        .iter()
        .any(|end| word.ends_with(end));
    let stem = if es {
        word.strip_suffix("es")
    } else {
        word.strip_suffix('s')
    };
    let is_plural = word.len() > 3 && !["ss", "us", "is"].iter().any(|end| word.ends_with(end));
    stem.filter(|_| is_plural).unwrap_or(word).to_owned()
}

/// Every form of a service's name, as words.
fn service_forms(service: &Service) -> Vec<Vec<String>> {
    let mut forms = service_parts(&service.name);
    for form in forms.clone() {
        if let [rest @ .., last] = form.as_slice()
            && list("tails").contains(last)
        {
            forms.push(rest.to_vec());
        }
    }
    forms.extend(
        service
            .synonyms
            .iter()
            .flat_map(|synonym| service_parts(synonym)),
    );
    for form in forms.clone() {
        // `repiped` and `rewiring` name the business's work.
        if let [word] = form.as_slice()
            && word.starts_with("re")
            && let Some(stem) = word.strip_suffix('e').filter(|stem| stem.len() > 3)
        {
            forms.extend([vec![format!("{stem}ed")], vec![format!("{stem}ing")]]);
        }
    }
    forms.retain(|form| !form.is_empty());
    forms.sort();
    forms.dedup();
    forms
}

/// The words of a name; of a name that is a list, the words of each item: `Duct cleaning and sealing`, `Drain and sewer
/// cleaning`.
fn service_parts(name: &str) -> Vec<Vec<String>> {
    let text = TokenizedText::new(name);
    let is_word = |token: &&usize| text.tokens()[**token].shape != Capitalisation::Mark;
    let word = |token: &usize| text.word(*token).to_owned();
    let tokens: Vec<usize> = (0..text.tokens().len()).collect();
    let mut items: Vec<Vec<String>> = tokens
        .split(|token| matches!(text.word(*token), "and" | "," | "&" | "/" | "or"))
        .map(|item| item.iter().filter(is_word).map(word).collect())
        .collect();
    items.retain(|item| !item.is_empty());
    let Some((first, last)) = items.first().cloned().zip(items.last().cloned()) else {
        return items;
    };
    for item in items.iter_mut().filter(|item| item.len() == 1) {
        if last.len() > 1 && *item != last {
            item.extend_from_slice(&last[1..]);
        } else if first.len() > 1 {
            item.splice(..0, first[..first.len() - 1].iter().cloned());
        }
    }
    items
}

// Places. Their names are often also those of people and streets, so a capital letter is not sufficient evidence.

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
            let form = words_of(&text).map(|word| words.number(word));
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
        NameContext::each(tagged, &self.forms, |context, areas| {
            let (at, end, sentence) = (context.name.start, context.name.end, &context.sentence);
            // A place joined to one that was already found counts too: `in Mesa, Gilbert and Chandler`.
            let is_joined = last_end.is_some_and(|last: usize| {
                last < at && last >= sentence.start && (last..at).all(is_joint)
            });
            if let (Some(rule), Some(area)) = (area_rule(context, is_joined), areas.first()) {
                let name = self.names[*area as usize].clone();
                found.push(context.mention(MentionKind::ServiceArea, vec![name], rule));
                last_end = Some(end);
            }
        });
        found
    }
}

/// The rule by which the words name that place, if there is one.
fn area_rule(context: &NameContext<'_>, is_joined: bool) -> Option<&'static str> {
    let (is_many, is_capital) = (context.name.len() > 1, context.is_capital());
    let is_ordinary = !is_many && context.word(0).is_ordinary() && !is_capital;
    if is_ordinary || context.is_in(Context::Street) || is_of_another_name(context) {
        return None;
    }
    if context.is_in(Context::State) || !is_capital && context.is_in(Context::StateInLowerCase) {
        return Some("area_and_state");
    }
    let is_wide = context.word(-1).is(Wide)
        && !context.word(-2).begins_noun()
        && (is_capital && !context.is_capital_at(-1) || context.at(-2).is_none());
    let is_place = is_joined
        || is_wide
        || is_many && is_capital
        || context.is_in(Context::Place)
        || context.is_in(Context::PlaceOfHome)
        || context.is_in(Context::TowardPlace);
    is_place.then_some("area")
}

/// `Bob Gilbert`, `Costa Mesa`, `Mesa Plumbing`, `Gilbert High School`: part of a longer name.
fn is_of_another_name(context: &NameContext<'_>) -> bool {
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
