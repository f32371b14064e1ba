//! Which review a row without an ID is when its sheet is imported again: every kind of change to one row, histories of several
//! imports, and changes of most rows at once. What the owner withheld or deleted never comes back by a change at the source.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::support::{Generator, rows as query};

/// A row of a sheet, or a review as the row that it would be.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
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
        "select review_id, rating, author, reviewed_on, coalesce(title, '') as title, text, coalesce(response_text, '') as answer
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

fn published(bench: &Bench) -> Vec<Row> {
    let mut rows: Vec<Row> = reviews_where(bench, "status = 'published'")
        .into_values()
        .collect();
    rows.sort();
    rows
}

/// What the owner did about reviews before the next import.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Owner {
    Nothing,
    Answered,
    Withheld,
    Deleted,
}

pub(super) const DECISIONS: [Owner; 2] = [Owner::Withheld, Owner::Deleted];

impl Owner {
    pub(super) fn act(self, bench: &Bench, condition: &str) {
        bench.sql(&match self {
            Self::Nothing => return,
            Self::Answered => format!("update review set response_text = 'To ' || review_id where {condition}"),
            Self::Withheld => {
                format!("update review set status = 'withheld', withheld_reason = 'under dispute' where {condition}")
            }
            Self::Deleted => format!("delete from review where {condition}"),
        });
    }
}

// One row changes among thirty that stay.

/// By kind of change, what becomes of rows with texts of ten, three, one and no words, if the owner did nothing or
/// answered, withheld their reviews, or deleted them:
/// S the same review, s the same but for blanks, E that review, edited, N a new review, A the same and another one,
/// D doubtful, G no row.
const KINDS: &str = "
    nothing → SSSS → SSSS → SSSS
    reordered → SSSS → SSSS → SSSS
    columns → SSSS → SSSS → SSSS
    line ends → ssss → ssss → ssss
    blanks → ssss → ssss → ssss
    decomposed → SSSS → SSSS → SSSS
    typo → EEDS → EEDS → DDDS
    longer → EEES → EEES → DDDS
    rewritten → DDDS → DDDS → DDDS
    emptied → EEES → EEES → DDDS
    filled → SSSE → SSSE → SSSD
    stars → EEEE → EEEE → SSSS
    stars and typo → EEDE → EEDE → DDDS
    stars and longer → EEEE → EEEE → DDDS
    stars and rewritten → DDDE → DDDE → DDDS
    stars and emptied → DDDE → DDDE → DDDS
    stars and filled → EEED → EEED → SSSD
    spelling → ENNN → DDDD → DDDD
    name → NNNN → DDDD → DDDD
    nobody → NNNN → DDDD → DDDD
    day → ENNN → DDDD → DDDD
    month → ENNN → DDDD → DDDD
    day and stars → ENNN → DDDD → DDDD
    day and name → NNNN → DNNN → DNNN
    day and typo → NNNN → NNND → NNND
    name and typo → NNNN → NNND → NNND
    gone → GGGG → GGGG → GGGG
    beside → AAAA → AAAA → AAAA
    twice → SSSA → SSSA → SSSA
    title → EEEE → EEEE → SSSS
    answer → EEEE → EEEE → SSSS
    Anonymous: nothing → SSSS → SSSS → SSSS
    Anonymous: typo → NNNS → DDDS → DDDS
    Anonymous: filled → SSSN → SSSD → SSSD
    Anonymous: stars → EEEE → EEEE → SSSS
    Anonymous: day → NNNN → DNNN → DNNN
    Anonymous: name → NNNN → DDDD → DDDD
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

/// Thirty rows, some on the days of the others, some without a name or a text.
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
    (0..30).map(row).collect()
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
            "longer" if has_text => {
                let more = ["merci", "à", "toute", "votre", "équipe"];
                new.text = [words.as_slice(), &more[..words.len().div_ceil(2)]]
                    .concat()
                    .join(" ");
            }
            "rewritten" if has_text => OTHER_TEXT.clone_into(&mut new.text),
            "emptied" => new.text.clear(),
            "filled" if !has_text => "Quick and warm".clone_into(&mut new.text),
            "blanks" => new.text = format!(" {} ", words.join("  ")),
            "decomposed" => new.text = row.text.replace('é', "e\u{301}").replace('è', "e\u{300}"),
            "stars" => new.stars = 1 + row.stars % 5,
            "spelling" => new.author.push('e'),
            "name" => format!("Berta {}", row.author)
                .trim()
                .clone_into(&mut new.author),
            "nobody" => new.author.clear(),
            "day" => new.day = row.day.replace("-10-0", "-10-2").replace("-10-1", "-10-2"),
            "month" => new.day = row.day.replace("-10-", "-09-"),
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
            "nothing" | "reordered" | "columns" | "line ends" | "typo" | "longer" | "rewritten"
            | "filled" => {}
            other => panic!("{other}"),
        }
    }
    vec![new]
}

