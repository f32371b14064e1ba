//! Questions at a terminal.

use super::*;

impl Home {
    /// Runs a command at a terminal and types these lines.
    pub fn at_terminal(&self, words: impl Words, typed: &[&str]) -> CommandOutput {
        self.command(words).at_terminal(typed).run()
    }

    /// The same where standard output is the terminal, too.
    pub fn at_screen(&self, words: impl Words, typed: &[&str]) -> CommandOutput {
        self.command(words).at_screen(typed).run()
    }

    fn ids(&self) -> String {
        self.sql("select group_concat(review_id) from (select review_id from review order by 1)")
    }
}

#[test]
fn delete_shows_the_review_and_deletes_it_only_after_a_yes() {
    let home = Home::new();
    home.steps(
        r"
        in.csv ← id,rating,date,author,text\nr-1,2,2026-10-01,Ann,Two hours late.\nr-2,5,2026-10-02,Bob,Fast.\nr-3,5,2026-10-03,Cy,Kind.\n
        import in.csv → 3 new
        ",
    );
    home.sql("update review set text = char(27) || '[2J' || text");
    for typed in [&["n"][..], &[""], &["nyes"], &["no", "y"], &[]] {
        let done = home.at_terminal("delete r-1", typed);
        assert_eq!(done.code, Some(0), "{typed:?}: {}", done.err);
        assert_eq!(done.out, "nothing was deleted\n", "{typed:?}");
        assert_eq!(home.ids(), "r-1,r-2,r-3", "{typed:?}");
        for part in ["r-1", "★★☆☆☆", "2026-10-01", "Ann", "late.", "[y/N]"] {
            assert_has(&done.err, part);
        }
        assert!(!done.err.contains("\u{1b}[2J"), "{}", done.err);
    }
    for (id, typed) in [("r-1", "y"), ("r-2", "Yes")] {
        let done = home.at_terminal(&["delete", id], &[typed]);
        assert_eq!(done.code, Some(0), "{}", done.err);
        assert_has(&done.out, "deleted");
    }
    assert_eq!(home.ids(), "r-3");
    // `--yes` skips the question.
    let done = home.at_terminal("delete r-3 --yes", &["n"]);
    assert!(!done.err.contains("[y/N]"), "{}", done.err);
    assert_eq!(home.ids(), "");
}

#[test]
fn restore_changes_nothing_without_a_yes() {
    let home = Home::with(3);
    home.run_ok("backup copy.db", "copy.db");
    home.run_ok("delete p-1 --yes", "deleted");
    let done = home.at_terminal("restore copy.db", &["n"]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert_has(&done.err, "copy.db has 3 reviews. Replace ");
    assert_eq!(done.out, "nothing was changed\n");
    assert_eq!(home.ids(), "p-2,p-3");
    assert!(!home.file_names().iter().any(|name| name.contains(".new-")));
    home.run_ok("migrate --database other.db", "other.db");
    let done = home.at_terminal("restore copy.db --database other.db", &["n"]);
    assert_has(&done.err, "It is a backup of another database.");
}
