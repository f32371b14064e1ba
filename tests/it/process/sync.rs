//! Sources that are fetched on a schedule, against a server that answers like the platforms do.

use std::fs;
use std::process::Stdio;

use serde_json::{Value, json};

use super::{CommandOutput, Home, Serving, output_of, reviews};
use crate::support::{Site, SiteAnswer, SiteRequest, sqlite3};

/// A home with a business, so that instants have a time zone.
fn home() -> Home {
    let home = Home::new();
    let init = home.run(&["init", "--name", "Bakery", "--time-zone", "UTC"]);
    assert_eq!(init.code, Some(0), "{}", init.err);
    home
}

fn run_with(home: &Home, words: &[&str], environment: &[(&str, &str)]) -> CommandOutput {
    output_of(
        reviews(home.0.path())
            .args(words)
            .envs(environment.iter().copied()),
    )
}

#[track_caller]
fn done(output: &CommandOutput) {
    assert_eq!(output.code, Some(0), "{}{}", output.out, output.err);
}

#[track_caller]
fn failed(output: &CommandOutput, with: &str) {
    assert_eq!(output.code, Some(2), "{}{}", output.out, output.err);
    assert!(output.err.contains(with), "{}", output.err);
}

fn count(home: &Home, condition: &str) -> String {
    sqlite3(
        &home.path(),
        &format!("select count(*) from review where {condition}"),
    )
    .trim()
    .to_owned()
}

fn column(home: &Home, name: &str) -> String {
    sqlite3(&home.path(), &format!("select {name} from sync_source"))
        .trim()
        .to_owned()
}

/// A review as Google's API gives it.
fn google(number: usize) -> Value {
    json!({
        "reviewId": format!("g{number}"), "reviewer": {"displayName": format!("Guest {number}")}, "starRating": "FIVE",
        "comment": format!("Bread number {number} was warm"), "createTime": "2026-10-01T10:00:00Z",
        "updateTime": "2026-10-01T10:00:00Z",
    })
}

/// A page of Google's API.
fn google_page(
    numbers: impl IntoIterator<Item = usize>,
    next: Option<&str>,
    total: usize,
) -> SiteAnswer {
    let reviews: Vec<Value> = numbers.into_iter().map(google).collect();
    let mut page = json!({"reviews": reviews, "totalReviewCount": total});
    if let Some(next) = next {
        page["nextPageToken"] = next.into();
    }
    SiteAnswer::json(page.to_string())
}

/// A site with one page of Google's API.
fn google_site(count: usize) -> Site {
    Site::start(move |_| google_page(0..count, None, count))
}

fn answer_with(site: &Site, count: usize) {
    site.answer(move |_| google_page(0..count, None, count));
}

/// A review as Apify gives it.
fn apify(number: usize) -> Value {
    json!({
        "stars": 4, "publishedAtDate": "2026-10-02T08:00:00.000Z", "name": format!("Guest {number}"),
        "reviewId": format!("a{number}"), "text": format!("Cake number {number}"),
    })
}

fn query(request: &SiteRequest, name: &str) -> Option<String> {
    let (_, query) = request.target.split_once('?')?;
    let mut pairs = url::form_urlencoded::parse(query.as_bytes());
    pairs
        .find(|(other, _)| other == name)
        .map(|(_, value)| value.into_owned())
}

#[test]
fn source_is_stored_and_imported_only_after_consent() {
    let (home, site) = (home(), google_site(3));
    let url = site.url("/reviews");
    let asked = home.run(&["sync", "add", "google", &url]);
    failed(&asked, "nothing was stored; add --yes");
    assert!(asked.out.contains("3 new"), "the preview: {}", asked.out);
    assert_eq!(
        (
            count(&home, "true").as_str(),
            column(&home, "name").as_str()
        ),
        ("0", "")
    );
    done(&home.run(&["sync", "add", "google", &url, "--every", "30m", "--yes"]));
    assert_eq!(count(&home, "true"), "3");
    let listed = home.run(&["sync", "list"]);
    for part in ["google: http://127.0.0.1", "every 30m", ", 3 reviews"] {
        assert!(listed.out.contains(part), "{part}: {}", listed.out);
    }
    let status: Value = serde_json::from_str(&home.run(&["status", "--json"]).out).unwrap();
    assert_eq!(status["imports"][0]["sync"], "google");
    assert_eq!(status["sync"][0]["last_outcome"], "success");
}

