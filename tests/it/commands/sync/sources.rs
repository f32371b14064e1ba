//! What a run of an entry may touch, and that our own form is not fetched.

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

/// A row of the scraper, of a site that it names, with this text.
fn row_of(id: &str, origin: &str, text: &str) -> Value {
    json!({"stars": 5, "publishedAtDate": "2026-10-01T08:00:00.000Z", "name": "Ann Baker", "reviewId": id, "text": text, "reviewOrigin": origin})
}

#[test]
fn own_form_is_not_fetched() {
    let row = json!({"id": "r-1", "rating": 5, "date": "2026-10-01", "author": "Ann", "text": "Warm bread"});
    let first = json!({"business": {"id": "x", "name": "Theirs"}, "editorial": {}});
    let lines = format!("{row}\n{row}\n");
    let export = format!("{first}\n{lines}");
    for (answer, keys) in [(&lines, ""), (&export, ""), (&export, "format = 'jsonl'")] {
        let (home, site) = site();
        give(&site, answer);
        let run = super::add(&home, "other", &site.url("/r"), keys);
        run.failed(
            "is our own form (JSON Lines, as `reviews export` writes it), which is not fetched",
        );
        let failure = super::column(&home, "last_failure");
        assert_has(&failure, "`reviews sync run other --dry-run` shows why");
        assert_eq!(super::count(&home, "true"), "0");
    }
    // What another instance answers, and lines of another program, are tables.
    let (home, site) = site();
    let document =
        json!({"business": {}, "aggregate_rating": {}, "withheld": {}, "reviews": [row]});
    give(&site, &document.to_string());
    super::add(&home, "other", &site.url("/r"), "").done();
    home.file("lines.toml", "[fields]\ntext = 'text'\n");
    give(&site, &lines.replace("r-1", "r-2"));
    super::add(&home, "other", &site.url("/r"), "format = './lines.toml'").done();
    assert_eq!(super::count(&home, "true"), "2");
}

#[test]
fn reviews_of_another_source_are_gone_and_not_renamed() {
    let (home, site) = site();
    let other = row_of("t1", "Tripadvisor", "Cake was good");
    let rows = ["a1", "a2"].map(|id| row_of(id, "Google", &format!("Bread number {id} was warm")));
    add(
        &home,
        &site,
        &json!([rows[0], rows[1], other]).to_string(),
        "",
    );
    home.run_err(
        "source rename Tripadvisor Trip",
        "the rows of the entry other",
    );
    let left = run(&home, &site, &json!(rows).to_string());
    assert_has(&left.out, "1 public review of Tripadvisor without a row");
    assert_eq!(home.json("sync list --json")[0]["gone"], 1);
    let withdraw = "sync run other --withdraw-missing --accept-changes";
    home.run_ok(withdraw, "1 withdrawn");
    let withheld = "select review_id from review where status = 'withheld'";
    home.finds(withheld, "google-maps-t1");
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
fn hidden_reviews_do_not_come_back_by_a_run() {
    let text = "Bread number 1 was warm";
    for decision in ["delete g1 --yes", "withhold g1 --reason dispute"] {
        for (name, origin) in [
            ("Ann Baker", "Google"),
            ("Ann B.", "Google"),
            ("Ann Baker", "Tripadvisor"),
        ] {
            let (home, site) = site();
            // A withheld review hides no equal one of another source.
            if decision.starts_with("withhold") && origin == "Tripadvisor" {
                continue;
            }
            let own = json!({"id": "g1", "rating": 5, "date": "2026-10-01", "author": "Ann Baker", "text": text, "source": "Google"});
            home.import("own.jsonl", &own.to_string(), "1 new");
            home.run(decision).done();
            let mut row = row_of("again", origin, text);
            row["name"] = name.into();
            give(&site, &json!([row]).to_string());
            let added = super::add(&home, "other", &site.url("/r"), "");
            let published = super::count(&home, "status = 'published'");
            assert_eq!(published, "0", "{decision} {name} {origin}: {}", added.out);
        }
    }
}
