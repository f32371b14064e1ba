//! The command `reviews insights`: shows, rebuilds and explains the insights.

use std::fmt::Write as _;
use std::sync::Arc;

use clap::{Args, Subcommand};
use futures_util::TryStreamExt as _;
use sqlx::SqliteConnection;

use super::database::{find_review, read};
use super::report::{Exit, counted, format_table, print_report, print_result, progress};
use crate::config::{DatabaseConfig, TradeConfig};
use crate::insights::store::{clear, save};
use crate::insights::{
    Analysis, AnalysisInput, Analyzer, Engine, Finding, TextLanguage, TextSpan, witness,
};
use crate::links::Links;
use crate::model::Status;
use crate::snapshot::input::SnapshotInput;
use crate::snapshot::insights::insights;
use crate::snapshot::{analyze, survey};
use crate::storage::reviews::{Numbered, newest};
use crate::storage::{COMMAND_WAIT_MAX, Database};
use crate::{storage, wire};

/// Show what the reviews say, analyse them again, or explain the analysis of one review
#[derive(Debug, Args)]
pub struct InsightsCommand {
    #[command(subcommand)]
    command: Option<InsightsSubcommand>,
    #[command(flatten)]
    trade: TradeConfig,
}

#[derive(Debug, Subcommand)]
enum InsightsSubcommand {
    Explain(Explain),
    /// Delete the analysis and analyse all reviews again; your own texts stay
    Rebuild,
}

impl InsightsCommand {
    pub(super) async fn run(self, database: &DatabaseConfig) -> anyhow::Result<Exit> {
        let engine = self.trade.trade.as_deref().map(Engine::shipped);
        match self.command {
            None => show(database, engine).await,
            Some(InsightsSubcommand::Explain(explain)) => explain.run(database, engine).await,
            Some(InsightsSubcommand::Rebuild) => rebuild(database, engine).await,
        }
    }
}

// Prints the insights as a table.

/// Prints the insights without writing to the database.
async fn show(database: &DatabaseConfig, engine: Option<Arc<Engine>>) -> anyhow::Result<Exit> {
    // Not part of the output.
    let links: Links = "http://localhost".parse()?;
    let (input, behind) = read(database, async |reader: &mut SqliteConnection| {
        survey(reader, engine.as_ref(), &links).await
    })
    .await?;
    print_result(&format_insights(&input, &insights(&input, &links), behind))
}

fn format_insights(input: &SnapshotInput, insights: &wire::Insights, behind: usize) -> String {
    let from = &insights.generated_from;
    let mut text = format!(
        "{}: {}, {} with a text, {} analysed",
        input.business.name,
        counted(from.reviews.into(), "review", "reviews"),
        from.with_text,
        from.analysed
    );
    for excluded in &from.excluded {
        let _ = write!(
            text,
            ", {} {}",
            excluded.n,
            excluded.reason.replace('_', " ")
        );
    }
    if let Some(window) = from.window {
        let _ = write!(text, "; {} to {}", window.from, window.to);
    }
    text.push('\n');
    add_tables(&mut text, insights);
    let topics: Vec<String> = insights
        .topics
        .iter()
        .map(|topic| format!("{} ({})", topic.phrase, topic.reviews))
        .collect();
    if !topics.is_empty() {
        let _ = writeln!(text, "\nTopics: {}", topics.join(", "));
    }
    let (method, trade) = (input.analyzer.method(), input.analyzer.trade());
    let _ = writeln!(
        text,
        "\nMethod {method}, trade {} of {} aspects",
        trade.id,
        trade.aspects.len()
    );
    let _ = match behind {
        0 => writeln!(text, "Up to date with the reviews."),
        some => writeln!(
            text,
            "Behind: {} not analysed yet; a running `reviews serve` catches up, and so does `reviews insights rebuild`.",
            counted(some as u64, "review is", "reviews are")
        ),
    };
    text
}

/// A row of a table: the counts of reviews and of their polarities, which are `None` if they are too few to publish, and the
/// share of positive ones.
fn format_row(
    name: &str,
    reviews: u32,
    polarities: Option<[u32; 5]>,
    share: Option<&wire::Share>,
) -> [String; 8] {
    let [positive, negative, neutral, mixed, uncertain] = polarities
        .map_or_else(Default::default, |counts| {
            counts.map(|count| count.to_string())
        });
    let share = share.map_or_else(String::new, |share| {
        let ends = share
            .ci95
            .iter()
            .map(|end| format!("{:.0}", end * 100.0))
            .collect::<Vec<_>>()
            .join(" to ");
        format!("{:>4.0} % ({ends})", share.value * 100.0)
    });
    let (name, reviews) = (name.to_owned(), reviews.to_string());
    [
        name, reviews, positive, negative, neutral, mixed, uncertain, share,
    ]
}

fn add_tables(text: &mut String, insights: &wire::Insights) {
    let aspects = insights.aspects.iter().map(|aspect| {
        let polarities = [
            aspect.positive,
            aspect.negative,
            aspect.neutral,
            aspect.mixed,
            aspect.uncertain,
        ];
        let share = aspect.positive_share.as_ref();
        format_row(&aspect.label, aspect.reviews, Some(polarities), share)
    });
    let entities = &insights.entities;
    let lists = [
        ("TECHNICIAN", &entities.technicians),
        ("SERVICE", &entities.services),
        ("SERVICE AREA", &entities.service_areas),
    ];
    let lists = lists.map(|(head, list)| (head, list.iter().map(entity_row).collect()));
    for (head, rows) in [("ASPECT", aspects.collect::<Vec<_>>())]
        .into_iter()
        .chain(lists)
    {
        if !rows.is_empty() {
            let columns = [
                head,
                "REVIEWS",
                "POSITIVE",
                "NEGATIVE",
                "NEUTRAL",
                "MIXED",
                "UNCERTAIN",
                "SHARE",
            ];
            let _ = write!(text, "\n{}", format_table(columns, rows));
        }
    }
}