#[test]
fn failed_first_fetch_stores_nothing() {
    let (home, site) = (home(), Site::start(|_| SiteAnswer::status(404)));
    let added = home.run(&["sync", "add", "google", &site.url("/r"), "--yes"]);
    failed(&added, "status 404");
    assert_eq!(column(&home, "name"), "");
}

#[test]
fn pages_by_token_are_one_import_until_the_token_is_empty() {
    let home = home();
    let site = Site::start(|request| match query(request, "pageToken").as_deref() {
        None => google_page(0..2, Some("second"), 5),
        // A short page is not the end.
        Some("second") => google_page(2..3, Some("third"), 5),
        Some("third") => google_page(3..5, Some(""), 5),
        Some(other) => panic!("{other}"),
    });
    done(&home.run(&[
        "sync",
        "add",
        "google",
        &site.url("/reviews?pageSize=2"),
        "--yes",
    ]));
    assert_eq!(
        site.take_targets(),
        [
            "/reviews?pageSize=2",
            "/reviews?pageSize=2&pageToken=second",
            "/reviews?pageSize=2&pageToken=third"
        ]
    );
    assert_eq!(count(&home, "true"), "5");
    assert_eq!(
        sqlite3(&home.path(), "select files, added from import_run"),
        "[\"sync google\"]|5"
    );
}

#[test]
fn repeated_token_ends_the_pages() {
    let home = home();
    let mut number = 0;
    let site = Site::start(move |_| {
        number += 1;
        google_page([number], Some("same"), 2)
    });
    done(&home.run(&["sync", "add", "google", &site.url("/reviews"), "--yes"]));
    assert_eq!(
        (site.take_targets().len(), count(&home, "true").as_str()),
        (2, "2")
    );
}

#[test]
fn page_that_repeats_for_ever_ends_the_pages() {
    let (home, site) = (home(), Site::start(|_| google_page(0..2, None, 2)));
    site.answer(|request| {
        let page = query(request, "page").map_or(1, |page| page.parse().unwrap());
        let rows: Vec<Value> = [apify(page.min(3))].to_vec();
        SiteAnswer::json(Value::from(rows).to_string())
            .with(&format!("Link: </x?page={}>; rel=\"next\"", page + 1))
    });
    done(&home.run(&["sync", "add", "scraper", &site.url("/items"), "--yes"]));
    assert_eq!(
        (site.take_targets().len(), count(&home, "true").as_str()),
        (4, "3")
    );
}

#[test]
fn link_to_another_host_is_followed_at_the_source_only() {
    let home = home();
    let other = Site::start(|_| SiteAnswer::json("[]"));
    let elsewhere = other.url("/elsewhere");
    let site = Site::start(move |request| {
        let page = query(request, "page").map_or(1, |page| page.parse::<usize>().unwrap());
        let answer = SiteAnswer::json(Value::from(vec![apify(page)]).to_string());
        if page < 3 {
            let next = page + 1;
            answer.with(&format!(
                "Link: <{elsewhere}?page={next}>; rel=\"next\", <{elsewhere}?page=3>; rel=\"last\""
            ))
        } else {
            answer
        }
    });
    done(&home.run(&[
        "sync",
        "add",
        "shop",
        &site.url("/items?per_page=1"),
        "--yes",
    ]));
    assert_eq!(
        site.take_targets(),
        [
            "/items?per_page=1",
            "/items?page=2&per_page=1",
            "/items?page=3&per_page=1"
        ]
    );
    assert_eq!(other.take_targets(), [] as [&str; 0]);
    assert_eq!(count(&home, "true"), "3");
}

