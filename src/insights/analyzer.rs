//! Analyzes one text: language, judged aspects and named entities. A pure function of the text, the review's
//! metadata, and the business's own data.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use serde::Serialize;
use sha2::{Digest, Sha256};

use super::analysis::{Analysis, Polarity, Sentence, TextLanguage, TextSpan};
use super::decide::{OpinionFinder, TextFindings, WEIGHTS_DIGEST};
use super::language::detect_language;
use super::names::TABLE;
use super::people::Linker;
use super::rules::Trade;
use super::store::{FORMAT, HASH_BYTES};
use super::text::TokenizedText;
use crate::metrics;
use crate::model::business::Business;
use crate::model::{Review, hex};

/// A hash of the engine's results for many texts. It is part of the method hash, so that a changed engine is noticed
/// even if trade, weights and roster are the same. The ignored test `laboratory` recomputes it.
const GOLDEN_HASH: &str = include_str!("golden.sha256");
/// Maximum number of code points of a text that are analysed; longer texts are cut, so that no text takes long.
pub const TEXT_CHARS_MAX: usize = 20_000;

/// The input of an analysis.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct AnalysisInput<'a> {
    /// The text; only the first `TEXT_CHARS_MAX` code points are analysed.
    pub text: &'a str,
    /// Declared language (BCP 47), if recorded.
    pub language: Option<&'a str>,
    /// Name of the author; authors do not mention themselves.
    pub author: &'a str,
    /// Stars, 1 to 5. They may withdraw a judgement; where they are few, a complaint needs less evidence in the text.
    pub stars: u8,
}

impl<'a> AnalysisInput<'a> {
    pub fn of(review: &'a Review) -> Self {
        Self {
            text: &review.text,
            language: review.language.as_deref(),
            author: &review.author,
            stars: review.rating.stars(),
        }
    }

    /// A hash of all fields, 32 hexadecimal digits: the same hash and the same [`Analyzer::method`] mean the same
    /// analysis.
    pub fn hash(&self) -> String {
        digest(self)
    }
}

/// 32 hexadecimal digits of SHA-256 of a value as JSON.
fn digest(value: &impl Serialize) -> String {
    let json = serde_json::to_vec(value).unwrap_or_default();
    hex(&Sha256::digest(json)[..HASH_BYTES])
}

/// Analyzes texts for one business. Rules and names are compiled for the first text, because most commands analyse none.
#[derive(Debug)]
pub struct Analyzer {
    pub trade: &'static Trade,
    business: Business,
    names: OnceLock<Linker>,
    method: String,
}

impl Default for Analyzer {
    fn default() -> Self {
        Self::new(&Business::default(), None)
    }
}

impl Analyzer {
    /// With the `configured` trade, otherwise that for the type of the business.
    pub fn new(business: &Business, configured: Option<&str>) -> Self {
        let version = (GOLDEN_HASH, FORMAT, env!("CARGO_PKG_VERSION"));
        let trade = configured.map_or_else(|| Trade::for_type(&business.kind), Trade::built_in);
        let names = (
            (&business.name, &business.kind),
            (&business.technicians, &business.services),
            (&business.service_areas, &business.language),
        );
        Self {
            trade,
            method: digest(&(version, trade.digest(), &*WEIGHTS_DIGEST, TABLE, names)),
            names: OnceLock::new(),
            business: business.clone(),
        }
    }

    /// A hash of everything that determines the analysis of a text and its storage, 32 hexadecimal digits: engine,
    /// trade, weights, roster, language of the business, storage format.
    pub fn method(&self) -> &str {
        &self.method
    }

    /// Analyzes one text. If a rule panics, the text counts as not analysed, and the error is logged and counted,
    /// because the content of a review must never delay its publication.
    pub fn analyze(&self, subject: &AnalysisInput<'_>) -> Analysis {
        catch_unwind(AssertUnwindSafe(|| self.analyze_text(subject))).unwrap_or_else(|_| {
            metrics::INSIGHTS_FAILURES.count(&["read"]);
            tracing::error!(
                text.hash = subject.hash(),
                "insights.not_read: a text could not be analysed; report it"
            );
            not_analyzed(TextLanguage::Other, Vec::new())
        })
    }

