//! Exports of platforms and self-made tables are imported unchanged under any file name, and newer ones are merged.

use super::tables::workbook;
use super::*;

/// An export and the reviews expected from it.
pub(super) struct Export {
    file: &'static str,
    pub(super) format: &'static str,
    /// A newer export differs by this replacement (from, to), and `more` after the last row.
    newer: (&'static str, &'static str),
    more: &'static str,
    /// Author, stars, date, title, text, answer, its date, language, source, and reason for withholding; newest first.
    reviews: &'static [&'static str],
}

pub(super) const EXPORTS: [Export; 18] = [
    Export {
        file: "trustpilot.csv",
        format: "trustpilot",
        newer: ("within an hour", "within the hour"),
        more: "5f00aa,desertpeak.example,Desert Peak,650a20,2026-10-14 09:00:00,61aa04,Nils Frost,,,Fine.,5,Organic,,,,en,,\n",
        reviews: &[
            "Greta Lind|5|2026-10-12|Quick|Fixed the boiler within an hour.|Thank you, Greta.|2026-10-13|en|Trustpilot|",
            "Paula Reis|4|2026-10-10|||||en|Trustpilot|",
            "Tomas Berg|3|2026-10-09|Na ja|Ordentliche Arbeit, aber teuer.|||de|Trustpilot|",
        ],
    },
    Export {
        file: "outscraper.csv",
        format: "outscraper",
        newer: ("within an hour", "within the hour"),
        more: "q,Desert Peak,0x1,ChIJpeak,Chd9,,Nils Frost,9,,Fine.,,,,,https://example.com/9,5,1791900000,10/13/2026 14:00:00,0\n",
        reviews: &[
            "Ada Lenz|5|2026-10-12||Fixed the boiler within an hour.|Thank you, Ada.|2026-10-13||Google|",
            "Paul Rossi|4|2026-10-10||||||Google|",
            "Theo Brook|3|2026-10-09||Ordentliche Arbeit, aber teuer.||||Google|",
        ],
    },
    Export {
        file: "apify.json",
        format: "apify",
        newer: ("within an hour", "within the hour"),
        more: ",{\"title\": \"Desert Peak\", \"stars\": 5, \"name\": \"Nils Frost\", \"text\": \"Fine.\", \"publishedAtDate\": \"2026-10-14T09:00:00.000Z\", \"reviewId\": \"ChZ9\", \"placeId\": \"ChIJpeak\"}]",
        reviews: &[
            "Bea Lund|5|2026-10-12||Fixed the boiler within an hour.|Thank you, Bea.|2026-10-13|en|Google|",
            "Pia Rahn|4|2026-10-10||||||Google|",
            "Timo Bach|3|2026-10-09||Ordentliche Arbeit, aber teuer.|||de|Google|",
        ],
    },
    Export {
        file: "loox.csv",
        format: "loox",
        newer: ("within an hour", "within the hour"),
        more: "Lx09,Active,5,,Nils F.,,Fine.,2026-10-14T09:00:00.000Z,71,boiler-check,,,true\n",
        reviews: &[
            "Greta L.|5|2026-10-12||Fixed the boiler within an hour.||||Loox|",
            "Omar H.|1|2026-10-11||Not for the public.||||Loox|hidden at the source",
            "Paula R.|4|2026-10-10||||||Loox|",
            "Tomas B.|3|2026-10-09||Ordentliche Arbeit, aber teuer.||||Loox|",
        ],
    },
    Export {
        file: "shopify.csv",
        format: "shopify",
        newer: ("aber teuer.\",,", "aber teuer.\",Danke!,"),
        more: "boiler-check,published,5,,Nils Frost,,,Fine.,,2026-10-14 09:00:00 UTC,\n",
        reviews: &[
            "Cleo Lamb|5|2026-10-12|Quick|Fixed the boiler within an hour.|Thank you, Cleo.|2026-10-13||Shopify|",
            "Omar Haddad|1|2026-10-11|Bad|Not for the public.||||Shopify|not published at the source",
            "Pill Shop|5|2026-10-11|Pills|Best pills on the web.||||Shopify|not published at the source",
            "Petra Roth|4|2026-10-10||||||Shopify|",
            "Till Bauer|3|2026-10-09|Na ja|Ordentliche Arbeit, aber teuer.||||Shopify|",
        ],
    },
    Export {
        file: "woocommerce.csv",
        format: "woocommerce",
        newer: ("within an hour", "within the hour"),
        more: "50,7,BC-1,Nils Frost,,,,2026-10-14 09:00:00,2026-10-14 16:00:00,Fine.,0,1,Mozilla,review,0,0,,5\n",
        reviews: &[
            "Dora Lake|5|2026-10-12||Fixed the boiler within an hour.|Thank you, Dora.|2026-10-13||WooCommerce|",
            "Osman Hall|1|2026-10-11||Not for the public.||||WooCommerce|not published at the source",
            "Watch Seller|5|2026-10-11||Best watches on the web.||||WooCommerce|not published at the source",
            "Pam Reed|4|2026-10-10||||||WooCommerce|",
            "Tim Burke|3|2026-10-09||Ordentliche Arbeit, aber teuer.||||WooCommerce|",
        ],
    },
    Export {
        file: "okendo-template.csv",
        format: "okendo",
        newer: ("Na ja,true,,", "Na ja,true,Danke!,"),
        more: "Fine.,boiler-check,71,5,BC-1,2026-10-14T09:00:00.000Z,US,,,Nils Frost,,true,,approved\n",
        reviews: &[
            "Finn Lowe|5|2026-10-12|Quick|Fixed the boiler within an hour.|Thank you, Finn.|||Okendo|",
            "Omar Haddad|1|2026-10-11|Bad|Not for the public.||||Okendo|hidden at the source",
            "Peer Ross|4|2026-10-10||||||Okendo|",
            "Tess Boyd|3|2026-10-09|Na ja|Ordentliche Arbeit, aber teuer.||||Okendo|",
        ],
    },
    Export {
        file: "okendo-export.csv",
        format: "okendo",
        newer: ("within an hour", "within the hour"),
        more: "ok-9,71,Boiler check,5,,Fine.,Nils Frost,true,2026-10-14T09:00:00.000Z,Approved\n",
        reviews: &[
            "Finn Lowe|5|2026-10-12|Quick|Fixed the boiler within an hour.||||Okendo|",
            "Omar Haddad|1|2026-10-11|Bad|Not for the public.||||Okendo|hidden at the source",
            "Peer Ross|4|2026-10-10||||||Okendo|",
            "Tess Boyd|3|2026-10-09|Na ja|Ordentliche Arbeit, aber teuer.||||Okendo|",
        ],
    },
    Export {
        file: "okendo-dotted.csv",
        format: "okendo",
        newer: ("within an hour", "within the hour"),
        more: "ok-9,71,5,,Fine.,Nils Frost,,2026-10-14T09:00:00.000Z\n",
        reviews: &[
            "Finn Lowe|5|2026-10-12|Quick|Fixed the boiler within an hour.||||Okendo|",
            "Peer Ross|4|2026-10-10||||||Okendo|",
            "Tess Boyd|3|2026-10-09|Na ja|Ordentliche Arbeit, aber teuer.||||Okendo|",
        ],
    },
    Export {
        file: "birdeye.csv",
        format: "birdeye",
        newer: ("aber teuer.\",,", "aber teuer.\",Danke!,"),
        more: "Desert Peak,\"Mesa, AZ\",\"Oct 14, 2026\",Google,5,Nils Frost,,Fine.,,,\n",
        reviews: &[
            "Elsa L.|5|2026-10-12||Fixed the boiler within an hour.|Thank you, Elsa.|2026-10-13||Google|",
            "Pavel R.|4|2026-10-10||||||Google|",
            "Toni B.|3|2026-10-09||Ordentliche Arbeit, aber teuer.||||Yelp|",
            "Ines F.|5|2026-10-08||Would call again.||||Facebook|recommendation without stars",
        ],
    },
    Export {
        file: "google-forms.csv",
        format: "table",
        newer: ("Sven Ohlin,3,", "Sven Ohlin,2,"),
        more: "2026/10/14 9:00:00 AM MDT,private.person@example.com,Nils Frost,5,Fine.\n",
        reviews: &[
            "Hanna Voss|5|2026-10-12||Fixed the boiler within an hour.||||Direct|",
            "Milo Brandt|4|2026-10-10||||||Direct|",
            "Sven Ohlin|3|2026-10-09||Ordentliche Arbeit, aber teuer.||||Direct|",
        ],
    },
    Export {
        file: "german.csv",
        format: "table",
        newer: (
            "Sterne;\"Ordentliche Arbeit; aber teuer.\";09.10.2026;",
            "Sterne;\"Ordentliche Arbeit; aber teuer.\";09.10.2026;Danke!",
        ),
        more: "Nils Frost;5;Gut.;14.10.2026;\r\n",
        reviews: &[
            "Jörg Weiß|5|2026-10-12||Heizung läuft wieder, tadellos.|Schönen Dank!|||Direct|",
            "Petra Weber|4|2026-10-10||||||Direct|",
            "Tomas Bärg|3|2026-10-09||Ordentliche Arbeit; aber teuer.||||Direct|",
        ],
    },
    Export {
        file: "spanish.csv",
        format: "table",
        newer: (
            "Paula Reis;4;;10/10/2026;;",
            "Paula Reis;4;;10/10/2026;Gracias.;",
        ),
        more: "Nils Frost;5;Bien.;14/10/2026;;\n",
        reviews: &[
            "Lucía Peña|5|2026-10-12|Rápidos|Arreglaron la caldera en una hora.|Muchas gracias.|||Direct|",
            "Paula Reis|4|2026-10-10||||||Direct|",
        ],
    },
    Export {
        file: "french.csv",
        format: "table",
        newer: (
            "Pascal Roy;4;;10/10/2026;;",
            "Pascal Roy;4;;10/10/2026;Merci.;",
        ),
        more: "Nils Frost;5;Bien.;14/10/2026;;\n",
        reviews: &[
            "Hélène Roy|5|2026-10-12|Rapide|Chaudière réparée en une heure.|Merci beaucoup.|||Direct|",
            "Pascal Roy|4|2026-10-10||||||Direct|",
        ],
    },
    Export {
        file: "italian.csv",
        format: "table",
        newer: (
            "Paula Reis;4;;10/10/2026;;",
            "Paula Reis;4;;10/10/2026;Grazie.;",
        ),
        more: "Nils Frost;5;Bene.;14/10/2026;;\n",
        reviews: &[
            "Lucia Conti|5|2026-10-12|Veloci|Caldaia riparata in un'ora.|Grazie mille.|||Direct|",
            "Paula Reis|4|2026-10-10||||||Direct|",
        ],
    },
    Export {
        file: "dutch.csv",
        format: "table",
        newer: (
            "Paula Reis;4;;10-10-2026;;",
            "Paula Reis;4;;10-10-2026;Bedankt.;",
        ),
        more: "Nils Frost;5;Goed.;14-10-2026;;\n",
        reviews: &[
            "Sanne Visser|5|2026-10-12|Snel|Ketel binnen een uur gemaakt.|Dank u wel.|||Direct|",
            "Paula Reis|4|2026-10-10||||||Direct|",
        ],
    },
    Export {
        file: "portuguese.csv",
        format: "table",
        newer: (
            "Paula Reis;4;;10/10/2026;;",
            "Paula Reis;4;;10/10/2026;Obrigado.;",
        ),
        more: "Nils Frost;5;Bom.;14/10/2026;;\n",
        reviews: &[
            "Inês Faria|5|2026-10-12|Rápidos|Caldeira reparada numa hora.|Muito obrigado.|||Direct|",
            "Paula Reis|4|2026-10-10||||||Direct|",
        ],
    },
    Export {
        file: "polish.csv",
        format: "table",
        newer: (
            "Paula Reis;4;;10.10.2026;;",
            "Paula Reis;4;;10.10.2026;Dzięki.;",
        ),
        more: "Nils Frost;5;Dobrze.;14.10.2026;;\n",
        reviews: &[
            "Zofia Łuczak|5|2026-10-12|Szybko|Kocioł naprawiony w godzinę.|Dziękujemy.|||Direct|",
            "Paula Reis|4|2026-10-10||||||Direct|",
        ],
    },
];

