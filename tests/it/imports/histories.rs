//! Histories of a few rows: sheets that are imported one after another, and what the owner does between them.

use super::identity::{DECISIONS, Owner, reviews_where, sheet};
use super::*;

// The rows: author, stars, day and text.
const UMA: &str = "Uma Falk,2,2026-10-03,Rude";
const VIC: &str = "Vic Oren,5,2026-10-05,Warm house again and thank you all";
const FOUR: &str = "Vic Oren,4,2026-10-05,Warm house again and thank you all";
const THREE: &str = "Vic Oren,3,2026-10-05,Warm house again and thank you all";
const EDITED: &str = "Vic Oren,5,2026-10-05,Warm house again and thank you both";
const LONGER: &str = "Vic Oren,5,2026-10-05,Warm house again and thank you all at last";
const REWRITTEN: &str = "Vic Oren,5,2026-10-05,Two weeks later it leaked into the cellar";
const THIRD: &str = "Vic Oren,1,2026-10-05,Third visit and still no warmth";
const WEN: &str = "Wen Zhou,4,2026-10-06,Fair price for a long job";
const WEN_2: &str = "Wen Zhou,2,2026-10-06,Fair price for a long job";
const REGRETS: &str = "Wen Zhou,2,2026-10-06,My tenant let them in and regrets it";
const JUNE: &str = r#"Ines Roth,5,2026-06-12,"Great service, thank you!""#;
const JULY: &str = r#"Ines Roth,5,2026-07-20,"Great service, thank you!""#;
const OTTO: &str = "Otto Beck,4,2026-06-14,Came on the day that we asked for";
const PIA: &str = "Pia Lund,2,2026-06-20,The valve still drips";
const SVEN: &str = "Sven Dahl,5,2026-07-03,Sorted the pump in an hour";
const ADA: &str = "Ada V.,5,2025-05-30,Prompt and clean and kind";
const ADA_2026: &str = "Ada V.,5,2026-06-30,Prompt and clean and kind";
const KIM_1: &str = "Kim Sato,3,2026-10-03,The first visit was short";
const KIM_2: &str = "Kim Sato,3,2026-10-03,The second one took all day";
const KIM: &str = "Kim Sato,3,2026-10-03,The visit took all day";
const YARA: &str = "Yara Nils,2,2026-10-02,";
const NOBODY: &str = "Anonymous,2,2026-10-02,";
const NOBODY_4: &str = "Anonymous,4,2026-10-02,";
const PILLS_10: &str = "Anonymous,1,2026-10-10,Buy these pills on our lovely website";
const PILLS_11: &str = "Anonymous,1,2026-10-11,Buy these pills on our lovely website";
const PILLS_12: &str = "Anonymous,1,2026-10-12,Buy these pills on our lovely website";
const PILLS_13: &str = "Anonymous,1,2026-10-13,Buy these pills on our lovely website";
const BLANKS: &str = "Bo  Cole,4,2026-10-11,Fair  price.";
const BO: &str = "Bo Cole,4,2026-10-11,Fair price.";
const SHORT_BO: &str = "Bo C.,4,2026-10-11,Fair price.";
const OTHER_BO: &str = "Bo Carr,4,2026-10-11,Fair price.";

/// The imports of one source, and the decisions of an owner.
struct History {
    bench: Bench,
    owner: Owner,
}

impl History {
    async fn new() -> Self {
        Self::of(Owner::Nothing).await
    }

    /// With an owner who hides reviews in this way.
    async fn of(owner: Owner) -> Self {
        let bench = bench().await;
        Self { bench, owner }
    }

    /// Imports the rows, whatever comes of it.
    async fn begin(&self, options: &str, rows: &[&str]) {
        self.import_twice(options, rows).await;
    }

    /// Imports the rows, and asserts how many are new, updated, unchanged and doubtful.
    async fn import(&self, options: &str, rows: &[&str], expected: [u64; 4]) {
        let found = self.import_twice(options, rows).await;
        assert_eq!(found, expected, "{options} {rows:?}, {:?}", self.owner);
    }

