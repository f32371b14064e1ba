//! A trade: the aspects that its customers judge, and phrases, opinions and cues in their language. They are read from
//! files that an owner can edit, and applied by `aspects`. Each folder beside this file is a package for one trade;
//! `shared` contains the files that all trades share. A folder named by a language's code has the phrases in that
//! language.

mod background;
mod packages;
mod parse;
mod pattern;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use super::analysis::LanguageCode;
use super::text::LanguageWords;
use crate::model::hash::hex;
pub use background::Background;
pub use packages::{
    FILE_MIB_MAX, FolderError, GENERAL, HEADER as QUALITY_HEADER, HOME_SERVICES, IDS, Measured,
    id_for, read_folder,
};
pub use parse::{UNLABELED, UNNAMED};
pub use pattern::PatternStep;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AspectDefinition {
    /// Id of the aspect in all output, for example `response_time`.
    pub id: String,
    /// Display name.
    pub label: String,
    /// A customer's question, for example `Do they arrive on time?`
    pub question: String,
}

/// A word or phrase that changes the meaning of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cue {
    /// `not`, `without`: negates what follows.
    Negator,
    /// `very`: strengthens what follows.
    Intensifier,
    /// `a bit`: weakens what follows.
    Diminisher,
    /// `but`: begins a clause, and weakens the one before.
    Contrast,
    /// `and they`: begins a clause.
    Joint,
    /// `the last company`: what follows is about another company.
    Elsewhere,
    /// `these guys`: what follows is about the business again.
    Firm,
    /// `I wish`: the praised quality was missing.
    Wish,
    /// `if it leaks again`: only a possibility.
    Open,
    /// `do they`: a possibility if the sentence ends with a question mark.
    Asks,
    /// `the leak`: an opinion about it does not concern any aspect.
    Setting,
    /// `had been leaking for weeks`: blame in this clause is about the time before the business came.
    Trouble,
    /// `my boiler died on Friday`: the same as `Trouble` if it is at the beginning of a text.
    Breakdown,
    /// `two days later`: the business has already come, so later trouble is not earlier trouble.
    Afterwards,
    /// `not only`: words without a meaning of their own.
    Silent,
    /// `to be honest`: the same as `Silent`, but the classifier does not read the words either.
    Unread,
}

/// The meaning of a phrase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Meaning {
    /// It judges the aspect (its index): positive points are praise, 0 is a fact.
    Judges(usize, i32),
    /// It names the aspect (its index), which an opinion may judge.
    Names(usize),
    /// It names the aspect (its index) only if an opinion is beside it.
    Hints(usize),
    /// It judges the name beside it with these points.
    Opinion(i32),
    /// It changes the meaning of other phrases.
    Cue(Cue),
}

/// A phrase with its meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// Name of its hits, for example `phrase:show_up_on_time`.
    pub id: String,
    /// The ways to match; one of them is sufficient.
    pub ways: Vec<Vec<PatternStep>>,
    pub meaning: Meaning,
    /// The phrase as written.
    pub text: Arc<str>,
    /// Its position in the files.
    pub place: RulePlace,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RulePlace {
    pub file: Arc<str>,
    /// From 1.
    pub line: usize,
    /// Whether the file is shared by all trades.
    pub is_shared: bool,
}

