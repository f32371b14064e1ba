-- The business, what it offers and whom it employs, and its own texts. Written by the owner's commands and by seeds.
--
-- The owner's tables come first: the business, reviews, their sources, imports and fetches (0001 to 0005). What the service makes of
-- them and sends follows (0006 to 0008), and last what its processes share (0009).
--
-- In all files: every table is `strict`; one whose key is text has no hidden rowid, so that `insert or replace` from a shell
-- can replace only the row that its own key names; constraints have names that say what is wrong. Instants are RFC 3339 in
-- UTC, days are `YYYY-MM-DD` in the business's time zone, and flags are 0 or 1. Comments inside a statement are shown by
-- `.schema`.

create table business (
    -- One service publishes one business: the key can only be 1.
    only_row      integer not null default 1 constraint business_is_one check (only_row = 1),
    business_id   text not null constraint business_id_given check (business_id <> ''),
    name          text not null constraint business_name_given check (name <> ''),
    -- A schema.org LocalBusiness subtype, for example HVACBusiness.
    type          text not null default 'LocalBusiness',
    -- IANA name; the reviews' dates are calendar days there.
    time_zone     text not null default 'UTC',
    description   text,
    url           text,
    telephone     text,
    -- A JSON object with the parts of a postal address, published as it is.
    address       text constraint business_address_is_json check (address is null or json_type(address) = 'object'),
    -- Degrees.
    latitude      real constraint business_latitude_on_earth check (latitude between -90 and 90),
    longitude     real constraint business_longitude_on_earth check (longitude between -180 and 180),
    -- When it is open, a JSON array: [{"days": ["monday", "tuesday"], "opens": "08:00", "closes": "17:30"}].
    hours         text not null default '[]' constraint business_hours_is_json check (json_type(hours) = 'array'),
    -- A JSON array of URLs of the same business elsewhere.
    same_as       text not null default '[]' constraint business_same_as_is_json check (json_type(same_as) = 'array'),
    -- BCP 47, for example en or es-MX: what the business and its customers write in; null if unknown.
    language      text
        constraint business_language_is_bcp47
            check (language is null or (language glob '[A-Za-z]*' and language not glob '*[^A-Za-z0-9-]*'
                and length(cast(language as blob)) between 2 and 35)),
    -- Whether technicians are shown.
    publish_staff text not null default 'full'
        constraint business_publish_staff_known check (publish_staff in ('full', 'off')),
    -- ISO 3166-1 alpha-2, for example US or DE: whose dates and numbers the pages write; null if unknown.
    country       text constraint business_country_is_iso3166 check (country is null or country glob '[A-Z][A-Z]'),
    -- Where customers can write a review, a JSON array: [{"name": "Google", "url": "https://…"}].
    review_links  text not null default '[]'
        constraint business_review_links_is_json check (json_type(review_links) = 'array'),
    -- What /transparency shows in the owner's words, a JSON object: {"collection": "…", "verification": "…", "moderation": "…",
    -- "incentives": "…", "contact": "mailto:… or https://…"}.
    review_policy text not null default '{}'
        constraint business_review_policy_is_json check (json_type(review_policy) = 'object'),
    -- The service holds all of them in memory.
    constraint business_texts_within_64_kib
        check (length(cast(business_id as blob)) <= 65536 and length(cast(name as blob)) <= 65536
            and length(cast(type as blob)) <= 65536 and length(cast(time_zone as blob)) <= 65536
            and length(cast(description as blob)) <= 65536 and length(cast(url as blob)) <= 65536
            and length(cast(telephone as blob)) <= 65536 and length(cast(address as blob)) <= 65536
            and length(cast(hours as blob)) <= 65536 and length(cast(same_as as blob)) <= 65536 and length(cast(review_links as blob)) <= 65536
            and length(cast(review_policy as blob)) <= 65536),
    primary key (only_row)
) strict, without rowid;

create table service (
    service_id text not null constraint service_id_given check (service_id <> ''),
    -- The order in which the business lists them.
    position   integer not null default 0,
    name       text not null constraint service_name_given check (name <> ''),
    -- A JSON array of other words for it: ["a/c repair", "ac fix"].
    synonyms   text not null default '[]' constraint service_synonyms_are_json check (json_type(synonyms) = 'array'),
    constraint service_texts_within_64_kib
        check (max(length(cast(service_id as blob)), length(cast(name as blob)), length(cast(synonyms as blob))) <= 65536),
    primary key (service_id)
) strict, without rowid;

create table technician (
    technician_id text not null constraint technician_id_given check (technician_id <> ''),
    -- The order in which the business lists them.
    position      integer not null default 0,
    name          text not null constraint technician_name_given check (name <> ''),
    -- A JSON array of other names that customers use: ["Mikey"].
    aliases       text not null default '[]' constraint technician_aliases_are_json check (json_type(aliases) = 'array'),
    constraint technician_texts_within_64_kib
        check (max(length(cast(technician_id as blob)), length(cast(name as blob)), length(cast(aliases as blob))) <= 65536),
    primary key (technician_id)
) strict, without rowid;

create table service_area (
    name     text not null constraint service_area_name_given check (name <> ''),
    -- The order in which the business lists them.
    position integer not null default 0,
    constraint service_area_name_within_64_kib check (length(cast(name as blob)) <= 65536),
    primary key (name)
) strict, without rowid;

create table editorial_summary (
    -- The owner's own summary of the reviews; nothing that is derived changes it.
    only_row integer not null default 1 constraint editorial_summary_is_one check (only_row = 1),
    text     text not null constraint editorial_summary_given check (text <> ''),
    constraint editorial_summary_within_64_kib check (length(cast(text as blob)) <= 65536),
    primary key (only_row)
) strict, without rowid;

create table editorial_faq (
    -- The owner's own questions and answers.
    faq_id   text not null constraint editorial_faq_id_given check (faq_id <> ''),
    position integer not null default 0,
    question text not null constraint editorial_faq_question_given check (question <> ''),
    answer   text not null constraint editorial_faq_answer_given check (answer <> ''),
    constraint editorial_faq_texts_within_64_kib
        check (max(length(cast(faq_id as blob)), length(cast(question as blob)), length(cast(answer as blob))) <= 65536),
    primary key (faq_id)
) strict, without rowid;
