//! Backups: consistent copies of the database while others use it, and their restoration.

use std::collections::{BTreeMap, HashMap};
use std::fs::{File, Permissions, hard_link, rename};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

use chrono::{DateTime, Utc};
use sqlx::sqlite::SqliteConnection;
use sqlx::{Connection as _, Executor as _};

use super::columns::{Text, utc};
use super::database::{Database, Opening};
use super::error::{AtPath as _, DbError, SHORT_BUSY_TIMEOUT};
use super::files::{
    self, DELIVERY_LOCK, JOURNAL, LOG, LockFile, UnfinishedFile, beside, copy_into, folder_of,
    has_sender, lock_beside, options, owner_of, real,
};
use super::reviews::{KeptFormats, load_formats, load_reviews};
use super::schema::{self, untouching};
use super::steps::connect;
use crate::config::DatabaseAddress;
use crate::model::ReviewId;

impl Database {
    /// Copies the database at `address` into the file at `to` (mode 0600). Writers are not blocked: the copy has the state from the
    /// start of the copying. It is written under an unused name, so that a former file stays if the copy fails, and no part of a
    /// copy has its name.
    ///
    /// # Errors
    /// [`DbError`], also when there is no database; then what is at `to` stays.
    pub async fn back_up(address: &DatabaseAddress, to: &Path) -> Result<(), DbError> {
        if !address.file().exists() {
            return Err(DbError::Missing(address.file().to_owned()));
        }
        let begun = UnfinishedFile::begin(to, folder_of(to))?;
        Self::copy_as(address, &begun.path, to).await?;
        // Left by a killed process beside the former file: SQLite would apply them to the backup.
        for side in files::files(to).iter().filter(|file| *file != to) {
            files::remove_leftover(side);
        }
        rename(&begun.path, to).map_err(|reason| DbError::create(to, reason))
    }
}

