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

impl Bench {
    async fn import_dates(&self, dates: &[&str], options: &str) -> Result<ImportReport, String> {
        let request = request_for([self.file("t.csv", sheet(dates))], options);
        let report = self.run(&request).await.0;
        report.map_err(|error| error.to_string())
    }
}

#[tokio::test]
async fn one_unambiguous_date_proves_the_order_of_the_column() {
    // The bench's today is 2026-11-20: a date in December would be later than tomorrow. Dots mean day first, and prove nothing
    // about other marks.
    for [dates, expected] in table(
        "
            03/04/2026|03/25/2026|05/06/2026 → 2026-03-04 2026-03-25 2026-05-06
            03/04/2026|25/03/2026|05/06/2026 → 2026-04-03 2026-03-25 2026-06-05
            03-04-2026|13-01-2026 → 2026-04-03 2026-01-13
            3/4/26|3/25/26 8:15 AM → 2026-03-04 2026-03-25
            10/12/2026|01/02/2026 → 2026-10-12 2026-01-02
            12/10/2026|01/02/2026 → 2026-10-12 2026-02-01
            03.04.2026|13/01/2026|01/02/2026 → 2026-04-03 2026-01-13 2026-02-01
            03.04.2026 → 2026-04-03
            07/07/2026 → 2026-07-07
            03/04/2026, 14:05 Uhr|25/03/2026 14.05.33 → 2026-04-03 2026-03-25
            03/04/2026 2:05 PM EST|25/03/2026 14:05 GMT+2 → 2026-04-03 2026-03-25
        ",
    ) {
        let dates: Vec<&str> = dates.split('|').collect();
        let bench = bench().await;
        bench.set_time_zone("UTC").await;
        let report = bench.import_dates(&dates, "").await.unwrap();
        assert_eq!(report.rejected, 0, "{dates:?}");
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
async fn two_orders_in_a_column_refuse_the_file_with_a_line_of_each() {
    let bench = bench().await;
    let dates = ["03/04/2026", "13/01/2026", "01/25/2026"];
    let refusal = bench.import_dates(&dates, "").await.unwrap_err();
    assert_has(&refusal, "t.csv:4: 01/25/2026 is month first");
    assert_has(&refusal, "t.csv:3: 13/01/2026 is day first");
    assert_eq!(bench.change_no().await, 0);
}

#[tokio::test]
async fn an_order_is_kept_and_a_date_of_the_other_refuses_the_file() {
    let bench = bench().await;
    let dates = ["13/01/2026", "03/04/2026", "03/25/2026"];
    bench.import_dates(&dates[..1], "").await.unwrap();
    bench.import_dates(&dates[..2], "").await.unwrap();
    assert_eq!(days(&bench), "2026-01-13 2026-04-03");
    let refusal = bench.import_dates(&dates[2..], "").await.unwrap_err();
    let expected = "03/25/2026 in date is month first, but the last import read that column day first; pass --date-format %m/%d/%Y";
    assert_has(&refusal, expected);
    // With the option the column is read so from now on.
    let option = "--date-format %m/%d/%Y";
    bench.import_dates(&dates[2..], option).await.unwrap();
    let dates = ["03/25/2026", "01/02/2026"];
    bench.import_dates(&dates, "").await.unwrap();
    assert_eq!(days(&bench), "2026-03-25 2026-01-02");
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

#[tokio::test]
async fn a_date_format_is_used_or_refused() {
    let export = |first: &str| {
        format!(
            "id,rating,date,author,text,status,decided,deleted\nx1,4,{first},Bo,Good.,published,,\n"
        )
    };
    let bench = bench().await;
    for (date, formats) in [
        ("10/19/2025", "%m/%d/%Y"),
        ("07.10.2025", "%d.%m.%Y"),
        ("07/10/2025", "%m/%d/%Y or --date-format %d/%m/%Y"),
    ] {
        let refusal = bench.refusal(&export(date)).await;
        let advice = format!("of this export ({date}); pass --date-format {formats}");
        assert!(refusal.ends_with(&advice), "{refusal}");
    }
    for format in ["%m/%d/%Y", "mm/dd/yyyy", "M/D/YYYY"] {
        let option = format!("--date-format {format}");
        bench.csv(&export("10/07/2025"), &option).await;
        assert_eq!(days(&bench), "2025-10-07", "{format}");
    }
    for format in ["", "%!", "%d/%", "%q", "%d.%m.", "dd/mm/jjjj"] {
        let option = format!("--date-format '{format}'");
        let refusal = bench.refused(sheet(&["2026-03-01"]), &option).await;
        assert_has(&refusal, "write it like %m/%d/%Y or mm/dd/yyyy");
    }
    for (content, format) in [
        (native(&json!({})).to_string(), "jsonl"),
        (page(&[google(1, "a", &json!({}))]), "google"),
    ] {
        let refusal = bench.refused(content, "--date-format %m/%d/%Y").await;
        let expected = format!("{format}, whose dates have one form; leave --date-format out");
        assert_has(&refusal, &expected);
    }
}

#[tokio::test]
async fn years_of_other_calendars_are_rejected_but_in_native_rows() {
    for content in ["@1", "1994-12-31"].map(|date| {
        let header = ["rating", "date", "author", "text"];
        workbook(&[&header, &["#5", date, "Ann", "Good."]])
    }) {
        let message = bench().await.refusal(content).await;
        assert_has(&message, "if it is one of another calendar");
    }
    let old = native(&json!({"date": "1985-05-05"})).to_string();
    assert_eq!(import_into_new(old, "").await.1.rejected, 0);
}
