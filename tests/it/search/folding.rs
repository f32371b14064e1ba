//! Case folding: tables of queries and the reviews that they find.

use super::*;

/// The texts of the reviews, by number.
const TEXTS: &[&str] = &[
    "Die Straße ist frei",
    "DIE STRASSE IST FREI",
    "İstanbul",
    "ıssız bir yer",
    "300 \u{212A} heißt kalt",
    "Σίσυφος",
    "ÉTÉ",
    "E\u{301}TE\u{301}",
    "5 \u{212B} dick",
    "Waſſer marſch",
    "50 \u{b5}m, 7 \u{2126}",
    "ǅungla Ⅷ ﬁn",
    "\u{10400} \u{ab70} \u{1c90}",
    "ΑΙ \u{1fbc} ΒΘ",
    "100% a_c \"quoted\" it's [x] c:\\d",
    "two\nlines\r\nand three",
    "🙂 👩\u{200d}🔧 東京の修理",
    "leak AND (fixed OR not) NEAR* ^x -y",
    "",
];

const FOUND: &[(&str, &[usize])] = &[
    ("straße", &[0]),
    ("STRAßE", &[0]),
    ("STRA\u{1e9e}E", &[0]),
    ("strasse", &[1]),
    ("Strasse", &[1]),
    ("İSTANBUL", &[2]),
    ("istanbul", &[]),
    ("stanbul", &[2]),
    ("i\u{307}stanbul", &[]),
    ("ISSIZ", &[]),
    ("ıSSıZ", &[3]),
    ("300 k", &[4]),
    ("300 K", &[4]),
    ("\u{212A}alt", &[4]),
    ("σίσυφοσ", &[5]),
    ("σίσυφος", &[5]),
    ("ΣΊΣΥΦΟΣ", &[5]),
    ("Σισυφος", &[]),
    ("été", &[6, 7]),
    ("e\u{301}te\u{301}", &[6, 7]),
    ("ete", &[]),
    ("5 å", &[8]),
    ("5 Å", &[8]),
    ("wasser MARSCH", &[9]),
    ("50 μm", &[10]),
    ("7 ω", &[10]),
    ("ǆUNGLA ⅷ", &[11]),
    ("fin", &[]),
    ("ﬁN", &[11]),
    ("\u{10428} \u{13a0} \u{10d0}", &[12]),
    ("αι \u{1fb3}", &[13]),
    ("\u{3d0}\u{3d1}", &[13]),
    ("%", &[14]),
    ("0% a", &[14]),
    ("a_c", &[14]),
    ("\"QUOTED\"", &[14]),
    ("it's", &[14]),
    ("[x]", &[14]),
    ("c:\\D", &[14]),
    ("two\nlines", &[15]),
    ("lines\r\nand", &[15]),
    ("two lines", &[]),
    ("\n", &[15]),
    ("🙂", &[16]),
    ("👩\u{200d}🔧", &[16]),
    ("🔧 東京", &[16]),
    ("京の修", &[16]),
    ("leak and (fixed or", &[17]),
    ("near*", &[17]),
    ("^x", &[17]),
    ("-y", &[17]),
    ("leak fixed", &[]),
    (" AND ", &[17]),
    ("three 🙂", &[]),
    ("ist frei", &[0, 1]),
    ("\u{feff}", &[]),
];

#[tokio::test]
async fn case_is_folded_code_point_by_code_point() {
    let app = with_texts(TEXTS).await;
    for (query, expected) in FOUND {
        assert_found(&app, &[("query", query)], expected).await;
    }
}

#[tokio::test]
async fn names_are_compared_whole_without_case_and_ids_exactly() {
    let mut reviews: Vec<Review> = (0..4)
        .map(|number| review_with_text(number, "Mike Alvarez did the ac-repair"))
        .collect();
    let mentions = |names: &[&str], ids: &[&str]| {
        let owned = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect();
        reviews_service::model::Mentions::new(owned(names), owned(ids), vec![])
    };
    reviews[0].mentions = mentions(&["Mike Alvarez", "Dana Öberg"], &["ac-repair"]);
    reviews[1].mentions = mentions(&["MIKE ALVAREZ"], &["AC-Repair"]);
    reviews[2].mentions = mentions(&["Mike Sorensen", "Roberto \"Beto\" Ruiz"], &["drain"]);
    let app = TestApp::uncoded(&reviews).await;
    for (query, expected) in [
        ("mentions_technician=Mike+Alvarez", vec!["s-0000", "s-0001"]),
        (
            "mentions_technician=mike%20alvarez",
            vec!["s-0000", "s-0001"],
        ),
        ("mentions_technician=Mike", vec![]),
        ("mentions_technician=Alvarez", vec![]),
        ("mentions_technician=Mike++Alvarez", vec![]),
        ("mentions_technician=+Mike+Alvarez", vec![]),
        ("mentions_technician=DANA+%C3%96BERG", vec!["s-0000"]),
        ("mentions_technician=dana+%C3%B6berg", vec!["s-0000"]),
        ("mentions_technician=Dana+Oberg", vec![]),
        (
            "mentions_technician=roberto+%22beto%22+ruiz",
            vec!["s-0002"],
        ),
        ("mentions_technician=Nobody", vec![]),
        ("mentions_service=ac-repair", vec!["s-0000"]),
        ("mentions_service=AC-Repair", vec!["s-0001"]),
        ("mentions_service=ac", vec![]),
        ("mentions_service=Drain", vec![]),
        (
            "mentions_technician=mike+sorensen&mentions_service=drain",
            vec!["s-0002"],
        ),
        (
            "mentions_technician=mike+sorensen&mentions_service=ac-repair",
            vec![],
        ),
    ] {
        let answer = app.get(&format!("{SEARCH}?{query}")).await;
        assert_eq!(
            (answer.status, answer.ids()),
            (200, expected.into_iter().map(str::to_owned).collect()),
            "{query}"
        );
    }
}
