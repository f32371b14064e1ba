//! Columns of fetched tables: decided when a source is added, and never by a run.

use super::*;

/// A sheet with a column that says whether a review may be published.
fn sheet_of(values: &[&str]) -> String {
    let row = |(number, value): (usize, &&str)| {
        let day = number % 28 + 1;
        format!("Guest {number},5,2026-10-{day:02},Loaf number {number} was warm,{value}\n")
    };
    let rows: String = values.iter().enumerate().map(row).collect();
    format!("author,rating,date,text,Publish\n{rows}")
}

/// The sheet with a further column.
fn with_city(sheet: &str) -> String {
    let line = |(number, line): (usize, &str)| match number {
        0 => format!("{line},City\n"),
        _ => format!("{line},Hidden Lane\n"),
    };
    sheet.lines().enumerate().map(line).collect()
}

/// Answers with this table from now on.
fn give(site: &Site, body: &str) {
    let body = body.to_owned();
    site.answer(move |_| SiteAnswer::csv(&*body));
}

fn site_with(body: &str) -> Site {
    let body = body.to_owned();
    Site::start(move |_| SiteAnswer::csv(&*body))
}

/// Adds the source `sheet`, whose reviews are public where Publish is yes.
fn add_sheet(home: &Home, site: &Site, options: &[&str]) {
    let options = [&["--public", "Publish=yes"], options].concat();
    add(home, "sheet", &site.url("/r"), &options, &[]).done();
}

/// A home with the source `sheet`, of which 20 reviews are public, and its site.
fn with_sheet(options: &[&str]) -> (Home, Site) {
    let (home, site) = (home(), site_with(&sheet_of(&["yes"; 20])));
    add_sheet(&home, &site, options);
    assert_eq!([count(&home, "true"), withheld(&home)], ["20", "0"]);
    (home, site)
}

fn kept(home: &Home) -> String {
    home.sql(
        "select header, field, public_values from source_column
         where source_name = 'Direct' and field not glob 'encoding *' order by header",
    )
}

const UNDECIDED_CITY: &str = "the column City is not decided; reviews source columns Direct --public 'City=VALUE' or --ignore 'City' decides it";

/// Asserts that no cell of the sheet is stored or shown as the reason of a failure.
#[track_caller]
fn assert_reason_without_cells(home: &Home) {
    let listed = [&["sync", "list"][..], &["status"]].map(|words| home.run(words).out);
    let shown = format!("{}{}", column(home, "last_failure"), listed.concat());
    for cell in ["Hidden Lane", "Guest", "Loaf number", "maybe"] {
        assert!(!shown.contains(cell), "{cell}: {shown}");
    }
}

#[test]
fn source_with_an_undecided_column_is_not_stored() {
    let (home, site) = (home(), site_with(&sheet_of(&["yes", "no", "yes"])));
    let url = site.url("/r");
    for consent in [&[][..], &["--yes"]] {
        let words = [&["sync", "add", "sheet", &url, "--every", "30m"], consent].concat();
        let refused = home.run(&words);
        refused.failed("--public 'COLUMN=VALUE'");
        assert_has(&refused.err, "reviews sync add sheet ");
        assert_has(&refused.err, &url);
        assert_has(&refused.err, "--every 30m");
        assert_has(&refused.err, "Publish");
        assert_eq!(
            [column(&home, "name"), count(&home, "true"), kept(&home)],
            ["", "0", ""]
        );
    }
    // The words of the command as printed decide nothing.
    add(&home, "sheet", &url, &["--public", "COLUMN=VALUE"], &[]).failed("Publish");
    assert_eq!(
        [column(&home, "name"), count(&home, "true"), kept(&home)],
        ["", "0", ""]
    );
    add(&home, "sheet", &url, &["--public", "Publish=yes"], &[]).done();
    assert_eq!([count(&home, "true"), withheld(&home)], ["3", "1"]);
    assert_has(&kept(&home), "Publish|public|[\"yes\"]");
    sync(&home).done();
}

