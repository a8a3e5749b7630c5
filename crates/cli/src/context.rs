//! What every command is given.

use crate::cli::Global;
use crate::environment::Environment;
use crate::render::Printer;

const RUNTIME_ADDRESS: &str = "127.0.0.1:7777";

/// What every command is given.
#[derive(Debug)]
pub(crate) struct Context {
    /// The name that this program was called by.
    pub(crate) program: String,
    pub(crate) printer: Printer,
    pub(crate) environment: Environment,
    /// Where the runtime listens.
    pub(crate) address: String,
}

impl Context {
    pub(crate) fn new(program: String, global: &Global, environment: Environment) -> Self {
        let printer = Printer::new(global.quiet, global.no_color, &environment);
        let set = global
            .runtime_addr
            .as_deref()
            .or(environment.get("PHRONY_RUNTIME_ADDR"));
        let address = set.unwrap_or(RUNTIME_ADDRESS).trim().to_owned();
        Self {
            program,
            printer,
            environment,
            address,
        }
    }
}
