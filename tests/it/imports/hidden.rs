//! Reviews that their source hides are never published: status columns and members of every format.

use reviews_service::imports::undo;

use super::answers::import_into_new;
use super::exported::export;
use super::*;

#[tokio::test]
async fn undo_publishes_no_name_or_answer_that_the_source_hides() {
    let file = |anonymous, is_public| {
        format!(
            "Date,Name,Stars,Comment,Anonymous,Reply,Reply public\n2026-10-03,Ann Bell,5,On time,{anonymous},Thanks Ann,{is_public}\n"
        )
    };
    let shown = "select author, response_text from review";
    for (hidden, row) in [
        (file("Yes", "Yes"), "Anonymous|Thanks Ann"),
        (file("No", "No"), "Ann Bell|"),
    ] {
        let bench = bench().await;
        bench.take(file("No", "Yes")).await;
        bench.take(hidden).await;
        assert_eq!(bench.sql(shown), row);
        let undone = undo(&bench.database, &bench.clock, None, false, false).await;
        let undone = undone.unwrap().remove(0);
        assert_eq!((undone.given_back, undone.left.count), (0, 1));
        assert!(undone.left.to_string().contains("its source hides"));
        assert_eq!(bench.sql(shown), row);
    }
}

#[tokio::test]
async fn columns_keep_their_meaning_in_tables_and_after_deletions() {
    let file = |days: [&str; 2]| {
        let [one, other] = days;
        format!(
            "Date,Name,Stars,Comment,Website\n2026-10-{one},Ann,5,On time {one},Yes\n2026-10-{other},Bo,2,Late {other},No\n"
        )
    };
    let before = bench().await;
    let first = request_for(
        [before.file("t.csv", file(["03", "02"]))],
        "--map status=Website",
    );
    before.run(&first).await.0.unwrap();
    let bench = bench().await;
    bench.take(export(&before.database, true).await).await;
    for days in [["05", "04"], ["07", "06"]] {
        let (report, _) = bench.take(file(days)).await;
        assert_eq!(report.withheld["not published at the source"], 1);
        bench.sql("delete from review");
    }
}

#[tokio::test]
async fn a_mapped_column_must_be_in_one_of_several_files() {
    let bench = bench().await;
    let files = [
        bench.file("jan.csv", sheet_with("Website", "No", "Yes")),
        bench.file("feb.csv", "Date,Name,Stars,Comment\n2026-02-03,Bo,5,Tidy\n"),
    ];
    let request = request_for(files.clone(), "--map status=Homepage");
    let error = bench.refuse(&request).await;
    assert_has(&error, "no file has a column Homepage, which --map names");
    let request = request_for(files, "--map status=Website");
    let report = bench.run(&request).await.0.unwrap();
    let withheld = report.withheld["not published at the source"];
    assert_eq!((report.new, withheld), (3, 1));
}

const WOOCOMMERCE: &str = "--map id=comment_ID --map author=comment_author --map date=comment_date --map text=comment_content";

fn fixture(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/hidden");
    fs::read(folder.join(name)).unwrap()
}

/// Author and status of each review; the reason instead of the status if it is withheld.
fn shown(bench: &Bench) -> String {
    bench.sql("select author, iif(status = 'published', 'published', withheld_reason) from review order by reviewed_on, author",
    )
}

#[tokio::test]
async fn table_rows_marked_unpublished_or_spam_are_withheld() {
    let bench = bench().await;
    bench.set_time_zone("UTC").await;
    let shopify = bench.file("shopify.csv", fixture("shopify.csv"));
    let woocommerce = bench.file("woocommerce.csv", fixture("woocommerce.csv"));
    let (report, rejections) = bench.import(&[&shopify]).await;
    assert_eq!((counts(&report), rejections.len()), ((3, 0, 0, 0), 0));
    assert_eq!(report.withheld["not published at the source"], 2);
    let (report, _) = bench.run(&request_for([woocommerce], WOOCOMMERCE)).await;
    assert_eq!(counts(&report.unwrap()), (4, 0, 0, 0));
    let hidden = "not published at the source";
    let expected = [
        "Nadia Ferro|published".to_owned(),
        format!("Colin Abbot|{hidden}"),
        format!("Watch Seller|{hidden}"),
        "Irma Solis|published".to_owned(),
        format!("Pill Shop|{hidden}"),
        format!("Dieter Holm|{hidden}"),
        format!("Rosa Quint|{hidden}"),
    ];
    assert_eq!(shown(&bench), expected.join("\n"));
}

