//! Threads for work that takes CPU: publishing, analyzing, aggregating, coding. Whoever accepts
//! connections or sends must never wait for it, so it runs beside the runtime's own threads, and
//! never more of it at once than there are places: what is more waits its turn, first come first
//! served. Knows nothing of what the work is.

use std::future::Future;
use std::sync::Arc;

use thiserror::Error;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::Semaphore;
use tokio::task::{block_in_place, spawn_blocking};
use tokio_util::task::TaskTracker;
use tracing::Span;

/// One for each job that computes (publish, analyze, code), so that none waits for another.
const JOBS: usize = 3;

/// See the head of this file. Cloning shares the same places.
#[derive(Debug, Clone)]
pub struct Compute {
    places: Arc<Semaphore>,
    /// For what is asked for: it waits for no job.
    places_here: Arc<Semaphore>,
    running: TaskTracker,
}

/// The work panicked; what it was about to do is not done.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("a computation panicked ({0}); report it with the message above")]
pub struct Panicked(String);

impl Default for Compute {
    /// A place for each of the jobs, and for what is asked for as many as there are processors.
    fn default() -> Self {
        Self::new(
            JOBS,
            std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
        )
    }
}

impl Compute {
    /// So many places for [`Compute::run`] and [`Compute::drive`], and so many for
    /// [`Compute::here`].
    #[must_use]
    pub fn new(places: usize, places_here: usize) -> Self {
        let semaphore = |places: usize| Arc::new(Semaphore::new(places.max(1)));
        Self {
            places: semaphore(places),
            places_here: semaphore(places_here),
            running: TaskTracker::new(),
        }
    }

    /// Does `work` on a thread of its own. It is done to its end even where nobody waits for it any
    /// more; [`Compute::idle`] does.
    ///
    /// # Errors
    /// [`Panicked`].
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Panicked> {
        // The semaphore is never closed.
        let place = Arc::clone(&self.places).acquire_owned().await.ok();
        let running = self.running.token();
        // What is logged there belongs to what is logged here.
        let span = Span::current();
        let done = spawn_blocking(move || {
            let (_place, _running) = (place, running);
            span.in_scope(work)
        });
        done.await.map_err(|error| Panicked(error.to_string()))
    }

    /// Does work that computes between what it waits for, on a thread of its own.
    ///
    /// # Errors
    /// [`Panicked`].
    pub async fn drive<F>(&self, work: F) -> Result<F::Output, Panicked>
    where
        F: Future<Output: Send + 'static> + Send + 'static,
    {
        let runtime = Handle::current();
        self.run(move || runtime.block_on(work)).await
    }

    /// Does `work` at once on this thread, whose other tasks another one takes over. For what is
    /// asked for: the answer is waited for by this task alone.
    pub async fn here<T>(&self, work: impl FnOnce() -> T) -> T {
        let _place = self.places_here.acquire().await.ok();
        // On a runtime of one thread there is no other that could take over.
        if Handle::current().runtime_flavor() == RuntimeFlavor::MultiThread {
            block_in_place(work)
        } else {
            work()
        }
    }

    /// Returns once nothing runs any more.
    pub async fn idle(&self) {
        self.running.close();
        self.running.wait().await;
        self.running.reopen();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, mpsc};
    use std::thread;

    use super::Compute;

    #[tokio::test]
    async fn work_runs_on_other_threads_and_never_more_of_it_than_there_are_places() {
        let compute = Compute::new(2, 1);
        let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let ours = thread::current().id();
        let work = || {
            let (running, most) = (Arc::clone(&running), Arc::clone(&most));
            compute.run(move || {
                most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                (0..200).for_each(|_| thread::yield_now());
                running.fetch_sub(1, Ordering::SeqCst);
                thread::current().id()
            })
        };
        let done = futures_util::future::join_all((0..20).map(|_| work())).await;
        assert!(done.into_iter().all(|thread| thread.unwrap() != ours));
        assert!(most.load(Ordering::SeqCst) <= 2, "{most:?} at once");
    }

    #[tokio::test]
    async fn futures_are_driven_elsewhere_and_panics_are_told() {
        let (compute, ours) = (Compute::default(), thread::current().id());
        let theirs = compute.drive(async {
            tokio::task::yield_now().await;
            thread::current().id()
        });
        assert_ne!(theirs.await, Ok(ours));
        let error = compute.run(|| panic!("on purpose")).await.unwrap_err();
        assert!(error.to_string().contains("report it"), "{error}");
        assert_eq!(compute.here(|| 7).await, 7);
    }

    #[tokio::test]
    async fn what_nobody_waits_for_any_more_is_waited_for_at_the_end() {
        let compute = Compute::new(1, 1);
        let (begin, begun) = mpsc::channel::<()>();
        let done = Arc::new(AtomicUsize::new(0));
        let its = Arc::clone(&done);
        let mut work = Box::pin(compute.run(move || {
            let _ = begun.recv();
            its.store(1, Ordering::SeqCst);
        }));
        assert!(futures_util::poll!(work.as_mut()).is_pending());
        drop(work);
        begin.send(()).unwrap();
        compute.idle().await;
        assert_eq!(done.load(Ordering::SeqCst), 1);
    }
}
