-- Insights. What people write about the business stands apart from what is derived, so that deleting and deriving
-- anew never touches an editorial text.

create table editorial_summary (
    only_row integer not null default 1 constraint editorial_summary_is_one check (only_row = 1),
    text     text not null constraint editorial_summary_given check (text <> ''),
    primary key (only_row)
) strict, without rowid;

create table editorial_faq (
    faq_id   text not null constraint editorial_faq_id_given check (faq_id <> ''),
    position integer not null default 0,
    question text not null constraint editorial_faq_question_given check (question <> ''),
    answer   text not null constraint editorial_faq_answer_given check (answer <> ''),
    primary key (faq_id)
) strict, without rowid;

-- What the texts say, read by rules: a cache of a pure function, keyed by what was read and by what read it. Nothing
-- else depends on it: deleted rows are derived anew, the same. Offsets count Unicode code points of the review's text,
-- ends exclusive.

-- What every start loads, so it is small: the key, and what counting needs.
create table derived_note (
    review_id   text not null,
    -- Of the text, and of what is read with it: author, language, recorded mentions.
    text_hash   text not null,
    -- Of the rules: engine, trade, weights, and the firm's people, services and places.
    method_hash text not null,
    -- Whom and what the text names for certain: [[kind, value], …]
    names       text not null constraint derived_note_names_are_json check (json_valid(names)),
    -- Counts and places in binary form; derived_finding and derived_mention show the same.
    note        blob not null,
    primary key (review_id)
) strict, without rowid;

-- What was found and why, for people: a row for each review, lists as JSON. The views below have a row for each thing.
create table derived_reading (
    review_id     text not null,
    language      text not null constraint derived_reading_language_known check (language in ('none', 'english', 'other')),
    -- How the text as a whole speaks.
    overall       text not null
        constraint derived_reading_overall_known check (overall in ('positive', 'negative', 'neutral', 'uncertain')),
    overall_score integer not null,
    -- [[start, end], …]
    sentences     text not null constraint derived_reading_sentences_are_json check (json_valid(sentences)),
    -- [[aspect, polarity, score, sentence, start, end, [[rule, points, start, end], …]], …]: the points are the score
    findings      text not null constraint derived_reading_findings_are_json check (json_valid(findings)),
    -- [[kind, [candidate, …], rule, sentence, through sentence, start, end], …]
    mentions      text not null constraint derived_reading_mentions_are_json check (json_valid(mentions)),
    primary key (review_id)
) strict, without rowid;

-- What is judged, a row each: select * from derived_finding where review_id = '…'; Deleting one has its review read anew
-- at the next start.
create view derived_finding as
select r.review_id, cast(f.key as integer) as finding_no, f.value ->> 0 as aspect, f.value ->> 1 as polarity,
    f.value ->> 2 as score, f.value ->> 3 as sentence, f.value ->> 4 as start_at, f.value ->> 5 as end_at,
    (select substr(text, 1 + (f.value ->> 4), (f.value ->> 5) - (f.value ->> 4)) from review as w where w.review_id = r.review_id)
        as words,
    f.value -> 6 as hits, n.text_hash, n.method_hash
from derived_reading as r left join derived_note as n using (review_id), json_each(r.findings) as f;

create trigger derived_finding_deleted instead of delete on derived_finding begin
    delete from derived_reading where review_id = old.review_id;
end;

-- Who and what is named, a row each. Several candidates: nobody can tell whom the words mean, and it counts for none.
create view derived_mention as
select r.review_id, cast(m.key as integer) as mention_no, m.value ->> 0 as kind,
    iif(json_array_length(m.value, '$[1]') = 1, m.value ->> '$[1][0]', null) as value, m.value -> 1 as candidates,
    m.value ->> 2 as rule, m.value ->> 3 as sentence, m.value ->> 5 as start_at, m.value ->> 6 as end_at,
    (select substr(text, 1 + (m.value ->> 5), (m.value ->> 6) - (m.value ->> 5)) from review as w where w.review_id = r.review_id)
        as words,
    n.text_hash, n.method_hash
from derived_reading as r left join derived_note as n using (review_id), json_each(r.mentions) as m;

-- A reading that is deleted is made anew, so its note goes with it; both go when the review does, or does not appear any
-- more. A changed text is not told here: its note has another hash.
create trigger reading_deleted after delete on derived_reading begin
    delete from derived_note where review_id = old.review_id;
end;

create trigger reading_of_deleted after delete on review begin
    delete from derived_reading where review_id = old.review_id;
    delete from derived_note where review_id = old.review_id;
end;

create trigger reading_of_vanished after update of review_id, status on review
when old.review_id <> new.review_id or new.status <> 'published' begin
    delete from derived_reading where review_id = old.review_id;
    delete from derived_note where review_id = old.review_id;
end;
