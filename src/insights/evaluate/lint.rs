//! Checks a package for faults that no single file shows, and for phrases that the shared words already cover. It is
//! separate from `trades`, because a package can be read without it.

use std::collections::{HashMap, HashSet};

use crate::insights::classifier::NgramModel;
use crate::insights::trades::{Meaning, PatternStep, Rule, Trade, UNLABELED, UNNAMED};

/// Maximum number of faults of one kind that are listed.
const TOLD_MAX: usize = 20;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LintReport {
    /// Faults that must be fixed.
    pub wrong: Vec<String>,
    /// Remarks that need no action.
    pub remarks: Vec<String>,
}

impl LintReport {
    fn remark(&mut self, remark: &str) {
        self.remarks.push(remark.to_owned());
    }

    /// Adds what is missing in a part of the package.
    fn lacks(&mut self, part: &str, parts: &[(bool, &str)]) {
        let missing = parts.iter().filter(|(is_missing, _)| *is_missing);
        let missing = missing.map(|(_, what)| format!("{part} lacks {what}"));
        self.wrong.extend(missing);
    }
}

/// A meaning without its points; phrases of the same kind can repeat or contradict each other.
const fn kind(meaning: Meaning) -> Meaning {
    match meaning {
        Meaning::Judges(aspect, _) => Meaning::Judges(aspect, 0),
        Meaning::Opinion(_) => Meaning::Opinion(0),
        Meaning::Names(_) | Meaning::Hints(_) | Meaning::Cue(_) => meaning,
    }
}

/// 1 for praise, 0 for neither, -1 for blame.
const fn sign(meaning: Meaning) -> i32 {
    match meaning {
        Meaning::Judges(_, points) | Meaning::Opinion(points) => points.signum(),
        Meaning::Names(_) | Meaning::Hints(_) | Meaning::Cue(_) => 0,
    }
}

/// Checks a package without errors.
pub fn lint(trade: &Trade) -> LintReport {
    let mut report = LintReport::default();
    head(trade, &mut report);
    aspects(trade, &mut report);
    phrases(trade, &mut report);
    besides(trade, &mut report);
    for language in &trade.languages {
        lint_language(language, &mut report);
    }
    report
}

/// Checks the package in another language; the message of each error begins with the language's code.
fn lint_language(trade: &Trade, report: &mut LintReport) {
    let (code, mut found) = (trade.language_words().code, LintReport::default());
    aspects(trade, &mut found);
    phrases(trade, &mut found);
    weights(trade, &mut found);
    let published = trade.published_aspects();
    if published.is_empty() {
        found.remark(
            "nothing of it is published until quality.tsv shows how often its judgements are right; texts in it count as not \
             analysed",
        );
    } else if published.len() < trade.aspects.len() {
        let published = published
            .iter()
            .map(|index| trade.aspects[*index].id.as_str());
        let ids = published.collect::<Vec<_>>().join(", ");
        found.remark(&format!("findings are published of these aspects: {ids}"));
    }
    let told = |message: String| format!("{}: {message}", code.as_str());
    report.wrong.extend(found.wrong.into_iter().map(told));
    report.remarks.extend(found.remarks.into_iter().map(told));
}

fn head(trade: &Trade, report: &mut LintReport) {
    let lacks = [
        (trade.id == UNNAMED, "`id`: what answers call the trade"),
        (
            trade.label == UNLABELED || trade.label.is_empty(),
            "`label`: its name for readers",
        ),
        (
            trade.types.is_empty(),
            "`types`: the schema.org types of its businesses",
        ),
        (
            trade.overall.is_none(),
            "an aspect in the role `overall`, for praise and blame of nothing in particular",
        ),
    ];
    report.lacks("trade.toml: [trade]", &lacks);
    if trade.aspects.is_empty() {
        report.wrong.push("[[aspect]] is missing".to_owned());
    }
}

fn aspects(trade: &Trade, report: &mut LintReport) {
    for (index, aspect) in trade.aspects.iter().enumerate() {
        let judged = |wanted: i32| {
            let mut meanings = trade.rules.iter().map(|rule| rule.meaning);
            meanings.any(|one| kind(one) == Meaning::Judges(index, 0) && sign(one) == wanted)
        };
        let named = |rule: &Rule| matches!(rule.meaning, Meaning::Names(of) | Meaning::Hints(of) if of == index);
        let lacks = [
            (aspect.label.is_empty(), "a `label` that is not empty"),
            (
                !aspect.question.trim().ends_with('?'),
                "a `question` that ends with `?`",
            ),
            (
                !trade.rules.iter().any(named),
                "`names`: the words that name it, so that `great` beside one is praise of it",
            ),
            (!judged(1), "`positive` phrases"),
            (!judged(-1), "`negative` phrases"),
        ];
        report.lacks(&format!("aspect `{}`", aspect.id), &lacks);
    }
}

/// A way to match, with its rule.
type Way<'trade> = (&'trade [PatternStep], &'trade Rule);

/// The ways to match, each with its rule, by meaning, length and first symbol.
#[derive(Default)]
struct KnownWays<'trade> {
    ways: HashMap<(Meaning, usize, String), Vec<Way<'trade>>>,
    /// The words of each symbol.
    words: HashMap<&'trade str, HashSet<String>>,
}

