//! A naive search, which applies every filter to every review: the reference for the real one.

use std::collections::BTreeMap;

use reviews_service::model::{Review, Sort, Status, Vote, fold};
use reviews_service::search::{SearchParameters, TextMatch};
use unicode_normalization::UnicodeNormalization as _;

use super::SEARCH;
use crate::support::{Generator, TECHNICIANS, form};

/// A published review for the naive search.
pub(super) struct Known {
    pub(super) id: String,
    pub(super) date: String,
    pub(super) stars: u8,
    pub(super) folded: String,
    /// Without accents and kinds of apostrophes and blanks.
    pub(super) plain: String,
    pub(super) technicians: Vec<String>,
    pub(super) services: Vec<String>,
    pub(super) language: Option<String>,
    pub(super) source: String,
    pub(super) has_text: bool,
    pub(super) has_reply: bool,
    pub(super) verified: bool,
    pub(super) areas: Vec<String>,
    /// Its polarity by aspect.
    pub(super) votes: BTreeMap<String, Vote>,
}

/// The published reviews in order: date descending, then ID ascending.
pub(super) fn known(reviews: &[Review]) -> Vec<Known> {
    let mut known: Vec<Known> = reviews
        .iter()
        .filter(|review| review.status == Status::Published)
        .map(|review| Known {
            id: review.id.to_string(),
            date: review.date.to_string(),
            stars: review.rating.stars(),
            folded: fold(&review.text),
            plain: plain(&review.text),
            technicians: folded(&review.mentions.technicians),
            services: review.mentions.services.clone(),
            language: review.language.as_deref().map(fold),
            source: fold(&review.source.name),
            has_text: !review.text.is_empty(),
            has_reply: review.reply.is_some(),
            verified: review.verification.is_independent(),
            areas: folded(&review.mentions.service_areas),
            votes: BTreeMap::new(),
        })
        .collect();
    known.sort_by_key(|one| (std::cmp::Reverse(one.date.clone()), one.id.clone()));
    known
}

fn folded(names: &[String]) -> Vec<String> {
    names.iter().map(|name| fold(name)).collect()
}

/// A query with any of the filters.
#[derive(Debug, Default)]
pub(super) struct Question {
    pub(super) rating: Option<u8>,
    pub(super) min_rating: Option<&'static str>,
    pub(super) since: Option<String>,
    pub(super) until: Option<String>,
    pub(super) query: Option<String>,
    pub(super) text_match: TextMatch,
    pub(super) technician: Option<String>,
    pub(super) service: Option<String>,
    pub(super) max_rating: Option<&'static str>,
    pub(super) language: Option<&'static str>,
    pub(super) source: Option<&'static str>,
    pub(super) has_text: Option<bool>,
    pub(super) has_reply: Option<bool>,
    pub(super) verified: Option<bool>,
    pub(super) area: Option<&'static str>,
    pub(super) aspect: Option<&'static str>,
    pub(super) polarity: Option<Vote>,
    pub(super) sort: Sort,
}

impl Question {
    /// A query with the filters whose bits are set in `filters`.
    pub(super) fn random(generator: &mut Generator, filters: usize, reviews: &[Review]) -> Self {
        let asks = |bit: usize| filters & 1 << bit != 0;
        let least = "1|1.5|2|2.01|3.000|4|4.5|4.999|5|005.0";
        let services = "ac-repair|furnace-repair|water-heater|drain|ac-repair|AC-REPAIR";
        Self {
            rating: asks(0).then(|| generator.pick(&[1, 2, 3, 4, 5, 5])),
            min_rating: asks(1).then(|| generator.word(least)),
            since: asks(2).then(|| generator.day().to_string()),
            until: asks(3).then(|| generator.day().to_string()),
            query: asks(4).then(|| fragment(generator, reviews)),
            technician: asks(5).then(|| {
                let name = generator.pick(&TECHNICIANS);
                match generator.below(8) {
                    0 => "Nobody Known".to_owned(),
                    1 => name.split(' ').next().unwrap().to_owned(),
                    2 => name.to_uppercase(),
                    3 => name.to_lowercase(),
                    _ => name.to_owned(),
                }
            }),
            service: asks(6).then(|| generator.word(services).to_owned()),
            ..Self::default()
        }
    }

    /// Adds some of the other filters.
    pub(super) fn with_more_filters(self, generator: &mut Generator) -> Self {
        let mut may = |words| generator.once_in(4).then(|| generator.word(words));
        let (max_rating, language) = (may("1|2.5|4|4.999|5.0"), may("es-MX|ES-mx|es-MX|en"));
        let source = may("Google|FACEBOOK|facebook|Face");
        let area = may("Mesa|TEMPE|tempe|Nowhere");
        let [has_text, has_reply, verified] = ["true|false"; 3].map(may);
        Self {
            max_rating,
            language,
            source,
            has_text: has_text.map(|has| has == "true"),
            has_reply: has_reply.map(|has| has == "true"),
            verified: verified.map(|is| is == "true"),
            area,
            text_match: generator.pick(&TextMatch::ALL),
            ..self.opinionated(generator)
        }
    }