#[tokio::test]
async fn an_unknown_status_rejects_the_row_and_names_the_column() {
    let bench = bench().await;
    let csv =
        "name,rating,date,text,State\nAnn,5,2026-10-30,Fine,AZ\nBo,4,2026-10-29,Good,Published\n";
    let file = bench.file("t.csv", csv);
    let (report, watch) = bench.watch(&request_for([file.clone()], "")).await;
    assert_eq!(counts(&report.unwrap()), (1, 0, 0, 1));
    assert!(
        watch.tables[0]
            .used
            .contains(&("status", vec!["State".to_owned()])),
        "{:?}",
        watch.tables
    );
    let error = &watch.rejections[0].error;
    assert!(
        error.starts_with("State: \"AZ\" does not say whether the review is public")
            && error.ends_with("--map status="),
        "{error}"
    );
    // The message advises `--map status=`.
    let (report, _) = bench.run(&request_for([file], "--map status=")).await;
    assert_eq!(counts(&report.unwrap()), (1, 0, 1, 0));
}

#[tokio::test]
async fn publication_needs_all_status_columns_unless_one_is_mapped() {
    let bench = bench().await;
    let csv = "name,rating,date,text,status,hidden,Freigabe\n\
        Ann,5,2026-10-30,Fine,active,no,approved\n\
        Bo,4,2026-10-29,Good,active,yes,approved\n\
        Cy,3,2026-10-28,Fair,Pending review,no,rejected\n\
        Di,2,2026-10-27,Poor,active,,approved\n";
    let file = bench.file("t.csv", csv);
    bench.import(&[&file]).await;
    let hidden = "not published at the source";
    let expected = format!("Di|published\nCy|{hidden}\nBo|{hidden}\nAnn|published");
    assert_eq!(shown(&bench), expected);
    let (report, _) = bench
        .run(&request_for([file], "--map status=Freigabe"))
        .await;
    assert_eq!(counts(&report.unwrap()).1, 1);
    let expected = format!("Di|published\nCy|{hidden}\nBo|published\nAnn|published");
    assert_eq!(shown(&bench), expected);
}

#[tokio::test]
async fn json_members_hide_a_review_in_every_format() {
    let bench = bench().await;
    bench.set_time_zone("UTC").await;
    let hidden = Status::Withheld {
        reason: Some("not published at the source".to_owned()),
    };
    for (member, value) in [
        ("hidden", json!(true)),
        ("approved", json!(0)),
        ("state", json!("unpublished")),
        ("comment_approved", json!("spam")),
    ] {
        let id = format!("own-{member}");
        let (_, rejections) = bench
            .take(lines(&[native(&json!({"id": id, member: value}))]))
            .await;
        assert_eq!(rejections, []);
        assert_eq!(bench.find(&id).await.unwrap().status, hidden, "{member}");
    }
    let trustpilot = json!([{"id": "t", "stars": 1, "text": "Gone", "createdAt": "2026-10-15T07:00:00Z", "status": "archived",
        "consumer": {"id": "c", "displayName": "Elke Sand"}}]);
    let linked = json!({"@context": "https://schema.org", "@type": "Review", "@id": "s", "reviewRating": {"ratingValue": 5},
        "datePublished": "2026-10-01", "reviewBody": "Fine", "creativeWorkStatus": "Draft"});
    for (content, id) in [
        (trustpilot.to_string(), "trustpilot-t"),
        (
            page(&[google(1, "g", &json!({"visibility": "HIDDEN"}))]),
            "77.g",
        ),
        (page(&[google(1, "h", &json!({"status": "spam"}))]), "77.h"),
        (page(&[google(1, "i", &json!({"deleted": true}))]), "77.i"),
        (linked.to_string(), "schema-s"),
    ] {
        let (report, rejections) = bench.take(&content).await;
        assert_eq!(
            (counts(&report), rejections),
            ((1, 0, 0, 0), Vec::new()),
            "{id}"
        );
        assert_eq!(bench.find(id).await.unwrap().status, hidden, "{id}");
    }
    // Another instance's document and our own exports have no such members.
    let document = json!({"business": {"id": "x", "name": "X"}, "reviews": [native(&json!({"id": "d", "visible": false}))]});
    let (report, rejections) = bench.take(document.to_string()).await;
    assert_eq!(counts(&report), (0, 0, 0, 1));
    assert!(
        rejections[0]
            .error
            .contains("visible: is no member of this format"),
        "{}",
        rejections[0]
    );
    let (_, rejections) = bench
        .take(lines(&[native(
            &json!({"id": "u", "visibility": "sometimes"}),
        )]))
        .await;
    assert_has(&rejections[0].error, "--map status=");
    let file = bench.file(
        "u",
        lines(&[native(&json!({"id": "u", "visibility": "sometimes"}))]),
    );
    let (report, _) = bench.run(&request_for([file], "--map status=")).await;
    assert_eq!(counts(&report.unwrap()), (1, 0, 0, 0));
    assert_eq!(bench.find("u").await.unwrap().status, Status::Published);
}

