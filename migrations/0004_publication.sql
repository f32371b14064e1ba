-- What was published last: one row for each document. No triggers here: publishing is no change.

create table publication (
    document    text not null
        constraint publication_document_known check (document in ('reviews', 'insights', 'json_feed', 'atom_feed')),
    -- Raised by one whenever the document's bytes change. Subscribers are due while they have an older one.
    version     integer not null constraint publication_version_positive check (version > 0),
    -- SHA-256 of the content, in hexadecimal.
    digest      text not null,
    -- When the bytes last changed, RFC 3339 UTC; never goes back. Sent as Last-Modified.
    changed_at  text not null,
    -- 1 where the change before this one fell into the same second: then If-Modified-Since cannot tell them apart.
    same_second integer not null default 0 constraint publication_same_second_is_0_or_1 check (same_second in (0, 1)),
    -- The change number of the reviews that it was printed from.
    change_no   integer not null,
    primary key (document)
) strict, without rowid;
