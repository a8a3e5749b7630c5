//! Where the daemon's own words go: stderr, as text on a terminal and as JSON elsewhere.

use std::io::IsTerminal as _;

use tracing_subscriber::EnvFilter;

/// Sets up logging for the process. `filter` is in the usual syntax (`info`, `daemon=debug`).
/// A second call changes nothing.
pub(crate) fn init(filter: &str) {
    let filter = EnvFilter::try_new(filter).unwrap_or_else(|_| EnvFilter::new("info"));
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr);
    // Somebody else may have set a logger up already (a test, an embedding program): theirs stays.
    let _kept = if std::io::stderr().is_terminal() {
        builder.try_init()
    } else {
        builder.json().try_init()
    };
}
