//! Entries of the sync file, against a server that answers like the platforms do.

pub mod doubtful;
mod entries;
mod examples;
mod failures;
mod fetching;
mod google;
mod guards;
mod pages;
mod publication;
mod questions;
pub mod schedule;
mod secrets;
mod sources;

use super::*;
use crate::support::server_config;

/// A home with a business, so that instants have a time zone.
pub fn home() -> Home {
    static SET_UP: LazyLock<Vec<u8>> =
        LazyLock::new(|| Home::made_by("init --name Bakery --time-zone UTC"));
    Home::holding(&SET_UP)
}

/// Writes an entry into the file of entries, in place of the one of that name; `keys` are lines of it.
pub fn write_entry(home: &Home, name: &str, url: &str, keys: &str) {
    let path = home.folder.path().join("reviews.sync.toml");
    let former = fs::read_to_string(&path).unwrap_or_default();
    let begin = format!("[{name}]\n");
    let others = former.split("\n\n").map(str::trim);
    let others = others.filter(|block| !block.is_empty() && !block.starts_with(&begin));
    let blocks: Vec<&str> = others.collect();
    let entry = format!("{begin}url = '{url}'\n{}", keys.trim());
    fs::write(path, [&blocks[..], &[&entry]].concat().join("\n\n")).unwrap();
}

/// Writes an entry, and runs it.
fn add(home: &Home, name: &str, url: &str, keys: &str) -> CommandOutput {
    write_entry(home, name, url, keys);
    home.run(&["sync", "run", name])
}

/// Runs all entries.
pub fn sync(home: &Home) -> CommandOutput {
    home.run("sync run")
}

pub fn count(home: &Home, condition: &str) -> String {
    home.sql(&format!("select count(*) from review where {condition}"))
}

/// Asserts how many reviews are so.
#[track_caller]
pub fn has(home: &Home, number: usize, condition: &str) {
    let all = format!("select review_id from review where {condition}");
    let found = home.sql(&all);
    assert_eq!(found.lines().count(), number, "{condition}: {found}");
}

fn withheld(home: &Home) -> String {
    count(home, "status = 'withheld'")
}

pub fn column(home: &Home, name: &str) -> String {
    home.sql(&format!("select {name} from sync_state"))
}

/// Reviews as the platforms give them, with `#` for their number.
const GOOGLE: &str = r#"{"reviewId": "g#", "reviewer": {"displayName": "Guest #"}, "starRating": "FIVE", "comment": "Bread number # was warm",
    "createTime": "2026-10-01T10:00:00Z", "updateTime": "2026-10-01T10:00:00Z"}"#;
const APIFY: &str = r#"{"stars": 4, "publishedAtDate": "2026-10-02T08:00:00.000Z", "name": "Guest #", "reviewId": "a#", "text": "Cake number #"}"#;

/// The review with this number.
fn row(template: &str, number: usize) -> Value {
    serde_json::from_str(&template.replace('#', &number.to_string())).unwrap()
}

/// A page of Google's API.
pub fn google_page(
    numbers: impl IntoIterator<Item = usize>,
    next: Option<&str>,
    total: usize,
) -> SiteAnswer {
    let reviews = numbers.into_iter().map(|number| row(GOOGLE, number));
    let reviews: Vec<Value> = reviews.collect();
    let mut page = json!({"reviews": reviews, "totalReviewCount": total});
    if let Some(next) = next {
        page["nextPageToken"] = next.into();
    }
    SiteAnswer::json(page.to_string())
}

/// A site with one page of Google's API.
pub fn google_site(count: usize) -> Site {
    Site::start(move |_| google_page(0..count, None, count))
}

fn answer_with(site: &Site, count: usize) {
    site.answer(move |_| google_page(0..count, None, count));
}

/// A home with the entry `google`, which was run, and its site.
pub fn added(count: usize, keys: &str) -> (Home, Site) {
    let (home, site) = (home(), google_site(count));
    add(&home, "google", &site.url("/r"), keys).done();
    (home, site)
}

/// A site with this table.
fn csv_site(body: &str) -> Site {
    let site = Site::start(|_| SiteAnswer::csv(""));
    give_csv(&site, body);
    site
}

/// Answers with this table from now on.
fn give_csv(site: &Site, body: &str) {
    let body = body.to_owned();
    site.answer(move |_| SiteAnswer::csv(&*body));
}

/// Makes every entry due, and forgets how its last run ended.
pub fn make_due(home: &Home) {
    home.sql("update sync_state set next_run_at = '2020-01-01T00:00:00Z', last_success_at = null, last_failure = null");
}

/// Waits until a running service has run the entry that [`make_due`] made due.
pub fn wait_for_success(home: &Home, name: &str) {
    wait_for_end(home, name, "last_success_at");
}

fn wait_for_failure(home: &Home, name: &str) {
    wait_for_end(home, name, "last_failure");
}

fn wait_for_end(home: &Home, name: &str, column: &str) {
    let ended = format!("select {column} is not null from sync_state where name = '{name}'");
    wait_until(&format!("{column} of {name}"), || home.sql(&ended) == "1");
}

pub fn query(request: &SiteRequest, name: &str) -> Option<String> {
    let (_, query) = request.target.split_once('?')?;
    let mut pairs = url::form_urlencoded::parse(query.as_bytes());
    let found = pairs.find(|(other, _)| other == name);
    found.map(|(_, value)| value.into_owned())
}

/// What the commands show of the entries.
fn shown(home: &Home) -> String {
    let commands = ["sync list", "sync list --json", "status", "status --json"];
    commands.map(|words| home.run(words).out).concat()
}

/// Asserts that no byte of the files beside the database, of what commands printed, and of what they show now has one of the
/// words.
#[track_caller]
fn assert_no_trace(home: &Home, words: &[&str]) {
    let printed = shown(home) + &home.printed.lock().unwrap();
    let mut bytes = printed.clone().into_bytes();
    for entry in fs::read_dir(home.folder.path()).unwrap() {
        bytes.extend(fs::read(entry.unwrap().path()).unwrap_or_default());
    }
    for word in words {
        let found = memchr::memmem::find(&bytes, word.as_bytes());
        assert_eq!(found, None, "{word}: {printed}");
    }
}
