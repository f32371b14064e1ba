//! What a run of a source may touch, and what it takes from rows that name their sources themselves.

use super::super::*;

fn empty() -> Home {
    static MIGRATED: LazyLock<Vec<u8>> = LazyLock::new(|| Home::made_by("migrate"));
    Home::holding(&MIGRATED)
}

/// A home without a business, and a site that answers nothing yet.
fn site() -> (Home, Site) {
    (empty(), Site::start(|_| SiteAnswer::json("[]")))
}

/// Adds the source `other` of this answer, and asserts that it is imported.
#[track_caller]
fn add(home: &Home, site: &Site, answer: &str, options: &[&str]) -> CommandOutput {
    give(site, answer);
    let url = site.url("/r");
    let words = [&["sync", "add", "other", &url, "--yes"], options].concat();
    let added = home.run(&words);
    added.done();
    added
}

/// Runs the source on this answer.
#[track_caller]
fn run(home: &Home, site: &Site, answer: &str) -> CommandOutput {
    give(site, answer);
    let run = home.run("sync run other --yes --accept-changes");
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
        "source": {"name": "Google"}});
    for (name, value) in changes.as_object().unwrap() {
        row[name] = value.clone();
    }
    row
}

fn lines(rows: &[Value]) -> String {
    rows.iter().map(|row| format!("{row}\n")).collect()
}

