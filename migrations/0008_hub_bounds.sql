-- What strangers ask for stays bounded: of subscriptions that are over only the newest are kept, found by this index.
create index subscription_over on subscription (state, updated_at) where state in ('rejected', 'removed', 'lapsed');
