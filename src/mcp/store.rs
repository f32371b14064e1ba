//! Sessions without server state: the ID contains everything, signed with a key in the database, so sessions outlive a
//! restart, and opening thousands uses no memory. Only sessions that clients ended are remembered, up to a limit.
//!
//! A session ID is not a credential: the service is public.

use std::collections::BTreeSet;
use std::io;
use std::sync::Mutex;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::revision::Revision;
use crate::clock::Clock;
use crate::compute::lock;
use crate::random::Random;
use crate::storage::{AtPath as _, Database, DbError};

/// The sessions of this database, by its key.
///
/// # Errors
/// If the key cannot be read, or is not one.
pub async fn sessions(
    database: &Database,
    clock: Clock,
    random: Random,
) -> Result<Sessions, DbError> {
    let mut reader = database.reader().await?;
    let key = sqlx::query_scalar!("select session_key from instance")
        .fetch_optional(&mut *reader)
        .await
        .at(database.path())?;
    let key = key.flatten().and_then(|key| key.try_into().ok());
    let key = key.ok_or_else(|| DbError::Other {
        path: database.path().to_owned(),
        reason:
            "instance.session_key is not of 32 bytes; set it to unhex('…') of 64 hexadecimal digits"
                .to_owned(),
    })?;
    Ok(Sessions::new(key, clock, random))
}

/// Lifetime of a session from its opening.
const LIFETIME_SECONDS: i64 = 24 * 3_600;
/// HMAC-SHA256.
const KEY_BYTES: usize = 32;
/// Maximum number of ended sessions remembered. Beyond it, those that expire first are forgotten, and their IDs work
/// again until then.
const ENDED_MAX: usize = 10_000;
/// The index of the revision in the list, the end in seconds since 1970, and a nonce.
const CONTENT_BYTES: usize = 1 + 8 + NONCE_BYTES;
const NONCE_BYTES: usize = 16;
const SIGNATURE_BYTES: usize = 32;

/// The content of an ID.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Session {
    ends_at: i64,
    nonce: [u8; NONCE_BYTES],
    pub revision: Revision,
}

#[derive(Debug)]
pub struct Sessions {
    signer: Hmac<Sha256>,
    clock: Clock,
    random: Random,
    ended: Mutex<BTreeSet<Session>>,
}

impl Sessions {
    /// `key` signs the IDs.
    pub fn new(key: [u8; KEY_BYTES], clock: Clock, random: Random) -> Self {
        // Shorter keys are padded with zeros to the hash's block (RFC 2104 §2).
        let mut block = [0; 64];
        block[..KEY_BYTES].copy_from_slice(&key);
        Self {
            signer: Hmac::new(&block.into()),
            clock,
            random,
            ended: Mutex::default(),
        }
    }

    /// Opens a session and returns its ID, in visible ASCII.
    pub fn open(&self, revision: Revision) -> io::Result<String> {
        let mut id = [0; CONTENT_BYTES + SIGNATURE_BYTES];
        let (content, signature) = id.split_at_mut(CONTENT_BYTES);
        content[0] = revision as u8;
        content[1..9].copy_from_slice(&(self.now() + LIFETIME_SECONDS).to_be_bytes());
        content[9..].copy_from_slice(&self.random.bytes_16()?);
        signature.copy_from_slice(&self.sign(content).finalize().into_bytes());
        Ok(URL_SAFE_NO_PAD.encode(id))
    }

    /// The session of that ID, if it is valid, not expired and not ended.
    pub fn find(&self, id: &str) -> Option<Session> {
        let session = self.read(id)?;
        let is_ended = lock(&self.ended).contains(&session);
        (!is_ended && session.ends_at > self.now()).then_some(session)
    }

    /// Returns false if there is no such session.
    pub fn end(&self, id: &str) -> bool {
        let Some(session) = self.find(id) else {
            return false;
        };
        let now = self.now();
        let mut ended = lock(&self.ended);
        while ended
            .first()
            .is_some_and(|first| first.ends_at <= now || ended.len() >= ENDED_MAX)
        {
            ended.pop_first();
        }
        ended.insert(session)
    }

