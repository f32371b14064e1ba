//! Finds the aspects that a text judges, and their polarity: phrases and lexicon of the trade, negation, intensity,
//! contrast, and the subject of each clause. All arithmetic uses integers in a fixed order, so a text has the same
//! findings on every platform; every point belongs to a hit.

pub mod decision;
mod engine;
mod parsed_sentence;
mod patterns;
mod reading;
mod score;

use super::analysis::{Finding, Polarity};
use super::text::TokenizedText;
use decision::AspectCandidate;
pub use engine::RuleEngine;
use parsed_sentence::ParsedSentence;
pub use reading::{SentenceReading, document_figures};
pub use score::label;

/// The findings of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextFindings {
    /// By sentence, then by position, then by aspect: each aspect once per sentence.
    pub findings: Vec<Finding>,
    /// The polarity of the text as a whole, and its score.
    pub overall: (Polarity, i32),
}

// Reads a text with the rules.

impl RuleEngine {
    /// Judges a text in the language of the trade, without stars.
    pub fn analyze(&self, text: &TokenizedText) -> TextFindings {
        self.analyze_with(text, None)
    }

    /// Judges a text in the language of the trade. What the text leaves open leans to the
    /// label of the stars.
    pub fn analyze_with(&self, text: &TokenizedText, stars: Option<u8>) -> TextFindings {
        let (mut read, candidates) = self.candidates(text);
        let of_stars = stars.and_then(Polarity::of_stars);
        let findings = reading::findings(self, text, &mut read, &candidates, of_stars);
        TextFindings {
            overall: reading::overall(self, &read, &findings),
            findings,
        }
    }

    /// The candidates for findings, with the sentences that contain them.
    pub fn candidates(
        &self,
        text: &TokenizedText,
    ) -> (Vec<SentenceReading<'_>>, Vec<AspectCandidate>) {
        let mut parsed = ParsedSentence::default();
        let mut read = Vec::with_capacity(text.sentences().len());
        for (sentence, range) in (0..).zip(text.sentences()) {
            parsed.fill(&self.compiled, text, range.clone());
            read.push(SentenceReading::new(self, text, &parsed, sentence));
        }
        let candidates = reading::candidates(self, &read);
        (read, candidates)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use super::RuleEngine;
    use crate::insights::analysis::{Finding, Polarity, witness};
    use crate::insights::stars::settle;
    use crate::insights::text::TokenizedText;
    use crate::insights::trades::{HOME_SERVICES, shipped};
    use crate::wire::Witness;

    /// Compiled once for all tests.
    fn engine() -> &'static RuleEngine {
        static ENGINE: LazyLock<RuleEngine> =
            LazyLock::new(|| RuleEngine::new(shipped(HOME_SERVICES).unwrap()));
        &ENGINE
    }

    fn without_decisions(engine: &RuleEngine) -> RuleEngine {
        let mut rules = engine.clone();
        rules.decisions = None;
        rules
    }

