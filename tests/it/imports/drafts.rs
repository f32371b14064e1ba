//! The draft of a source's format, and what is kept of it: what is asked, when, and that nothing hidden is shown.

use std::collections::{BTreeMap, BTreeSet};

use reviews_service::imports::undo;

use super::tables::{cells, workbook_of_sheets};
use super::*;
use crate::support::Generator;

const SHEET: &str = "Name,Stars,Date,Review,Publish\n\
    Ann Bee,5,2026-03-02,On time and very tidy,yes\n\
    Bo Cee,1,2026-03-03,HIDDEN two hours late,no\n";
/// Of a sheet whose column `Publish` decides.
const DECIDED: &str = r#"format: [[public]]; names = ["Publish"]; values = ["yes"]"#;

/// The sheet with another column.
fn with_city() -> String {
    let sheet = SHEET.replace("Publish", "Publish,City");
    let sheet = sheet.replace("yes", "yes,Mesa");
    sheet.replace("no\n", "no,Tempe\n")
}

#[tokio::test]
async fn all_columns_that_are_left_are_one_question() {
    let bench = bench().await;
    let draft = bench.draft(with_city(), "").await;
    assert_eq!(Vec::from_iter(draft.format.open.clone()), ["ignored"]);
    assert_eq!(draft.left, ["Publish", "City"]);
    let text = draft.text("reviews import sheet.csv --format sheet.toml");
    let folder = format!("{}/", bench.folder.path().display());
    insta::assert_snapshot!(text.replace(&folder, ""));
    assert_eq!(bench.sql("select count(*) from review"), "0");
}

/// Headers and cells of columns that are no field, with the open keys of a table that has them besides.
const OPEN: &str = "
    Stars (1-10),8 → ignored
    Rating,4 → fields.rating ignored
    Job,AC repair → ignored
    source,Google → ignored
    Id,1 → ignored
    Publish ✅,yes → ignored
    #,a1 → ignored
    Reply (staff only),Soon. → ignored
    Réponse (ne pas publier),Bientôt. → ignored
";

#[tokio::test]
async fn columns_that_are_no_field_scale_and_dates_are_open() {
    for [column, open] in table(OPEN) {
        let (header, cell) = column.split_once(',').unwrap();
        let next = if cell == "1" { "2" } else { cell };
        let sheet = format!(
            "Name,Note,Date,Review,{header}\nAnn,5,2026-03-02,Good.,{cell}\nBo,2,2026-03-03,Late.,{next}\n"
        );
        assert_eq!(bench().await.open(sheet, "").await, open, "{header}");
    }
    for [sheet, open] in table(OPEN_TABLES) {
        let sheet = sheet.replace("\\n", "\n");
        assert_eq!(bench().await.open(&sheet, "").await, open, "{sheet}");
    }
}

/// Tables, in which `\n` stands for a line end, with their open keys.
const OPEN_TABLES: &str = r"
    Nom,Note,Date,Avis\nAnn,18,2026-03-05,Ponctuel.\nBo,9,2026-03-06,Un jour.\n → scale
    Id,Name,Rating,Date,Review\n1.,Ann,5,2026-03-05,Tidy.\n2.,Bo,4,2026-03-06,Late.\n → ignored
    Name,Rating,Date,Review\nAnn,0.8,2026-03-05,Tidy.\nBo,1,2026-03-06,Late.\n → scale
    Name,Rating,Date,Review\nAnn,50,2026-03-05,Tidy.\nBo,20,2026-03-06,Late.\n → scale
    Name,Rating,Date,Review,Rating\nAnn,5,2026-03-05,Tidy.,1\nBo,2,2026-03-06,Late.,4\n → fields.rating ignored
    Name,Rating,Date,Review\nAnn,5,03/05/2026,Tidy.\nBo,2,04/06/2026,Late.\n → date_format
    Guest,Visited,Party size,What they said\nAnn,2026-03-05,2,On time and very tidy.\n → fields.date fields.rating fields.text ignored
";

#[tokio::test]
async fn column_without_a_cell_is_left() {
    let sheet = "Name,Stars,Date,Review,published_at,Reply\nAnn,5,2026-03-02,HIDDEN,,\n";
    let rows = json!([{"Name": "Ann", "Stars": 5, "Date": "2026-03-02", "Review": "HIDDEN", "published_at": null}]);
    for content in [
        sheet,
        &sheet[..=sheet.find('\n').unwrap()],
        &rows.to_string(),
    ] {
        let bench = bench().await;
        let draft = bench.draft(content, "").await;
        assert!(
            draft.left.iter().any(|it| it == "published_at"),
            "{content}"
        );
        assert!(draft.is_open("ignored"), "{content}");
        assert!(!draft.text("x").contains("\"published_at\" ((text))"));
        // In a later file it is open again, and of a platform's table, too.
        bench.csv(SHEET, DECIDED).await;
        let wide = SHEET
            .replace('\n', ",\n")
            .replacen(",\n", ",published_at\n", 1);
        assert_eq!(bench.open(wide, "").await, "ignored");
    }
    let shop = "id,nickname,review,rating,date,status,productId,published_at\n1,Ann,Good.,5,2026-03-01,published,1,\n";
    assert_eq!(bench().await.open(shop, "").await, "ignored");
}

