//! The dates of a column are read in one order, over all files of a call; what is no day of our calendar is rejected.

use super::tables::workbook;
use super::*;

fn sheet(dates: &[&str]) -> String {
    let rows = (1..)
        .zip(dates)
        .map(|(number, date)| format!("r{number},5,\"{date}\",Ann {number},Good.\n"));
    format!("id,rating,date,author,text\n{}", rows.collect::<String>())
}

fn days(bench: &Bench) -> String {
    let select = "select group_concat(reviewed_on, ' ') from (select reviewed_on from review order by review_id)";
    bench.sql(select)
}

#[tokio::test]
async fn one_unambiguous_date_proves_the_order_of_the_column() {
    // The bench's today is 2026-11-20: a date in December would be later than tomorrow. Dots mean day first, and prove nothing
    // about other marks.
    for [dates, expected] in table(
        "
            03/04/2026|03/25/2026|05/06/2026 → 2026-03-04 2026-03-25 2026-05-06
            03/04/2026|25/03/2026|05/06/2026 → 2026-04-03 2026-03-25 2026-06-05
            10/12/2026|01/02/2026 → 2026-10-12 2026-01-02
            12/10/2026|01/02/2026 → 2026-10-12 2026-02-01
            03.04.2026|13/01/2026|01/02/2026 → 2026-04-03 2026-01-13 2026-02-01
            03.04.2026 → 2026-04-03
            03/04/2026 2:05 PM EST|25/03/2026 14:05 GMT+2 → 2026-04-03 2026-03-25
        ",
    ) {
        let dates: Vec<&str> = dates.split('|').collect();
        let (bench, ..) = import_into_new(sheet(&dates), "").await;
        assert_eq!(days(&bench), expected, "{dates:?}");
    }
    let sheet = workbook(&[
        &["id", "rating", "date", "author", "text"],
        &["r1", "#5", "03/04/2026", "Ann", "Good."],
        &["r2", "#5", "@46325", "Bo", "Good."],
        &["r3", "#5", "03/25/2026", "Cy", "Good."],
        &["r4", "#5", "#45717", "Di", "Good."],
    ]);
    let (bench, report, _) = import_into_new(sheet, "").await;
    assert_eq!(report.rejected, 0);
    assert_eq!(days(&bench), "2026-03-04 2026-10-30 2026-03-25 2025-03-01");
}

#[tokio::test]
async fn the_order_is_proved_over_all_files_of_a_call() {
    let bench = bench().await;
    let one = bench.file("one.csv", sheet(&["03/04/2026"]));
    let two = sheet(&["25/03/2026"]).replace("r1", "r2");
    let request = request_for([one, bench.file("two.csv", two)], "");
    bench.run(&request).await.0.unwrap();
    assert_eq!(days(&bench), "2026-04-03 2026-03-25");
}

#[tokio::test]
async fn the_country_decides_and_the_output_says_so() {
    for (country, order, day) in [
        ("US", "month first", "2026-03-04"),
        ("DE", "day first", "2026-04-03"),
    ] {
        let bench = bench().await;
        bench.sql(&format!(
            "insert into business (business_id, name, country) values ('k', 'K', '{country}')",
        ));
        let request = request_for([bench.file("t.csv", sheet(&["03/04/2026"]))], "");
        let (_, watch) = bench.watch(&request).await;
        assert_eq!(days(&bench), day);
        let expected = format!("dates in date: {order} (as in the business's country, {country})");
        assert_eq!(watch.tables[0].notes, [expected]);
    }
}