    /// Without the classifier.
    fn rules() -> &'static RuleEngine {
        static RULES: LazyLock<RuleEngine> = LazyLock::new(|| without_decisions(engine()));
        &RULES
    }

    /// The findings of a text: `price+ workmanship-`, sorted.
    fn findings_in(engine: &RuleEngine, text: &str) -> String {
        list_findings(&engine.analyze(&TokenizedText::new(text)).findings)
    }

    fn list_findings(findings: &[Finding]) -> String {
        let sign = |polarity| match polarity {
            Polarity::Positive => '+',
            Polarity::Negative => '-',
            Polarity::Neutral => '=',
            Polarity::Uncertain => '?',
        };
        let mut listed: Vec<String> = findings
            .iter()
            .map(|one| format!("{}{}", one.aspect, sign(one.polarity)))
            .collect();
        listed.sort();
        listed.join(" ")
    }

    /// Checks the rules' findings.
    #[track_caller]
    fn assert_findings(cases: &[(&str, &str)]) {
        let engine = rules();
        let wrong: Vec<String> = cases
            .iter()
            .filter_map(|(text, expected)| {
                let got = findings_in(engine, text);
                (got != *expected)
                    .then(|| format!("{text}\n   expected {expected}\n   got      {got}"))
            })
            .collect();
        assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    }

    /// In the notation of [`findings_in`].
    #[test]
    fn spanish_texts_are_analysed_with_spanish_rules() {
        let trade = shipped(HOME_SERVICES).unwrap();
        let spanish = &trade.languages[0];
        let rules = RuleEngine::new(spanish.clone());
        let listed = |text: &str| {
            let text = TokenizedText::of(text, &spanish.words);
            list_findings(&rules.analyze(&text).findings)
        };
        for (text, expected) in [
            ("Llegaron a tiempo.", "punctuality+"),
            ("No llegaron a tiempo.", "punctuality-"),
            ("llegaron dos horas tarde", "punctuality-"),
            ("Vinieron esa misma tarde.", "response_time+"),
            ("Nadie me contestó el teléfono.", "communication-"),
            ("Nunca devolvieron mi llamada.", "communication-"),
            (
                "Me explicó todo con mucha paciencia.",
                "communication+ professionalism+",
            ),
            ("Muy educado el técnico.", "professionalism+"),
            ("Ni una disculpa nos dieron.", "professionalism-"),
            ("No me dieron ni una disculpa.", "professionalism-"),
            ("Arreglaron la fuga y quedó como nuevo.", "workmanship+"),
            ("La llave sigue goteando.", "workmanship-"),
            ("El precio fue justo.", "price+"),
            ("Muy caro para lo que hicieron.", "price-"),
            ("No quiso cobrarme la visita.", "price+"),
            ("Son honestos y de confianza.", "honesty+"),
            (
                "Me quisieron vender una unidad que no necesitaba.",
                "honesty-",
            ),
            ("Dejaron todo limpio.", "cleanliness+"),
            ("Dejaron un reguero de basura.", "cleanliness-"),
            ("No respetaron la garantía.", "warranty-"),
            ("Los recomiendo.", "overall+"),
            ("No los recomiendo a nadie.", "overall-"),
            ("Me cancelaron la cita.", "scheduling-"),
            ("El otro plomero era muy caro.", ""),
            ("Se me dañó el aire un sábado.", ""),
        ] {
            assert_eq!(listed(text), expected, "{text}");
            let plain: String = text.chars().map(plain).collect();
            assert_eq!(listed(&plain), expected, "{plain}: without accents");
        }
    }

    /// A letter without its accent.
    fn plain(letter: char) -> char {
        match letter {
            'á' => 'a',
            'é' => 'e',
            'í' => 'i',
            'ó' => 'o',
            'ú' => 'u',
            'ñ' => 'n',
            other => other,
        }
    }

    #[test]
    fn one_sentence_can_have_findings_of_several_aspects() {
        assert_findings(&[
            (
                "Fast, tidy and reasonably priced.",
                "cleanliness+ price+ response_time+",
            ),
            (
                "Our plumber arrived on time, was polite, and swept up afterwards.",
                "cleanliness+ professionalism+ punctuality+",
            ),
            ("Would hire them again.", "overall+"),
        ]);
    }

    #[test]
    fn a_negator_inverts_only_the_words_in_scope() {
        assert_findings(&[
            ("He wasn't rude.", "professionalism+"),
            ("The crew was not friendly or polite.", "professionalism-"),
            ("They never left a mess.", "cleanliness+"),
            ("No hidden fees.", "honesty+ price+"),
            ("I have nothing but good things to say.", "overall+"),
            ("You can't go wrong with these folks.", "overall+"),
            (
                "Not only was he punctual, he was polite.",
                "professionalism+ punctuality+",
            ),
        ]);
    }

    #[test]
    fn after_a_contrast_the_conclusion_decides_within_an_aspect() {
        assert_findings(&[
            (
                "Although pricey, the repair was perfect.",
                "price- workmanship+",
            ),
            (
                "Nice fellow, but the faucet is still dripping.",
                "professionalism+ workmanship-",
            ),
            ("A little expensive but worth every penny.", "price+"),
        ]);
    }

    #[test]
    fn trouble_that_the_firm_did_not_cause_is_no_finding() {
        assert_findings(&[
            (
                "The leak was awful and they came out the same day.",
                "response_time+",
            ),
            (
                "The last company left us with a mess, and these guys were wonderful.",
                "professionalism+",
            ),
        ]);
    }

    #[test]
    fn a_fault_that_remains_or_returns_is_negative_workmanship() {
        assert_findings(&[
            ("The furnace is still not heating.", "workmanship-"),
            ("The drain clogged again a week later.", "workmanship-"),
            ("I had to hire another plumber to fix it.", "workmanship-"),
        ]);
    }

    #[test]
    fn replies_and_missing_replies_count_as_communication() {
        assert_findings(&[
            ("Called twice and never heard back.", "communication-"),
            ("They ghosted us.", "communication-"),
            ("They kept me updated the whole time.", "communication+"),
        ]);
    }

    #[test]
    fn amounts_and_facts_are_neutral_without_a_judgement() {
        assert_findings(&[
            ("The trip fee is $79.", "price="),
            ("The bill came in under the estimate.", "price+"),
            ("The bill was twice what they quoted.", "price-"),
            ("Do they offer a warranty?", "warranty="),
            ("If it fails again I will update this.", "workmanship="),
        ]);
    }

    #[test]
    fn a_wish_is_a_complaint() {
        assert_findings(&[
            ("I wish they had been on time.", "punctuality-"),
            ("I wish they were cheaper.", "price-"),
        ]);
    }

    #[test]
    fn passive_sentences_about_omissions_are_complaints() {
        assert_findings(&[
            ("Two emails of ours were never answered.", "communication-"),
            (
                "We were not told that the street would be closed.",
                "communication-",
            ),
            (
                "My question about the meter was not answered.",
                "communication-",
            ),
            ("The certificate has not been confirmed.", "communication-"),
            ("Half the switches are not labelled.", "workmanship-"),
        ]);
        assert_not(
            "communication-",
            &[
                "Every email was answered.",
                "We were told that the street would be closed.",
                "We were always told what comes next.",
            ],
        );
    }

    #[test]
    fn tasks_left_to_the_customer_are_complaints() {
        assert_findings(&[
            ("I had to chase them for the report.", "communication-"),
            (
                "We had to remind him of the second window.",
                "communication-",
            ),
            ("We asked three times about the permit.", "communication-"),
            ("I had to mop the hall after them.", "cleanliness-"),
            (
                "It took seven letters and four emails to get an answer.",
                "communication-",
            ),
        ]);
        assert_not(
            "-",
            &[
                "I never had to chase them for anything.",
                "We did not have to remind him.",
                "They mopped the hall without being asked.",
            ],
        );
    }

    #[test]
    fn missing_information_is_a_complaint() {
        assert_findings(&[
            ("Nobody could tell me which valve it was.", "communication-"),
            ("No call, no text.", "communication-"),
            ("Three voicemails, no reply.", "communication-"),
            (
                "Why the pump was changed was never explained.",
                "communication-",
            ),
            ("I only heard of it when I arrived.", "communication-"),
        ]);
        assert_not(
            "-",
            &[
                "Everybody could tell me which valve it was.",
                "There was a call and then a text.",
            ],
        );
    }

    #[test]
    fn a_problem_after_the_work_is_a_complaint() {
        assert_findings(&[
            ("Same drip as before, three weeks on.", "workmanship-"),
            (
                "Another electrician had to finish the panel.",
                "workmanship-",
            ),
            (
                "Since the repair the boiler trips every night.",
                "workmanship-",
            ),
            ("The gutters were skipped at the back.", "workmanship-"),
            (
                "Every second socket is dead since the rewiring.",
                "workmanship-",
            ),
        ]);
        assert_not(
            "workmanship-",
            &[
                "The tap no longer drips.",
                "Nothing was skipped.",
                "Three storms later the attic is dry.",
            ],
        );
    }

    #[test]
    fn a_broken_promise_is_a_complaint() {
        assert_findings(&[
            ("The quote became twice as much at the door.", "price-"),
            (
                "The booking fee was never mentioned on the phone.",
                "honesty- price-",
            ),
            (
                "Sold to us as new, but the label was three years old.",
                "honesty-",
            ),
            (
                "The visit was agreed for Tuesday and they came on Friday.",
                "punctuality-",
            ),
            (
                "Cancelled by text on the morning itself.",
                "communication- scheduling-",
            ),
        ]);
        assert_not(
            "price-",
            &[
                "They did not charge us twice.",
                "The bill was exactly as quoted.",
            ],
        );
    }

    #[test]
    fn a_wish_about_the_past_is_a_complaint() {
        assert_findings(&[
            ("A phone call would have been nice.", "communication-"),
            (
                "It would have been useful to know about the dust.",
                "communication-",
            ),
            ("More patience would have helped.", "professionalism-"),
            ("I would have liked some notice.", "communication-"),
            ("The work left something to be desired.", "workmanship-"),
        ]);
        assert_not(
            "-",
            &[
                "The crew could not have been kinder.",
                "It could have been worse.",
            ],
        );
    }

    #[test]
    fn plain_complaints_are_negative_without_the_classifier() {
        let food = RuleEngine::new(shipped("food").unwrap());
        for (text, finding) in [
            ("But the first impression is nothing.", "overall-"),
            ("Leaving you in the lurch for months", "overall-"),
            ("This company just wants to make money quickly.", "honesty-"),
            (
                "I was promised feedback, and there was none.",
                "communication-",
            ),
            ("For that price I expect a bit more.", "price-"),
            ("The owner couldn't care less.", "professionalism-"),
            ("We will not be booking with them again.", "overall-"),
            ("The whole process has been infuriating.", "overall-"),
            ("We hate dealing with these people.", "overall-"),
            ("The motel is a dump.", "overall-"),
            ("I don't see us going back.", "overall-"),
            ("Sadly one to avoid.", "overall-"),
            ("I am ready to switch banks.", "overall-"),
            (
                "If there was an option for zero stars, I would take it.",
                "overall-",
            ),
            ("They lied to us about the deposit.", "honesty-"),
            (
                "I have emailed five times and got no reply.",
                "communication-",
            ),
            ("The helpline is a joke.", "communication-"),
            (
                "The manager flatly refused to listen to me.",
                "professionalism-",
            ),
            ("They doubled our price overnight.", "price-"),
            ("The oven was covered in greasy dirt.", "cleanliness-"),
        ] {
            for engine in [engine(), &food] {
                let found = findings_in(engine, text);
                assert!(found.contains(finding), "{text}: {found}");
            }
        }
        let wait = "There was only a 20 minute wait.";
        assert_eq!(findings_in(&food, wait), "waiting+");
        for text in [
            "They never left us in the lurch.",
            "Honest valuation, no empty promises.",
            "The last company left us in the lurch.",
            "The previous plumber lied to us and refused to refund our deposit.",
            "They sent one man with two helpers.",
        ] {
            let found = findings_in(engine(), text);
            assert!(!found.contains('-'), "{text}: {found}");
        }
    }

    #[test]
    fn complaints_without_an_aspect_blame_the_firm_in_low_reviews() {
        let general = RuleEngine::new(shipped("general").unwrap());
        let found = |text: &str, stars| {
            let text = TokenizedText::new(text);
            let mut findings = general.analyze_with(&text, Some(stars)).findings;
            settle(&mut findings, stars);
            list_findings(&findings)
        };
        for (text, stars) in [
            (
                "The parcel was thrown over the fence and half of it was missing.",
                1,
            ),
            ("They sent the wrong size and refuse to exchange it.", 3),
            ("We ordered two lamps but received only one.", 3),
        ] {
            let found = found(text, stars);
            assert!(found.contains("overall-"), "{text}: {found}");
        }
        let text = "The parcel was thrown over the fence and half of it was missing.";
        assert!(!found(text, 5).contains("overall-"), "{text}");
        for text in [
            "I ordered two shirts for my son in March.",
            "My mother lives two hours away.",
            "I told her that it could not be mine.",
            "I told him that it was not my car.",
            "Granted, I waited a month, but they needed to be told.",
        ] {
            assert!(!found(text, 1).contains('-'), "{text}: {}", found(text, 1));
        }
    }

    #[test]
    fn a_recommendation_of_a_dish_is_none_of_the_place() {
        let both = RuleEngine::new(shipped("food").unwrap());
        let food = without_decisions(&both);
        for (text, expected) in [
            ("I do recommend the pepper sauce.", "food+"),
            ("I do recommend the restaurant.", "overall+"),
            ("A friend recommended him to us.", ""),
        ] {
            assert_eq!(findings_in(&food, text), expected, "{text}");
            assert_eq!(
                findings_in(&both, text),
                expected,
                "{text} with the classifier"
            );
        }
        assert!(!findings_in(&food, "The desserts are not worth it.").contains("price"));
    }

    #[test]
    fn a_plain_complaint_has_at_least_the_confidence_of_rules() {
        let confidence = |text: &str| {
            let text = TokenizedText::new(text);
            let findings = engine().analyze(&text).findings;
            findings.iter().map(|one| one.confidence).max().unwrap()
        };
        assert_eq!(confidence("Leaving you in the lurch for months"), 70);
        assert!(confidence("They never called me back, what a terrible company.") > 70);
    }

    #[test]
    fn understated_praise_is_positive() {
        assert_findings(&[
            ("He advised us against a new boiler.", "honesty+"),
            ("The bill was exactly as quoted.", "price+"),
            ("Every breaker is labelled now.", "workmanship+"),
            ("Two winters later the roof is still dry.", "workmanship+"),
            ("The old part was shown to me.", "honesty+"),
        ]);
    }

    #[test]
    fn trouble_before_the_visit_is_no_complaint() {
        let before = [
            "Our boiler had been leaking for weeks before they came.",
            "The AC died on Friday, they were here on Saturday.",
            "Water was coming through the ceiling when I called.",
            "My furnace stopped working in the middle of the night.",
            "The kitchen sink had clogged up completely.",
            "Our old water heater had been making an awful noise.",
            "The upstairs shower had been dripping since Easter.",
            "We had been without hot water for three days when Dana came.",
            "The garage door was stuck halfway when I called.",
            "Our heating broke down on Christmas Eve.",
            "The power had gone out in half the house.",
            "The last plumber left a mess under the sink.",
        ];
        for text in before {
            for engine in [rules(), engine()] {
                let found = findings_in(engine, text);
                assert!(!found.contains('-'), "{text}: {found}");
            }
        }
        let blames = [
            "Two days later the boiler leaked again.",
            "The boiler had been leaking again two days after the repair.",
            "Our furnace stopped working the next day.",
            "Our furnace broke down again on Sunday.",
            "The toilet was still leaking when they left.",
            "The heater had failed again before they got home.",
            "Within a week the drain was clogged again.",
            "They left. The furnace stopped working that night.",
            "The boiler leaked again after they left.",
            "They left the sink dripping and the shower still leaks.",
            "The ceiling is still dripping.",
            "After the repair the faucet leaked again.",
        ];
        for text in blames {
            let found = findings_in(rules(), text);
            assert!(found.contains("workmanship-"), "{text}: {found}");
        }
    }

    /// The rules have no finding of that kind in these.
    #[track_caller]
    fn assert_not(kind: &str, texts: &[&str]) {
        for text in texts {
            let found = findings_in(rules(), text);
            assert!(!found.contains(kind), "{text}: {found}");
        }
    }

    /// The rules judge nothing in these.
    #[track_caller]
    fn assert_open(texts: &[&str]) {
        for text in texts {
            let found = findings_in(rules(), text);
            assert!(!found.contains(['+', '-']), "{text}: {found}");
        }
    }

    #[test]
    fn would_be_with_praise_is_negative_and_with_blame_is_open() {
        assert_findings(&[
            (
                "A polite voice on the phone would be a start.",
                "professionalism-",
            ),
            ("Fair prices would be nice.", "price-"),
            ("Some honesty about the hours would be welcome.", "honesty-"),
            ("We would be happy to hire them again.", "overall+"),
        ]);
        assert_open(&[
            "It would be rude to complain about a free visit.",
            "It would be dishonest to give fewer points.",
            "It would be terrible to lose this shop.",
            "That would be unfair to the crew.",
            "It would be a shame to move away.",
        ]);
    }

    #[test]
    fn a_preference_with_would_rather_is_no_judgement() {
        assert_open(&[
            "I would rather have a friendly crew than a big one.",
            "I'd rather pay a fair price than argue.",
            "My wife would rather talk to somebody polite.",
            "We'd rather wait for a punctual company.",
            "They would rather be rude than wait.",
        ]);
        assert_findings(&[("I would rather not call them again.", "overall-")]);
    }

    #[test]
    fn supposedly_leaves_a_judgement_open() {
        assert_open(&[
            "The supposedly friendly owner did not look up.",
            "Supposedly the price was fair.",
            "He supposedly fixed the leak on Monday.",
            "A supposedly professional crew came on Tuesday.",
            "Allegedly he was on time.",
        ]);
    }

    #[test]
    fn statements_about_others_do_not_judge_the_firm() {
        assert_open(&[
            "Others who came before left a mess.",
            "I have worked with others who did a terrible job.",
            "There are others who are cheap and friendly.",
            "Many others who were rude are gone.",
            "Some companies who charge less are dishonest.",
        ]);
        assert_findings(&[(
            "Others who were cheaper left a mess, but this crew was punctual.",
            "punctuality+",
        )]);
    }

    #[test]
    fn thanks_with_a_negative_emoji_are_negative() {
        assert_findings(&[
            ("Thank you for the lovely mess 🤮", "cleanliness- overall-"),
            ("Thanks for your great service 🤮", "overall-"),
            ("Thanks a lot for the excellent advice 🙄", "overall-"),
            (
                "Thank you so much, wonderful work 🤢",
                "overall- workmanship-",
            ),
            (
                "Thank you for nothing, guys 👎",
                "overall- professionalism-",
            ),
            ("Thank you for the great work 👍", "overall+ workmanship+"),
        ]);
    }

    #[test]
    fn the_phrase_to_be_honest_is_no_finding_of_honesty() {
        let texts = [
            "To be honest, the kitchen was finished on Friday.",
            "If I'm honest, I chose them for the parking.",
            "The bill came on Monday, to be honest.",
            "Being completely honest, I had never heard of them.",
            "In all honesty, we were away that week.",
            "If we are being honest, it is a long drive.",
        ];
        for text in texts {
            for engine in [rules(), engine()] {
                let found = findings_in(engine, text);
                assert!(!found.contains("honesty"), "{text}: {found}");
            }
        }
        assert_findings(&[("I found him to be honest.", "honesty+")]);
    }

    #[test]
    fn at_no_time_inverts_the_following_clause() {
        assert_findings(&[
            ("At no time were they rude.", "professionalism+"),
            ("At no point did they overcharge.", "price+"),
            ("At no time did the price seem unfair.", "price+"),
            (
                "Never did I have the feeling that they were dishonest.",
                "honesty+",
            ),
            (
                "I never had the feeling that the price was unfair.",
                "price+",
            ),
            (
                "We never got the impression that he was rude.",
                "professionalism+",
            ),
        ]);
    }

    #[test]
    fn a_need_is_negative_unless_it_recommends_the_firm() {
        assert_findings(&[
            ("I need somebody honest.", "honesty-"),
            ("We need a company that is on time.", "punctuality-"),
            (
                "I just want somebody polite on the phone.",
                "professionalism-",
            ),
            ("I only want a team that is friendly.", "professionalism-"),
            ("We need someone punctual.", "punctuality-"),
            (
                "If you need somebody honest, call them.",
                "honesty+ overall+",
            ),
        ]);
    }

    #[test]
    fn people_love_is_not_read_as_praise_of_the_staff() {
        let texts = [
            "People love the new kitchen.",
            "I hear people love their boilers.",
            "Most people love a warm bathroom.",
            "Everybody loves that blue door.",
            "People really enjoy the garden now.",
        ];
        for text in texts {
            let found = findings_in(rules(), text);
            assert!(!found.contains("professionalism"), "{text}: {found}");
        }
    }

    #[test]
    fn idioms_that_resemble_praise_are_not_positive() {
        assert_findings(&[
            ("Their early notice is worth a great deal to me.", ""),
            ("We got a great deal on the new boiler.", "price+"),
            ("It shouldn't depend on luck at these prices.", "price-"),
            ("I expected better for this money.", "price-"),
            ("The prices are fair.", "price+"),
        ]);
        let blamed = findings_in(
            rules(),
            "If they answered the phone the way they fix roofs I'd be glad.",
        );
        assert!(!blamed.contains("communication+"), "{blamed}");
    }

    #[test]
    fn the_word_covered_alone_is_no_finding_of_warranty() {
        let texts = [
            "The patio is covered.",
            "The pool was covered when we came.",
            "All rooms were covered with blue paper.",
            "He covered all topics in an hour.",
            "The route is covered by two vans.",
            "He covered everything with foil.",
        ];
        for text in texts {
            for engine in [rules(), engine()] {
                let found = findings_in(engine, text);
                assert!(!found.contains("warranty+"), "{text}: {found}");
            }
        }
        assert_findings(&[("The repair was covered under the warranty.", "warranty+")]);
    }

    #[test]
    fn the_charge_of_a_battery_is_no_finding_of_price() {
        let texts = [
            "The battery does not hold a charge.",
            "The bike needs a full charge overnight.",
            "The phone lost its charge after an hour.",
            "You can charge the car in the yard.",
            "It took eight hours to charge the battery.",
            "He took charge of the kitchen at once.",
        ];
        for text in texts {
            for engine in [rules(), engine()] {
                let found = findings_in(engine, text);
                assert!(!found.contains("price"), "{text}: {found}");
            }
        }
        assert_findings(&[("They did not charge for the visit.", "price+")]);
    }

    #[test]
    fn a_classifier_hit_has_only_words_of_the_same_aspect() {
        let engine = engine();
        let mut named = 0;
        for (original, aspect, others) in [
            (
                "The price was fair, but the dispatcher was horribly rude.",
                "price",
                "rude",
            ),
            (
                "He was an hour late, and the repair is excellent.",
                "punctuality",
                "excellent",
            ),
            (
                "The office was rude, and the work is flawless.",
                "professionalism",
                "flawless",
            ),
            (
                "Great communication, and they left a filthy mess.",
                "communication",
                "filthy",
            ),
            (
                "The bill was outrageous, the technician was friendly.",
                "price",
                "friendly",
            ),
        ] {
            let findings = engine.analyze(&TokenizedText::new(original)).findings;
            let of_aspect = findings.iter().filter(|finding| finding.aspect == aspect);
            for hit in of_aspect.flat_map(|finding| &finding.hits) {
                assert!(!hit.rule.contains(others), "{original}: {hit:?}");
                named += usize::from(hit.rule.starts_with("examples:"));
            }
        }
        assert!(named >= 3, "the premise: {named}");
    }

    #[test]
    fn only_the_clearest_aspects_of_a_sentence_are_confirmed() {
        for (text, aspect, is_confirmed) in [
            ("My wife liked that he was on time.", "punctuality", true),
            (
                "They came on time, and the price was fair for the work.",
                "punctuality",
                false,
            ),
            (
                "They came on time, and the price was fair for the work.",
                "price",
                true,
            ),
            (
                "The technician was polite and fixed the leak in the kitchen in no time at all.",
                "professionalism",
                false,
            ),
            (
                "The crew was very polite and friendly.",
                "professionalism",
                true,
            ),
            (
                "They left the kitchen clean and fixed the heater, which works perfectly now.",
                "cleanliness",
                false,
            ),
            (
                "The bill was higher than the estimate and nobody explained why.",
                "price",
                true,
            ),
            (
                "The bill was higher than the estimate and nobody explained why.",
                "communication",
                false,
            ),
        ] {
            let findings = engine().analyze(&TokenizedText::new(text)).findings;
            let found = findings.iter().find(|one| one.aspect == aspect).unwrap();
            let expected = if is_confirmed {
                Witness::Both
            } else {
                Witness::Rule
            };
            assert_eq!(witness(&found.hits), expected, "{text} {aspect}");
        }
    }

    #[test]
    fn words_are_judgements_only_in_the_expected_context() {
        assert_findings(&[
            (
                "I would like to thank Mike for coming out so fast.",
                "overall+ response_time+",
            ),
            ("We wish them all the best.", ""),
            (
                "The heater was commissioned the same day.",
                "response_time+",
            ),
            ("They sent over a menu of options.", ""),
            ("Our old boiler gave up the ghost.", ""),
            (
                "He disconnected the old unit and hauled it away.",
                "cleanliness+",
            ),
            ("They replaced the defective valve.", "workmanship="),
            ("There was water damage in the ceiling when we called.", ""),
            ("Kind regards, Anna", ""),
            ("The whole kitchen has mud everywhere.", "cleanliness-"),
            ("All I got was a phone menu.", "communication-"),
        ]);
    }

    #[test]
    fn the_classifier_withdraws_implausible_rule_findings() {
        let text = "We looked everywhere for a good plumber.";
        assert_eq!(findings_in(rules(), text), "professionalism+");
        assert_eq!(findings_in(engine(), text), "");
    }

    #[test]
    fn faults_of_other_firms_are_no_findings_about_the_firm() {
        assert_findings(&[
            ("The insurance company was useless.", ""),
            ("The manufacturer sent the wrong part.", ""),
            ("I was so stressed when the heater broke.", ""),
        ]);
    }

    #[test]
    fn a_negator_inverts_neither_emoji_nor_facts_unknown_before() {
        assert_findings(&[
            ("I was not aware of the exorbitant price.", "price-"),
            ("Never had a problem 😊", "workmanship+"),
        ]);
        let engine = engine();
        assert_eq!(
            engine
                .analyze(&TokenizedText::new("No issues at all 👍"))
                .overall
                .0,
            Polarity::Positive
        );
    }

    #[test]
    fn marks_and_recommendations_set_the_overall_polarity() {
        assert_findings(&[
            ("Very recommendable!", "overall+"),
            ("Not recommendable.", "overall-"),
            ("A+", "overall+"),
        ]);
        let engine = engine();
        let overall = |text: &str| engine.analyze(&TokenizedText::new(text)).overall.0;
        assert_eq!(overall("10/10"), Polarity::Positive);
        assert_eq!(overall("0/10"), Polarity::Negative);
    }

    #[test]
    fn misspelled_words_are_corrected() {
        assert_findings(&[
            ("highly reccomend", "overall+"),
            ("they dont return calls", "communication-"),
        ]);
    }

    #[test]
    fn a_score_is_the_sum_of_hits_that_lie_within_the_text() {
        let engine = engine();
        let texts = [
            "😀 Très bien… “great” work, but NOT cheap!!! They weren't on time or polite.",
            "I wish the \"friendly\" tech hadn't been so very late; still, a fair price.",
            "!!! ... 👍",
            "",
        ];
        for original in texts {
            let (text, len) = (TokenizedText::new(original), original.chars().count());
            for finding in engine.analyze(&text).findings {
                assert_eq!(
                    finding.score,
                    finding.hits.iter().map(|hit| hit.points).sum::<i32>(),
                    "{finding:?}"
                );
                for span in finding
                    .hits
                    .iter()
                    .map(|hit| hit.span)
                    .chain([finding.span])
                {
                    assert!(
                        span.start < span.end && span.end as usize <= len,
                        "{original:?} {finding:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn analysis_does_not_depend_on_earlier_texts() {
        let (one, other) = (engine(), RuleEngine::new(shipped(HOME_SERVICES).unwrap()));
        let text =
            TokenizedText::new("Great guys, fair price, but they were late and never called.");
        let first = one.analyze(&text);
        let _ = one.analyze(&TokenizedText::new("Terrible. Stay away!"));
        assert_eq!(one.analyze(&text), first);
        assert_eq!(other.analyze(&text), first);
    }

    #[test]
    fn a_text_without_judgements_is_neutral_overall() {
        let engine = engine();
        let overall = |text: &str| engine.analyze(&TokenizedText::new(text)).overall.0;
        assert_eq!(overall("15.03.2024, 12:30"), Polarity::Neutral);
        assert_eq!(
            overall("Nobody showed up and nobody called. Stay away."),
            Polarity::Negative
        );
    }

    #[test]
    fn a_complaint_of_a_bad_review_counts_for_the_named_aspect() {
        let found = |text: &str, stars| {
            let text = TokenizedText::new(text);
            list_findings(&engine().analyze_with(&text, Some(stars)).findings)
        };
        assert_eq!(
            found("Nothing ever comes of these emails.", 1),
            "communication-"
        );
        assert_eq!(found("I would not send my dog there.", 1), "overall-");
        assert!(!found("Nothing ever comes of these emails.", 3).contains("communication-"));
    }

    #[test]
    fn blame_of_a_thief_is_no_blame_of_the_firm() {
        assert_open(&[
            "Beware of people who steal your bag.",
            "My card was stolen on the bus.",
        ]);
    }

    #[test]
    fn a_very_long_sentence_is_analysed() {
        let engine = engine();
        let endless = "they never called back and the price was not fair or ".repeat(2_000);
        assert!(
            !engine
                .analyze(&TokenizedText::new(&endless))
                .findings
                .is_empty()
        );
    }
}
