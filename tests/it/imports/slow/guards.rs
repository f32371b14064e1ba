//! Safeguards of imports: rows of other sources, missing reviews, and names that were never public.

use super::*;

const COPIES: [Outcome; 3] = [Outcome::New, Outcome::Updated, Outcome::Duplicate];

#[tokio::test]
async fn rows_equal_to_another_source_are_counted_or_skipped() {
    for (author, text) in [("Ann Baker", "Came on time."), ("Ann", "")] {
        let bench = bench().await;
        let rows = |source: &str, stars: u8| {
            let row = |number: usize| {
                native(
                    &json!({"id": format!("{source}-{number}"), "source": source, "date": format!("2026-10-{number:02}"),
                    "author": author, "text": text, "rating": stars}),
                )
            };
            lines(&(1..20).map(row).collect::<Vec<_>>())
        };
        bench.take(rows("Yelp", 5)).await;
        bench.sql("update review set status = 'withheld' where review_id = 'Yelp-1'");
        let report = bench.csv(rows("Google", 5), "--skip-duplicates").await;
        assert_eq!(tally(&report, COPIES), [0, 0, 19]);
        let first = format!("{author}, 2026-10-01: Yelp-1 of Yelp, withheld");
        assert_eq!(report.named(Outcome::Duplicate).names[0], first);
        let report = bench.csv(rows("Google", 4), "--skip-duplicates").await;
        assert_eq!(tally(&report, COPIES), [19, 0, 0]);
        // Those that are there follow their source, and only new ones are left out.
        let options = "--skip-duplicates --accept-changes";
        let report = bench.csv(rows("Google", 5), options).await;
        assert_eq!(tally(&report, COPIES), [0, 19, 19]);
        let (report, _) = bench.take(rows("Angi", 5)).await;
        assert_eq!(tally(&report, COPIES), [19, 0, 19]);
        let withheld = "select count(*) from review where status = 'withheld'";
        assert_eq!(bench.sql(withheld), "1");
    }
}

#[tokio::test]
async fn reviews_missing_at_the_source_are_withheld_until_they_return() {
    let bench = bench().await;
    let rows = |count: u32| {
        let row = |number| native(&json!({"id": format!("r-{number:02}")}));
        lines(&(0..count).map(row).collect::<Vec<_>>())
    };
    let other = native(&json!({"id": "y-1", "source": "Yelp", "text": "Other."}));
    bench.take(lines(&[other])).await;
    bench.take(rows(20)).await;
    // Rows that name no source are of that of their reviews.
    bench.sql("update source set name = 'Angi' where name = 'Direct'");
    let report = bench.csv(rows(19), "--withdraw-missing").await;
    assert!(report.without_row.is_empty(), "{report:?}");
    assert_eq!(report.named(Outcome::Withdrawn).names, ["r-19"]);
    let withheld = "select review_id, withheld_reason from review where status = 'withheld'";
    assert_eq!(bench.sql(withheld), "r-19|gone at the source");
    // Withdrawing more than a tenth needs --accept-changes.
    let refusal = bench.refused(rows(10), "--withdraw-missing").await;
    assert_has(&refusal, "9 of 19 reviews");
    assert_has(&refusal, "--accept-changes");
    // New reviews do not count.
    let new = native(&json!({"id": "y-2", "source": "Yelp", "text": "New."}));
    let refusal = bench.refused(lines(&[new]), "--withdraw-missing").await;
    assert_has(&refusal, "1 of 1 reviews");
    let options = "--withdraw-missing --accept-changes";
    let report = bench.csv(rows(10), options).await;
    assert_eq!(report.count(Outcome::Withdrawn), 9);
    let (report, _) = bench.take(rows(20)).await;
    assert_eq!(counts(&report), (0, 10, 10, 0));
    assert_eq!(bench.sql(withheld), "");
    // If rows are rejected, missing reviews cannot be determined.
    let broken = format!("{}\n{{", rows(20));
    let refusal = bench.refused(broken, options).await;
    assert_has(&refusal, "rejected rows: 1,");
}

#[tokio::test]
async fn formats_with_only_some_reviews_refuse_withdraw_missing() {
    let bench = bench().await;
    bench.set_time_zone("UTC").await;
    let names =
        "google_places.json google_places_old.json google_play.csv app_store_feed.json yelp.json";
    for name in names.split(' ') {
        let file = fixture("imports").join(name);
        let request = request_for([file], "--withdraw-missing --accept-changes");
        let message = bench.refuse(&request).await;
        assert_has(&message, "gives only some of the reviews");
    }
    assert_eq!(bench.sql("select count(*) from review"), "0");
}

#[tokio::test]
async fn names_that_were_not_public_are_whole_only_on_request() {
    for (name, short, full) in [
        ("servicetitan.csv", "Alma R.", "Alma Reyes"),
        ("podium.json", "Carla M.", "Carla Mendes"),
        ("trustpilot.json", "Yusuf Demir", "Yusuf Demir"),
    ] {
        for (options, author) in [
            ("", short),
            ("format: full_names = true;like = \"PLATFORM\"", full),
        ] {
            let bench = bench_in_phoenix().await;
            let platform = name.split('.').next().unwrap();
            let options = options.replace("PLATFORM", platform);
            bench.done(fixture("imports").join(name), &options).await;
            let select = format!("select count(*) from review where author = '{author}'");
            assert_eq!(bench.sql(&select), "1", "{name} {options}");
        }
    }
}