async fn import_again(bench: &Bench) {
    bench.set_time_zone("UTC").await;
    let shopify = bench.file("shopify.csv", fixture("shopify.csv"));
    let woocommerce = bench.file("woocommerce.csv", fixture("woocommerce.csv"));
    bench.done(shopify, "").await;
    bench.done(woocommerce, WOOCOMMERCE).await;
}

#[tokio::test]
async fn hidden_reviews_published_by_the_owner_stay_public() {
    let bench = bench().await;
    import_again(&bench).await;
    let hidden = "select review_id from review where author in ('Dieter Holm', 'Rosa Quint')";
    for id in bench.sql(hidden).lines() {
        let publish = std::process::Command::new(env!("CARGO_BIN_EXE_reviews"))
            .args(["publish", id])
            .env(
                "DATABASE_URL",
                format!("sqlite://{}", bench.database.path().display()),
            )
            .output()
            .unwrap();
        assert!(publish.status.success(), "{publish:?}");
    }
    import_again(&bench).await;
    import_again(&bench).await;
    let published = "select author from review where status = 'published' order by author";
    assert_eq!(
        bench.sql(published),
        "Dieter Holm\nIrma Solis\nNadia Ferro\nRosa Quint"
    );
}

#[tokio::test]
async fn a_nested_status_member_hides_a_review() {
    let bench = bench().await;
    bench.set_time_zone("UTC").await;
    let podium = |uid: &str, more: &Value| {
        let mut row = json!({"uid": uid, "createdAt": "2026-10-02T10:00:00Z", "author": {"name": "Jo D.", "status": "gone"},
            "review": {"rating": 1, "body": "Late.", "siteName": "Google"}});
        row["review"]
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        row
    };
    let rows = json!([
        podium("a", &json!({"hidden": true})),
        podium("b", &json!({"status": "removed", "hidden": false})),
        podium("c", &json!({"status": "published"})),
        podium("d", &json!({"status": "sleeping"})),
    ]);
    let (report, rejections) = bench.take(rows.to_string()).await;
    assert_eq!(counts(&report), (3, 0, 0, 1));
    assert_eq!(report.withheld["not published at the source"], 2);
    assert_eq!(
        bench.find("podium-c").await.unwrap().status,
        Status::Published
    );
    let error = &rejections[0].error;
    assert!(
        error.starts_with("review.status: \"sleeping\" does not say"),
        "{error}"
    );
    // The corrected row is still hidden.
    let mut row = rejections[0].row.clone();
    assert_eq!(row["review.status"], "sleeping", "{row}");
    row["review.status"] = json!("pending");
    let (report, rejections) = bench.take(json!([row]).to_string()).await;
    assert_eq!((counts(&report), rejections), ((1, 0, 0, 0), Vec::new()));
    assert_eq!(report.withheld["not published at the source"], 1);
    // In JSON of an unknown format, next to the members that --map names.
    let rows = json!([{"id": "e", "date": "2026-10-02", "author": "Al",
        "service": {"rating": 1, "review": "Bad.", "moderation_status": "pending"}}]);
    let maps = "--format table --map rating=service.rating --map text=service.review";
    bench
        .done(bench.file("t.json", rows.to_string()), maps)
        .await;
    assert_ne!(bench.find("e").await.unwrap().status, Status::Published);
}

#[tokio::test]
async fn an_empty_status_cell_hides_and_a_deleted_column_does_not() {
    for [header, row] in table(
        "
            comment_ID,comment_author,comment_date,comment_content,rating,comment_approved → 1,Ann,2026-10-02,Fine,5,
            reviewer_name,review_date,product_handle,rating,body,curated → Ann,2026-10-02,p,5,Fine,
            review_id,review_content,review_score,display_name,date,published → 1,Fine,5,Ann,2026-10-02,
            review_id,review_content,review_score,display_name,date,deleted → 1,Fine,5,Ann,2026-10-02,
        ",
    ) {
        let bench = bench().await;
        let (report, _) = bench.take(format!("{header}\n{row}\n")).await;
        assert_eq!(counts(&report), (1, 0, 0, 0), "{header}");
        let status = "select status from review";
        let expected = if header.ends_with("deleted") {
            "published"
        } else {
            "withheld"
        };
        assert_eq!(bench.sql(status), expected, "{header}");
    }
}

