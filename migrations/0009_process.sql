-- What the service keeps about this database, and what the processes on it share. Written by the service.

create table instance (
    only_row        integer not null default 1 constraint instance_is_one check (only_row = 1),
    -- Which database this is, set when it is created. A restored or exchanged file has another lineage, or smaller change
    -- numbers than those already seen; either means that everything must be read again.
    lineage_id      text,
    -- Whether the reviews are those of a sample business, with which a firm's own never mix.
    is_sample       integer not null default 0 constraint instance_is_sample_is_0_or_1 check (is_sample in (0, 1)),
    -- The time zone that was set last, as an IANA name; null if a time zone was never set: `business.time_zone` is UTC then, too.
    dates_time_zone text constraint instance_time_zone_given check (dates_time_zone <> ''),
    -- The base URL under which the feeds were first published. The ids of their entries are made of it, so that a move to another
    -- base URL gives no reader every entry a second time (RFC 4287 §4.2.6: an id never changes). Set to null by hand, it becomes
    -- the next one that is served.
    first_base_url  text,
    -- That of the last publication, unless it was loopback: `reviews mcp` makes its links of it, because a local agent is configured
    -- with the database alone.
    last_base_url   text,
    -- Through which change the text of deleted reviews has been erased from the file: from the text index, unused parts of pages
    -- and the log. Null if none has been; a number above the newest change counts
    -- as null.
    erased_change_no integer,
    -- The number of the last write of an owner's command, by which another one that read before notices it. If many nodes share the
    -- database, each adds a number drawn at random: a command works on a copy, and its write is applied only to the state of that copy.
    owner_writes    integer not null default 0,
    primary key (only_row)
) strict, without rowid;

create table lease (
    -- If many nodes share the database: which process may do what one does for all, raise versions and send (`sender`), or fetch
    -- an entry (`sync NAME`).
    name    text not null constraint lease_name_known check (name = 'sender' or name glob 'sync ?*'),
    -- Drawn at random: the sender's when its process started, an entry's for each run.
    holder  text not null,
    -- By the clock of the holder.
    ends_at text not null,
    -- Raised by each write of the sender, so that it can tell whether this node's file has it.
    writes  integer not null default 0,
    primary key (name)
) strict, without rowid;