    fn analyze_text(&self, subject: &AnalysisInput<'_>) -> Analysis {
        let original = first_characters(subject.text);
        let declared = subject.language.or(self.business.language.as_deref());
        let mut text = TokenizedText::new(original);
        let language = detect_language(&text, declared);
        if language != TextLanguage::English {
            let spans = text.sentence_spans();
            let sentences = spans.map(|span| Sentence {
                span,
                polarity: Polarity::Neutral,
            });
            return not_analyzed(language, sentences.collect());
        }
        let names = self.names.get_or_init(|| Linker::new(&self.business));
        names.hide_firm(&mut text);
        let TextFindings {
            findings,
            overall,
            parts,
        } = OpinionFinder::built_in(&self.trade.id).analyze(&text, Some(subject.stars));
        let mut mentions = names.mentions(&text, subject.author);
        // `Dan, Zach and Maurice were great`: a part that is only a name says nothing.
        let named: Vec<TextSpan> = mentions.iter().map(|mention| mention.span).collect();
        let is_name = |part: TextSpan| {
            let mut names = named.iter();
            names.any(|name| name.start <= part.start && part.end <= name.end)
        };
        for mention in &mut mentions {
            let mut parts = parts[mention.sentence as usize].iter();
            let part = parts.find(|(span, _)| span.end > mention.span.start && !is_name(*span));
            mention.polarity = part.map_or(Polarity::Neutral, |(_, polarity)| *polarity);
        }
        let polarities = parts.iter().map(|parts| parts.last());
        let polarities = polarities.map(|part| part.map_or(Polarity::Neutral, |part| part.1));
        let sentences = text.sentence_spans().zip(polarities);
        Analysis {
            language,
            sentences: sentences
                .map(|(span, polarity)| Sentence { span, polarity })
                .collect(),
            findings,
            mentions,
            overall,
        }
    }
}

/// The first [`TEXT_CHARS_MAX`] characters of a text.
pub fn first_characters(text: &str) -> &str {
    let end = text.char_indices().nth(TEXT_CHARS_MAX);
    end.map_or(text, |(end, _)| &text[..end])
}

