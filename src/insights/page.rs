//! The insights as they are shown: the figures of aspects, people, services and places, quotes, the summary and the questions
//! that reviews answer. Sentences are templates with counts, and praise and blame have one rule.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashSet};

use super::analysis::Polarity;
use super::count::{
    AggregateInput, Counted, OpinionCounts, PERSON_MIN, QuoteCandidate, temporal, votes_over_time,
};
use super::names::words_only;
use super::people::names_stranger;
use super::quotable::says_by_itself;
use super::text::TokenizedText;
use super::topics::find_topics;
use crate::model::{MentionKind, VoteCounts};
use crate::wire::{
    Aspect, Complaint, DateRange, Entities, Entity, Faq, FaqBasis, InsightQuote, Insights,
    InsightsMethod, LowRated, OverallSentiment, QuoteKind, SummaryEvidence, SummarySentence,
    SummaryTemplate, Votes,
};

/// Minimum number of reviews for which one side, praise or blame, is shown.
const SIDE_MIN: u32 = 3;
/// Minimum share of a side that is shown: one in this many reviews with a judgement.
const SIDE_PART: u32 = 10;
/// Maximum number of quotes: of the larger side, and of the other.
const ASPECT_QUOTES: (usize, usize) = (3, 2);
const ANSWER_QUOTES: (usize, usize) = (1, 1);
/// Minimum number of reviews with a judgement for an answer.
const REVIEWS_MIN: u32 = 5;
/// From this number of reviews, a sentence needs `JUDGED_MIN` reviews with a judgement; with fewer reviews, one in
/// `JUDGED_PART` of them, and at least [`PERSON_MIN`].
const MANY_REVIEWS: u32 = 100;
const JUDGED_MIN: u32 = 10;
const JUDGED_PART: u32 = 10;
/// Many blame a business or an aspect if one in this number of the reviews that judge it does.
const BLAMED_PART: u32 = 5;
/// Complaints without an aspect are many if there is one for this many judgements of an aspect, and this many for each criticism
/// of it.
const UNPLACED_PART: u32 = 10;
const UNPLACED_FACTOR: u32 = 8;
/// What a whole review is that is neither positive nor negative.
const UNCLEAR: &str = "mixed, neutral or unclear";
/// Minimum share of texts that are not analysed for a sentence that says so: one in this many.
const FOREIGN_PART: u32 = 10;
/// Maximum number of questions; aspects and services have all figures in their own sections.
const ANSWERS_SHOWN: usize = 6;

/// Counts the compact analyses in one pass, and derives the insights from the counts. The counts in `method` are filled in.
pub fn aggregate(sources: &AggregateInput<'_>, method: InsightsMethod) -> Insights {
    let counted = Counted::new(sources);
    let mut page = InsightsPage {
        sources,
        counted: &counted,
        known: known_words(sources),
        quoted: BTreeSet::new(),
    };
    let aspects = page.aspects();
    let summary_sentences = page.sentences(&aspects);
    let answers = page.answers();
    let editorial = sources.editorial;
    let aspects = aspects.into_iter().zip(&counted.aspects);
    let shown = aspects.filter(|(_, counts)| counts.is_shown());
    let aspects: Vec<Aspect> = shown.map(|(aspect, _)| aspect).collect();
    let reviews = [sources.analyses.last(), sources.analyses.first()];
    let [earliest, latest] = reviews.map(|one| one.map(|(review, _)| review.date.date()));
    Insights {
        generated_at: None,
        review_count: counted.reviews(),
        date_range: DateRange { earliest, latest },
        generated_from: counted.generated_from(),
        overall_sentiment: (&counted.overall).into(),
        complaints: complaints(&aspects),
        aspects,
        entities: Entities {
            technicians: page.entities(MentionKind::Technician),
            services: page.entities(MentionKind::Service),
            service_areas: page.entities(MentionKind::ServiceArea),
        },
        topics: find_topics(sources),
        temporal: temporal(&counted.months),
        faq: editorial.faq.iter().map(Faq::from).chain(answers).collect(),
        summary: editorial.summary.as_ref().map_or_else(
            || {
                let texts = summary_sentences.iter().map(|one| one.text.as_str());
                texts.collect::<Vec<_>>().join(" ")
            },
            |own| own.text.clone(),
        ),
        summary_sentences,
        method: InsightsMethod {
            low_rated: counted.low_rated,
            ..method
        },
    }
}