fn entity_row(entity: &wire::Entity) -> [String; 8] {
    let polarities = || {
        Some([
            entity.positive?,
            entity.negative?,
            entity.neutral?,
            entity.mixed?,
            entity.uncertain?,
        ])
    };
    let share = entity.positive_share.as_ref();
    format_row(&entity.name, entity.reviews, polarities(), share)
}

// Explains how a review was analyzed.

/// Show the findings of a review: each finding with the sum of its points, each name with its rule
#[derive(Debug, Args)]
pub struct Explain {
    /// ID of the review, a unique beginning of it, or its permalink
    #[arg(value_name = "REVIEW_ID")]
    id: String,
}

impl Explain {
    pub(super) async fn run(
        self,
        database: &DatabaseConfig,
        engine: Option<Arc<Engine>>,
    ) -> anyhow::Result<Exit> {
        let (review, business) = read(database, async |reader: &mut SqliteConnection| {
            let review = find_review(reader, &self.id).await?;
            let business = storage::business::find(reader).await?;
            anyhow::Ok((review, business.unwrap_or_default()))
        })
        .await?;
        let engine = Engine::of(engine.as_ref(), &business);
        let analysis = Analyzer::new(&business, &engine).analyze(&AnalysisInput::of(&review));
        let note = match review.status {
            Status::Published => "",
            Status::Withheld { .. } => "It is withheld and does not count.\n",
        };
        print_result(&format!(
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
        TextLanguage::Spanish => "The text was read as Spanish.\n".to_owned(),
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

// Derives all insights again.

/// Deletes all derived data and derives it again, some hundred reviews per transaction. A running service continues;
/// an interrupted rebuild is completed at its next start.
async fn rebuild(database: &DatabaseConfig, engine: Option<Arc<Engine>>) -> anyhow::Result<Exit> {
    let (database, _) = Database::open_at(&database.address()?, COMMAND_WAIT_MAX).await?;
    let rebuilt = rebuild_all(&database, engine.as_ref()).await;
    database.close().await;
    Ok(print_report(&rebuilt?))
}

/// Number of analyses that one transaction stores.
const STORED_AT_ONCE: usize = 256;

async fn rebuild_all(database: &Database, engine: Option<&Arc<Engine>>) -> anyhow::Result<String> {
    let mut connection = database.reader().await?;
    let business = storage::business::find(&mut connection)
        .await?
        .unwrap_or_default();
    let analyzer = Analyzer::new(&business, &Engine::of(engine, &business));
    let mut write = database.write_derived(&[]).await?;
    let deleted = clear(&mut write).await?;
    write.commit().await?;
    let reviews: Vec<Numbered> = newest(&mut connection).try_collect().await?;
    let bar = progress("reading texts", reviews.len() as u64);
    let (mut read, mut analysed, mut findings, mut mentions) = (0, 0, 0, 0);
    for reviews in reviews.chunks(STORED_AT_ONCE) {
        let analyses: Vec<_> = reviews
            .iter()
            .map(|Numbered { review, .. }| {
                analyze(&analyzer, review, AnalysisInput::of(review).hash())
            })
            .collect();
        read += save(database, &analyses).await?;
        for kept in &analyses {
            analysed += usize::from(kept.analysis.language.analyzed().is_some());
            findings += kept.analysis.findings.len();
            mentions += kept.analysis.mentions.len();
        }
        bar.set_position(read);
    }
    Ok(format!(
        "{} deleted\n{} read, {analysed} of them analysed: {}, {}\n",
        counted(deleted, "analysis", "analyses"),
        counted(read, "review", "reviews"),
        counted(findings as u64, "finding", "findings"),
        counted(mentions as u64, "mention", "mentions"),
    ))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use clap::Parser;

    use super::{TradeConfig, format_explanation};
    use crate::insights::decide::OpinionFinder;
    use crate::insights::rules::{HOME_SERVICES, IDS, Trade};
    use crate::insights::text::TokenizedText;
    use crate::insights::{Analysis, Engine, Polarity, TextLanguage};

    #[test]
    fn every_trade_can_be_chosen() {
        #[derive(Parser)]
        struct Command {
            #[command(flatten)]
            trade: TradeConfig,
        }
        for id in IDS {
            let command = Command::try_parse_from(["reviews", "--trade", id]).unwrap();
            let trade = command.trade.trade.unwrap();
            assert_eq!(Engine::shipped(&trade).trade.id, id);
        }
        assert!(Command::try_parse_from(["reviews", "--trade", "dentist"]).is_err());
    }

    #[test]
    fn an_explanation_shows_every_hit_and_the_sum() {
        let original = "He was not rude.";
        let text = TokenizedText::new(original);
        let trade = Trade::built_in(HOME_SERVICES);
        let mut rules_only = OpinionFinder::new(trade, Arc::default());
        rules_only.decisions = None;
        let judged = rules_only.analyze(&text, None);
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
        };
        assert_eq!(
            format_explanation(original, &analysis),
            "1. He was not rude.\n   \
         professionalism positive (+3, rule) in \"He was not rude\"\n       \
         -3  phrase:rude  \"rude\"\n       \
         +6  negators:not  \"not\"\n       \
         +3  sum\n\
         The text as a whole: positive (+3)\n"
        );
        analysis.language = TextLanguage::Other;
        assert!(format_explanation(original, &analysis).contains("not analysed"));
    }
}
