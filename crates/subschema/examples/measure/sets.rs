//! The sets of pairs that are measured.

use std::path::Path;
use std::time::Instant;

use spec::Json;
use subschema::{Options, complete, contains};
use validator::Draft;

use crate::Settings;
use crate::corpus::{self, text};
use crate::laws::{self, Effort};
use crate::mutations::{self, Mutation, Way};
use crate::report::{Pair, Set, Verdict, judging};
use crate::values::Sampler;

/// The values that are tried against a proof where a refutation was expected.
const SAMPLES: usize = 400;

fn options(draft: &str, formats_assert: bool) -> Options {
    let draft = match draft {
        "draft-04" | "draft4" => Draft::D4,
        "draft-06" | "draft6" => Draft::D6,
        "draft-07" | "draft7" => Draft::D7,
        "2019-09" => Draft::D2019,
        _ => Draft::D2020,
    };
    Options {
        draft,
        formats_assert,
        ..Options::default()
    }
}

fn labelled(entry: &Json) -> (&str, bool) {
    let expected = entry.get("expected").and_then(Json::as_bool);
    (text(entry, "id"), expected.expect("expected"))
}

/// The pairs made by hand, as they stand, and with their overlays completed; and those that went wrong
/// once.
pub(crate) fn pairs(settings: &Settings) -> Vec<Set> {
    let mut plain = Set::new("pairs.json", 1000, settings.id.as_ref());
    let mut over = Set::new("pairs.json, completed", 1000, settings.id.as_ref());
    let mut entries = corpus::read(&settings.data.join("pairs.json"));
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/regressions.json");
    if let (Json::Array(entries), Json::Array(more)) = (&mut entries, corpus::read(&own)) {
        entries.extend(more);
    }
    for entry in entries.as_array().expect("a list") {
        let (id, expected) = labelled(entry);
        if !plain.is_wanted(id) {
            continue;
        }
        let sup = entry.get("sup").expect("sup");
        let options = options(text(entry, "draft"), text(entry, "format") == "assert");
        let pair = |sub| Pair {
            id,
            sub,
            sup,
            expected: Some(expected),
            options,
        };
        plain.check(&pair(entry.get("sub").expect("sub")));
        if let Some(overlay) = entry.get("overlay") {
            over.check(&pair(&complete(sup, overlay).schema));
        }
    }
    if settings.id.is_some() {
        return vec![plain];
    }
    vec![plain, over]
}

/// The overlays over contracts of tools, completed.
pub(crate) fn overlays(settings: &Settings, formats_assert: bool) -> Set {
    let name = if formats_assert {
        "overlays, formats asserted"
    } else {
        "overlays"
    };
    let mut set = Set::new(name, 1000, settings.id.as_ref());
    let contracts = corpus::contracts(&settings.data);
    for overlay in corpus::overlays(&settings.data) {
        if !set.is_wanted(&overlay.id) {
            continue;
        }
        let tool = &contracts[&overlay.tool];
        let options = options(&overlay.draft, formats_assert);
        let started = Instant::now();
        let completed = complete(tool, &overlay.overlay);
        let answer = contains(&completed.schema, tool, &options);
        set.timed(&overlay.id, started.elapsed());
        let pair = Pair {
            id: &overlay.id,
            sub: &completed.schema,
            sup: tool,
            expected: Some(overlay.expected),
            options,
        };
        match set.judge(&pair, &answer) {
            // The labels were made with formats as notes.
            Verdict::Refuted | Verdict::Proved if formats_assert && !is_broken(&pair) => {
                set.dropped += 1;
            }
            Verdict::Refuted | Verdict::Proved => {
                let text = format!("{}: expected {}", overlay.id, overlay.expected);
                set.wrong.push(format!("{text}, {}", overlay.category));
            }
            Verdict::Right | Verdict::Undecided => {}
        }
    }
    set
}

/// Whether a value shows that a proof is none.
fn is_broken(pair: &Pair<'_>) -> bool {
    let judge = |schema| judging(schema, &pair.options);
    let (Some(sub), Some(sup)) = (judge(pair.sub), judge(pair.sup)) else {
        return false;
    };
    let mut sampler = Sampler::new(11, &[pair.sub, pair.sup]);
    (0..SAMPLES).any(|_| {
        let value = sampler.next();
        sub.accepts(&value) && !sup.accepts(&value)
    })
}

/// Every contract within itself.
pub(crate) fn identity(settings: &Settings) -> Set {
    let mut set = Set::new("contracts in themselves", 1000, settings.id.as_ref());
    for ((server, tool), contract) in corpus::contracts(&settings.data) {
        let id = format!("{server}/{tool}");
        if set.is_wanted(&id) {
            set.check(&Pair {
                id: &id,
                sub: &contract,
                sup: &contract,
                expected: Some(true),
                options: Options::default(),
            });
        }
    }
    set
}

