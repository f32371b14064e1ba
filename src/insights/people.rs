//! Finds the people, services and places of the business in a text ([`Linker`]), and decides which words mean one of its
//! people.
//!
//! Whether `Mike` is mentioned is decided by [`People::recognize`], in this order: a stranger (`my husband Mike`) or the
//! author's own signature; a full name; a title and a name; an initial; part of another name (`Mike Johnson`); a surname or a
//! first name alone, as certain as its context. The contexts are phrases in `names.toml`. Which Mike it is, is decided by
//! [`people_of_mention`]: an ambiguous name keeps all its candidates.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::sync::LazyLock;

use serde::Serialize;

use super::analysis::{Mention, Polarity};
use super::contexts::{Context, NameContext};
use super::names::WordClass::{self, Bare, CalendarName, Closing, FirstName, ThingName, WordName};
use super::names::{Dictionary, NameTrie, TABLE, TaggedText, without_accents, words_of};
use super::places::{Areas, Services};
use super::rules::{HOME_SERVICES, Trade};
use super::text::{Capitalisation, TokenizedText};
use super::words::Fingerprint;
use crate::model::business::{Business, Technician};
use crate::model::{MentionKind, Mentions};
use Certainty::{Named, Stranger, Sure, Weak};

/// The searchable names of a business.
#[derive(Debug, Clone)]
pub struct Linker {
    words: Dictionary,
    people: People,
    services: Services,
    areas: Areas,
}

impl Linker {
    pub fn new(business: &Business) -> Self {
        let mut words = Dictionary::new();
        words_of(&TokenizedText::new(&business.name))
            .for_each(|word| words.class(word, WordClass::Firm));
        let nicknames = nicknames();
        nicknames
            .keys()
            .for_each(|name| words.class(name, FirstName));
        let [job, doctor] = if Trade::id_for(&business.kind) == HOME_SERVICES {
            [WordClass::Kin, WordClass::Rank]
        } else {
            [WordClass::Role, WordClass::Title]
        };
        words.classify(WordClass::Job, job);
        words.classify(WordClass::Doctor, doctor);
        let people = People::new(&business.technicians, &nicknames, &mut words);
        let services = Services::new(&business.services, &business.name, &mut words);
        let areas = Areas::new(&business.service_areas, &mut words);
        words.settle();
        Self {
            words,
            people,
            services,
            areas,
        }
    }

    /// The mentions in `text`, by position. `author` is the review's author; `recorded` are its recorded mentions,
    /// which resolve ambiguities but do not count as mentions in the text.
    pub fn mentions(
        &self,
        text: &TokenizedText,
        author: &str,
        recorded: &Mentions,
    ) -> Vec<Mention> {
        let tagged = TaggedText::new(text, &self.words);
        let mut mentions = (self.people).mentions(&tagged, author, &recorded.technicians);
        mentions.extend(self.services.find(&tagged));
        mentions.extend(self.areas.find(&tagged));
        mentions.sort_by_key(|mention| (mention.span, mention.kind));
        mentions
    }
}

/// Whether a sentence possibly names a person with none of the words in `known`: by a first name, or by a capital within the
/// sentence.
pub(super) fn names_stranger(
    text: &TokenizedText,
    sentence: Range<usize>,
    known: &HashSet<String>,
) -> bool {
    static WORDS: LazyLock<Dictionary> = LazyLock::new(|| {
        let mut words = Dictionary::new();
        nicknames()
            .keys()
            .for_each(|name| words.class(name, FirstName));
        words
    });
    let is_mark = |at: &usize| text.has_shape(*at, Capitalisation::Mark);
    let start = sentence.clone().find(|at| !is_mark(at));
    sentence.filter(|at| !is_mark(at)).any(|at| {
        let word = text.word(at);
        let word = word.strip_suffix("'s").unwrap_or(word);
        let entry = WORDS.find(word, Fingerprint::of(word));
        let is_capital = [Capitalisation::Capitalised, Capitalisation::Mixed]
            .iter()
            .any(|shape| text.has_shape(at, *shape));
        let is_within = start != Some(at) && word != "i" && !word.starts_with("i'");
        let is_name = entry.is(FirstName) && (is_capital || !entry.is_ordinary());
        (is_name || is_capital && is_within && !entry.is(CalendarName)) && !known.contains(word)
    })
}