/// A trade's aspects and the language of its customers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trade {
    /// Id of the trade in all output, for example `home_services`.
    pub id: String,
    /// Display name.
    pub label: String,
    /// The schema.org types of its businesses.
    pub types: Vec<String>,
    /// Whether it uses the shared words.
    pub is_sharing: bool,
    /// Whether an opinion without an aspect counts for the role `overall`.
    pub has_strays: bool,
    /// Index of the aspect that receives opinions without an aspect.
    pub overall: Option<usize>,
    /// Aspects whose facts (`he said`) are omitted beside a judgement.
    pub quiet: Vec<usize>,
    /// Aspects whose facts (`they put in a pump`) remain facts among complaints.
    pub facts: Vec<usize>,
    /// Measured quality.
    pub quality: Vec<Measured>,
    /// The weights of its classifier, if any.
    pub classifier: Option<Cow<'static, [u8]>>,
    /// Word frequencies in reviews of other trades, if it has its own table.
    pub background: Option<Background>,
    /// In display order.
    pub aspects: Vec<AspectDefinition>,
    /// All phrases, the trade's own first, in the order of the files.
    pub rules: Vec<Rule>,
    /// Words by list name, for `@name` in a pattern.
    pub lists: BTreeMap<String, Vec<String>>,
    /// Misspellings of each word by its right spelling.
    pub spellings: BTreeMap<String, Vec<String>>,
    /// Irregular forms of words by their base form.
    pub irregular: BTreeMap<String, Vec<String>>,
    /// `None` for English.
    pub language: Option<Arc<PackageLanguage>>,
    /// The same trade in other languages.
    pub languages: Vec<Self>,
    digest: String,
}

/// A language of a package, other than English.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageLanguage {
    /// All data of the language besides phrases.
    pub words: Arc<LanguageWords>,
    /// Polarity weights, if they were learned from texts in this language.
    pub polarity: Option<Cow<'static, [u8]>>,
    /// SHA-256 of its file, in hexadecimal.
    digest: String,
}

/// An error in a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {message}")]
pub struct TradeError {
    /// As given to [`Trade::parse_all`].
    pub file: String,
    /// From 1.
    pub line: usize,
    /// The problem, and the valid form.
    pub message: String,
}

impl TradeError {
    pub fn new(file: &str, line: usize, message: impl Into<String>) -> Self {
        Self {
            file: file.to_owned(),
            line,
            message: message.into(),
        }
    }

    /// An error at a byte position of the file's text.
    fn at(file: &str, text: &str, (at, message): (usize, String)) -> Self {
        Self::new(file, parse::line(text, at), message)
    }
}

/// All errors in the files of a trade, in their order; never empty.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
pub struct TradeErrors(pub Vec<TradeError>);

impl Trade {
    /// The package for home services, for which the published figures were measured.
    ///
    /// # Errors
    /// An error in one of its files; a test verifies that there is none.
    pub fn built_in() -> Result<Self, TradeErrors> {
        Self::shipped(HOME_SERVICES)
    }

    /// The built-in package with that id (one of [`IDS`]); for any other id, the general package.
    ///
    /// # Errors
    /// An error in one of its files; a test verifies that there is none.
    pub fn shipped(id: &str) -> Result<Self, TradeErrors> {
        packages::read_shipped(id)
    }

    /// Parses several files, each a name and its text, as if they were one file. They use the shared words, unless they
    /// contain `shared = false`.
    ///
    /// # Errors
    /// All errors, with their files and lines.
    pub fn parse_all(files: &[(&str, &str)]) -> Result<Self, TradeErrors> {
        parse::parse(files, packages::SHARED)
    }

    /// The trade's own table of word frequencies; without one, the shared table.
    pub fn background(&self) -> &Background {
        self.background
            .as_ref()
            .unwrap_or_else(|| Background::shared())
    }

    /// The data of its language.
    pub fn language_words(&self) -> &Arc<LanguageWords> {
        let own = self.language.as_ref().map(|language| &language.words);
        own.unwrap_or_else(|| LanguageWords::english())
    }

    /// `None` if the trade does not have the language.
    pub fn in_language(&self, code: LanguageCode) -> Option<&Self> {
        let mut all = std::iter::once(self).chain(&self.languages);
        all.find(|trade| trade.language_words().code == code)
    }

    /// The measured quality in all its languages; empty if nothing was measured.
    pub fn measures(&self) -> impl Iterator<Item = &Measured> {
        let languages = self.languages.iter().flat_map(|one| &one.quality);
        self.quality.iter().chain(languages)
    }

    /// SHA-256 of the files, in hexadecimal.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Takes its phrases, and drops its lists: some 5 MB that are needed only until the phrases are compiled.
    pub fn take_phrases(&mut self) -> Vec<Rule> {
        self.lists.clear();
        self.spellings.clear();
        self.irregular.clear();
        std::mem::take(&mut self.rules)
    }

