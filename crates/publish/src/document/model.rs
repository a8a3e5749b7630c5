//! `spec.model` of an Agent: which model, with which settings.

use std::collections::BTreeMap;

use spec::snapshot::Model;
use spec::{Decimal, Json};

use crate::diagnostic::{At, Location, Sink};
use crate::diagnostics::{e0203, e0205, e0206, e0208, e0701, e0702};
use crate::yaml::{Cursor, Fields, Shape};

const MODEL: Shape = Shape {
    what: "a model",
    known: &[
        "provider",
        "name",
        "secret",
        "base_url",
        "parameters",
        "reasoning",
        "provider_options",
    ],
    elsewhere: &[
        ("temperature", "write it in `model.parameters`"),
        ("top_p", "write it in `model.parameters`"),
        ("max_output_tokens", "write it in `model.parameters`"),
        ("stop_sequences", "write it in `model.parameters`"),
        (
            "api_key",
            "declare it under `secrets` and name it in `model.secret`",
        ),
    ],
    unsupported: &[],
};

const PARAMETERS: Shape = Shape {
    what: "model parameters",
    known: &[
        "temperature",
        "top_p",
        "max_output_tokens",
        "stop_sequences",
    ],
    elsewhere: &[
        ("reasoning", "write it in `model`"),
        ("provider_options", "write it in `model`"),
    ],
    unsupported: &[],
};

const REASONING: Shape = Shape {
    what: "reasoning",
    known: &["effort"],
    elsewhere: &[],
    unsupported: &[],
};

#[derive(Clone, Copy)]
struct Provider {
    name: &'static str,
    needs_key: bool,
    runs: bool,
}

const PROVIDERS: [Provider; 5] = [
    Provider {
        name: "stub",
        needs_key: false,
        runs: true,
    },
    Provider {
        name: "anthropic",
        needs_key: true,
        runs: false,
    },
    Provider {
        name: "openai",
        needs_key: true,
        runs: false,
    },
    Provider {
        name: "openrouter",
        needs_key: true,
        runs: false,
    },
    Provider {
        name: "openai-compatible",
        needs_key: false,
        runs: false,
    },
];

const BASE_URL_PROVIDER: &str = "openai-compatible";

/// A model whose values could not be read, for an Agent that is refused anyway.
pub(super) fn unread() -> Model {
    Model {
        provider: String::new(),
        name: String::new(),
        secret: None,
        base_url: None,
        parameters: Json::object(),
        reasoning_effort: None,
        provider_options: Json::object(),
    }
}

pub(super) fn read(cursor: &Cursor<'_>, secrets: &[&str], sink: &mut Sink) -> Option<Model> {
    let fields = cursor.fields(&MODEL, sink)?;
    let provider = fields.required("provider", sink).and_then(|it| {
        let words = PROVIDERS.map(|it| (it.name, it));
        it.word(&words, sink)
    });
    if let Some(provider) = provider.as_ref().filter(|it| !it.value.runs) {
        sink.push(e0701::not_yet(&provider.at, provider.value.name));
    }
    let name = fields.required("name", sink).and_then(|it| it.filled(sink));
    let secret = fields.get("secret").and_then(|it| it.filled(sink));
    check_secret(provider.as_ref(), secret.as_ref(), secrets, sink);
    let base_url = fields
        .get("base_url")
        .and_then(|it| base_url(&it, provider.as_ref(), sink));
    let parameters = fields
        .get("parameters")
        .and_then(|it| parameters(&it, sink));
    let effort = fields.get("reasoning").and_then(|it| {
        let fields = it.fields(&REASONING, sink)?;
        let words = ["low", "medium", "high"].map(|it| (it, it));
        fields.required("effort", sink)?.word(&words, sink)
    });
    let options = fields.get("provider_options").and_then(|it| {
        it.entries(sink)?;
        it.json(sink)
    });
    Some(Model {
        provider: provider
            .map(|it| it.value.name.to_owned())
            .unwrap_or_default(),
        name: name.map(|it| it.value).unwrap_or_default(),
        secret: secret.map(|it| it.value),
        base_url,
        parameters: parameters.unwrap_or_else(Json::object),
        reasoning_effort: effort.map(|it| it.value.to_owned()),
        provider_options: options.unwrap_or_else(Json::object),
    })
}

