//! File descriptors: every connection and every callback takes one, and the soft limit that most systems start a process
//! with (1,024) is there for programs that use `select`, which this one does not. So it is raised as far as is allowed.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// As many as are asked for: connections, callbacks in flight, the database's, and room.
const WANTED: u64 = 65_536;
/// What a system may allow that calls its hard limit unlimited, and means less (macOS: `OPEN_MAX`).
const FALLBACK: u64 = 10_240;
/// Below this, callbacks in flight (2,048) and connections (768) may find none left.
const NEEDED: u64 = 4_096;
/// From here on there are enough for more connections than the least.
const PLENTY: u64 = 8_192;
/// How many connections there may be then.
const CONNECTIONS_MAX: usize = 2_048;

/// Raises the soft limit of open files towards the hard one, and says so where that is too low.
pub(super) fn raise() {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    for wanted in targets(current, maximum) {
        if setrlimit(
            Resource::Nofile,
            Rlimit {
                current: Some(wanted),
                maximum,
            },
        )
        .is_ok()
        {
            break;
        }
    }
    // What holds is what the system says, not what it was told.
    if let Some(limit) = getrlimit(Resource::Nofile)
        .current
        .filter(|limit| *limit < NEEDED)
    {
        tracing::warn!(
            limit,
            "process.few_files: the limit of open files is low; raise the hard limit (ulimit -Hn, LimitNOFILE=) to {NEEDED} or more"
        );
    }
}

/// How many connections may be open with the limit that holds: a service that has to send some of its
/// clients away while they rest is busy with their coming back. `least` where descriptors are few.
pub(super) fn connections_max(least: usize) -> usize {
    connections_within(getrlimit(Resource::Nofile).current, least)
}

fn connections_within(limit: Option<u64>, least: usize) -> usize {
    let is_plenty = limit.is_none_or(|limit| limit >= PLENTY);
    if is_plenty { CONNECTIONS_MAX } else { least }
}

/// The limits to try, the best one first; none where there is no need. `None` is unlimited.
fn targets(current: Option<u64>, maximum: Option<u64>) -> impl Iterator<Item = u64> {
    let allowed = move |wanted: u64| maximum.map_or(wanted, |maximum| wanted.min(maximum));
    [WANTED, FALLBACK]
        .map(allowed)
        .into_iter()
        .filter(move |wanted| current.is_some_and(|current| current < *wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_more_connections_where_descriptors_are_plenty() {
        for (limit, expected) in [
            (Some(1_024), 768),
            (Some(PLENTY - 1), 768),
            (Some(PLENTY), CONNECTIONS_MAX),
            (None, CONNECTIONS_MAX),
        ] {
            assert_eq!(connections_within(limit, 768), expected, "{limit:?}");
        }
    }

    #[test]
    fn the_soft_limit_goes_towards_the_hard_one_and_never_down() {
        for (current, maximum, expected) in [
            (Some(1_024), Some(1_048_576), &[WANTED, FALLBACK][..]),
            (Some(1_024), None, &[WANTED, FALLBACK]),
            (Some(256), Some(4_096), &[4_096, 4_096]),
            (Some(1_024), Some(1_024), &[]),
            (Some(20_000), Some(1_048_576), &[WANTED]),
            (Some(100_000), Some(1_048_576), &[]),
            (None, None, &[]),
        ] {
            assert_eq!(
                targets(current, maximum).collect::<Vec<_>>(),
                expected,
                "{current:?} of {maximum:?}"
            );
        }
    }
}
