-- What changed, and the text index. Triggers keep both, whoever writes: the service, or anybody's `sqlite3`. Hence they use
-- built-in functions only and no clock but for the day of a deletion, and no statement of theirs can meet a conflict: `insert or replace` from outside would
-- make every statement inside a trigger replace too, and a replaced row fires no delete trigger. So each trigger updates, or
-- deletes and then inserts `where not exists`.

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

create trigger review_source_inserted after insert on review_source begin
    insert into source (name) select new.source_name where not exists (select 1 from source where name = new.source_name);
end;

create trigger review_source_named after update of source_name on review_source begin
    insert into source (name) select new.source_name where not exists (select 1 from source where name = new.source_name);
end;

-- Where the row of a source gets another name, all that has the former one follows.
create trigger source_renamed after update of name on source when old.name <> new.name begin
    -- Nobody decided anything by it, so the imports that added its reviews can still be taken back: -1 marks them within this trigger.
    update import_run_review set change_no = -1
        where kind = 'added' and review_id in (select review_id from review where source_name = old.name)
            and change_no = (select c.change_no from review_change as c where c.review_id = import_run_review.review_id);
    update review set source_name = new.name where source_name = old.name;
    update import_run_review
        set change_no = (select c.change_no from review_change as c where c.review_id = import_run_review.review_id)
        where change_no = -1;
    update review_source
        set source_name = new.name,
            said = iif(said ->> '$.source.source' = old.name, json_set(said, '$.source.source', new.name), said)
        where source_name = old.name;
    update deleted_review
        set source_name = iif(source_name = old.name, new.name, source_name),
            imported_from = iif(imported_from = old.name, new.name, imported_from)
        where old.name in (source_name, imported_from);
    update import_run set sources = (select json_group_array(iif(value = old.name, new.name, value)) from json_each(sources))
        where exists (select 1 from json_each(sources) where value = old.name);
    -- A fetch would bring all reviews again, under the former name, which the entry may state.
    update sync_state
        set held = 1, source = iif(source = old.name, new.name, source),
            last_import = iif(source = old.name, json_insert(last_import, '$.former_source', old.name), last_import)
        where source = old.name or name in (select entry from review_source where source_name = new.name);
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
