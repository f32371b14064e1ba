-- What changed, and the text index. Both are kept by triggers, which run inside whoever writes: our own writer
-- or anybody's sqlite3 shell. Hence: built-in functions only; no clock; nothing here can meet a conflict, because
-- `insert or replace` outside would make every statement inside a trigger replace too, and a replaced row fires no
-- delete trigger. So each trigger updates, or deletes and then inserts `where not exists`.

-- One row for every review that there is or was. `review_no` never changes and keys the text index;
-- `change_no` grows with every change: rows above the number last seen are what to read again.
create table review_change (
    review_no integer primary key,
    review_id text not null unique,
    change_no integer not null
) strict;
create index review_change_newest on review_change (change_no);

-- Substring search from the shell: select review_id from review_fts where review_fts match '"water heater"';
-- It has its own copy of the text, so that a row can be taken out without knowing what it said.
create virtual table review_fts using fts5 (text, review_id unindexed, tokenize = 'trigram');

create trigger review_inserted after insert on review begin
    insert into review_change (review_id, change_no)
        select new.review_id, 0 where not exists (select 1 from review_change where review_id = new.review_id);
    update review_change set change_no = 1 + (select max(change_no) from review_change) where review_id = new.review_id;
    delete from review_fts where rowid = (select review_no from review_change where review_id = new.review_id);
    insert into review_fts (rowid, text, review_id)
        select review_no, new.text, new.review_id from review_change where review_id = new.review_id;
end;

create trigger review_deleted after delete on review begin
    update review_change set change_no = 1 + (select max(change_no) from review_change) where review_id = old.review_id;
    delete from review_fts where rowid = (select review_no from review_change where review_id = old.review_id);
    delete from mention where review_id = old.review_id;
end;

-- A rename: the old id is gone, the new one is there.
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
end;

create trigger review_updated after update on review
when old.review_id = new.review_id and (
    old.rating is not new.rating or old.reviewed_on is not new.reviewed_on or old.author is not new.author
    or old.title is not new.title or old.text is not new.text or old.status is not new.status
    or old.withheld_reason is not new.withheld_reason or old.language is not new.language
    or old.source_name is not new.source_name or old.source_url is not new.source_url
    or old.verified is not new.verified or old.verification_method is not new.verification_method
    or old.verified_at is not new.verified_at or old.response_text is not new.response_text
    or old.response_on is not new.response_on or old.response_author is not new.response_author
    or old.updated_at is not new.updated_at)
begin
    update review_change set change_no = 1 + (select max(change_no) from review_change) where review_id = new.review_id;
end;

create trigger review_text_updated after update of text on review
when old.review_id = new.review_id and old.text is not new.text begin
    delete from review_fts where rowid = (select review_no from review_change where review_id = new.review_id);
    insert into review_fts (rowid, text, review_id)
        select review_no, new.text, new.review_id from review_change where review_id = new.review_id;
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

-- Who this database is. A restored or exchanged file has another lineage, or smaller change numbers than those
-- already seen; either means that everything must be read again. Bound once, by the first `migrate`.
create table lineage (
    only_row   integer not null default 1 constraint lineage_is_one check (only_row = 1),
    lineage_id text not null,
    primary key (only_row)
) strict, without rowid;
