//! Pages show the figures of the documents, each with a link to its evidence.

use super::{BROWSER, between, permalinks, seeded, structured};
use crate::support::{Generator, TestApp, array_of, assert_has, str_of};

#[tokio::test]
async fn the_front_page_matches_the_dataset() {
    let app = seeded().await;
    let html = app.text("/").await;
    let dataset = app.json("/reviews.json").await;
    let rating = &dataset["aggregate_rating"];
    assert!(
        html.contains(&format!("<b>{}</b>", rating["rating_value"])),
        "the mean"
    );
    assert!(
        html.contains(&format!("of 5, from {} reviews", rating["review_count"])),
        "the count"
    );
    for stars in 1..=5 {
        let count = &rating["distribution"][stars.to_string()];
        let noun = if stars == 1 { "star" } else { "stars" };
        assert!(
            html.contains(&format!("{stars} {noun}: {count} reviews")),
            "the histogram"
        );
    }
    assert_has(
        &html,
        &format!("{} reviews withheld", dataset["withheld"]["count"]),
    );
    let newest = array_of(&dataset["reviews"])
        .iter()
        .take(20)
        .map(|review| str_of(&review["id"]));
    let mut shown = permalinks(html.split("id=\"newest\"").nth(1).unwrap());
    shown.dedup();
    assert_eq!(shown, newest.collect::<Vec<_>>());
    let data = structured(&html);
    assert_eq!(
        (&data["@type"], &data["aggregateRating"]["ratingValue"]),
        (&dataset["business"]["type"], &rating["rating_value"])
    );
    assert_eq!(
        data["aggregateRating"]["reviewCount"],
        rating["review_count"]
    );
}

#[tokio::test]
async fn every_figure_of_the_insights_links_to_the_sentences() {
    let app = seeded().await;
    let html = app.text("/insights").await;
    let insights = app.json("/insights.json").await;
    for aspect in array_of(&insights["aspects"]) {
        let (id, label) = (str_of(&aspect["id"]), str_of(&aspect["label"]));
        assert!(
            html.contains(&format!("<a href=\"/insights?aspect={id}\">{label}</a>")),
            "{id}"
        );
    }
    for topic in array_of(&insights["topics"]) {
        let phrase = str_of(&topic["phrase"]);
        let query = phrase.replace(' ', "+");
        let found = app
            .json(&format!("/api/reviews/search?match=words&query={query}"))
            .await;
        let chip = format!(
            "query={query}\">{phrase} <span class=\"num\">{}</span>",
            found["total"]
        );
        assert!(html.contains(&chip), "{chip}");
    }
    for (query, polarity) in [("", ""), ("&polarity=negative", "?polarity=negative")] {
        let page = app.text(&format!("/insights?aspect=price{query}")).await;
        let evidence = app
            .json(&format!("/insights/aspects/price/evidence.json{polarity}"))
            .await;
        assert!(
            page.contains(&format!("{} reviews mention it", evidence["total"])),
            "{query}"
        );
        let ids = array_of(&evidence["reviews"])
            .iter()
            .map(|review| str_of(&review["review_id"]));
        assert_eq!(permalinks(&page), ids.collect::<Vec<_>>(), "{query}");
    }
}

#[tokio::test]
async fn sentences_of_an_aspect_are_reached_in_pages_of_one_size() {
    let app = seeded().await;
    let total = app.json("/insights/aspects/price/evidence.json").await["total"]
        .as_u64()
        .unwrap();
    let (mut target, mut shown) = ("/insights?aspect=price&limit=5".to_owned(), 0);
    loop {
        let html = app.text(&target).await;
        shown += permalinks(&html).len();
        let negative = "<a href=\"/insights?aspect=price&amp;polarity=negative";
        assert!(
            between(&html, negative, "\"")[0].contains("&amp;limit=5"),
            "{target}"
        );
        let Some(next) = between(&html, "<a rel=\"next\" href=\"", "\"")
            .first()
            .copied()
        else {
            break;
        };
        assert_eq!(permalinks(&html).len(), 5, "{target}");
        target = next.replace("&amp;", "&");
    }
    assert_eq!(shown as u64, total);
}

