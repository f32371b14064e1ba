//! Exports of platforms and self-made tables are imported unchanged under any file name, and newer ones are merged.

use super::*;

/// Exports: file, format, and how a newer one differs: a text that is replaced, what by, and what follows the last row.
const EXPORTS: &str = r#"
    trustpilot.csv → trustpilot → within an hour → within the hour → 5f00aa,desertpeak.example,Desert Peak,650a20,2026-10-14 09:00:00,61aa04,Nils Frost,,,Fine.,5,Organic,,,,en,,
    outscraper.csv → outscraper → within an hour → within the hour → q,Desert Peak,0x1,ChIJpeak,Chd9,,Nils Frost,9,,Fine.,,,,,https://example.com/9,5,1791900000,10/13/2026 14:00:00,0
    apify.json → apify → within an hour → within the hour → ,{"title": "Desert Peak", "stars": 5, "name": "Nils Frost", "text": "Fine.", "publishedAtDate": "2026-10-14T09:00:00.000Z", "reviewId": "ChZ9", "placeId": "ChIJpeak"}]
    loox.csv → loox → within an hour → within the hour → Lx09,Active,5,,Nils F.,,Fine.,2026-10-14T09:00:00.000Z,71,boiler-check,,,true
    shopify.csv → shopify → aber teuer.",, → aber teuer.",Danke!, → boiler-check,published,5,,Nils Frost,,,Fine.,,2026-10-14 09:00:00 UTC,
    woocommerce.csv → woocommerce → within an hour → within the hour → 50,7,BC-1,Nils Frost,,,,2026-10-14 09:00:00,2026-10-14 16:00:00,Fine.,0,1,Mozilla,review,0,0,,5
    okendo-template.csv → okendo → Na ja,true,, → Na ja,true,Danke!, → Fine.,boiler-check,71,5,BC-1,2026-10-14T09:00:00.000Z,US,,,Nils Frost,,true,,approved
    okendo-export.csv → okendo → within an hour → within the hour → ok-9,71,Boiler check,5,,Fine.,Nils Frost,true,2026-10-14T09:00:00.000Z,Approved
    okendo-dotted.csv → okendo → within an hour → within the hour → ok-9,71,5,,Fine.,Nils Frost,,2026-10-14T09:00:00.000Z
    birdeye.csv → birdeye → aber teuer.",, → aber teuer.",Danke!, → Desert Peak,"Mesa, AZ","Oct 14, 2026",Google,5,Nils Frost,,Fine.,,,
    google-forms.csv → table → Sven Ohlin,3, → Sven Ohlin,2, → 2026/10/14 9:00:00 AM MDT,private.person@example.com,Nils Frost,5,Fine.
    german.csv → table → Sterne;"Ordentliche Arbeit; aber teuer.";09.10.2026; → Sterne;"Ordentliche Arbeit; aber teuer.";09.10.2026;Danke! → Nils Frost;5;Gut.;14.10.2026;
    spanish.csv → table → Paula Reis;4;;10/10/2026;; → Paula Reis;4;;10/10/2026;Gracias.; → Nils Frost;5;Bien.;14/10/2026;;
    french.csv → table → Pascal Roy;4;;10/10/2026;; → Pascal Roy;4;;10/10/2026;Merci.; → Nils Frost;5;Bien.;14/10/2026;;
    italian.csv → table → Paula Reis;4;;10/10/2026;; → Paula Reis;4;;10/10/2026;Grazie.; → Nils Frost;5;Bene.;14/10/2026;;
    dutch.csv → table → Paula Reis;4;;10-10-2026;; → Paula Reis;4;;10-10-2026;Bedankt.; → Nils Frost;5;Goed.;14-10-2026;;
    portuguese.csv → table → Paula Reis;4;;10/10/2026;; → Paula Reis;4;;10/10/2026;Obrigado.; → Nils Frost;5;Bom.;14/10/2026;;
    polish.csv → table → Paula Reis;4;;10.10.2026;; → Paula Reis;4;;10.10.2026;Dzięki.; → Nils Frost;5;Dobrze.;14.10.2026;;
"#;

pub(super) fn exports() -> Vec<[&'static str; 5]> {
    table(EXPORTS)
}

fn content(name: &str) -> Vec<u8> {
    fs::read(fixture("exports").join(name)).unwrap()
}