/// Refuses to replace a database that a service uses, or that is another program's.
///
/// # Errors
/// [`DbError::InUse`] or [`DbError::NotOurs`].
pub async fn may_replace(path: &Path) -> Result<(), DbError> {
    if has_sender(path) {
        return Err(DbError::InUse(path.to_owned()));
    }
    match schema::identify(path).await {
        Err(error @ DbError::NotOurs(_)) => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

// Restores a backup: checks and prepares a copy beside the database, then swaps it in while no other process uses the
// database. The former file stays beside it under another name.

impl Opening {
    /// Copies the backup to a file beside `path`, which it is to replace, and migrates the copy.
    ///
    /// # Errors
    /// [`DbError`] when the backup is not a reviews database, is damaged, or is from a newer release.
    pub async fn of_backup(backup: &Path, path: &Path) -> Result<Self, DbError> {
        let there = backup
            .metadata()
            .map_err(|_| DbError::NoBackup(backup.to_owned()))?;
        if !there.is_file() || there.len() == 0 {
            return Err(DbError::NotADatabase(backup.to_owned()));
        }
        schema::identify(backup).await?;
        let mut reading = connect(&untouching(backup)).await.at(backup)?;
        let applied = schema::applied(&mut reading, backup).await?;
        schema::reject_newer(&applied, backup)?;
        let copy = UnfinishedFile::begin(path, owner_of(path))?;
        let copied = copy_into(&mut reading, &copy.path).await.at(backup);
        // The copy is on the disk of the database.
        if let Err(DbError::Full(_)) = copied {
            return Err(DbError::Full(path.to_owned()));
        }
        copied?;
        reading.close().await.at(backup)?;
        let (database, _) = Database::open(&copy.path).await?;
        Ok(Self {
            database,
            new: Some(copy),
        })
    }

    /// Replaces the database at `path` by the copy; returns the former file's path. A single `rename` replaces the file, so a
    /// database always exists.
    ///
    /// # Errors
    /// [`DbError::Create`] when the folder cannot be written; nothing is changed in this case.
    pub async fn put_in_place(
        self,
        path: &Path,
        now: DateTime<Utc>,
    ) -> Result<Option<PathBuf>, DbError> {
        let place = real(path);
        let fault = |reason| DbError::create(&place, reason);
        self.database.close().await;
        let former = files::former_name(&place, now);
        let has_file = place.exists();
        swap(self.database.path(), &place, &former).map_err(fault)?;
        File::open(folder_of(&place))
            .and_then(|folder| folder.sync_all())
            .map_err(fault)?;
        Ok(has_file.then_some(former))
    }
}

/// Keeps the database at `place` as `former` and puts `copy` in its place; the database stays if a step fails.
fn swap(copy: &Path, place: &Path, former: &Path) -> io::Result<()> {
    let private = Permissions::from_mode(0o600);
    if place.exists() {
        fs::set_permissions(place, private.clone())?;
        hard_link(place, former)?;
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
}

/// Exclusive access to the database until it is dropped.
#[derive(Debug)]
pub struct ExclusiveAccess {
    /// In a transaction that keeps other processes from writing.
    _connection: SqliteConnection,
    _sender: LockFile,
}

impl ExclusiveAccess {
    /// Takes exclusive access to the database at `path` and writes its log back into the file.
    ///
    /// # Errors
    /// [`DbError::InUse`] when another process has it open; others when it cannot be read.
    pub async fn take(path: &Path) -> Result<Self, DbError> {
        let sender = lock_beside(path, DELIVERY_LOCK)?;
        let sender = sender.ok_or_else(|| DbError::InUse(path.to_owned()))?;
        let taken = async {
            let options = options(path).busy_timeout(SHORT_BUSY_TIMEOUT);
            let mut connection = connect(&options).await?;
            // Leaving write-ahead logging requires that no other connection is open
            // (<https://www.sqlite.org/wal.html#activating_and_configuring_wal_mode>).
            let mode: String = sqlx::query_scalar("pragma journal_mode = delete")
                .fetch_one(&mut connection)
                .await?;
            connection.execute("begin immediate").await?;
            Ok((connection, mode))
        };
        match taken.await.at(path) {
            Ok((connection, mode)) if mode == "delete" => Ok(Self {
                _connection: connection,
                _sender: sender,
            }),
            Ok(_) | Err(DbError::Locked(_)) => Err(DbError::InUse(path.to_owned())),
            Err(error) => Err(error),
        }
    }
}

// What of the former database a restored one keeps.

/// What a restored backup got from the former database.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Carried {
    /// The error of reading the former database, because of which nothing was carried over.
    pub unreadable: Option<String>,
    /// Reviews that were deleted since, and of which the backup has no mark.
    pub deleted: u64,
    /// Reviews of which the backup has the author's name, which was taken away since, and anonymized reviews that it lacks.
    pub anonymized: u64,
    /// Reviews that were withheld since, and withheld reviews that the backup lacks.
    pub withheld: u64,
    pub subscriptions: u64,
    /// The sources that were renamed since: the name in the former database, and the one of the backup.
    pub renamed: BTreeMap<String, String>,
    /// What sources keep, by their names in the backup: in the former database, and in the backup.
    pub formats: [KeptFormats; 2],
    /// What the former database has besides, and this one lacks, with its number.
    pub lacking: Vec<(&'static str, i64)>,
    /// Whether technicians are shown, which the former database did not.
    pub shows_staff: bool,
    /// Whether the former file is another database, of which the same IDs are other reviews; then nothing is repeated.
    pub is_other: bool,
}

// The queries and statements, in the order in which they run: some select from what those before them made.

/// The reviews that the former database has without their authors' names, and the name in this one of each of its sources, which may have
/// been renamed since: that of most reviews that both have.
const NAMES: &str = "
    create temp table anonymized_again as select review_id from former.review_source join former.review using (review_id)
        where author = 'Anonymous' and exists (select 1 from json_each(said, '$.decided') where value = 'author');
    create temp table source_names as select former_name, restored_name, max(reviews) from (
        select f.name as former_name, m.name as restored_name, count(*) as reviews from (
            select review_id, coalesce(s.source_name, r.source_name) as name
                from former.review as r left join former.review_source as s using (review_id)
            union all select review_id, coalesce(imported_from, source_name) from former.deleted_review) as f
        join (
            select review_id, coalesce(s.source_name, r.source_name) as name
                from main.review as r left join main.review_source as s using (review_id)
            union all select review_id, coalesce(imported_from, source_name) from main.deleted_review) as m
        using (review_id) group by 1, 2) group by former_name";

const RENAMED: &str = "select json_group_object(former_name, restored_name) from source_names
    where former_name <> restored_name";

/// Reviews of the former database that are hidden there, and whose ID the backup does not have.
const HIDDEN_IN_FORMER: &str = "select review_id from (select review_id from former.deleted_review
        union select review_id from former.review where status = 'withheld' union select review_id from anonymized_again)
    where review_id not in (select review_id from main.review)";

/// Reviews of the backup whose ID the former database does not have.
const ONLY_IN_BACKUP: &str = "select review_id from main.review
    where review_id not in (select review_id from former.review union all select review_id from former.deleted_review)";

/// Does nothing if the ID is another review's, or the review is renamed already.
const RENAME: &str = "update main.review set review_id = ?1
    where review_id = ?2 and not exists (select 1 from main.review where review_id = ?1)";

/// What is carried over, under the names of the sources in this database.
const TO_REPEAT: &str = "
    create temp table deleted_again as select * from former.deleted_review
        where review_id not in (select review_id from former.review);
    create temp table withheld_again as select review_id from (
        select review_id, withheld_reason, note, exists (select 1 from json_each(said, '$.decided') where value = 'status')
            from former.review left join former.review_source using (review_id) where status = 'withheld' except
        select review_id, withheld_reason, note, exists (select 1 from json_each(said, '$.decided') where value = 'status')
            from main.review left join main.review_source using (review_id) where status = 'withheld');
    create temp table copied_review as select * from former.review where review_id in withheld_again
        or review_id in anonymized_again and review_id not in (select review_id from main.review);
    create temp table copied_source as select * from former.review_source
        where review_id in withheld_again or review_id in anonymized_again;
    update deleted_again set
        source_name = coalesce((select restored_name from source_names where former_name = source_name), source_name),
        imported_from = coalesce((select restored_name from source_names where former_name = imported_from), imported_from);
    update copied_review set source_name = restored_name from source_names where former_name = source_name;
    update copied_source set source_name = restored_name,
            said = iif(said ->> '$.source.source' = former_name, json_set(said, '$.source.source', restored_name), said)
        from source_names where former_name = source_name";

const DELETED_SINCE: &str = "select count(*) from deleted_again where review_id not in (select review_id from main.deleted_review)";

const DELETE: &str =
    "delete from main.review where review_id in (select review_id from deleted_again)";

const COPY_MARKS: &str = "
    insert into main.review_change (review_id, change_no)
        select review_id, 1 + (select coalesce(max(change_no), 0) from main.review_change) from deleted_again
        where review_id not in (select review_id from main.review_change);
    insert or replace into main.deleted_review select * from deleted_again";

const ANONYMIZE: &str = "update main.review set author = 'Anonymous' where review_id in anonymized_again and author <> 'Anonymous'";

const WITHHOLD: &str =
    "insert or replace into main.review select * from copied_review where status = 'withheld'";

/// Anonymized reviews that the backup lacks.
const ADD_WHOLE: &str =
    "insert into main.review select * from copied_review where status = 'published'";

const COPY_DEPENDENTS: &str = "
    delete from main.mention where review_id in (select review_id from copied_review);
    insert into main.mention select * from former.mention where review_id in (select review_id from copied_review);
    insert or replace into main.review_source select * from copied_source
        where review_id in (select review_id from copied_review) or review_id not in (select review_id from main.review_source);
    update main.review_source
        set said = json_set(said, '$.decided', json((select json_group_array(value) from
            (select value from json_each(said, '$.decided') union select 'author'))))
        where review_id in anonymized_again;
    update main.import_run_review set change_no = null, former = json_remove(former, '$.review.author')
        where review_id in anonymized_again;
    delete from main.subscription;
    delete from main.intent;
    insert into main.subscription select * from former.subscription;
    insert into main.intent select * from former.intent";

/// Readers of feeds saw the newer form of what comes back in an older one, and no date goes back.
const DATE_CHANGES: &str = "
    update main.review_change set observed_at = iif(f.change_no = review_change.change_no, f.observed_at, ?)
        from former.review_change as f where f.review_id = review_change.review_id
            and (f.change_no <> review_change.change_no or f.observed_at > coalesce(review_change.observed_at, ''))";

/// What the former database has and this one lacks, and its number. Numbers of changes tell which of two
/// reviews is the later one.
const LACKING: [(&str, &str); 5] = [
    (
        "imports",
        "select count(*) from former.import_run as f left join main.import_run as m using (run_id, started_at)
         where m.run_id is null or f.undone_at is not null and m.undone_at is null",
    ),
    (
        "reviews",
        "select count(*) from former.review where review_id not in (select review_id from main.review)",
    ),
    (
        "edited reviews",
        "select count(*) from former.review as f join main.review as m using (review_id)
           join former.review_change as c using (review_id) join main.review_change as d using (review_id)
         where c.change_no > d.change_no and f.reply_text is m.reply_text",
    ),
    (
        "replies",
        "select count(*) from former.review as f left join main.review as m using (review_id)
           join former.review_change as c using (review_id) left join main.review_change as d using (review_id)
         where c.change_no > coalesce(d.change_no, 0) and f.reply_text is not m.reply_text",
    ),
    (
        "parts of the business and its texts",
        "select (select count(*) from (select * from former.business except select * from main.business))
           + (select count(*) from (select * from former.technician except select * from main.technician))
           + (select count(*) from (select * from former.service except select * from main.service))
           + (select count(*) from (select * from former.service_area except select * from main.service_area))
           + (select count(*) from (select * from former.editorial_summary except select * from main.editorial_summary))
           + (select count(*) from (select * from former.editorial_faq except select * from main.editorial_faq))",
    ),
];

/// Whether the former database hid the staff, and this one does not.
const SHOWS_STAFF: &str = "select exists (select 1 from main.business, former.business
    where main.business.publish_staff = 'full' and former.business.publish_staff = 'off')";

/// Numbers and dates continue above those of both databases, and every document is due.
const RAISE_VERSIONS: &str = "
    insert into main.review_change (review_id, change_no)
        select '', 1 + max(change_no) from (select change_no from main.review_change union all
            select change_no from former.review_change union all select 0) where true
        on conflict (review_id) do update set change_no = excluded.change_no;
    insert into main.publication select * from former.publication where true
        on conflict (document) do update set version = max(version, excluded.version),
            changed_at = max(changed_at, excluded.changed_at);
    update main.publication set digest = '', same_second = 0, change_no = 0";

impl Database {
    /// Continues numbers and dates above those of the former database at `former`. If that is a later state of this one, which was
    /// restored, it also repeats what was deleted, anonymized and withheld there, and takes its subscriptions.
    ///
    /// # Errors
    /// When one cannot be read, or this one refuses a write; nothing is changed then.
    pub async fn carry_over(&self, former: &Path, now: DateTime<Utc>) -> Result<Carried, DbError> {
        let carry = async {
            let mut connection = connect(&options(self.path())).await?;
            let attach = sqlx::query("attach database ? as former");
            let attach = attach.bind(former.to_string_lossy().into_owned());
            attach.execute(&mut connection).await?;
            // Deferred: the former database is locked.
            connection.execute("begin").await?;
            let mut theirs = connect(&untouching(former)).await?;
            let carried = carry_from(&mut connection, &mut theirs, now).await?;
            theirs.close().await?;
            connection.execute("commit").await?;
            connection.close().await?;
            Ok(carried)
        };
        carry.await.at(self.path())
    }
}

async fn carry_from(
    connection: &mut SqliteConnection,
    former: &mut SqliteConnection,
    now: DateTime<Utc>,
) -> sqlx::Result<Carried> {
    let mut carried = Carried::default();
    let lineages = "select (select lineage_id from main.instance) is not (select lineage_id from former.instance)";
    carried.is_other = sqlx::query_scalar(lineages)
        .fetch_one(&mut *connection)
        .await?;
    if !carried.is_other {
        connection.execute(NAMES).await?;
        let renamed: Text = sqlx::query_scalar(RENAMED)
            .fetch_one(&mut *connection)
            .await?;
        let renamed = serde_json::from_str(renamed.as_ref());
        carried.renamed = renamed.map_err(|error| sqlx::Error::Decode(error.into()))?;
        for (source, format) in load_formats(former).await? {
            let name = carried.renamed.get(&source).cloned();
            carried.formats[0].insert(name.unwrap_or(source), format);
        }
        carried.formats[1] = load_formats(connection).await?;
        rename_hidden(connection, former, &carried.renamed).await?;
        connection.execute(TO_REPEAT).await?;
        let deleted = sqlx::query_scalar(DELETED_SINCE);
        let deleted: i64 = deleted.fetch_one(&mut *connection).await?;
        carried.deleted = deleted.unsigned_abs();
        connection.execute(DELETE).await?;
        connection.execute(COPY_MARKS).await?;
        carried.anonymized = connection.execute(ANONYMIZE).await?.rows_affected();
        carried.withheld = connection.execute(WITHHOLD).await?.rows_affected();
        carried.anonymized += connection.execute(ADD_WHOLE).await?.rows_affected();
        connection.execute(COPY_DEPENDENTS).await?;
        let date = sqlx::query(DATE_CHANGES).bind(utc(now));
        date.execute(&mut *connection).await?;
        let counted = sqlx::query_scalar!("select count(*) from subscription");
        let counted = counted.fetch_one(&mut *connection).await?;
        carried.subscriptions = counted.unsigned_abs();
        for (name, query) in LACKING {
            let count = sqlx::query_scalar(query);
            let count: i64 = count.fetch_one(&mut *connection).await?;
            if count > 0 {
                carried.lacking.push((name, count));
            }
        }
        carried.shows_staff = sqlx::query_scalar(SHOWS_STAFF)
            .fetch_one(&mut *connection)
            .await?;
    }
    connection.execute(RAISE_VERSIONS).await?;
    Ok(carried)
}

/// Gives each review that the former database hides under another ID that ID, so that it is hidden again. It is found by its source and
/// its content.
async fn rename_hidden(
    connection: &mut SqliteConnection,
    former: &mut SqliteConnection,
    renamed: &BTreeMap<String, String>,
) -> sqlx::Result<()> {
    let mut hidden: HashMap<(String, i64), Vec<ReviewId>> = HashMap::new();
    let ids: Vec<Text> = sqlx::query_scalar(HIDDEN_IN_FORMER)
        .fetch_all(&mut *connection)
        .await?;
    let ids: Vec<&str> = ids.iter().map(Text::as_ref).collect();
    for (id, known) in load_reviews(former, &ids).await? {
        let source = known.source_name();
        let source = renamed.get(source).map_or(source, String::as_str);
        for digests in known.digests() {
            let content = (source.to_owned(), digests.content);
            hidden.entry(content).or_default().push(id.clone());
        }
    }
    let ids = sqlx::query_scalar(ONLY_IN_BACKUP);
    let ids: Vec<Text> = ids.fetch_all(&mut *connection).await?;
    let ids: Vec<&str> = ids.iter().map(Text::as_ref).collect();
    for (id, known) in load_reviews(connection, &ids).await? {
        for digests in known.digests() {
            let content = (known.source_name().to_owned(), digests.content);
            for former_id in hidden.get(&content).into_iter().flatten() {
                let rename = sqlx::query(RENAME)
                    .bind(former_id.as_str())
                    .bind(id.as_str());
                rename.execute(&mut *connection).await?;
            }
        }
    }
    Ok(())
}
