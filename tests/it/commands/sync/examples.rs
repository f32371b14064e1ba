//! The entries of the guide, each against a server that answers as its platform does.

use super::*;

/// The entries of the guide, by name.
fn entries_of_guide() -> BTreeMap<String, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/guides/keep-reviews-fresh.md");
    let text = fs::read_to_string(path).unwrap();
    let blocks = text.split("```toml\n").skip(1);
    let blocks = blocks.map(|block| block.split("```").next().unwrap());
    let named = blocks.map(|block| {
        let (_, rest) = block.split_once('[').unwrap();
        (rest.split(']').next().unwrap().to_owned(), block.to_owned())
    });
    named.collect()
}

/// The address of an entry on this site instead.
fn at_site(entry: &str, site: &Site) -> String {
    let Some((before, address)) = entry.split_once("\"https://") else {
        return entry.to_owned();
    };
    let (_, path) = address.split_once('/').unwrap();
    format!("{before}\"{}{path}", site.url("/"))
}

fn authorized(request: &SiteRequest, expected: &str) {
    let sent = request.header("authorization");
    assert_eq!(sent, expected, "{}", request.target);
}

/// The row of the page that `page` names; the pages after the second are empty.
fn page_of(request: &SiteRequest, row: impl Fn(usize) -> Value) -> Value {
    match query(request, "page").as_deref() {
        None | Some("1") => json!([row(1)]),
        Some("2") => json!([row(2)]),
        Some(_) => json!([]),
    }
}

/// What the platform answers; it has two reviews, one on each page if it gives pages.
fn answer(name: &str, request: &SiteRequest) -> SiteAnswer {
    let has_value = |name: &str, value: &str| query(request, name).as_deref() == Some(value);
    match name {
        "google" => {
            authorized(request, "Bearer token-1");
            match query(request, "pageToken") {
                None => google_page([1], Some("more"), 2),
                Some(_) => google_page([2], None, 2),
            }
        }
        "apify" => {
            authorized(request, "Bearer APIFY_TOKEN-here");
            SiteAnswer::value(&json!([row(APIFY, 1), row(APIFY, 2)]))
        }
        "outscraper" => {
            assert_eq!(request.header("x-api-key"), "OUTSCRAPER_KEY-here");
            let row = |number| {
                json!({"query": "q", "name": "Peak", "place_id": "C", "review_id": format!("o{number}"), "author_title": "Ann",
                    "review_text": format!("Tap {number}"), "owner_answer": null, "review_link": "https://example.com/1",
                    "review_rating": 5, "review_timestamp": 1_772_615_440, "review_datetime_utc": "03/04/2026 09:10:40"})
            };
            let rows = [row(1), row(2)];
            SiteAnswer::value(&json!({"id": "REQUEST", "status": "Success", "data": rows}))
        }
        "judgeme" => {
            assert!(has_value("api_token", "JUDGEME_TOKEN-here"));
            let row = |number| {
                json!({"id": number, "title": "T", "body": "Very neat", "rating": 5, "reviewer": {"id": 1, "name": "Ann Bell"},
                    "source": "web", "curated": "ok", "published": true, "hidden": false, "verified": "buyer",
                    "created_at": format!("2026-10-0{number}T10:00:00+00:00")})
            };
            SiteAnswer::value(&json!({"per_page": 100, "reviews": page_of(request, row)}))
        }
        "yotpo" => {
            assert!(has_value("utoken", "token-of-command"));
            let row = |number| {
                json!({"id": number, "title": "Steady", "content": "Holds well.", "score": 5, "votes_up": 0, "votes_down": 0,
                    "created_at": format!("2026-10-1{number}T09:30:00.000Z"), "updated_at": "2026-10-12T08:00:00.000Z",
                    "sentiment": 0.8, "sku": "77", "name": "Beatriz Lang", "email": "private@example.com",
                    "reviewer_type": "verified_buyer", "deleted": false, "archived": false})
            };
            SiteAnswer::value(&json!({"reviews": page_of(request, row)}))
        }
        "shop" => {
            // WOO_KEY-here:WOO_SECRET-here
            authorized(request, "Basic V09PX0tFWS1oZXJlOldPT19TRUNSRVQtaGVyZQ==");
            let row = |number| {
                json!({"id": number, "date_created": "2026-10-18T17:59:17", "date_created_gmt": "2026-10-19T00:59:17",
                    "product_id": 9, "status": "approved", "reviewer": "Ann", "review": format!("<p>Neat {number}</p>"), "rating": 5,
                    "verified": true})
            };
            SiteAnswer::value(&page_of(request, row))
        }
        "okendo" => {
            let basic = "Basic T0tFTkRPX1VTRVItaGVyZTpPS0VORE9fS0VZLWhlcmU=";
            authorized(request, basic);
            assert_eq!(request.header("okendo-api-version"), "2025-02-01");
            let row = |number| {
                json!({"reviewId": format!("k{number}"), "productId": "p1", "rating": 5, "title": "A", "body": "Fits.", "status": "approved",
                    "dateCreated": "2026-09-30T10:00:00.000Z", "reviewer": {"displayName": "Hanna", "isVerified": true}})
            };
            let body = if has_value("lastEvaluated", "k1") {
                json!({"reviews": [row(2)]})
            } else {
                json!({"reviews": [row(1)], "nextUrl": "/enterprise/reviews?limit=100&lastEvaluated=k1"})
            };
            SiteAnswer::value(&body)
        }
        "feedback" | "sheet" => {
            SiteAnswer::csv("Name,Stars,Date,Review\nAnn,5,2026-10-01,Good\nBo,4,2026-10-02,Fair\n")
        }
        "page" => {
            let row = |author| {
                json!({"@type": "Review", "author": {"name": author}, "datePublished": "2026-10-23", "reviewBody": "Dry.",
                    "reviewRating": {"ratingValue": 4}})
            };
            let data = json!({"@context": "https://schema.org", "@type": "Plumber", "name": "DP", "review": [row("Ann"), row("Bo")]});
            let script = format!("<script type=\"application/ld+json\">{data}</script>");
            SiteAnswer::of("text/html", format!("<!doctype html>{script}"))
        }
        _ => panic!("no answer of {name}"),
    }
}

