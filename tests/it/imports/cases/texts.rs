//! What is done with texts: translations, markup, letters, and two columns that are one text.

use unicode_normalization::UnicodeNormalization;

use super::*;

#[tokio::test]
async fn a_translation_by_google_is_known_by_its_form_in_any_language_and_source() {
    table_case(
        r"
each SOURCE: Google | Maps | Direct
--source SOURCE
cells: Review
Rent arbeid. ← (Oversatt av Google) Clean work.\n\n(Opprinnelig)\nRent arbeid.
Schnell.\n\nSauber. ← Schnell.\n\nSauber.\n\n(Translated by Google)\nFast.\n\nClean.
Hızlı. ← (Google tarafından çevrildi) Fast.\r\n\r\n(Orijinal)\r\nHızlı.
Fast. ← (Přeloženo Googlem) Fast.
same ← Found them (on Google) and called. | Nice.\n(Original)\nParts were used.
",
    )
    .await;
}

#[tokio::test]
async fn a_translation_by_google_is_known_by_its_form_whatever_a_column_says_of_the_source() {
    table_case(
        r#"
format: [fields]; source = ["Platform"]
Platform    | Name | Stars | Date       | Review
Google      | Ann  | 5     | 2026-03-01 | (Traduit par Google) Fast.\n\n(Avis d'origine)\nRapide.
Trustpilot  | Ann  | 5     | 2026-03-02 | (Traduit par Google) Fast.\n\n(Avis d'origine)\nRapide.
google      | Ann  | 5     | 2026-03-03 | (Traduit par Google) Good.
=
source_name | text
Google | Rapide.
Trustpilot | Rapide.
Google | Good.
"#,
    )
    .await;
}

#[tokio::test]
async fn one_review_with_and_without_its_translation_is_left_out() {
    table_case(
        r"
--source Google
Review ID | Name | Stars | Date       | Review
a         | Ann  | 5     | 2026-03-01 | (Traduit par Google) Fast and clean.\n\n(Avis d'origine)\nRapide et propre.
then --source Facebook --skip-duplicates
Review ID | Name | Stars | Date       | Review
b         | Ann  | 5     | 2026-03-01 | Rapide et propre.
=
review_id | status | withheld_reason
a | published |
",
    )
    .await;
}

#[tokio::test]
async fn markup_is_text_in_a_table_of_no_platform() {
    table_case(
        r"
cells: Headline, Review, Our reply
same ← I <3 them; x<y & AT&amp;T; <b>bold</b> &lt;br&gt; 5 &gt; 4 &copy; | <p>They&#39;re &quot;neat&quot;</p>
",
    )
    .await;
}

#[tokio::test]
async fn a_text_that_is_only_an_address_is_not_published() {
    table_case(
        r"
Name | Stars | Date       | Headline      | Review                     | Our reply
Ann  | 5     | 2026-03-01 | ann@e.example | ann.private@mail.example   | Thanks
Bo   | 4     | 2026-03-02 |               | Write to us at bo@e.example please | bo@e.example
Cy   | 3     | 2026-03-03 |               | <cy@e.example>             |
=
author | title | text | reply_text
Ann |  |  | Thanks
Bo |  | Write to us at bo@e.example please |
Cy |  |  |
",
    )
    .await;
}

#[tokio::test]
async fn public_texts_are_read_and_private_ones_asked_about_and_not_shown() {
    table_case(
        r#"
Guest | Rating | Date       | Public review                 | Private note to the host
Ilse  | 5      | 2026-05-04 | Quiet, clean, heating worked. | PRIVATE the shower drips a lot
Tom   | 4      | 2026-05-06 | A fair price for the room.    | PRIVATE the neighbour shouted at us
then format: ignored = "*"
=
? ignored
author | text
Ilse | Quiet, clean, heating worked.
Tom | A fair price for the room.
"#,
    )
    .await;
}

#[tokio::test]
async fn a_translation_is_taken_out_in_a_takeout() {
    file_case(
        r#"
{"reviews": [{"reviewId": "g1", "reviewer": {"displayName": "Ann"}, "starRating": "FIVE", "comment": "(Oversatt av Google) Fast.\n\n(Opprinnelig)\nRask.", "createTime": "2026-03-04T09:10:40Z",
"updateTime": "2026-03-04T09:10:40Z", "name": "accounts/1/locations/2/reviews/g1", "reviewReply": {"comment": "Takk.\n\n(Oversatt av Google)\nThanks.", "updateTime": "2026-03-05T09:10:40Z"}}]}
=
review_id | text | reply_text
2.g1 | Rask. | Takk.
"#,
    )
    .await;
}

#[tokio::test]
async fn a_text_that_google_shows_translated_is_in_the_language_in_which_it_is_shown() {
    file_case(
        r#"
{"result": {"reviews": [{"author_name": "Ann", "language": "en", "original_language": "nb", "rating": 5, "text": "Fast.", "time": 1772615440, "translated": true},
{"author_name": "Bo", "language": "en", "original_language": "en", "rating": 4, "text": "Good.", "time": 1772615440, "translated": false}]}}
=
author | language
Ann | en
Bo | en
"#,
    )
    .await;
}

#[tokio::test]
async fn markup_becomes_text_where_a_platform_writes_html() {
    file_case(
        r#"
[{"id": 7, "date_created": "2026-03-01T17:59:17", "product_id": 9, "status": "approved", "reviewer": "Zo&euml; &#38; Bo", "rating": 5, "verified": true,
"review": "<p>They&#x2019;re &quot;neat&quot; &hellip;</p>\n<p><span style=\"x\">5 &lt; 10</span> minutes<BR/>fast</p><p>I &lt;3 <em>them</em> &amp;amp; AT&amp;amp;T</p>"}]
=
author | text
Zoë & Bo | They’re "neat" …\n\n5 < 10 minutes\nfast\n\nI <3 them &amp; AT&amp;T
"#,
    )
    .await;
}

#[tokio::test]
async fn utf_8_read_as_another_encoding_is_noted_by_every_reader() {
    for (word, is_noted) in [
        ("RenÃ©e", true),
        ("Itâ€™s", true),
        ("Ren\u{fffd}e", true),
        ("Ð¡Ð¿Ð°Ñ\u{81}Ð¸Ð±Ð¾", true),
        ("SÃO PAULO, NÃO", false),
        ("Â vontade", false),
    ] {
        for row in ["WORD | 5 | 2026-03-01 |", "Ann | 5 | 2026-03-01 | WORD"] {
            let table = format!("Name | Stars | Date | Review\nBo | 4 | 2026-03-02 | Fine\n{row}");
            let table = cells_of(&table.replace("WORD", word));
            for (name, write) in READERS {
                let (_, report, _) = import_into_new(write(&table), "").await;
                let found = report.notes.iter().any(|note| note.contains("lost"));
                assert_eq!(found, is_noted, "{name}: {row}: {word}");
            }
        }
    }
}

#[tokio::test]
async fn a_decomposed_file_changes_nothing_of_composed_texts() {
    let table = "Name | Stars | Date | Headline | Review | Our reply
        Zoë | 5 | 2026-03-01 | Señal | Très bon café | Gràcies
        한빛 | 5 | 2026-03-02 | 각 | Việt Nam ở đây, Å | Ångström";
    let composed = [
        "Zoë | Señal | Très bon café | Gràcies",
        "한빛 | 각 | Việt Nam ở đây, Å | Ångström",
    ];
    let decomposed: String = table.nfd().collect();
    for (name, write) in READERS {
        let bench = bench().await;
        for table in [&decomposed, table, &decomposed] {
            bench.take(write(&cells_of(table))).await;
            assert_eq!(
                stored(&bench, "author | title | text | reply_text"),
                composed,
                "{name}"
            );
        }
        assert_eq!(bench.change_no().await, 2, "{name}");
    }
}

#[tokio::test]
async fn html_of_columns_with_the_suffix_of_a_format_becomes_text() {
    file_case(
        r#"
format: html_suffix = "_html"; [fields]; text = ["body_html"]; reply_text = ["reply"]
[{"name": "Ann", "stars": 5, "date": "2026-03-01", "body_html": "<p>Fast &amp; clean</p>", "reply": "A &amp; B"}]
=
author | text | reply_text
Ann | Fast & clean | A &amp; B
"#,
    )
    .await;
}
