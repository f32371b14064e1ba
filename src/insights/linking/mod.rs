//! Links names in a text to the business's staff, services and areas. It uses only the roster and readable tables; an
//! ambiguous name keeps all its candidates.

mod areas;
mod context;
mod evidence;
mod guards;
mod name_forms;
mod people;
mod services;
mod words;

use serde::Serialize;

use super::analysis::Mention;
use super::text::TokenizedText;
use super::trades::{HOME_SERVICES, id_for};
use crate::model;
use crate::model::business::Business;
use areas::Areas;
use name_forms::Nicknames;
use people::People;
use services::Services;
use words::{Dictionary, TaggedText, WordClass};

/// Increment this number when the rules change, so that all texts are analysed again.
const RULES: u32 = 7;

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
        name_forms::words(&TokenizedText::new(&business.name))
            .for_each(|word| words.class(word, WordClass::Firm));
        let nicknames = Nicknames::new();
        nicknames
            .all()
            .for_each(|name| words.class(name, WordClass::FirstName));
        let [job, doctor] = if id_for(&business.kind) == HOME_SERVICES {
            [WordClass::Kin, WordClass::Rank]
        } else {
            [WordClass::Role, WordClass::Title]
        };
        words.classify(WordClass::Job, job);
        words.classify(WordClass::Doctor, doctor);
        let people = People::new(&business.technicians, &nicknames, &mut words);
        let services = Services::new(&business.services, &mut words);
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
        recorded: &model::Mentions,
    ) -> Vec<Mention> {
        let tagged = TaggedText::new(text, &self.words);
        let mut mentions = (self.people).mentions(&tagged, author, &recorded.technicians);
        mentions.extend(self.services.find(&tagged));
        mentions.extend(self.areas.find(&tagged));
        mentions.sort_by_key(|mention| (mention.span, mention.kind));
        mentions
    }
}

/// All that the mentions in a text depend on besides the text, and the names of the business.
pub fn tables() -> impl Serialize {
    (
        RULES,
        words::TABLE,
        name_forms::SHORT,
        name_forms::SPELLINGS,
    )
}

#[cfg(test)]
mod tests {
    use super::Linker;
    use crate::insights::analysis::Mention;
    use crate::insights::text::{LanguageWords, TokenizedText};
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
                "Kathryn O’Brien came",
                "Kathryn O’Brien=Katherine O'Brien (full_name)",
            ),
            ("Thanks Kit", "Kit=Katherine O'Brien (first_name)"),
            (
                "Marc Sandoval came",
                "Marc Sandoval=Mark Sandoval Jr. (full_name)",
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
    fn services_are_linked_by_the_words_of_the_name() {
        let none = Mentions::default();
        for (text, expected) in [
            ("the roof repair", "roof repair=roof-repair (phrase)"),
            ("Sun-tunnels installed", "Sun-tunnels=skylights (phrase)"),
            ("a solar panel", "solar panel=solar (phrase)"),
            (
                "Gutter guarding was quick",
                "Gutter guarding=gutters (phrase)",
            ),
            ("gutters cleaning", "gutters cleaning=gutters (phrase)"),
            ("Downspouts!", "Downspouts=gutters (synonym)"),
            ("they rewired it", "rewired=solar (synonym)"),
            ("new flashing", "flashing=roof-repair|skylights (synonym)"),
        ] {
            assert_eq!(mentions_in(text, &none), [expected], "{text}");
        }
        assert_eq!(
            mentions_in("It leaks. It did leak.", &none),
            [] as [&str; 0],
            "what a thing does"
        );
    }

    #[test]
    fn a_service_area_is_linked_only_if_the_word_is_a_place() {
        let none = Mentions::default();
        for (text, expected) in [
            ("Our home in Bath is old", "Bath=Bath (area)"),
            (
                "they drove to cape elizabeth",
                "cape elizabeth=Cape Elizabeth (area)",
            ),
            ("Freeport, WA", "Freeport=Freeport (area_and_state)"),
            ("the Bath house", "Bath=Bath (area)"),
        ] {
            assert_eq!(mentions_in(text, &none), [expected], "{text}");
        }
        for text in [
            "the bath was dry",
            "Bath Road",
            "Bath & Body",
            "in the bath",
            "I live in a bath",
        ] {
            assert_eq!(mentions_in(text, &none), [] as [&str; 0], "{text}");
        }
    }

    #[test]
    fn names_match_with_and_without_accents_in_every_language() {
        let firm = Business {
            technicians: ["José Ibáñez", "Søren Lund", "Zoe Krug"]
                .map(|name| technician(name, &[]))
                .to_vec(),
            service_areas: vec!["Peñuelas".to_owned()],
            ..Business::default()
        };
        let linker = Linker::new(&firm);
        for ignores_accents in [true, false] {
            let words = format!("code = 'xx'\nignores_accents = {ignores_accents}");
            let words = LanguageWords::parse(&words).unwrap().into();
            for (text, expected) in [
                ("Mandaron a José", "José Ibáñez"),
                ("con José Ibáñez", "José Ibáñez"),
                ("con Jose Ibanez", "José Ibáñez"),
                ("con Jose", "José Ibáñez"),
                ("con Søren", "Søren Lund"),
                ("con Soren", "Søren Lund"),
                ("con Zoë", "Zoe Krug"),
                ("en Peñuelas", "Peñuelas"),
                ("en Penuelas", "Peñuelas"),
            ] {
                let text_of = TokenizedText::of(text, &words);
                let mentions = linker.mentions(&text_of, "", &Mentions::default());
                let links: Vec<&str> = mentions.iter().filter_map(Mention::link).collect();
                assert_eq!(links, [expected], "{text}, {ignores_accents}");
            }
            for text in ["Gracias, José", "Mi hermano José pagó.", "Calle Peñuelas 3"] {
                let other = TokenizedText::of(text, &words);
                let mentions = linker.mentions(&other, "Jose P.", &Mentions::default());
                assert_eq!(mentions, [], "{text}");
            }
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