    /// Imports the rows. What is not updated stays as it is, and a second import changes nothing.
    async fn import_twice(&self, options: &str, rows: &[&str]) -> [u64; 4] {
        let step = format!("{options} {rows:?}, {:?}", self.owner);
        let before = reviews_where(&self.bench, "true");
        let report = sheet(&self.bench, rows, options).await;
        let doubtful = report.count(Outcome::Doubtful);
        let (new, updated, unchanged, rejected) = counts(&report);
        assert_eq!(rejected, 0, "{step}");
        let after = reviews_where(&self.bench, "true");
        if updated == 0 {
            let is_kept = |(id, review)| after.get(id) == Some(review);
            assert!(before.iter().all(is_kept), "{step}: {before:?} {after:?}");
        }
        let again = sheet(&self.bench, rows, options).await;
        let counted = tally(&again, [Outcome::New, Outcome::Updated, Outcome::Doubtful]);
        assert_eq!(counted, [0, 0, doubtful], "again: {step}");
        let twice = reviews_where(&self.bench, "true");
        assert!(twice == after, "again: {step}: {twice:?} {after:?}");
        [new, updated, unchanged, doubtful]
    }

    /// The owner hides the reviews of an author.
    fn hide(&self, author: &str) {
        self.owner.act(&self.bench, &format!("author = '{author}'"));
    }

    fn sql(&self, statement: &str) {
        self.bench.sql(statement);
    }

    #[track_caller]
    fn finds(&self, query: &str, expected: &str) {
        assert_eq!(self.bench.sql(query), expected, "{query}");
    }
}

#[tokio::test]
async fn the_same_words_in_another_month_are_another_review() {
    let history = History::new().await;
    history.import("", &[JUNE, OTTO, PIA], [3, 0, 0, 0]).await;
    history.import("", &[JULY, SVEN], [2, 0, 0, 0]).await;
    history
        .import("", &[JULY, SVEN, JUNE, OTTO], [0, 0, 4, 0])
        .await;
}

#[tokio::test]
async fn with_the_other_rows_of_its_month_the_day_was_corrected() {
    let history = History::new().await;
    history.import("", &[JUNE, OTTO, PIA], [3, 0, 0, 0]).await;
    history
        .import("", &[JULY, SVEN, OTTO, PIA], [1, 1, 2, 0])
        .await;
}

#[tokio::test]
async fn where_half_of_the_reviews_are_there_the_day_of_the_oldest_was_corrected() {
    let history = History::new().await;
    history
        .import("", &[ADA, JUNE, OTTO, PIA], [4, 0, 0, 0])
        .await;
    history
        .import("", &[ADA_2026, JUNE, OTTO, PIA], [0, 1, 3, 0])
        .await;
}

#[tokio::test]
async fn the_same_words_may_be_those_of_a_hidden_review() {
    for owner in DECISIONS {
        let history = History::of(owner).await;
        history.begin("", &[JUNE, OTTO, PIA, UMA, WEN]).await;
        history.hide("Ines Roth");
        history.import("", &[JULY, SVEN], [1, 0, 0, 1]).await;
    }
}

#[tokio::test]
async fn a_doubtful_row_of_a_deleted_review_is_settled_as_the_same() {
    let history = History::new().await;
    history.begin("", &[UMA, VIC, WEN]).await;
    history.sql("delete from review where author = 'Vic Oren'");
    history.import("", &[UMA, EDITED, WEN], [0, 0, 2, 1]).await;
    history
        .import("--doubtful=same", &[UMA, EDITED, WEN], [0, 0, 2, 0])
        .await;
    history.import("", &[UMA, EDITED, WEN], [0, 0, 2, 0]).await;
    history
        .import("--restore", &[UMA, EDITED, WEN], [1, 0, 2, 0])
        .await;
    history.import("", &[UMA, EDITED, WEN], [0, 0, 3, 0]).await;
}

#[tokio::test]
async fn a_deleted_review_is_restored_where_one_is_meant() {
    let history = History::new().await;
    history.begin("", &[VIC, WEN, KIM_1]).await;
    history.sql("delete from review where author = 'Kim Sato'");
    history
        .import("--restore --doubtful=same", &[VIC, WEN, KIM], [1, 0, 2, 0])
        .await;
}

#[tokio::test]
async fn none_is_restored_where_two_are_meant() {
    let history = History::new().await;
    history.begin("", &[VIC, WEN, KIM_1, KIM_2]).await;
    history.sql("delete from review where author = 'Kim Sato'");
    history
        .import("--restore --doubtful=same", &[VIC, WEN, KIM], [0, 0, 2, 1])
        .await;
}

