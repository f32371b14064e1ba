//! Further pages: followed as the platform's file says, and named where it does not.

use super::*;

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
    add(&home, "google", &site.url("/reviews?pageSize=2"), "").done();
    let ends = ["", "&pageToken=second", "&pageToken=third"];
    let targets = ends.map(|end| format!("/reviews?pageSize=2{end}"));
    assert_eq!(site.take_targets(), targets);
    has(&home, 5, "true");
    let imported = "select files, added from import_run";
    home.finds(imported, "[\"sync google\"]|5");
}

#[test]
fn failed_page_imports_nothing_and_names_the_page() {
    let (home, site) = added(1, "");
    for status in [403, 503] {
        site.answer(move |request| match query(request, "pageToken") {
            None => google_page(5..9, Some("second"), 8),
            Some(_) => SiteAnswer::status(status).with("Retry-After: 0"),
        });
        let (run, status) = (sync(&home), status.to_string());
        run.failed(&format!("page 2: status {status}"));
        assert_eq!(run.err.matches(&status).count(), 1, "once: {}", run.err);
        has(&home, 1, "true");
        assert_has(&column(&home, "last_failure"), "page 2");
    }
}

#[test]
fn answer_that_says_that_there_is_more_is_noted() {
    let page = |next: Value| {
        let row = |number| {
            json!({"id": format!("r{number}"), "author": "Ann", "rating": 5, "date": "2026-03-01",
                "text": format!("Words {number}"), "likes": 0})
        };
        let rows: Value = (0..3).map(row).collect();
        move |_: &SiteRequest| SiteAnswer::value(&json!({"items": rows, "next": next}))
    };
    let (home, site) = (home(), Site::start(page("/hush?page=2".into())));
    let url = site.url("/r");
    let names = ["id", "author", "rating", "date", "text"].map(|name| format!("{name} = '{name}'"));
    let fields = format!("ignored = ['likes']\n[fields]\n{}\n", names.join("\n"));
    let (format, noted) = ("format = './shop.toml'", "names a next page");
    for paging in ["", "[paging]\ntoken = 'nxt'\nparameter = 'p'\n"] {
        home.file("shop.toml", &format!("{fields}{paging}"));
        let added = add(&home, "shop", &url, format);
        assert_eq!(added.code, Some(1), "{}{}", added.out, added.err);
        assert_has(&added.out, noted);
    }
    assert_has(&home.run("sync list").out, noted);
    has(&home, 3, "true");
    site.answer(page(Value::Null));
    let run = sync(&home);
    run.done();
    assert!(!run.out.contains(noted));
    site.answer(page("/hush?page=2".into()));
    let partial = add(&home, "shop", &url, &format!("{format}\npartial = true"));
    partial.done();
    assert!(!partial.out.contains(noted), "{}", partial.out);
    assert_no_trace(&home, &["hush"]);
    let paging = "[paging]\noffset = 'offset'\nsize = '5'\n";
    home.file("shop.toml", &(fields + paging));
    home.run("source format Direct shop.toml").done();
    write_entry(&home, "shop", &url, "");
    sync(&home).failed("size is the name of the address's parameter");
}

#[test]
fn next_page_on_another_path_is_noted_and_nothing_is_gone() {
    let (home, site) = added(3, "");
    site.answer(|_| google_page(0..2, None, 3).with("Link: </r/page/2>; rel=\"next\""));
    let run = home.run("sync run google");
    assert_eq!(run.code, Some(1), "{}{}", run.out, run.err);
    assert_has(&run.out, "it is of another path than the entry's address");
    home.run_ok("sync list", "names a next page");
    assert!(home.json("sync list --json")[0]["gone"].is_null());
    let withdraw = "sync run google --withdraw-missing";
    home.run_err(withdraw, "only some of the reviews");
    has(&home, 3, "status = 'published'");
    site.answer(|_| SiteAnswer::json("[]"));
    home.run_err(withdraw, "only some of the reviews, or none");
    has(&home, 3, "status = 'published'");
}
