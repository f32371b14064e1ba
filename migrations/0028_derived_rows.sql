-- With a rowid, a row of up to 4 KB lies in one page with others. Without, one of more than 1,000 bytes took a page of its
-- own besides, and two in five were as long.
create table derived_copy as select * from derived_index;
drop table derived_index;

create table derived_index (
    review_id   text not null primary key,
    -- Of the text, and of what is read with it: author, language, recorded mentions.
    text_hash   text not null,
    -- Of the rules: engine, trade, weights, and the firm's people, services and places.
    method_hash text not null,
    -- Whom and what the text names for certain: [[kind, value], …]
    names       text not null constraint derived_note_names_are_json check (json_valid(names)),
    -- Counts and places in binary form; derived_finding and derived_mention show the same.
    note        blob not null
) strict;

insert into derived_index (review_id, text_hash, method_hash, names, note)
    select review_id, text_hash, method_hash, names, note from derived_copy;
drop table derived_copy;
