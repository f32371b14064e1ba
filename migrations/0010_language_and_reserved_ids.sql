-- The language that the business and its customers write in, for the feeds; and ids that no link can lead to.

-- BCP 47, for example en or es-MX; null where the firm has not said.
alter table business add column language text
    constraint business_language_is_bcp47
        check (language is null or (language glob '[A-Za-z]*' and language not glob '*[^A-Za-z0-9-]*'
            and length(cast(language as blob)) between 2 and 35));

-- In the path of a URL `.` and `..` are steps (RFC 3986 §3.3), and /api/reviews/search is a question. Triggers and no check,
-- which would mean to copy the whole table; rows that are there already stay, and are left out of what is published.
create trigger review_id_reserved before insert on review when new.review_id in ('.', '..', 'search') begin
    select raise(abort, 'review_id_not_reserved: `.`, `..` and `search` cannot be linked to; give the review another id');
end;

create trigger review_id_reserved_by_rename before update of review_id on review
when new.review_id in ('.', '..', 'search') and old.review_id <> new.review_id begin
    select raise(abort, 'review_id_not_reserved: `.`, `..` and `search` cannot be linked to; give the review another id');
end;