#[tokio::test]
async fn phrases_hide_reviews_in_csv_json_and_workbooks() {
    // The last value is that of a column about the work, which hides nothing.
    for (name, value, status, answers) in [
        ("Removed by author", "yes", "withheld", 1),
        ("Visible to customers", "no", "withheld", 1),
        ("Consent to publish online", "no", "withheld", 1),
        ("Listed", "no", "withheld", 1),
        ("Reply sent", "no", "published", 0),
        ("Reply type", "private", "published", 0),
        ("Was the trash removed?", "yes", "published", 1),
        ("Feedback status", "closed", "published", 1),
        ("Posted", "2026-10-02", "published", 1),
        ("Accepted", "no", "published", 1),
    ] {
        let header = ["id", "rating", "date", "author", "text", "reply", name];
        let row = ["a1", "5", "2026-10-01", "Ann", "Nice fan", "Thanks", value];
        let members = header.into_iter().zip(row.map(Value::from));
        let object: serde_json::Map<String, Value> = members
            .map(|(name, value)| (name.to_owned(), value))
            .collect();
        for (file, content) in [
            (
                "t.csv",
                format!("{}\n{}\n", header.join(","), row.join(",")).into_bytes(),
            ),
            ("t.json", json!([object]).to_string().into_bytes()),
            ("t.xlsx", tables::workbook(&[&header, &row])),
        ] {
            let bench = bench().await;
            let (report, rejections) = bench.import(&[&bench.file(file, content)]).await;
            assert_eq!(rejections, [], "{name} in {file}");
            assert_eq!(counts(&report).0, 1, "{name} in {file}");
            let found = "select status, count(response_text) from review";
            let found = bench.sql(found);
            assert_eq!(found, format!("{status}|{answers}"), "{name} in {file}");
        }
    }
}

#[tokio::test]
async fn a_private_type_hides_a_review_and_another_type_does_not() {
    for (kind, status) in [("private", "withheld"), ("GOOGLE", "published")] {
        let bench = bench().await;
        bench.set_time_zone("UTC").await;
        let own = native(&json!({"id": "own", "type": kind}));
        let stamped = json!({"results": [{"review": {"id": 1, "author": "Ann", "reviewRating": 5, "reviewMessage": "Nice",
            "dateCreated": "2026-10-04T15:10:40Z", "reviewState": 2, "reviewReply": "Thanks", "type": kind}}]});
        bench.take(lines(&[own])).await;
        bench
            .take(page(&[google(1, "g", &json!({"type": kind}))]))
            .await;
        bench.take(stamped.to_string()).await;
        let all = bench.sql("select status from review");
        assert_eq!(all, [status; 3].join("\n"), "{kind}");
    }
}

#[tokio::test]
async fn a_sentence_in_a_yes_no_column_publishes_no_other_row() {
    let head = "id,author,rating,date,text,reply,May we publish your review?,Reply status\n";
    for (word, third, rejected) in [
        // The customer does not want the name to be public.
        (
            "\"Yes, but anonymously\"",
            "\nAnonymous|published|Ty",
            false,
        ),
        (
            "\"No, this was meant for the office only\"",
            "\nCy|withheld|Ty",
            false,
        ),
        ("Ask my wife about it", "", true),
    ] {
        let bench = bench().await;
        let rows = format!(
            "1a,Ann,5,2026-10-01,Fine,Ty,No,draft\n2b,Bo,4,2026-10-02,Good,Ty,Yes,\"rejected, wrong tone of voice\"\n\
             3c,Cy,3,2026-10-03,Fair,Ty,{word},sent\n"
        );
        let (report, rejections) = bench.take(format!("{head}{rows}")).await;
        assert_eq!(report.rejected, u64::from(rejected), "{rejections:?}");
        let found =
            "select author, status, ifnull(response_text, '-') from review order by reviewed_on";
        let expected = format!("Ann|withheld|-\nBo|published|-{third}");
        assert_eq!(bench.sql(found), expected);
    }
}

