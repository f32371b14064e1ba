//! Rows without an id that were edited in the sheet update their reviews, where it is sure which ones these are.

use super::*;

const HEADER: &str = "author,rating,date,text\n";

impl Bench {
    async fn sheet(&self, rows: &[&str]) -> ImportReport {
        let (report, rejections) = self.take(format!("{HEADER}{}\n", rows.join("\n"))).await;
        assert_eq!(rejections, []);
        report
    }

    fn column(&self, columns: &str) -> String {
        let select = format!("select {columns} from review order by review_id");
        self.sql(&select)
    }

    fn stars_and_texts(&self) -> String {
        let select = "select rating, text from review order by reviewed_on, author, text";
        self.sql(select)
    }
}

const ANN: &str = "Ann,5,2026-10-01,They came on time and were tidy";
const BO: &str = "Bo,4,2026-10-02,Fair price for the boiler";
const CY: &str = "Cy,3,2026-10-03,Late but friendly";

#[tokio::test]
async fn an_edited_text_or_rating_updates_the_review() {
    let bench = bench().await;
    bench.sheet(&[ANN, BO, CY]).await;
    let text = "Ann,5,2026-10-01,They came on time and were very tidy";
    let stars = "Bo,2,2026-10-02,Fair price for the boiler";
    for (updated, unchanged) in [(2, 1), (0, 3)] {
        let report = bench.sheet(&[text, stars, CY]).await;
        assert_eq!(counts(&report), (0, updated, unchanged, 0));
    }
    assert_eq!(
        bench.stars_and_texts(),
        "5|They came on time and were very tidy\n2|Fair price for the boiler\n3|Late but friendly"
    );
    // The older file is what the source says now.
    assert_eq!(counts(&bench.sheet(&[ANN, BO, CY]).await), (0, 2, 1, 0));
    // What the owner edited stays.
    bench.sql("update review set text = 'They came on time, tidy' where author = 'Ann'");
    let report = bench.sheet(&[text, BO, CY]).await;
    assert_eq!(
        (counts(&report), report.kept_edited.count),
        ((0, 0, 3, 0), 1)
    );
}

#[tokio::test]
async fn an_edited_row_is_found_by_the_digests_of_its_source() {
    for change in [
        "author = 'A. Bell'",
        "author = 'Anonymous', reviewed_on = '2026-09-01'",
        "text = 'Good'",
        "rating = 1",
    ] {
        let bench = bench().await;
        bench.sheet(&[ANN, BO, CY]).await;
        bench.sql(&format!(
            "update review set status = 'withheld', {change} where author = 'Ann'"
        ));
        let before = bench.column("rating, author, reviewed_on");
        let edited = "Ann,5,2026-10-01,They came on time and were very tidy";
        let report = bench.sheet(&[edited, BO, CY]).await;
        assert_eq!((report.new, report.undecided.count), (0, 0), "{change}");
        assert_eq!(bench.column("rating, author, reviewed_on"), before);
    }
}

#[tokio::test]
async fn an_edited_row_does_not_restore_a_deleted_review() {
    let bench = bench().await;
    bench.sheet(&[ANN, BO, CY]).await;
    let edited = "Ann,5,2026-10-01,They came on time and were very tidy";
    bench.sheet(&[edited, BO, CY]).await;
    bench.sql("delete from review where author = 'Ann'");
    for row in [edited, ANN] {
        let report = bench.sheet(&[row, BO, CY]).await;
        assert_eq!(
            (counts(&report), report.kept_deleted.count),
            ((0, 0, 2, 0), 1),
            "{row}"
        );
    }
}

#[tokio::test]
async fn an_edit_after_the_deletion_is_reported_and_publishes_nothing() {
    let bench = bench().await;
    let shared = "Anonymous,4,2026-10-02,Cheap";
    bench.sheet(&[ANN, BO, CY, shared]).await;
    bench.sql("delete from review where author in ('Bo', 'Anonymous')");
    let edited = "Bo,4,2026-10-02,Fair price for the boiler!";
    // Many people share the name, so its row is another review.
    let other = "Anonymous,4,2026-10-02,Cheap!";
    let report = bench.sheet(&[ANN, edited, CY, other]).await;
    assert_eq!((counts(&report), report.undecided.count), ((1, 0, 2, 0), 1));
    // The row as it was deleted is known, and another one of that author and day is another review.
    let report = bench.sheet(&[ANN, BO, edited, CY, other]).await;
    assert_eq!((counts(&report), report.undecided.count), ((1, 0, 3, 0), 0));
    assert_eq!(report.kept_deleted.count, 1);
}

#[tokio::test]
async fn an_edited_row_of_a_deleted_review_restores_it_on_request() {
    let bench = bench().await;
    bench.sheet(&[ANN, BO, CY]).await;
    let select = "select review_id from review where author = 'Bo'";
    let id = bench.sql(select);
    bench.sql("delete from review where author = 'Bo'");
    let rows = [ANN, "Bo,4,2026-10-02,Fair price for the boiler!", CY];
    let report = bench
        .csv(format!("{HEADER}{}\n", rows.join("\n")), "--restore")
        .await;
    assert_eq!((counts(&report), report.undecided.count), ((1, 0, 2, 0), 0));
    assert_eq!(bench.sql(select), id);
}

