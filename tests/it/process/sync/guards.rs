//! What a run may change: whole runs, withdrawals, rejected rows, and reviews of others.

use super::*;

#[test]
fn review_that_another_source_has_is_not_withheld() {
    let (home, site) = added(20, &["--withdraw-missing"]);
    let other = google_site(20);
    add(&home, "other", &other.url("/r"), &[], &[]).done();
    answer_with(&site, 19);
    for _ in 0..3 {
        home.run("sync run google").done();
    }
    assert_eq!(withheld(&home), "0");
    answer_with(&other, 19);
    sync(&home).done();
    sync(&home).done();
    assert_eq!(withheld(&home), "1");
}

#[test]
fn changed_source_withholds_nothing_of_the_former_place() {
    let (home, site) = added(20, &["--withdraw-missing"]);
    site.answer(|_| google_page(100..105, None, 5));
    let url = site.url("/other");
    add(&home, "google", &url, &["--withdraw-missing"], &[]).done();
    for _ in 0..3 {
        sync(&home).done();
    }
    assert_eq!([withheld(&home), count(&home, "true")], ["0", "25"]);
}

#[test]
fn source_that_withholds_later_knows_what_it_brought() {
    let (home, site) = added(20, &[]);
    answer_with(&site, 19);
    let url = site.url("/r");
    add(&home, "google", &url, &["--withdraw-missing"], &[]).done();
    sync(&home).done();
    assert_eq!(withheld(&home), "1");
}

#[test]
fn review_is_withheld_after_two_whole_runs_without_it() {
    let (home, site) = added(20, &["--withdraw-missing"]);
    answer_with(&site, 19);
    sync(&home).done();
    assert_eq!(withheld(&home), "0");
    sync(&home).done();
    assert_eq!(withheld(&home), "1");
    answer_with(&site, 20);
    sync(&home).done();
    assert_eq!(withheld(&home), "0", "published again when it is back");
}

#[test]
fn run_with_fewer_reviews_is_not_whole_and_withholds_nothing() {
    let (home, site) = added(40, &["--withdraw-missing"]);
    answer_with(&site, 35);
    for _ in 0..3 {
        let run = sync(&home);
        run.done();
        assert_has(&run.out, "not whole");
    }
    assert_eq!(
        [withheld(&home), column(&home, "last_outcome")],
        ["0", "short"]
    );
    assert!(home.run("sync list").out.contains("not whole"));
    home.run("sync run google --yes").done();
    assert_eq!(withheld(&home), "5", "taken as it is");
    sync(&home).done();
    assert_eq!(
        column(&home, "last_outcome"),
        "success",
        "compared with the accepted run"
    );
}

#[test]
fn run_with_less_than_the_source_says_is_not_whole() {
    let (home, site) = added(20, &["--withdraw-missing"]);
    site.answer(|_| google_page(0..19, None, 20));
    for _ in 0..3 {
        sync(&home).done();
    }
    assert_eq!(withheld(&home), "0");
    let listed = home.run("sync list").out;
    assert_has(&listed, "not whole");
    site.answer(|_| google_page(0..5, None, 9));
    let added = add(&home, "other", &site.url("/other"), &[], &[]);
    added.done();
    assert_has(&added.out, "not whole");
}

#[test]
fn run_with_a_tenth_rejected_imports_nothing() {
    let (home, site) = added(30, &[]);
    site.answer(|_| {
        let mut rows: Vec<Value> = (0..40).map(|number| row(GOOGLE, number)).collect();
        rows[..5]
            .iter_mut()
            .for_each(|row| row["starRating"] = "TEN".into());
        SiteAnswer::value(&json!({"reviews": rows}))
    });
    sync(&home).failed("5 of 40 rows");
    has(&home, 30, "true");
    let taken = home.run("sync run google --yes");
    assert_eq!(taken.code, Some(1), "{}", taken.err);
    has(&home, 40, "true");
}

#[test]
fn another_kind_of_file_is_refused() {
    let (home, site) = added(2, &[]);
    site.answer(|_| SiteAnswer::value(&Value::from(vec![row(APIFY, 1)])));
    sync(&home).failed("another kind of file");
    has(&home, 2, "true");
}

#[test]
fn undo_of_a_run_pauses_the_source() {
    let (home, site) = added(2, &[]);
    sync(&home).done();
    assert_eq!(
        home.sql("select count(*) from import_run"),
        "1",
        "an unchanged run is none to undo"
    );
    answer_with(&site, 4);
    sync(&home).done();
    let undone = home.run("undo");
    undone.done();
    assert_has(&undone.out, "`reviews sync resume google`");
    assert_eq!([count(&home, "true"), column(&home, "paused")], ["2", "1"]);
    sync(&home).failed("`reviews sync resume NAME` fetches one");
    home.run("sync resume google").done();
    sync(&home).done();
    has(&home, 4, "true");
    let paused = home.run("sync pause google");
    assert!(paused.out.contains("`reviews sync resume google`"));
}

