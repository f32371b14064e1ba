//! Parameters: errors, their texts, and odd but valid values.

use super::*;
use crate::support::{assert_has, table};

/// An invalid parameter, the code, and queries without another one.
const INVALID: &str = "
    rating → too_small → rating=0
    rating → too_big → rating=6
    rating → invalid_type → rating= rating rating=5.0 rating=%2B5 rating=%205 rating=-1 rating=five rating=%D9%A5 rating=%FF
    rating → duplicate → rating=5&rating=5
    min_rating → too_small → min_rating=0.99 min_rating=0
    min_rating → too_big → min_rating=6 min_rating=5.01
    min_rating → invalid_type → min_rating= min_rating=1e0 min_rating=.5 min_rating=4. min_rating=4,5 min_rating=NaN
    max_rating → too_big → max_rating=5.01
    max_rating → invalid_type → max_rating=
    has_text → invalid_type → has_text=yes has_text=TRUE
    has_response → invalid_type → has_response=1
    has_response → duplicate → has_response=true&has_response=true
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
    let long = format!("query={}", "%C3%A9".repeat(1_001));
    for [name, code, queries] in table(INVALID) {
        for query in queries.split(' ') {
            assert_issues(&app, query, &[(name, code)]).await;
        }
    }
    let all = "limit=500&rating=0&min_rating=5.1&since=x&until=&query=%FF&mentions_technician=%FF&mentions_service=a&mentions_service=b\
               &max_rating=0&language=%FF&source=a&source=b&has_text=2&has_response=%FF&cursor=x&page=0";
    let codes = [
        ("limit", "too_big"),
        ("rating", "too_small"),
        ("min_rating", "too_big"),
        ("since", "invalid_date"),
        ("until", "invalid_date"),
        ("query", "invalid_string"),
        ("mentions_technician", "invalid_string"),
        ("mentions_service", "duplicate"),
        ("max_rating", "too_small"),
        ("language", "invalid_string"),
        ("source", "duplicate"),
        ("has_text", "invalid_type"),
        ("has_response", "invalid_type"),
        ("cursor", "invalid_string"),
    ];
    let issues = assert_issues(&app, all, &codes).await;
    let limit = issues
        .iter()
        .find(|issue| issue["path"][0] == "limit")
        .unwrap();
    let expected = json!({"path": ["limit"], "code": "too_big", "message": "must be a whole number from 1 to 100", "received": "500"});
    assert_eq!(*limit, expected);
    assert!(
        assert_issues(&app, &long, &[("query", "too_big")]).await[0]["received"]
            .as_str()
            .unwrap()
            .chars()
            .count()
            <= 200
    );
}

#[tokio::test]
async fn the_longest_query_fits_into_a_request() {
    let mut reviews = Generator::new(33).reviews(3);
    reviews[1] = Review {
        rating: Rating::try_from(3).unwrap(),
        ..review_with_text(1, "🙂".repeat(1_000))
    };
    let app = TestApp::uncoded(&reviews).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (address, stop) = (listener.local_addr().unwrap(), CancellationToken::new());
    let query = "%F0%9F%99%82".repeat(1_000);
    let rest = "rating=3&min_rating=1&since=2020-01-01&until=2030-01-01&mentions_technician=&mentions_service=&limit=100";
    let ask = async {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let request = format!(
            "GET {SEARCH}?query={query}&{rest} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        stop.cancel();
        answer
    };
    let ((), answer) = tokio::join!(
        app.app()
            .serve(listener, None, stop.clone(), Limits::default()),
        ask
    );
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert_has(&answer, r#""total":1,"#);
    assert_has(&answer, r#""id":"s-0001""#);
}

/// 60 reviews with every number of stars: a third with the word, a third without text, a third with other words.
async fn service() -> TestApp {
    let reviews: Vec<Review> = (0..60)
        .map(|number| Review {
            rating: Rating::try_from(1 + number as i64 % 5).unwrap(),
            ..review_with_text(number, ["a leak", "", "né 🙂"][number % 3])
        })
        .collect();
    TestApp::uncoded(&reviews).await
}

#[tokio::test]
async fn odd_but_valid_parameters_are_accepted() {
    let app = service().await;
    let total = async |query: &str| {
        let answer = app.get(&format!("{SEARCH}?{query}")).await;
        assert_eq!(answer.status, 200, "{query}: {}", answer.text());
        answer.json()["total"].as_u64().unwrap()
    };
    let (e, emoji) = (
        format!("query={}", "%C3%A9".repeat(1_000)),
        format!("query={}", "%F0%9F%99%82".repeat(1_000)),
    );
    let zeros = format!("rating={}5", "0".repeat(400));
    for (query, expected) in [
        ("", 60),
        ("rating=05", 12),
        (&zeros, 12),
        ("min_rating=4.5", 12),
        ("min_rating=4.000", 24),
        ("min_rating=4.0000000000001", 12),
        ("rating=3&min_rating=4", 0),
        ("since=0001-01-01&until=9999-12-31", 60),
        ("since=2026-01-01", 1),
        ("until=2025-12-31", 59),
        ("since=2025-12-31&until=2025-12-31", 1),
        ("since=2025-12-31&until=2025-12-30", 0),
        ("query=", 60),
        ("mentions_technician=&mentions_service=&query=&cursor=", 60),
        ("query=leak", 20),
        ("query=N%C3%89+%F0%9F%99%82", 20),
        ("query=+", 40),
        ("query=%20leak", 20),
        ("query=a=b&sort=&match=", 0),
        (&e, 0),
        (&emoji, 0),
        (
            "page=2&offset=x&Rating=9&RATING=9&rating%20=9&%FF=%FF&=&&order=date",
            60,
        ),
    ] {
        assert_eq!(total(query).await, expected, "{query}");
    }
}