#[tokio::test]
async fn equal_ratings_of_nobody_without_a_text_are_as_many_as_their_rows_and_with_one_they_count_once()
 {
    let history = History::new().await;
    history
        .import("", &[NOBODY, NOBODY, VIC, VIC], [3, 0, 0, 0])
        .await;
    history
        .import("", &[NOBODY, VIC, NOBODY], [0, 0, 3, 0])
        .await;
    history
        .import("", &[NOBODY, NOBODY, NOBODY, VIC], [1, 0, 3, 0])
        .await;
    history.import("", &[NOBODY, VIC], [0, 0, 2, 0]).await;
    history.finds(
        "select count(*) from review where review_id like '%-2' or review_id like '%-3'",
        "2",
    );
}

#[tokio::test]
async fn equal_ratings_of_a_person_count_once() {
    let history = History::new().await;
    history
        .import("", &[YARA, YARA, VIC, VIC], [2, 0, 0, 0])
        .await;
}

/// The owner withholds one of two equal ratings without an author: that with the `extreme` ID, `min` or `max`.
async fn follow_twins(extreme: &str) {
    let history = History::new().await;
    history
        .import("", &[NOBODY, NOBODY, UMA, VIC, WEN], [5, 0, 0, 0])
        .await;
    history.sql(&format!(
        "update review set status = 'withheld', withheld_reason = 'x'
         where review_id = (select {extreme}(review_id) from review where author = 'Anonymous')"
    ));
    history
        .import(
            "--withdraw-missing --accept-changes",
            &[NOBODY, UMA, VIC, WEN],
            [0, 0, 4, 0],
        )
        .await;
    history
        .import("", &[NOBODY, NOBODY, UMA, VIC, WEN], [0, 0, 5, 0])
        .await;
    history
        .import("", &[NOBODY_4, UMA, VIC, WEN], [0, 0, 3, 1])
        .await;
    history.finds(
        "select count(*) from review where status = 'published'",
        "4",
    );
}

#[tokio::test]
async fn a_row_is_the_published_one_of_two_twins_if_the_first_is_withheld() {
    follow_twins("min").await;
}

#[tokio::test]
async fn a_row_is_the_published_one_of_two_twins_if_the_second_is_withheld() {
    follow_twins("max").await;
}

#[tokio::test]
async fn a_redacted_review_keeps_its_row_and_the_words_of_the_owner() {
    let history = History::new().await;
    history.begin("", &[UMA, VIC, WEN]).await;
    history.sql(
        "update review set text = 'Warm house again (name removed)' where author = 'Vic Oren'",
    );
    history.import("", &[UMA, VIC, WEN], [0, 0, 3, 0]).await;
    history
        .import("", &[UMA, REWRITTEN, WEN], [0, 0, 3, 0])
        .await;
    history.import("", &[UMA, THIRD, WEN], [0, 1, 2, 0]).await;
}

#[tokio::test]
async fn a_row_with_the_digest_of_an_edited_review_gets_a_number() {
    let history = History::new().await;
    history.begin("", &[UMA, VIC, WEN]).await;
    history.import("", &[UMA, EDITED, WEN], [0, 1, 2, 0]).await;
    history
        .import("", &[UMA, VIC, EDITED, WEN], [1, 0, 3, 0])
        .await;
    history.finds(
        "select text from review where review_id like '%-2'",
        "Warm house again and thank you all",
    );
}

#[tokio::test]
async fn one_row_may_be_one_of_two_reviews_with_other_stars() {
    let history = History::new().await;
    history
        .import("", &[VIC, FOUR, UMA, WEN], [4, 0, 0, 0])
        .await;
    history.import("", &[THIRD, UMA, WEN], [0, 0, 2, 1]).await;
}

#[tokio::test]
async fn one_row_may_be_one_of_two_reviews_with_other_texts() {
    let history = History::new().await;
    history
        .import("", &[VIC, REWRITTEN, UMA, WEN], [4, 0, 0, 0])
        .await;
    history.import("", &[THIRD, UMA, WEN], [0, 0, 2, 1]).await;
}

#[tokio::test]
async fn two_rows_with_other_texts_may_be_one_review() {
    let history = History::new().await;
    history.begin("", &[VIC, UMA, WEN]).await;
    history
        .import("", &[LONGER, EDITED, UMA, WEN], [0, 0, 2, 2])
        .await;
}

#[tokio::test]
async fn two_rows_with_other_stars_may_be_one_review() {
    let history = History::new().await;
    history.begin("", &[VIC, UMA, WEN]).await;
    history
        .import("", &[FOUR, THREE, UMA, WEN], [0, 0, 2, 2])
        .await;
}

