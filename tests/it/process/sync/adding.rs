//! Sources are added after consent, changed, listed and removed.

use super::*;

#[test]
fn source_is_stored_imported_listed_changed_and_removed() {
    let (home, site) = (home(), google_site(3));
    let url = site.url("/reviews");
    site.answer(|_| SiteAnswer::status(404));
    add(&home, "google", &url, &[]).failed("status 404");
    answer_with(&site, 3);
    let asked = home.run(&["sync", "add", "google", &url]);
    asked.failed("nothing was stored; add --yes");
    assert_has(&asked.out, "3 new");
    assert_eq!([count(&home, "true"), column(&home, "name")], ["0", ""]);
    add(&home, "google", &url, &["--every", "30m"]).done();
    has(&home, 3, "true");
    let agent = site.requests()[0].header("user-agent").to_owned();
    assert_has(&agent, "reviews");
    assert_has(&agent, env!("CARGO_PKG_VERSION"));
    let listed = home.run("sync list");
    for part in ["google: http://127.0.0.1", "every 30m", ", 3 reviews"] {
        assert_has(&listed.out, part);
    }
    let status = home.json("status --json");
    assert_eq!(status["imports"][0]["sync"], "google");
    assert_eq!(status["sync"][0]["last_outcome"], "success");
    site.answer(|_| SiteAnswer::status(404));
    sync(&home).failed("status 404");
    let json = home.json("sync list --json");
    let members = "name url schedule next_run_at last_success_at last_failure_at last_failure last_outcome reviews paused";
    for member in members.split(' ') {
        assert!(!json[0][member].is_null(), "{member}: {json}");
    }
    for instant in ["next_run_at", "last_success_at", "last_failure_at"] {
        let is_text = format!("{instant} glob '????-??-??T??:??:??*Z'");
        assert_eq!(column(&home, &is_text), "1", "{instant}");
    }
    // The same name changes the source.
    let other = google_site(4);
    let at = ["--at", "0 3 * * *"];
    add(&home, "google", &other.url("/r"), &at).done();
    site.take_targets();
    sync(&home).done();
    assert_eq!(site.take_targets(), [] as [&str; 0]);
    assert_eq!(column(&home, "schedule"), "0 3 * * *");
    // The reviews stay.
    home.run("sync remove gogle")
        .failed("the nearest name is google");
    home.run("sync run google").done();
    home.run("sync remove google").done();
    let lock = home.folder.path().join("reviews.db-sync-google");
    assert!(!lock.exists(), "the file of its lock stays");
    assert_eq!([count(&home, "true"), column(&home, "name")], ["4", ""]);
}

#[test]
fn invalid_schedule_or_name_is_refused() {
    let home = home();
    let url = "https://shop.test/r";
    for (option, value) in [("--at", "6h"), ("--every", "0 3 * * *"), ("--every", "4m")] {
        let refused = add(&home, "shop", url, &[option, value]);
        refused.failed(&format!("invalid value '{value}'"));
    }
    for name in ["my_shop", "Shop", "", &"x".repeat(65)] {
        let refused = add(&home, name, url, &[]);
        refused.failed("lower-case letters, digits and -");
    }
}

#[test]
fn dry_run_previews_every_source() {
    let (home, site) = added(20, &["--partial"]);
    let broken = google_site(1);
    add(&home, "broken", &broken.url("/r"), &[]).done();
    broken.answer(|_| SiteAnswer::status(404));
    answer_with(&site, 3);
    let preview = home.run("sync run --dry-run");
    preview.failed("broken: status 404");
    assert_has(&preview.out, "google:");
    let listed = home.run("sync list").out;
    assert_has(&listed, "options       --partial");
}

#[test]
fn text_of_a_source_has_at_most_8_kib() {
    let (home, site) = added(1, &[]);
    let long = "x".repeat(8_193);
    for name in ["url", "last_failure"] {
        let update = format!("update sync_source set {name} = '{long}'");
        refused(&home.path(), &update);
    }
    let url = site.url(&format!("/{long}"));
    assert_eq!(add(&home, "other", &url, &[]).code, Some(2));
    assert_eq!(column(&home, "name"), "google");
}

#[test]
fn database_with_the_sample_fetches_nothing() {
    let (home, site) = added(3, &[]);
    home.sql("update instance set is_sample = 1");
    site.take_targets();
    sync(&home).failed("holds the sample");
    add(&home, "other", &site.url("/r"), &[]).failed("--database my.db");
    assert_eq!(site.take_targets(), [] as [&str; 0]);
}
