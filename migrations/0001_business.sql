-- The business whose reviews these are, and the people, services and places that reviews mention.
--
-- Every table is `strict` and has no hidden rowid where its key is text, so that `insert or replace`
-- from a shell can only ever replace the row that its own key names.

create table business (
    -- One service publishes one business: the key can only be 1.
    only_row     integer not null default 1 constraint business_is_one check (only_row = 1),
    business_id  text not null constraint business_id_given check (business_id <> ''),
    name         text not null constraint business_name_given check (name <> ''),
    -- A schema.org LocalBusiness subtype, for example HVACBusiness.
    type         text not null default 'LocalBusiness',
    -- IANA name; the reviews' dates are calendar days there.
    time_zone    text not null default 'UTC',
    description  text,
    url          text,
    telephone    text,
    -- A JSON object with the parts of a postal address, published as it is.
    address      text constraint business_address_is_json check (address is null or json_type(address) = 'object'),
    latitude     real constraint business_latitude_on_earth check (latitude between -90 and 90),
    longitude    real constraint business_longitude_on_earth check (longitude between -180 and 180),
    -- A JSON array of URLs of the same business elsewhere.
    same_as      text not null default '[]' constraint business_same_as_is_json check (json_type(same_as) = 'array'),
    primary key (only_row)
) strict, without rowid;

-- `position` keeps the order in which the firm lists them.
create table service (
    service_id text not null constraint service_id_given check (service_id <> ''),
    position   integer not null default 0,
    name       text not null constraint service_name_given check (name <> ''),
    -- A JSON array of other words for it: ["a/c repair", "ac fix"].
    synonyms   text not null default '[]' constraint service_synonyms_are_json check (json_type(synonyms) = 'array'),
    primary key (service_id)
) strict, without rowid;

create table technician (
    technician_id text not null constraint technician_id_given check (technician_id <> ''),
    position      integer not null default 0,
    name          text not null constraint technician_name_given check (name <> ''),
    -- A JSON array of other names that customers use: ["Mikey"].
    aliases       text not null default '[]' constraint technician_aliases_are_json check (json_type(aliases) = 'array'),
    primary key (technician_id)
) strict, without rowid;

create table service_area (
    name     text not null constraint service_area_name_given check (name <> ''),
    position integer not null default 0,
    primary key (name)
) strict, without rowid;
