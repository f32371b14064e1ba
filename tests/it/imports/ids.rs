//! Ids that are none: row numbers, and one id of several reviews.

use super::*;

const HEADER: &str = "Id,author,Rating,date,text\n";
const JUNE: &str = "1,Ann,5,2025-06-10,Neat and quick work\n2,Bo,1,2025-05-02,Broke my door and left\n3,Cy,4,2025-04-01,Fair price and tidy\n";
const JULY: &str = "1,Di,5,2025-07-03,Very polite\n2,Ann,5,2025-06-10,Neat and quick work\n3,Bo,1,2025-05-02,Broke my door and left\n\
    4,Cy,4,2025-04-01,Fair price and tidy\n";

impl Bench {
    async fn import_rows(&self, rows: &str, options: &str) -> (ImportReport, Vec<Rejection>) {
        let request = request_for([self.file("rows.csv", format!("{HEADER}{rows}"))], options);
        let (report, rejections) = self.run(&request).await;
        (report.unwrap(), rejections)
    }

    fn shown(&self) -> String {
        let select =
            "select author, status, coalesce(response_text, '') from review order by author";
        self.sql(select)
    }
}

#[tokio::test]
async fn row_numbers_are_no_ids_and_edits_stay_with_the_review() {
    let bench = bench().await;
    let (report, _) = bench.import_rows(JUNE, "").await;
    assert_eq!(
        (counts(&report), report.files[0].row_numbers.as_deref()),
        ((3, 0, 0, 0), Some("Id"))
    );
    let message = summary(&report, false);
    assert_has(
        &message,
        "Id counts the rows of a file, so it is not used as the ID; if it is the ID, pass --map 'id=Id'",
    );
    bench.sql("update review set status = 'withheld', withheld_reason = 'in dispute', response_text = 'Sorry.' where author = 'Bo'",
    );
    for (new, unchanged) in [(1, 3), (0, 4)] {
        let (report, _) = bench.import_rows(JULY, "").await;
        assert_eq!(counts(&report), (new, 0, unchanged, 0));
        assert_eq!(
            bench.shown(),
            "Ann|published|\nBo|withheld|Sorry.\nCy|published|\nDi|published|"
        );
    }
}

#[tokio::test]
async fn the_first_import_of_a_source_decides_if_ids_are_row_numbers() {
    let bench = bench().await;
    // Real ids with a gap stay ids, also when a later file has none.
    bench
        .import_rows(
            "1,Ann,5,2025-06-10,Neat\n3,Bo,1,2025-05-02,Rude\n4,Cy,4,2025-04-01,Fair\n",
            "",
        )
        .await;
    let (report, _) = bench
        .import_rows("1,Ann,5,2025-06-10,Neat\n2,Di,3,2025-07-01,Late\n", "")
        .await;
    assert_eq!(
        (counts(&report), report.files[0].row_numbers.as_deref()),
        ((1, 0, 1, 0), None)
    );
    let ids =
        "select group_concat(review_id || author, ' ') from (select * from review order by 1)";
    assert_eq!(bench.sql(ids), "1Ann 2Di 3Bo 4Cy");
    // Ids that began without a gap: the reviews stay the same ones.
    let other = super::bench().await;
    other.import_rows(JUNE, "").await;
    let (report, _) = other.import_rows("1,Ann,5,2025-06-10,Neat and quick work\n3,Cy,4,2025-04-01,Fair price and tidy\n7,Di,3,2025-07-01,Late\n", "").await;
    assert_eq!(counts(&report), (1, 0, 2, 0));
    // The owner knows better.
    let (report, _) = other.import_rows(JUNE, "--map 'id=Id'").await;
    assert_eq!(counts(&report), (0, 0, 3, 0));
    let (report, _) = other
        .import_rows(&JUNE.replace("Fair price and tidy", "Unfair"), "")
        .await;
    assert_eq!(counts(&report), (0, 1, 2, 0));
}

#[tokio::test]
async fn a_row_with_the_id_of_another_review_is_rejected_and_named() {
    let bench = bench().await;
    bench.import_rows(JUNE, "--map 'id=Id'").await;
    let (report, rejections) = bench.import_rows(JULY, "--map 'id=Id'").await;
    // Row 4 is the review that came as row 3.
    assert_eq!(counts(&report), (0, 0, 1, 3));
    let first = rejections[0].to_string();
    assert_has(
        &first,
        "rows.csv:2: id: 1 is the ID of another review, by Ann of 2025-06-10",
    );
    assert_eq!(
        bench.shown(),
        "Ann|published|\nBo|published|\nCy|published|"
    );
    assert_eq!(rejections[0].row["text"], "Very polite");
    // One of the three suffices.
    let (report, _) = bench
        .import_rows("1,Ann,1,2025-08-01,Changed my mind\n", "--map 'id=Id'")
        .await;
    assert_eq!(counts(&report), (0, 1, 0, 0));
}

