//! Which review a row without an ID is when its sheet is imported again: every kind of change to one row, histories of several
//! imports, and changes of most rows at once. What the owner withheld or deleted never comes back by a change at the source.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::support::rows as query;

/// A row of a sheet, or a review as the row that it would be.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Row {
    author: String,
    stars: usize,
    day: String,
    title: String,
    text: String,
    answer: String,
}

const COLUMNS: [&str; 6] = ["author", "rating", "date", "title", "text", "response"];

impl Row {
    fn new(author: &str, stars: usize, day: &str, text: &str) -> Self {
        let [author, day, text] = [author, day, text].map(str::to_owned);
        Self {
            author,
            stars,
            day,
            text,
            ..Self::default()
        }
    }

    fn cells(&self) -> Vec<String> {
        let stars = self.stars.to_string();
        [
            &self.author,
            &stars,
            &self.day,
            &self.title,
            &self.text,
            &self.answer,
        ]
        .map(|cell| format!("\"{}\"", cell.replace('"', "\"\"")))
        .to_vec()
    }

    /// The review that the row becomes, with one blank between the words of its text.
    fn shown(&self) -> Self {
        let mut row = self.clone();
        if row.author.is_empty() {
            "Anonymous".clone_into(&mut row.author);
        }
        let words: Vec<&str> = self.text.split_whitespace().collect();
        row.text = words.join(" ");
        row
    }
}

fn csv(columns: &[&str], rows: &[Row]) -> String {
    let is_reversed = columns[0] != COLUMNS[0];
    let line = |row: &Row| {
        let mut cells = row.cells();
        if is_reversed {
            cells.reverse();
        }
        cells.join(",") + "\n"
    };
    columns.join(",") + "\n" + &rows.iter().map(line).collect::<String>()
}

/// The reviews with this condition, by ID.
pub(super) fn reviews_where(bench: &Bench, condition: &str) -> BTreeMap<String, Row> {
    let select = format!(
        "select review_id, rating, author, reviewed_on, coalesce(title, '') as title, text, coalesce(reply_text, '') as answer
         from review where {condition}"
    );
    let found = query(bench.database.path(), &select).into_iter();
    found
        .map(|review| {
            let cell = |name: &str| review[name].as_str().unwrap().to_owned();
            let row = Row {
                author: cell("author"),
                stars: usize::try_from(review["rating"].as_u64().unwrap()).unwrap(),
                day: cell("reviewed_on"),
                title: cell("title"),
                text: cell("text"),
                answer: cell("answer"),
            };
            (cell("review_id"), row.shown())
        })
        .collect()
}

/// What the owner did about reviews before the next import.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Owner {
    Nothing,
    Replied,
    Withheld,
    Deleted,
    Anonymized,
}

pub(super) const DECISIONS: [Owner; 2] = [Owner::Withheld, Owner::Deleted];

impl Owner {
    pub(super) fn act(self, bench: &Bench, condition: &str) {
        bench.sql(&match self {
            Self::Nothing => return,
            Self::Replied => format!("update review set reply_text = 'Sorry.' where {condition}"),
            Self::Anonymized => format!(
                "update review_source set said = json_set(said, '$.decided', json_array('author'))
                   where review_id in (select review_id from review where {condition});
                 update review set author = 'Anonymous' where {condition}"
            ),
            Self::Withheld => {
                format!("update review set status = 'withheld', withheld_reason = 'under dispute' where {condition}")
            }
            Self::Deleted => format!("delete from review where {condition}"),
        });
    }
}

// One row changes among thirty that stay.

/// By kind of change, what becomes of rows with texts of ten, three, one and no words, if the owner did nothing, replied to their
/// reviews, withheld, deleted or anonymized them:
/// S the same review, E that review, edited, N a new review, A the same and another one, D doubtful, G no row.
const KINDS: &str = "
    nothing → SSSS → SSSS → SSSS → SSSS → SSSS
    reordered → SSSS → SSSS → SSSS → SSSS → SSSS
    columns → SSSS → SSSS → SSSS → SSSS → SSSS
    line ends → SSSS → SSSS → SSSS → SSSS → SSSS
    blanks → SSSS → SSSS → SSSS → SSSS → SSSS
    decomposed → SSSS → SSSS → SSSS → SSSS → SSSS
    typo → EEES → DDDS → EEES → DDDS → EEES
    rewritten → EEES → DDDS → EEES → DDDS → EEES
    emptied → EEES → DDDS → EEES → DDDS → EEES
    filled → SSSE → SSSD → SSSE → SSSD → SSSE
    stars → EEEE → EEEE → EEEE → SSSS → EEEE
    stars and typo → EEEE → DDDE → EEEE → DDDS → EEEE
    name → NNNN → NNNN → DNNN → DNNN → DNNN
    nobody → NNNN → NNNN → DNNN → DNNN → SSSS
    day → ENNN → ENNN → ENNN → SNNN → EDDD
    day and stars → ENNN → ENNN → ENNN → SNNN → EDDD
    day and name → NNNN → NNNN → DNNN → DNNN → DNNN
    day and typo → NNNN → NNNN → NNNN → NNNN → NNND
    name and typo → NNNN → NNNN → NNNN → NNNN → NNNN
    gone → GGGG → GGGG → GGGG → GGGG → GGGG
    beside → AAAA → AAAA → DDDD → DDDD → DDDD
    twice → SSSS → SSSS → SSSS → SSSS → SSSS
    title → EEEE → EEEE → EEEE → SSSS → EEEE
    answer → EEEE → SSSS → EEEE → SSSS → EEEE
    Anonymous: nothing → SSSS → SSSS → SSSS → SSSS → SSSS
    Anonymous: typo → DDDS → DDDS → DDDS → DDDS → DDDS
    Anonymous: filled → SSSD → SSSD → SSSD → SSSD → SSSD
    Anonymous: stars → EEEE → EEEE → EEEE → SSSS → EEEE
    Anonymous: day → ENNN → ENNN → ENNN → SNNN → ENNN
    Anonymous: name → NNNN → NNNN → DNNN → DNNN → DNNN
