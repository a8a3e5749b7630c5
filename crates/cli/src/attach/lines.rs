//! Lines of stdin, each read only when it is asked for. A thread of its own waits for them: nothing
//! else does, and an unfinished read never holds up the end of the process.

use std::io::{self, BufRead as _, Read as _};
use std::sync::mpsc as requests;

use tokio::sync::mpsc;

use crate::exit::Exit;
use crate::failure::Failure;

/// More than a runtime takes as one message.
const LINE_BYTES_MAX: u64 = 1024 * 1024;

/// What stdin holds next.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// Without its line break.
    Text(String),
    End,
}

/// The reader; its thread begins with the first line that is asked for.
#[derive(Debug, Default)]
pub(super) struct Lines(Option<Thread>);

#[derive(Debug)]
struct Thread {
    ask: requests::SyncSender<()>,
    read: mpsc::Receiver<io::Result<Line>>,
}

impl Lines {
    /// Has one line read. To be called again only after `next` has given it.
    pub(super) fn ask(&mut self) -> Result<(), Failure> {
        let thread = match self.0.take() {
            Some(thread) => thread,
            None => start().map_err(|why| failed(&why))?,
        };
        // A thread that is gone shows in `next`.
        let _gone = thread.ask.try_send(());
        self.0 = Some(thread);
        Ok(())
    }

    /// The line that was asked for. May be dropped without losing it.
    pub(super) async fn next(&mut self) -> Result<Line, Failure> {
        let line = match &mut self.0 {
            Some(thread) => thread.read.recv().await,
            None => None,
        };
        let gone = || failed(&io::Error::other("its reader is gone"));
        line.ok_or_else(gone)?.map_err(|why| failed(&why))
    }
}

fn failed(why: &io::Error) -> Failure {
    Failure::new(Exit::Failed, "read stdin").because(why)
}

fn start() -> io::Result<Thread> {
    let (ask, asked) = requests::sync_channel(1);
    let (give, read) = mpsc::channel(1);
    let work = move || {
        while asked.recv().is_ok() {
            if give.blocking_send(line(&mut io::stdin().lock())).is_err() {
                return;
            }
        }
    };
    std::thread::Builder::new()
        .name("stdin".to_owned())
        .spawn(work)?;
    Ok(Thread { ask, read })
}

fn line(from: &mut impl io::BufRead) -> io::Result<Line> {
    let mut bytes = Vec::new();
    let mut bounded = from.take(LINE_BYTES_MAX);
    bounded.read_until(b'\n', &mut bytes)?;
    if bytes.is_empty() {
        return Ok(Line::End);
    }
    if bounded.limit() == 0 && !bytes.ends_with(b"\n") {
        let text = format!("a line has more than {LINE_BYTES_MAX} bytes");
        return Err(io::Error::new(io::ErrorKind::InvalidData, text));
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "a line is not UTF-8"))?;
    let text = text.strip_suffix('\n').unwrap_or(&text);
    let text = text.strip_suffix('\r').unwrap_or(text);
    Ok(Line::Text(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::{LINE_BYTES_MAX, Line, line};

    #[test]
    fn lines_and_the_end() {
        let mut from = "one\r\n\ntwo".as_bytes();
        for expected in ["one", "", "two"] {
            let text = expected.to_owned();
            assert_eq!(line(&mut from).unwrap(), Line::Text(text));
        }
        assert_eq!(line(&mut from).unwrap(), Line::End);
    }

    #[test]
    fn what_is_no_line_is_an_error() {
        assert!(line(&mut b"\xff\n".as_slice()).is_err());
        let long = vec![b'x'; usize::try_from(LINE_BYTES_MAX).unwrap() + 1];
        assert!(line(&mut long.as_slice()).is_err());
    }
}
