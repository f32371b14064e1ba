//! Threads for CPU-bound work: publishing, analyzing, aggregating, compressing, and requests that need computing.
//! Accepting connections and sending ready documents never wait for it: jobs use separate threads, limited in number. A
//! request computes for at most about 100 µs before other tasks of its thread run: it yields, or does longer work
//! within [`apart`].
//!
//! A slot is the right to compute. Jobs get slots first come, first served; requests get theirs in rounds, in which each
//! peer gets one, with one extra slot for peers that hold none, so a peer with many requests delays only itself. A peer
//! that begins to wait and has had no slot in this round precedes those that wait since an earlier one: a client that
//! asks now and then does not wait for a whole round, however many peers ask without pause.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::future::Future;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use thiserror::Error;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::{Semaphore, oneshot};
use tokio::task::{block_in_place, spawn_blocking};
use tokio_util::task::TaskTracker;
use tracing::Span;

/// Number of slots for jobs: one per computing job (publish, analyze, compress), so that none waits for another.
const JOBS: usize = 3;

/// Maximum number of waiting requests of all peers.
const WAITING_MAX: usize = 512;

/// Maximum number of peers in one round that precede those that already wait: ever new addresses do not shut these out.
const PRECEDING_MAX: usize = 64;

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

/// The queue is full, and this peer does not have fewer requests in it than others.
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
    ///
    /// # Errors
    /// If the work panics.
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
    ///
    /// # Errors
    /// If the work panics.
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
pub fn apart<T>(work: impl FnOnce() -> T) -> T {
    // A runtime with one thread has no other thread to take over.
    match Handle::try_current().map(|runtime| runtime.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => block_in_place(work),
        _ => work(),
    }
}

/// The value of `cell`, which the first call makes. Making it, and waiting for another call that makes it, are [`apart`].
pub fn made_once<T>(cell: &OnceLock<T>, make: impl FnOnce() -> T) -> &T {
    (cell.get()).unwrap_or_else(|| apart(|| cell.get_or_init(make)))
}

/// Runs `work` [`apart`] if it is long, otherwise directly.
pub fn apart_if<T>(is_long: bool, work: impl FnOnce() -> T) -> T {
    if is_long { apart(work) } else { work() }
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

/// Slots, granted in rounds by peer. Clones share the same slots.
#[derive(Debug, Clone)]
pub struct Turns {
    slots: usize,
    queues: Arc<Mutex<Queues>>,
}

/// A slot, or an entry in the queue for one; released when dropped.
#[derive(Debug)]
pub struct Slot {
    turns: Turns,
    peer: IpAddr,
    number: u64,
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut queues = lock(&self.turns.queues);
        if queues.holders.remove(&self.number).is_some() {
            queues.give(self.turns.slots);
        } else {
            queues.forget(self.peer, self.number);
        }
    }
}

#[derive(Debug, Default)]
struct Queues {
    next: u64,
    /// The peers that hold slots, by number of the request.
    holders: HashMap<u64, IpAddr>,
    /// The waiting requests of each peer, in order; never an empty queue.
    waiting: HashMap<IpAddr, VecDeque<(u64, oneshot::Sender<()>)>>,
    /// The waiting peers, in the order in which they get a slot.
    order: BTreeMap<QueuePosition, IpAddr>,
    /// The round of the last slot, the peers that have had one in it, and how many of them preceded others.
    round: u64,
    served: HashSet<IpAddr>,
    preceding: usize,
}

/// The place of a waiting peer in the order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct QueuePosition {
    round: u64,
    /// False for those that precede the others of their round.
    has_waited: bool,
    number: u64,
}

impl Turns {
    /// `slots` is the number of slots, besides the one for peers that hold none.
    pub fn new(slots: usize) -> Self {
        Self {
            slots: slots.max(1),
            queues: Arc::default(),
        }
    }

