-- The reviews as they are published, what each was recorded to be about, and what follows a change of one. Written by imports, by the owner's commands, and
-- by anybody with `sqlite3`: most columns have a default, so that a row typed into a shell is short.

create table review (
    review_id           text not null
        constraint review_id_well_formed check (
            length(cast(review_id as blob)) between 1 and 128
            and review_id not glob '*[^A-Za-z0-9._~=-]*'
            and instr(review_id, char(0)) = 0)
        -- In the path of a URL `.` and `..` are steps (RFC 3986 §3.3), and /api/reviews/search is the search.
        constraint review_id_not_reserved check (review_id not in ('.', '..', 'search')),
    -- Stars.
    rating              integer not null constraint review_rating_in_1_to_5 check (rating between 1 and 5),
    -- date(…, '+0 days') gives another text, or null, for what is no day.
    reviewed_on         text not null
        constraint review_date_is_a_day check (reviewed_on is date(reviewed_on, '+0 days'))
        -- As for imports, which would reject an earlier one in an export.
        constraint review_date_from_1995 check (reviewed_on >= '1995-01-01'),
    author              text not null default 'Anonymous'
        constraint review_author_given check (trim(author, ' ' || char(9, 10, 13)) <> ''),
    title               text,
    -- May be empty: stars without words are a review too.
    text                text not null default '',
    status              text not null default 'published'
        constraint review_status_known check (status in ('published', 'withheld')),
    -- Why a withheld review does not appear; counted by reason in /reviews.json.
    withheld_reason     text,
    -- The owner's words on a withheld review. Never published.
    note                text constraint review_note_given check (note <> ''),
    -- BCP 47, for example en or es-MX.
    language            text
        constraint review_language_has_subtags check (
            language is null
            or language glob '[A-Za-z]*'
            and language not glob '*[^A-Za-z0-9-]*'
            and language || '-' not glob '*--*'
            and language not glob '*[^-][^-][^-][^-][^-][^-][^-][^-][^-]*'),
    source_name         text not null default 'Direct' constraint review_source_given check (source_name <> ''),
    source_url          text
        constraint review_source_url_is_of_web check (
            lower(source_url) glob 'http://[^/?#]*' or lower(source_url) glob 'https://[^/?#]*' or source_url is null),
    -- Who verified that it is from a customer: a job, a platform or an invitation; for `manual` ones only the business vouches, and
    -- null means that nobody does.
    verification        text default 'manual'
        constraint review_verification_known
            check (verification in ('job_match', 'source_platform', 'invite', 'manual')),
    verified_at         text
        constraint review_verified_at_is_utc
            check (verified_at is null or (verified_at glob '????-??-??T??:??:??*Z' and julianday(verified_at) is not null)),
    -- The business's answer.
    reply_text       text,
    reply_on         text
        constraint review_reply_date_is_a_day check (reply_on is null or reply_on is date(reply_on, '+0 days')),
    reply_author     text,
    -- When it last changed visibly. Programs that do not set it need not: see `review_change.observed_at`.
    updated_at          text
        constraint review_updated_at_is_utc
            check (updated_at is null or (updated_at glob '????-??-??T??:??:??*Z' and julianday(updated_at) is not null)),
    primary key (review_id),
    -- SQLite's text index, and many programs, read a text only up to a NUL.
    constraint review_has_no_nul
        check (instr(author || text || source_name || coalesce(title, '') || coalesce(withheld_reason, '')
            || coalesce(note, '') || coalesce(reply_text, '') || coalesce(reply_author, ''), char(0)) = 0),
    constraint review_published_is_vouched_for check (status = 'withheld' or verification is not null),
    -- The service holds all of them in memory. A row of an import has at most 1 MiB.
    constraint review_within_2_mib
        check (length(cast(author as blob)) + length(cast(text as blob)) + length(cast(source_name as blob))
            + length(cast(coalesce(title, '') || coalesce(withheld_reason, '') || coalesce(note, '') || coalesce(language, '')
                || coalesce(source_url, '') || coalesce(reply_text, '') || coalesce(reply_author, '') as blob)) <= 2097152)
) strict, without rowid;

