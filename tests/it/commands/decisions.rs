//! The owner's daily commands: finding reviews, deciding about them, and what is said of the whole.

use super::*;

/// A review in the native format: ID, day, stars, author, text and source.
fn row([id, day, stars, author, text, source]: [&str; 6]) -> String {
    let stars: u8 = stars.parse().unwrap();
    json!({"id": id, "rating": stars, "date": day, "author": author, "text": text, "source": source}).to_string()
}

const LONG_ID: &str = "3692820271974439325.AbFvOqk2";

/// A business with five reviews of three sources, some with long IDs.
fn home() -> Home {
    let home = Home::new();
    home.steps("init --name 'Desert Peak' --time-zone America/Phoenix → Desert Peak");
    let rows = table(
        "
        3692820271974439325.AbFvOqk2 → 2026-10-03 → 5 → Ann Baker → They came on time, fixed the furnace and explained every line of the bill to us. → Google
        3692820271974439325.Zz → 2026-10-01 → 4 → Bob → Fast. → Google
        trustpilot-77 → 2026-09-20 → 1 → Cyd Cole → STRASSE gesperrt, nobody came. → Trustpilot
        trustpilot-78 → 2026-10-02 → 2 → Dan →  → Trustpilot
        r-1 → 2026-08-01 → 3 → Eve → All right. → Direct
        ",
    );
    let rows: Vec<String> = rows.into_iter().map(row).collect();
    home.import("rows.jsonl", &rows.join("\n"), "5 new");
    home
}

impl Home {
    /// The IDs that `list` prints with these arguments.
    fn listed(&self, words: &str) -> Vec<String> {
        let listed = self.json(format!("list --json {words}"));
        let id = |review: &Value| review["id"].as_str().unwrap().to_owned();
        listed.as_array().unwrap().iter().map(id).collect()
    }
}

#[test]
fn reviews_are_listed_newest_first_and_filtered() {
    let home = home();
    home.steps(
        r"
        list → 3692820271974439325.AbFvOqk2  ★★★★★   2026-10-03  Ann Baker  published  They came on time
        list --limit 2 → More reviews match; --limit N lists more.
        withhold r-1 --reason 'under dispute' --note 'Called her.' → r-1: withheld (under dispute); the reason is public, a note is not;
        show r-1 → note, not public:\n  Called her.
        list --status withheld → ★★★☆☆   2026-08-01  Eve
        list --status withheld → (under dispute)
        list --query 'nothing has this' → No review matches.\n
        list --rating 6 ✗ 6 is not in 1..=5
        ",
    );
    for [words, ids] in table(
        "
        --limit 9 → LONG trustpilot-78 3692820271974439325.Zz trustpilot-77 r-1
        --rating 1 → trustpilot-77
        --status withheld → r-1
        --source trustPILOT → trustpilot-78 trustpilot-77
        --query strasse → trustpilot-77
        --query 'ann b' → LONG
        --query straße --limit 1 → none
        --source Google --rating 4 → 3692820271974439325.Zz
        --limit 1 → LONG
        ",
    ) {
        let ids = ids.replace("LONG", LONG_ID).replace("none", "");
        assert_eq!(home.listed(words).join(" "), ids, "{words}");
    }
}

#[test]
fn a_name_is_found_in_every_text_that_may_have_it() {
    let home = Home::new();
    let rows = r#"
        {"id": "r-1", "rating": 2, "date": "2026-03-02", "author": "Wilhelmina Brandt", "text": "Too late."}
        {"id": "r-2", "rating": 5, "date": "2026-03-03", "author": "Ann B", "text": "Wilhelmina Brandt told me about them."}
        {"id": "r-3", "rating": 4, "date": "2026-03-04", "author": "Bo S", "text": "Fair.", "owner_reply": {"text": "Greetings to Wilhelmina Brandt."}}
        {"id": "r-4", "rating": 4, "date": "2026-03-05", "author": "Cy T", "title": "As Wilhelmina Brandt said", "text": "On time."}
        {"id": "r-5", "rating": 4, "date": "2026-03-06", "author": "Di W", "text": "On time.", "owner_reply": {"text": "Thank you."}}
    "#;
    let rows: Vec<&str> = rows
        .lines()
        .map(str::trim)
        .filter(|row| !row.is_empty())
        .collect();
    home.import("rows.jsonl", &rows.join("\n"), "5 new");
    assert_eq!(
        home.listed("--query 'wilhelmina brandt'"),
        ["r-4", "r-3", "r-2", "r-1"]
    );
}

