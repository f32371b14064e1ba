//! The runner of the fault scripts (`tests/faults/run`) counts passed, failed and skipped cases, and kills cases that hang.
//! The scripts themselves take minutes and run in `.ci/nightly`.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use rustix::process::{Pid, test_kill_process};

use crate::support::{Tool, needs};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/faults");

/// The time limit of a case: long enough for one that ends by itself on a busy machine.
const PATIENCE: (&str, &str) = ("60", "3");

/// The exit code and the output.
fn run(
    bash: &Path,
    folder: &Path,
    cases: &[(&str, &str)],
    require: &str,
    seconds: &str,
) -> (Option<i32>, String) {
    let paths = cases.iter().map(|(name, script)| {
        let path = folder.join(format!("{name}.sh"));
        fs::write(&path, script).unwrap();
        path
    });
    let mut command = Command::new(bash);
    command
        .arg(Path::new(FOLDER).join("run"))
        .arg("/bin/sh")
        .args(paths.collect::<Vec<_>>());
    let output = command
        .env("FAULTS_CASE_SECONDS_MAX", seconds)
        .env("REVIEWS_TEST_REQUIRE", require)
        .output()
        .unwrap();
    (
        output.status.code(),
        String::from_utf8(output.stdout).unwrap(),
    )
}

#[test]
fn passed_failed_and_skipped_cases_are_listed_and_counted() {
    let (bash, folder) = (needs!(Tool::Bash), tempfile::tempdir().unwrap());
    let good = [(
        "01-good",
        "[ -x \"$1\" ] && [ -d \"$2\" ] && [ -z \"$(ls \"$2\")\" ] && echo detail && echo 'all is well'",
    )];
    let (code, said) = run(&bash, folder.path(), &good, "", PATIENCE.0);
    assert_eq!(code, Some(0), "{said}");
    assert!(
        said.contains("01-good") && said.contains("all is well") && !said.contains("detail"),
        "{said}"
    );
    assert!(
        said.ends_with("\n1 passed, 0 failed, 0 skipped\n"),
        "{said}"
    );
    let all = [
        ("01-good", "echo fine"),
        ("02-bad", "echo detail; echo 'lost a row'; exit 3"),
        ("03-none", "echo 'no mounts'; exit 77"),
    ];
    let (code, said) = run(&bash, folder.path(), &all, "", PATIENCE.0);
    assert_eq!(code, Some(1), "{said}");
    assert!(
        said.contains("FAILED") && said.contains("    detail\n    lost a row\n"),
        "{said}"
    );
    assert!(
        said.ends_with("\n1 passed, 1 failed, 1 skipped\n"),
        "{said}"
    );
    let (code, said) = run(&bash, folder.path(), &all[2..], "all", PATIENCE.0);
    assert!(
        code == Some(1) && said.ends_with("\n0 passed, 1 failed, 0 skipped\n"),
        "{said}"
    );
}

#[test]
fn a_case_that_hangs_is_killed_with_all_its_processes() {
    let (bash, folder) = (needs!(Tool::Bash), tempfile::tempdir().unwrap());
    // It starts another process and prints its number; neither would end.
    let endless = "(while :; do :; done) & echo \"started $!\"; while :; do :; done";
    let (code, said) = run(
        &bash,
        folder.path(),
        &[("01-endless", endless), ("02-next", "echo fine")],
        "",
        PATIENCE.1,
    );
    assert_eq!(code, Some(1), "{said}");
    assert!(
        said.contains("not done after 3 s") && said.ends_with("\n1 passed, 1 failed, 0 skipped\n"),
        "{said}"
    );
    let started = said
        .split("started ")
        .nth(1)
        .unwrap()
        .split_whitespace()
        .next()
        .unwrap();
    // A killed process may remain a zombie until its new parent reaps it.
    let is_zombie = || {
        fs::read_to_string(format!("/proc/{started}/stat")).is_ok_and(|stat| stat.contains(") Z "))
    };
    let is_there = test_kill_process(Pid::from_raw(started.parse().unwrap()).unwrap()).is_ok();
    assert!(!is_there || is_zombie(), "{started} still runs");
}

#[test]
fn every_fault_script_is_documented_and_has_the_common_form() {
    let page =
        fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/RELIABILITY.md")).unwrap();
    let mut count = 0;
    for entry in fs::read_dir(FOLDER).unwrap().map(|entry| entry.unwrap()) {
        let name = entry.file_name().into_string().unwrap();
        if ["run", "lib.sh"].contains(&name.as_str()) {
            continue;
        }
        count += 1;
        let number = name.split_once('-').unwrap().0;
        let is_script = Path::new(&name)
            .extension()
            .is_some_and(|extension| extension == "sh");
        assert!(
            number.len() == 2 && number.chars().all(|c| c.is_ascii_digit()) && is_script,
            "{name}: NN-name.sh"
        );
        let text = fs::read_to_string(entry.path()).unwrap();
        assert!(
            text.starts_with("# ") || text.starts_with("#!"),
            "{name} must begin with a comment on the fault and the promise"
        );
        assert!(
            page.contains(&format!("`tests/faults/{name}`")),
            "docs/RELIABILITY.md does not name {name}"
        );
    }
    assert!(count >= 4, "{count} faults");
    assert_ne!(
        fs::metadata(Path::new(FOLDER).join("run"))
            .unwrap()
            .permissions()
            .mode()
            & 0o111,
        0
    );
}