-- Newest first, as everything is published.
create index review_newest on review (status, reviewed_on desc, review_id);

create table mention (
    -- Whom or what a review was recorded to mention. No foreign keys: people leave, services end, and their reviews stay.
    review_id text not null,
    kind      text not null constraint mention_kind_known check (kind in ('technician', 'service', 'service_area')),
    -- A technician's full name, a service's id, or an area's name.
    value     text not null
        constraint mention_value_given check (value <> '')
        constraint mention_value_within_1_mib check (length(cast(value as blob)) <= 1048576),
    primary key (review_id, kind, value)
) strict, without rowid;

-- What changed, and the text index. Triggers keep both, whoever writes: the service, or anybody's `sqlite3`. Hence they use
-- built-in functions only and no clock but for the day of a deletion, and no statement of theirs can meet a conflict: `insert or
-- replace` from outside would make every statement inside a trigger replace too, and a replaced row fires no delete trigger. So
-- each trigger updates, or deletes and then inserts `where not exists`.

create table review_change (
    -- A row for every review that there is or was.
    -- Never changes; the rowid in the text index.
    review_no       integer primary key,
    review_id       text not null unique,
    -- From 1, and grows with every change of any review: rows above the number last seen are to be read again. A trigger adds a row
    -- with 0 and numbers it in its next statement.
    change_no       integer not null,
    -- Through which change `updated_at` is known to be right: set by the service's own writes, and by the publisher when it
    -- first sees a change by another program. Null if neither has seen the review.
    bound_change_no integer,
    -- When the publisher first saw a change by another program. What is shown is the later of this and `review.updated_at`.
    observed_at     text
) strict;
create index review_change_newest on review_change (change_no);

-- Substring search from the shell: select review_id from review_fts where review_fts match '"water heater"';
-- It has its own copy of the text, so that a row can be removed without knowing the former text.
create virtual table review_fts using fts5 (text, review_id unindexed, tokenize = 'trigram');

-- What follows when a review is written, deleted or renamed, in all tables that know of it. A source is known by its name as soon as
-- a review has it. An analysis goes when its review is no longer published; one of a changed text stays until the text is analysed,
-- because its hash is another.

create trigger review_inserted after insert on review begin
    insert into review_change (review_id, change_no)
        select new.review_id, 0 where not exists (select 1 from review_change where review_id = new.review_id);
    update review_change set change_no = 1 + (select max(change_no) from review_change) where review_id = new.review_id;
    delete from review_fts where rowid = (select review_no from review_change where review_id = new.review_id);
    insert into review_fts (rowid, text, review_id)
        select review_no, new.text, new.review_id from review_change where review_id = new.review_id;
    delete from deleted_review where review_id = new.review_id;
    delete from derived_analysis where review_id = new.review_id and new.status <> 'published';
    insert into source (name) select new.source_name where not exists (select 1 from source where name = new.source_name);
end;

-- Nothing readable of a deleted review stays. `insert or replace` from a shell does not fire this: it is an edit, and what the
-- source said stays.
create trigger review_deleted after delete on review begin
    update review_change set change_no = 1 + (select max(change_no) from review_change) where review_id = old.review_id;
    delete from review_fts where rowid = (select review_no from review_change where review_id = old.review_id);
    delete from mention where review_id = old.review_id;
    delete from deleted_review where review_id = old.review_id;
    insert into deleted_review (review_id, source_name, imported_from, id_at_source, deleted_on,
            same_author_and_day, same_content, same_text, is_anonymized)
        select old.review_id, old.source_name, nullif(s.source_name, old.source_name), s.id_at_source, date('now'),
            s.same_author_and_day, s.same_content, s.same_text,
            old.author = 'Anonymous' and exists (select 1 from json_each(s.said, '$.decided') where value = 'author')
        from (select 1) left join review_source as s on s.review_id = old.review_id;
    delete from review_source where review_id = old.review_id;
    delete from derived_analysis where review_id = old.review_id;
    update import_run_review set former = null where review_id = old.review_id and former is not null;
