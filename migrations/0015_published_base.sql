-- The base URL under which the feeds were published first. The ids of their entries are made of it, so that moving to
-- another base URL gives no reader every entry a second time (RFC 4287 §4.2.6: an id never changes).
-- Emptied by hand, it takes the next base URL that is served under.

create table published_base (
    only     integer primary key constraint published_base_once check (only = 1),
    base_url text not null
) strict;
