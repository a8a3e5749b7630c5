//! Contracts of published MCP servers under every profile.

use std::fs;
use std::path::Path;

use fastrand::Rng;
use model::present::{OPENAI, OPENAI_COMPATIBLE, PROFILES, Profile};
use serde_json::Value;

use crate::sample::accepted;
use crate::support::{accepts_all, presented};

const SAMPLES: usize = 12;

/// `server/tool` and input schema of every contract.
fn contracts() -> Vec<(String, Value)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/tool-corpus");
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|it| it.unwrap().path())
        .filter(|it| it.extension().is_some_and(|it| it == "json"))
        .collect();
    files.sort();
    let mut contracts = Vec::new();
    for file in files {
        let server: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
        for tool in server["tools"].as_array().unwrap() {
            let name = format!("{}/{}", server["server"], tool["name"]);
            contracts.push((name, tool["inputSchema"].clone()));
        }
    }
    assert!(contracts.len() > 1400, "{}", contracts.len());
    contracts
}

#[test]
fn every_contract_fits_and_nothing_valid_is_refused() {
    let mut rng = Rng::with_seed(1);
    let (mut count, mut without) = (0, Vec::new());
    for (name, schema) in contracts() {
        let samples = accepted(&schema, SAMPLES, &mut rng);
        if samples.is_empty() {
            without.push(name);
        }
        count += samples.len();
        for profile in PROFILES {
            accepts_all(&schema, &samples, profile);
        }
    }
    assert!(without.is_empty(), "{without:?}");
    assert!(count > 5_000, "{count}");
}

/// How many contracts are shown with a note at all, and how many as any object.
fn changed(profile: &Profile) -> (usize, usize) {
    let (mut noted, mut bare) = (0, 0);
    for (_, schema) in contracts() {
        let offered = presented(&schema, profile);
        noted += usize::from(!offered.notes.is_empty());
        let had = schema["properties"]
            .as_object()
            .is_some_and(|it| !it.is_empty());
        let has = offered
            .schema
            .get("properties")
            .and_then(spec::Json::as_object);
        bare += usize::from(had && has.is_none_or(std::collections::BTreeMap::is_empty));
    }
    (noted, bare)
}

#[test]
fn most_contracts_are_shown_as_they_are() {
    let (noted, bare) = changed(&OPENAI);
    assert!(noted < 100, "{noted}");
    assert_eq!(bare, 0);
    let (noted, bare) = changed(&OPENAI_COMPATIBLE);
    assert!(noted < 700, "{noted}");
    assert_eq!(bare, 0);
}
