//! Finds the names of the staff in a text.

use super::certainty::TokenContext;
use super::certainty::{self, Certainty};
use super::exclusions;
use super::name_forms::{How, Nicknames, forms, parts, without_accents};
use super::words::{Dictionary, NameTrie, TaggedText, WordClass};
use crate::model::business::Technician;

use crate::compute::steps;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PersonForm {
    person: u32,
    how: How,
}

/// A part of a text that may name a person.
#[derive(Debug, Clone)]
pub struct PersonCandidate {
    /// Index of its sentence in the text.
    pub sentence: usize,
    /// The tokens of the name, as a range of the text's.
    pub tokens: std::ops::Range<usize>,
    /// Whether the words mean a staff member.
    pub certainty: Certainty,
    /// Possible people.
    pub people: Vec<u32>,
    /// Further people that other evidence may select.
    pub wider: Vec<u32>,
    /// Name of the rule.
    pub rule: &'static str,
    /// Number of people with the name: `both Mikes` are two.
    pub count: usize,
}

/// The business's technicians, by every form of their names.
#[derive(Debug, Clone)]
pub struct People {
    /// Full names; a person's number is the index.
    pub names: Vec<String>,
    initials: Vec<Option<char>>,
    forms: NameTrie<PersonForm>,
}

impl People {
    /// Adds the words of the technicians' names to `words`.
    pub fn new(technicians: &[Technician], nicknames: &Nicknames, words: &mut Dictionary) -> Self {
        let mut entries = Vec::new();
        let mut initials = Vec::new();
        for (person, technician) in (0..).zip(technicians) {
            let name = parts(&technician.name);
            let surname = (name.len() > 1).then(|| name[name.len() - 1].clone());
            initials.push(
                surname
                    .as_deref()
                    .and_then(|surname| surname.chars().next()),
            );
            for (form, how) in forms(&name, &technician.aliases, nicknames) {
                entries.push((
                    form.iter().map(|word| words.number(word)).collect(),
                    PersonForm { person, how },
                ));
            }
        }
        let people = Self {
            names: technicians.iter().map(|one| one.name.clone()).collect(),
            initials,
            forms: NameTrie::new(&entries),
        };
        for technician in technicians {
            let singles = technician
                .aliases
                .iter()
                .map(|alias| parts(alias))
                .filter(|alias| alias.len() == 1)
                .flatten();
            for word in parts(&technician.name).into_iter().chain(singles) {
                let id = words.number(&word);
                words.forgive(&word, id);
                let plain = without_accents(&word);
                if plain != word {
                    words.variant(&plain, id, false);
                    words.forgive(&plain, id);
                }
                let known = words.get(&word, true);
                if !known.is(WordClass::WordName)
                    && !known.is(WordClass::Common)
                    && !word.ends_with('s')
                    && word.len() > 2
                {
                    words.variant(&format!("{word}s"), id, true);
                }
            }
        }
        people
    }

    /// All parts of a text that may name a person, in order.
    pub fn candidates(&self, tagged: &TaggedText<'_>, author: &str) -> Vec<PersonCandidate> {
        let mut seen = Vec::new();
        for (number, sentence) in tagged.text.sentences().iter().enumerate() {
            let mut at = sentence.start;
            while at < sentence.end {
                steps::one();
                let found = if tagged.word(at).id == 0 {
                    None
                } else {
                    self.forms.longest(tagged, at, sentence.end)
                };
                let Some((end, forms)) = found else {
                    at += 1;
                    continue;
                };
                let mut context = TokenContext {
                    tagged,
                    number,
                    sentence: sentence.clone(),
                    name: at..end,
                };
                if let Some(one) = self.weigh(&mut context, forms, author) {
                    seen.push(one);
                }
                at = context.name.end;
            }
        }
        seen
    }

