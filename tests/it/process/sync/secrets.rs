//! Secrets: each only to the origin that the environment names for it, and in no file or output.

use super::*;

const SECRET: &str = "s3cr3t/of+the&shop=1";

/// What a server that repeats the secret says: as it came, and decoded.
fn echo(request: &SiteRequest) -> String {
    format!("{} {}", request.target, request.header("x-api-key"))
}

/// A table with a column that is named after the secret.
fn table_of_key(request: &SiteRequest) -> SiteAnswer {
    let key = request.header("x-api-key");
    SiteAnswer::csv(format!(
        "author,rating,date,text,{key}\nAnn,5,2026-10-01,Good,x\n"
    ))
}

/// A home with the secret `key` of this site.
fn home_with_key(site: &Site, value: &str) -> Home {
    let home = home().with_variable("RUST_LOG", "debug");
    home.with_secret("SECRET_key", site, value)
}

/// Adds a source that sends the secret `key` in the URL and in a header.
fn add_with_key(home: &Home, site: &Site) -> CommandOutput {
    let url = site.url("/r?api_key=${key}");
    add(home, "shop", &url, &["--header", "X-Api-Key: ${key}"])
}

#[test]
fn secret_is_in_no_byte_of_the_database_or_an_output() {
    let site = Site::start(|request| {
        let key = query(request, "api_key").unwrap();
        assert_eq!([&*key, request.header("x-api-key")], [SECRET; 2]);
        google_page(0..1, None, 1)
    });
    let home = home_with_key(&site, SECRET);
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
    let mut command = home.command("sync run shop");
    let missing = output_of(command.env_remove("REVIEWS_SYNC_SECRET_key"));
    missing.failed("REVIEWS_SYNC_SECRET_key");
    assert!(!missing.err.contains("s3cr3t"));
    let serving = serve_with_log(&home);
    for (number, answer) in [answers[0], answers[3]].into_iter().enumerate() {
        site.answer(answer);
        make_due(&home);
        serving.wait_for("/metrics", &runs_of("shop", "failure", number + 1));
    }
    assert!(!serving.get("/metrics").contains("s3cr3t"));
    assert_no_trace(&home, &["s3cr3t"]);
}

#[test]
fn row_that_asks_for_another_origin_gets_no_secret() {
    let (site, other) = (google_site(1), google_site(1));
    let home = home().with_secret("SECRET_shop", &site, "hush-1");
    let home = home.with_secret("COMMAND_Place", &site, "echo hush-3");
    let home = home.with_variable("CANARY", "hush-2");
    let home = home.with_variable("RUST_LOG", "debug");
    let [here, there] = [&site, &other].map(|site| site.origin().replace("http://", ""));
    let port = here.replace("127.0.0.1:", "");
    for (name, options) in [
        ("in-url", &[][..]),
        ("in-header", &["--header", "X-Key: ${shop}"]),
        ("in-basic", &["--basic", "${shop}:${shop}"]),
        ("of-command", &["--header", "X-Key: ${Place}"]),
    ] {
        add(&home, name, &site.url("/r"), options).done();
    }
    site.take_targets();
    for [name, url, named] in table(
        r"
        in-header → http://THERE/r → REVIEWS_SYNC_SECRET_shop
        in-basic → http://THERE/r → REVIEWS_SYNC_SECRET_shop
        of-command → http://THERE/r → REVIEWS_SYNC_COMMAND_Place
        in-header → http://localhost:PORT/r → REVIEWS_SYNC_SECRET_shop
        in-header → https://HERE/r → REVIEWS_SYNC_SECRET_shop
        in-url → http://THERE/r?a=${shop} → REVIEWS_SYNC_SECRET_shop
        in-url → http://THERE/${shop} → REVIEWS_SYNC_SECRET_shop
        in-url → http://${shop}@THERE/r → REVIEWS_SYNC_SECRET_shop
        in-url → https://${shop}@THERE/ → REVIEWS_SYNC_SECRET_shop
        in-url → http://THERE\@HERE/r?a=${shop} → in-url
        in-url → http://HERE@THERE/r?a=${shop} → in-url
        in-url → http://${shop}:PORT/r → in-url
        in-url → ${shop} → in-url
        in-url → http://THERE/r?a=${Place} → REVIEWS_SYNC_COMMAND_Place
        in-url → http://HERE/r?a=${CANARY} → CANARY
        in-url → http://HERE/r?a=${REVIEWS_SYNC_SECRET_shop} → REVIEWS_SYNC_SECRET_shop
        in-url → http://HERE/r?a=${SHOP} → SHOP
        in-url → http://HERE/r?a=${place} → place
        in-url → http://HERE/r?a=${token} → token
        in-url → http://HERE/r?a=${REVIEWS_LISTEN} → REVIEWS_LISTEN
        ",
    ) {
        let url = url.replace("THERE", &there).replace("HERE", &here);
        let url = url.replace("PORT", &port);
        home.sql(&format!(
            "update sync_source set url = '{url}' where name = '{name}'"
        ));
        home.run(&["sync", "run", name]).failed(named);
        let added = add(&home, "new", &url, &["--header", "X-Key: ${shop}"]);
        assert_eq!(added.code, Some(2), "{url}: {}{}", added.out, added.err);
        let targets = [site.take_targets(), other.take_targets()].concat();
        assert_eq!(targets, [] as [&str; 0], "{url}");
    }
    home.sql(&format!("update sync_source set url = 'http://{there}/r'"));
    make_due(&home);
    let serving = serve_with_log(&home);
    for name in ["in-header", "in-basic", "of-command"] {
        serving.wait_for("/metrics", &runs_of(name, "failure", 1));
    }
    serving.wait_for("/metrics", &runs_of("in-url", "success", 1));
    // The source without a secret is fetched.
    assert_eq!(other.take_targets(), ["/r"]);
    assert_no_trace(&home, &["hush"]);
}

