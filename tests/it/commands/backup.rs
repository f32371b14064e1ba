//! `reviews backup`: a consistent copy, also while others write.

use super::*;

/// Number of initial reviews, enough for the copy to take a while.
const REVIEWS: usize = 5000;
/// Number of transactions committed before the backup begins.
const BEFORE: usize = 10;

#[test]
fn a_backup_is_complete_private_and_overwrites_nothing() {
    let home = Home::with(5);
    home.run_ok("backup copy.db", "copy.db: ");
    let copy = home.folder.path().join("copy.db");
    assert_eq!(sqlite3(&copy, "select count(*) from review"), "5");
    assert_eq!(mode(&copy), 0o600);
    home.run_err("backup copy.db", "already exists");
    home.insert(6, 7);
    let lock = File::create(home.folder.path().join("copy.db-sender")).unwrap();
    lock.lock().unwrap();
    home.steps("backup copy.db --force ✗ the database copy.db is in use by another process");
    lock.unlock().unwrap();
    home.run_ok("backup copy.db --force", "copy.db: ");
    assert_eq!(sqlite3(&copy, "select count(*) from review"), "7");
    let theirs = home.folder.path().join("theirs.db");
    sqlite3(&theirs, "create table orders (id integer primary key)");
    let before = fs::read(&theirs).unwrap();
    home.steps(
        "
        backup theirs.db --force ✗ theirs.db is the database of another program or build, and was not changed; name another file
        backup reviews.db --force ✗ is a file of the database
        backup none/copy.db ✗ cannot write none/copy.db: No such file or directory (os error 2); create its folder, or name another file
        restore copy.db --yes --database none/reviews.db ✗ cannot write none/reviews.db
        check --database sqlite://copy.db → 7 reviews
        ",
    );
    assert_eq!(fs::read(&theirs).unwrap(), before);
}

#[test]
fn files_created_by_root_belong_to_the_user_of_the_service() {
    const NOBODY: u32 = 65_534;
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let home = Home::new();
    chown(home.folder.path(), Some(NOBODY), Some(NOBODY)).unwrap();
    home.run_ok("init --name N", "N");
    home.insert(1, 2);
    home.run_ok("backup copy.db", "copy.db: ");
    home.run_ok("restore copy.db --yes", "restored");
    for name in home.file_names() {
        let file = fs::metadata(home.folder.path().join(&name)).unwrap();
        assert_eq!(file.uid(), NOBODY, "{name}");
    }
}

/// Commits transactions of two reviews each until `is_over` is set, and signals `ready` after [`BEFORE`] of them. Returns
/// their number.
fn write(path: &Path, ready: &mpsc::Sender<()>, is_over: &AtomicBool) -> usize {
    let mut connection = connect(path);
    let mut done = 0;
    while !is_over.load(Ordering::Acquire) {
        let write = connection.transaction().unwrap();
        for half in ["a", "b"] {
            let id = format!("t-{}-{half}", done + 1);
            let insert = "insert into review (review_id, rating, reviewed_on, text) values (?, 5, '2026-11-01', ?)";
            write
                .execute(insert, [&id, &format!("Text of {id}.")])
                .unwrap();
        }
        write.commit().unwrap();
        done += 1;
        if done == BEFORE {
            ready.send(()).unwrap();
        }
    }
    done
}

#[test]
fn a_backup_during_writes_has_whole_transactions_to_one_point() {
    let home = Home::with(REVIEWS);
    let (ready, is_ready) = mpsc::channel();
    let is_over = AtomicBool::new(false);
    let done = std::thread::scope(|scope| {
        let writer = scope.spawn(|| write(&home.path(), &ready, &is_over));
        is_ready.recv().unwrap();
        let copied = home.run("backup copy.db");
        is_over.store(true, Ordering::Release);
        let done = writer.join().unwrap();
        assert_eq!(copied.code, Some(0), "{}", copied.err);
        done
    });
    let copy = home.folder.path().join("copy.db");
    assert_eq!(sqlite3(&copy, "pragma integrity_check"), "ok");
    // It has both reviews of each of the first transactions, and none of a later one.
    let of_writer = "select count(*), max(cast(substr(review_id, 3) as integer)) from review where review_id like 't-%'";
    let found = sqlite3(&copy, of_writer);
    let (rows, last) = found.split_once('|').unwrap();
    let [rows, last]: [usize; 2] = [rows, last].map(|number| number.parse().unwrap());
    let is_whole = rows == 2 * last && (BEFORE..done).contains(&last);
    assert!(is_whole, "{rows} rows, {last} of {done} transactions");
    let others = "select count(*) from review where review_id like 'p-%'";
    assert_eq!(sqlite3(&copy, others), REVIEWS.to_string());
    home.run_ok("check --database sqlite://copy.db", "reviews");
}