const PRIVATE: [&str; 4] = [
    "private.person",
    "Hidden Lane",
    "Secret Customer",
    "203.0.113.9",
];

fn fixture(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/exports");
    fs::read(folder.join(name)).unwrap()
}

impl Export {
    fn newer(&self) -> Vec<u8> {
        let bytes = fixture(self.file);
        // The German file is in Windows-1252; only ASCII is replaced.
        let (from, to) = (self.newer.0.as_bytes(), self.newer.1.as_bytes());
        let at = memchr::memmem::find(&bytes, from).unwrap();
        let mut newer = [&bytes[..at], to, &bytes[at + from.len()..]].concat();
        while newer.last().is_some_and(|byte| b"]\n".contains(byte)) && self.more.starts_with(',') {
            newer.pop();
        }
        newer.extend(self.more.bytes());
        newer
    }
}

async fn bench_in_phoenix() -> Bench {
    let bench = bench().await;
    bench.set_time_zone("America/Phoenix").await;
    bench
}

fn reviews(bench: &Bench) -> String {
    bench.sql("select author, rating, reviewed_on, title, text, response_text, response_on, language, source_name,
           iif(status = 'withheld', withheld_reason, '')
         from review order by reviewed_on desc, author",
    )
}

fn sorted(lines: &[&str]) -> Vec<String> {
    let mut lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
    lines.sort();
    lines
}

