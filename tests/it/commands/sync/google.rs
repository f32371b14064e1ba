//! Credentials of Google's tools: an access token for each run, from the server that the file names.

use super::*;

/// A file as `gcloud auth application-default login` writes it.
fn credentials(tokens: &Site) -> Value {
    json!({"type": "authorized_user", "client_id": "id-1", "client_secret": "hush-client", "refresh_token": "hush-refresh",
        "token_uri": tokens.url("/token")})
}

/// A server of tokens, which are numbered. It is busy at first.
fn token_site() -> Site {
    let mut number = 0;
    Site::start(move |_| {
        number += 1;
        if number == 1 {
            return SiteAnswer::status(503);
        }
        SiteAnswer::value(
            &json!({"access_token": format!("hush-{number}"), "expires_in": 3_600, "token_type": "Bearer"}),
        )
    })
}

/// A file with these credentials, outside of the home.
fn stored(content: &str) -> (TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("credentials.json");
    fs::write(&file, content).unwrap();
    (folder, file.display().to_string())
}

fn add_google(home: &Home, site: &Site, file: &str) -> CommandOutput {
    let key = format!("google_credentials = '{file}'");
    add(home, "google", &site.url("/v4/r"), &key)
}

#[test]
fn credentials_file_gives_a_token_for_the_run() {
    let home = home().with_variable("RUST_LOG", "debug");
    let tokens = token_site();
    let site = Site::start(|request| match query(request, "pageToken").as_deref() {
        None => google_page(0..1, Some("b"), 3),
        Some("b") => google_page(1..2, Some("c"), 3),
        Some(_) => google_page(2..3, None, 3),
    });
    let mut file = credentials(&tokens);
    let (_folder, value) = stored(&file.to_string());
    add_google(&home, &site, &value).done();
    has(&home, 3, "true");
    let asked = site.requests();
    let tokens_sent = asked.iter().map(|request| request.header("authorization"));
    assert!(tokens_sent.eq(["Bearer hush-2"; 3]));
    let [_, request] = tokens.requests().try_into().unwrap();
    assert_eq!(request.target, "/token");
    let form = url::form_urlencoded::parse(request.body.as_bytes());
    let form: BTreeMap<String, String> = form.into_owned().collect();
    let expected = json!({"grant_type": "refresh_token", "client_id": "id-1", "client_secret": "hush-client", "refresh_token": "hush-refresh"});
    assert_eq!(json!(form), expected);
    assert_eq!(asked[0].header("x-goog-user-project"), "");
    file["quota_project_id"] = "project-1".into();
    let (_folder, value) = stored(&file.to_string());
    add_google(&home, &site, &value).done();
    let last = site.requests().pop().unwrap();
    assert_eq!(last.header("x-goog-user-project"), "project-1");
    assert_no_trace(&home, &["hush"]);
}

#[test]
fn credentials_that_give_no_token_fail_the_run_with_advice() {
    let home = home().with_variable("RUST_LOG", "debug");
    let (site, tokens) = (google_site(1), token_site());
    let fail = |content: &Value| {
        let (_folder, value) = stored(&content.to_string());
        add_google(&home, &site, &value).failed("google_credentials: ");
    };
    let good = credentials(&tokens);
    let mut ftp = good.clone();
    ftp["token_uri"] = "ftp://hush.test/token".into();
    let service = json!({"type": "service_account", "private_key": "hush-private", "client_email": "a@hush.test"});
    for content in [&service, &ftp, &json!("hush")] {
        fail(content);
    }
    assert_eq!(tokens.take_targets(), [""; 0]);
    let revoked = r#"{"error": "invalid_grant", "error_description": "Token was hush-revoked"}"#;
    for (status, body) in [(400, revoked), (200, r#"{"token": "hush"}"#)] {
        tokens.answer(move |_| SiteAnswer(status, Vec::new(), body.into()));
        fail(&good);
    }
    tokens.answer(|_| SiteAnswer(503, Vec::new(), "".into()).with("Retry-After: 9000"));
    fail(&good);
    assert_eq!(tokens.take_targets().len(), 3, "a long wait is no retry");
    add_google(&home, &site, "/nowhere/file.json").failed("google_credentials: ");
    assert_eq!(site.take_targets(), [""; 0]);
    assert_no_trace(&home, &["hush"]);
}
