//! What must not become public, whatever words a file has for it: hidden reviews and answers, private columns, addresses, and
//! copies of reviews that the owner hid.

use super::answers::import_into_new;
use super::*;

/// Authors, status and answers.
fn shown(bench: &Bench) -> String {
    let select = "select author, status, ifnull(response_text, '-') from review order by author";
    bench.sql(select)
}

#[tokio::test]
async fn a_column_about_the_work_or_a_time_hides_no_review() {
    let columns = "Published by=Bo; Published on=2026-03-02; Publié le=2026-03-02; Approved at=2026-03-02; Removed on=2026-03-02; \
        display_name=Ann; Do you use our website?=no; Website use=no; Do you share the site?=no; Can we use your website?=no; \
        Site use=home; Trash removed=yes; Was the trash removed from the site?=yes; Private site=yes; Is it a private site?=yes; \
        Public site=no; Website active=no; Active on the web=no; Feedback status=closed; Feedback state=AZ; Site status=open; \
        State of the site=clean; Page status=200; Live in=Phoenix; Web display=LCD; Publication=Arizona Daily; Accepted=no; \
        Flagged for review=yes";
    for (header, cell) in columns.split("; ").filter_map(|it| it.split_once('=')) {
        let bench = bench().await;
        let file =
            format!("id,rating,date,author,text,{header}\na,5,2026-03-01,Ann,Fine.,{cell}\n");
        bench.take(file).await;
        assert_eq!(shown(&bench), "Ann|published|-", "{header}");
    }
}

#[tokio::test]
async fn a_private_answer_in_a_list_or_object_is_not_published() {
    let reviews_io = json!({"reviews": [{"store_review_id": 1, "rating": 5, "comments": "Nice.", "date_created": "2026-03-04 16:00:00",
        "reviewer": {"first_name": "Ann", "last_name": "B."},
        "replies": [{"comments": "PRIVATE", "private": 1, "date_created": "2026-03-05 16:00:00"}]}]});
    let row = json!({"rating": 5, "date": "2026-03-04", "author": "Ann B.", "text": "Nice."});
    let with = |name: &str, answer: Value| {
        let mut row = row.clone();
        row[name] = answer;
        json!([row])
    };
    let internal = json!({"text": "PRIVATE", "is_internal": true});
    for (content, request) in [
        (reviews_io, ""),
        (with("reply", internal.clone()), "--format table"),
        (with("replies", json!([internal])), "--format table"),
    ] {
        let (bench, ..) = import_into_new(content.to_string(), request).await;
        assert_eq!(shown(&bench), "Ann B.|published|-", "{content}");
    }
}

#[tokio::test]
async fn an_answer_that_woocommerce_lost_or_hid_is_taken_back() {
    let bench = bench().await;
    let header = "comment_ID,comment_post_ID,comment_author,comment_date,comment_content,comment_approved,comment_parent,user_id,rating";
    let review = "1,9,Ann,2026-03-01 10:00:00,Nice,1,0,0,5";
    let answer = |state: &str| format!("3,9,Shop,2026-03-02 10:00:00,Thanks,{state},1,1,");
    for (answer, expected) in [
        (answer("1"), "Thanks"),
        (answer("trash"), "-"),
        (answer("1"), "Thanks"),
        (String::new(), "-"),
    ] {
        bench.take(format!("{header}\n{review}\n{answer}\n")).await;
        assert_eq!(shown(&bench), format!("Ann|published|{expected}"));
    }
}

#[tokio::test]
async fn a_column_that_is_not_for_the_public_is_no_text() {
    let headers = "Customer comment private; Comments (not for publication); Feedback (internal); Comments for our team only; \
        Comment for manager; Comments to management; Comments for staff; Feedback to the owner; Nicht öffentlicher Kommentar; \
        Our comment";
    for header in headers.split("; ") {
        let sheet = "2026-03-01,5,Ann,They paid in cash again.\n";
        let message = bench()
            .await
            .refusal(format!("Date,Stars,Customer,{header}\n{sheet}"))
            .await;
        assert_has(&message, "no column is recognised as the text");
    }
}