#[test]
fn redirect_to_another_origin_carries_no_secret() {
    let other = google_site(2);
    // A part of the URL is none of the redirect's, whatever the server repeats.
    let target = other.url("/moved?key=hush%2B1&again=hush+1");
    let site = Site::start(move |request| {
        let is_repeated = request.target.contains("hush");
        let target = if is_repeated {
            target.clone()
        } else {
            target.replace("hush", "page")
        };
        SiteAnswer::redirect(&target)
    });
    let home = home().with_secret("SECRET_t", &site, "hush+1");
    let header = ["--header", "Authorization: Bearer ${t}"];
    add(&home, "sheet", &site.url("/d"), &header).done();
    assert_eq!(site.requests()[0].header("authorization"), "Bearer hush+1");
    let url = site.url("/d?k=${t}");
    for options in [header, ["--basic", "${t}:${t}"]] {
        add(&home, "other", &url, &options);
    }
    has(&home, 2, "true");
    for request in other.requests() {
        let all = format!("{request:?}");
        assert!(
            !all.contains("hush") && !all.contains("authorization"),
            "{all}"
        );
    }
}

#[test]
fn value_without_an_origin_is_refused_without_being_shown() {
    let site = google_site(1);
    for value in ["hush-1", "http:// hush-1", "ftp://127.0.0.1 hush-1", " "] {
        let home = home().with_variable("REVIEWS_SYNC_SECRET_key", value);
        add_with_key(&home, &site).failed("REVIEWS_SYNC_SECRET_key");
        assert_no_trace(&home, &["hush"]);
    }
    assert_eq!(site.take_targets(), [""; 0]);
}

#[test]
fn url_that_is_a_secret_stands_whole_in_the_environment() {
    let site = google_site(1);
    let value = site.url("/d/e/2PACX-hush/pub?output=csv");
    let home = home().with_variable("REVIEWS_SYNC_SECRET_sheet", &value);
    let home = home.with_variable("RUST_LOG", "debug");
    add(&home, "sheet", "${sheet}", &[]).done();
    assert_eq!(site.take_targets(), ["/d/e/2PACX-hush/pub?output=csv"]);
    assert_eq!(column(&home, "url"), "${sheet}");
    assert_has(&home.run("sync list").out, "${sheet}");
    for status in [404, 307] {
        site.answer(move |_| SiteAnswer::status(status).with("Location: ftp://a.test/2PACX-hush"));
        sync(&home).failed("sheet");
    }
    assert_no_trace(&home, &["2PACX", "hush"]);
}

#[test]
fn literal_secret_is_refused_without_being_shown() {
    let site = google_site(1);
    let (home, url) = (home_with_key(&site, "hush-1"), site.url("/r"));
    let refuse = |words: &[&str]| {
        add(&home, "shop", words[0], &words[1..]).failed("REVIEWS_SYNC_SECRET_");
    };
    for name in ["api_key", "X-Amz-Signature"] {
        refuse(&[&format!("{url}?a=1&{name}=abc123")]);
        refuse(&[&url, "--header", &format!("X-{name}: abc123")]);
    }
    for user in ["abc123", ":abc123", "abc123:${key}", "${key}:abc123"] {
        refuse(&[&url.replace("://", &format!("://{user}@"))]);
        refuse(&[&url, "--basic", user]);
    }
    assert_eq!(site.take_targets(), [] as [&str; 0]);
    assert_eq!(column(&home, "name"), "");
    let paging = format!("{url}?pageToken=x");
    add(&home, "shop", &paging, &[]).done();
    home.sql(&format!(
        "update sync_source set url = '{url}?token=abc123'"
    ));
    sync(&home).failed("shop");
    assert!(!column(&home, "last_failure").contains("abc123"));
    assert!(!home.printed.lock().unwrap().contains("abc123"));
}

