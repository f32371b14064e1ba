//! Doubtful rows and mass changes of sources that are fetched.

use super::*;

/// The row of this number as a sheet has it, without an ID: each guest wrote once.
fn sheet_row(number: usize, stars: usize, text: &str) -> String {
    format!("Guest {number},{stars},2026-10-{:02},{text}", number + 1)
}

/// The rows of these numbers as they first were.
fn rows_of(numbers: impl IntoIterator<Item = usize>) -> Vec<String> {
    let text = |number| format!("Loaf number {number} was warm and good");
    let numbers = numbers.into_iter();
    numbers
        .map(|number| sheet_row(number, 5, &text(number)))
        .collect()
}

fn sheet_of(rows: &[String]) -> String {
    format!("author,rating,date,text\n{}\n", rows.join("\n"))
}

fn answer_of(rows: &[String]) -> SiteAnswer {
    SiteAnswer::csv(sheet_of(rows))
}

/// Answers with these rows from now on.
fn give(site: &Site, rows: Vec<String>) {
    site.answer(move |_| answer_of(&rows));
}

/// Rows of which the fourth, in line 5, was rewritten: it may be another review by that guest.
fn doubtful_rows(count: usize) -> Vec<String> {
    let mut rows = rows_of(0..count);
    rows[3] = sheet_row(3, 5, "It leaked twice since Monday");
    rows
}

/// A home with the source `sheet` of this many rows, and its site.
fn with_sheet(count: usize, options: &[&str]) -> (Home, Site) {
    let (home, site) = (home(), Site::start(move |_| answer_of(&rows_of(0..count))));
    add(&home, "sheet", &site.url("/r"), options, &[]).done();
    (home, site)
}

/// Runs the source `sheet`; asserts the exit code, the number of all reviews, and that of the doubtful rows.
#[track_caller]
fn run_sheet(home: &Home, options: &str, expected: (i32, usize, usize)) -> CommandOutput {
    let run = home.run(&*format!("sync run sheet {options}"));
    let reviews = count(home, "true").parse().unwrap();
    let doubtful = column(home, "last_doubtful").parse().unwrap();
    let found = (run.code.unwrap(), reviews, doubtful);
    assert_eq!(found, expected, "{options}: {}{}", run.out, run.err);
    run
}

/// The doubtful rows as `status`, `sync list` and the metric count them.
fn doubtful_counts(home: &Home, serving: &Serving, expected: u64) {
    let json = |words: &str| -> Value { serde_json::from_str(&home.run(words).out).unwrap() };
    let (status, listed) = (json("status --json"), json("sync list --json"));
    assert_eq!(status["sync"][0]["doubtful"], expected, "{status}");
    assert_eq!(listed[0]["doubtful"], expected, "{listed}");
    for (words, shown) in [
        ("status", format!(", {expected} doubtful row")),
        ("sync list", format!(", {expected} doubtful")),
    ] {
        let text = home.run(words).out;
        let of_source = |line: &&str| line.contains("every 6h") || line.contains("last success");
        let text: String = text.lines().filter(of_source).collect();
        let has = text.contains(&shown) || (expected == 0 && !text.contains("doubtful"));
        assert!(has, "{words}: {text}");
    }
    let metric = format!("reviews_sync_doubtful_rows{{source=\"sheet\"}} {expected}\n");
    serving.wait_for("/metrics", &metric);
}

#[test]
fn doubtful_row_is_present_and_stops_no_withdrawal() {
    let (home, site) = with_sheet(20, &["--withdraw-missing"]);
    let mut rows = doubtful_rows(20);
    rows.pop();
    give(&site, rows);
    for expected in ["0", "1", "1"] {
        let run = run_sheet(&home, "", (1, 20, 1));
        assert_has(&run.out, "Guest 3, 2026-10-04: may be ");
        assert!(!run.out.contains("/page 1"), "{}", run.out);
        assert_eq!(column(&home, "last_outcome"), "success");
        assert_eq!(withheld(&home), expected);
    }
    has(&home, 1, "status = 'withheld' and author = 'Guest 19'");
    has(&home, 0, "text glob 'It leaked*'");
}