#[tokio::test]
async fn column_of_the_format_that_a_file_lacks_is_named() {
    let sheet = "Name,Stars,Date,Review,Title,Reply,Publish,Later\nAnn,5,2026-03-02,Good.,One,Thanks.,yes,yes\n";
    let blocks = r#"[[public]]; names = ["Publish", "Later"]; values = ["yes"]; [[public_reply]]; names = ["Answer ok"]; values = ["yes"]; missing = "public""#;
    let fields =
        r#"[fields]; title = ["Title"]; reply_text = ["Answer", "Reply"]; technicians = ["Crew"]"#;
    let format = format!("format: {fields}; {blocks}");
    let bench = bench().await;
    let first = bench.csv(sheet, &format).await.notes.join(" ");
    assert_has(
        &first,
        "the file lacks: Crew, Answer, Answer ok; it states nothing of them",
    );
    let narrow = sheet.replace("Title,Reply,Publish,Later", "Publish,Later");
    let narrow = narrow.replace("One,Thanks.,", "");
    let kept = bench.csv(&narrow, "").await.notes.join(" ");
    assert_has(
        &kept,
        "the file lacks: Title, Crew, Answer, Reply, Answer ok; it",
    );
    // Of a block that names several columns, those that are not there.
    let given = narrow.replace(",Later", "").replace(",yes,yes", ",yes");
    let given = bench
        .csv(&given, &format!("--accept-changes {format}"))
        .await;
    assert_has(&given.notes.join(" "), "Reply, Later, Answer ok; it");
}

/// A member that some rows lack is there in all pages of an import; one that no row has is a question, and what it means is said once.
#[tokio::test]
async fn member_that_no_row_of_any_page_has_is_a_question() {
    let row = |id: &str, more: &Value| {
        let mut row = json!({"id": id, "stars": 5, "text": "Fine.", "createdAt": "2026-10-15T07:00:00Z", "consumer": {"id": id, "displayName": id}});
        row.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        row
    };
    let with = |ids: &[&str], more: Value| {
        let rows = ids.iter().map(|id| row(id, &more));
        page(&rows.collect::<Vec<_>>())
    };
    let active = json!({"status": "active"});
    let bench = bench_in_phoenix().await;
    let take = async |pages: &[String]| {
        let names = ["a.json", "b.json"].iter().zip(pages);
        let files = names.map(|(name, page)| bench.file(name, page));
        let request = request_for(files.collect::<Vec<_>>(), "--accept-changes");
        bench.run(&request).await.0
    };
    let public = || {
        bench.sql("select group_concat(author) from (select author from review where status = 'published' order by author)")
    };
    // The platform has a layout without it.
    take(&[with(&["a"], json!({})), with(&["b"], json!({}))])
        .await
        .unwrap();
    assert_eq!(public(), "a,b");
    // The second page lacks what the first one has.
    take(&[
        with(&["a", "c"], active.clone()),
        with(&["b", "d"], json!({})),
    ])
    .await
    .unwrap();
    assert_eq!(public(), "a,c");
    // From then on a file without it is asked about.
    let lacking = [with(&["a", "e"], json!({})), with(&["b"], json!({}))];
    let Err(ImportError::Open(draft)) = take(&lacking).await else {
        panic!("nothing is open");
    };
    assert_eq!(
        Vec::from_iter(draft.format.open.clone()),
        ["public.0.missing"]
    );
    let text = draft
        .text("x")
        .replace("missing = \"?\"", "missing = \"public\"");
    let mut request = request_for([bench.file("a.json", &lacking[0])], "");
    request.owner_format = Some(Format::parse(&text).unwrap());
    bench.run(&request).await.0.unwrap();
    assert_eq!(public(), "a,c,e");
    // What was hidden stays so.
    take(&lacking).await.unwrap();
    assert_eq!(public(), "a,c,e");
    // An object that is null has nothing to hide where another row has its member, which is not there without one.
    let reported = json!({"status": "active", "reportData": {"reviewVisibility": "hidden"}});
    let clear = json!({"status": "active", "reportData": null});
    take(&[with(&["e"], reported), with(&["b"], clear.clone())])
        .await
        .unwrap();
    assert_eq!(public(), "a,b,c");
    let Err(ImportError::Open(draft)) = take(&[with(&["e", "f"], clear)]).await else {
        panic!("nothing is open");
    };
    assert_eq!(Vec::from_iter(draft.format.open), ["public.1.missing"]);
}

#[tokio::test]
async fn unknown_encoding_is_a_question_and_kept() {
    let bench = bench().await;
    let sheet = b"Review;Name;Stars;Date\rIls sont tr\x8fs propres.;Ren\x8e C.;5;2026-03-05\r";
    let files = ["a.csv", "b.csv"].map(|name| bench.file(name, sheet));
    let Err(ImportError::Open(draft)) = bench.run(&request_for(files, "")).await.0 else {
        panic!("nothing is open");
    };
    assert_eq!(Vec::from_iter(draft.format.open.clone()), ["encoding"]);
    let text = draft.text("x");
    assert_has(&text, "# encoding = \"macintosh\" # tr\u{e8}s\n");
    let answered = text.replace("# encoding = \"macintosh\"", "encoding = \"macintosh\"");
    let mut request = request_for([bench.file("t.csv", sheet)], "");
    request.owner_format = Some(Format::parse(&answered).unwrap());
    bench.run(&request).await.0.unwrap();
    assert_eq!(bench.sql("select author from review"), "René C.");
    bench.csv(sheet, "").await;
}

#[tokio::test]
async fn kept_answers_are_no_questions_again() {
    let bench = bench().await;
    bench.csv(SHEET, DECIDED).await;
    let states = bench.sql("select group_concat(status) from review");
    assert_eq!(states, "published,withheld");
    assert_eq!(counts(&bench.csv(SHEET, "").await), (0, 0, 2, 0));
    // A further column asks once.
    let more = with_city();
    assert_eq!(bench.open(&more, "").await, "ignored");
    let all = format!("format: ignored = \"*\"; {}", &DECIDED["format: ".len()..]);
    bench.csv(&more, &all).await;
    assert_eq!(counts(&bench.csv(&more, "").await), (0, 0, 2, 0));
    // "*" covers no column that comes later.
    let later = more.replace("City", "City,Crew").replace("Mesa", "Mesa,A");
    let draft = bench.draft(later, "").await.text("");
    assert_has(&draft, "# Left: \"Crew\" (A 1). Ignored already: City");
}

