//! Reading one text: language, what is judged, whom and what it names, which phrases it has. A pure function of the text,
//! of what is known about it, and of what the firm says about itself; whoever has the same has the same reading.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, LazyLock};

use sha2::{Digest, Sha256};

use super::aspects::{Judge, Judged};
use super::compile::topics;
use super::model::Model;
use super::names::Names;
use super::reading::{Language, Polarity, Reading, Span};
use super::text::Text;
use super::trade::Trade;
use crate::business::Business;
use crate::hash::hex;
use crate::reviews::{Mentions, Review};

/// Raised whenever the same text may give another reading although trade, weights and roster are the same.
const ENGINE_VERSION: u32 = 2;
/// How much of a text is read, in code points: what is longer is read up to here, so that no text can take long.
pub const TEXT_CHARS_MAX: usize = 20_000;
/// How many bytes of SHA-256 tell texts and methods apart.
const HASH_BYTES: usize = 16;

/// What is read, and what is known about it.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// The review's text.
    pub text: &'a str,
    /// Its language, BCP 47, where that was recorded.
    pub language: Option<&'a str>,
    /// Who wrote it: nobody speaks of himself by name.
    pub author: &'a str,
    /// What was recorded to be mentioned.
    pub recorded: &'a Mentions,
}

impl<'a> Subject<'a> {
    /// What there is to read in `review`.
    #[must_use]
    pub fn of(review: &'a Review) -> Self {
        Self { text: &review.text, language: review.language.as_deref(), author: &review.author, recorded: &review.mentions }
    }

    /// A hash of all of it, 32 hexadecimal digits: with the same hash and the same [`Reader::method`] comes the same reading.
    #[must_use]
    pub fn hash(&self) -> String {
        let Self { text, language, author, recorded: Mentions { technicians, services, service_areas } } = self;
        let mut hash = Sha256::new();
        add(&mut hash, text);
        add(&mut hash, language.unwrap_or_default());
        add(&mut hash, author);
        for values in [technicians, services, service_areas] {
            hash.update((values.len() as u64).to_le_bytes());
            values.iter().for_each(|value| add(&mut hash, value));
        }
        digits(hash)
    }
}

/// Adds a text with its length, so that no two lists of texts are the same.
fn add(hash: &mut Sha256, text: &str) {
    hash.update((text.len() as u64).to_le_bytes());
    hash.update(text);
}

fn digits(hash: Sha256) -> String {
    hex(&hash.finalize()[..HASH_BYTES])
}

/// What reads the texts of a trade, whichever firm they are about. It takes some time to make, so it is shared.
#[derive(Debug)]
pub struct Engine {
    trade: Trade,
    judge: Judge,
    is_built_in: bool,
}

impl Engine {
    /// An engine for that trade.
    #[must_use]
    pub fn new(trade: Trade) -> Self {
        Self { judge: Judge::new(&trade), trade, is_built_in: false }
    }

    /// The engine for the built-in trade.
    #[must_use]
    pub fn built_in() -> Arc<Self> {
        static BUILT_IN: LazyLock<Arc<Engine>> = LazyLock::new(|| {
            let engine = Engine::new(Trade::built_in().unwrap_or_default());
            Arc::new(Engine { is_built_in: true, ..engine })
        });
        Arc::clone(&BUILT_IN)
    }

    /// What the trade's customers judge.
    #[must_use]
    pub const fn trade(&self) -> &Trade {
        &self.trade
    }

    /// Whether the trade is the one that is built in, which the published figures are about.
    #[must_use]
    pub const fn is_built_in(&self) -> bool {
        self.is_built_in
    }

    /// What finds that in a text.
    #[must_use]
    pub const fn judge(&self) -> &Judge {
        &self.judge
    }
}

/// Reads texts for one firm.
#[derive(Debug)]
pub struct Reader {
    engine: Arc<Engine>,
    names: Names,
    method: String,
}

impl Default for Reader {
    fn default() -> Self {
        Self::new(&Business::default(), &Engine::built_in())
    }
}

impl Reader {
    /// A reader for the reviews of `business`.
    #[must_use]
    pub fn new(business: &Business, engine: &Arc<Engine>) -> Self {
        let names = Names::new(business);
        let mut hash = Sha256::new();
        hash.update(ENGINE_VERSION.to_le_bytes());
        add(&mut hash, env!("CARGO_PKG_VERSION"));
        add(&mut hash, engine.trade.digest());
        add(&mut hash, engine.judge.detector().digest());
        add(&mut hash, engine.judge.model().map_or("", Model::digest));
        add(&mut hash, names.digest());
        Self { engine: Arc::clone(engine), names, method: digits(hash) }
    }

    /// A hash of all that decides what a text says, 32 hexadecimal digits: engine, trade, weights, roster.
    #[must_use]
    pub fn method(&self) -> &str {
        &self.method
    }

