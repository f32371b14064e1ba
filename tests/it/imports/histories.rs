//! Histories of a few rows: sheets that are imported one after another, and what the owner does between them.

use super::cases::each;
use super::identity::{DECISIONS, Owner, reviews_where, sheet};
use super::*;

/// The rows, by the words for them: author, stars, day and text.
const ROWS: &str = r#"
    uma → Uma Falk,2,2026-10-03,Rude
    vic → Vic Oren,5,2026-10-05,Warm house again and thank you all
    four → Vic Oren,4,2026-10-05,Warm house again and thank you all
    three → Vic Oren,3,2026-10-05,Warm house again and thank you all
    later → Vic Oren,5,2026-10-08,Warm house again and thank you all
    edited → Vic Oren,5,2026-10-05,Warm house again and thank you both
    longer → Vic Oren,5,2026-10-05,Warm house again and thank you all at last
    rewritten → Vic Oren,5,2026-10-05,Two weeks later it leaked into the cellar
    third → Vic Oren,1,2026-10-05,Third visit and still no warmth
    wen → Wen Zhou,4,2026-10-06,Fair price for a long job
    wen-2 → Wen Zhou,2,2026-10-06,Fair price for a long job
    regrets → Wen Zhou,2,2026-10-06,My tenant let them in and regrets it
    june → Ines Roth,5,2026-06-12,"Great service, thank you!"
    july → Ines Roth,5,2026-07-20,"Great service, thank you!"
    otto → Otto Beck,4,2026-06-14,Came on the day that we asked for
    pia → Pia Lund,2,2026-06-20,The valve still drips
    sven → Sven Dahl,5,2026-07-03,Sorted the pump in an hour
    ada → Ada V.,5,2025-05-30,Prompt and clean and kind
    ada-2026 → Ada V.,5,2026-06-30,Prompt and clean and kind
    kim-1 → Kim Sato,3,2026-10-03,The first visit was short
    kim-2 → Kim Sato,3,2026-10-03,The second one took all day
    kim → Kim Sato,3,2026-10-03,The visit took all day
    yara → Yara Nils,2,2026-10-02,
    nobody → Anonymous,2,2026-10-02,
    nobody-4 → Anonymous,4,2026-10-02,
    pills-10 → Anonymous,1,2026-10-10,Buy these pills on our lovely website
    pills-11 → Anonymous,1,2026-10-11,Buy these pills on our lovely website
    pills-12 → Anonymous,1,2026-10-12,Buy these pills on our lovely website
    pills-13 → Anonymous,1,2026-10-13,Buy these pills on our lovely website
    blanks → Bo  Cole,4,2026-10-11,Fair  price.
    bo → Bo Cole,4,2026-10-11,Fair price.
    short-bo → Bo C.,4,2026-10-11,Fair price.
    other-bo → Bo Carr,4,2026-10-11,Fair price.
"#;

