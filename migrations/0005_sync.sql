-- What runs of `reviews sync` left. What is fetched, when and with which secrets stands in the operator's file.

create table sync_state (
    -- An entry of the file.
    name             text not null primary key
        constraint sync_state_name_valid check (length(cast(name as blob)) between 1 and 64 and name not glob '*[^A-Za-z0-9_-]*' and instr(name, char(0)) = 0),
    -- An earlier instant written here is obeyed within 30 s; null is due at once.
    next_run_at      text,
    -- Until when the server asked to wait.
    waits_until      text,
    last_success_at  text,
    -- Why the last run failed; null if it succeeded.
    last_failure     text,
    -- A digest of the entry and of its format's file when a run last succeeded; the schedule fetches only the same entry.
    entry_digest     text,
    -- Set by an undo of its run and by a new name of its source: the next one is run by hand.
    held             integer not null default 0 constraint sync_state_held_is_flag check (held in (0, 1)),
    -- Of the last run: the source of its reviews, the format, the rows that wait for the owner's decision, and whether the answer
    -- names a page that nothing reads.
    source           text,
    last_format      text,
    last_doubtful    integer not null default 0,
    has_further_page integer not null default 0 constraint sync_state_has_further_page_is_flag check (has_further_page in (0, 1)),
    -- The validators of the last answer, and a digest of all that said how it was read.
    etag             text,
    last_modified    text,
    reading_digest   text,
    -- The number of reviews that the source says it has, and the day.
    total            integer,
    total_on         text,
    constraint sync_state_texts_are_short check (max(
        length(cast(coalesce(next_run_at, '') as blob)), length(cast(coalesce(waits_until, '') as blob)),
        length(cast(coalesce(last_success_at, '') as blob)), length(cast(coalesce(last_failure, '') as blob)),
        length(cast(coalesce(entry_digest, '') as blob)), length(cast(coalesce(source, '') as blob)),
        length(cast(coalesce(last_format, '') as blob)), length(cast(coalesce(etag, '') as blob)),
        length(cast(coalesce(last_modified, '') as blob)), length(cast(coalesce(reading_digest, '') as blob)),
        length(cast(coalesce(total_on, '') as blob))) <= 8192)
) strict, without rowid;
