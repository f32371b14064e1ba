-- The hub's subscriptions. A subscription is due while delivered_version is behind publication.version.
create table subscription (
    subscription_id   integer primary key,
    -- The topic's document, not its URL: a new base URL orphans nobody.
    document          text not null
        constraint subscription_document_known check (document in ('reviews', 'json_feed', 'atom_feed')),
    callback          text not null,
    state             text not null
        constraint subscription_state_known check (state in ('pending', 'active', 'rejected', 'removed', 'lapsed')),
    -- Needed in clear to sign (W3C WebSub §7.1); never shown and never logged.
    secret            text constraint subscription_secret_short check (secret is null or length(cast(secret as blob)) < 200),
    lease_ends_at     text,
    delivered_version integer not null default 0,
    failures          integer not null default 0 constraint subscription_failures_counted check (failures between 0 and 3),
    next_attempt_at   text,
    created_at        text not null,
    updated_at        text not null,
    constraint subscription_once unique (document, callback)
) strict;
