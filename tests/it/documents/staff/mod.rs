//! `publish_staff`: with `off`, names of technicians are on no surface but in texts.

mod surfaces;

use serde_json::json;

use crate::support::{TestApp, array_of};
use surfaces::{agents, crawl};

/// Two people with one first name, aliases, IDs that are names, and a person who is not on the list.
const FIRM: &str = r#"
insert into business (business_id, name, time_zone, language) values ('peak', 'Peak Air', 'UTC', 'en');
insert into service (service_id, name) values ('ac-repair', 'A/C repair');
insert into service_area (name) values ('Mesa');
insert into technician (technician_id, position, name, aliases) values
  ('zora-quillfeather', 0, 'Zora Quillfeather', '["Zeezee"]'),
  ('zora-umbrastone', 1, 'Zora Umbrastone', '[]'),
  ('basil-kettleworth', 2, 'Basil Kettleworth', '["Bazzarino"]');
with recursive n (n) as (select 1 union all select n + 1 from n where n < 8)
  insert into review (review_id, rating, reviewed_on, author, text, updated_at) select 'b-' || n, 5, date('2026-10-01', '+' || n || ' days'), 'Ann ' || n,
    'Basil was on time and very professional, number ' || n || '. The repair in Mesa was a great job.', '2026-10-20T00:00:00.000Z' from n;
with recursive n (n) as (select 1 union all select n + 1 from n where n < 6)
  insert into review (review_id, rating, reviewed_on, text, updated_at) select 'z-' || n, 5 - 4 * (n % 2), date('2026-09-01', '+' || n || ' days'),
    iif(n % 2, 'He was late and rude.', 'Quillfeather fixed everything, honest and fair price.') || ' Visit ' || n || '.', '2026-10-20T00:00:00.000Z' from n;
insert into mention select review_id, 'technician', 'Basil Kettleworth' from review where review_id glob 'b-*';
insert into mention select review_id, 'technician', 'Zora Quillfeather' from review where review_id glob 'z-*';
insert into mention values ('z-1', 'technician', 'Zora Umbrastone'), ('z-2', 'technician', 'Orson Mandrake'), ('z-3', 'service', 'ac-repair');
insert into review (review_id, rating, reviewed_on, text, reply_text, reply_on, updated_at) values
  ('as-written', 5, '2026-11-01', 'Basil Kettleworth himself came.', 'Thank you, says Bazzarino.', '2026-11-02', '2026-11-02T00:00:00.000Z');
"#;
/// Texts of customers and the owner, which stay.
const WRITTEN: [&str; 3] = [
    "Basil Kettleworth himself came.",
    "Thank you, says Bazzarino.",
    // The clause that evidence quotes.
    "Quillfeather fixed everything",
];
/// Words that are hidden with `off`; `Basil` is in a customer's text.
const HIDDEN: &str = "quillfeather umbrastone kettleworth mandrake zeezee bazzarino zora orson";
/// All answers of the service, without the texts of customers and the owner.
async fn everything(app: &TestApp) -> Vec<(String, String)> {
    let mut bodies = crawl(app).await;
    bodies.extend(agents(app).await);
    for (_, body) in &mut bodies {
        *body = body.replace("<mark>", "").replace("</mark>", "");
        for written in WRITTEN {
            *body = body.replace(written, "");
        }
        *body = body.to_lowercase();
    }
    bodies
}

/// Those of the words that appear on any surface.
fn readable(bodies: &[(String, String)], words: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (target, body) in bodies {
        for word in words.split(' ') {
            if let Some(at) = body.find(word) {
                let near: String = body[at.saturating_sub(60)..].chars().take(120).collect();
                found.push(format!("{target}: {word}: {near}"));
            }
        }
    }
    found
}

async fn total(app: &TestApp, name: &str) -> u64 {
    let name = name.replace(' ', "%20");
    let target = format!("/api/reviews/search?mentions_technician={name}");
    app.json(&target).await["matched"].as_u64().unwrap()
}

#[tokio::test]
async fn full_names_are_shown_by_default() {
    let app = TestApp::empty().await;
    app.shell(FIRM).await;
    let bodies = everything(&app).await;
    for word in "quillfeather umbrastone kettleworth mandrake zeezee".split(' ') {
        assert!(!readable(&bodies, word).is_empty(), "{word} is not found");
    }
    let business = app.json("/business.json").await;
    assert_eq!(business["business"]["publish_staff"], "full");
    assert_eq!(total(&app, "basil kettleworth").await, 9);
}

#[tokio::test]
async fn with_off_no_surface_shows_a_technician() {
    let app = TestApp::empty().await;
    app.shell(&format!("{FIRM} update business set publish_staff = 'off'"))
        .await;
    let bodies = everything(&app).await;
    assert_eq!(readable(&bodies, HIDDEN), [""; 0]);
    let dataset = app.json("/reviews.json").await;
    let facets = app.json("/facets.json").await;
    let insights = app.json("/insights.json").await;
    let evidence = "/insights/aspects/professionalism/evidence.json";
    let evidence = app.json(evidence).await;
    assert_eq!(evidence["matched"], 11);
    let mut lists = vec![
        &dataset["business"]["technicians"],
        &facets["technicians"],
        &insights["entities"]["technicians"],
        &evidence["by_technician"],
    ];
    let reviews = array_of(&dataset["reviews"]).iter();
    lists.extend(reviews.map(|review| &review["mentions"]["technicians"]));
    assert!(lists.iter().all(|list| **list == json!([])), "{lists:?}");
    for name in ["Basil", "Basil%20Kettleworth", "zora-quillfeather"] {
        let target = format!("/api/reviews/search?mentions_technician={name}");
        let found = app.json(&target).await;
        assert_eq!(found["matched"], 0, "{name}");
        assert_eq!(found.get("did_you_mean"), None, "{name}");
    }
}