#[test]
fn scheduled_run_with_a_doubtful_row_is_a_success() {
    let (home, site) = with_sheet(20, &["--withdraw-missing"]);
    let mut rows = doubtful_rows(20);
    rows.pop();
    // The answer stays the same.
    site.answer(move |request| match request.header("if-none-match") {
        "\"v1\"" => SiteAnswer::status(304),
        _ => answer_of(&rows).with("ETag: \"v1\""),
    });
    let serving = home.serve();
    for runs in 1..=3 {
        make_due(&home);
        serving.wait_for("/metrics", &runs_of("sheet", "success", runs));
        doubtful_counts(&home, &serving, 1);
    }
    has(&home, 1, "status = 'withheld'");
    has(&home, 1, "author = 'Guest 3' and status = 'published'");
    let [settled, again] = ["--doubtful new", ""].map(|options| {
        let run = run_sheet(&home, options, (0, 21, 0));
        doubtful_counts(&home, &serving, 0);
        run.out
    });
    assert_has(&settled, "1 new");
    assert_has(&again, "1 withdrawn, no longer listed");
    serving.wait_for("/reviews.json", "It leaked twice");
}

#[test]
fn doubtful_row_is_settled_by_the_command() {
    for (option, reviews) in [("new", 7), ("same", 6), ("5=new", 7), ("5=same", 6)] {
        let (home, site) = with_sheet(6, &[]);
        give(&site, doubtful_rows(6));
        run_sheet(&home, "", (1, 6, 1));
        let other = run_sheet(&home, "--doubtful 6=new", (1, 6, 1));
        assert_has(&other.out, "--doubtful 6=new: that row is not doubtful");
        run_sheet(&home, &format!("--doubtful {option}"), (0, reviews, 0));
        let again = run_sheet(&home, "", (0, reviews, 0));
        assert_has(&again.out, "6 unchanged");
        assert_eq!(count(&home, "text glob 'It leaked*'"), "1", "{option}");
    }
}

#[test]
fn doubtful_row_is_settled_of_one_named_source_only() {
    let (home, site) = with_sheet(6, &[]);
    give(&site, doubtful_rows(6));
    for option in ["new", "same", "5=new"] {
        let refused = home.run(&["sync", "run", "--doubtful", option]);
        refused.failed("<NAME>");
    }
    run_sheet(&home, "--doubtful maybe", (2, 6, 0)).failed("write new, same, LINE=new");
    let preview = home.run("sync run sheet --dry-run --doubtful new");
    assert_has(&preview.out, "1 new");
    run_sheet(&home, "", (1, 6, 1));
}

#[test]
fn doubtful_row_of_a_page_is_settled_as_it_is_named() {
    let page = |rows: &[(usize, &str)]| -> Value {
        let row = |(number, text): &(usize, &str)| json!({"author": format!("Guest {number}"), "rating": 5, "date": format!("2026-10-1{number}"), "text": text});
        rows.iter().map(row).collect()
    };
    let site_of = |second: Value| {
        let first = page(&[
            (0, "Warm bread and good butter"),
            (1, "Nice and quiet there"),
        ]);
        move |request: &SiteRequest| match query(request, "page") {
            None => SiteAnswer::value(&first).with("Link: </r?page=2>; rel=\"next\""),
            Some(_) => SiteAnswer::value(&second),
        }
    };
    let home = home();
    let site = Site::start(site_of(page(&[
        (2, "Fresh every morning"),
        (3, "As good as ever"),
    ])));
    add(&home, "sheet", &site.url("/r"), &[], &[]).done();
    site.answer(site_of(page(&[
        (2, "Fresh every morning"),
        (3, "It leaked twice"),
    ])));
    let run = run_sheet(&home, "", (1, 4, 1));
    let named = run.out.lines().find(|line| line.contains("Guest 3"));
    assert_has(named.unwrap(), "page 2:");
    assert_has(named.unwrap(), "[1]: Guest 3, 2026-10-13: may be ");
    run_sheet(&home, "--doubtful 1=new", (2, 4, 1)).failed("FILE:1=new");
    run_sheet(&home, "--doubtful 'page 1:1=new'", (1, 4, 1));
    run_sheet(&home, "--doubtful 'page 2:1=new'", (0, 5, 0));
}