fn found(bench: &Bench) -> Vec<String> {
    sorted(&reviews(bench).lines().collect::<Vec<_>>())
}

#[tokio::test]
async fn exports_are_imported_under_any_name_and_newer_ones_merged() {
    for export in EXPORTS {
        let name = export.file;
        for file in [name, "export.bin"] {
            let bench = bench_in_phoenix().await;
            let (report, rejections) = bench.import(&[&bench.file(file, fixture(name))]).await;
            let count = export.reviews.len() as u64;
            assert_eq!(
                (report.files[0].format, counts(&report), rejections),
                (export.format, (count, 0, 0, 0), Vec::new()),
                "{name} as {file}"
            );
            assert_eq!(found(&bench), sorted(export.reviews), "{name} as {file}");
            if file != name {
                continue;
            }
            let (report, rejections) = bench.import(&[&bench.file(file, export.newer())]).await;
            assert_eq!(
                (counts(&report), rejections),
                ((1, 1, count - 1, 0), Vec::new()),
                "newer {name}"
            );
            let (report, _) = bench.import(&[&bench.file(file, export.newer())]).await;
            assert_eq!(counts(&report), (0, 0, count + 1, 0), "{name} again");
            let bytes = fs::read(bench.database.path()).unwrap();
            let log = fs::read(bench.folder.path().join("reviews.db-wal")).unwrap_or_default();
            for private in PRIVATE {
                let finder = memchr::memmem::Finder::new(private);
                assert!(
                    finder.find(&bytes).is_none() && finder.find(&log).is_none(),
                    "{private} of {name}"
                );
            }
        }
    }
}

