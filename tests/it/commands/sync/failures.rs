//! Runs that fail: what is said of them, and what they leave as it was.

use super::*;

/// Answers that are no reviews: status, body, and the media type. Each has the word hush, which no message may repeat.
const ANSWERS: &str = r#"
    404 → {"error": {"message": "hush"}} → application/json
    403 → <!doctype html><title>hush</title> → text/html; title=hush
    202 → {"status": "hush"} → application/json
    200 → <!doctype html><html><head><title>hush</title></head><body>ann@hush.test</body></html> → text/html
    200 → {"error": {"message": "hush"}, "reviews": []} → application/json
    200 → {"reviews": 5, "technicians": [{"name": "hush", "reviews": 3}]} → application/json
    200 → 2026-03-01,Hush,hush@mail.test,5,hush → text/csv
    200 →  → text/csv
    200 → <feed xmlns="http://www.w3.org/2005/Atom"><title>hush</title></feed> → application/atom+xml
    200 → hush → application/vnd.openxmlformats-officedocument.spreadsheetml.sheet
"#;

#[test]
fn failure_says_the_status_and_no_word_of_the_server() {
    let (home, site) = added(1, "");
    let home = home.with_variable("RUST_LOG", "debug");
    for [status, body, kind] in table(ANSWERS) {
        let code: u16 = status.parse().unwrap();
        site.answer(move |_| {
            let SiteAnswer(_, headers, body) = SiteAnswer::of(kind, body);
            SiteAnswer(code, headers, body)
        });
        site.take_targets();
        let run = sync(&home);
        let none = if code == 200 { ": no" } else { "" };
        let said = format!("status {status}{none}");
        run.failed(&said);
        let asked = site.take_targets();
        assert_eq!(asked, ["/r"], "{status}: it is not tried again");
        assert_has(&column(&home, "last_failure"), &said);
    }
    home.run_err("sync run --dry-run", "nothing can be imported: ");
    has(&home, 1, "true");
    let due = "julianday(next_run_at) between julianday('now', '+5 hours') and julianday('now', '+7 hours')";
    assert_eq!(column(&home, due), "1", "failures stop no schedule");
    make_due(&home);
    let serving = home.serve();
    wait_for_failure(&home, "google");
    home.file("log", &serving.log.text());
    assert_no_trace(&home, &["hush"]);
}

#[test]
fn empty_list_is_a_valid_answer() {
    let one = |_: &SiteRequest| SiteAnswer::value(&json!([row(APIFY, 1)]));
    let (home, site) = (home(), Site::start(one));
    add(&home, "shop", &site.url("/r"), "").done();
    site.answer(|_| SiteAnswer::json("[]"));
    for _ in 0..3 {
        sync(&home).done();
        assert_eq!(column(&home, "last_failure"), "");
    }
    assert_eq!(withheld(&home), "0");
    add(&home, "new", &site.url("/r"), "").done();
    home.file("data.toml", "rows = \"data.reviews\"\n");
    for [format, body, label, none] in table(
        r#"
        judgeme → {"reviews":[],"current_page":1,"per_page":100} → Judge.me → {}
        google → {} → Google Business Profile → <p>
        data.toml → {"data":{"reviews":[]},"total":5} → the source's format → {}
        data.toml → [] → the source's format → {}
        "#,
    ) {
        let (name, key) = (&format[..4], format!("format = \"{format}\""));
        site.answer(move |_| SiteAnswer::json(body));
        let run = add(&home, name, &site.url("/r"), &key);
        run.done();
        assert_has(&run.out, &format!("page 1: {label}"));
        for [body, reason] in table(
            r#"
            {"data":[{}]} → no
            NONE → no reviews found
            <!doctype html><title>Sign in</title> → no reviews found: the answer is a web page, perhaps one to log in
            "#,
        ) {
            let body = if body == "NONE" { none } else { body };
            site.answer(move |_| SiteAnswer::json(body));
            home.run(&["sync", "run", name]).failed(reason);
        }
    }
    let found = "select count(*) from sync_state where last_success_at is not null";
    home.finds(found, "5");
}

#[test]
fn busy_server_is_retried_three_times_within_the_run() {
    let (home, site) = added(1, "");
    for (failures, code) in [(3, 0), (4, 2)] {
        let mut number = 0;
        site.answer(move |_| {
            number += 1;
            let status = if number % 2 == 0 { 503 } else { 429 };
            if number > failures {
                return google_page(0..1, None, 1);
            }
            // The body of a busy server is of no interest, so it may be larger than a page.
            let headers = vec!["Retry-After: 0".into()];
            SiteAnswer(status, headers, vec![b'x'; number << 23])
        });
        site.take_targets();
        let run = sync(&home);
        assert_eq!(run.code, Some(code), "{}{}", run.out, run.err);
        assert_eq!(site.take_targets().len(), 4);
    }
    assert_has(&column(&home, "last_failure"), "status 503");
}

#[test]
fn retry_after_of_more_than_two_minutes_ends_the_run() {
    let (home, site) = added(1, "");
    site.take_targets();
    site.answer(|_| SiteAnswer::status(429).with("Retry-After: 121"));
    sync(&home).failed("status 429");
    assert_eq!(site.take_targets().len(), 1);
}

#[test]
fn long_retry_after_delays_the_next_run_by_at_most_a_day() {
    let (home, site) = added(1, "every = '5m'");
    for seconds in [86_400, 30 * 86_400] {
        site.take_targets();
        site.answer(move |_| SiteAnswer::status(429).with(&format!("Retry-After: {seconds}")));
        sync(&home).failed("status 429");
        assert_eq!(site.take_targets().len(), 1);
        let is_in_a_day = "julianday(next_run_at) between julianday('now', '+23 hours') and julianday('now', '+25 hours')";
        assert_eq!(column(&home, is_in_a_day), "1", "{seconds}");
    }
}