async fn check_kind(kind: &str, fates: &str, owner: Owner) {
    let case = format!("{kind}, {owner:?}");
    let bench = bench().await;
    let (before, change) = match kind.strip_prefix("Anonymous: ") {
        Some(change) => {
            let nameless = |row| Row {
                author: String::new(),
                ..row
            };
            (subjects().into_iter().map(nameless).collect(), change)
        }
        None => (subjects(), kind),
    };
    let others = unchanged_rows();
    bench
        .csv(csv(&COLUMNS, &[before.as_slice(), &others].concat()), "")
        .await;
    let known = reviews_where(&bench, "true");
    let id_of = |row: &Row| {
        let found = known.iter().find(|(_, known)| **known == row.shown());
        found.unwrap_or_else(|| panic!("{case}: {row:?}")).0.clone()
    };
    let ids: Vec<String> = before.iter().map(id_of).collect();
    owner.act(&bench, &format!("review_id in ('{}')", ids.join("', '")));

    let after: Vec<Vec<Row>> = before.iter().map(|row| changed(change, row)).collect();
    let mut rows = after.concat();
    rows.extend(others.clone());
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

    // The owner's answer stays.
    let fates = if (change, owner) == ("answer", Owner::Answered) {
        "SSSS"
    } else {
        fates
    };
    check_report(&report, fates, owner, rows.len(), &case);
    let mut standing = Vec::new();
    let mut expected: Vec<Row> = others.iter().map(Row::shown).collect();
    for (at, fate) in fates.chars().enumerate() {
        let (id, rows) = (&ids[at], &after[at]);
        let mut stands = if fate == 'E' {
            rows[0].shown()
        } else {
            before[at].shown()
        };
        if owner == Owner::Answered {
            stands.answer = format!("To {id}");
        }
        standing.push(stands);
        match fate {
            'N' => expected.push(rows[0].shown()),
            'A' => expected.push(rows[1].shown()),
            'D' => {
                let line = 1 + csv(&COLUMNS, &after[..at].concat()).matches('\n').count();
                let parts = [
                    &format!("t.csv:{line}"),
                    id,
                    &rows[0].day,
                    &rows[0].shown().author,
                ];
                let is_named = |name: &String| parts.iter().all(|part| name.contains(*part));
                let named = &report.doubtful.names;
                assert!(named.iter().any(is_named), "{case}: {parts:?} in {named:?}");
            }
            'S' if owner == Owner::Deleted => {
                let named = &report.kept_deleted.names;
                assert!(named.iter().any(|name| name.contains(id)), "{case}: {id}");
            }
            _ => {}
        }
    }
    let status = if owner == Owner::Withheld {
        "withheld"
    } else {
        "published"
    };
    if owner != Owner::Deleted {
        let stored = reviews_where(&bench, &format!("status = '{status}'"));
        for (id, stands) in ids.iter().zip(&standing) {
            assert_eq!(stored.get(id), Some(stands), "{case}");
        }
    }
    if status == "published" && owner != Owner::Deleted {
        expected.extend(standing);
    }
    expected.sort();
    assert_eq!(published(&bench), expected, "{case}");

    let stored = reviews_where(&bench, "true");
    let again = bench.csv(&file, "").await;
    assert_eq!((again.new, again.updated), (0, 0), "{case}, again");
    assert_eq!(again.doubtful, report.doubtful, "{case}, again");
    assert_eq!(reviews_where(&bench, "true"), stored, "{case}, again");
}