/// The words of the business's name, people, services and places, in lower case: they name no stranger.
fn known_words(sources: &AggregateInput<'_>) -> HashSet<String> {
    let business = sources.business;
    let names = business.staff_names().chain(business.service_names());
    let names = names.chain(&business.service_areas).chain([&business.name]);
    let words = names.flat_map(|name| words_only(&TokenizedText::new(name)));
    words.collect()
}

/// The aspects with complaints, the worst first.
fn complaints(aspects: &[Aspect]) -> Vec<Complaint> {
    let complaints = aspects.iter().map(|aspect| Complaint {
        id: aspect.id.clone(),
        label: aspect.label.clone(),
        review_count: aspect.votes.negative_count + aspect.votes.mixed_count,
        judged_count: aspect.votes.judged_count,
    });
    let mut complaints: Vec<Complaint> = complaints.filter(|one| one.review_count > 0).collect();
    // Of equal numbers of complaints, the share is larger where fewer reviews judge.
    complaints.sort_by(|one, other| {
        let counts = other.review_count.cmp(&one.review_count);
        counts.then((one.judged_count, &one.id).cmp(&(other.judged_count, &other.id)))
    });
    complaints
}

/// The counts, and the sentences quoted so far.
struct InsightsPage<'a> {
    sources: &'a AggregateInput<'a>,
    counted: &'a Counted,
    known: HashSet<String>,
    /// Review and number of each quoted sentence.
    quoted: BTreeSet<(u32, u16)>,
}

// Figures.

impl InsightsPage<'_> {
    /// The figures of all shown aspects of the trade, in its order; also of those that no review mentions.
    fn aspects(&mut self) -> Vec<Aspect> {
        let (counted, trade) = (self.counted, self.sources.trade);
        let aspects = counted.aspects.iter().zip(trade.shown_aspects());
        let figures = aspects.enumerate().map(|(at, (counts, aspect))| Aspect {
            id: aspect.id.clone(),
            label: aspect.label.clone(),
            votes: (&counts.votes).into(),
            example_review_ids: self.examples(counts),
            quotes: self.both_sides(counts, ASPECT_QUOTES),
            temporal: votes_over_time(&counted.months, at),
            // The snapshot knows the base URL.
            evidence_url: String::new(),
        });
        figures.collect()
    }

    /// The figures of all entities of that kind, in the roster's order.
    fn entities(&self, kind: MentionKind) -> Vec<Entity> {
        let entries = self.counted.roster.entries.iter();
        let figures = entries.filter(|entry| entry.kind == kind).map(|entry| {
            let mut votes = entry.votes;
            // Of a person whom few reviews name, only the count is shown.
            if kind == MentionKind::Technician && votes.reviews() < PERSON_MIN {
                votes = VoteCounts {
                    uncertain: votes.reviews(),
                    ..VoteCounts::default()
                };
            }
            Entity {
                id: entry.id.clone(),
                name: entry.name.clone(),
                votes: (&votes).into(),
            }
        });
        figures.collect()
    }

    fn examples(&self, counts: &OpinionCounts) -> Vec<String> {
        let analyses = self.sources.analyses;
        let examples = counts.examples.iter();
        let reviews = examples.map(|position| analyses[*position as usize].0);
        reviews.map(|review| review.id.to_string()).collect()
    }
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
    fn pick(&mut self, list: &[QuoteCandidate], count: usize) -> Vec<InsightQuote> {
        let mut quotes: Vec<InsightQuote> = Vec::with_capacity(count);
        for one in list {
            if quotes.len() == count {
                break;
            }
            let quote = self.quote(one);
            quotes
                .extend(quote.filter(|quote| quotes.iter().all(|other| other.text != quote.text)));
        }
        quotes
    }

    /// The sentence as a quote; `None` if it is already quoted, cannot be shown by itself, or is about a person named in too few
    /// reviews.
    fn quote(&mut self, one: &QuoteCandidate) -> Option<InsightQuote> {
        let (position, sentence) = (one.position, one.finding.sentence);
        if self.quoted.contains(&(position, sentence))
            || self.is_about_rare_person(position, sentence)
        {
            return None;
        }
        let (review, _) = self.sources.analyses[position as usize];
        let text = TokenizedText::new(&review.text);
        let tokens = text.sentences().get(usize::from(sentence))?.clone();
        let (span, polarity) = (text.span(tokens.clone()), one.finding.polarity);
        let is_blame = polarity == Polarity::Negative;
        if !says_by_itself(&text, tokens.clone(), polarity)
            || is_blame && names_stranger(&text, tokens, &self.known)
        {
            return None;
        }
        self.quoted.insert((position, sentence));
        Some(InsightQuote {
            review_id: review.id.to_string(),
            sentence: sentence.into(),
            start: span.start,
            end: span.end,
            text: span.of(&review.text)?.to_owned(),
            kind: if is_blame {
                QuoteKind::Complaint
            } else {
                QuoteKind::Praise
            },
            date: review.date.date(),
            stars: review.rating.stars(),
        })
    }

    /// Whether a sentence names a person named in too few reviews.
    fn is_about_rare_person(&self, position: u32, sentence: u16) -> bool {
        let (_, analysis) = self.sources.analyses[position as usize];
        let (mut names, roster) = (analysis.names.iter(), &self.counted.roster);
        names.any(|name| {
            name.kind == MentionKind::Technician
                && name.sentences.contains(&sentence)
                && (roster.find(name.key))
                    .is_some_and(|at| roster.entries[at].votes.reviews() < PERSON_MIN)
        })
    }
}