    /// Evaluates a part of a text; an initial after the name becomes part of the name.
    fn weigh(
        &self,
        context: &mut TokenContext<'_>,
        forms: &[PersonForm],
        author: &str,
    ) -> Option<PersonCandidate> {
        if exclusions::is_thing(context) {
            return None;
        }
        let who = |wanted: &dyn Fn(How) -> bool| {
            let mut people: Vec<u32> = forms
                .iter()
                .filter(|form| wanted(form.how))
                .map(|form| form.person)
                .collect();
            people.dedup();
            people
        };
        let is_misspelled = context
            .name
            .clone()
            .any(|at| context.tagged.word(at).is_misspelled);
        let given = who(&|how| matches!(how, How::First | How::Alias));
        let nicknamed = who(&|how| how == How::Nickname);
        let surnamed = who(&|how| how == How::Surname);
        let mut wider = given.clone();
        wider.extend(nicknamed.iter().filter(|person| !given.contains(person)));
        let initialled = self.initialled(context, &wider);
        let full = who(&|how| matches!(how, How::Full));
        let is_far = context
            .name
            .clone()
            .any(|at| context.tagged.word(at).is_far);
        let (people, certainty, rule) =
            if exclusions::is_stranger(context) || exclusions::is_signature(context, author) {
                (Vec::new(), Certainty::Stranger, "")
            } else if !full.is_empty() {
                let certainty = if certainty::is_written_as_name(context) {
                    Certainty::Sure
                } else {
                    Certainty::Weak
                };
                (
                    full,
                    certainty,
                    if is_misspelled {
                        "misspelling"
                    } else {
                        "full_name"
                    },
                )
            } else if context.is_titled() && !(surnamed.is_empty() && wider.is_empty()) {
                (
                    if surnamed.is_empty() {
                        wider.clone()
                    } else {
                        surnamed
                    },
                    Certainty::Sure,
                    "title",
                )
            } else if let Some(people) = initialled {
                let certainty = if people.is_empty() {
                    Certainty::Stranger
                } else {
                    Certainty::Sure
                };
                context.name.end += usize::from(!people.is_empty());
                (people, certainty, "initial")
            } else if certainty::is_part_of_another_name(context) {
                (Vec::new(), Certainty::Stranger, "")
            } else if wider.is_empty() {
                (surnamed, certainty::surname(context), "surname")
            } else {
                let rule = match (is_misspelled, given.is_empty()) {
                    (true, _) => "misspelling",
                    (false, true) => "nickname",
                    (false, false) => "first_name",
                };
                let is_told = context.acts() || context.is_announced() || context.is_subject();
                let certainty = if is_far && !is_told {
                    Certainty::Weak
                } else {
                    certainty::first_name(context)
                };
                (
                    if given.is_empty() { nicknamed } else { given },
                    certainty,
                    rule,
                )
            };
        let count = match context.text_before(1) {
            "two" | "both" if context.has_s() => 2,
            "three" if context.has_s() => 3,
            _ => 1,
        };
        Some(PersonCandidate {
            sentence: context.number,
            tokens: context.name.clone(),
            certainty,
            people,
            wider,
            rule,
            count,
        })
    }

    /// The people that match the initial after a first name: empty if it belongs to another person, `None` without an
    /// initial.
    fn initialled(&self, context: &TokenContext<'_>, people: &[u32]) -> Option<Vec<u32>> {
        let letter = context
            .after(1)
            .filter(|_| context.name.len() == 1 && !context.has_s())?;
        let mut letters = context.tagged.text.word(letter).chars();
        let initial = letters
            .next()
            .filter(|initial| initial.is_alphabetic() && letters.next().is_none())?;
        let is_dotted = context.text_after(2) == ".";
        // `Mike I think`, `Mike a great man`
        if !is_dotted && (matches!(initial, 'i') || !context.tagged.is_capital(letter))
            || people.is_empty()
        {
            return None;
        }
        let of =
            |person: &u32| self.initials.get(*person as usize).copied().flatten() == Some(initial);
        let people: Vec<u32> = people.iter().copied().filter(of).collect();
        (!people.is_empty() || is_dotted || initial != 'a').then_some(people)
    }
}
