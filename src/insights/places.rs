//! Finds the services and the places of the business in a text. [`is_something_else`] decides which words do not mean a
//! service, [`is_place`] which mean a place; the contexts are in `names.toml`.

use super::analysis::Mention;
use super::names::{
    Context, Contexts, NameClasses, NameContext, NameForms, NameTable, plain, words_only,
};
use super::text::{Capitalisation, TokenizedText};
use super::words::{LanguageWords, singular};
use crate::model::MentionKind;
use crate::model::business::Service;

/// Whether these words together mean something else than each of them: `water heater`, unless the business lists them as a
/// synonym.
fn is_compound(first: &str, second: &str) -> bool {
    let mut compounds = NameTable::list("compounds").iter();
    compounds.any(|one| one.split_once(' ') == Some((first, second)))
}

#[derive(Debug, Clone)]
pub struct Services {
    ids: Vec<String>,
    forms: NameForms,
    /// The words of the business's name, in lower case: within it they name no service.
    firm: Vec<String>,
}

impl Services {
    pub fn new(services: &[Service], firm: &str) -> Self {
        let entries = services.iter().enumerate().flat_map(|(service, offered)| {
            let forms = service_forms(offered).into_iter();
            forms.map(move |form| (form, service))
        });
        Self {
            ids: services.iter().map(|service| service.id.clone()).collect(),
            forms: NameForms::new(singular, entries),
            firm: words_only(&TokenizedText::new(firm)),
        }
    }

    /// The named services, in order. Words that name several name none.
    pub fn find(&self, text: &TokenizedText, contexts: &Contexts) -> Vec<Mention> {
        let mut found = Vec::new();
        NameContext::each(text, &self.forms, contexts, |context, services| {
            if let [service] = services
                && !is_something_else(context)
                && !self.is_in_firm_name(context)
            {
                found.push(context.mention(MentionKind::Service, &self.ids[*service]));
            }
        });
        found
    }

    /// Whether the word beside it is that of the business's name: `Mr Dakgalbi`.
    fn is_in_firm_name(&self, context: &NameContext<'_>) -> bool {
        let text = context.text;
        let name: Vec<&str> = context.name.clone().map(|at| text.word(at)).collect();
        let mut windows = self.firm.windows(name.len()).enumerate();
        windows.any(|(at, words)| {
            let is_word = |offset: isize, n: Option<usize>| {
                n.and_then(|n| self.firm.get(n))
                    .is_some_and(|word| context.word(offset) == word)
            };
            words == name && (is_word(-1, at.checked_sub(1)) || is_word(1, Some(at + words.len())))
        })
    }
}

/// Whether the words have another meaning in this context.
fn is_something_else(context: &NameContext<'_>) -> bool {
    let (text, name) = (context.text, &context.name);
    let (first, last) = (text.word(name.start), text.word(name.end - 1));
    if is_compound(context.word(-1), first) || is_compound(&singular(last), context.word(1)) {
        return true;
    }
    if matches!(last, "up" | "out" | "off" | "down") && first.ends_with("ed") {
        return context.is_in(Context::ServiceParticiple);
    }
    // A service `Wills` with the synonym `will`.
    let function_words = &LanguageWords::english().function_words;
    name.len() == 1
        && (context.is_in(Context::Simile) && !context.is_in(Context::Proof)
            || context.is_in(Context::ServiceVerb)
            || context.is_among(0, function_words) && !context.is_in(Context::Noun))
}

/// Every form of a service's name, as words.
fn service_forms(service: &Service) -> Vec<Vec<String>> {
    let names = service.synonyms.iter().chain([&service.name]);
    let mut forms: Vec<Vec<String>> = names.flat_map(|name| service_parts(name)).collect();
    for form in forms.clone() {
        if let [rest @ .., last] = form.as_slice()
            && NameTable::list("tails").contains(last)
        {
            forms.push(rest.to_vec());
        }
    }
    forms.retain(|form| !form.is_empty());
    forms
}

/// The words of a name; of a name that is a list, the words of each item: `Duct cleaning and sealing`, `Drain and sewer
/// cleaning`.
fn service_parts(name: &str) -> Vec<Vec<String>> {
    let text = TokenizedText::new(name);
    let tokens: Vec<usize> = (0..text.tokens().len()).collect();
    let mut items: Vec<Vec<String>> = tokens
        .split(|token| matches!(text.word(*token), "and" | "," | "&" | "/" | "or"))
        .map(|item| {
            let words = item.iter();
            let words = words.filter(|at| text.tokens()[**at].shape != Capitalisation::Mark);
            words.map(|at| text.word(*at).to_owned()).collect()
        })
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

/// The business's service areas, by the words of their names.
#[derive(Debug, Clone)]
pub struct Areas {
    names: Vec<String>,
    forms: NameForms,
}

impl Areas {
    pub fn new(names: &[String]) -> Self {
        let words = names.iter();
        let words = words.map(|name| words_only(&TokenizedText::new(name)));
        Self {
            names: names.to_vec(),
            forms: NameForms::new(plain, words.zip(0..)),
        }
    }

    /// The named places, in order.
    pub fn find(&self, text: &TokenizedText, contexts: &Contexts) -> Vec<Mention> {
        let (mut found, mut last_end) = (Vec::new(), None);
        let pair = &NameClasses::get().pair;
        NameContext::each(text, &self.forms, contexts, |context, areas| {
            // A place joined to one that was already found counts too: `in Mesa, Gilbert and Chandler`.
            let at = context.name.start;
            let is_joined = last_end.is_some_and(|last: usize| {
                last < at
                    && last >= context.sentence.start
                    && (last..at).all(|at| text.is_among(at, pair) || text.word(at) == "/")
            });
            if let [area, ..] = areas
                && is_place(context, is_joined)
            {
                found.push(context.mention(MentionKind::ServiceArea, &self.names[*area]));
                last_end = Some(context.name.end);
            }
        });
        found
    }
}

/// Whether the words name a place. The names of places are often also those of people and streets, so a capital letter is not
/// sufficient evidence.
fn is_place(context: &NameContext<'_>, is_joined: bool) -> bool {
    let is_capital = context.is_capital();
    let is_longer =
        context.is_in(Context::LongerPlace) || context.is_named(-1) || context.is_named(1);
    (is_capital || !context.is_ordinary() && context.word(-1) != "the")
        && !is_longer
        && (is_joined || is_capital && context.name.len() > 1 || context.is_in(Context::Place))
}
