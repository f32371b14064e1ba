//! How subscribers find the hub (rules 1 to 7).

use poem::http::Method;

use super::{ATOM, BASE, FEED, Hub, REVIEWS};

const TOPICS: [&str; 3] = [REVIEWS, FEED, ATOM];
const HUB: &str = "https://reviews.sample.test/api/websub/hub";

fn path(topic: &str) -> &str {
    topic.strip_prefix(BASE).unwrap()
}

fn link(topic: &str) -> String {
    format!("<{topic}>; rel=\"self\", <{HUB}>; rel=\"hub\"")
}

#[tokio::test]
async fn rule_1_every_topic_links_to_itself_and_the_hub() {
    let hub = Hub::new().await;
    for topic in TOPICS {
        assert_eq!(hub.app.get(path(topic)).await.header("link"), link(topic));
        assert_eq!(
            hub.ask("subscribe", topic, &hub.receiver.url("/cb"), &[])
                .await
                .status,
            202,
            "the stated links work"
        );
    }
}

#[tokio::test]
async fn rule_2_the_links_are_in_the_header_and_in_the_feeds() {
    let hub = Hub::new().await;
    let feed = hub.app.get(path(FEED)).await;
    assert_eq!(feed.json()["feed_url"], FEED);
    assert_eq!(feed.json()["hubs"][0]["url"], HUB);
    assert!(!feed.header("link").is_empty());
}

#[tokio::test]
async fn rule_3_there_is_exactly_one_self_and_one_hub() {
    let hub = Hub::new().await;
    for topic in TOPICS {
        let answer = hub.app.get(path(topic)).await;
        assert_eq!(answer.headers.get_all("link").iter().count(), 1);
        for rel in ["rel=\"self\"", "rel=\"hub\""] {
            assert_eq!(answer.header("link").matches(rel).count(), 1, "{topic}");
        }
    }
}

#[tokio::test]
async fn rule_4_the_atom_feed_has_both_links() {
    let hub = Hub::new().await;
    let atom = hub.app.get(path(ATOM)).await;
    let atom = feed_rs::parser::parse(&atom.body[..]).unwrap();
    for (rel, href) in [("self", ATOM), ("hub", HUB)] {
        let found: Vec<&str> = atom
            .links
            .iter()
            .filter(|link| link.rel.as_deref() == Some(rel))
            .map(|link| link.href.as_str())
            .collect();
        assert_eq!(found, [href]);
    }
}

#[tokio::test]
async fn rule_5_the_only_representation_of_a_topic_is_delivered() {
    let hub = Hub::new().await;
    for topic in TOPICS {
        let answer = hub
            .ask("subscribe", topic, &hub.receiver.url(path(topic)), &[])
            .await;
        assert_eq!(answer.status, 202);
    }
    hub.app.drain().await;
    hub.change("c1").await;
    for topic in TOPICS {
        let plain = hub.app.get(path(topic)).await;
        for accept in [
            "text/html",
            "application/atom+xml",
            "application/json;q=0.1",
        ] {
            let answer = hub.app.get_with(path(topic), &[("accept", accept)]).await;
            assert!(
                answer.body == plain.body
                    && answer.header("content-type") == plain.header("content-type"),
                "{topic}: {accept}"
            );
        }
        let sent: Vec<_> = hub
            .deliveries()
            .into_iter()
            .filter(|request| request.target == path(topic))
            .collect();
        assert!(
            matches!(&sent[..], [one] if one.body == plain.body),
            "{topic}"
        );
    }
}

#[tokio::test]
async fn rule_6_head_has_the_links_of_get() {
    let hub = Hub::new().await;
    for topic in TOPICS {
        assert_eq!(
            hub.app
                .send(Method::HEAD, path(topic), &[])
                .await
                .header("link"),
            link(topic)
        );
    }
}

#[tokio::test]
async fn rule_7_the_hub_detects_writes_of_any_program() {
    let hub = Hub::subscribed().await;
    for (count, sql) in [
        (1, super::insert("c1")),
        (
            2,
            "update review set text = 'other' where review_id = 'c1'".to_owned(),
        ),
        (
            3,
            "insert into business (business_id, name) values ('b', 'Peak')".to_owned(),
        ),
        (4, "delete from review where review_id = 'c1'".to_owned()),
    ] {
        hub.app.shell(&sql).await;
        assert_eq!(hub.deliveries().len(), count, "{sql}");
    }
}
