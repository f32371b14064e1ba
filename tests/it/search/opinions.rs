//! Searches by aspect and in other orders. The expected aspects come from the database's view, which the search does not use.

use super::*;

/// Texts about aspects.
const TEXTS: &str = "They arrived right on time.|The technician was two hours late.|The price was fair.|It was way too expensive.|\
    They left the kitchen spotless.|They left a mess behind.|They were on time, but the bill was outrageous.|\
    They came on time. The next day they were an hour late.";
const ASPECTS: [&str; 3] = ["punctuality", "price", "cleanliness"];

/// Adds an aspect or another order, usually.
pub fn opinionated(question: SearchParameters, generator: &mut Generator) -> SearchParameters {
    let aspect = generator.once_in(3).then(|| generator.pick(&ASPECTS));
    let has_polarity = aspect.is_some() && generator.once_in(2);
    SearchParameters {
        polarity: has_polarity.then(|| generator.pick(&Vote::ALL)),
        aspect: aspect.map(str::to_owned),
        sort: generator.pick(&Sort::ALL),
        ..question
    }
}

/// Whether the review has the requested aspect and polarity.
pub fn has_opinion(question: &SearchParameters, known: &Known) -> bool {
    question.aspect.as_ref().is_none_or(|aspect| {
        let vote = known.votes.get(aspect);
        vote.is_some_and(|vote| question.polarity.is_none_or(|wanted| wanted == *vote))
    })
}

/// Gives every other review such a text.
pub fn give(reviews: &mut [Review]) {
    let mut generator = Generator::new(13);
    for review in reviews.iter_mut().step_by(2) {
        let opinions = [generator.word(TEXTS), generator.word(TEXTS)].join(" ");
        let rest: String = review.text.chars().take(12).collect();
        review.text = format!("{opinions} {rest}");
        review.language = None;
    }
}

/// The reviews with their aspects from the database.
pub fn known(app: &TestApp, reviews: &[Review]) -> Vec<Known> {
    let mut known = super::known(reviews);
    let query = "select review_id, aspect, group_concat(polarity, ' ')
        from derived_finding where aspect is not null group by 1, 2";
    let rows = app.sql(query);
    assert!(rows.lines().count() > reviews.len() / 3, "the premise");
    for row in rows.lines() {
        let [id, aspect, polarities] = row.split('|').collect::<Vec<_>>()[..] else {
            panic!("{row}")
        };
        let has = |polarity| polarities.split(' ').any(|one| one == polarity);
        let vote = match (has("positive"), has("negative"), has("uncertain")) {
            (true, true, _) => Vote::Mixed,
            (true, false, _) => Vote::Positive,
            (false, true, _) => Vote::Negative,
            (false, false, true) => Vote::Uncertain,
            (false, false, false) => Vote::Neutral,
        };
        let mut all = known.iter_mut();
        if let Some(one) = all.find(|one| one.review.id.as_str() == id) {
            one.votes.insert(aspect.to_owned(), vote);
        }
    }
    known
}
