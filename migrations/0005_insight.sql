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

-- What was found in a review's text: a cache of a pure function of the text, keyed by the hashes of the text and
-- of the method that read it. Offsets count Unicode code points of the review's text.
create table derived_finding (
    review_id   text not null,
    finding_no  integer not null,
    kind        text not null constraint derived_finding_kind_known
        check (kind in ('aspect', 'technician', 'service', 'service_area', 'topic')),
    value       text not null,
    polarity    text constraint derived_finding_polarity_known
        check (polarity is null or polarity in ('positive', 'negative', 'neutral', 'mixed', 'uncertain')),
    start_at    integer not null,
    end_at      integer not null,
    text_hash   text not null,
    method_hash text not null,
    primary key (review_id, finding_no),
    constraint derived_finding_span_forward check (0 <= start_at and start_at <= end_at)
) strict, without rowid;