fn check_report(report: &ImportReport, fates: &str, owner: Owner, rows: usize, case: &str) {
    let count = |letters: &str| fates.chars().filter(|fate| letters.contains(*fate)).count() as u64;
    let (doubtful, deleted) = (report.doubtful.count, report.kept_deleted.count);
    assert_eq!((report.new, report.rejected), (count("NA"), 0), "{case}");
    if owner == Owner::Deleted {
        assert_eq!((report.updated, report.unchanged), (0, 30), "{case}");
        assert_eq!(deleted + doubtful, count("SsAD"), "{case}");
        assert!(
            (count("D")..=count("Ds")).contains(&doubtful),
            "{case}: {doubtful}"
        );
    } else {
        assert_eq!((doubtful, deleted), (count("D"), 0), "{case}");
        assert!(
            (count("E")..=count("Es")).contains(&report.updated),
            "{case}: {}",
            report.updated
        );
        assert_eq!(
            report.updated + report.unchanged,
            30 + count("SsEA"),
            "{case}"
        );
    }
    let kept = if owner == Owner::Withheld {
        count("SsEA")
    } else {
        0
    };
    assert_eq!(report.kept_withheld.count, kept, "{case}");
    assert_accounted(report, rows, case);
}

/// Each row was taken, or it is reported.
fn assert_accounted(report: &ImportReport, rows: usize, case: &str) {
    let reported =
        report.doubtful.count + report.kept_deleted.count + report.rejected + report.repeated;
    let taken = report.new + report.updated + report.unchanged;
    assert!(taken + reported >= rows as u64, "{case}: {report:#?}");
}

#[tokio::test]
async fn every_kind_of_change_to_a_row_has_its_outcome() {
    for [kind, fates, ..] in table::<4>(KINDS) {
        check_kind(kind, fates, Owner::Nothing).await;
    }
}

#[tokio::test]
async fn an_answer_stays_at_its_review_whatever_changes_in_the_row() {
    for [kind, fates, ..] in table::<4>(KINDS) {
        check_kind(kind, fates, Owner::Answered).await;
    }
}

#[tokio::test]
async fn a_withheld_review_stays_so_whatever_changes_in_its_row() {
    for [kind, _, fates, _] in table::<4>(KINDS) {
        check_kind(kind, fates, Owner::Withheld).await;
    }
}

#[tokio::test]
async fn a_deleted_review_stays_so_whatever_changes_in_its_row() {
    for [kind, .., fates] in table::<4>(KINDS) {
        check_kind(kind, fates, Owner::Deleted).await;
    }
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

/// Imports a sheet whose rows have these IDs.
async fn sheet_with_ids(bench: &Bench, rows: &[(&str, &str)]) -> (ImportReport, Vec<Rejection>) {
    let rows: String = rows
        .iter()
        .map(|(id, row)| format!("{id},{row}\n"))
        .collect();
    let file = bench.file("t.csv", format!("id,author,rating,date,text\n{rows}"));
    let (report, rejections) = bench.run(&request_for([file], "")).await;
    (report.unwrap(), rejections)
}

/// The counts, and that of the doubtful rows.
fn outcome(report: &ImportReport) -> ((u64, u64, u64, u64), u64) {
    (counts(report), report.doubtful.count)
}

/// The authors of the published reviews, each with the first word of the text.
fn public(bench: &Bench) -> Vec<String> {
    let first = |row: &Row| row.text.split(' ').next().unwrap_or_default().to_owned();
    let rows = published(bench);
    rows.iter()
        .map(|row| format!("{}: {}", row.author, first(row)))
        .collect()
}

/// The IDs of the reviews of this author, in order.
fn ids_of(bench: &Bench, author: &str) -> Vec<String> {
    reviews_where(bench, &format!("author = '{author}'"))
        .into_keys()
        .collect()
}

#[tokio::test]
async fn instants_keep_their_reviews_when_the_time_zone_changes() {
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
        assert_eq!(
            (report.new, report.kept_deleted.count, report.doubtful.count),
            (0, 1, 0),
            "{first}"
        );
        assert_eq!(
            (days(&bench).as_str(), published(&bench).len()),
            ("2026-10-06", 3),
            "{first}"
        );
    }
    assert_eq!(
        bench.sql("select text from review where author = 'Vic Oren'"),
        "Warm house again and thank you both"
    );
}

