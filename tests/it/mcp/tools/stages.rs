//! Parts of the insights and their evidence: small, the same as REST, and sufficient for a person's question.

use super::*;
use crate::support::{array_of, form, str_of};

/// The maximum size of an overview, in bytes.
const OVERVIEW_BYTES_MAX: usize = 8 * 1024;

#[tokio::test]
async fn the_overview_is_small_and_matches_the_full_insights() {
    let tool_app = ToolApp::seeded().await;
    let (overview, whole) = (
        tool_app.call("get_insights", json!({})).await,
        tool_app.get("/insights.json").await,
    );
    assert!(
        escaped_json(&overview).len() <= OVERVIEW_BYTES_MAX,
        "{}",
        escaped_json(&overview).len()
    );
    assert_eq!(overview, tool_app.get("/insights.json?part=overview").await);
    let aspects = array_of(&whole["aspects"]);
    assert_eq!(array_of(&overview["aspects"]).len(), aspects.len());
    for (row, aspect) in array_of(&overview["aspects"]).iter().zip(aspects) {
        for member in [
            "id",
            "label",
            "reviews",
            "positive",
            "negative",
            "mixed",
            "neutral",
            "uncertain",
        ] {
            assert_eq!(row[member], aspect[member], "{member}");
        }
    }
    for part in [
        "sentences",
        "complaints",
        "technicians",
        "services",
        "areas",
        "topics",
        "faq",
    ] {
        assert!(
            overview[part].as_array().is_some_and(|list| list.len() > 2),
            "{part}"
        );
    }
    // With long lists it is as small.
    tool_app.app
        .shell(
            "with recursive area (n) as (select 100 union all select n + 1 from area where n < 900)
             insert into service_area select 'Area number ' || n || ' of the county of the long names', n from area;
             update editorial_faq set question = question || ' ' || replace(hex(zeroblob(200)), '0', 'long ');",
        )
        .await;
    let overview = tool_app.call("get_insights", json!({})).await;
    assert!(
        escaped_json(&overview).len() <= OVERVIEW_BYTES_MAX,
        "{}",
        escaped_json(&overview).len()
    );
    assert!(
        overview["left_out"]
            .as_array()
            .is_some_and(|left_out| !left_out.is_empty())
    );
}

/// This many reviews with this text, and three stars, which withdraw no judgement.
fn several(times: usize, text: &str, reviews: &mut Vec<Review>) {
    for _ in 0..times {
        reviews.push(Review {
            rating: Rating::try_from(3).unwrap(),
            ..review_with_text(reviews.len(), text)
        });
    }
}

#[tokio::test]
async fn the_overview_ranks_complaints_by_frequency() {
    let mut reviews = Vec::new();
    several(2, "The price was way too high.", &mut reviews);
    several(3, "Mike was two hours late.", &mut reviews);
    several(4, "Mike was right on time.", &mut reviews);
    several(2, "He left a mess everywhere.", &mut reviews);
    several(3, "He left everything spotless.", &mut reviews);
    several(5, "Mike was polite and friendly.", &mut reviews);
    several(4, "I would never use them again.", &mut reviews);
    let tool_app = ToolApp::of(TestApp::with(&reviews).await);
    let overview = tool_app.call("get_insights", json!({})).await;
    let mut aspects = array_of(&overview["aspects"]).iter();
    assert!(
        aspects.any(|row| row["id"] == "overall" && row["negative"] == 4),
        "{overview:#}"
    );
    let ranked = array_of(&overview["complaints"]);
    let ids: Vec<&str> = ranked.iter().map(|row| str_of(&row["id"])).collect();
    // Of two aspects with two complaints each, the one with less praise comes first. Aspects with only praise are left out, and
    // so is `overall`, which is about the firm as a whole.
    assert_eq!(ids, ["punctuality", "price", "cleanliness"], "{overview:#}");
    let figures = |row: &Value| [&row["reviews"], &row["share"]["n"]].map(Value::as_u64);
    assert_eq!(
        ranked.iter().map(figures).collect::<Vec<_>>(),
        [[3, 7], [2, 2], [2, 5]].map(|row| row.map(Some))
    );
    assert_eq!(ranked[0]["share"]["value"], 0.429);
    // Each figure matches the evidence.
    for row in ranked {
        let mut total = 0;
        for polarity in ["negative", "mixed"] {
            let asked = json!({"aspect": row["id"], "polarity": polarity, "limit": 1});
            let evidence = tool_app.call("get_evidence", asked).await;
            total += evidence["total"].as_u64().unwrap();
        }
        assert_eq!(total, row["reviews"], "{row}");
    }
}