fn check_secret(
    provider: Option<&At<Provider>>,
    secret: Option<&At<String>>,
    secrets: &[&str],
    sink: &mut Sink,
) {
    if let Some(secret) = secret {
        if !secrets.contains(&secret.value.as_str()) {
            sink.push(e0702::unknown(&secret.at, &secret.value, secrets));
        }
    } else if let Some(provider) = provider.filter(|it| it.value.needs_key)
        && !secrets.is_empty()
        && !secrets.contains(&provider.value.name)
    {
        sink.push(e0702::none_for_provider(&provider.at, provider.value.name));
    }
}

fn base_url(
    cursor: &Cursor<'_>,
    provider: Option<&At<Provider>>,
    sink: &mut Sink,
) -> Option<String> {
    let url = cursor.filled(sink)?;
    if provider.is_some_and(|it| it.value.name != BASE_URL_PROVIDER) {
        let place = "only the provider `openai-compatible` has one";
        sink.push(e0206::belongs_elsewhere(
            &cursor.key_at(),
            "base_url",
            "this model",
            place,
        ));
    }
    let sound = ["http://", "https://"].iter().any(|scheme| {
        url.value
            .strip_prefix(scheme)
            .is_some_and(|rest| !rest.is_empty())
    });
    if !sound || url.value.contains(char::is_whitespace) {
        let rule = "write an address that begins with http:// or https://";
        sink.push(e0205::malformed(&url.at, "an address", &url.value, rule));
    }
    let authority = url.value.split("://").nth(1).unwrap_or_default();
    let end = authority.find(['/', '?', '#']).unwrap_or(authority.len());
    if authority.get(..end).is_some_and(|it| it.contains('@')) {
        let (what, rule) = (
            "an address without credentials",
            "declare what is secret under `secrets`, and name it in `model.secret`",
        );
        sink.push(e0205::malformed(&url.at, what, &url.value, rule));
    }
    Some(url.value)
}

/// The parameters that have a value; null counts as absent.
fn parameters(cursor: &Cursor<'_>, sink: &mut Sink) -> Option<Json> {
    let fields = cursor.fields(&PARAMETERS, sink)?;
    let get = |key: &str| fields.get(key).filter(|it| !it.is_null());
    let mut members: BTreeMap<String, Json> = BTreeMap::new();
    for (key, max) in [("temperature", 2_u64), ("top_p", 1)] {
        if let Some(number) = get(key).and_then(|it| between_zero_and(&it, max, sink)) {
            members.insert(key.to_owned(), Json::Number(number));
        }
    }
    if get("temperature").is_some() && get("top_p").is_some() {
        sink.push(e0208::at_most_one(
            &place_of(&fields, "top_p"),
            &["temperature", "top_p"],
        ));
    }
    if let Some(count) = get("max_output_tokens").and_then(|it| it.count(u64::from(u32::MAX), sink))
    {
        members.insert("max_output_tokens".to_owned(), Json::from(count));
    }
    if let Some(cursor) = get("stop_sequences") {
        let items = cursor.items(sink).unwrap_or_default();
        // White space alone is a stop sequence too.
        let stops: Vec<_> = items.iter().filter_map(|it| stop(it, sink)).collect();
        let stops = stops.into_iter().map(Json::String);
        members.insert("stop_sequences".to_owned(), Json::Array(stops.collect()));
    }
    Some(Json::Object(members))
}

fn stop(cursor: &Cursor<'_>, sink: &mut Sink) -> Option<String> {
    let text = cursor.text(sink)?;
    if text.value.is_empty() {
        sink.push(e0205::empty(&text.at));
        return None;
    }
    Some(text.value)
}

fn place_of(fields: &Fields<'_>, key: &str) -> Location {
    fields
        .get(key)
        .map_or_else(|| fields.cursor().at(), |it| it.key_at())
}

fn between_zero_and(cursor: &Cursor<'_>, max: u64, sink: &mut Sink) -> Option<Decimal> {
    let number = cursor.number(sink)?;
    if number.is_negative() || number > Decimal::from(max) {
        let found = format!("the number {number}");
        sink.push(e0203::found(
            &cursor.at(),
            &format!("a number from 0 to {max}"),
            &found,
        ));
        return None;
    }
    Some(number)
}
