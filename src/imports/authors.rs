//! Names of authors that were never public, as they may be shown: "Jane Doe" becomes "Jane D."
//! (CONTRACT §2.1).

/// The name with the family name cut to its first letter. One word stays as it is, and so does what
/// is short already.
pub(super) fn shortened(name: &str) -> String {
    let words: Vec<&str> = name.split_whitespace().collect();
    let [first, .., last] = words.as_slice() else {
        return name.trim().to_owned();
    };
    // Where there is no letter to show, as in "Jane (via phone)", the first name must do.
    let initial = last.chars().find(|character| character.is_alphanumeric());
    initial.map_or_else(
        || (*first).to_owned(),
        |initial| format!("{first} {}.", initial.to_uppercase()),
    )
}

#[cfg(test)]
mod tests {
    use super::shortened;

    #[test]
    fn a_family_name_is_cut_to_its_first_letter() {
        for (name, short) in [
            ("Jane Doe", "Jane D."),
            ("  Jane   Mary van Doe ", "Jane D."),
            ("Jane D.", "Jane D."),
            ("Jane", "Jane"),
            ("María ñandú", "María Ñ."),
            ("Jane ***", "Jane"),
        ] {
            assert_eq!(shortened(name), short);
        }
    }
}
