//! Counts work, so that tests can say how much there is of it: as much for a text of twice the
//! length as its length allows, and none on the thread that accepts. Time says that differently on
//! every machine, so no test asks for it.
//!
//! Compiled for tests and for debugging alone; in a release build nothing is counted.

#[cfg(any(test, debug_assertions))]
thread_local! {
    static TAKEN: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Counts so many steps of this thread: a token looked at, a candidate compared, a review
/// serialised.
#[inline]
pub fn add(count: usize) {
    #[cfg(any(test, debug_assertions))]
    TAKEN.with(|taken| taken.set(taken.get() + count as u64));
    #[cfg(not(any(test, debug_assertions)))]
    let _ = count;
}

/// Counts one step of this thread.
#[inline]
pub fn one() {
    add(1);
}

/// How many steps this thread has taken so far; 0 in a release build.
#[must_use]
pub fn count() -> u64 {
    #[cfg(any(test, debug_assertions))]
    return TAKEN.with(std::cell::Cell::get);
    #[cfg(not(any(test, debug_assertions)))]
    0
}
