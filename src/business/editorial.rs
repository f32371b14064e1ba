//! What the firm itself writes beside its reviews.

/// What the firm writes beside its reviews: a summary and an FAQ.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Editorial {
    /// A summary in the firm's own words.
    pub summary: Option<String>,
    /// Questions and answers, in the firm's own order.
    pub faq: Vec<Question>,
}

/// One question that customers ask, with the firm's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// Its id, unique and stable.
    pub id: String,
    /// The question as a customer asks it.
    pub question: String,
    /// The firm's answer to it, plain text.
    pub answer: String,
}
