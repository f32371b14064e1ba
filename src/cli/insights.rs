//! The command `reviews insights explain`: explains how a review was analyzed.

use std::fmt::Write as _;

use clap::{Args, Subcommand};
use sqlx::SqliteConnection;

use super::database::{find_review, read};
use super::report::Exit;
use super::session::Session;
use crate::config::{DatabaseConfig, TradeConfig};
use crate::insights::{Analysis, AnalysisInput, Analyzer, Finding, TextLanguage, TextSpan};
use crate::model::Status;
use crate::storage;

/// Explain the analysis of a review
#[derive(Debug, Args)]
pub struct InsightsCommand {
    #[command(subcommand)]
    command: InsightsSubcommand,
    #[command(flatten)]
    trade: TradeConfig,
}

#[derive(Debug, Subcommand)]
enum InsightsSubcommand {
    /// Show the findings of a review: each finding with the sum of its points, and the names
    Explain {
        /// ID of the review, a unique beginning of it, or its permalink
        #[arg(value_name = "REVIEW_ID")]
        id: String,
    },
}

impl InsightsCommand {
    pub(super) async fn run(
        self,
        database: &DatabaseConfig,
        session: &Session,
    ) -> anyhow::Result<Exit> {
        let InsightsSubcommand::Explain { id } = self.command;
        let (review, business) = read(database, async |reader: &mut SqliteConnection| {
            let review = find_review(reader, &id).await?;
            let business = storage::business::find(reader).await?;
            anyhow::Ok((review, business.unwrap_or_default()))
        })
        .await?;
        let analyzer = Analyzer::new(&business, self.trade.trade.as_deref());
        let analysis = analyzer.analyze(&AnalysisInput::of(&review));
        let note = match review.status {
            Status::Published => "",
            Status::Withheld { .. } => "It is withheld and does not count.\n",
        };
        session.print_result(&format!(
            "{}, {}, {} of 5\n{note}\n{}",
            review.id,
            review.date,
            review.rating.stars(),
            format_explanation(&review.text, &analysis)
        ))
    }
}

/// The findings of an analysis of `text`, with every hit and its points.
fn format_explanation(text: &str, analysis: &Analysis) -> String {
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
    };
    for (number, sentence) in (0_u32..).zip(&analysis.sentences) {
        let _ = writeln!(report, "{}. {}", number + 1, cut(sentence.span));
        let findings = analysis.findings.iter();
        for finding in findings.filter(|finding| finding.sentence == number) {
            write_finding(&mut report, finding, &cut);
        }
        let mentions = analysis.mentions.iter();
        for mention in mentions.filter(|mention| mention.sentence == number) {
            let (kind, name) = (mention.kind, &mention.name);
            let _ = writeln!(report, "   {kind} {name} ({:?})", cut(mention.span));
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
        finding.witness.name(),
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
