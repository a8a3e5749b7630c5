//! Puts the bundles of this folder together, for the tests of several crates. The README says how they
//! are written. Knows nothing of documents: it adds lines, and checks that it changes none.

/// Every block of the seed texts, as it stands there.
pub(crate) const BLOCKS: &[(&str, &str)] = &[
    ("01-contract", include_str!("blocks/01-contract.yaml")),
    (
        "02-side-effect-class",
        include_str!("blocks/02-side-effect-class.yaml"),
    ),
    ("03-send-alert", include_str!("blocks/03-send-alert.yaml")),
    (
        "04-versioned-schema",
        include_str!("blocks/04-versioned-schema.yaml"),
    ),
    ("05-logical-ref", include_str!("blocks/05-logical-ref.yaml")),
    (
        "06-shared-contract",
        include_str!("blocks/06-shared-contract.yaml"),
    ),
    ("07-binding", include_str!("blocks/07-binding.yaml")),
    ("08-narrowing", include_str!("blocks/08-narrowing.yaml")),
    (
        "09-binding-example",
        include_str!("blocks/09-binding-example.yaml"),
    ),
    (
        "10-inline-schema",
        include_str!("blocks/10-inline-schema.yaml"),
    ),
    ("11-agent-wide", include_str!("blocks/11-agent-wide.yaml")),
    ("12-strict-geo", include_str!("blocks/12-strict-geo.yaml")),
    (
        "13-strict-geo-agent",
        include_str!("blocks/13-strict-geo-agent.yaml"),
    ),
    (
        "14-indeterminate-review",
        include_str!("blocks/14-indeterminate-review.yaml"),
    ),
    (
        "15-indeterminate-agent",
        include_str!("blocks/15-indeterminate-agent.yaml"),
    ),
    ("16-mcp", include_str!("blocks/16-mcp.yaml")),
];

/// The bundles that complete them.
pub(crate) const BUNDLES: &[(&str, &str)] = &[
    ("contract", include_str!("bundles/contract.txt")),
    (
        "side-effect-class",
        include_str!("bundles/side-effect-class.txt"),
    ),
    (
        "weather-assistant",
        include_str!("bundles/weather-assistant.txt"),
    ),
    (
        "without-capability",
        include_str!("bundles/without-capability.txt"),
    ),
    (
        "versioned-schema",
        include_str!("bundles/versioned-schema.txt"),
    ),
    ("logical-ref", include_str!("bundles/logical-ref.txt")),
    (
        "shared-contract",
        include_str!("bundles/shared-contract.txt"),
    ),
    ("narrowing", include_str!("bundles/narrowing.txt")),
    ("inline-schema", include_str!("bundles/inline-schema.txt")),
    ("agent-wide", include_str!("bundles/agent-wide.txt")),
    ("strict-geo", include_str!("bundles/strict-geo.txt")),
    (
        "indeterminate-review",
        include_str!("bundles/indeterminate-review.txt"),
    ),
    ("mcp", include_str!("bundles/mcp.txt")),
];

/// Files that the seeds name and do not give, as several bundles need them.
const SHARED: &[(&str, &str)] = &[
    (
        "schemas/alert-input.json",
        include_str!("shared/schemas/alert-input.json"),
    ),
    (
        "policies/high-severity-alert-boundary.yaml",
        include_str!("shared/policies/high-severity-alert-boundary.yaml"),
    ),
    (
        "policies/audit-log-required.yaml",
        include_str!("shared/policies/audit-log-required.yaml"),
    ),
];

/// A bundle, put together.
pub(crate) struct Seed {
    /// Path and text.
    pub(crate) files: Vec<(String, String)>,
    /// What publishing says about it: severity, code, file and field.
    pub(crate) said: Vec<String>,
}

fn named<'a>(all: &[(&'a str, &'a str)], name: &str) -> &'a str {
    let found = all.iter().find(|(it, _)| *it == name);
    found.unwrap_or_else(|| panic!("there is no {name}")).1
}

/// Puts the bundle of that name together.
pub(crate) fn seed(name: &str) -> Seed {
    put_together(named(BUNDLES, name))
}

/// Puts a bundle together as its text says.
pub(crate) fn put_together(bundle: &str) -> Seed {
    let mut seed = Seed {
        files: Vec::new(),
        said: Vec::new(),
    };
    for line in bundle.lines().filter(|it| !it.is_empty()) {
        let (sign, rest) = line.split_at(1);
        let rest = rest.strip_prefix(' ').unwrap_or(rest);
        match sign {
            "#" => {}
            "=" => seed.files.push((rest.to_owned(), String::new())),
            "+" => add(&mut seed, &[rest], 0),
            "*" => seed
                .files
                .push((rest.to_owned(), named(SHARED, rest).to_owned())),
            "!" => seed.said.push(rest.to_owned()),
            "@" => take(&mut seed, rest),
            other => panic!("{other:?} begins no line of a bundle: {line}"),
        }
    }
    seed
}

/// `BLOCK FIRST-LAST`, or `BLOCK FIRST-LAST indent SPACES`.
fn take(seed: &mut Seed, directive: &str) {
    let words: Vec<&str> = directive.split(' ').collect();
    let (block, range, indent) = match words[..] {
        [block, range] => (block, range, 0),
        [block, range, "indent", spaces] => (block, range, spaces.parse().unwrap()),
        _ => panic!("@ {directive}"),
    };
    let (first, last) = range.split_once('-').unwrap();
    let (first, last): (usize, usize) = (first.parse().unwrap(), last.parse().unwrap());
    let lines: Vec<&str> = named(BLOCKS, block).lines().collect();
    add(seed, &lines[first - 1..last], indent);
}

fn add(seed: &mut Seed, lines: &[&str], indent: usize) {
    let (_, text) = seed.files.last_mut().expect("a file was begun");
    for line in lines {
        if !line.is_empty() {
            text.extend(std::iter::repeat_n(' ', indent));
        }
        text.push_str(line);
        text.push('\n');
    }
}
