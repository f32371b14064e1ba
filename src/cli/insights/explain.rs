//! Explains how a review was analyzed: every finding with its hits and points, every name with its rule.

use std::fmt::Write as _;

use crate::insights::{Analysis, Finding, TextLanguage, TextSpan, witness};

/// The findings of an analysis of `text`, with every hit and its points.
pub fn explain(text: &str, analysis: &Analysis) -> String {
    let cut = |span: TextSpan| {
        let words = span.of(text).unwrap_or_default().split_whitespace();
        words.collect::<Vec<_>>().join(" ")
    };
    let mut report = match analysis.language {
        TextLanguage::None => return "The text has no words, so it was not analysed.\n".to_owned(),
        TextLanguage::Other => {
            return "The language of the text is not supported, so it was counted and not analysed.\n"
                .to_owned();
        }
        TextLanguage::English => String::new(),
        TextLanguage::Also(code) => format!("The text was read as `{}`.\n", code.as_str()),
    };
    for (number, sentence) in (0_u32..).zip(&analysis.sentences) {
        let _ = writeln!(report, "{}. {}", number + 1, cut(*sentence));
        let findings = analysis.findings.iter();
        for finding in findings.filter(|finding| finding.sentence == number) {
            write_finding(&mut report, finding, &cut);
        }
        let mentions = analysis.mentions.iter();
        for mention in mentions.filter(|mention| mention.sentence == number) {
            let names = mention.candidates.join(" or ");
            let _ = writeln!(
                report,
                "   {} {names} ({}, {:?})",
                mention.kind.name(),
                mention.rule,
                cut(mention.span)
            );
        }
    }
    let (polarity, score) = analysis.overall;
    let _ = writeln!(
        report,
        "The text as a whole: {} ({score:+})",
        polarity.name()
    );
    report
}

fn write_finding(report: &mut String, finding: &Finding, cut: &impl Fn(TextSpan) -> String) {
    let _ = writeln!(
        report,
        "   {} {} ({:+}, {}) in {:?}",
        finding.aspect,
        finding.polarity.name(),
        finding.score,
        witness(&finding.hits).name(),
        cut(finding.span)
    );
    for hit in &finding.hits {
        let _ = writeln!(
            report,
            "     {:>+4}  {}  {:?}",
            hit.points,
            hit.rule,
            cut(hit.span)
        );
    }
    let sum: i32 = finding.hits.iter().map(|hit| hit.points).sum();
    let _ = writeln!(report, "     {sum:>+4}  sum");
}

#[cfg(test)]
mod tests {
    use super::explain;
    use crate::insights::aspects::RuleEngine;
    use crate::insights::text::TokenizedText;
    use crate::insights::trades::{HOME_SERVICES, shipped};
    use crate::insights::{Analysis, Polarity, TextLanguage};

    #[test]
    fn an_explanation_shows_every_hit_and_the_sum() {
        let original = "He was not rude.";
        let text = TokenizedText::new(original);
        let rules = RuleEngine::new(shipped(HOME_SERVICES).unwrap()).decided_by(None);
        let judged = rules.analyze(&text);
        let sentences = text
            .sentences()
            .iter()
            .map(|sentence| text.span(sentence.clone()))
            .collect();
        let mut analysis = Analysis {
            language: TextLanguage::English,
            sentences,
            findings: judged.findings,
            mentions: Vec::new(),
            overall: (Polarity::Positive, 3),
            phrases: String::new(),
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
        analysis.language = TextLanguage::Other;
        assert!(explain(original, &analysis).contains("not analysed"));
    }
}