#[tokio::test]
async fn a_workbook_gives_the_same_reviews_as_the_delimited_text() {
    for name in ["trustpilot.csv", "outscraper.csv", "german.csv"] {
        let bench = bench_in_phoenix().await;
        let text = fixture(name);
        let delimiter = if name == "german.csv" { b';' } else { b',' };
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .delimiter(delimiter)
            .from_reader(text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text));
        let rows: Vec<Vec<String>> = reader
            .byte_records()
            .map(|row| {
                let row = row.unwrap();
                row.iter()
                    .map(|cell| encoding_rs::WINDOWS_1252.decode(cell).0.into_owned())
                    .collect()
            })
            .collect();
        let rows: Vec<Vec<&str>> = rows
            .iter()
            .map(|row| row.iter().map(String::as_str).collect())
            .collect();
        let rows: Vec<&[&str]> = rows.iter().map(Vec::as_slice).collect();
        let (report, rejections) = bench.take(workbook(&rows)).await;
        assert_eq!((report.rejected, rejections), (0, Vec::new()), "{name}");
        let new = counts(&report).0;
        let (report, _) = bench.take(text).await;
        assert_eq!(counts(&report), (0, 0, new, 0), "{name}");
    }
}

#[tokio::test]
async fn reviews_hidden_by_any_column_of_an_export_are_never_public() {
    for export in EXPORTS {
        let text = fixture(export.file);
        let hidden =
            if export.file == "apify.json" {
                String::from_utf8(text)
                    .unwrap()
                    .replace("\"stars\"", "\"hidden\": true, \"stars\"")
                    .into_bytes()
            } else {
                let delimiter =
                    if memchr::memchr(b';', text.split(|byte| *byte == b'\n').next().unwrap())
                        .is_some()
                    {
                        ";"
                    } else {
                        ","
                    };
                let lines = text
                    .split(|byte| *byte == b'\n')
                    .filter(|line| !line.is_empty());
                let more = (0..).zip(lines).map(|(number, line)| {
                    let cell = if number == 0 { "hidden" } else { "yes" };
                    [
                        line.strip_suffix(b"\r").unwrap_or(line),
                        delimiter.as_bytes(),
                        cell.as_bytes(),
                        b"\n",
                    ]
                    .concat()
                });
                more.collect::<Vec<_>>().concat()
            };
        let bench = bench_in_phoenix().await;
        let (report, _) = bench.take(hidden).await;
        assert_eq!(counts(&report).3, 0, "{}", export.file);
        let public = "select count(*) from review where status = 'published'";
        assert_eq!(bench.sql(public), "0", "{}", export.file);
    }
}