";

/// Shares no word with a row of this file.
const OTHER_TEXT: &str = "Nobody rang back about that noise at night.";

/// The rows that change, with texts of ten, three, one and no words.
fn subjects() -> Vec<Row> {
    let long = "The new boiler in our café\nwas fitted without mess.";
    let rows = [
        ("Petra Lang", 4, "2026-10-04", long),
        ("Quirin Moos", 2, "2026-10-09", "Très bon travail"),
        ("Rosa Diaz", 5, "2026-10-16", "Génial!"),
        ("Tomas Weil", 3, "2026-10-12", ""),
    ];
    let rows = rows.map(|(author, stars, day, text)| Row::new(author, stars, day, text));
    rows.map(|row| Row {
        title: "Heating".to_owned(),
        ..row
    })
    .to_vec()
}

/// Sixteen rows, some on the days of the others, some without a name or a text.
fn unchanged_rows() -> Vec<Row> {
    let [names, deeds, ends] = [
        "Adele Roy|Bram Ito|Cleo Day|Dov Marsh|Elif Can|Finn Roe|Gus Hale||Hana Sol|Ivo Brandt",
        "Fixed the leak under the sink|Came on Sunday|Left dust on the stairs|Explained every line|Arrived an hour late|Good with our dog",
        "in Mesa|again this spring|as they had said|for less than the quote|unasked",
    ]
    .map(|list| list.split('|').collect::<Vec<_>>());
    let row = |n: usize| {
        let day = format!("2026-10-{:02}", 1 + n / 2);
        let mut row = Row::new(names[n % 10], 1 + n % 5, &day, "");
        if n % 9 != 4 {
            row.text = format!("{} {}", deeds[n % 6], ends[n / 6]);
        }
        row
    };
    (0..16).map(row).collect()
}

/// The rows that stand for this one after a change of this kind.
fn changed(kind: &str, row: &Row) -> Vec<Row> {
    let mut new = row.clone();
    let words: Vec<&str> = row.text.split(' ').collect();
    let has_text = !row.text.is_empty();
    for part in kind.split(" and ") {
        match part {
            "typo" if has_text => {
                let (before, last) = row.text.rsplit_once(' ').unwrap_or(("", &row.text));
                let mut last: Vec<char> = last.chars().collect();
                last.insert(1, last[1]);
                let typo = format!("{before} {}", String::from_iter(last));
                typo.trim().clone_into(&mut new.text);
            }
            "rewritten" if has_text => OTHER_TEXT.clone_into(&mut new.text),
            "emptied" => new.text.clear(),
            "filled" if !has_text => "Quick and warm".clone_into(&mut new.text),
            "blanks" => new.text = format!(" {} ", words.join("  ")),
            "decomposed" => new.text = row.text.replace('é', "e\u{301}").replace('è', "e\u{300}"),
            "stars" => new.stars = 1 + row.stars % 5,
            "name" => format!("Berta {}", row.author)
                .trim()
                .clone_into(&mut new.author),
            "nobody" => new.author.clear(),
            "day" => new.day = row.day.replace("-10-0", "-10-2").replace("-10-1", "-10-2"),
            "gone" => return Vec::new(),
            "beside" => {
                let beside = Row {
                    stars: 1 + row.stars % 5,
                    text: OTHER_TEXT.to_owned(),
                    ..row.clone()
                };
                return vec![new, beside];
            }
            "twice" => return vec![new.clone(), new],
            "title" => new.title.push_str(", again"),
            "answer" => "We thank you.".clone_into(&mut new.answer),
            // Of the whole file, or of rows that have a text, or have none.
            "nothing" | "reordered" | "columns" | "line ends" | "typo" | "rewritten" | "filled" => {
            }
            other => panic!("{other}"),
        }
    }
    vec![new]
}