#[tokio::test]
async fn undo_gives_the_former_format_back() {
    let bench = bench().await;
    bench.csv(SHEET, DECIDED).await;
    let former = bench.sql("select format from source");
    let other = "--accept-changes format: ignored = \"*\"";
    bench.csv(SHEET, other).await;
    assert_ne!(bench.sql("select format from source"), former);
    undo_last(&bench).await;
    assert_eq!(bench.sql("select format from source"), former);
    // One that was replaced since stays.
    bench.csv(SHEET, other).await;
    bench.sql("update source set format = '[fields]'");
    undo_last(&bench).await;
    assert_eq!(bench.sql("select format from source"), "[fields]");
}

async fn undo_last(bench: &Bench) {
    let undone = undo(&bench.database, &bench.clock, Some("Direct"), false).await;
    undone.unwrap();
}

#[tokio::test]
async fn table_with_the_columns_of_another_source_is_refused() {
    let bench = bench().await;
    bench.csv(SHEET, &format!("--source Angi {DECIDED}")).await;
    assert_has(&bench.refused(SHEET, "").await, "--source Angi");
    // Without the column that decides, too, unless another source has just the other columns.
    let gone = without_publish();
    assert_has(&bench.refused(&gone, "").await, "--source Angi");
    assert_eq!(bench.open(&gone, "--source Angi").await, "public.0.missing");
    bench.csv(&gone, "--source Yelp").await;
    assert_has(&bench.refused(&gone, "").await, "--source Yelp");
    // Also where the header of that one's files is further down.
    let bench = super::bench().await;
    let options = DECIDED.replace("format: ", "--source Angi format: header_row = 2; ");
    bench.csv(format!("Report\n{SHEET}"), &options).await;
    assert_has(&bench.refused(&gone, "").await, "--source Angi");
}

/// The sheet without the column that decides.
fn without_publish() -> String {
    let sheet = SHEET.replace(",Publish", "").replace(",yes", "");
    sheet.replace(",no", "")
}

#[tokio::test]
async fn member_that_is_a_list_or_an_object_is_left() {
    for value in [
        json!([{"state": "hidden"}]),
        json!([{"state": {"is": "private"}}, "x"]),
        json!({"state": "private"}),
        json!({"a": {"b": [{"state": "draft"}]}}),
        json!([["hidden"]]),
    ] {
        let row = json!({"Name": "Ann", "Stars": 5, "Date": "2026-03-02", "Review": "Good.", "x": value, "reply": value});
        let other = json!({"Name": "Bo", "Stars": 5, "Date": "2026-03-02", "Review": "Good."});
        let rows = json!([row, other]).to_string();
        let bench = bench().await;
        assert_eq!(bench.open(&rows, "").await, "ignored", "{value}");
        bench.csv(&rows, "format: ignored = \"*\"").await;
        assert_eq!(counts(&bench.csv(&rows, "").await), (0, 0, 2, 0));
    }
}

#[tokio::test]
async fn files_that_prove_two_orders_of_dates_are_both_named() {
    let bench = bench().await;
    let table = |date: &str| format!("Name,Rating,Date,Review\nAnn,5,{date},Tidy.\n");
    let dates = ["05/05/2026", "13/05/2026", "04/16/2026"];
    let names = ["a.csv", "b.csv", "c.csv"];
    let files = names.into_iter().zip(dates);
    let files = files.map(|(name, date)| bench.file(name, table(date)));
    let files: Vec<PathBuf> = files.collect();
    let refusal = bench.refuse(&request_for(files, "")).await;
    assert!(!refusal.contains("a.csv"), "{refusal}");
    assert_has(&refusal, "b.csv:2: 13/05/2026 is day first");
    assert_has(&refusal, "c.csv:2: 04/16/2026 is month first");
}

#[tokio::test]
async fn table_of_another_source_never_replaces_a_format() {
    let bench = bench().await;
    bench.csv(SHEET, DECIDED).await;
    let format = bench.sql("select format from source");
    let other = "Kunde,Sterne,Datum,Kommentar\nEva,5,2026-03-01,Gut.\n";
    for table in [other, "Kunde,Sterne,Datum,Kommentar\n"] {
        assert!(bench.draft(table, "").await.needs_source, "{table}");
        assert_eq!(bench.sql("select format from source"), format);
        assert_eq!(bench.sql("select count(*) from review"), "2");
    }
    bench.csv(other, "--source Angi").await;
    let kept = "select format from source where name = 'Direct'";
    assert_eq!(bench.sql(kept), format);
}

#[tokio::test]
async fn rows_without_the_member_of_publication_are_not_native() {
    let row = |more: &str| {
        format!(
            "{{\"id\": \"1\", \"rating\": 5, \"date\": \"2026-03-02\", \"author\": \"Ann\", \"text\": \"HIDDEN\"{more}}}"
        )
    };
    for source in ["", "--source Angi "] {
        let bench = bench().await;
        let decided = r#"format: [[public]]; names = ["ok"]; values = ["true"]"#;
        let options = format!("{source}{decided}");
        bench.csv(row(", \"ok\": true"), &options).await;
        assert_eq!(bench.open(row(""), source).await, "public.0.missing");
    }
    // Nor without a source that another one decides about.
    let bench = bench().await;
    let decided = r#"--source Angi format: [[public]]; names = ["ok"]; values = ["true"]"#;
    bench.csv(row(", \"ok\": true"), decided).await;
    assert_has(&bench.refused(row(""), "").await, "--source Angi");
    // Without a format they are, and need no ID.
    let bench = super::bench().await;
    let report = bench.csv(row("").replace("\"id\": \"1\", ", ""), "").await;
    assert_eq!(report.count(Outcome::New), 1);
    assert_eq!(report.files[0].format, "jsonl");
}

