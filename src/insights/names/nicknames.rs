//! Which first names stand for one another: short forms and spellings, read from two tables.

const SHORT: &str = include_str!("nicknames.txt");
const SPELLINGS: &str = include_str!("spellings.txt");

/// The short forms of a full first name, and the full forms of a short one; not the short forms' other short forms.
pub fn forms(name: &str) -> impl Iterator<Item = &'static str> {
    rows().flat_map(move |(full, short)| {
        let is_full = full == name;
        let is_short = short.split_whitespace().any(|short| short == name);
        let shorts = short.split_whitespace().filter(move |_| is_full);
        shorts.chain(is_short.then_some(full))
    })
}

/// The other spellings of a first name.
pub fn spellings(name: &str) -> impl Iterator<Item = &'static str> {
    let rows = SPELLINGS.lines().filter(|line| !line.starts_with('#'));
    rows.filter(move |row| row.split_whitespace().any(|one| one == name))
        .flat_map(str::split_whitespace)
        .filter(move |one| *one != name)
}

/// Every first name of the tables.
pub fn all() -> impl Iterator<Item = &'static str> {
    rows().flat_map(|(full, short)| std::iter::once(full).chain(short.split_whitespace()))
}

/// What the outcome depends on beside the firm.
pub fn tables() -> [&'static str; 2] {
    [SHORT, SPELLINGS]
}

fn rows() -> impl Iterator<Item = (&'static str, &'static str)> {
    SHORT.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(": "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_and_full_forms_stand_for_one_another_but_not_short_forms_for_each_other() {
        let of = |name: &str| forms(name).collect::<Vec<_>>();
        assert!(of("michael").contains(&"mike") && of("mike").contains(&"michael"));
        assert!(of("william").contains(&"bill") && of("will").contains(&"william"));
        assert!(!of("bob").contains(&"rob"));
        assert_eq!(spellings("brian").collect::<Vec<_>>(), ["bryan", "bryon"]);
    }
}
