//! The insights as they are shown: the figures of aspects, people, services and places, quotes, the summary and the questions
//! that reviews answer. Sentences are templates, quantifiers follow from shares, and praise and blame have one rule.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::analysis::{Language, Polarity};
use super::compact::MASKED_FINDINGS_MAX;
use super::count::{
    AggregateInput, Counted, OpinionCounts, PERSON_MIN, Roster, RosterEntry, Shortlist, trend,
};
use super::quotable::says_by_itself;
use super::text::TokenizedText;
use super::topics::find_topics;
use super::words::LanguageWords;
use crate::model::statistics::round_to;
use crate::model::text::within_sentence;
use crate::model::{MentionKind, Vote, VoteCounts};
use crate::wire::{
    Aspect, CoMention, CoMentioned, Confidence, Entities, Entity, Faq, FaqBasis, InsightQuote,
    Insights, InsightsMethod, Share, Summary, SummaryEvidence, SummarySentence, SummaryTemplate,
};

/// Minimum number of reviews for which one side, praise or blame, is shown.
const SIDE_MIN: u32 = 3;
/// Minimum share of a side that is shown: one in this many reviews with a judgement.
const SIDE_PART: u32 = 10;
/// Maximum number of quotes: of the larger side, and of the other.
const ASPECT_QUOTES: (usize, usize) = (3, 2);
const ENTITY_QUOTES: (usize, usize) = (1, 1);
const ANSWER_QUOTES: (usize, usize) = (1, 1);
/// Maximum number of joint figures in a list, and minimum number of reviews of each.
const JOINT_MAX: usize = 3;
const JOINT_MIN: u32 = 3;
/// Number of months in the figures of an aspect and of an entity.
const ASPECT_MONTHS: i32 = 24;
const ENTITY_MONTHS: i32 = 12;
/// Minimum number of reviews with a judgement for an answer.
const REVIEWS_MIN: u32 = 5;
/// From this number of reviews, a sentence needs `JUDGED_MIN` reviews with a judgement; with fewer reviews, one in
/// `JUDGED_PART` of them, and at least [`PERSON_MIN`].
const MANY_REVIEWS: u32 = 100;
const JUDGED_MIN: u32 = 10;
const JUDGED_PART: u32 = 10;
/// Many blame a business or an aspect if one in this number of the reviews that judge it does.
const BLAMED_PART: u32 = 5;
/// Maximum number of names in one sentence, which has one `and`.
const NAMES_MAX: usize = 3;
/// Maximum number of review ids in a sentence's evidence.
const IDS_MAX: usize = 3;
/// Maximum number of questions; aspects and services have all figures in their own sections.
const ANSWERS_MAX: usize = 6;

/// Counts the compact analyses in one pass, and derives the insights from the counts. The counts in `method` are filled in.
pub fn aggregate(sources: &AggregateInput<'_>, method: InsightsMethod) -> Insights {
    let roster = Roster::new(sources.business, sources.mentioned);
    let counted = Counted::new(sources, &roster);
    let mut page = InsightsPage {
        sources,
        roster: &roster,
        counted: &counted,
        texts: BTreeMap::new(),
        quoted: BTreeSet::new(),
    };
    // A sentence is quoted only once: people and aspects choose first, so that a review changes only what it supports.
    let entities = Entities {
        technicians: page.entities(MentionKind::Technician),
        services: page.entities(MentionKind::Service),
        service_areas: page.entities(MentionKind::ServiceArea),
    };
    let aspects = page.aspects();
    let sentences = page.sentences(&aspects, &entities);
    let answers = page.answers();
    let topics = find_topics(sources, |at, sentence, vote| page.quote(at, sentence, vote));
    let aspects = aspects.into_iter().zip(&counted.aspects);
    let aspects = aspects.filter(|(_, counts)| counts.is_shown());
    let (corpus, editorial) = (&counted.corpus, sources.editorial);
    Insights {
        aspects: aspects.map(|(aspect, _)| aspect).collect(),
        entities,
        topics,
        faq: (editorial.faq.iter().map(Faq::from))
            .chain(answers)
            .collect(),
        summary: Summary {
            editorial: editorial.summary.clone(),
            overall: (&corpus.overall).into(),
            sentences,
        },
        generated_from: corpus.generated_from(),
        method: InsightsMethod {
            withdrawn: corpus.withdrawn,
            low_rated: corpus.low_rated,
            ..method
        },
    }
}

