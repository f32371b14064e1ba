//! Runs of entries by a process that is killed, with a clock that was wrong, or through a proxy, and the metrics of entries.

use super::*;
use crate::commands::sync::doubtful;
use crate::commands::sync::schedule::{IS_LATER, hold};
use crate::commands::sync::{
    added, column, count, google_page, google_site, has, home, make_due, query, sync, write_entry,
};

#[test]
fn killed_run_is_not_half_imported_nor_due_at_the_next_start() {
    for words in [&["serve"][..], &["sync", "run", "google"]] {
        let (home, site) = added(1, "");
        let (path, (reached, is_reached)) = (home.path(), mpsc::channel());
        site.answer(move |request| {
            if query(request, "pageToken").is_none() {
                return google_page(0..20, Some("last"), 40);
            }
            let is_later = format!("select {IS_LATER} from sync_state");
            let _ = reached.send(sqlite3(&path, &is_later));
            google_page(20..40, None, 40)
        });
        make_due(&home);
        let mut run = home.process(words).spawn().unwrap();
        let is_later = is_reached.recv_timeout(NEVER).unwrap();
        run.kill().unwrap();
        run.wait().unwrap();
        assert_eq!(is_later, "1", "{words:?}: stored before the run began");
        let all: usize = count(&home, "true").parse().unwrap();
        assert!([1, 40].contains(&all), "{all} of 40");
        assert_eq!(column(&home, IS_LATER), "1");
        home.run("check").done();
        home.run("sync run google").done();
        has(&home, 40, "true");
    }
}

#[test]
fn time_that_is_later_than_the_schedule_allows_is_due() {
    let (home, site) = added(1, "");
    let ahead = "strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '+30 days')";
    home.sql(&format!(
        "update sync_state set next_run_at = {ahead}, last_success_at = {ahead}"
    ));
    let gate = hold(&site, 0..1);
    let serving = home.serve_process();
    gate.wait();
    let series = "\nreviews_sync_last_success_timestamp_seconds{source=\"google\"} ";
    serving.wait_for("/metrics", series);
    let figures = serving.get("/metrics");
    let (_, value) = figures.split_once(series).unwrap();
    let success: f64 = value.lines().next().unwrap().parse().unwrap();
    let now: f64 = home.sql("select strftime('%s', 'now')").parse().unwrap();
    assert!(success <= now + 1.0, "{success} is later than {now}");
    drop(gate);
    serving.wait_for("/metrics", &runs_of("google", "success", 1));
    let is_right = "julianday(next_run_at) < julianday('now', '+1 day') and julianday(last_success_at) < julianday('now', '+1 minute')";
    assert_eq!(column(&home, is_right), "1");
}

/// The count of the runs of an entry that this process of the service made.
fn runs_of(name: &str, outcome: &str, count: usize) -> String {
    format!("reviews_sync_runs_total{{outcome=\"{outcome}\",source=\"{name}\"}} {count}\n")
}

#[test]
fn metrics_count_the_runs_of_an_entry_and_the_reviews_that_it_lacks() {
    let (home, site) = added(20, "");
    site.answer(|request| match request.header("if-none-match") {
        "" => google_page(0..5, None, 9).with("ETag: \"v1\""),
        _ => SiteAnswer::status(304),
    });
    sync(&home).done();
    let serving = home.serve_process();
    serving.wait_for("/metrics", "reviews_sync_gone{source=\"google\"} 15\n");
    assert_has(&serving.get("/metrics"), "reviews_sync_config_ok 1\n");
    make_due(&home);
    serving.wait_for("/metrics", &runs_of("google", "unchanged", 1));
    site.answer(|_| google_page(0..5, None, 9));
    make_due(&home);
    serving.wait_for("/metrics", &runs_of("google", "success", 1));
    site.answer(|_| SiteAnswer::status(404));
    make_due(&home);
    serving.wait_for("/metrics", &runs_of("google", "failed", 1));
    site.answer(|_| google_page(0..18, None, 18));
    home.run("sync run google --withdraw-missing").done();
    serving.wait_for("/metrics", "reviews_sync_gone{source=\"google\"} 0\n");
}

#[test]
fn metrics_count_the_doubtful_rows_of_an_entry() {
    let (home, site) = doubtful::with_sheet(20);
    doubtful::reply_to(&home, "Guest 3");
    let mut rows = doubtful::rows_of(20);
    // Rewritten, so that it may be another review by that guest.
    rows[3] = doubtful::sheet_row(3, "It leaked twice since Monday");
    let sheet = doubtful::sheet_of(&rows);
    site.answer(move |_| SiteAnswer::csv(&*sheet));
    let serving = home.serve_process();
    make_due(&home);
    let metric = |count: usize| format!("reviews_sync_doubtful_rows{{source=\"sheet\"}} {count}\n");
    serving.wait_for("/metrics", &metric(1));
    home.run("sync run sheet --doubtful new").done();
    serving.wait_for("/metrics", &metric(0));
}

#[test]
fn a_faulty_file_of_entries_is_a_metric() {
    let home = home();
    home.file("reviews.sync.toml", "[google]\nurl = hush\n");
    let serving = home.serve_process();
    serving.wait_for("/metrics", "reviews_sync_config_ok 0\n");
}

#[test]
fn redirect_from_a_public_to_a_private_address_is_refused() {
    let inner = google_site(1);
    let target = inner.url("/inner");
    // The name is known to the proxy only.
    let proxy = Site::start(|request| {
        assert_eq!(request.target, "http://shop.test/r");
        google_page(0..2, None, 2)
    });
    let home = home();
    // Libraries read these from the process.
    let run = || {
        let mut run = home.process("sync run shop");
        run.env("http_proxy", proxy.origin())
            .env("no_proxy", "127.0.0.1");
        output_of(&mut run)
    };
    write_entry(&home, "shop", "http://shop.test/r", "allow_http = true");
    run().done();
    has(&home, 2, "true");
    proxy.answer(move |_| SiteAnswer::status(302).with(&format!("Location: {target}")));
    run().failed("redirects from a public to a private address");
    assert_eq!(inner.take_targets(), [] as [&str; 0]);
}
