-- What sources last said of each review, so that the next import can tell it from what the owner decided since. Written by
-- imports. Free texts and names only as digests, so that nothing of an erased review stays. No change triggers: what a source said
-- is not published.

create table review_source (
    -- What the source last said of a review.
    review_id           text not null,
    -- The source's own name, even if the owner changed `review.source_name`.
    source_name         text not null,
    -- The id at the source, if the review has another one here: another source's review had that id, or the source gave none before.
    id_at_source        text,
    -- Set if the source gives an instant instead of a day. Never published.
    posted_at           text,
    -- A JSON object: a member for each part of the review of which it is known, by name; null if the source said that there is
    -- none. author, title and text are the first 16 hexadecimal digits of their SHA-256, reply and mentions those of their JSON.
    -- `decided` lists the parts that a command made the owner's, `hidden_by` the columns of formats that hid one, each with the part.
    said                text not null constraint review_source_said_is_json check (json_type(said) = 'object'),
    -- Digests of what the source gives, equal for equal rows: of author (40 bits) and day (24); of author, day, rating and text,
    -- also for two sources' copies of one review; of the text.
    same_author_and_day integer not null,
    same_content        integer not null,
    same_text           integer not null,
    -- The entry of the sync file whose run stated the review last; null after an import by hand.
    entry               text,
    -- Whether the newest run of that entry lacks it.
    is_gone             integer not null default 0 constraint review_source_is_gone_is_flag check (is_gone in (0, 1)),
    primary key (review_id)
) strict, without rowid;
-- With the name, so that the reviews of a source are found in it.
create index review_source_content on review_source (same_content, source_name);
create index review_source_entry on review_source (entry) where entry is not null;
create index review_source_gone on review_source (entry) where is_gone;

create table deleted_review (
    -- The mark of a deleted review, whoever deleted it: /transparency counts it, and neither its rows, edited ones included, nor
    -- copies from other sources come back unnoticed. Nothing readable of the review is kept.
    review_id           text not null,
    -- The name of the source under which it was shown.
    source_name         text not null,
    -- The source that gave it, if that has another name.
    imported_from       text,
    id_at_source        text,
    -- By the clock of the machine, in UTC, if another program deleted it.
    deleted_on          text,
    -- Published on /transparency.
    reason              text,
    -- Null if no source gave the review.
    same_author_and_day integer,
    same_content        integer,
    same_text           integer,
    -- Whether its author's name was taken away, which no import brings back.
    is_anonymized       integer not null default 0 constraint deleted_review_is_anonymized_is_flag check (is_anonymized in (0, 1)),
    primary key (review_id)
) strict, without rowid;

create table source (
    -- The sources of reviews. Triggers add a name that a review has first, so an owner's `insert` works by name.
    name   text not null constraint source_name_given check (name <> ''),
    -- How its files are read, or at least which platform's format they had: `reviews source format NAME` shows and changes it.
    format text constraint source_format_is_short check (length(cast(format as blob)) <= 262144),
    primary key (name)
) strict, without rowid;

-- A source is known by its name as soon as a review or its statement has it, and whatever has the name follows a rename.

create trigger review_source_inserted after insert on review_source begin
    insert into source (name) select new.source_name where not exists (select 1 from source where name = new.source_name);
end;

create trigger review_source_named after update of source_name on review_source begin
    insert into source (name) select new.source_name where not exists (select 1 from source where name = new.source_name);
end;

-- Where the row of a source gets another name, all that has the former one follows.
create trigger source_renamed after update of name on source when old.name <> new.name begin
    -- Nobody decided anything by it, so the imports of its reviews can still be taken back: -1 marks them within this trigger.
    update import_run_review set change_no = -1
        where review_id in (select review_id from review where source_name = old.name)
            and change_no = (select c.change_no from review_change as c where c.review_id = import_run_review.review_id);
    update review set source_name = new.name where source_name = old.name;
    update import_run_review
        set change_no = (select c.change_no from review_change as c where c.review_id = import_run_review.review_id)
        where change_no = -1;
    update import_run_review
        set former = json_replace(
            former,
            '$.source.source_name', new.name,
            -- JSON as text within JSON, empty of a deleted review.
            '$.source.said_json', coalesce('' || json_replace(nullif(former ->> '$.source.said_json', ''), '$.source.source', new.name), ''),
            '$.deletion.source_name', iif(former ->> '$.deletion.source_name' = old.name, new.name, former ->> '$.deletion.source_name')
        )
        where former ->> '$.source.source_name' = old.name;
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
        set held = 1, source = new.name, last_import = json_insert(last_import, '$.former_source', old.name)
        where source = old.name collate nocase;
end;