/// The counts, and the sentences quoted so far.
struct InsightsPage<'a> {
    sources: &'a AggregateInput<'a>,
    roster: &'a Roster,
    counted: &'a Counted,
    /// The texts of the reviews that were quoted, by their index, newest first.
    texts: BTreeMap<u32, TokenizedText>,
    /// Review and number of each quoted sentence.
    quoted: BTreeSet<(u32, u16)>,
}

// Figures.

impl InsightsPage<'_> {
    /// The figures of all aspects of the trade, in its order; also of those that no review mentions.
    fn aspects(&mut self) -> Vec<Aspect> {
        let (counted, trade) = (self.counted, self.sources.trade);
        let aspects = counted.aspects.iter().zip(&trade.aspects).enumerate();
        let figures = aspects.map(|(at, (counts, aspect))| {
            let named = |kind: MentionKind| {
                let entities = self.roster.entries.iter().zip(&counted.entities);
                let stated = entities.enumerate().filter(|(_, (entry, counts))| {
                    entry.kind == kind && entry.is_stated(counts.votes.reviews())
                });
                strongest(stated.filter_map(|(entity, (entry, _))| {
                    self.joint(at, entity, entry.id.as_ref(), &entry.name)
                }))
            };
            let co_mentioned = CoMentioned {
                technicians: named(MentionKind::Technician),
                services: named(MentionKind::Service),
                service_areas: named(MentionKind::ServiceArea),
            };
            let votes = &counts.votes;
            Aspect {
                id: aspect.id.clone(),
                label: aspect.label.clone(),
                reviews: votes.reviews(),
                mentions: counts.mentions,
                positive: votes.positive,
                negative: votes.negative,
                neutral: votes.neutral,
                mixed: votes.mixed,
                uncertain: votes.uncertain,
                positive_share: Share::new(votes.positive, votes.judged()),
                confidence: Confidence::of(votes.judged()),
                trend: trend(&counted.months, at, ASPECT_MONTHS),
                co_mentioned,
                quotes: self.both_sides(counts, ASPECT_QUOTES),
                evidence_url: self.sources.links.evidence(&aspect.id),
            }
        });
        figures.collect()
    }

    /// The figures of all entities of that kind, in the roster's order.
    fn entities(&mut self, kind: MentionKind) -> Vec<Entity> {
        let entries = self.roster.entries.iter().enumerate();
        let of_kind = entries.filter(|(_, entry)| entry.kind == kind);
        of_kind.map(|(at, entry)| self.entity(at, entry)).collect()
    }

    fn entity(&mut self, at: usize, entry: &RosterEntry) -> Entity {
        let (counts, aspects) = (&self.counted.entities[at], &self.sources.trade.aspects);
        let votes = &counts.votes;
        let stated = entry.is_stated(votes.reviews()).then_some(votes);
        let judged = aspects
            .iter()
            .enumerate()
            .filter_map(|(of, aspect)| self.joint(of, at, Some(&aspect.id), &aspect.label));
        Entity {
            id: entry.id.clone(),
            name: entry.name.clone(),
            reviews: votes.reviews(),
            mentions: counts.mentions,
            ambiguous_mentions: counts.ambiguous,
            positive: stated.map(|votes| votes.positive),
            negative: stated.map(|votes| votes.negative),
            neutral: stated.map(|votes| votes.neutral),
            mixed: stated.map(|votes| votes.mixed),
            uncertain: stated.map(|votes| votes.uncertain),
            positive_share: stated.and_then(|votes| Share::new(votes.positive, votes.judged())),
            confidence: stated.map(|votes| Confidence::of(votes.judged())),
            trend: stated.map(|_| trend(&self.counted.months, aspects.len() + at, ENTITY_MONTHS)),
            aspects: stated.map(|_| strongest(judged)),
            quotes: stated.map(|_| self.both_sides(counts, ENTITY_QUOTES)),
        }
    }

    /// The reviews that mention both an aspect and an entity, of which `id` and `name` are the other one's; `None` if they
    /// are too few.
    fn joint(
        &self,
        aspect: usize,
        entity: usize,
        id: Option<&String>,
        name: &str,
    ) -> Option<CoMention> {
        let counted = self.counted;
        let reviews = counted.joint[entity * counted.aspects.len() + aspect];
        let [one, other] = [&counted.aspects[aspect], &counted.entities[entity]]
            .map(|counts| f64::from(counts.votes.reviews()));
        let both = f64::from(reviews) * f64::from(counted.corpus.analysed);
        (reviews >= JOINT_MIN).then(|| CoMention {
            id: id.cloned(),
            name: name.to_owned(),
            reviews,
            lift: round_to(both / (one * other), 1e1),
        })
    }
}

