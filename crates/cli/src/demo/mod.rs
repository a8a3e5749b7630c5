//! `demo`: the whole story in a minute. A real runtime and a real worker as processes of their own, a
//! scripted model, two policies, a person, and a crash. Knows the course of the story; its scenes are
//! in files of their own.

mod bundle;
mod checks;
mod child;
mod deadline;
mod person;
mod reasons;
mod scene;
mod stage;
mod story;
mod witness;
pub(crate) mod worker;

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::render::Style;
use crate::sessions::inspect;

use deadline::Deadline;
use person::Person;
use scene::Scene;
use stage::Stage;
use story::Story;

/// See a governed agent at work: allowed, asked about, denied, and through a crash.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  ordain demo\n  ordain demo --yes\n\nNeeds no model, no key and no network; everything happens in a temporary folder."
)]
pub(crate) struct Args {
    /// Approve without asking.
    #[arg(short, long)]
    yes: bool,
    /// Keep the folder with the journal and the logs.
    #[arg(long)]
    keep: bool,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    // Whatever is dropped here kills its processes, so an interrupted demo leaves none behind.
    tokio::select! {
        outcome = Box::pin(play(args, context)) => outcome,
        () = interrupted() => {
            // A question may have left its line open.
            context.printer.note("");
            Err(Failure::new(Exit::Interrupted, "the demo was interrupted"))
        }
    }
}

async fn play(args: Args, context: &Context) -> Result<Exit, Failure> {
    let story = Story::new(&context.printer);
    story.opening()?;
    let mut deadline = Deadline::new();
    let mut stage = Stage::set(context)?;
    let outcome = perform(&args, context, &story, &mut deadline, &mut stage).await;
    if let Err(failure) = &outcome
        && failure.exit != Exit::AwaitsPerson
    {
        story.log_tail(&stage.log_tail())?;
    }
    if args.keep {
        let folder = stage.keep();
        story.blank()?;
        story.row("kept", &folder.display().to_string())?;
    }
    outcome
}

async fn perform(
    args: &Args,
    context: &Context,
    story: &Story<'_>,
    deadline: &mut Deadline,
    stage: &mut Stage,
) -> Result<Exit, Failure> {
    story.heading("Setting up")?;
    story.row("folder", &stage.folder().display().to_string())?;
    deadline
        .within("start the runtime", stage.start_runtime(story))
        .await?;
    let runtime = stage.client()?;
    stage.start_worker(story)?;
    let session = deadline
        .within("publish and start", bundle::launch(&runtime, story))
        .await?;
    let person = Person::new(args.yes, context);
    let mut scene = Scene::new(story, &person, runtime.clone(), session.clone());
    scene.play(stage, deadline).await?;
    let inspected = inspect::fetch(&runtime, &session);
    let inspected = deadline.within("read the session", inspected).await?;
    story.heading("The session's timeline, as it is on record")?;
    story.timeline(&inspected)?;
    let found = checks::find(&scene.ending(), &inspected, &stage.witnessed()?);
    story.heading("What must hold")?;
    for check in &found {
        story.check(check)?;
    }
    let broken = found.iter().filter(|it| !it.holds).count();
    if broken > 0 {
        let message = format!("{broken} of {} checks do not hold", found.len());
        return Err(Failure::new(Exit::Failed, message));
    }
    story.blank()?;
    story.closing(&format!("All {} checks hold.", found.len()), Style::Green)?;
    Ok(Exit::Done)
}

#[cfg(unix)]
async fn interrupted() {
    use tokio::signal::unix::{SignalKind, signal};
    let kinds = [
        SignalKind::interrupt(),
        SignalKind::terminate(),
        SignalKind::hangup(),
    ];
    let [Ok(mut interrupt), Ok(mut terminate), Ok(mut hangup)] = kinds.map(signal) else {
        // Without handlers the signals end the process themselves.
        return std::future::pending().await;
    };
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
        _ = hangup.recv() => {}
    }
}

#[cfg(not(unix))]
async fn interrupted() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
