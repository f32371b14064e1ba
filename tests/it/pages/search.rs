//! The search form and its results as a page.

use super::{BROWSER, between, permalinks, seeded};
use crate::support::{Generator, TestApp, array_of, assert_has, str_of};

#[tokio::test]
async fn a_search_page_shows_the_results_of_the_api() {
    let app = TestApp::uncoded(&Generator::new(7).reviews(120)).await;
    app.name_business().await;
    let all = app.json("/reviews.json").await["aggregate_rating"]["review_count"].clone();
    for query in [
        "",
        "query=water",
        "rating=5&limit=7",
        "since=2025-01-01&mentions_service=drain",
        "query=nowhere+at+all",
    ] {
        let html = app.text(&format!("/search?{query}")).await;
        let twin = app
            .get(&format!("/api/reviews/search?{query}&match=words"))
            .await;
        assert_eq!(permalinks(&html), twin.ids(), "{query}");
        assert_eq!(
            html.contains(&format!("Filtered, of {all} reviews")),
            query.contains(['q', 'r', 's']) && !query.is_empty(),
            "{query}"
        );
        let next = between(&html, "<a rel=\"next\" href=\"", "\"")
            .first()
            .map(|next| next.replace("&amp;", "&"));
        assert_eq!(
            next.is_some(),
            twin.json().get("next_cursor").is_some(),
            "{query}"
        );
        if let Some(next) = next {
            let behind = app
                .get(&format!(
                    "{}&match=words",
                    next.replace("/search", "/api/reviews/search")
                ))
                .await
                .ids();
            assert_eq!(permalinks(&app.text(&next).await), behind, "{query}");
        }
    }
    let nothing = app.text("/search?query=nowhere+at+all&rating=5").await;
    assert_has(&nothing, "No review matches");
    assert_has(&nothing, "href=\"/search?rating=5\"");
}

#[tokio::test]
async fn links_of_a_search_keep_only_known_parameters() {
    let app = TestApp::uncoded(&Generator::new(7).reviews(60)).await;
    app.name_business().await;
    let unknown: String = (0..1_700).map(|number| format!("&u{number}=1")).collect();
    for query in [
        "rating=5&limit=3",
        "query=nowhere+at+all&rating=5",
        "rating=9",
    ] {
        let plain = app.get(&format!("/search?{query}")).await;
        let repeated = app.get(&format!("/search?{query}{unknown}")).await;
        assert_eq!(repeated.status, plain.status, "{query}");
        assert_eq!(repeated.text(), plain.text(), "{query}");
    }
}

#[tokio::test]
async fn an_error_in_the_form_is_attached_to_the_field() {
    let app = TestApp::uncoded(&Generator::new(7).reviews(3)).await;
    app.name_business().await;
    let answer = app
        .get_with(
            "/search?query=leak&rating=9&since=yesterday&until=",
            &[BROWSER],
        )
        .await;
    assert_eq!(answer.status, 400);
    let html = answer.text();
    for name in ["rating", "since"] {
        assert!(
            html.contains(&format!("aria-describedby=\"{name}-fault\"")),
            "{name}"
        );
        assert_eq!(
            html.matches(&format!("id=\"{name}-fault\"")).count(),
            1,
            "{name}"
        );
    }
    assert!(
        !html.contains("until-fault")
            && html.contains("value=\"leak\"")
            && html.contains("name=\"since\" type=\"text\" value=\"yesterday\"")
    );
}

#[tokio::test]
async fn the_form_has_every_filter_and_keeps_the_values() {
    let app = seeded().await;
    let description = app.json("/.well-known/openapi.json").await;
    let parameters = &description["paths"]["/api/reviews/search"]["get"]["parameters"];
    // `limit` and `cursor` have no field: pages set them in their links.
    let names = parameters
        .as_array()
        .unwrap()
        .iter()
        .map(|one| str_of(&one["name"]));
    let filters = names.filter(|name| !["limit", "cursor"].contains(name));
    let plain = app.text("/search").await;
    for name in filters {
        assert!(
            plain.contains(&format!(" name=\"{name}\"")),
            "the form lacks {name}"
        );
    }
    for (query, kept) in [
        ("max_rating=2", "<option value=\"2\" selected>2 or fewer"),
        ("min_rating=4.5", "<option value=\"4.5\" selected>4.5"),
        ("source=Google", "<option value=\"Google\" selected>Google"),
        ("language=tlh", "<option value=\"tlh\" selected>tlh"),
        ("has_response=false", "<option value=\"false\" selected>no"),
        (
            "mentions_service=nothing",
            "<option value=\"nothing\" selected>nothing",
        ),
    ] {
        let html = app.text(&format!("/search?{query}")).await;
        assert!(html.contains(kept), "{query}: {kept}");
        let is_filtered = html.contains("Filtered, of 256 reviews: ");
        assert!(is_filtered, "{query}");
    }
    let open = app.text("/search?max_rating=2").await;
    assert!(open.contains("<details open>") && !plain.contains("<details open>"));
}