    /// What reads, whichever firm it is about.
    #[must_use]
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// What the firm's customers judge.
    #[must_use]
    pub fn trade(&self) -> &Trade {
        &self.engine.trade
    }

    /// Reads one text. If a rule fails, the text counts as not analysed, and the failure is logged and counted: no review
    /// is ever held back by what it says.
    #[must_use]
    pub fn read(&self, subject: &Subject<'_>) -> Reading {
        catch_unwind(AssertUnwindSafe(|| self.read_it(subject))).unwrap_or_else(|_| {
            metrics::counter!("insights_failures_total", "what" => "read").increment(1);
            tracing::error!(text.hash = subject.hash(), "insights.not_read: a text could not be analysed; report it");
            unanalysed(Language::Other, Vec::new())
        })
    }

    fn read_it(&self, subject: &Subject<'_>) -> Reading {
        let end = subject.text.char_indices().nth(TEXT_CHARS_MAX).map_or(subject.text.len(), |(at, _)| at);
        let text = Text::new(&subject.text[..end]);
        let sentences = text.sentences().iter().map(|sentence| text.span(sentence.clone())).collect();
        let language = text.language(subject.language);
        if language != Language::English {
            return unanalysed(language, sentences);
        }
        let Judged { findings, overall } = self.engine.judge.judge(&text);
        let mentions = self.names.mentions(&text, subject.author, subject.recorded);
        Reading { language, sentences, findings, mentions, overall, phrases: topics::phrases(&text) }
    }
}

/// What a text says that is not analysed.
const fn unanalysed(language: Language, sentences: Vec<Span>) -> Reading {
    let overall = (Polarity::Neutral, 0);
    Reading { language, sentences, findings: Vec::new(), mentions: Vec::new(), overall, phrases: Vec::new() }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Engine, Reader, Subject, TEXT_CHARS_MAX};
    use crate::business::{Business, Technician};
    use crate::insights::{Language, Trade};
    use crate::reviews::Mentions;

    fn subject<'a>(text: &'a str, recorded: &'a Mentions) -> Subject<'a> {
        Subject { text, language: None, author: "Jane D.", recorded }
    }

    #[test]
    fn whatever_decides_a_reading_is_in_its_two_hashes() {
        let (none, some) = (Mentions::default(), Mentions::new(vec!["A".to_owned()], Vec::new(), Vec::new()));
        let other = Mentions::new(Vec::new(), vec!["A".to_owned()], Vec::new());
        let subjects = [
            subject("Great.", &none),
            subject("Great!", &none),
            subject("Great.", &some),
            subject("Great.", &other),
            Subject { author: "Great.", ..subject("Jane D.", &none) },
            Subject { language: Some("en"), ..subject("Great.", &none) },
        ];
        assert_eq!(subjects.iter().map(Subject::hash).collect::<BTreeSet<_>>().len(), subjects.len());
        let technician = Technician { id: "t".to_owned(), name: "Dana Ray".to_owned(), aliases: Vec::new() };
        let firm = Business { technicians: vec![technician], ..Business::default() };
        let plain = std::sync::Arc::new(Engine::new(Trade::default()));
        let readers = [Reader::default(), Reader::new(&firm, &Engine::built_in()), Reader::new(&Business::default(), &plain)];
        assert_eq!(readers.iter().map(Reader::method).collect::<BTreeSet<_>>().len(), readers.len());
        assert_eq!(Reader::default().method(), readers[0].method());
        let described = Business { description: Some("New".to_owned()), ..Business::default() };
        assert_eq!(Reader::new(&described, &Engine::built_in()).method(), readers[0].method(), "says nothing about texts");
    }

    #[test]
    fn a_text_is_read_up_to_a_bound_and_no_character_is_cut() {
        let none = Mentions::default();
        let reader = Reader::default();
        let long = "They were late. ".repeat(TEXT_CHARS_MAX / 16) + &"🙂".repeat(40) + " Great service!";
        let reading = reader.read(&subject(&long, &none));
        assert_eq!(reading.language, Language::English);
        assert!(reading.sentences.iter().all(|span| span.end as usize <= TEXT_CHARS_MAX), "{:?}", reading.sentences.last());
        let cut: String = long.chars().take(TEXT_CHARS_MAX).collect();
        assert_eq!(reading, reader.read(&subject(&cut, &none)));
    }

    #[test]
    fn what_is_not_english_or_has_no_words_is_counted_and_not_analysed() {
        let none = Mentions::default();
        for (text, language) in
            [("", Language::None), ("👍👍", Language::None), ("Muy buen servicio, llegaron a tiempo.", Language::Other)]
        {
            let reading = Reader::default().read(&subject(text, &none));
            assert_eq!(reading.language, language, "{text}");
            assert!(reading.findings.is_empty() && reading.mentions.is_empty() && reading.phrases.is_empty(), "{text}");
        }
    }
}