#[tokio::test]
async fn an_edited_text_that_the_owner_replied_to_is_doubtful() {
    let history = History::new().await;
    history.begin("", &[UMA, VIC, WEN]).await;
    history.sql("update review set reply_text = 'Thanks.' where author = 'Vic Oren'");
    history.import("", &[UMA, EDITED, WEN], [0, 0, 2, 1]).await;
    history
        .import("--doubtful=same", &[UMA, EDITED, WEN], [0, 1, 2, 0])
        .await;
    history.import("", &[UMA, EDITED, WEN], [0, 0, 3, 0]).await;
}

#[tokio::test]
async fn doubtful_rows_are_settled_as_new_but_one_with_the_text_of_a_deleted_review_only_if_that_may_come_back()
 {
    let history = History::new().await;
    history.begin("", &[VIC, FOUR, UMA, WEN]).await;
    history.sql("delete from review where author = 'Wen Zhou'");
    history
        .import("--doubtful=new", &[THIRD, REGRETS, UMA], [2, 0, 1, 0])
        .await;
    history
        .import(
            "--doubtful=new",
            &[THIRD, REGRETS, WEN_2, UMA],
            [0, 0, 3, 0],
        )
        .await;
    history
        .import(
            "--restore --doubtful=new",
            &[THIRD, REGRETS, WEN_2, UMA],
            [1, 0, 3, 0],
        )
        .await;
}

#[tokio::test]
async fn several_reviews_that_a_row_may_be_are_not_settled_as_the_same() {
    let history = History::new().await;
    history.begin("", &[VIC, FOUR, UMA]).await;
    history
        .import("--doubtful=same", &[THIRD, UMA], [0, 0, 1, 1])
        .await;
}

#[tokio::test]
async fn moved_days_publish_none_of_several_hidden_copies() {
    for owner in DECISIONS {
        let history = History::of(owner).await;
        history.begin("", &[PILLS_10, PILLS_12, WEN]).await;
        history.hide("Anonymous");
        history
            .import("", &[PILLS_11, PILLS_13, WEN], [0, 0, 1, 2])
            .await;
    }
}

#[tokio::test]
async fn a_row_that_equals_a_deleted_review_of_any_source_is_not_stored() {
    let history = History::new().await;
    history.begin("--source=Yelp", &[VIC, WEN]).await;
    history
        .import("--source=Houzz", &[VIC, WEN], [2, 0, 0, 0])
        .await;
    history.sql("delete from review where author = 'Vic Oren' and source_name = 'Yelp'");
    history
        .import("--source=Houzz", &[VIC, WEN], [0, 0, 2, 0])
        .await;
    history
        .import("--source=Angi", &[EDITED, WEN], [2, 0, 0, 0])
        .await;
    history
        .import("--source=Angi", &[VIC, WEN], [0, 0, 1, 0])
        .await;
    history
        .import("--source=Angi --restore", &[VIC, WEN], [0, 1, 1, 0])
        .await;
}

#[tokio::test]
async fn a_row_that_equals_a_withheld_review_of_another_source_is_stored() {
    let history = History::new().await;
    history.begin("--source=Yelp", &[VIC, WEN]).await;
    history.sql("update review set status = 'withheld', withheld_reason = 'under dispute' where author = 'Vic Oren'");
    history.import("--source=Angi", &[VIC], [1, 0, 0, 0]).await;
}

#[tokio::test]
async fn equal_rows_may_differ_in_blanks_and_have_short_names() {
    let history = History::new().await;
    history
        .import("--source=Yelp", &[BLANKS], [1, 0, 0, 0])
        .await;
    history
        .import(
            "--source=Angi --skip-duplicates",
            &[SHORT_BO, OTHER_BO],
            [1, 0, 0, 0],
        )
        .await;
}

#[tokio::test]
async fn a_deleted_review_has_no_copy_by_another_person() {
    let history = History::new().await;
    history.begin("--source=Yelp", &[BO, NOBODY]).await;
    history.sql("delete from review");
    history.import("--source=A", &[BO], [0, 0, 0, 0]).await;
    history
        .import("--source=B", &[SHORT_BO], [0, 0, 0, 0])
        .await;
    history
        .import("--source=C", &[OTHER_BO, NOBODY], [2, 0, 0, 0])
        .await;
}
