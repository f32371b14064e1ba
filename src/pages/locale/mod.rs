//! Messages, numbers and days in the language of the reader.
//!
//! The texts are Fluent files (<https://projectfluent.org>), one per language, all with the same messages and
//! arguments. Templates and pages use a message by its ID: `locale.message("newest-reviews")`.

use std::borrow::Cow;
use std::sync::LazyLock;

use chrono::{Datelike, NaiveDate};
use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue};

use crate::model::business::Business;
use crate::model::named;
use crate::model::text::visible;

named! {
    /// A language of the pages' own words, by its BCP 47 tag.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum PageLanguage {
        /// The default: for businesses without a language, or with one that is not listed here.
        English = "en",
        Spanish = "es",
        German = "de",
        French = "fr",
    }
}

impl PageLanguage {
    /// The language's name in the language itself.
    pub const fn own_name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::Spanish => "Español",
            Self::German => "Deutsch",
            Self::French => "Français",
        }
    }

    /// The language of a tag, ignoring its region: `es` of `es-MX`; `None` if it is not supported.
    pub fn of_tag(tag: &str) -> Option<Self> {
        let primary = tag.split('-').next().unwrap_or_default();
        Self::find(&primary.to_ascii_lowercase())
    }

    const fn source(self) -> &'static str {
        match self {
            Self::English => include_str!("en.ftl"),
            Self::Spanish => include_str!("es.ftl"),
            Self::German => include_str!("de.ftl"),
            Self::French => include_str!("fr.ftl"),
        }
    }

    fn format(self, id: &str, args: Option<&FluentArgs<'_>>) -> Cow<'static, str> {
        let messages = &MESSAGES[self as usize];
        let mut faults = Vec::new();
        let pattern = messages.get_message(id).and_then(|message| message.value());
        let text = pattern.map(|pattern| {
            match messages.format_pattern(pattern, args, &mut faults) {
                // Without arguments, the message is a slice of its file.
                Cow::Borrowed(text) if args.is_none() => Cow::Borrowed(text),
                text @ (Cow::Borrowed(_) | Cow::Owned(_)) => Cow::Owned(text.into_owned()),
            }
        });
        debug_assert!(
            text.is_some() && faults.is_empty(),
            "message {id} in {self:?}: {faults:?}"
        );
        text.unwrap_or_else(|| {
            tracing::error!(id, "pages.no_message: a message is missing");
            Cow::Borrowed("")
        })
    }
}

type Messages = FluentBundle<FluentResource>;

static MESSAGES: LazyLock<[Messages; PageLanguage::ALL.len()]> = LazyLock::new(|| {
    PageLanguage::ALL.map(|language| {
        let tags = language.name().parse().into_iter().collect();
        let mut messages = FluentBundle::new_concurrent(tags);
        // Text of another direction is isolated by `<bdi>` and `dir`, not by characters that would be copied with the
        // text.
        messages.set_use_isolating(false);
        let (Ok(resource) | Err((resource, _))) =
            FluentResource::try_new(language.source().to_owned());
        messages.add_resource_overriding(resource);
        messages
    })
});

/// A language and a region, for messages, numbers and days.
#[derive(Debug, Clone)]
pub struct Locale {
    language: PageLanguage,
    /// The ISO 3166 code of the country; empty if unknown.
    region: String,
    /// Between groups of three digits, and before the decimals.
    separators: [String; 2],
}

impl Locale {
    /// The locale of a business's own pages.
    pub fn of(business: &Business) -> Self {
        let tag = business.language.as_deref().unwrap_or_default();
        Self::new(
            PageLanguage::of_tag(tag).unwrap_or(PageLanguage::English),
            business,
        )
    }

    /// Words in `language`, with the date format of the business's country.
    pub fn new(language: PageLanguage, business: &Business) -> Self {
        let region = region(business);
        let both = language.format("number-separators", Some(&args(&[("region", &region)])));
        let mut both = both.chars();
        Self {
            language,
            separators: [both.next(), both.next()].map(|one| one.into_iter().collect()),
            region,
        }
    }