fn strongest(joints: impl Iterator<Item = CoMention>) -> Vec<CoMention> {
    let mut joints: Vec<CoMention> = joints.collect();
    joints.sort_by_key(|joint| Reverse(joint.reviews));
    joints.truncate(JOINT_MAX);
    joints
}

// Quotes: whole sentences on which the rules and the classifier agree, each from another review and quoted once.

impl InsightsPage<'_> {
    /// Quotes of the larger side, and of the other side if that is shown.
    fn both_sides(&mut self, counts: &OpinionCounts, most: (usize, usize)) -> Vec<InsightQuote> {
        let (votes, [praise, blame]) = (counts.votes, &counts.quotes);
        // A mixed review counts for both sides.
        let [praised, blamed] = [true, false].map(|is_praise| votes.side(is_praise));
        let (larger, smaller, other) = if praised >= blamed {
            (praise, blame, blamed)
        } else {
            (blame, praise, praised)
        };
        let mut quotes = self.pick(larger, most.0);
        if other >= SIDE_MIN && other * SIDE_PART >= votes.judged() {
            quotes.extend(self.pick(smaller, most.1));
        }
        quotes
    }

    /// The best `count` of the list, each with different words.
    fn pick(&mut self, list: &Shortlist, count: usize) -> Vec<InsightQuote> {
        let mut quotes: Vec<InsightQuote> = Vec::with_capacity(count);
        for one in &list.best {
            if quotes.len() == count {
                break;
            }
            let vote = one.finding.polarity.into();
            let quote = self.quote(one.position, one.finding.sentence, vote);
            quotes
                .extend(quote.filter(|quote| quotes.iter().all(|other| other.text != quote.text)));
        }
        quotes
    }

    /// The sentence as a quote; `None` if it cannot be shown or is already quoted.
    fn quote(&mut self, position: u32, sentence: u16, vote: Vote) -> Option<InsightQuote> {
        if self.quoted.contains(&(position, sentence)) {
            return None;
        }
        let quote = self.quote_again(position, sentence, vote)?;
        self.quoted.insert((position, sentence));
        Some(quote)
    }

    /// The sentence as a quote, even if it is quoted elsewhere; `None` if it cannot be shown by itself, or is about a person
    /// named in too few reviews.
    fn quote_again(&mut self, position: u32, sentence: u16, vote: Vote) -> Option<InsightQuote> {
        if self.is_about_rare_person(position, sentence) {
            return None;
        }
        let (review, analysis) = self.sources.analyses[position as usize];
        let language = analysis.language.analyzed().unwrap_or_default();
        let text = (self.texts.entry(position))
            .or_insert_with(|| TokenizedText::of(&review.text, LanguageWords::of(language)));
        let tokens = text.sentences().get(usize::from(sentence))?.clone();
        let polarity = match vote {
            Vote::Positive => Polarity::Positive,
            Vote::Negative => Polarity::Negative,
            Vote::Neutral | Vote::Mixed | Vote::Uncertain => Polarity::Neutral,
        };
        let span = text.span(tokens.clone());
        if !says_by_itself(text, tokens, polarity) {
            return None;
        }
        Some(InsightQuote {
            review_id: review.id.to_string(),
            sentence: sentence.into(),
            start: span.start,
            end: span.end,
            text: span.of(&review.text)?.to_owned(),
            polarity: vote.into(),
            date: review.date.date(),
            stars: review.rating.stars(),
            language: (language != Language::English).then(|| language.name().to_owned()),
        })
    }

    /// Whether a sentence names or continues about a person named in too few reviews.
    fn is_about_rare_person(&self, position: u32, sentence: u16) -> bool {
        let (_, analysis) = self.sources.analyses[position as usize];
        // The masks cover only the first findings: a later sentence may be about anyone whom the text names.
        let mut late = analysis.findings.iter().skip(MASKED_FINDINGS_MAX);
        let is_late = late.any(|finding| finding.sentence == sentence);
        analysis.names.iter().any(|name| {
            let mut about = analysis.masked(name.finding_mask);
            let entity = self
                .roster
                .find(name.key)
                .map(|at| &self.counted.entities[at]);
            name.kind == MentionKind::Technician
                && (about.any(|finding| finding.sentence == sentence)
                    || is_late && name.mentions > 0)
                && entity.is_some_and(|counts| counts.votes.reviews() < PERSON_MIN)
        })
    }
}

