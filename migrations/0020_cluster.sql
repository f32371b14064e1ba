-- Many nodes (CONTRACT §9): what writes over rqlite's HTTP API need. On one machine these tables stay empty.

-- A row for each write of the last hours: one that is sent once more, because its answer was lost, fails whole here.
create table write_marker (
    marker     text not null constraint write_marker_given check (marker <> ''),
    -- RFC 3339 UTC.
    written_at text not null,
    primary key (marker)
) strict, without rowid;

-- How often the owner's commands wrote. One that was prepared on a copy is applied only where no other came in between.
create table owner_write (
    only_row integer not null default 1 constraint owner_write_is_one check (only_row = 1),
    number   integer not null,
    primary key (only_row)
) strict, without rowid;
insert into owner_write (number) values (0);

-- What a write takes for granted: inserting 0 here makes it fail whole. Rows are deleted by the statement after.
create table guard (
    holds integer not null constraint guard_holds check (holds = 1)
) strict;

-- Which process may do what one does for all: raise versions, and send.
create table lease (
    name    text not null constraint lease_name_known check (name in ('sender')),
    -- Of the process that holds it, drawn at random when it started.
    holder  text not null,
    -- RFC 3339 UTC, by the clock of the holder.
    ends_at text not null,
    primary key (name)
) strict, without rowid;
