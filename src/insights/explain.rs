//! Explains an analysis to people: every finding with the sum of its hits, for `reviews insights explain`.

use std::fmt::Write as _;

use super::analysis::{Analysis, Finding, Language, TextSpan};
use super::witness::Witness;

/// The findings of an analysis of `text`, with every hit and its points.
#[must_use]
pub fn explain(text: &str, analysis: &Analysis) -> String {
    let characters: Vec<char> = text.chars().collect();
    let cut = |span: TextSpan| {
        let part = characters
            .get(span.start as usize..span.end as usize)
            .unwrap_or_default();
        part.iter()
            .collect::<String>()
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    };
    let mut told = match analysis.language {
        Language::None => return "The text has no words, so it was not analysed.\n".to_owned(),
        Language::Other => {
            return "The language of the text is not supported, so it was counted and not analysed.\n"
                .to_owned();
        }
        Language::English => String::new(),
        Language::Also(code) => format!("The text was read as `{}`.\n", code.as_str()),
    };
    for (number, sentence) in (0_u32..).zip(&analysis.sentences) {
        let _ = writeln!(told, "{}. {}", number + 1, cut(*sentence));
        for finding in analysis
            .findings
            .iter()
            .filter(|finding| finding.sentence == number)
        {
            tell_finding(&mut told, finding, &cut);
        }
        for mention in analysis
            .mentions
            .iter()
            .filter(|mention| mention.sentence == number)
        {
            let who = mention.candidates.join(" or ");
            let _ = writeln!(
                told,
                "   {} {who} ({}, {:?})",
                mention.kind.name(),
                mention.rule,
                cut(mention.span)
            );
        }
    }
    let (polarity, score) = analysis.overall;
    let _ = writeln!(told, "The text as a whole: {} ({score:+})", polarity.name());
    told
}

fn tell_finding(told: &mut String, finding: &Finding, cut: &impl Fn(TextSpan) -> String) {
    let _ = writeln!(
        told,
        "   {} {} ({:+}, {}) in {:?}",
        finding.aspect,
        finding.polarity.name(),
        finding.score,
        Witness::of(&finding.hits).name(),
        cut(finding.span)
    );
    for hit in &finding.hits {
        let _ = writeln!(
            told,
            "     {:>+4}  {}  {:?}",
            hit.points,
            hit.rule,
            cut(hit.span)
        );
    }
    let sum: i32 = finding.hits.iter().map(|hit| hit.points).sum();
    let _ = writeln!(told, "     {sum:>+4}  sum");
}

#[cfg(test)]
mod tests {
    use super::explain;
    use crate::insights::analysis::{Analysis, Language, Polarity};
    use crate::insights::aspects::RuleEngine;
    use crate::insights::text::TokenizedText;
    use crate::insights::trades::Trade;

    #[test]
    fn an_explanation_shows_every_hit_and_the_sum() {
        let original = "He was not rude.";
        let text = TokenizedText::new(original);
        let judged = RuleEngine::new(&Trade::built_in().unwrap()).analyze(&text);
        let sentences = text
            .sentences()
            .iter()
            .map(|sentence| text.span(sentence.clone()))
            .collect();
        let mut analysis = Analysis {
            language: Language::English,
            sentences,
            findings: judged.findings,
            mentions: Vec::new(),
            overall: (Polarity::Positive, 3),
            phrases: Vec::new(),
        };
        assert_eq!(
            explain(original, &analysis),
            "1. He was not rude.\n   \
             professionalism positive (+3, rule) in \"He was not rude\"\n       \
             -3  phrase:rude  \"rude\"\n       \
             +6  negators:not  \"not\"\n       \
             +3  sum\n\
             The text as a whole: positive (+3)\n"
        );
        analysis.language = Language::Other;
        assert!(explain(original, &analysis).contains("not analysed"));
    }
}