async fn check_kind(kind: &str, fates: &str, owner: Owner) {
    let case = format!("{kind}, {owner:?}");
    let bench = bench().await;
    let mut before = subjects();
    let mut change = kind;
    if let Some(rest) = kind.strip_prefix("Anonymous: ") {
        before.iter_mut().for_each(|row| row.author.clear());
        change = rest;
    }
    let others = unchanged_rows();
    let first = csv(&COLUMNS, &[before.as_slice(), &others].concat());
    let named = "format: [fields]; title = [\"title\"]; reply_text = [\"response\"]";
    bench.csv(first, named).await;
    let stored = reviews_where(&bench, "true");
    let id_of = |row: &Row| {
        let mut found = stored.iter().filter(|(_, known)| **known == row.shown());
        found.next().unwrap().0.clone()
    };
    let ids: Vec<String> = before.iter().map(id_of).collect();
    owner.act(&bench, &format!("review_id in ('{}')", ids.join("', '")));
    let mut known = reviews_where(&bench, "true");

    let after: Vec<Vec<Row>> = before.iter().map(|row| changed(change, row)).collect();
    let mut rows = [after.concat(), others].concat();
    if change == "reordered" {
        rows.reverse();
    }
    let mut columns = COLUMNS;
    if change == "columns" {
        columns.reverse();
    }
    let mut file = csv(&columns, &rows);
    if change == "line ends" {
        file = file.replace('\n', "\r\n");
    }
    let report = bench.csv(&file, "").await;

    let stored = reviews_where(&bench, "true");
    let new = stored.iter().filter(|(id, _)| !known.contains_key(*id));
    let new: Vec<Row> = new.map(|(_, review)| review.clone()).collect();
    let mut found = String::new();
    for (id, after) in ids.iter().zip(&after) {
        let rows: Vec<Row> = after.iter().map(Row::shown).collect();
        // What the owner wrote or took away stays.
        let mut edited = rows.first().cloned().unwrap_or_default();
        match owner {
            Owner::Replied => "Sorry.".clone_into(&mut edited.answer),
            Owner::Anonymized => "Anonymous".clone_into(&mut edited.author),
            Owner::Nothing | Owner::Withheld | Owner::Deleted => {}
        }
        let is_other = known.get(id).is_some_and(|known| *known != edited);
        let mut doubtful = report.named(Outcome::Doubtful).names.iter();
        let is_doubtful = doubtful.any(|name| name.contains(id));
        let fate = match rows.as_slice() {
            [] => 'G',
            _ if is_doubtful => 'D',
            [_, beside] if new.contains(beside) => 'A',
            [row, ..] if new.contains(row) => 'N',
            _ if is_other && stored.get(id) == Some(&edited) => 'E',
            _ => 'S',
        };
        found.push(fate);
        if owner == Owner::Deleted {
            let kept = &report.named(Outcome::KeptDeleted).names;
            let is_reported = kept.iter().any(|name| name.contains(id));
            assert!(is_reported || fate != 'S', "{case}: {id}");
        } else if fate == 'E' {
            known.insert(id.clone(), edited);
        }
    }
    assert_eq!(found, fates, "{case}: {report:?}");
    // All others are as they were, and what the owner withheld stays so.
    assert_eq!(new.len(), found.matches(['N', 'A']).count(), "{case}");
    assert_eq!(stored.len(), known.len() + new.len(), "{case}");
    let is_kept = |(id, review)| stored.get(id) == Some(review);
    assert!(known.iter().all(is_kept), "{case}");
    let mut hidden: BTreeSet<String> = ids.into_iter().collect();
    hidden.retain(|_| owner == Owner::Withheld);
    let withheld = reviews_where(&bench, "status = 'withheld'");
    assert!(withheld.keys().eq(&hidden), "{case}: {withheld:?}");

    let again = bench.csv(&file, "").await;
    let changes = tally(&again, [Outcome::New, Outcome::Updated]);
    assert_eq!(changes, [0, 0], "{case}, again");
    let [first, second] = [&report, &again].map(|report| report.named(Outcome::Doubtful));
    assert_eq!(second, first, "{case}, again");
    assert_eq!(reviews_where(&bench, "true"), stored, "{case}, again");
}

/// Checks every kind of change to a row of a review with which the owner has done this, by its column of the table.
async fn check_kinds(owner: Owner) {
    for [kind, fates @ ..] in table::<6>(KINDS) {
        check_kind(kind, fates[owner as usize], owner).await;
    }
}

#[tokio::test]
async fn a_changed_row_has_the_stated_outcome() {
    check_kinds(Owner::Nothing).await;
}