#[tokio::test]
async fn a_question_for_consent_is_not_the_text_and_hides() {
    let questions = "May we publish your feedback?; Can we use your review on our website?; Do you agree that we publish your comments?; \
        Acceptez-vous que votre avis soit publié ?; ¿Podemos publicar su opinión?; Possiamo usare il suo commento?; \
        Mogen we uw review gebruiken?; Kommentar veröffentlichen?; Publish comment?";
    let file = |columns: &str, ann: &str, bob: &str| {
        format!("Timestamp,Name,Rating,{columns}\n2026-03-14,Ann,5,{ann}\n2026-03-16,Bob,3,{bob}\n")
    };
    for question in questions.split("; ") {
        let bench = bench().await;
        let message = bench.refusal(file(question, "Yes", "No")).await;
        assert_has(&message, "recognised as the text");
        let liked = file(
            &format!("What did you like most?,{question}"),
            "They were on time and neat,Yes",
            "The price was a bit high,No",
        );
        let message = bench.refusal(liked.as_str()).await;
        assert_has(&message, "--map text=\"What did you like most?\"");
        bench
            .csv(liked, "--map 'text=What did you like most?'")
            .await;
        let expected = "Ann|published\nBob|not published at the source";
        assert_eq!(shown(&bench), expected, "{question}");
    }
    // Other questions are no texts either, and hide nothing.
    for question in [
        "Would you post a review on Google?",
        "May we contact you about your review?",
    ] {
        let bench = bench().await;
        let message = bench.refusal(file(question, "Yes", "No")).await;
        assert_has(&message, "recognised as the text");
        bench
            .take(file(&format!("Comment,{question}"), "Fine,Yes", "Good,No"))
            .await;
        assert_eq!(shown(&bench), "Ann|published\nBob|published", "{question}");
    }
}

#[tokio::test]
async fn a_place_in_the_column_state_hides_and_rejects_nothing() {
    let bench = bench().await;
    let sheet = "Date,Name,City,State,Stars,Comment,OK to publish?\n2026-03-14,Ann,Mesa,AZ,5,Clean work,Yes\n\
        2026-03-16,Bob,Tulsa,OK,4,Good but late,No\n";
    let (report, rejections) = bench.take(sheet).await;
    assert_eq!((counts(&report), rejections), ((2, 0, 0, 0), Vec::new()));
    assert_eq!(
        shown(&bench),
        "Ann|published\nBob|not published at the source"
    );
    for place in [json!({"state": "AZ"}), json!({"status": 200})] {
        let bench = super::bench().await;
        let mut row =
            json!({"date": "2026-03-14", "author": "Ann", "rating": 5, "comment": "Fine"});
        row.as_object_mut()
            .unwrap()
            .extend(place.as_object().unwrap().clone());
        let file = bench.file("t.json", json!([row]).to_string());
        let report = bench.done(file, "--format table").await;
        assert_eq!(counts(&report), (1, 0, 0, 0), "{place}");
    }
}

#[tokio::test]
async fn advice_about_a_column_keeps_the_other_columns() {
    let bench = bench().await;
    let sheet = "Date,Name,Stars,Comment,Status,OK to publish?,Hidden\n2026-03-14,Ann,5,Clean,Published,Yes,no\n\
        2026-03-16,Bob,4,Good,Replied to,No,no\n2026-03-17,Cy,4,Fine,Replied to,Yes,yes\n2026-03-18,Di,4,Fast,Replied to,Yes,no\n";
    let (_, rejections) = bench.take(sheet).await;
    let advice = "ignore that column with --map status=\"OK to publish?\" --map status=\"Hidden\" (--map status= would ignore \
        the others, too)";
    assert_has(&rejections[0].error, advice);
    let maps = "--map 'status=OK to publish?' --map status=Hidden";
    bench.csv(sheet, maps).await;
    let hidden = "not published at the source";
    assert_eq!(
        shown(&bench),
        format!("Ann|published\nBob|{hidden}\nCy|{hidden}\nDi|published")
    );
    // Fields that do not add up have one column.
    let twice = "--map author=Name --map author=Status";
    let refusal = bench
        .refuse(&request_for([bench.file("t.csv", sheet)], twice))
        .await;
    assert_has(&refusal, "--map names 2 columns for author");
}

#[tokio::test]
async fn a_member_for_yes_that_is_null_or_absent_hides() {
    for (member, public) in [
        ("isApproved", json!(true)),
        ("Publish", json!(true)),
        ("publishedAt", json!("2026-03-15")),
    ] {
        let mut rows = ["Ann", "Bob", "Cy"].map(
            |name| json!({"date": "2026-03-14", "author": name, "rating": 5, "comment": "Fine"}),
        );
        rows[0][member] = public;
        rows[1][member] = Value::Null;
        let (bench, ..) = import_into_new(json!(rows).to_string(), "--format table").await;
        let hidden = "not published at the source";
        assert_eq!(
            shown(&bench),
            format!("Ann|published\nBob|{hidden}\nCy|{hidden}"),
            "{member}"
        );
    }
}

