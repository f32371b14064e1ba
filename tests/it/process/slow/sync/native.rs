//! What a run of an entry may touch, and what it takes from rows that name their sources themselves.

use super::super::*;

/// A home with a business, and a site that answers nothing yet.
fn site() -> (Home, Site) {
    (super::home(), Site::start(|_| SiteAnswer::json("[]")))
}

/// Adds the entry `other` of this answer, and asserts that it is imported.
#[track_caller]
fn add(home: &Home, site: &Site, answer: &str, keys: &str) -> CommandOutput {
    give(site, answer);
    let added = super::add(home, "other", &site.url("/r"), keys);
    added.done();
    added
}

/// Runs the entry on this answer.
#[track_caller]
fn run(home: &Home, site: &Site, answer: &str) -> CommandOutput {
    give(site, answer);
    let run = home.run("sync run other --accept-changes");
    run.done();
    run
}

fn give(site: &Site, answer: &str) {
    let answer = answer.to_owned();
    site.answer(move |_| SiteAnswer::json(answer.clone()));
}

/// A native row with these members.
fn native(id: &str, changes: &Value) -> Value {
    let mut row = json!({"id": id, "rating": 5, "date": "2026-10-01", "author": "Ann Baker", "text": format!("Bread number {id} was warm"),
        "source": "Google"});
    let changes = changes.as_object().unwrap().clone();
    row.as_object_mut().unwrap().extend(changes);
    row
}

fn lines(rows: &[Value]) -> String {
    rows.iter().map(|row| format!("{row}\n")).collect()
}

/// The same rows in each of our own forms.
fn forms(rows: &[Value]) -> [String; 2] {
    let rating = json!({"rating_value": 5.0});
    [
        lines(rows),
        json!({"business": {"name": "Theirs"}, "reviews": rows, "aggregate_rating": rating, "withheld": {}}).to_string(),
    ]
}

/// Everything that is kept of the reviews with these ids.
fn kept(home: &Home, ids: &str) -> String {
    home.sql(&format!(
        "select * from review left join review_source using (review_id) where review_id in ({ids});
         select * from deleted_review where review_id in ({ids})"
    ))
}

#[test]
fn native_rows_touch_only_reviews_that_runs_of_an_entry_brought() {
    let ids = ["g1", "g2", "gone"];
    let own = ids.map(|id| native(id, &json!({})));
    let changes = json!({"rating": 1, "author": "Ann Baker", "text": "Bread was cold", "status": "withheld",
        "owner_reply": {"text": "We are sorry."}, "verified": true, "verification": "job_match"});
    // The third has the text of one under another ID, so it is another review.
    let rows = [
        native("g1", &changes),
        native("gone", &changes),
        native("new-id", &json!({"text": "Bread number g2 was warm"})),
        native("n1", &json!({})),
    ];
    for form in forms(&rows) {
        for options in ["", "source = 'Google'"] {
            let (home, site) = site();
            home.import("own.jsonl", &lines(&own), "3 new");
            home.run("delete gone --yes").done();
            let before = kept(&home, "'g1', 'g2', 'gone'");
            let added = add(&home, &site, &form, options);
            assert_has(&added.out, "or that were deleted: g1, gone\n");
            assert_has(&added.out, "2 new, 0 updated, 0 unchanged, 0 rejected");
            let own = "select review_id from review_source where entry = 'other' order by 1";
            home.finds(own, "n1\nnew-id");
            let run = run(&home, &site, &lines(&[native("n1", &json!({"rating": 2}))]));
            assert_has(&run.out, "0 new, 1 updated");
            let after = kept(&home, "'g1', 'g2', 'gone'");
            assert_eq!(after, before, "{form} {options}: {}", added.out);
        }
    }
}

#[test]
fn reviews_of_another_source_are_gone_and_not_renamed() {
    let (home, site) = site();
    let yelp = native("y1", &json!({"source": "Yelp"}));
    let rows = ["g1", "g2"].map(|id| native(id, &json!({})));
    add(&home, &site, &lines(&[&rows[..], &[yelp]].concat()), "");
    home.run_err("source rename Yelp Yulp", "the rows of the entry other");
    let left = run(&home, &site, &lines(&rows));
    assert_has(&left.out, "1 public review of Yelp without a row");
    assert_eq!(home.json("sync list --json")[0]["gone"], 1);
    let withdraw = "sync run other --withdraw-missing --accept-changes";
    home.run_ok(withdraw, "1 withdrawn");
    let withheld = "select review_id from review where status = 'withheld'";
    home.finds(withheld, "y1");
}

#[test]
fn rows_of_other_sites_touch_only_reviews_of_the_source() {
    let apify = |id: &str, origin: &str, stars: u8| {
        json!({"stars": stars, "publishedAtDate": "2026-10-02T08:00:00.000Z", "name": format!("Guest {id}"), "reviewId": id,
            "text": format!("Cake number {id} was good"), "reviewOrigin": origin})
    };
    let origins = [("a1", "Google"), ("a2", "Tripadvisor")];
    let rows = |stars| origins.map(|(id, origin)| apify(id, origin, stars));
    let (home, site) = site();
    home.import("own.json", &json!(rows(5)).to_string(), "2 new");
    let mut all = rows(3).to_vec();
    all.push(apify("a3", "Tripadvisor", 5));
    let added = add(&home, &site, &json!(all).to_string(), "");
    assert_has(&added.out, "deleted: google-maps-a2");
    let stars = "select rating from review order by review_id";
    home.finds(stars, "3\n5\n5");
    // What its own run brought.
    all[2]["stars"] = 4.into();
    run(&home, &site, &json!(all).to_string());
    home.finds(stars, "3\n5\n4");
    // By hand, rows may be of any source.
    home.import("own.json", &json!(rows(2)).to_string(), "2 updated");
    let sources = "select distinct source_name from review order by 1";
    home.finds(sources, "Google\nTripadvisor");
}

