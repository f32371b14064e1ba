//! Names on a roster that is not the seeds': every form, who is meant, how far a mention reaches,
//! and what is no name.

mod many_people;

use super::Linker;
use crate::business::{Business, Service, Technician};
use crate::insights::analysis::{Mention, MentionKind};
use crate::insights::text::Text;
use crate::reviews::Mentions;

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
    Linker::new(&firm()).mentions(&Text::new(text), author, recorded)
}

/// `words=candidates(rule)` of every mention.
fn said(text: &str, recorded: &Mentions) -> Vec<String> {
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
fn a_person_is_known_by_every_usual_form_of_the_name() {
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
        assert_eq!(said(text, &none), [expected], "{text}");
    }
}

#[test]
fn a_name_of_two_is_settled_by_the_same_review_then_by_the_record_and_else_by_nobody() {
    let none = Mentions::default();
    let both = "Jesse=Jesse Lund|Jesse Okafor (first_name)";
    assert_eq!(said("Jesse came.", &none), [both]);
    assert_eq!(
        said("Jesse came. Ask for Jesse Okafor!", &none),
        [
            "Jesse=Jesse Okafor (same_review)",
            "Jesse Okafor=Jesse Okafor (full_name)"
        ]
    );
    assert_eq!(
        said("Jesse came.", &recorded(&["Jesse Lund"])),
        ["Jesse=Jesse Lund (recorded)"]
    );
    assert_eq!(
        said("Jesse came.", &recorded(&["Jesse Lund", "Jesse Okafor"])),
        [both]
    );
    assert_eq!(said("Jesse came.", &recorded(&["José Ibáñez"])), [both]);
    assert_eq!(
        said("Somebody came.", &recorded(&["Jesse Lund"])),
        [] as [&str; 0],
        "the record is no mention"
    );
    assert_eq!(
        said("Both Jesses came.", &none),
        [
            "Jesses=Jesse Lund (first_name)",
            "Jesses=Jesse Okafor (first_name)"
        ],
        "as many as are meant"
    );
}

#[test]
fn a_mention_reaches_as_far_as_pronouns_carry_it_and_no_further_than_the_next_name() {
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
fn services_are_known_by_the_words_that_their_names_are_made_of() {
    let none = Mentions::default();
    for (text, expected) in [
        ("the roof repair", "roof repair=roof-repair (phrase)"),
        ("Sun-tunnels installed", "Sun-tunnels=skylights (phrase)"),
        ("our suntunnel", "suntunnel=skylights (synonym)"),
        ("a solar panel", "solar panel=solar (phrase)"),
        (
            "Gutter guarding was quick",
            "Gutter guarding=gutters (phrase)",
        ),
        ("gutters cleaning", "gutters cleaning=gutters (phrase)"),
        ("Downspouts!", "Downspouts=gutters (synonym)"),
        ("a shut-off valve", "shut-off valve=gutters (phrase)"),
        ("they rewired it", "rewired=solar (synonym)"),
        ("new flashing", "flashing=roof-repair|skylights (synonym)"),
    ] {
        assert_eq!(said(text, &none), [expected], "{text}");
    }
    assert_eq!(
        said("It leaks. It did leak.", &none),
        [] as [&str; 0],
        "what a thing does"
    );
    assert_eq!(
        said("new flashing on the skylight", &none),
        [
            "flashing=skylights (context)",
            "skylight=skylights (synonym)"
        ],
        "a shared word means the one that is named beside it"
    );
}

#[test]
fn a_context_is_one_where_the_text_means_the_context() {
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
        assert_eq!(said(text, &none), [expected], "{text}");
    }
    for text in [
        "the bath was dry",
        "Bath Road",
        "Bath & Body",
        "in the bath",
        "I live in a bath",
    ] {
        assert_eq!(said(text, &none), [] as [&str; 0], "{text}");
    }
}

/// Where first names are shared, nobody is credited on a guess.
#[test]
fn the_digest_changes_with_the_roster_alone() {
    let digest = |change: &dyn Fn(&mut Business)| {
        let mut firm = firm();
        change(&mut firm);
        Linker::new(&firm).digest().to_owned()
    };
    let before = digest(&|_| {});
    assert_eq!(
        before,
        digest(&|firm| firm.description = Some("New".to_owned()))
    );
    assert_ne!(
        before,
        digest(&|firm| firm.technicians[0].aliases.push("Ace".to_owned()))
    );
    assert_ne!(before, digest(&|firm| firm.service_areas.truncate(1)));
    assert_ne!(before, digest(&|firm| firm.services.swap(0, 1)));
}

#[test]
fn mentions_stand_in_the_order_of_the_text_whatever_their_kind() {
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