// Summary and questions.

impl InsightsPage<'_> {
    /// The sentences in a fixed order: all reviews, the most praised aspect, the most criticised one, names of people, names
    /// of services. An aspect has one sentence.
    fn sentences(&mut self, aspects: &[Aspect], entities: &Entities) -> Vec<SummarySentence> {
        let (praised, blamed) = (
            self.most_judged_aspect(true),
            self.most_judged_aspect(false),
        );
        // Where few of the judgements of the most praised aspect are complaints, it is not what is complained of most.
        let blamed = blamed.filter(|at| {
            let votes = &self.counted.aspects[*at].votes;
            praised != Some(*at) || votes.side(false) * BLAMED_PART >= votes.judged()
        });
        let praise = praised
            .filter(|_| praised != blamed)
            .map(|at| self.of_aspect(&aspects[at], at, SummaryTemplate::AspectPositive));
        let complaint = blamed.map(|at| {
            let template = if praised == blamed {
                SummaryTemplate::AspectDivided
            } else {
                SummaryTemplate::AspectNegative
            };
            self.of_aspect(&aspects[at], at, template)
        });
        let names = |kind| self.names(entities.of(kind), kind);
        let sentences = [
            self.overall(),
            praise,
            complaint,
            names(MentionKind::Technician),
            names(MentionKind::Service),
        ];
        sentences.into_iter().flatten().collect()
    }

    /// Minimum number of reviews behind a figure of the summary.
    fn figure_min(&self) -> u32 {
        match self.counted.corpus.reviews {
            MANY_REVIEWS.. => JUDGED_MIN,
            few => few.div_ceil(JUDGED_PART).max(PERSON_MIN),
        }
    }

    /// The aspect with the most praise or the most blame, other than the firm as a whole; of equal ones, that with the larger
    /// share. The side needs [`SIDE_MIN`] reviews; praise needs more than half of the judgements, and blame [`REVIEWS_MIN`].
    fn most_judged_aspect(&self, is_praise: bool) -> Option<usize> {
        let blame_min = if is_praise { 0 } else { REVIEWS_MIN };
        let least = self.figure_min().max(blame_min);
        let aspects = self.counted.aspects.iter().enumerate();
        aspects
            .filter(|(at, counts)| {
                let (votes, side) = (&counts.votes, counts.votes.side(is_praise));
                self.sources.trade.overall != Some(*at)
                    && is_ruled(counts)
                    && is_decided(votes)
                    && votes.judged() >= least
                    && side >= SIDE_MIN
                    && (!is_praise || side * 2 > votes.judged())
            })
            .max_by_key(|(at, counts)| {
                let by_share = Reverse(counts.votes.judged());
                (counts.votes.side(is_praise), by_share, Reverse(*at))
            })
            .map(|(at, _)| at)
    }

    fn overall(&self) -> Option<SummarySentence> {
        let votes = &self.counted.corpus.overall;
        let (positive, negative, judged) = (votes.positive, votes.negative, votes.judged());
        let mut sides = [(positive, "well"), (negative, "badly")];
        sides.sort_by_key(|(reviews, _)| Reverse(*reviews));
        let [(more, how), (fewer, how_else)] = sides;
        let rest = match fewer {
            0 => format!("none speaks {how_else} of it"),
            1 => format!("1 speaks {how_else} of it"),
            some => format!("{some} speak {how_else} of it"),
        };
        let name = &self.sources.business.name;
        let text = if positive == negative {
            format!(
                "The {judged} reviews that judge {name} as a whole are divided: {positive} positive, {negative} negative."
            )
        } else {
            let quantifier = quantifier(more, judged);
            format!(
                "{quantifier} of the {judged} reviews that judge {name} as a whole speak {how} of it ({more}); {rest}."
            )
        };
        let figures = [
            ("positive", positive),
            ("negative", negative),
            ("judged", judged),
        ];
        (judged >= self.figure_min()).then(|| sentence(SummaryTemplate::Overall, text, &figures))
    }

    /// Praise of an aspect, blame, or both; blame with a quote.
    fn of_aspect(
        &mut self,
        aspect: &Aspect,
        at: usize,
        template: SummaryTemplate,
    ) -> SummarySentence {
        let counts = &self.counted.aspects[at];
        let votes = &counts.votes;
        let (positive, negative, judged) = (votes.side(true), votes.side(false), votes.judged());
        let (vote, side) = if template == SummaryTemplate::AspectPositive {
            (Vote::Positive, positive)
        } else {
            (Vote::Negative, negative)
        };
        let sign = vote.name();
        let mut figures = vec![(sign, side), ("judged", judged)];
        let text = if template == SummaryTemplate::AspectDivided {
            figures.push((Vote::Positive.name(), positive));
            format!(
                "reviews that judge it are divided ({positive} of {judged} positive, {negative} negative)"
            )
        } else if judged < JUDGED_MIN {
            format!("{side} of {judged} reviews that judge it are {sign}")
        } else {
            let few = within_sentence(quantifier(side, judged));
            format!("{few} reviews that judge it are {sign} ({side} of {judged})")
        };
        let mut sentence = sentence(template, format!("{}: {text}.", aspect.label), &figures);
        let quotes = aspect.quotes.iter();
        let shown = quotes.filter(|quote| quote.polarity == vote.into());
        // A sentence that is quoted elsewhere is repeated only if there is no other.
        let [_, blame] = &counts.quotes;
        let best = || (blame.best.iter()).map(|one| (one.position, one.finding.sentence));
        let quote = (vote == Vote::Negative).then(|| {
            let other = best().find_map(|(at, sentence)| self.quote(at, sentence, vote));
            other.or_else(|| best().find_map(|(at, sentence)| self.quote_again(at, sentence, vote)))
        });
        let quote = quote.flatten();
        sentence.evidence.aspect = Some(aspect.id.clone());
        sentence.evidence.review_ids = ids(quote.iter().chain(shown));
        sentence.evidence.quote = quote;
        sentence
    }

    /// The most frequently named people or services.
    fn names(&self, entities: &[Entity], kind: MentionKind) -> Option<SummarySentence> {
        let is_person = kind == MentionKind::Technician;
        let (template, whom) = if is_person {
            (SummaryTemplate::Technicians, "Whom")
        } else {
            (SummaryTemplate::Services, "What")
        };
        let least = self.figure_min();
        let mut most: Vec<&Entity> = entities.iter().filter(|one| one.reviews >= least).collect();
        most.sort_by_key(|one| Reverse(one.reviews));
        most.truncate(NAMES_MAX);
        let mut named = most.iter().map(|one| {
            let name = if is_person {
                one.name.clone()
            } else {
                within_sentence(&one.name)
            };
            format!("{name} ({} reviews)", one.reviews)
        });
        let first = named.next()?;
        let rest = named.collect::<Vec<_>>().join(" and ");
        let then = if rest.is_empty() { "" } else { ", then " };
        let text = format!("{whom} reviews name most: {first}{then}{rest}.");
        let mut names = sentence(template, text, &[]);
        let ranked = (1..).zip(&most);
        names.evidence.figures = ranked
            .map(|(rank, one)| (format!("reviews_{rank}"), one.reviews))
            .collect();
        let called = |one: &&Entity| one.id.clone().unwrap_or_else(|| one.name.clone());
        names.evidence.entities = Some(most.iter().map(called).collect());
        names.evidence.review_ids = ids(most.iter().filter_map(|one| one.quotes.as_ref()?.first()));
        Some(names)
    }

    /// The questions with the most judgements that the owner has not answered: about aspects, then about services, in the
    /// order of their lists.
    fn answers(&mut self) -> Vec<Faq> {
        let (counted, trade) = (self.counted, self.sources.trade);
        // In few reviews of a business that many blame, praise alone is no answer.
        let whole = &counted.corpus.overall;
        let is_blamed = whole.negative * BLAMED_PART >= whole.judged();
        let is_judged = |counts: &OpinionCounts| {
            let votes = &counts.votes;
            let is_praise_alone = votes.positive == votes.judged() && votes.positive < JUDGED_MIN;
            votes.judged() >= REVIEWS_MIN && is_decided(votes) && !(is_blamed && is_praise_alone)
        };
        let answered = |id: String, question: String, votes: &VoteCounts, what: &str| Faq {
            id,
            question,
            answer: both_counts(votes, what),
            basis: FaqBasis::Reviews,
            aspect: None,
            service: None,
            evidence: None,
        };
        let mut questions: Vec<(&OpinionCounts, Faq)> = Vec::new();
        for (aspect, counts) in trade.aspects.iter().zip(&counted.aspects) {
            if !self.sources.answered.contains(&aspect.id) && is_ruled(counts) && is_judged(counts)
            {
                let id = format!("aspect-{}", aspect.id);
                let of_aspect = Faq {
                    aspect: Some(aspect.id.clone()),
                    ..answered(id, aspect.question.clone(), &counts.votes, "judge it")
                };
                questions.push((counts, of_aspect));
            }
        }
        let entities = self.roster.entries.iter().zip(&counted.entities);
        for (service, counts) in entities.filter(|(one, _)| one.kind == MentionKind::Service) {
            if let Some(id) = service.id.as_ref().filter(|_| is_judged(counts)) {
                let name = within_sentence(&service.name);
                let question = format!("What do customers say about {name}?");
                let (votes, what) = (&counts.votes, "name it and judge something");
                let of_service = Faq {
                    service: Some(id.clone()),
                    ..answered(format!("service-{id}"), question, votes, what)
                };
                questions.push((counts, of_service));
            }
        }
        let mut questions: Vec<_> = questions.into_iter().enumerate().collect();
        questions.sort_by_key(|(_, (counts, _))| Reverse(counts.votes.judged()));
        questions.truncate(ANSWERS_MAX);
        questions.sort_by_key(|(at, _)| *at);
        let mut answers = Vec::with_capacity(questions.len());
        for (_, (counts, mut answered)) in questions {
            let quotes = self.both_sides(counts, ANSWER_QUOTES);
            for quote in &quotes {
                let kind = if quote.polarity == Vote::Negative.into() {
                    " Criticism: “"
                } else {
                    " Praise: “"
                };
                answered.answer += &[kind, &quote.text, "”"].concat();
            }
            let review_ids = quotes.into_iter().map(|quote| quote.review_id);
            answered.evidence = Some(review_ids.collect());
            answers.push(answered);
        }
        answers
    }
}

