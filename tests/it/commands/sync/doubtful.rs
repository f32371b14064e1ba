//! Doubtful rows of entries.

use super::*;

/// The row of this number as a sheet has it, without an ID: each guest wrote once.
pub fn sheet_row(number: usize, text: &str) -> String {
    format!("Guest {number},5,2026-10-{:02},{text}", number + 1)
}

/// The first rows as they were at first.
pub fn rows_of(count: usize) -> Vec<String> {
    let row = |it| sheet_row(it, &format!("Loaf number {it} was warm and good"));
    (0..count).map(row).collect()
}

pub fn sheet_of(rows: &[String]) -> String {
    format!("author,rating,date,text\n{}\n", rows.join("\n"))
}

/// The owner replies to the review of a guest, so that another text of it is doubtful.
pub fn reply_to(home: &Home, guest: &str) {
    let reply = format!("reply_text = 'Thanks.' where author = '{guest}'");
    home.sql(&format!("update review set {reply}"));
}

/// A home with the entry `sheet` of this many rows, and its site.
pub fn with_sheet(count: usize) -> (Home, Site) {
    let (home, site) = (home(), csv_site(&sheet_of(&rows_of(count))));
    add(&home, "sheet", &site.url("/r"), "").done();
    (home, site)
}

/// Runs the entry `sheet`; asserts the exit code, the number of all reviews, and that of the doubtful rows.
#[track_caller]
fn run_sheet(home: &Home, options: &str, expected: (i32, usize, usize)) -> CommandOutput {
    let run = home.run(format!("sync run sheet {options}"));
    let reviews = count(home, "true").parse().unwrap();
    let doubtful = column(home, "last_import ->> 'doubtful'").parse().unwrap();
    let found = (run.code.unwrap(), reviews, doubtful);
    assert_eq!(found, expected, "{options}: {}{}", run.out, run.err);
    run
}

/// The doubtful rows as `status` and `sync list` count them.
#[track_caller]
fn doubtful_counts(home: &Home, expected: u64) {
    for words in ["status", "sync list"] {
        let text = home.run(words).out;
        let is_shown = text.contains(&format!(", {expected} doubtful"));
        assert_eq!(is_shown, expected > 0, "{words}: {text}");
    }
}

#[test]
fn scheduled_run_with_a_doubtful_row_is_a_success() {
    let (home, site) = with_sheet(20);
    reply_to(&home, "Guest 3");
    let mut rows = rows_of(19);
    // Rewritten, so that it may be another review by that guest.
    rows[3] = sheet_row(3, "It leaked twice since Monday");
    let sheet = sheet_of(&rows);
    site.answer(move |request| match request.header("if-none-match") {
        "\"v1\"" => SiteAnswer::status(304),
        _ => SiteAnswer::csv(&*sheet).with("ETag: \"v1\""),
    });
    let serving = home.serve();
    for _ in 1..=3 {
        make_due(&home);
        wait_for_success(&home, "sheet");
        doubtful_counts(&home, 1);
        // The doubtful row may be the review of Guest 3; that of the last one is gone.
        assert_eq!(home.json("sync list --json")[0]["gone"], 1);
        home.run_ok(
            "status",
            "lacks; `reviews sync run sheet --doubtful new` or",
        );
    }
    has(&home, 1, "author = 'Guest 3' and status = 'published'");
    let run = run_sheet(&home, "", (1, 20, 1));
    assert_has(&run.out, "Guest 3, 2026-10-04: may be ");
    assert!(!run.out.contains("/page 1"), "{}", run.out);
    for (options, part) in [("--doubtful new", "1 new"), ("", "0 new")] {
        let run = run_sheet(&home, options, (0, 21, 0));
        assert_has(&run.out, part);
        doubtful_counts(&home, 0);
    }
    serving.wait_for("/reviews.json", "It leaked twice");
}

#[test]
fn doubtful_row_of_a_page_is_settled_as_it_is_named() {
    let site_of = |last: &str| {
        let page = |rows: [(usize, &str); 2]| {
            sheet_of(&rows.map(|(number, text)| sheet_row(number, text)))
        };
        let first = page([(0, "Warm bread and good butter"), (1, "Nice and quiet")]);
        let second = page([(2, "Fresh every morning"), (3, last)]);
        move |request: &SiteRequest| match query(request, "page") {
            None => SiteAnswer::csv(&*first).with("Link: </r?page=2>; rel=\"next\""),
            Some(_) => SiteAnswer::csv(&*second),
        }
    };
    let (home, site) = (home(), Site::start(site_of("As good as ever")));
    add(&home, "sheet", &site.url("/r"), "").done();
    reply_to(&home, "Guest 3");
    site.answer(site_of("It leaked twice"));
    let run = run_sheet(&home, "", (1, 4, 1));
    let named = run.out.lines().find(|line| line.contains("Guest 3"));
    assert_has(named.unwrap(), "page 2:3: Guest 3, 2026-10-04: may be ");
    home.run("sync run --doubtful new").failed("<NAME>");
    let preview = home.run("sync run sheet --dry-run --doubtful new");
    assert_has(&preview.out, "1 new");
    run_sheet(&home, "--doubtful new", (0, 5, 0));
}
