//! Secrets: only to the origin of the entry's URL, and in no file or output.

use super::*;

const SECRET: &str = "s3cr3t/of+the&shop=1";

/// What a server that repeats the secret says: as it came, and decoded.
fn echo(request: &SiteRequest) -> String {
    format!("{} {}", request.target, request.header("x-api-key"))
}

/// A table with a column that is named after the secret.
fn table_of_key(request: &SiteRequest) -> SiteAnswer {
    let key = request.header("x-api-key");
    let header = format!("author,rating,date,text,{key}");
    SiteAnswer::csv(format!("{header}\nAnn,5,2026-10-01,Good,x\n"))
}

/// A home with the secret `KEY`.
fn home_with_key(value: &str) -> Home {
    let home = home().with_variable("RUST_LOG", "debug");
    home.with_variable("REVIEWS_SYNC_KEY", value)
}

/// Adds an entry that sends the secret `KEY` in the URL and in a header.
fn add_with_key(home: &Home, site: &Site) -> CommandOutput {
    let url = site.url("/r?api_key=${KEY}");
    add(home, "shop", &url, "headers = { X-Api-Key = '${KEY}' }")
}

#[test]
fn secret_is_in_no_byte_of_the_database_or_an_output() {
    let site = Site::start(|request| {
        let key = query(request, "api_key").unwrap();
        assert_eq!([&*key, request.header("x-api-key")], [SECRET; 2]);
        google_page(0..1, None, 1)
    });
    let home = home_with_key(SECRET);
    add_with_key(&home, &site).done();
    let answers: [fn(&SiteRequest) -> SiteAnswer; 7] = [
        |request| SiteAnswer(401, Vec::new(), echo(request).into_bytes()),
        |request| SiteAnswer::value(&json!({"error": {"message": echo(request)}})),
        |request| SiteAnswer::of(&format!("text/html; title={}", echo(request)), "<p>Log in"),
        |request| SiteAnswer::of(&echo(request), "Log in"),
        table_of_key,
        |request| SiteAnswer::redirect(&format!("ftp://shop.test{}", request.target)),
        // The last one is imported.
        |request| {
            let page = google_page(0..1, None, 1).with(&format!("ETag: \"{}\"", echo(request)));
            page.with(&format!("Last-Modified: {}", echo(request)))
        },
    ];
    for (number, answer) in answers.into_iter().enumerate() {
        site.answer(answer);
        for words in ["sync run --dry-run", "sync run"] {
            let run = home.run(words);
            let code = if number == 6 { 0 } else { 2 };
            assert_eq!(run.code, Some(code), "{number}: {}{}", run.out, run.err);
        }
    }
    let missing = home
        .command("sync run shop")
        .env_remove("REVIEWS_SYNC_KEY")
        .run();
    missing.failed("REVIEWS_SYNC_KEY");
    assert!(!missing.err.contains("s3cr3t"));
    let serving = home.serve();
    for answer in [answers[0], answers[3]] {
        site.answer(answer);
        make_due(&home);
        wait_for_failure(&home, "shop");
    }
    assert!(!serving.get("/metrics").contains("s3cr3t"));
    home.file("log", &serving.log.text());
    assert_no_trace(&home, &["s3cr3t"]);
}

#[test]
fn redirect_to_another_origin_carries_no_secret() {
    let other = google_site(2);
    // A part of the URL is none of the redirect's, whatever the server repeats.
    let target = other.url("/moved?key=hush%2B1&again=hush+1");
    let site = Site::start(move |request| {
        let is_repeated = request.target.contains("hush");
        let word = ["page", "hush"][usize::from(is_repeated)];
        SiteAnswer::redirect(&target.replace("hush", word))
    });
    let home = home().with_variable("REVIEWS_SYNC_T", "hush+1");
    let header = "headers = { Authorization = 'Bearer ${T}' }";
    add(&home, "sheet", &site.url("/d"), header).done();
    assert_eq!(site.requests()[0].header("authorization"), "Bearer hush+1");
    let url = site.url("/d?k=${T}");
    for keys in [header, "basic = '${T}:${T}'"] {
        add(&home, "other", &url, keys).failed("to another origin, with a secret in the address");
    }
    has(&home, 2, "true");
    for request in other.requests() {
        let all = format!("{request:?}");
        let mut words = ["hush", "authorization"].into_iter();
        assert!(words.all(|word| !all.contains(word)), "{all}");
    }
}