#[tokio::test]
async fn a_changed_row_of_a_review_with_a_reply_has_the_stated_outcome() {
    check_kinds(Owner::Replied).await;
}

#[tokio::test]
async fn a_changed_row_of_a_withheld_review_has_the_stated_outcome() {
    check_kinds(Owner::Withheld).await;
}

#[tokio::test]
async fn a_changed_row_of_a_deleted_review_has_the_stated_outcome() {
    check_kinds(Owner::Deleted).await;
}

#[tokio::test]
async fn a_changed_row_of_an_anonymized_review_has_the_stated_outcome() {
    check_kinds(Owner::Anonymized).await;
}

// Histories of a few rows.

const UMA: &str = "Uma Falk,2,2026-10-03,Rude";
const VIC: &str = "Vic Oren,5,2026-10-05,Warm house again and thank you all";
const WEN: &str = "Wen Zhou,4,2026-10-06,Fair price for a long job";

/// Vic's row with a text that shares less than half of its words.
const VIC_REWRITTEN: &str = "Vic Oren,5,2026-10-05,Two weeks later it leaked into the cellar";
const VIC_EDITED: &str = "Vic Oren,5,2026-10-05,Warm house again and thank you both";

/// Imports a sheet without IDs.
pub(super) async fn sheet(bench: &Bench, rows: &[&str], options: &str) -> ImportReport {
    let file = format!("author,rating,date,text\n{}\n", rows.join("\n"));
    bench.csv(file, options).await
}

#[tokio::test]
async fn instants_keep_reviews_when_the_time_zone_changes() {
    let at = |row: &str| {
        row.replace("-05,", "-05T23:30:00Z,")
            .replace("-06,", "-06T03:10:00Z,")
    };
    let [vic, wen, typo] = [VIC, WEN, VIC_EDITED].map(at);
    let twin = "Anonymous,5,2026-10-05T23:40:00Z,";
    let bench = bench().await;
    bench.set_time_zone("America/Phoenix").await;
    sheet(&bench, &[&vic, &wen, twin, twin], "").await;
    Owner::Deleted.act(&bench, "author = 'Wen Zhou'");
    let days = |bench: &Bench| bench.sql("select distinct reviewed_on from review");
    assert_eq!(days(&bench), "2026-10-05");
    bench.set_time_zone("Asia/Tokyo").await;
    for first in [&vic, &typo, &typo] {
        let report = sheet(&bench, &[first, &wen, twin, twin], "").await;
        let outcomes = [Outcome::New, Outcome::KeptDeleted, Outcome::Doubtful];
        assert_eq!(tally(&report, outcomes), [0, 1, 0], "{first}");
        assert_eq!(days(&bench), "2026-10-06", "{first}");
        let published = reviews_where(&bench, "status = 'published'");
        assert_eq!(published.len(), 3, "{first}");
    }
    let text = bench.sql("select text from review where author = 'Vic Oren'");
    assert_eq!(text, "Warm house again and thank you both");
}

#[tokio::test]
async fn a_review_keeps_the_permalink_and_takes_a_later_id() {
    let bench = bench().await;
    sheet(&bench, &[UMA, VIC, WEN], "").await;
    let known = "author in ('Vic Oren', 'Wen Zhou')";
    let before = reviews_where(&bench, known);
    let import = async |vic: &str| {
        let rows = format!("w-31,{vic}\nw-47,{WEN}\nw-58,Zoe Quist,3,2026-11-02,Cold again\n");
        let file = format!("id,author,rating,date,text\n{rows}");
        let report = bench.csv(file, "format: [fields]; id = [\"id\"]");
        counts(&report.await)
    };
    let (new, updated, unchanged, _) = import(VIC).await;
    assert_eq!((new, updated + unchanged), (1, 2));
    assert_eq!(reviews_where(&bench, known), before);
    let at_source = "select author, id_at_source from review join review_source using (review_id) where id_at_source is not null order by 1";
    // The permalink of a new review has its ID.
    assert_eq!(bench.sql(at_source), "Vic Oren|w-31\nWen Zhou|w-47");
    // From now on the ID decides.
    let edited = VIC_REWRITTEN.replace(",5,", ",1,");
    for updated in [1, 0] {
        assert_eq!(import(&edited).await, (0, updated, 3 - updated, 0));
    }
    assert!(reviews_where(&bench, known).keys().eq(before.keys()));
    let public = "select group_concat(substr(text, 1, 4)) from
        (select text from review where status = 'published' order by author)";
    assert_eq!(bench.sql(public), "Rude,Two ,Fair,Cold");
}

