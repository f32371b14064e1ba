//! What a run may change: it withholds nothing that is gone, and refuses many rejected rows.

use super::*;

#[test]
fn run_that_lacks_reviews_withholds_none_and_says_what_it_lacks() {
    let (home, site) = added(20, &[]);
    site.answer(|_| google_page(0..5, None, 9));
    for _ in 0..3 {
        let run = sync(&home);
        run.done();
        assert_has(&run.out, "the source says that it has 9");
        assert_has(&run.out, "15 public reviews of Google without a row");
    }
    has(&home, 20, "status = 'published'");
    let refused = home.run("sync run google --withdraw-missing");
    refused.failed("unexpected argument");
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
    let taken = home.run("sync run google --accept-changes");
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
fn platform_that_hides_more_than_half_is_not_taken_unasked() {
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
