//! A terminal is recognized, and asked.

use super::*;

impl Home {
    /// Runs a command at a terminal and types these lines, then the end of input. `err` is the terminal's output.
    fn at_pty(&self, words: impl Words, typed: &[&str]) -> CommandOutput {
        let mut terminal = File::from(openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap());
        grantpt(&terminal).unwrap();
        unlockpt(&terminal).unwrap();
        let name = ptsname(&terminal, Vec::new()).unwrap();
        let name = std::ffi::OsStr::from_bytes(name.as_bytes());
        let far_end = File::options().read(true).write(true).open(name).unwrap();
        let mut command = self.process(words);
        command
            .stdin(far_end.try_clone().unwrap())
            .stderr(far_end)
            .stdout(Stdio::piped());
        for line in typed {
            terminal.write_all(line.as_bytes()).unwrap();
            terminal.write_all(b"\n").unwrap();
        }
        // Ctrl-D is the end of input; one for each unanswered question.
        terminal.write_all(&[4; 8]).unwrap();
        let child = command.spawn().unwrap();
        // Closes our copies of the terminal's far end, so that reading ends.
        drop(command);
        let output = child.wait_with_output().unwrap();
        let mut shown = Vec::new();
        // EIO: the far end is closed and everything has been read.
        let ended = terminal.read_to_end(&mut shown).unwrap_err();
        let closed = rustix::io::Errno::IO.raw_os_error();
        assert_eq!(ended.raw_os_error(), Some(closed));
        CommandOutput {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(shown).unwrap(),
        }
    }
}

#[test]
fn a_command_asks_at_a_terminal_and_only_there() {
    let home = Home::with(2);
    for typed in [&["n"][..], &[]] {
        let done = home.at_pty("delete p-1", typed);
        assert_eq!(done.code, Some(0), "{}", done.err);
        assert_eq!(done.out, "nothing was deleted\n");
        assert_has(&done.err, "[y/N]");
    }
    home.at_pty("delete p-1", &["y"]).done();
    home.finds("select review_id from review", "p-2");
    let elsewhere = output_of(&mut home.process("delete p-2"));
    elsewhere.failed("nothing was deleted");
}
