//! The end of sessions, their survival of a restart, and the absence of stored state.

use super::sessions::UNKNOWN;
use super::*;

#[tokio::test]
async fn delete_ends_a_session() {
    let app = service().await;
    let session = open(&app, "2025-06-18").await;
    let other = open(&app, "2025-06-18").await;
    let named = [("mcp-session-id", session.as_str())];
    let ended = app.send(Method::DELETE, "/mcp", &named).await;
    assert_eq!((ended.status, ended.body.len()), (204, 0));
    assert_eq!(ping(&app, &session).await, 404);
    assert_eq!(app.send(Method::DELETE, "/mcp", &named).await.status, 404);
    assert_eq!(ping(&app, &other).await, 200);
    let other = ("mcp-session-id", other.as_str());
    let revision = |name| ("mcp-protocol-version", name);
    for (headers, status) in [
        (&[][..], 400),
        (&[other, other], 400),
        (&[("mcp-session-id", UNKNOWN)], 404),
        (&[other, revision("2099-01-01")], 400),
        (&[other, revision(STATELESS)], 405),
        (&[other, revision("2025-06-18")], 204),
    ] {
        let answer = app.send(Method::DELETE, "/mcp", headers).await;
        assert_eq!(answer.status, status, "{headers:?}");
        let allowed = if status == 405 { "POST, OPTIONS" } else { "" };
        assert_eq!(answer.header("allow"), allowed);
    }
}

/// The status of a ping in a session.
async fn ping(app: &TestApp, session: &str) -> u16 {
    ask(app, session, &request("ping", json!({}))).await.status
}

#[tokio::test]
async fn a_session_outlives_a_restart_unless_the_key_is_replaced() {
    let app = service().await;
    let session = open(&app, "2025-06-18").await;
    let app = app.restart().await;
    assert_eq!(ping(&app, &session).await, 200);
    let _ = app.sql("update instance set session_key = zeroblob(32)");
    assert_eq!(ping(&app.restart().await, &session).await, 404);
}

#[tokio::test]
async fn hundreds_of_sessions_leave_no_state() {
    let app = service().await;
    let before = contents(&app.path());
    let mut ids = std::collections::BTreeSet::new();
    for _ in 0..300 {
        ids.insert(open(&app, "2025-06-18").await);
    }
    assert_eq!(ids.len(), 300);
    assert!(before == contents(&app.path()), "the database changed");
    // Sessions are not stored, so the first one works like the last.
    for id in [ids.first().unwrap(), ids.last().unwrap()] {
        assert_eq!(ping(&app, id).await, 200);
    }
    let key = "select length(session_key) from instance";
    assert_eq!(app.sql(key), "32");
}
