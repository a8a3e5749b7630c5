//! The pairs that every tool is asked: from files, from overlays over real contracts, and made up.

use std::collections::BTreeMap;

use spec::Json;

use crate::Failure;
use crate::arguments::Arguments;
use crate::random::Maker;

/// Whether every value of `sub` is one of `sup`.
pub(crate) struct Pair {
    pub(crate) id: String,
    pub(crate) sub: String,
    pub(crate) sup: String,
    /// `2020-12` or `draft-07`.
    pub(crate) draft: String,
    pub(crate) formats_assert: bool,
    pub(crate) expected: Option<bool>,
}

impl Pair {
    /// The line that a tool reads.
    pub(crate) fn question(&self) -> String {
        format!(
            r#"{{"sub":{},"sup":{},"draft":"{}","format":{}}}"#,
            self.sub, self.sup, self.draft, self.formats_assert
        )
    }
}

fn text<'a>(value: &'a Json, key: &str) -> &'a str {
    value.get(key).and_then(Json::as_str).unwrap_or("")
}

fn file(path: &str) -> Result<Json, Failure> {
    let bytes = std::fs::read(path).map_err(|why| format!("{path}: {why}"))?;
    Ok(Json::parse(&bytes).map_err(|why| format!("{path}: {why}"))?)
}

fn pair(entry: &Json, sub: &Json, sup: &Json) -> Pair {
    // A contract that names its draft is read by it, whatever the set says.
    let named = text(sup, "$schema");
    let draft = if named.contains("draft-07") || text(entry, "draft") == "draft-07" {
        "draft-07"
    } else {
        "2020-12"
    };
    Pair {
        id: text(entry, "id").to_owned(),
        sub: sub.to_canonical(),
        sup: sup.to_canonical(),
        draft: draft.to_owned(),
        formats_assert: text(entry, "format") == "assert",
        expected: entry.get("expected").and_then(Json::as_bool),
    }
}

fn listed(path: &str) -> Result<Vec<Pair>, Failure> {
    let list = file(path)?;
    let entries = list.as_array().ok_or("the pairs are no list")?;
    let read = |it: &Json| Some(pair(it, it.get("sub")?, it.get("sup")?));
    Ok(entries.iter().filter_map(read).collect())
}

type Contracts = BTreeMap<String, Json>;

fn contracts(corpus: &str, server: &str) -> Result<Contracts, Failure> {
    let file = file(&format!("{corpus}/{server}.json"))?;
    let tools = file.get("tools").and_then(Json::as_array);
    let named = |it: &Json| Some((text(it, "name").to_owned(), it.get("inputSchema")?.clone()));
    Ok(tools.unwrap_or(&[]).iter().filter_map(named).collect())
}

fn overlaid(path: &str, corpus: &str, limit: usize) -> Result<Vec<Pair>, Failure> {
    let lines = std::fs::read_to_string(path).map_err(|why| format!("{path}: {why}"))?;
    let lines = thinned(lines.lines().collect(), limit);
    let mut servers: BTreeMap<String, Contracts> = BTreeMap::new();
    let mut pairs = Vec::new();
    for line in lines {
        let entry = Json::parse(line.as_bytes())?;
        let (server, rest) = text(&entry, "id").split_once('/').ok_or("no server")?;
        let (tool, _) = rest.rsplit_once('#').ok_or("no tool")?;
        if !servers.contains_key(server) {
            servers.insert(server.to_owned(), contracts(corpus, server)?);
        }
        let contract = servers.get(server).and_then(|it| it.get(tool));
        let contract = contract.ok_or_else(|| format!("no tool {server}/{tool}"))?;
        let overlay = entry.get("overlay").ok_or("no overlay")?;
        let completed = subschema::complete(contract, overlay);
        pairs.push(pair(&entry, &completed.schema, contract));
    }
    Ok(pairs)
}

fn made_up(count: usize, seed: u64) -> Vec<Pair> {
    let mut maker = Maker::new(seed);
    let made = |number: usize| {
        let draft = if number.is_multiple_of(2) {
            "2020-12"
        } else {
            "draft-07"
        };
        let (sub, sup) = maker.pair(draft == "draft-07");
        Pair {
            id: format!("random-{seed}-{number}"),
            sub: sub.to_string(),
            sup: sup.to_string(),
            draft: draft.to_owned(),
            formats_assert: false,
            expected: None,
        }
    };
    (0..count).map(made).collect()
}

fn thinned<T>(all: Vec<T>, limit: usize) -> Vec<T> {
    let step = all.len().div_ceil(limit.max(1)).max(1);
    all.into_iter().step_by(step).collect()
}

pub(crate) fn gather(arguments: &Arguments) -> Result<Vec<Pair>, Failure> {
    let mut pairs = Vec::new();
    if let Some(path) = &arguments.pairs {
        pairs.extend(thinned(listed(path)?, arguments.limit));
    }
    if let Some(path) = &arguments.overlays {
        let corpus = arguments
            .corpus
            .as_ref()
            .ok_or("--overlays needs --corpus")?;
        pairs.extend(overlaid(path, corpus, arguments.limit)?);
    }
    let made = made_up(arguments.random.min(arguments.limit), arguments.seed);
    pairs.extend(made);
    Ok(pairs)
}
