-- Whether the reviews here are those of a sample firm: they never mix with a firm's own unless that is wished (CONTRACT §1).
create table sample (
    only_row integer not null default 1 constraint sample_is_one check (only_row = 1),
    -- 1 where own reviews were mixed in on purpose.
    is_mixed integer not null default 0 constraint sample_is_mixed_is_0_or_1 check (is_mixed in (0, 1)),
    primary key (only_row)
) strict, without rowid;