#[test]
fn failed_page_imports_nothing_and_names_the_page() {
    let (home, site) = (home(), google_site(1));
    done(&home.run(&["sync", "add", "google", &site.url("/reviews"), "--yes"]));
    site.answer(|request| match query(request, "pageToken") {
        None => google_page(5..9, Some("second"), 8),
        Some(_) => SiteAnswer::status(403),
    });
    failed(&home.run(&["sync", "run", "google"]), "page 2: status 403");
    assert_eq!(count(&home, "true"), "1");
    assert!(
        column(&home, "last_failure").contains("page 2"),
        "it is kept"
    );
}

#[test]
fn secrets_are_in_no_byte_of_the_database_or_an_output() {
    const SECRET: &str = "s3cr3t/of+the&shop=1";
    let home = home();
    let site = Site::start(|request| {
        let key = query(request, "api_token").unwrap();
        assert_eq!(
            (key.as_str(), request.header("x-api-key")),
            (SECRET, SECRET)
        );
        google_page(0..1, None, 1)
    });
    let environment = [("SHOP_TOKEN", SECRET), ("RUST_LOG", "debug")];
    let url = format!("{}?api_token=${{SHOP_TOKEN}}", site.url("/reviews"));
    let add = [
        "sync",
        "add",
        "shop",
        &url,
        "--header",
        "X-Api-Key: ${SHOP_TOKEN}",
        "--yes",
    ];
    let added = run_with(&home, &add, &environment);
    done(&added);
    // Servers repeat the key in the error, as it came or decoded.
    site.answer(|request| {
        let words = format!(
            "bad key {} {}",
            request.target,
            query(request, "api_token").unwrap()
        );
        SiteAnswer(
            401,
            Vec::new(),
            json!({"error": {"message": words}}).to_string(),
        )
    });
    let run = run_with(&home, &["sync", "run"], &environment);
    failed(&run, "status 401");
    assert!(run.err.contains("bad key"), "its words: {}", run.err);
    let listed = home.run(&["sync", "list"]);
    let missing = home.run(&["sync", "run", "shop"]);
    failed(&missing, "SHOP_TOKEN is not set");
    let mut bytes = Vec::new();
    for entry in fs::read_dir(home.0.path()).unwrap() {
        bytes.extend(fs::read(entry.unwrap().path()).unwrap());
    }
    for output in [&added, &run, &listed, &missing] {
        bytes.extend(output.out.bytes().chain(output.err.bytes()));
    }
    let encoded: String = url::form_urlencoded::byte_serialize(SECRET.as_bytes()).collect();
    for secret in [SECRET, &encoded, "s3cr3t"] {
        assert!(
            !bytes
                .windows(secret.len())
                .any(|part| part == secret.as_bytes()),
            "{secret}"
        );
    }
}

#[test]
fn literal_secret_is_refused_without_being_shown() {
    let (home, site) = (home(), google_site(1));
    let at = |query: &str| site.url(&format!("/reviews{query}"));
    let (key, signature, password) = (
        at("?api_key=abc123"),
        at("?X-Signature=abc123"),
        at("").replace("http://", "http://user:abc123@"),
    );
    for words in [
        vec![key.as_str()],
        vec![&signature],
        vec![&password],
        vec![&at(""), "--header", "Authorization: Bearer abc123"],
        vec![&at(""), "--header", "Cookie: abc123"],
        vec![&at(""), "--basic", "user:abc123"],
    ] {
        let words = [&["sync", "add", "shop"], words.as_slice(), &["--yes"]].concat();
        let refused = home.run(&words);
        failed(&refused, "which is not stored; write ");
        assert!(!refused.err.contains("abc123"), "{}", refused.err);
    }
    assert_eq!(site.take_targets(), [] as [&str; 0]);
    done(&home.run(&["sync", "add", "shop", &at("?pageToken=x"), "--yes"]));
}

