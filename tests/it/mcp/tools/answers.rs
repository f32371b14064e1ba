//! Facets and periods, compared with the dataset.

use super::*;
use crate::support::{array_of, assert_has, str_of};

/// The number of reviews of the dataset for which `takes` is true.
fn count(dataset: &Value, takes: impl Fn(&Value) -> bool) -> u64 {
    array_of(&dataset["reviews"])
        .iter()
        .filter(|review| takes(review))
        .count() as u64
}

fn mentions(review: &Value, kind: &str, value: &str) -> bool {
    array_of(&review["mentions"][kind])
        .iter()
        .any(|mentioned| mentioned.as_str().unwrap().eq_ignore_ascii_case(value))
}

#[tokio::test]
async fn facets_count_the_reviews_that_the_filters_find() {
    let tool_app = ToolApp::seeded().await;
    // A person who is not on the firm's list, in two spellings, both in one review.
    let mut twice = review_with_text(1, "Both.");
    twice.mentions = Mentions::new(
        vec!["Sam Ng".to_owned(), "SAM NG".to_owned()],
        vec!["odd-job".to_owned()],
        Vec::new(),
    );
    let mut once = review_with_text(2, "One.");
    once.mentions = Mentions::new(vec!["Sam NG".to_owned()], Vec::new(), Vec::new());
    tool_app.app.write(&[twice, once]).await;
    let facets = tool_app.call("list_facets", json!({})).await;
    let dataset = tool_app.get("/reviews.json").await;
    assert_eq!(
        facets["reviews"],
        dataset["aggregate_rating"]["review_count"]
    );
    for (list, argument, key) in [
        ("technicians", "mentions_technician", "name"),
        ("services", "mentions_service", "id"),
    ] {
        for facet in array_of(&facets[list]) {
            let found = tool_app
                .call("search_reviews", json!({argument: facet[key], "limit": 1}))
                .await;
            assert_eq!(found["total"], facet["reviews"], "{facet}");
        }
        let counts: Vec<u64> = array_of(&facets[list])
            .iter()
            .map(|facet| facet["reviews"].as_u64().unwrap())
            .collect();
        assert!(
            counts.is_sorted_by(|one, other| one >= other),
            "{list}: {counts:?}"
        );
    }
    assert_eq!(array_of(&facets["technicians"]).len(), 13);
    let sam = array_of(&facets["technicians"])
        .iter()
        .find(|facet| facet["name"] == "SAM NG")
        .unwrap();
    assert_eq!((sam.get("id"), &sam["reviews"]), (None, &json!(2)));
    for area in array_of(&facets["service_areas"]) {
        let name = str_of(&area["name"]);
        assert_eq!(
            area["reviews"],
            count(&dataset, |review| mentions(review, "service_areas", name)),
            "{name}"
        );
    }
    let mut all = 0;
    for year in array_of(&facets["years"]) {
        let begins = year["year"].to_string();
        let counted = count(&dataset, |review| {
            str_of(&review["date"]).starts_with(&begins)
        });
        assert_eq!(year["reviews"], counted, "{begins}");
        all += counted;
    }
    assert_eq!(facets["reviews"], all);
    for rating in array_of(&facets["ratings"]) {
        assert_eq!(
            rating["reviews"],
            count(&dataset, |review| review["rating"] == rating["rating"]),
            "{rating}"
        );
    }
    assert!(facets.get("left_out").is_none());
}

