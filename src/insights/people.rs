//! Finds the people, services and places of the business in a text ([`Linker`]), and decides which words mean one of its
//! people: a full name or an alias of several words; a title and a surname; a first name or an alias of one word that only
//! one of them has, with a capital. None of these is a stranger's (`my husband Mike`), a thing's or the author's own.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use super::analysis::Mention;
use super::classifier::LEXICON;
use super::names::{
    Context, Contexts, NameClasses, NameContext, NameForms, NameTable, plain, words_only,
};
use super::places::{Areas, Services};
use super::rules::{FILES, HOME_SERVICES, SHARED, Trade};
use super::text::{Capitalisation, TokenizedText};
use super::words::{COMMON, COMMON_WORDS, Fingerprint, SOURCE, WordSet, singular};
use crate::model::MentionKind;
use crate::model::business::{Business, Technician};

/// The searchable names of a business.
#[derive(Debug, Clone)]
pub struct Linker {
    /// The words of the business's own name, without its article.
    firm: Vec<u64>,
    other_workers: WordSet,
    contexts: Contexts,
    people: People,
    services: Services,
    areas: Areas,
}

impl Linker {
    pub fn new(business: &Business) -> Self {
        let is_visiting = Trade::for_type(&business.kind).id == HOME_SERVICES;
        Self {
            firm: own_name(&business.name),
            other_workers: other_workers(business),
            contexts: Contexts::new(business, is_visiting),
            people: People::new(&business.technicians),
            services: Services::new(&business.services, &business.name),
            areas: Areas::new(&business.service_areas),
        }
    }

    /// Hides the name of the business in a text, whose words judge nothing, and marks the workers of other trades.
    pub fn hide_firm(&self, text: &mut TokenizedText) {
        if !self.firm.is_empty() {
            text.hide(&self.firm);
        }
        text.estrange(&self.other_workers);
    }

    /// The mentions in `text`, by position. `author` is the review's author.
    pub fn mentions(&self, text: &TokenizedText, author: &str) -> Vec<Mention> {
        let mut mentions = self.people.find(text, &self.contexts, author);
        mentions.extend(self.services.find(text, &self.contexts));
        mentions.extend(self.areas.find(text, &self.contexts));
        mentions.sort_by_key(|mention| (mention.span, mention.kind));
        mentions
    }
}

/// The fingerprints of the words of a name, without its article.
fn own_name(name: &str) -> Vec<u64> {
    let text = TokenizedText::new(name);
    let words = text.tokens().iter().map(|token| token.fingerprint);
    let article = usize::from(text.tokens().len() > 1 && text.word(0) == "the");
    words.skip(article).collect()
}

/// What the workers of other trades are called, if the firm's type or name has a trade: of a plumber, `electrician`.
fn other_workers(business: &Business) -> WordSet {
    let firm = [&*business.kind, &*business.name].map(spaced).concat();
    let services = business.services.iter();
    let own: String = services.map(|one| spaced(&one.name)).collect::<String>() + &firm;
    let begins_in = |words: &str, names: &&String| {
        let mut names = names.split(' ');
        names.any(|name| words.contains(&format!(" {name}")))
    };
    let workers = NameTable::list("workers").iter();
    let has_trade = workers.clone().any(|names| begins_in(&firm, &names));
    let mut all_trades = NameTable::list("all_trades").iter();
    if !has_trade || all_trades.any(|one| own.contains(one)) {
        return WordSet::default();
    }
    let others = workers.filter(|names| !begins_in(&own, names));
    let others = others.flat_map(|names| names.split(' ').skip(1));
    others.collect()
}

/// The words of a name in lower case, with a blank before each: `HousePainter` has two.
fn spaced(name: &str) -> String {
    let mut spaced = String::from(" ");
    for one in name.chars() {
        if one.is_uppercase() || !one.is_alphabetic() {
            spaced.push(' ');
        }
        spaced.extend(one.to_lowercase());
    }
    spaced
}

