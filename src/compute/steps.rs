//! Counts steps of work in tests and debug builds, so that tests can check the complexity of code without measuring
//! time. Release builds count nothing.

#[cfg(any(test, debug_assertions))]
thread_local! {
    static TAKEN: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Counts steps of this thread, such as a token read, a candidate compared or a review serialised.
#[inline]
pub fn add(count: usize) {
    #[cfg(any(test, debug_assertions))]
    TAKEN.with(|taken| taken.set(taken.get() + count as u64));
    #[cfg(not(any(test, debug_assertions)))]
    let _ = count;
}

#[inline]
pub fn one() {
    add(1);
}

/// The steps of this thread so far; 0 in a release build.
#[must_use]
pub fn count() -> u64 {
    #[cfg(any(test, debug_assertions))]
    return TAKEN.with(std::cell::Cell::get);
    #[cfg(not(any(test, debug_assertions)))]
    0
}