    /// The tag for `<html lang>`.
    pub fn tag(&self) -> &'static str {
        self.language.name()
    }

    /// A message without arguments.
    pub fn message(&self, id: &str) -> Cow<'static, str> {
        self.language.format(id, None)
    }

    /// A message with text arguments, without their hidden characters. Format numbers with [`Locale::number`].
    pub fn message_with(&self, id: &str, texts: &[(&str, &str)]) -> Cow<'static, str> {
        self.language.format(id, Some(&args(texts)))
    }

    /// A message with a count: `$count` selects the plural form, `$number` is the formatted count.
    pub fn counted(&self, id: &str, count: u64) -> Cow<'static, str> {
        self.counted_with(id, count, &[])
    }

    /// Like [`Self::counted`], with text arguments.
    pub fn counted_with(&self, id: &str, count: u64, texts: &[(&str, &str)]) -> Cow<'static, str> {
        let mut args = args(texts);
        args.set("count", count);
        args.set("number", self.number(count));
        self.language.format(id, Some(&args))
    }

    /// The name of a topic or a trade. Built-in ones are translated; others keep the `label` of their author.
    pub fn name<'a>(&self, label: &'a str) -> Cow<'a, str> {
        let id = name_id(label);
        if MESSAGES[self.language as usize].has_message(&id) {
            self.message(&id)
        } else {
            Cow::Borrowed(label)
        }
    }

    /// A whole number: `1,234`, in German `1.234`.
    pub fn number(&self, number: u64) -> String {
        let digits = number.to_string();
        let groups: Vec<&str> = (0..digits.len().div_ceil(3))
            .rev()
            .map(|group| {
                let end = digits.len() - group * 3;
                &digits[end.saturating_sub(3)..end]
            })
            .collect();
        groups.join(&self.separators[0])
    }

    /// Hundredths as a decimal with two places: 455 is `4.55`, in German `4,55`.
    pub fn hundredths(&self, hundredths: u64) -> String {
        let (whole, decimals) = (self.number(hundredths / 100), hundredths % 100);
        format!("{whole}{}{decimals:02}", self.separators[1])
    }

    /// A share as a whole percentage: `81%`, in German `81 %`.
    pub fn percent(&self, share: f64) -> Cow<'static, str> {
        self.message_with("percent", &[("number", &format!("{:.0}", share * 100.0))])
    }

    /// A day: `8 November 2026`, in the United States `November 8, 2026`.
    pub fn day(&self, date: NaiveDate) -> Cow<'static, str> {
        let mut month = FluentArgs::new();
        month.set("month", date.month());
        let month = self.language.format("month-name", Some(&month));
        let year = date.year().to_string();
        let mut args = args(&[("month", &month), ("year", &year), ("region", &self.region)]);
        // A number, because French selects by it: `1er novembre`, `2 novembre`.
        args.set("day", date.day());
        self.language.format("day", Some(&args))
    }
}

/// The ID of the message for `label`: `name-response-time` for `Response time`.
fn name_id(label: &str) -> String {
    format!("name-{}", label.replace(' ', "-").to_lowercase())
}

fn args<'a>(texts: &[(&'a str, &'a str)]) -> FluentArgs<'a> {
    let values = texts.iter();
    values
        .map(|(name, text)| (*name, FluentValue::from(visible(text))))
        .collect()
}

