//! What a run may change: whole runs, withdrawals, and rejected rows.

use super::*;

/// Runs all sources once for each number, which is that of the withheld reviews afterwards. The site has `count` reviews.
#[track_caller]
fn run_each(home: &Home, site: &Site, count: usize, numbers: &[usize]) -> CommandOutput {
    answer_with(site, count);
    let mut last = None;
    for expected in numbers {
        let run = sync(home);
        run.done();
        assert_eq!(withheld(home), expected.to_string(), "{}", run.out);
        last = Some(run);
    }
    last.unwrap()
}

#[test]
fn review_is_withheld_after_two_whole_runs_without_it() {
    let (home, site) = added(20, &["--withdraw-missing"]);
    run_each(&home, &site, 19, &[0, 1]);
    // Published again when it is back.
    run_each(&home, &site, 20, &[0]);
    run_each(&home, &site, 19, &[0, 1]);
    // What the owner publishes again stays so, and makes no run that could be undone.
    home.run("publish g19").done();
    let runs = home.sql("select count(*) from import_run");
    run_each(&home, &site, 19, &[0, 0, 0]);
    home.finds("select count(*) from import_run", &runs);
}

#[test]
fn run_with_fewer_reviews_is_taken_as_it_is_by_the_command() {
    let (home, site) = added(40, &["--withdraw-missing"]);
    let run = run_each(&home, &site, 30, &[0, 0, 0]);
    for shown in [run.out, home.run("sync list").out] {
        assert_has(&shown, "not whole");
    }
    let taken = home.run("sync run google --yes");
    let ids: Vec<String> = (30..40).map(|number| format!("g{number}")).collect();
    let named = format!(
        "10 withdrawn, no longer listed by the source: {}",
        ids.join(", ")
    );
    assert_has(&taken.out, &named);
    // It is the last whole run then, and what the owner accepted does not count as withheld in a day.
    run_each(&home, &site, 27, &[10, 13]);
    assert_eq!(column(&home, "last_outcome"), "success");
}

#[test]
fn no_more_than_a_tenth_or_three_are_withheld_in_a_day() {
    let (home, site) = added(20, &["--withdraw-missing"]);
    run_each(&home, &site, 17, &[0, 3]);
    for count in [14, 13] {
        let run = run_each(&home, &site, count, &[3, 3]);
        assert_has(&run.out, "--yes");
    }
    home.run("sync run google --yes").done();
    assert_eq!(withheld(&home), "7");
}

#[test]
fn run_with_less_than_the_source_says_is_not_whole() {
    let (home, site) = added(20, &["--withdraw-missing"]);
    for (total, header, outcome) in [
        (20, "X-A: b", "short"),
        (19, "X-Total-Count: 20", "short"),
        (19, "X-A: b", "success"),
    ] {
        site.answer(move |_| google_page(0..19, None, total).with(header));
        sync(&home).done();
        assert_eq!(column(&home, "last_outcome"), outcome);
    }
    assert_eq!(withheld(&home), "0");
    site.answer(|_| google_page(0..5, None, 9));
    let added = add(&home, "other", &site.url("/other"), &[]);
    added.done();
    assert_has(&added.out, "not whole");
}

#[test]
fn review_that_another_source_has_is_not_withheld() {
    let (home, site) = added(20, &["--withdraw-missing"]);
    let other = google_site(20);
    add(&home, "other", &other.url("/r"), &[]).done();
    run_each(&home, &site, 19, &[0, 0, 0]);
    run_each(&home, &other, 19, &[0, 1]);
}

#[test]
fn changed_source_withholds_earlier_reviews_of_the_same_place() {
    let (home, site) = added(20, &[]);
    let option = ["--withdraw-missing"];
    answer_with(&site, 19);
    add(&home, "google", &site.url("/r"), &option).done();
    run_each(&home, &site, 19, &[1]);
    let url = site.url("/other");
    site.answer(|_| google_page(100..105, None, 5));
    add(&home, "google", &url, &option).done();
    for _ in 0..3 {
        sync(&home).done();
    }
    assert_eq!([withheld(&home), count(&home, "true")], ["1", "25"]);
}

#[test]
fn run_with_a_tenth_rejected_or_of_another_kind_imports_nothing() {
    let (home, site) = added(30, &[]);
    site.answer(|_| SiteAnswer::value(&json!([row(APIFY, 1)])));
    sync(&home).failed("another kind of file");
    site.answer(|_| {
        let mut rows: Vec<Value> = (0..40).map(|number| row(GOOGLE, number)).collect();
        for row in &mut rows[..5] {
            row["starRating"] = "TEN".into();
        }
        SiteAnswer::value(&json!({"reviews": rows}))
    });
    sync(&home).failed("5 of 40 rows");
    has(&home, 30, "true");
    let taken = home.run("sync run google --yes");
    assert_eq!(taken.code, Some(1), "{}", taken.err);
    has(&home, 40, "true");
}

#[test]
fn undo_of_a_run_pauses_the_source() {
    let (home, site) = added(2, &[]);
    sync(&home).done();
    let runs = "select count(*) from import_run";
    home.finds(runs, "1");
    answer_with(&site, 4);
    sync(&home).done();
    home.run_ok("undo", "`reviews sync resume google`");
    assert_eq!([count(&home, "true"), column(&home, "paused")], ["2", "1"]);
    sync(&home).failed("`reviews sync resume NAME` fetches one");
    home.run("sync resume google").done();
    sync(&home).done();
    has(&home, 4, "true");
    home.run_ok("sync pause google", "`reviews sync resume google`");
}

#[test]
fn undo_of_a_run_takes_back_the_last_whole_run() {
    let (home, site) = added(40, &["--withdraw-missing"]);
    site.answer(|_| SiteAnswer::json("[]"));
    home.run("sync run google --yes").done();
    assert_eq!(withheld(&home), "40");
    home.run("undo --source Google").done();
    home.run("sync resume google").done();
    sync(&home).done();
    sync(&home).done();
    for (count, outcome) in [(35, "short"), (36, "success")] {
        run_each(&home, &site, count, &[0]);
        assert_eq!(column(&home, "last_outcome"), outcome, "{count} of 40");
    }
}

#[test]
fn platform_that_hides_more_than_a_tenth_is_not_taken_unasked() {
    let hidden = |count: usize| {
        let rows = (0..40).map(move |number| {
            let status = if number < count { "foo" } else { "approved" };
            json!({"id": number, "date_created": "2026-10-01T10:00:00", "date_created_gmt": "2026-10-01T10:00:00", "product_id": 3,
                "status": status, "reviewer": format!("Ann {number}"), "review": format!("Sturdy {number}"), "rating": 5, "verified": true})
        });
        SiteAnswer::value(&rows.collect::<Value>())
    };
    let (home, site) = (home(), Site::start(move |_| hidden(0)));
    add(&home, "shop", &site.url("/r"), &[]).done();
    site.answer(move |_| hidden(4));
    sync(&home).done();
    assert_eq!(withheld(&home), "4");
    site.answer(move |_| hidden(40));
    sync(&home).failed("--accept-changes");
    assert_eq!(withheld(&home), "4");
    home.run("sync run shop --accept-changes").done();
    assert_eq!(withheld(&home), "40");
}