/// A URL in a page, unescaped.
fn followed(href: &str) -> String {
    href.replace("&amp;", "&")
}

#[tokio::test]
async fn each_active_filter_links_to_the_search_without_it() {
    let app = seeded().await;
    let html = app
        .text("/search?query=leak+repair&match=words&rating=5&aspect=price&polarity=positive&sort=oldest&cursor=").await;
    let chips = between(&html, "<ul class=\"chips\">", "</ul>")[0];
    let links: Vec<(String, &str)> = between(chips, "<a href=\"", "</a>")
        .into_iter()
        .map(|link| link.split_once("\">").unwrap())
        .map(|(href, words)| (followed(href), words.split(" <").next().unwrap()))
        .collect();
    let expected = [
        (
            "/search?rating=5&aspect=price&polarity=positive&sort=oldest",
            "with “leak repair”",
        ),
        (
            "/search?query=leak+repair&match=words&aspect=price&polarity=positive&sort=oldest",
            "5 stars",
        ),
        (
            "/search?query=leak+repair&match=words&rating=5&sort=oldest",
            "topic: Price",
        ),
        (
            "/search?query=leak+repair&match=words&rating=5&aspect=price&sort=oldest",
            "opinion: positive",
        ),
        ("/search", "Remove all filters"),
    ];
    let expected: Vec<(String, &str)> = expected
        .map(|(href, words)| (href.to_owned(), words))
        .into();
    assert_eq!(links, expected);
    for (href, _) in links {
        assert_eq!(app.get(&href).await.status, 200, "{href}");
    }
    let plain = app.text("/search").await;
    assert!(!plain.contains("Filtered, of") && !plain.contains("class=\"chips\""));
}

#[tokio::test]
async fn choices_show_and_explain_the_counts_of_the_facets() {
    let app = seeded().await;
    let html = app.text("/search?query=leak").await;
    let facets = app.json("/facets.json").await;
    assert!(html.contains("Counts are of all 256 reviews."), "{html}");
    for (list, name, value) in [
        ("technicians", "mentions_technician", "name"),
        ("services", "mentions_service", "id"),
        ("sources", "source", "name"),
        ("aspects", "aspect", "id"),
    ] {
        let field = between(&html, &format!("<select id=\"{name}\""), "</select>")[0];
        for facet in array_of(&facets[list]) {
            let option = between(
                field,
                &format!("<option value=\"{}\">", str_of(&facet[value])),
                "<option",
            )[0];
            let reviews = facet["reviews"].as_u64().unwrap();
            assert!(option.ends_with(&format!(" ({reviews})")), "{option}");
        }
    }
    for year in array_of(&facets["years"]) {
        let (year, reviews) = (&year["year"], &year["reviews"]);
        let link = format!(
            "<li><a href=\"/search?query=leak&amp;since={year}-01-01&amp;until={year}-12-31\">{year}</a> ({reviews})</li>"
        );
        assert!(html.contains(&link), "{link}");
    }
}

#[tokio::test]
async fn the_form_shows_and_keeps_the_order() {
    let app = seeded().await;
    for (query, current) in [
        ("rating=4", "Newest"),
        ("rating=4&sort=oldest", "Oldest"),
        ("rating=4&sort=highest", "Most stars"),
        ("rating=4&sort=lowest", "Fewest stars"),
    ] {
        let html = app.text(&format!("/search?{query}")).await;
        let orders = between(&html, "<ul class=\"sort\"", "</ul>")[0];
        let marked = between(orders, "aria-current=\"true\">", "</a>");
        assert_eq!(marked, [current], "{query}");
        let sort = query.split("sort=").nth(1).unwrap_or_default();
        assert!(
            html.contains(&format!("name=\"sort\" value=\"{sort}\"")),
            "{query}"
        );
    }
}

