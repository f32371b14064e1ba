//! Threads for CPU-bound work: publishing, analyzing, aggregating, compressing, and requests that need computing.
//! Accepting connections and sending ready documents never wait for it: jobs use separate threads, limited in number. A
//! request computes for at most about 200 µs before other tasks of its thread run: it yields, or does longer work
//! within [`run_long`].
//!
//! A slot is the right to compute. Jobs get slots first come, first served; requests get theirs in turn by peer, with one
//! extra slot for peers that hold none, so a peer with many requests delays only itself.

use std::collections::HashMap;
use std::future::Future;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use thiserror::Error;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::{block_in_place, spawn_blocking};
use tokio_util::task::TaskTracker;
use tracing::Span;

use crate::config::bounds::PEER_WAITING_MAX;

/// Number of slots for jobs: one per computing job (publish, analyze, compress), so that none waits for another.
const JOBS: usize = 3;

/// Clones share the same slots.
#[derive(Debug, Clone)]
pub struct Compute {
    slots: Arc<Semaphore>,
    /// The slots of requests.
    pub turns: Turns,
    running: TaskTracker,
}

/// The work panicked and was not finished.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("a computation panicked ({0}); report it with the message above")]
pub struct Panicked(String);

/// Too many requests of this peer are waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("too many requests are waiting; try again later")]
pub struct Crowded;

impl Default for Compute {
    /// One slot per job; for requests, one slot per processor (plus one for peers that hold none).
    fn default() -> Self {
        Self::new(
            JOBS,
            std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
        )
    }
}

impl Compute {
    /// `slots` is the number of slots for [`Compute::run`] and [`Compute::drive`], `slots_in_turn` that of
    /// [`Compute::turns`].
    pub fn new(slots: usize, slots_in_turn: usize) -> Self {
        Self {
            slots: Arc::new(Semaphore::new(slots.max(1))),
            turns: Turns::new(slots_in_turn),
            running: TaskTracker::new(),
        }
    }

    /// Runs `work` on another thread. It runs to its end even if the future is dropped; [`Compute::idle`] waits for
    /// it.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Panicked> {
        // The semaphore is never closed.
        let slot = Arc::clone(&self.slots).acquire_owned().await.ok();
        let running = self.running.token();
        // Events in the work belong to the caller's span.
        let span = Span::current();
        let done = spawn_blocking(move || {
            let (_slot, _running) = (slot, running);
            span.in_scope(work)
        });
        done.await.map_err(|error| Panicked(error.to_string()))
    }

    /// Runs a future, which may compute between its waits, on another thread.
    pub async fn drive<F>(&self, work: F) -> Result<F::Output, Panicked>
    where
        F: Future<Output: Send + 'static> + Send + 'static,
    {
        let runtime = Handle::current();
        self.run(move || runtime.block_on(work)).await
    }

    /// Waits until all work has ended.
    pub async fn idle(&self) {
        self.running.close();
        self.running.wait().await;
        self.running.reopen();
    }
}

/// Runs `work` on this thread while another thread takes over the other tasks of this thread. Switching threads costs
/// up to 70 µs of CPU on a busy service, so do short work directly.
pub fn run_long<T>(work: impl FnOnce() -> T) -> T {
    // A runtime with one thread has no other thread to take over.
    match Handle::try_current().map(|runtime| runtime.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => block_in_place(work),
        _ => work(),
    }
}

/// The value of `cell`, which the first call makes. Making it, and waiting for another call that makes it, are [`run_long`].
pub fn made_once<T>(cell: &OnceLock<T>, make: impl FnOnce() -> T) -> &T {
    (cell.get()).unwrap_or_else(|| run_long(|| cell.get_or_init(make)))
}

/// Runs `work` [`run_long`] if it is long, otherwise directly.
pub fn run_long_if<T>(is_long: bool, work: impl FnOnce() -> T) -> T {
    if is_long { run_long(work) } else { work() }
}

