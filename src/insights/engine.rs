//! What reads the texts of a trade, and which trade that is: the one that is set, else that of the
//! business's type.

use std::sync::{Arc, OnceLock};

use super::analysis::{Language, LanguageCode};
use super::aspects::RuleEngine;
use super::text::{LanguageDetector, TokenizedText};
use super::trades::{self, HOME_SERVICES, IDS, Trade};
use crate::model::business::Business;

/// What reads the texts of a trade, whichever firm they are about. It takes some time to make, so
/// it is shared.
#[derive(Debug)]
pub struct Engine {
    trade: Trade,
    rules: RuleEngine,
    /// What reads the trade's other languages, in their order. Each is made when it is first needed.
    others: Vec<OnceLock<RuleEngine>>,
    detector: LanguageDetector,
}

impl Engine {
    /// An engine for that trade.
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

    /// The engine for home services, which the published figures are about.
    #[must_use]
    pub fn built_in() -> Arc<Self> {
        Self::shipped(HOME_SERVICES)
    }

    /// The engine for the package of that id, one of [`IDS`]; for another id that for whatever
    /// business. Each is made when it is first asked for, and shared from then on.
    #[must_use]
    pub fn shipped(id: &str) -> Arc<Self> {
        static SHIPPED: [OnceLock<Arc<Engine>>; IDS.len()] = [const { OnceLock::new() }; IDS.len()];
        let at = IDS.iter().position(|one| *one == id);
        let at = at.unwrap_or(IDS.len() - 1);
        // A test shows that every package can be read.
        let make = || Arc::new(Self::new(Trade::shipped(IDS[at]).unwrap_or_default()));
        Arc::clone(SHIPPED[at].get_or_init(make))
    }

    /// What the trade's customers judge.
    #[must_use]
    pub const fn trade(&self) -> &Trade {
        &self.trade
    }

    /// What finds that in an English text.
    #[must_use]
    pub const fn rules(&self) -> &RuleEngine {
        &self.rules
    }

    /// The language of a text that was declared to be in `declared` (a BCP 47 tag), as far as the trade has it.
    #[must_use]
    pub fn language(&self, text: &TokenizedText, declared: Option<&str>) -> Language {
        self.detector.language(text, declared)
    }

    /// The trade in the language of that code with what reads it, whether anything of it is published or not.
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

/// Which engine reads for which business.
#[derive(Debug, Clone, Default)]
pub struct Engines {
    set: Option<Arc<Engine>>,
}

impl Engines {
    /// That engine, whatever the business.
    #[must_use]
    pub const fn only(engine: Arc<Engine>) -> Self {
        Self { set: Some(engine) }
    }

    /// The engine that is set, if one is.
    #[must_use]
    pub const fn set(&self) -> Option<&Arc<Engine>> {
        self.set.as_ref()
    }

    /// The engine that reads for `business`: the one that is set, else that of the package for its type.
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
