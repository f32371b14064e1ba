//! For every format: the owner withholds, edits, deletes and answers reviews, then imports the same file and a newer one.
//! The decisions are made by commands and with SQL.

use reviews_service::imports::format_names;

use super::Home;
use crate::support::sqlite3;

/// A file of a format: the text before its rows, one row, the separator of rows, and the text after them. In a row, `ID`,
/// `AUTHOR`, `TEXT`, and `STARS` (a number) or `WORD` are replaced.
struct Sample {
    format: &'static str,
    file: [&'static str; 4],
}

const fn sample(format: &'static str, file: [&'static str; 4]) -> Sample {
    Sample { format, file }
}

const SAMPLES: [Sample; 24] = [
    sample(
        "jsonl",
        [
            "",
            r#"{"id":"ID","rating":STARS,"date":"2024-10-30","author":"AUTHOR","text":"TEXT"}"#,
            "\n",
            "",
        ],
    ),
    sample(
        "reviews-json",
        [
            r#"{"business": {"id": "dp", "name": "Desert Peak", "time_zone": "UTC"}, "aggregate_rating": {"review_count": 5}, "reviews": ["#,
            r#"{"id": "ID", "rating": STARS, "date": "2024-10-28", "author": "AUTHOR", "text": "TEXT", "source": {"name": "Direct"},
              "verification": {"verified": true, "method": "manual"}}"#,
            ",",
            "]}",
        ],
    ),
    sample(
        "google",
        [
            r#"{"reviews": ["#,
            r#"{"name": "accounts/1/locations/77/reviews/ID", "reviewId": "ID", "reviewer": {"displayName": "AUTHOR"}, "starRating": "WORD",
              "comment": "TEXT", "createTime": "2024-10-24T16:00:00Z", "updateTime": "2024-10-24T16:00:00.5Z"}"#,
            ",",
            "]}",
        ],
    ),
    sample(
        "google_places",
        [
            r#"{"reviews": ["#,
            r#"{"name": "places/abc/reviews/ID", "rating": STARS, "text": {"text": "TEXT", "languageCode": "en"},
              "authorAttribution": {"displayName": "AUTHOR"}, "publishTime": "2024-10-01T08:00:00Z"}"#,
            ",",
            "]}",
        ],
    ),
    sample(
        "yelp",
        [
            r#"{"reviews": ["#,
            r#"{"id": "ID", "url": "https://www.yelp.example/biz/x", "text": "TEXT", "rating": STARS, "time_created": "2024-04-18 19:32:11",
              "user": {"id": "u1", "name": "AUTHOR"}}"#,
            ",",
            r#"], "total": 5, "possible_languages": ["en"]}"#,
        ],
    ),
    sample(
        "trustpilot",
        [
            r#"{"reviews": ["#,
            r#"{"id": "ID", "stars": STARS, "title": "Title", "text": "TEXT", "language": "en", "createdAt": "2024-10-16T07:00:00Z",
              "consumer": {"id": "c1", "displayName": "AUTHOR"}, "companyReply": null, "isVerified": true}"#,
            ",",
            "]}",
        ],
    ),
    sample(
        "birdeye",
        [
            "[",
            r#"{"reviewId": "ID", "rating": STARS, "comments": "TEXT", "reviewDate": "Oct 12, 2024", "sourceType": "Google",
              "reviewer": {"firstName": "AUTHOR"}, "response": ""}"#,
            ",",
            "]",
        ],
    ),
    sample(
        "podium",
        [
            r#"{"data": ["#,
            r#"{"uid": "ID", "review": {"body": "TEXT", "rating": STARS, "siteName": "podium"}, "author": {"name": "AUTHOR"},
              "createdAt": "2024-10-14T18:00:00Z", "responses": []}"#,
            ",",
            "]}",
        ],
    ),
    sample(
        "schema-org",
        [
            r#"{"@context": "https://schema.org", "@type": "HVACBusiness", "name": "Desert Peak", "review": ["#,
            r#"{"@type": "Review", "@id": "https://dp.example/r/ID", "author": {"@type": "Person", "name": "AUTHOR"},
              "datePublished": "2024-10-20", "reviewBody": "TEXT", "reviewRating": {"@type": "Rating", "ratingValue": STARS}}"#,
            ",",
            "]}",
        ],
    ),
    sample(
        "schema-org",
        [
            r#"<!doctype html><html><head><script type="application/ld+json">{"@graph": [{"@type": "Plumber", "name": "DP", "review": ["#,
            r#"{"@type": "Review", "author": {"name": "AUTHOR"}, "datePublished": "2024-10-23", "reviewBody": "TEXT",
              "reviewRating": {"ratingValue": STARS}}"#,
            ",",
            "]}]}</script></head><body></body></html>",
        ],
    ),
    sample(
        "facebook",
        [
            "aggregator,store.name,reviewID,reviewer.name,rating,title,content,created_at,updated_at\n",
            "Feeds,Mesa,ID,AUTHOR,STARS,,TEXT,2024-10-02T15:04:05+0000,",
            "\n",
            "\n",
        ],
    ),
    sample(
        "judgeme",
        [
            "title,body,rating,review_date,source,curated,reviewer_name,reviewer_email,product_id,product_handle,reply,reply_date,hidden\n",
            "T,TEXT,STARS,2024-10-11 09:30:00 UTC,email,ok,AUTHOR,,77,x,,,false",
            "\n",
            "\n",
        ],
    ),
    sample(
        "okendo",
        [
            "name,body,title,rating,dateCreated,countryCode,email,isVerifiedBuyer,status\n",
            "AUTHOR,TEXT,T,STARS,2024-09-30T10:00:00.000Z,US,,true,approved",
            "\n",
            "\n",
        ],
    ),
    sample(
        "powerreviews",
        [
            "Review Id,Review Display,Review Title,Review Date,Review Text,Rating,Nickname,Reviewer Email,Verified Buyer,Review Status\n",
            "ID,Yes,T,10/14/2024,TEXT,STARS,AUTHOR,,Yes,Approved",
            "\n",
            "\n",
        ],
    ),
    sample(
        "stamped",
        [
            "product_id,author,email,location,reviewRating,reviewTitle,reviewMessage,reviewDate,reviewReply,published\n",
            "12,AUTHOR,,,STARS,T,TEXT,2024-10-07,,true",
            "\n",
            "\n",
        ],
    ),
    sample(
        "yotpo",
        [
            "review_id,review_title,review_content,review_score,date,display_name,email,published\n",
            "ID,T,TEXT,STARS,2024-10-01,AUTHOR,,true",
            "\n",
            "\n",
        ],
    ),
    sample(
        "servicetitan",
        [
            "Platform,AuthorName,AuthorEmail,Rating,Review,PublishDate,ReviewResponse,RecommendationStatus,VerificationStatus,JobId,TechnicianFullName,CustomerName,Address\n",
            "Google,AUTHOR,,STARS,TEXT,10/13/2024,,,Verified,8812,Sam Whitaker,,",
            "\n",
            "\n",
        ],
    ),
    sample(
        "apify",
        [
            "[",
            r#"{"title": "Desert Peak", "stars": STARS, "name": "AUTHOR", "text": "TEXT", "publishedAtDate": "2024-10-12T14:03:22.410Z",
              "reviewId": "ID", "placeId": "abc"}"#,
            ",",
            "]",
        ],
    ),
    sample(
        "outscraper",
        [
            "name,place_id,review_id,author_title,review_text,owner_answer,review_rating,review_timestamp\n",
            "Desert Peak,abc,ID,AUTHOR,TEXT,,STARS,1728741802",
            "\n",
            "\n",
        ],
    ),
    sample(
        "trustpilot",
        [
            "Review Id,Review Created (UTC),Review Username,Review User Email,Review Title,Review Content,Review Stars,Company Response\n",
            "ID,2024-10-12 14:03:22,AUTHOR,,T,TEXT,STARS,",
            "\n",
            "\n",
        ],
    ),
    sample(
        "loox",
        [
            "id,status,rating,email,nickname,full_name,review,date,productId,handle,img,variant,verified_purchase\n",
            "ID,Active,STARS,,AUTHOR,,TEXT,2024-10-12T14:03:22.000Z,71,x,,,true",
            "\n",
            "\n",
        ],
    ),
    sample(
        "shopify",
        [
            "product_handle,state,rating,title,author,email,location,body,reply,created_at,replied_at\n",
            "x,published,STARS,T,AUTHOR,,,TEXT,,2024-10-12 14:03:22 UTC,",
            "\n",
            "\n",
        ],
    ),
    sample(
        "woocommerce",
        [
            "comment_ID,comment_author,comment_date,comment_content,comment_approved,comment_parent,user_id,rating\n",
            "ID,AUTHOR,2024-10-12 14:03:22,TEXT,1,0,0,STARS",
            "\n",
            "\n",
        ],
    ),
    sample(
        "table",
        [
            "Reviewer;Stars;Comment;Review Date;Reply\n",
            "AUTHOR;STARS;TEXT;2024-10-27;",
            "\n",
            "\n",
        ],
    ),
];