#[test]
fn every_command_accepts_a_unique_prefix_or_the_permalink_as_id() {
    let home = home();
    // The ID of a deleted review is not taken as the prefix of another one.
    let others = ["r-10", "-hq6"].map(|id| row([id, "2026-08-01", "3", "Eve", "x", "Direct"]));
    home.import("more.jsonl", &others.join("\n"), "2 new");
    home.steps(
        "
        show 3692820271974439325.A → Ann Baker
        show https://reviews.sample.test/reviews/trustpilot-77 → trustpilot-77
        show /reviews/r-1 → r-1
        withhold -hq --reason x → -hq6: withheld
        withhold --reson x r-10 ✗ a similar argument exists: '--reason'
        publish --dry-run r-10 ✗ unexpected argument '--dry-run' found
        publish -- --dry-run ✗ no review --dry-run
        delete -hq6 --yes → -hq6: deleted
        withhold 3692820271974439325.A --reason x → 3692820271974439325.AbFvOqk2: withheld
        publish 3692820271974439325.A → 3692820271974439325.AbFvOqk2: published
        reply trustpilot-78 Sorry. → trustpilot-78: replied
        insights explain 3692820271974439325.A → 3692820271974439325.AbFvOqk2
        delete http://127.0.0.1:8080/reviews/r-1 --yes → r-1: deleted
        delete trustpilot- --yes ✗ trustpilot- is the beginning of several IDs: trustpilot-77, trustpilot-78; give more characters, `reviews list` shows the IDs
        withhold trustpiolt-77 --reason x ✗ no review trustpiolt-77; the nearest ID is trustpilot-77; `reviews list` shows the IDs
        show '' ✗ no review
        delete r-1 --yes ✗ the review r-1 was deleted
        sql: select count(*) from review → 5
        ",
    );
}

#[test]
fn an_answer_is_shown_replaced_and_removed_for_good() {
    let home = home();
    home.steps(
        r"
        reply 3692820271974439325.A 'First answer.' → replied\n
        reply 3692820271974439325.A 'Thank you, Ann.' → was:\n  First answer.\n
        ",
    );
    let message = home.run_ok("show 3692820271974439325.A", "").out;
    for line in [
        "rating          ★★★★★ 5 of 5\n",
        "author          Ann Baker\n",
        "status          published\n",
        "decided         reply: imports do not change that\n",
        "\n  They came on time, fixed the furnace and explained every line of the bill to us.\n",
        "\nreply:\n  Thank you, Ann. (",
    ] {
        assert_has(&message, line);
    }
    let shown = home.json("show 3692820271974439325.A --json");
    assert_eq!(shown["owner_reply"]["text"], "Thank you, Ann.");
    assert_eq!(shown["decided"], json!(["reply"]));
    // An answer that the owner removed is not brought back by an import.
    home.steps(
        r"
        with.csv ← author,rating,date,text,reply,id\nFay,5,2026-10-12,On time.,Sorry.,t-1\n
        without.csv ← author,rating,date,text,reply,id\nFay,5,2026-10-12,On time.,,t-1\n
        import with.csv → 1 new
        reply t-1 --remove → imports bring none back; the previous one was:\n  Sorry.\n
        import without.csv → 0 new, 0 updated
        import with.csv → 0 new, 0 updated
        ",
    );
    home.finds("select reply_text from review where review_id = 't-1'", "");
    // The limit may lie within a character.
    let (long, limit) = ("é".repeat(1 << 16), "131072 bytes; at most 65536");
    for (answer, refusal) in [(&*long, limit), ("\n", "the reply is empty")] {
        home.command("reply r-1 -")
            .input(answer)
            .run()
            .failed(refusal);
    }
}

