//! Finds the services of the business: names, ids and synonyms, with spelling variants that are common in all trades.
//! The longest match wins; a word that two services share is an ambiguity.

use std::collections::BTreeSet;

use super::context::TokenContext;
use super::guards::Guards;
use super::words::{Dictionary, NameTrie, TaggedText, WordTable};
use crate::insights::analysis::Mention;
use crate::insights::text::{Capitalisation, Fingerprint, LanguageWords, TokenizedText};
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
                for joint in 1..form.len() {
                    let mut joined = form.clone();
                    let next = joined.remove(joint);
                    joined[joint - 1].push_str(&next);
                    entries.push((numbers(&joined), service));
                }
            }
        }
        Self {
            ids: services.iter().map(|service| service.id.clone()).collect(),
            forms: NameTrie::new(&entries),
        }
    }

    /// The named services, in order.
    pub fn find(&self, tagged: &TaggedText<'_>, recorded: &[String]) -> Vec<Mention> {
        let (mut found, mut last_end) = (Vec::new(), None);
        TokenContext::each(tagged, &self.forms, |context, services| {
            if is_something_else(context, last_end == Some(context.name.start)) {
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
            last_end = Some(context.name.end);
        });
        let certain: BTreeSet<String> = found
            .iter()
            .filter_map(|one| one.link().map(str::to_owned))
            .collect();
        let recorded: BTreeSet<String> = recorded.iter().cloned().collect();
        for one in found.iter_mut().filter(|one| one.candidates.len() > 1) {
            for known in [&certain, &recorded] {
                let among: Vec<&String> = one
                    .candidates
                    .iter()
                    .filter(|id| known.contains(*id))
                    .collect();
                if let [id] = among.as_slice() {
                    (one.candidates, one.rule) = (vec![(*id).clone()], "context".to_owned());
                    break;
                }
            }
        }
        found
    }
}

/// Whether the words have another meaning in this context.
fn is_something_else(context: &TokenContext<'_>, follows: bool) -> bool {
    let (tagged, tokens) = (context.tagged, &context.name);
    let (first, last) = (
        tagged.text.word(tokens.start),
        tagged.text.word(tokens.end - 1),
    );
    let stem = last.strip_suffix('s').unwrap_or(last);
    let after = if context.text(1) == "/" {
        context.text(2)
    } else {
        context.text(1)
    };
    if is_compound(context.text(-1), first) || is_compound(stem, after) {
        return true;
    }
    let guards = Guards::get();
    if matches!(last, "up" | "out" | "off" | "down") && first.ends_with("ed") {
        return guards.service_participle.holds(context);
    }
    // `the faucet leaks`, `the faucets leak`
    let agrees = follows && context.word(-1).has_s != context.has_s();
    tokens.len() == 1
        && (agrees
            || guards.simile.holds(context) && !guards.proof.holds(context)
            || guards.service_verb.holds(context))
}

/// The number of a word, which is the same for its singular and plural.
fn number(word: &str, words: &mut Dictionary) -> u32 {
    let singular = singular(word);
    let id = words.number(&singular);
    words.variant(word, id, false);
    words.variant(&plural(&singular), id, true);
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

fn plural(word: &str) -> String {
    match word.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{stem}ies"),
        _ if ["ch", "sh", "x", "s"].iter().any(|end| word.ends_with(end)) => format!("{word}es"),
        _ => format!("{word}s"),
    }
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
    forms.extend(
        parts(&service.id)
            .into_iter()
            .filter(|form| says_something(form)),
    );
    forms.extend(service.synonyms.iter().flat_map(|synonym| parts(synonym)));
    for form in forms.clone() {
        // `shutoff valve` is also accepted for `shut-off valve`.
        if let Some((at, stem, end)) = form.iter().enumerate().find_map(|(at, word)| {
            list("ends")
                .iter()
                .find_map(|end| Some((at, word.strip_suffix(end.as_str())?, end.as_str())))
        }) && stem.len() > 3
        {
            let mut split = form.clone();
            split.splice(at..=at, [stem.to_owned(), end.to_owned()]);
            forms.push(split);
        }
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

/// Minimum length of a word in an id that may be the customers' name for the service.
const ID_LETTERS_MIN: usize = 3;

/// Whether a form of an id identifies the service: `a` or `it` would match every review.
fn says_something(form: &[String]) -> bool {
    let small = &LanguageWords::english().function_words;
    let says = |word: &String| {
        word.chars().count() >= ID_LETTERS_MIN && !small.contains(Fingerprint::of(word))
    };
    form.iter().any(says)
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
