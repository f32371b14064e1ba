//! The language of a text: detected from its words, otherwise the declared one, otherwise that of the business.

use crate::support::{TestApp, table};

/// Short reviews in languages that are not analysed.
const FOREIGN: &str = "
    fr → Beaucoup trop cher. La vendeuse était désagréable.
    fr → Travail soigné, équipe sympathique, je recommande.
    de → Nette Leute, saubere Arbeit, faire Preise, gerne wieder.
    de → Nie wieder!
    it → Prezzi onesti, personale gentile, tornerò presto.
    it → Pessima esperienza, camerieri maleducati, cibo freddo.
    nl → Vriendelijke mensen, net werk, eerlijke prijs, aanrader.
    nl → Nooit meer, veel te duur en slecht geholpen.
    pt → Pessoal simpático, trabalho limpo, preço justo, recomendo.
    pt → Muito caro e demorado, a atendente foi mal educada.
    pl → Nigdy więcej, drogo, niemiło i bardzo wolno.
    pl → Polecam, szybko, czysto i w dobrej cenie, mili ludzie.
    sv → Trevlig personal, snabb service, bra priser, rekommenderas.
    sv → Aldrig mer, dyrt, otrevligt och alldeles sent.
";
/// In alphabetical order.
const ENGLISH: [&str; 4] = [
    "Great service and they were very polite to my mother.",
    "The staff was friendly, but we had to wait an hour for our table.",
    "They came on time and fixed the leak under our sink.",
    "They never called us back.",
];

/// Those of these texts, given as (declared language, text), that are analysed as English.
async fn analysed_as_english(business: &str, texts: &[(&str, &str)]) -> Vec<String> {
    let app = TestApp::empty().await;
    let mut sql = format!(
        "insert into business (business_id, name, language) values ('f', 'The Firm', nullif('{business}', ''));"
    );
    for (number, (language, text)) in texts.iter().enumerate() {
        sql += &format!(
            "insert into review (review_id, rating, reviewed_on, text, language)
               values ('{number}', 3, '2026-11-01', '{text}', nullif('{language}', ''));"
        );
    }
    app.shell(&sql).await;
    let read = "select text from review join derived_review using (review_id)
                where derived_review.language = 'english' order by 1;";
    app.sql(read).lines().map(str::to_owned).collect()
}

#[tokio::test]
async fn the_text_and_not_the_declared_language_decides_on_english() {
    let foreign = table(FOREIGN).into_iter();
    let mut texts: Vec<_> = foreign.map(|[language, text]| (language, text)).collect();
    texts.extend(ENGLISH.map(|text| ("de", text)));
    assert_eq!(analysed_as_english("", &texts).await, ENGLISH);
}

#[tokio::test]
async fn a_text_in_another_language_or_without_words_has_no_findings_and_mentions() {
    let app = TestApp::empty().await;
    app.name_business().await;
    app.shell("insert or ignore into service_area (name) values ('Mesa')")
        .await;
    let figures = "select count(*) from derived_finding; select count(*) from derived_mention";
    for (text, expected) in [
        ("", "0\n0"),
        ("👍👍", "0\n0"),
        (
            "Sie kamen in Mesa um acht und haben die Heizung sofort repariert, alles sauber und freundlich.",
            "0\n0",
        ),
        ("They came on time to our house in Mesa.", "1\n1"),
    ] {
        app.shell(&format!(
            "replace into review (review_id, rating, reviewed_on, text) values ('a', 5, '2026-11-01', '{text}')"
        ))
        .await;
        assert_eq!(app.sql(figures), expected, "{text}");
    }
}

#[tokio::test]
async fn a_text_without_a_language_has_that_of_the_business() {
    let foreign = table(FOREIGN).into_iter();
    let german = foreign.filter(|[language, _]| *language == "de");
    let mut texts: Vec<_> = german.map(|[_, text]| ("", text)).collect();
    texts.extend(ENGLISH.map(|text| ("", text)));
    texts.push(("en", "Great work!"));
    let mut expected = [&ENGLISH[..], &["Great work!"]].concat();
    expected.sort_unstable();
    assert_eq!(analysed_as_english("de-AT", &texts).await, expected);
}