#[tokio::test]
async fn a_cell_never_decides_how_a_file_is_read() {
    let texts = "$date FeatureCollection google.visualization.Query.setResponse({}) urn:schemas-microsoft-com";
    for text in texts.split(' ') {
        let row = json!({"id": "1", "rating": 5, "date": "2026-03-02", "author": "features", "text": text});
        let linked = json!({"@context": "https://schema.org", "@type": "Review", "author": {"name": "Ann"}, "reviewBody": text,
            "reviewRating": {"ratingValue": 5}, "datePublished": "2026-03-02"});
        for content in [
            lines(&[row.clone(), row.clone()]),
            json!([row]).to_string(),
            format!(
                "Name,Stars,Date,Review\nAnn,5,2026-03-02,\"{}\"\n",
                text.replace('"', "\"\"")
            ),
            format!("<html><script type=\"application/ld+json\">{linked}</script></html>"),
        ] {
            let bench = bench().await;
            bench.csv(&content, "").await;
            assert_eq!(bench.sql("select text from review"), text, "{content}");
        }
    }
}

#[tokio::test]
async fn tables_of_a_call_share_one_format() {
    let bench = bench().await;
    let plain = without_publish();
    let (with, without) = (bench.file("a.csv", SHEET), bench.file("b.csv", plain));
    for files in [[with.clone(), without.clone()], [without, with]] {
        let refusal = bench.refuse(&request_for(files, DECIDED)).await;
        assert_has(&refusal, "has other columns than the files before it");
        assert_has(&refusal, "import it by itself");
    }
    let tables = ["a.csv", "x/b.csv", ".DS_Store"].map(|name| (name, SHEET));
    let report = bench.csv(zipped(&tables), DECIDED).await;
    assert_eq!((report.rows(), counts(&report)), (4, (2, 0, 0, 0)));
}

#[tokio::test]
async fn mark_before_a_name_makes_another_column() {
    for mark in [
        "!", "*", "#", "~", "-", "_", "=", "@", "%", "&", "+", ".", "<", "/", "no! ",
    ] {
        let bench = bench().await;
        let sheet = |name: &str, value: &str| {
            format!("Name,Stars,Date,Review,{name}\nAnn,5,2026-03-02,HIDDEN,{value}\n")
        };
        let list = |name: &str, value: &str| {
            let row = json!({"Name": "Ann", "Stars": 5, "Date": "2026-03-02", "Review": "HIDDEN", "state": {name: value}});
            json!([row]).to_string()
        };
        let decided =
            |name: &str| format!("format: [[public]]; names = [\"{name}\"]; values = [\"yes\"]");
        for (name, file) in [
            ("public", &sheet as &dyn Fn(&str, &str) -> String),
            ("state.public", &list),
        ] {
            let source = format!("--source S{} ", name.len());
            bench
                .csv(file("public", "no"), &format!("{source}{}", decided(name)))
                .await;
            let other = file(&format!("{mark}public"), "yes");
            let open = bench.open(&other, &source).await;
            assert_eq!(open, "ignored public.0.missing", "{mark}");
            // At the end it is the same name.
            let same = bench.csv(file("Public?!", "no"), &source).await;
            assert_eq!(same.count(Outcome::New), 0, "{mark}");
        }
    }
}

#[tokio::test]
async fn sentence_is_never_shown_however_often_it_is_there() {
    let sheet = "Name,Stars,Date,Review,Aside,Memo,Publish\n\
        Ann,5,2026-03-02,Good.,call the PRIVATE husband first,秘密のメモですから誰にも見せないでください,yes\n\
        Bo,4,2026-03-03,Good.,call the PRIVATE husband first,秘密のメモですから誰にも見せないでください,no\n\
        Cy,4,2026-03-04,Good.,,,no\n";
    let text = bench().await.draft(sheet, "").await.text("x");
    assert_has(
        &text,
        "Left: \"Aside\" ((text)), \"Memo\" ((text)), \"Publish\" (no 2, yes 1)",
    );
    assert!(!text.contains("PRIVATE") && !text.contains('秘'), "{text}");
}

#[tokio::test]
async fn what_stands_beside_several_lists_is_shown() {
    let list = |name: &str| json!([{"Name": name, "Stars": 5, "Date": "2026-03-02", "Review": "On time."}]);
    let content = json!({"a": {"visible": false, "list": list("Ann")}, "b": {"state": "draft", "list": list("Bo")}, "hidden": true});
    let text = bench().await.draft(content.to_string(), "").await.text("x");
    for member in [
        "\"hidden\" = true",
        "\"a.visible\" = false",
        "\"b.state\" = draft",
    ] {
        assert_has(&text, member);
    }
    assert!(text.ends_with("\nrows = \"?\"\n"), "{text}");
}

#[tokio::test]
async fn names_of_columns_below_the_first_row_are_pointed_out() {
    let bench = bench().await;
    let sheet = "Report,March\nName,Stars,Date,Review\nAnn,5,2026-03-02,Good.\n";
    let draft = bench.draft(sheet, "").await;
    assert_has(&draft.text("x"), "Row 2 has names of fields");
    assert_has(&draft.describe_open().join("\n"), "write header_row = 2");
    // What was open without it is clear now.
    let answered = "format: header_row = 2; [fields]; rating = \"?\"; date = \"?\"";
    assert_eq!(bench.csv(sheet, answered).await.count(Outcome::New), 1);
}