/// The words of all tables but first names, and but rare words that are names, too.
static ORDINARY_WORDS: LazyLock<WordSet> = LazyLock::new(|| {
    let names = &NameClasses::get().word_name;
    let classes = NameTable::get().words.iter();
    let classes = classes.filter(|(class, _)| *class != "first_name");
    let texts = classes.map(|(_, words)| words.as_str());
    let texts = texts.chain(FILES).chain([SHARED, SOURCE, LEXICON, COMMON]);
    let words = texts.flat_map(|text| text.split(|one: char| !one.is_alphabetic() && one != '\''));
    let words = words.filter(|word| {
        !names.contains(Fingerprint::of(word)) || COMMON_WORDS.get(word) == Some(&true)
    });
    words.collect()
});

/// Whether a word with a capital that is usual in its place is no name.
pub(super) fn is_ordinary_word(word: &str) -> bool {
    let is_name = NameClasses::get().word_name.contains(Fingerprint::of(word));
    let is_known = |word: &str| ORDINARY_WORDS.contains(Fingerprint::of(word));
    is_known(word) || !is_name && is_known(&singular(word))
}

/// Words with which a sentence names somebody, whatever the name.
const NAMING: [&str; 5] = ["mr", "mrs", "ms", "name", "named"];

/// Whether a sentence possibly names a person with none of the words in `known`: by a first name, by a capital within the
/// sentence, by a word that is not known to be ordinary at its beginning or all in capitals, by letters without capitals, or by what
/// stands before it.
pub(super) fn names_stranger(
    text: &TokenizedText,
    sentence: Range<usize>,
    known: &HashSet<String>,
) -> bool {
    let classes = NameClasses::get();
    let mut words = sentence.filter(|at| !text.has_shape(*at, Capitalisation::Mark));
    let start = words.clone().next();
    words.any(|at| {
        let (token, word) = (&text.tokens()[at], text.word(at));
        let mut endings = ["'s", "'ll", "'d", "n't"].into_iter();
        let stem = endings.find_map(|ending| word.strip_suffix(ending));
        let stem = stem.unwrap_or(word);
        let fingerprint = Fingerprint::of(stem);
        let is_capital = token.is_capital() && token.shape != Capitalisation::Upper;
        let is_first_name = classes.first_name.contains(fingerprint)
            && (is_capital || !classes.is_ordinary(fingerprint));
        let is_unusual = if is_capital && start != Some(at) {
            word != "i" && !word.starts_with("i'") && !classes.calendar_name.contains(fingerprint)
        } else {
            token.is_capital() && !is_ordinary_word(word) && !is_ordinary_word(stem)
        };
        let has_no_case = |c: char| c.is_alphabetic() && !c.is_lowercase() && !c.is_uppercase();
        let is_named = NAMING.contains(&stem) || stem.contains(has_no_case);
        (is_first_name || is_unusual || is_named) && !known.contains(stem)
    })
}

/// The business's technicians, by every form of their names.
#[derive(Debug, Clone)]
struct People {
    /// Full names; a person's number is the index.
    names: Vec<String>,
    surnames: Vec<String>,
    /// The person by the words of a form.
    forms: NameForms,
}

impl People {
    fn new(technicians: &[Technician]) -> Self {
        let (mut entries, mut surnames) = (Vec::new(), Vec::new());
        for (person, technician) in technicians.iter().enumerate() {
            let name = parts(&technician.name);
            let surname = name.iter().skip(1).next_back();
            surnames.push(surname.cloned().unwrap_or_default());
            let forms = forms(&name, &technician.aliases).into_iter();
            entries.extend(forms.map(|words| (words, person)));
        }
        Self {
            names: technicians.iter().map(|one| one.name.clone()).collect(),
            surnames,
            forms: NameForms::new(plain, entries.into_iter()),
        }
    }

    /// The mentions of people, in order.
    fn find(&self, text: &TokenizedText, contexts: &Contexts, author: &str) -> Vec<Mention> {
        let mut mentions = Vec::new();
        NameContext::each(text, &self.forms, contexts, |context, people| {
            if let Some(person) = self.person(context, people, author) {
                let name = &self.names[person];
                mentions.push(context.mention(MentionKind::Technician, name));
            }
        });
        mentions
    }