#[tokio::test]
async fn periods_count_the_reviews_within_the_dates() {
    let tool_app = ToolApp::of(TestApp::uncoded(&Generator::new(85).reviews(2_000)).await).await;
    let dataset = tool_app.get("/reviews.json").await;
    let mut generator = Generator::new(86);
    for _ in 0..25 {
        let mut days = [
            generator.day(),
            generator.day(),
            generator.day(),
            generator.day(),
        ];
        days[..2].sort_unstable();
        days[2..].sort_unstable();
        let [first_since, first_until, second_since, second_until] =
            days.map(|day| day.to_string());
        let compared = tool_app
            .call(
                "compare_periods",
                json!({"first_since": first_since, "first_until": first_until,
                "second_since": second_since, "second_until": second_until}),
            )
            .await;
        let (first, second) = (&compared["first"], &compared["second"]);
        for (period, since, until) in [
            (first, &first_since, &first_until),
            (second, &second_since, &second_until),
        ] {
            assert_eq!(period["since"], json!(since));
            // A period that ends after the newest review is shortened, and says so.
            let newest = str_of(&dataset["reviews"][0]["date"]);
            let is_cut = (since.as_str()..until.as_str()).contains(&newest);
            let taken = if is_cut { newest } else { until };
            assert_eq!(
                (&period["until"], period.get("until_asked")),
                (&json!(taken), is_cut.then(|| json!(until)).as_ref())
            );
            let within = |review: &Value| {
                (since.as_str()..=until.as_str()).contains(&str_of(&review["date"]))
            };
            assert_eq!(period["count"], count(&dataset, within), "{since} {until}");
            for stars in 1..=5 {
                let counted = count(&dataset, |review| {
                    within(review) && review["rating"] == stars
                });
                assert_eq!(
                    period["distribution"][stars.to_string()],
                    counted,
                    "{since} {until} {stars}"
                );
            }
        }
        let counts = [first, second].map(|period| period["count"].as_i64().unwrap());
        assert_eq!(compared["difference"]["count"], counts[1] - counts[0]);
    }
    let whole = json!({"first_since": "0001-01-01", "first_until": "9999-12-31",
        "second_since": "9999-12-31", "second_until": "9999-12-31"});
    let compared = tool_app.call("compare_periods", whole).await;
    assert_eq!(
        (
            &compared["first"]["until"],
            &compared["first"]["until_asked"]
        ),
        (&dataset["reviews"][0]["date"], &json!("9999-12-31"))
    );
    assert_eq!(
        compared["first"]["rating_value"],
        dataset["aggregate_rating"]["rating_value"]
    );
    assert_eq!(
        compared["first"]["distribution"],
        dataset["aggregate_rating"]["distribution"]
    );
    assert_eq!(
        (
            &compared["second"]["count"],
            compared["second"].get("rating_value")
        ),
        (&json!(0), None)
    );
    assert_eq!(compared["difference"].get("rating_value"), None);
}

/// Reviews of a day, with the aspects that their texts mention.
fn on(day: &str, count: usize, stars: i64, text: &str) -> Vec<Review> {
    let review = |at: usize| Review {
        id: format!("{day}-{stars}-{at}").parse().unwrap(),
        date: day.parse().unwrap(),
        rating: stars.try_into().unwrap(),
        language: None,
        ..review_with_text(at, text)
    };
    (0..count).map(review).collect()
}

#[tokio::test]
async fn two_periods_have_a_verdict_and_end_with_the_newest_review() {
    let (late, punctual) = ("Mike was two hours late.", "Mike was right on time.");
    let reviews = [
        on("2025-03-01", 12, 2, late),
        on("2025-06-01", 2, 5, "The price was way too high."),
        on("2026-03-01", 12, 5, punctual),
        on("2026-04-02", 1, 5, "Dana came on a Thursday."),
    ];
    let tool_app = ToolApp::of(TestApp::with(&reviews.concat()).await).await;
    let years = json!({"first_since": "2025-01-01", "first_until": "2025-12-31",
        "second_since": "2026-01-01", "second_until": "2026-12-31"});
    let compared = tool_app.call("compare_periods", years.clone()).await;
    assert_eq!(compared["verdict"], "better", "{compared:#}");
    let change = |compared: &Value, id: &str| {
        let aspects = array_of(&compared["difference"]["aspects"]);
        aspects.iter().find(|row| row["id"] == id).unwrap().clone()
    };
    for (aspect, verdict) in [("punctuality", "better"), ("price", "too_few")] {
        let change = change(&compared, aspect);
        assert_eq!(change["verdict"], verdict, "{change}");
    }
    // The year is not over: the newest review is from April.
    assert_eq!(compared["first"]["until"], "2025-12-31");
    assert_eq!(compared["first"].get("until_asked"), None);
    assert_eq!(
        (
            &compared["second"]["until"],
            &compared["second"]["until_asked"]
        ),
        (&json!("2026-04-02"), &json!("2026-12-31"))
    );
    // In reverse it is worse; compared with an empty period there is no verdict.
    let reversed = tool_app
        .call(
            "compare_periods",
            json!({"first_since": "2026-01-01", "first_until": "2026-04-02",
            "second_since": "2025-01-01", "second_until": "2025-12-31"}),
        )
        .await;
    assert_eq!(reversed["verdict"], "worse");
    assert_eq!(reversed["first"].get("until_asked"), None);
    let empty = tool_app
        .call(
            "compare_periods",
            json!({"first_since": "2025-01-01", "first_until": "2025-12-31",
            "second_since": "2027-01-01", "second_until": "2027-12-31"}),
        )
        .await;
    assert_eq!(
        (&empty["verdict"], &empty["second"]["until"]),
        (&json!("too_few"), &json!("2027-12-31"))
    );
    // For one aspect the same figures, without the others.
    let mut one = years;
    one["aspect"] = json!("punctuality");
    let narrowed = tool_app.call("compare_periods", one.clone()).await;
    assert_eq!(
        narrowed["difference"]["aspects"],
        json!([compared["difference"]["aspects"][0]])
    );
    assert_eq!(
        narrowed["first"]["distribution"],
        compared["first"]["distribution"]
    );
    one["aspect"] = json!("weather");
    let told = tool_app.refused("compare_periods", one).await;
    assert_has(&told, "aspect: must be one of: punctuality");
}

