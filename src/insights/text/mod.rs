//! Splits the text of a review into words and sentences. Comparisons use normalised words; every token keeps its
//! position in the original, so that findings can be shown in the customer's words.

mod language;
mod language_words;
mod sentences;
mod tokens;

use std::ops::Range;
use std::sync::Arc;

use super::analysis::TextSpan;
pub use language::LanguageDetector;
pub use language_words::{LanguageWords, NameCues, Negation, TokenRole, WordSet};
pub use tokens::Fingerprint;

/// How a token is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Capitalisation {
    /// No upper-case letters: `great`, `don't`
    Lower,
    /// Only the first letter is upper case: `Great`, `I`
    Capitalised,
    /// `AC`, `NOT`: two or more letters, all upper case
    Upper,
    /// Any other mixture of cases: `DeShawn`
    Mixed,
    /// Begins with a digit: `24`, `7:30`, `2,400`, `5th`
    Number,
    /// Any other character as a token of its own; a repeated character is one token: `.`, `!!!`, `$`, an emoji
    Mark,
}

/// A word, a number or a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// Position in the original text.
    pub span: TextSpan,
    pub shape: Capitalisation,
    /// Whether white space, a hyphen or the beginning of the text precedes it.
    pub is_apart: bool,
    /// Whether it begins a line.
    pub begins_line: bool,
    /// Fingerprint of the normalised token, which is the key of all word tables.
    pub fingerprint: u64,
    start: u32,
    end: u32,
}

/// A text with its tokens and sentences.
#[derive(Debug, Clone)]
pub struct TokenizedText {
    words: Arc<LanguageWords>,
    normal: String,
    tokens: Vec<Token>,
    sentences: Vec<Range<usize>>,
}

impl TokenizedText {
    /// Tokenizes an English text.
    #[must_use]
    pub fn new(original: &str) -> Self {
        Self::of(original, LanguageWords::english())
    }

    /// Tokenizes a text in the language of `words`.
    #[must_use]
    pub fn of(original: &str, words: &Arc<LanguageWords>) -> Self {
        let (normal, tokens) = tokens::cut(original, words.ignores_accents);
        let mut text = Self {
            words: Arc::clone(words),
            normal,
            tokens,
            sentences: Vec::new(),
        };
        text.sentences = sentences::cut(&text);
        text
    }

    /// The data of the text's language.
    #[must_use]
    pub fn language_words(&self) -> &LanguageWords {
        &self.words
    }

    #[must_use]
    pub fn is_among(&self, token: usize, words: &WordSet) -> bool {
        let token = self.tokens.get(token);
        token.is_some_and(|token| words.contains(&token.fingerprint))
    }

    #[must_use]
    pub fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// The sentences as ranges of tokens, in order and never empty; together they contain all tokens.
    #[must_use]
    pub fn sentences(&self) -> &[Range<usize>] {
        &self.sentences
    }

    /// The normalised token: lower case, straight apostrophes, `a/c` and `A.C.` as `ac`.
    #[must_use]
    pub fn word(&self, token: usize) -> &str {
        let token = &self.tokens[token];
        &self.normal[token.start as usize..token.end as usize]
    }

