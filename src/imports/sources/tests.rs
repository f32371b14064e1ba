//! The budget of an import holds, whatever draws on it.

use std::io::Write;

use super::*;

#[test]
fn a_zip_bomb_is_given_up_when_the_budget_is_used_up() {
    let path = tempfile::NamedTempFile::new().unwrap();
    let mut archive = zip::ZipWriter::new(path.reopen().unwrap());
    for name in ["reviews.json", "reviews-2.json"] {
        archive
            .start_file(name, zip::write::SimpleFileOptions::default())
            .unwrap();
        archive.write_all(&vec![b' '; 600 << 10]).unwrap();
    }
    archive.finish().unwrap();
    // Either member fits; both together do not.
    let (budget, mut faults, mut read) = (Budget::of(1 << 20), Vec::new(), 0);
    let mut take = |opened: Opened<'_>| {
        let Opened::Reviews(mut input) = opened else {
            return Ok(());
        };
        read += 1;
        io::copy(&mut input.all, &mut io::sink())
            .map(drop)
            .map_err(FileError::reading)
    };
    open(path.path(), &budget, &mut take, &mut faults);
    assert_eq!((read, faults.len()), (2, 1));
    assert!(
        matches!(faults[0].fault, FileError::TooLarge),
        "{}",
        faults[0]
    );
}

#[test]
fn an_endless_input_is_given_up_when_the_budget_is_used_up() {
    let (budget, mut faults, mut read) = (Budget::of(1 << 20), Vec::new(), 0);
    let mut take = |opened: Opened<'_>| {
        let Opened::Reviews(mut input) = opened else {
            return Ok(());
        };
        read += io::copy(&mut input.all, &mut io::sink()).map_err(FileError::reading)?;
        Ok(())
    };
    let mut visit = Visit {
        budget: &budget,
        take: &mut take,
        faults: &mut faults,
    };
    let ended = visit.one("-".to_owned(), io::repeat(b'\n'));
    assert!(matches!(ended, Err(FileError::TooLarge)), "{ended:?}");
    assert_eq!(read, 0, "nothing of it counts");
}
