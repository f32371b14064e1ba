//! Credentials of Google's tools: an access token for each run, from the server that the file names.

use super::*;

/// A file as `gcloud auth application-default login` writes it.
fn credentials(tokens: &Site) -> Value {
    json!({"type": "authorized_user", "client_id": "id-1", "client_secret": "hush-client", "refresh_token": "hush-refresh",
        "token_uri": tokens.url("/token")})
}

/// A server of tokens, which are numbered.
fn token_site(expires_in: u64) -> Site {
    let mut number = 0;
    Site::start(move |_| {
        number += 1;
        SiteAnswer::value(
            &json!({"access_token": format!("hush-{number}"), "expires_in": expires_in, "token_type": "Bearer"}),
        )
    })
}

/// Three pages of Google's API.
fn three_pages() -> Site {
    Site::start(|request| match query(request, "pageToken").as_deref() {
        None => google_page(0..1, Some("b"), 3),
        Some("b") => google_page(1..2, Some("c"), 3),
        Some(_) => google_page(2..3, None, 3),
    })
}

/// The file with these credentials, outside of the home, and the value of the variable.
fn stored(content: &str, site: &Site) -> (TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("credentials.json");
    fs::write(&file, content).unwrap();
    (folder, format!("{} {}", file.display(), site.origin()))
}

fn add_google(home: &Home, site: &Site, value: &str) -> CommandOutput {
    let environment = [("REVIEWS_SYNC_GOOGLE_gbp", value), ("RUST_LOG", "debug")];
    let header = ["--header", "Authorization: Bearer ${gbp}"];
    add(home, "google", &site.url("/v4/r"), &header, &environment)
}

/// The tokens of the requests so far.
fn tokens_at(site: &Site) -> Vec<String> {
    let requests = site.requests();
    let tokens = requests
        .iter()
        .map(|request| request.header("authorization").to_owned());
    tokens.collect()
}

#[test]
fn credentials_file_gives_a_token_for_the_run() {
    let (home, tokens, site) = (home(), token_site(3_600), three_pages());
    let mut file = credentials(&tokens);
    let (_folder, value) = stored(&file.to_string(), &site);
    let mut outputs = vec![add_google(&home, &site, &value)];
    outputs[0].done();
    has(&home, 3, "true");
    assert_eq!(tokens_at(&site), ["Bearer hush-1"; 3]);
    let [request] = tokens.requests().try_into().unwrap();
    assert_eq!(request.target, "/token");
    let form: BTreeMap<String, String> = url::form_urlencoded::parse(request.body.as_bytes())
        .into_owned()
        .collect();
    let sent =
        ["grant_type", "client_id", "client_secret", "refresh_token"].map(|name| &*form[name]);
    assert_eq!(
        sent,
        ["refresh_token", "id-1", "hush-client", "hush-refresh"]
    );
    assert_eq!(site.requests()[0].header("x-goog-user-project"), "");
    file["quota_project_id"] = "project-1".into();
    let (_folder, value) = stored(&file.to_string(), &site);
    outputs.push(add_google(&home, &site, &value));
    outputs[1].done();
    let last = site.requests().pop().unwrap();
    assert_eq!(last.header("x-goog-user-project"), "project-1");
    assert_no_trace(&home, &outputs, &["hush"]);
}

#[test]
fn token_is_renewed_before_it_ends() {
    let (home, tokens, site) = (home(), token_site(1), three_pages());
    let (_folder, value) = stored(&credentials(&tokens).to_string(), &site);
    add_google(&home, &site, &value).done();
    let mut tokens = tokens_at(&site);
    tokens.dedup();
    assert_eq!(tokens.len(), 3, "{tokens:?}");
}

#[test]
fn google_token_goes_to_its_own_origin_only() {
    let (home, tokens, site) = (home(), token_site(3_600), three_pages());
    let other = three_pages();
    let (_folder, value) = stored(&credentials(&tokens).to_string(), &site);
    add_google(&home, &other, &value).failed("REVIEWS_SYNC_GOOGLE_gbp");
    // Without an origin it is Google's.
    let file = value.split(' ').next().unwrap();
    add_google(&home, &site, file).failed("REVIEWS_SYNC_GOOGLE_gbp");
    let targets = [site.take_targets(), other.take_targets()].concat();
    assert_eq!(targets, [] as [&str; 0]);
}

#[test]
fn credentials_that_give_no_token_fail_the_run_with_advice() {
    let (home, site) = (home(), three_pages());
    let tokens = token_site(3_600);
    let good = credentials(&tokens);
    let with = |name: &str, value: Value| {
        let mut file = good.clone();
        file[name] = value;
        file.to_string()
    };
    let service_account = json!({"type": "service_account", "private_key": "hush-private", "client_email": "a@hush.test"});
    let mut outputs = Vec::new();
    let mut fail = |content: &str| {
        let (_folder, value) = stored(content, &site);
        let failed = add_google(&home, &site, &value);
        failed.failed("REVIEWS_SYNC_GOOGLE_gbp");
        outputs.push(failed);
    };
    for content in [
        service_account.to_string(),
        with("refresh_token", Value::Null),
        with("token_uri", "ftp://hush.test/token".into()),
        "hush".to_owned(),
    ] {
        fail(&content);
    }
    assert_eq!(tokens.take_targets(), [] as [&str; 0]);
    let refused = json!({"error": "invalid_grant", "error_description": "Token was hush-revoked"});
    for (status, body) in [(400, refused), (200, json!({"token": "hush"}))] {
        let body = body.to_string();
        tokens.answer(move |_| SiteAnswer(status, Vec::new(), body.clone().into_bytes()));
        fail(&good.to_string());
    }
    let missing = format!("/nowhere/file.json {}", site.origin());
    let missing = add_google(&home, &site, &missing);
    missing.failed("REVIEWS_SYNC_GOOGLE_gbp");
    outputs.push(missing);
    assert_eq!(site.take_targets(), [] as [&str; 0]);
    assert_eq!(column(&home, "name"), "");
    for output in outputs {
        let text = output.out + &output.err;
        assert!(!text.contains("hush"), "{text}");
    }
}
