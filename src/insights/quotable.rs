//! Which sentences can be quoted by themselves: those that are whole, of a readable length, do not depend on the previous
//! one, and say about this business what they are quoted for.

use std::ops::{Range, RangeInclusive};

use super::analysis::{Finding, Hit, Polarity};
use super::text::{Capitalisation, TokenizedText};
use super::words::LanguageWords;

/// Length of a quote in code points: shorter sentences have too little content, and longer ones are not read.
const QUOTE_LENGTH: RangeInclusive<usize> = 25..=220;
/// Maximum number of words before a colon that marks a label: `Day 6: no one came.`
const LABEL_WORDS: usize = 3;
/// Characters that are allowed before the first word.
const QUOTE_OPENING: [char; 6] = ['"', '\'', '(', '[', '\u{201c}', '\u{2018}'];
/// Characters that are allowed after the last mark.
const QUOTE_CLOSING: [char; 6] = ['"', '\'', ')', ']', '\u{201d}', '\u{2019}'];

/// Whether `sentence`, as a range of bytes of a text, can be quoted. It must follow the beginning of the text or the end
/// of a sentence. It must begin in upper case, without a label, and end with its mark or with the text.
pub fn is_quotable(text: &str, sentence: Range<usize>) -> bool {
    let (before, after) = (&text[..sentence.start], &text[sentence.end..]);
    let sentence = &text[sentence];
    QUOTE_LENGTH.contains(&sentence.chars().count())
        && begins_behind(before)
        && begins_well(sentence)
        && (ends_with_mark(sentence) || after.trim_start().is_empty())
        && !sentence.ends_with("..")
        && !sentence.ends_with('\u{2026}')
        && is_closed(sentence)
}

/// Whether a sentence can begin after `before`: at the beginning of the text, after the end of another sentence, or in
/// a new paragraph.
fn begins_behind(before: &str) -> bool {
    let words = before.trim_end();
    let lines = before[words.len()..].matches('\n').count();
    words.is_empty() || ends_with_mark(words) || lines > 1
}

fn begins_well(sentence: &str) -> bool {
    let sentence = sentence.strip_prefix(QUOTE_OPENING).unwrap_or(sentence);
    let mut words = sentence.split_whitespace().take(LABEL_WORDS);
    sentence.starts_with(|letter: char| letter.is_alphabetic() && !letter.is_lowercase())
        && !words.any(|word| word.ends_with(':'))
}

/// Whether the words that judge stand in the clause of the finding. An opinion word needs the words for the aspect beside
/// it; without them, it is unknown what the sentence praises or blames.
pub fn is_stated(finding: &Finding) -> bool {
    let is_beside =
        |hit: &&Hit| hit.span.start >= finding.span.start && hit.span.end <= finding.span.end;
    let mut hits = finding.hits.iter().filter(is_beside);
    let names_aspect = hits.clone().any(|hit| hit.points == 0);
    hits.any(|hit| match hit.rule.split(':').next() {
        Some("phrase") => hit.points != 0,
        Some("lexicon") => names_aspect,
        _ => false,
    })
}

/// Maximum number of sums and of numbers in a quote; more are a list of prices or dates.
const SUMS_QUOTED: usize = 1;
const NUMBERS_QUOTED: usize = 3;

/// Whether a sentence says by itself that this business is praised or blamed. Questions, lists of figures,
/// sentences that depend on the previous one, and those with the phrases of the language for hopes, duties and other businesses do not.
pub fn says_by_itself(text: &TokenizedText, sentence: Range<usize>, polarity: Polarity) -> bool {
    let words = LanguageWords::english();
    let phrases = [
        (true, &words.no_quote),
        (polarity == Polarity::Positive, &words.no_praise),
        (polarity == Polarity::Negative, &words.no_blame),
    ];
    let tokens = &text.tokens()[sentence.clone()];
    let fingerprints: Vec<u64> = tokens.iter().map(|token| token.fingerprint).collect();
    let has_phrase = (0..fingerprints.len()).any(|at| {
        let mut phrases = phrases.iter();
        phrases.any(|(applies, phrases)| *applies && phrases.begins(&fingerprints[at..]))
    });
    let is_sum =
        |at: &usize| matches!(text.word(*at), "$" | "€" | "£") || text.is_among(*at, &words.money);
    let is_question = sentence.clone().any(|at| text.word(at) == "?");
    let numbers = tokens.iter();
    let numbers = numbers.filter(|token| token.shape == Capitalisation::Number);
    !has_phrase
        && !is_question
        && !leans(text, sentence.clone())
        && sentence.filter(is_sum).count() <= SUMS_QUOTED
        && numbers.count() <= NUMBERS_QUOTED
}

/// Whether the first word depends on the previous sentence: a conjunction, a date, or a pronoun without its noun.
fn leans(text: &TokenizedText, sentence: Range<usize>) -> bool {
    let words = LanguageWords::english();
    let mut sentence = sentence.skip_while(|at| text.has_shape(*at, Capitalisation::Mark));
    let Some(first) = sentence.next() else {
        return true;
    };
    text.is_among(first, &words.leaning)
        || text.is_among(first, &words.months) && text.has_shape(first + 1, Capitalisation::Number)
        || text.is_among(first, &words.pointers) && !text.is_among(first + 1, &words.pointed)
}

fn ends_with_mark(words: &str) -> bool {
    let words = words.trim_end_matches(QUOTE_CLOSING);
    words.ends_with(['.', '!', '?', '\u{2026}'])
}

