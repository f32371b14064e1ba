//! The sample business, served once for all tests that only read it.

use std::fs::{self, File};
use std::path::Path;
use std::sync::LazyLock;

use tempfile::TempDir;
use tokio::runtime::Runtime;
use tokio::sync::OnceCell;

use super::TestApp;
use super::cluster::Rqlited;

/// The runtime of the shared service: the tasks and connections of a service belong to the runtime that started it, and that of
/// a `#[tokio::test]` ends with the test.
static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().unwrap());

/// Runs a test on the sample business of `seeds`, with a security contact. The service is shared: a test that writes, moves the
/// clock, restarts or compares counters starts its own with [`TestApp::seeded`].
pub fn with_sample(test: impl AsyncFnOnce(&TestApp)) {
    static SAMPLE: OnceCell<(TestApp, File)> = OnceCell::const_new();
    RUNTIME.block_on(async {
        // Its rqlited ends when the service is dropped, which is never done with a `static`.
        if Rqlited::is_used() {
            return test(&with_contact(TestApp::seeded().await).await).await;
        }
        let (app, _lock) = SAMPLE
            .get_or_init(async || {
                let (folder, lock) = folder_of_this_process();
                let app = TestApp::seeded_in(folder).await;
                (with_contact(app).await, lock)
            })
            .await;
        test(app).await;
    });
}

async fn with_contact(app: TestApp) -> TestApp {
    let contact = "mailto:security@example.com".to_owned();
    app.restart_with(|options| options.contacts = vec![contact])
        .await
}

/// A folder, and the lock that reserves it: nothing removes the folder at the end of the process, but the next one takes it.
fn folder_of_this_process() -> (TempDir, File) {
    let folders = Path::new(env!("CARGO_TARGET_TMPDIR"));
    for number in 0.. {
        let path = folders.join(format!("sample-{number}"));
        let lock = File::create(path.with_extension("lock")).unwrap();
        if lock.try_lock().is_ok() {
            let _ = fs::remove_dir_all(&path);
            fs::create_dir(&path).unwrap();
            return (tempfile::tempdir_in(path).unwrap(), lock);
        }
    }
    unreachable!()
}
