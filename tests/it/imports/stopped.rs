//! An import that is stopped while it reads or merges.

use std::cell::Cell;

use reviews_service::imports::{ImportError, Watch, import};
use serde_json::json;

use super::{bench, request_for};

/// Stops an import when it looks for the stop after `looks` times.
struct Stopper {
    looks: Cell<u32>,
}

impl Watch for Stopper {
    fn is_stopped(&self) -> bool {
        let left = self.looks.get().checked_sub(1);
        self.looks.set(left.unwrap_or(0));
        left.is_none()
    }
}

#[tokio::test]
async fn an_import_that_is_stopped_changes_nothing() {
    const ROWS: u32 = 600;
    let row = |row| json!({"stars": 5, "date": "2026-10-30", "author": format!("Ann {row}"), "review": "Good work."});
    let cells = |row| format!("5,2026-10-30,Ann {row},Good work.\n");
    let place = json!([{"place": "P", "reviews": (0..ROWS).map(row).collect::<Vec<_>>()}]);
    for content in [
        (0..ROWS).map(|it| format!("{}\n", row(it))).collect(),
        "Rating,Date,Author,Review\n".to_owned() + &(0..ROWS).map(cells).collect::<String>(),
        place.to_string(),
    ] {
        let bench = bench().await;
        let request = request_for([bench.file("some.txt", content)], "format: ignored = '*'");
        let run = async |looks: u32| {
            let mut stopper = Stopper {
                looks: Cell::new(looks),
            };
            let done = import(&bench.database, &bench.clock, &request, &mut stopper).await;
            (done, looks - stopper.looks.get())
        };
        let mut looks = 0;
        while let Err(error) = run(looks).await.0 {
            assert!(matches!(error, ImportError::Stopped), "{error}");
            assert_eq!(bench.sql("select count(*) from review"), "0");
            looks += 1;
        }
        // Between rows when they are read, when their cells are, and when they are merged.
        assert!(looks >= 3 * ROWS / 256, "{looks}");
        assert_eq!(bench.sql("select count(*) from review"), ROWS.to_string());
    }
}
