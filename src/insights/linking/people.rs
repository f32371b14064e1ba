//! Finds the names of the staff in a text. An ambiguous name is resolved by a full name in the same review, or by the
//! recorded mention; without these, it stays ambiguous. Also determines the last sentence in which a text continues about
//! a person.

use super::context::TokenContext;
use super::evidence;
use super::evidence::Certainty::{self, Named, Stranger, Sure, Weak};
use super::guards::Guards;
use super::name_forms::{How, Nicknames, forms, parts, without_accents};
use super::words::{Dictionary, NameTrie, TaggedText, WordClass};
use crate::insights::analysis::Mention;
use crate::insights::text::Fingerprint;
use crate::model::MentionKind;
use crate::model::business::Technician;

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
    names: Vec<String>,
    initials: Vec<Option<char>>,
    /// By the words of a form, the person and the kind of the form.
    forms: NameTrie<(u32, How)>,
}

impl People {
    /// Adds the words of the technicians' names to `words`.
    pub fn new(technicians: &[Technician], nicknames: &Nicknames, words: &mut Dictionary) -> Self {
        let mut entries = Vec::new();
        let mut initials = Vec::new();
        for (person, technician) in (0..).zip(technicians) {
            let name = parts(&technician.name);
            let surname = name.iter().skip(1).next_back();
            initials.push(surname.and_then(|surname| surname.chars().next()));
            for (form, how) in forms(&name, &technician.aliases, nicknames) {
                let form = form.iter().map(|word| words.number(word));
                entries.push((form.collect(), (person, how)));
            }
        }
        let people = Self {
            names: technicians.iter().map(|one| one.name.clone()).collect(),
            initials,
            forms: NameTrie::new(&entries),
        };
        for technician in technicians {
            let aliases = technician.aliases.iter().map(|alias| parts(alias));
            let singles = aliases.filter(|alias| alias.len() == 1).flatten();
            for word in parts(&technician.name).into_iter().chain(singles) {
                let id = words.number(&word);
                words.misspellings.add(&word, id);
                words.misspellings.add(&without_accents(&word), id);
                let known = words.find(&word, Fingerprint::of(&word));
                if !known.is_ordinary() && !word.ends_with('s') && word.len() > 2 {
                    words.variant(&format!("{word}s"), id, true);
                }
            }
        }
        people
    }

    /// The mentions of people, in order; `recorded` are the recorded names.
    pub fn mentions(
        &self,
        tagged: &TaggedText<'_>,
        author: &str,
        recorded: &[String],
    ) -> Vec<Mention> {
        let mut seen = Vec::new();
        TokenContext::each(tagged, &self.forms, |context, forms| {
            seen.extend(self.weigh(context, forms, author));
        });
        if seen.is_empty() {
            return Vec::new();
        }
        let numbered = (0..).zip(&self.names);
        let recorded: Vec<u32> = numbered
            .filter_map(|(person, name)| recorded.contains(name).then_some(person))
            .collect();
        let mut sure = Vec::new();
        for one in &seen {
            if let [person] = one.people[..]
                && one.certainty == Sure
                && !sure.contains(&person)
            {
                sure.push(person);
            }
        }
        let mut mentions = Vec::new();
        for one in &seen {
            let Some((people, rule)) = people_of_mention(one, &sure, &recorded) else {
                continue;
            };
            let mut names: Vec<String> = people
                .iter()
                .map(|person| self.names[*person as usize].clone())
                .collect();
            names.sort();
            names.dedup();
            let mention = |candidates: Vec<String>| Mention {
                kind: MentionKind::Technician,
                candidates,
                sentence: u32::try_from(one.sentence).unwrap_or(u32::MAX),
                through: u32::try_from(through(one, &seen, tagged)).unwrap_or(u32::MAX),
                span: tagged.text.span(one.tokens.clone()),
                rule: rule.to_owned(),
            };
            if one.count == names.len() {
                mentions.extend(names.into_iter().map(|name| mention(vec![name])));
            } else {
                mentions.push(mention(names));
            }
        }
        mentions
    }