    /// In the trade's order.
    pub fn aspect_ids(&self) -> Vec<&str> {
        let aspects = self.aspects.iter();
        aspects.map(|aspect| aspect.id.as_str()).collect()
    }

    pub fn aspect(&self, id: &str) -> Option<usize> {
        self.aspects.iter().position(|aspect| aspect.id == id)
    }
}

/// SHA-256 of files, each with its name and text, in hexadecimal.
fn digest<'a>(files: impl Iterator<Item = &'a (&'a str, &'a str)>) -> String {
    let mut digest = Sha256::new();
    for (name, text) in files {
        // The hash uses only the file name, so that the same files are the same trade in any folder.
        let name = name.rsplit('/').next().unwrap_or(name);
        digest.update((name.len() as u64).to_be_bytes());
        digest.update(name);
        digest.update((text.len() as u64).to_be_bytes());
        digest.update(text);
    }
    hex(&digest.finalize())
}

/// Reads a table, a line for each row below its head. `fault` is the error in the head, and `row` is `None` for an
/// invalid line.
///
/// # Errors
/// Every invalid line, with the message `expected`.
fn read_table<T>(
    name: &str,
    text: &str,
    fault: Option<String>,
    expected: &str,
    row: impl Fn(&str) -> Option<T>,
) -> Result<Vec<T>, TradeErrors> {
    let mut faults: Vec<TradeError> = Vec::new();
    faults.extend(fault.map(|message| TradeError::new(name, 1, message)));
    let mut rows = Vec::new();
    for (line, number) in text.lines().zip(1..).skip(1) {
        match row(line) {
            Some(row) => rows.push(row),
            None => faults.push(TradeError::new(name, number, expected)),
        }
    }
    if faults.is_empty() {
        Ok(rows)
    } else {
        Err(TradeErrors(faults))
    }
}

/// Task name of the precision figures: for the judgements in whole reviews, and, as a prefix, for those of one aspect.
const FINDING: &str = "finding";
const PRECISION: &str = "precision";

impl PackageLanguage {
    /// Reads a `language.toml` and the weights beside it.
    ///
    /// # Errors
    /// The error in the file.
    pub fn read(
        name: &str,
        text: &str,
        polarity: Option<Cow<'static, [u8]>>,
    ) -> Result<Self, TradeErrors> {
        let words = LanguageWords::parse(text)
            .map_err(|fault| TradeErrors(vec![TradeError::at(name, text, fault)]))?;
        Ok(Self {
            words: Arc::new(words),
            polarity,
            digest: hex(&Sha256::digest(text)),
        })
    }
}

impl Trade {
    /// A hash of everything that determines the analysis of a text in another language, in hexadecimal: phrases, words,
    /// weights, and the published aspects.
    pub fn method(&self) -> String {
        let mut hash = Sha256::new();
        hash.update(self.digest());
        if let Some(language) = &self.language {
            hash.update(&language.digest);
            hash.update(language.polarity.as_deref().unwrap_or_default());
        }
        hash.update(self.classifier.as_deref().unwrap_or_default());
        for aspect in self.published_aspects() {
            hash.update((aspect as u64).to_be_bytes());
        }
        hex(&hash.finalize())
    }

    /// The indices of the aspects whose findings are published: all in English, and all in a language without a
    /// required precision. Otherwise the aspects with sufficient precision in held-out texts; for an aspect with too
    /// few judgements there, the precision of all aspects together decides.
    pub fn published_aspects(&self) -> Vec<usize> {
        let Some(from) = &self.language_words().published_from else {
            return (0..self.aspects.len()).collect();
        };
        let of = |task: &str| {
            let is_it = |one: &&Measured| {
                (one.set.as_str(), one.measure.as_str(), one.task.as_str())
                    == (from.set.as_str(), PRECISION, task)
            };
            self.quality.iter().find(is_it)
        };
        let is_enough = |one: &Measured| one.part * 100 >= one.whole * from.precision;
        let is_whole_enough = of(FINDING).is_some_and(is_enough);
        let is_published = |id: &str| match of(&aspect_task(id)) {
            Some(one) if one.whole >= from.least => is_enough(one),
            _ => is_whole_enough,
        };
        let all = self.aspects.iter().zip(0..);
        all.filter(|(aspect, _)| is_published(&aspect.id))
            .map(|(_, index)| index)
            .collect()
    }
}