#[test]
fn source_is_stored_after_answers_at_a_terminal() {
    let (home, site) = (home(), site_with(&sheet_of(&["yes", "no", "yes"])));
    let url = site.url("/r");
    let words = ["sync", "add", "sheet", &url];
    let left = home.at_terminal(&words, &["5", ""]);
    assert_eq!(left.code, Some(2), "{}{}", left.out, left.err);
    assert_eq!([column(&home, "name"), kept(&home)], ["", ""]);
    let added = home.at_terminal(&words, &["5", "yes", "y"]);
    assert_eq!(added.code, Some(0), "{}{}", added.out, added.err);
    assert_has(
        &added.err,
        "may be published: 5 Publish? Its number; - if none does: ",
    );
    assert_eq!([count(&home, "true"), withheld(&home)], ["3", "1"]);
    assert_has(&kept(&home), "Publish|public|[\"yes\"]");
    sync(&home).done();
}

#[test]
fn run_with_a_new_column_fails_until_it_is_decided() {
    let (home, site) = with_sheet(&[]);
    give(&site, &with_city(&sheet_of(&["yes"; 21])));
    for _ in 0..2 {
        sync(&home).failed(UNDECIDED_CITY);
        has(&home, 20, "true");
        assert_has(&column(&home, "last_failure"), UNDECIDED_CITY);
        assert_reason_without_cells(&home);
    }
    home.run("source columns Direct --ignore City").done();
    sync(&home).done();
    assert_eq!([count(&home, "true"), withheld(&home)], ["21", "0"]);
    assert_has(&kept(&home), "City|ignored|");
}

#[test]
fn scheduled_run_with_a_new_column_fails_until_it_is_decided() {
    let (home, site) = with_sheet(&[]);
    give(&site, &with_city(&sheet_of(&["yes"; 21])));
    make_due(&home);
    let serving = home.serve();
    serving.wait_for("/metrics", &runs_of("sheet", "failure", 1));
    assert_has(&column(&home, "last_failure"), UNDECIDED_CITY);
    assert_reason_without_cells(&home);
    has(&home, 20, "true");
    home.run("source columns Direct --public 'City=Hidden Lane'")
        .done();
    make_due(&home);
    serving.wait_for("/metrics", &runs_of("sheet", "success", 1));
    assert_eq!([count(&home, "true"), withheld(&home)], ["21", "0"]);
}

#[test]
fn run_without_a_kept_column_fails() {
    for header in ["author", "rating", "date", "text", "Publish"] {
        let (home, site) = with_sheet(&[]);
        let sheet = sheet_of(&["yes"; 21]);
        let at = sheet
            .lines()
            .next()
            .unwrap()
            .split(',')
            .position(|other| other == header)
            .unwrap();
        let without = |line: &str| {
            let mut cells: Vec<&str> = line.split(',').collect();
            cells.remove(at);
            format!("{}\n", cells.join(","))
        };
        give(&site, &sheet.lines().map(without).collect::<String>());
        sync(&home).failed(header);
        assert_has(&column(&home, "last_failure"), header);
        assert_reason_without_cells(&home);
        assert_eq!(
            [count(&home, "true"), withheld(&home)],
            ["20", "0"],
            "{header}"
        );
    }
}

/// Twenty values, of which so many are new.
fn values_with_new(count: usize) -> Vec<&'static str> {
    (0..20)
        .map(|number| if number < count { "maybe" } else { "yes" })
        .collect()
}

#[test]
fn few_new_values_withhold_and_many_fail() {
    let (home, site) = with_sheet(&[]);
    give(&site, &sheet_of(&values_with_new(4)));
    let run = sync(&home);
    run.failed("Publish");
    assert_has(&run.err, "--accept-changes");
    assert_reason_without_cells(&home);
    assert_eq!(withheld(&home), "0");
    give(&site, &sheet_of(&values_with_new(3)));
    let run = sync(&home);
    run.done();
    assert_has(
        &format!("{}{}", run.out, run.err),
        "--public 'Publish=VALUE'",
    );
    assert_eq!(withheld(&home), "3");
    has(&home, 3, "withheld_reason = 'not published at the source'");
}

#[test]
fn value_that_only_a_run_has_seen_is_named_by_nobody() {
    let (home, site) = with_sheet(&[]);
    give(&site, &sheet_of(&values_with_new(1)));
    sync(&home).done();
    assert_eq!(withheld(&home), "1");
    give(&site, &sheet_of(&values_with_new(12)));
    sync(&home).failed("Publish");
    assert_eq!(withheld(&home), "1");
}

