-- Imports as runs: `reviews status` lists them, and `reviews undo` takes one back.

create table import_run (
    run_id     integer primary key,
    -- RFC 3339 UTC.
    started_at text not null,
    -- A JSON array of the names of its files, without their folders.
    files      text not null constraint import_run_files_are_json check (json_type(files) = 'array'),
    added      integer not null default 0,
    updated    integer not null default 0,
    unchanged  integer not null default 0,
    withdrawn  integer not null default 0,
    rejected   integer not null default 0,
    -- RFC 3339 UTC; null until it is taken back.
    undone_at  text
) strict;

-- What the last runs added, brought back after a deletion, or withheld as gone at the source. While `review_change` has the
-- same number, nobody has changed the review since.
create table import_run_review (
    run_id    integer not null,
    review_id text not null,
    kind      text not null constraint import_run_review_kind_known check (kind in ('added', 'restored', 'withdrawn')),
    change_no integer not null,
    primary key (run_id, review_id)
) strict, without rowid;

-- Reviews that are gone because an import was taken back. The owner has not deleted them, so an import may bring them again.
create table undone_review (
    review_id text not null,
    primary key (review_id)
) strict, without rowid;

create trigger undone_review_back after insert on review begin
    delete from undone_review where review_id = new.review_id;
end;

create trigger undone_review_renamed after update of review_id on review when old.review_id <> new.review_id begin
    delete from undone_review where review_id = new.review_id;
end;