/// The same rows in each of our own forms.
fn forms(rows: &[Value]) -> [String; 4] {
    let cells = |row: &Value| {
        let text = |value: &Value| {
            value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned)
        };
        let names = ["id", "rating", "date", "author", "text"];
        let cells = names.map(|name| text(&row[name]));
        format!(
            "{},{},true,manual,published,,\n",
            cells.join(","),
            text(&row["source"]["name"])
        )
    };
    let table: String = rows.iter().map(cells).collect();
    let head = "id,rating,date,author,text,source.name,verification.verified,verification.method,status,decided,deleted\n";
    [
        lines(rows),
        Value::from(rows).to_string(),
        format!("{head}{table}"),
        json!({"business": {"name": "Theirs"}, "reviews": rows, "aggregate_rating": {"count": rows.len()}}).to_string(),
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
fn native_rows_touch_only_what_runs_of_their_source_brought() {
    let ids = ["g1", "g2", "gone"];
    let own: Vec<Value> = ids.iter().map(|id| native(id, &json!({}))).collect();
    let changes = json!({"rating": 1, "author": "Ann Baker", "text": "Bread was cold", "status": "withheld",
        "response": {"text": "We are sorry."}, "verification": {"verified": true, "method": "job_match"}});
    let hostile: Vec<Value> = ["g1", "gone"]
        .iter()
        .map(|id| native(id, &changes))
        .collect();
    // The text of one under a new ID, which would become its ID at the source.
    let renamed = [native(
        "new-id",
        &json!({"text": "Bread number g2 was warm"}),
    )];
    for (number, form) in
        forms(&[hostile.as_slice(), &renamed, &[native("n1", &json!({}))]].concat())
            .into_iter()
            .enumerate()
    {
        for options in [&[][..], &["--source", "Google"]] {
            let (home, site) = site();
            home.import("own.jsonl", &lines(&own), "3 new");
            home.run("delete gone --yes").done();
            let before = kept(&home, "'g1', 'g2', 'gone'");
            let added = add(&home, &site, &form, options);
            let case = format!("{number} {options:?}: {}", added.out);
            assert_has(
                &added.out,
                "3 rows are of reviews that other sources brought, and are left out: g1, gone, g2\n",
            );
            assert_has(&added.out, "1 new, 0 updated, 0 unchanged, 0 rejected");
            assert_eq!(kept(&home, "'g1', 'g2', 'gone'"), before, "{case}");
            let brought = home.sql("select review_id from sync_review");
            assert_eq!(brought.trim(), "n1", "{case}");
            // Its own reviews follow it.
            let run = run(&home, &site, &lines(&[native("n1", &json!({"rating": 2}))]));
            assert_has(&run.out, "0 new, 1 updated");
            assert_eq!(kept(&home, "'g1', 'g2', 'gone'"), before, "{case}");
        }
    }
}

#[test]
fn left_out_rows_are_named_twenty_at_most() {
    let (home, site) = site();
    let rows: Vec<Value> = (10..33)
        .map(|id| native(&format!("g{id}"), &json!({})))
        .collect();
    home.import("own.jsonl", &lines(&rows), "23 new");
    let added = add(&home, &site, &lines(&rows), &["--source", "Google"]);
    assert_has(
        &added.out,
        "23 rows are of reviews that other sources brought, and are left out: g10, ",
    );
    assert_has(&added.out, "g29 and 3 more\n");
    let one = run(&home, &site, &lines(&rows[..1]));
    assert_has(
        &one.out,
        "1 row is of a review that another source brought, and is left out: g10\n",
    );
}

#[test]
fn rows_of_other_sites_touch_only_what_runs_of_their_source_brought() {
    let apify = |id: &str, origin: &str, stars: u8| {
        json!({"stars": stars, "publishedAtDate": "2026-10-02T08:00:00.000Z", "name": format!("Guest {id}"), "reviewId": id,
            "text": format!("Cake number {id} was good"), "reviewOrigin": origin})
    };
    let rows = |stars| {
        Value::from(vec![
            apify("a1", "Google", stars),
            apify("a2", "Tripadvisor", stars),
        ])
    };
    let (home, site) = site();
    home.run("init --name Bakery --time-zone UTC").done();
    home.import("own.json", &rows(5).to_string(), "2 new");
    let mut all = rows(3);
    all.as_array_mut()
        .unwrap()
        .push(apify("a3", "Tripadvisor", 5));
    let added = add(&home, &site, &all.to_string(), &[]);
    assert_has(
        &added.out,
        "1 row is of a review that another source brought, and is left out: google-maps-a2",
    );
    let stars = || {
        home.sql(
            "select group_concat(rating, '') from (select rating from review order by review_id)",
        )
    };
    assert_eq!(stars().trim(), "355");
    all[2]["stars"] = 4.into();
    run(&home, &site, &all.to_string());
    assert_eq!(stars().trim(), "354", "what its own run brought");
    // By hand, rows may be of any source.
    home.import("own.json", &rows(2).to_string(), "2 updated");
}

#[test]
fn native_rows_of_a_run_say_only_what_a_customer_says() {
    let own = native(
        "n1",
        &json!({"status": "published", "verification": {"verified": true, "method": "job_match", "verified_at": "2026-10-02T00:00:00Z"},
            "decided": ["text", "status"], "said": {"text": "0123456789abcdef"}, "note": "Known to us", "id_at_source": "x9",
            "digests": "0000000000000001-0000000000000002-0000000000000003", "imported_from": "Yelp",
            "posted_at": "2020-01-01T00:00:00Z", "responded_at": "2020-01-01T00:00:00Z"}),
    );
    let withheld = [
        json!({"status": "withheld"}),
        json!({"withheld_reason": "spam"}),
        json!({"verification": {"verified": false}, "status": "published"}),
    ];
    let withheld: Vec<Value> = withheld
        .iter()
        .enumerate()
        .map(|(number, changes)| native(&format!("w{number}"), changes))
        .collect();
    let (home, site) = site();
    let added = add(
        &home,
        &site,
        &lines(&[&[own.clone()][..], &withheld].concat()),
        &[],
    );
    assert_has(&added.out, "3 withheld and not published");
    let shown = home.sql(
        "select review_id, status, withheld_reason, verification_method from review order by review_id;
         select source_name, id_at_source, posted_at, responded_at, said ->> 'decided' from review_source where review_id = 'n1';
         select count(*) from review_note;
         select count(*) from review_source where same_text = 3",
    );
    assert_eq!(
        shown.trim(),
        "n1|published||manual\nw0|withheld||manual\nw1|withheld|spam|manual\nw2|withheld|not verified|manual\nGoogle||||\n0\n0"
    );
    // Its texts are the source's, not decisions of the owner.
    let mut changed = own;
    changed["text"] = "Bread was cold".into();
    let published: Vec<Value> = (0..3)
        .map(|number| native(&format!("w{number}"), &json!({"status": "published"})))
        .collect();
    run(&home, &site, &lines(&[&[changed][..], &published].concat()));
    assert_eq!(
        home.sql("select text from review where review_id = 'n1'")
            .trim(),
        "Bread was cold"
    );
    let count = home.sql("select count(*) from review where status = 'published'");
    assert_eq!(
        count.trim(),
        "1",
        "what was withheld is not published by a row"
    );
    // An import by hand takes it all.
    home.import("own.jsonl", &lines(&published), "3 updated");
    let count = home.sql("select count(*) from review where status = 'published'");
    assert_eq!(count.trim(), "4");
}

#[test]
fn run_takes_no_business_no_texts_no_columns_and_no_deletions() {
    let about = json!({"business": {"name": "Theirs"}, "editorial": {"summary": {"text": "Theirs."}},
        "columns": [{"source_name": "Google", "header": "Stars", "field": "rating", "position": 0}]});
    let deleted = json!({"id": "n1", "deleted": true, "imported_from": "Google",
        "digests": "0000000000000001-0000000000000002-0000000000000003"});
    let unknown = json!({"id": "n2", "deleted": true});
    let (home, site) = site();
    home.import("own.jsonl", &lines(&[native("n1", &json!({}))]), "1 new");
    let before = kept(&home, "'n1', 'n2'");
    let rows = [about, deleted, unknown, native("n3", &json!({}))];
    let added = add(&home, &site, &lines(&rows), &[]);
    for part in [
        "note: the business, editorial texts and columns of the file are left out: a run takes reviews only\n",
        "2 deletion marks left out: a run takes reviews only\n",
        "1 new, 0 updated",
    ] {
        assert_has(&added.out, part);
    }
    assert_eq!(kept(&home, "'n1', 'n2'"), before);
    let counts = "select (select count(*) from business), (select count(*) from source_column), (select count(*) from deleted_review)";
    assert_eq!(home.sql(counts).trim(), "0|0|0");
    home.run("editorial").done();
    let [.., document] = forms(&rows[3..]);
    let run = run(&home, &site, &document);
    assert_has(
        &run.out,
        "business, editorial texts and columns of the file are left out",
    );
    assert_eq!(home.sql(counts).trim(), "0|0|0");
}

#[test]
fn source_option_names_the_source_of_native_rows() {
    let rows = lines(&[native("n1", &json!({"imported_from": "Yelp"}))]);
    let names = "select r.source_name, s.source_name from review as r join review_source as s using (review_id)";
    let (home, site) = site();
    add(&home, &site, &rows, &["--source", "Branch"]);
    assert_eq!(home.sql(names).trim(), "Branch|Branch");
    let home = empty();
    home.file("own.jsonl", &rows);
    home.run_ok("import own.jsonl --source Branch", "1 new");
    assert_eq!(home.sql(names).trim(), "Branch|Branch");
    home.run_ok("import own.jsonl --source Branch", "1 unchanged");
}

#[test]
fn hidden_reviews_do_not_come_back_by_a_run() {
    for decision in ["delete g1 --yes", "withhold g1 --reason dispute"] {
        for changes in [
            json!({}),
            json!({"source": {"name": "google"}}),
            json!({"source": {"name": "Elsewhere"}}),
            json!({"location": "Mesa"}),
            json!({"posted_at": "2020-01-01T00:00:00Z"}),
            json!({"digests": "0000000000000001-0000000000000002-0000000000000003"}),
            json!({"said": {}, "decided": ["status"], "status": "published"}),
            json!({"author": "Ann B."}),
            json!({"rating": 4}),
            json!({"date": "2026-10-02"}),
        ] {
            let (home, site) = site();
            home.import(
                "own.jsonl",
                &lines(&[native("g1", &json!({"location": "Tempe"}))]),
                "1 new",
            );
            home.run(decision).done();
            let mut row = native("g1-again", &changes);
            row["text"] = "Bread number g1 was warm".into();
            give(&site, &lines(&[row]));
            let url = site.url("/r");
            let added = home.run(&["sync", "add", "other", &url, "--yes"]);
            let published = home.sql("select count(*) from review where status = 'published'");
            assert_eq!(
                published.trim(),
                "0",
                "{decision} {changes}: {}{}",
                added.out,
                added.err
            );
        }
    }
}
