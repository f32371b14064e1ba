//! The page `/docs` works offline, in a real browser.

use std::path::PathBuf;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use reviews_service::snapshot::Publisher;
use sha2::{Digest, Sha256};

use super::*;
use crate::support::{Tool, needs};

#[tokio::test]
async fn the_docs_page_loads_nothing_from_other_hosts() {
    let answer = service().await.get("/docs").await;
    let policy = answer.header("content-security-policy").to_owned();
    let html = answer.text();
    assert!(html.starts_with("<!DOCTYPE html>"));
    assert!(
        html.contains("url: \".well-known/openapi.json\","),
        "it does not fetch the published document"
    );
    assert!(
        !html.contains("\"openapi\":\"3.0.0\""),
        "it contains another document"
    );
    // The page has no other scripts or styles.
    let directive = |name: &str| policy.split(';').find(|part| part.trim().starts_with(name));
    let (mut elements, mut rest) = (0, html.as_str());
    while let Some(at) = ["<script>", "<style>"]
        .iter()
        .filter_map(|begin| rest.find(begin))
        .min()
    {
        let name = if rest[at..].starts_with("<script>") {
            "script"
        } else {
            "style"
        };
        let element = &rest[at + name.len() + 2..];
        let (text, after) = element.split_once(&format!("</{name}>")).unwrap();
        let hash = format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)));
        let allowed = directive(&format!("{name}-src")).unwrap();
        assert!(allowed.contains(&hash), "{name}: {text:.60}");
        (elements, rest) = (elements + 1, after);
    }
    assert_eq!(elements, policy.matches("'sha256-").count());
    // Without the script's text, the only URLs are data URLs and the document's.
    let mut rest = html.as_str();
    let mut markup = String::new();
    while let Some((before, after)) = rest.split_once("<script") {
        markup.push_str(before);
        let (attributes, script) = after.split_once('>').unwrap();
        assert!(!attributes.contains("src"), "a script from {attributes}");
        rest = script.split_once("</script>").unwrap().1;
    }
    markup.push_str(rest);
    for (at, _) in markup.match_indices("url(") {
        let address = markup[at + 4..].trim_start_matches(['"', '\'']);
        assert!(address.starts_with("data:"), "{address:.60}");
    }
    for outside in [" src=", " href=", "@import"] {
        assert!(!markup.contains(outside), "{outside}");
    }
}

/// A service on a free port with its address as base URL.
async fn on_a_port() -> (TcpListener, App, String, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let clock = Clock::manual(start());
    let (database, _) = Database::open(&folder.path().join("reviews.db"))
        .await
        .unwrap();
    let mut write = database.write().await.unwrap();
    reviews::upsert(&mut write, &Generator::new(92).reviews(30), clock.now())
        .await
        .unwrap();
    write.commit().await.unwrap();
    let app = App::new(
        Publisher::new(database, base.parse().unwrap(), clock),
        crate::support::hub_options(),
        reviews_service::config::Hosts::default(),
        false,
    )
    .await
    .unwrap();
    (listener, app, base, folder)
}

/// The DOM of the page at `url` in a real browser that can reach no other host.
async fn dom_of(browser: PathBuf, url: String) -> String {
    let run = move || -> Output {
        let folder = tempfile::tempdir().unwrap();
        Command::new(browser)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--no-first-run",
                "--disable-background-networking",
            ])
            .args([
                "--disable-component-update",
                "--disable-sync",
                "--disable-dev-shm-usage",
                "--dump-dom",
                "--virtual-time-budget=20000",
            ])
            .arg("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1")
            .arg(format!("--user-data-dir={}", folder.path().display()))
            .arg(url)
            .stdin(Stdio::null())
            .output()
            .unwrap()
    };
    let output = tokio::task::spawn_blocking(run).await.unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

