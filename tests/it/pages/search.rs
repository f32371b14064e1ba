//! The search form and its results as a page.

use serde_json::Value;

use super::{between, named, permalinks};
use crate::support::{array_of, assert_has, str_of, table, with_sample};

#[tokio::test]
async fn a_search_page_shows_the_results_of_the_api() {
    let app = named(120).await;
    let all = app.json("/reviews.json").await["aggregate_rating"]["review_count"].clone();
    let queries = " query=water rating=5&limit=7 since=2025-01-01&mentions_service=drain query=nowhere+at+all";
    for query in queries.split(' ') {
        let html = app.text(&format!("/search?{query}")).await;
        let twin = format!("/api/reviews/search?{query}&match=words");
        let twin = app.get(&twin).await;
        assert_eq!(permalinks(&html), twin.ids(), "{query}");
        let is_filtered = html.contains(&format!("Filtered, of {all} reviews"));
        assert_eq!(is_filtered, !query.is_empty(), "{query}");
        let next = link(&html, "next");
        let has_next = twin.json().get("next_cursor").is_some();
        assert_eq!(next.is_some(), has_next, "{query}");
        if let Some(next) = next {
            let twin = next.replace("/search", "/api/reviews/search") + "&match=words";
            let behind = app.get(&twin).await.ids();
            assert_eq!(permalinks(&app.text(&next).await), behind, "{query}");
        }
    }
    let nothing = app.text("/search?query=nowhere+at+all&rating=5").await;
    assert_has(&nothing, "No review matches");
    assert_has(&nothing, "href=\"/search?rating=5\"");
}

/// The target of a page's link to the next page.
fn link(html: &str, name: &str) -> Option<String> {
    let links = between(html, &format!("<a rel=\"{name}\" href=\""), "\"");
    links.first().map(|href| unescape(href))
}

#[test]
fn the_form_has_every_filter_and_order_and_keeps_the_values() {
    with_sample(async |app| {
        let description = app.json("/.well-known/openapi.json").await;
        let parameters = &description["paths"]["/api/reviews/search"]["get"]["parameters"];
        // `limit` and `cursor` have no field: pages set them in their links.
        let names = array_of(parameters).iter().map(|one| str_of(&one["name"]));
        let plain = app.text("/search").await;
        for name in names.filter(|name| !["limit", "cursor"].contains(name)) {
            assert_has(&plain, &format!(" name=\"{name}\""));
        }
        for [query, label] in table(
            "
        max_rating=2 → 2 or fewer
        min_rating=4.5 → 4.5
        source=Google → Google
        language=tlh → tlh
        has_reply=false → no
        mentions_service=nothing → nothing
        ",
        ) {
            let html = app.text(&format!("/search?{query}")).await;
            let (_, value) = query.split_once('=').unwrap();
            let chosen = format!("<option value=\"{value}\" selected>{label}");
            assert_has(&html, &chosen);
            assert_has(&html, "Filtered, of 256 reviews: ");
        }
        let open = app.text("/search?max_rating=2").await;
        assert!(open.contains("<details open>") && !plain.contains("<details open>"));
        // By words is the page's default, which its empty choice names.
        let by_words = app.text("/search?query=ac&match=words").await;
        assert!(!by_words.contains("<option value=\"words\""));
        for [sort, current] in table(
            "
        sort= → Newest
        sort=oldest → Oldest
        sort=highest → Most stars
        sort=lowest → Fewest stars
        ",
        ) {
            let html = app.text(&format!("/search?rating=4&{sort}")).await;
            let orders = between(&html, "<ul class=\"sort\"", "</ul>")[0];
            let marked = between(orders, "aria-current=\"true\">", "</a>");
            assert_eq!(marked, [current], "{sort}");
            let (_, value) = sort.split_once('=').unwrap();
            assert_has(&html, &format!("name=\"sort\" value=\"{value}\""));
        }
    });
}

/// A URL in a page, unescaped.
fn unescape(href: &str) -> String {
    href.replace("&amp;", "&")
}