#[tokio::test]
async fn a_doubtful_row_stops_a_withdrawal() {
    let bench = bench().await;
    sheet(&bench, &[UMA, VIC, WEN], "").await;
    Owner::Replied.act(&bench, "author = 'Vic Oren'");
    let file = format!("author,rating,date,text\n{UMA}\n{VIC_REWRITTEN}\n");
    let options = "--withdraw-missing --accept-changes";
    let refusal = bench.refused(&file, options).await;
    assert_has(&refusal, "doubtful rows: 1;");
    assert_eq!(reviews_where(&bench, "status = 'published'").len(), 3);
}

// Changes of most reviews at once.

/// A sheet in which the first rows, `count` of `all`, were changed in this way.
fn mass(all: usize, count: usize, way: &str, has_ids: bool) -> String {
    let row = |n: usize| {
        let (mut stars, mut text) = (5, format!("Visit {n} went as it was agreed"));
        let (mut family, mut month) = ("Kern", 9);
        match way {
            "stars" if n < count => stars = 1,
            "author" if n < count => family = "Kerner",
            "day" if n < count => month = 8,
            "emptied" if n < count => text.clear(),
            "text" if n < count => text = text.replace("was", "was not"),
            _ => {}
        }
        let (id, name) = (7 * n + 3, ('A'..='Z').nth(n).unwrap());
        let id = format!("e-{id},").repeat(usize::from(has_ids));
        let day = format!("2026-{month:02}-{:02}", n + 1);
        format!("{id}{name}. {family},{stars},{day},{text},Thanks for visit {n}\n")
    };
    let id = "id,".repeat(usize::from(has_ids));
    format!("{id}author,rating,date,text,response\n") + &(0..all).map(row).collect::<String>()
}

#[tokio::test]
async fn a_change_of_most_reviews_is_taken_only_on_request() {
    for has_ids in [true, false] {
        // Without an ID, a row by another author is another review.
        let ways = ["text", "emptied", "stars", "day", "author"];
        for way in &ways[..if has_ids { 5 } else { 4 }] {
            for (all, count, is_taken) in
                [(12, 7, false), (12, 6, true), (5, 4, false), (4, 3, true)]
            {
                let case = format!("{way}, {count} of {all}, IDs: {has_ids}");
                let bench = bench().await;
                bench.csv(mass(all, 0, "", has_ids), "").await;
                let stored = reviews_where(&bench, "true");
                let file = mass(all, count, way, has_ids);
                let mut options = "";
                if !is_taken {
                    for insistent in ["", "--withdraw-missing"] {
                        assert_has(&bench.refused(&file, insistent).await, "--accept-changes");
                        assert_eq!(reviews_where(&bench, "true"), stored, "{case}");
                    }
                    options = "--accept-changes";
                }
                let expected = (0, count as u64, (all - count) as u64, 0);
                assert_eq!(counts(&bench.csv(&file, options).await), expected, "{case}");
            }
        }
    }
}

#[tokio::test]
async fn new_reviews_and_part_of_a_source_are_no_change_of_most() {
    let bench = bench().await;
    // The last file has few of the reviews of the source.
    for (file, expected) in [
        (mass(4, 0, "", true), (4, 0, 0, 0)),
        (mass(20, 0, "", true), (16, 0, 4, 0)),
        (mass(7, 7, "stars", true), (0, 7, 0, 0)),
    ] {
        assert_eq!(counts(&bench.csv(file, "").await), expected);
    }
}

// What the owner hid.

#[tokio::test]
async fn a_hidden_doubtful_row_withholds_the_reviews_that_it_may_be() {
    let bench = bench().await;
    let file = |rows: &[(&str, &str)]| {
        let row = |(row, shown): &(&str, &str)| format!("{row},{shown}\n");
        let rows: String = rows.iter().map(row).collect();
        format!("author,rating,date,text,public\n{rows}")
    };
    let format = "format: [[public]]; names = [\"public\"]; values = [\"yes\"]";
    let (one, other) = (
        "Anonymous,5,2026-10-05,Warm again",
        "Anonymous,4,2026-10-05,It leaks",
    );
    let all = file(&[(UMA, "yes"), (one, "yes"), (other, "yes")]);
    bench.csv(&all, format).await;
    let public = |bench: &Bench| {
        let stars = "select group_concat(rating, ' ') from (select rating from review where status = 'published' order by rating)";
        bench.sql(stars)
    };
    // The last row may be either of two.
    let edited = "Anonymous,1,2026-10-05,Never again";
    let hidden = file(&[(UMA, "yes"), (edited, "no")]);
    for _ in 0..2 {
        let report = bench.csv(&hidden, "").await;
        assert_eq!(report.count(Outcome::Doubtful), 1);
        assert_eq!(public(&bench), "2");
    }
    // Their own rows publish them, and so does what the owner says.
    bench.csv(&all, "--accept-changes").await;
    assert_eq!(public(&bench), "2 4 5");
    bench.csv(&hidden, "").await;
    assert_eq!(public(&bench), "2");
    bench.csv(&hidden, "--doubtful new --accept-changes").await;
    assert_eq!(public(&bench), "2 4 5");
    let withheld = "select rating from review where status = 'withheld'";
    assert_eq!(bench.sql(withheld), "1");
    // What its source hides by itself stays hidden, whatever an older export says.
    let exported = [b"{\"editorial\": {}}\n", &export(&bench.database).await[..]].concat();
    bench.clock.advance(chrono::Duration::days(1));
    let hides = file(&[(UMA, "yes"), (one, "no"), (other, "yes")]);
    bench.csv(&hides, "--accept-changes").await;
    let third = file(&[(UMA, "yes"), ("Anonymous,3,2026-10-05,So cold", "no")]);
    for options in ["", "--doubtful new --accept-changes"] {
        bench.csv(&third, options).await;
    }
    bench.take(&exported).await;
    assert_eq!(public(&bench), "2 4");
    let gone = file(&[(UMA, "yes"), (one, "no")]);
    bench.csv(gone, "--withdraw-missing --accept-changes").await;
    bench.take(&exported).await;
    assert_eq!(public(&bench), "2");
}

