//! Importing a table again with more columns mapped completes the reviews of the first import.

use super::*;

const FEEDBACK: &str = "Customer,Stars,When,What they said,What we said\n\
    Ann,5,2026-10-30,On time and tidy.,Thank you.\n\
    Bo,2,2026-10-29,Left the gate open.,\n\
    Cy,4,2026-10-28,,\n";
const NAMES: &str = "--map author=Customer --map rating=Stars --map date=When";
const TEXT: &str = "--map 'text=What they said'";
const REPLY: &str = "--map 'response.text=What we said'";

impl Bench {
    async fn table(&self, content: &str, options: &str) -> ImportReport {
        self.done(self.file("feedback.csv", content), options).await
    }

    /// The reviews' authors, texts and answers, newest first.
    fn texts(&self) -> String {
        self.sql("select author, text, response_text from review order by reviewed_on desc, text")
    }

    fn ids(&self) -> String {
        self.sql("select review_id from review order by 1")
    }
}

fn maps(more: &[&str]) -> String {
    format!("{NAMES} {}", more.join(" "))
}

const WHOLE: &str = "Ann|On time and tidy.|Thank you.\nBo|Left the gate open.|\nCy||";

#[tokio::test]
async fn mapping_more_columns_completes_reviews_and_adds_none() {
    let bench = bench().await;
    assert_eq!(
        counts(&bench.table(FEEDBACK, &maps(&["--no-text"])).await),
        (3, 0, 0, 0)
    );
    assert_eq!(bench.texts(), "Ann||\nBo||\nCy||");
    let ids = bench.ids();
    let report = bench.table(FEEDBACK, &maps(&[TEXT])).await;
    assert_eq!((counts(&report), report.doubtful.count), ((0, 2, 1, 0), 0));
    let report = bench.table(FEEDBACK, &maps(&[TEXT, REPLY])).await;
    assert_eq!(counts(&report), (0, 1, 2, 0));
    assert_eq!((bench.texts().as_str(), bench.ids()), (WHOLE, ids.clone()));
    // Importing again, also without the text or the reply, changes nothing.
    for more in [&[TEXT, REPLY][..], &[TEXT], &["--no-text"]] {
        let before = bench.change_no().await;
        let report = bench.table(FEEDBACK, &maps(more)).await;
        assert_eq!(
            (counts(&report), bench.change_no().await),
            ((0, 0, 3, 0), before)
        );
        assert_eq!((bench.texts().as_str(), bench.ids()), (WHOLE, ids.clone()));
    }
}

#[tokio::test]
async fn completed_reviews_are_not_withdrawn_and_stay_deleted() {
    let bench = bench().await;
    bench.table(FEEDBACK, &maps(&["--no-text"])).await;
    let options = maps(&[TEXT, "--withdraw-missing"]);
    let report = bench.table(FEEDBACK, &options).await;
    assert_eq!((counts(&report), report.withdrawn.count), ((0, 2, 1, 0), 0));
    bench.sql("delete from review where author = 'Ann'");
    let report = bench.table(FEEDBACK, &maps(&[TEXT])).await;
    assert_eq!(
        (counts(&report), report.kept_deleted.count),
        ((0, 0, 2, 0), 1)
    );
}

#[tokio::test]
async fn a_review_with_a_matching_row_is_not_completed_by_another() {
    let bench = bench().await;
    let stars = "author,rating,date,text\nAnonymous,5,2026-10-30,\n";
    bench.take(stars).await;
    let both = format!("{stars}Anonymous,5,2026-10-30,Great work.\n");
    for new in [1, 0] {
        let (report, _) = bench.take(&both).await;
        assert_eq!(counts(&report), (new, 0, 2 - new, 0));
    }
    assert_eq!(bench.texts(), "Anonymous||\nAnonymous|Great work.|");
}

#[tokio::test]
async fn the_text_of_a_deleted_review_completes_no_other_review() {
    let bench = bench().await;
    let header = "author,rating,date,text\n";
    bench
        .take(format!("{header}Anonymous,5,2026-10-30,\n"))
        .await;
    let both = format!("{header}Anonymous,5,2026-10-30,\nAnonymous,5,2026-10-30,Great work.\n");
    bench.take(both).await;
    bench.sql("delete from review where text <> ''");
    let alone = format!("{header}Anonymous,5,2026-10-30,Great work.\n");
    let (report, _) = bench.take(alone).await;
    assert_eq!(
        (counts(&report), report.kept_deleted.count),
        ((0, 0, 0, 0), 1)
    );
    assert_eq!(bench.texts(), "Anonymous||");
}

