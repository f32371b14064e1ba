-- The reviews, and what each is recorded to be about.
--
-- Only the first four columns and the text have no useful default, so a row typed into a shell is short.
-- The checks are what a foreign writer meets: each has a name that says what was wrong.

create table review (
    review_id           text not null
        constraint review_id_well_formed check (
            length(cast(review_id as blob)) between 1 and 128
            and review_id not glob '*[^A-Za-z0-9._~=-]*'
            and instr(review_id, char(0)) = 0),
    rating              integer not null constraint review_rating_in_1_to_5 check (rating between 1 and 5),
    -- A calendar day in the business's time zone. date(…, '+0 days') gives another text, or null, for what is no day.
    reviewed_on         text not null
        constraint review_date_is_a_day check (reviewed_on is date(reviewed_on, '+0 days') and reviewed_on >= '0001-01-01'),
    author              text not null default 'Anonymous' constraint review_author_given check (author <> ''),
    title               text,
    -- May be empty: stars without words are a review too.
    text                text not null default '',
    status              text not null default 'published'
        constraint review_status_known check (status in ('published', 'withheld')),
    -- Why a withheld review does not appear; counted by reason in /reviews.json.
    withheld_reason     text,
    -- BCP 47, for example en or es-MX.
    language            text,
    source_name         text not null default 'Direct' constraint review_source_given check (source_name <> ''),
    source_url          text,
    verified            integer not null default 1 constraint review_verified_is_0_or_1 check (verified in (0, 1)),
    verification_method text not null default 'manual'
        constraint review_verification_method_known
            check (verification_method in ('job_match', 'source_platform', 'invite', 'manual')),
    verified_at         text
        constraint review_verified_at_is_utc
            check (verified_at is null or (verified_at glob '????-??-??T??:??:??*Z' and julianday(verified_at) is not null)),
    response_text       text,
    response_on         text
        constraint review_response_date_is_a_day check (response_on is null or response_on is date(response_on, '+0 days')),
    response_author     text,
    -- RFC 3339 UTC; where it is missing, the start of the review's day stands in.
    updated_at          text
        constraint review_updated_at_is_utc
            check (updated_at is null or (updated_at glob '????-??-??T??:??:??*Z' and julianday(updated_at) is not null)),
    primary key (review_id),
    constraint review_published_is_verified check (status = 'withheld' or verified = 1)
) strict, without rowid;

-- Newest first, as everything is published.
create index review_newest on review (status, reviewed_on desc, review_id);

-- What a review was recorded to mention, by whoever imported it: a technician's full name, a service's id, an
-- area's name. No foreign key: people leave, services end, and their reviews stay.
create table mention (
    review_id text not null,
    kind      text not null constraint mention_kind_known check (kind in ('technician', 'service', 'service_area')),
    value     text not null constraint mention_value_given check (value <> ''),
    primary key (review_id, kind, value)
) strict, without rowid;