/// Each line is an import of these rows, after its options, with the counts of new, updated, unchanged and doubtful ones; or `hide AUTHOR`, by which the owner withholds and, once more, deletes; or a statement of SQL, with its answer.
const HISTORIES: &str = r"
# the same words in another month are another review
june otto pia = 3 0 0 0
july sven = 2 0 0 0
july sven june otto = 0 0 4 0
# with the other rows of its month, the day was corrected
june otto pia = 3 0 0 0
july sven otto pia = 1 1 2 0
# where half of the reviews are there, the day of the oldest was corrected
ada june otto pia = 4 0 0 0
ada-2026 june otto pia = 0 1 3 0
# the same words may be those of a hidden review
june otto pia uma wen
hide Ines Roth
july sven = 1 0 0 1
# a doubtful row of a deleted review is settled as the same
uma vic wen
sql: delete from review where author = 'Vic Oren'
uma edited wen = 0 0 2 1
--doubtful=same uma edited wen = 0 0 2 0
uma edited wen = 0 0 2 0
--restore uma edited wen = 1 0 2 0
uma edited wen = 0 0 3 0
# a deleted review is restored where one is meant
vic wen kim-1
sql: delete from review where author = 'Kim Sato'
--restore --doubtful=same vic wen kim = 1 0 2 0
# none is restored where two are meant
vic wen kim-1 kim-2
sql: delete from review where author = 'Kim Sato'
--restore --doubtful=same vic wen kim = 0 0 2 1
# equal ratings of nobody without a text are as many as their rows, and with one they count once
nobody nobody vic vic = 3 0 0 0
nobody vic nobody = 0 0 3 0
nobody nobody nobody vic = 1 0 3 0
nobody vic = 0 0 2 0
sql: select count(*) from review where review_id like '%-2' or review_id like '%-3' → 2
# equal ratings of a person count once
yara yara vic vic = 2 0 0 0
# a row is the published one of two twins
each ONE: min | max
nobody nobody uma vic wen = 5 0 0 0
sql: update review set status = 'withheld', withheld_reason = 'x' where review_id = (select ONE(review_id) from review where author = 'Anonymous')
--withdraw-missing --accept-changes nobody uma vic wen = 0 0 4 0
nobody nobody uma vic wen = 0 0 5 0
nobody-4 uma vic wen = 0 0 3 1
sql: select count(*) from review where status = 'published' → 4
# a redacted review keeps its row and the words of the owner
uma vic wen
sql: update review set text = 'Warm house again (name removed)' where author = 'Vic Oren'
uma vic wen = 0 0 3 0
uma rewritten wen = 0 0 3 0
uma third wen = 0 1 2 0
# a row with the digest of an edited review gets a number
uma vic wen
uma edited wen = 0 1 2 0
uma vic edited wen = 1 0 3 0
sql: select text from review where review_id like '%-2' → Warm house again and thank you all
# one row may be one of two reviews
each BEFORE: vic four | vic rewritten
BEFORE uma wen = 4 0 0 0
third uma wen = 0 0 2 1
# two rows may be one review
each AFTER: longer edited | four three
vic uma wen
AFTER uma wen = 0 0 2 2
# an edited text that the owner replied to is doubtful
uma vic wen
sql: update review set reply_text = 'Thanks.' where author = 'Vic Oren'
uma edited wen = 0 0 2 1
--doubtful=same uma edited wen = 0 1 2 0
uma edited wen = 0 0 3 0
# doubtful rows are settled as new, but one with the text of a deleted review only if that may come back
vic four uma wen
sql: delete from review where author = 'Wen Zhou'
--doubtful=new third regrets uma = 2 0 1 0
--doubtful=new third regrets wen-2 uma = 0 0 3 0
--restore --doubtful=new third regrets wen-2 uma = 1 0 3 0
# several reviews that a row may be are not settled as the same
vic four uma
--doubtful=same third uma = 0 0 1 1
# moved days publish none of several hidden copies
pills-10 pills-12 wen
hide Anonymous
pills-11 pills-13 wen = 0 0 1 2
# a row that equals a deleted review of any source is not stored
--source=Yelp vic wen
--source=Houzz vic wen = 2 0 0 0
sql: delete from review where author = 'Vic Oren' and source_name = 'Yelp'
--source=Houzz vic wen = 0 0 2 0
--source=Angi edited wen = 2 0 0 0
--source=Angi vic wen = 0 0 1 0
--source=Angi --restore vic wen = 0 1 1 0
# a row that equals a withheld review of another source is stored
--source=Yelp vic wen
sql: update review set status = 'withheld', withheld_reason = 'under dispute' where author = 'Vic Oren'
--source=Angi vic = 1 0 0 0
# equal rows may differ in blanks and have short names
--source=Yelp blanks = 1 0 0 0
--source=Angi --skip-duplicates short-bo other-bo = 1 0 0 0
# a deleted review has no copy by another person
--source=Yelp bo nobody
sql: delete from review
--source=A bo = 0 0 0 0
--source=B short-bo = 0 0 0 0
--source=C other-bo nobody = 2 0 0 0
";

/// What is wrong with a history.
async fn wrong(case: &str, owner: Owner) -> Option<String> {
    let rows = table::<2>(ROWS).into_iter();
    let rows: std::collections::HashMap<&str, &str> = rows.map(|[word, row]| (word, row)).collect();
    let bench = bench().await;
    for line in case.lines().skip(1) {
        let wrong =
            |found: &dyn std::fmt::Debug| Some(format!("{case}\n{line}, {owner:?}: {found:?}"));
        if let Some(author) = line.strip_prefix("hide ") {
            owner.act(&bench, &format!("author = '{author}'"));
            continue;
        }
        if let Some(sql) = line.strip_prefix("sql: ") {
            let (sql, answer) = sql.split_once(" → ").unwrap_or((sql, ""));
            let found = bench.sql(sql);
            if found != answer {
                return wrong(&found);
            }
            continue;
        }
        let (step, expected) = line.split_once(" = ").unwrap_or((line, ""));
        let (options, words): (Vec<&str>, Vec<&str>) =
            step.split(' ').partition(|word| word.starts_with("--"));
        let rows: Vec<&str> = words.iter().map(|word| rows[word]).collect();
        let (options, before) = (options.join(" "), reviews_where(&bench, "true"));
        let report = sheet(&bench, &rows, &options).await;
        let doubtful = report.count(Outcome::Doubtful);
        let (new, updated, unchanged, rejected) = counts(&report);
        let found = format!("{new} {updated} {unchanged} {doubtful}");
        if !found.starts_with(expected) || rejected > 0 {
            return wrong(&found);
        }
        let after = reviews_where(&bench, "true");
        let is_kept = |(id, review)| after.get(id) == Some(review);
        if updated == 0 && !before.iter().all(is_kept) {
            return wrong(&after);
        }
        // Twice is once.
        let again = sheet(&bench, &rows, &options).await;
        let counted = tally(&again, [Outcome::New, Outcome::Updated, Outcome::Doubtful]);
        if counted != [0, 0, doubtful] || reviews_where(&bench, "true") != after {
            return wrong(&counted);
        }
    }
    None
}

#[tokio::test]
async fn every_history_has_the_stated_outcome() {
    let mut failed = Vec::new();
    let cases = HISTORIES.trim().trim_start_matches("# ").split("\n# ");
    for case in cases.flat_map(each) {
        let (hides, nobody) = (case.contains("\nhide "), &[Owner::Nothing][..]);
        let owners = if hides { &DECISIONS[..] } else { nobody };
        for owner in owners {
            failed.extend(wrong(&case, *owner).await);
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
}
