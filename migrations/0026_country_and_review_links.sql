-- The country whose dates and numbers the pages write, and where customers can write a review.

-- ISO 3166-1 alpha-2, for example US or DE; null where the firm has not said.
alter table business add column country text
    constraint business_country_is_iso3166 check (country is null or country glob '[A-Z][A-Z]');

-- A JSON array of objects with `name` and `url`: [{"name": "Google", "url": "https://…"}].
alter table business add column review_links text not null default '[]'
    constraint business_review_links_is_json check (json_type(review_links) = 'array');
