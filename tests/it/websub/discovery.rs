//! How subscribers find the hub (rules 1 to 7; `feeds` tests 2 and 4).

use poem::http::Method;

use super::{ATOM, BASE, FEED, Hub, REVIEWS};

const TOPICS: [&str; 3] = [REVIEWS, FEED, ATOM];
const HUB: &str = "https://reviews.sample.test/api/websub/hub";

fn path(topic: &str) -> &str {
    topic.strip_prefix(BASE).unwrap()
}

#[tokio::test]
async fn rule_1_3_and_6_each_topic_has_one_link_to_itself_and_the_hub() {
    let hub = Hub::new().await;
    for topic in TOPICS {
        let link = format!("<{topic}>; rel=\"self\", <{HUB}>; rel=\"hub\"");
        for method in [Method::GET, Method::HEAD] {
            let answer = hub.app.send(method, path(topic), &[]).await;
            let links: Vec<_> = answer.headers.get_all("link").iter().collect();
            assert_eq!(links, [link.as_str()], "{topic}");
        }
        let callback = hub.receiver.url("/cb");
        let asked = hub.ask("subscribe", topic, &callback, &[]).await;
        assert_eq!(asked.status, 202, "the stated links work");
    }
}

#[tokio::test]
async fn rule_5_and_35_to_37_the_representation_of_a_topic_is_posted() {
    let hub = Hub::new().await;
    for topic in TOPICS {
        let callback = hub.receiver.url(path(topic));
        let answer = hub.ask("subscribe", topic, &callback, &[]).await;
        assert_eq!(answer.status, 202);
    }
    hub.app.drain().await;
    hub.change("c1").await;
    for topic in TOPICS {
        let plain = hub.app.get(path(topic)).await;
        // There is only one.
        for accept in [
            "text/html",
            "application/atom+xml",
            "application/json;q=0.1",
        ] {
            let answer = hub.app.get_with(path(topic), &[("accept", accept)]).await;
            assert_eq!(answer.header("content-type"), plain.header("content-type"));
            assert!(answer.body == plain.body, "{topic}: {accept}");
        }
        let mut sent = hub.deliveries();
        sent.retain(|request| request.target == path(topic));
        assert_eq!(sent.len(), 1, "{topic}");
        assert!(sent[0].body == plain.body, "{topic}");
        for name in ["content-type", "link"] {
            assert_eq!(sent[0].field(name), plain.header(name), "{topic}");
        }
        assert_eq!(
            sent[0].field("content-length"),
            plain.body.len().to_string()
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
