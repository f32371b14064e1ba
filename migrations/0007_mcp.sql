-- The key that sessions of agents are signed with: made once, so that they outlive a restart and hold for every process on
-- this file. Deleting the row ends all sessions at the next start.

create table mcp_key (
    only_row integer not null default 1 constraint mcp_key_is_one check (only_row = 1),
    key      blob not null constraint mcp_key_has_256_bits check (length(key) = 32),
    primary key (only_row)
) strict, without rowid;