/// Whether all quotation marks and brackets are closed, so that the quote is complete.
fn is_closed(sentence: &str) -> bool {
    let opening = sentence.matches(['(', '[', '\u{201c}']).count();
    let closing = sentence.matches([')', ']', '\u{201d}']).count();
    opening == closing && sentence.matches('"').count().is_multiple_of(2)
}

#[cfg(test)]
mod tests {
    use super::{is_quotable, is_stated, says_by_itself};
    use crate::insights::analysis::{Finding, Hit, Polarity, TextSpan};
    use crate::insights::text::TokenizedText;
    use crate::wire::Witness;

    /// Whether the part of `text` between the bars can be quoted.
    fn can_be_quoted(text: &str) -> bool {
        let parts: Vec<&str> = text.split('|').collect();
        let [before, quoted, after] = parts.as_slice() else {
            panic!("{text}")
        };
        let whole = [*before, *quoted, *after].concat();
        is_quotable(&whole, before.len()..before.len() + quoted.len())
    }

    #[test]
    fn complete_independent_sentences_can_be_quoted() {
        for text in [
            "|They came on time and were polite.| Would call again.",
            "Great. |He left the yard cleaner than it was!|",
            "\"Great.\" |Priya said \"no problem\" and fixed it (twice).| Bye.",
            "Great job\n\n|They came on time and were polite| ",
            "|\u{201c}Done right the first time,\u{201d} as they say.|",
            "|Über kind people, every one of them.|",
        ] {
            assert!(can_be_quoted(text), "{text}");
        }
    }

    #[test]
    fn clauses_fragments_and_dependent_sentences_are_not_quoted() {
        let long = format!("|They {}came.|", "really ".repeat(31));
        for text in [
            "They came, |and showed me how to clean the tank.|",
            "Fixed it |They came on time and were polite.|",
            "We hired\n|Mike to put in a new water heater.|",
            "Nice. |and saved us around four hundred dollars.|",
            "Nice. |2 hours later they were at our door.|",
            "Nice. |$40 for a valve is more than fair here.|",
            "|told me it had maybe two winters left.|",
            "|They came on time and were polite| and more",
            "|Went with someone else.|",
            "|He said \"no problem and fixed it that day.| Really.\"",
            "|I had a surprise bill of $150 for \u{2026}|",
            "|He is reasonably priced, and when it comes to his work...| Well.",
            "|Day 6: a different person who could not find it.|",
            "|\u{1f335} Always on time, always nice to us.|",
            long.as_str(),
        ] {
            assert!(!can_be_quoted(text), "{text}");
        }
    }

    #[test]
    fn certain_quote_names_the_aspect() {
        let place = |(start, end)| TextSpan { start, end };
        let states = |hits: &[(&str, i32, (u32, u32))]| {
            let hit = |(rule, points, span): &(&str, i32, _)| Hit {
                rule: (*rule).to_owned(),
                points: *points,
                span: place(*span),
            };
            is_stated(&Finding {
                aspect: "price".to_owned(),
                sentence: 0,
                span: place((0, 20)),
                polarity: Polarity::Positive,
                witness: Witness::Rule,
                score: 3,
                confidence: 70,
                hits: hits.iter().map(hit).collect(),
            })
        };
        let (name, opinion) = (("phrase:price", 0, (0, 5)), ("lexicon:fair", 3, (6, 10)));
        assert!(states(&[("phrase:fair_price", 3, (0, 10))]));
        assert!(states(&[name, opinion]));
        assert!(!states(&[opinion]));
        assert!(!states(&[name, ("lexicon:fair", 3, (30, 34))]));
        assert!(!states(&[name, ("examples:fair", 3, (6, 10))]));
    }

    #[test]
    fn sentences_without_the_claimed_polarity_are_not_quoted() {
        let says = |text: &str, polarity| {
            let text = TokenizedText::new(text);
            says_by_itself(&text, 0..text.tokens().len(), polarity)
        };
        for text in [
            "They were on time and very polite.",
            "I would recommend them to everybody.",
            "We could not be happier with the new boiler.",
            "This company is the best in town.",
            "These guys were on time and very polite.",
        ] {
            assert!(says(text, Polarity::Positive), "{text}");
        }
        for text in [
            "In this range of prices, honest advice would be fitting.",
            "Good manners for a professional company.",
            "Thank you very much for nothing.",
            "Would it not be great if they were on time?",
            "I hope that the next visit is as good as they say.",
            "The other company was great and very fast.",
            "Apparently the crew is great and very fast.",
            "March 3 was great for us and very fast.",
            "And they were on time and very polite.",
            "But saved us around four hundred dollars.",
            "This is also the most expensive part of the plan.",
            "It was the best visit of the year.",
            "That made them great for us.",
            "Both were on time and very polite.",
            "If you don't mind rude staff, the food is great.",
            "I expected him to be on time and polite.",
            "Stop there for a quick bite before the theatre.",
            "The good one costs $89, the great one $120.",
            "Two days later they were at our door and very polite.",
        ] {
            assert!(!says(text, Polarity::Positive), "{text}");
        }
        for text in [
            "I called because the old heater was bad and broken.",
            "With two children, my monthly bills are terrible.",
            "I can't imagine waiting for an hour to be seated.",
            "The wait was a bit long, and it was well worth it.",
            "It was packed, and I should have booked a table.",
            "We waited 15 minutes for our order, which was fine.",
            "Similarly, nobody apologised for the terrible delay.",
        ] {
            assert!(!says(text, Polarity::Negative), "{text}");
        }
        assert!(says("A call would have been nice.", Polarity::Negative));
    }
}
