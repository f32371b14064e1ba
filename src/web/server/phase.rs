//! Where a connection stands between two requests: the one thing that the socket's side and the
//! handler's side of hyper both need to know. Both run in the connection's own task, so the order
//! of memory accesses does not matter.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

/// A place in the cycle of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Phase {
    /// Connected; nothing has come yet.
    New,
    /// An answer has gone out whole; nothing of a next request has come yet.
    Idle,
    /// A request's head has begun.
    Head,
    /// The handler has the request, or its answer is being made.
    Answering,
    /// The whole answer is with hyper, but perhaps not yet with the system.
    Answered,
}

impl Phase {
    /// Whether no request is with the handler. What hyper writes then is an error of its own
    /// making.
    pub(super) const fn is_reading(self) -> bool {
        match self {
            Self::New | Self::Idle | Self::Head => true,
            Self::Answering | Self::Answered => false,
        }
    }
}

/// The phase of one connection, shared within its task.
#[derive(Debug)]
pub(super) struct Cycle {
    phase: AtomicU8,
    /// How long the last request said its body is; the greatest number where it did not say.
    body_bytes: AtomicU64,
}

impl Cycle {
    pub(super) const fn new() -> Self {
        Self {
            phase: AtomicU8::new(Phase::New as u8),
            body_bytes: AtomicU64::new(0),
        }
    }

    pub(super) fn phase(&self) -> Phase {
        const IN_ORDER: [Phase; 5] = [
            Phase::New,
            Phase::Idle,
            Phase::Head,
            Phase::Answering,
            Phase::Answered,
        ];
        IN_ORDER[usize::from(self.phase.load(Ordering::Relaxed))]
    }

    pub(super) fn enter(&self, phase: Phase) {
        self.phase.store(phase as u8, Ordering::Relaxed);
    }

    /// Notes how long a request says that its body is.
    pub(super) fn expect_body(&self, bytes: Option<u64>) {
        self.body_bytes
            .store(bytes.unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    pub(super) fn body_bytes(&self) -> Option<u64> {
        Some(self.body_bytes.load(Ordering::Relaxed)).filter(|bytes| *bytes != u64::MAX)
    }
}
