//! Bounds on what strangers send and make the service hold, each with its unit. What an operator may want to change is a
//! setting (`config`); files of the owner are bounded where they are read.

// Requests.

/// Open connections in all: high, because closing idle connections of active clients costs reconnections.
pub const CONNECTIONS_MAX: usize = 2_048;
/// Bytes of a request's head. hyper allows 100 header fields.
pub const HEAD_BYTES_MAX: usize = 32 * 1024;
/// Bytes of a request's target: the longest `query` is 1,000 characters of four bytes, each percent-encoded, plus other
/// parameters (RFC 9110 §4.1 asks for at least 8,000).
pub const TARGET_BYTES_MAX: usize = 16 * 1024;
/// Unsent bytes that the system buffers per client. It reports progress in steps of about this size; with its default
/// (4 MiB and more) a steady slow reader would look stalled, and every stalled reader would hold that much memory.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub const UNSENT_BYTES_MAX: u32 = 128 * 1024;
/// Requests of one peer that compute or wait for their turn.
pub const PEER_WAITING_MAX: usize = 64;
/// Characters of `query`.
pub const QUERY_CHARACTERS_MAX: usize = 1_000;
/// Reviews on a page, and in a frame of another site.
pub const LIMIT_MAX: u8 = 100;
pub const EMBED_LIMIT_MAX: u8 = 20;

// What answers and logs repeat of a request.

/// Characters of a wrong value.
pub const ECHO_CHARACTERS_MAX: usize = 200;
/// Names of ignored parameters.
pub const IGNORED_MAX: usize = 20;

// Messages of agents (MCP).

/// Bytes of a message: a call names a tool and some filters. Parsed, the smallest values of so many bytes take 6 MiB.
pub const MESSAGE_BYTES_MAX: usize = 64 * 1024;

// Requests to the hub.

/// Bytes of a request to the hub. Even a callback of more than 2,048 characters that are all escaped fits, so that its error
/// names the callback.
pub const HUB_BODY_BYTES_MAX: usize = 32 * 1_024;
/// Bytes of a secret; W3C WebSub §5.1: "MUST be less than 200 bytes".
pub const SECRET_BYTES_MAX: usize = 199;
/// Bytes of a callback's URL, and of the name of its host and of a label in it (RFC 1035 §2.3.4).
pub const CALLBACK_BYTES_MAX: usize = 2_048;
pub const HOST_BYTES_MAX: usize = 253;
pub const HOST_LABEL_BYTES_MAX: usize = 63;
/// Hosts, networks or sources of which one limit keeps count; more are refused until one of them is free again.
pub const LIMITED_KEYS_MAX: usize = 50_000;
/// Rejected, removed and lapsed subscriptions that are kept, of each: any client can create them, and each takes 4 KB.
pub const ENDED_MAX: i64 = 1_000;

// What callbacks answer.

/// Exchanges at once, so many that hosts that hang leave room for others, and of them with one host.
pub const EXCHANGES_MAX: usize = 1_024;
pub const HOST_EXCHANGES_MAX: usize = 4;
/// Lookups of names at once. A lookup in the C library cannot be interrupted and blocks one of the runtime's 512 threads.
pub const LOOKUPS_MAX: usize = 64;
/// Addresses of a name that are tried; further ones are only checked.
pub const ADDRESSES_TRIED_MAX: usize = 8;
/// Header fields of an answer.
pub const ANSWER_FIELDS_MAX: usize = 64;
/// Bytes of an answer to a verification: a challenge has 64 characters, and a longer body cannot match.
pub const CHALLENGE_BODY_BYTES_MAX: usize = 1_024;
