//! Parameters: errors, their texts, and odd but valid values.

use super::*;
use crate::support::table;

/// An invalid parameter, the code, and queries without another one.
const INVALID: &str = "
    rating → too_small → rating=0
    rating → too_big → rating=6
    rating → invalid_type → rating= rating rating=5.0 rating=%2B5 rating=%205 rating=-1 rating=five rating=%D9%A5 rating=%FF
    rating → duplicate → rating=5&rating=5
    min_rating → too_small → min_rating=0.99 min_rating=0 min_rating=0.9999999999999999999
    min_rating → too_big → min_rating=6 min_rating=5.01 min_rating=5.0000000000000000001 min_rating=256
    min_rating → invalid_type → min_rating= min_rating=1e0 min_rating=.5 min_rating=4. min_rating=4,5 min_rating=NaN
    max_rating → too_big → max_rating=5.01
    max_rating → invalid_type → max_rating=
    polarity → invalid_string → polarity=negative polarity=bad&aspect=price
    aspect → invalid_string → aspect=punctual aspect=Price aspect=parking
    has_text → invalid_type → has_text=yes has_text=TRUE
    has_reply → invalid_type → has_reply=1
    has_reply → duplicate → has_reply=true&has_reply=true
    language → invalid_string → language=%FF
    source → duplicate → source=a&source=b
    since → invalid_date → since= since=2024-02-30 since=2023-02-29 since=2024-2-1 since=20240201 since=0000-01-01
    since → invalid_date → since=10000-01-01 since=2024-02-01T00:00:00Z since=%202024-02-01
    until → invalid_date → until=today until=2024-13-01 until=%FF
    until → duplicate → until=2024-01-01&until=2024-01-02
    query → invalid_string → query=%FF query=%C3 query=%ED%A0%80
    query → duplicate → query=a&query=b query=&query=b
    mentions_technician → invalid_string → mentions_technician=%FF
    mentions_technician → duplicate → mentions_technician=a&mentions_technician=a
    mentions_service → invalid_string → mentions_service=a%80 mentions_service=%C3
    limit → too_small → limit=0
    limit → too_big → limit=101
    limit → invalid_type → limit= limit limit=20.0 limit=-5 limit=1e1 limit=ten limit=%FF
    limit → duplicate → limit=1&%6Cimit=2 limit=x&limit=0&limit=999
    sort → invalid_string → sort=Newest sort=%FF
    match → invalid_string → match=word
";

#[tokio::test]
async fn every_invalid_parameter_is_reported_with_a_code() {
    let app = TestApp::uncoded(&Generator::new(31).reviews(20)).await;
    for [name, code, queries] in table(INVALID) {
        for query in queries.split(' ') {
            assert_issues(&app, query, &format!("{name} {code}")).await;
        }
    }
}

#[tokio::test]
async fn all_invalid_parameters_are_reported_at_once() {
    let app = TestApp::uncoded(&Generator::new(31).reviews(20)).await;
    let all = "limit=500&rating=0&min_rating=5.1&since=x&until=&query=%FF&mentions_technician=%FF&mentions_service=a&mentions_service=b\
               &max_rating=0&language=%FF&source=a&source=b&has_text=2&has_reply=%FF&cursor=x&page=0";
    let codes = "cursor invalid_string, has_reply invalid_type, has_text invalid_type, language invalid_string, limit too_big, \
        max_rating too_small, mentions_service duplicate, mentions_technician invalid_string, min_rating too_big, \
        query invalid_string, rating too_small, since invalid_date, source duplicate, until invalid_date";
    assert_issues(&app, all, codes).await;
}

#[tokio::test]
async fn an_issue_says_what_is_allowed_and_what_was_received() {
    let app = TestApp::uncoded(&Generator::new(31).reviews(20)).await;
    let issues = assert_issues(&app, "limit=500", "limit too_big").await;
    let expected = json!({"path": ["limit"], "code": "too_big", "message": "must be a whole number from 1 to 100", "received": "500"});
    assert_eq!(issues[0], expected);
}

#[tokio::test]
async fn an_issue_repeats_only_the_beginning_of_a_long_value() {
    let app = TestApp::uncoded(&Generator::new(31).reviews(20)).await;
    let long = format!("query={}", "%C3%A9".repeat(1_001));
    let issues = assert_issues(&app, &long, "query too_big").await;
    assert!(str_of(&issues[0]["received"]).chars().count() <= 200);
}

#[tokio::test]
async fn odd_but_valid_parameters_are_accepted() {
    // 60 reviews with every number of stars: a third with the word, a third without text, a third with other words.
    let review = |number: usize| Review {
        rating: Rating::try_from(1 + number as i64 % 5).unwrap(),
        ..review_with_text(number, ["a leak", "", "né 🙂"][number % 3])
    };
    let app = TestApp::uncoded(&(0..60).map(review).collect::<Vec<_>>()).await;
    let zeros = "0".repeat(400);
    for [query, total] in table(
        "
        cursor= → 60
        rating=05 → 12
        rating=ZEROS5 → 12
        min_rating=4.5 → 12
        min_rating=4.000 → 24
        min_rating=4.0000000000001 → 12
        rating=3&min_rating=4 → 0
        since=0001-01-01&until=9999-12-31 → 60
        since=2026-01-01 → 1
        until=2025-12-31 → 59
        since=2025-12-31&until=2025-12-31 → 1
        since=2025-12-31&until=2025-12-30 → 0
        query= → 60
        mentions_technician=&mentions_service=&query=&cursor= → 60
        query=leak → 20
        query=N%C3%89+%F0%9F%99%82 → 20
        query=+ → 40
        query=%20leak → 20
        query=a=b&sort=&match= → 0
        query=LONG → 0
        page=2&offset=x&Rating=9&RATING=9&rating%20=9&%FF=%FF&=&&order=date → 60
        ",
    ) {
        let query = query.replace("ZEROS", &zeros);
        let query = query.replace("LONG", &"%F0%9F%99%82".repeat(1_000));
        let answer = app.get(&format!("{SEARCH}?{query}")).await;
        assert_eq!(answer.status, 200, "{query}: {}", answer.text());
        assert_eq!(answer.json()["matched"].to_string(), total, "{query}");
    }
}
