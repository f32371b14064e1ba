//! Runs that fail: what is said of them, and what they leave as it was.

use super::*;

/// Answers that are no reviews: status, media type, and the body. Each has the word hush, which no message may repeat.
const ANSWERS: &str = r#"
    404 → application/json → {"error": {"message": "hush"}} → JSON
    403 → text/html; title=hush → <!doctype html><title>hush</title> → HTML
    401 → text/plain; charset=utf-8 → hush → text
    418 → - → hush → media type
    202 → application/json → {"status": "hush"} → JSON
    200 → text/html → <!doctype html><html><head><title>hush</title></head><body>ann@hush.test</body></html> → HTML
    200 → application/json → {"error": {"message": "hush"}, "reviews": []} → no reviews found
    200 → application/json → {"reviews": 5, "technicians": [{"name": "hush", "reviews": 3}]} → no reviews found
    200 → application/json → {"status": "Pending", "id": "hush"} → JSON
    200 → text/csv → hush → CSV
    200 → text/csv → 2026-03-01,Hush,hush@mail.test,5,hush → CSV
    200 → text/csv →  → no reviews found
    200 → application/atom+xml → <feed xmlns="http://www.w3.org/2005/Atom"><title>hush</title></feed> → feed
    200 → application/zip → hush → archive
    200 → application/vnd.openxmlformats-officedocument.spreadsheetml.sheet → hush → workbook
"#;

#[test]
fn failure_says_status_and_kind_and_no_word_of_the_server() {
    let (home, site) = added(1, &[]);
    let mut outputs = Vec::new();
    for [status, kind, body, word] in table(ANSWERS) {
        let code: u16 = status.parse().unwrap();
        let kind = kind.trim_matches('-');
        site.answer(move |_| {
            let SiteAnswer(_, headers, body) = SiteAnswer::of(kind, body);
            SiteAnswer(code, headers, body)
        });
        site.take_targets();
        let run = sync(&home);
        run.failed(&format!("status {status}"));
        assert_has(&run.err, word);
        assert_eq!(
            site.take_targets(),
            ["/r"],
            "{status}: it is not tried again"
        );
        let reason = column(&home, "last_failure");
        assert!(
            reason.contains(&format!("status {status}")) && reason.contains(word),
            "{reason}"
        );
        outputs.push(run);
    }
    home.run("sync run --dry-run").failed("workbook");
    has(&home, 1, "true");
    let due = "paused = 0 and julianday(next_run_at) between julianday('now', '+5 hours') and julianday('now', '+7 hours')";
    assert_eq!(column(&home, due), "1", "failures stop no schedule");
    make_due(&home);
    let serving = serve_with(&home, &[("RUST_LOG", "debug")]);
    serving.wait_for("/metrics", &runs_of("google", "failure", 1));
    assert_no_trace(&home, &outputs, &["hush"]);
}

#[test]
fn empty_list_is_a_valid_answer() {
    for (kind, body, empty) in [
        ("application/json", json!([row(APIFY, 1)]).to_string(), "[]"),
        (
            "text/csv",
            "author,rating,date,text\nAnn,5,2026-10-01,Good\n".to_owned(),
            "author,rating,date,text\n",
        ),
    ] {
        let (home, site) = (home(), Site::start(move |_| SiteAnswer::of(kind, &*body)));
        add(&home, "shop", &site.url("/r"), &["--withdraw-missing"], &[]).done();
        site.answer(move |_| SiteAnswer::of(kind, empty));
        for _ in 0..3 {
            sync(&home).done();
            assert_eq!(column(&home, "last_outcome"), "short", "none of one");
        }
        assert_eq!(withheld(&home), "0");
    }
    let (home, site) = (home(), Site::start(|_| SiteAnswer::json("[]")));
    add(&home, "shop", &site.url("/r"), &[], &[]).done();
    assert_eq!(
        [column(&home, "last_outcome"), column(&home, "last_count")],
        ["success", "0"]
    );
}

#[test]
fn busy_server_is_retried_three_times_within_the_run() {
    let (home, site) = added(1, &[]);
    for (failures, code) in [(3, 0), (4, 2)] {
        let mut number = 0;
        site.answer(move |_| {
            number += 1;
            let status = if number % 2 == 0 { 503 } else { 429 };
            if number > failures {
                return google_page(0..1, None, 1);
            }
            SiteAnswer::status(status).with("Retry-After: 0")
        });
        site.take_targets();
        let run = sync(&home);
        assert_eq!(run.code, Some(code), "{}{}", run.out, run.err);
        assert_eq!(site.take_targets().len(), 4);
    }
    assert_has(&column(&home, "last_failure"), "status 503");
}

#[test]
fn long_retry_after_delays_the_next_run_by_at_most_a_day() {
    let (home, site) = added(1, &["--every", "5m"]);
    for seconds in [86_400, 30 * 86_400] {
        site.take_targets();
        site.answer(move |_| SiteAnswer::status(429).with(&format!("Retry-After: {seconds}")));
        sync(&home).failed("status 429");
        assert_eq!(site.take_targets().len(), 1);
        let is_in_a_day = "julianday(next_run_at) between julianday('now', '+23 hours') and julianday('now', '+25 hours')";
        assert_eq!(column(&home, is_in_a_day), "1", "{seconds}");
    }
}

/// The most memory that the process has had, in MiB.
fn peak_mib(serving: &Serving) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", serving.child.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib: u64 = peak
        .unwrap()
        .trim()
        .trim_end_matches(" kB")
        .parse()
        .unwrap();
    kib >> 10
}

#[test]
fn answer_of_many_small_values_takes_at_most_400_mib() {
    let (home, site) = added(1, &[]);
    let serving = home.serve();
    let before = peak_mib(&serving);
    // Lists without rows are an empty list.
    for (row, outcome) in [(r#"{"":0}"#, "failure"), ("[]", "short")] {
        let rows = vec![row; (4 << 20) / (row.len() + 1)].join(",");
        site.answer(move |_| SiteAnswer::json(format!("[{rows}]")));
        make_due(&home);
        serving.wait_for("/metrics", &runs_of("google", outcome, 1));
        let peak = peak_mib(&serving);
        assert!(peak < before + 400, "{row}: {before} MiB, then {peak}");
    }
}

#[test]
fn failure_and_the_next_run_that_the_server_asked_for_are_stored_together() {
    let (home, site) = added(1, &[]);
    site.answer(|_| SiteAnswer::status(429).with("Retry-After: 600"));
    home.sql(
        "create trigger full before update of next_run_at on sync_source when old.last_outcome = 'failure'
         begin select raise(abort, 'no space'); end",
    );
    sync(&home).failed("no space");
    assert_eq!(column(&home, "last_failure"), "");
}
