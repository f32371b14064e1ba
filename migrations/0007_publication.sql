-- What was published last. Written by the publisher; no triggers, because publishing is no change.

create table publication (
    document    text not null
        constraint publication_document_known check (document in ('reviews', 'insights', 'json_feed', 'atom_feed')),
    -- Raised by one whenever the document's bytes change. Subscribers with an older one are due.
    version     integer not null constraint publication_version_positive check (version > 0),
    -- SHA-256 of the content, in hexadecimal.
    digest      text not null,
    -- When the bytes last changed, with milliseconds; never goes back. Sent as Last-Modified.
    changed_at  text not null,
    -- 1 if the previous change was within the same second, which If-Modified-Since cannot distinguish.
    same_second integer not null default 0 constraint publication_same_second_is_0_or_1 check (same_second in (0, 1)),
    -- The change number of the reviews from which it was rendered; 0, which no change has, makes every document due after a restore.
    change_no   integer not null,
    primary key (document)
) strict, without rowid;