#[tokio::test]
async fn pages_without_a_named_business_explain_the_set_up() {
    let app = TestApp::with(&Generator::new(7).reviews(3)).await;
    let read = async |target| app.get_with(target, &[BROWSER]).await.text();
    for target in [
        "/",
        "/insights",
        "/search?rating=5",
        "/developers",
        "/embed/try",
    ] {
        let html = read(target).await;
        assert!(
            html.contains("<h1>This service is not set up yet</h1>")
                && html.contains("reviews init --name NAME"),
            "{target}: {html}"
        );
        for absent in [
            "Unnamed",
            "ld+json",
            "class=\"score\"",
            "badge.svg",
            "og:title",
        ] {
            assert!(!html.contains(absent), "{target}: {absent}");
        }
    }
    let id = app.json("/reviews.json").await["reviews"][0]["id"].clone();
    let permalink = format!("/reviews/{}", id.as_str().unwrap());
    for target in ["/", "/search", "/embed", "/nothing", &permalink] {
        let html = read(target).await;
        assert!(
            html.contains("<meta name=\"robots\" content=\"noindex\">")
                && !html.contains("ld+json"),
            "{target}"
        );
    }
    for target in ["/embed", "/embed?layout=grid", "/nothing", "/llms.txt"] {
        let text = read(target).await;
        assert!(
            text.contains("not set up yet") && !text.contains("Unnamed"),
            "{target}: {text}"
        );
    }
    assert_eq!(app.get("/badge.svg").await.status, 404);
    app.name_business().await;
    assert!(read("/").await.contains("class=\"score\""));
    assert!(read("/search").await.contains("class=\"review\""));
    assert_eq!(app.get("/badge.svg").await.status, 200);
}

#[tokio::test]
async fn reviews_verified_by_the_owner_are_not_called_verified() {
    let app = TestApp::empty().await;
    app.name_business().await;
    app.shell(
        "insert into review (review_id, rating, reviewed_on, verification_method) values
           ('a', 5, '2026-11-01', 'manual'), ('b', 4, '2026-11-01', 'manual'), ('c', 5, '2026-11-01', 'manual')",
    )
    .await;
    for target in ["/", "/llms.txt"] {
        let text = app.text(target).await;
        assert!(!text.contains("verified"), "{target}: {text}");
    }
    for (id, sentence) in [
        ("a", "1 is verified by a platform, a job or an invitation."),
        ("b", "2 are verified by a platform, a job or an invitation."),
    ] {
        app.shell(&format!(
            "update review set verification_method = 'invite' where review_id = '{id}'"
        ))
        .await;
        let html = app.text("/").await;
        for name in ["name=\"description\"", "property=\"og:description\""] {
            let start = format!("<meta {name} content=\"");
            assert!(between(&html, &start, "\"")[0].ends_with(sentence));
        }
        assert_has(&html, &format!("<p class=\"meta\">{sentence}</p>"));
    }
    // No other text calls all of them verified.
    for target in ["/embed", "/developers", "/feed.xml", "/badge.svg"] {
        let text = app.text(target).await.to_lowercase();
        let is_claimed = ["verified review", "verified customer"].map(|claim| text.contains(claim));
        assert_eq!(is_claimed, [false; 2], "{target}");
    }
}

