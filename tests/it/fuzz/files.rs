//! Files to import: with any content, each row is imported or rejected, or the whole file is refused.

use std::fs;

use reviews_service::clock::Clock;
use reviews_service::imports::{ImportRequest, import};
use reviews_service::storage::Database;

use super::{runtime, text_from};
use crate::support::{Quiet, sqlite3, start};

const WORDS: &str = "{|}|[|]|:|,|\n|\r\n|\t|;|\"|\"\"|\"id\":|\"a\"|\"rating\":|5|6|0|\"date\":|\"2026-03-04\"|\"2026-02-30\"|\
    \"2026-03-04T05:06:07Z\"|\"text\":|\"author\":|\"deleted\":true|null|1e400|\"reviews\":[|\"starRating\":\"FIVE\"|\
    \"createTime\":|\"reviewer\":{\"displayName\":\"A\"}|\"comment\":|id,rating,date,text,author\n|Rating\tDate\tReview\n|\
    1,5,2026-03-04,good,Ann\n|2,4,04.03.2026,\"so, so\",Bob\n|PK\u{3}\u{4}|<html>|<script type=\"application/ld+json\">|\
    </script>|\"@type\":\"Review\"|\"reviewBody\":|\u{feff}|\0|\u{1f600}|\\u0000|\"status\":\"withheld\"|\
    \"mentions\":{\"technicians\":[\"X\"]}|\"updated_at\":|=1+1";

#[test]
fn rows_of_any_file_are_imported_or_rejected() {
    let runtime = runtime();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("reviews.db");
    let (database, _) = runtime.block_on(Database::open(&path)).unwrap();
    let file = folder.path().join("given");
    let used = std::panic::AssertUnwindSafe((runtime, database, file, path));
    bolero::check!()
        .with_type::<(bool, Vec<u8>)>()
        .for_each(move |(is_raw, bytes)| {
            let used = &used;
            let (runtime, database, path, database_path) = &used.0;
            let content = if *is_raw {
                bytes.clone()
            } else {
                text_from(bytes, WORDS).into_bytes()
            };
            fs::write(path, content).unwrap();
            let order = ImportRequest {
                files: vec![path.clone()],
                dry_run: true,
                ..ImportRequest::default()
            };
            let clock = Clock::manual(start());
            let mut quiet = Quiet::default();
            let reported = runtime.block_on(import(database, &clock, &order, &mut quiet));
            if let Err(error) = reported {
                assert!(error.to_string().len() > 10, "an empty error");
            }
            let count = sqlite3(database_path, "select count(*) from review");
            assert_eq!(count, "0", "a dry run writes nothing");
        });
}
