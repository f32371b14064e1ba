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
    -- The id at the source, if the review has another one because that id was taken by a review of another source.
    own_id       text,
    primary key (review_id)
) strict, without rowid;
create index review_source_fingerprint on review_source (fingerprint);

-- Deleted reviews, so that neither their rows nor copies from other sources come back unnoticed. Digests only, never a text.
create table deleted_review (
    review_id   text not null,
    source_name text not null,
    location    text,
    own_id      text,
    fingerprint integer not null,
    primary key (review_id)
) strict, without rowid;

-- What the columns of a source's tables mean, where a column could mean two things: decided by the first import that has it.
create table source_column (
    source_name text not null,
    header      text not null,
    meaning     text not null constraint source_column_meaning_known
        check (meaning in ('id', 'row_number', 'day_first', 'month_first')),
    primary key (source_name, header)
) strict, without rowid;

-- `insert or replace` from a shell fires none of these: that is an edit, and what the source said stays.
create trigger source_of_deleted after delete on review begin
    delete from deleted_review where review_id = old.review_id;
    insert into deleted_review (review_id, source_name, location, own_id, fingerprint)
        select review_id, source_name, location, own_id, fingerprint from review_source where review_id = old.review_id;
    delete from review_source where review_id = old.review_id;
end;

create trigger deleted_review_back after insert on review begin
    delete from deleted_review where review_id = new.review_id;
end;

-- Digests are of a review by its id: under another one they say nothing.
create trigger source_of_renamed after update of review_id on review when old.review_id <> new.review_id begin
    delete from review_source where review_id in (old.review_id, new.review_id);
    delete from deleted_review where review_id = new.review_id;
end;

-- Why the owner withheld a review, in words that are not published.
create table review_note (
    review_id text not null,
    note      text not null constraint review_note_given check (note <> ''),
    primary key (review_id)
) strict, without rowid;

create trigger note_of_deleted after delete on review begin
    delete from review_note where review_id = old.review_id;
end;

create trigger note_of_renamed after update of review_id on review when old.review_id <> new.review_id begin
    delete from review_note where review_id = new.review_id;
    update review_note set review_id = new.review_id where review_id = old.review_id;
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
