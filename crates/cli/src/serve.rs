//! `serve`: runs the daemon in this process. Knows its settings; not what it does with them.

use std::net::SocketAddr;
use std::path::PathBuf;

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::lifeline;

/// Start a runtime here, and serve until SIGTERM or Ctrl-C.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  ordain serve\n  ordain serve --data-dir ./data --listen 127.0.0.1:7000\n\nSettings are read from RUNTIME_* and ORDAIN_* variables; flags go before them."
)]
pub(crate) struct Args {
    /// Address to listen on; port 0 takes any free one [default: 127.0.0.1:7777].
    #[arg(long, value_name = "ADDR")]
    listen: Option<SocketAddr>,
    /// Folder of the journal [default: ordain in the user's data folder].
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// File to write the address into once the runtime serves.
    #[arg(long, value_name = "PATH")]
    address_file: Option<PathBuf>,
    /// Variable that agents' `available_when` may look at; may be given again, or as A,B.
    #[arg(long, value_name = "KEY", value_delimiter = ',')]
    expose_env: Vec<String>,
    /// Listen beyond this machine although there is no TLS and no authentication.
    #[arg(long)]
    insecure: bool,
    /// Stop when whoever started this closes its stdin, or dies.
    #[arg(long, hide = true)]
    until_stdin_closes: bool,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let data_dir = args.data_dir.as_ref();
    let exposed = args.expose_env.join(",");
    let get = |name: &str| match data_dir {
        // Where the folder is given, none has to be found.
        Some(dir) if name == "ORDAIN_DATA_DIR" => Some(dir.to_string_lossy().into_owned()),
        Some(_) | None if name == "ORDAIN_EXPOSE_ENV" && !exposed.is_empty() => {
            Some(exposed.clone())
        }
        Some(_) | None => context.environment.get(name).map(str::to_owned),
    };
    let mut config = daemon::Config::from_env(&get)
        .map_err(|why| Failure::new(Exit::Usage, "read the settings").because(&why))?;
    if let Some(listen) = args.listen {
        config.listen = listen;
    }
    if let Some(data_dir) = args.data_dir {
        config.data_dir = data_dir;
    }
    if args.address_file.is_some() {
        config.address_file = args.address_file;
    }
    config.insecure |= args.insecure;
    let served = if args.until_stdin_closes {
        tokio::select! {
            served = daemon::run(config) => served,
            () = lifeline::cut() => Ok(()),
        }
    } else {
        daemon::run(config).await
    };
    served.map_err(|why| Failure::new(exit(&why), "serve").because(&why))?;
    Ok(Exit::Done)
}

fn exit(why: &daemon::ServeError) -> Exit {
    match why {
        daemon::ServeError::Config(_) => Exit::Usage,
        daemon::ServeError::Store(_)
        | daemon::ServeError::Load(_)
        | daemon::ServeError::Listen { .. }
        | daemon::ServeError::AddressFile { .. }
        | daemon::ServeError::Server(_) => Exit::Failed,
    }
}