/// The analysis of a text in an unsupported language, or of one that cannot be analyzed.
const fn not_analyzed(language: TextLanguage, sentences: Vec<Sentence>) -> Analysis {
    let overall = (Polarity::Neutral, 0);
    Analysis {
        language,
        sentences,
        findings: Vec::new(),
        mentions: Vec::new(),
        overall,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{AnalysisInput, Analyzer, TEXT_CHARS_MAX};
    use crate::insights::{Polarity, TextLanguage};
    use crate::model::business::{Business, Service, Technician};

    fn analyzer(business: &Business) -> Analyzer {
        Analyzer::new(business, Some("home_services"))
    }

    const fn subject(text: &str) -> AnalysisInput<'_> {
        AnalysisInput {
            text,
            language: None,
            author: "Jane D.",
            stars: 5,
        }
    }

    #[test]
    fn every_input_of_an_analysis_changes_a_hash() {
        let subjects = [
            subject("Great."),
            subject("Great!"),
            AnalysisInput {
                author: "Great.",
                ..subject("Jane D.")
            },
            AnalysisInput {
                stars: 1,
                ..subject("Great.")
            },
            AnalysisInput {
                language: Some("en"),
                ..subject("Great.")
            },
        ];
        assert_eq!(
            subjects
                .iter()
                .map(AnalysisInput::hash)
                .collect::<BTreeSet<_>>()
                .len(),
            subjects.len()
        );
        let technician = Technician {
            id: "t".to_owned(),
            name: "Dana Ray".to_owned(),
            aliases: Vec::new(),
        };
        let firm = Business {
            technicians: vec![technician],
            ..Business::default()
        };
        let place = Business {
            service_areas: vec!["Mesa".to_owned()],
            ..Business::default()
        };
        let german = Business {
            language: Some("de".to_owned()),
            ..Business::default()
        };
        let readers = [
            analyzer(&Business::default()),
            analyzer(&firm),
            analyzer(&place),
            Analyzer::new(&Business::default(), Some("food")),
            analyzer(&german),
        ];
        assert_eq!(
            readers
                .iter()
                .map(Analyzer::method)
                .collect::<BTreeSet<_>>()
                .len(),
            readers.len()
        );
        assert_eq!(analyzer(&Business::default()).method(), readers[0].method());
    }

    #[test]
    fn the_first_of_several_names_has_the_vote_of_all() {
        let names = ["Dan Po", "Zach Lo", "Maurice Fa"];
        let firm = Business {
            technicians: names
                .map(|name| Technician {
                    id: name.to_lowercase(),
                    name: name.to_owned(),
                    aliases: Vec::new(),
                })
                .into(),
            ..Business::default()
        };
        for (text, polarity) in [
            (
                "Dan, Zach and Maurice were a great crew.",
                Polarity::Positive,
            ),
            ("Called Dan, and they were rude.", Polarity::Neutral),
        ] {
            let mentions = analyzer(&firm).analyze(&subject(text)).mentions;
            let first = mentions.first().unwrap();
            assert_eq!(first.polarity, polarity, "{text}: {mentions:?}");
        }
    }

    #[test]
    fn workers_of_other_trades_are_somebody_else() {
        for (kind, text, is_own) in [
            ("Plumber", "The plumber left a mess everywhere.", true),
            ("Plumber", "A plumber came late and left a mess.", true),
            ("Plumber", "The electrician left a mess everywhere.", false),
            (
                "Plumber",
                "A handyman charged me $600 and it leaked.",
                false,
            ),
            ("Plumber", "They sent an electrician, who was rude.", true),
            ("Plumber", "They ruined the drywall left by the tub.", true),
            ("HousePainter", "The plumber was rude and dirty.", false),
            ("LegalService", "The prosecutor was rude to me.", false),
            ("LegalService", "The lawyer was rude to me.", true),
            (
                "Electrician",
                "The electrician left a mess everywhere.",
                true,
            ),
            (
                "Electrician",
                "The roofer left nails all over the driveway.",
                false,
            ),
            (
                "GeneralContractor",
                "The electrician left a mess everywhere.",
                true,
            ),
            (
                "HVACBusiness",
                "The electrician left a mess everywhere.",
                true,
            ),
        ] {
            // A part of a word is no trade: tiles in `Ventilation`, moving in `removal`.
            let services =
                ["Ventilation", "Furnace removal", "Duct cleaning"].map(|name| Service {
                    id: name.to_lowercase(),
                    name: name.to_owned(),
                    synonyms: Vec::new(),
                });
            let firm = Business {
                kind: kind.to_owned(),
                name: "Painted Desert".to_owned(),
                services: services.into(),
                ..Business::default()
            };
            let input = AnalysisInput {
                stars: 1,
                ..subject(text)
            };
            let findings = Analyzer::new(&firm, None).analyze(&input).findings;
            let is_blamed = findings
                .iter()
                .any(|one| one.polarity == Polarity::Negative);
            assert_eq!(is_blamed, is_own, "{kind}: {text}");
        }
    }

    #[test]
    fn a_long_text_is_cut_at_the_limit_between_characters() {
        let analyzer = analyzer(&Business::default());
        let long =
            "They were late. ".repeat(TEXT_CHARS_MAX / 16) + &"🙂".repeat(40) + " Great service!";
        let analysis = analyzer.analyze(&subject(&long));
        assert_eq!(analysis.language, TextLanguage::English);
        assert!(
            analysis
                .sentences
                .iter()
                .all(|one| one.span.end as usize <= TEXT_CHARS_MAX),
            "{:?}",
            analysis.sentences.last()
        );
        let cut: String = long.chars().take(TEXT_CHARS_MAX).collect();
        assert_eq!(analysis, analyzer.analyze(&subject(&cut)));
    }
}