#[tokio::test]
async fn rows_with_one_id_that_differ_in_everything_are_all_rejected() {
    let excel = "1.17E+17,Ann,5,2025-03-01,Neat\n1.17E+17,Bo,4,2025-03-02,Late\n1.17E+17,Cy,1,2025-03-03,Never came\n";
    for (rows, rejected) in [
        (excel, 3),
        ("77,Ann,5,2025-03-01,Neat\n77,Bo,4,2025-03-02,Late\n", 2),
    ] {
        let bench = bench().await;
        let (report, rejections) = bench.import_rows(rows, "").await;
        assert_eq!(counts(&report), (0, 0, 0, rejected));
        let last = rejections.last().unwrap().to_string();
        assert_has(
            &last,
            &format!("{rejected} rows that differ in author, date and text have the ID"),
        );
        // Without the column they are reviews of their own.
        let (report, _) = bench.import_rows(rows, "--map 'id='").await;
        assert_eq!(counts(&report), (rejected, 0, 0, 0));
    }
    // Two versions of one review are one.
    let bench = bench().await;
    let (report, _) = bench
        .import_rows("77,Ann,5,2025-03-01,Neat\n77,Ann,4,2025-03-02,Late\n", "")
        .await;
    assert_eq!((counts(&report), report.repeated), ((1, 0, 0, 0), 1));
}

#[tokio::test]
async fn a_native_row_with_the_id_of_another_review_is_rejected() {
    let bench = bench().await;
    let yelp = json!({"id": "y-1", "source": {"name": "Yelp"}});
    let rows = [native(&json!({"id": "o-29"})), native(&yelp)];
    bench.take(lines(&rows)).await;
    let other = |id: &str| {
        native(&json!({"id": id, "author": "Cy", "date": "2026-10-02", "text": "Late."}))
    };
    let (report, rejections) = bench.take(lines(&[other("o-29")])).await;
    assert_eq!(counts(&report), (0, 0, 0, 1));
    let message = rejections[0].to_string();
    assert_has(
        &message,
        "o-29 is the ID of another review, by Ann B. of 2026-11-01",
    );
    // Without a source it is no review of Yelp.
    let (report, _) = bench.take(lines(&[other("y-1")])).await;
    assert_eq!(counts(&report), (1, 0, 0, 0));
    assert_eq!(bench.find("direct-y-1").await.unwrap().author, "Cy");
}

#[tokio::test]
async fn rows_with_one_id_of_different_people_are_all_rejected() {
    for [one, other] in table(
        "
            x7,2026-03-10,Ann,5,fan works → x7,2026-03-10,Bo,1,late and rude
            x7,2026-03-10,,5,fan works → x7,2026-03-11,,1,late and rude
            x7,2026-03-10,A Google user,5,fan works → x7,2026-03-11,A Google user,1,late and rude
        ",
    ) {
        let head = "id,date,author,rating,text\n";
        let (report, _) = bench().await.take(format!("{head}{one}\n{other}\n")).await;
        assert_eq!(counts(&report), (0, 0, 0, 2), "{one}");
        // In two files, too.
        let bench = bench().await;
        bench.take(format!("{head}{one}\n")).await;
        let (report, _) = bench.take(format!("{head}{other}\n")).await;
        let is_same_day = one.contains("Ann");
        assert_eq!(report.rejected, u64::from(!is_same_day), "{one}");
    }
}

#[tokio::test]
async fn row_numbers_in_other_forms_are_no_ids() {
    for [ids, is_number] in table(
        "
            2, 3, 4 → true
            3, 2, 1 → true
            #1, #2, #3 → true
            1.0, 2.0, 3.0 → true
            No. 1, No. 2, No. 3 → true
            001, 002, 003 → true
            0, 1, 2 → true
            1, 3, 4 → false
            7, 8, 9 → false
            q1, q2, q3 → false
            30, 20, 10 → false
        ",
    ) {
        let bench = bench().await;
        let row = |(number, id): (usize, &str)| {
            format!("{id},Author {number},5,2025-06-1{number},Text number {number}\n")
        };
        let rows: String = ids.split(", ").enumerate().map(row).collect();
        for expected in [(3, 0, 0, 0), (0, 0, 3, 0)] {
            let (report, _) = bench.import_rows(&rows, "").await;
            assert_eq!(counts(&report), expected, "{ids:?}");
            let column = report.files[0].row_numbers.as_deref();
            assert_eq!(column == Some("Id"), is_number == "true", "{ids:?}");
        }
    }
}

#[tokio::test]
async fn row_numbers_may_go_on_in_another_file_of_the_import() {
    let first = format!("{HEADER}1,Ann,5,2025-06-10,Neat\n2,Bo,1,2025-05-02,Rude\n");
    let second = format!("{HEADER}3,Cy,5,2025-06-11,Quick\n4,Di,2,2025-05-03,Late\n");
    for is_reversed in [false, true] {
        let bench = bench().await;
        let mut files = [bench.file("a.csv", &first), bench.file("b.csv", &second)];
        if is_reversed {
            files.reverse();
        }
        let (report, _) = bench.import(&[&files[0], &files[1]]).await;
        assert_eq!(counts(&report), (4, 0, 0, 0));
        for file in report.files {
            assert_eq!(file.row_numbers.as_deref(), Some("Id"));
        }
    }
}
