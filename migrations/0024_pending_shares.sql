-- Which network asked, and which one the callback leads to, as far as it is known: of the places for requests that wait, one
-- network has a share.

alter table intent add column source text;
alter table intent add column address text;