#[tokio::test]
async fn an_unknown_status_publishes_in_no_export() {
    for (name, from, to) in [
        ("loox.csv", "Active", "Sleeping"),
        ("shopify.csv", ",published,", ",somewhere,"),
        (
            "woocommerce.csv",
            ",0,1,Mozilla,review",
            ",0,perhaps,Mozilla,review",
        ),
        ("okendo-template.csv", "approved", "sleeping"),
        ("okendo-export.csv", "Approved", "Sleeping"),
    ] {
        let bench = bench_in_phoenix().await;
        let text = String::from_utf8(fixture(name)).unwrap();
        assert!(text.contains(from), "{name}");
        bench.take(text.replace(from, to)).await;
        let public = "select count(*) from review where status = 'published'";
        assert_eq!(bench.sql(public), "0", "{name}");
    }
}

#[tokio::test]
async fn a_review_has_the_same_id_in_exports_and_apis() {
    let bench = bench_in_phoenix().await;
    bench.take(fixture("trustpilot.csv")).await;
    let api = json!({"reviews": [{"id": "650a1c", "stars": 5, "title": "Quick", "text": "Fixed the boiler within an hour.", "language": "en",
        "createdAt": "2026-10-12T14:03:22Z", "consumer": {"displayName": "Greta Lind"},
        "companyReply": {"text": "Thank you, Greta.", "createdAt": "2026-10-13T08:10:00Z"}}]});
    let (report, _) = bench.take(api.to_string()).await;
    assert_eq!(counts(&report), (0, 0, 1, 0));
    assert!(bench.find("trustpilot-650a1c").await.is_some());
    // Outscraper and Apify export the reviews of the same site.
    bench.take(fixture("outscraper.csv")).await;
    let apify = String::from_utf8(fixture("apify.json")).unwrap();
    let (report, _) = bench
        .take(apify.replace("ChZDSUhNMG9nQA", "ChdDSUhNMG9nS0"))
        .await;
    assert_eq!(counts(&report).0, 2);
}