#[tokio::test]
async fn an_empty_result_offers_similar_searches_with_counts() {
    let app = seeded().await;
    for (query, expected) in [
        (
            "query=water+heater+zeppelin&rating=5&source=Google",
            vec!["query=water+heater"],
        ),
        ("query=leak+repair&match=substring", vec![]),
        ("query=zeppelin&rating=5&has_response=true", vec![]),
        (
            "mentions_technician=Mike+Alvares&source=Gogle&query=the",
            vec!["mentions_technician=Mike+Alvarez"],
        ),
    ] {
        let html = app.text(&format!("/search?{query}")).await;
        assert_eq!(permalinks(&html), Vec::<String>::new(), "{query}");
        let list = between(&html, "<ul class=\"nearest\">", "</ul>")[0];
        let offered = between(list, "<li><a href=\"", "</span>");
        assert!(
            (1..=8).contains(&offered.len()),
            "{query}: {}",
            offered.len()
        );
        for part in expected {
            assert!(list.contains(part), "{query}: {list}");
        }
        for one in offered {
            let (href, rest) = one.split_once('"').unwrap();
            let said = rest.rsplit_once('>').unwrap().1;
            let found = app.text(&followed(href)).await;
            assert!(!permalinks(&found).is_empty(), "{href}");
            assert!(
                found.contains(&format!("<h1>{said}</h1>")),
                "{href}: {said}"
            );
        }
    }
    let nowhere = app.text("/search?query=zeppelin&since=2040-01-01").await;
    assert!(nowhere.contains("No review matches"));
}

#[tokio::test]
async fn empty_form_fields_count_as_absent_even_if_repeated() {
    let app = seeded().await;
    let all = permalinks(&app.text("/search").await);
    let fours = permalinks(&app.text("/search?rating=4").await);
    for (query, expected) in [
        ("rating=&rating=", &all),
        ("rating=&rating=4&rating=", &fours),
    ] {
        let answer = app.get(&format!("/search?{query}")).await;
        assert_eq!(answer.status, 200, "{query}");
        assert_eq!(permalinks(&answer.text()), *expected, "{query}");
    }
    let answer = app.get("/search?rating=4&rating=&rating=4").await;
    assert_eq!(answer.json()["issues"][0]["code"], "duplicate");
}

#[tokio::test]
async fn stars_mentions_source_and_year_of_a_review_are_links() {
    let app = seeded().await;
    let reviews = app.json("/reviews.json").await;
    let review = (array_of(&reviews["reviews"]).iter())
        .find(|review| {
            let mentions = &review["mentions"];
            !array_of(&mentions["technicians"]).is_empty()
                && !array_of(&mentions["services"]).is_empty()
        })
        .unwrap();
    let id = str_of(&review["id"]);
    let html = app.text(&format!("/reviews/{id}")).await;
    let article = between(&html, "<article", "</article>")[0];
    let year = &str_of(&review["date"])[..4];
    for part in [
        format!("/search?rating={}\"", review["rating"]),
        format!("/search?source={}\"", str_of(&review["source"]["name"])),
        format!("/search?since={year}-01-01&amp;until={year}-12-31\""),
        format!(
            "/search?mentions_service={}\"",
            str_of(&review["mentions"]["services"][0])
        ),
    ] {
        assert!(article.contains(&part), "{part}: {article}");
    }
    for href in between(article, "<div class=\"head\"><a href=\"", "\"")
        .into_iter()
        .chain(between(article, "<li><a href=\"", "\""))
        .filter(|href| href.starts_with("/search"))
    {
        let found = app.text(&format!("{}&limit=100", followed(href))).await;
        assert!(
            permalinks(&found).contains(&id.to_owned()) || href.contains("rating"),
            "{href}"
        );
    }
}

/// The law of search tests the pages of all filters; here are the links.
#[tokio::test]
async fn paging_forward_and_back_shows_the_same_reviews() {
    let app = TestApp::uncoded(&Generator::new(7).reviews(60)).await;
    app.name_business().await;
    let rel = |html: &str, name: &str| {
        let links = between(html, &format!("<a rel=\"{name}\" href=\""), "\"");
        links.first().map(|href| followed(href))
    };
    for sort in ["newest", "oldest", "highest", "lowest"] {
        let first = format!("/search?limit=7&sort={sort}&min_rating=4");
        let (mut forth, mut at) = (Vec::new(), Some(first.clone()));
        while let Some(target) = at {
            let html = app.text(&target).await;
            forth.push((permalinks(&html), rel(&html, "prev")));
            at = rel(&html, "next");
        }
        assert!(forth.len() > 3 && forth[0].1.is_none(), "{first}");
        let (_, mut back) = forth.pop().unwrap();
        while let Some(target) = back {
            let html = app.text(&target).await;
            let (expected, _) = forth.pop().unwrap();
            assert_eq!(permalinks(&html), expected, "{target}");
            back = rel(&html, "prev");
        }
        assert!(forth.is_empty(), "{first}: pages were not found again");
    }
}
