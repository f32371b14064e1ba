//! Requests: redirects, TLS, proxies, validators, charsets, and other instances.

use super::*;

#[test]
fn redirects_without_end_and_http_of_other_machines_are_refused() {
    let (home, site) = (home(), google_site(1));
    for [location, reason] in table(
        "
        /again → redirects more than 5 times
        http://192.0.2.1/reviews → add allow_http = true
        ",
    ) {
        site.answer(move |_| SiteAnswer::status(302).with(&format!("Location: {location}")));
        add(&home, "shop", &site.url("/r"), "").failed(reason);
    }
    add(&home, "shop", "http://192.0.2.1/reviews", "").failed("add allow_http = true");
}

fn home_with_roots() -> Home {
    home().with_variable("REVIEWS_SYNC_CA_FILE", "roots.pem")
}

/// Adds an entry of a server that answers its one connection so, and is not asked again.
fn add_at(home: &Home, scheme: &str, answer: impl FnOnce(TcpStream) + Send) -> CommandOutput {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("{scheme}://{}/r", listener.local_addr().unwrap());
    let added = std::thread::scope(|scope| {
        scope.spawn(|| answer(listener.accept().unwrap().0));
        add(home, "shop", &url, "")
    });
    listener.set_nonblocking(true).unwrap();
    assert!(listener.accept().is_err(), "asked once: {}", added.err);
    added
}