    /// The person whom the words, a name of these `people`, mean in this context, if it is only one.
    fn person(&self, context: &NameContext<'_>, people: &[usize], author: &str) -> Option<usize> {
        let is_stranger = context.is_in(Context::Stranger) && !context.is_in(Context::Own);
        // `Big Mike's Pizza`
        let last = context.text.word(context.name.end - 1);
        let is_firm = last.ends_with("'s") && context.is_named(1);
        if is_stranger || is_firm || context.is_in(Context::Thing) || is_signature(context, author)
        {
            return None;
        }
        // `The doctor will see you.`
        let is_titled =
            context.is_in(Context::Titled) && (context.is_capital() || !context.is_ordinary());
        let initial = initial_after(context).filter(|_| context.name.len() == 1);
        let mut named = people.iter().filter(|person| {
            initial.is_none_or(|initial| self.surnames[**person].starts_with(initial))
        });
        let person = *named.next().filter(|_| named.next().is_none())?;
        // `Carter's is where we shop.`
        let is_word = context.is_ordinary() && self.surnames[person] == plain(context.word(0));
        let is_named = context.name.len() > 1
            || is_titled
            || initial.is_some()
            || !is_word && is_single_name(context);
        is_named.then_some(person)
    }
}

/// The initial after a first name: `Mike A.`
fn initial_after(context: &NameContext<'_>) -> Option<char> {
    let at = context.at(1)?;
    let mut letters = context.text.word(at).chars();
    let initial = letters.next().filter(|_| letters.next().is_none())?;
    // `Mike I think`, `Mike a great man`
    let is_initial = initial.is_alphabetic()
        && (context.word(2) == "." || initial != 'i' && context.text.tokens()[at].is_capital());
    is_initial.then_some(initial)
}

/// Whether one word names a person.
fn is_single_name(context: &NameContext<'_>) -> bool {
    let is_sent = context.word(-1) == "sent" && context.is_named(-2);
    if is_sent || context.is_named(-1) || context.is_named(1) {
        return false;
    }
    let (classes, word) = (NameClasses::get(), context.first_word());
    // `Grace and patience`
    let is_pair_of_words = context.is_among(1, &classes.pair)
        && (context.at(2)).is_some_and(|at| !context.text.tokens()[at].is_capital());
    let is_announced = context.is_in(Context::Announced) && !is_pair_of_words;
    let is_stated = is_announced || context.is_in(Context::Acts);
    // `Bill was higher than quoted`
    let is_thing = context.is_in(Context::ThingSubject) && classes.thing_name.contains(word);
    let is_possessive = context.word(0).ends_with("'s");
    let is_subject = is_stated || is_possessive || context.is_in(Context::Subject);
    match (context.is_ordinary(), context.is_capital()) {
        (false, is_capital) => is_capital || is_subject,
        (true, false) => false,
        (true, true) if classes.calendar_name.contains(word) => is_stated,
        (true, true) if context.is_at_start() => is_subject && !is_thing,
        (true, true) => {
            let shape = Capitalisation::Capitalised;
            context.text.has_shape(context.name.start, shape)
                && (is_announced || !context.is_in(Context::Noun))
        }
    }
}

/// Whether the name signs the review: at its end, alone in a sentence, or after a mark or a closing with the author's name:
/// `- Mike`, `Sincerely, Mike`, `Love, Art and Betty`.
fn is_signature(context: &NameContext<'_>, author: &str) -> bool {
    let (text, at) = (context.text, context.name.start);
    let is_mark = |at: usize| text.has_shape(at, Capitalisation::Mark);
    let is_author = |at: usize| {
        let word = plain(text.word(at));
        let mut words = author.split(|letter: char| !letter.is_alphanumeric());
        words.any(|one| plain(&one.to_lowercase()) == word)
    };
    let pair = &NameClasses::get().pair;
    let mut rest = context.name.end..text.tokens().len();
    if at == 0
        || !rest
            .clone()
            .all(|at| is_mark(at) || text.is_among(at, pair) || is_author(at))
    {
        return false;
    }
    let is_alone = text.tokens()[at].is_capital() && (context.sentence.start..at).all(is_mark);
    let is_closed = is_mark(at - 1) || context.is_in(Context::Closing);
    is_alone || is_closed && (is_author(at) || rest.any(is_author))
}