/// Every contract with one keyword tightened or loosened.
pub(crate) fn mutations(settings: &Settings) -> Vec<Set> {
    let set = |name| Set::new(name, 999, settings.id.as_ref());
    let mut within = set("changed: the narrower in the wider");
    let mut beyond = set("changed: the wider in the narrower");
    let mut unknown = set("changed: where alternatives exclude each other");
    for ((server, tool), contract) in corpus::contracts(&settings.data) {
        for mutation in mutations::of(&contract, settings.mutations) {
            let Mutation {
                what,
                keyword,
                pointer,
                way,
                schema,
            } = &mutation;
            let id = format!("{server}/{tool}#{pointer} {keyword} {what}");
            if !within.is_wanted(&id) {
                continue;
            }
            let (narrow, wide) = match way {
                Way::Tighter | Way::Unknown => (schema, &contract),
                Way::Looser => (&contract, schema),
            };
            let pair = |sub, sup, expected| Pair {
                id: &id,
                sub,
                sup,
                expected,
                options: Options::default(),
            };
            if *way == Way::Unknown {
                for (sub, sup) in [(narrow, wide), (wide, narrow)] {
                    let pair = pair(sub, sup, None);
                    let before = unknown.witnesses;
                    let verdict = unknown.ask(&pair);
                    let proved = matches!(verdict, Verdict::Right) && unknown.witnesses == before;
                    if proved && is_broken(&pair) {
                        unknown.wrong.push(format!("{id}: proved"));
                    }
                }
                continue;
            }
            within.check(&pair(narrow, wide, Some(true)));
            let pair = pair(wide, narrow, Some(false));
            match beyond.ask(&pair) {
                // The change was none, unless some value tells.
                Verdict::Proved if is_broken(&pair) => beyond.wrong.push(format!("{id}: proved")),
                Verdict::Proved => beyond.dropped += 1,
                Verdict::Right | Verdict::Undecided | Verdict::Refuted => {}
            }
        }
    }
    let mut sets = vec![within, beyond];
    if !unknown.times.is_empty() {
        sets.push(unknown);
    }
    sets
}

/// Made-up pairs, and the laws that hold of them.
pub(crate) fn random(settings: &Settings) -> Vec<Set> {
    let mut pairs = Set::new("made-up pairs", 999, None);
    let mut asked = Set::new("laws about made-up pairs", 990, None);
    let effort = Effort {
        cases: settings.random,
        seed: settings.seed,
        samples: 100,
        every_law: true,
        steps_max: Options::default().steps_max,
    };
    let mut times = Vec::new();
    let seen = laws::run(effort, &mut |sub, sup, options| {
        let started = Instant::now();
        let answer = contains(sub, sup, options);
        times.push(started.elapsed());
        answer
    });
    pairs.right = seen.proved + seen.refuted;
    pairs.undecided = seen.undecided.clone();
    pairs.witnesses = seen.refuted;
    pairs.notes.push(format!(
        "seed {}; of {} pairs {} proved, {} valid values tried against proofs; {} schemas that no validator takes",
        settings.seed, seen.pairs(), seen.proved, seen.values, seen.unusable
    ));
    asked.right = seen.laws_asked - seen.laws_undecided.values().sum::<u64>();
    asked.undecided = seen.laws_undecided;
    asked.wrong = seen.faults;
    asked.times = times;
    vec![pairs, asked]
}

/// Whether a schema lists its values, and the other takes each of those that it takes itself.
fn is_contradicted(pair: &Pair<'_>) -> bool {
    let listed = match (pair.sub.get("const"), pair.sub.get("enum")) {
        (Some(value), _) => std::slice::from_ref(value),
        (None, Some(Json::Array(values))) => values,
        (None, _) => return false,
    };
    let judge = |schema| judging(schema, &pair.options);
    let (Some(sub), Some(sup)) = (judge(pair.sub), judge(pair.sup)) else {
        return false;
    };
    listed.iter().all(|it| !sub.accepts(it) || sup.accepts(it))
}

/// A suite of others, of which some labels are wrong.
pub(crate) fn suite(settings: &Settings, folder: &Path) -> Vec<Set> {
    let mut sets = Vec::new();
    for draft in ["2020-12", "draft-07"] {
        let path = folder.join(format!("{draft}.json"));
        if !path.exists() {
            continue;
        }
        let mut set = Set::new(&format!("suite {draft}"), 970, settings.id.as_ref());
        for entry in corpus::read(&path).as_array().expect("a list") {
            let (id, expected) = labelled(entry);
            if !set.is_wanted(id) {
                continue;
            }
            let pair = Pair {
                id,
                sub: entry.get("sub").expect("sub"),
                sup: entry.get("sup").expect("sup"),
                expected: Some(expected),
                options: options(text(entry, "draft"), text(entry, "format") == "assert"),
            };
            match set.ask(&pair) {
                Verdict::Refuted => set.dropped += 1,
                Verdict::Proved if is_contradicted(&pair) => set.dropped += 1,
                Verdict::Proved => set.wrong.push(format!("{id}: proved, expected false")),
                Verdict::Right | Verdict::Undecided => {}
            }
        }
        sets.push(set);
    }
    sets
}