    /// All words, normalised and separated by spaces.
    fn normal_words(&self) -> String {
        (0..self.tokens.len())
            .map(|token| self.word(token))
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// The first position in `tokens` at which these words occur in a row.
    #[must_use]
    pub fn position_of<W: AsRef<str>>(&self, tokens: &Range<usize>, words: &[W]) -> Option<usize> {
        tokens.clone().find(|at| {
            words
                .iter()
                .enumerate()
                .all(|(step, word)| at + step < tokens.end && self.word(at + step) == word.as_ref())
        })
    }

    /// The tokens that begin within `span` of the original.
    #[must_use]
    pub fn tokens_in(&self, span: TextSpan) -> Range<usize> {
        let before = |place: u32| {
            self.tokens
                .partition_point(|token| token.span.start < place)
        };
        before(span.start)..before(span.end)
    }

    /// The position of a range of tokens in the original.
    #[must_use]
    pub fn span(&self, tokens: Range<usize>) -> TextSpan {
        match self
            .tokens
            .get(tokens)
            .and_then(|tokens| Some((tokens.first()?, tokens.last()?)))
        {
            Some((first, last)) => TextSpan {
                start: first.span.start,
                end: last.span.end,
            },
            None => TextSpan::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Capitalisation, TokenizedText};

    fn words(original: &str) -> Vec<String> {
        let text = TokenizedText::new(original);
        (0..text.tokens().len())
            .map(|token| text.word(token).to_owned())
            .collect()
    }

    fn sentences(original: &str) -> Vec<String> {
        let text = TokenizedText::new(original);
        let characters: Vec<char> = original.chars().collect();
        let cut = |range: &std::ops::Range<usize>| {
            let span = text.span(range.clone());
            characters[span.start as usize..span.end as usize]
                .iter()
                .collect()
        };
        text.sentences().iter().map(cut).collect()
    }

    #[test]
    fn words_are_compared_in_lower_case_with_straight_apostrophes_and_joined_acronyms() {
        assert_eq!(
            words("Didn\u{2019}t the A/C, a.c. or H.V.A.C. work?"),
            ["didn't", "the", "ac", ",", "ac", "or", "hvac", "work", "?"]
        );
        assert_eq!(
            words("tune-up at 7:30 p.m. for $2,400.50!!!"),
            [
                "tune", "up", "at", "7:30", "pm", "for", "$", "2,400.50", "!"
            ]
        );
    }

    #[test]
    fn every_token_keeps_its_place_in_the_original_in_code_points() {
        let original = "😀 Él fixed the A/C — “great”…";
        let text = TokenizedText::new(original);
        let characters: Vec<char> = original.chars().collect();
        let cut: Vec<String> = text
            .tokens()
            .iter()
            .map(|token| {
                characters[token.span.start as usize..token.span.end as usize]
                    .iter()
                    .collect()
            })
            .collect();
        assert_eq!(
            cut,
            [
                "😀", "Él", "fixed", "the", "A/C", "—", "“", "great", "”", "…"
            ]
        );
    }

    #[test]
    fn a_full_stop_after_an_abbreviation_or_an_initial_does_not_end_a_sentence() {
        assert_eq!(
            sentences(
                "Mr. Hale came at 9 a.m. sharp. Mike S. fixed it (again!) for us! Great...really great. No leak?"
            ),
            [
                "Mr. Hale came at 9 a.m. sharp.",
                "Mike S. fixed it (again!) for us!",
                "Great...really great.",
                "No leak?"
            ]
        );
    }

    #[test]
    fn a_full_stop_in_a_date_does_not_end_a_sentence() {
        for one in [
            "They came on 15.03.21 and fixed the tap.",
            "On 3.5.2024 the boiler was put in.",
            "Booked on 01.12. and finished on 04.12. as agreed.",
            "We called on 7. 11. 2025 and again a day later.",
            "Since 24. 6. the heating is off.",
            "From 28.02. to 03.03. nobody came.",
        ] {
            assert_eq!(sentences(one), [one]);
        }
        for (text, count) in [
            ("They came at 7. It took an hour.", 2),
            ("Built in 2019. 3 rooms were wet.", 2),
            ("I paid 12.50. They gave no bill.", 2),
            ("It was the 15.03.21. They never came.", 2),
            ("We live at number 12. 4 vans came.", 2),
        ] {
            assert_eq!(sentences(text).len(), count, "{text}");
        }
    }

    #[test]
    fn sentences_hold_all_tokens_in_order_whatever_the_text() {
        for original in [
            "",
            " \n ",
            "...",
            "one\n\ntwo",
            "a. b. c.",
            "!?!?",
            "Ok.Next one. x",
        ] {
            let text = TokenizedText::new(original);
            let mut at = 0;
            for sentence in text.sentences() {
                assert_eq!(sentence.start, at, "{original:?}");
                assert!(sentence.end > at, "{original:?}");
                at = sentence.end;
            }
            assert_eq!(at, text.tokens().len(), "{original:?}");
        }
    }

    #[test]
    fn shapes_tell_how_a_word_is_written() {
        let text = TokenizedText::new("AC DeShawn Will it 24/7 I AC's");
        let shapes: Vec<Capitalisation> = text.tokens().iter().map(|token| token.shape).collect();
        assert_eq!(
            shapes,
            [
                Capitalisation::Upper,
                Capitalisation::Mixed,
                Capitalisation::Capitalised,
                Capitalisation::Lower,
                Capitalisation::Number,
                Capitalisation::Mark,
                Capitalisation::Number,
                Capitalisation::Capitalised,
                Capitalisation::Upper
            ]
        );
    }

    fn spanish() -> std::sync::Arc<super::LanguageWords> {
        let text = include_str!("../trades/shared/es/language.toml");
        super::LanguageWords::parse(text).unwrap().into()
    }

    #[test]
    fn words_are_compared_without_accents_where_the_language_says_so_and_keep_their_places() {
        let original =
            "¡Llegó a la hora! ¿Mañana 24/7? El señor Núñez, aprox. a las 7. Gracias, Sra. Peña.";
        let text = TokenizedText::of(original, &spanish());
        let words: Vec<&str> = (0..text.tokens().len()).map(|at| text.word(at)).collect();
        assert_eq!(
            words.join(" "),
            "¡ llego a la hora ! ¿ manana 24 / 7 ? el senor nunez , aprox . a las 7 . gracias , sra . pena ."
        );
        let characters: Vec<char> = original.chars().collect();
        let cut = |range: &std::ops::Range<usize>| -> String {
            let span = text.span(range.clone());
            characters[span.start as usize..span.end as usize]
                .iter()
                .collect()
        };
        let sentences: Vec<String> = text.sentences().iter().map(cut).collect();
        assert_eq!(
            sentences,
            [
                "¡Llegó a la hora!",
                "¿Mañana 24/7?",
                "El señor Núñez, aprox. a las 7.",
                "Gracias, Sra. Peña."
            ]
        );
    }

    #[test]
    fn words_are_bent_by_the_endings_of_their_language() {
        let spanish = spanish();
        for (base, form) in [
            ("llegar", "llegue"),
            ("contestar", "contestaron"),
            ("explicar", "explique"),
            ("cumplir", "cumplieron"),
            ("sucio", "sucias"),
            ("puntual", "puntuales"),
            ("ladrón", "ladrones"),
            ("veloz", "veloces"),
        ] {
            assert!(
                spanish.forms(base).contains(&form.to_owned()),
                "{base} {form}"
            );
        }
    }

    #[test]
    fn another_language_is_told_by_its_words_and_english_stays_english() {
        use crate::insights::analysis::{Language, LanguageCode};
        let spanish = spanish();
        let detector = super::LanguageDetector::new(&[&spanish]);
        let language =
            |text: &str, declared| detector.language(&TokenizedText::new(text), declared);
        let es = Language::Also(LanguageCode::find("es").unwrap());
        for text in [
            "Vinieron a cambiar la llave de paso y dos mangueras del lavabo, todo muy limpio y rapido.",
            "Excelente servicio",
            "Muy amable el señor",
            "No vino nadie.",
            "Llegaron a tiempo.",
            "se me dano el AC y llegaron en una hora, muy buen trabajo y el estimate fue justo",
            "BUENA GENTE Y TRABAJO FINO, QUE MAS SE PUEDE PEDIR",
        ] {
            assert_eq!(language(text, None), es, "{text}");
        }
        for text in [
            "They came on time and fixed the leak under our sink.",
            "great service!!",
            "No problem!",
            "La Mesa plumbers rock!",
            "Our contractor from El Paso did a great job on the casa.",
            "Con man!",
        ] {
            assert_eq!(language(text, None), Language::English, "{text}");
        }
        for text in [
            "Muito bom, recomendo a todos, o pessoal é muito educado e chegaram no horário combinado.",
            "Ottimo servizio, sono arrivati subito e il prezzo era giusto, li consiglio a tutti quanti.",
            "Sie kamen um acht und haben die Heizung sofort repariert, alles sauber und freundlich.",
        ] {
            assert_eq!(language(text, None), Language::Other, "{text}");
        }
        assert_eq!(
            language("Recomendados!!", Some("es-MX")),
            es,
            "what is declared"
        );
        let english = "They came on time and fixed the leak under our sink.";
        assert_eq!(
            language(english, Some("es")),
            Language::English,
            "is no reason"
        );
        assert_eq!(language("キッチン", Some("es")), Language::Other);
    }

    #[test]
    fn a_language_is_known_by_its_words_and_a_few_words_by_what_was_declared() {
        use crate::insights::analysis::Language;
        let english = super::LanguageDetector::default();
        let language = |text: &str, declared| english.language(&TokenizedText::new(text), declared);
        assert_eq!(
            language("They came on time and fixed the leak under our sink.", None),
            Language::English
        );
        assert_eq!(language("great service!!", None), Language::English);
        assert_eq!(
            language("great service!!", Some("en-US")),
            Language::English
        );
        assert_eq!(language("Muy amable", Some("es")), Language::Other);
        assert_eq!(
            language(
                "Vinieron a cambiar la llave de paso y dos mangueras del lavabo, todo muy limpio y rapido.",
                None
            ),
            Language::Other
        );
        assert_eq!(
            language(
                "Sie kamen um acht und haben die Heizung sofort repariert, alles sauber und freundlich.",
                None
            ),
            Language::Other
        );
        assert_eq!(
            language("キッチンの蛇口交換をお願いしました。", None),
            Language::Other
        );
        assert_eq!(language("😀 !!! 5", None), Language::None);
        assert_eq!(
            language("😀 5/5 !!!", None),
            Language::English,
            "a mark is a judgement"
        );
        assert_eq!(language("", Some("en")), Language::None);
    }
}