#[test]
fn entries_of_the_guide_fetch_the_answers_of_platforms() {
    for (name, entry) in entries_of_guide() {
        let server = name.clone();
        let site = Site::start(move |request| {
            if request.target == "/token" {
                let token =
                    json!({"access_token": "token-1", "expires_in": 3_600, "token_type": "Bearer"});
                return SiteAnswer::value(&token);
            }
            answer(&server, request)
        });
        let mut home = home();
        for variable in entry.split("${").skip(1) {
            let variable = variable.split('}').next().unwrap();
            let value = match variable {
                "SHEET_URL" => site.url("/SHEET_URL-here"),
                _ => format!("{variable}-here"),
            };
            home = home.with_variable(&format!("REVIEWS_SYNC_{variable}"), &value);
        }
        let entry = at_site(&entry, &site);
        let program = "\"/usr/local/bin/yotpo-token\"";
        let entry = entry.replace(program, "\"echo\", \"token-of-command\"");
        home.file("reviews.sync.toml", &entry);
        let credentials = json!({"type": "authorized_user", "client_id": "id-1", "client_secret": "client-1",
            "refresh_token": "refresh-1", "token_uri": site.url("/token")});
        home.file("google.json", &credentials.to_string());
        let run = home.run(&["sync", "run", &name]);
        assert_eq!(run.code, Some(0), "{name}: {}{}", run.out, run.err);
        has(&home, 2, "status = 'published'");
        assert_no_trace(&home, &["-here", "token-1"]);
    }
}