const REVIEWS: [(&str, &str); 5] = [
    ("Ann Aker", "Withheld soon."),
    ("Bob Born", "Edited soon."),
    ("Cyd Cole", "Deleted soon."),
    ("Dan Dorn", "Answered soon."),
    ("Eve Enge", "Left alone."),
];

impl Sample {
    /// The file, with this many stars for every review.
    fn file(&self, stars: usize) -> String {
        let [before, row, between, after] = self.file;
        let word = ["ONE", "TWO", "THREE", "FOUR", "FIVE"][stars - 1];
        let rows: Vec<String> = REVIEWS
            .iter()
            .enumerate()
            .map(|(number, (author, text))| {
                row.replace("WORD", word)
                    .replace("STARS", &stars.to_string())
                    .replace("AUTHOR", author)
                    .replace("TEXT", text)
                    .replace("ID", &format!("r{number}"))
            })
            .collect();
        format!("{before}{}{after}", rows.join(between))
    }
}

impl Home {
    /// ID of the review with this text.
    fn id_of(&self, text: &str) -> String {
        sqlite3(
            &self.path(),
            &format!("select review_id from review where text = '{text}'"),
        )
    }

    /// The stored values of these reviews; empty for a deleted one.
    fn stored_rows(&self, ids: &[String]) -> Vec<String> {
        let row = |id: &String| {
            let columns = "rating, author, text, status, withheld_reason, response_text";
            sqlite3(
                &self.path(),
                &format!("select {columns} from review where review_id = '{id}'"),
            )
        };
        ids.iter().map(row).collect()
    }
}