#[tokio::test]
async fn format_that_is_too_long_is_refused_in_a_sentence() {
    let bench = bench().await;
    let columns: String = (0..900)
        .map(|number| format!(",{number}{}", "x".repeat(300)))
        .collect();
    let sheet = format!(
        "Name,Stars,Date,Review{columns}\nAnn,5,2026-03-02,Good.{}\n",
        ",x".repeat(900)
    );
    let refusal = bench.refused(sheet, "format: ignored = \"*\"").await;
    assert_has(&refusal, "the format has more than 256 KiB");
    let long = format!("# {}", "x".repeat(256 << 10));
    let fault = Format::parse(&long).unwrap_err().to_string();
    assert_has(&fault, "the format has more than 256 KiB");
    let export = json!({"editorial": {}, "formats": {"Direct": long}});
    assert_has(
        &bench.refused(export.to_string(), "").await,
        "the format has more than 256 KiB",
    );
}

/// What stands around a list of JSON may say that nothing is public: whatever it is, the draft shows it.
#[tokio::test]
async fn member_beside_a_list_is_shown_whatever_it_is() {
    let rows =
        r#"[{"Name": "Ann", "Stars": 5, "Date": "2026-03-02", "Review": "On time.", "Job": "x"}]"#;
    for value in ["false", "\"no\"", "0", "null"] {
        let content = format!("{{\"visible\": {value}, \"reviews\": {rows}}}");
        let text = bench().await.draft(&content, "").await.text("x");
        assert_has(&text, "Beside the list, not read: \"visible\"");
    }
}

/// Formats with a mistake, each with a part of the message; `;` is a line end.
const MISTAKES: &str = r#"
    ignore = ["Job"] → line 1: ignore is no key here; the nearest is ignored
    scale = 10;[fields];ratings = "Stars" → line 3: ratings is no key here; the nearest is rating
    rating = "Stars" → line 1: rating is a field of a review, so it stands below [fields]
    [fields];rating = "Stars";ignored = "*" → line 3: ignored is a key of the format, so it stands above [fields]
    zone = "Europe/Berln" → line 1: no time zone has this name; the nearest is Europe/Berlin
    header_row = 0 → line 1: expected a whole number from 1 on (0)
    [public];names = "OK" → line 1: expected a list in [ ], or a block below [[…]]
    only = "Mesa" → line 1: expected { column = "…", value = "…" } ("Mesa")
    "public.0.names" = "?" → line 1: public.0.names is no key here
    names = ["Publish"] → line 1: names is a key of a block such as [[public]]
    scale = "ten" → line 1: expected a whole number from 1 on ("ten")
    scale = 10;[[public]];names = ["Publish"] → line 3: names needs `values` in its block
    [[public]];names = ["Publish"];values = [] → line 2: names needs `values` in its block
    [[public]];names = ["Publish"];values = ["yes"];missing = "shown" → line 4: shown is no value here; write "public" or "hidden"
    missing = "public" → line 1: missing is a key of a block such as [[public]]
    scale = 10;date_format = "quickly" → line 2: "quickly" is no format of a whole day
    scale = 10;encoding = "klingon" → line 2: "klingon" is no encoding
    scale = 10;values = { good = 7 } → line 2: a rating of 7 is not one of 1, 2, 3, 4, 5
    label = "Mine" → line 1: label is a key of built-in formats
    like = "judgeme";scale = 10 → line 2: scale cannot stand beside `like`
    ignored = 5 → line 1: expected a column, or a list of columns
    [paging];offset = "offset";size = 5 → line 3: size needs the name of a member, or of a parameter
    [paging];rows = "data";page = "" → line 3: page needs the name
    [paging];rows = "data";token = "next" → line 3: token says nothing by itself; write token and parameter
"#;

#[test]
fn mistake_in_a_format_is_named_with_the_line() {
    for [text, message] in table(MISTAKES) {
        let text = text.replace(';', "\n");
        let fault = Format::parse(&text).unwrap_err().to_string();
        assert!(fault.contains(message), "{text}: {fault}");
    }
}

#[test]
fn format_is_written_from_keys_and_read_back() {
    let text = r#"ignored = ["a \"b\" \\ c", "tab\there"]
scale = 10
values = { "sehr gut" = 5 }
date_format = "dd/mm/yyyy"
zone = "America/Phoenix"
only = { column = "Place", value = "Mesa" }
joined = "text"

[fields]
rating = ["Note"]
text = ["Liked", "Disliked"]
author = ""

[[public]]
names = ["OK?"]
values = ["yes", ""]
reason = "the customer did not agree"

[[public_reply]]
names = ["Show"]
values = ["*"]
missing = "hidden"
"#;
    let format = Format::parse(text).unwrap();
    assert_eq!(Format::parse(&format.to_text()).unwrap(), format);
}

