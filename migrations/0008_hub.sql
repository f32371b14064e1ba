-- The WebSub hub. A subscription is due while what it has (`delivered_version`) is behind `publication.version`: there is no
-- queue, and a crash loses nothing. Written by the service. Instants have milliseconds, so that they compare as texts.

create table subscription (
    subscription_id   integer primary key,
    -- The topic's document, not its URL: a new base URL orphans nobody.
    document          text not null
        constraint subscription_document_known check (document in ('reviews', 'json_feed', 'atom_feed')),
    -- As requested, and as compared (WebSub §5.1: percent-encoded unreserved characters decoded).
    callback          text not null,
    callback_key      text not null,
    host              text not null,
    state             text not null
        constraint subscription_state_known check (state in ('pending', 'active', 'rejected', 'removed', 'lapsed')),
    -- Needed in clear to sign (WebSub §7.1); never shown and never logged.
    secret            text constraint subscription_secret_short check (secret is null or length(cast(secret as blob)) < 200),
    lease_ends_at     text,
    delivered_version integer not null default 0,
    -- Failed attempts in a row.
    failures          integer not null default 0 constraint subscription_failures_counted check (failures between 0 and 3),
    -- When to try again after a failure; null for at once.
    next_attempt_at   text,
    last_attempt_at   text,
    -- Its result: an HTTP status, or why there was none.
    last_outcome      text,
    created_at        text not null,
    updated_at        text not null,
    constraint subscription_once unique (document, callback_key),
    constraint subscription_active_has_lease check (state <> 'active' or lease_ends_at is not null)
) strict;
create index subscription_due on subscription (state, document, delivered_version);
create index subscription_host on subscription (host, state);
-- Only the newest ended subscriptions are kept, so that requests of strangers cannot fill the file.
create index subscription_over on subscription (state, updated_at) where state in ('rejected', 'removed', 'lapsed');

create table intent (
    -- A request that is not verified yet: the newest of its mode. Until it is verified nothing changes.
    subscription_id integer not null references subscription (subscription_id) on delete cascade,
    mode            text not null constraint intent_mode_known check (mode in ('subscribe', 'unsubscribe')),
    callback        text not null,
    secret          text constraint intent_secret_short check (secret is null or length(cast(secret as blob)) < 200),
    lease_seconds   integer not null constraint intent_lease_positive check (lease_seconds > 0),
    -- Numbers the requests of a subscription. One that is verified ends the older ones; the outcome of one that was replaced no
    -- longer matters.
    serial          integer not null,
    -- The published version when the request was accepted: a new subscription gets what comes after it.
    version         integer not null,
    attempts        integer not null default 0,
    next_attempt_at text not null,
    requested_at    text not null,
    -- The network that sent the request, and the one to which the callback leads, if known: each has a share of the places.
    client_network   text,
    callback_network text,
    primary key (subscription_id, mode)
) strict;
create index intent_due on intent (next_attempt_at);