#[tokio::test]
async fn an_author_has_no_address_number_or_invisible_name() {
    for (cell, author) in [
        ("Ann (ann@e.com)", "Ann"),
        ("Ann Bell ann@e.com", "Ann Bell"),
        ("ann@e.com - Ann", "Ann"),
        ("6025550100", "Anonymous"),
        ("\u{200b}", "Anonymous"),
    ] {
        let bench = bench().await;
        bench
            .take(format!(
                "rating,date,author,text\n5,2026-03-01,{cell},Fine.\n"
            ))
            .await;
        assert_eq!(shown(&bench), format!("{author}|published|-"), "{cell}");
    }
}

#[tokio::test]
async fn a_copy_of_a_review_that_the_owner_hid_is_withheld() {
    let trustpilot = "Review Id,Review Created (UTC),Review Username,Review Title,Review Content,Review Stars\n\
        t1,2026-03-01,Bo,,Left the gate open.,1\n";
    for hide in [
        "delete from review where author = 'Bo'",
        "update review set status = 'withheld', withheld_reason = 'private person' where author = 'Bo'",
    ] {
        let bench = bench().await;
        bench.set_time_zone("UTC").await;
        bench
            .take("author,rating,date,text\nBo,1,2026-03-01,Left the gate open.\n")
            .await;
        bench.sql(hide);
        let (report, _) = bench.take(trustpilot).await;
        assert_eq!((report.new, report.duplicates.count), (1, 1), "{hide}");
        let published = "select count(*) from review where status = 'published'";
        assert_eq!(bench.sql(published), "0", "{hide}");
    }
}

#[tokio::test]
async fn a_table_with_a_few_headers_of_a_platform_is_a_table() {
    for [header, cells, maps] in table(
        "
            Date,Customer,Star Rating,Comment →  → --source Direct
            Create Time,Name,Star Rating,Comment →  → --map 'date=Create Time'
            When,Name,Rating,Description →  → --map text=Description
            Time Created,User Name,Rating,Text →  → --map 'date=Time Created' --map 'author=User Name'
            time,author_name,rating,text →  → --map date=time
            Date Created,Reviewer,Rating,Review →  → --source Direct
            Published At Date,Name,Stars,Text →  → --map 'date=Published At Date'
            Review Date,Reviewer Name,Rating,Review,Business Name → ,Shop → --source Direct
        ",
    ) {
        let bench = bench().await;
        let file = format!("{header}\n2026-03-04,Ann Bell,5,Nice work{cells}\n");
        let report = bench.csv(file, maps).await;
        assert_eq!(report.files[0].format, "table", "{header}");
        let select = "select author, source_name, verification_method from review";
        assert_eq!(bench.sql(select), "Ann Bell|Direct|manual", "{header}");
    }
    let json =
        json!([{"star_rating": 5, "author": "Ann", "comment": "Nice", "date": "2026-03-04"}]);
    let (bench, ..) = import_into_new(json.to_string(), "--format table").await;
    assert_eq!(shown(&bench), "Ann|published|-");
}

#[tokio::test]
async fn rows_with_members_that_ours_lack_are_read_as_a_table() {
    let row = json!({"id": 1, "rating": 5, "date": "2026-03-01", "author": "Ann", "text": "Neat", "reply": "Thanks", "verified": false});
    for content in [json!([row]).to_string(), format!("{row}\n{row}\n")] {
        let bench = bench().await;
        let (report, _) = bench.take(content).await;
        assert_eq!(report.files[0].format, "table");
        assert_eq!(shown(&bench), "Ann|withheld|Thanks");
    }
}

#[tokio::test]
async fn rows_without_an_id_that_differ_in_stars_are_two_reviews() {
    let bench = bench().await;
    let file =
        "rating,date,author,text\n2,2026-03-01,,Great service\n5,2026-03-01,,Great service\n";
    for expected in [(2, 0, 0, 0), (0, 0, 2, 0)] {
        assert_eq!(counts(&bench.take(file).await.0), expected);
    }
    // One that was there alone stays itself.
    let bench = super::bench().await;
    let alone = "rating,date,author,text\n5,2026-03-01,,Great service\n";
    bench.take(alone).await;
    assert_eq!(counts(&bench.take(file).await.0), (1, 0, 1, 0));
    assert_eq!(counts(&bench.take(file).await.0), (0, 0, 2, 0));
}