#[test]
fn undo_of_a_run_takes_back_what_whole_means() {
    let (home, site) = added(40, &["--withdraw-missing"]);
    site.answer(|_| SiteAnswer::json("[]"));
    home.run("sync run google --yes").done();
    assert_eq!(withheld(&home), "40");
    home.run("undo").done();
    home.run("sync resume google").done();
    for _ in 0..3 {
        sync(&home).done();
        assert_eq!(withheld(&home), "0", "these runs are not whole");
    }
    for (count, outcome) in [(35, "short"), (36, "success")] {
        answer_with(&site, count);
        sync(&home).done();
        assert_eq!(column(&home, "last_outcome"), outcome, "{count} of 40");
    }
}

#[test]
fn review_that_the_owner_published_again_makes_no_run_to_undo() {
    let (home, site) = added(20, &["--withdraw-missing"]);
    answer_with(&site, 19);
    sync(&home).done();
    sync(&home).done();
    home.run("publish g19").done();
    let runs = "select count(*) from import_run";
    let before = home.sql(runs);
    for _ in 0..3 {
        sync(&home).done();
    }
    assert_eq!(home.sql(runs), before);
    assert_eq!(withheld(&home), "0");
}

#[test]
fn withheld_reviews_are_named_in_the_order_of_ids() {
    let (home, site) = added(20, &["--withdraw-missing"]);
    answer_with(&site, 10);
    let run = home.run("sync run --yes");
    let ids: Vec<String> = (10..20).map(|number| format!("g{number}")).collect();
    let named = format!(
        "10 withdrawn, no longer listed by the source: {}",
        ids.join(", ")
    );
    assert_has(&run.out, &named);
}

#[test]
fn run_is_whole_by_the_ids_of_the_last_whole_run() {
    for (before, known, others, outcome) in [
        (20, 18, 5, "success"),
        (20, 17, 0, "success"),
        (20, 16, 10, "short"),
        (20, 0, 20, "short"),
        (40, 36, 0, "success"),
        (4, 1, 0, "success"),
        (4, 0, 9, "short"),
        (1, 0, 1, "short"),
    ] {
        let (home, site) = added(before, &["--withdraw-missing"]);
        let ids = move || (0..known).chain(100..100 + others);
        site.answer(move |_| google_page(ids(), None, known + others));
        let lacking = if outcome == "short" {
            0
        } else {
            before - known
        };
        for expected in [0, lacking, lacking] {
            sync(&home).done();
            let found = [column(&home, "last_outcome"), withheld(&home)];
            assert_eq!(
                found,
                [outcome, &expected.to_string()],
                "{known} and {others} of {before}"
            );
        }
        assert_eq!(count(&home, "true"), (before + others).to_string());
    }
}

#[test]
fn no_more_than_a_tenth_or_three_are_withheld_in_a_day() {
    let (home, site) = added(20, &["--withdraw-missing"]);
    let give = |count: usize| {
        answer_with(&site, count);
        sync(&home).done();
        sync(&home)
    };
    give(17).done();
    assert_eq!(withheld(&home), "3");
    for count in [14, 14, 13] {
        let run = give(count);
        run.done();
        assert_has(&run.out, "--yes");
        assert_eq!(withheld(&home), "3");
    }
    home.run("sync run google --yes").done();
    assert_eq!(withheld(&home), "7");
    // What the owner accepted does not count.
    let (home, site) = added(40, &["--withdraw-missing"]);
    answer_with(&site, 30);
    home.run("sync run google --yes").done();
    answer_with(&site, 27);
    sync(&home).done();
    sync(&home).done();
    assert_eq!(withheld(&home), "13");
}

#[test]
fn decided_review_does_not_return_with_a_new_id_of_its_source() {
    let (home, site) = added(20, &[]);
    home.run("withhold g2 --reason spam").done();
    home.run("delete g3 --yes").done();
    site.answer(|_| {
        let rows = (0..20).map(|number| {
            let mut review = row(GOOGLE, number);
            if number == 2 || number == 3 {
                review["reviewId"] = format!("new{number}").into();
            }
            review
        });
        SiteAnswer::value(&json!({"reviews": rows.collect::<Value>(), "totalReviewCount": 20}))
    });
    for _ in 0..2 {
        let run = sync(&home);
        assert_ne!(run.code, Some(2), "{}{}", run.out, run.err);
        let is_named = |name: &&str| run.out.contains(name) || run.err.contains(name);
        assert!(
            ["g3", "new3", "Guest 3"].iter().any(is_named),
            "{}",
            run.out
        );
        has(&home, 18, "status = 'published'");
        has(
            &home,
            0,
            "author in ('Guest 2', 'Guest 3') and status = 'published'",
        );
    }
}