/// The network that an address counts for, as a peer: the IPv4 address itself, or the IPv6 network of the first `prefix` bits (1
/// to 128).
pub fn network(address: IpAddr, prefix: u32) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4(address),
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(
            address.to_bits() & (u128::MAX << (128 - prefix)),
        )),
    }
}

/// Slots, granted in turn by peer. Clones share the same slots.
#[derive(Debug, Clone)]
pub struct Turns {
    slots: usize,
    all: Arc<Semaphore>,
    peers: Arc<Mutex<HashMap<IpAddr, Weak<Peer>>>>,
}

/// Alive while a request of the peer holds a slot or waits for one.
#[derive(Debug)]
struct Peer {
    /// All slots but one, which is for peers that hold none.
    own: Arc<Semaphore>,
    /// One request of each peer at a time waits for the slots of all, so that peers take turns.
    next: Semaphore,
}

/// The right to compute; released when dropped.
#[must_use]
#[derive(Debug)]
pub struct Slot {
    _of_all: OwnedSemaphorePermit,
    _own: OwnedSemaphorePermit,
    _peer: Arc<Peer>,
}

impl Turns {
    /// `slots` is the number of slots, besides the one for peers that hold none.
    pub fn new(slots: usize) -> Self {
        let slots = slots.max(1);
        Self {
            slots,
            all: Arc::new(Semaphore::new(slots + 1)),
            peers: Arc::default(),
        }
    }

    /// Waits for a slot. Dropping the future removes the request from the queue.
    ///
    /// # Errors
    /// If too many requests of `peer` are waiting.
    pub async fn slot(&self, peer: IpAddr) -> Result<Slot, Crowded> {
        let peer = self.peer(peer);
        if Arc::strong_count(&peer) > PEER_WAITING_MAX {
            return Err(Crowded);
        }
        let own = Arc::clone(&peer.own).acquire_owned().await;
        let own = own.map_err(|_| Crowded)?;
        let next = peer.next.acquire().await.map_err(|_| Crowded)?;
        let of_all = Arc::clone(&self.all).acquire_owned().await;
        drop(next);
        Ok(Slot {
            _of_all: of_all.map_err(|_| Crowded)?,
            _own: own,
            _peer: peer,
        })
    }

    fn peer(&self, peer: IpAddr) -> Arc<Peer> {
        let mut peers = lock(&self.peers);
        peers.retain(|_, peer| peer.strong_count() > 0);
        let known = peers.get(&peer).and_then(Weak::upgrade);
        known.unwrap_or_else(|| {
            let new = Arc::new(Peer {
                own: Arc::new(Semaphore::new(self.slots)),
                next: Semaphore::new(1),
            });
            peers.insert(peer, Arc::downgrade(&new));
            new
        })
    }
}

