//! The insights always have all parts, and count only published reviews.

use super::*;

/// The count of each name is the number of reviews that mention it.
fn check_mentions(insights: &Value, published: &[&Review]) {
    let mentioning = |value: &str, of: fn(&Mentions) -> &Vec<String>| {
        published
            .iter()
            .filter(|review| {
                of(&review.mentions)
                    .iter()
                    .any(|mentioned| mentioned == value)
            })
            .count()
    };
    let counts = |kind: &str| -> BTreeMap<String, u64> {
        let entities = insights["entities"][kind].as_array().unwrap().iter();
        entities
            .map(|entity| {
                (
                    entity["name"].as_str().unwrap().to_owned(),
                    entity["reviews"].as_u64().unwrap(),
                )
            })
            .collect()
    };
    let (technicians, services, areas) = (
        counts("technicians"),
        counts("services"),
        counts("service_areas"),
    );
    for name in TECHNICIANS {
        assert_eq!(
            technicians[name],
            mentioning(name, |mentions| &mentions.technicians) as u64,
            "{name}"
        );
    }
    for id in SERVICES {
        let name = match id {
            "ac-repair" => "A/C repair",
            "drain" => "Drains",
            unlisted => unlisted,
        };
        assert_eq!(
            services[name],
            mentioning(id, |mentions| &mentions.services) as u64,
            "{id}"
        );
    }
    for name in ["Mesa", "Tempe", "Nowhere"] {
        assert_eq!(
            areas[name],
            mentioning(name, |mentions| &mentions.service_areas) as u64,
            "{name}"
        );
    }
}

#[tokio::test]
async fn insights_have_all_parts_and_count_mentions() {
    let reviews = Generator::new(76).reviews(300);
    let app = TestApp::uncoded(&reviews).await;
    app.shell(BUSINESS).await;
    let insights = app.get("/insights.json").await.json();
    let published = published(&reviews);
    let mut members: Vec<&str> = insights
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    members.sort_unstable();
    assert_eq!(
        members,
        [
            "aspects",
            "entities",
            "faq",
            "generated_from",
            "method",
            "summary",
            "topics"
        ]
    );
    check_mentions(&insights, &published);
    // The firm's list comes first, in its order and with its IDs.
    assert_eq!(insights["entities"]["technicians"][0]["id"], "t1");
    assert_eq!(insights["entities"]["technicians"][1]["name"], "Dana Öberg");
    assert_eq!(insights["entities"]["services"][0]["id"], "ac-repair");
    let faq: Vec<&str> = insights["faq"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["id"].as_str().unwrap())
        .collect();
    assert_eq!(faq[..2], ["q1", "q2"]);
    assert_eq!(insights["summary"]["editorial"], "People like us.");
    let from = &insights["generated_from"];
    assert_eq!(from["reviews"], published.len());
    assert_eq!(
        from["with_text"],
        published
            .iter()
            .filter(|review| !review.text.is_empty())
            .count()
    );
    let (newest, oldest) = (
        published[0].date.to_string(),
        published.last().unwrap().date.to_string(),
    );
    assert_eq!(from["window"], json!({"from": oldest, "to": newest}));
}
