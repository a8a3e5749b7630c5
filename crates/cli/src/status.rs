//! `status`: whether a runtime answers, and which. Knows versions and health.

use proto::health::v1::HealthCheckRequest;
use proto::health::v1::health_check_response::ServingStatus;
use proto::runtime::v1::GetVersionRequest;
use spec::Json;

use crate::connect::{self, Runtime};
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::render::{Format, escape};

/// Show whether a runtime answers, and its version.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  ordain status\n  ordain status -o json")]
pub(crate) struct Args {
    #[command(flatten)]
    output: crate::render::Output,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let runtime = Runtime::dial_quietly(context)?;
    let version = runtime
        .api()
        .get_version(GetVersionRequest {})
        .await
        .map_err(runtime.failed("get version"))?
        .into_inner();
    let health = runtime
        .health()
        .check(HealthCheckRequest::default())
        .await
        .map_err(runtime.failed("health check"))?
        .into_inner();
    let data = Json::from_members([
        ("address", Json::from(context.address.as_str())),
        ("cli_version", Json::from(connect::VERSION)),
        ("health", Json::from(word(health.status))),
        ("runtime_version", Json::from(version.version.as_str())),
        (
            "schema_version",
            Json::from(version.schema_version.as_str()),
        ),
    ]);
    context.printer.data(args.output.format, &data, || {
        let row = |of: &str, what: &str, value: &str| {
            format!("{of:<7}  {what:<11}  {}\n", escape::inline(value))
        };
        [
            row("CLI", "Version", connect::VERSION),
            row("Runtime", "Address", &context.address),
            row("Runtime", "Version", &version.version),
            row("Runtime", "Schema meta", or_dash(&version.schema_version)),
            row("Runtime", "Health", label(health.status)),
        ]
        .concat()
    })?;
    if args.output.format == Format::Table
        && let Some(skew) = connect::skew(&version.version, &context.program)
    {
        context.printer.out(&format!("\nwarning: {skew}\n"))?;
    }
    Ok(Exit::Done)
}

fn or_dash(text: &str) -> &str {
    if text.is_empty() { "—" } else { text }
}

fn label(status: i32) -> &'static str {
    match ServingStatus::try_from(status) {
        Ok(ServingStatus::Serving) => "● SERVING",
        Ok(ServingStatus::NotServing) => "○ NOT SERVING",
        Ok(ServingStatus::ServiceUnknown) => "? UNKNOWN",
        Ok(ServingStatus::Unknown) | Err(_) => "—",
    }
}

fn word(status: i32) -> &'static str {
    match ServingStatus::try_from(status) {
        Ok(ServingStatus::Serving) => "serving",
        Ok(ServingStatus::NotServing) => "not_serving",
        Ok(ServingStatus::ServiceUnknown) => "service_unknown",
        Ok(ServingStatus::Unknown) | Err(_) => "unknown",
    }
}
