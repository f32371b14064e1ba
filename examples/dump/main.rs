#![allow(warnings)]
use reviews_service::insights::{Engine, Witness, text::Text};
use std::io::BufRead;
fn main() {
    let engine = Engine::shipped(&std::env::args().nth(1).unwrap_or("home_services".into()));
    let mut rules = engine.rules().clone();
    if std::env::args().nth(2).is_some() {
        rules =
            rules.decided_by(reviews_service::insights::aspects::decision::Decisions::of_rules());
    }
    for line in std::io::stdin().lock().lines() {
        let v: serde_json::Value = serde_json::from_str(&line.unwrap()).unwrap();
        let t = v["text"].as_str().unwrap();
        let text = Text::new(t);
        let f = rules.analyze(&text);
        let sents: Vec<_> = text
            .sentences()
            .iter()
            .map(|r| {
                let s = text.span(r.clone());
                serde_json::json!([s.start, s.end])
            })
            .collect();
        let fs: Vec<_> = f.findings.iter().map(|x| serde_json::json!({"a":x.aspect,"p":x.polarity.name(),"sc":x.score,"c":x.confidence,"s":x.sentence,"w":Witness::of(&x.hits).name(),"span":[x.span.start,x.span.end],"h":x.hits.iter().map(|h| (h.rule.clone(),h.points)).collect::<Vec<_>>()})).collect();
        println!(
            "{}",
            serde_json::json!({"id":v["id"],"sents":sents,"f":fs,"o":[f.overall.0.name(),f.overall.1]})
        );
    }
}