#[tokio::test]
async fn an_author_with_a_private_name_is_anonymous_or_short() {
    for [header, hides, shows, author] in table(
        "
            Anonymous → Yes → No → Anonymous
            Publish anonymously? → Yes → - → Anonymous
            Hide name → x → - → Anonymous
            May we use your name? → No → Yes → Anonymous
            Show my name → - → Yes → Anonymous
            May we publish your review? → \"Yes, but anonymously\" → Yes → Anonymous
            May we publish your review? → Yes - without my name → Yes → Anonymous
            Anonym → ja → nein → Anonymous
            Show as → Anonymous → Full name → Anonymous
            Reviewer: Is Anonymous → true → false → Anonymous
            First name only → Yes → No → Ann B.
            Use initials only → x → - → Ann B.
            Show name as → Initials → Full name → Ann B.
            Publish as → First name → Full name → Ann B.
            May we publish your review? → \"Yes, first name only\" → Yes → Ann B.
        ",
    ) {
        let bench = bench().await;
        bench.take(sheet_with(header, hides, shows)).await;
        let expected = format!("{author}|published\nBob Cole|published");
        assert_eq!(shown(&bench), expected, "{header}: {hides}");
    }
    let row = |name: &str, is_anonymous: bool| {
        let reviewer = json!({"name": name, "isAnonymous": is_anonymous});
        json!({"reviewer": reviewer, "stars": 5, "date": "2026-03-14", "text": "Fine"})
    };
    let rows = json!([row("Ann Bell", true), row("Bob Cole", false)]);
    let (bench, ..) = import_into_new(rows.to_string(), "--format table").await;
    assert_eq!(shown(&bench), "Anonymous|published\nBob Cole|published");
}

#[tokio::test]
async fn an_unknown_answer_to_a_question_for_publication_is_rejected() {
    for [yes, no] in table(
        "
            With my name → Not at all
            Absolutely → Rather not
            You may → You may not do that
        ",
    ) {
        let bench = bench().await;
        let content = sheet_with("4. May we publish your review?", yes, no);
        let (_, rejections) = bench.take(content).await;
        assert!(!shown(&bench).contains("Bob Cole|published"), "{no}");
        assert!(!rejections.is_empty(), "{no}");
    }
}

#[tokio::test]
async fn an_unclear_question_is_refused_until_the_owner_says_which() {
    let header = "May we publish your review (your last name will not be shown)?";
    let sheet = sheet_with(header, "Yes", "No");
    let message = bench().await.refusal(sheet.as_str()).await;
    let hidden = "not published at the source";
    for (option, ann, bob) in [
        ("status=".to_owned(), "published", "published"),
        (format!("status={header}"), "published", hidden),
        (format!("hidden={header}"), hidden, "published"),
    ] {
        let advice = option.replace(header, &format!("\"{header}\""));
        assert_has(&message, &format!("--map {advice}"));
        let bench = bench().await;
        bench.csv(&sheet, &format!("--map '{option}'")).await;
        let expected = format!("Ann Bell|{ann}\nBob Cole|{bob}");
        assert_eq!(shown(&bench), expected, "{option}");
        // The next file of the source is read in the same way.
        let report = bench.csv(&sheet, "").await;
        assert_eq!(counts(&report), (0, 0, 2, 0), "{option}");
    }
}

#[tokio::test]
async fn a_column_of_visibility_stays_one_in_later_files() {
    let hidden = "not published at the source";
    for [header, option, ann, bob, then, expected] in table(
        "
            Website? → --map 'status=Website?' → Yes → No → No → not published at the source
            Stage → --source Direct → Published → Draft → Draft → not published at the source
            Stage → --source Direct → Published → Draft → Published → published
            Website OK → --source Direct → x → EMPTY → EMPTY → not published at the source
        ",
    ) {
        let [bob, then] = [bob, then].map(|cell| cell.replace("EMPTY", ""));
        let bench = bench().await;
        bench.csv(sheet_with(header, ann, &bob), option).await;
        let head = format!("Date,Name,Stars,Comment,{header}\n");
        bench
            .take(format!("{head}2026-04-14,Cy,5,Neat,{then}\n"))
            .await;
        let shown = shown(&bench);
        let all = format!("Ann Bell|published\nBob Cole|{hidden}\nCy|{expected}");
        assert_eq!(shown, all, "{header}: {then}");
        if header == "Stage" {
            // No cell is a known word any more.
            let rows = "2026-05-14,Di,5,Neat,Legal check\n2026-05-15,Ed,5,Quick,Legal check\n";
            let (report, _) = bench.take(format!("{head}{rows}")).await;
            assert_eq!(counts(&report), (0, 0, 0, 2));
        }
    }
}

