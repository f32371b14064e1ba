//! Finds the services of the business: names and synonyms, with spelling variants that are common in all trades.
//! The longest match wins; a word that two services share is an ambiguity.

use super::context::TokenContext;
use super::guards::Guards;
use super::words::{Dictionary, NameTrie, TaggedText, WordTable};
use crate::insights::analysis::Mention;
use crate::insights::text::{Capitalisation, LanguageWords, TokenizedText};
use crate::model::MentionKind;
use crate::model::business::Service;

/// A list of `words.toml`.
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
}

impl Services {
    /// Adds the words of the services to `words`.
    pub fn new(services: &[Service], words: &mut Dictionary) -> Self {
        let mut entries = Vec::new();
        let mut numbers = |form: &[String]| form.iter().map(|word| number(word, words)).collect();
        for (service, offered) in (0..).zip(services) {
            for form in forms(offered) {
                entries.push((numbers(&form), service));
            }
        }
        Self {
            ids: services.iter().map(|service| service.id.clone()).collect(),
            forms: NameTrie::new(&entries),
        }
    }

    /// The named services, in order.
    pub fn find(&self, tagged: &TaggedText<'_>) -> Vec<Mention> {
        let mut found = Vec::new();
        TokenContext::each(tagged, &self.forms, |context, services| {
            if is_something_else(context) {
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
}

/// Whether the words have another meaning in this context.
fn is_something_else(context: &TokenContext<'_>) -> bool {
    let (tagged, tokens) = (context.tagged, &context.name);
    let (first, last) = (
        tagged.text.word(tokens.start),
        tagged.text.word(tokens.end - 1),
    );
    let stem = last.strip_suffix('s').unwrap_or(last);
    if is_compound(context.text(-1), first) || is_compound(stem, context.text(1)) {
        return true;
    }
    let guards = Guards::get();
    if matches!(last, "up" | "out" | "off" | "down") && first.ends_with("ed") {
        return guards.service_participle.holds(context);
    }
    tokens.len() == 1
        && (guards.simile.holds(context) && !guards.proof.holds(context)
            || guards.service_verb.holds(context))
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
fn forms(service: &Service) -> Vec<Vec<String>> {
    let mut forms = parts(&service.name);
    for form in forms.clone() {
        if let [rest @ .., last] = form.as_slice()
            && list("tails").contains(last)
        {
            forms.push(rest.to_vec());
        }
    }
    forms.extend(service.synonyms.iter().flat_map(|synonym| parts(synonym)));
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
fn parts(name: &str) -> Vec<Vec<String>> {
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
