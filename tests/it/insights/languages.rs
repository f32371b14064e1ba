//! The language of a text: detected from its words, otherwise the declared one, otherwise that of the business.

use crate::support::{TestApp, rows};

/// Short reviews in languages that are not analysed.
const FOREIGN: [(&str, &str); 14] = [
    ("fr", "Beaucoup trop cher. La vendeuse était désagréable."),
    ("fr", "Travail soigné, équipe sympathique, je recommande."),
    (
        "de",
        "Nette Leute, saubere Arbeit, faire Preise, gerne wieder.",
    ),
    ("de", "Nie wieder!"),
    ("it", "Prezzi onesti, personale gentile, tornerò presto."),
    (
        "it",
        "Pessima esperienza, camerieri maleducati, cibo freddo.",
    ),
    (
        "nl",
        "Vriendelijke mensen, net werk, eerlijke prijs, aanrader.",
    ),
    ("nl", "Nooit meer, veel te duur en slecht geholpen."),
    (
        "pt",
        "Pessoal simpático, trabalho limpo, preço justo, recomendo.",
    ),
    ("pt", "Muito caro e demorado, a atendente foi mal educada."),
    ("pl", "Nigdy więcej, drogo, niemiło i bardzo wolno."),
    (
        "pl",
        "Polecam, szybko, czysto i w dobrej cenie, mili ludzie.",
    ),
    (
        "sv",
        "Trevlig personal, snabb service, bra priser, rekommenderas.",
    ),
    ("sv", "Aldrig mer, dyrt, otrevligt och alldeles sent."),
];
const ENGLISH: [&str; 4] = [
    "They never called us back.",
    "They came on time and fixed the leak under our sink.",
    "The staff was friendly, but we had to wait an hour for our table.",
    "Great service and they were very polite to my mother.",
];

/// Those of these texts, given as (declared language, text), that are analysed as English.
async fn analysed_as_english(
    business: Option<&str>,
    texts: &[(Option<&str>, &str)],
) -> Vec<String> {
    let app = TestApp::empty().await;
    let quoted =
        |value: Option<&str>| value.map_or_else(|| "null".to_owned(), |value| format!("'{value}'"));
    let mut sql = format!(
        "insert into business (business_id, name, language) values ('f', 'The Firm', {});",
        quoted(business)
    );
    for (number, (language, text)) in texts.iter().enumerate() {
        let (language, text) = (quoted(*language), quoted(Some(text)));
        sql += &format!(
            "insert into review (review_id, rating, reviewed_on, text, language)
               values ('{number}', 3, '2026-11-01', {text}, {language});"
        );
    }
    app.shell(&sql).await;
    let read = "select text from review join derived_review using (review_id)
                where derived_review.language = 'english' order by 1;";
    let read = rows(&app.path(), read).into_iter();
    read.map(|row| row["text"].as_str().unwrap().to_owned())
        .collect()
}

fn sorted(texts: &[&str]) -> Vec<String> {
    let mut texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
    texts.sort();
    texts
}

#[tokio::test]
async fn the_text_and_not_the_declared_language_decides_on_english() {
    let mut texts: Vec<_> = (FOREIGN.iter())
        .map(|(language, text)| (Some(*language), *text))
        .collect();
    texts.extend(ENGLISH.iter().map(|text| (Some("de"), *text)));
    assert_eq!(analysed_as_english(None, &texts).await, sorted(&ENGLISH));
}

#[tokio::test]
async fn a_text_without_a_language_has_that_of_the_business() {
    let german = FOREIGN.iter().filter(|(language, _)| *language == "de");
    let mut texts: Vec<_> = german.map(|(_, text)| (None, *text)).collect();
    texts.extend(ENGLISH.iter().map(|text| (None, *text)));
    let declared = "Great work!";
    texts.push((Some("en"), declared));
    let mut expected = sorted(&ENGLISH);
    expected.push(declared.to_owned());
    expected.sort();
    assert_eq!(analysed_as_english(Some("de-AT"), &texts).await, expected);
}
