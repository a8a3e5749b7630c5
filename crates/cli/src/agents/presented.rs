//! What a model provider is shown of an agent's tools, as data. Knows the shape that is printed; how
//! the copies are made is in the `model` crate.

use clap::builder::PossibleValuesParser;
use model::present::{Note, Offered, PROFILES, offer, profile_of};
use spec::snapshot::Tool;
use spec::{Json, Snapshot};

/// The flag of commands that can show it.
#[derive(Debug, Default, clap::Args)]
pub(super) struct Flag {
    /// Print what a model provider is shown of each tool, and how that differs from what calls are
    /// checked against. Without a provider, the agent's own.
    #[arg(
        long,
        value_name = "PROVIDER",
        num_args = 0..=1,
        require_equals = true,
        value_parser = PossibleValuesParser::new(PROFILES.map(|it| it.provider))
    )]
    presented: Option<Option<String>>,
}

impl Flag {
    pub(super) fn is_set(&self) -> bool {
        self.presented.is_some()
    }

    /// What the provider is shown of the tools of `snapshot`.
    pub(super) fn show(&self, snapshot: &Snapshot) -> Json {
        let named = self.presented.iter().flatten().next();
        let provider = named.unwrap_or(&snapshot.model.provider);
        let profile = profile_of(provider);
        let tools: Vec<&Tool> = snapshot.tools.iter().collect();
        let offer = offer(&tools, profile);
        let shown = offer.tools.iter().map(|it| to_json(it, &snapshot.tools));
        Json::from_members([
            ("profile", Json::from(profile.provider)),
            ("tools", Json::from(shown.collect::<Vec<_>>())),
            ("notes", notes(&offer.notes)),
        ])
    }
}

fn to_json(shown: &Offered, tools: &[Tool]) -> Json {
    let mut tools = tools.iter();
    let tool = tools.find(|it| it.wire_name == shown.wire_name);
    Json::from_members([
        ("tool", Json::from(tool.map(|it| it.contract.logical_id()))),
        ("wire_name", Json::from(shown.wire_name.as_str())),
        ("name", Json::from(shown.name.as_str())),
        ("description", Json::from(shown.description.as_str())),
        ("input_schema", shown.schema.clone()),
        ("notes", notes(&shown.notes)),
    ])
}

fn notes(notes: &[Note]) -> Json {
    let one = |note: &Note| {
        Json::from_members([
            ("at", Json::from(note.at.as_str())),
            ("text", Json::from(note.text.as_str())),
        ])
    };
    Json::from(notes.iter().map(one).collect::<Vec<_>>())
}
