//! Insights are counts: they add up, and quotes are whole sentences on which both witnesses agree, each under one aspect.

mod evidence;

use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::{TestApp, array_of, str_of, with_sample};

/// The counts of votes, one for each row: what its review says of the aspect.
const VOTES: &str = "json_object('mention_count', count(*), 'positive_count', sum(positive and not negative),
    'negative_count', sum(negative and not positive), 'mixed_count', sum(positive and negative),
    'judged_count', sum(positive or negative), 'uncertain_count', sum(uncertain and not positive and not negative),
    'neutral_count', sum(not positive and not negative and not uncertain))";

/// Asserts that the members have the values that a query gives as a JSON object.
fn check_counts(app: &TestApp, shown: &Value, query: &str) {
    let counts: Value = app.sql(query).parse().unwrap();
    for (name, count) in counts.as_object().unwrap() {
        assert_eq!(shown[name], *count, "{name} of {query}");
    }
}

#[test]
fn each_review_has_one_vote_on_each_aspect_and_the_votes_add_up() {
    with_sample(async |app| {
        let insights = app.json("/insights.json").await;
        for aspect in array_of(&insights["aspects"]) {
            let id = str_of(&aspect["id"]);
            let query = format!(
            "select {VOTES} from (select max(polarity = 'positive') as positive, max(polarity = 'negative') as negative,
               max(polarity = 'uncertain') as uncertain from derived_finding where aspect = '{id}' group by review_id)"
        );
            check_counts(app, aspect, &query);
        }
        for (kind, list, key) in [
            ("technician", "technicians", "name"),
            ("service", "services", "id"),
            ("service_area", "service_areas", "name"),
        ] {
            for entity in array_of(&insights["entities"][list]) {
                let value = str_of(&entity[key]).replace('\'', "''");
                let query = format!(
                "select json_object('mention_count', count(*)) from review join
                   (select review_id, kind, value from mention union select review_id, kind, value from derived_mention)
                   using (review_id) where status = 'published' and kind = '{kind}' and value = '{value}'"
            );
                check_counts(app, entity, &query);
                let votes = ["positive", "negative", "mixed", "uncertain", "neutral"];
                let votes = votes.map(|vote| entity[format!("{vote}_count")].as_u64());
                let sum: u64 = votes.into_iter().flatten().sum();
                assert_eq!(entity["mention_count"], sum, "{entity}");
            }
        }
        let whole = &insights["overall_sentiment"];
        let query = "select json_object('positive_count', sum(polarity = 'positive'), 'negative_count', sum(polarity = 'negative'),
        'neutral_count', sum(polarity not in ('positive', 'negative'))) from derived_review where language = 'english'";
        check_counts(app, whole, query);
        let sum = |kind: &str| -> u64 {
            let parts = ["positive", "neutral", "negative"].into_iter();
            let parts = parts.filter_map(|part| whole[format!("{part}_{kind}")].as_u64());
            parts.sum()
        };
        assert_eq!(sum("pct"), 100);
        assert_eq!(insights["generated_from"]["analysed"], sum("count"));
        let months = array_of(&insights["temporal"]["monthly"]).iter();
        let of_months = months.filter_map(|month| month["review_count"].as_u64());
        assert_eq!(insights["review_count"], of_months.sum::<u64>());
    });
}

#[test]
fn both_witnesses_agree_on_each_quoted_sentence() {
    with_sample(async |app| {
        let insights = app.json("/insights.json").await;
        let mut count = 0;
        for aspect in array_of(&insights["aspects"]) {
            for quote in array_of(&aspect["quotes"]) {
                let polarity = match str_of(&quote["kind"]) {
                    "praise" => "positive",
                    "complaint" => "negative",
                    _ => "neutral",
                };
                let (review, aspect) = (str_of(&quote["review_id"]), str_of(&aspect["id"]));
                let query = format!(
                "select count(*) > 0 from derived_finding where review_id = '{review}' and aspect = '{aspect}'
                   and sentence = {} and witness = 'both' and polarity = '{polarity}'",
                quote["sentence"]
            );
                assert_eq!(app.sql(&query), "1", "{aspect}: {quote}");
                count += 1;
            }
        }
        assert!(count > 20, "the premise: {count}");
    });
}

#[tokio::test]
async fn the_summary_omits_aspects_with_mostly_unsure_votes() {
    let app = TestApp::seeded().await;
    let reported = |insights: &Value| -> BTreeSet<String> {
        let sentences = array_of(&insights["summary_sentences"]).iter();
        let aspects = sentences.filter_map(|one| one["evidence"]["aspect"].as_str());
        aspects.map(str::to_owned).collect()
    };
    let before = reported(&app.json("/insights.json").await);
    app.sql(
        "update derived_analysis set analysis = replace(replace(analysis, 'positive', 'uncertain'), 'negative', 'uncertain')
           where review_id glob '*[0-6]'",
    );
    let app = app.restart().await;
    let insights = app.json("/insights.json").await;
    let after = reported(&insights);
    let mut silenced = 0;
    for aspect in array_of(&insights["aspects"]) {
        let [uncertain, judged] =
            ["uncertain_count", "judged_count"].map(|count| aspect[count].as_u64());
        let id = str_of(&aspect["id"]);
        if uncertain > judged {
            assert!(!after.contains(id), "{id}");
            silenced += usize::from(before.contains(id));
        }
    }
    assert!(silenced > 0, "the premise: {before:?}");
}

/// A firm whose reviews praise `Orla Finch` this many times by name, and another person five times.
async fn firm(named: u8) -> TestApp {
    let app = TestApp::empty().await;
    app.shell(&format!(
        "insert into business (business_id, name) values ('b', 'Peak Air');
         insert into technician (technician_id, position, name) values ('o', 0, 'Orla Finch'), ('b', 1, 'Bram Yew');
         with recursive n (n) as (select 1 union all select n + 1 from n where n < 5)
           insert into review (review_id, rating, reviewed_on, text) select 'b-' || n, 5, date('2026-10-01', '+' || n || ' days'),
             'Visit ' || n || '. Bram Yew was very polite and professional on visit ' || n || '.' from n;
         with recursive n (n) as (select 1 union all select n + 1 from n where n < {named})
           insert into review (review_id, rating, reviewed_on, text) select 'o-' || n, 5, date('2026-11-01', '+' || n || ' days'),
             'Visit ' || n || '. Orla Finch was very polite and professional on visit ' || n || '.' from n;"
    ))
    .await;
    app
}

#[tokio::test]
async fn people_in_fewer_than_three_reviews_have_only_counts() {
    const EVIDENCE: &str = "/insights/aspects/professionalism/evidence.json";
    for (named, is_shown) in [(2, false), (3, true)] {
        let app = firm(named).await;
        let insights = app.text("/insights.json").await;
        assert_eq!(insights.contains("Orla Finch was"), is_shown, "{named}");
        let of_her = format!("{EVIDENCE}?technician=Orla%20Finch");
        let of_her = app.json(&of_her).await;
        let listed = if is_shown { usize::from(named) } else { 0 };
        assert_eq!(of_her["matched"], listed);
        assert_eq!(array_of(&of_her["reviews"]).len(), listed);
        let all = app.json(EVIDENCE).await;
        assert_eq!(all["by_technician"][1]["reviews"], named);
        let insights = app.json("/insights.json").await;
        let figures = &insights["entities"]["technicians"][0];
        assert_eq!(figures["mention_count"], named);
        assert_eq!(figures["judged_count"] == 0, !is_shown);
    }
}