/// Whether at least as many reviews judge as are uncertain; otherwise there is no sentence.
const fn is_decided(votes: &VoteCounts) -> bool {
    votes.uncertain <= votes.judged()
}

/// Whether rules judge an aspect in at least half of its judgements; otherwise there is no sentence: the classifier alone
/// has the right aspect in 3 of 5 complaints of real reviews, the rules in 9 of 10.
const fn is_ruled(counts: &OpinionCounts) -> bool {
    counts.ruled * 2 >= counts.votes.judged()
}

/// A sentence whose only evidence are these figures.
fn sentence(template: SummaryTemplate, text: String, figures: &[(&str, u32)]) -> SummarySentence {
    let figures = figures
        .iter()
        .map(|(name, figure)| ((*name).to_owned(), *figure));
    SummarySentence {
        text,
        template,
        evidence: SummaryEvidence {
            figures: figures.collect(),
            ..SummaryEvidence::default()
        },
    }
}

fn ids<'a>(quotes: impl Iterator<Item = &'a InsightQuote>) -> Vec<String> {
    quotes
        .take(IDS_MAX)
        .map(|quote| quote.review_id.clone())
        .collect()
}

/// The quantifier for a share. `Some`, `Many` and `Most` claim no more than the lower end of the share's 95 % interval
/// allows; `Few` requires that even its upper end is small.
fn quantifier(part: u32, of: u32) -> &'static str {
    let Some(share) = Share::new(part, of) else {
        return "Few";
    };
    match share.ci95[0] {
        _ if share.ci95[1] < 0.1 => "Few",
        0.5.. => "Most",
        0.3.. => "Many",
        0.1.. => "Some",
        _ if u64::from(part) * 10 < u64::from(of) => "Few",
        _ => "Some",
    }
}