#[test]
fn a_decision_stays_but_publishing_ends_once_the_source_agrees() {
    let home = Home::new();
    for shown in ["ja nein nein", "nein nein ja", "ja ja nein"] {
        let rows = ["p", "q", "w"].into_iter().zip(shown.split(' '));
        let rows =
            rows.map(|(id, shown)| format!("{id},2026-10-02,4,Ann,Words of {id}.,{shown}\n"));
        let rows = rows.collect::<String>();
        let sheet = format!("ID,Date,Stars,Name,Comment,Veröffentlicht\n{rows}");
        home.file(&format!("{shown}.csv"), &sheet);
    }
    home.steps(
        r#"
        ja.toml ← [fields]\nid = "ID"\ndate = "Date"\nrating = "Stars"\nauthor = "Name"\ntext = "Comment"\n[[public]]\nnames = ["Veröffentlicht"]\nvalues = ["ja"]\nreason = "not published at the source"\n
        import 'ja nein nein.csv' --format ja.toml → 3 new
        publish p → p: published; imports keep it published
        publish q → q: published
        withhold w --reason 'not published at the source' → w: withheld (not published at the source)
        import 'nein nein ja.csv' → 3 rows
        sql: select review_id, status from review order by 1 → p|published\nq|published\nw|withheld
        import 'ja ja nein.csv' → 3 rows
        sql: select review_id, status from review order by 1 → p|published\nq|published\nw|withheld
        import 'nein nein ja.csv' → 3 rows
        sql: select count(*) from review where status = 'withheld' → 3
        publish p → p: published
        publish w → w: published
        withhold p --reason 'under dispute' → p: withheld
        withhold p --reason libel → p: withheld (libel)
        import 'ja nein nein.csv' → 3 rows
        sql: select review_id, status from review order by 1 → p|withheld\nq|withheld\nw|published
        "#,
    );
}

#[test]
fn editorial_texts_are_replaced_and_file_errors_are_located() {
    let home = home();
    // Without an ID, an entry has one of its question, so that loading it again changes nothing.
    home.steps(
        r#"
        editorial.json ← {"summary": {"text": "We come on time."}, "faq": [{"id": "a", "question": "Sundays?", "answer": "Yes."}]}
        editorial editorial.json → changed     faq, summary
        unnamed.json ← {"faq": [{"question": "Do you work on Sundays?", "answer": "Yes."}]}
        editorial unnamed.json → changed     faq
        editorial unnamed.json → nothing changed
        faq.json ← {"faq": []}
        editorial faq.json → changed     faq
        none.json ← {"summary": null}
        editorial none.json → changed     summary
        editorial none.json → nothing changed
        editorial gone.json ✗ gone.json: cannot be read
        wrong.json ← {"faq": [{"question": "Why?", "answer": "A"}, {"question": "Why", "answer": "B"}]}
        editorial wrong.json ✗ faq[1]: "why" appears twice
        wrong.json ← {\n "fqa": []}
        editorial wrong.json ✗ wrong.json:2:
        editorial wrong.json ✗ fqa: is unknown, did you mean faq?
        wrong.json ← {"faq": [{"id": "a", "question": "Q", "anser": "A"}]}
        editorial wrong.json ✗ faq[0].anser: is unknown, did you mean answer?
        wrong.json ← {"faq": [{"id": "a", "question": "Q"}]}
        editorial wrong.json ✗ faq[0]: missing field `answer`
        wrong.json ← {"summary": "text"}
        editorial wrong.json ✗ summary
        wrong.json ← {
        editorial wrong.json ✗ the JSON is broken
        "#,
    );
    assert_eq!(home.json("editorial"), json!({"faq": []}));
}

#[test]
fn status_shows_counts_and_imports_and_names_the_next_step() {
    let home = home();
    home.run_ok("withhold r-1 --reason x", "withheld");
    let status = home.json("status --json");
    assert_eq!(status["business"], "Desert Peak");
    let by_source = json!([{"source": "Direct", "published": 0, "withheld": 1}, {"source": "Google", "published": 2, "withheld": 0},
        {"source": "Trustpilot", "published": 2, "withheld": 0}]);
    let reviews = json!({"published": 4, "withheld": 1, "by_source": by_source});
    assert_eq!(status["reviews"], reviews);
    assert_eq!(status["unpublished_changes"], 5);
    let run = &status["imports"][0];
    assert_eq!((&run["run"], &run["new"]), (&json!(1), &json!(5)));
    assert_eq!(run["files"], json!(["rows.jsonl"]));
    assert_has(status["next_step"].as_str().unwrap(), "reviews serve");
    home.run_ok("status", "reviews       4 published, 1 withheld\n");
    fs::create_dir(home.folder.path().join("private folder")).unwrap();
    let name = "private folder/secret-place.jsonl";
    let one = row(["n-1", "2026-08-01", "5", "A", "x", "Direct"]);
    home.import(name, &one, "1 new");
    let printed = home.run_ok("status", "secret-place.jsonl").out;
    assert!(!printed.contains("private folder"), "{printed}");
}
