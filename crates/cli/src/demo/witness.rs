//! What the worker's handlers write down the moment they start: the proof of what ran, and how often,
//! that no journal of the runtime can gloss over.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::Path;

use spec::Json;

/// A handler that started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Start {
    pub(super) tool: String,
    pub(super) order: String,
    pub(super) call: String,
}

/// Appends `start` as one line, on disk before this returns.
pub(super) fn append(file: &Path, start: &Start) -> io::Result<()> {
    let line = Json::from_members([
        ("tool", Json::from(start.tool.as_str())),
        ("order", Json::from(start.order.as_str())),
        ("call", Json::from(start.call.as_str())),
    ]);
    let mut file = OpenOptions::new().create(true).append(true).open(file)?;
    file.write_all(format!("{}\n", line.to_canonical()).as_bytes())?;
    file.sync_data()
}

/// Everything that started, in order. A file that is not there yet holds nothing.
pub(super) fn read(file: &Path) -> io::Result<Vec<Start>> {
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(why) => return Err(why),
    };
    text.lines().map(parse).collect()
}

fn parse(line: &str) -> io::Result<Start> {
    let line = Json::parse(line.as_bytes()).map_err(io::Error::other)?;
    let field = |name: &str| {
        line.get(name)
            .and_then(Json::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    Ok(Start {
        tool: field("tool"),
        order: field("order"),
        call: field("call"),
    })
}

#[cfg(test)]
mod tests {
    use super::{Start, append, read};

    #[test]
    fn what_is_written_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("witness.jsonl");
        assert_eq!(read(&file).unwrap(), []);
        let start = |order: &str| Start {
            tool: "a.b".to_owned(),
            order: order.to_owned(),
            call: "run_1:v:1:0".to_owned(),
        };
        append(&file, &start("A\n1")).unwrap();
        append(&file, &start("A-2")).unwrap();
        assert_eq!(read(&file).unwrap(), [start("A\n1"), start("A-2")]);
    }
}
