-- When a review changed that somebody else than this program wrote (CONTRACT §2): a shell binds no `updated_at`, so the
-- publisher stores the instant at which it first saw the change, before anybody sees the change itself.

-- Through which change `updated_at` is known to be right: bound by our own writer, or observed by the publisher. Null
-- where neither has ever seen the review.
alter table review_change add column bound_change_no integer;
-- RFC 3339 UTC; what is shown is the later one of this and `review.updated_at`.
alter table review_change add column observed_at text;

-- What was there before this was kept has been published as it stands.
update review_change set bound_change_no = change_no;

-- What was once shown never goes back, though a shell may set the column back.
create trigger review_updated_at_lowered after update of updated_at on review
when old.updated_at is not null and (new.updated_at is null or julianday(new.updated_at) < julianday(old.updated_at))
begin
    update review_change set observed_at = old.updated_at
        where review_id = new.review_id and (observed_at is null or julianday(observed_at) < julianday(old.updated_at));
end;