/// Whatever files come one after another, and however often they are undone: a review is public only if the last file whose format reads
/// `Publish` says yes of it, and no undone one hid it since.
#[tokio::test]
async fn review_is_public_as_the_last_file_says_and_undo_keeps() {
    for seed in 0..15 {
        let mut dice = Generator::new(seed);
        let bench = bench().await;
        let (mut shown, mut hidden_since) =
            (BTreeMap::<usize, bool>::new(), BTreeSet::<usize>::new());
        let mut runs: Vec<[BTreeMap<usize, bool>; 2]> = Vec::new();
        let mut history = String::new();
        for _ in 0..12 {
            if dice.below(4) == 0 {
                let Some([former, said]) = runs.pop() else {
                    continue;
                };
                undo_last(&bench).await;
                history += "undo\n";
                hidden_since.extend(said.iter().filter(|it| !it.1).map(|it| *it.0));
                shown = former;
                let left = bench.sql("select substr(author, 7) from review");
                let left: BTreeSet<usize> = left.lines().map(|it| it.parse().unwrap()).collect();
                hidden_since.retain(|number| left.contains(number));
            } else {
                let (decides, has_column) = (dice.below(4) > 0, dice.below(5) > 0);
                let mut rows = BTreeMap::new();
                for _ in 0..=dice.below(5) {
                    let value = dice.pick(&["yes", "yes", "no", "", "maybe"]);
                    rows.insert(dice.below(6), value);
                }
                let column = |cell: &str| format!(",{cell}").repeat(usize::from(has_column));
                let mut file = format!("Name,Stars,Date,Review{}\n", column("Publish"));
                for (number, value) in &rows {
                    let stars = 1 + dice.below(5);
                    let (day, cell) = (1 + number, column(value));
                    file += &format!("Guest {number},{stars},2026-03-0{day},On time again{cell}\n");
                }
                let all = "format: ignored = \"*\"";
                let options = if decides { DECIDED } else { all };
                history += &format!("{options}\n{file}");
                let format = bench.sql("select format from source");
                let options = format!("--accept-changes {options}");
                let request = request_for([bench.file("t.csv", &file)], &options);
                let Ok(report) = bench.run(&request).await.0 else {
                    continue;
                };
                let (former, mut said) = (shown.clone(), BTreeMap::new());
                for (number, value) in rows {
                    if decides {
                        said.insert(number, value == "yes");
                        shown.insert(number, value == "yes");
                        hidden_since.remove(&number);
                    } else {
                        shown.entry(number).or_insert(true);
                    }
                }
                let is_changed = report.count(Outcome::New) + report.count(Outcome::Updated) > 0;
                if is_changed || bench.sql("select format from source") != format {
                    runs.push([former, said]);
                }
            }
            let public =
                bench.sql("select substr(author, 7) from review where status = 'published'");
            for number in public.lines().map(|it| it.parse::<usize>().unwrap()) {
                let is_shown = shown.get(&number) == Some(&true) && !hidden_since.contains(&number);
                assert!(is_shown, "Guest {number} of {seed}:\n{history}");
            }
        }
    }
}

#[tokio::test]
async fn other_sheets_and_lists_beside_the_kept_one_are_questions() {
    let bench = bench().await;
    let sheet = |text: &str| {
        let header = ["Name", "Stars", "Date", "Review"];
        cells(&[&header, &["Ann", "5", "2026-03-02", text]])
    };
    let [good, bad] = ["Good.", "HIDDEN bad."].map(sheet);
    let list =
        |text: &str| json!([{"Name": "Ann", "Stars": 5, "Date": "2026-03-02", "Review": text}]);
    let table = "Name,Stars,Date,Review\nAnn,5,2026-03-02,Good.\n";
    bench.csv(table, "").await;
    for (name, other) in [("Rejected", "Reviews"), ("2026", "2025")] {
        let workbook = workbook_of_sheets([(name, &bad), (other, &good)]);
        assert_eq!(bench.open(&workbook, "").await, "sheet", "{name}");
        // The second file of a call, too.
        let single = workbook_of_sheets([("Empty", &cells(&[])), ("Reviews", &good)]);
        let reversed = workbook_of_sheets([(other, &good), (name, &bad)]);
        let files = [("a", single), ("b", workbook), ("c", reversed)];
        let files = files.map(|(name, content)| bench.file(name, content));
        let refused = bench.refuse(&request_for(files, "")).await;
        assert_has(&refused, &format!("sheet: one of \"{name}\" (rows: 1)"));
    }
    let [good, mut bad] = ["Good.", "HIDDEN bad."].map(list);
    bad[0]["Publish"] = json!("no");
    let lists = json!({ "published": good, "rejected": bad }).to_string();
    assert_eq!(bench.open(&lists, "").await, "rows");
    // Nothing else is asked before one is named, and then all that it has.
    let other = super::bench().await;
    let text = other.draft(&lists, "").await.text("x");
    assert!(text.ends_with("(rows: 1)\nrows = \"?\"\n"), "{text}");
    let draft = other.draft(&lists, "format: rows = \"rejected\"").await;
    assert_eq!(draft.left, ["Publish"]);
    assert_eq!(bench.sql("select text from review"), "Good.");
    let google = json!({
        "reviews": [google(1, "a", &json!({}))],
        "deletedReviews": [google(1, "b", &json!({})), google(1, "c", &json!({}))],
    });
    let refused = bench.refused(google.to_string(), "").await;
    assert_has(&refused, "has 2 lists of reviews of Google");
}

/// The authors of the published reviews.
const PUBLIC: &str = "select group_concat(author) from review where status = 'published'";

