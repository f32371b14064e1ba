//! The forms of an English word: `show~` in a pattern means show, shows, showed, showing. Forms
//! that nobody writes do no harm, so the rules are generous and short. Irregular forms stand in the
//! file.

/// The regular forms of a verb or noun, itself first.
#[must_use]
pub fn forms(base: &str) -> Vec<String> {
    let mut forms = vec![base.to_owned()];
    let bytes = base.as_bytes();
    let is_vowel = |at: usize| bytes.get(at).is_some_and(|byte| b"aeiou".contains(byte));
    let len = bytes.len();
    if base.ends_with('e') {
        let stem = &base[..len - 1];
        forms.extend([format!("{base}s"), format!("{base}d"), format!("{stem}ing")]);
    } else if base.ends_with('y') && len > 1 && !is_vowel(len - 2) {
        let stem = &base[..len - 1];
        forms.extend([
            format!("{stem}ies"),
            format!("{stem}ied"),
            format!("{base}ing"),
        ]);
    } else {
        let hisses = ["s", "x", "z", "ch", "sh"]
            .iter()
            .any(|end| base.ends_with(end));
        forms.push(format!("{base}{}", if hisses { "es" } else { "s" }));
        // `stop`, `stopped`: a single consonant after a single vowel.
        let doubles =
            len > 2 && len < 8 && !is_vowel(len - 1) && is_vowel(len - 2) && !is_vowel(len - 3);
        if doubles && !base.ends_with(['w', 'x', 'y']) {
            let last = &base[len - 1..];
            forms.extend([format!("{base}{last}ed"), format!("{base}{last}ing")]);
        }
        forms.extend([format!("{base}ed"), format!("{base}ing")]);
    }
    forms
}