#[tokio::test]
async fn a_doubtful_row_counts_as_a_row_of_its_review() {
    let format = "format: [[public_name]]; names = [\"shown\"]; values = [\"yes\"]";
    let file = |rows: &[&str]| format!("author,rating,date,text,shown\n{}\n", rows.join("\n"));
    let [moved, bo, cy, di] = [
        "Ann Bell,5,2026-10-05,Warm house in an hour,yes",
        "Bo Hale,4,2026-10-06,Fair price,yes",
        "Cy Roth,4,2026-10-07,On time,yes",
        "Di Oren,4,2026-10-08,Very tidy,yes",
    ];
    let bench = bench().await;
    bench.csv(file(&[moved, bo, cy, di]), format).await;
    Owner::Replied.act(&bench, "author in ('Bo Hale', 'Cy Roth')");
    // Two rows are doubtful, because their texts are others than those that were replied to; one of them hides its author's name.
    let moved = moved.replace("10-05", "10-09").replace("yes", "no");
    let bo = bo.replace("Fair price", "Too dear");
    let cy = cy.replace("On time", "Hours late").replace("yes", "no");
    let report = bench.csv(file(&[&moved, &bo, &cy]), "").await;
    let found = tally(&report, [Outcome::Doubtful, Outcome::New, Outcome::Updated]);
    assert_eq!(found, [2, 0, 1]);
    let public = "select author, reviewed_on from review where status = 'published' order by 1";
    assert_eq!(
        bench.sql(public),
        "Anonymous|2026-10-09\nBo Hale|2026-10-06\nDi Oren|2026-10-08"
    );
    let withheld = "select author, withheld_reason from review where status = 'withheld'";
    assert_eq!(
        bench.sql(withheld),
        "Cy Roth|perhaps not published at the source"
    );
}