fn decide_by_commands(home: &Home, ids: &[String]) {
    home.run_ok(
        &["withhold", &ids[0], "--reason", "under dispute"],
        "withheld",
    );
    sqlite3(
        &home.path(),
        &format!(
            "update review set text = 'As the owner has it.' where review_id = '{}'",
            ids[1]
        ),
    );
    home.run_ok(&["delete", &ids[2]], "deleted");
    home.run_ok(&["respond", &ids[3], "Thank you."], "answered");
}

fn decide_by_shell(home: &Home, ids: &[String]) {
    let [withheld, edited, deleted, answered, _] = ids else {
        panic!("five reviews");
    };
    sqlite3(
        &home.path(),
        &format!(
            "update review set status = 'withheld', withheld_reason = 'under dispute' where review_id = '{withheld}';
             update review set text = 'As the owner has it.' where review_id = '{edited}';
             delete from review where review_id = '{deleted}';
             update review set response_text = 'Thank you.' where review_id = '{answered}'"
        ),
    );
}

fn check(sample: &Sample, decide: fn(&Home, &[String]), by: &str) {
    let (format, home) = (sample.format, Home::new());
    let fails = |what: &str| format!("{format}, {by}: {what}\n{}", sample.file[1]);
    home.run_ok(
        &["init", "--name", "Desert Peak", "--time-zone", "UTC"],
        "UTC",
    );
    home.file("first", &sample.file(5));
    home.file("newer", &sample.file(2));
    home.run_ok(
        &["import", "first"],
        "5 new, 0 updated, 0 unchanged, 0 rejected",
    );
    let ids = REVIEWS.map(|(_, text)| home.id_of(text));
    assert!(ids.iter().all(|id| !id.is_empty()), "{}", fails("ids"));
    let authors: Vec<String> = home
        .stored_rows(&ids)
        .iter()
        .map(|row| row.split('|').nth(1).unwrap().to_owned())
        .collect();
    decide(&home, &ids);
    let kept = |stars: usize| {
        let row = |number: usize, rest: &str| format!("{stars}|{}|{rest}", authors[number]);
        vec![
            row(0, "Withheld soon.|withheld|under dispute|"),
            row(1, "As the owner has it.|published||"),
            String::new(),
            row(3, "Answered soon.|published||Thank you."),
            row(4, "Left alone.|published||"),
        ]
    };
    assert_eq!(
        home.stored_rows(&ids),
        kept(5),
        "{}",
        fails("before the same file")
    );
    let same = home.run_ok(
        &["import", "first"],
        "0 new, 0 updated, 4 unchanged, 0 rejected",
    );
    assert_eq!(
        home.stored_rows(&ids),
        kept(5),
        "{}",
        fails("after the same file")
    );
    let line = |part: &str| {
        let found = same.out.lines().find(|line| line.contains(part));
        found.unwrap_or_default()
    };
    let edited = format!("{} text", ids[1]);
    for (kept, named) in [("1 kept withheld", &edited), ("1 kept deleted", &ids[2])] {
        assert!(line(kept).contains(named), "{}: {}", fails(kept), same.out);
    }
    home.run_ok(
        &["import", "newer"],
        "0 new, 4 updated, 0 unchanged, 0 rejected",
    );
    assert_eq!(
        home.stored_rows(&ids),
        kept(2),
        "{}",
        fails("after a newer file")
    );
    home.run_ok(
        &["import", "newer"],
        "0 new, 0 updated, 4 unchanged, 0 rejected",
    );
    assert_eq!(
        home.stored_rows(&ids),
        kept(2),
        "{}",
        fails("after the newer file again")
    );
    home.run_ok(&["check"], "4 reviews");
}

#[test]
fn importing_again_keeps_decisions_made_by_commands_in_every_format() {
    for sample in &SAMPLES {
        check(sample, decide_by_commands, "by commands");
    }
}

#[test]
fn importing_again_keeps_decisions_made_in_a_shell_in_every_format() {
    for sample in &SAMPLES {
        check(sample, decide_by_shell, "by sqlite3");
    }
}

#[test]
fn every_format_is_tested_for_keeping_decisions() {
    let formats: Vec<&str> = SAMPLES.iter().map(|sample| sample.format).collect();
    let mut known = 0;
    for name in format_names() {
        known += 1;
        assert!(formats.contains(&name), "no sample of the format {name}");
    }
    assert!(known > 8, "{known} formats were found");
}