    /// Evaluates a part of a text; an initial after the name becomes part of the name.
    fn weigh(
        &self,
        context: &mut TokenContext<'_>,
        forms: &[(u32, How)],
        author: &str,
    ) -> Option<PersonCandidate> {
        if Guards::get().thing.holds(context) {
            return None;
        }
        let of_form = |form: How| -> Vec<u32> {
            let forms = forms.iter().filter(|(_, how)| *how == form);
            forms.map(|(person, _)| *person).collect()
        };
        let is_misspelled = context.words().any(|word| word.is_misspelled);
        let [full, given, nicknamed, surnamed] =
            [How::Full, How::Given, How::Nickname, How::Surname].map(of_form);
        let mut wider = given.clone();
        wider.extend(nicknamed.iter().filter(|person| !given.contains(person)));
        let of_initial = self.with_initial(context, &wider);
        let (people, certainty, rule) =
            if evidence::is_stranger(context) || evidence::is_signature(context, author) {
                (Vec::new(), Stranger, "")
            } else if !full.is_empty() {
                let rule = if is_misspelled {
                    "misspelling"
                } else {
                    "full_name"
                };
                (full, Sure, rule)
            } else if context.is_titled() && !(surnamed.is_empty() && wider.is_empty()) {
                let people = if surnamed.is_empty() {
                    wider.clone()
                } else {
                    surnamed
                };
                (people, Sure, "title")
            } else if let Some(people) = of_initial {
                let is_known = !people.is_empty();
                context.name.end += usize::from(is_known);
                (people, if is_known { Sure } else { Stranger }, "initial")
            } else if evidence::is_part_of_another_name(context) {
                (Vec::new(), Stranger, "")
            } else if wider.is_empty() {
                (surnamed, evidence::surname(context), "surname")
            } else {
                let rule = match (is_misspelled, given.is_empty()) {
                    (true, _) => "misspelling",
                    (false, true) => "nickname",
                    (false, false) => "first_name",
                };
                let people = if given.is_empty() { nicknamed } else { given };
                (people, evidence::first_name(context), rule)
            };
        let count = match context.text(-1) {
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
    fn with_initial(&self, context: &TokenContext<'_>, people: &[u32]) -> Option<Vec<u32>> {
        let letter = context
            .at(1)
            .filter(|_| context.name.len() == 1 && !context.has_s())?;
        let mut letters = context.tagged.text.word(letter).chars();
        let initial = letters
            .next()
            .filter(|initial| initial.is_alphabetic() && letters.next().is_none())?;
        let is_dotted = context.text(2) == ".";
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

fn people_of_mention(
    one: &PersonCandidate,
    sure: &[u32],
    recorded: &[u32],
) -> Option<(Vec<u32>, &'static str)> {
    let among = |people: &[u32], known: &[u32]| -> Vec<u32> {
        let people = people.iter().copied();
        people.filter(|person| known.contains(person)).collect()
    };
    let widest = if one.wider.is_empty() {
        &one.people
    } else {
        &one.wider
    };
    let on_record = || among(widest, recorded);
    match one.certainty {
        Stranger => None,
        Weak => {
            let confirmed = among(&one.people, &[sure, recorded].concat());
            (confirmed.len() == 1 && one.count == 1).then_some((confirmed, "recorded"))
        }
        Sure | Named if one.count > 1 => {
            (one.people.len() > 1).then(|| (one.people.clone(), one.rule))
        }
        Sure | Named => Some(match one.people.as_slice() {
            [person]
                if one.certainty == Sure || recorded.contains(person) || sure.contains(person) =>
            {
                (one.people.clone(), one.rule)
            }
            _ => match (among(&one.people, sure).as_slice(), on_record().as_slice()) {
                ([person], _) => (vec![*person], "same_review"),
                (_, [person]) => (vec![*person], "recorded"),
                _ => (one.people.clone(), one.rule),
            },
        }),
    }
}

/// The last sentence that continues about the person.
fn through(one: &PersonCandidate, seen: &[PersonCandidate], tagged: &TaggedText<'_>) -> usize {
    let names = |sentence: usize| {
        let from = seen.partition_point(|other| other.sentence < sentence);
        let sightings = seen[from..]
            .iter()
            .take_while(move |other| other.sentence == sentence);
        sightings.filter(|other| other.certainty != Weak)
    };
    let is_alone = names(one.sentence).all(|other| other.people == one.people);
    let mut last = one.sentence;
    while let Some(sentence) = tagged.text.sentences().get(last + 1) {
        let start = sentence
            .clone()
            .find(|at| !tagged.is_mark(*at) && !tagged.word(*at).is(WordClass::Link));
        let Some(start) = start.filter(|at| tagged.word(*at).is(WordClass::Pronoun)) else {
            break;
        };
        let is_they = matches!(
            tagged.text.word(start),
            "they" | "their" | "they're" | "they'd" | "they'll"
        );
        if !(is_alone || is_they)
            || names(last + 1).next().is_some()
            || matches!(tagged.text.word(start), "it" | "its" | "it's")
        {
            break;
        }
        last += 1;
    }
    last
}
