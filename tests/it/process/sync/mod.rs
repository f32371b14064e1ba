//! Sources that are fetched on a schedule, against a server that answers like the platforms do.

mod doubtful;
mod questions;

use std::os::unix::net::UnixListener;

use super::*;

/// A home with a business, so that instants have a time zone.
fn home() -> Home {
    static SET_UP: LazyLock<Vec<u8>> =
        LazyLock::new(|| Home::made_by("init --name Bakery --time-zone UTC"));
    Home::holding(&SET_UP)
}

fn run_with(home: &Home, words: &[&str], environment: &[(&str, &str)]) -> CommandOutput {
    output_of(
        reviews(home.0.path())
            .args(words)
            .envs(environment.iter().copied()),
    )
}

/// Adds a source without asking.
fn add(
    home: &Home,
    name: &str,
    url: &str,
    options: &[&str],
    environment: &[(&str, &str)],
) -> CommandOutput {
    let words = [&["sync", "add", name, url, "--yes"], options].concat();
    run_with(home, &words, environment)
}

/// Runs all sources.
fn sync(home: &Home) -> CommandOutput {
    home.run("sync run")
}

fn count(home: &Home, condition: &str) -> String {
    home.sql(&format!("select count(*) from review where {condition}"))
        .trim()
        .to_owned()
}

fn withheld(home: &Home) -> String {
    count(home, "status = 'withheld'")
}

fn column(home: &Home, name: &str) -> String {
    home.sql(&format!("select {name} from sync_source"))
        .trim()
        .to_owned()
}

/// Reviews as the platforms give them, with `#` for their number.
const GOOGLE: &str = r#"{"reviewId": "g#", "reviewer": {"displayName": "Guest #"}, "starRating": "FIVE", "comment": "Bread number # was warm",
    "createTime": "2026-10-01T10:00:00Z", "updateTime": "2026-10-01T10:00:00Z"}"#;
const APIFY: &str = r#"{"stars": 4, "publishedAtDate": "2026-10-02T08:00:00.000Z", "name": "Guest #", "reviewId": "a#", "text": "Cake number #"}"#;
const TRUSTPILOT: &str = r#"{"id": "t#", "consumer": {"id": "c#", "displayName": "Ann #"}, "stars": 5, "title": "", "text": "Nice #",
    "createdAt": "2026-10-01T10:00:00Z"}"#;
const JUDGEME: &str = r#"{"id": 1#, "title": "", "body": "Good #", "rating": 5, "curated": "ok", "hidden": false,
    "reviewer": {"name": "Ann", "email": "ann@mail.test"}, "reviewer_name": "Ann", "created_at": "2026-10-01T10:00:00Z"}"#;
const YOTPO: &str = r#"{"id": 1#, "score": 5, "votes_up": 0, "content": "Fine #", "title": "", "sentiment": 0.5,
    "created_at": "2026-10-01T10:00:00Z", "name": "Ann Baker", "reviewer_type": "verified_buyer"}"#;
const YOTPO_WIDGET: &str = r#"{"id": 2#, "score": 5, "votes_up": 0, "content": "Fine #", "title": "", "created_at": "2026-10-01T10:00:00Z",
    "user": {"display_name": "Ann #"}}"#;
const WOOCOMMERCE: &str = r#"{"id": 1#, "date_created": "2026-10-01T10:00:00", "date_created_gmt": "2026-10-01T10:00:00", "product_id": 3,
    "status": "approved", "reviewer": "Ann #", "review": "<p>Sturdy #</p>", "rating": 5, "verified": true}"#;
const OKENDO: &str = r#"{"reviewId": "o#", "productId": "p", "status": "approved", "rating": 5, "body": "Great #",
    "dateCreated": "2026-10-01T10:00:00Z", "reviewer": {"displayName": "Ann #"}}"#;
const SERPAPI: &str = r#"{"review_id": "s#", "rating": 5, "iso_date": "2026-10-01T10:00:00Z", "user": {"name": "Ann #"}, "snippet": "Lovely #"}"#;
const PODIUM: &str = r#"{"uid": "p#", "createdAt": "2026-10-01T10:00:00Z", "author": {"name": "Ann"},
    "review": {"body": "Prompt #", "rating": 5, "siteName": "google"}}"#;
