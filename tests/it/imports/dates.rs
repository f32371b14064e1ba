//! The dates of a column are read in one order, over all files of a call.

use super::tables::workbook;
use super::*;

fn sheet(dates: &[&str]) -> String {
    let rows = (1..)
        .zip(dates)
        .map(|(number, date)| format!("r{number},5,{date},Ann {number},Good.\n"));
    format!("id,rating,date,author,text\n{}", rows.collect::<String>())
}

fn days(bench: &Bench) -> String {
    let select = "select group_concat(reviewed_on, ' ') from (select reviewed_on from review order by review_id)";
    bench.sql(select)
}

impl Bench {
    fn set_country(&self, country: &str) {
        self.sql(&format!(
            "insert into business (business_id, name, country) values ('k', 'K', '{country}')
                on conflict do update set country = excluded.country"
        ));
    }

    async fn import_dates(&self, dates: &[&str]) -> Result<ImportReport, String> {
        let request = request_for([self.file("t.csv", sheet(dates))], "");
        self.run(&request)
            .await
            .0
            .map_err(|error| error.to_string())
    }
}

#[tokio::test]
async fn one_unambiguous_date_proves_the_order_of_the_column() {
    for (dates, expected) in [
        (
            &["03/04/2026", "03/25/2026", "05/06/2026"][..],
            "2026-03-04 2026-03-25 2026-05-06",
        ),
        (
            &["03/04/2026", "25/03/2026", "05/06/2026"],
            "2026-04-03 2026-03-25 2026-06-05",
        ),
        (&["03-04-2026", "13-01-2026"], "2026-04-03 2026-01-13"),
        (&["3/4/26", "3/25/26 8:15 AM"], "2026-03-04 2026-03-25"),
        // The bench's today is 2026-11-20: a date in December would be later than tomorrow.
        (&["10/12/2026", "01/02/2026"], "2026-10-12 2026-01-02"),
        (&["12/10/2026", "01/02/2026"], "2026-10-12 2026-02-01"),
        // Dots mean day first, and prove nothing about other marks.
        (
            &["03.04.2026", "13/01/2026", "01/02/2026"],
            "2026-04-03 2026-01-13 2026-02-01",
        ),
        (&["03.04.2026"], "2026-04-03"),
        (&["07/07/2026"], "2026-07-07"),
    ] {
        let bench = bench().await;
        let report = bench.import_dates(dates).await.unwrap();
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
    let (one, two) = (
        sheet(&["03/04/2026"]),
        sheet(&["25/03/2026"]).replace("r1", "r2"),
    );
    let request = request_for([bench.file("one.csv", one), bench.file("two.csv", two)], "");
    bench.run(&request).await.0.unwrap();
    assert_eq!(days(&bench), "2026-04-03 2026-03-25");
}

#[tokio::test]
async fn two_orders_in_a_column_refuse_the_file_with_a_line_of_each() {
    let bench = bench().await;
    let refusal = bench
        .import_dates(&["03/04/2026", "13/01/2026", "01/25/2026"])
        .await
        .unwrap_err();
    assert_has(&refusal, "t.csv:4: 01/25/2026 is month first");
    assert_has(&refusal, "t.csv:3: 13/01/2026 is day first");
    assert_eq!(bench.change_no().await, 0);
}

#[tokio::test]
async fn an_order_is_kept_and_a_date_of_the_other_refuses_the_file() {
    let bench = bench().await;
    bench.import_dates(&["13/01/2026"]).await.unwrap();
    bench
        .import_dates(&["13/01/2026", "03/04/2026"])
        .await
        .unwrap();
    assert_eq!(days(&bench), "2026-01-13 2026-04-03");
    let refusal = bench
        .import_dates(&["13/01/2026", "03/04/2026", "03/25/2026"])
        .await
        .unwrap_err();
    assert_has(&refusal, "two orders");
    let refusal = bench.import_dates(&["03/25/2026"]).await.unwrap_err();
    assert_has(
        &refusal,
        "03/25/2026 in date is month first, but the last import read that column day first",
    );
    assert_has(&refusal, "--date-format %m/%d/%Y");
    // With the option the column is read so from now on.
    let request = request_for(
        [bench.file("t.csv", sheet(&["03/25/2026"]))],
        "--date-format %m/%d/%Y",
    );
    bench.run(&request).await.0.unwrap();
    bench
        .import_dates(&["03/25/2026", "01/02/2026"])
        .await
        .unwrap();
    assert_eq!(days(&bench), "2026-03-25 2026-01-02");
}

#[tokio::test]
async fn the_country_decides_and_the_output_says_so() {
    for (country, order, day) in [
        ("US", "month first", "2026-03-04"),
        ("DE", "day first", "2026-04-03"),
    ] {
        let bench = bench().await;
        bench.set_country(country);
        let request = request_for([bench.file("t.csv", sheet(&["03/04/2026"]))], "");
        let (report, watch) = bench.watch(&request).await;
        assert_eq!(counts(&report.unwrap()), (1, 0, 0, 0));
        assert_eq!(days(&bench), day);
        let expected = format!("dates in date: {order} (as in the business's country, {country})");
        assert_eq!(watch.tables[0].notes, [expected]);
    }
}

#[tokio::test]
async fn a_date_format_is_used_or_refused() {
    let header = COLUMNS_OF_AN_EXPORT;
    let export = format!(
        "{header}\nx1,4,10/19/2025,Bo,Good.,published,,\nx2,4,10/07/2025,Cy,Good.,published,,\n"
    );
    let bench = bench().await;
    let refusal = bench.refusal(&export).await;
    assert_has(
        &refusal,
        "a spreadsheet has changed the dates of this export (10/19/2025); pass --date-format %m/%d/%Y",
    );
    for format in ["%m/%d/%Y", "mm/dd/yyyy", "M/D/YYYY"] {
        let report = bench.csv(&export, &format!("--date-format {format}")).await;
        assert_eq!(report.rejected, 0, "{format}");
        assert_eq!(days(&bench), "2025-10-19 2025-10-07", "{format}");
    }
    for (content, format, expected) in [
        (
            native(&json!({})).to_string(),
            "%m/%d/%Y",
            "is in the format jsonl, whose dates have one form; leave --date-format out",
        ),
        (
            page(&[google(1, "a", &json!({}))]),
            "%m/%d/%Y",
            "is in the format google, whose dates have one form; leave --date-format out",
        ),
        (
            sheet(&["1"]),
            "dd/mm/jjjj",
            "write it like %m/%d/%Y or mm/dd/yyyy",
        ),
    ] {
        let refusal = bench
            .refused(content, &format!("--date-format {format}"))
            .await;
        assert_has(&refusal, expected);
    }
}

/// Headers of an exported table, without those that the tests leave empty.
const COLUMNS_OF_AN_EXPORT: &str = "id,rating,date,author,text,status,decided,deleted";

#[tokio::test]
async fn instants_of_scripts_and_scrapers_are_read() {
    for [date, day] in table(
        "
            Mon Aug 10 2015 14:16:38 GMT+0000 (GMT) → 2015-08-10
            Tue Aug 11 2015 03:16:38 GMT+0000 (Coordinated Universal Time) → 2015-08-10
            Wed Aug 12 2015 14:16:38 GMT-0700 (Mountain Standard Time) → 2015-08-12
            1773079440392918 → 2026-03-09
            1773079440392 → 2026-03-09
        ",
    ) {
        let (bench, _, rejections) = import_into_new(sheet(&[date]), "").await;
        assert_eq!(rejections, [], "{date}");
        assert_eq!(days(&bench), day, "{date}");
    }
}

#[tokio::test]
async fn dates_read_in_the_other_order_move_the_reviews() {
    let bench = bench().await;
    let table =
        "rating,date,author,text\n5,03/04/2025,Ann,Fine work on the roof\n4,05/04/2025,Bo,\n";
    let request = |format: &str| {
        request_for(
            [bench.file("t.csv", table)],
            &format!("--date-format '{format}'"),
        )
    };
    bench.run(&request("%d/%m/%Y")).await.0.unwrap();
    // Without a text it is not sure that both are one.
    for counted in [(1, 1, 0, 0), (0, 0, 2, 0)] {
        let report = bench.run(&request("%m/%d/%Y")).await.0.unwrap();
        assert_eq!(counts(&report), counted);
    }
    let select = "select group_concat(author || ' ' || reviewed_on, ', ') from (select * from review order by author, reviewed_on)";
    assert_eq!(
        bench.sql(select),
        "Ann 2025-03-04, Bo 2025-04-05, Bo 2025-05-04"
    );
}

#[tokio::test]
async fn a_date_format_that_is_none_is_refused() {
    for format in ["", "%!", "%d/%", "%q", "%d.%m."] {
        let bench = bench().await;
        let refusal = bench
            .refused(
                "Date,Name,Stars,Comment\n2026-03-01,Ann,5,Neat\n",
                &format!("--date-format '{format}'"),
            )
            .await;
        assert_has(&refusal, "is no format of a whole day; write it like");
    }
}

#[tokio::test]
async fn dates_with_a_time_are_read_in_the_order_of_the_column() {
    for time in [", 14:05 Uhr", " 14.05.33", " 2:05 PM EST", " 14:05 GMT+2"] {
        let bench = bench().await;
        bench.set_time_zone("UTC").await;
        let content = format!(
            "Date,Name,Stars,Comment\n\"25/03/2026{time}\",Ann,5,Neat\n\"03/04/2026{time}\",Bo,4,Late\n"
        );
        let (report, rejections) = bench.take(content).await;
        assert_eq!((report.new, rejections), (2, vec![]), "{time}");
        let found = bench.sql("select reviewed_on from review where author = 'Bo'");
        assert_eq!(found, "2026-04-03", "{time}");
    }
}