/// Locks `mutex`, even if a thread that held it panicked.
pub fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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

    use super::{Compute, Crowded, Slot, Turns, run_long};

    type Turn<'a> = Pin<Box<dyn Future<Output = Result<Slot, Crowded>> + 'a>>;

    /// A request of peer number `peer`, which waits.
    async fn ask(slots: &Turns, peer: u8) -> Turn<'_> {
        let mut turn: Turn<'_> = Box::pin(slots.slot(IpAddr::from([192, 0, 2, peer])));
        assert!(poll!(&mut turn).is_pending(), "there was a slot");
        turn
    }

    /// The only one of `turns` that got a slot, with its index; fails for none or several.
    async fn grant(turns: &mut Vec<Turn<'_>>) -> (usize, Slot) {
        let mut granted = Vec::new();
        for (index, turn) in turns.iter_mut().enumerate() {
            if let Poll::Ready(slot) = poll!(turn) {
                granted.push((index, slot.unwrap()));
            }
        }
        assert_eq!(granted.len(), 1);
        drop(turns.remove(granted[0].0));
        granted.remove(0)
    }

    /// A slot for peer number `peer`, which must be granted without waiting.
    async fn hold(slots: &Turns, peer: u8) -> Slot {
        let mut turn: Turn<'_> = Box::pin(slots.slot(IpAddr::from([192, 0, 2, peer])));
        let Poll::Ready(slot) = poll!(&mut turn) else {
            panic!("there was no slot")
        };
        slot.unwrap()
    }

    #[tokio::test]
    async fn work_runs_on_other_threads_within_the_number_of_slots() {
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
    async fn futures_run_on_other_threads() {
        let (compute, ours) = (Compute::default(), thread::current().id());
        let theirs = compute.drive(async {
            tokio::task::yield_now().await;
            thread::current().id()
        });
        assert_ne!(theirs.await, Ok(ours));
    }

    #[tokio::test]
    async fn work_that_panics_is_an_error() {
        let panicked = Compute::default().run(|| panic!("on purpose")).await;
        let error = panicked.unwrap_err();
        assert!(error.to_string().contains("report it"), "{error}");
    }

    #[tokio::test]
    async fn abandoned_work_is_awaited_at_the_end() {
        let compute = Compute::new(1, 1);
        let (begin, begun) = mpsc::channel::<()>();
        let done = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&done);
        let mut work = Box::pin(compute.run(move || {
            let _ = begun.recv();
            count.store(1, Ordering::SeqCst);
        }));
        assert!(futures_util::poll!(work.as_mut()).is_pending());
        drop(work);
        begin.send(()).unwrap();
        compute.idle().await;
        assert_eq!(done.load(Ordering::SeqCst), 1);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn other_tasks_of_a_thread_run_while_a_request_is_computed() {
        let (begin, begun) = mpsc::channel::<()>();
        let other = Arc::new(tokio::sync::Notify::new());
        let notified = Arc::clone(&other);
        let mut tasks = tokio::task::JoinSet::new();
        tasks.spawn(async move {
            let work = async move {
                // The thread waits for another task of the only worker, then the work itself waits.
                let _ = run_long(|| begun.recv());
                notified.notified().await;
            };
            let turns = Turns::new(1);
            let _slot = turns.slot([192, 0, 2, 1].into()).await.unwrap();
            work.await;
        });
        tasks.spawn(async move {
            let _ = begin.send(());
            other.notify_one();
        });
        tasks.join_all().await;
    }

    #[tokio::test]
    async fn slots_are_granted_to_peers_in_turn() {
        let slots = Turns::new(1);
        let (mut slot, _spare) = (hold(&slots, 0).await, hold(&slots, 255).await);
        let mut turns = Vec::new();
        for peer in [1, 1, 1, 2, 3, 1, 2] {
            turns.push(ask(&slots, peer).await);
        }
        let mut peers = vec![1, 1, 1, 2, 3, 1, 2];
        let mut order = Vec::new();
        while !turns.is_empty() {
            drop(slot);
            let (index, next) = grant(&mut turns).await;
            order.push(peers.remove(index));
            slot = next;
        }
        assert_eq!(order, [1, 2, 3, 1, 2, 1, 1]);
    }

    #[tokio::test]
    async fn a_dropped_request_frees_the_place_in_the_queue() {
        let slots = Turns::new(1);
        let (slot, _spare) = (hold(&slots, 0).await, hold(&slots, 255).await);
        let first = ask(&slots, 1).await;
        let second = ask(&slots, 2).await;
        let mut turns = vec![ask(&slots, 3).await];
        // One request is dropped while it waits, one after it got its slot.
        drop(first);
        drop(slot);
        drop(second);
        let (_, slot) = grant(&mut turns).await;
        drop(slot);
        drop(hold(&slots, 0).await);
    }

    #[tokio::test]
    async fn an_extra_slot_is_for_a_peer_that_holds_none() {
        let slots = Turns::new(1);
        let _greedy = hold(&slots, 1).await;
        let again = ask(&slots, 1).await;
        let other = hold(&slots, 2).await;
        let mut turns = vec![again, ask(&slots, 3).await];
        drop(other);
        let (index, _third) = grant(&mut turns).await;
        assert_eq!(index, 1, "peer 1 has a slot");
    }
}