const TITLES: &str = "dr doctor prof professor mr mrs ms miss sir";
/// Degrees, and suffixes of generations.
const SUFFIXES: &str = "jr sr ii iii md dds dmd dvm rn np phd";

/// The words of a name, without marks, [`TITLES`] (`Dr.` is no first name), and [`SUFFIXES`] after the first word (`JR` is one).
fn parts(name: &str) -> Vec<String> {
    let words = words_only(&TokenizedText::new(name)).into_iter();
    let words = words.skip_while(|word| TITLES.split(' ').any(|title| title == word));
    let words = words.enumerate();
    let words = words.filter(|(at, word)| *at == 0 || SUFFIXES.split(' ').all(|it| it != word));
    words.map(|(_, word)| word).collect()
}

/// The forms of a name: the name, the aliases, each first name alone and before each surname, and the surname alone.
fn forms(name: &[String], aliases: &[String]) -> Vec<Vec<String>> {
    let Some((first, rest)) = name.split_first() else {
        return Vec::new();
    };
    let surnames: Vec<&String> = rest.iter().rev().take(2).collect();
    let mut firsts = vec![first.clone()];
    let mut forms = vec![name.to_vec()];
    for alias in aliases.iter().map(|alias| parts(alias)) {
        match alias.as_slice() {
            [one] => firsts.push(one.clone()),
            [one, .., last] if surnames.contains(&last) => firsts.push(one.clone()),
            _ => {}
        }
        forms.push(alias);
    }
    for first in firsts {
        let pairs = surnames.iter();
        let pairs = pairs.map(|surname| vec![first.clone(), (*surname).clone()]);
        forms.extend(pairs);
        forms.push(vec![first]);
    }
    forms.extend(rest.last().map(|surname| vec![surname.clone()]));
    forms
}

#[cfg(test)]
mod tests {
    use super::{Linker, names_stranger};
    use crate::insights::text::TokenizedText;
    use crate::model::business::{Business, Service, Technician};

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

    /// `words=name` of every mention.
    fn mentions_in(text: &str) -> Vec<String> {
        let mentions = Linker::new(&firm()).mentions(&TokenizedText::new(text), "");
        let mentions = mentions.iter();
        let listed = mentions.map(|one| format!("{}={}", one.span.of(text).unwrap(), one.name));
        listed.collect()
    }

    /// The names in a text about a business.
    fn linked(firm: &Business, text: &str) -> Vec<String> {
        let mentions = Linker::new(firm).mentions(&TokenizedText::new(text), "Ann B.");
        mentions.into_iter().map(|mention| mention.name).collect()
    }

    #[test]
    fn an_alias_like_a_suffix_names_the_person() {
        let firm = Business {
            technicians: vec![technician("Dave Miller", &["JR"])],
            ..Business::default()
        };
        for text in [
            "JR was great and very polite.",
            "We love JR so much.",
            "Thanks to JR.",
        ] {
            assert_eq!(linked(&firm, text), ["Dave Miller"], "{text}");
        }
    }

    #[test]
    fn a_word_that_is_not_ordinary_is_possibly_a_name() {
        let known = ["mike", "boiler", "mesa"].map(str::to_owned).into();
        let names = |text: &str| {
            let text = TokenizedText::new(text);
            names_stranger(&text, text.sentences()[0].clone(), &known)
        };
        for text in [
            "Rajesh was rude and two hours late.",
            "His name was bryce and he was rude.",
            "The manager, mrs. okonkwo, was rude.",
            "\u{645}\u{62d}\u{645}\u{62f} was rude.",
            "\u{201c}Siobhan never called us back about the leak.",
            "Oluwaseun's work was sloppy and slow.",
            "Anjali\u{2019}ll never work here again.",
            "THANH WAS RUDE AND TWO HOURS LATE.",
            "Wei and the other man left a mess.",
            "Yusuf, two hours late, was rude.",
            "DeShawn was rude and two hours late.",
            "O'Malley was rude and two hours late.",
            "Dawn was rude and two hours late.",
            "Waters was rude and two hours late.",
            "Mark was rude and two hours late.",
            "José was rude and two hours late.",
            "Late again, the plumber and Rajesh.",
            "The plumber mike brought steve, who was rude.",
        ] {
            assert!(names(text), "{text}");
        }
        for text in [
            "Mike's work was sloppy and slow.",
            "MIKE WAS RUDE AND TWO HOURS LATE.",
            "Boiler and gutters are leaking again.",
            "Didn't show up, and I'm still waiting.",
            "Haven't heard from them since we paid.",
            "There's a leak, and they won't come.",
            "It'll be summer before they come.",
            "Won't be using them again.",
            "THEY NEVER CAME AGAIN.",
            "The AC was never fixed.",
            "Appointments are missed.",
            "Price was twice what they quoted.",
            "Overcharged us and left a mess in Mesa.",
        ] {
            assert!(!names(text), "{text}");
        }
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
        let text = "They did a boiler repair in our attic. It took an hour, and the AC works.";
        assert_eq!(linked(&firm, text), ["a", "ac"]);
    }

