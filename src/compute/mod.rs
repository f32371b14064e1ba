//! Threads for work that takes CPU: publishing, analyzing, aggregating, coding, and what requests
//! ask for that is not ready. Accepting, sending and ready documents never wait for it, so it runs
//! beside the runtime's own threads, and never more of it at once than there are places. Jobs get
//! theirs first come, first served; requests get theirs in turn by peer, and one place more is for
//! peers that have none, so that one peer that asks much waits for itself. Knows nothing of what the work is.

pub mod steps;

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use thiserror::Error;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::{Semaphore, oneshot};
use tokio::task::{block_in_place, spawn_blocking};
use tokio_util::task::TaskTracker;
use tracing::Span;

/// One for each job that computes (publish, analyze, code), so that none waits for another.
const JOBS: usize = 3;

/// Requests that may wait for a place, of all peers together.
const WAITING_MAX: usize = 512;

/// See the head of this file. Cloning shares the same places.
#[derive(Debug, Clone)]
pub struct Compute {
    places: Arc<Semaphore>,
    turns: Arc<Turns>,
    running: TaskTracker,
}

/// The work panicked; what it was about to do is not done.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("a computation panicked ({0}); report it with the message above")]
pub struct Panicked(String);

/// As many requests wait for a place as may, and this peer has not fewer of them than others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("too many requests are waiting; try again later")]
pub struct Crowded;

impl Default for Compute {
    /// A place for each of the jobs, and for requests as many as there are processors (and one more, for peers that have none).
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
        Self {
            places: Arc::new(Semaphore::new(places.max(1))),
            turns: Arc::new(Turns {
                places: places_here.max(1),
                queues: Mutex::default(),
            }),
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

    /// Does `work` on this thread, whose other tasks another one takes over, once it is `peer`'s
    /// turn. The thread waits where the work does.
    ///
    /// # Errors
    /// [`Crowded`].
    pub async fn here<F: Future>(&self, peer: IpAddr, work: F) -> Result<F::Output, Crowded> {
        let _place = self.place(peer).await?;
        let runtime = Handle::current();
        // On a runtime of one thread there is no other that could take over.
        Ok(if runtime.runtime_flavor() == RuntimeFlavor::MultiThread {
            block_in_place(|| runtime.block_on(work))
        } else {
            work.await
        })
    }

    /// The place of [`Compute::here`], once it is `peer`'s turn. Dropping the future gives the turn
    /// up.
    ///
    /// # Errors
    /// [`Crowded`].
    pub async fn place(&self, peer: IpAddr) -> Result<ComputePlace, Crowded> {
        let (number, granted) = self.turns.ask(peer).ok_or(Crowded)?;
        let place = ComputePlace {
            turns: Arc::clone(&self.turns),
            peer,
            number,
        };
        // It fails where this one made room for another peer.
        granted.await.map_err(|_| Crowded)?;
        Ok(place)
    }

    /// Returns once nothing runs any more.
    pub async fn idle(&self) {
        self.running.close();
        self.running.wait().await;
        self.running.reopen();
    }
}

/// The right to compute, or a turn that is waited for; given up when dropped.
#[derive(Debug)]
pub struct ComputePlace {
    turns: Arc<Turns>,
    peer: IpAddr,
    number: u64,
}

impl Drop for ComputePlace {
    fn drop(&mut self) {
        self.turns.leave(self.peer, self.number);
    }
}

/// Places that are given in turn by peer.
#[derive(Debug)]
struct Turns {
    places: usize,
    queues: Mutex<Queues>,
}

#[derive(Debug, Default)]
struct Queues {
    next: u64,
    /// Those that have a place: their numbers, and their peers.
    holders: HashMap<u64, IpAddr>,
    /// Those of each peer that wait, in the order in which they came; never an empty queue.
    waiting: HashMap<IpAddr, VecDeque<(u64, oneshot::Sender<()>)>>,
    /// The peers that wait, in the order of their turns.
    order: VecDeque<IpAddr>,
}

impl Turns {
    /// A number, and what resolves when it has a place; `None` where the queue is full.
    fn ask(&self, peer: IpAddr) -> Option<(u64, oneshot::Receiver<()>)> {
        let mut queues = self.lock();
        let count: usize = queues.waiting.values().map(VecDeque::len).sum();
        if count >= WAITING_MAX {
            queues.make_room_for(peer)?;
        }
        let (number, (grant, granted)) = (queues.next, oneshot::channel());
        queues.next += 1;
        let queue = queues.waiting.entry(peer).or_default();
        queue.push_back((number, grant));
        if queue.len() == 1 {
            queues.order.push_back(peer);
        }
        queues.give(self.places);
        Some((number, granted))
    }

