//! What is public after any fetches: as after imports of the same rows.

use super::*;
use crate::support::Generator;
use crate::support::publication::{FORMAT, Model, OURS, OWN, STORED, Step, number_of};

/// Answers with the rows on one page or two.
fn give(site: &Site, step: &Step, dice: &mut Generator) {
    let objects = step.objects();
    let (first, second) = objects.split_at(1 + dice.below(objects.len()));
    let pages = [first, second].map(|rows| json!(rows).to_string());
    let has_second = !second.is_empty();
    site.answer(move |request| {
        let is_second = query(request, "page").is_some();
        let page = SiteAnswer::json(&*pages[usize::from(is_second)]);
        if has_second && !is_second {
            page.with("Link: </r?page=2>; rel=\"next\"")
        } else {
            page
        }
    });
}

#[test]
fn only_what_the_last_fetches_publish_is_public() {
    for seed in 0..3 {
        let mut dice = Generator::new(seed);
        let (home, site) = (home(), Site::start(|_| SiteAnswer::json("[]")));
        set_format(&home, FORMAT);
        write_entry(&home, "own", &site.url("/r"), "");
        let (mut model, mut history) = (Model::new(OWN), format!("{seed}\n"));
        for number in 0..8 {
            let stored = home.sql(STORED);
            if dice.once_in(6) && !stored.is_empty() {
                let ids: Vec<&str> = stored.lines().map(|row| &row[..2]).collect();
                let id = dice.pick(&ids);
                history += &format!("reply {id}\n");
                home.run(&["reply", id, OURS]).done();
                model.reply(number_of(id));
                continue;
            }
            let step = Step::random(&mut dice, OWN, number, true);
            history += &format!("{}\n", json!(step.objects()));
            give(&site, &step, &mut dice);
            let open = model.open(&step);
            let run = "sync run own --accept-changes";
            if !open.is_empty() {
                let refused = home.run(run);
                refused.failed("nothing was imported; open in the draft");
                let answers: Vec<bool> = open.iter().map(|_| dice.once_in(2)).collect();
                let mut text = refused.out.clone();
                for (key, is_public) in open.iter().zip(&answers) {
                    assert_has(&refused.err, key);
                    let answer = ["hidden", "public"][usize::from(*is_public)];
                    let answer = format!("missing = {answer:?}");
                    text = text.replacen("missing = \"?\"", &answer, 1);
                }
                set_format(&home, &text);
                model.answer(&step, &answers);
            }
            home.run(run).done();
            model.take(&step);
            assert_eq!(model.check(&home.sql(STORED)), None, "{history}");
        }
    }
}

/// Replaces the format of the reviews.
#[track_caller]
fn set_format(home: &Home, format: &str) {
    let file = home.file("own.toml", format);
    home.run(&["source", "format", "Direct", &file]).done();
}
