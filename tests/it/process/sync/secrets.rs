//! Secrets: each only to the origin that the environment names for it, and in no file or output.

use super::*;

const SECRET: &str = "s3cr3t/of+the&shop=1";

/// What a server that repeats the secret says: as it came, and decoded.
fn echo(request: &SiteRequest) -> String {
    format!("{} {}", request.target, request.header("x-api-key"))
}

#[test]
fn secret_is_in_no_byte_of_the_database_or_an_output() {
    let home = home();
    let site = Site::start(|request| {
        let key = query(request, "api_token").unwrap();
        assert_eq!([&*key, request.header("x-api-key")], [SECRET; 2]);
        google_page(0..1, None, 1)
    });
    let value = secret_of(&site, SECRET);
    let environment = [("REVIEWS_SYNC_SECRET_shop", &*value), ("RUST_LOG", "debug")];
    let url = site.url("/reviews?api_token=${shop}");
    let header = ["--header", "X-Api-Key: ${shop}"];
    let added = add(&home, "shop", &url, &header, &environment);
    added.done();
    let mut outputs = vec![added];
    let answers: [fn(&SiteRequest) -> SiteAnswer; 7] = [
        |request| SiteAnswer(401, Vec::new(), echo(request).into_bytes()),
        |request| SiteAnswer::value(&json!({"error": {"message": echo(request)}})),
        |request| SiteAnswer::of(&format!("text/html; title={}", echo(request)), "<p>Log in"),
        |request| SiteAnswer::of(&echo(request), "Log in"),
        |request| {
            let key = request.header("x-api-key");
            SiteAnswer::csv(format!(
                "author,rating,date,text,{key}\nAnn,5,2026-10-01,Good,x\n"
            ))
        },
        |request| SiteAnswer::redirect(&format!("ftp://shop.test{}", request.target)),
        // The last one is imported.
        |request| {
            let page = google_page(0..1, None, 1).with(&format!("ETag: \"{}\"", echo(request)));
            page.with(&format!("Last-Modified: {}", echo(request)))
        },
    ];
    for (number, answer) in answers.into_iter().enumerate() {
        site.answer(answer);
        for words in [&["sync", "run", "--dry-run"][..], &["sync", "run"]] {
            let run = run_with(&home, words, &environment);
            let code = if number == 6 { 0 } else { 2 };
            assert_eq!(run.code, Some(code), "{number}: {}{}", run.out, run.err);
            outputs.push(run);
        }
    }
    let missing = home.run("sync run shop");
    missing.failed("REVIEWS_SYNC_SECRET_shop");
    outputs.push(missing);
    let serving = serve_with(&home, &environment);
    for (number, answer) in [answers[0], answers[3]].into_iter().enumerate() {
        site.answer(answer);
        make_due(&home);
        serving.wait_for("/metrics", &runs_of("shop", "failure", number + 1));
    }
    assert!(!serving.get("/metrics").contains("s3cr3t"));
    assert_no_trace(&home, &outputs, &["s3cr3t"]);
}

#[test]
fn row_that_asks_for_another_origin_gets_no_secret() {
    let (home, site, other) = (home(), google_site(1), google_site(1));
    let [here, there] = [&site, &other].map(|site| site.origin().replace("http://", ""));
    let port = here.replace("127.0.0.1:", "");
    let (value, command) = (secret_of(&site, "hush-1"), secret_of(&site, "echo hush-3"));
    let environment = [
        ("REVIEWS_SYNC_SECRET_shop", &*value),
        ("REVIEWS_SYNC_COMMAND_Place", &*command),
        ("CANARY", "hush-2"),
        ("RUST_LOG", "debug"),
    ];
    for (name, options) in [
        ("in-url", &[][..]),
        ("in-header", &["--header", "X-Key: ${shop}"]),
        ("in-basic", &["--basic", "${shop}:${shop}"]),
        ("of-command", &["--header", "X-Key: ${Place}"]),
    ] {
        add(&home, name, &site.url("/r"), options, &environment).done();
    }
    site.take_targets();
    let mut outputs = Vec::new();
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
        let run = run_with(&home, &["sync", "run", name], &environment);
        run.failed(named);
        let added = add(
            &home,
            "new",
            &url,
            &["--header", "X-Key: ${shop}"],
            &environment,
        );
        assert_eq!(added.code, Some(2), "{url}: {}{}", added.out, added.err);
        let targets = [site.take_targets(), other.take_targets()].concat();
        assert_eq!(targets, [] as [&str; 0], "{url}");
        outputs.extend([run, added]);
    }
    home.sql(&format!("update sync_source set url = 'http://{there}/r'"));
    make_due(&home);
    let serving = serve_with(&home, &environment);
    for name in ["in-header", "in-basic", "of-command"] {
        serving.wait_for("/metrics", &runs_of(name, "failure", 1));
    }
    serving.wait_for("/metrics", &runs_of("in-url", "success", 1));
    // The source without a secret is fetched.
    assert_eq!(other.take_targets(), ["/r"]);
    assert_no_trace(&home, &outputs, &["hush"]);
}