const JSON_FEED: &str = r#"{"id": "j#", "content_text": "Neat #", "date_published": "2026-10-01T10:00:00Z", "authors": [{"name": "Ann #"}],
    "_review": {"rating": 5}}"#;
const NATIVE: &str =
    r#"{"id": "w#", "rating": 5, "date": "2026-10-01", "author": "Ann", "text": "Own #"}"#;

/// The review with this number.
fn row(template: &str, number: usize) -> Value {
    serde_json::from_str(&template.replace('#', &number.to_string())).unwrap()
}

/// A page of Google's API.
fn google_page(
    numbers: impl IntoIterator<Item = usize>,
    next: Option<&str>,
    total: usize,
) -> SiteAnswer {
    let reviews: Vec<Value> = numbers
        .into_iter()
        .map(|number| row(GOOGLE, number))
        .collect();
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

/// A home with the source `google`, and its site.
fn added(count: usize, options: &[&str]) -> (Home, Site) {
    let (home, site) = (home(), google_site(count));
    add(&home, "google", &site.url("/r"), options, &[]).done();
    (home, site)
}

/// Makes every source due.
fn make_due(home: &Home) {
    home.sql("update sync_source set next_run_at = '2020-01-01T00:00:00Z'");
}

fn start(home: &Home, words: &[&str]) -> Child {
    let mut command = reviews(home.0.path());
    let command = command.args(words).stdout(Stdio::piped());
    command.stderr(Stdio::piped()).spawn().unwrap()
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
    asked.failed("nothing was stored; add --yes");
    assert!(asked.out.contains("3 new"), "the preview: {}", asked.out);
    assert_eq!([count(&home, "true"), column(&home, "name")], ["0", ""]);
    add(&home, "google", &url, &["--every", "30m"], &[]).done();
    assert_eq!(count(&home, "true"), "3");
    let listed = home.run("sync list");
    for part in ["google: http://127.0.0.1", "every 30m", ", 3 reviews"] {
        assert!(listed.out.contains(part), "{part}: {}", listed.out);
    }
    let status: Value = serde_json::from_str(&home.run("status --json").out).unwrap();
    assert_eq!(status["imports"][0]["sync"], "google");
    assert_eq!(status["sync"][0]["last_outcome"], "success");
}

#[test]
fn failed_first_fetch_stores_nothing() {
    let (home, site) = (home(), Site::start(|_| SiteAnswer::status(404)));
    let added = add(&home, "google", &site.url("/r"), &[], &[]);
    added.failed("status 404");
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
    add(&home, "google", &site.url("/reviews?pageSize=2"), &[], &[]).done();
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
        home.sql("select files, added from import_run"),
        "[\"sync google\"]|5"
    );
}

#[test]
fn page_that_brings_nothing_new_ends_the_pages() {
    let home = home();
    let linked = |rows: Vec<Value>, next: usize| {
        let link = format!("Link: </x?page={next}>; rel=\"next\"");
        SiteAnswer::value(&Value::from(rows)).with(&link)
    };
    let mut number = 0;
    let token = Site::start(move |_| {
        number += 1;
        google_page([number], Some("same"), 2)
    });
    let last_page = Site::start(move |request| {
        let page = query(request, "page").map_or(1, |page| page.parse().unwrap());
        linked(vec![row(APIFY, page.min(3))], page + 1)
    });
    let mut number = 0;
    let other_members = Site::start(move |_| {
        number += 1;
        let mut row = row(APIFY, 9);
        row["scrapedAt"] = number.into();
        linked(vec![row], number)
    });
    for (name, site, requests, reviews) in [
        ("token", token, 2, "2"),
        ("last-page", last_page, 4, "3"),
        ("other-members", other_members, 2, "1"),
    ] {
        add(&home, name, &site.url("/items"), &[], &[]).done();
        assert_eq!(site.take_targets().len(), requests, "{name}");
        let brought =
            format!("review_id in (select review_id from sync_review where name = '{name}')");
        assert_eq!(count(&home, &brought), reviews, "{name}");
    }
}

