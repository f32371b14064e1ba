-- Packages read other languages than English: `language` holds the code of each (ISO 639-1), `es`. English keeps its name.
-- A check cannot be changed, so the table is made anew. What it held is derived, and is derived anew.
delete from derived_index;
drop table derived_analysis;

create table derived_analysis (
    review_id     text not null,
    language      text not null constraint derived_analysis_language_known
        check (language in ('none', 'english', 'other') or language glob '[a-z][a-z]'),
    -- How the text as a whole speaks.
    overall       text not null
        constraint derived_analysis_overall_known check (overall in ('positive', 'negative', 'neutral', 'uncertain')),
    overall_score integer not null,
    -- [[start, end], …]
    sentences     text not null constraint derived_analysis_sentences_are_json check (json_valid(sentences)),
    -- [[aspect, polarity, score, sentence, start, end, [[rule, points, start, end], …], witness, confidence], …]
    findings      text not null constraint derived_analysis_findings_are_json check (json_valid(findings)),
    -- [[kind, [candidate, …], rule, sentence, through sentence, start, end], …]
    mentions      text not null constraint derived_analysis_mentions_are_json check (json_valid(mentions)),
    primary key (review_id)
) strict, without rowid;

create trigger reading_deleted after delete on derived_analysis begin
    delete from derived_index where review_id = old.review_id;
end;