    pub(super) fn accepts(&self, review: &Known) -> bool {
        let has_text = |query: &str| match self.text_match {
            TextMatch::Substring => review.folded.contains(&fold(query)),
            TextMatch::Words => {
                let query = plain(query);
                review.plain.contains(&query) || has_words(&review.plain, &query)
            }
        };
        let stars = f64::from(review.stars);
        let (date, language) = (&review.date, &review.language);
        let number = |text: &str| text.parse::<f64>().unwrap();
        let accepts = [
            self.rating.is_none_or(|stars| review.stars == stars),
            self.min_rating.is_none_or(|least| stars >= number(least)),
            self.max_rating.is_none_or(|most| stars <= number(most)),
            self.since.as_ref().is_none_or(|since| date >= since),
            self.until.as_ref().is_none_or(|until| date <= until),
            (self.technician.as_deref())
                .is_none_or(|name| technician_is(name, &review.technicians)),
            (self.service.as_ref()).is_none_or(|id| review.services.contains(&fold(id))),
            (self.area).is_none_or(|name| review.areas.contains(&fold(name))),
            (self.verified).is_none_or(|is| review.verified == is),
            self.language.is_none_or(|tag| *language == Some(fold(tag))),
            self.source.is_none_or(|name| review.source == fold(name)),
            self.has_text.is_none_or(|has| review.has_text == has),
            (self.has_reply).is_none_or(|has| review.has_reply == has),
            self.query.as_deref().is_none_or(has_text),
            self.has_opinion(review),
        ];
        accepts.into_iter().all(|accepts| accepts)
    }

    pub(super) fn expected<'a>(&self, known: &'a [Known]) -> Vec<&'a str> {
        let mut taken: Vec<&Known> = known.iter().filter(|review| self.accepts(review)).collect();
        // They are newest first, and a stable sort keeps that order among equals.
        match self.sort {
            Sort::Newest => {}
            Sort::Oldest => {
                taken.sort_by(|one, other| (&one.date, &one.id).cmp(&(&other.date, &other.id)));
            }
            Sort::Highest => taken.sort_by_key(|review| std::cmp::Reverse(review.stars)),
            Sort::Lowest => taken.sort_by_key(|review| review.stars),
        }
        taken.iter().map(|review| review.id.as_str()).collect()
    }

    fn parameters(&self) -> SearchParameters {
        SearchParameters {
            rating: self.rating,
            min_rating: self.min_rating.map(|least| least.parse().unwrap()),
            max_rating: self.max_rating.map(|most| most.parse().unwrap()),
            since: self.since.as_ref().map(|day| day.parse().unwrap()),
            until: self.until.as_ref().map(|day| day.parse().unwrap()),
            query: self.query.clone(),
            text_match: self.text_match,
            mentions_technician: self.technician.clone(),
            mentions_service: self.service.clone(),
            language: self.language.map(str::to_owned),
            source: self.source.map(str::to_owned),
            has_text: self.has_text,
            has_reply: self.has_reply,
            verified: self.verified,
            mentions_area: self.area.map(str::to_owned),
            aspect: self.aspect.map(str::to_owned),
            polarity: self.polarity,
            sort: self.sort,
            ..SearchParameters::default()
        }
    }

    /// The target of a GET, with `more` parameters.
    pub(super) fn target(&self, more: &[(&str, &str)]) -> String {
        let mut pairs = self.parameters().pairs();
        pairs.extend(
            more.iter()
                .map(|(name, value)| (*name, (*value).to_owned())),
        );
        format!("{SEARCH}?{}", form(pairs))
    }
}

/// Whether a query for a technician means one of these: by the full name, or by a first name that only one of all has.
fn technician_is(query: &str, technicians: &[String]) -> bool {
    let query = fold(query);
    let first = |name: &str| fold(name.split(' ').next().unwrap());
    let has_first = |name: &&str| first(name) == query;
    let is_alone = TECHNICIANS
        .iter()
        .copied()
        .filter(|name| has_first(name))
        .count()
        == 1;
    let mut technicians = technicians.iter();
    technicians.any(|name| *name == query || is_alone && first(name) == query)
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
                vec![format!("{start}y"), format!("{start}ies")]
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
        let text: Vec<char> = reviews[generator.below(reviews.len())]
            .text
            .chars()
            .collect();
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