#[tokio::test]
async fn format_that_loses_a_column_of_publication_is_refused() {
    let sheet = "Name,Stars,Date,Review,Consent,Approved,Named,Later\n\
        Ann,5,2026-03-01,Good.,yes,yes,yes,yes\nBo,1,2026-03-02,HIDDEN,no,yes,no,yes\n";
    let format = |blocks: &str| {
        let block = |block: &str| {
            let (part, name) = block.split_once(':').unwrap();
            format!("; [[{part}]]; names = [\"{name}\"]; values = [\"yes\"]")
        };
        let blocks: String = blocks.split(' ').map(block).collect();
        format!("format: ignored = \"*\"{blocks}")
    };
    let bench = bench().await;
    let all = format("public:Approved public:Consent public_name:Named");
    bench.csv(sheet, &all).await;
    // The last two have as many columns, of which one is another.
    let lacking = "public:Approved | public:Approved public:Consent | public:Approved public:Later public_name:Named \
        | public:Approved public:Consent public_name:Later | public_reply:Approved public_name:Consent public_name:Named";
    for blocks in lacking.split(" | ") {
        let refusal = bench.refused(sheet, &format(blocks)).await;
        assert_has(&refusal, "`reviews source format Direct` shows its");
        assert_eq!(bench.sql(PUBLIC), "Ann", "{blocks}");
    }
    // One that the file lacks may be replaced, but not left out.
    let renamed = sheet.replace("Consent", "Agreed");
    let left_out = format("public:Approved public_name:Named");
    assert_has(&bench.refused(&renamed, &left_out).await, "shows its block");
    let replaced = format("public:Approved public:Agreed public_name:Named");
    bench.csv(&renamed, &replaced).await;
    assert_eq!(bench.sql(PUBLIC), "Ann");
}

/// Another column of IDs makes other reviews of the same rows, of which nothing is known to be hidden.
#[tokio::test]
async fn format_that_says_nothing_of_publication_never_replaces_one_that_does() {
    let sheet = "ID,Ticket,Name,Stars,Date,Review,Answer,Decides\n\
        1,T1,Ann,5,2026-03-01,Good.,Thanks.,yes\n2,T2,Bo,1,2026-03-02,HIDDEN,HIDDEN too,no\n";
    let plain = |id: &str| {
        format!("format: ignored = \"*\"; [fields]; id = [\"{id}\"]; reply_text = [\"Answer\"]")
    };
    for part in ["public", "public_reply", "public_name"] {
        let block = format!("; [[{part}]]; names = [\"Decides\"]; values = [\"yes\"]");
        let bench = bench().await;
        bench.csv(sheet, &(plain("ID") + &block)).await;
        let before = bench.sql("select * from review");
        for id in ["ID", "Ticket"] {
            let refusal = bench.refused(sheet, &plain(id)).await;
            assert_has(&refusal, "`reviews source format Direct` shows its block");
            assert_has(&refusal, "--accept-changes");
        }
        assert_eq!(bench.sql("select * from review"), before);
    }
    // Nor a platform's, whose columns need not be named.
    let bench = bench().await;
    let sheet = "id,review_score,date,display_name,title,review_content,published,deleted\n\
        1,5,2026-03-01,Ann,Good,Neat.,true,false\n2,1,2026-03-02,Bo,Bad,HIDDEN,false,false\n";
    bench
        .csv(sheet, "format: like = \"yotpo\"; ignored = \"*\"")
        .await;
    let plain = "--source Yotpo format: ignored = \"*\"; [fields]; author = \"display_name\"; rating = \"review_score\"; text = \"review_content\"";
    assert_has(&bench.refused(sheet, plain).await, "shows its block");
    assert_eq!(bench.sql(PUBLIC), "Ann");
    // By a column that no file of the platform had nothing was decided.
    let bench = bench_in_phoenix().await;
    bench.csv(page(&[google(1, "a", &json!({}))]), "").await;
    let plain = json!([{"reviewId": "b", "stars": 5, "publishedAtDate": "2026-03-01T10:00:00Z", "name": "Bo"}]);
    bench.csv(plain.to_string(), "--format apify").await;
    assert_eq!(bench.sql("select count(*) from review"), "2");
}

/// The rows of a platform's JSON whose member `name` is `of_row`, or as the next of `others`.
fn platform_rows(platform: &str, name: &str, of_row: &Value, others: &[Value]) -> String {
    let values = (0..6).map(|number| others.get(number).unwrap_or(of_row));
    let rows = values.enumerate().map(|(number, value)| {
        let (author, day) = (
            format!("Guest {number}"),
            format!("2026-10-1{number}T18:00:00Z"),
        );
        let text = format!("Came on time for number {number}");
        let mut row = match platform {
            "google" => json!({"name": format!("accounts/1/locations/7/reviews/r{number}"), "reviewId": format!("r{number}"),
                "reviewer": {"displayName": author}, "starRating": "FIVE", "createTime": day, "comment": text}),
            "okendo" => json!({"reviewId": format!("r{number}"), "productId": "p", "rating": 4, "dateCreated": day, "body": text,
                "title": "Good", "reviewer": {"displayName": author}, "status": "approved"}),
            "trustpilot" => json!({"id": format!("r{number}"), "stars": 4, "consumer": {"displayName": author}, "text": text,
                "createdAt": day, "status": "active"}),
            "yotpo_widget" => json!({"id": number, "score": 4, "votes_up": 0, "content": text, "created_at": day,
                "user": {"display_name": author}}),
            _ => json!({"id": number, "score": 4, "content": text, "title": "Good", "created_at": day, "deleted": false,
                "archived": false, "reviewer_type": "verified_buyer", "name": author}),
        };
        row[name] = value.clone();
        row
    });
    match platform {
        "yotpo_widget" => json!({"response": {"reviews": rows.collect::<Value>()}}).to_string(),
        _ => json!({"reviews": rows.collect::<Value>()}).to_string(),
    }
}