#[test]
fn tls_fault_is_reported_with_advice() {
    let home = home_with_roots();
    let key = KeyPair::generate().unwrap();
    let mut params = CertificateParams::new(["127.0.0.1".to_owned()]).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let certificate = params.self_signed(&key).unwrap();
    home.file("roots.pem", &certificate.pem());
    let no_https = "no connection; check the URL's host and port, and the server's certificate";
    add_at(&home, "https", |mut stream| {
        (stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n")).unwrap();
        // Reads the request before closing, so that a reset does not discard the answer.
        let _ = stream.read(&mut [0; 4_096]);
    })
    .failed(no_https);
    // The certificate of an authority, as `openssl req -x509` makes it, is used for a server.
    let mut connection = ServerConnection::new(config_of(certificate, &key).into()).unwrap();
    add_at(&home, "https", |mut stream| {
        // The client refuses the certificate.
        let _ = connection.complete_io(&mut stream);
    })
    .failed(no_https);
}

#[test]
fn redirect_from_https_to_http_is_refused() {
    let (home, site) = (home_with_roots(), google_site(1));
    home.file("roots.pem", "none");
    add(&home, "a", &site.url("/r"), "").failed("begins with -----BEGIN CERTIFICATE");
    home.file("roots.pem", &ca_pem());
    let mut connection = ServerConnection::new(server_config(&["127.0.0.1"], true).into()).unwrap();
    let location = site.url("/r");
    let added = add_at(&home, "https", |mut stream| {
        let mut tls = rustls::Stream::new(&mut connection, &mut stream);
        let _ = tls.read(&mut [0; 4_096]);
        let head = format!("HTTP/1.1 301 X\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n");
        tls.write_all(head.as_bytes()).unwrap();
        tls.flush().unwrap();
    });
    added.failed("https");
    assert_eq!(site.take_targets(), [] as [&str; 0]);
}

#[test]
fn answer_that_is_cut_ends_the_run() {
    let home = home();
    let rows: String = (0..2).map(|n| format!("{}\n", row(APIFY, n))).collect();
    let head = "HTTP/1.1 200 X\r\nContent-Type: application/jsonl\r\nContent-Length: 100000";
    let begin = format!("{head}\r\n\r\n{rows}");
    add_at(&home, "http", |mut stream| {
        let _ = stream.read(&mut [0; 4_096]);
        stream.write_all(begin.as_bytes()).unwrap();
    })
    .failed("shop");
    has(&home, 0, "true");
}

#[test]
fn answers_above_the_limits_are_refused() {
    let (home, site) = added(1, "");
    let large = format!("[{}]", " ".repeat(16 << 20));
    site.answer(move |_| SiteAnswer::json(&*large));
    sync(&home).failed("16 MiB");
    let mut number = 0;
    site.take_targets();
    site.answer(move |_| {
        number += 1;
        google_page([number], Some(&format!("page-{number}")), 2_000)
    });
    sync(&home).failed("pages");
    assert_eq!(site.take_targets().len(), 1_000);
    has(&home, 1, "true");
}

#[test]
fn charset_of_the_answer_is_used_unless_it_is_valid_utf_8() {
    let sheet = "author,rating,date,text\nПётр,5,2026-03-05,Быстро и чисто.\n";
    let list = r#"[{"author": "Renée", "rating": 5, "date": "2026-03-05", "review": "Très bien"}]"#;
    let (cyrillic, latin) = (encoding_rs::WINDOWS_1251, encoding_rs::WINDOWS_1252);
    let stated = "text/csv;header=present; Charset=\"Windows-1251\"";
    let json = "application/json; charset=iso-8859-1";
    for (kind, body, author) in [
        (stated, cyrillic.encode(sheet).0, "Пётр"),
        (stated, sheet.as_bytes().into(), "Пётр"),
        (json, latin.encode(list).0, "Renée"),
        (json, list.as_bytes().into(), "Renée"),
    ] {
        let (home, body) = (home(), body.into_owned());
        // Two pages with the same row.
        let site = Site::start(move |request| {
            let next = query(request, "page").map_or("Link: </r?page=2>; rel=\"next\"", |_| "X: x");
            SiteAnswer::of(kind, body.clone()).with(next)
        });
        add(&home, "sheet", &site.url("/r"), "").done();
        home.finds("select author from review", author);
    }
}

#[test]
fn validators_are_sent_for_an_unchanged_source_of_one_page() {
    let (home, site) = (home(), google_site(2));
    home.file("address", &site.url("/r"));
    add(
        &home,
        "google",
        "${COMMAND}",
        "command = ['cat', 'address']",
    )
    .done();
    let conditional = |count: usize| {
        move |request: &SiteRequest| match request.header("if-none-match") {
            "" => {
                let page = google_page(0..count, None, count).with("ETag: \"v1\"");
                page.with("Last-Modified: Thu, 01 Oct 2026 10:00:00 GMT")
            }
            _ => SiteAnswer::status(304),
        }
    };
    site.answer(conditional(3));
    let _serving = home.serve();
    // The validators of the next scheduled run.
    let sent = || {
        site.take_targets();
        make_due(&home);
        wait_for_success(&home, "google");
        let request = site.requests().remove(0);
        ["if-none-match", "if-modified-since"].map(|name| request.header(name).to_owned())
    };
    let (none, both) = (["", ""], ["\"v1\"", "Thu, 01 Oct 2026 10:00:00 GMT"]);
    assert_eq!(sent(), none, "there were none yet");
    assert_eq!(sent(), both);
    home.file("address", &site.url("/other"));
    assert_eq!(sent(), none, "of another address");
    assert_eq!(column(&home, "last_failure"), "");
    site.take_targets();
    home.run("undo --source Google").done();
    home.run("sync run google").done();
    let by_hand = site.requests().remove(0);
    assert_eq!(by_hand.header("if-none-match"), "", "by hand");
    has(&home, 3, "true");
    assert_eq!(sent(), both);
    home.import("own.json", &row(GOOGLE, 1).to_string(), "1 unchanged");
    assert_eq!(sent(), none, "an import by hand since");
    let format = home.file("kept.toml", "like = \"google\"\nfull_names = true\n");
    home.run(&["source", "format", "Google", &format]).done();
    assert_eq!(sent(), none, "another format");
    site.answer(|request| match &*request.target {
        "/other" => SiteAnswer::redirect("/b"),
        _ => google_page(0..3, None, 3),
    });
    assert_eq!(sent(), both);
    assert_eq!(site.requests()[1].header("if-none-match"), "", "redirected");
    site.answer(|request| match query(request, "pageToken") {
        None => google_page(0..2, Some("b"), 3).with("ETag: \"v2\""),
        Some(_) => google_page(2..3, None, 3),
    });
    home.run("sync run google").done();
    assert_eq!(sent(), none, "two pages");
}

#[test]
fn content_codings_are_undone_without_a_request_for_any() {
    use flate2::Compression;
    use flate2::read::{GzEncoder, ZlibEncoder};
    let body = json!({"reviews": [row(GOOGLE, 1)], "totalReviewCount": 1}).to_string();
    let read = |coder: &mut dyn Read| {
        let mut coded = Vec::new();
        coder.read_to_end(&mut coded).unwrap();
        coded
    };
    let (bytes, best) = (body.into_bytes(), Compression::best());
    let gzip = read(&mut GzEncoder::new(&*bytes, best));
    let bomb = vec![b' '; 17 << 20];
    for (coding, coded, fault) in [
        ("gzip", gzip.clone(), ""),
        ("deflate", read(&mut ZlibEncoder::new(&*bytes, best)), ""),
        ("gzip", bytes.clone(), "content coding than it states"),
        ("zstd", gzip, "other than gzip, deflate and br"),
        ("gzip", read(&mut GzEncoder::new(&*bomb, best)), "16 MiB"),
    ] {
        let home = home();
        let header = format!("Content-Encoding: {coding}");
        let site = Site::start(move |_| SiteAnswer::json(coded.clone()).with(&header));
        let run = add(&home, "google", &site.url("/r"), "");
        if fault.is_empty() {
            run.done();
            has(&home, 1, "true");
        } else {
            run.failed(fault);
        }
    }
}