#[tokio::test]
async fn undo_gives_a_column_the_meaning_that_it_had_before() {
    let bench = bench().await;
    let sheet = sheet_with("Website?", "Yes", "No");
    bench.csv(&sheet, "--map 'status=Website?'").await;
    bench.csv(&sheet, "--map status=").await;
    assert_eq!(shown(&bench), "Ann Bell|published\nBob Cole|published");
    undo(&bench.database, &bench.clock, None, false, false)
        .await
        .unwrap();
    bench
        .take("Date,Name,Stars,Comment,Website?\n2026-04-14,Cy,2,Late,No\n")
        .await;
    let hidden = "not published at the source";
    assert_eq!(
        shown(&bench),
        format!("Ann Bell|published\nBob Cole|{hidden}\nCy|{hidden}")
    );
}

#[tokio::test]
async fn a_state_beside_a_reply_is_that_of_the_review() {
    for [reply, state, public, hidden] in table(
        "
            Review Reply → Review Status → Published → Rejected
            review_reply → review_status → Published → Rejected
            reviewReply → reviewState → Published → Rejected
            Review Reply → Review Visible → yes → no
        ",
    ) {
        let bench = bench().await;
        let rows =
            format!("2026-03-14,Ann,5,Nice,Thanks,{public}\n2026-03-16,Bob,1,Bad,,{hidden}\n");
        bench
            .take(format!("Date,Name,Rating,Review,{reply},{state}\n{rows}"))
            .await;
        let expected = "Ann|published\nBob|not published at the source";
        assert_eq!(shown(&bench), expected, "{state}");
    }
}

#[tokio::test]
async fn ignoring_a_column_publishes_the_reviews_that_it_hid() {
    for (header, hides, option) in [
        ("Private", "yes", "status="),
        ("Confidentiel", "oui", "status="),
        ("Publish", "", "status="),
        ("Verified", "no", "verified="),
    ] {
        let bench = bench().await;
        let sheet = sheet_with(header, hides, hides);
        bench.csv(&sheet, "").await;
        let published = "select count(*) from review where status = 'published'";
        assert_eq!(bench.sql(published), "0", "{header}");
        // What the owner decided stays.
        bench.sql("update review set withheld_reason = 'private person' where author = 'Bob Cole'");
        bench.csv(sheet, &format!("--map '{option}'")).await;
        let expected = "Ann Bell|published\nBob Cole|private person";
        assert_eq!(shown(&bench), expected, "{header}");
    }
}

#[tokio::test]
async fn an_author_who_hides_the_name_later_keeps_one_review() {
    let bench = bench().await;
    for (hides, author) in [("No", "Ann Bell"), ("Yes", "Anonymous"), ("No", "Ann Bell")] {
        bench.take(sheet_with("Anonymous", hides, "No")).await;
        let expected = format!("{author}|published\nBob Cole|published");
        assert_eq!(shown(&bench), expected);
    }
}

#[tokio::test]
async fn words_for_the_state_of_an_answer_are_read() {
    for (header, public, hidden) in [
        ("Reply status", "Replied", "Not replied"),
        ("Reply approved by", "Jo Poe", ""),
    ] {
        let bench = bench().await;
        let (report, _) = bench
            .take(format!(
                "Review date,Reviewer,Star rating,Review,Reply,{header}\n2026-03-14,Ann,5,Fine,Thanks,{public}\n\
                 2026-03-15,Bob,4,Good,Hi,{hidden}\n2026-03-16,Cy,4,Good,,{hidden}\n"
            ))
            .await;
        assert_eq!(counts(&report), (3, 0, 0, 0));
        let select = "select author, ifnull(response_text, '-') from review order by author";
        assert_eq!(bench.sql(select), "Ann|Thanks\nBob|-\nCy|-", "{header}");
    }
}

#[tokio::test]
async fn the_preview_names_unused_answers_and_empty_columns() {
    let bench = bench().await;
    let file = bench.file(
        "t.csv",
        "Date,Name,Stars,Comment,Would you recommend us?,Publish\n2026-03-14,Ann,5,Fine,Yes,\n2026-03-15,Bob,5,Fine,No,\n",
    );
    let (_, watch) = bench.watch(&request_for([file], "")).await;
    assert_eq!(
        watch.tables[0].notes,
        [
            "not used: Would you recommend us? (No 1, Yes 1); if yes in a COLUMN means that the review may be published, pass \
             --map status=\"Publish\" --map status=COLUMN; if it means that it may not, --map status=\"Publish\" --map hidden=COLUMN",
            "Publish is empty in all rows, so every review is withheld; pass --map status= if it means nothing",
        ]
    );
}