end;

-- The old id is gone, the new one is there. Mentions and what its source said go along, with the id that the source has.
create trigger review_renamed after update of review_id on review when old.review_id <> new.review_id begin
    update review_change set change_no = 1 + (select max(change_no) from review_change) where review_id = old.review_id;
    delete from review_fts where rowid = (select review_no from review_change where review_id = old.review_id);
    insert into review_change (review_id, change_no)
        select new.review_id, 0 where not exists (select 1 from review_change where review_id = new.review_id);
    update review_change set change_no = 1 + (select max(change_no) from review_change) where review_id = new.review_id;
    delete from review_fts where rowid = (select review_no from review_change where review_id = new.review_id);
    insert into review_fts (rowid, text, review_id)
        select review_no, new.text, new.review_id from review_change where review_id = new.review_id;
    insert into mention (review_id, kind, value)
        select new.review_id, kind, value from mention as m where m.review_id = old.review_id
            and not exists (select 1 from mention as n
                            where n.review_id = new.review_id and n.kind = m.kind and n.value = m.value);
    delete from mention where review_id = old.review_id;
    delete from review_source where review_id = new.review_id;
    update review_source set review_id = new.review_id, id_at_source = coalesce(id_at_source, old.review_id)
        where review_id = old.review_id;
    delete from deleted_review where review_id = new.review_id;
    delete from derived_analysis where review_id = old.review_id;
    insert into source (name) select new.source_name where not exists (select 1 from source where name = new.source_name);
    update import_run_review set former = null where review_id in (old.review_id, new.review_id) and former is not null;
end;

create trigger review_updated after update on review
when old.review_id = new.review_id and (
    old.rating is not new.rating or old.reviewed_on is not new.reviewed_on or old.author is not new.author
    or old.title is not new.title or old.text is not new.text or old.status is not new.status
    or old.withheld_reason is not new.withheld_reason or old.language is not new.language
    or old.source_name is not new.source_name or old.source_url is not new.source_url
    or old.verification is not new.verification
    or old.verified_at is not new.verified_at or old.reply_text is not new.reply_text
    or old.reply_on is not new.reply_on or old.reply_author is not new.reply_author
    or old.updated_at is not new.updated_at)
begin
    -- A published instant never goes back, even if a shell sets the column back.
    update review_change
        set change_no = 1 + (select max(change_no) from review_change),
            observed_at = iif(julianday(coalesce(new.updated_at, '0001-01-01')) < julianday(old.updated_at)
                and julianday(coalesce(observed_at, '0001-01-01')) < julianday(old.updated_at), old.updated_at, observed_at)
        where review_id = new.review_id;
    delete from review_fts
        where old.text is not new.text and rowid = (select review_no from review_change where review_id = new.review_id);
    insert into review_fts (rowid, text, review_id)
        select review_no, new.text, new.review_id from review_change where review_id = new.review_id and old.text is not new.text;
    delete from derived_analysis where review_id = new.review_id and new.status <> 'published';
    insert into source (name) select new.source_name where not exists (select 1 from source where name = new.source_name);
end;

create trigger mention_inserted after insert on mention begin
    update review_change set change_no = 1 + (select max(change_no) from review_change) where review_id = new.review_id;
end;

create trigger mention_deleted after delete on mention begin
    update review_change set change_no = 1 + (select max(change_no) from review_change) where review_id = old.review_id;
end;

create trigger mention_updated after update on mention begin
    update review_change set change_no = 1 + (select max(change_no) from review_change)
        where review_id in (old.review_id, new.review_id);
end;
