//! The file of entries: its faults, what is shown of it, when it is read again, and which entries are first run by hand.

use super::*;

/// Runs the service with a due entry, and returns its log after the entry `other` was fetched.
fn log_of_service(home: &Home) -> String {
    let other = google_site(1);
    add(home, "other", &other.url("/r"), "").done();
    make_due(home);
    let serving = home.serve();
    wait_for_success(home, "other");
    let log = serving.log.clone();
    serving.stop();
    log.text()
}

#[test]
fn new_entry_is_first_run_by_hand() {
    let (home, site) = (home(), google_site(3));
    site.answer(|_| SiteAnswer::status(404));
    add(&home, "google", &site.url("/reviews"), "").failed("status 404");
    answer_with(&site, 3);
    let log = log_of_service(&home);
    assert_has(&log, "sync.first_run");
    assert_has(&log, "`reviews sync run google`");
    home.run_ok("status", "`reviews sync run google`");
    has(&home, 1, "true");
    home.run("sync run google").done();
    has(&home, 3, "true");
    let status = home.json("status --json");
    assert_eq!(status["imports"][0]["sync"], "google");
}

#[test]
fn dry_run_of_a_new_entry_changes_nothing() {
    let (home, site) = (home(), google_site(3));
    write_entry(&home, "google", &site.url("/reviews"), "");
    let preview = home.run_ok("sync run google --dry-run", "3 new");
    assert_has(&preview.out, "dry run: nothing was changed");
    has(&home, 0, "true");
}

#[test]
fn source_learns_who_asks() {
    let (_home, site) = added(1, "");
    let agent = site.requests()[0].header("user-agent").to_owned();
    let version = concat!("reviews-service/", env!("CARGO_PKG_VERSION"));
    assert_has(&agent, version);
}

#[test]
fn entries_are_listed_with_schedule_total_and_last_runs_but_no_query() {
    let (home, site) = (home(), google_site(3));
    let url = site.url("/reviews?secret=hush");
    add(&home, "google", &url, "every = '30m'").done();
    site.answer(|_| SiteAnswer::status(404));
    sync(&home).failed("status 404");
    let list = home.run_ok("sync list", "google: http://127.0.0.1").out;
    for part in ["/reviews\n", "schedule      30m", "Google says 3 ("] {
        assert_has(&list, part);
    }
    home.run_ok("status", "Google says 3 (");
    let json = home.json("sync list --json");
    let members = "name source url schedule next_run_at last_success_at last_failure";
    for member in members.split(' ') {
        assert!(json[0][member].is_string(), "{member}: {json}");
    }
    let total = json!({"count": 3, "on": json[0]["last_success_at"].as_str().unwrap()[..10]});
    assert_eq!(json[0]["total"], total);
    assert_eq!(json[0]["source"], "Google");
    for instant in ["next_run_at", "last_success_at"] {
        let is_text = format!("min({instant} glob '????-??-??T??:??:??*Z')");
        assert_eq!(column(&home, &is_text), "1", "{instant}");
    }
    assert!(!home.file_has("hush"));
}

#[test]
fn only_an_entry_of_the_file_is_run() {
    let (home, _site) = added(1, "");
    home.run_err("sync run gogle", "has no entry gogle to fetch");
}