/// The counts with the larger side first.
fn both_counts(votes: &VoteCounts, what: &str) -> String {
    let mut sides = [(votes.positive, "positive"), (votes.negative, "negative")];
    sides.sort_by_key(|(reviews, _)| Reverse(*reviews));
    let [(side, word), (other, other_word)] = sides;
    let judged = votes.judged();
    let mixed = match votes.mixed {
        0 => String::new(),
        some => format!(", {some} mixed"),
    };
    let share = if side == other {
        format!("Reviews that {what} are divided: {side} of {judged} are {word}")
    } else if judged < JUDGED_MIN {
        format!("{side} of {judged} reviews that {what} are {word}")
    } else {
        let many = quantifier(side, judged);
        format!("{many} reviews that {what} are {word}: {side} of {judged}")
    };
    let other = match other {
        0 => "none".to_owned(),
        some => some.to_string(),
    };
    format!("{share}; {other} {other_word}{mixed}.")
}

#[cfg(test)]
mod tests {
    use super::quantifier;
    use crate::model::text::within_sentence;

    #[test]
    fn a_quantifier_is_chosen_from_the_confidence_interval() {
        let words = [
            (3, 100),
            (9, 100),
            (20, 100),
            (45, 100),
            (58, 100),
            (61, 100),
            (5, 5),
            (3, 4),
            (0, 0),
        ];
        assert_eq!(
            words.map(|(part, of)| quantifier(part, of)),
            [
                "Few", "Few", "Some", "Many", "Many", "Most", "Most", "Many", "Few"
            ]
        );
    }

    #[test]
    fn a_label_within_a_sentence_is_in_lower_case_unless_short() {
        assert_eq!(
            ["Response time", "AC repair", ""].map(within_sentence),
            ["response time", "AC repair", ""]
        );
    }
}