#[tokio::test]
async fn a_browser_shows_every_operation() {
    let browser = needs!(Tool::Browser);
    let (listener, app, base, _folder) = on_a_port().await;
    let stop = CancellationToken::new();
    let look = async {
        let drawn = dom_of(browser, format!("{base}/docs")).await;
        stop.cancel();
        drawn
    };
    let ((), dom) = tokio::join!(
        app.serve(listener, None, stop.clone(), Limits::default()),
        look
    );
    for id in [
        "operations-Datasets-getReviews",
        "operations-Datasets-getInsights",
        "operations-Datasets-getFeed",
        "operations-Datasets-getAtomFeed",
        "operations-Reviews-searchReviews",
        "operations-Reviews-getReviewsSince",
        "operations-Reviews-getReview",
    ] {
        assert!(
            dom.contains(&format!("id=\"{id}\"")),
            "{id} is not on the page: {}",
            excerpt(&dom)
        );
    }
    assert!(
        dom.contains("OAS 3.1") && dom.contains("Reviews Service"),
        "{}",
        excerpt(&dom)
    );
    assert!(
        !excerpt(&dom).contains("Failed to load"),
        "{}",
        excerpt(&dom)
    );
    for outside in ["<img src=\"http", "<link href=\"http", "<script src="] {
        assert!(!dom.contains(outside), "{outside}");
    }
}

/// The content of the page, without the half megabyte of script before it.
fn excerpt(dom: &str) -> &str {
    dom.rsplit("<div id=\"ui\">").next().unwrap_or(dom)
}

/// A script that tries a search: opens it, fills in the form, sends it.
const TRY_IT_OUT: &str = r##"
const steps = [
  ["#operations-Reviews-searchReviews .opblock-summary-control", element => element.click()],
  ["#operations-Reviews-searchReviews .try-out__btn", element => element.click()],
  ["#operations-Reviews-searchReviews tr[data-param-name=limit] input", element => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(element, "3");
    element.dispatchEvent(new Event("input", {bubbles: true}));
    element.dispatchEvent(new FocusEvent("focusout", {bubbles: true}));
  }],
  ["#operations-Reviews-searchReviews .execute", element => element.click()],
];
setInterval(() => {
  const element = steps.length && document.querySelector(steps[0][0]);
  if (element) { steps.shift()[1](element); }
}, 100);
"##;

#[tokio::test]
async fn a_browser_can_try_an_operation_out() {
    let browser = needs!(Tool::Browser);
    let (listener, app, base, _folder) = on_a_port().await;
    let endpoint = Arc::clone(&app.endpoint);
    // The page with its policy, both extended to run the script.
    let endpoint = endpoint.around(|inner, mut request: Request| async move {
        let is_page = request.uri().path() == "/docs";
        // Uncompressed, so that the script can be inserted.
        request.headers_mut().remove("accept-encoding");
        let mut response: Response = inner.call(request).await?.into_response();
        if is_page {
            let html = response.take_body().into_string().await.unwrap();
            // The last one: the text of Swagger UI has another.
            let (page, end) = html.rsplit_once("</body>").unwrap();
            response.headers_mut().remove("content-length");
            response.set_body(format!("{page}<script>{TRY_IT_OUT}</script></body>{end}"));
            let hash = STANDARD.encode(Sha256::digest(TRY_IT_OUT));
            let policy = response.header("content-security-policy").unwrap();
            let policy = policy.replace("script-src ", &format!("script-src 'sha256-{hash}' "));
            let headers = response.headers_mut();
            headers.insert("content-security-policy", policy.parse().unwrap());
        }
        Ok(response)
    });
    let stop = CancellationToken::new();
    let acceptor = TcpAcceptor::from_tokio(listener).unwrap();
    let server = poem::Server::new_with_acceptor(acceptor).run_with_graceful_shutdown(
        endpoint,
        stop.cancelled(),
        Some(std::time::Duration::from_secs(1)),
    );
    let look = async {
        let drawn = dom_of(browser, format!("{base}/docs")).await;
        stop.cancel();
        drawn
    };
    let (served, dom) = tokio::join!(server, look);
    served.unwrap();
    let shown = excerpt(&dom);
    assert!(
        shown.contains(&format!(
            "{base}/api/reviews/search?query=on%20time&amp;limit=3"
        )),
        "the request is not shown: {shown}"
    );
    let live = shown
        .split("live-responses-table")
        .nth(1)
        .unwrap_or_else(|| panic!("no answer: {shown}"));
    let live = live.split("</table>").next().unwrap();
    assert!(
        live.contains("200") && live.contains("total_relation"),
        "{live}"
    );
}