#[tokio::test]
async fn publishing_most_of_the_withheld_needs_a_request() {
    for (public, is_taken) in [(3, true), (4, false)] {
        let bench = bench().await;
        let format = "format: [[public]]; names = [\"public\"]; values = [\"yes\"]";
        let file = |public: usize| {
            let row = |number: usize| {
                let shown = if number < public { "yes" } else { "no" };
                format!(
                    "Guest {number},5,2026-10-0{},Visit {number} went well,{shown}\n",
                    1 + number
                )
            };
            let rows: String = (0..7).map(row).collect();
            format!("author,rating,date,text,public\n{rows}")
        };
        bench.csv(file(0), format).await;
        if !is_taken {
            let refusal = bench.refused(file(public), "").await;
            assert_has(
                &refusal,
                "4 of 7 reviews that the source withheld would become public, more than half",
            );
            assert_eq!(refusal.matches("status: withheld").count(), 3, "{refusal}");
        }
        let options = if is_taken { "" } else { "--accept-changes" };
        let report = bench.csv(file(public), options).await;
        assert_eq!(counts(&report).1, public as u64);
    }
}

#[tokio::test]
async fn replies_that_are_no_longer_stated_need_the_owner_and_hidden_ones_do_not() {
    let bench = bench_in_phoenix().await;
    let file = |replies: &[Value]| {
        let rows = replies.iter().enumerate();
        let rows = rows.map(|(number, reply)| google(1, &format!("r{number}"), reply));
        page(&rows.collect::<Vec<_>>())
    };
    let reply = json!({"reviewReply": {"comment": "Thank you."}});
    let with =
        |count: usize| file(&[vec![reply.clone(); count], vec![json!({}); 7 - count]].concat());
    let replies = || bench.sql("select count(*) from review where reply_text <> ''");
    bench.csv(with(7), "").await;
    // One that is given here is not the source's.
    bench.sql("update review set reply_text = 'Ours.' where review_id like '%r0'");
    let refusal = bench.refused(with(0), "").await;
    assert_has(
        &refusal,
        "6 of 6 replies of the source are no longer stated",
    );
    assert_eq!(replies(), "7");
    let dry = bench.csv(with(0), "--dry-run").await;
    assert_eq!(dry.refusals.len(), 1);
    // A few may go, and are said.
    let few = bench.csv(with(4), "").await;
    assert_has(
        &few.notes.join(" "),
        "3 of 6 replies of Google are no longer stated",
    );
    assert_eq!(replies(), "4");
    bench.csv(with(7), "").await;
    let accepted = bench.csv(with(0), "--accept-changes").await;
    assert_has(
        &accepted.notes.join(" "),
        "accepted by --accept-changes: 6 of 6",
    );
    assert_eq!(replies(), "1");
    // What the source hides is no loss, with its text and without.
    for hidden in [
        json!({"reviewReplyState": "REJECTED"}),
        json!({"comment": "HIDDEN", "reviewReplyState": "REJECTED"}),
    ] {
        let approved =
            json!({"reviewReply": {"comment": "Thank you.", "reviewReplyState": "APPROVED"}});
        bench.csv(file(&vec![approved; 7]), "").await;
        assert_eq!(replies(), "7");
        bench
            .csv(file(&vec![json!({ "reviewReply": hidden }); 7]), "")
            .await;
        assert_eq!(replies(), "1");
    }
}

#[tokio::test]
async fn what_the_owner_says_to_be_hidden_stops_no_import() {
    let file = |shown: &str, is_public: bool| {
        let rows = (1..8).map(|day| {
            let column = if is_public { ",yes" } else { "" };
            format!("Guest {day},5,2026-03-0{day},Came on time again,{shown}{column}\n")
        });
        let column = if is_public { ",Publish" } else { "" };
        format!(
            "Name,Stars,Date,Review,Named{column}\n{}",
            rows.collect::<String>()
        )
    };
    let blocks = "[[public]]; names = [\"Publish\"]; values = [\"yes\"]; [[public_name]]; names = [\"Named\"]; values = [\"yes\"]";
    let bench = bench().await;
    bench
        .csv(file("yes", true), &format!("format: {blocks}"))
        .await;
    bench.csv(file("no", true), "").await;
    assert_eq!(
        bench.sql("select count(*) from review where author = 'Anonymous'"),
        "7"
    );
    let hidden = blocks.replacen("[\"yes\"]", "[\"yes\"]; missing = \"hidden\"", 1);
    bench
        .csv(file("no", false), &format!("format: {hidden}"))
        .await;
    assert_eq!(
        bench.sql("select count(*) from review where status = 'withheld'"),
        "7"
    );
}