/// The task name for the judgements about one aspect in `quality.tsv`.
pub fn aspect_task(id: &str) -> String {
    format!("{FINDING}:{id}")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::{IDS, Meaning, Trade, TradeError, TradeErrors, id_for, read_folder};
    use crate::insights::text::LanguageWords;

    const ASPECT: &str =
        "[[aspect]]\nid = \"price\"\nlabel = \"Price\"\nquestion = \"What does it cost?\"\n";

    fn parse(text: &str) -> Result<Trade, TradeErrors> {
        Trade::parse_all(&[("trade", text)])
    }

    fn fault(text: &str) -> String {
        parse(text).unwrap_err().to_string()
    }

    fn ways(pattern: &str) -> usize {
        let trade = parse(&format!("{ASPECT}positive = ['{pattern}']")).unwrap();
        let own = trade.rules.iter().find(|rule| !rule.place.is_shared);
        own.unwrap().ways.len()
    }

    #[test]
    fn the_built_in_files_are_sound_and_have_the_eleven_aspects_in_order() {
        let trade = Trade::built_in().unwrap();
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
        assert_eq!(trade.digest().len(), 64);
    }

    #[test]
    fn every_aspect_can_be_praised_blamed_and_told_of() {
        let trade = Trade::built_in().unwrap();
        for (index, aspect) in trade.aspects.iter().enumerate() {
            let has = |is_meant: fn(i32) -> bool| {
                trade.rules.iter().any(|rule| matches!(rule.meaning, Meaning::Judges(of, points) if of == index && is_meant(points)))
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
        assert_ne!(one.digest(), other.digest());
        assert_eq!(one.digest(), parse(ASPECT).unwrap().digest());
    }

    #[test]
    fn alternatives_of_one_word_are_one_way_and_sequences_are_several() {
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
    fn a_fault_is_told_with_its_file_and_line() {
        assert_eq!(
            fault("[[aspect]]\nid = \"price\""),
            "trade:1: an aspect needs `label`; trade:1: an aspect needs `question`"
        );
        assert_eq!(
            fault(&format!("{ASPECT}pozitive = []")),
            "trade:5: `pozitive` is not one of positive, mildly_positive, neutral, mildly_negative, negative"
        );
        assert_eq!(
            fault("\n\n[colours]"),
            "trade:3: `colours` is not one of trade, aspect, phrases, opinions, cues, lists, irregular, spellings"
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
    }

    #[test]
    fn several_files_are_read_as_one_and_faults_name_theirs() {
        let words = ("words.toml", "[lists]\nfair = ['fair', 'just']");
        let both = [(words.0, words.1), ("price.toml", ASPECT)];
        assert_eq!(
            Trade::parse_all(&both).unwrap().lists["fair"],
            ["fair", "just"]
        );
        let TradeErrors(faults) = Trade::parse_all(&[words, words]).unwrap_err();
        let expected = TradeError {
            file: "words.toml".to_owned(),
            line: 2,
            message: "`fair` appears twice".to_owned(),
        };
        assert_eq!(faults, [expected]);
    }

    /// A trade that does not use the shared words.
    const ALONE: &str = "[trade]\nshared = false\n";

    #[test]
    fn a_trade_has_the_shared_words_unless_it_says_otherwise() {
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
            shares.digest(),
            parse(&format!("{ALONE}{ASPECT}")).unwrap().digest()
        );
    }

    #[test]
    fn an_aspect_of_another_id_uses_the_shared_phrases_that_it_names() {
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
    fn a_list_of_a_shared_name_is_added_to_it_and_own_phrases_come_first() {
        let trade = parse(&format!(
            "{ASPECT}positive = ['@they nailed it']\n[lists]\nthey = ['groomer~']"
        ));
        let trade = trade.unwrap();
        assert!(
            trade.lists["they"].len() > 20 && trade.lists["they"].contains(&"groomer~".to_owned())
        );
        let first = trade.rules.iter().position(|rule| !rule.place.is_shared);
        let judging = |rule: &super::Rule| matches!(rule.meaning, Meaning::Judges(..));
        assert_eq!(first, trade.rules.iter().position(judging));
        assert_eq!(trade.rules[first.unwrap()].place.line, 5);
    }

    #[test]
    fn all_faults_of_all_files_are_told_at_once() {
        let TradeErrors(faults) = Trade::parse_all(&[
            (
                "trade.toml",
                "[trade]\nid = \"Food\"\ntypes = [\"a bar\"]\nquiet = [\"taste\"]\n",
            ),
            (
                "price.toml",
                &format!("{ASPECT}positive = ['a (b', 'Cheap']\ncheap = []"),
            ),
            ("broken.toml", "[cues\n"),
        ])
        .unwrap_err();
        let told: Vec<String> = faults.iter().map(ToString::to_string).collect();
        let begins = [
            "trade.toml:1: `quiet` names `taste`, which is not an aspect here",
            "trade.toml:2: an id must be lower case letters and `_`, not `Food`",
            "trade.toml:3: `a bar` is not a type of schema.org: write it like `AutoRepair`",
            "price.toml:5: a `(` is never closed",
            "price.toml:5: `Cheap` is not a word",
            "price.toml:6: `cheap` is not one of positive",
            "broken.toml:1: ",
        ];
        assert_eq!(told.len(), begins.len(), "{told:#?}");
        for (told, begin) in told.iter().zip(begins) {
            assert!(told.starts_with(begin), "{told}");
        }
    }

    #[test]
    fn the_aspects_come_in_the_order_that_the_trade_says() {
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
    fn the_business_type_picks_the_package() {
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
    fn a_package_of_the_program_is_a_folder_like_any_other() {
        for id in IDS {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("src/insights/trades")
                .join(id);
            let (shipped, read) = (Trade::shipped(id).unwrap(), read_folder(&folder).unwrap());
            assert_eq!(shipped.id, id);
            assert!(!shipped.types.is_empty() && shipped.overall.is_some());
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
                assert_eq!(shipped.language, read.language);
                assert_eq!(shipped.quality, read.quality);
            }
        }
    }

    /// A language that is not built in, with all data in its folder.
    #[test]
    fn a_further_language_is_a_folder() {
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
        let told = |error: super::FolderError| error.to_string();
        let fault = read_folder(folder.path()).map_err(told).unwrap_err();
        assert!(
            fault.ends_with("fr has no file language.toml, which says how that language is read")
        );
        write("fr/language.toml", "code = \"de\"\n");
        let fault = read_folder(folder.path()).map_err(told).unwrap_err();
        assert!(
            fault.ends_with("the folder is called `fr`, and `code` must be the same"),
            "{fault}"
        );
        write(
            "fr/language.toml",
            "code = \"fr\"\nignores_accents = true\nfunction_words = 'les était'\n\
         [[endings]]\nof = 'er'\nforms = 'ère ers ères'\n",
        );
        let trade = read_folder(folder.path()).unwrap();
        let french = &trade.languages[0];
        assert_eq!(
            french.published_aspects(),
            [0],
            "its file asks for no measure"
        );
        let words = french.language_words();
        let text = TokenizedText::of("Les pièces étaient trop chères.", words);
        let findings = RuleEngine::new(french.clone()).analyze(&text).findings;
        let said: Vec<(&str, i32)> = findings
            .iter()
            .map(|finding| (finding.aspect.as_str(), finding.score))
            .collect();
        assert_eq!(said, [("price", -3)]);
        write(
            "fr/price.toml",
            "[[aspect]]\nid = \"price\"\n[[phrases]]\nid = \"prix\"\n",
        );
        let fault = read_folder(folder.path()).map_err(told).unwrap_err();
        for part in [
            "`aspect` is in the package's own files",
            "`prix` is not an aspect of the package",
        ] {
            assert!(fault.contains(part), "{fault}");
        }
    }
}
