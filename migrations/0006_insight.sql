-- Insights: what the texts say. Written by the service, from the reviews alone.

create table derived_analysis (
    -- A row for each published review. It is a cache of a pure function: deleted rows are derived again, the same.
    review_id   text not null primary key,
    -- Hash of what was read: text, author, stars, language.
    text_hash   text not null,
    -- Hash of what read it: engine, trade, weights, and the firm's people, services and places.
    method_hash text not null,
    -- An object with `language`, `sentences`, `findings`, `mentions` and `overall`; the views below show its lists
    -- as rows. Offsets count Unicode code points of the review's text, ends exclusive.
    analysis    text not null constraint derived_analysis_is_json check (json_type(analysis) is 'object'),
    -- Hash of both hashes and the analysis, by which `reviews check` finds a row that another program changed.
    digest      text not null default ''
) strict;

-- How each text as a whole speaks, a row for each review.
create view derived_review as
select review_id, analysis ->> 'language' as language, analysis ->> '$.overall[0]' as polarity,
    analysis ->> '$.overall[1]' as score, text_hash, method_hash
from derived_analysis;

-- What is judged, a row each: select * from derived_finding where review_id = '…';
-- Without an aspect, it is the firm as a whole, or something that is none.
create view derived_finding as
select a.review_id, cast(f.key as integer) as finding_no, nullif(f.value ->> 'aspect', 'overall') as aspect, f.value ->> 'polarity' as polarity,
    f.value ->> 'witness' as witness, f.value ->> 'confidence' as confidence, f.value ->> 'score' as score,
    f.value ->> 'sentence' as sentence, f.value ->> '$.span[0]' as start_at, f.value ->> '$.span[1]' as end_at,
    (select substr(text, 1 + (f.value ->> '$.span[0]'), (f.value ->> '$.span[1]') - (f.value ->> '$.span[0]'))
     from review as r where r.review_id = a.review_id) as words,
    f.value -> 'hits' as hits, a.text_hash, a.method_hash
from derived_analysis as a, json_each(a.analysis, '$.findings') as f;

create trigger derived_finding_deleted instead of delete on derived_finding begin
    delete from derived_analysis where review_id = old.review_id;
end;

-- Who and what is named, a row each.
create view derived_mention as
select a.review_id, cast(m.key as integer) as mention_no, m.value ->> 'kind' as kind,
    m.value ->> 'name' as value, m.value ->> 'sentence' as sentence,
    m.value ->> '$.span[0]' as start_at, m.value ->> '$.span[1]' as end_at,
    (select substr(text, 1 + (m.value ->> '$.span[0]'), (m.value ->> '$.span[1]') - (m.value ->> '$.span[0]'))
     from review as r where r.review_id = a.review_id) as words,
    a.text_hash, a.method_hash
from derived_analysis as a, json_each(a.analysis, '$.mentions') as m;