// Summary and questions.

impl InsightsPage<'_> {
    /// The sentences in a fixed order: all reviews, the most praised aspect, the most criticised one, the texts that are not
    /// analysed. An aspect has one sentence.
    fn sentences(&self, aspects: &[Aspect]) -> Vec<SummarySentence> {
        let (praised, blamed) = (
            self.most_judged_aspect(true),
            self.most_judged_aspect(false),
        );
        // Where few of the judgements of the most praised aspect are complaints, it is not what is complained of most.
        let blamed = blamed.filter(|at| {
            let votes = &self.counted.aspects[*at].votes;
            praised != Some(*at) || votes.side(false) * BLAMED_PART >= votes.judged()
        });
        let praise = praised.filter(|_| praised != blamed);
        let praise = praise.map(|at| self.of_aspect(&aspects[at], at, QuoteKind::Praise));
        let complaint = blamed.map(|at| self.of_aspect(&aspects[at], at, QuoteKind::Complaint));
        let sentences = [self.overall(), praise, complaint, self.not_analysed()];
        sentences.into_iter().flatten().collect()
    }

    /// Minimum number of reviews behind a figure of the summary.
    fn figure_min(&self) -> u32 {
        match self.counted.reviews() {
            MANY_REVIEWS.. => JUDGED_MIN,
            few => few.div_ceil(JUDGED_PART).max(PERSON_MIN),
        }
    }

    /// The aspect with the most praise or the most blame; of equal ones, that with the larger share. The side needs
    /// [`SIDE_MIN`] reviews; praise needs more than half of the judgements, and blame [`REVIEWS_MIN`].
    fn most_judged_aspect(&self, is_praise: bool) -> Option<usize> {
        let blame_min = if is_praise { 0 } else { REVIEWS_MIN };
        let least = self.figure_min().max(blame_min);
        let votes = |at: usize| &self.counted.aspects[at].votes;
        let aspects = (0..self.counted.aspects.len()).filter(|at| self.can_state(*at, least));
        aspects
            .filter(|at| {
                let (side, judged) = (votes(*at).side(is_praise), votes(*at).judged());
                side >= SIDE_MIN && (!is_praise || side * 2 > judged)
            })
            .max_by_key(|at| {
                let by_share = Reverse(votes(*at).judged());
                (votes(*at).side(is_praise), by_share, Reverse(*at))
            })
    }

    /// Whether a sentence can state the votes on an aspect: so many reviews judge it, rules at least half of them (the
    /// classifier alone has the right aspect in 3 of 5 complaints of real reviews, the rules in 9 of 10), at least as many as
    /// are uncertain, and criticism of it was heard.
    fn can_state(&self, aspect: usize, judged_min: u32) -> bool {
        let OpinionCounts { votes, ruled, .. } = &self.counted.aspects[aspect];
        let (judged, whole) = (votes.judged(), (&self.counted.overall).into());
        judged >= judged_min
            && ruled * 2 >= judged
            && votes.uncertain <= judged
            && !hides_criticism(&votes.into(), &whole, self.counted.low_rated)
    }

    /// Whole reviews.
    fn overall(&self) -> Option<SummarySentence> {
        let votes = &self.counted.overall;
        let (positive, negative, all) = (votes.positive, votes.negative, votes.reviews());
        let [(more, word), (fewer, other)] = sides(votes);
        let are = |reviews: u32, what: &str| match reviews {
            0 => format!("none is {what}"),
            1 => format!("1 is {what}"),
            some => format!("{some} are {what}"),
        };
        let neither = all - more - fewer;
        let rest = match (fewer, neither) {
            (_, 0) => are(fewer, other),
            (0, _) => are(neither, UNCLEAR),
            (_, _) => format!("{}, {}", are(fewer, other), are(neither, UNCLEAR)),
        };
        let text =
            format!("{more} of {all} reviews with an analysed text are {word} as a whole; {rest}.");
        let figures = [
            ("positive", positive),
            ("negative", negative),
            ("neither", neither),
            ("analysed", all),
        ];
        (all >= self.figure_min()).then(|| sentence(SummaryTemplate::Overall, text, &figures))
    }

    /// The texts in languages that are not analysed, if they are many.
    fn not_analysed(&self) -> Option<SummarySentence> {
        let &Counted {
            foreign, with_text, ..
        } = self.counted;
        if foreign == 0 || foreign * FOREIGN_PART < with_text {
            return None;
        }
        let text = format!("Texts in a language that is not analysed: {foreign} of {with_text}.");
        let figures = [("foreign", foreign), ("with_text", with_text)];
        Some(sentence(SummaryTemplate::NotAnalysed, text, &figures))
    }

    /// Praise of an aspect, blame, or both; blame with a quote.
    fn of_aspect(&self, aspect: &Aspect, at: usize, kind: QuoteKind) -> SummarySentence {
        let votes = &self.counted.aspects[at].votes;
        let figures = [
            ("positive", votes.positive),
            ("negative", votes.negative),
            ("mixed", votes.mixed),
            ("uncertain", votes.uncertain),
            ("judged", votes.judged()),
        ];
        let template = match kind {
            QuoteKind::Praise => SummaryTemplate::AspectPositive,
            QuoteKind::Complaint => SummaryTemplate::AspectNegative,
        };
        let text = format!("{}: {}.", aspect.label, both_counts(votes));
        let quotes = aspect.quotes.iter().filter(|quote| quote.kind == kind);
        let mut sentence = sentence(template, text, &figures);
        sentence.evidence.aspect = Some(aspect.id.clone());
        if kind == QuoteKind::Complaint {
            sentence.evidence.quote = quotes.clone().next().cloned();
        }
        sentence.evidence.review_ids = quotes.map(|quote| quote.review_id.clone()).collect();
        sentence
    }

    /// The questions about the aspects with the most judgements, in the trade's order.
    fn answers(&mut self) -> Vec<Faq> {
        let all = &self.counted.aspects;
        let stated = (0..all.len()).filter(|at| self.can_state(*at, REVIEWS_MIN));
        let mut aspects: Vec<usize> = stated.collect();
        aspects.sort_by_key(|at| Reverse(all[*at].votes.judged()));
        aspects.truncate(ANSWERS_SHOWN);
        aspects.sort_unstable();
        aspects.into_iter().map(|at| self.answer(at)).collect()
    }

    fn answer(&mut self, at: usize) -> Faq {
        let (aspect, counts) = (&self.sources.trade.aspects[at], &self.counted.aspects[at]);
        let quotes = self.both_sides(counts, ANSWER_QUOTES);
        let mut answer = both_counts(&counts.votes) + ".";
        for quote in &quotes {
            let kind = match quote.kind {
                QuoteKind::Complaint => " Criticism: “",
                QuoteKind::Praise => " Praise: “",
            };
            answer += &[kind, &quote.text, "”"].concat();
        }
        Faq {
            id: format!("aspect-{}", aspect.id),
            question: aspect.question.clone(),
            answer,
            basis: FaqBasis::Reviews,
            aspect: Some(aspect.id.clone()),
            evidence: Some(quotes.into_iter().map(|quote| quote.review_id).collect()),
        }
    }
}