#[test]
fn link_to_another_host_is_followed_at_the_source_only() {
    let home = home();
    let other = Site::start(|_| SiteAnswer::json("[]"));
    let elsewhere = other.url("/elsewhere");
    let site = Site::start(move |request| {
        let page = query(request, "page").map_or(1, |page| page.parse::<usize>().unwrap());
        let answer = SiteAnswer::value(&Value::from(vec![row(APIFY, page)]));
        if page < 3 {
            let next = page + 1;
            answer.with(&format!(
                "Link: <{elsewhere}?page={next}>; rel=\"next\", <{elsewhere}?page=3>; rel=\"last\""
            ))
        } else {
            answer
        }
    });
    add(&home, "shop", &site.url("/items?per_page=1"), &[], &[]).done();
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
    let (home, site) = added(1, &[]);
    site.answer(|request| match query(request, "pageToken") {
        None => google_page(5..9, Some("second"), 8),
        Some(_) => SiteAnswer::status(403),
    });
    let run = home.run("sync run google");
    run.failed("page 2: status 403");
    assert_eq!(run.err.matches("403").count(), 1, "once: {}", run.err);
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
    let header = ["--header", "X-Api-Key: ${SHOP_TOKEN}"];
    let added = add(&home, "shop", &url, &header, &environment);
    added.done();
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
    run.failed("status 401");
    assert!(run.err.contains("bad key"), "its words: {}", run.err);
    let listed = home.run("sync list");
    let missing = home.run("sync run shop");
    missing.failed("SHOP_TOKEN is not set");
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
        refused.failed("which is not stored; write ");
        assert!(!refused.err.contains("abc123"), "{}", refused.err);
    }
    assert_eq!(site.take_targets(), [] as [&str; 0]);
    add(&home, "shop", &at("?pageToken=x"), &[], &[]).done();
}

#[test]
fn command_gives_the_token_without_a_shell() {
    let home = home();
    let site = Site::start(|request| {
        assert_eq!(request.header("authorization"), "Bearer ya29.fresh");
        google_page(0..1, None, 1)
    });
    let add_with = |command: &str| {
        let environment = [("REVIEWS_SYNC_COMMAND_MY_PLACE", command)];
        add(&home, "my-place", &site.url("/reviews"), &[], &environment)
    };
    add_with("false ya29.hidden").failed("REVIEWS_SYNC_COMMAND_MY_PLACE failed");
    add_with("printf '%s\\n' ya29.fresh").done();
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
    let (header, token) = (
        ["--header", "Authorization: Bearer ${TOKEN}"],
        [("TOKEN", "hidden-token")],
    );
    add(&home, "sheet", &site.url("/d"), &header, &token).done();
    let [request] = other.requests().try_into().unwrap();
    assert_eq!(
        (request.target.as_str(), request.header("authorization")),
        ("/moved?page=1", "")
    );
    assert_eq!(count(&home, "true"), "2");
}

#[test]
fn redirects_without_end_and_http_of_other_machines_are_refused() {
    let (home, site) = (home(), google_site(1));
    for [location, reason] in table(
        "
        /again → redirects more than 5 times
        http://192.0.2.1/reviews → add --allow-http
        ",
    ) {
        site.answer(move |_| SiteAnswer::status(302).with(&format!("Location: {location}")));
        add(&home, "shop", &site.url("/r"), &[], &[]).failed(reason);
    }
    add(&home, "shop", "http://192.0.2.1/reviews", &[], &[]).failed("add --allow-http");
}

#[test]
fn busy_server_is_retried_within_the_run() {
    let home = home();
    let mut answers = vec![
        google_page(0..1, None, 1),
        SiteAnswer::status(503).with("Retry-After: 0"),
    ];
    answers.push(SiteAnswer::status(429).with("Retry-After: 0"));
    let site = Site::start(move |_| answers.pop().unwrap());
    add(&home, "google", &site.url("/r"), &[], &[]).done();
    assert_eq!(
        (site.take_targets().len(), count(&home, "true").as_str()),
        (3, "1")
    );
}