#[tokio::test]
async fn only_approved_shop_replies_become_answers_in_any_row_order() {
    let header = "comment_ID,comment_author,comment_date,comment_content,comment_approved,comment_parent,user_id,rating\n";
    let review = "1,Ann,2026-10-12 10:00:00,Fine.,1,0,0,5\n";
    let answer = "2,Shop,2026-10-13 10:00:00,Thank you.,1,1,3,\n";
    let others = "3,Bo,2026-10-13 11:00:00,I agree.,1,1,0,\n\
        4,Shop,2026-10-13 12:00:00,Not approved.,0,1,3,\n\
        5,Shop,2026-10-13 12:00:00,To nobody.,1,77,3,\n";
    for rows in [
        format!("{header}{review}{answer}{others}"),
        format!("{header}{others}{answer}{review}"),
    ] {
        let bench = bench().await;
        let (report, rejections) = bench.take(rows).await;
        assert_eq!((counts(&report), rejections), ((1, 0, 0, 0), Vec::new()));
        assert_eq!(report.left_out, 3);
        assert_has(
            &summary(&report, false),
            "3 rows left out: replies that are not the business's answer",
        );
        let answer = bench.find("woocommerce-1").await.unwrap().response.unwrap();
        assert_eq!(answer.text, "Thank you.");
        assert_eq!(answer.date.unwrap().to_string(), "2026-10-13");
    }
}

#[tokio::test]
async fn the_user_with_most_answers_and_no_review_is_the_shop() {
    let header = "comment_ID,comment_author,comment_date,comment_content,comment_approved,comment_parent,user_id,rating\n";
    let rows = "41,Ann,2026-10-12 10:00:00,Fine.,1,0,12,5\n\
        42,Bo,2026-10-12 10:00:00,Late.,1,0,0,2\n\
        43,Cy,2026-10-12 10:00:00,Good.,1,0,13,4\n\
        44,Zed,2026-10-12 11:00:00,Same here.,1,41,99,\n\
        45,Shop,2026-10-13 10:00:00,Thank you.,1,41,1,\n\
        46,Ann,2026-10-13 10:00:00,Odd.,1,42,12,\n\
        47,Ann,2026-10-13 10:00:00,Nice.,1,43,12,\n\
        48,Zed,2026-10-13 10:00:00,Me too.,1,41,99,\n";
    let second = "49,Shop,2026-10-13 10:00:00,Sorry.,1,42,1,\n";
    let responses = "select review_id, response_text from review order by 1";
    let bench = bench().await;
    // Users 1 and 99 each answer one review, so the shop is unknown.
    let (report, _) = bench.take(format!("{header}{rows}")).await;
    assert_eq!((counts(&report), report.left_out), ((3, 0, 0, 0), 5));
    assert_eq!(
        bench.sql(responses),
        "woocommerce-41|\nwoocommerce-42|\nwoocommerce-43|"
    );
    let (report, _) = bench.take(format!("{header}{rows}{second}")).await;
    assert_eq!((counts(&report), report.left_out), ((0, 2, 1, 0), 4));
    assert_eq!(
        bench.sql(responses),
        "woocommerce-41|Thank you.\nwoocommerce-42|Sorry.\nwoocommerce-43|"
    );
}

#[tokio::test]
async fn another_review_with_the_number_of_a_row_is_not_overwritten() {
    let bench = bench_in_phoenix().await;
    bench
        .take("id,author,rating,date,text\n41,Otto Fremd,2,2026-01-02,Something else.\n")
        .await;
    let (report, _) = bench.take(fixture("woocommerce.csv")).await;
    assert_eq!(counts(&report), (5, 0, 0, 0));
    assert_eq!(bench.find("41").await.unwrap().author, "Otto Fremd");
}