#[test]
fn native_source_touches_only_what_its_own_runs_brought() {
    let (home, _google) = added(3, &[]);
    home.run("withhold g1 --reason spam").done();
    let before = home.sql("select * from review order by review_id");
    let own = |id: &str, more: Value| {
        let mut row = json!({"id": id, "rating": 1, "date": "2026-10-01", "author": "Mallory", "text": format!("Own {id}"),
            "source": {"name": "Google"}, "verification": {"verified": true, "method": "job_match"}, "status": "published"});
        row.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        row
    };
    let lines = |rows: &[Value]| -> String { rows.iter().map(|row| format!("{row}\n")).collect() };
    let foreign =
        || ["g0", "g1", "g2"].map(|id| own(id, json!({"response": {"text": "In our name"}})));
    let first = [
        &foreign()[..],
        &[own("w1", json!({})), own("w2", json!({}))],
    ]
    .concat();
    let first = lines(&first);
    let site = Site::start(move |_| SiteAnswer::of("application/jsonl", &*first));
    let added = add(&home, "feed", &site.url("/r"), &["--withdraw-missing"], &[]);
    assert_ne!(added.code, Some(2), "{}{}", added.out, added.err);
    assert_has(&(added.out + &added.err), "g0");
    assert_eq!(
        home.sql("select * from review where review_id glob 'g*' order by review_id"),
        before
    );
    has(&home, 0, "verification_method = 'job_match'");
    has(&home, 2, "review_id glob 'w*' and status = 'published'");
    // Its own it changes and withholds; what the owner withheld stays so.
    home.run("withhold w1 --reason spam").done();
    let changed = own(
        "w2",
        json!({"status": "withheld", "withheld_reason": "gone", "text": "Changed"}),
    );
    let second = lines(&[&foreign()[..], &[own("w1", json!({})), changed]].concat());
    site.answer(move |_| SiteAnswer::of("application/jsonl", &*second));
    for _ in 0..2 {
        let run = home.run("sync run feed");
        assert_ne!(run.code, Some(2), "{}{}", run.out, run.err);
    }
    has(&home, 2, "review_id glob 'w*' and status = 'withheld'");
    has(&home, 1, "text = 'Changed'");
    assert_eq!(
        home.sql("select * from review where review_id glob 'g*' order by review_id"),
        before
    );
}

#[test]
fn rows_of_other_sites_keep_their_source() {
    let home = home();
    let origins = ["Google", "Tripadvisor", "Expedia"];
    let site = Site::start(move |_| {
        let rows = origins.iter().enumerate().map(|(number, origin)| {
            json!({"review_id": format!("s{number}"), "rating": 5.0, "iso_date": "2026-04-01T10:00:00Z", "source": origin,
                "user": {"name": "Ann"}, "snippet": format!("Lovely {number}"), "link": "https://maps.test/1", "likes": 0})
        });
        SiteAnswer::value(&json!({"reviews": rows.collect::<Value>()}))
    });
    add(&home, "serpapi", &site.url("/r"), &[], &[]).done();
    for _ in 0..2 {
        let sources = home.sql("select group_concat(source_name, ' ') from (select source_name from review order by review_id)");
        assert_eq!(sources.trim(), origins.join(" "));
        sync(&home).done();
    }
}

#[test]
fn cells_that_are_errors_of_a_spreadsheet_replace_no_text() {
    let sheet = |text: &dyn Fn(usize) -> String| {
        let row = |number| format!("Guest {number},5,2026-10-0{number},{}\n", text(number));
        format!(
            "author,rating,date,text\n{}",
            (1..7).map(row).collect::<String>()
        )
    };
    let first = sheet(&|number| format!("Loaf {number} was warm"));
    let (home, site) = (home(), Site::start(move |_| SiteAnswer::csv(&*first)));
    add(&home, "sheet", &site.url("/r"), &[], &[]).done();
    for text in ["Loading...", "#N/A", "#BEZUG!", ""] {
        let body = sheet(&|_| text.to_owned());
        site.answer(move |_| SiteAnswer::csv(&*body));
        let run = sync(&home);
        assert_ne!(run.code, Some(0), "{text}: {}", run.out);
        assert_eq!(count(&home, "text glob 'Loaf * was warm'"), "6", "{text}");
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
    add(&home, "shop", &site.url("/r"), &[], &[]).done();
    site.answer(move |_| hidden(4));
    sync(&home).done();
    assert_eq!(withheld(&home), "4");
    site.answer(move |_| hidden(40));
    sync(&home).failed("--accept-changes");
    assert_eq!(withheld(&home), "4");
    home.run("sync run shop --accept-changes").done();
    assert_eq!(withheld(&home), "40");
}

#[test]
fn total_in_a_text_or_a_header_is_a_total() {
    let (home, site) = added(40, &["--withdraw-missing"]);
    let page = |total: Value| {
        let mut page =
            json!({"reviews": (0..38).map(|number| row(GOOGLE, number)).collect::<Value>()});
        page["totalReviewCount"] = total;
        SiteAnswer::value(&page)
    };
    site.answer(move |_| page("40".into()));
    sync(&home).done();
    assert_eq!(column(&home, "last_outcome"), "short");
    site.answer(move |_| page(38.into()).with("X-Total-Count: 40"));
    sync(&home).done();
    assert_eq!(column(&home, "last_outcome"), "short");
    site.answer(move |_| page(38.into()));
    sync(&home).done();
    assert_eq!(column(&home, "last_outcome"), "success");
}