    /// Runs `work` as part of this task as soon as `peer` gets a slot.
    ///
    /// # Errors
    /// If the queue is full.
    pub async fn run<F: Future>(&self, peer: IpAddr, work: F) -> Result<F::Output, Crowded> {
        let _slot = self.slot(peer).await?;
        Ok(work.await)
    }

    /// Waits for a slot. Dropping the future removes the request from the queue.
    ///
    /// # Errors
    /// If the queue is full.
    pub async fn slot(&self, peer: IpAddr) -> Result<Slot, Crowded> {
        let (number, granted) = self.ask(peer).ok_or(Crowded)?;
        let slot = Slot {
            turns: self.clone(),
            peer,
            number,
        };
        // Fails if this request was dropped from the queue in favour of another peer.
        granted.await.map_err(|_| Crowded)?;
        Ok(slot)
    }

    /// The request's number, and a receiver that resolves when it gets a slot; `None` if the queue is full.
    fn ask(&self, peer: IpAddr) -> Option<(u64, oneshot::Receiver<()>)> {
        let mut queues = lock(&self.queues);
        let count: usize = queues.waiting.values().map(VecDeque::len).sum();
        if count >= WAITING_MAX {
            queues.make_room_for(peer)?;
        }
        let (number, (grant, granted)) = (queues.next, oneshot::channel());
        queues.next += 1;
        let queue = queues.waiting.entry(peer).or_default();
        queue.push_back((number, grant));
        if queue.len() == 1 {
            queues.line_up(peer);
        }
        queues.give(self.slots);
        Some((number, granted))
    }
}

impl Queues {
    /// Grants the free slots.
    fn give(&mut self, slots: usize) {
        while let Some(peer) = self.next(slots) {
            let Entry::Occupied(mut queue) = self.waiting.entry(peer) else {
                continue;
            };
            if let Some((number, grant)) = queue.get_mut().pop_front() {
                self.holders.insert(number, peer);
                // If the receiver is gone, its request is being dropped, which releases the slot.
                let _ = grant.send(());
            }
            if queue.get().is_empty() {
                queue.remove();
            } else {
                self.line_up(peer);
            }
        }
    }

    /// Puts a peer that begins to wait, or has just got a slot and waits for another, in the order.
    fn line_up(&mut self, peer: IpAddr) {
        let precedes = !self.served.contains(&peer) && self.preceding < PRECEDING_MAX;
        self.preceding += usize::from(precedes);
        let turn = QueuePosition {
            round: self.round + u64::from(!precedes),
            has_waited: !precedes,
            number: self.next,
        };
        self.next += 1;
        self.order.insert(turn, peer);
    }

    /// Removes the next peer from the order; `None` if it may not have a slot yet.
    fn next(&mut self, slots: usize) -> Option<IpAddr> {
        let mut order = self.order.iter();
        let (turn, peer) = match self.holders.len() {
            held if held < slots => order.next()?,
            held if held == slots => {
                let has_slot = |peer: &IpAddr| self.holders.values().any(|its| its == peer);
                order.find(|(_, peer)| !has_slot(peer))?
            }
            _ => return None,
        };
        let (turn, peer) = (*turn, *peer);
        self.order.remove(&turn);
        if turn.round > self.round || self.order.is_empty() {
            self.round = self.round.max(turn.round);
            self.served.clear();
            self.preceding = 0;
        }
        self.served.insert(peer);
        Some(peer)
    }

    /// Drops the latest request of the peer with the most waiting requests; `None` if `peer` would then have as many.
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
            self.order.retain(|_, its| *its != peer);
        }
    }
}

