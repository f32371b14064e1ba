-- The base URL of the last publication, a loopback one too. `reviews mcp` builds its links from it, because a local agent is
-- configured with the database alone.

create table served_base (
    only     integer primary key constraint served_base_once check (only = 1),
    base_url text not null
) strict;