#[tokio::test]
async fn nothing_in_place_of_an_object_is_no_column_of_publication_in_it() {
    let nothing = [
        json!(null),
        json!({}),
        json!([]),
        json!(""),
        json!(false),
        json!(0),
    ];
    for (platform, object, text, member, shown) in [
        (
            "google",
            "reviewReply",
            "comment",
            "reviewReplyState",
            json!("APPROVED"),
        ),
        ("okendo", "reply", "body", "isPrivate", json!(false)),
        ("yotpo_api", "comment", "content", "public", json!(true)),
        ("yotpo_widget", "comment", "content", "public", json!(true)),
    ] {
        let options = format!("--format {platform}");
        let without = json!({text: "Thanks."});
        let mut with = without.clone();
        with[member] = shown;
        let file =
            |of_row: &Value, others: &[Value]| platform_rows(platform, object, of_row, others);
        let seen = bench_in_phoenix().await;
        seen.csv(file(&with, &[]), &options).await;
        let replies = "select count(reply_text) from review";
        for nothing in &nothing {
            let lost = file(&without, std::slice::from_ref(nothing));
            let open = seen.open(&lost, &options).await;
            assert_eq!(open, "public_reply.0.missing", "{platform} {nothing}");
            assert_eq!(seen.sql(replies), "6");
            // Nor where no file ever had the column, unless the platform has such files.
            if platform.starts_with("yotpo") {
                let first = bench_in_phoenix().await;
                let open = first.open(&lost, &options).await;
                assert_eq!(open, "public_reply.0.missing", "{platform} {nothing}");
            }
        }
        // A file that has the column in one row has it.
        let nothing = [with.clone(), json!(null)];
        seen.csv(
            file(&without, &nothing),
            &format!("--accept-changes {options}"),
        )
        .await;
        assert_eq!(seen.sql(replies), "1", "{platform}");
    }
}

#[tokio::test]
async fn what_a_member_hid_stays_hidden_once_no_row_has_its_object() {
    let report = |visibility: &str| json!({"reasons": ["x"], "reviewVisibility": visibility});
    let file = |others: &[Value]| platform_rows("trustpilot", "reportData", &json!(null), others);
    for (answer, is_public) in [("public", "5"), ("hidden", "0")] {
        let bench = bench_in_phoenix().await;
        bench
            .csv(file(&[report("hidden"), report("visible")]), "")
            .await;
        let published = "select count(*) from review where status = 'published'";
        assert_eq!(bench.sql(published), "5");
        let draft = bench.draft(file(&[]), "").await;
        assert_eq!(
            Vec::from_iter(draft.format.open.clone()),
            ["public.1.missing"]
        );
        assert_eq!(bench.sql(published), "5");
        let text = draft.text("x").replace("\"?\"", &format!("\"{answer}\""));
        let mut request = request_for([bench.file("t.json", file(&[]))], "--accept-changes");
        request.owner_format = Some(Format::parse(&text).unwrap());
        bench.run(&request).await.0.unwrap();
        assert_eq!(bench.sql(published), is_public);
        let hidden = "select status from review where author = 'Guest 0'";
        assert_eq!(bench.sql(hidden), "withheld");
    }
}

#[tokio::test]
async fn names_stay_hidden_by_a_format_without_a_column_of_names() {
    let sheet =
        "Name,Stars,Date,Review,Named\nAnn,5,2026-03-01,Good.,yes\nBo,1,2026-03-02,Late.,no\n";
    let plain = "format: ignored = \"*\"";
    let block = "[[public_name]]; names = [\"Named\"]; values = [\"yes\"]";
    let bench = bench().await;
    bench.csv(sheet, &format!("{plain}; {block}")).await;
    assert_eq!(bench.sql(PUBLIC), "Anonymous,Ann");
    bench.csv(sheet, &format!("--accept-changes {plain}")).await;
    assert_eq!(bench.sql(PUBLIC), "Anonymous,Ann");
    // It is shown once the column says so.
    let shown = sheet.replace(",no", ",yes");
    bench.csv(shown, &format!("{plain}; {block}")).await;
    assert_eq!(bench.sql(PUBLIC), "Bo,Ann");
}

/// The columns of publication that the platform's format has count too: by them rows are still published when the owner's is lost.
#[tokio::test]
async fn the_owners_column_lost_beside_a_platforms_is_refused() {
    let sheet = "id,nickname,review,rating,date,status,productId,Ours\n\
        1,Ann,Good.,5,2026-03-01,published,1,yes\n2,Bo,HIDDEN,1,2026-03-02,published,1,no\n";
    let gated = "format: like = \"loox\"; [[public]]; names = [\"Ours\"]; values = [\"yes\"]";
    let bench = bench().await;
    bench.csv(sheet, gated).await;
    let plain = "format: like = \"loox\"; ignored = \"Ours\"";
    assert_has(&bench.refused(sheet, plain).await, "shows its block");
    assert_eq!(bench.sql(PUBLIC), "Ann");
    // What is given is kept, also if it adds nothing to the platform's format.
    let sheet = sheet.replace(",Ours", "").replace(",yes", "");
    let sheet = sheet.replace(",no", "");
    let like = "--accept-changes format: like = \"loox\"";
    bench.csv(&sheet, like).await;
    assert_eq!(bench.sql("select format from source"), "like = \"loox\"");
    // A block that the source keeps for the files of another platform's format is not passed over.
    let row = json!([{"reviewId": "a", "stars": 5, "publishedAtDate": "2026-03-01T10:00:00Z", "name": "Ann", "Ours": "no"}]);
    let gated = "format: like = \"apify\"; [[public]]; names = [\"Ours\"]; values = [\"yes\"]";
    let bench = bench_in_phoenix().await;
    bench.csv(row.to_string(), gated).await;
    let other = page(&[google(1, "b", &json!({"Ours": "no"}))]);
    let refusal = bench.refused(&other, "").await;
    assert_has(&refusal, "write it below `like = \"google\"` into a file");
    bench.csv(&other, &gated.replace("apify", "google")).await;
    assert_eq!(bench.sql(PUBLIC), "");
}