#[tokio::test]
async fn rest_and_mcp_agree_on_every_part_of_insights_and_errors() {
    let tool_app = ToolApp::seeded().await;
    let whole = tool_app.get("/insights.json").await;
    let mut stages: Vec<(&str, String)> =
        INSIGHTS_PARTS.map(|part| ("part", part.to_owned())).into();
    for aspect in array_of(&whole["aspects"]) {
        stages.push(("aspect", str_of(&aspect["id"]).to_owned()));
        stages.push(("aspect", str_of(&aspect["label"]).to_uppercase()));
    }
    stages.extend(
        [
            ("technician", "Mike Alvarez"),
            ("technician", "t-02"),
            ("technician", "big mike"),
            ("service", "ac-repair"),
            ("service", "AC Repair"),
            ("area", "mesa"),
        ]
        .map(|(name, value)| (name, value.to_owned())),
    );
    let aspects = array_of(&whole["aspects"]).iter();
    let quoted = aspects.filter(|aspect| !array_of(&aspect["quotes"]).is_empty());
    assert!(quoted.count() >= 8, "the premise");
    for (name, value) in stages {
        let query = form([(name, value.as_str())]);
        let answer = tool_app.call("get_insights", json!({name: value})).await;
        assert_eq!(
            answer,
            tool_app.get(&format!("/insights.json?{query}")).await,
            "{query}"
        );
        if name == "aspect" {
            let aspects = array_of(&whole["aspects"]);
            assert!(aspects.contains(&answer["aspect"]), "{query}");
        }
    }
    for (arguments, status, reason) in [
        (json!({"aspect": "parking"}), 404, "known: punctuality, "),
        (json!({"technician": "Nobody Known"}), 404, "known: "),
        (
            json!({"part": "everything"}),
            400,
            "must be one of: overview, ",
        ),
        (
            json!({"aspect": "price", "part": "faq"}),
            400,
            "must be left out if aspect is given",
        ),
    ] {
        let refused = tool_app.refused("get_insights", arguments.clone()).await;
        assert!(refused.contains(reason), "{refused}");
        let query = form(
            object(arguments)
                .iter()
                .map(|(name, value)| (name, value.as_str().unwrap())),
        );
        let answer = tool_app.app.get(&format!("/insights.json?{query}")).await;
        assert_eq!(answer.status, status, "{query}");
        assert!(answer.text().contains(reason), "{}", answer.text());
    }
}

#[tokio::test]
async fn figures_of_a_technician_by_aspect_match_the_evidence() {
    let tool_app = ToolApp::seeded().await;
    let stage = tool_app
        .call("get_insights", json!({"technician": "Mike Alvarez"}))
        .await;
    let rows = array_of(&stage["by_aspect"]);
    assert!(rows.len() > 3, "{rows:?}");
    for row in rows {
        let evidence = json!({"aspect": row["id"], "technician": "Mike Alvarez", "limit": 1});
        assert_eq!(
            tool_app.call("get_evidence", evidence).await["total"],
            row["reviews"],
            "{row}"
        );
        let url = str_of(&row["evidence_url"]);
        let path = url.strip_prefix("https://reviews.sample.test").unwrap();
        assert_eq!(tool_app.get(path).await["total"], row["reviews"], "{row}");
    }
}