#[test]
fn long_retry_after_ends_the_run_and_delays_the_next() {
    let (home, site) = added(1, &["--every", "5m"]);
    site.take_targets();
    site.answer(|_| SiteAnswer::status(429).with("Retry-After: 86400"));
    sync(&home).failed("status 429");
    assert_eq!(site.take_targets().len(), 1);
    let is_late = "julianday(next_run_at) > julianday('now', '+23 hours')";
    assert_eq!(column(&home, is_late), "1");
}

#[test]
fn error_in_a_200_fails_with_the_message_of_the_server() {
    let (home, site) = added(1, &[]);
    for [body, words] in table(
        r#"
        {"error": {"message": "Quota exceeded"}, "reviews": []} → Quota exceeded
        <!doctype html><html><head><title>Log in – Shop</title></head><body>ann@example.com</body></html> → : the answer is a page without reviews as JSON-LD: Log in – Shop
        {"reviews": 5, "technicians": [{"name": "Ann", "reviews": 3}]} → status 200 OK, application/json:
        "#,
    ) {
        site.answer(move |_| SiteAnswer::json(body));
        let run = home.run("sync run google");
        run.failed(words);
        assert!(!run.err.contains("ann@example.com"), "no rows: {}", run.err);
        assert_has(&column(&home, "last_failure"), words);
    }
    site.answer(|_| SiteAnswer::status(202));
    sync(&home).failed("status 202");
    assert_eq!(count(&home, "true"), "1");
}

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
fn reason_of_a_failure_repeats_no_row_of_the_answer() {
    let (home, site) = added(1, &[]);
    site.answer(|_| {
        let rows = "2026-03-01,Priv Person,priv@mail.test,5,my text\n".repeat(2);
        SiteAnswer(200, vec!["Content-Type: text/csv".to_owned()], rows)
    });
    sync(&home).failed("is a table without a header");
    let reason = column(&home, "last_failure");
    assert_eq!(
        reason,
        "status 200 OK, text/csv: the answer cannot be imported; `reviews sync run google --dry-run` shows why"
    );
    let shown = [&["sync", "list"][..], &["status"]].map(|words| home.run(words).out);
    assert!(!shown.concat().contains("Priv"), "{}", shown.concat());
    home.run("sync run google --dry-run")
        .failed("is a table without a header");
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
        assert_has(&run.out, "this run is not whole: it brings 35 reviews");
    }
    assert_eq!(
        [withheld(&home), column(&home, "last_outcome")],
        ["0", "short"]
    );
    assert!(home.run("sync list").out.contains("not whole"));
    home.run("sync run google --yes").done();
    assert_eq!(withheld(&home), "5", "taken as it is");
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
    assert_has(
        &listed,
        "19 reviews, not whole: the source says that it has more",
    );
    site.answer(|_| google_page(0..5, None, 9));
    let added = add(&home, "other", &site.url("/other"), &[], &[]);
    added.done();
    assert_has(&added.out, "the source says that it has 9");
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
    sync(&home).failed("5 of 40 rows were rejected, more than a tenth");
    assert_eq!(count(&home, "true"), "30");
    let taken = home.run("sync run google --yes");
    assert_eq!(taken.code, Some(1), "{}", taken.err);
    assert_eq!(count(&home, "true"), "40");
}

#[test]
fn another_kind_of_file_is_refused() {
    let (home, site) = added(2, &[]);
    site.answer(|_| SiteAnswer::value(&Value::from(vec![row(APIFY, 1)])));
    sync(&home).failed("another kind of file");
    assert_eq!(count(&home, "true"), "2");
}

#[test]
fn undo_of_a_run_pauses_the_source() {
    let (home, site) = added(2, &[]);
    answer_with(&site, 4);
    sync(&home).done();
    let undone = home.run("undo");
    undone.done();
    assert_has(&undone.out, "`reviews sync resume google`");
    assert_eq!([count(&home, "true"), column(&home, "paused")], ["2", "1"]);
    sync(&home).failed("`reviews sync resume NAME` fetches one");
    home.run("sync resume google").done();
    sync(&home).done();
    assert_eq!(count(&home, "true"), "4");
    let paused = home.run("sync pause google");
    assert!(paused.out.contains("`reviews sync resume google`"));
}

