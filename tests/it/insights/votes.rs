//! What counts as praise and as blame: recommendations, warnings, announced drawbacks, and complaints about one thing.

use super::*;

/// The numbers of positive and negative whole reviews with these texts, and of positive votes for the service.
async fn votes(stars: u8, text: &str) -> [u64; 3] {
    let app = firm(&[("a", text)]).await;
    app.shell(&format!("update review set rating = {stars}"))
        .await;
    let insights = app.json("/insights.json").await;
    let whole = &insights["overall_sentiment"];
    let service = &insights["entities"]["services"][0];
    let counts = [
        &whole["positive_count"],
        &whole["negative_count"],
        &service["positive_count"],
    ];
    counts.map(|count| count.as_u64().unwrap())
}

#[tokio::test]
async fn only_a_recommendation_of_the_business_is_praise() {
    for text in [
        "I highly recommend downloading the water heater form!",
        "I would recommend that you measure the water heater first.",
    ] {
        assert_eq!(votes(5, text).await, [0, 0, 0], "{text}");
    }
    for text in [
        "I highly recommend using them for a water heater!",
        "I would recommend that you call them for a water heater.",
        "I highly recommend going here for a water heater.",
    ] {
        assert_eq!(votes(5, text).await, [1, 0, 1], "{text}");
    }
}

#[tokio::test]
async fn a_warning_of_three_words_is_blame() {
    for text in ["Please don't come!", "Do not come here.", "Don't go there."] {
        assert_eq!(votes(1, text).await, [0, 1, 0], "{text}");
    }
    assert_eq!(votes(5, "Don't go anywhere else!").await, [1, 0, 0]);
}

/// The votes on aspects in a review of a hotel: `atmosphere-`.
async fn votes_on_a_hotel(stars: u8, text: &str) -> String {
    let app = firm(&[("a", text)]).await;
    app.shell(&format!(
        "update business set type = 'Hotel'; update review set rating = {stars}"
    ))
    .await;
    let insights = app.json("/insights.json").await;
    let votes = array_of(&insights["aspects"]).iter().flat_map(|aspect| {
        let signs = [("positive_count", '+'), ("negative_count", '-')];
        let has = move |(count, sign)| (aspect[count] == 1).then_some(sign);
        let id = str_of(&aspect["id"]);
        let signs = signs.into_iter().filter_map(has);
        signs.map(move |sign| format!("{id}{sign}"))
    });
    votes.collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn an_announced_drawback_is_blame_whatever_the_stars() {
    for text in [
        "The only downside was the lack of air conditioning.",
        "Major flaw is the absence of an elevator.",
    ] {
        for stars in [4, 5] {
            assert_eq!(votes_on_a_hotel(stars, text).await, "atmosphere-", "{text}");
        }
    }
}

#[tokio::test]
async fn a_complaint_blames_no_aspect_that_it_does_not_name() {
    let small = votes_on_a_hotel(3, "Rooms are small but well equipped.").await;
    assert!(!small.contains("food"), "{small}");
}
