//! What answers the requests of a server.

use poem::http::{HeaderMap, Method, Uri};
use poem::{Endpoint, Response};

/// An endpoint that may have answers at hand.
pub trait Answers: Endpoint {
    /// The answer that needs nothing but a request's head, and waits for nothing; `None` where the
    /// endpoint is to be called. It is asked before anything is made of the request, which costs
    /// more than such an answer.
    fn at_hand(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> Option<Response> {
        let _ = (method, uri, headers);
        None
    }
}