#[test]
fn accepted_run_withholds_many_new_values() {
    let (home, site) = with_sheet(&[]);
    give(&site, &sheet_of(&values_with_new(12)));
    // `--yes` is for withdrawals and passes no such change.
    home.run("sync run sheet --yes").failed("Publish");
    assert_eq!(withheld(&home), "0");
    home.run("sync run sheet --accept-changes").done();
    assert_eq!(withheld(&home), "12");
    // The decision brings them back.
    home.run("source columns Direct --public Publish=maybe")
        .done();
    sync(&home).done();
    assert_eq!(withheld(&home), "0");
}

#[test]
fn rows_that_a_known_value_withholds_are_no_failure() {
    let mut values = ["yes"; 20];
    values[0] = "no";
    let (home, site) = (home(), site_with(&sheet_of(&values)));
    add_sheet(&home, &site, &[]);
    values[..6].fill("no");
    give(&site, &sheet_of(&values));
    sync(&home).done();
    assert_eq!(withheld(&home), "6");
}

#[test]
fn run_after_a_changed_decision_sends_no_validators() {
    let home = home();
    let sheet = sheet_of(&["yes", "no", "yes"]);
    let site = Site::start(move |request| match request.header("if-none-match") {
        "\"v1\"" => SiteAnswer::status(304),
        _ => SiteAnswer::csv(&*sheet).with("ETag: \"v1\""),
    });
    add_sheet(&home, &site, &[]);
    assert_eq!(withheld(&home), "1");
    home.run("source columns Direct --public Publish=no").done();
    make_due(&home);
    let serving = home.serve();
    serving.wait_for("/metrics", &runs_of("sheet", "success", 1));
    assert_eq!(withheld(&home), "0");
}

#[test]
fn undo_leaves_the_decisions_of_an_added_source() {
    let (home, _site) = with_sheet(&[]);
    let before = kept(&home);
    home.run("undo").done();
    assert_eq!(kept(&home), before);
    home.run("sync resume sheet").done();
    sync(&home).done();
    assert_eq!([count(&home, "true"), withheld(&home)], ["20", "0"]);
}

#[test]
fn member_that_nobody_decided_fails_a_run_of_json() {
    let rows = |more: &str| -> String {
        let row = |number: usize| {
            let mut row = json!({"rating": 5, "date": "2026-10-01", "author": format!("Guest {number}"), "text": format!("Loaf number {number}"), "meta": {"approved": true}});
            if !more.is_empty() {
                row["meta"][more] = "Hidden Lane".into();
            }
            row
        };
        (0..3).map(row).collect::<Value>().to_string()
    };
    let first = rows("");
    let (home, site) = (home(), Site::start(move |_| SiteAnswer::json(&*first)));
    add(&home, "api", &site.url("/r"), &[], &[]).failed("meta.approved");
    assert_eq!([column(&home, "name"), count(&home, "true")], ["", "0"]);
    add(
        &home,
        "api",
        &site.url("/r"),
        &["--public", "meta.approved=true"],
        &[],
    )
    .done();
    let later = rows("place");
    site.answer(move |_| SiteAnswer::json(&*later));
    sync(&home).failed("the column meta.place is not decided");
    assert_reason_without_cells(&home);
    home.run("source columns Direct --ignore meta.place").done();
    sync(&home).done();
    assert_eq!([count(&home, "true"), withheld(&home)], ["3", "0"]);
}

#[test]
fn member_that_a_platform_adds_does_not_fail_a_run() {
    let (home, site) = added(2, &[]);
    site.answer(|_| {
        let mut page = json!({"reviews": [row(GOOGLE, 0), row(GOOGLE, 1)], "totalReviewCount": 2});
        for review in page["reviews"].as_array_mut().unwrap() {
            review["onOurSite"] = false.into();
        }
        SiteAnswer::value(&page)
    });
    let run = sync(&home);
    run.done();
    assert_has(&format!("{}{}", run.out, run.err), "onOurSite");
    assert_eq!([count(&home, "true"), withheld(&home)], ["2", "0"]);
}