/// For each review, in the order of the text: the people named in a sentence or in the one before it.
#[tokio::test]
async fn a_finding_belongs_to_the_person_of_the_same_or_last_sentence() {
    let texts = [
        "Mike Alvarez was right on time.",
        "Mike Alvarez came. The visit started right on time.",
        "Mike Alvarez came. It was hot. The visit started right on time.",
        "The visit started right on time. Mike Alvarez came.",
    ];
    let reviews: Vec<Review> = (0..)
        .zip(texts)
        .map(|(at, text)| review_with_text(at, text))
        .collect();
    let tool_app = ToolApp::of(TestApp::with(&reviews).await);
    tool_app.app
        .shell("insert into business (business_id, name) values ('peak', 'Desert Peak');
             insert into technician (technician_id, name, position) values ('t-1', 'Mike Alvarez', 1)")
        .await;
    let all = tool_app
        .call(
            "get_evidence",
            json!({"aspect": "punctuality", "polarity": "positive"}),
        )
        .await;
    assert_eq!(all["total"], 4, "{all}");
    assert_eq!(
        all["by_technician"],
        json!([{"id": "t-1", "name": "Mike Alvarez", "reviews": 2}])
    );
    let his = tool_app
        .call(
            "get_evidence",
            json!({"aspect": "punctuality", "technician": "T-1"}),
        )
        .await;
    let ids: Vec<&str> = array_of(&his["reviews"])
        .iter()
        .map(|one| str_of(&one["review_id"]))
        .collect();
    assert_eq!(ids, ["s-0000", "s-0001"]);
    assert_eq!(
        his["reviews"][1]["findings"][0]["technicians"],
        json!(["Mike Alvarez"])
    );
    let misspelt = tool_app
        .call(
            "get_evidence",
            json!({"aspect": "punctuality", "technician": "Mike Alvares"}),
        )
        .await;
    assert_eq!(
        (&misspelt["total"], &misspelt["did_you_mean"]["technician"]),
        (&json!(0), &json!(["Mike Alvarez"]))
    );
}

#[tokio::test]
async fn any_evidence_is_equal_in_rest_and_mcp_and_counts_all_matches() {
    let tool_app = ToolApp::seeded().await;
    let mut generator = Generator::new(91);
    let (mut found, mut refused, mut paged) = (0, 0, 0);
    for _ in 0..50 {
        let aspect = generator.pick(&[
            "punctuality",
            "price",
            "cleanliness",
            "professionalism",
            "parking",
        ]);
        let mut given: Vec<(&str, String)> = Vec::new();
        let mut may = |name, times, value: String| {
            if generator.once_in(times) {
                given.push((name, value));
            }
        };
        may("hits", 2, "false".to_owned());
        may("technician", 4, "Mike Alvarez".to_owned());
        may("technician", 12, "t-03".to_owned());
        may("service", 5, "ac-repair".to_owned());
        may("since", 4, "2026-01-01".to_owned());
        may("until", 5, "2026-06-30".to_owned());
        may("until", 30, "2026-02-30".to_owned());
        may("polarity", 3, "positive".to_owned());
        may("polarity", 40, "good".to_owned());
        may("limit", 2, "3".to_owned());
        may("limit", 30, "0".to_owned());
        given.sort_unstable();
        given.dedup_by(|one, other| one.0 == other.0);
        let query = form(&given);
        let target = format!("/insights/aspects/{aspect}/evidence.json?{query}");
        let mut arguments: Object = given
            .iter()
            .map(|(name, value)| ((*name).to_owned(), json!(value)))
            .collect();
        arguments.insert("aspect".to_owned(), json!(aspect));
        let rest = tool_app.app.get(&target).await;
        if let Ok(answer) = tool_app.ask("get_evidence", &arguments).await {
            assert_eq!(answer, rest.json(), "{target}");
            found += usize::from(answer["total"] != 0);
            for facet in array_of(&answer["by_technician"]).iter().take(2) {
                let mut narrowed = arguments.clone();
                narrowed.insert("technician".to_owned(), facet["name"].clone());
                if arguments.contains_key("technician") {
                    break;
                }
                let of_one = tool_app.ask("get_evidence", &narrowed).await.unwrap();
                assert_eq!(of_one["total"], facet["reviews"], "{target} {facet}");
            }
            if let Some(next) = answer["next_cursor"].as_str() {
                arguments.insert("cursor".to_owned(), json!(next));
                let rest = tool_app.get(&format!("{target}&cursor={next}")).await;
                assert_eq!(
                    tool_app.ask("get_evidence", &arguments).await,
                    Ok(rest),
                    "{target}"
                );
                paged += 1;
            }
        } else {
            assert!(
                [400, 404].contains(&rest.status),
                "{target}: {}",
                rest.text()
            );
            refused += 1;
        }
    }
    assert!(
        found > 12 && refused > 3 && paged > 5,
        "{found} {refused} {paged}"
    );
}

/// "What do customers complain about most, is it getting better, and what do three recent complaints about punctuality say,
/// with the owner's answers?" takes three calls and at most 20 KB of messages, text and structured content together.
#[tokio::test]
async fn three_calls_answer_the_question_about_complaints() {
    let tool_app = ToolApp::seeded().await;
    let mut sizes = Vec::new();
    let mut ask = async |tool: &str, arguments: Value| {
        let (bytes, mut result) = tool_app.wire_result(tool, arguments).await;
        sizes.push(bytes);
        let structured = result["structuredContent"].take();
        assert_eq!(
            result["content"][0]["text"],
            escaped_json(&structured),
            "{tool}"
        );
        structured
    };
    let overview = ask("get_insights", json!({})).await;
    let worst = &overview["complaints"][0];
    let compared = ask(
        "compare_periods",
        json!({"first_since": "2021-01-01", "first_until": "2024-12-31",
            "second_since": "2025-01-01", "second_until": "2026-12-31", "aspect": worst["id"]}),
    )
    .await;
    let change = &compared["difference"]["aspects"][0];
    assert_eq!(change["id"], worst["id"], "{compared:#}");
    assert_ne!(change["verdict"], "too_few", "{compared:#}");
    let complaints = ask(
        "get_evidence",
        json!({"aspect": "punctuality", "polarity": "negative", "hits": false, "limit": 3}),
    )
    .await;
    let told: Vec<String> = array_of(&complaints["reviews"])
        .iter()
        .map(|review| {
            let finding = str_of(&review["findings"][0]["text"]);
            let answer = str_of(&review["response"]["text"]);
            let day = str_of(&review["date"]);
            format!("{day} {finding}\n  answer: {answer}")
        })
        .collect();
    insta::assert_snapshot!("three_calls", told.join("\n"));
    let bytes: usize = sizes.iter().sum();
    assert!(bytes <= 20_000, "{sizes:?}: {bytes} bytes");
}