/// All that the mentions in a text depend on besides the text, and the names of the business.
pub fn tables() -> impl Serialize {
    (TABLE, NICKNAMES)
}

/// A part of a text that may name a person.
#[derive(Debug, Clone)]
struct PersonCandidate {
    /// Number of its sentence in the text.
    sentence: u32,
    /// The tokens of the name, as a range of the text's.
    tokens: Range<usize>,
    /// Whether the words mean a staff member.
    certainty: Certainty,
    /// Possible people.
    people: Vec<u32>,
    /// All people with that first name, in any form of it; other evidence may select one.
    namesakes: Vec<u32>,
    /// Name of the rule.
    rule: &'static str,
    /// Number of people with the name: `both Mikes` are two.
    count: usize,
}

/// The business's technicians, by every form of their names.
#[derive(Debug, Clone)]
struct People {
    /// Full names; a person's number is the index.
    names: Vec<String>,
    initials: Vec<Option<char>>,
    /// By the words of a form, the person and the kind of the form.
    forms: NameTrie<(u32, NameForm)>,
}

impl People {
    /// Adds the words of the technicians' names to `words`.
    fn new(
        technicians: &[Technician],
        nicknames: &BTreeMap<&str, Vec<&str>>,
        words: &mut Dictionary,
    ) -> Self {
        let (mut entries, mut initials, mut short_forms) = (Vec::new(), Vec::new(), Vec::new());
        for (person, technician) in (0..).zip(technicians) {
            let name = parts(&technician.name);
            let surname = name.iter().skip(1).next_back();
            initials.push(surname.and_then(|surname| surname.chars().next()));
            for (form, kind) in forms(&name, &technician.aliases, nicknames) {
                let numbers = form.iter().map(|word| words.number(word));
                entries.push((numbers.collect(), (person, kind)));
                short_forms.extend(
                    form.into_iter()
                        .next()
                        .filter(|_| kind == NameForm::Nickname),
                );
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
                words.misspellings.add(&word, id, false);
                words.misspellings.add(&without_accents(&word), id, false);
                let known = words.find(&word, Fingerprint::of(&word));
                if !known.is_ordinary() && !word.ends_with('s') && word.len() > 2 {
                    words.variant(&format!("{word}s"), id, true);
                }
            }
        }
        for word in short_forms {
            let id = words.number(&word);
            words.misspellings.add(&word, id, true);
        }
        people
    }

