//! Hostile or broken receivers: no exchange hangs or fills memory, and each fault has its own error.

use std::time::Duration;

use reviews_service::snapshot::Content;
use reviews_service::websub::http_client::{Answer, Failure};

use super::{IMPATIENCE, Out, PATIENCE, shared};
use crate::support::{Receiver, Reply};

async fn get(receiver: &Receiver, bytes: usize, timeout: Duration) -> Result<Answer, Failure> {
    let egress = Out::to_receivers().egress;
    egress.get(&receiver.url("/cb"), bytes, timeout).await
}

async fn post(receiver: &Receiver, bytes: usize, timeout: Duration) -> Result<Answer, Failure> {
    let body = shared(Content::whole(vec![b'x'; bytes]));
    let (egress, url) = (Out::to_receivers().egress, receiver.url("/cb"));
    egress.post(&url, &[], body, timeout).await
}

async fn receiver_with(reply: Reply) -> Receiver {
    let receiver = Receiver::start().await;
    receiver.always(reply);
    receiver
}

fn named<T: std::fmt::Debug>(result: Result<T, Failure>) -> &'static str {
    let failure = result.unwrap_err();
    assert!(!failure.is_local(), "{failure}");
    failure.name()
}

#[tokio::test]
async fn a_receiver_that_never_answers_times_out() {
    let receiver = receiver_with(Reply::Never).await;
    assert_eq!(named(get(&receiver, 1_024, IMPATIENCE).await), "timed_out");
    assert_eq!(named(post(&receiver, 10, IMPATIENCE).await), "timed_out");
    // On a busy machine a request may not even be sent in that time.
    let requests = receiver.requests().len();
    assert!(requests <= 2, "it is not requested twice: {requests}");
    receiver.all_closed().await;
}

#[tokio::test]
async fn a_receiver_that_sends_slowly_times_out_like_a_silent_one() {
    let receiver = receiver_with(Reply::Drip).await;
    let slow = get(&receiver, 10_000_000, IMPATIENCE).await;
    assert_eq!(named(slow), "timed_out");
    // A delivery ends with its status.
    assert_eq!(post(&receiver, 10, PATIENCE).await.unwrap().status, 200);
    receiver.all_closed().await;
}

#[tokio::test]
async fn an_endless_body_is_too_long_and_a_delivery_does_not_read_it() {
    let receiver = receiver_with(Reply::Endless).await;
    assert_eq!(get(&receiver, 1_024, PATIENCE).await, Err(Failure::TooLong));
    assert_eq!(post(&receiver, 10, PATIENCE).await.unwrap().status, 200);
    receiver.all_closed().await;
    let receiver = receiver_with(Reply::body("x".repeat(1_024))).await;
    let whole = get(&receiver, 1_024, PATIENCE).await.unwrap();
    assert_eq!(whole.body.len(), 1_024);
    assert_eq!(named(get(&receiver, 1_023, PATIENCE).await), "too_long");
}

#[tokio::test]
async fn an_endless_head_is_not_an_answer() {
    for reply in [
        Reply::Fields(10_000),
        Reply::Fields(65),
        Reply::LongField(10_000_000),
        Reply::Garbage,
    ] {
        let receiver = receiver_with(reply.clone()).await;
        for failed in [
            get(&receiver, 1_024, PATIENCE).await,
            post(&receiver, 10, PATIENCE).await,
        ] {
            assert_eq!(named(failed), "protocol", "{reply:?}");
        }
    }
    let receiver = receiver_with(Reply::Fields(60)).await;
    assert_eq!(get(&receiver, 1_024, PATIENCE).await.unwrap().status, 200);
    receiver.always(Reply::Interim);
    assert_eq!(named(get(&receiver, 1_024, IMPATIENCE).await), "timed_out");
}

#[tokio::test]
async fn a_connection_closed_early_fails_and_is_not_retried() {
    let receiver = receiver_with(Reply::Close).await;
    assert_eq!(named(get(&receiver, 1_024, PATIENCE).await), "closed");
    assert_eq!(named(post(&receiver, 10, PATIENCE).await), "closed");
    receiver.always(Reply::CloseInBody);
    assert_eq!(named(get(&receiver, 1_024, PATIENCE).await), "closed");
    // A delivery ends with its status.
    assert_eq!(post(&receiver, 10, PATIENCE).await.unwrap().status, 200);
    assert_eq!((receiver.connections(), receiver.requests().len()), (4, 4));
}
