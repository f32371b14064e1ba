-- The networks, as a JSON array, for which a verification that a rate limit postponed is booked at `next_attempt_at`.

alter table intent add column booked text
    constraint intent_booked_is_json check (booked is null or json_type(booked) = 'array');