/// The country of a business, or that of its language tag: `MX` of `es-MX`; empty if neither is known.
fn region(business: &Business) -> String {
    let of_tag = |tag: &str| {
        let mut parts = tag.split('-').skip(1);
        parts.find(|part| part.len() == 2).map(str::to_uppercase)
    };
    let of_language = || business.language.as_deref().and_then(of_tag);
    let region = business.country.clone().or_else(of_language);
    region.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::{FluentResource, Locale, PageLanguage, name_id};
    use crate::insights::rules::{IDS, Trade};
    use crate::model::business::Business;

    fn locale(language: &str) -> Locale {
        Locale::of(&Business {
            language: Some(language.to_owned()),
            ..Business::default()
        })
    }

    /// The messages of a language, and the arguments that each uses.
    fn messages(language: PageLanguage) -> BTreeMap<&'static str, BTreeSet<&'static str>> {
        let (file, source) = (language.name(), language.source());
        assert!(FluentResource::try_new(source.to_owned()).is_ok(), "{file}");
        let mut messages: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
        let mut id = "";
        let lines = source.lines();
        for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
            // The further lines of a message begin with a blank or a brace.
            if !line.starts_with([' ', '}']) {
                id = line.split(" =").next().unwrap();
                assert!(!messages.contains_key(id), "{id} is twice in {file}");
            }
            assert!(!line.contains("{ $count }"), "{id} in {file}: $number");
            let names = line.split('$').skip(1);
            let names = names.filter_map(|rest| rest.split([' ', '}']).next());
            messages.entry(id).or_default().extend(names);
        }
        messages
    }

    /// The same where languages may differ: those with one date format use no region, `1 review` needs no number, and a
    /// language with one form does not select by the count.
    fn compared(language: PageLanguage) -> BTreeSet<(&'static str, BTreeSet<&'static str>)> {
        let mut messages = messages(language);
        for arguments in messages.values_mut() {
            arguments.remove("region");
            if arguments.contains("number") {
                arguments.insert("count");
            }
        }
        messages.into_iter().collect()
    }

    #[test]
    fn every_language_has_the_same_messages_with_the_same_arguments() {
        let english = compared(PageLanguage::English);
        for language in PageLanguage::ALL {
            let other = compared(language);
            let different: Vec<_> = english.symmetric_difference(&other).collect();
            assert!(different.is_empty(), "{}: {different:?}", language.name());
        }
    }

    #[test]
    fn numbers_and_days_follow_the_format_of_the_country() {
        let day = |language: &str| locale(language).day("2026-11-08".parse().unwrap());
        assert_eq!(day("en"), "8 November 2026");
        assert_eq!(day("en-US"), "November 8, 2026");
        assert_eq!(day("es-MX"), "8 de noviembre de 2026");
        assert_eq!(day("de-AT"), "8. November 2026");
        assert_eq!(day("fr"), "8 novembre 2026");
        assert_eq!(
            locale("fr").day("2026-11-01".parse().unwrap()),
            "1er novembre 2026"
        );
        for (language, four, five) in [("en", "1,234", "12,345"), ("es", "1.234", "12.345")] {
            let numbers = [999, 1_234, 12_345].map(|number| locale(language).number(number));
            assert_eq!(numbers, ["999", four, five], "{language}");
        }
        for (language, number, mean, percent) in [
            ("en", "1,234,567", "4.05", "81%"),
            ("es", "1.234.567", "4,05", "81\u{a0}%"),
            ("es-MX", "1,234,567", "4.05", "81\u{a0}%"),
            ("es-CR", "1\u{a0}234\u{a0}567", "4,05", "81\u{a0}%"),
            ("de-CH", "1'234'567", "4.05", "81\u{a0}%"),
            ("de", "1.234.567", "4,05", "81\u{a0}%"),
            ("fr", "1\u{202f}234\u{202f}567", "4,05", "81\u{a0}%"),
            ("it", "1,234,567", "4.05", "81%"),
        ] {
            let locale = locale(language);
            assert_eq!(
                (
                    locale.number(1_234_567).as_str(),
                    locale.hundredths(405).as_str(),
                    &*locale.percent(0.81)
                ),
                (number, mean, percent),
                "{language}"
            );
        }
    }

    #[test]
    fn every_built_in_topic_and_trade_is_named_in_every_language() {
        let trades = IDS.map(Trade::built_in);
        let labels = trades.iter().flat_map(|trade| {
            let topics = trade.aspects.iter().map(|aspect| &aspect.label);
            topics.chain([&trade.label])
        });
        for label in labels {
            assert_eq!(locale("en").name(label), label.as_str());
            assert!(
                messages(PageLanguage::German).contains_key(&*name_id(label)),
                "{label}"
            );
        }
        assert_eq!(locale("de").name("Response time"), "Reaktionszeit");
        assert_eq!(locale("de").name("Our own topic"), "Our own topic");
    }
}