#[test]
fn fault_of_the_file_names_line_and_key_and_no_value() {
    let home = home();
    for [key, fault] in table(
        r#"
        url = "ftp://hush" → line 3: a.url: write it like https://HOST/PATH
        ulr = "hush" → line 3: a: ulr is no key of an entry; the nearest is url
        every = "4m" → line 3: a.every: less than 5 minutes
        at = "1 2 3 4 hush" → line 3: a.at: no schedule
        format = "hush" → line 3: a.format: no built-in format
        partial = "hush" → line 3: a.partial: expected a boolean
        source = 5 → line 3: a.source: expected a string
        source = "hush\u0001" → line 2: a.source: the name of a source is one line
        command = ["hush",; "hush=1", 5,; "hush", "hush"] → line 4: a.command: expected a string
        headers = { X-Key = "hush", Y = 5 } → line 3: a.headers.Y: expected a string
        headers = { X-Key = "hush", x-key = "b" } → line 3: a.headers: a header is there twice
        headers = { X-Key = "${hush}" } → line 3: a.headers.X-Key: a variable is written ${NAME}
        headers = { X-Key = "${CA_FILE}" } → line 3: a.headers.X-Key: REVIEWS_SYNC_CA_FILE is a setting
        google_credentials = "hush"; basic = "a:b" → line 2: a.google_credentials: it and another Authorization exclude each other
        headers = { authorization = "hush" }; basic = "a:b" → line 2: a.basic: it and another Authorization exclude each other
        basic = "hush" → line 3: a.basic: write user and password with a colon between them
        headers = { "X Key" = "hush" } → line 3: a.headers: "X Key" is no name of a header
        url = "http://hush@a.test/r" → line 2: a.url: http:// sends secrets and reviews in the clear; use https://, or add allow_http = true
        basic = "${COMMAND}" → line 2: a.command: missing, and ${COMMAND} is what it prints
        every = "6h"; at = "0 5 * * *" → line 2: a: every and at exclude each other
        source = hush → line 3: this is no TOML
        "#,
    ) {
        let mut text = format!("# What is fetched; [a]; {key}; ");
        if !key.starts_with("url") {
            text += "url = \"https://a.test\"; ";
        }
        let text = text.replace("; ", "\n");
        home.file("reviews.sync.toml", &text);
        for words in ["sync list", "sync list --json", "sync run", "sync run a"] {
            home.run(words).failed(fault);
        }
        home.run_ok("status", fault);
    }
    for [text, fault] in table(
        "
        [-x]; url = 'https://a.test' → begins with no -
        [b]; every = '6h' → line 1: b: missing field `url`
        url = 'hush' → line 1: url: expected a table, which begins with its [name]
        ",
    ) {
        home.file("reviews.sync.toml", &text.replace("; ", "\n"));
        home.run("sync list").failed(fault);
    }
    assert!(!home.printed.lock().unwrap().contains("hush"));
    for entry in [
        "url = 'http://a.test/r'; allow_http = true",
        "url = 'http://${HOST}/r'",
        "url = 'http://localhost:9/r'",
    ] {
        let text = format!("[a]\n{}", entry.replace("; ", "\n"));
        home.file("reviews.sync.toml", &text);
        home.run_ok("sync list", "a: http://");
    }
    home.run_err("sync list --sync-file none.toml", "none.toml");
    home.file("reviews.sync.toml", "");
    home.run_ok("sync list", "`reviews source` lists");
}

#[test]
fn faulty_file_at_the_start_stops_no_page_and_fetches_nothing() {
    let (home, site) = added(2, "");
    make_due(&home);
    site.take_targets();
    home.file("reviews.sync.toml", "[google]\nurl = hush\n");
    let serving = home.serve();
    assert_has(&serving.greeting, "nothing is fetched");
    assert_has(&serving.greeting, "line 2");
    let log = serving.log.clone();
    wait_until("the fault is logged", || {
        log.text().contains("sync.file_faulty")
    });
    assert_eq!(serving.ids().len(), 2);
    serving.stop();
    assert!(!home.file_has("hush"));
    assert_eq!(site.take_targets(), [""; 0]);
    let named = home.with_variable("REVIEWS_SYNC_FILE", "nowhere.toml");
    let serving = named.serve();
    wait_until("the fault is logged", || {
        serving.log.text().contains("sync.file_faulty")
    });
}

#[test]
fn changed_entry_is_first_run_by_hand_but_not_a_new_schedule() {
    let (home, site) = added(1, "");
    let other = google_site(2);
    write_entry(&home, "google", &other.url("/r"), "");
    make_due(&home);
    assert_has(&log_of_service(&home), "`reviews sync run google`");
    assert_eq!(other.take_targets(), [""; 0]);
    home.run("sync run google").done();
    for keys in ["every = '5m'", "at = '0 3 * * *'", "partial = true"] {
        write_entry(&home, "google", &other.url("/r"), keys);
        make_due(&home);
        let _serving = home.serve();
        wait_for_success(&home, "google");
    }
    drop(site);
}

