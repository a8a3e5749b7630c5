//! Schemas on this machine: a file, or what comes in on standard input. Knows bounds and what is
//! drawn of a file that is no schema; what makes one is known to the `publish` crate.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use spec::Json;
use validator::Draft;

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::local;
use crate::render::escape;
use crate::render::text::quoted;

/// The name of standard input.
pub(super) const STDIN: &str = "-";
/// More than the reader takes, so that it is the one that refuses.
const BYTES_MAX: u64 = 8 * 1024 * 1024;

/// The schema at `path`, JSON or YAML. What keeps it from being one is drawn.
pub(super) fn read(path: &Path, draft: Draft, context: &Context) -> Result<Json, Failure> {
    let mut bytes = Vec::new();
    let input = open(path)?;
    input
        .take(BYTES_MAX)
        .read_to_end(&mut bytes)
        .map_err(|why| unreadable(path, &why))?;
    let name = if path == Path::new(STDIN) {
        "standard input".to_owned()
    } else {
        path.display().to_string()
    };
    let schema = publish::schema_file(&name, &bytes, draft).map_err(|found| {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let source = |_: &str| Some(text.clone());
        let drawn = publish::render(&found, &source, context.printer.err_has_color());
        context.printer.diagnostics(&escape::hidden(&drawn));
        local::invalid(&format!("schema {}", quoted(&name)), &found)
    })?;
    must_be_a_schema(&schema, &name)?;
    Ok(schema)
}

/// A document is a schema to the letter, since words that are no keywords mean nothing in one; it is
/// never what was meant.
fn must_be_a_schema(schema: &Json, name: &str) -> Result<(), Failure> {
    let word = |key: &str| schema.get(key).and_then(Json::as_str);
    if let (Some(_), Some(kind)) = (word("apiVersion"), word("kind")) {
        let message = format!(
            "{} is a document of kind {}, not a schema",
            quoted(name),
            quoted(kind)
        );
        let hint = "write the schema that it has under `inline` into a file of its own";
        return Err(Failure::new(Exit::Invalid, message).hint(hint));
    }
    Ok(())
}

/// What is at `path`, to be read once.
pub(super) fn open(path: &Path) -> Result<Box<dyn Read>, Failure> {
    if path == Path::new(STDIN) {
        return Ok(Box::new(io::stdin()));
    }
    let file = File::open(path).map_err(|why| unreadable(path, &why))?;
    Ok(Box::new(file))
}

/// Not one of the codes that are answers.
pub(super) fn unreadable(path: &Path, why: &io::Error) -> Failure {
    let exit = if why.kind() == io::ErrorKind::NotFound {
        Exit::NotFound
    } else {
        Exit::Invalid
    };
    Failure::new(exit, format!("read {}", path.display())).because(why)
}