#[tokio::test]
async fn a_review_keeps_its_permalink_and_takes_an_id_of_later() {
    let bench = bench().await;
    sheet(&bench, &[UMA, VIC, WEN], "").await;
    let known = "author in ('Vic Oren', 'Wen Zhou')";
    let before = reviews_where(&bench, known);
    let zoe = "Zoe Quist,3,2026-11-02,Cold again after a week";
    let (report, _) = sheet_with_ids(&bench, &[("w-31", VIC), ("w-47", WEN), ("w-58", zoe)]).await;
    assert_eq!(
        (
            report.new,
            report.updated + report.unchanged,
            report.doubtful.count
        ),
        (1, 2, 0)
    );
    assert_eq!(reviews_where(&bench, known), before);
    let at_source = "select author, id_at_source from review join review_source using (review_id) where id_at_source is not null order by 1";
    // The permalink of a new review has its ID.
    assert_eq!(bench.sql(at_source), "Vic Oren|w-31\nWen Zhou|w-47");
    // From now on the ID decides.
    let edited = "Vic Oren,1,2026-10-05,Two weeks later it leaked into the cellar";
    for updated in [1, 0] {
        let (report, _) =
            sheet_with_ids(&bench, &[("w-31", edited), ("w-47", WEN), ("w-58", zoe)]).await;
        assert_eq!(counts(&report), (0, updated, 3 - updated, 0));
    }
    assert!(reviews_where(&bench, known).keys().eq(before.keys()));
    assert_eq!(
        public(&bench),
        [
            "Uma Falk: Rude",
            "Vic Oren: Two",
            "Wen Zhou: Fair",
            "Zoe Quist: Cold"
        ]
    );
}

#[tokio::test]
async fn a_row_of_several_files_is_settled_by_the_line_as_reported() {
    let bench = bench().await;
    sheet(&bench, &[VIC, WEN, UMA], "").await;
    let head = "author,rating,date,text\n";
    let files = [
        bench.file("a.csv", format!("{head}{VIC_REWRITTEN}\n")),
        bench.file(
            "b.csv",
            format!("{head}Wen Zhou,2,2026-10-06,My tenant regrets it\n{UMA}\n"),
        ),
    ];
    let report = bench.import(&[&files[0], &files[1]]).await.0;
    assert_eq!(outcome(&report), ((0, 0, 1, 0), 2));
    let words = report
        .doubtful
        .names
        .iter()
        .flat_map(|name| name.split_whitespace());
    let place = words
        .map(|word| word.trim_end_matches([':', ',']))
        .find(|word| word.ends_with("b.csv:2"));
    let options = format!("--doubtful '{}=new'", place.unwrap());
    let report = bench.run(&request_for(files, &options)).await.0.unwrap();
    assert_eq!(outcome(&report), ((1, 0, 1, 0), 1));
    assert_eq!(ids_of(&bench, "Wen Zhou").len(), 2);
}

#[tokio::test]
async fn a_doubtful_row_stops_a_withdrawal() {
    let bench = bench().await;
    sheet(&bench, &[UMA, VIC, WEN], "").await;
    let file = format!("author,rating,date,text\n{UMA}\n{VIC_REWRITTEN}\n");
    let refusal = bench.refused(&file, "--withdraw-missing --yes").await;
    assert_has(&refusal, "1 row is doubtful");
    assert_eq!(published(&bench).len(), 3);
}

// Generated histories. The title names the customer; it takes no part in what is compared.

const NAMES: &str = "Alba|Bodo|Cora|Dina|Emre|Fritz|Gina|Hugo|Ida|Jon|Kaja|Levi|Mara|Nils|Olga|Pavel|Quinn|Rui|Sara|Timo";
const WORDS: &str = "boiler|tank|valve|drain|tap|roof|cellar|hall|crew|boss|bill|quote|hour|week|phone|van|dust|noise|heat|cold|\
    quick|slow|tidy|rude|kind|cheap|dear|late|early|fair|fixed|broke|called|came|left|paid|waited|thanked|again|never";
const SHORT: &str = "Great service|Thank you|Superb|Never again|All good, thanks";

/// The sheet of a firm, one row for each customer.
struct Firm {
    dice: Generator,
    /// By the customer's number.
    rows: BTreeMap<usize, Row>,
    next: usize,
    /// Author and day of each row; a second one with both has a long text.
    places: BTreeSet<(String, String)>,
}

