//! Contracts of tools and overlays over them, as they lie in a folder. Knows nothing of answers.
#![expect(
    clippy::disallowed_methods,
    reason = "reads the folder that it is told to read"
)]

use std::collections::BTreeMap;
use std::path::Path;

use spec::Json;

/// The contract of a tool, under its server and its name.
pub(crate) type Contracts = BTreeMap<(String, String), Json>;

/// An overlay over the contract of a tool.
pub(crate) struct Overlay {
    pub(crate) id: String,
    pub(crate) tool: (String, String),
    pub(crate) category: String,
    pub(crate) draft: String,
    pub(crate) overlay: Json,
    pub(crate) expected: bool,
}

pub(crate) fn read(path: &Path) -> Json {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Json::parse(&bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

pub(crate) fn text<'a>(value: &'a Json, key: &str) -> &'a str {
    value.get(key).and_then(Json::as_str).unwrap_or("")
}

/// Every contract in the folder `tool-corpus`.
pub(crate) fn contracts(data: &Path) -> Contracts {
    let folder = std::fs::read_dir(data.join("tool-corpus")).expect("a folder tool-corpus");
    let mut contracts = Contracts::new();
    for entry in folder {
        let path = entry.expect("a file").path();
        if path.extension().is_none_or(|it| it != "json") {
            continue;
        }
        let file = read(&path);
        for tool in file.get("tools").and_then(Json::as_array).expect("tools") {
            let key = (
                text(&file, "server").to_owned(),
                text(tool, "name").to_owned(),
            );
            contracts.insert(key, tool.get("inputSchema").expect("inputSchema").clone());
        }
    }
    contracts
}

/// Every overlay in the file `corpus-overlays.jsonl`.
pub(crate) fn overlays(data: &Path) -> Vec<Overlay> {
    let path = data.join("corpus-overlays.jsonl");
    let lines = std::fs::read_to_string(&path).expect("a file corpus-overlays.jsonl");
    let overlay = |line: &str| {
        let entry = Json::parse(line.as_bytes()).expect("JSON");
        let id = text(&entry, "id");
        let (server, rest) = id.split_once('/').expect("server/tool");
        let (tool, _) = rest.rsplit_once('#').expect("tool#change");
        Overlay {
            id: id.to_owned(),
            tool: (server.to_owned(), tool.to_owned()),
            category: text(&entry, "category").to_owned(),
            draft: text(&entry, "draft").to_owned(),
            overlay: entry.get("overlay").expect("overlay").clone(),
            expected: entry
                .get("expected")
                .and_then(Json::as_bool)
                .expect("expected"),
        }
    };
    lines.lines().map(overlay).collect()
}
