//! A naive search, which applies every filter to every review: the reference for the real one.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use reviews_service::model::{Review, Sort, Status, Vote, fold};
use reviews_service::search::{SearchParameters, TextMatch};
use unicode_normalization::UnicodeNormalization as _;

use super::{SEARCH, opinions};
use crate::support::{Generator, TECHNICIANS, form};

/// A published review for the naive search.
pub(super) struct Known {
    pub(super) review: Review,
    folded: String,
    /// Without accents and kinds of apostrophes and blanks.
    plain: String,
    /// Its polarity by aspect.
    pub(super) votes: BTreeMap<String, Vote>,
}

/// The published reviews in order: date descending, then ID ascending.
pub(super) fn known(reviews: &[Review]) -> Vec<Known> {
    let published = reviews
        .iter()
        .filter(|review| review.status == Status::Published);
    let known = published.map(|review| Known {
        folded: fold(&review.text),
        plain: plain(&review.text),
        votes: BTreeMap::new(),
        review: review.clone(),
    });
    let mut known: Vec<Known> = known.collect();
    known.sort_by_key(|Known { review, .. }| (Reverse(review.date), review.id.to_string()));
    known
}

/// A search with the filters whose bits are set in `filters`.
pub(super) fn random(
    generator: &mut Generator,
    filters: usize,
    reviews: &[Review],
) -> SearchParameters {
    let asks = |bit: usize| filters & 1 << bit != 0;
    let least = [1.0, 1.5, 2.0, 2.01, 3.0, 4.0, 4.5, 4.999, 5.0];
    let services = "ac-repair|furnace-repair|water-heater|drain|ac-repair|AC-REPAIR";
    SearchParameters {
        rating: asks(0).then(|| generator.pick(&[1, 2, 3, 4, 5, 5])),
        min_rating: asks(1).then(|| generator.pick(&least)),
        since: asks(2).then(|| generator.day()),
        until: asks(3).then(|| generator.day()),
        query: asks(4).then(|| fragment(generator, reviews)),
        mentions_technician: asks(5).then(|| {
            let name = generator.pick(&TECHNICIANS);
            match generator.below(8) {
                0 => "Nobody Known".to_owned(),
                1 => name.split(' ').next().unwrap().to_owned(),
                2 => name.to_uppercase(),
                3 => name.to_lowercase(),
                _ => name.to_owned(),
            }
        }),
        mentions_service: asks(6).then(|| generator.word(services).to_owned()),
        ..SearchParameters::default()
    }
}

/// Adds some of the other filters.
pub(super) fn with_more_filters(
    question: SearchParameters,
    generator: &mut Generator,
) -> SearchParameters {
    let most = generator.pick(&[1.0, 2.5, 4.0, 4.999, 5.0]);
    let max_rating = generator.once_in(4).then_some(most);
    let mut may = |words| {
        let word = generator.once_in(4).then(|| generator.word(words));
        word.map(str::to_owned)
    };
    let language = may("es-MX|ES-mx|es-MX|en");
    let source = may("Google|FACEBOOK|facebook|Face");
    let mentions_area = may("Mesa|TEMPE|tempe|Nowhere");
    let [has_text, has_reply, verified] =
        ["true|false"; 3].map(|words| may(words).map(|word| word == "true"));
    SearchParameters {
        max_rating,
        language,
        source,
        has_text,
        has_reply,
        verified,
        mentions_area,
        text_match: generator.pick(&TextMatch::ALL),
        ..opinions::opinionated(question, generator)
    }
}

fn accepts(question: &SearchParameters, known: &Known) -> bool {
    let has_text = |query: &String| match question.text_match {
        TextMatch::Substring => known.folded.contains(&fold(query)),
        TextMatch::Words => {
            let query = plain(query);
            known.plain.contains(&query) || has_words(&known.plain, &query)
        }
    };
    let (review, mentions) = (&known.review, &known.review.mentions);
    let stars = review.rating.stars();
    let is = |one: &String, other: &String| fold(one) == fold(other);
    let accepts = [
        question.rating.is_none_or(|rating| stars == rating),
        (question.min_rating).is_none_or(|least| f64::from(stars) >= least),
        (question.max_rating).is_none_or(|most| f64::from(stars) <= most),
        question.since.is_none_or(|since| review.date >= since),
        question.until.is_none_or(|until| review.date <= until),
        (question.mentions_technician.as_ref())
            .is_none_or(|name| technician_is(name, &mentions.technicians)),
        (question.mentions_service.as_ref()).is_none_or(|id| mentions.services.contains(&fold(id))),
        (question.mentions_area.as_ref())
            .is_none_or(|name| mentions.service_areas.iter().any(|area| is(area, name))),
        (question.verified).is_none_or(|is| review.verification.is_independent() == is),
        (question.language.as_ref())
            .is_none_or(|tag| review.language.as_ref().is_some_and(|one| is(one, tag))),
        (question.source.as_ref()).is_none_or(|name| is(&review.source.name, name)),
        question
            .has_text
            .is_none_or(|has| review.text.is_empty() != has),
        question
            .has_reply
            .is_none_or(|has| review.reply.is_some() == has),
        question.query.as_ref().is_none_or(has_text),
        opinions::has_opinion(question, known),
    ];
    accepts.into_iter().all(|accepts| accepts)
}