/// Whether hardly anybody criticises what these votes are on, although many reviews blame the business, or although there are many
/// complaints of which the subject is not known: the criticism was not heard.
pub fn hides_criticism(votes: &Votes, whole: &OverallSentiment, low_rated: LowRated) -> bool {
    let criticise = votes.negative_count + votes.mixed_count;
    let is_blamed =
        whole.negative_count * BLAMED_PART >= whole.positive_count + whole.negative_count;
    let unplaced = low_rated.without_aspect;
    let is_complained =
        unplaced * UNPLACED_PART >= votes.judged_count && unplaced >= criticise * UNPLACED_FACTOR;
    criticise * SIDE_PART < votes.judged_count && (is_blamed || is_complained && unplaced > 0)
}

/// A sentence whose only evidence are these figures.
fn sentence(template: SummaryTemplate, text: String, figures: &[(&str, u32)]) -> SummarySentence {
    let figures = figures.iter();
    let figures = figures.map(|(name, figure)| ((*name).to_owned(), *figure));
    SummarySentence {
        text,
        template,
        evidence: SummaryEvidence {
            figures: figures.collect(),
            ..SummaryEvidence::default()
        },
    }
}

/// The larger side first.
fn sides(votes: &VoteCounts) -> [(u32, &'static str); 2] {
    let mut sides = [(votes.positive, "positive"), (votes.negative, "negative")];
    sides.sort_by_key(|(reviews, _)| Reverse(*reviews));
    sides
}

/// The counts with the larger side first.
fn both_counts(votes: &VoteCounts) -> String {
    let judged = votes.judged();
    let [(side, word), (other, other_word)] = sides(votes);
    let words = if side == judged && votes.uncertain > 0 {
        // What is unclear may be of the other side.
        let judge = if votes.positive > 0 {
            "praise"
        } else {
            "criticise"
        };
        format!("{side} reviews {judge} it")
    } else {
        format!("{side} of {judged} reviews that judge it are {word}")
    };
    let rest = [
        (other, other_word),
        (votes.mixed, "mixed"),
        // Not of those that judge it.
        (votes.uncertain, "more unclear"),
    ];
    let rest = rest.iter().filter(|(reviews, _)| *reviews > 0);
    let rest = rest.map(|(reviews, word)| format!("{reviews} {word}"));
    let rest: Vec<String> = rest.collect();
    if rest.is_empty() {
        return words;
    }
    format!("{words}; {}", rest.join(", "))
}

#[cfg(test)]
mod tests {
    use super::both_counts;
    use crate::model::VoteCounts;

    #[test]
    fn an_answer_has_all_votes_with_a_judgement() {
        let votes = |positive, negative, mixed| VoteCounts {
            positive,
            negative,
            mixed,
            ..VoteCounts::default()
        };
        for (votes, expected) in [
            (votes(7, 0, 0), "7 of 7 reviews that judge it are positive"),
            (
                votes(2, 5, 1),
                "5 of 8 reviews that judge it are negative; 2 positive, 1 mixed",
            ),
            (
                votes(20, 20, 0),
                "20 of 40 reviews that judge it are positive; 20 negative",
            ),
            (
                VoteCounts {
                    uncertain: 2,
                    ..votes(7, 0, 0)
                },
                "7 reviews praise it; 2 more unclear",
            ),
        ] {
            assert_eq!(both_counts(&votes), expected);
        }
    }
}
