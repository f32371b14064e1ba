-- What runs of `reviews sync` left. What is fetched, when and with which secrets stands in the operator's file.

create table sync_state (
    -- An entry of the file.
    name             text not null primary key
        constraint sync_state_name_valid check (length(cast(name as blob)) between 1 and 64 and name not glob '*[^A-Za-z0-9_-]*' and instr(name, char(0)) = 0),
    -- When the next run is due, stored before each run. An earlier instant written here is obeyed within 30 s; null is due at once.
    next_run_at     text,
    -- Until when the server of the last run asked to wait.
    waits_until     text,
    -- How the last run ended: a failure is why, and null after a success.
    last_success_at text,
    last_failure    text,
    -- Set by an undo of its run and by a new name of its source: the next one is run by hand, and an import of it ends the hold.
    held            integer not null default 0 constraint sync_state_held_is_flag check (held in (0, 1)),
    -- What the last import with any says: the source of its reviews, the number that the source says it has, and the day.
    source          text,
    total           integer,
    total_on        text,
    -- Whether the file lacks the entry, whose total then says nothing.
    removed         integer not null default 0 constraint sync_state_removed_is_flag check (removed in (0, 1)),
    -- A JSON object of what only the next run and `sync list` read: `LastImport` in `src/storage/sync.rs`.
    last_import     text not null default '{}' constraint sync_state_last_import_is_json check (json_type(last_import) = 'object'),
    constraint sync_state_texts_are_short check (max(
        length(cast(coalesce(next_run_at, '') as blob)), length(cast(coalesce(waits_until, '') as blob)),
        length(cast(coalesce(last_success_at, '') as blob)), length(cast(coalesce(last_failure, '') as blob)),
        length(cast(coalesce(source, '') as blob)), length(cast(coalesce(total_on, '') as blob)),
        length(cast(last_import as blob))) <= 8192)
) strict, without rowid;
