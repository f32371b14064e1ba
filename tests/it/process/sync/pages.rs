//! Further pages: followed as the platform's file says, and named where it does not.

use super::*;

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
    has(&home, 5, "true");
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
    has(&home, 3, "true");
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
    has(&home, 1, "true");
    assert!(
        column(&home, "last_failure").contains("page 2"),
        "it is kept"
    );
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
            return SiteAnswer::of("", lines.collect::<String>());
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

/// Three reviews of no platform.
fn plain_rows() -> Value {
    let row = |number| json!({"id": format!("r{number}"), "author": "Ann", "rating": 5, "date": "2026-03-01", "text": format!("Words number {number}"), "likes": 0});
    (0..3).map(row).collect()
}

/// Answers of no platform that say that there is more: the body, a header, and the member or header that says so. `ROWS` are three
/// reviews, `ORIGIN` is the server's.
const CLAIMS: &str = r#"
    {"results": ROWS, "count": 5, "next": "ORIGIN/r?page=2", "previous": null} → X-A: b → next
    {"records": ROWS, "offset": "itrA/recr3"} → X-A: b → offset
    {"results": ROWS, "nextPageToken": "abc"} → X-A: b → nextPageToken
    {"results": ROWS, "count": 5} → X-A: b → count
    {"results": ROWS, "total": 4} → X-A: b → total
    {"results": ROWS, "totalItems": 4} → X-A: b → totalItems
    {"results": ROWS, "meta": {"pagination": {"page": 1, "total": 4}}} → X-A: b → meta.pagination.total
    ROWS → X-WP-TotalPages: 2 → X-WP-TotalPages
"#;

/// Answers of no platform that say that this is all.
const COMPLETE: &str = r#"
    {"results": ROWS, "count": 3, "next": null, "previous": null} → X-A: b
    {"records": ROWS, "offset": ""} → X-A: b
    {"results": ROWS, "nextPageToken": ""} → X-A: b
    {"results": ROWS, "meta": {"pagination": {"page": 1, "total": 3}}} → X-WP-TotalPages: 1
"#;

fn answer_of(body: &str, header: &str, origin: &str) -> SiteAnswer {
    let body = body
        .replace("ROWS", &plain_rows().to_string())
        .replace("ORIGIN", origin);
    SiteAnswer::json(body).with(header)
}

#[test]
fn answer_that_says_that_there_is_more_wants_partial() {
    let (home, site) = (home(), Site::start(|_| SiteAnswer::json("[]")));
    let give = |body: &'static str, header: &'static str| {
        let origin = site.origin();
        site.answer(move |_| answer_of(body, header, &origin));
    };
    let url = site.url("/r");
    for [body, header, named] in table(CLAIMS) {
        give(body, header);
        let refused = add(&home, "shop", &url, &["--ignore-others"], &[]);
        refused.failed("--partial");
        assert_has(&refused.err, named);
        assert_eq!(
            [count(&home, "true"), column(&home, "name")],
            ["0", ""],
            "{body}"
        );
    }
    for [body, header] in table(COMPLETE) {
        give(body, header);
        let added = add(&home, "shop", &url, &["--ignore-others"], &[]);
        assert_eq!(added.code, Some(0), "{body}: {}{}", added.out, added.err);
        assert_eq!(column(&home, "last_outcome"), "success");
    }
    // A source that says so later is imported, and is not whole.
    for [body, header, _] in table(CLAIMS) {
        give(body, header);
        let run = sync(&home);
        run.done();
        assert_eq!(
            column(&home, "last_outcome"),
            "short",
            "{body}: {}",
            run.out
        );
    }
    add(&home, "shop", &url, &["--ignore-others", "--partial"], &[]).done();
    has(&home, 3, "true");
}