#[test]
fn undo_of_a_run_takes_back_the_count_of_the_source() {
    let (home, site) = added(40, &["--withdraw-missing"]);
    answer_with(&site, 0);
    home.run("sync run google --yes").done();
    assert_eq!(withheld(&home), "40");
    home.run("undo").done();
    home.run("sync resume google").done();
    for _ in 0..3 {
        sync(&home).done();
        assert_eq!(withheld(&home), "0", "these runs are not whole");
    }
    assert_eq!(column(&home, "whole_count"), "40");
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
fn unchanged_run_is_no_import_to_undo() {
    let (home, _site) = added(2, &[]);
    sync(&home).done();
    assert_eq!(home.sql("select count(*) from import_run"), "1");
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
fn files_of_a_folder_are_read_oldest_first() {
    let home = home();
    let folder = home.0.path().join("exports");
    fs::create_dir(&folder).unwrap();
    let write = |name: &str, text: &str, age_seconds: u64| {
        let row = json!([{"stars": 4, "publishedAtDate": "2026-10-02T08:00:00.000Z", "name": "Ann", "reviewId": "a1", "text": text}]);
        let path = folder.join(name);
        fs::write(&path, row.to_string()).unwrap();
        let changed =
            fs::metadata(&path).unwrap().modified().unwrap() - Duration::from_secs(age_seconds);
        File::options()
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
    // The lock of an editor, and a link to a file that is gone.
    for name in [".#a.json", "gone.json"] {
        symlink("ann@host.1234", folder.join(name)).unwrap();
    }
    let environment = [("REVIEWS_SYNC_FILES", folder.to_str().unwrap())];
    let path = folder.to_str().unwrap();
    let added = add(&home, "exports", path, &[], &environment);
    added.done();
    assert_has(
        &added.out,
        "files that changed within 10 s wait for the next run: 1",
    );
    assert!(!added.out.contains("nothing was changed"), "{}", added.out);
    assert_eq!(
        home.sql("select text from review").trim(),
        "the newer state"
    );
    assert_eq!(column(&home, "url"), ".", "the path below the folder");
    home.sql("update sync_source set url = '../'");
    run_with(&home, &["sync", "run"], &environment).failed("REVIEWS_SYNC_FILES");
    add(&home, "other", "exports", &[], &[]).failed("REVIEWS_SYNC_FILES is not set");
    let _socket = UnixListener::bind(folder.join("socket")).unwrap();
    add(&home, "other", "socket", &[], &environment).failed("it is neither a file nor a folder");
}

#[test]
fn missed_run_is_made_up_once_after_a_start() {
    let (home, site) = (home(), google_site(2));
    site.answer(|_| google_page(0..2, None, 2).with("ETag: \"v1\""));
    add(&home, "google", &site.url("/r"), &[], &[]).done();
    site.answer(|request| match request.header("if-none-match") {
        "\"v1\"" => SiteAnswer::status(304),
        _ => google_page(0..3, None, 3),
    });
    site.take_targets();
    home.sql("update sync_source set next_run_at = '2020-01-01T00:00:00Z', last_success_at = null");
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
    let asked = home.run("sync run google");
    asked.done();
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
    assert_eq!(home.sql("select count(*) from sync_request"), "0");
    home.sql(
        "update sync_source set url = 'http://127.0.0.1:9/r', next_run_at = '2020-01-01T00:00:00Z'",
    );
    serving.wait_for(
        "/metrics",
        "reviews_sync_runs_total{outcome=\"failure\",source=\"google\"} 1\n",
    );
    assert_has(&column(&home, "last_failure"), "cannot connect");
}

#[test]
fn killed_service_leaves_no_run_half_imported_or_doubled() {
    let (home, site) = added(1, &[]);
    site.answer(|request| match query(request, "pageToken") {
        None => google_page(0..20, Some("last"), 40),
        Some(_) => google_page(20..40, None, 40),
    });
    site.take_targets();
    make_due(&home);
    let serving = Serving::start_with_log(reviews(home.0.path()).arg("serve"), Stdio::null());
    while site.requests().len() < 2 {
        std::thread::yield_now();
    }
    serving.kill();
    let all: usize = count(&home, "true").parse().unwrap();
    assert!([1, 40].contains(&all), "{all} of 40");
    assert_eq!(home.run("check").code, Some(0));
    let serving = home.serve();
    serving.wait_for(
        "/metrics",
        "reviews_sync_last_success_timestamp_seconds{source=\"google\"} 1",
    );
    serving.wait_for("/reviews.json", "Bread number 39 ");
    assert_eq!(count(&home, "true"), "40");
}

/// A platform's list of five reviews in pages of two. In `page`, `ROWS` are the rows, `PAGE` is the number, and a text with
/// `NEXT` leads to the next page and is null on the last one. So does the header.
fn platform(
    template: &'static str,
    parameter: &'static str,
    page: &'static str,
    header: &'static str,
) -> Site {
    Site::start(move |request| {
        let value = query(request, parameter).map(|value| value.parse::<usize>().unwrap());
        let is_numbered = parameter == "page";
        let number = if is_numbered {
            value.unwrap_or(1) - 1
        } else {
            value.unwrap_or(0) / 2
        };
        let rows = (number * 2..5.min(number * 2 + 2)).map(|number| row(template, number));
        let rows: Vec<Value> = rows.collect();
        if rows.is_empty() && header == "400" {
            return SiteAnswer::status(400);
        }
        assert!(
            !rows.is_empty() || !header.contains("NEXT"),
            "the last page has no next one"
        );
        if page == "LINES" {
            let lines = rows.iter().map(|row| format!("{row}\n"));
            return SiteAnswer(200, Vec::new(), lines.collect());
        }
        let next = if is_numbered {
            number + 2
        } else {
            number * 2 + 2
        };
        let mut body = String::new();
        for (at, part) in page.split('"').enumerate() {
            match (at % 2, part.contains("NEXT") && number >= 2) {
                (0, true) => body += &part.replace("NEXT", "null"),
                (0, false) => body += part,
                (_, true) => body += "null",
                (_, false) => body += &format!("\"{part}\""),
            }
        }
        let body = body
            .replace("NEXT", &next.to_string())
            .replace("PAGE", &number.to_string());
        let answer = SiteAnswer::json(body.replace("ROWS", &Value::from(rows).to_string()));
        if header.contains("NEXT") && number < 2 {
            return answer.with(&header.replace("NEXT", &next.to_string()));
        }
        answer
    })
}

/// Platforms: target, the parameter that leads to a page, the page, and a header. The page number of yotpo-widget differs from
/// page to page, the host of wordpress-com removes the header, and the last page of apify-lines is one line.
const PLATFORMS: &str = r#"
    trustpilot → /r?perPage=2 → page → {"reviews": ROWS} → -
    judgeme → /r?per_page=2 → page → {"reviews": ROWS} → -
    yotpo → /r?count=2 → page → {"reviews": ROWS} → -
    yotpo-widget → /r?per_page=2 → page → {"status": {"code": 200}, "response": {"pagination": {"page": PAGE}, "reviews": ROWS}} → -
    woocommerce → /wp-json/r?per_page=2 → page → ROWS → Link: <http://shop.internal/wp-json/r?per_page=2&page=NEXT>; rel="next"
    wordpress-com → /wp-json/r?per_page=2 → page → ROWS → 400
    okendo → /v1/enterprise/reviews?limit=2 → after → {"reviews": ROWS, "nextUrl": "/enterprise/reviews?limit=2&after=NEXT"} → -
    serpapi → /r?engine=google_maps_reviews → next_page_token → {"reviews": ROWS, "serpapi_pagination": {"next_page_token": "NEXT"}} → -
    podium → /r?limit=2 → cursor → {"data": ROWS, "metadata": {"nextCursor": NEXT}} → -
    feed → /r → after → {"version": "https://jsonfeed.org/version/1.1", "title": "T", "items": ROWS, "next_url": "https://cdn.test/other?after=NEXT"} → -
    apify → /items?limit=2 → offset → ROWS → -
    apify-lines → /items?format=jsonl&limit=2 → offset → LINES → -
    own → /r?per_page=2 → cursor → ROWS → Link: <?cursor=NEXT>; rel=next
"#;

#[test]
fn pages_are_found_in_the_style_of_each_platform() {
    let rows = [
        TRUSTPILOT,
        JUDGEME,
        YOTPO,
        YOTPO_WIDGET,
        WOOCOMMERCE,
        WOOCOMMERCE,
        OKENDO,
        SERPAPI,
        PODIUM,
        JSON_FEED,
        APIFY,
        APIFY,
        NATIVE,
    ];
    let home = home();
    for (row, [name, target, parameter, page, header]) in rows.into_iter().zip(table(PLATFORMS)) {
        let site = platform(row, parameter, page, header);
        let added = add(&home, name, &site.url(target), &[], &[]);
        assert_eq!(added.code, Some(0), "{name}: {}{}", added.out, added.err);
        let count = column(&home, "last_count");
        assert_eq!(
            count.lines().last(),
            Some("5"),
            "{name}: {:?}",
            site.take_targets()
        );
        home.run(&["sync", "remove", name]).done();
    }
}

#[test]
fn redirect_from_a_public_to_a_private_address_is_refused() {
    let (home, inner) = (home(), google_site(1));
    let target = inner.url("/inner");
    // The name is known to the proxy only.
    let proxy = Site::start(|request| {
        assert_eq!(request.target, "http://shop.test/r");
        google_page(0..2, None, 2)
    });
    let environment = [
        ("http_proxy", proxy.url("")),
        ("no_proxy", "127.0.0.1".to_owned()),
    ];
    let environment = environment
        .each_ref()
        .map(|(name, value)| (*name, value.as_str()));
    let (url, allow) = ("http://shop.test/r", ["--allow-http"]);
    add(&home, "shop", url, &allow, &environment).done();
    assert_eq!(count(&home, "true"), "2");
    proxy.answer(move |_| SiteAnswer::status(302).with(&format!("Location: {target}")));
    let run = run_with(&home, &["sync", "run"], &environment);
    run.failed("redirects from a public to a private address");
    assert_eq!(inner.take_targets(), [] as [&str; 0]);
}

/// Adds a source at a server that answers its one connection so.
fn add_at(home: &Home, answer: impl FnOnce(TcpStream) + Send) -> CommandOutput {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}/r", listener.local_addr().unwrap());
    std::thread::scope(|scope| {
        scope.spawn(|| answer(listener.accept().unwrap().0));
        let roots = [("REVIEWS_SYNC_CA_FILE", "roots.pem")];
        add(home, "shop", &url, &[], &roots)
    })
}

#[test]
fn tls_fault_is_reported_with_advice() {
    let home = home();
    let key = KeyPair::generate().unwrap();
    let mut params = CertificateParams::new(["127.0.0.1".to_owned()]).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let certificate = params.self_signed(&key).unwrap();
    home.file("roots.pem", &certificate.pem());
    let no_https = "does not speak HTTPS there; check scheme and port";
    add_at(&home, |mut stream| {
        stream
            .write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            .unwrap();
        // Reads the request before closing, so that a reset does not discard the answer.
        let _ = stream.read(&mut [0; 4_096]);
    })
    .failed(no_https);
    add_at(&home, |mut stream| {
        let _ = stream.read(&mut [0; 4_096]);
    })
    .failed(no_https);
    // The certificate of an authority, as `openssl req -x509` makes it, is used for a server.
    let mut connection = ServerConnection::new(config_of(certificate, &key).into()).unwrap();
    add_at(&home, |mut stream| {
        // The client refuses the certificate.
        let _ = connection.complete_io(&mut stream);
    })
    .failed("make one for the server with CA:FALSE");
}

#[test]
fn user_in_the_url_is_sent_as_basic_authorization() {
    let home = home();
    let site = Site::start(|request| {
        assert_eq!(request.header("authorization"), "Basic a2V5LTE6");
        google_page(0..1, None, 1)
    });
    let url = site.url("/r").replace("http://", "http://${KEY}@");
    add(&home, "shop", &url, &[], &[("KEY", "key-1")]).done();
}

#[test]
fn secret_that_rows_repeat_is_neither_stored_nor_shown() {
    let home = home();
    let site = Site::start(|request| {
        let mut rows: Vec<Value> = (0..2).map(|number| row(APIFY, number)).collect();
        rows[0]["reviewUrl"] = format!("https://maps.test{}", request.target).into();
        rows[0]["text"] = request.header("x-api-key").into();
        rows[1]["stars"] = request.target.as_str().into();
        SiteAnswer::value(&Value::from(rows))
    });
    let url = site.url("/r?api_key=${KEY}");
    let (header, key) = (
        ["--header", "X-Api-Key: ${KEY}"],
        [("KEY", "hush+hush/key-1")],
    );
    let added = add(&home, "shop", &url, &header, &key);
    assert_eq!(added.code, Some(1), "{}{}", added.out, added.err);
    assert_eq!(count(&home, "true"), "1");
    let stored = fs::read(home.path()).unwrap();
    for bytes in [added.out.as_bytes(), added.err.as_bytes(), &stored] {
        assert!(
            !bytes.windows(4).any(|part| part == b"hush"),
            "{}{}",
            added.out,
            added.err
        );
    }
}

#[test]
fn short_secret_is_removed_only_as_the_value_of_a_parameter() {
    let home = home();
    let site = Site::start(|request| {
        let mut row = row(APIFY, 1);
        row["reviewUrl"] = format!("https://maps.test{}", request.target).into();
        row["text"] = "The k3y was late".into();
        SiteAnswer::value(&Value::from(vec![row]))
    });
    let url = site.url("/r?api_key=${KEY}");
    add(&home, "shop", &url, &[], &[("KEY", "k3y")]).done();
    assert_eq!(count(&home, "text = 'The k3y was late'"), "1");
    let stored = fs::read(home.path()).unwrap();
    assert!(!stored.windows(4).any(|part| part == b"=k3y"));
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
fn times_of_a_schedule_follow_the_time_zone_of_the_business() {
    let (home, _site) = added(1, &["--at", "0 3 * * *"]);
    assert_eq!(column(&home, "substr(next_run_at, 11)"), "T03:00:00Z");
    home.run("init --time-zone America/Phoenix").done();
    assert_eq!(column(&home, "substr(next_run_at, 11)"), "T10:00:00Z");
}

#[test]
fn commands_without_a_service_run_one_after_another() {
    let (home, site) = added(1, &[]);
    answer_with(&site, 2);
    let runs: Vec<Child> = (0..3)
        .map(|_| start(&home, &["sync", "run", "google"]))
        .collect();
    for run in runs {
        let output = run.wait_with_output().unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    assert_eq!(count(&home, "true"), "2");
}

#[test]
fn stopped_service_imports_nothing_of_a_run() {
    let (home, site) = added(1, &[]);
    let (reached, is_reached) = mpsc::channel();
    let (go_on, may_go_on) = mpsc::channel::<()>();
    site.answer(move |request| {
        if query(request, "pageToken").is_none() {
            return google_page(0..5, Some("second"), 9);
        }
        let _ = reached.send(());
        let _ = may_go_on.recv();
        google_page(5..9, None, 9)
    });
    make_due(&home);
    let serving = home.serve();
    is_reached.recv_timeout(NEVER).unwrap();
    serving.signal("TERM");
    let (status, _) = serving.end();
    drop(go_on);
    assert!(status.success(), "{status}");
    assert_eq!(
        [count(&home, "true"), column(&home, "last_failure")],
        ["1", ""]
    );
    answer_with(&site, 9);
    let serving = home.serve();
    serving.wait_for("/reviews.json", "Bread number 8 ");
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
