//! The sentences of the summary in the reader's language. The documents contain them in English, each with its form and
//! figures, from which the page builds its own sentences.

use std::borrow::Cow;

use super::entity::EntityKind;
use crate::pages::locale::Locale;
use crate::wire;

/// Sentences of unknown forms stay in English as in the documents.
pub fn sentences<'a>(
    insights: &'a wire::Insights,
    business: &'a str,
    locale: &'a Locale,
) -> impl Iterator<Item = Cow<'a, str>> {
    let sentences = &insights.summary.sentences;
    sentences.iter().enumerate().map(move |(at, one)| {
        let same = |other: &&wire::Sentence| other.template == one.template;
        let told = Told {
            evidence: &one.evidence,
            rank: sentences[..at].iter().filter(same).count(),
            insights,
            locale,
        };
        told.sentence(one, business)
    })
}

/// The parts of a sentence.
struct Told<'a> {
    evidence: &'a wire::Evidence,
    /// The number of preceding sentences of the same form.
    rank: usize,
    insights: &'a wire::Insights,
    locale: &'a Locale,
}

impl Told<'_> {
    fn sentence<'s>(&self, sentence: &'s wire::Sentence, business: &str) -> Cow<'s, str> {
        let words = match sentence.template.as_str() {
            "overall" => self.overall(business),
            "unheard" => self.unheard(),
            "aspect_positive" => self.side("positive"),
            "aspect_negative" => self.side("negative"),
            "trend" => self.trend(),
            "technicians" => self.names(EntityKind::Technician),
            "services" => self.names(EntityKind::Service),
            "topics" => self.topics(),
            _ => None,
        };
        words.unwrap_or(Cow::Borrowed(&sentence.text))
    }

    fn figure(&self, name: &str) -> Option<u64> {
        self.evidence.figures.get(name).copied().map(u64::from)
    }

    fn number(&self, name: &str) -> Option<String> {
        Some(self.locale.number(self.figure(name)?))
    }

    fn topic(&self) -> Option<Cow<'_, str>> {
        let id = self.evidence.aspect.as_deref()?;
        let aspect = self.insights.aspects.iter().find(|one| one.id == id)?;
        Some(self.locale.name(&aspect.label))
    }

    fn overall(&self, business: &str) -> Option<Cow<'static, str>> {
        let texts = [
            ("business", business),
            ("positive", &self.number("positive")?),
            ("negative", &self.number("negative")?),
        ];
        let judged = self.figure("judged")?;
        Some(self.locale.counted_with("summary-overall", judged, &texts))
    }

    fn unheard(&self) -> Option<Cow<'static, str>> {
        let texts = [("reviews", &*self.number("reviews")?)];
        let unheard = self.figure("unheard")?;
        Some(self.locale.counted_with("summary-unheard", unheard, &texts))
    }

    /// The wording changes with the rank, so that no three sentences in a row are alike.
    fn side(&self, side: &str) -> Option<Cow<'static, str>> {
        let topic = self.topic()?;
        let texts = [
            ("topic", &*topic),
            ("name", &self.locale.within(&topic)),
            (side, &self.number(side)?),
            ("judged", &self.number("judged")?),
        ];
        let id = match (side, self.rank) {
            ("positive", 0) => "summary-aspect-positive",
            ("positive", 1) => "summary-aspect-positive-second",
            ("positive", _) => "summary-aspect-positive-third",
            (_, 0) => "summary-aspect-negative",
            (_, 1) => "summary-aspect-negative-second",
            _ => "summary-aspect-negative-third",
        };
        let mut words = self.locale.message_with(id, &texts).into_owned();
        let phrase = self.evidence.topics.iter().flatten().next();
        if let Some((phrase, reviews)) = phrase.zip(self.figure("with_phrase")) {
            let reviews = self.locale.counted("reviews", reviews);
            let texts = [("phrase", phrase.as_str()), ("reviews", &reviews)];
            words.push(' ');
            words += &self.locale.message_with("summary-complaint-phrase", &texts);
        }
        if let Some(quote) = &self.evidence.quote {
            let texts = [("quote", quote.text.as_str())];
            words.push(' ');
            words += &self.locale.message_with("summary-complaint-quote", &texts);
        }
        Some(Cow::Owned(words))
    }

    fn trend(&self) -> Option<Cow<'static, str>> {
        let figure = |name| self.figure(name);
        let (now, judged_now) = (figure("recent_positive")?, figure("recent_judged")?);
        let (before, judged_before) = (figure("previous_positive")?, figure("previous_judged")?);
        let texts = [
            ("topic", &*self.topic()?),
            ("positive", &self.locale.number(now)),
            ("judged", &self.locale.number(judged_now)),
            ("positive_before", &self.locale.number(before)),
            ("judged_before", &self.locale.number(judged_before)),
        ];
        // now / judged_now > before / judged_before, in integers.
        Some(if now * judged_before > before * judged_now {
            self.locale.message_with("summary-trend-up", &texts)
        } else {
            self.locale.message_with("summary-trend-down", &texts)
        })
    }

    /// `Curtis Hale (12 reviews)` for each name, by rank.
    fn with_counts(&self, names: Vec<String>) -> String {
        let counted = (1..).zip(names).map(|(rank, name)| {
            let reviews = self.figure(&format!("reviews_{rank}")).unwrap_or_default();
            let reviews = self.locale.counted("reviews", reviews);
            let texts = [("name", name.as_str()), ("reviews", &reviews)];
            let words = self.locale.message_with("name-with-reviews", &texts);
            words.into_owned()
        });
        self.locale.list(&counted.collect::<Vec<_>>())
    }

    fn names(&self, kind: EntityKind) -> Option<Cow<'static, str>> {
        let entities = kind.of(self.insights);
        let name = |key: &String| {
            let found = entities
                .iter()
                .find(|one| one.id.as_ref() == Some(key) || one.name == *key);
            found.map_or_else(|| key.clone(), |one| one.name.clone())
        };
        let names = self.evidence.entities.as_ref()?.iter().map(name).collect();
        let names = self.with_counts(names);
        Some(match kind {
            EntityKind::Technician => self
                .locale
                .message_with("summary-technicians", &[("names", &names)]),
            EntityKind::Service | EntityKind::Area => self
                .locale
                .message_with("summary-services", &[("names", &names)]),
        })
    }

    fn topics(&self) -> Option<Cow<'static, str>> {
        let phrases = self.evidence.topics.as_ref()?.iter().map(|phrase| {
            let words = self.locale.message_with("phrase", &[("phrase", phrase)]);
            words.into_owned()
        });
        let names = self.with_counts(phrases.collect());
        let texts = [("names", names.as_str())];
        Some(self.locale.message_with("summary-topics", &texts))
    }
}