/// For each aspect, the days and polarities of its evidence.
async fn evidence(tool_app: &ToolApp, aspect: &str) -> Vec<(String, String)> {
    let (mut found, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = tool_app
            .get(&format!(
                "/insights/aspects/{aspect}/evidence.json?limit=100{cursor}"
            ))
            .await;
        let said = |review: &Value, member: &str| str_of(&review[member]).to_owned();
        found.extend(
            array_of(&page["reviews"])
                .iter()
                .map(|review| (said(review, "date"), said(review, "polarity"))),
        );
        let Some(next) = page["next_cursor"].as_str() else {
            return found;
        };
        cursor = format!("&cursor={next}");
    }
}

#[tokio::test]
async fn periods_count_the_aspects_of_the_reviews_within_the_dates() {
    let tool_app = ToolApp::seeded().await;
    let insights = tool_app.get("/insights.json").await;
    let aspects = array_of(&insights["aspects"]);
    let whole = json!({"first_since": "0001-01-01", "first_until": "9999-12-31",
        "second_since": "2025-01-01", "second_until": "2025-12-31"});
    let compared = tool_app.call("compare_periods", whole).await;
    let members = ["id", "label", "reviews", "positive", "negative", "mixed"];
    let told = |aspect: &Value| members.map(|member| aspect[member].clone());
    let counted: Vec<_> = array_of(&compared["first"]["aspects"])
        .iter()
        .map(told)
        .collect();
    assert_eq!(counted, aspects.iter().map(told).collect::<Vec<_>>());
    assert_eq!(counted.len(), 11);
    for aspect in aspects {
        let evidence = evidence(&tool_app, str_of(&aspect["id"])).await;
        let within = |polarity: Option<&str>| {
            let takes = |(date, said): &&(String, String)| {
                date.starts_with("2025-") && polarity.is_none_or(|wanted| wanted == said)
            };
            evidence.iter().filter(takes).count() as i64
        };
        let expected = [
            within(None),
            within(Some("positive")),
            within(Some("negative")),
        ];
        let find = |among: &Value| {
            among
                .as_array()
                .unwrap()
                .iter()
                .find(|other| other["id"] == aspect["id"])
                .cloned()
        };
        let figures = |found: Option<Value>| {
            ["reviews", "positive", "negative"].map(|member| {
                found
                    .as_ref()
                    .map_or(0, |found| found[member].as_i64().unwrap())
            })
        };
        assert_eq!(
            figures(find(&compared["second"]["aspects"])),
            expected,
            "{aspect}"
        );
        let (before, change) = (
            figures(Some(aspect.clone())),
            figures(find(&compared["difference"]["aspects"])),
        );
        assert_eq!(
            change,
            [0, 1, 2].map(|at| expected[at] - before[at]),
            "{aspect}"
        );
    }
}

#[tokio::test]
async fn tools_work_without_reviews() {
    let tool_app = ToolApp::of(TestApp::empty().await).await;
    assert_eq!(
        tool_app.call("get_business", json!({})).await["aggregate_rating"]["review_count"],
        0
    );
    assert_eq!(
        tool_app.call("search_reviews", json!({})).await["reviews"],
        json!([])
    );
    assert_eq!(
        tool_app
            .call("get_reviews_since", json!({"date": "2026-01-01"}))
            .await["count"],
        0
    );
    assert_eq!(
        tool_app.call("list_facets", json!({})).await["years"],
        json!([])
    );
    assert_eq!(
        tool_app.call("get_insights", json!({})).await["aspects"],
        json!([])
    );
    let day = "2026-01-01";
    let compared =
        json!({"first_since": day, "first_until": day, "second_since": day, "second_until": day});
    assert_eq!(
        tool_app.call("compare_periods", compared).await["difference"]["count"],
        0
    );
}
