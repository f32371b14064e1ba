//! Files and folders as sources: below one folder, without following links.

use std::os::unix::net::UnixListener;

use super::*;

/// Writes a file of one review that last changed so long ago.
fn write(path: &Path, id: &str, text: &str, age_seconds: u64) {
    let row = json!([{"stars": 4, "publishedAtDate": "2026-10-02T08:00:00.000Z", "name": "Ann", "reviewId": id, "text": text}]);
    fs::write(path, row.to_string()).unwrap();
    let changed =
        fs::metadata(path).unwrap().modified().unwrap() - Duration::from_secs(age_seconds);
    let file = File::options().write(true).open(path).unwrap();
    file.set_modified(changed).unwrap();
}

/// A home, a folder for `REVIEWS_SYNC_FILES`, and one outside of it with the file `secret.json`.
fn folders() -> (Home, TempDir, TempDir) {
    let [folder, outside] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let home = home().with_variable("REVIEWS_SYNC_FILES", folder.path().to_str().unwrap());
    write(&outside.path().join("secret.json"), "out", "hush", 100);
    (home, folder, outside)
}

#[test]
fn files_of_a_folder_are_read_oldest_first() {
    let (home, folder, _outside) = folders();
    for (name, text, age_seconds) in [
        ("a.json", "the newer state", 100),
        ("b.json", "the older state", 200),
        ("c.json", "still being written", 0),
        ("d.json.part", "unfinished", 300),
        (".e.json", "hidden", 300),
    ] {
        write(&folder.path().join(name), "a1", text, age_seconds);
    }
    let path = folder.path().to_str().unwrap();
    let added = add(&home, "exports", path, &[]);
    added.done();
    let waiting = "files that changed within 10 s wait for the next run: 1";
    assert_has(&added.out, waiting);
    home.finds("select text from review", "the newer state");
    assert_eq!(column(&home, "url"), ".", "the path below the folder");
}

#[test]
fn links_in_a_folder_are_passed_over() {
    let (home, folder, outside) = folders();
    let (folder, secret) = (folder.path(), outside.path().join("secret.json"));
    write(&folder.join("a.json"), "a1", "the file", 100);
    // The lock of an editor, a file that is gone, itself, the file again, and places outside.
    for (target, name) in [
        ("ann@host.1234", ".#a.json"),
        ("gone", "gone.json"),
        ("loop.json", "loop.json"),
        ("a.json", "again.json"),
        (secret.to_str().unwrap(), "out.json"),
        (outside.path().to_str().unwrap(), "outside"),
    ] {
        symlink(target, folder.join(name)).unwrap();
    }
    make_pipe(&folder.join("pipe.json"));
    let _socket = UnixListener::bind(folder.join("socket.json")).unwrap();
    add(&home, "exports", ".", &[]).done();
    home.finds("select text from review", "the file");
    sync(&home).done();
    // A folder that becomes a link.
    home.sql("update sync_source set url = 'outside'");
    sync(&home).failed("exports");
    has(&home, 1, "true");
    assert_no_trace(&home, &["hush"]);
}

#[test]
fn path_out_of_the_folder_or_through_a_link_is_refused() {
    let (home, folder, outside) = folders();
    let secret = outside.path().join("secret.json");
    let inner = folder.path().join("inner");
    fs::create_dir(&inner).unwrap();
    write(&inner.join("a.json"), "a1", "the file", 100);
    symlink("inner", folder.path().join("door")).unwrap();
    symlink(&secret, folder.path().join("link.json")).unwrap();
    make_pipe(&folder.path().join("pipe"));
    let _socket = UnixListener::bind(folder.path().join("socket")).unwrap();
    let up = format!(
        "../{}/secret.json",
        outside.path().file_name().unwrap().to_str().unwrap()
    );
    add(&home, "exports", "inner/a.json", &[]).done();
    for path in [
        up.as_str(),
        &format!("inner/../{up}"),
        "..",
        "/etc/passwd",
        secret.to_str().unwrap(),
        "link.json",
        "door",
        "door/a.json",
        "pipe",
        "socket",
        "missing.json",
    ] {
        home.sql(&format!("update sync_source set url = '{path}'"));
        sync(&home).failed("exports");
        add(&home, "other", path, &[]).failed("other");
    }
    // The file itself becomes a link.
    home.sql("update sync_source set url = 'inner/a.json'");
    sync(&home).done();
    fs::remove_file(inner.join("a.json")).unwrap();
    symlink(&secret, inner.join("a.json")).unwrap();
    sync(&home).failed("exports");
    let mut command = home.command("sync run");
    output_of(command.env_remove("REVIEWS_SYNC_FILES")).failed("REVIEWS_SYNC_FILES");
    assert_eq!(
        [count(&home, "true"), column(&home, "name")],
        ["1", "exports"]
    );
    assert_no_trace(&home, &["hush"]);
}