#[test]
fn native_rows_of_a_run_set_only_fields_of_the_customer() {
    let mut own = native(
        "n1",
        &json!({"status": "published", "verified": true, "verification": "job_match", "verified_at": "2026-10-02T00:00:00Z",
            "decided": ["text", "status"], "said": {"text": "0123456789abcdef"}, "note": "Known to us", "id_at_source": "x9",
            "digests": "0000000000000001-0000000000000002-0000000000000003", "imported_from": "Yelp",
            "posted_at": "2020-01-01T00:00:00Z"}),
    );
    let withheld = [
        native("w0", &json!({"status": "withheld"})),
        native("w1", &json!({"withheld_reason": "spam"})),
        native("w2", &json!({"verified": false, "status": "published"})),
    ];
    let (home, site) = site();
    let rows = [&[own.clone()], &withheld[..]].concat();
    let added = add(&home, &site, &lines(&rows), "");
    assert_has(&added.out, "3 withheld and not published");
    home.finds(
        "select review_id, status, withheld_reason, verification from review order by review_id;
         select source_name, id_at_source, posted_at, said ->> 'decided' from review_source where review_id = 'n1';
         select count(note) from review;
         select count(*) from review_source where same_text = 3",
        "n1|published||manual\nw0|withheld|not published at the source|manual\nw1|withheld|not published at the source|manual\nw2|withheld|not published at the source|manual\nGoogle|||\n0\n0",
    );
    // Its texts are the source's, not decisions of the owner; what was withheld is not published by a row.
    own["text"] = "Bread was cold".into();
    let published = ["w0", "w1", "w2"].map(|id| native(id, &json!({"status": "published"})));
    let mut rows = [&[own], &published[..]].concat();
    run(&home, &site, &lines(&rows));
    let shown = "select text from review where status = 'published'";
    home.finds(shown, "Bread was cold");
    let count = "select count(*) from review where status = 'published'";
    for (status, public) in [("hush", "0"), ("published", "1"), ("withheld", "0")] {
        rows[0]["status"] = status.into();
        give(&site, &lines(&rows));
        home.run("sync run other --accept-changes");
        home.finds(count, public);
    }
    // An import by hand takes it all.
    home.import("own.jsonl", &lines(&published), "3 updated");
    home.finds(count, "3");
    rows[0]["status"] = "hush".into();
    give(&site, &lines(&rows));
    let run = home.run("sync run other --accept-changes");
    assert_has(&run.err, "page 1:1: status: the value cannot be read");
    assert!(!run.err.contains("hush"), "{}", run.err);
}

#[test]
fn run_takes_no_business_no_texts_no_columns_and_no_deletions() {
    let about = json!({"business": {"name": "Theirs"}, "editorial": {"summary": {"text": "Theirs."}},
        "formats": {"Google": "ignored = []\n"}});
    let deleted = json!({"id": "n1", "deleted": true, "imported_from": "Google",
        "digests": "0000000000000001-0000000000000002-0000000000000003"});
    let (home, site) = site();
    home.import("own.jsonl", &lines(&[native("n1", &json!({}))]), "1 new");
    let before = kept(&home, "'n1', 'n2'");
    let unknown = json!({"id": "n2", "deleted": true});
    let rows = [about, deleted, unknown, native("n3", &json!({}))];
    let left_out = "note: the business, editorial texts, formats and deletions of the file are left out: a run takes reviews only\n";
    let added = add(&home, &site, &lines(&rows), "");
    assert_has(&added.out, left_out);
    assert_has(&added.out, "1 new, 0 updated");
    assert_eq!(kept(&home, "'n1', 'n2'"), before);
    let [.., document] = forms(&rows[3..]);
    assert_has(&run(&home, &site, &document).out, left_out);
    home.finds(
        "select (select count(*) from business), (select count(*) from source where format is not null), (select count(*) from deleted_review)",
        "1|0|0",
    );
}

#[test]
fn hidden_reviews_do_not_come_back_by_a_run() {
    for decision in ["delete g1 --yes", "withhold g1 --reason dispute"] {
        for [changes] in table(
            r#"
            {"source": "Elsewhere"}
            {"digests": "0000000000000001-0000000000000002-0000000000000003"}
            {"said": {}, "decided": ["status"], "status": "published"}
            {"author": "Ann B."}
            "#,
        ) {
            let (home, site) = site();
            // A withheld review hides no equal one of another source.
            if decision.starts_with("withhold") && changes.contains("Elsewhere") {
                continue;
            }
            let own = native("g1", &json!({}));
            home.import("own.jsonl", &own.to_string(), "1 new");
            home.run(decision).done();
            let mut row = native("g1-again", &serde_json::from_str(changes).unwrap());
            row["text"] = "Bread number g1 was warm".into();
            give(&site, &lines(&[row]));
            let added = super::add(&home, "other", &site.url("/r"), "");
            let published = super::count(&home, "status = 'published'");
            assert_eq!(published, "0", "{decision} {changes}: {}", added.out);
        }
    }
}