#[test]
fn command_gives_the_token_without_a_shell() {
    let home = home();
    let site = Site::start(|request| {
        assert_eq!(request.header("authorization"), "Bearer ya29.fresh");
        google_page(0..1, None, 1)
    });
    let add = ["sync", "add", "my-place", &site.url("/reviews"), "--yes"];
    let name = "REVIEWS_SYNC_COMMAND_MY_PLACE";
    failed(
        &run_with(&home, &add, &[(name, "false ya29.hidden")]),
        "REVIEWS_SYNC_COMMAND_MY_PLACE failed",
    );
    done(&run_with(
        &home,
        &add,
        &[(name, "printf '%s\\n' ya29.fresh")],
    ));
}

#[test]
fn redirect_to_another_origin_carries_no_secret() {
    let home = home();
    let other = google_site(2);
    let target = other.url("/moved?key=hidden-token&page=1");
    let site = Site::start(move |request| {
        assert_eq!(request.header("authorization"), "Bearer hidden-token");
        SiteAnswer::status(307).with(&format!("Location: {target}"))
    });
    let add = [
        "sync",
        "add",
        "sheet",
        &site.url("/d"),
        "--header",
        "Authorization: Bearer ${TOKEN}",
        "--yes",
    ];
    done(&run_with(&home, &add, &[("TOKEN", "hidden-token")]));
    let [request] = other.requests().try_into().unwrap();
    assert_eq!(
        (request.target.as_str(), request.header("authorization")),
        ("/moved?page=1", "")
    );
    assert_eq!(count(&home, "true"), "2");
}

#[test]
fn redirects_without_end_fail() {
    let (home, site) = (
        home(),
        Site::start(|_| SiteAnswer::status(302).with("Location: /again")),
    );
    failed(
        &home.run(&["sync", "add", "loop", &site.url("/r"), "--yes"]),
        "redirects more than 5 times",
    );
}

#[test]
fn busy_server_is_asked_again_within_the_run() {
    let home = home();
    let mut answers = vec![
        google_page(0..1, None, 1),
        SiteAnswer::status(503).with("Retry-After: 0"),
    ];
    answers.push(SiteAnswer::status(429).with("Retry-After: 0"));
    let site = Site::start(move |_| answers.pop().unwrap());
    done(&home.run(&["sync", "add", "google", &site.url("/r"), "--yes"]));
    assert_eq!(
        (site.take_targets().len(), count(&home, "true").as_str()),
        (3, "1")
    );
}

#[test]
fn long_retry_after_ends_the_run_and_delays_the_next() {
    let (home, site) = (home(), google_site(1));
    done(&home.run(&[
        "sync",
        "add",
        "google",
        &site.url("/r"),
        "--every",
        "5m",
        "--yes",
    ]));
    site.take_targets();
    site.answer(|_| SiteAnswer::status(429).with("Retry-After: 86400"));
    failed(&home.run(&["sync", "run"]), "status 429");
    assert_eq!(site.take_targets().len(), 1);
    let is_late = "julianday(next_run_at) > julianday('now', '+23 hours')";
    assert_eq!(column(&home, is_late), "1");
}

