//! The tools that are Rust libraries, each behind the same lines as the others: a question a line in,
//! an answer a line out.

use std::io::{BufRead, Write};
use std::time::Instant;

use jsoncompat::{CompatibilityResult, Role, SchemaDocument, SchemaOptions};
use jsonschema::canonical::{Containment, Satisfiability};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use spec::Json;
use subschema::{Answer, Options};

use crate::Failure;

/// The schemas come as text, since each library reads numbers in its own way.
struct Question {
    sub: String,
    sup: String,
    is_draft7: bool,
    formats_assert: bool,
}

fn question(line: &str) -> Result<Question, Failure> {
    let fields: std::collections::BTreeMap<&str, &RawValue> = serde_json::from_str(line)?;
    let field = |key: &str| fields.get(key).map_or("", |it| it.get());
    Ok(Question {
        sub: field("sub").to_owned(),
        sup: field("sup").to_owned(),
        is_draft7: field("draft").contains("draft-07"),
        formats_assert: field("format") == "true",
    })
}

/// Reads questions until there are no more.
pub(crate) fn serve(tool: &str) -> Result<(), Failure> {
    let ask = match tool {
        "ours" => ours,
        "canonical" => canonical,
        "jsoncompat" => jsoncompat,
        other => return Err(format!("no tool is called {other}").into()),
    };
    let mut out = std::io::stdout().lock();
    writeln!(out, "ready")?;
    out.flush()?;
    for line in std::io::stdin().lock().lines() {
        let question = question(&line?)?;
        let reply = match ask(&question) {
            Ok(reply) => reply,
            Err(why) => json!({"answer": "error", "micros": 0, "why": why.to_string()}),
        };
        writeln!(out, "{reply}")?;
        out.flush()?;
    }
    Ok(())
}

fn micros(started: Instant) -> u64 {
    u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX)
}

fn ours(question: &Question) -> Result<Value, Failure> {
    let sub = Json::parse(question.sub.as_bytes())?;
    let sup = Json::parse(question.sup.as_bytes())?;
    let options = Options {
        draft: if question.is_draft7 {
            validator::Draft::D7
        } else {
            validator::Draft::D2020
        },
        formats_assert: question.formats_assert,
        ..Options::default()
    };
    let started = Instant::now();
    let answer = subschema::contains(&sub, &sup, &options);
    let micros = micros(started);
    Ok(match answer {
        Answer::Proved(_) => json!({"answer": "yes", "micros": micros}),
        Answer::Refuted(witness) => {
            let value: Value = serde_json::from_str(&witness.value.to_canonical())?;
            json!({"answer": "no", "micros": micros, "witness": value})
        }
        Answer::Undecided(why) => {
            json!({"answer": "undecided", "micros": micros, "why": why.to_string()})
        }
    })
}

/// `covers` says yes or, seldom, no; whether anything is left of `sub` without `sup` says the rest.
fn canonical(question: &Question) -> Result<Value, Failure> {
    let sub: Value = serde_json::from_str(&question.sub)?;
    let sup: Value = serde_json::from_str(&question.sup)?;
    let draft = if question.is_draft7 {
        jsonschema::Draft::Draft7
    } else {
        jsonschema::Draft::Draft202012
    };
    let read = |schema: &Value| {
        jsonschema::canonical::options()
            .with_draft(draft)
            .offline()
            .should_validate_formats(question.formats_assert)
            .canonicalize(schema)
    };
    let started = Instant::now();
    let answer = (|| {
        let (sub, sup) = (read(&sub)?, read(&sup)?);
        Ok(match sup.covers(&sub)? {
            Containment::Yes => "yes",
            Containment::No => "no",
            Containment::Unknown => match sub.subtract(&sup)?.satisfiability() {
                Satisfiability::Yes => "no",
                Satisfiability::No => "yes",
                Satisfiability::Unknown => "undecided",
            },
        })
    })();
    let micros = micros(started);
    Ok(match answer {
        Ok(answer) => json!({"answer": answer, "micros": micros}),
        // Its errors are how it says that it cannot tell.
        Err(why) => {
            let why: jsonschema::canonical::CanonicalizationError = why;
            json!({"answer": "undecided", "micros": micros, "why": why.to_string()})
        }
    })
}

/// The role is the serializer's: that of the deserializer takes it that nobody sends what is not
/// declared, which is not containment.
fn jsoncompat(question: &Question) -> Result<Value, Failure> {
    let read = |text: &str| -> Result<Value, Failure> {
        let mut schema: Value = serde_json::from_str(text)?;
        if let (true, Some(members)) = (question.is_draft7, schema.as_object_mut()) {
            let draft = json!("http://json-schema.org/draft-07/schema#");
            members.entry("$schema").or_insert(draft);
        }
        Ok(schema)
    };
    let (sub, sup) = (read(&question.sub)?, read(&question.sup)?);
    let options = SchemaOptions {
        assert_formats: Some(question.formats_assert),
        ..SchemaOptions::default()
    };
    let started = Instant::now();
    let answer = (|| -> Result<CompatibilityResult, Failure> {
        let sub = SchemaDocument::from_json_with_options(&sub, &options)?;
        let sup = SchemaDocument::from_json_with_options(&sup, &options)?;
        Ok(jsoncompat::analyze_compat(&sup, &sub, Role::Serializer)?)
    })();
    let micros = micros(started);
    Ok(match answer {
        Ok(CompatibilityResult::Compatible) => json!({"answer": "yes", "micros": micros}),
        Ok(CompatibilityResult::Incompatible { counterexample, .. }) => {
            json!({"answer": "no", "micros": micros, "witness": counterexample})
        }
        Ok(CompatibilityResult::Unknown { reason }) => {
            json!({"answer": "undecided", "micros": micros, "why": reason})
        }
        Err(why) => json!({"answer": "undecided", "micros": micros, "why": why.to_string()}),
    })
}