#[test]
fn redirect_to_another_origin_carries_no_secret() {
    let (home, other) = (home(), google_site(2));
    let target = other.url("/moved?page=1");
    let site = Site::start(move |request| {
        assert_eq!(request.header("authorization"), "Bearer hush+1");
        SiteAnswer::redirect(&target)
    });
    let value = secret_of(&site, "hush+1");
    let environment = [("REVIEWS_SYNC_SECRET_t", &*value)];
    let header = ["--header", "Authorization: Bearer ${t}"];
    add(&home, "sheet", &site.url("/d"), &header, &environment).done();
    let basic = ["--basic", "${t}:${t}"];
    // A part of the URL is none of the redirect's, whatever the server repeats.
    let target = other.url("/moved?key=hush%2B1&again=hush+1");
    site.answer(move |_| SiteAnswer::redirect(&target));
    for options in [&header[..], &basic] {
        add(
            &home,
            "other",
            &site.url("/d?k=${t}"),
            options,
            &environment,
        );
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
    let (home, site) = (home(), google_site(1));
    let mut outputs = Vec::new();
    for value in [
        "hush-1",
        "hush-1 hush-2",
        "http:// hush-1",
        "ftp://127.0.0.1 hush-1",
        " ",
    ] {
        let environment = [("REVIEWS_SYNC_SECRET_shop", value)];
        let refused = add(&home, "shop", &site.url("/r?a=${shop}"), &[], &environment);
        refused.failed("REVIEWS_SYNC_SECRET_shop");
        outputs.push(refused);
    }
    assert_eq!(site.take_targets(), [] as [&str; 0]);
    assert_no_trace(&home, &outputs, &["hush"]);
}

#[test]
fn url_that_is_a_secret_stands_whole_in_the_environment() {
    let (home, site) = (home(), google_site(1));
    let value = site.url("/d/e/2PACX-hush/pub?output=csv");
    let environment = [
        ("REVIEWS_SYNC_SECRET_sheet", &*value),
        ("RUST_LOG", "debug"),
    ];
    let mut outputs = vec![add(&home, "sheet", "${sheet}", &[], &environment)];
    outputs[0].done();
    assert_eq!(site.take_targets(), ["/d/e/2PACX-hush/pub?output=csv"]);
    assert_eq!(column(&home, "url"), "${sheet}");
    assert_has(&home.run("sync list").out, "${sheet}");
    for status in [404, 307] {
        site.answer(move |_| SiteAnswer::status(status).with("Location: ftp://a.test/2PACX-hush"));
        let run = run_with(&home, "sync run", &environment);
        run.failed("sheet");
        outputs.push(run);
    }
    assert_no_trace(&home, &outputs, &["2PACX", "hush"]);
}

#[test]
fn literal_secret_is_refused_without_being_shown() {
    let (home, site) = (home(), google_site(1));
    let (url, value) = (site.url("/r"), secret_of(&site, "hush-1"));
    let environment = [("REVIEWS_SYNC_SECRET_shop", &*value)];
    let mut outputs = Vec::new();
    let mut refuse = |words: &[&str]| {
        let refused = add(&home, "shop", words[0], &words[1..], &environment);
        refused.failed("REVIEWS_SYNC_SECRET_");
        outputs.push(refused);
    };
    let names = "api_key Access-Token client.secret password passwd pwd userpass jwt sig X-Amz-Signature oauth cookie";
    for name in names.split(' ') {
        refuse(&[&format!("{url}?a=1&{name}=abc123")]);
        let header = format!("X-{name}: abc123").replace('.', "-");
        refuse(&[&url, "--header", &header]);
    }
    for user in ["abc123", ":abc123", "abc123:${shop}", "${shop}:abc123"] {
        refuse(&[&url.replace("://", &format!("://{user}@"))]);
        refuse(&[&url, "--basic", user]);
    }
    assert_eq!(site.take_targets(), [] as [&str; 0]);
    assert_eq!(column(&home, "name"), "");
    let paging = format!("{url}?pageToken=x");
    add(&home, "shop", &paging, &[], &[]).done();
    home.sql(&format!(
        "update sync_source set url = '{url}?token=abc123'"
    ));
    let run = home.run("sync run");
    run.failed("shop");
    assert!(!column(&home, "last_failure").contains("abc123"));
    outputs.push(run);
    for output in outputs {
        assert!(!(output.out + &output.err).contains("abc123"));
    }
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
    let pipe = home.0.path().join("held");
    make_pipe(&pipe);
    let header = ["--header", "Authorization: Bearer ${Place}"];
    let add_with = |command: &str| {
        let value = secret_of(&site, command);
        let environment = [("REVIEWS_SYNC_COMMAND_Place", &*value)];
        add(&home, "place", &site.url("/r"), &header, &environment)
    };
    for command in [
        "false hush",
        "true",
        "printf '\\n'",
        "/nowhere/hush",
        "sh 'hush",
        "",
    ] {
        let failed = add_with(command);
        failed.failed("REVIEWS_SYNC_COMMAND_Place");
        assert!(!(failed.out + &failed.err).contains("hush"), "{command}");
    }
    assert_eq!(
        [site.take_targets().len(), column(&home, "name").len()],
        [0, 0]
    );
    add_with("echo $HOME").done();
    add_with("sh -c 'echo called >> calls; echo \"$0\"' '$HOME'").done();
    assert_eq!(home.read("calls"), "called\n");
    // More than the first line, and processes that outlive the command and keep its output open.
    add_with("sh -c 'echo \"$0\"; seq 1 100000' '$HOME'").done();
    add_with("sh -c 'echo \"$0\"; sleep 600 & ' '$HOME'").done();
    add_with("sh -c 'cat held & echo \"$0\"' '$HOME'").done();
    drop(File::options().read(true).write(true).open(pipe).unwrap());
}

#[test]
fn user_in_the_url_is_sent_as_basic_authorization() {
    let home = home();
    let site = Site::start(|request| {
        assert_eq!(request.header("authorization"), "Basic a2V5LTE6");
        google_page(0..1, None, 1)
    });
    let url = site.url("/r").replace("http://", "http://${key}@");
    let value = secret_of(&site, "key-1");
    let environment = [("REVIEWS_SYNC_SECRET_key", &*value)];
    add(&home, "shop", &url, &[], &environment).done();
}

#[test]
fn row_or_validator_with_a_secret_is_left_out() {
    let home = home();
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
    let value = secret_of(&site, "hush+hush/key-1");
    let environment = [("REVIEWS_SYNC_SECRET_key", &*value)];
    let header = ["--header", "X-Api-Key: ${key}"];
    let url = site.url("/r?api_key=${key}");
    let added = add(&home, "shop", &url, &header, &environment);
    assert_ne!(added.code, Some(2), "{}{}", added.out, added.err);
    let run = run_with(&home, "sync run", &environment);
    home.finds("select review_id from review", "google-maps-a3");
    // The names of columns are shown, and a table may be named after the secret.
    site.answer(|request| {
        let key = request.header("x-api-key");
        SiteAnswer::csv(format!(
            "author,rating,date,text,{key}\nAnn,5,2026-10-01,Good,x\n"
        ))
    });
    let asked = add(&home, "sheet", &url, &header, &environment);
    asked.failed("COLUMN=VALUE");
    assert_no_trace(&home, &[added, run, asked], &["hush"]);
}

#[test]
fn secret_in_html_is_left_out_as_in_text() {
    let home = home();
    let site = Site::start(|request| {
        let key = request.header("x-api-key");
        let texts = [
            key.replace('h', "&#104;"),
            format!("{}<b></b>{}", &key[..4], &key[4..]),
            format!("{}<!-- x -->{}", &key[..4], &key[4..]),
            key.replace('/', "%2f"),
            "Sturdy".to_owned(),
        ];
        let rows = texts.iter().enumerate().map(|(number, text)| {
            json!({"id": number, "date_created": "2026-10-01T10:00:00", "date_created_gmt": "2026-10-01T10:00:00", "product_id": 3,
                "status": "approved", "reviewer": "Ann", "review": text, "rating": 5, "verified": true})
        });
        SiteAnswer::value(&rows.collect::<Value>())
    });
    let value = secret_of(&site, "hush-key/12345");
    let header = ["--header", "X-Api-Key: ${key}", "--yes"];
    let url = site.url("/r");
    let words = [&["sync", "add", "shop", &url][..], &header].concat();
    let environment = [("REVIEWS_SYNC_SECRET_key", &*value)];
    // Four of five rows are rejected, which is too much for an unattended run.
    let added = run_with(&home, &words, &environment);
    added.failed("4 of 5 rows");
    assert_no_trace(&home, &[added], &["key/12345"]);
}

#[test]
fn header_that_chooses_another_server_is_refused() {
    let (home, site) = added(1, &[]);
    let value = secret_of(&site, "hush-key-1");
    let environment = [("REVIEWS_SYNC_SECRET_key", &*value)];
    for header in [
        "Host: evil.test",
        "host: x",
        "Content-Length: 5",
        "If-None-Match: x",
    ] {
        let words = ["--header", "X-Key: ${key}", "--header", header];
        add(&home, "google", &site.url("/r"), &words, &environment).failed("connection");
    }
}