#[tokio::test]
async fn a_row_that_may_be_another_review_is_a_new_one() {
    for [row, why] in table(
        "
            Ann,5,2026-10-01,A wholly different story about a roof → less than half of the words
            Ann,4,2026-10-01,They came on time and were not tidy → stars and text changed
            Ann,5,2026-10-05,They came on time and were tidy → another day
            Anna,5,2026-10-01,They came on time and were tidy → another author
        ",
    ) {
        let bench = bench().await;
        bench.sheet(&[ANN, BO, CY]).await;
        assert_eq!(
            counts(&bench.sheet(&[row, BO, CY]).await),
            (1, 0, 2, 0),
            "{why}"
        );
    }
    // Many customers share such names.
    for name in ["Anonymous", "A Google user"] {
        let bench = bench().await;
        let [before, after] = ["tidy", "very tidy"]
            .map(|text| format!("{name},5,2026-10-01,They were on time and {text}"));
        bench.sheet(&[&before, BO, CY]).await;
        assert_eq!(
            counts(&bench.sheet(&[&after, BO, CY]).await),
            (1, 0, 2, 0),
            "{name}"
        );
    }
}

#[tokio::test]
async fn a_file_that_lacks_more_than_a_tenth_of_the_rows_edits_none() {
    let rows: Vec<String> = (0..20)
        .map(|n| format!("Author {n},5,2026-10-{:02},Text of the review {n}", n + 1))
        .collect();
    let edited = rows[19].replace("Text of", "The text of");
    for (kept, expected) in [(18, (0, 1, 17, 0)), (17, (1, 0, 16, 0))] {
        let bench = bench().await;
        let all: Vec<&str> = rows.iter().map(String::as_str).collect();
        bench.sheet(&all).await;
        // The first day and the last stay, so that the span is the same.
        let mut some = vec![all[0]];
        some.extend(&all[20 - kept + 1..19]);
        some.push(&edited);
        assert_eq!(counts(&bench.sheet(&some).await), expected, "{kept} rows");
    }
}

#[tokio::test]
async fn rows_that_may_be_two_reviews_are_reported_and_change_neither() {
    let bench = bench().await;
    let other = "Ann,5,2026-10-01,They came on time and were friendly";
    bench.sheet(&[ANN, other, BO]).await;
    let edited = "Ann,5,2026-10-01,They came on time and were great";
    let report = bench.sheet(&[edited, BO]).await;
    assert_eq!((counts(&report), report.undecided.count), ((0, 0, 1, 0), 1));
    let message = summary(&report, false);
    assert_has(&message, "1 skipped without an ID");
    // Where the other one's own row is in the file, it is sure.
    let report = bench.sheet(&[edited, other, BO]).await;
    assert_eq!((counts(&report), report.undecided.count), ((0, 1, 2, 0), 0));
    // An emptied text may be a wrong column.
    let report = bench.sheet(&["Ann,5,2026-10-01,", other, BO]).await;
    assert_eq!((counts(&report), report.undecided.count), ((0, 0, 2, 0), 1));
}

#[tokio::test]
async fn a_row_of_a_renamed_source_is_found_by_content() {
    let bench = bench().await;
    let rows = [
        ANN,
        "Anonymous,5,2026-10-02,",
        "Anonymous,5,2026-10-02,",
        CY,
    ];
    bench.sheet(&rows).await;
    bench.sql(
        "update review_source set source_name = 'Houzz'; update review set source_name = 'Houzz'",
    );
    let report = bench
        .csv(format!("{HEADER}{}\n", rows.join("\n")), "--source Houzz")
        .await;
    assert_eq!((counts(&report), report.undecided.count), ((0, 0, 4, 0), 0));
}

#[tokio::test]
async fn a_row_beside_one_that_fills_its_review_is_new_at_once() {
    let bench = bench().await;
    bench.sheet(&["Ann,5,2026-10-01,", BO, CY]).await;
    let other = "Ann,3,2026-10-01,";
    for (new, updated, unchanged) in [(1, 1, 2), (0, 0, 4)] {
        let report = bench.sheet(&[other, ANN, BO, CY]).await;
        assert_eq!(counts(&report), (new, updated, unchanged, 0));
    }
}

#[tokio::test]
async fn a_repeated_import_reports_the_same_skipped_rows() {
    for (before, rows) in [
        // Two rows may be the one review.
        (
            vec![ANN],
            vec![
                "Ann,3,2026-10-01,They came on time and were tidy",
                "Ann,5,2026-10-01,They came on time and were late",
            ],
        ),
        // One row fills the review, so the other is new.
        (
            vec!["Ann,5,2026-10-01,", BO],
            vec!["Ann,3,2026-10-01,", "Ann,5,2026-10-01,Good work", BO],
        ),
        (
            vec!["Bo,5,2026-10-03,Good fan work", CY],
            vec!["Bo,3,2026-10-03,", "Bo,5,2026-10-03,Good fan work more"],
        ),
    ] {
        let bench = bench().await;
        bench.sheet(&before).await;
        let first = bench.sheet(&rows).await;
        let reviews = bench.stars_and_texts();
        for _ in 0..2 {
            let again = bench.sheet(&rows).await;
            assert_eq!((counts(&again).0, counts(&again).1), (0, 0), "{rows:?}");
            assert_eq!(again.undecided, first.undecided, "{rows:?}");
            assert_eq!(bench.stars_and_texts(), reviews, "{rows:?}");
        }
    }
}
