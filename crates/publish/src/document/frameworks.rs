//! Framework packs in `metadata.governance.frameworks`: a known one is checked, another carried as it
//! is. What a pack says never changes behaviour.

use spec::snapshot::Framework;

use crate::diagnostic::{At, Sink};
use crate::diagnostics::e0212;
use crate::suggest;
use crate::yaml::{Cursor, Shape};

/// The pack of the European Union's AI act.
const EU_AI_ACT: &str = "eu-ai-act/v1";
const KNOWN: [&str; 1] = [EU_AI_ACT];

const EU_AI_ACT_FIELDS: Shape = Shape {
    what: "the pack eu-ai-act/v1",
    known: &["role", "annex_iii_category"],
    elsewhere: &[],
    unsupported: &[],
};

/// Who one is under the act.
const ROLES: [&str; 6] = [
    "provider",
    "deployer",
    "importer",
    "distributor",
    "product_manufacturer",
    "authorized_representative",
];

pub(super) fn read(name: &At<String>, value: &Cursor<'_>, sink: &mut Sink) -> Option<Framework> {
    let validated = name.value == EU_AI_ACT;
    if validated {
        eu_ai_act(value, sink)?;
    } else if let Some(near) = near(&name.value) {
        sink.push(e0212::nearly(&name.at, &name.value, near));
    }
    Some(Framework {
        validated,
        content: value.json(sink)?,
    })
}

fn eu_ai_act(value: &Cursor<'_>, sink: &mut Sink) -> Option<()> {
    let fields = value.fields(&EU_AI_ACT_FIELDS, sink)?;
    if let Some(role) = fields.get("role") {
        role.word(&ROLES.map(|it| (it, ())), sink);
    }
    if let Some(category) = fields.get("annex_iii_category") {
        category.filled(sink);
    }
    Some(())
}

/// The known pack that may be meant: another spelling, or another version.
fn near(name: &str) -> Option<&'static str> {
    let family = |it: &str| it.split('/').next().map(str::to_ascii_lowercase);
    let same = KNOWN.iter().find(|it| family(it) == family(name));
    same.copied().or_else(|| suggest::nearest(name, KNOWN))
}