    #[test]
    fn a_person_is_linked_by_every_exact_form_of_the_name() {
        for (text, expected) in [
            (
                "😀 Jesse Okafor's work is great",
                "Jesse Okafor's=Jesse Okafor",
            ),
            ("we had jesse okafor out", "jesse okafor=Jesse Okafor"),
            ("JESSE LUND came", "JESSE LUND=Jesse Lund"),
            ("Jesse L. came", "Jesse=Jesse Lund"),
            ("Mr. Lund came", "Lund=Jesse Lund"),
            ("Red came out", "Red=Jesse Lund"),
            ("Thanks Kit", "Kit=Katherine O'Brien"),
            ("Sandoval fixed it", "Sandoval=Mark Sandoval Jr."),
        ] {
            assert_eq!(mentions_in(text), [expected], "{text}");
        }
        for text in [
            "Jesse came.",
            "Kate came.",
            "Marc came.",
            "My husband Mark came.",
            "Mark Olsen came.",
        ] {
            assert_eq!(mentions_in(text), [] as [&str; 0], "{text}");
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
    fn a_word_at_the_beginning_of_a_sentence_is_no_name() {
        let names = ["Grace Noble", "Patience Moore", "Dawn Light", "Ivy Wall"];
        let names = names.into_iter().chain(["Van Tran", "Pat Down", "Rob Lee"]);
        let firm = Business {
            technicians: names.map(|name| technician(name, &[])).collect(),
            ..Business::default()
        };
        for text in [
            "Grace and patience: that is what this office has.",
            "Grace is what they showed my mother.",
            "Patience is their virtue.",
            "Dawn broke and they were still working.",
            "Ivy was torn off my wall.",
            "Van was spotless, crew was polite.",
            "Pat answers and no help.",
            "Rob is what they do.",
        ] {
            assert_eq!(linked(&firm, text), [] as [&str; 0], "{text}");
        }
        for (text, names) in [
            (
                "Grace and Patience were kind.",
                &["Grace Noble", "Patience Moore"][..],
            ),
            ("Dawn broke my tooth.", &["Dawn Light"]),
            ("Pat answers every question.", &["Pat Down"]),
            ("Rob is the best.", &["Rob Lee"]),
            ("Ivy was late.", &["Ivy Wall"]),
        ] {
            assert_eq!(linked(&firm, text), names, "{text}");
        }
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
        for (text, expected) in [
            ("They sent José", "José Ibáñez"),
            ("with Jose Ibanez", "José Ibáñez"),
            ("with Jose", "José Ibáñez"),
            ("with Soren", "Søren Lund"),
            ("with Zoë", "Zoe Krug"),
            ("in Penuelas", "Peñuelas"),
        ] {
            assert_eq!(linked(&firm, text), [expected], "{text}");
        }
    }

    #[test]
    fn mentions_of_all_kinds_are_in_the_order_of_the_text() {
        assert_eq!(
            mentions_in("In Bath Jesse Lund fixed a leak, and Kit the skylight."),
            [
                "Bath=Bath",
                "Jesse Lund=Jesse Lund",
                "leak=roof-repair",
                "Kit=Katherine O'Brien",
                "skylight=skylights"
            ]
        );
    }
}
