-- What the processes on this database share. Written by the service.

create table mcp_key (
    -- The key that signs the sessions of agents, made once, so that they outlive a restart and are valid for every process on this
    -- database. Deleting the row ends all sessions at the next start.
    only_row integer not null default 1 constraint mcp_key_is_one check (only_row = 1),
    key      blob not null constraint mcp_key_has_256_bits check (length(key) = 32),
    primary key (only_row)
) strict, without rowid;

create table guard (
    -- What a write assumes: inserting 0 makes the whole write fail. The next statement deletes the row.
    holds integer not null constraint guard_holds check (holds = 1)
) strict;

-- For databases that many nodes share; empty on one machine.

create table write_marker (
    -- A row for each write of the last hours: a write that is sent again, because its answer was lost, fails whole here.
    marker     text not null constraint write_marker_given check (marker <> ''),
    written_at text not null,
    primary key (marker)
) strict, without rowid;

create table owner_write (
    -- How often the owner's commands wrote. A write that was prepared on a copy is applied only if no other came in between.
    only_row integer not null default 1 constraint owner_write_is_one check (only_row = 1),
    number   integer not null,
    primary key (only_row)
) strict, without rowid;
insert into owner_write (number) values (0);

create table lease (
    -- Which process may do what one does for all: raise versions and send (`sender`), or fetch a source (`sync NAME`).
    name    text not null constraint lease_name_known check (name = 'sender' or name glob 'sync ?*'),
    -- Drawn at random when that process started.
    holder  text not null,
    -- By the clock of the holder.
    ends_at text not null,
    primary key (name)
) strict, without rowid;