#[test]
fn files_that_everybody_may_write_are_refused() {
    let (home, site) = (home(), google_site(1));
    let key = |keys: &str| write_entry(&home, "google", &site.url("/r"), keys);
    let set = |name: &str, mode: u32| {
        let path = home.folder.path().join(name);
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    home.file("google.toml", "like = \"google\"\n");
    home.file("token", "#!/bin/sh\necho a\n");
    home.file("google.json", "{}");
    for (name, keys) in [
        ("reviews.sync.toml", ""),
        ("google.toml", "format = './google.toml'"),
        (
            "token",
            "command = ['./token']\nheaders = { X-Key = '${COMMAND}' }",
        ),
        ("google.json", "google_credentials = 'google.json'"),
    ] {
        key(keys);
        set(name, 0o666);
        home.run("sync run google").failed("everybody may write");
        set(name, 0o644);
    }
    key("format = './none.toml'");
    home.run_ok("sync list", "/none.toml: No such file");
    assert_eq!(site.take_targets(), [""; 0]);
    key("");
    home.run("sync run google").done();
}

#[test]
fn dry_run_previews_every_entry() {
    let (home, site) = added(20, "partial = true");
    let broken = google_site(1);
    add(&home, "broken", &broken.url("/r"), "").done();
    broken.answer(|_| SiteAnswer::status(404));
    answer_with(&site, 3);
    let preview = home.run("sync run --dry-run");
    preview.failed("broken: status 404");
    assert_has(&preview.out, "google:");
}

#[test]
fn sample_or_database_without_a_business_fetches_nothing() {
    let (home, site) = added(3, "");
    home.sql("update instance set is_sample = 1");
    site.take_targets();
    sync(&home).failed("holds the sample");
    let new = Home::new();
    new.run("migrate").done();
    add(&new, "google", &site.url("/r"), "").failed("reviews init");
    assert_eq!(site.take_targets(), [] as [&str; 0]);
}

#[test]
fn total_of_a_source_is_the_sum_of_all_entries() {
    let (home, _site) = added(3, "");
    let other = Site::start(|_| google_page(7..9, None, 4));
    add(&home, "other", &other.url("/r"), "").done();
    let serving = home.serve();
    assert_has(&serving.greeting, "reviews.sync.toml, 2 entries\n");
    serving.wait_for("/transparency.json", "\"stated\":{\"count\":7");
    serving.stop();
    let path = home.folder.path().join("reviews.sync.toml");
    let text = fs::read_to_string(&path).unwrap();
    let (left, _) = text.split_once("[other]").unwrap();
    fs::write(&path, left).unwrap();
    let serving = home.serve();
    // Reviews of the entry that is gone are not in the number of the other.
    wait_until("no number is compared", || {
        !serving.get("/transparency.json").contains("\"stated\"")
    });
    serving.stop();
    fs::write(&path, text).unwrap();
    home.sql("update review set status = 'withheld', withheld_reason = 'gone at the source' where review_id = (select min(review_id) from review)");
    let serving = home.serve();
    serving.wait_for("/transparency.json", "\"stated\":{\"count\":7");
    serving.wait_for("/transparency", "4 here, 0 withheld, 0 deleted, 3 not here");
}

#[test]
fn other_table_of_one_source_is_sent_to_another_source() {
    let home = home();
    let first = csv_site("Name,Stars,Date,Review\nAnn,5,2026-10-01,Good\n");
    let second = csv_site("Author,Rating,Day,Text\nBo,4,2026-10-02,Fair\n");
    add(&home, "a", &first.url("/r"), "").done();
    add(&home, "b", &second.url("/r"), "").failed("and source = \"NAME\" if");
    add(&home, "b", &second.url("/r"), "source = 'Second'").done();
    home.run("sync run").done();
    give_csv(&first, "Guest,Grade,Date,Feedback\nAnn,5,2026-10-01,Good\n");
    let draft = home.run("sync run a").out;
    home.file("a.toml", &draft);
    add(&home, "a", &first.url("/r"), "format = './a.toml'").done();
    has(&home, 2, "status = 'published'");
}