#[tokio::test]
async fn the_name_of_a_source_is_composed_and_trimmed() {
    for name in ["Café", "Cafe\u{301}", " Café "] {
        assert_eq!(reviews_service::imports::composed(name).unwrap(), "Café");
    }
}

#[tokio::test]
async fn lists_of_texts_and_false_are_read() {
    let row = json!([{"rating": {"value": 5}, "date": {"$date": "2026-03-01"}, "author": ["Ann", "Bo"], "text": ["a", "b"],
        "reply": false}, {"rating": {"value": 5}, "date": {"$date": "2026-03-01"}, "author": ["Cy"], "text": "c",
        "reply": ["Thanks!"]}]);
    let select = "select author, text, ifnull(response_text, '-') from review order by author";
    let rows = found(row.to_string(), "--format table", select).await;
    assert_eq!(rows, "Ann, Bo|a\nb|-\nCy|c|Thanks!");
}

#[tokio::test]
async fn a_whole_number_with_a_decimal_is_the_same_id() {
    let bench = bench().await;
    let file = |id: &str| {
        format!(
            "id,rating,date,author,text\n{id},5,2026-03-01,Ann,Fine.\nx,5,2026-03-01,Bo,Good.\n"
        )
    };
    bench.take(file("1001.0")).await;
    assert_eq!(counts(&bench.take(file("1001")).await.0), (0, 0, 2, 0));
    // What is no address is left out.
    let (report, _) = bench
        .take("id,rating,date,author,text,review_url\n7,5,2026-03-01,Cy,Fine.,www.yelp.com/biz/x\n")
        .await;
    assert_eq!(counts(&report), (1, 0, 0, 0));
}

#[tokio::test]
async fn a_platform_is_known_by_most_of_its_columns_in_any_spelling() {
    let titan = "Publish Date,Author Name,Rating,Review,Technician Full Name\n2026-03-14,Ann Bell,5,Nice fan,Bo Tech\n";
    let json = json!([{"PublishDate": "2026-03-14", "AuthorName": "Ann Bell", "Rating": "5", "Review": "Nice fan",
        "TechnicianFullName": "Bo Tech"}]);
    for content in [titan.to_owned(), json.to_string()] {
        let bench = bench().await;
        let (report, _) = bench.take(content).await;
        assert_eq!(report.files[0].format, "servicetitan");
        assert_eq!(shown(&bench), "Ann B.|published|-");
    }
    let flat = "starRating,comment,createTime,reviewer.displayName,reviewId\nFIVE,Nice,2026-03-14T10:00:00Z,Ann,r1\n";
    let (_, report, _) = import_into_new(flat, "").await;
    assert_eq!(report.files[0].format, "google");
}

#[tokio::test]
async fn a_question_that_names_the_team_is_the_text() {
    for header in [
        "Any comments for our team?",
        "Feedback for our team",
        "Tell us about our team",
    ] {
        let bench = bench().await;
        let file = format!("Date,Stars,Name,{header}\n2026-03-01,5,Ann,Nice fan work was done.\n");
        bench.take(file).await;
        let select = "select text from review";
        assert_eq!(bench.sql(select), "Nice fan work was done.", "{header}");
    }
}

#[tokio::test]
async fn numbers_that_json_lacks_count_as_none() {
    let file = r#"[{"rating":5,"date":"2026-03-01","author":"Ann","text":"NaN \"NaN\" is here","likes":NaN},
        {"rating":4,"date":"2026-03-02","author":"Bo","text":"Fine","likes":-Infinity}]"#;
    let texts = found(
        file,
        "--format table",
        "select text from review order by author",
    )
    .await;
    assert_eq!(texts, "NaN \"NaN\" is here\nFine");
}
