//! What a run may change: it withholds nothing that is gone, and refuses many rejected rows.

use super::*;

/// How many public reviews of the first entry its newest run lacks; null for none.
fn gone(home: &Home) -> Value {
    home.json("sync list --json")[0]["gone"].clone()
}

const WITHDRAW: &str = "sync run google --withdraw-missing";

#[test]
fn run_that_lacks_reviews_withholds_none_and_counts_the_missing() {
    let (home, site) = added(20, "");
    site.answer(|_| google_page(0..5, None, 9));
    let run = sync(&home);
    run.done();
    assert_has(&run.out, "the source says that it has 9");
    assert_has(&run.out, "15 public reviews of Google without a row");
    has(&home, 20, "status = 'published'");
    assert_eq!(gone(&home), 15);
}

#[test]
fn many_missing_reviews_are_withheld_only_if_accepted() {
    let (home, site) = added(20, "");
    site.answer(|_| google_page(0..5, None, 9));
    let advised = format!("`reviews {WITHDRAW} --accept-changes` takes it");
    home.run_err(WITHDRAW, &advised);
    let preview = home.run(format!("{WITHDRAW} --dry-run"));
    assert_eq!(preview.code, Some(2), "{}", preview.err);
    assert_has(&preview.out, "15 would be withheld:\n  g10");
    assert_has(&preview.out, "a tenth; only --accept-changes takes it\n");
    has(&home, 20, "status = 'published'");
}

#[test]
fn few_missing_reviews_are_withheld_on_request() {
    let (home, site) = added(20, "");
    site.answer(|_| google_page(0..18, None, 18));
    sync(&home).done();
    assert_eq!(gone(&home), 2);
    home.run(WITHDRAW).done();
    has(&home, 2, "withheld_reason = 'gone at the source'");
    assert_eq!(gone(&home), Value::Null);
}

#[test]
fn partial_entry_lacks_nothing() {
    let (home, site) = added(18, "");
    answer_with(&site, 17);
    sync(&home).done();
    assert_eq!(gone(&home), 1);
    write_entry(&home, "google", &site.url("/r"), "partial = true");
    assert_eq!(gone(&home), Value::Null);
    home.run(WITHDRAW).failed("only some of the reviews");
    write_entry(&home, "google", &site.url("/r"), "");
    assert_eq!(gone(&home), 1);
}

#[test]
fn rejected_row_may_be_any_of_the_missing_reviews() {
    let (home, site) = added(18, "");
    let mut rows: Vec<Value> = (0..17).map(|number| row(GOOGLE, number)).collect();
    rows[0]["starRating"] = "NINE".into();
    site.answer(move |_| SiteAnswer::value(&json!({ "reviews": rows })));
    let run = sync(&home);
    let lacking = "2 public reviews of Google without a readable row";
    assert_has(&run.out, lacking);
    assert_eq!(gone(&home), 2);
    assert_has(&home.run("sync list").out, ", 1 rejected row\n");
}

#[test]
fn import_by_hand_takes_reviews_over() {
    let (home, site) = added(18, "");
    answer_with(&site, 16);
    sync(&home).done();
    assert_eq!(gone(&home), 2);
    let page = json!({"reviews": [row(GOOGLE, 17)], "totalReviewCount": 1});
    home.import("own.json", &page.to_string(), "1 unchanged");
    assert_eq!(gone(&home), 1);
}

#[test]
fn empty_answer_lacks_all_reviews() {
    let (home, site) = added(17, "");
    site.answer(|_| SiteAnswer::json("[]"));
    assert_has(&sync(&home).out, "17 public reviews of Google without");
    assert_eq!(gone(&home), 17);
}

#[test]
fn rows_of_another_place_are_not_missing() {
    let home = home();
    let sheet = "Name,Stars,Date,Review,Place\nAnn,5,2026-10-01,Good,A\nBo,4,2026-10-02,Fair,A\n";
    home.file("only.toml", "only = { column = 'Place', value = 'A' }");
    let site = csv_site(sheet);
    add(&home, "a", &site.url("/a"), "format = './only.toml'").done();
    give_csv(&site, &sheet.replace("Fair,A", "Fair,B"));
    home.run("sync run a").done();
    assert_eq!(gone(&home), Value::Null);
    give_csv(&site, &sheet.replace(",A", ",B"));
    home.run_err("sync run a", "no row has the value \"A\" of \"Place\"");
}

