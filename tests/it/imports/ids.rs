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
async fn only_ids_without_a_gap_count_the_rows() {
    for [ids, is_asked] in table(
        "
            1, 2, 3 → true
            2, 3, 4 → true
            0, 1, 2 → true
            1.0, 2.0, 3.0 → true
            001, 002, 003 → true
            1, 3, 4 → false
            7, 8, 9 → false
            q1, q2, q3 → false
            30, 20, 10 → false
        ",
    ) {
        let row = |(number, id): (usize, &str)| {
            format!("{id},Author {number},5,2025-06-1{number},Text number {number}\n")
        };
        let rows: String = ids.split(", ").enumerate().map(row).collect();
        let bench = bench().await;
        let file = bench.file("rows.csv", format!("{HEADER}{rows}"));
        let (report, _) = bench.run(&request_for([file], "")).await;
        assert_eq!(report.is_err(), is_asked == "true", "{ids:?}");
    }
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