/// The newer export; the German file is in Windows-1252, so only ASCII is replaced.
fn newer([file, _, from, to, more]: [&str; 5]) -> Vec<u8> {
    let bytes = content(file);
    let at = memchr::memmem::find(&bytes, from.as_bytes()).unwrap();
    let mut newer = [&bytes[..at], to.as_bytes(), &bytes[at + from.len()..]].concat();
    while newer.last().is_some_and(|byte| b"]\n".contains(byte)) && more.starts_with(',') {
        newer.pop();
    }
    newer.extend(more.bytes().chain([b'\n']));
    newer
}

fn reviews(bench: &Bench) -> String {
    bench.sql("select author, rating, reviewed_on, title, text, response_text, response_on, language, source_name,
           iif(status = 'withheld', withheld_reason, '')
         from review order by reviewed_on desc, author",
    )
}

/// The reviews: author, stars, date, title, text, answer, its date, language, source, and the reason for withholding.
fn found(bench: &Bench) -> String {
    let reviews = reviews(bench);
    let mut lines: Vec<&str> = reviews.lines().collect();
    lines.sort_unstable();
    lines.join("\n")
}

#[tokio::test]
async fn exports_are_imported_under_any_name_and_newer_ones_merged() {
    for export @ [name, format, ..] in exports() {
        for file in [name, "export.bin"] {
            let bench = bench_in_phoenix().await;
            let options = match name {
                "google-forms.csv" => {
                    "--map 'rating=How would you rate us? (1-5)' --map 'text=Tell us about your visit' --ignore-others"
                }
                "polish.csv" => "--map title=Tytuł",
                _ => "",
            };
            let request = request_for([bench.file(file, content(name))], options);
            let (report, rejections) = bench.run(&request).await;
            let report = report.unwrap();
            let all = found(&bench);
            let count = all.lines().count() as u64;
            assert_eq!(
                (report.files[0].format, counts(&report), rejections),
                (format, (count, 0, 0, 0), Vec::new()),
                "{name} as {file}"
            );
            insta::assert_snapshot!(name.replace('.', "_"), all);
            if file != name {
                continue;
            }
            let (report, rejections) = bench.import(&[&bench.file(file, newer(export))]).await;
            assert_eq!(
                (counts(&report), rejections),
                ((1, 1, count - 1, 0), Vec::new()),
                "newer {name}"
            );
            let (report, _) = bench.import(&[&bench.file(file, newer(export))]).await;
            assert_eq!(counts(&report), (0, 0, count + 1, 0), "{name} again");
            assert_not_stored(&bench, &PRIVATE, name);
        }
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
        let text = String::from_utf8(content(name)).unwrap();
        assert_has(&text, from);
        bench.take(text.replace(from, to)).await;
        let public = "select count(*) from review where status = 'published'";
        assert_eq!(bench.sql(public), "0", "{name}");
    }
}

#[tokio::test]
async fn a_review_has_the_same_id_in_exports_and_apis() {
    let bench = bench_in_phoenix().await;
    bench.take(content("trustpilot.csv")).await;
    let api = json!({"reviews": [{"id": "650a1c", "stars": 5, "title": "Quick", "text": "Fixed the boiler within an hour.", "language": "en",
        "createdAt": "2026-10-12T14:03:22Z", "consumer": {"displayName": "Greta Lind"},
        "companyReply": {"text": "Thank you, Greta.", "createdAt": "2026-10-13T08:10:00Z"}}]});
    let (report, _) = bench.take(api.to_string()).await;
    assert_eq!(counts(&report), (0, 0, 1, 0));
    assert!(bench.find("trustpilot-650a1c").await.is_some());
    // Outscraper and Apify export the reviews of the same site.
    bench.take(content("outscraper.csv")).await;
    let apify = String::from_utf8(content("apify.json")).unwrap();
    let (report, _) = bench
        .take(apify.replace("ChZDSUhNMG9nQA", "ChdDSUhNMG9nS0"))
        .await;
    assert_eq!(counts(&report).0, 2);
}

#[tokio::test]
async fn comments_on_reviews_are_left_out() {
    let rows = "comment_ID,comment_author,comment_date,comment_content,comment_approved,comment_parent,user_id,rating\n\
        1,Ann,2026-10-12 10:00:00,Fine.,1,0,0,5\n2,Shop,2026-10-13 10:00:00,Thank you.,1,1,3,\n\
        3,Bo,2026-10-13 11:00:00,I agree.,1,1,0,\n";
    let (bench, report, _) = import_into_new(rows, "").await;
    assert_eq!((counts(&report), report.left_out), ((1, 0, 0, 0), 2));
    assert_eq!(bench.sql("select count(response_text) from review"), "0");
}