#[tokio::test]
async fn rows_that_match_two_reviews_are_reported_and_change_neither() {
    let bench = bench().await;
    let like =
        "author,rating,date,What they said\nAnn,5,2026-10-30,On time.\nAnn,5,2026-10-30,Tidy.\n";
    let report = bench.table(like, "--no-text").await;
    assert_eq!((counts(&report), report.repeated), ((2, 0, 0, 0), 0));
    let report = bench.table(like, TEXT).await;
    assert_eq!((counts(&report), report.doubtful.count), ((0, 0, 0, 0), 2));
    let message = summary(&report, false);
    assert_has(&message, "2 doubtful and not imported");
    assert_eq!(bench.texts(), "Ann||\nAnn||");
    // One row matches two reviews.
    let titles = "author,rating,date,text,title\nBo,4,2026-10-29,,\nBo,4,2026-10-29,,Late\n";
    bench.take(titles).await;
    let whole = "author,rating,date,text,title\nBo,4,2026-10-29,Came late.,Late\n";
    let (report, _) = bench.take(whole).await;
    assert_eq!((counts(&report), report.doubtful.count), ((0, 0, 0, 0), 1));
}

#[tokio::test]
async fn a_row_with_another_source_or_text_is_a_separate_review() {
    let bench = bench().await;
    let csv = |source: &str, text: &str| {
        format!("author,rating,date,text,source\nAnn,5,2026-10-30,{text},{source}\n")
    };
    bench.take(csv("Yelp", "")).await;
    for (source, text, new) in [("Forms", "Fine.", 1), ("Yelp", "Fine.", 0)] {
        let (report, _) = bench.take(csv(source, text)).await;
        assert_eq!(counts(&report), (new, 1 - new, 0, 0), "{source} {text}");
    }
    let (report, _) = bench.take(csv("Yelp", "Poor.")).await;
    assert_eq!((counts(&report), report.doubtful.count), ((0, 0, 0, 0), 1));
}

#[tokio::test]
async fn a_table_without_a_text_column_is_refused_with_the_columns() {
    let bench = bench().await;
    let request = |more: &[&str]| request_for([bench.file("feedback.csv", FEEDBACK)], &maps(more));
    let (refused, watch) = bench.watch(&request(&[])).await;
    let refusal = refused.unwrap_err().to_string();
    assert_has(
        &refusal,
        "Customer, Stars, When, What they said, What we said: no column is recognised as the text; pass --map \
            text=\"What they said\", or --no-text if there is none",
    );
    assert_eq!(
        watch.tables[0].to_string(),
        "  rating ← Stars    date ← When    author ← Customer    text ← (none)    response ← (none)\n  not used: What they said, What we said"
    );
    // `--map` also accepts the field names of the preview.
    let response = "--map 'response=What we said'";
    for more in [&["--no-text"][..], &[TEXT], &[TEXT, response]] {
        let request = request(&[more, &["--dry-run"]].concat());
        assert_eq!(counts(&bench.run(&request).await.0.unwrap()), (3, 0, 0, 0));
    }
}

#[tokio::test]
async fn objects_without_a_text_member_are_refused_and_erase_nothing() {
    let bench = bench().await;
    let row = |review: &str| {
        json!([{"id": "x-1", "stars": 5, "when": "2026-10-01", "customer": "A", review: "It works."}]).to_string()
    };
    let request = |review: &str, options: &str| {
        let file = bench.file("rows.json", row(review));
        request_for([file], &format!("--format table {options}"))
    };
    let report = bench.run(&request("review", "")).await.0.unwrap();
    assert_eq!(counts(&report), (1, 0, 0, 0));
    for (maps, wrong) in [
        ("", "pass --map text=\"blah\", or --no-text"),
        (
            "--map text=nope",
            "no file has a column nope, which --map names",
        ),
        (
            "--map text=blah --map 'status=state of it'",
            "no file has a column state of it, which --map names",
        ),
    ] {
        let refusal = bench.refuse(&request("blah", maps)).await;
        assert_has(&refusal, wrong);
    }
    // A file without texts does not remove stored ones.
    let report = bench.run(&request("blah", "--no-text")).await.0.unwrap();
    assert_eq!(counts(&report), (0, 0, 1, 0));
    let report = bench.run(&request("blah", "--map text=blah")).await.0;
    assert_eq!(counts(&report.unwrap()), (0, 0, 1, 0));
    let id = bench.sql("select review_id from review");
    assert_eq!(bench.find(&id).await.unwrap().text, "It works.");
}
