//! Sources are added after consent, changed, listed and removed.

use super::*;

#[test]
fn source_is_stored_and_imported_only_after_consent() {
    let (home, site) = (home(), google_site(3));
    let url = site.url("/reviews");
    add(
        &home,
        "google",
        &site.url("/r"),
        &["--partial", "--withdraw-missing"],
        &[],
    )
    .failed("--partial");
    site.answer(|_| SiteAnswer::status(404));
    add(&home, "google", &url, &[], &[]).failed("status 404");
    answer_with(&site, 3);
    let asked = home.run(&["sync", "add", "google", &url]);
    asked.failed("nothing was stored; add --yes");
    assert!(asked.out.contains("3 new"), "the preview: {}", asked.out);
    assert_eq!([count(&home, "true"), column(&home, "name")], ["0", ""]);
    add(&home, "google", &url, &["--every", "30m"], &[]).done();
    has(&home, 3, "true");
    let agent = site.requests()[0].header("user-agent").to_owned();
    assert!(
        agent.contains("reviews") && agent.contains(env!("CARGO_PKG_VERSION")),
        "{agent}"
    );
    let listed = home.run("sync list");
    for part in ["google: http://127.0.0.1", "every 30m", ", 3 reviews"] {
        assert!(listed.out.contains(part), "{part}: {}", listed.out);
    }
    let status: Value = serde_json::from_str(&home.run("status --json").out).unwrap();
    assert_eq!(status["imports"][0]["sync"], "google");
    assert_eq!(status["sync"][0]["last_outcome"], "success");
    site.answer(|_| SiteAnswer::status(404));
    sync(&home).failed("status 404");
    let json: Value = serde_json::from_str(&home.run("sync list --json").out).unwrap();
    let members = "name url schedule next_run_at last_success_at last_failure_at last_failure last_outcome reviews paused";
    for member in members.split(' ') {
        assert!(!json[0][member].is_null(), "{member}: {json}");
    }
    for instant in ["next_run_at", "last_success_at", "last_failure_at"] {
        let is_text = format!("{instant} glob '????-??-??T??:??:??*Z'");
        assert_eq!(column(&home, &is_text), "1", "{instant}");
    }
}

#[test]
fn removed_source_keeps_the_reviews() {
    let (home, _site) = added(2, &[]);
    home.run("sync remove gogle")
        .failed("the nearest name is google");
    home.run("sync remove google").done();
    assert_eq!([count(&home, "true"), column(&home, "name")], ["2", ""]);
}

#[test]
fn invalid_schedule_or_name_is_refused() {
    let home = home();
    for (option, value) in [("--at", "6h"), ("--every", "0 3 * * *"), ("--every", "4m")] {
        let refused = add(&home, "shop", "https://shop.test/r", &[option, value], &[]);
        refused.failed(&format!("invalid value '{value}'"));
    }
    for name in ["my_shop", "Shop", "", &"x".repeat(65)] {
        let refused = add(&home, name, "https://shop.test/r", &[], &[]);
        refused.failed("lower-case letters, digits and -");
    }
}

#[test]
fn dry_run_previews_every_source_and_takes_one_as_it_is() {
    let (home, site) = added(20, &["--withdraw-missing"]);
    let broken = google_site(1);
    add(&home, "broken", &broken.url("/r"), &[], &[]).done();
    broken.answer(|_| SiteAnswer::status(404));
    answer_with(&site, 3);
    let preview = home.run("sync run --dry-run");
    preview.failed("broken: status 404");
    assert_has(&preview.out, "google:");
    let accepted = home.run("sync run google --dry-run --yes");
    assert_has(&accepted.out, "17 withdrawn");
    assert_eq!(withheld(&home), "0");
    let listed = home.run("sync list").out;
    assert_has(&listed, "options       --withdraw-missing");
}

#[test]
fn same_name_changes_the_source() {
    let (home, site) = added(1, &["--every", "30m"]);
    let other = google_site(2);
    add(
        &home,
        "google",
        &other.url("/r"),
        &["--at", "0 3 * * *"],
        &[],
    )
    .done();
    site.take_targets();
    sync(&home).done();
    assert_eq!(
        [site.take_targets().len(), other.take_targets().len()],
        [0, 2]
    );
    assert_eq!(column(&home, "schedule"), "0 3 * * *");
}

#[test]
fn text_of_a_source_has_at_most_8_kib() {
    let (home, site) = added(1, &[]);
    let long = "x".repeat(8_193);
    for (name, value) in [
        ("url", format!("https://shop.test/{long}")),
        ("schedule", format!("6h{}", " ".repeat(8_193))),
        (
            "options",
            json!({"headers": [["Accept", long]]}).to_string(),
        ),
        ("last_failure", long.clone()),
    ] {
        refused(
            &home.path(),
            &format!("update sync_source set {name} = '{value}'"),
        );
    }
    home.sql(&format!(
        "update sync_source set url = '{}'",
        &long[..8_192]
    ));
    let url = site.url(&format!("/{long}"));
    let header = format!("Accept: {long}");
    for words in [&[&*url][..], &[&site.url("/r"), "--header", &header]] {
        let words = [&["sync", "add", "other"], words, &["--yes"]].concat();
        assert_eq!(home.run(&words).code, Some(2));
    }
    assert_eq!(column(&home, "name"), "google");
}
