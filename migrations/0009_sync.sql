-- Sources of reviews that the service fetches on a schedule. Written by `reviews sync` and by the service.

create table sync_source (
    -- Secrets are never stored: a `${VARIABLE}` is read from the environment at each run.
    name            text not null primary key
        constraint sync_source_name_valid check (length(name) between 1 and 64 and name not glob '*[^A-Za-z0-9_-]*'),
    -- A URL, or a path below the folder REVIEWS_SYNC_FILES.
    url             text not null,
    -- An interval (`6h`), or five fields of cron in the business's time zone.
    schedule        text not null default '6h',
    -- Headers, credentials with `${VARIABLE}`, and the options of `reviews import`.
    options         text not null default '{}' constraint sync_source_options_are_json check (json_type(options) = 'object'),
    paused          integer not null default 0 constraint sync_source_paused_is_flag check (paused in (0, 1)),
    -- An earlier instant written here is obeyed within 30 s; null is due at once.
    next_run_at     text,
    last_success_at text,
    last_failure_at text,
    -- Why the last failed run failed.
    last_failure    text,
    -- `success`, `short` (fewer reviews than the last whole run), `failure`.
    last_outcome    text,
    -- Reviews that the last run brought.
    last_count      integer,
    -- Rows of the last run that are not imported until the owner decides.
    last_doubtful   integer not null default 0,
    -- The last run that changed something: `run_id` of `import_run`.
    last_run        integer,
    -- Reviews that the last whole run brought, its format, and the validators of its answer.
    whole_count     integer,
    whole_format    text,
    etag            text,
    last_modified   text
) strict, without rowid;

create table sync_review (
    -- The reviews that runs of a source brought.
    name      text not null,
    review_id text not null,
    -- How many whole runs in a row lacked it.
    missing   integer not null default 0,
    primary key (name, review_id)
) strict, without rowid;

create table sync_request (
    -- Runs that `reviews sync run` requests from the running service; the command deletes its row once it has read the report.
    request_id   integer primary key,
    name         text not null,
    requested_at text not null,
    -- Whether the run is taken as it is (`--yes`).
    accepted     integer not null default 0 constraint sync_request_accepted_is_flag check (accepted in (0, 1)),
    -- Whether mass changes are taken (`--accept-changes`), and the values of `--doubtful`, a JSON array.
    accepts_changes integer not null default 0 constraint sync_request_accepts_changes_is_flag check (accepts_changes in (0, 1)),
    doubtful     text not null default '[]' constraint sync_request_doubtful_is_json check (json_type(doubtful) = 'array'),
    -- Null until the run has ended.
    exit_code    integer,
    report       text
) strict;

