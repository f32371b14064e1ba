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
-- ends exclusive. One row for each review, and lists as JSON, because every start loads all of it; the views below are
-- for people.

create table derived_reading (
    review_id     text not null,
    -- Of the text, and of what is read with it: author, language, recorded mentions.
    text_hash     text not null,
    -- Of the rules: engine, trade, weights, and the firm's people, services and places.
    method_hash   text not null,
    language      text not null constraint derived_reading_language_known check (language in ('none', 'english', 'other')),
    -- How the text as a whole speaks.
    overall       text not null
        constraint derived_reading_overall_known check (overall in ('positive', 'negative', 'neutral', 'uncertain')),
    overall_score integer not null,
    -- [[start, end], …]
    sentences     text not null constraint derived_reading_sentences_are_json check (json_valid(sentences)),
    -- [[aspect, polarity, score, sentence, start, end], …]
    findings      text not null constraint derived_reading_findings_are_json check (json_valid(findings)),
    -- [[kind, [candidate, …], rule, sentence, through sentence, start, end], …]
    mentions      text not null constraint derived_reading_mentions_are_json check (json_valid(mentions)),
    -- Phrases that may turn out to be topics: ["water heater", …]
    phrases       text not null constraint derived_reading_phrases_are_json check (json_valid(phrases)),
    primary key (review_id)
) strict, without rowid;

-- Why each finding was made, in the order of `findings`: [[[rule, points, start, end], …], …]. The points are the score.
create table derived_hit (
    review_id text not null,
    hits      text not null constraint derived_hit_is_json check (json_valid(hits)),
    primary key (review_id)
) strict, without rowid;

-- What is judged, a row each: select * from derived_finding where review_id = '…'; Deleting one has its review read anew
-- at the next start.
create view derived_finding as
select r.review_id, cast(f.key as integer) as finding_no, f.value ->> 0 as aspect, f.value ->> 1 as polarity,
    f.value ->> 2 as score, f.value ->> 3 as sentence, f.value ->> 4 as start_at, f.value ->> 5 as end_at,
    (select substr(text, 1 + (f.value ->> 4), (f.value ->> 5) - (f.value ->> 4)) from review as w where w.review_id = r.review_id)
        as words,
    (select h.hits -> cast(f.key as integer) from derived_hit as h where h.review_id = r.review_id) as hits,
    r.text_hash, r.method_hash
from derived_reading as r, json_each(r.findings) as f;

create trigger derived_finding_deleted instead of delete on derived_finding begin
    delete from derived_reading where review_id = old.review_id;
    delete from derived_hit where review_id = old.review_id;
end;

-- Who and what is named, a row each. Several candidates: nobody can tell whom the words mean, and it counts for none.
create view derived_mention as
select r.review_id, cast(m.key as integer) as mention_no, m.value ->> 0 as kind,
    iif(json_array_length(m.value, '$[1]') = 1, m.value ->> '$[1][0]', null) as value, m.value -> 1 as candidates,
    m.value ->> 2 as rule, m.value ->> 3 as sentence, m.value ->> 5 as start_at, m.value ->> 6 as end_at,
    (select substr(text, 1 + (m.value ->> 5), (m.value ->> 6) - (m.value ->> 5)) from review as w where w.review_id = r.review_id)
        as words,
    r.text_hash, r.method_hash
from derived_reading as r, json_each(r.mentions) as m;

-- What was derived of a review goes when the review does, or does not appear any more. A changed text is not told
-- here: its row has another hash.
create trigger reading_of_deleted after delete on review begin
    delete from derived_reading where review_id = old.review_id;
    delete from derived_hit where review_id = old.review_id;
end;

create trigger reading_of_vanished after update of review_id, status on review
when old.review_id <> new.review_id or new.status <> 'published' begin
    delete from derived_reading where review_id = old.review_id;
    delete from derived_hit where review_id = old.review_id;
end;
