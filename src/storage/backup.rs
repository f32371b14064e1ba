//! Backups: consistent copies of the database while others use it, and their restoration.

use std::fs::{File, Permissions, hard_link, remove_file, rename};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io};

use chrono::{DateTime, Utc};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, Executor as _};

use super::cluster::client::RqliteClient;
use super::cluster::write::level_with_cluster;
use super::database::{Database, Opening};
use super::erase::note_traces;
use super::error::{AtPath as _, DbError};
use super::files::{
    self, DeliveryLock, JOURNAL, LOG, beside, copy_file, copy_into, folder_of, options, real,
    remove_files,
};
use super::reviews::{
    KnownReview, ReviewState, anonymize, anonymized, delete_all, list_ids, marks, note_sources,
    position, put_marks, set_note, standing, upsert,
};
use super::schema::{self, untouching};
use super::text::{Text, utc};
use super::write::Write;
use crate::config::DatabaseAddress;
use crate::model::{ANONYMOUS, Status};

impl Database {
    /// Copies the database at `address` into the file at `to` (mode 0600). If many nodes share it, that is this node's file, once
    /// it has all of the leader's data. Writers are not blocked: the copy has the state from the start of the copying. It is
    /// written as `begun`, an unused name, so that a former file stays if the copy fails, and no part of a copy has its name.
    ///
    /// # Errors
    /// [`DbError`], also when there is no database; then what is at `to` stays.
    pub async fn back_up(
        address: &DatabaseAddress,
        begun: &Path,
        to: &Path,
    ) -> Result<(), DbError> {
        if let DatabaseAddress::File(path) = address
            && !path.exists()
        {
            return Err(DbError::Missing(path.clone()));
        }
        let fault = |reason| DbError::Backup {
            path: to.to_owned(),
            reason,
        };
        files::open_private(begun, folder_of(to)).map_err(fault)?;
        let copied = async {
            match address {
                DatabaseAddress::File(path) => {
                    schema::identify(path).await?;
                    // Not read-only, because a connection that only reads would leave a log behind.
                    let mut connection = match connect(options(path)).await.at(path) {
                        // Nothing may be written there.
                        Err(DbError::ReadOnly(_)) => connect(untouching(path)).await.at(path)?,
                        connected => connected?,
                    };
                    copy_into(&mut connection, begun).await.at(to)?;
                    connection.close().await.at(path)
                }
                DatabaseAddress::Cluster(cluster) => {
                    let client = RqliteClient::new(cluster.nodes.clone())?;
                    level_with_cluster(&client, &cluster.file).await?;
                    copy_file(&cluster.file, begun).await.at(to)
                }
            }
        };
        let replaced = match copied.await {
            Ok(()) => {
                // Left by a killed process beside the former file: SQLite would apply them to the backup.
                for side in files::files(to).iter().filter(|file| *file != to) {
                    files::remove_leftover(side);
                }
                rename(begun, to).map_err(fault)
            }
            Err(error) => Err(error),
        };
        replaced.inspect_err(|_| files::remove_leftover(begun))
    }
}

/// A connection that has read, which SQLite does not do while it connects.
async fn connect(options: SqliteConnectOptions) -> sqlx::Result<SqliteConnection> {
    let mut connection = options.connect().await?;
    connection
        .execute("select count(*) from sqlite_schema")
        .await?;
    Ok(connection)
}