#[test]
fn error_in_a_200_fails_with_its_own_words() {
    let (home, site) = (home(), google_site(1));
    done(&home.run(&["sync", "add", "google", &site.url("/r"), "--yes"]));
    let page = "<!doctype html><html><head><title>Log in – Shop</title></head><body>ann@example.com</body></html>";
    for (answer, words) in [
        (
            SiteAnswer::json(r#"{"error": {"message": "Quota exceeded"}, "reviews": []}"#),
            "Quota exceeded",
        ),
        (
            SiteAnswer::json(r#"{"id": "x", "status": "Pending"}"#),
            "status Pending",
        ),
        (SiteAnswer::json("{}"), "an empty object"),
        (SiteAnswer::json(r#"{"message": "No access"}"#), "No access"),
        (
            SiteAnswer(
                200,
                vec!["Content-Type: text/html".to_owned()],
                page.to_owned(),
            ),
            "text/html: the answer is a page without reviews as JSON-LD: Log in – Shop",
        ),
        (SiteAnswer::status(202), "status 202"),
        (SiteAnswer(200, Vec::new(), String::new()), "empty"),
    ] {
        let mut answer = Some(answer);
        site.answer(move |_| answer.take().unwrap());
        let run = home.run(&["sync", "run", "google"]);
        failed(&run, words);
        assert!(!run.err.contains("ann@example.com"), "no rows: {}", run.err);
        assert!(
            column(&home, "last_failure").contains(words),
            "{}",
            column(&home, "last_failure")
        );
    }
    assert_eq!(count(&home, "true"), "1");
}

#[test]
fn review_is_withheld_after_two_whole_runs_without_it() {
    let (home, site) = (home(), google_site(20));
    let add = [
        "sync",
        "add",
        "google",
        &site.url("/r"),
        "--withdraw-missing",
        "--yes",
    ];
    done(&home.run(&add));
    answer_with(&site, 19);
    done(&home.run(&["sync", "run"]));
    assert_eq!(count(&home, "status = 'withheld'"), "0");
    done(&home.run(&["sync", "run"]));
    assert_eq!(count(&home, "status = 'withheld'"), "1");
    answer_with(&site, 20);
    done(&home.run(&["sync", "run"]));
    assert_eq!(
        count(&home, "status = 'withheld'"),
        "0",
        "published again when it is back"
    );
}

#[test]
fn run_with_fewer_reviews_is_not_whole_and_withholds_nothing() {
    let (home, site) = (home(), google_site(40));
    done(&home.run(&[
        "sync",
        "add",
        "google",
        &site.url("/r"),
        "--withdraw-missing",
        "--yes",
    ]));
    answer_with(&site, 35);
    for _ in 0..3 {
        let run = home.run(&["sync", "run"]);
        done(&run);
        assert!(
            run.out
                .contains("this run is not whole: it brings 35 reviews"),
            "{}",
            run.out
        );
    }
    assert_eq!(
        (
            count(&home, "status = 'withheld'").as_str(),
            column(&home, "last_outcome").as_str()
        ),
        ("0", "short")
    );
    assert!(home.run(&["sync", "list"]).out.contains("not whole"));
    done(&home.run(&["sync", "run", "google", "--yes"]));
    assert_eq!(count(&home, "status = 'withheld'"), "5", "taken as it is");
}

#[test]
fn run_with_less_than_the_source_says_is_not_whole() {
    let (home, site) = (home(), google_site(20));
    done(&home.run(&[
        "sync",
        "add",
        "google",
        &site.url("/r"),
        "--withdraw-missing",
        "--yes",
    ]));
    site.answer(|_| google_page(0..19, None, 20));
    for _ in 0..3 {
        done(&home.run(&["sync", "run"]));
    }
    assert_eq!(count(&home, "status = 'withheld'"), "0");
}

#[test]
fn run_with_a_tenth_rejected_imports_nothing() {
    let (home, site) = (home(), google_site(30));
    done(&home.run(&["sync", "add", "google", &site.url("/r"), "--yes"]));
    site.answer(|_| {
        let mut rows: Vec<Value> = (0..40).map(google).collect();
        rows[..5]
            .iter_mut()
            .for_each(|row| row["starRating"] = "TEN".into());
        SiteAnswer::json(json!({"reviews": rows}).to_string())
    });
    failed(
        &home.run(&["sync", "run"]),
        "5 of 40 rows were rejected, more than a tenth",
    );
    assert_eq!(count(&home, "true"), "30");
    let taken = home.run(&["sync", "run", "google", "--yes"]);
    assert_eq!(taken.code, Some(1), "{}", taken.err);
    assert_eq!(count(&home, "true"), "40");
}

#[test]
fn another_kind_of_file_is_refused() {
    let (home, site) = (home(), google_site(2));
    done(&home.run(&["sync", "add", "google", &site.url("/r"), "--yes"]));
    site.answer(|_| SiteAnswer::json(Value::from(vec![apify(1)]).to_string()));
    failed(&home.run(&["sync", "run"]), "another kind of file");
    assert_eq!(count(&home, "true"), "2");
}

#[test]
fn undo_of_a_run_pauses_its_source() {
    let (home, site) = (home(), google_site(2));
    done(&home.run(&["sync", "add", "google", &site.url("/r"), "--yes"]));
    answer_with(&site, 4);
    done(&home.run(&["sync", "run"]));
    let undone = home.run(&["undo"]);
    done(&undone);
    assert!(
        undone.out.contains("`reviews sync resume google`"),
        "{}",
        undone.out
    );
    assert_eq!(
        (
            count(&home, "true").as_str(),
            column(&home, "paused").as_str()
        ),
        ("2", "1")
    );
    failed(&home.run(&["sync", "run"]), "no source to fetch");
    done(&home.run(&["sync", "resume", "google"]));
    done(&home.run(&["sync", "run"]));
    assert_eq!(count(&home, "true"), "4");
}

#[test]
fn unchanged_run_is_no_import_to_undo() {
    let (home, site) = (home(), google_site(2));
    done(&home.run(&["sync", "add", "google", &site.url("/r"), "--yes"]));
    done(&home.run(&["sync", "run"]));
    assert_eq!(
        sqlite3(&home.path(), "select count(*) from import_run"),
        "1"
    );
}

#[test]
fn removed_source_keeps_its_reviews() {
    let (home, site) = (home(), google_site(2));
    done(&home.run(&["sync", "add", "google", &site.url("/r"), "--yes"]));
    failed(
        &home.run(&["sync", "remove", "gogle"]),
        "the nearest name is google",
    );
    done(&home.run(&["sync", "remove", "google"]));
    assert_eq!(
        (
            count(&home, "true").as_str(),
            column(&home, "name").as_str()
        ),
        ("2", "")
    );
}

#[test]
fn http_of_another_machine_needs_consent() {
    let refused = home().run(&["sync", "add", "shop", "http://192.0.2.1/reviews", "--yes"]);
    failed(&refused, "add --allow-http");
}

#[test]
fn files_of_a_folder_are_read_oldest_first() {
    let home = home();
    let folder = home.0.path().join("exports");
    fs::create_dir(&folder).unwrap();
    let write = |name: &str, text: &str, age_seconds: u64| {
        let row = json!([{"stars": 4, "publishedAtDate": "2026-10-02T08:00:00.000Z", "name": "Ann", "reviewId": "a1", "text": text}]);
        let path = folder.join(name);
        fs::write(&path, row.to_string()).unwrap();
        let changed = fs::metadata(&path).unwrap().modified().unwrap()
            - std::time::Duration::from_secs(age_seconds);
        fs::File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_modified(changed)
            .unwrap();
    };
    write("a.json", "the newer state", 100);
    write("b.json", "the older state", 200);
    write("c.json", "still being written", 0);
    write("d.json.part", "unfinished", 300);
    write(".e.json", "hidden", 300);
    let environment = [("REVIEWS_SYNC_FILES", folder.to_str().unwrap())];
    done(&run_with(
        &home,
        &["sync", "add", "exports", folder.to_str().unwrap(), "--yes"],
        &environment,
    ));
    assert_eq!(
        sqlite3(&home.path(), "select text from review").trim(),
        "the newer state"
    );
    assert_eq!(column(&home, "url"), ".", "the path below the folder");
    sqlite3(&home.path(), "update sync_source set url = '../'");
    failed(
        &run_with(&home, &["sync", "run"], &environment),
        "REVIEWS_SYNC_FILES",
    );
    failed(
        &home.run(&["sync", "add", "other", "exports", "--yes"]),
        "REVIEWS_SYNC_FILES is not set",
    );
}

#[test]
fn missed_run_is_made_up_once_after_a_start() {
    let (home, site) = (home(), google_site(2));
    site.answer(|_| google_page(0..2, None, 2).with("ETag: \"v1\""));
    done(&home.run(&["sync", "add", "google", &site.url("/r"), "--yes"]));
    site.answer(|request| match request.header("if-none-match") {
        "\"v1\"" => SiteAnswer::status(304),
        _ => google_page(0..3, None, 3),
    });
    site.take_targets();
    sqlite3(
        &home.path(),
        "update sync_source set next_run_at = '2020-01-01T00:00:00Z', last_success_at = null",
    );
    let serving = home.serve();
    serving.wait_for(
        "/metrics",
        "reviews_sync_runs_total{outcome=\"success\",source=\"google\"} 1\n",
    );
    assert_eq!(
        site.take_targets().len(),
        1,
        "an unchanged answer is not sent again"
    );
    assert_eq!(
        column(
            &home,
            "last_success_at is not null and next_run_at > '2026'"
        ),
        "1"
    );
    let asked = home.run(&["sync", "run", "google"]);
    done(&asked);
    assert!(
        asked.out.contains("1 new"),
        "a run by hand is unconditional: {}",
        asked.out
    );
    serving.wait_for("/reviews.json", "Bread number 2");
    serving.wait_for(
        "/metrics",
        "reviews_sync_last_success_timestamp_seconds{source=\"google\"} 1",
    );
    assert_eq!(
        sqlite3(&home.path(), "select count(*) from sync_request"),
        "0"
    );
    sqlite3(
        &home.path(),
        "update sync_source set url = 'http://127.0.0.1:9/r', next_run_at = '2020-01-01T00:00:00Z'",
    );
    serving.wait_for(
        "/metrics",
        "reviews_sync_runs_total{outcome=\"failure\",source=\"google\"} 1\n",
    );
    assert!(
        column(&home, "last_failure").contains("cannot connect"),
        "{}",
        column(&home, "last_failure")
    );
}

#[test]
fn killed_service_leaves_no_run_half_imported_or_doubled() {
    let (home, site) = (home(), google_site(1));
    done(&home.run(&["sync", "add", "google", &site.url("/r"), "--yes"]));
    for round in 2..6 {
        let pages = round;
        site.answer(move |request| match query(request, "pageToken") {
            None => google_page(0..pages * 50, Some("last"), pages * 100),
            Some(_) => google_page(pages * 50..pages * 100, None, pages * 100),
        });
        site.take_targets();
        sqlite3(
            &home.path(),
            "update sync_source set next_run_at = '2020-01-01T00:00:00Z'",
        );
        let serving = Serving::start_with_log(reviews(home.0.path()).arg("serve"), Stdio::null());
        while site.requests().len() < 2 {
            std::thread::yield_now();
        }
        serving.kill();
        let all: usize = count(&home, "true").parse().unwrap();
        assert!(
            all == pages * 100 || all <= (pages - 1) * 100,
            "{all} of {}",
            pages * 100
        );
        assert_eq!(home.run(&["check"]).code, Some(0));
        let serving = home.serve();
        serving.wait_for(
            "/metrics",
            "reviews_sync_last_success_timestamp_seconds{source=\"google\"} 1",
        );
        serving.wait_for(
            "/reviews.json",
            &format!("Bread number {} ", pages * 100 - 1),
        );
        assert_eq!(count(&home, "true"), (pages * 100).to_string());
    }
}