#[test]
fn mass_change_is_imported_only_if_it_is_accepted() {
    let changed = || {
        let mut rows = rows_of(0..10);
        for (number, row) in rows.iter_mut().enumerate().take(6) {
            let text = format!("Loaf number {number} was warm and private");
            *row = sheet_row(number, 5, &text);
        }
        rows
    };
    let taken = "text glob '*private'";
    let reason = "6 of 10 reviews";
    let (home, site) = with_sheet(10, &[]);
    let serving = home.serve();
    give(&site, changed());
    for options in ["", "--yes", "--dry-run"] {
        let run = home.run(&*format!("sync run sheet {options}"));
        run.failed("`reviews sync run sheet --accept-changes` takes it");
        assert_has(&run.err, reason);
        assert_has(&run.err, "was warm and private");
        has(&home, 0, taken);
    }
    make_due(&home);
    serving.wait_for("/metrics", &runs_of("sheet", "failure", 1));
    assert_eq!(
        [count(&home, taken), column(&home, "last_outcome")],
        ["0", "failure"]
    );
    let failure = column(&home, "last_failure");
    assert_has(&failure, reason);
    assert_has(&failure, "--accept-changes");
    assert!(!failure.contains("private"), "no rows: {failure}");
    home.run("sync run sheet --accept-changes").done();
    assert_eq!([count(&home, taken), count(&home, "true")], ["6", "10"]);
    serving.wait_for("/reviews.json", "was warm and private");
    home.run("sync run sheet").done();
    assert_eq!(column(&home, "last_outcome"), "success");
}

#[test]
fn source_that_changes_most_reviews_is_added_if_accepted() {
    let home = home();
    home.file("sheet.csv", &sheet_of(&rows_of(0..10)));
    home.run("import sheet.csv").done();
    let row = |number| {
        sheet_row(
            number,
            1,
            &format!("Loaf number {number} was warm and good"),
        )
    };
    let rows: Vec<String> = (0..10).map(row).collect();
    let site = Site::start(move |_| answer_of(&rows));
    let refused = add(&home, "sheet", &site.url("/r"), &[], &[]);
    refused.failed("nothing was stored: sheet");
    assert_has(
        &refused.err,
        "look at the source; --accept-changes takes it",
    );
    assert_eq!(
        [count(&home, "rating = 1"), column(&home, "name")],
        ["0", ""]
    );
    add(&home, "sheet", &site.url("/r"), &["--accept-changes"], &[]).done();
    has(&home, 10, "rating = 1");
    home.run("sync run sheet").done();
}

#[test]
fn sheet_that_was_imported_by_hand_is_not_doubled_or_doubtful() {
    let home = home();
    home.file("sheet.csv", &sheet_of(&rows_of(0..10)));
    home.run("import sheet.csv").done();
    home.run(&["withhold", &id_of(&home, 4), "--reason", "spam"])
        .done();
    let deleted = home.run(&["delete", &id_of(&home, 5), "--yes"]);
    deleted.done();
    let site = Site::start(|_| answer_of(&rows_of(0..10)));
    let added = add(
        &home,
        "sheet",
        &site.url("/r"),
        &["--withdraw-missing"],
        &[],
    );
    added.done();
    for _ in 0..3 {
        let run = run_sheet(&home, "", (0, 9, 0));
        assert_has(&run.out, "0 new");
    }
    home.run("import sheet.csv").done();
    assert_eq!([count(&home, "true"), withheld(&home)], ["9", "1"]);
}

fn id_of(home: &Home, number: usize) -> String {
    let select = format!("select review_id from review where author = 'Guest {number}'");
    home.sql(&select).trim().to_owned()
}

#[test]
fn row_with_other_stars_of_a_partial_source_is_new_or_doubtful() {
    let (home, site) = with_sheet(6, &["--partial"]);
    home.run(&["withhold", &id_of(&home, 2), "--reason", "spam"])
        .done();
    let with_stars = |number| {
        sheet_row(
            number,
            2,
            &format!("Loaf number {number} was warm and good"),
        )
    };
    give(&site, vec![with_stars(1), with_stars(2)]);
    run_sheet(&home, "", (1, 7, 1));
    has(&home, 2, "author = 'Guest 1'");
    has(&home, 0, "author = 'Guest 2' and status = 'published'");
    run_sheet(&home, "--doubtful same", (0, 7, 0));
    run_sheet(&home, "", (0, 7, 0));
    has(&home, 0, "author = 'Guest 2' and status = 'published'");
}

#[test]
fn review_that_a_row_was_not_stays_though_no_run_brought_it() {
    let home = home();
    home.file("sheet.csv", &sheet_of(&rows_of(3..4)));
    home.run("import sheet.csv").done();
    let site = Site::start(|_| answer_of(&doubtful_rows(20)));
    let added = add(
        &home,
        "sheet",
        &site.url("/r"),
        &["--withdraw-missing"],
        &[],
    );
    assert_eq!(added.code, Some(1), "{}{}", added.out, added.err);
    run_sheet(&home, "--doubtful new", (0, 21, 0));
    for _ in 0..3 {
        run_sheet(&home, "", (0, 21, 0));
    }
    assert_eq!(withheld(&home), "0");
}