    fn leave(&self, peer: IpAddr, number: u64) {
        let mut queues = self.lock();
        if queues.holders.remove(&number).is_some() {
            queues.give(self.places);
        } else {
            queues.forget(peer, number);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queues> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queues {
    /// Gives the places that are free.
    fn give(&mut self, places: usize) {
        while let Some(peer) = self.next(places) {
            let Entry::Occupied(mut queue) = self.waiting.entry(peer) else {
                continue;
            };
            if let Some((number, grant)) = queue.get_mut().pop_front() {
                self.holders.insert(number, peer);
                // One that has gone meanwhile gives its place up when it is dropped.
                let _ = grant.send(());
            }
            if queue.get().is_empty() {
                queue.remove();
            } else {
                self.order.push_back(peer);
            }
        }
    }

    /// Takes the peer out of the order whose turn it is; `None` while there is no place for any.
    fn next(&mut self, places: usize) -> Option<IpAddr> {
        let turn = match self.holders.len() {
            held if held < places => 0,
            held if held == places => {
                let has_place = |peer: &IpAddr| self.holders.values().any(|its| its == peer);
                self.order.iter().position(|peer| !has_place(peer))?
            }
            _ => return None,
        };
        self.order.remove(turn)
    }

    /// Turns away the latest one of the peer that has most waiting; `None` where `peer` would then
    /// have as many.
    fn make_room_for(&mut self, peer: IpAddr) -> Option<()> {
        let own = self.waiting.get(&peer).map_or(0, VecDeque::len);
        let longest = self.waiting.iter().max_by_key(|(_, queue)| queue.len());
        let (longest, queue) = longest.filter(|(_, queue)| queue.len() > own + 1)?;
        let (longest, last) = (*longest, queue.back()?.0);
        self.forget(longest, last);
        Some(())
    }

    fn forget(&mut self, peer: IpAddr, number: u64) {
        let Entry::Occupied(mut queue) = self.waiting.entry(peer) else {
            return;
        };
        queue.get_mut().retain(|(its, _)| *its != number);
        if queue.get().is_empty() {
            queue.remove();
            self.order.retain(|its| *its != peer);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future;
    use std::net::IpAddr;
    use std::pin::Pin;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, mpsc};
    use std::task::Poll;
    use std::thread;

    use futures_util::poll;

    use super::{Compute, ComputePlace, Crowded, WAITING_MAX};

    type Turn<'a> = Pin<Box<dyn Future<Output = Result<ComputePlace, Crowded>> + 'a>>;

    /// A request of peer number `peer`, which has asked.
    async fn ask(compute: &Compute, peer: u8) -> Turn<'_> {
        let mut turn: Turn<'_> = Box::pin(compute.place(IpAddr::from([192, 0, 2, peer])));
        assert!(poll!(&mut turn).is_pending(), "there was a place");
        turn
    }

    /// The one of `turns` that has got a place, by its index; more than one or none is a failure.
    async fn grant(turns: &mut Vec<Turn<'_>>) -> (usize, ComputePlace) {
        let mut granted = Vec::new();
        for (index, turn) in turns.iter_mut().enumerate() {
            if let Poll::Ready(place) = poll!(turn) {
                granted.push((index, place.unwrap()));
            }
        }
        assert_eq!(granted.len(), 1);
        drop(turns.remove(granted[0].0));
        granted.remove(0)
    }

    /// A place of peer number `peer`, who does not have to wait for it.
    async fn hold(compute: &Compute, peer: u8) -> ComputePlace {
        let mut turn: Turn<'_> = Box::pin(compute.place(IpAddr::from([192, 0, 2, peer])));
        let Poll::Ready(place) = poll!(&mut turn) else {
            panic!("there was no place")
        };
        place.unwrap()
    }

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
        let peer = IpAddr::from([192, 0, 2, 1]);
        assert_eq!(compute.here(peer, async { 7 }).await, Ok(7));
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

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn while_requests_are_computed_the_other_tasks_of_their_thread_go_on() {
        let (begin, begun) = mpsc::channel::<()>();
        let other = Arc::new(tokio::sync::Notify::new());
        let its = Arc::clone(&other);
        let mut tasks = tokio::task::JoinSet::new();
        tasks.spawn(async move {
            let work = async move {
                // The thread waits for another task of the only worker, then the work itself does.
                let _ = begun.recv();
                its.notified().await;
            };
            let done = Compute::new(1, 1).here([192, 0, 2, 1].into(), work).await;
            assert_eq!(done, Ok(()));
        });
        tasks.spawn(async move {
            let _ = begin.send(());
            other.notify_one();
        });
        tasks.join_all().await;
    }

    #[tokio::test]
    async fn places_are_given_in_turn_by_peer() {
        let compute = Compute::new(1, 1);
        let (mut place, _spare) = (hold(&compute, 0).await, hold(&compute, 255).await);
        let mut turns = Vec::new();
        for peer in [1, 1, 1, 2, 3, 1, 2] {
            turns.push(ask(&compute, peer).await);
        }
        let mut peers = vec![1, 1, 1, 2, 3, 1, 2];
        let mut order = Vec::new();
        while !turns.is_empty() {
            drop(place);
            let (index, next) = grant(&mut turns).await;
            order.push(peers.remove(index));
            place = next;
        }
        assert_eq!(order, [1, 2, 3, 1, 2, 1, 1]);
    }

    #[tokio::test]
    async fn a_request_that_is_dropped_gives_its_turn_up() {
        let compute = Compute::new(1, 1);
        let (place, _spare) = (hold(&compute, 0).await, hold(&compute, 255).await);
        let first = ask(&compute, 1).await;
        let second = ask(&compute, 2).await;
        let mut turns = vec![ask(&compute, 3).await];
        // One while it waits, one that has its place already and does not know.
        drop(first);
        drop(place);
        drop(second);
        let (_, place) = grant(&mut turns).await;
        drop(place);
        drop(hold(&compute, 0).await);
    }

    #[tokio::test]
    async fn one_more_place_is_for_a_peer_that_has_none() {
        let compute = Compute::new(1, 1);
        let _greedy = hold(&compute, 1).await;
        let again = ask(&compute, 1).await;
        let other = hold(&compute, 2).await;
        let mut turns = vec![again, ask(&compute, 2).await, ask(&compute, 3).await];
        drop(other);
        let (index, other) = grant(&mut turns).await;
        assert_eq!(index, 1, "peer 2 came before peer 3");
        drop(other);
        let (index, _third) = grant(&mut turns).await;
        assert_eq!(index, 1, "peer 1 has a place");
    }

    #[tokio::test]
    async fn where_too_many_wait_the_peer_with_the_most_is_turned_away() {
        let compute = Compute::new(1, 1);
        let (place, _spare) = (hold(&compute, 0).await, hold(&compute, 255).await);
        let mut greedy = Vec::new();
        for _ in 0..WAITING_MAX {
            greedy.push(ask(&compute, 1).await);
        }
        let crowded = compute.place(IpAddr::from([192, 0, 2, 1])).await;
        assert_eq!(crowded.map(drop), Err(Crowded));
        let other = ask(&compute, 2).await;
        let last = greedy.pop().unwrap().await;
        assert_eq!(last.map(drop), Err(Crowded), "it made room");
        drop(place);
        let mut turns = greedy;
        let (_, place) = grant(&mut turns).await;
        drop(place);
        turns = vec![other];
        assert_eq!(grant(&mut turns).await.0, 0, "the other peer is next");
    }
}
