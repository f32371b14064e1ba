-- The reviews as they are published, and what each was recorded to be about. Written by imports, by the owner's commands, and
-- by anybody with `sqlite3`: most columns have a default, so that a row typed into a shell is short.

create table review (
    review_id           text not null
        constraint review_id_well_formed check (
            length(cast(review_id as blob)) between 1 and 128
            and review_id not glob '*[^A-Za-z0-9._~=-]*'
            and instr(review_id, char(0)) = 0)
        -- In the path of a URL `.` and `..` are steps (RFC 3986 §3.3), and /api/reviews/search is the search.
        constraint review_id_not_reserved check (review_id not in ('.', '..', 'search')),
    -- Stars.
    rating              integer not null constraint review_rating_in_1_to_5 check (rating between 1 and 5),
    -- date(…, '+0 days') gives another text, or null, for what is no day.
    reviewed_on         text not null
        constraint review_date_is_a_day check (reviewed_on is date(reviewed_on, '+0 days'))
        -- As for imports, which would reject an earlier one in an export.
        constraint review_date_from_1995 check (reviewed_on >= '1995-01-01'),
    author              text not null default 'Anonymous'
        constraint review_author_given check (trim(author, ' ' || char(9, 10, 13)) <> ''),
    title               text,
    -- May be empty: stars without words are a review too.
    text                text not null default '',
    status              text not null default 'published'
        constraint review_status_known check (status in ('published', 'withheld')),
    -- Why a withheld review does not appear; counted by reason in /reviews.json.
    withheld_reason     text,
    -- The owner's words on a withheld review. Never published.
    note                text constraint review_note_given check (note <> ''),
    -- BCP 47, for example en or es-MX.
    language            text
        constraint review_language_has_subtags check (
            language is null
            or language glob '[A-Za-z]*'
            and language not glob '*[^A-Za-z0-9-]*'
            and language || '-' not glob '*--*'
            and language not glob '*[^-][^-][^-][^-][^-][^-][^-][^-][^-]*'),
    source_name         text not null default 'Direct' constraint review_source_given check (source_name <> ''),
    source_url          text
        constraint review_source_url_is_of_web check (
            lower(source_url) glob 'http://[^/?#]*' or lower(source_url) glob 'https://[^/?#]*' or source_url is null),
    -- Who verified that it is from a customer: a job, a platform or an invitation; for `manual` ones only the business vouches, and
    -- null means that nobody does.
    verification        text default 'manual'
        constraint review_verification_known
            check (verification in ('job_match', 'source_platform', 'invite', 'manual')),
    verified_at         text
        constraint review_verified_at_is_utc
            check (verified_at is null or (verified_at glob '????-??-??T??:??:??*Z' and julianday(verified_at) is not null)),
    -- The business's answer.
    reply_text       text,
    reply_on         text
        constraint review_reply_date_is_a_day check (reply_on is null or reply_on is date(reply_on, '+0 days')),
    reply_author     text,
    -- When it last changed visibly. Programs that do not set it need not: see `review_change.observed_at`.
    updated_at          text
        constraint review_updated_at_is_utc
            check (updated_at is null or (updated_at glob '????-??-??T??:??:??*Z' and julianday(updated_at) is not null)),
    primary key (review_id),
    -- SQLite's text index, and many programs, read a text only up to a NUL.
    constraint review_has_no_nul
        check (instr(author || text || source_name || coalesce(title, '') || coalesce(withheld_reason, '')
            || coalesce(note, '') || coalesce(reply_text, '') || coalesce(reply_author, ''), char(0)) = 0),
    constraint review_published_is_vouched_for check (status = 'withheld' or verification is not null),
    -- The service holds all of them in memory. A row of an import has at most 1 MiB.
    constraint review_within_2_mib
        check (length(cast(author as blob)) + length(cast(text as blob)) + length(cast(source_name as blob))
            + length(cast(coalesce(title, '') || coalesce(withheld_reason, '') || coalesce(note, '') || coalesce(language, '')
                || coalesce(source_url, '') || coalesce(reply_text, '') || coalesce(reply_author, '') as blob)) <= 2097152)
) strict, without rowid;

-- Newest first, as everything is published.
create index review_newest on review (status, reviewed_on desc, review_id);

create table mention (
    -- Whom or what a review was recorded to mention. No foreign keys: people leave, services end, and their reviews stay.
    review_id text not null,
    kind      text not null constraint mention_kind_known check (kind in ('technician', 'service', 'service_area')),
    -- A technician's full name, a service's id, or an area's name.
    value     text not null
        constraint mention_value_given check (value <> '')
        constraint mention_value_within_1_mib check (length(cast(value as blob)) <= 1048576),
    primary key (review_id, kind, value)
) strict, without rowid;