#[tokio::test]
async fn people_services_and_areas_have_figures_quotes_and_reviews() {
    let app = seeded().await;
    let insights = app.json("/insights.json").await;
    let html = app.text("/insights").await;
    let dataset = app.json("/reviews.json").await;
    for (group, parameter, mentions) in [
        ("technicians", "technician", "technicians"),
        ("services", "service", "services"),
        ("service_areas", "area", "service_areas"),
    ] {
        let entities = array_of(&insights["entities"][group]);
        for entity in entities.iter().filter(|one| one["reviews"] != 0).take(4) {
            let name = str_of(&entity["name"]);
            let key = match parameter {
                "service" => str_of(&entity["id"]),
                _ => name,
            };
            let target = format!("/insights?{parameter}={}", key.replace(' ', "+"));
            assert!(
                html.contains(&format!("<a href=\"{target}\">{name}</a>")),
                "{target}"
            );
            let page = app.text(&target).await;
            let figure = format!("{} of 256 reviews name {name}.", entity["reviews"]);
            assert!(page.contains(&figure), "{target}: {figure}");
            for quote in entity["quotes"].as_array().into_iter().flatten() {
                let href = format!("/reviews/{}", str_of(&quote["review_id"]));
                assert!(page.contains(&href), "{target}: {href}");
            }
            let naming = array_of(&dataset["reviews"]).iter().filter(|review| {
                let named = array_of(&review["mentions"][mentions]);
                named.iter().any(|one| one == key)
            });
            let newest: Vec<_> = naming.map(|one| str_of(&one["id"])).take(10).collect();
            let list = page.split("id=\"list\"").nth(1).unwrap();
            assert_eq!(permalinks(list), newest, "{target}");
        }
    }
    // If a filter exists, a search links to all of them.
    let page = app.text("/insights?service=ac-repair").await;
    assert!(page.contains("href=\"/search?mentions_service=ac-repair\""));
    for target in [
        "/insights?technician=Nobody+Known",
        "/insights?area=Atlantis",
    ] {
        assert_eq!(app.get(target).await.status, 404, "{target}");
    }
}

#[tokio::test]
async fn every_chart_has_a_text_alternative() {
    let app = seeded().await;
    for target in [
        "/",
        "/insights",
        "/insights?aspect=price",
        "/insights?technician=Mike+Alvarez",
    ] {
        let html = app.text(target).await;
        let charts = between(&html, "<svg", ">");
        assert!(charts.len() > 1, "{target}");
        for chart in charts {
            let is_told =
                chart.contains("role=\"img\" aria-label=\"") || chart.contains("aria-hidden");
            assert!(is_told, "{target}: <svg{chart}>");
        }
        // Charts hidden from screen readers have a text beside them.
        for caption in between(&html, "aria-hidden=\"true\">", "</svg>") {
            assert!(!caption.contains("<text"), "{target}: {caption}");
        }
        assert_eq!(
            html.matches("<svg class=\"columns\"").count(),
            html.matches("<table class=\"months\"").count(),
            "{target}: each chart of months has a table"
        );
    }
    let home = app.text("/").await;
    let reviews = app.json("/facets.json").await["years"].clone();
    for year in reviews.as_array().unwrap() {
        let shown = format!("{}</a><span class=\"unseen\">: </span>", year["year"]);
        assert!(home.contains(&shown), "{shown}");
    }
}

#[tokio::test]
async fn every_sentence_of_the_summary_links_to_the_evidence() {
    let app = seeded().await;
    let html = app.text("/insights").await;
    let list = between(&html, "<ul class=\"summary\">", "</ul>")[0];
    let links = between(list, "<li><a href=\"", "\"");
    assert_eq!(links.len(), list.matches("<li>").count());
    let (parts, topics): (Vec<_>, Vec<_>) =
        links.into_iter().partition(|link| link.starts_with('#'));
    assert_eq!(parts, ["#aspects", "#people", "#services"]);
    for part in parts {
        assert!(html.contains(&format!(" id=\"{}\"", &part[1..])), "{part}");
    }
    assert!(!topics.is_empty());
    for topic in topics {
        assert_eq!(app.get(topic).await.status, 200, "{topic}");
    }
}

#[tokio::test]
async fn the_figure_of_a_name_is_the_number_of_reviews_behind_its_link() {
    let app = seeded().await;
    let html = app.text("/insights").await;
    let insights = app.json("/insights.json").await;
    for (kind, parameter, filter, key) in [
        ("technicians", "technician", "mentions_technician", "name"),
        ("services", "service", "mentions_service", "id"),
    ] {
        for entity in array_of(&insights["entities"][kind]) {
            let value = str_of(&entity[key]).replace(' ', "+");
            let link = format!("<a href=\"/insights?{parameter}={value}\">");
            let row = between(&html, &link, "</tr>")[0];
            let shown = format!("<td class=\"num\">{}</td>", entity["reviews"]);
            assert_has(row, &shown);
            let found = app
                .json(&format!("/api/reviews/search?{filter}={value}"))
                .await;
            assert_eq!(found["total"], entity["reviews"], "{value}");
        }
    }
}