impl Firm {
    fn new(seed: u64) -> Self {
        let (dice, places) = (Generator::new(seed), BTreeSet::new());
        let mut firm = Self {
            dice,
            rows: BTreeMap::new(),
            next: 1,
            places,
        };
        for n in 0..200 {
            firm.add(&format!("2026-0{}", 4 + n % 2));
        }
        firm
    }

    fn long_text(&mut self) -> String {
        let count = 6 + self.dice.below(12);
        let words: Vec<&str> = (0..count).map(|_| self.dice.word(WORDS)).collect();
        words.join(" ")
    }

    fn add(&mut self, month: &str) {
        let author = if self.dice.once_in(10) {
            ""
        } else {
            self.dice.word(NAMES)
        };
        let day = format!("{month}-{:02}", 1 + self.dice.below(28));
        let is_alone = self.places.insert((author.to_owned(), day.clone())) && !author.is_empty();
        let text = match self.dice.below(8) {
            0 if is_alone => String::new(),
            1 | 2 if is_alone => self.dice.word(SHORT).to_owned(),
            _ => self.long_text(),
        };
        let mut row = Row::new(author, 1 + self.dice.below(5), &day, &text);
        row.title = format!("Job {}", self.next);
        self.rows.insert(self.next, row);
        self.next += 1;
    }

    fn change_text(&mut self, text: &str) -> String {
        let mut words: Vec<&str> = text.split(' ').collect();
        let at = self.dice.below(words.len());
        words[at] = self.dice.word(WORDS);
        words.join(" ")
    }

    /// Changes a few rows, and adds ten.
    fn pass_month(&mut self, month: usize) {
        for number in self.rows.keys().copied().collect::<Vec<_>>() {
            let roll = self.dice.below(200);
            let mut row = self.rows[&number].clone();
            match roll {
                0..=6 => row.text = self.change_text(&row.text),
                7 => row.text = self.long_text(),
                10 | 11 => {
                    self.rows.remove(&number);
                    continue;
                }
                _ => {}
            }
            if matches!(roll, 6 | 8 | 9) {
                row.stars = 1 + row.stars % 5;
            }
            self.rows.insert(number, row);
        }
        for _ in 0..10 {
            self.add(&format!("2026-{:02}", 5 + month));
        }
    }

    fn shuffled_rows(&mut self) -> Vec<Row> {
        let mut rows: Vec<Row> = self.rows.values().cloned().collect();
        for end in (1..rows.len()).rev() {
            rows.swap(end, self.dice.below(end + 1));
        }
        rows
    }
}

async fn check_history(seed: u64) {
    let bench = bench().await;
    let mut firm = Firm::new(seed);
    let (mut hidden, mut answered, mut doubtful) = (BTreeSet::new(), BTreeSet::new(), 0);
    for month in 0..6 {
        if month > 0 {
            firm.pass_month(month);
        }
        let rows = firm.shuffled_rows();
        let report = bench.csv(csv(&COLUMNS, &rows), "").await;
        doubtful += report.doubtful.count;
        let doubled = "select coalesce(sum(n - 1), 0) from (select count(*) as n from review where status = 'published' group by title)";
        let case = format!(
            "seed {seed}, month {month}, {} doubled reviews, {doubtful} doubtful rows",
            bench.sql(doubled)
        );
        assert_accounted(&report, rows.len(), &case);
        let mut free = Vec::new();
        for (id, review) in reviews_where(&bench, "status = 'published'") {
            assert!(
                !hidden.contains(&review.title),
                "{case}: {id} is public again, {review:?}"
            );
            free.push(review.title);
        }
        let answers = reviews_where(&bench, "response_text is not null");
        for (id, review) in &answers {
            assert_eq!(
                review.answer,
                format!("To {}", review.title),
                "{case}: {id}"
            );
        }
        let at: BTreeSet<&String> = answers.values().map(|review| &review.title).collect();
        assert_eq!(at, answered.iter().collect(), "{case}: answers");
        // The owner decides about customers, also where one has two reviews.
        free.retain(|title| !answered.contains(title));
        for act in [
            "withhold", "withhold", "answer", "answer", "answer", "delete",
        ] {
            let title = free[firm.dice.below(free.len())].clone();
            free.retain(|other| *other != title);
            let condition = format!("title = '{title}'");
            match act {
                "withhold" => Owner::Withheld.act(&bench, &condition),
                "delete" => Owner::Deleted.act(&bench, &condition),
                _ => {
                    bench.sql(&format!(
                        "update review set response_text = 'To ' || title where {condition}"
                    ));
                }
            }
            let titles = if act == "answer" {
                &mut answered
            } else {
                &mut hidden
            };
            titles.insert(title);
        }
    }
}