#[test]
fn url_that_is_a_secret_stands_whole_in_the_environment() {
    let site = google_site(1);
    let value = site.url("/d/e/2PACX-hush/pub?output=csv");
    let home = home().with_variable("REVIEWS_SYNC_SHEET_URL", &value);
    let home = home.with_variable("RUST_LOG", "debug");
    add(&home, "sheet", "${SHEET_URL}", "").done();
    assert_eq!(site.take_targets(), ["/d/e/2PACX-hush/pub?output=csv"]);
    assert_has(&home.run("sync list").out, "${SHEET_URL}");
    for status in [404, 307] {
        site.answer(move |_| SiteAnswer::status(status).with("Location: ftp://a.test/2PACX-hush"));
        sync(&home).failed("sheet");
    }
    assert_no_trace(&home, &["2PACX", "hush"]);
}

#[test]
fn command_prints_the_secret_once_a_run_without_a_shell() {
    let home = home();
    let site = Site::start(|request| {
        assert_eq!(request.header("authorization"), "Bearer $HOME");
        match query(request, "pageToken") {
            None => google_page(0..1, Some("b"), 2),
            Some(_) => google_page(1..2, None, 2),
        }
    });
    let add_with = |command: &str| {
        let header = "headers = { Authorization = 'Bearer ${COMMAND}' }";
        let keys = format!("{header}\ncommand = {command}");
        add(&home, "place", &site.url("/r"), &keys)
    };
    for command in r"'false', 'hush'|'true'|'printf', '\n'|'/nowhere/hush'|'hush'".split('|') {
        add_with(&format!("[{command}]")).failed("command");
    }
    assert!(!home.printed.lock().unwrap().contains("hush"));
    assert_eq!(site.take_targets().len(), 0);
    home.file("token", "#!/bin/sh\npwd > where\necho '$HOME'\n");
    let program = home.folder.path().join("token");
    fs::set_permissions(program, fs::Permissions::from_mode(0o755)).unwrap();
    for command in [
        "['./token']",
        "['echo', '$HOME']",
        "['sh', '-c', 'echo called >> calls; echo \"$0\"; seq 1 100', '$HOME']",
    ] {
        add_with(command).done();
    }
    assert_eq!(home.read("calls"), "called\n");
    add_with("['seq', '1', '100000']").failed("command: it printed more than 64 KiB");
}

#[test]
fn user_and_password_are_sent_as_basic_authorization() {
    let site = Site::start(|request| {
        assert_eq!(request.header("authorization"), "Basic a2V5LTE6");
        google_page(0..1, None, 1)
    });
    let home = home_with_key("key-1");
    let url = site.url("/r").replace("http://", "http://${KEY}@");
    add(&home, "shop", &url, "").done();
    add(&home, "shop", &site.url("/r"), "basic = '${KEY}:'").done();
    let literal = site.url("/r").replace("http://", "http://key-1@");
    add(&home, "shop", &literal, "").done();
    assert!(!shown(&home).contains("key-1"));
}

#[test]
fn row_or_validator_with_a_secret_is_left_out() {
    let site = Site::start(|request| {
        let key = request.header("x-api-key");
        let mut rows: Vec<Value> = (0..4).map(|number| row(APIFY, number)).collect();
        // A form has a blank as a plus.
        let form = request.target.replace("%20", "+");
        rows[0]["reviewUrl"] = format!("https://maps.test{form}").into();
        rows[1]["text"] = format!("Your key {key} was used").into();
        rows[2]["name"] = "key".into();
        let body = Value::from(rows).to_string();
        // An escape of JSON, which is decoded when the row is read.
        let body = body.replace("\"key\"", &format!("\"\\u0068{}\"", &key[1..]));
        SiteAnswer::json(body).with(&format!("ETag: \"{key}\""))
    });
    let home = home_with_key("hush hush/key-1");
    let added = add_with_key(&home, &site);
    assert_ne!(added.code, Some(2), "{}{}", added.out, added.err);
    assert_has(&added.err, "write a value that is no secret");
    sync(&home);
    home.finds("select review_id from review", "google-maps-a3");
    // The names of columns are shown, and a table may be named after the secret.
    site.answer(table_of_key);
    write_entry(&home, "shop", "https://shop.test", "");
    let url = site.url("/other?api_key=${KEY}");
    let header = "headers = { X-Api-Key = '${KEY}' }";
    add(&home, "shop", &url, header).failed("whether one of …");
    site.answer(|request| {
        let list = json!([{"author": "Ann", "rating": 5, "date": "2026-10-01", "text": "Good"}]);
        SiteAnswer::value(&json!({ request.header("x-api-key"): list, "other": list }))
    });
    sync(&home).failed("a list or sheet has the value of a variable");
    assert_no_trace(&home, &["hush"]);
}