#[test]
fn each_active_filter_links_to_the_search_without_it() {
    with_sample(async |app| {
        let target = "/search?query=leak+repair&match=words&rating=5&aspect=price&polarity=positive&sort=oldest&cursor=";
        let html = app.text(target).await;
        let chips = between(&html, "<ul class=\"chips\">", "</ul>")[0];
        let links = between(chips, "<a href=\"", "</a>");
        let expected = table(
            "
        /search?rating=5&aspect=price&polarity=positive&sort=oldest → with “leak repair”
        /search?query=leak+repair&match=words&aspect=price&polarity=positive&sort=oldest → 5 stars
        /search?query=leak+repair&match=words&rating=5&sort=oldest → topic: Price
        /search?query=leak+repair&match=words&rating=5&aspect=price&sort=oldest → opinion: positive
        /search → Remove all filters
        ",
        );
        assert_eq!(links.len(), expected.len());
        for (link, [expected, with]) in links.into_iter().zip(expected) {
            let (href, words) = link.split_once("\">").unwrap();
            let shown = (unescape(href), words.split(" <").next().unwrap());
            assert_eq!(shown, (expected.to_owned(), with));
            assert_eq!(app.get(expected).await.status, 200, "{expected}");
        }
        // The form sends an opinion without a topic, which says nothing.
        for plain in ["/search", "/search?aspect=&polarity=negative"] {
            let plain = app.text(plain).await;
            for part in [
                "Filtered, of",
                "class=\"chips\"",
                "value=\"negative\" selected",
            ] {
                assert!(!plain.contains(part), "{part}");
            }
        }
    });
}

#[test]
fn choices_show_and_explain_the_counts_of_the_facets() {
    with_sample(async |app| {
        let html = app.text("/search?query=leak").await;
        let facets = app.json("/facets.json").await;
        assert_has(&html, "Counts are of all 256 reviews.");
        for (list, name, value) in [
            ("technicians", "mentions_technician", "name"),
            ("services", "mentions_service", "id"),
            ("sources", "source", "name"),
            ("aspects", "aspect", "id"),
        ] {
            let field = between(&html, &format!("<select id=\"{name}\""), "</select>")[0];
            for facet in array_of(&facets[list]) {
                let option = format!("<option value=\"{}\">", str_of(&facet[value]));
                let option = between(field, &option, "<option")[0];
                let reviews = facet.get("reviews").unwrap_or(&facet["mention_count"]);
                let count = format!(" ({reviews})");
                assert!(option.ends_with(&count), "{option}");
            }
        }
        for year in array_of(&facets["years"]) {
            let (year, reviews) = (&year["year"], &year["reviews"]);
            let link = format!(
                "<li><a href=\"/search?query=leak&amp;since={year}-01-01&amp;until={year}-12-31\">{year}</a> ({reviews})</li>"
            );
            assert_has(&html, &link);
        }
    });
}

#[test]
fn an_empty_result_offers_nearer_names_and_a_search_by_words() {
    with_sample(async |app| {
        for [query, offered] in table(
            "
        query=leak+repair+the&match=substring → query=leak+repair+the
        mentions_technician=Mike+Alvares&query=the → query=the&mentions_technician=Mike+Alvarez
        source=Gogle → source=Google
        ",
        ) {
            let html = app.text(&format!("/search?{query}")).await;
            assert!(permalinks(&html).is_empty(), "{query}");
            let list = between(&html, "<ul class=\"nearest\">", "</ul>")[0];
            let links = between(list, "<li><a href=\"", "\"");
            assert_eq!(unescape(links[0]), format!("/search?{offered}"));
            let found = app.text(&unescape(links[0])).await;
            assert!(!permalinks(&found).is_empty(), "{query}");
        }
        let nowhere = app.text("/search?query=zeppelin&since=2040-01-01").await;
        assert_has(&nowhere, "No review matches");
    });
}

#[test]
fn stars_mentions_source_and_year_of_a_review_are_links() {
    with_sample(async |app| {
        let dataset = app.json("/reviews.json").await;
        let mut reviews = array_of(&dataset["reviews"]).iter();
        let names_both = |review: &&Value| {
            let lists = ["technicians", "services"].map(|list| &review["mentions"][list]);
            lists.iter().all(|list| !array_of(list).is_empty())
        };
        let review = reviews.find(names_both).unwrap();
        let id = str_of(&review["id"]);
        let html = app.text(&format!("/reviews/{id}")).await;
        let article = between(&html, "<article", "</article>")[0];
        let year = &str_of(&review["date"])[..4];
        let service = str_of(&review["mentions"]["services"][0]);
        let source = str_of(&review["source"]);
        for query in [
            format!("rating={}", review["rating"]),
            format!("source={source}"),
            format!("since={year}-01-01&amp;until={year}-12-31"),
            format!("mentions_service={service}"),
        ] {
            assert_has(article, &format!("/search?{query}\""));
        }
        let stars = between(article, "<div class=\"head\"><a href=\"", "\"");
        for href in [stars, between(article, "<li><a href=\"", "\"")].concat() {
            if href.starts_with("/search") {
                let found = app.text(&format!("{}&limit=100", unescape(href))).await;
                let is_found = permalinks(&found).contains(&id);
                assert!(is_found || href.contains("rating"), "{href}");
            }
        }
    });
}