#[tokio::test]
async fn histories_publish_nothing_hidden_and_move_no_answer() {
    for seed in (1..).take(rounds(8)) {
        check_history(seed).await;
    }
}

// Changes of most reviews at once.

/// A sheet in which the first rows, `count` of `all`, were changed in this way.
fn mass(all: usize, count: usize, way: &str, has_ids: bool) -> String {
    let row = |n: usize| {
        let way = if n < count { way } else { "" };
        let text = match way {
            "text" => format!("Visit {n} went as it was not agreed"),
            "emptied" => String::new(),
            "loading" => "Loading...".to_owned(),
            _ => format!("Visit {n} went as it was agreed"),
        };
        let (stars, name) = (
            if way == "stars" { 1 } else { 5 },
            char::from(b'A' + u8::try_from(n).unwrap()),
        );
        let id = if has_ids {
            format!("e-{},", 7 * n + 3)
        } else {
            String::new()
        };
        format!(
            "{id}{name}. Kern,{stars},2026-09-{:02},{text},Thanks for visit {n}\n",
            n + 1
        )
    };
    let id = if has_ids { "id," } else { "" };
    format!("{id}author,rating,date,text,response\n") + &(0..all).map(row).collect::<String>()
}

#[tokio::test]
async fn a_change_of_most_reviews_is_taken_only_on_request() {
    for has_ids in [true, false] {
        for way in ["text", "emptied", "stars"] {
            for (all, count, is_taken) in
                [(12, 7, false), (12, 6, true), (5, 4, false), (4, 3, true)]
            {
                let case = format!("{way}, {count} of {all}, IDs: {has_ids}");
                let bench = bench().await;
                bench.csv(mass(all, 0, "", has_ids), "").await;
                let (file, stored) = (
                    mass(all, count, way, has_ids),
                    reviews_where(&bench, "true"),
                );
                let mut options = "";
                if !is_taken {
                    for insistent in ["", "--withdraw-missing --yes"] {
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
    bench.csv(mass(4, 0, "", true), "").await;
    assert_eq!(
        counts(&bench.csv(mass(20, 0, "", true), "").await),
        (16, 0, 4, 0)
    );
    // All rows of the file, but few of the source.
    assert_eq!(
        counts(&bench.csv(mass(7, 7, "stars", true), "").await),
        (0, 7, 0, 0)
    );
}

#[tokio::test]
async fn a_changed_row_with_a_new_id_publishes_no_hidden_review() {
    for owner in DECISIONS {
        for changed in [
            "Vic Oren,1,2026-10-05,Warm house again and thank you all",
            VIC_EDITED,
            "Vic Orin,5,2026-10-05,Warm house again and thank you all",
            "Vic Oren,5,2026-10-15,Warm house again and thank you all",
        ] {
            let bench = bench().await;
            sheet(&bench, &[UMA, VIC, WEN], "").await;
            owner.act(&bench, "author = 'Vic Oren'");
            for _ in 0..2 {
                let (report, _) = sheet_with_ids(&bench, &[("q-7", changed), ("q-8", WEN)]).await;
                assert_eq!(outcome(&report), ((0, 0, 1, 0), 1), "{owner:?}, {changed}");
                assert!(!report.doubtful.names[0].contains(" or "), "{changed}");
            }
        }
    }
}

#[tokio::test]
async fn doubtful_rows_name_the_first_reviews_that_they_may_be() {
    let rows = |stars: u8| -> Vec<String> {
        let row = |_| format!("Ann Bell,{stars},2026-10-10,");
        (0..60).map(row).collect()
    };
    let bench = bench().await;
    for (stars, doubtful) in [(5, 0), (4, 60)] {
        let rows = rows(stars);
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        let report = sheet(&bench, &rows, "").await;
        assert_eq!(report.doubtful.count, doubtful);
        let names = report.doubtful.names.first();
        assert!(names.is_none_or(|row| row.matches(" or ").count() == 19));
    }
}
