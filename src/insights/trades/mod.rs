//! A trade: the aspects that its customers judge, and phrases, opinions and cues in their language. They are read from
//! files that an owner can edit, and applied by `aspects`. Each folder beside this file is a package for one trade;
//! `shared` contains the files that all trades share. A folder named by a language's code has the phrases in that
//! language.

mod packages;
mod parse;
mod pattern;
mod trade;

pub use packages::{
    GENERAL, HEADER as QUALITY_HEADER, HOME_SERVICES, IDS, PackageError, id_for, read_package,
    shipped, shipped_head, shipped_in,
};
pub use pattern::{PatternStep, parse as parse_pattern};
pub use trade::{
    ASPECTS_MAX, AspectDefinition, Cue, Meaning, Measured, Rule, Trade, TradeError, TradeErrors,
    aspect_task,
};

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::packages::{Package, SHARED};
    use super::parse::Parts;
    use super::{HOME_SERVICES, IDS, Meaning, Trade, TradeErrors, id_for, read_package, shipped};
    use crate::insights::text::LanguageWords;

    const ASPECT: &str =
        "[[aspect]]\nid = \"price\"\nlabel = \"Price\"\nquestion = \"What does it cost?\"\n";

    fn parse_all(files: &[(&str, &str)]) -> Result<Trade, TradeErrors> {
        let files = files.iter().map(|(name, text)| ((*name).to_owned(), *text));
        let shared = Package::shipped(SHARED);
        super::parse::parse(&files.collect::<Vec<_>>(), &shared.phrases(""), Parts::All)
    }

    fn parse(text: &str) -> Result<Trade, TradeErrors> {
        parse_all(&[("trade", text)])
    }

    fn fault(text: &str) -> String {
        parse(text).unwrap_err().to_string()
    }

    fn ways(pattern: &str) -> usize {
        let trade = parse(&format!("{ASPECT}positive = ['{pattern}']")).unwrap();
        let mut judging = trade.rules.iter().filter(|rule| rule.meaning.judges());
        judging
            .find(|rule| rule.id.starts_with("phrase:"))
            .unwrap()
            .ways
            .len()
    }

    #[test]
    fn the_built_in_package_is_valid_with_eleven_aspects_in_order() {
        let trade = shipped(HOME_SERVICES).unwrap();
        let ids: Vec<&str> = trade
            .aspects
            .iter()
            .map(|aspect| aspect.id.as_str())
            .collect();
        assert_eq!(
            ids,
            [
                "punctuality",
                "scheduling",
                "response_time",
                "communication",
                "professionalism",
                "workmanship",
                "price",
                "honesty",
                "cleanliness",
                "warranty",
                "overall"
            ]
        );
        assert!(
            trade
                .aspects
                .iter()
                .all(|aspect| aspect.question.ends_with('?') && !aspect.label.is_empty())
        );
        assert_eq!(trade.digest.len(), 64);
    }

    #[test]
    fn every_aspect_has_positive_negative_and_neutral_rules() {
        let trade = shipped(HOME_SERVICES).unwrap();
        for (index, aspect) in trade.aspects.iter().enumerate() {
            let has = |has_sign: fn(i32) -> bool| {
                trade.rules.iter().any(|rule| matches!(rule.meaning, Meaning::Judges(of, points) if of == index && has_sign(points)))
            };
            assert!(
                has(|points| points > 0) && has(|points| points < 0) && has(|points| points == 0),
                "{}",
                aspect.id
            );
        }
    }

    #[test]
    fn the_digest_changes_with_the_files() {
        let one = parse(ASPECT).unwrap();
        let other = parse(&format!("{ASPECT}# a remark\n")).unwrap();
        assert_ne!(one.digest, other.digest);
        assert_eq!(one.digest, parse(ASPECT).unwrap().digest);
    }

    #[test]
    fn one_word_alternatives_are_one_way_and_sequences_several() {
        assert_eq!(ways("early|late"), 1);
        assert_eq!(ways("(right|exactly)? on time"), 2);
        assert_eq!(ways("(on time|as promised)"), 2);
        assert_eq!(ways("came .. (a|b|c d)?"), 3);
    }

    #[test]
    fn forms_follow_the_rules_of_spelling() {
        for (base, form) in [
            ("stop", "stopped"),
            ("arrive", "arriving"),
            ("try", "tried"),
            ("fix", "fixes"),
            ("show", "showed"),
            ("play", "played"),
        ] {
            let forms = LanguageWords::english().forms(base);
            assert!(forms.contains(&form.to_owned()), "{base} {form}");
        }
    }

    #[test]
    fn an_error_names_the_file_and_the_line() {
        assert_eq!(
            fault("[[aspect]]\nid = \"price\""),
            "trade:1: an aspect needs `label`; trade:1: an aspect needs `question`"
        );
        assert_eq!(
            fault(&format!("{ASPECT}pozitive = []")),
            "trade:5: `pozitive` is not one of positive, mildly_positive, neutral, mildly_negative, negative, plainly_positive, plainly_negative"
        );
        assert_eq!(
            fault("\n\n[colours]"),
            "trade:3: unknown field `colours`, expected one of `trade`, `aspect`, `phrases`, `opinions`, `cues`, `lists`, `irregular`, `spellings`"
        );
        assert_eq!(
            fault("[cues]\nnegators = ['not', 'Not']"),
            "trade:2: `Not` is not a word: use lower case and no hyphen (write two words)"
        );
        assert!(fault("[cues\n").starts_with("trade:1: "));
        let twice = format!("{ASPECT}{ASPECT}");
        assert!(fault(&twice).ends_with("the aspect `price` appears twice"));
        let lines = format!("{ASPECT}positive = '''\nfair\nup (front\n'''");
        assert_eq!(fault(&lines), "trade:7: a `(` is never closed");
        for (value, line) in [
            ("'Bad'", 5),
            ("\"Bad\"", 5),
            ("'''Bad'''", 5),
            ("'''\nBad'''", 6),
        ] {
            let message = fault(&format!("{ASPECT}positive = {value}\n"));
            assert!(
                message.starts_with(&format!("trade:{line}: `Bad` is")),
                "{message}"
            );
        }
    }

    #[test]
    fn a_pattern_that_can_match_nothing_or_too_much_is_refused() {
        let pattern = |text: &str| fault(&format!("{ASPECT}positive = ['{text}']"));
        assert!(pattern("fair?").contains("without a single word"));
        assert!(pattern(".. fair").contains("begins with a gap"));
        assert!(pattern("a ..40 b").contains("at most 9 words"));
        assert!(pattern("@nowhere").contains("unknown list `nowhere`"));
        assert!(pattern("<colour>").contains("unknown class `<colour>`"));
        assert!(pattern("fair)").contains("extra"));
        let many = "(a b|c d|e f|g h|i j|k l|m n|o p) ".repeat(5);
        assert!(pattern(many.trim()).contains("more than 4096 ways"));
        let deep = format!("{}fair{}", "(".repeat(10_000), ")".repeat(10_000));
        assert!(pattern(&deep).contains("32 deep"));
        let lists = "[lists]\none = ['@other fair']\nother = ['@one just']\n";
        let circle = fault(&format!("{lists}{ASPECT}positive = ['@one']"));
        assert!(circle.contains("does a list contain itself?"), "{circle}");
    }

    #[test]
    fn more_than_64_aspects_are_refused() {
        let aspect = |number: usize| {
            let id = "a".repeat(number + 1);
            format!("[[aspect]]\nid = '{id}'\nlabel = 'A'\nquestion = 'A?'\n")
        };
        let aspects = |count: usize| (0..count).map(aspect).collect::<Vec<_>>().concat();
        assert_eq!(parse(&aspects(64)).unwrap().aspects.len(), 64);
        assert_eq!(
            fault(&aspects(65)),
            "trade:257: a package has at most 64 aspects"
        );
    }

    #[test]
    fn several_files_are_one_package_and_errors_name_the_file() {
        let words = ("words.toml", "[lists]\nfair = ['fair', 'just']");
        let both = [(words.0, words.1), ("price.toml", ASPECT)];
        assert_eq!(parse_all(&both).unwrap().lists["fair"], ["fair", "just"]);
        let broken = ("words.toml", "[lists]\n[cues]\nbad = ['x']");
        let TradeErrors(faults) = parse_all(&[broken]).unwrap_err();
        let place = (faults[0].file.as_str(), faults[0].line);
        assert_eq!((faults.len(), place), (1, ("words.toml", 3)));
    }

    /// A trade that does not use the shared words.
    const ALONE: &str = "[trade]\nshared = false\n";

    #[test]
    fn a_trade_has_the_shared_words_unless_it_opts_out() {
        let shares = parse(ASPECT).unwrap();
        let negators = |trade: &Trade| {
            let is_negator = |rule: &&super::Rule| rule.id.starts_with("negators:");
            trade.rules.iter().filter(is_negator).count()
        };
        assert!(negators(&shares) > 50, "negators and opinions need no copy");
        let judges = |trade: &Trade| {
            let is_judgement = |rule: &super::Rule| matches!(rule.meaning, Meaning::Judges(..));
            trade.rules.iter().any(is_judgement)
        };
        assert!(
            judges(&shares),
            "an aspect takes the shared phrases of its id"
        );
        let none = parse(&format!("{ASPECT}uses = []\n")).unwrap();
        assert!(!judges(&none) && negators(&none) > 50);
        let alone = parse(&format!("{ALONE}{ASPECT}positive = ['fair']")).unwrap();
        assert_eq!(alone.rules.len(), 1);
        assert_ne!(
            shares.digest,
            parse(&format!("{ALONE}{ASPECT}")).unwrap().digest
        );
    }

    #[test]
    fn an_aspect_can_use_the_shared_phrases_of_another_id() {
        let fees = ASPECT.replace("\"price\"", "\"fees\"");
        let by_id = parse(&fees).unwrap().rules.len();
        let by_name = parse(&format!("{fees}uses = \"price\"\n")).unwrap();
        assert!(by_name.rules.len() > by_id + 50);
        let unknown = fault(&format!("{fees}uses = [\"prices\"]"));
        assert!(
            unknown.starts_with("trade:5: unknown shared phrases `prices`: cleanliness, "),
            "{unknown}"
        );
    }

    #[test]
    fn a_list_extends_the_shared_one_and_own_phrases_come_first() {
        let trade = parse(&format!(
            "{ASPECT}positive = ['@they nailed it']\n[lists]\nthey = ['groomer~']"
        ))
        .unwrap();
        assert!(
            trade.lists["they"].len() > 20 && trade.lists["they"].contains(&"groomer~".to_owned())
        );
        let judging = |rule: &&super::Rule| matches!(rule.meaning, Meaning::Judges(..));
        let first = trade.rules.iter().find(judging).unwrap();
        assert_eq!(first.id, "phrase:they_nailed_it");
    }

    #[test]
    fn all_errors_of_all_files_are_reported_together() {
        let TradeErrors(faults) = parse_all(&[
            (
                "trade.toml",
                "[trade]\nid = \"Food\"\ntypes = [\"a bar\"]\noverall = \"taste\"\n",
            ),
            (
                "price.toml",
                &format!("{ASPECT}positive = ['a (b', 'Cheap']\ncheap = []"),
            ),
            ("broken.toml", "[cues\n"),
        ])
        .unwrap_err();
        let messages: Vec<String> = faults.iter().map(ToString::to_string).collect();
        let begins = [
            "trade.toml:1: `overall` names `taste`, which is not an aspect here",
            "trade.toml:2: an id must be lower case letters and `_`, not `Food`",
            "price.toml:5: a `(` is never closed",
            "price.toml:5: `Cheap` is not a word",
            "price.toml:6: `cheap` is not one of positive",
            "broken.toml:1: ",
        ];
        assert_eq!(messages.len(), begins.len(), "{messages:#?}");
        for (message, begin) in messages.iter().zip(begins) {
            assert!(message.starts_with(begin), "{message}");
        }
    }

    #[test]
    fn aspects_are_in_the_order_of_the_trade_file() {
        let other = ASPECT.replace("price", "smell");
        let trade = |order: &str| parse(&format!("[trade]\naspects = {order}\n{ASPECT}{other}"));
        let ids = |trade: Trade| {
            trade
                .aspects
                .into_iter()
                .map(|aspect| aspect.id)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            ids(trade("['smell', 'price']").unwrap()),
            ["smell", "price"]
        );
        let short = trade("['price', 'sound']").unwrap_err().to_string();
        assert_eq!(
            short,
            "trade:1: `aspects` does not list `smell`; trade:1: `aspects` names `sound`, which is not an aspect here"
        );
    }

    #[test]
    fn the_business_type_selects_the_package() {
        for (kind, id) in [
            ("HVACBusiness", "home_services"),
            ("Plumber", "home_services"),
            ("MovingCompany", "home_services"),
            ("https://schema.org/Restaurant", "food"),
            ("cafeorcoffeeshop", "food"),
            ("Dentist", "general"),
            ("AutoRepair", "general"),
            ("LocalBusiness", "general"),
            ("", "general"),
        ] {
            assert_eq!(id_for(kind), id, "{kind}");
        }
    }

    /// Built-in packages have the format of custom ones: read from its folder, a built-in package is the same.
    #[test]
    fn a_built_in_package_equals_the_same_folder_read_from_disk() {
        for id in IDS {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("src/insights/trades")
                .join(id);
            let (shipped, read) = (shipped(id).unwrap(), read_package(&folder).unwrap());
            assert_eq!(shipped.id, id);
            assert!(shipped.overall.is_some());
            let ids = |trade: &Trade| {
                let all = trade.rules.iter().map(|rule| rule.id.clone());
                all.collect::<BTreeSet<_>>()
            };
            assert_eq!(
                ids(&shipped),
                ids(&read),
                "{id}: a file is missing in the list"
            );
            assert_eq!(
                (&shipped.aspects, &shipped.quality),
                (&read.aspects, &read.quality)
            );
            assert_eq!(shipped.languages.len(), read.languages.len());
            for (shipped, read) in shipped.languages.iter().zip(&read.languages) {
                assert_eq!(
                    ids(shipped),
                    ids(read),
                    "{id}: a file is missing in the list"
                );
                assert_eq!(shipped.words, read.words);
                assert_eq!(shipped.weights(), read.weights());
                assert_eq!(shipped.quality, read.quality);
            }
        }
    }

    /// A language that is not built in, with all data in its folder.
    #[test]
    fn a_folder_adds_a_language_to_a_package() {
        use crate::insights::aspects::RuleEngine;
        use crate::insights::text::TokenizedText;
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("trade.toml", &format!("[trade]\nid = \"shop\"\n{ASPECT}"));
        write(
            "fr/price.toml",
            "[[phrases]]\nid = \"price\"\nnegative = ['trop cher~']\n",
        );
        let message = |error: super::PackageError| error.to_string();
        let fault = read_package(folder.path()).map_err(message).unwrap_err();
        assert!(
            fault.ends_with("fr has no file language.toml, which says how that language is read")
        );
        write("fr/language.toml", "code = \"de\"\n");
        let fault = read_package(folder.path()).map_err(message).unwrap_err();
        assert!(
            fault.ends_with("the folder is called `fr`, and `code` must be the same"),
            "{fault}"
        );
        write(
            "fr/language.toml",
            "code = \"fr\"\nignores_accents = true\nfunction_words = 'les était'\n\
         [[endings]]\nof = 'er'\nforms = 'ère ers ères'\n",
        );
        let trade = read_package(folder.path()).unwrap();
        let french = &trade.languages[0];
        assert_eq!(
            french.published_aspects(),
            [0],
            "its file asks for no measure"
        );
        let words = &french.words;
        let text = TokenizedText::of("Les pièces étaient trop chères.", words);
        let findings = RuleEngine::new(french.clone()).analyze(&text).findings;
        let found: Vec<(&str, i32)> = findings
            .iter()
            .map(|finding| (finding.aspect.as_str(), finding.score))
            .collect();
        assert_eq!(found, [("price", -3)]);
        write(
            "fr/price.toml",
            "[[aspect]]\nid = \"price\"\n[[phrases]]\nid = \"prix\"\n",
        );
        let fault = read_package(folder.path()).map_err(message).unwrap_err();
        for part in [
            "`aspect` is in the package's own files",
            "`prix` is not an aspect of the package",
        ] {
            assert!(fault.contains(part), "{fault}");
        }
    }
}