impl<'trade> KnownWays<'trade> {
    fn add(&mut self, trade: &Trade, rule: &'trade Rule) {
        for way in &rule.ways {
            for one in way.iter().filter_map(PatternStep::symbol) {
                self.words.entry(one).or_insert_with(|| words(trade, one));
            }
            let first = way.first().and_then(PatternStep::symbol);
            let words = first.and_then(|first| self.words.get(first));
            for word in words.into_iter().flatten() {
                let key = (kind(rule.meaning), way.len(), word.clone());
                self.ways.entry(key).or_default().push((way, rule));
            }
        }
    }

    /// The first rule that also matches every text that `way` of `rule` matches.
    fn find(&self, rule: &Rule, way: &[PatternStep]) -> Option<&'trade Rule> {
        let first = way.first().and_then(PatternStep::symbol)?;
        let word = first.split('|').next().unwrap_or_default();
        let key = (kind(rule.meaning), way.len(), word.to_owned());
        let others = self.ways.get(&key)?;
        let other = others.iter().find(|(other, _)| self.covers(other, way));
        other.map(|(_, other)| *other)
    }

    /// Whether `wide` matches every text that `narrow` matches.
    fn covers(&self, wide: &[PatternStep], narrow: &[PatternStep]) -> bool {
        wide.iter().zip(narrow).all(|steps| match steps {
            (PatternStep::Gap(wide), PatternStep::Gap(narrow)) => wide >= narrow,
            (PatternStep::Symbol(wide), PatternStep::Symbol(narrow)) => {
                let words = self.words.get(wide.as_str());
                words.is_some_and(|words| narrow.split('|').all(|word| words.contains(word)))
            }
            (PatternStep::Gap(_), PatternStep::Symbol(_))
            | (PatternStep::Symbol(_), PatternStep::Gap(_)) => false,
        })
    }
}

/// The alternatives of a symbol, including the forms of `base~`.
fn words(trade: &Trade, symbol: &str) -> HashSet<String> {
    let mut words = HashSet::new();
    for one in symbol.split('|') {
        words.insert(one.to_owned());
        if let Some(base) = one.strip_suffix('~') {
            words.extend(trade.language_words().forms(base));
            words.extend(trade.irregular.get(base).into_iter().flatten().cloned());
        }
    }
    words
}

/// Finds phrases that repeat or contradict another phrase.
fn phrases(trade: &Trade, report: &mut LintReport) {
    let mut known = KnownWays::default();
    let (shared, own): (Vec<&Rule>, Vec<&Rule>) =
        trade.rules.iter().partition(|rule| rule.place.is_shared);
    shared.iter().for_each(|rule| known.add(trade, rule));
    let mut told = Vec::new();
    for rule in own {
        told.extend(repetition(&known, rule));
        known.add(trade, rule);
    }
    let more = told.len().saturating_sub(TOLD_MAX);
    report.wrong.extend(told.into_iter().take(TOLD_MAX));
    if more > 0 {
        report
            .wrong
            .push(format!("and {more} more phrases like these"));
    }
}

/// The message about a phrase that repeats or contradicts others.
fn repetition(known: &KnownWays<'_>, rule: &Rule) -> Option<String> {
    let ways = rule.ways.iter();
    let same: Vec<&Rule> = ways.filter_map(|way| known.find(rule, way)).collect();
    let is_opposite = |other: &&Rule| sign(other.meaning) != sign(rule.meaning);
    let opposite: Vec<&Rule> = same.iter().copied().filter(is_opposite).collect();
    if let Some(other) = opposite.iter().find(|other| !other.place.is_shared) {
        return Some(tell(rule, "contradicts", other));
    }
    let is_all = same.len() == rule.ways.len();
    let first = same.first().filter(|_| is_all && opposite.is_empty())?;
    let verb = if first.place.is_shared {
        "is shared already:"
    } else {
        "has the same meaning as"
    };
    Some(tell(rule, verb, first))
}

fn tell(rule: &Rule, verb: &str, other: &Rule) -> String {
    format!(
        "{}:{}: `{}` {verb} `{}` ({}:{})",
        rule.place.file, rule.place.line, rule.text, other.text, other.place.file, other.place.line
    )
}

/// Finds weights of aspects that the trade does not have.
fn weights(trade: &Trade, report: &mut LintReport) {
    let weights = trade.classifier.as_deref().map(NgramModel::parse);
    let heads = weights.and_then(Result::ok).unwrap_or_default().heads;
    let foreign = heads.iter().filter(|id| trade.aspect(id).is_none());
    report.wrong.extend(foreign.map(|id| {
        format!(
            "classifier.weights: knows `{id}`, which is not an aspect here; train it for this trade"
        )
    }));
}

/// Checks the parts of a package other than its rules.
fn besides(trade: &Trade, report: &mut LintReport) {
    weights(trade, report);
    if trade.classifier.is_none() {
        report.remark("no classifier.weights: it uses only its rules");
    }
    if trade.quality.is_empty() {
        report.remark(
            "no quality.tsv: its quality has not been measured, and /insights.json says so; `reviews insights evaluate \
             SENTENCES.tsv --trade DIR --quality DIR/quality.tsv` measures",
        );
    }
    if !trade.is_sharing {
        report.remark("`shared = false`: negators, opinions and all else are its own");
    }
}

#[cfg(test)]
mod tests {
    use super::{LintReport, lint};
    use crate::insights::trades::{IDS, shipped};

    #[test]
    fn the_packages_of_the_program_lack_nothing() {
        for id in IDS {
            let LintReport { wrong, .. } = lint(&shipped(id).unwrap());
            assert!(wrong.is_empty(), "{id}:\n{}", wrong.join("\n"));
        }
    }
}
