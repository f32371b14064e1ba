//! The engine that analyzes the texts of a trade, and its selection: the configured engine, otherwise the one for the
//! business's type.

use std::sync::{Arc, OnceLock};

use super::analysis::{Language, LanguageCode};
use super::aspects::RuleEngine;
use super::text::{LanguageDetector, TokenizedText};
use super::trades::{self, HOME_SERVICES, IDS, Trade};
use crate::model::business::Business;

/// The compiled readers of a trade, independent of the business. They are expensive to create and therefore shared.
#[derive(Debug)]
pub struct Engine {
    trade: Trade,
    rules: RuleEngine,
    /// Readers of the trade's other languages, in their order; created on first use.
    others: Vec<OnceLock<RuleEngine>>,
    detector: LanguageDetector,
}

impl Engine {
    #[must_use]
    pub fn new(trade: Trade) -> Self {
        let words = trade.languages.iter().map(Trade::language_words);
        Self {
            rules: RuleEngine::new(&trade),
            others: trade.languages.iter().map(|_| OnceLock::new()).collect(),
            detector: LanguageDetector::new(&words.collect::<Vec<_>>()),
            trade,
        }
    }

    /// The engine for home services, for which the published figures were measured.
    #[must_use]
    pub fn built_in() -> Arc<Self> {
        Self::shipped(HOME_SERVICES)
    }

    /// The engine of the package with that id (one of [`IDS`]), or of the general package for any other id. It is
    /// created on first use and shared.
    #[must_use]
    pub fn shipped(id: &str) -> Arc<Self> {
        static SHIPPED: [OnceLock<Arc<Engine>>; IDS.len()] = [const { OnceLock::new() }; IDS.len()];
        let at = IDS.iter().position(|one| *one == id);
        let at = at.unwrap_or(IDS.len() - 1);
        // A test verifies that every package can be read.
        let make = || Arc::new(Self::new(Trade::shipped(IDS[at]).unwrap_or_default()));
        Arc::clone(SHIPPED[at].get_or_init(make))
    }

    #[must_use]
    pub const fn trade(&self) -> &Trade {
        &self.trade
    }

    /// The rules for English texts.
    #[must_use]
    pub const fn rules(&self) -> &RuleEngine {
        &self.rules
    }

    /// The language of a text with the declared language `declared` (a BCP 47 tag), as far as the trade supports it.
    #[must_use]
    pub fn language(&self, text: &TokenizedText, declared: Option<&str>) -> Language {
        self.detector.language(text, declared)
    }

    /// The trade and the rules for a language, even if none of its findings are published.
    #[must_use]
    pub fn reader(&self, code: LanguageCode) -> Option<(&Trade, &RuleEngine)> {
        if code == LanguageCode::ENGLISH {
            return Some((&self.trade, &self.rules));
        }
        let all = self.trade.languages.iter().zip(&self.others);
        let mut all = all.filter(|(trade, _)| trade.language_words().code == code);
        let (trade, rules) = all.next()?;
        Some((trade, rules.get_or_init(|| RuleEngine::new(trade))))
    }
}

/// Selects the engine for a business.
#[derive(Debug, Clone, Default)]
pub struct Engines {
    set: Option<Arc<Engine>>,
}

impl Engines {
    /// Always this engine.
    #[must_use]
    pub const fn only(engine: Arc<Engine>) -> Self {
        Self { set: Some(engine) }
    }

    /// The configured engine, if there is one.
    #[must_use]
    pub const fn set(&self) -> Option<&Arc<Engine>> {
        self.set.as_ref()
    }

    /// The configured engine; without one, that of the package for the business's type.
    #[must_use]
    pub fn of(&self, business: &Business) -> Arc<Engine> {
        match &self.set {
            Some(engine) => Arc::clone(engine),
            None => Engine::shipped(trades::id_for(&business.kind)),
        }
    }
}

impl From<Arc<Engine>> for Engines {
    fn from(engine: Arc<Engine>) -> Self {
        Self::only(engine)
    }
}
