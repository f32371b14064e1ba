-- What sources last said of each review, so that the next import can tell it from what the owner decided since. Written by
-- imports. Digests only, never a text, so that nothing of an erased review stays. No change triggers: what a source said is not
-- published.

create table source_key (
    -- The key of the digests in `review_source.base`, made by the first import.
    only_row integer not null default 1 constraint source_key_is_one check (only_row = 1),
    key      blob not null constraint source_key_has_256_bits check (length(key) = 32),
    primary key (only_row)
) strict, without rowid;

create table review_source (
    review_id    text not null,
    -- The source's own name and the business's location there, even if the owner changed `review.source_name`.
    source_name  text not null,
    location     text,
    -- Set if the source gives instants instead of days. Never published.
    posted_at    text,
    responded_at text,
    -- For each field whose last value is known: its number (one byte), then eight bytes of its digest.
    base         blob not null,
    -- A digest of author, day, rating and text, the same for two sources' copies of one review.
    fingerprint  integer not null,
    -- A digest of author and day.
    author_day   integer not null,
    -- The id at the source, if the review has another one because a review of another source had that id.
    own_id       text,
    primary key (review_id)
) strict, without rowid;
create index review_source_fingerprint on review_source (fingerprint);

create table deleted_review (
    -- Deleted reviews, so that neither their rows, edited ones included, nor copies from other sources come back unnoticed.
    review_id   text not null,
    source_name text not null,
    location    text,
    own_id      text,
    fingerprint integer not null,
    author_day  integer not null,
    primary key (review_id)
) strict, without rowid;

create table source_column (
    -- The meaning of an ambiguous column in a source's tables, decided by the first import that has it; without a header, the
    -- encoding of the source's files.
    source_name text not null,
    header      text not null,
    meaning     text not null constraint source_column_meaning_known
        check (
            meaning in ('id', 'row_number', 'day_first', 'month_first') or meaning glob 'scale_[1-9]*'
            or meaning glob 'encoding_?*'
            or meaning in ('status', 'hidden', 'response.status', 'response.hidden', 'author.status', 'author.hidden', 'nothing')
        ),
    primary key (source_name, header)
) strict, without rowid;

create table calendar (
    -- The time zone in which instants were last converted to days, as an IANA name; a row means that a time zone was ever set.
    only_row  integer not null default 1 constraint calendar_is_one check (only_row = 1),
    time_zone text not null constraint calendar_time_zone_given check (time_zone <> ''),
    primary key (only_row)
) strict, without rowid;

-- `insert or replace` from a shell fires no delete trigger: it is an edit, and what the source said stays.
create trigger source_of_deleted after delete on review begin
    delete from deleted_review where review_id = old.review_id;
    insert into deleted_review (review_id, source_name, location, own_id, fingerprint, author_day)
        select review_id, source_name, location, own_id, fingerprint, author_day from review_source
        where review_id = old.review_id;
    delete from review_source where review_id = old.review_id;
end;

create trigger deleted_review_back after insert on review begin
    delete from deleted_review where review_id = new.review_id;
end;

-- Digests include the review's id, so after a rename they are useless.
create trigger source_of_renamed after update of review_id on review when old.review_id <> new.review_id begin
    delete from review_source where review_id in (old.review_id, new.review_id);
    delete from deleted_review where review_id = new.review_id;
end;