#[tokio::test]
async fn a_file_is_read_like_the_one_before_with_the_columns_of_map() {
    let head = "Date,Name,Stars,Comment,Approved,Website\n";
    let bench = bench().await;
    let one = format!("{head}2026-03-14,Ann,5,Fine,Yes,Yes\n2026-03-16,Bob,4,Good,No,Yes\n");
    let file = bench.file("one.csv", one);
    bench.done(file.clone(), "--map status=Website").await;
    let (report, _) = bench.run(&request_for([file], "")).await;
    assert_eq!(counts(&report.unwrap()), (0, 0, 2, 0));
    bench
        .take(format!("{head}2026-04-14,Cy,5,Neat,Yes,No\n"))
        .await;
    assert_eq!(
        shown(&bench),
        "Ann|published\nBob|published\nCy|not published at the source"
    );
}

#[tokio::test]
async fn a_mapped_box_with_the_words_of_its_question_is_ticked() {
    let header = "I agree to have my review displayed on the website";
    let bench = bench().await;
    let sheet = sheet_with(header, header, "");
    bench.csv(sheet, &format!("--map 'status={header}'")).await;
    assert_eq!(
        shown(&bench),
        "Ann Bell|published\nBob Cole|not published at the source"
    );
}

#[tokio::test]
async fn a_question_about_the_review_in_other_words_is_refused() {
    for [header, yes, no] in table(
        "
            Acceptez-vous que nous publiions votre avis ? → Oui → Non
            Souhaitez-vous que votre avis apparaisse sur notre site ? → Oui → Non
            Darf Ihr Feedback auf unserer Seite stehen? → Ja → Nein
            Darf ich das auf meine Homepage setzen? → Ja → Nein
        ",
    ) {
        let message = bench().await.refusal(sheet_with(header, yes, no)).await;
        assert_has(&message, "is about what may be published");
    }
}

#[tokio::test]
async fn a_named_text_with_short_words_is_no_state() {
    for header in [
        "Testimonial",
        "Public review",
        "Website review",
        "Comment to publish",
    ] {
        let rows = "Ann,They fixed it.,2026-03-14,5\nBob,Late twice and dusty.,2026-03-16,2\n";
        let sheet = format!("Name,{header},Date,Stars\n{rows}");
        let texts = found(sheet, "", "select text from review order by reviewed_on").await;
        assert_eq!(texts, "They fixed it.\nLate twice and dusty.", "{header}");
    }
    // Private words are neither a text nor a state.
    let bench = bench().await;
    bench
        .take(sheet_with("Internal comment", "owes", "code 4711"))
        .await;
    assert_eq!(shown(&bench), "Ann Bell|published\nBob Cole|published");
}

#[tokio::test]
async fn words_of_work_beside_a_state_reject_no_row() {
    let bench = bench().await;
    let (report, _) = bench
        .take(
            "Date,Name,Stars,Comment,Status\n2026-03-14,Ann,5,Fine,New\n2026-03-16,Bob,4,Good,Hidden\n\
             2026-03-17,Cy,4,Fair,Replied\n2026-03-18,Di,4,Fast,Closed\n",
        )
        .await;
    assert_eq!(counts(&report), (4, 0, 0, 0));
    assert_eq!(
        shown(&bench),
        "Ann|published\nBob|not published at the source\nCy|published\nDi|published"
    );
}

#[tokio::test]
async fn one_of_two_cells_of_a_column_hides_the_review() {
    for [header, shows, hides] in table(
        r"
        approved → yes → EMPTY
        approved_at → 2026-03-20 10:00:00 → NULL
        Published on → 2026-03-20 → \N
        consent_date → 2026-03-20 → 0000-00-00
        deleted_at → 0000-00-00 00:00:00 → 2026-03-20 10:00:00
        Notes → EMPTY → Do not publish
        Notes → likes dogs → Not for publication
        Remarks → EMPTY → Do not publish
        Rejection reason → EMPTY → Do not publish
        Testimonial? → Yes please → No thanks
        ",
    ) {
        let bench = bench().await;
        let [shows, hides] = [shows, hides].map(|cell| cell.replace("EMPTY", ""));
        bench
            .take(format!(
                "Date,Name,Stars,Comment,{header}\n2026-03-14,Ann,5,They were neat,{shows}\n2026-03-16,Bob,2,Late again,{hides}\n"
            ))
            .await;
        let expected = "Ann|published\nBob|not published at the source";
        assert_eq!(shown(&bench), expected, "{header}");
        let texts = bench.sql("select text from review order by reviewed_on");
        assert_eq!(texts, "They were neat\nLate again", "{header}");
    }
}
