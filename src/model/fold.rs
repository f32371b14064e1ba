//! Case folding for search, names and every index: Unicode simple case folding of every code point (CaseFolding.txt,
//! statuses C and S). No normalisation, and ß stays ß.

use icu_casemap::{CaseMapper, CaseMapperBorrowed};

const MAPPER: CaseMapperBorrowed<'static> = CaseMapper::new();

/// Simple Unicode case folding, character by character.
#[must_use]
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    fold_into(text, &mut folded);
    folded
}

pub fn fold_into(text: &str, folded: &mut String) {
    let mut rest = text;
    while !rest.is_empty() {
        // Nearly all text is ASCII, which folds many bytes at a time.
        let ascii = rest
            .bytes()
            .position(|byte| !byte.is_ascii())
            .unwrap_or(rest.len());
        let start = folded.len();
        folded.push_str(&rest[..ascii]);
        folded[start..].make_ascii_lowercase();
        rest = &rest[ascii..];
        let Some(next) = rest.chars().next() else {
            break;
        };
        folded.push(MAPPER.simple_fold(next));
        rest = &rest[next.len_utf8()..];
    }
}

#[cfg(test)]
mod tests {
    use super::fold;

    #[test]
    fn every_code_point_folds_alone_and_simply() {
        for (text, folded) in [
            ("", ""),
            ("Ångström ÉTÉ", "ångström été"),
            ("STRASSE straße", "strasse straße"),
            ("ẞ", "ß"),
            ("Σίσυφος", "σίσυφοσ"),
            // The Kelvin sign and the long s fold into ASCII.
            ("\u{212A}ſ", "ks"),
            // Dotted capital I has no simple folding, and dotless i is itself.
            ("İıI", "İıi"),
            ("e\u{301}", "e\u{301}"),
            ("東京 ТЕСТ", "東京 тест"),
        ] {
            assert_eq!(fold(text), folded);
        }
    }
}