    /// The mentions of people, in order; `recorded` are the recorded names.
    fn mentions(&self, tagged: &TaggedText<'_>, author: &str, recorded: &[String]) -> Vec<Mention> {
        let mut candidates = Vec::new();
        NameContext::each(tagged, &self.forms, |context, forms| {
            candidates.extend(self.recognize(context, forms, author));
        });
        if candidates.is_empty() {
            return Vec::new();
        }
        let numbered = (0..).zip(&self.names);
        let recorded: Vec<u32> = numbered
            .filter_map(|(person, name)| recorded.contains(name).then_some(person))
            .collect();
        let mut sure = Vec::new();
        for one in &candidates {
            if let [person] = one.people[..]
                && one.certainty == Sure
                && !sure.contains(&person)
            {
                sure.push(person);
            }
        }
        let mut mentions = Vec::new();
        for one in &candidates {
            let Some((people, rule)) = people_of_mention(one, &sure, &recorded) else {
                continue;
            };
            let mut names: Vec<String> = people
                .iter()
                .map(|person| self.names[*person as usize].clone())
                .collect();
            names.sort();
            names.dedup();
            let mention = |names: Vec<String>| Mention {
                kind: MentionKind::Technician,
                candidates: names,
                sentence: one.sentence,
                through: last_sentence_about(one, &candidates, tagged),
                span: tagged.text.span(one.tokens.clone()),
                rule: rule.to_owned(),
                polarity: Polarity::Neutral,
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
    fn recognize(
        &self,
        context: &mut NameContext<'_>,
        forms: &[(u32, NameForm)],
        author: &str,
    ) -> Option<PersonCandidate> {
        if context.is_in(Context::Thing) {
            return None;
        }
        let of_form = |form: NameForm| -> Vec<u32> {
            let forms = forms.iter().filter(|(_, kind)| *kind == form);
            forms.map(|(person, _)| *person).collect()
        };
        let is_misspelled = context.words().any(|word| word.is_misspelled);
        let [full, given, nicknamed, surnamed] = [
            NameForm::Full,
            NameForm::Given,
            NameForm::Nickname,
            NameForm::Surname,
        ]
        .map(of_form);
        let mut namesakes = given.clone();
        namesakes.extend(nicknamed.iter().filter(|person| !given.contains(person)));
        let of_initial = self.with_initial(context, &namesakes);
        let (people, certainty, rule) = if is_stranger(context) || is_signature(context, author) {
            (Vec::new(), Stranger, "")
        } else if !full.is_empty() {
            let rule = if is_misspelled {
                "misspelling"
            } else {
                "full_name"
            };
            (full, Sure, rule)
        } else if context.is_titled() && !(surnamed.is_empty() && namesakes.is_empty()) {
            let people = if surnamed.is_empty() {
                namesakes.clone()
            } else {
                surnamed
            };
            (people, Sure, "title")
        } else if let Some(people) = of_initial {
            let is_known = !people.is_empty();
            context.name.end += usize::from(is_known);
            (people, if is_known { Sure } else { Stranger }, "initial")
        } else if is_part_of_another_name(context) {
            (Vec::new(), Stranger, "")
        } else if namesakes.is_empty() {
            (surnamed, surname_certainty(context), "surname")
        } else {
            let rule = match (is_misspelled, given.is_empty()) {
                (true, _) => "misspelling",
                (false, true) => "nickname",
                (false, false) => "first_name",
            };
            let people = if given.is_empty() { nicknamed } else { given };
            (people, first_name_certainty(context), rule)
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
            namesakes,
            rule,
            count,
        })
    }

    /// The people that match the initial after a first name: empty if it belongs to another person, `None` without an
    /// initial.
    fn with_initial(&self, context: &NameContext<'_>, people: &[u32]) -> Option<Vec<u32>> {
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
    let all = if one.namesakes.is_empty() {
        &one.people
    } else {
        &one.namesakes
    };
    let on_record = || among(all, recorded);
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
fn last_sentence_about(
    one: &PersonCandidate,
    candidates: &[PersonCandidate],
    tagged: &TaggedText<'_>,
) -> u32 {
    let named = |sentence: u32| {
        let candidates = candidates.iter();
        candidates.filter(move |other| other.sentence == sentence && other.certainty != Weak)
    };
    let is_alone = named(one.sentence).all(|other| other.people == one.people);
    let mut last = one.sentence;
    for tokens in tagged.text.sentences().iter().skip(last as usize + 1) {
        let mut tokens = tokens.clone();
        let first = tokens.find(|at| !tagged.is_mark(*at) && !tagged.word(*at).is(WordClass::Link));
        let Some(first) = first.filter(|at| tagged.word(*at).is(WordClass::Pronoun)) else {
            break;
        };
        let is_continued = match tagged.text.word(first) {
            "it" | "its" | "it's" => false,
            "they" | "their" | "they're" | "they'd" | "they'll" => true,
            _ => is_alone,
        };
        if !is_continued || named(last + 1).next().is_some() {
            break;
        }
        last += 1;
    }
    last
}

// The evidence for and against a name.

/// How certain it is that a member of the staff is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Certainty {
    /// A full name, an initial, a title.
    Sure,
    /// A first name in a typical context.
    Named,
    /// Too little evidence: the name counts only with a recorded mention.
    Weak,
    /// Another person is named.
    Stranger,
}

/// `Mike Johnson`, `Cary Grant`: beside a word that is not part of a staff member's name.
fn is_part_of_another_name(context: &NameContext<'_>) -> bool {
    if !context.is_capital() {
        return false;
    }
    let tokens = context.tagged.text.tokens();
    let is_name_like = |at: usize| {
        let word = context.tagged.word(at);
        tokens[at].shape == Capitalisation::Capitalised
            && (word.is_unknown() || word.is_any(&[FirstName, WordName]) || word.id != 0)
    };
    let follows = context
        .at(1)
        .filter(|_| !context.has_s() && context.name.len() == 1);
    if follows.is_some_and(is_name_like) {
        return true;
    }
    let Some(before) = context.at(-1).filter(|at| is_name_like(*at)) else {
        return false;
    };
    let word = context.tagged.word(before);
    // A capital at the beginning of the sentence is no evidence, except in `Jersey Mike's`. A plural or possessive is
    // not a first name.
    let is_surname = word.is(WordName) && !context.word(0).is(FirstName);
    !word.has_s && (word.is(FirstName) || is_surname || word.is_unknown())
}

/// The certainty that a surname without a first name names a staff member.
fn surname_certainty(context: &NameContext<'_>) -> Certainty {
    let word = context.word(0);
    let is_ordinary = word.is_ordinary() || word.is(FirstName);
    let is_stated = acts(context) || is_announced(context);
    // `Roman was polite` is not about Priya Raman.
    let is_short = word.is_misspelled && context.text(0).len() < 7;
    if context.is_capital() && !is_short && (is_stated || !is_ordinary) {
        Named
    } else {
        Weak
    }
}

/// The certainty that a first name without a surname names a staff member.
fn first_name_certainty(context: &NameContext<'_>) -> Certainty {
    let word = context.word(0);
    let is_stated = is_announced(context) || acts(context) || context.is_in(Context::Listed);
    let is_hinted = is_stated || is_subject(context) || context.has_s();
    if word.is_ordinary() {
        word_name_certainty(context, is_stated)
    } else if is_hinted || context.is_capital() && !word.is_misspelled {
        Named
    } else {
        Weak
    }
}

/// The same for names that are also ordinary words.
fn word_name_certainty(context: &NameContext<'_>, is_stated: bool) -> Certainty {
    let (word, next) = (context.word(0), context.word(1));
    // A recorded mention does not turn an ordinary word into a name.
    let named = |is_named: bool| {
        if is_named { Named } else { Stranger }
    };
    let is_thing_subject = context.is_in(Context::ThingSubject);
    let is_plain_deed = !next.is(Bare) && (acts(context) || is_subject(context));
    if !context.is_capital() {
        // `chase did great`, `ask for grant`
        let is_name = context.is_in(Context::Called)
            || context.at(-1).is_none() && is_plain_deed && !is_thing_subject;
        return named(is_name);
    }
    if word.is(CalendarName) {
        return named(is_stated);
    }
    if context.is_at_start() {
        let is_stated = is_stated
            || is_subject(context)
            || context.has_s()
            || context.is_in(Context::Addressed);
        return named(is_stated && !(word.is(ThingName) && is_thing_subject));
    }
    let is_introduced = is_announced(context) || context.is_in(Context::Listed);
    if context.is_shouted() {
        return named(is_introduced);
    }
    // `the electric Bill`
    let is_thing = context.word(-1).begins_noun()
        || context.text(-1) == "at"
        || word.is(ThingName) && context.word(-2).begins_noun();
    named(!is_thing || is_introduced)
}

/// Whether the words before the name announce a person: `our tech Will`, `ask for Will`, `thanks to Will`.
fn is_announced(context: &NameContext<'_>) -> bool {
    context.is_in(Context::Announced) || context.is_in(Context::Called)
}

/// Whether the name is the subject of a typical predicate of people: `Will explained`, `Will, who came`, `Will himself`.
fn acts(context: &NameContext<'_>) -> bool {
    !context.has_s() && context.is_in(Context::Acts)
}

/// Whether the name is the subject of a predicate that is also possible for things: `Will was great`.
fn is_subject(context: &NameContext<'_>) -> bool {
    !context.has_s() && context.is_in(Context::Subject)
}

/// Whether somebody else is named: one who does not work for the business.
fn is_stranger(context: &NameContext<'_>) -> bool {
    context.is_in(Context::Stranger) && !context.is_in(Context::Own)
}

/// Whether the name is the author's own at the end of a review: alone in the last sentence, or, if it is that of the author,
/// after a mark or a closing: `- Mike`, `Sincerely, Mike`.
fn is_signature(context: &NameContext<'_>, author: &str) -> bool {
    let (tagged, at) = (context.tagged, context.name.start);
    let mut rest = context.name.end..tagged.text.tokens().len();
    if at == 0 || context.has_s() || rest.any(|at| !tagged.is_mark(at)) {
        return false;
    }
    let is_alone =
        tagged.is_capital(at) && (context.sentence.start..at).all(|at| tagged.is_mark(at));
    let is_stated = tagged.is_mark(at - 1)
        || tagged.word(at - 1).is(Closing)
        || matches!(tagged.text.word(at - 1), "says" | "said" | "from");
    is_alone || is_stated && is_author(context, author)
}

/// Whether the name is one of the words of the author's name.
fn is_author(context: &NameContext<'_>, author: &str) -> bool {
    let word = without_accents(context.text(0));
    let mut words = author.split(|letter: char| !letter.is_alphanumeric());
    words.any(|one| without_accents(&one.to_lowercase()) == word)
}

// The forms of a person's name.

/// The form in which a name is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NameForm {
    /// First name and surname, or an alias of several words.
    Full,
    /// The first name, or an alias of one word.
    Given,
    /// A short or long form of the first name.
    Nickname,
    /// The surname only.
    Surname,
}

const TITLES: &str = "dr doctor prof professor mr mrs ms miss sir";
/// Degrees, and suffixes of generations.
const SUFFIXES: &str = "jr sr ii iii md dds dmd dvm rn np phd";

/// The words of a name, without marks, [`TITLES`] (`Dr.` is no first name) and [`SUFFIXES`].
fn parts(name: &str) -> Vec<String> {
    let is_among = |list: &str, word: &str| list.split(' ').any(|one| one == word);
    let text = TokenizedText::new(name);
    words_of(&text)
        .skip_while(|word| is_among(TITLES, word))
        .filter(|word| !is_among(SUFFIXES, word))
        .map(str::to_owned)
        .collect()
}

fn forms(
    name: &[String],
    aliases: &[String],
    nicknames: &BTreeMap<&str, Vec<&str>>,
) -> Vec<(Vec<String>, NameForm)> {
    let Some((first, rest)) = name.split_first() else {
        return Vec::new();
    };
    let kind = if rest.is_empty() {
        NameForm::Given
    } else {
        NameForm::Full
    };
    let mut forms = vec![(name.to_vec(), kind)];
    let mut firsts = vec![(first.clone(), NameForm::Given)];
    let surnames: Vec<&String> = rest.iter().rev().take(2).collect();
    for alias in aliases.iter().map(|alias| parts(alias)) {
        match alias.as_slice() {
            [] => {}
            [one] => firsts.push((one.clone(), NameForm::Given)),
            [one, .., last] if surnames.contains(&last) => {
                firsts.push((one.clone(), NameForm::Given));
            }
            _ => forms.push((alias, NameForm::Full)),
        }
    }
    for other in nicknames.get(first.as_str()).into_iter().flatten() {
        if firsts.iter().all(|(known, _)| known != other) {
            firsts.push(((*other).to_owned(), NameForm::Nickname));
        }
    }
    for (first, kind) in firsts {
        for surname in &surnames {
            forms.push((vec![first.clone(), (*surname).clone()], NameForm::Full));
        }
        forms.push((vec![first], kind));
    }
    forms.extend(
        rest.last()
            .map(|surname| (vec![surname.clone()], NameForm::Surname)),
    );
    forms
}

/// Short forms of first names: the full form, then what people say instead.
const NICKNAMES: &str = include_str!("nicknames.txt");

/// The short forms of each full first name, and the full forms of each short one, but not other short forms of the same name.
fn nicknames() -> BTreeMap<&'static str, Vec<&'static str>> {
    let mut forms: BTreeMap<_, Vec<_>> = BTreeMap::new();
    let rows = NICKNAMES.lines().filter(|row| !row.starts_with('#'));
    for (full, short) in rows.filter_map(|row| row.split_once(": ")) {
        for short in short.split_whitespace() {
            forms.entry(full).or_default().push(short);
            forms.entry(short).or_default().push(full);
        }
    }
    forms
}

#[cfg(test)]
mod tests {
    use super::Linker;
    use crate::insights::analysis::Mention;
    use crate::insights::text::TokenizedText;
    use crate::model::business::{Business, Service, Technician};
    use crate::model::{MentionKind, Mentions};

    fn technician(name: &str, aliases: &[&str]) -> Technician {
        Technician {
            id: name.to_lowercase(),
            name: name.to_owned(),
            aliases: aliases.iter().map(|&alias| alias.to_owned()).collect(),
        }
    }

    fn service(id: &str, name: &str, synonyms: &[&str]) -> Service {
        Service {
            id: id.to_owned(),
            name: name.to_owned(),
            synonyms: synonyms.iter().map(|&synonym| synonym.to_owned()).collect(),
        }
    }

    fn firm() -> Business {
        Business {
            name: "Harbor Roofing & Solar".to_owned(),
            kind: "RoofingContractor".to_owned(),
            technicians: vec![
                technician("Jesse Okafor", &[]),
                technician("Jesse Lund", &["Red"]),
                technician("José Ibáñez", &[]),
                technician("Katherine O'Brien", &["Kit O'Brien"]),
                technician("Mark Sandoval Jr.", &[]),
            ],
            services: vec![
                service(
                    "roof-repair",
                    "Roof repair",
                    &["leak", "shingles", "flashing"],
                ),
                service(
                    "skylights",
                    "Skylights and sun tunnels",
                    &["flashing", "skylight"],
                ),
                service("solar", "Solar panel systems", &["panels", "rewire"]),
                service(
                    "gutters",
                    "Gutter cleaning and guarding",
                    &["downspout", "shutoff valve"],
                ),
            ],
            service_areas: vec![
                "Bath".to_owned(),
                "Cape Elizabeth".to_owned(),
                "Freeport".to_owned(),
            ],
            ..Business::default()
        }
    }

    fn recorded(technicians: &[&str]) -> Mentions {
        Mentions::new(
            technicians.iter().map(|&name| name.to_owned()).collect(),
            Vec::new(),
            Vec::new(),
        )
    }

    fn read(text: &str, author: &str, recorded: &Mentions) -> Vec<Mention> {
        Linker::new(&firm()).mentions(&TokenizedText::new(text), author, recorded)
    }

    /// `words=candidates(rule)` of every mention.
    fn mentions_in(text: &str, recorded: &Mentions) -> Vec<String> {
        let characters: Vec<char> = text.chars().collect();
        let cut = |mention: &Mention| -> String {
            characters[mention.span.start as usize..mention.span.end as usize]
                .iter()
                .collect()
        };
        let mentions = read(text, "", recorded);
        mentions
            .iter()
            .map(|mention| {
                format!(
                    "{}={} ({})",
                    cut(mention),
                    mention.candidates.join("|"),
                    mention.rule
                )
            })
            .collect()
    }

    #[test]
    fn an_id_is_no_name_of_a_service() {
        let services = [
            service("a", "Boiler repair", &[]),
            service("it", "Computer help", &[]),
            service("our", "Garden care", &[]),
            service("ac", "Cooling", &["ac"]),
            service("attic", "Insulation", &[]),
        ];
        let firm = Business {
            services: services.to_vec(),
            ..Business::default()
        };
        let text = TokenizedText::new(
            "They did a boiler repair in our attic. It took an hour, and the AC works.",
        );
        let mentions = Linker::new(&firm).mentions(&text, "", &Mentions::default());
        let named: Vec<&str> = mentions.iter().filter_map(Mention::link).collect();
        assert_eq!(named, ["a", "ac"]);
    }

    #[test]
    fn a_person_is_linked_by_every_usual_form_of_the_name() {
        let none = Mentions::default();
        for (text, expected) in [
            (
                "😀 Jesse Okafor's work is great",
                "Jesse Okafor's=Jesse Okafor (full_name)",
            ),
            (
                "we had jesse okafor out",
                "jesse okafor=Jesse Okafor (full_name)",
            ),
            ("Jesse L. came", "Jesse L=Jesse Lund (initial)"),
            ("Mr. Lund came", "Lund=Jesse Lund (title)"),
            ("Red came out", "Red=Jesse Lund (first_name)"),
            ("Jose came", "Jose=José Ibáñez (first_name)"),
            ("Jose Ibanez came", "Jose Ibanez=José Ibáñez (full_name)"),
            ("Jose Ibanes came", "Jose Ibanes=José Ibáñez (misspelling)"),
            ("Kate came", "Kate=Katherine O'Brien (nickname)"),
            (
                "Katharine O’Brien came",
                "Katharine O’Brien=Katherine O'Brien (misspelling)",
            ),
            ("Thanks Kit", "Kit=Katherine O'Brien (first_name)"),
            (
                "Marc Sandoval came",
                "Marc Sandoval=Mark Sandoval Jr. (misspelling)",
            ),
            (
                "Sandovall fixed it",
                "Sandovall=Mark Sandoval Jr. (surname)",
            ),
        ] {
            assert_eq!(mentions_in(text, &none), [expected], "{text}");
        }
    }

    #[test]
    fn a_title_or_a_job_before_a_name_is_no_bar() {
        let practice = |names: &[&str]| Business {
            technicians: names.iter().map(|name| technician(name, &[])).collect(),
            kind: "Physician".to_owned(),
            ..Business::default()
        };
        let firm = practice(&[
            "Dr. Lowry Barnes",
            "Katie Moore, DDS",
            "Steven Ogden",
            "Will Best",
        ]);
        let linked = |firm: &Business, text: &str| -> Vec<String> {
            let mentions = Linker::new(firm).mentions(
                &TokenizedText::new(text),
                "Ann B.",
                &Mentions::default(),
            );
            let linked = mentions.iter().filter_map(Mention::link);
            linked.map(str::to_owned).collect()
        };
        for (text, name) in [
            ("Dr. Barnes was rude.", "Dr. Lowry Barnes"),
            ("Dr. Katie Moore listened.", "Katie Moore, DDS"),
            ("Doctor Moore is great.", "Katie Moore, DDS"),
            ("Dr Katie was great.", "Katie Moore, DDS"),
            ("My therapist was Katie.", "Katie Moore, DDS"),
            ("The night auditor Steven Ogden was great.", "Steven Ogden"),
            ("Our waiter, Steven, apologized.", "Steven Ogden"),
        ] {
            assert_eq!(linked(&firm, text), [name], "{text}");
        }
        for text in [
            "I went to the Dr. and he was rude.",
            "Dr. Vaughn was rude.",
            "My husband Steven came along.",
            "The doctor will see you, and the vet bill was low.",
        ] {
            assert_eq!(linked(&firm, text), [] as [&str; 0], "{text}");
        }
        let plumber = Business {
            kind: "Plumber".to_owned(),
            ..firm
        };
        assert_eq!(
            linked(&plumber, "My realtor Katie recommended them."),
            [] as [&str; 0]
        );
    }

    #[test]
    fn a_shared_name_is_resolved_by_review_or_record_or_left_open() {
        let none = Mentions::default();
        let both = "Jesse=Jesse Lund|Jesse Okafor (first_name)";
        assert_eq!(mentions_in("Jesse came.", &none), [both]);
        assert_eq!(
            mentions_in("Jesse came. Ask for Jesse Okafor!", &none),
            [
                "Jesse=Jesse Okafor (same_review)",
                "Jesse Okafor=Jesse Okafor (full_name)"
            ]
        );
        assert_eq!(
            mentions_in("Jesse came.", &recorded(&["Jesse Lund"])),
            ["Jesse=Jesse Lund (recorded)"]
        );
        assert_eq!(
            mentions_in("Jesse came.", &recorded(&["Jesse Lund", "Jesse Okafor"])),
            [both]
        );
        assert_eq!(
            mentions_in("Jesse came.", &recorded(&["José Ibáñez"])),
            [both]
        );
        assert_eq!(
            mentions_in("Somebody came.", &recorded(&["Jesse Lund"])),
            [] as [&str; 0],
            "the record is no mention"
        );
        assert_eq!(
            mentions_in("Both Jesses came.", &none),
            [
                "Jesses=Jesse Lund (first_name)",
                "Jesses=Jesse Okafor (first_name)"
            ],
            "as many as are meant"
        );
    }

    #[test]
    fn a_mention_extends_through_pronouns_up_to_the_next_name() {
        let through = |text: &str| {
            let mentions = read(text, "", &Mentions::default());
            mentions
                .iter()
                .map(|mention| (mention.sentence, mention.through))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            through("Jose came. He was quick. And his price was fair. The office was rude."),
            [(0, 2)]
        );
        assert_eq!(
            through("Jose came. He brought Kate. He left."),
            [(0, 0), (1, 2)]
        );
        assert_eq!(
            through("Jose and Kate came. He was quick."),
            [(0, 0), (0, 0)],
            "who is he?"
        );
        assert_eq!(
            through("Jose and Kate came. They were quick."),
            [(0, 1), (0, 1)]
        );
        assert_eq!(through("Jose came. It rained."), [(0, 0)]);
    }

    #[test]
    fn names_match_with_and_without_accents() {
        let firm = Business {
            technicians: ["José Ibáñez", "Søren Lund", "Zoe Krug"]
                .map(|name| technician(name, &[]))
                .to_vec(),
            service_areas: vec!["Peñuelas".to_owned()],
            ..Business::default()
        };
        let linker = Linker::new(&firm);
        for (text, expected) in [
            ("They sent José", "José Ibáñez"),
            ("with Jose Ibanez", "José Ibáñez"),
            ("with Jose", "José Ibáñez"),
            ("with Soren", "Søren Lund"),
            ("with Zoë", "Zoe Krug"),
            ("in Penuelas", "Peñuelas"),
        ] {
            let mentions = linker.mentions(&TokenizedText::new(text), "", &Mentions::default());
            let links: Vec<&str> = mentions.iter().filter_map(Mention::link).collect();
            assert_eq!(links, [expected], "{text}");
        }
    }

    #[test]
    fn mentions_of_all_kinds_are_in_the_order_of_the_text() {
        let mentions = read(
            "In Bath Jesse Lund fixed a leak, and Kate the skylight.",
            "",
            &Mentions::default(),
        );
        let kinds: Vec<MentionKind> = mentions.iter().map(|mention| mention.kind).collect();
        assert_eq!(
            kinds,
            [
                MentionKind::ServiceArea,
                MentionKind::Technician,
                MentionKind::Service,
                MentionKind::Technician,
                MentionKind::Service
            ]
        );
    }

    mod many_people {
        use super::*;

        #[test]
        fn forty_people_with_shared_first_names_are_never_confused() {
            let firsts = [
                "Jesse", "Will", "Maria", "Kevin", "Brian", "Carlos", "Danielle", "Grant",
            ];
            let surnames = ["Abbott", "Lindqvist", "Okafor", "Tsosie", "Zielinski"];
            let all: Vec<String> = firsts
                .iter()
                .flat_map(|first| surnames.map(|surname| format!("{first} {surname}")))
                .collect();
            let technicians = all
                .iter()
                .map(|name| technician(name, &[]))
                .collect::<Vec<_>>();
            let names = Linker::new(&Business {
                technicians,
                ..Business::default()
            });
            for name in &all {
                let (first, surname) = name.split_once(' ').unwrap();
                let initial = &surname[..1];
                let links = |text: &str, recorded: &Mentions| {
                    let mentions = names.mentions(&TokenizedText::new(text), "Ann B.", recorded);
                    mentions
                        .iter()
                        .map(|mention| mention.link().map(str::to_owned))
                        .collect::<Vec<_>>()
                };
                let (sure, none) = (vec![Some(name.clone())], Mentions::default());
                assert_eq!(
                    links(&format!("{first} was great."), &none),
                    [None],
                    "{name}"
                );
                assert_eq!(
                    links(&format!("{first} was great."), &recorded(&[name])),
                    sure
                );
                assert_eq!(links(&format!("{first} {surname} was great."), &none), sure);
                assert_eq!(
                    links(&format!("Thanks to {first} {initial}. for this."), &none),
                    sure
                );
                assert_eq!(
                    links(&format!("{} came.", name.to_uppercase()), &none),
                    sure
                );
                assert_eq!(
                    links(&format!("Ask for {surname}."), &none),
                    [None],
                    "{name}"
                );
                assert_eq!(
                    links(&format!("My neighbor {first} told me."), &recorded(&[name])),
                    [] as [Option<String>; 0]
                );
            }
        }
    }
}