#[tokio::test]
async fn a_rejected_or_doubtful_row_that_hides_withholds_a_review() {
    let bench = bench().await;
    let csv = |rows: &str| {
        let rows = format!("{rows}q9,Cy Hale,4,2026-10-09,Fine,yes,yes\n");
        let rows = rows.replace('\n', ",Google\n");
        format!("Id,author,rating,date,text,public,shown,source\n{rows}")
    };
    let shown = csv(
        "q1,Ann Bell,5,2026-10-05,Good,yes,yes\n,Bo Hale,5,2026-10-06,Warm,yes,yes\n,Bo Hale,4,2026-10-06,Fair,yes,yes\n",
    );
    let format = "format: [fields]; id = [\"Id\"]; source = [\"source\"]; [[public]]; names = [\"public\"]; values = [\"yes\"]; \
        [[public_name]]; names = [\"shown\"]; values = [\"yes\"]";
    bench.csv(&shown, format).await;
    for (rows, count) in [
        ("q1,Ann Bell,nine,2026-10-05,Good,no,yes\n", 1),
        (",Bo Hale,nine,2026-10-06,Other,no,yes\n", 2),
        (
            "q1,Ann Bell,5,2026-10-05,Good,yes,yes\nq1,Ann Bell,nine,2026-10-05,Good,no,yes\n",
            1,
        ),
        (
            "q1,Di Oren,1,2026-11-01,Bad,no,yes\nq1,Ed Roth,2,2026-11-02,Worse,yes,yes\n",
            1,
        ),
        (",Bo Hale,1,2026-10-06,Never again,yes,no\n", 2),
    ] {
        let rows = csv(rows).replace("Google", "GOOGLE");
        let report = bench.csv(&rows, "").await;
        assert_eq!(
            report.withheld["perhaps not published at the source"], count,
            "{rows}"
        );
        bench.csv(&shown, "--accept-changes").await;
        let withheld = "select count(*) from review where withheld_reason is not null";
        assert_eq!(bench.sql(withheld), "0");
    }
    let bench = self::bench().await;
    let shown = r#"{"id": "q1", "rating": 5, "date": "2026-10-05", "author": "Ann Bell"}"#;
    let hidden = shown.replace("5,", r#"9, "status": "withheld","#);
    for first in [shown, &hidden] {
        let rows = format!("{first}\n{}\n", shown.replace("q1", "n2"));
        bench.take(rows).await;
    }
    let withheld = "select review_id from review where withheld_reason is not null";
    assert_eq!(bench.sql(withheld), "q1");
}

/// Of a row that is broken or too long, what can still be read of it hides its review, as far as it says which one.
#[tokio::test]
async fn what_can_be_read_of_a_rejected_row_hides_its_review() {
    let format = "format: ignored = 'note'; [fields]; id = 'id'; reply_text = 'answer'; [[public]]; names = 'ok'; values = ['yes']; \
        [[public_reply]]; names = 'rok'; values = ['yes']";
    let row = |id: &str, changes: Value| {
        let mut row = json!({"id": id, "rating": 5, "date": "2026-10-05", "author": format!("{id} Bell"), "text": "Warm house",
            "answer": "Thanks", "note": "", "ok": "yes", "rok": "yes"});
        for (name, value) in changes.as_object().unwrap() {
            row[name] = value.clone();
        }
        row
    };
    let others = ["Bo", "Cy", "Di", "Ed"].map(|id| row(id, json!({})).to_string());
    let shown = [&[row("Ann", json!({})).to_string()], &others[..]].concat();
    let ann = |changes| row("Ann", changes).to_string();
    let [long, huge] = [65 << 10, 1100 << 10].map(|size| "x".repeat(size));
    let no = ann(json!({"ok": "no"}));
    for (broken, rejected) in [
        (ann(json!({"ok": "no", "text": long})), 1),
        (ann(json!({"ok": "no", "answer": long})), 1),
        (ann(json!({"rok": "no", "answer": long})), 1),
        (ann(json!({"ok": "no", "note": long})), 0),
        (ann(json!({"ok": "no", "text": huge})), 1),
        (ann(json!({"ok": "no", "note": huge})), 1),
        (ann(json!({"ok": long})), 1),
        (no.replace("Warm", "Warm \\ud83d"), 1),
        (no.replace("Warm", "Warm\u{1}"), 1),
        (no.replace("Warm", "\"Warm\""), 1),
        // Its day and author tell which review it is.
        (no.replace("\"id\"", "\"Id\"").replace("Warm", "\\udfff"), 1),
        (format!("{},{}", &no[..no.len() - 1], "\"more\": tru}"), 1),
    ] {
        let bench = bench().await;
        bench.csv(shown.join("\n"), format).await;
        let rows = [std::slice::from_ref(&broken), &others[..]].concat();
        let report = bench.csv(rows.join("\n"), "").await;
        let start: String = broken.chars().take(200).collect();
        assert_eq!(report.count(Outcome::Rejected), rejected, "{start}");
        let withheld = "select review_id from review where status = 'withheld'";
        assert_eq!(bench.sql(withheld), "Ann", "{start}");
    }
    // Nothing that tells the review can be read, so nothing is known.
    let bench = bench().await;
    bench.csv(shown.join("\n"), format).await;
    let rows = [&["{\"".to_owned() + &no], &others[..]].concat();
    bench.csv(rows.join("\n"), "").await;
    assert_eq!(
        bench.sql("select count(*) from review where status = 'withheld'"),
        "0"
    );
}

#[tokio::test]
async fn row_of_a_table_with_too_many_cells_or_a_long_one_hides_its_review() {
    let header = "id,author,rating,date,text,note,ok\n";
    let row =
        |id: &str, rest: &str| format!("{id},{id} Bell,5,2026-10-05,Warm house in winter{rest}\n");
    let others: String = ["Bo", "Cy", "Di"].map(|id| row(id, ",,yes")).concat();
    let long = "x".repeat(65 << 10);
    for (id, (broken, rejected)) in [
        row("Ann", ",,no,more,more"),
        row("Ann", ""),
        row("Ann", &format!(" {long},,no")),
        row("Ann", &format!(",{long},no")),
        row("Ann", ",,no").replace("2026-10-05", "soon"),
    ]
    .into_iter()
    .zip([1, 1, 1, 0, 1])
    .flat_map(|it| [(true, it.clone()), (false, it)])
    {
        let bench = bench().await;
        let fields = if id {
            "[fields]; id = 'id';"
        } else {
            "[fields]; id = '';"
        };
        let format = format!(
            "format: ignored = ['note', 'id']; {fields} [[public]]; names = 'ok'; values = ['yes']"
        );
        let shown = format!("{header}{}{others}", row("Ann", ",,yes"));
        bench.csv(shown, &format).await;
        let report = bench.csv(format!("{header}{broken}{others}"), "").await;
        let start: String = broken.chars().take(100).collect();
        assert_eq!(report.count(Outcome::Rejected), rejected, "{start}");
        let withheld = "select author from review where status = 'withheld'";
        assert_eq!(bench.sql(withheld), "Ann Bell", "{start}");
    }
}

#[tokio::test]
async fn broken_line_of_our_own_form_hides_its_review() {
    let bench = bench().await;
    let rows = ["r-1", "r-2", "r-3"].map(|id| native(&json!({"id": id})));
    bench.take(lines(&rows)).await;
    let hidden = native(&json!({"status": "withheld", "text": "BROKEN"})).to_string();
    let hidden = hidden.replace("BROKEN", "\\ud83d");
    let (report, _) = bench
        .take(format!("{}\n{hidden}\n", lines(&rows[1..])))
        .await;
    assert_eq!(report.count(Outcome::Rejected), 1);
    let withheld = "select review_id from review where status = 'withheld'";
    assert_eq!(bench.sql(withheld), "r-1");
}

/// Whether a row that hides its review can be imported or not.
#[tokio::test]
async fn rejected_rows_count_in_the_guard_of_what_would_be_withheld() {
    let file = |count: usize, stars: &str, ok: &str| {
        let rows = (0..10).map(|number| {
            let (stars, ok) = if number < count {
                (stars, ok)
            } else {
                ("5", "yes")
            };
            format!("r{number},Guest {number},{stars},2026-10-05,Text of number {number},{ok}\n")
        });
        format!(
            "id,author,rating,date,text,ok\n{}",
            rows.collect::<String>()
        )
    };
    let format = "format: [fields]; id = 'id'; [[public]]; names = 'ok'; values = ['yes']";
    let withheld = "select count(*) from review where status = 'withheld'";
    for (stars, ok) in [("5", "yup"), ("x", "yup"), ("", "")] {
        let bench = bench().await;
        bench.csv(file(0, "", ""), format).await;
        let refusal = bench.refused(file(9, stars, ok), "").await;
        assert_has(&refusal, "9 of 10 public reviews would be withheld");
        assert_eq!(bench.sql(withheld), "0");
        bench.csv(file(5, stars, ok), "").await;
        assert_eq!(bench.sql(withheld), "5");
        bench.csv(file(0, "", ""), "--accept-changes").await;
        bench.csv(file(9, stars, ok), "--accept-changes").await;
        assert_eq!(bench.sql(withheld), "9");
    }
}

#[tokio::test]
async fn a_new_id_and_an_edited_text_bring_nothing_hidden_back() {
    for owner in DECISIONS {
        let bench = bench().await;
        let format = "format: [fields]; id = [\"Id\"]";
        let row = |id: &str, text: &str| {
            format!("Id,author,rating,date,text\n{id},Ann Bell,1,2026-10-05,{text}\n")
        };
        bench.csv(row("q1", "Broke my door"), format).await;
        owner.act(&bench, "true");
        for text in ["Broke my door.", "Broke our door and left"] {
            let report = bench.csv(row("q2", text), "").await;
            let found = tally(&report, [Outcome::Doubtful, Outcome::New]);
            assert_eq!(found, [1, 0], "{text}");
        }
        // One that the owner said to be that review is doubtful beside it each time.
        bench.csv(row("q2", "Left"), "--doubtful same").await;
        let both = row("q1", "Broke my door") + "q2,Ann Bell,1,2026-10-05,Left\n";
        for _ in 0..2 {
            let report = bench.csv(&both, "").await;
            assert_eq!(report.count(Outcome::New), 0, "{owner:?}");
        }
        // Beside the row of that review, a third one is another.
        let both = row("q1", "Broke my door") + "q3,Ann Bell,4,2026-10-05,Came back\n";
        assert_eq!(bench.csv(both, "").await.count(Outcome::New), 1);
    }
}

#[tokio::test]
async fn ids_like_digests_and_of_full_length_are_kept_apart() {
    let bench = bench().await;
    for (id, text) in [("0123456789abcdef", "Late"), ("fedcba9876543210", "Rude")] {
        let row = format!("id,author,rating,date,text\n{id}{id},Ann Bell,1,2026-10-05,{text}\n");
        let report = bench.csv(row, "format: [fields]; id = [\"id\"]");
        assert_eq!(report.await.count(Outcome::New), 1, "{id}");
    }
    let bench = self::bench().await;
    let (id, source) = ("x".repeat(128), "L".repeat(100));
    let row = |author: &str, source: &str| json!({"id": id, "rating": 5, "date": "2026-10-05", "author": author, "source": source});
    let lines = format!("{}\n{}\n", row("Bo Hale", "A"), row("Cy Hale", &source));
    assert_eq!(bench.take(lines).await.0.count(Outcome::New), 2);
}