/// Refuses to replace a database that a service uses, or that is another program's.
///
/// # Errors
/// [`DbError::InUse`] or [`DbError::NotOurs`].
pub async fn may_replace(path: &Path) -> Result<(), DbError> {
    if DeliveryLock::is_held(path) {
        return Err(DbError::InUse(path.to_owned()));
    }
    match schema::identify(path).await {
        Err(error @ DbError::NotOurs(_)) => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

// Restores a backup: checks and prepares a copy beside the database, then swaps it in while no other process uses the
// database. The former file stays beside it under another name.

/// Maximum wait for other processes to close the database.
const WAIT_MAX: Duration = Duration::from_secs(1);

impl Opening {
    /// Copies the backup to a file beside `path`, which it is to replace, and migrates the copy.
    ///
    /// # Errors
    /// [`DbError`] when the backup is not a reviews database, is damaged, or is from a newer release; no copy is left
    /// then.
    pub async fn of_backup(backup: &Path, path: &Path) -> Result<Self, DbError> {
        let there = backup
            .metadata()
            .map_err(|_| DbError::NoBackup(backup.to_owned()))?;
        if !there.is_file() || there.len() == 0 {
            return Err(DbError::NotADatabase(backup.to_owned()));
        }
        schema::identify(backup).await?;
        let mut reading = untouching(backup).connect().await.at(backup)?;
        match schema::verify_version(&mut reading, backup).await {
            Ok(()) | Err(DbError::Older { .. }) => {}
            Err(error) => return Err(error),
        }
        let copy = files::begin(path)?;
        let opened = async {
            let copied = copy_into(&mut reading, &copy).await.at(backup);
            // The copy is on the disk of the database.
            if let Err(DbError::Full(_)) = copied {
                return Err(DbError::Full(path.to_owned()));
            }
            copied?;
            reading.close().await.at(backup)?;
            Database::open(&copy).await
        };
        let opened = opened.await.inspect_err(|_| remove_files(&copy));
        opened.map(|(database, _)| Self {
            database,
            destination: Some(path.to_owned()),
        })
    }

    /// Replaces the database that `alone` holds by the copy; returns the former file's path. A single `rename` replaces
    /// the file, so a database always exists.
    ///
    /// # Errors
    /// [`DbError::Create`] when the folder cannot be written; nothing is changed in this case.
    pub async fn put_in_place(
        self,
        path: &Path,
        alone: Option<ExclusiveAccess>,
        now: DateTime<Utc>,
    ) -> Result<Option<PathBuf>, DbError> {
        let place = real(path);
        let fault = |reason| DbError::create(&place, reason);
        self.database.close().await;
        let former = files::unused_former(&place, now);
        let has_file = place.exists();
        swap(self.database.path(), &place, &former).map_err(|reason| {
            remove_files(self.database.path());
            fault(reason)
        })?;
        File::open(folder_of(&place))
            .and_then(|folder| folder.sync_all())
            .map_err(fault)?;
        if let Some(alone) = alone {
            alone.release().await;
        }
        Ok(has_file.then_some(former))
    }
}

/// Keeps the database at `place` as `former` and puts `copy` in its place; undone if a step fails.
fn swap(copy: &Path, place: &Path, former: &Path) -> io::Result<()> {
    let private = Permissions::from_mode(0o600);
    let has_file = place.exists();
    let swap = || {
        if has_file {
            fs::set_permissions(place, private.clone())?;
            // Without links, the database is missing for a moment.
            hard_link(place, former).or_else(|_| rename(place, former))?;
        }
        // Left by a kill, or beside a damaged file: SQLite would apply them to the copy.
        for suffix in [LOG, JOURNAL] {
            let (left, kept) = (beside(place, suffix), beside(former, suffix));
            if left.exists() {
                rename(&left, &kept)?;
                fs::set_permissions(&kept, private.clone())?;
            }
        }
        rename(copy, place)
    };
    swap().inspect_err(|_| {
        for suffix in [LOG, JOURNAL] {
            let _ = rename(beside(former, suffix), beside(place, suffix));
        }
        if has_file {
            let _ = if place.exists() {
                remove_file(former)
            } else {
                rename(former, place)
            };
        }
    })
}

/// Exclusive access to the database until it is released.
#[derive(Debug)]
pub struct ExclusiveAccess {
    /// In a transaction that keeps other processes from writing.
    pub connection: SqliteConnection,
    _sender: DeliveryLock,
}

impl ExclusiveAccess {
    /// Takes exclusive access to the database at `path` and writes its log back into the file.
    ///
    /// # Errors
    /// [`DbError::InUse`] when another process has it open; others when it cannot be read.
    pub async fn take(path: &Path) -> Result<Self, DbError> {
        let fault = |error| {
            let error = DbError::at(path, error);
            if let DbError::Locked(path) = error {
                DbError::InUse(path)
            } else {
                error
            }
        };
        let sender = DeliveryLock::take(path)?.ok_or_else(|| DbError::InUse(path.to_owned()))?;
        let taken = async {
            let options = options(path).busy_timeout(WAIT_MAX);
            let mut connection = options.connect().await?;
            // Leaving write-ahead logging requires that no other connection is open
            // (<https://www.sqlite.org/wal.html#activating_and_configuring_wal_mode>).
            let mode: String = sqlx::query_scalar("pragma journal_mode = delete")
                .fetch_one(&mut connection)
                .await?;
            connection.execute("begin immediate").await?;
            Ok((connection, mode))
        };
        match taken.await.map_err(fault)? {
            (connection, mode) if mode == "delete" => Ok(Self {
                connection,
                _sender: sender,
            }),
            _ => Err(DbError::InUse(path.to_owned())),
        }
    }

    pub async fn release(mut self) {
        let _ = self.connection.execute("rollback").await;
        if let Err(error) = self.connection.close().await {
            tracing::debug!(%error, "restore.not_closed: the previous database was not closed cleanly");
        }
    }
}

/// What is compared with the former database: its name as one and as several, and a query of it in the database DB, whose first
/// column identifies it.
const COMPARED: [[&str; 3]; 6] = [
    [
        "import",
        "imports",
        "select run_id as id, started_at, undone_at from DB.import_run",
    ],
    ["review", "reviews", "select review_id as id from DB.review"],
    [
        "answer",
        "answers",
        "select review_id as id, reply_text from DB.review where reply_text is not null",
    ],
    [
        "author's name",
        "authors' names",
        "select r.review_id as id, r.author from DB.review as r
         join former.review using (review_id) join main.review using (review_id)",
    ],
    [
        "name of a source",
        "names of sources",
        "select distinct source_name as id from DB.review_source",
    ],
    [
        "format of a source",
        "formats of sources",
        "select name as id, format from DB.source where format is not null",
    ],
];

impl Database {
    /// Takes the subscriptions from the database at `former`; then counts what else differs there.
    ///
    /// # Errors
    /// When a file cannot be read or written.
    pub async fn carry_subscriptions(
        &self,
        former: &Path,
        carried: &mut Carried,
    ) -> Result<(), DbError> {
        let copy = async {
            let mut connection = options(self.path()).connect().await?;
            sqlx::query("attach database ? as former")
                .bind(former.to_string_lossy().into_owned())
                .execute(&mut connection)
                .await?;
            let copy = "begin; delete from main.subscription; delete from main.intent;
                 insert into main.subscription select * from former.subscription;
                 insert into main.intent select * from former.intent; commit";
            connection.execute(copy).await?;
            carried.subscriptions = sqlx::query_scalar!("select count(*) from subscription")
                .fetch_one(&mut connection)
                .await?
                .unsigned_abs();
            for [one, several, query] in COMPARED {
                let [ours, theirs] = ["main", "former"].map(|name| query.replace("DB", name));
                let differing = format!(
                    "select count(distinct id) from (select * from ({ours} except {theirs}) union all select * from ({theirs} except {ours}))"
                );
                let count: i64 = sqlx::query_scalar(AssertSqlSafe(differing))
                    .fetch_one(&mut connection)
                    .await?;
                if count > 0 {
                    carried.differing.push((count.unsigned_abs(), one, several));
                }
            }
            connection.close().await
        };
        copy.await.at(self.path())
    }
}

// Repeats deletions and withholdings that are newer than a backup in the restored database.

/// Reviews per batch.
const ROWS: usize = 250;

/// Counts of what a restored backup got from the former database.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Carried {
    /// Reviews in the backup that were deleted since.
    pub deleted: u64,
    /// Reviews of which the backup has the author's name, which was taken away since.
    pub anonymized: u64,
    /// Reviews that were withheld since, and withheld reviews that the backup lacks.
    pub withheld: u64,
    pub subscriptions: u64,
    /// What else differs from the former database: count, its name as one, and as several.
    pub differing: Vec<(u64, &'static str, &'static str)>,
    /// Whether the former file is another database, of which the same IDs are other reviews; then nothing is repeated.
    pub is_other: bool,
}

/// Continues change numbers above those of both databases. If `former` is a later state of the restored one, it also repeats
/// its deletions and withholdings, and dates the reviews that come back in an older form.
///
/// # Errors
/// When one cannot be read, or the other refuses a write.
pub async fn carry_over(
    former: &mut SqliteConnection,
    write: &mut Write,
    now: DateTime<Utc>,
) -> sqlx::Result<Carried> {
    let (theirs, ours) = (
        position(former).await?,
        position(write.for_reading()).await?,
    );
    let mut carried = Carried {
        is_other: theirs.lineage != ours.lineage,
        ..Carried::default()
    };
    if !carried.is_other {
        carried.deleted = deletions(former, write).await?;
        carried.anonymized = anonymizations(former, write, now).await?;
        carried.withheld = withholdings(former, write, now).await?;
        date_changes(former, write, now).await?;
    }
    note_traces(write, theirs.change_no).await?;
    Ok(carried)
}

async fn deletions(former: &mut SqliteConnection, write: &mut Write) -> sqlx::Result<u64> {
    let ids = sqlx::query_scalar!(r#"select review_id as "id: Text" from deleted_review"#)
        .fetch_all(&mut *former)
        .await?;
    let mut count = 0;
    for ids in ids.chunks(ROWS) {
        let ids: Vec<&str> = ids.iter().map(AsRef::as_ref).collect();
        let marks = marks(former, &ids).await?;
        let ids: Vec<&str> = marks.iter().map(|mark| mark.id.as_str()).collect();
        count += delete_all(write, &ids).await?;
        put_marks(write, &marks).await?;
    }
    Ok(count)
}

/// Takes the names away again that were taken away in `former`.
async fn anonymizations(
    former: &mut SqliteConnection,
    write: &mut Write,
    now: DateTime<Utc>,
) -> sqlx::Result<u64> {
    let mut count = 0;
    for ids in anonymized(former).await?.chunks(ROWS) {
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        for known in standing(write.for_reading(), &ids).await?.into_values() {
            if let ReviewState::There(review) = known.state {
                count += u64::from(review.author != ANONYMOUS);
                anonymize(write, review, now).await?;
            }
        }
    }
    Ok(count)
}

/// Dates the reviews that changed since with `now`: readers of feeds saw the newer form, and no date goes back.
async fn date_changes(
    former: &mut SqliteConnection,
    write: &mut Write,
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    let changes = sqlx::query_scalar!(
        r#"select json_group_object(review_id, change_no) as "changes!: Text" from review_change"#
    )
    .fetch_one(former)
    .await?;
    let (now, changes) = (utc(now), String::from(changes));
    execute!(
        write,
        "update review_change set observed_at = ? from json_each(?) as theirs
         where theirs.key = review_id and theirs.value <> change_no",
        now,
        changes
    )
}

/// Withholds again what is withheld in `former`, as it is there.
async fn withholdings(
    former: &mut SqliteConnection,
    write: &mut Write,
    now: DateTime<Utc>,
) -> sqlx::Result<u64> {
    let mut count = 0;
    let ids = list_ids(former, None, Some("withheld")).await?;
    for ids in ids.chunks(ROWS) {
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        let (theirs, ours) = (
            standing(former, &ids).await?,
            standing(write.for_reading(), &ids).await?,
        );
        let (mut reviews, mut sources, mut notes) = (Vec::new(), Vec::new(), Vec::new());
        for (id, theirs) in theirs {
            let ReviewState::There(review) = theirs.state else {
                continue;
            };
            let ours = ours.get(&id).and_then(KnownReview::review);
            if ours.is_some_and(|ours| ours.status == review.status) {
                continue;
            }
            count += u64::from(ours.is_none_or(|ours| ours.status == Status::Published));
            reviews.push(review);
            sources.extend(theirs.source);
            notes.push((id, theirs.note));
        }
        upsert(write, &reviews, now).await?;
        note_sources(write, &sources).await?;
        for (id, note) in notes {
            set_note(write, id.as_str(), note.as_deref()).await?;
        }
    }
    Ok(count)
}
