//! Texts of reviews: the analysis of any text finds only parts of it.

use reviews_service::insights::{AnalysisInput, Analyzer};
use reviews_service::model::business::Business;

use super::text_from;

const WORDS: &str = "They |came |late|never |not |n't |was |were |the |price |too |high|great |job|rude|clean|left |a mess|. |! |? |... |\
    \n\n|, | but | and |\"|\u{201c}|\u{2019}|\u{1f621}|\u{1f44d}|10/10|0/10|Mike |Dana Whitfield |$|1,000.50|would |\
    recommend|again|thanks for nothing|\u{301}|\u{200d}|\u{0}|\u{202e}|aaaaaaaa|AAAA |(|)|-|- |* |water heater|in Mesa";

#[test]
fn findings_of_any_text_are_within_it() {
    let business = Business::default();
    let analyzer = Analyzer::new(&business, None);
    let analyzer = std::panic::AssertUnwindSafe(analyzer);
    bolero::check!()
        .with_type::<(u8, Vec<u8>)>()
        .for_each(move |(stars, bytes)| {
            let analyzer = &analyzer;
            let text = text_from(bytes, WORDS);
            let analysis = analyzer.0.analyze(&AnalysisInput {
                text: &text,
                language: Some("en"),
                author: "Ann B.",
                stars: 1 + stars % 5,
            });
            let count = u32::try_from(text.chars().count()).unwrap();
            let sentences = u32::try_from(analysis.sentences.len()).unwrap();
            for span in analysis.sentences.iter().map(|one| one.span) {
                assert!(span.start <= span.end && span.end <= count, "{text}");
            }
            for finding in &analysis.findings {
                assert!(finding.span.start < finding.span.end, "{text}");
                assert!(
                    finding.span.end <= count && finding.sentence < sentences,
                    "{text}"
                );
                assert!(finding.confidence <= 100, "{text}");
            }
        });
}