#[test]
fn row_with_a_secret_hides_its_review_as_other_rows_do() {
    let key = "hush-key/12345";
    for text in [key.to_owned(), key.replace("key", "<b></b>key")] {
        let page = |text: &str, status: &str| {
            let row = |id: u8, text: &str, status: &str| {
                json!({"id": id, "date_created": "2026-10-01T10:00:00", "date_created_gmt": "2026-10-01T10:00:00", "product_id": 3,
                    "status": status, "reviewer": "Ann", "review": text, "rating": 5, "verified": true})
            };
            json!([row(1, text, status), row(2, "Sturdy", "approved")])
        };
        let (home, site) = (home_with_key(key), csv_site(""));
        let shown = page("Good", "approved");
        site.answer(move |_| SiteAnswer::value(&shown));
        add_with_key(&home, &site).done();
        let hidden = page(&text, "hold");
        site.answer(move |_| SiteAnswer::value(&hidden));
        assert_has(&sync(&home).err, "write a value that is no secret");
        let withheld = "select count(*) from review where status = 'withheld'";
        home.finds(withheld, "1");
    }
}

#[test]
fn secret_in_html_is_left_out_as_in_text() {
    let site = Site::start(|request| {
        let key = request.header("x-api-key");
        let (begin, end) = key.split_at(4);
        let texts = [
            key.replace('h', "&#104;"),
            format!("{begin}<b></b>{end}"),
            format!("{begin}<!-- x -->{end}"),
            key.replace('/', "%2f"),
            "Sturdy".to_owned(),
        ];
        let row = |text| {
            json!({"id": 1, "date_created": "2026-10-01T10:00:00", "date_created_gmt": "2026-10-01T10:00:00", "product_id": 3,
                "status": "approved", "reviewer": "Ann", "review": text, "rating": 5, "verified": true})
        };
        SiteAnswer::value(&texts.into_iter().map(row).collect::<Value>())
    });
    let home = home_with_key("hush-key/12345");
    // Four of five rows are rejected, which is too much for an unattended run.
    add_with_key(&home, &site).failed("4 of 5 rows");
    assert_no_trace(&home, &["key/12345"]);
}

#[test]
fn secret_that_begins_another_or_names_a_file_is_not_shown() {
    let home = home().with_variable("REVIEWS_SYNC_P", "hush");
    let home = home.with_variable("REVIEWS_SYNC_Q", "hush-and-the-rest");
    let sheet = "author,rating,date,text,hush-and-the-rest\nAnn,5,2026-03-01,Neat,a\nBo,4,2026-03-02,hush,b\n";
    let site = Site::start(move |_| SiteAnswer::csv(sheet));
    let keys = "headers = { X-P = '${P}', X-Q = '${Q}' }";
    let run = add(&home, "sheet", &site.url("/r"), keys);
    run.failed("nothing was imported");
    assert!(!run.out.contains("and-the-rest"), "{}", run.out);
    let mut archive = Vec::new();
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(&mut archive));
    let options = zip::write::SimpleFileOptions::default();
    zip.start_file("hush-and-the-rest.csv", options).unwrap();
    zip.write_all(b"author,rating,date,text\nAnn,5,2026-03-01,Neat\nBo,4,2026-03-02,hush\n")
        .unwrap();
    zip.finish().unwrap();
    site.answer(move |_| SiteAnswer::of("application/zip", archive.clone()));
    let run = home.run("sync run sheet");
    assert_eq!(run.code, Some(1), "{}{}", run.out, run.err);
    has(&home, 1, "author = 'Ann'");
    assert_no_trace(&home, &["hush"]);
}
