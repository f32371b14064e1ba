-- Imports as runs: `reviews status` lists them, and `reviews undo` takes one back. Written by imports.

create table import_run (
    run_id      integer primary key,
    started_at  text not null,
    -- A JSON array of the names of its files, without their folders.
    files       text not null constraint import_run_files_are_json check (json_type(files) = 'array'),
    -- A JSON array of the sources of its reviews: former values are kept for the last runs of each source.
    sources     text not null constraint import_run_sources_are_json check (json_type(sources) = 'array'),
    -- Formats that it kept with sources: a JSON array of objects with `source`, `before` and `after`, null where there is none.
    formats     text not null default '[]' constraint import_run_formats_are_json check (json_type(formats) = 'array'),
    -- Reviews, by what the run did to them.
    added       integer not null default 0,
    updated     integer not null default 0,
    unchanged   integer not null default 0,
    withdrawn   integer not null default 0,
    rejected    integer not null default 0,
    -- Rows that may be another review or an edited one, and are not imported until the owner decides.
    doubtful    integer not null default 0,
    -- A JSON array: members of its files that were passed over.
    unread      text not null default '[]' constraint import_run_unread_is_json check (json_type(unread) = 'array'),
    -- Null until all of it is taken back.
    undone_at   text,
    -- Whether the former values of its reviews are kept, without which it cannot be taken back.
    is_kept     integer not null default 1 constraint import_run_is_kept_is_0_or_1 check (is_kept in (0, 1)),
    -- The entry of the sync file that was fetched, and whether it ran on its schedule.
    sync_entry  text,
    scheduled   integer not null default 0
) strict;

create table import_run_review (
    -- What the last runs did to each review.
    run_id           integer not null,
    review_id        text not null,
    kind             text not null constraint import_run_review_kind_known
        check (kind in ('added', 'restored', 'changed', 'deleted')),
    -- The review's change number after the run: nobody has changed the review since while `review_change` has the same. Null until
    -- the run ends, and once the owner decided something about the review.
    change_no        integer,
    -- The review's change number before the run; null if there was none.
    former_change_no integer,
    -- The former values of a changed review, as JSON: `review`, its members that differ, and `source`, its former `review_source`; of
    -- a deleted one, its former `deleted_review`.
    former           text constraint import_run_review_former_is_json check (former is null or json_type(former) = 'object'),
    primary key (run_id, review_id)
) strict, without rowid;
create index import_run_review_id on import_run_review (review_id);