pub(super) fn expected<'a>(question: &SearchParameters, known: &'a [Known]) -> Vec<&'a str> {
    let taken = known.iter().filter(|known| accepts(question, known));
    let mut taken: Vec<&Review> = taken.map(|known| &known.review).collect();
    // They are newest first, and a stable sort keeps that order among equals.
    match question.sort {
        Sort::Newest => {}
        Sort::Oldest => taken.sort_by_key(|review| (review.date, review.id.to_string())),
        Sort::Highest => taken.sort_by_key(|review| Reverse(review.rating.stars())),
        Sort::Lowest => taken.sort_by_key(|review| review.rating.stars()),
    }
    taken.iter().map(|review| review.id.as_str()).collect()
}

/// The target of a GET, with `more` parameters.
pub(super) fn target(question: &SearchParameters, more: &[(&str, &str)]) -> String {
    let mut pairs = question.pairs();
    let more = more.iter();
    pairs.extend(more.map(|(name, value)| (*name, (*value).to_owned())));
    format!("{SEARCH}?{}", form(pairs))
}

/// Whether a query for a technician means one of these: by the full name, or by a first name that only one of all has.
fn technician_is(query: &str, technicians: &[String]) -> bool {
    let query = fold(query);
    let first = |name: &str| fold(name.split(' ').next().unwrap());
    let with_first = TECHNICIANS.iter().filter(|name| first(name) == query);
    let is_alone = with_first.count() == 1;
    let mut technicians = technicians.iter();
    technicians.any(|name| fold(name) == query || is_alone && first(name) == query)
}

/// Writes some texts as other people and programs do: decomposed, with curly apostrophes and no-break spaces, accented; and
/// most of them in ASCII.
pub(super) fn decorate(reviews: &mut [Review]) {
    for (number, review) in reviews.iter_mut().enumerate() {
        let text = &review.text;
        review.text = match number % 11 {
            0 => text.nfd().collect(),
            1 => text.replace('\'', "\u{2019}").replace(' ', "\u{a0}"),
            2 => text.replace('e', "é").replace('u', "ü"),
            3 => text.replace('a', "a\u{301}"),
            4 => text.replace('\'', "`"),
            _ => text.chars().filter(char::is_ascii).collect(),
        };
    }
}

/// The folded text without accents and kinds of apostrophes and blanks.
fn plain(text: &str) -> String {
    let is_accent = |c: &char| ('\u{300}'..='\u{36f}').contains(c);
    let bare: String = text.nfd().filter(|c| !is_accent(c)).nfc().collect();
    let alike = |c: char| match c {
        '\u{2018}' | '\u{2019}' | '`' | '\u{b4}' => '\'',
        '\u{a0}' | '\u{2009}' | '\u{3000}' => ' ',
        other => other,
    };
    fold(&bare.chars().map(alike).collect::<String>())
}

/// Whether each word of a folded query, without its plural ending, begins a word of a folded text.
fn has_words(text: &str, question: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric());
        let words = words.filter(|word| !word.is_empty());
        words.map(str::to_owned).collect()
    };
    let forms = |word: &String| -> Vec<String> {
        let ends = |endings: &[&str]| endings.iter().any(|ending| word.ends_with(ending));
        let count = if ends(&["ies"]) && word.len() > 5 {
            3
        } else if ends(&["sses", "shes", "ches", "xes"]) {
            2
        } else {
            usize::from(ends(&["s"]) && !ends(&["ss", "us", "is"]))
        };
        let letters: Vec<char> = word.chars().collect();
        if letters.len() < count + 3 {
            return vec![word.clone()];
        }
        let stem: String = letters[..letters.len() - count].iter().collect();
        let of_y = match stem.strip_suffix('y') {
            Some(stem) => Some(stem),
            None => (count == 3).then_some(&*stem),
        };
        match of_y {
            Some(start) if start.len() > 2 && !start.ends_with(['a', 'e', 'i', 'o', 'u']) => {
                vec![format!("{start}y"), format!("{start}ie")]
            }
            _ => vec![stem],
        }
    };
    let (asked, said) = (words(question), words(text));
    let begins = |form: &String| said.iter().any(|word| word.starts_with(form));
    !asked.is_empty() && asked.iter().all(|word| forms(word).iter().any(begins))
}

/// A part of a review's text in mixed case, or characters that are special in SQL, LIKE or regular expressions.
pub(super) fn fragment(generator: &mut Generator, reviews: &[Review]) -> String {
    const ODD: &str = "%|_|\"|'|\n|\\|*|🙂|\u{200d}|ß|SS|İ|i|\u{212A}|zebra|(.+)|the OR and|leak NOT the|NEAR(the and)|text:the|\
        \"the\"*|^the|the + and|the\0";
    if generator.once_in(6) {
        return generator.word(ODD).to_owned();
    }
    let length_max = if generator.once_in(10) { 1_000 } else { 14 };
    loop {
        let review = &reviews[generator.below(reviews.len())];
        let text: Vec<char> = review.text.chars().collect();
        if text.is_empty() {
            continue;
        }
        let start = generator.below(text.len());
        let end = text.len().min(start + 1 + generator.below(length_max));
        let mixed = |c: &char| match generator.below(4) {
            0 => c.to_uppercase().next().unwrap(),
            1 => c.to_lowercase().next().unwrap(),
            _ => *c,
        };
        return text[start..end].iter().map(mixed).collect();
    }
}