/// Locks `mutex`, even if a thread that held it panicked.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
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

    use super::{Compute, Crowded, Slot, Turns, WAITING_MAX, apart};

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
    async fn work_runs_on_other_threads_and_never_more_of_it_than_there_are_slots() {
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
        assert_eq!(compute.turns.run(peer, async { 7 }).await, Ok(7));
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
                // The thread waits for another task of the only worker, then the work itself waits.
                let _ = apart(|| begun.recv());
                its.notified().await;
            };
            let done = Turns::new(1).run([192, 0, 2, 1].into(), work).await;
            assert_eq!(done, Ok(()));
        });
        tasks.spawn(async move {
            let _ = begin.send(());
            other.notify_one();
        });
        tasks.join_all().await;
    }

    #[tokio::test]
    async fn slots_are_given_in_turn_by_peer() {
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
    async fn a_request_that_is_dropped_gives_its_turn_up() {
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
    async fn one_more_place_is_for_a_peer_that_has_none() {
        let slots = Turns::new(1);
        let _greedy = hold(&slots, 1).await;
        let again = ask(&slots, 1).await;
        let other = hold(&slots, 2).await;
        let mut turns = vec![again, ask(&slots, 2).await, ask(&slots, 3).await];
        drop(other);
        let (index, other) = grant(&mut turns).await;
        assert_eq!(index, 2, "peer 2 has had a slot in this round");
        drop(other);
        let (index, _third) = grant(&mut turns).await;
        assert_eq!(index, 1, "peer 1 has a slot");
    }

    #[tokio::test]
    async fn a_peer_that_asks_now_and_then_does_not_wait_for_those_that_ask_without_pause() {
        let slots = Turns::new(1);
        let (mut slot, _spare) = (hold(&slots, 0).await, hold(&slots, 255).await);
        let mut turns = Vec::new();
        let mut peers = vec![1, 1, 1, 2, 2, 2, 3, 3, 3];
        for peer in &peers {
            turns.push(ask(&slots, *peer).await);
        }
        let mut order = Vec::new();
        while !turns.is_empty() {
            if order.len() == 4 {
                for _ in 0..2 {
                    peers.push(9);
                    turns.push(ask(&slots, 9).await);
                }
            }
            drop(slot);
            let (index, next) = grant(&mut turns).await;
            order.push(peers.remove(index));
            slot = next;
        }
        // Its second request is for the next round, like those of the others.
        assert_eq!(order, [1, 2, 3, 1, 9, 2, 3, 1, 9, 2, 3]);
    }

    #[tokio::test]
    async fn ever_new_peers_do_not_shut_out_those_that_wait() {
        let slots = Turns::new(1);
        let (mut slot, _spare) = (hold(&slots, 0).await, hold(&slots, 255).await);
        let mut turns = vec![ask(&slots, 1).await, ask(&slots, 1).await];
        drop(slot);
        (_, slot) = grant(&mut turns).await;
        let (mut peer, mut before) = (2, 0);
        loop {
            turns.push(ask(&slots, peer).await);
            drop(slot);
            let (index, next) = grant(&mut turns).await;
            if index == 0 {
                break;
            }
            (peer, before, slot) = (peer + 1, before + 1, next);
        }
        assert!(before <= super::PRECEDING_MAX, "{before} came first");
    }

    #[tokio::test]
    async fn where_too_many_wait_the_peer_with_the_most_is_turned_away() {
        let slots = Turns::new(1);
        let (slot, _spare) = (hold(&slots, 0).await, hold(&slots, 255).await);
        let mut greedy = Vec::new();
        for _ in 0..WAITING_MAX {
            greedy.push(ask(&slots, 1).await);
        }
        let crowded = slots.slot(IpAddr::from([192, 0, 2, 1])).await;
        assert_eq!(crowded.map(drop), Err(Crowded));
        let other = ask(&slots, 2).await;
        let last = greedy.pop().unwrap().await;
        assert_eq!(last.map(drop), Err(Crowded), "it made room");
        drop(slot);
        let mut turns = greedy;
        let (_, slot) = grant(&mut turns).await;
        drop(slot);
        turns = vec![other];
        assert_eq!(grant(&mut turns).await.0, 0, "the other peer is next");
    }
}