    fn read(&self, id: &str) -> Option<Session> {
        let mut bytes = [0; CONTENT_BYTES + SIGNATURE_BYTES];
        let length = URL_SAFE_NO_PAD.decode_slice(id, &mut bytes).ok()?;
        let (content, signature) = bytes.split_at(CONTENT_BYTES);
        if length != bytes.len() {
            return None;
        }
        // In constant time.
        self.sign(content).verify_slice(signature).ok()?;
        Some(Session {
            revision: *Revision::ALL.get(usize::from(content[0]))?,
            ends_at: i64::from_be_bytes(content[1..9].try_into().ok()?),
            nonce: content[9..].try_into().ok()?,
        })
    }

    fn sign(&self, content: &[u8]) -> Hmac<Sha256> {
        self.signer.clone().chain_update(content)
    }

    fn now(&self) -> i64 {
        self.clock.now().timestamp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sessions(key: u8) -> Sessions {
        let now = "2026-11-20T12:00:00Z".parse().unwrap();
        Sessions::new([key; KEY_BYTES], Clock::manual(now), Random::seeded(7))
    }

    #[test]
    fn an_id_is_visible_ascii_with_the_revision_and_never_repeats() {
        let sessions = sessions(1);
        for revision in Revision::ALL {
            let (one, other) = (
                sessions.open(revision).unwrap(),
                sessions.open(revision).unwrap(),
            );
            assert!(
                one.len() == 76 && one.bytes().all(|byte| byte.is_ascii_graphic()),
                "{one}"
            );
            assert_ne!(one, other);
            assert_eq!(sessions.find(&one).unwrap().revision, revision);
        }
    }

    #[test]
    fn an_id_with_a_changed_character_is_unknown() {
        let sessions = sessions(1);
        let id = sessions.open(Revision::June2025).unwrap();
        for at in 0..id.len() {
            let mut changed = id.clone().into_bytes();
            changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
            assert_eq!(
                sessions.find(std::str::from_utf8(&changed).unwrap()),
                None,
                "{at}"
            );
        }
        for other in [
            &id[1..],
            &id[..75],
            &format!("{id}A"),
            &format!("{id}="),
            "",
            " ",
            "é",
            &"A".repeat(10_000),
        ] {
            assert_eq!(sessions.find(other), None, "{other}");
        }
        assert_eq!(self::sessions(2).find(&id), None, "of another key");
    }

    #[test]
    fn a_session_lasts_a_day() {
        let sessions = sessions(1);
        let id = sessions.open(Revision::June2025).unwrap();
        sessions
            .clock
            .advance(chrono::Duration::seconds(LIFETIME_SECONDS - 1));
        assert!(sessions.find(&id).is_some());
        sessions.clock.advance(chrono::Duration::seconds(1));
        assert!(sessions.find(&id).is_none() && !sessions.end(&id));
    }

    #[test]
    fn ended_sessions_are_remembered_up_to_a_limit_and_lifetime() {
        let sessions = sessions(1);
        let ids: Vec<String> = (0..=ENDED_MAX)
            .map(|_| sessions.open(Revision::June2025).unwrap())
            .collect();
        assert!(ids.iter().all(|id| sessions.end(id)));
        assert!(
            ids.iter().filter(|id| sessions.find(id).is_some()).count() == 1,
            "one more than the bound is one forgotten"
        );
        assert_eq!(sessions.ended.lock().unwrap().len(), ENDED_MAX);
        sessions
            .clock
            .advance(chrono::Duration::seconds(LIFETIME_SECONDS));
        let next = sessions.open(Revision::June2025).unwrap();
        assert!(sessions.end(&next) && !sessions.end(&next));
        assert_eq!(sessions.ended.lock().unwrap().len(), 1);
    }
}
