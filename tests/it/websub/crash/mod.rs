//! Kills of the hub at any moment: no accepted request is lost, no subscriber misses the current content, and only
//! unrecorded deliveries are repeated.

#![expect(
    clippy::print_stdout,
    reason = "it prints the number of repeated deliveries"
)]

mod rig;

use std::collections::HashSet;

use rig::{IN_FLIGHT_MAX, Rig, SUBSCRIBERS, UNRECORDED_MAX};

use crate::support::Generator;

/// The number of kills during requests and verifications, and during deliveries; `tests/cluster/kills --file` does hundreds.
const KILLS_AMID_VERIFYING: usize = 5;
const KILLS_AMID_FAN_OUT: usize = 6;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_kill_loses_no_request_or_change_and_repeats_little() {
    let mut random = Generator::new(0x51_6B_11);
    let mut rig = Rig::start().await;
    let twice_verified = verifying(&mut rig, &mut random).await;
    let (mut delivered, mut twice_delivered) = (0, 0);
    for round in 0..KILLS_AMID_FAN_OUT / 2 {
        let (sent, twice) = fan_out(&mut rig, &mut random, round).await;
        delivered += sent;
        twice_delivered += twice;
    }
    println!(
        "{} kills: {SUBSCRIBERS} of {SUBSCRIBERS} requests verified, {twice_verified} asked again; {delivered} deliveries, {twice_delivered} of them again",
        KILLS_AMID_VERIFYING + KILLS_AMID_FAN_OUT
    );
}

/// Subscribes all callbacks despite repeated kills. Returns the number of repeated verifications.
async fn verifying(rig: &mut Rig, random: &mut Generator) -> usize {
    let per_round = SUBSCRIBERS / KILLS_AMID_VERIFYING;
    for round in 0..KILLS_AMID_VERIFYING {
        let before = rig.asked();
        for number in round * per_round..(round + 1) * per_round {
            rig.subscribe(number);
        }
        rig.asked_at_least(before + random.below(per_round + 1))
            .await;
        rig.kill_and_start();
    }
    rig.all_active();
    let asked = rig.asked();
    let again = asked - SUBSCRIBERS;
    assert!(
        again <= KILLS_AMID_VERIFYING * (UNRECORDED_MAX + IN_FLIGHT_MAX),
        "{again} were verified again"
    );
    again
}

/// Makes two changes with kills during their deliveries, until all callbacks have the last one. Returns the number of
/// deliveries, and that of repeated ones.
async fn fan_out(rig: &mut Rig, random: &mut Generator, round: usize) -> (usize, usize) {
    rig.forget();
    let mut last = String::new();
    for kill in 0..2 {
        last = format!("round {round} change {kill}");
        rig.change(&last);
        rig.delivered_at_least(&last, random.below(SUBSCRIBERS * 9 / 10))
            .await;
        rig.kill_and_start();
    }
    rig.all_have(&last).await;
    rig.all_recorded();
    let deliveries = rig.deliveries();
    let distinct: HashSet<&(String, String)> = deliveries.iter().collect();
    let twice = deliveries.len() - distinct.len();
    assert!(
        twice <= 2 * (UNRECORDED_MAX + IN_FLIGHT_MAX),
        "round {round}: {twice} deliveries were repeated"
    );
    assert_eq!(
        distinct
            .iter()
            .filter(|(_, content)| *content == last)
            .count(),
        SUBSCRIBERS
    );
    (deliveries.len(), twice)
}
