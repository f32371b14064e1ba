-- What sources said last of each review, so that the next import can tell what its owner has decided since (CONTRACT §2.1).
-- Digests only, never a text: of an erased review nothing may stay. No change triggers: what a source said is not published.

-- What the digests are keyed with: made once, by the first import.
create table source_key (
    only_row integer not null default 1 constraint source_key_is_one check (only_row = 1),
    key      blob not null constraint source_key_has_256_bits check (length(key) = 32),
    primary key (only_row)
) strict, without rowid;

create table review_source (
    review_id    text not null,
    -- As the source calls itself and the firm's location, whatever the owner made of it.
    source_name  text not null,
    location     text,
    -- Instants, RFC 3339 UTC, where the source gives them instead of days. Never published.
    posted_at    text,
    responded_at text,
    -- For each unit whose last value is known: its number (one byte), then eight bytes of its keyed digest.
    base         blob not null,
    -- A keyed digest of author, day, rating and text, the same for two sources' copies of one review.
    fingerprint  integer not null,
    primary key (review_id)
) strict, without rowid;
create index review_source_fingerprint on review_source (fingerprint);

-- `insert or replace` from a shell fires none of these: that is an edit, and what the source said stays.
create trigger source_of_deleted after delete on review begin
    delete from review_source where review_id = old.review_id;
end;

-- Digests are of a review by its id: under another one they say nothing.
create trigger source_of_renamed after update of review_id on review when old.review_id <> new.review_id begin
    delete from review_source where review_id in (old.review_id, new.review_id);
end;

-- In which time zone instants were last made days; a row says that a time zone was ever set. A business whose zone is not
-- the default has set one.
create table calendar (
    only_row  integer not null default 1 constraint calendar_is_one check (only_row = 1),
    -- IANA name.
    time_zone text not null constraint calendar_time_zone_given check (time_zone <> ''),
    primary key (only_row)
) strict, without rowid;
insert into calendar (time_zone) select time_zone from business where time_zone <> 'UTC';

-- Through which change deleted reviews have been erased: from the text index, free pages and the log (CONTRACT §2.1). Without a
-- row nothing has been.
create table erasure (
    only_row  integer not null default 1 constraint erasure_is_one check (only_row = 1),
    change_no integer not null,
    primary key (only_row)
) strict, without rowid;