#[test]
fn run_with_a_tenth_rejected_or_of_another_kind_imports_nothing() {
    let (home, site) = added(30, "");
    site.answer(|_| SiteAnswer::value(&json!([row(APIFY, 1)])));
    sync(&home).failed("another kind of file");
    site.answer(|_| {
        let mut rows: Vec<Value> = (0..40).map(|number| row(GOOGLE, number)).collect();
        for row in &mut rows[..4] {
            row["starRating"] = "TEN".into();
        }
        rows[4] = row(&GOOGLE.replace("g#", "g4").replace("-10-", "-09-"), 99);
        SiteAnswer::value(&json!({"reviews": rows, "totalReviewCount": 50}))
    });
    sync(&home).failed("5 of 40 rows");
    has(&home, 30, "true");
    let taken = home.run("sync run google --accept-changes");
    assert_eq!(taken.code, Some(1), "{}", taken.err);
    assert!(!taken.err.contains("TEN"), "{}", taken.err);
    assert_has(&taken.out, "accepted by --accept-changes: 5 of 40 rows");
    assert_has(&taken.out, "the answer has 40 reviews");
    has(&home, 40, "true");
}

#[test]
fn undo_of_a_run_holds_the_entry() {
    let (home, site) = added(2, "");
    sync(&home).done();
    home.finds("select count(*) from import_run", "1");
    answer_with(&site, 4);
    sync(&home).done();
    home.run_ok("undo", "if its file has it, `reviews sync run google`");
    assert_eq!([count(&home, "true"), column(&home, "held")], ["2", "1"]);
    assert_eq!(home.json("sync list --json")[0]["held"], true);
    home.run_ok("status", "held");
    let passed = sync(&home);
    assert_eq!(passed.code, Some(1));
    assert_has(&passed.err, "google: held, because a run of it was undone");
    site.take_targets();
    let other = google_site(1);
    add(&home, "other", &other.url("/r"), "").done();
    make_due(&home);
    let _serving = home.serve();
    wait_for_success(&home, "other");
    assert_eq!(site.take_targets(), [""; 0]);
    home.run("sync run google").done();
    assert_eq!([count(&home, "true"), column(&home, "held")], ["4", "0\n0"]);
    let write = "`source = \"Maps\"` into";
    let path = home.folder.path().join("reviews.sync.toml");
    let entries = fs::read_to_string(&path).unwrap();
    fs::write(
        path,
        entries.replace("[other]", "[third]\nsource = 'google'"),
    )
    .unwrap();
    let renamed = home.run_ok("source rename Google Maps", write).out;
    assert!(!renamed.contains("other"), "{renamed}");
    home.run_err("sync run third", write);
    add(&home, "google", &other.url("/r2"), "").failed(write);
    add(&home, "google", &site.url("/r"), "source = 'maps'").done();
    has(&home, 4, "source_name = 'Maps'");
}

#[test]
fn run_that_lacks_the_replies_fails_and_takes_none_away() {
    let home = home();
    let answer = |site: &Site, reply: Option<&'static str>| {
        site.answer(move |_| {
            let rows = (0..6).map(|number| {
                let mut row = row(GOOGLE, number);
                if let Some(text) = reply {
                    row["reviewReply"] = json!({ "comment": text });
                }
                row
            });
            SiteAnswer::value(&json!({"reviews": rows.collect::<Vec<_>>(), "totalReviewCount": 6}))
        });
    };
    let site = Site::start(|_| SiteAnswer::json("[]"));
    answer(&site, Some("Thank you"));
    add(&home, "google", &site.url("/r"), "").done();
    has(&home, 6, "reply_text = 'Thank you'");
    answer(&site, None);
    make_due(&home);
    let _serving = home.serve();
    wait_for_failure(&home, "google");
    let failure = column(&home, "last_failure");
    assert_has(
        &failure,
        "6 of 6 replies of the source are no longer stated",
    );
    assert_has(
        &failure,
        "`reviews sync run google --accept-changes` takes it",
    );
    has(&home, 6, "reply_text = 'Thank you'");
    home.run("sync run google --accept-changes").done();
    has(&home, 0, "reply_text <> ''");
}
