//! What a model provider is shown of the tools: names, descriptions and schemas that it takes.
//!
//! The copy is for the model's eyes only. Arguments are checked against the snapshot's own schema,
//! so a copy may say less, and where it does, its description says in words what was left out.
//! Invariant: every argument object that the tool's schema accepts is accepted by the copy too.
//! Providers' strict modes are never asked for: they want every property required. Knows nothing
//! of requests, transcripts or which tools are available.

mod convert;
mod draft;
mod join;
mod names;
mod pattern;
mod profile;
mod reference;
mod root;
mod words;

use spec::Json;
use spec::snapshot::Tool;

pub use profile::{
    ANTHROPIC, OPENAI, OPENAI_COMPATIBLE, OPENROUTER, PROFILES, Profile, profile_of,
};

/// The most notes of one tool; further ones are only counted.
const NOTES_MAX: usize = 50;

/// A tool as the provider is shown it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offered {
    /// The name that the provider is given; unique in the offer.
    pub name: String,
    /// The tool's own name in the agent.
    pub wire_name: String,
    /// The author's description, and in words what the copy of the schema leaves out.
    pub description: String,
    /// The copy of the input schema: an object schema, JSON Schema 2020-12.
    pub schema: Json,
    /// What was changed, for logs and for `validate`; at most 51.
    pub notes: Vec<Note>,
}

/// Something that the provider is shown differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// A JSON pointer into the tool's input schema; empty for the schema as a whole, for the name
    /// and for the description.
    pub at: String,
    /// What is different, as a sentence without its full stop.
    pub text: String,
}

impl Note {
    fn whole(text: impl Into<String>) -> Self {
        Self {
            at: String::new(),
            text: text.into(),
        }
    }
}

/// The tools of one request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offer {
    /// In the order in which they were given.
    pub tools: Vec<Offered>,
    /// What concerns the list as a whole.
    pub notes: Vec<Note>,
}

impl Offer {
    /// The tool's own name by the one that the provider uses; `None` for a name that was never
    /// offered, which is never guessed at.
    #[must_use]
    pub fn wire_name(&self, presented: &str) -> Option<&str> {
        let mut tools = self.tools.iter();
        let tool = tools.find(|it| it.name == presented)?;
        Some(&tool.wire_name)
    }

    /// The name that the provider is given, by the tool's own.
    #[must_use]
    pub fn name(&self, wire_name: &str) -> Option<&str> {
        let mut tools = self.tools.iter();
        let tool = tools.find(|it| it.wire_name == wire_name)?;
        Some(&tool.name)
    }
}

/// Presents `tools` to a provider. The same tools and profile give the same offer everywhere; of two
/// tools with one wire name, which publish refuses, the first is offered. A name that does not fit may
/// depend on the other tools, so a session offers the same tools throughout.
#[must_use]
pub fn offer(tools: &[&Tool], profile: &Profile) -> Offer {
    let names = names::assign(tools.iter().map(|it| it.wire_name.as_str()), profile);
    let mut offer = Offer::default();
    for tool in tools {
        let is_first = offer.name(&tool.wire_name).is_none();
        if let Some(name) = names.get(tool.wire_name.as_str()).filter(|_| is_first) {
            offer.tools.push(present(tool, name, profile));
        }
    }
    if offer.tools.len() > profile.tools_max {
        offer.notes.push(Note::whole(format!(
            "{} tools are offered, and {} takes at most {}",
            offer.tools.len(),
            profile.provider,
            profile.tools_max
        )));
    }
    offer
}

fn present(tool: &Tool, name: &str, profile: &Profile) -> Offered {
    let mut notes = Vec::new();
    if name != tool.wire_name {
        notes.push(Note::whole(format!("the name is shown as `{name}`")));
    }
    let copy = root::copy(&tool.input_schema, profile);
    let words = words::sentence(&copy.said);
    let (description, is_cut) =
        words::described(&tool.description, &words, profile.description_chars_max);
    if is_cut {
        notes.push(Note::whole(format!(
            "the description is cut to {} characters",
            profile.description_chars_max
        )));
    }
    notes.extend(copy.notes);
    let more = notes.len().saturating_sub(NOTES_MAX);
    let more = more.saturating_add(copy.unnoted);
    notes.truncate(NOTES_MAX);
    if more > 0 {
        notes.push(Note::whole(format!("and {more} further changes")));
    }
    Offered {
        name: name.to_owned(),
        wire_name: tool.wire_name.clone(),
        description,
        schema: copy.schema,
        notes,
    }
}
