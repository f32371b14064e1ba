-- Sources of reviews that the service fetches on a schedule. Written by `reviews sync` and by the service.

create table sync_source (
    -- Secrets are never stored: a `${NAME}` is read from the environment at each run.
    name            text not null primary key
        constraint sync_source_name_valid check (length(cast(name as blob)) between 1 and 64 and name not glob '*[^A-Za-z0-9_-]*' and instr(name, char(0)) = 0),
    -- A URL, or a path below the folder REVIEWS_SYNC_FILES.
    url             text not null,
    -- An interval (`6h`), or five fields of cron in the business's time zone.
    schedule        text not null default '6h',
    -- Headers, credentials with `${NAME}`, and the options of `reviews import`.
    options         text not null default '{}' constraint sync_source_options_are_json check (json_type(options) = 'object'),
    paused          integer not null default 0 constraint sync_source_paused_is_flag check (paused in (0, 1)),
    -- An earlier instant written here is obeyed within 30 s; null is due at once.
    next_run_at     text,
    last_success_at text,
    last_failure_at text,
    -- Why the last failed run failed.
    last_failure    text,
    -- `success` or `failure`.
    last_outcome    text,
    -- Reviews that the last run brought.
    last_count      integer,
    -- Rows of the last run that are not imported until the owner decides.
    last_doubtful   integer not null default 0,
    -- The last run that changed something: `run_id` of `import_run`.
    last_run        integer,
    -- The format of the last answer, and its validators.
    last_format     text,
    etag            text,
    last_modified   text,
    constraint sync_source_texts_are_short check (max(
        length(cast(url as blob)), length(cast(schedule as blob)), length(cast(options as blob)),
        length(cast(coalesce(next_run_at, '') as blob)), length(cast(coalesce(last_success_at, '') as blob)),
        length(cast(coalesce(last_failure_at, '') as blob)), length(cast(coalesce(last_failure, '') as blob)),
        length(cast(coalesce(last_outcome, '') as blob)), length(cast(coalesce(last_format, '') as blob)),
        length(cast(coalesce(etag, '') as blob)), length(cast(coalesce(last_modified, '') as blob))) <= 8192)
) strict, without rowid;

create table sync_review (
    -- The reviews that runs of a source brought.
    name      text not null,
    review_id text not null,
    primary key (name, review_id)
) strict, without rowid;

-- Validators of another definition may be of another place.
create trigger sync_source_changed after update of url, options on sync_source
when old.url <> new.url or old.options <> new.options begin
    update sync_source set last_format = null, etag = null, last_modified = null where name = new.name;
end;
