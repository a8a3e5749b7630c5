//! What the worker of the SDK has to say about its connection, as notes. Knows where they go; not
//! what is said.

use std::io;

use tracing_subscriber::EnvFilter;

use crate::context::Context;
use crate::render::{Printer, escape};

/// Registrations and what goes wrong.
const FILTER: &str = "worker=info,warn";

/// Sets up logging for the process. A second call changes nothing.
pub(super) fn init(context: &Context) {
    let words = context.environment.get("ORDAIN_LOG").unwrap_or(FILTER);
    let filter = EnvFilter::try_new(words).unwrap_or_else(|_| EnvFilter::new(FILTER));
    let printer = context.printer.clone();
    let _kept = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(false)
        .with_target(false)
        .with_writer(move || Notes(printer.clone()))
        .try_init();
}

/// Each write is one event.
struct Notes(Printer);

impl io::Write for Notes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        self.0.note(&escape::block(text.trim_end()));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