#[test]
fn command_prints_the_secret_once_a_run_without_a_shell() {
    let mut home = home();
    let site = Site::start(|request| {
        assert_eq!(request.header("authorization"), "Bearer $HOME");
        match query(request, "pageToken") {
            None => google_page(0..1, Some("b"), 2),
            Some(_) => google_page(1..2, None, 2),
        }
    });
    let pipe = home.folder.path().join("held");
    make_pipe(&pipe);
    let header = ["--header", "Authorization: Bearer ${Place}"];
    let name = "REVIEWS_SYNC_COMMAND_Place";
    let add_with = |home: &mut Home, command: &str| {
        let value = format!("{} {command}", site.origin());
        home.environment.push((name.to_owned(), value));
        add(home, "place", &site.url("/r"), &header)
    };
    for command in [
        "false hush",
        "true",
        "printf '\\n'",
        "/nowhere/hush",
        "sh 'hush",
        "",
    ] {
        add_with(&mut home, command).failed(name);
    }
    assert!(!home.printed.lock().unwrap().contains("hush"));
    assert_eq!(
        [site.take_targets().len(), column(&home, "name").len()],
        [0, 0]
    );
    // The last ones print more than the first line, or start processes that outlive them and keep their output open.
    for command in [
        "echo $HOME",
        "sh -c 'echo called >> calls; echo \"$0\"' '$HOME'",
        "sh -c 'echo \"$0\"; seq 1 100000' '$HOME'",
        "sh -c 'echo \"$0\"; sleep 600 & ' '$HOME'",
        "sh -c 'cat held & echo \"$0\"' '$HOME'",
    ] {
        add_with(&mut home, command).done();
    }
    assert_eq!(home.read("calls"), "called\n");
    drop(File::options().read(true).write(true).open(pipe).unwrap());
}

#[test]
fn user_in_the_url_is_sent_as_basic_authorization() {
    let site = Site::start(|request| {
        assert_eq!(request.header("authorization"), "Basic a2V5LTE6");
        google_page(0..1, None, 1)
    });
    let url = site.url("/r").replace("http://", "http://${key}@");
    add(&home_with_key(&site, "key-1"), "shop", &url, &[]).done();
}

#[test]
fn row_or_validator_with_a_secret_is_left_out() {
    let site = Site::start(|request| {
        let key = request.header("x-api-key");
        let mut rows: Vec<Value> = (0..4).map(|number| row(APIFY, number)).collect();
        rows[0]["reviewUrl"] = format!("https://maps.test{}", request.target).into();
        rows[1]["text"] = format!("Your key {key} was used").into();
        rows[2]["name"] = "key".into();
        let body = Value::from(rows).to_string();
        // An escape of JSON, which is decoded when the row is read.
        let body = body.replace("\"key\"", &format!("\"\\u0068{}\"", &key[1..]));
        SiteAnswer::json(body).with(&format!("ETag: \"{key}\""))
    });
    let home = home_with_key(&site, "hush+hush/key-1");
    let added = add_with_key(&home, &site);
    assert_ne!(added.code, Some(2), "{}{}", added.out, added.err);
    sync(&home);
    home.finds("select review_id from review", "google-maps-a3");
    // The names of columns are shown, and a table may be named after the secret.
    site.answer(table_of_key);
    home.run("sync remove shop").done();
    add_with_key(&home, &site).failed("whether one of …");
    assert_no_trace(&home, &["hush"]);
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
    let home = home_with_key(&site, "hush-key/12345");
    // Four of five rows are rejected, which is too much for an unattended run.
    add_with_key(&home, &site).failed("4 of 5 rows");
    assert_no_trace(&home, &["key/12345"]);
}

#[test]
fn header_that_chooses_another_server_is_refused() {
    let (home, site) = added(1, &[]);
    let headers = [
        "Host: evil.test",
        "host: x",
        "Content-Length: 5",
        "If-None-Match: x",
    ];
    for header in headers {
        add(&home, "google", &site.url("/r"), &["--header", header]).failed("connection");
    }
}
