//! Start, serve, drain, stop.

use std::collections::{BTreeMap, HashSet};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use runtime::workers::Registry;
use runtime::{Driver, Fault, Journal, LoadError, Signal};
use session::State;
use spec::SessionId;
use store::{OpenError, Store, StoreSettings};
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, oneshot, watch};
use tokio::task::JoinHandle;

use crate::actors::{Actors, Mail};
use crate::clock::Clock;
use crate::config::{Config, ConfigError};
use crate::plans::Plans;
use crate::runtime_world::DaemonWorld;
use crate::watchers::Watchers;
use crate::workers::Workers;
use crate::{models, rpc};

/// How often leases, queues and due sessions are looked at.
const TICK: Duration = Duration::from_millis(200);
/// Sessions woken at one tick; the rest at the next.
const DUE_MAX: usize = 256;
/// Requests that may wait for sessions at once.
const ASKS_MAX: usize = 4096;
/// How long tasks may take to notice that the runtime has stopped.
const SETTLE: Duration = Duration::from_secs(5);

/// Why the runtime does not serve.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// A setting.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The store.
    #[error(transparent)]
    Store(#[from] OpenError),
    /// The store does not answer.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The address.
    #[error("cannot listen on {address}: {why}")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// What the operating system says, and what to do.
        why: String,
    },
    /// The file that tells the address.
    #[error("cannot write {}: {source}", path.display())]
    AddressFile {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The server itself.
    #[error("the server failed: {0}")]
    Server(String),
}

/// Everything that the services share.
pub(crate) struct Core {
    pub(crate) clock: Clock,
    pub(crate) store: Store,
    pub(crate) plans: Plans,
    pub(crate) driver: Driver<Store, DaemonWorld>,
    pub(crate) workers: Workers,
    pub(crate) actors: Actors,
    pub(crate) watchers: Watchers,
    pub(crate) completing: Completing,
    pub(crate) enable_stub: bool,
    pub(crate) default_actor: String,
    /// What predicates may look at, as it was at the start.
    pub(crate) exposed_env: Arc<BTreeMap<String, String>>,
    pub(crate) draining: AtomicBool,
    /// True once sessions' tasks are to end where they are.
    pub(crate) stopped: watch::Receiver<bool>,
    asks: Semaphore,
}

/// Completions that are being asked for right now.
#[derive(Default)]
pub(crate) struct Completing(Mutex<HashSet<(SessionId, u32)>>);

impl Completing {
    /// False when it is being asked for already.
    pub(crate) fn begin(&self, session: &SessionId, completion: u32) -> bool {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert((session.clone(), completion))
    }

    pub(crate) fn end(&self, session: &SessionId, completion: u32) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.remove(&(session.clone(), completion));
    }
}

/// Why a session was not asked.
pub(crate) enum AskError {
    /// Too many requests wait already.
    Busy,
    /// There is no such session.
    NotFound,
    /// What the driver says.
    Fault(Fault),
}

impl Core {
    /// Tells a session something.
    pub(crate) fn signal(self: &Arc<Self>, session: &SessionId, signal: Signal) {
        self.actors.send(self, session, Some(Mail::Signal(signal)));
    }

    /// Tells a session something, waits for what it comes to, and looks at the session then.
    pub(crate) async fn ask<T: Send + 'static>(
        self: &Arc<Self>,
        session: &SessionId,
        mail: impl FnOnce(crate::actors::Answer) -> Mail,
        look: impl FnOnce(&State) -> T + Send + 'static,
    ) -> Result<T, AskError> {
        let Ok(_permit) = self.asks.try_acquire() else {
            return Err(AskError::Busy);
        };
        let (sender, receiver) = oneshot::channel();
        let answer = Box::new(move |state: Option<&State>, handled: Result<(), Fault>| {
            let answer = match (handled, state) {
                (Err(fault), _) => Err(AskError::Fault(fault)),
                (Ok(()), Some(state)) => Ok(look(state)),
                (Ok(()), None) => Err(AskError::NotFound),
            };
            // Whoever asked may have gone away.
            let _gone = sender.send(answer);
        });
        self.actors.send(self, session, Some(mail(answer)));
        let stopped = "the session's task ended".to_owned();
        receiver
            .await
            .unwrap_or(Err(AskError::Fault(Fault::Unavailable(stopped))))
    }
}

/// A runtime that serves.
pub struct Daemon {
    core: Arc<Core>,
    address: SocketAddr,
    stop: watch::Sender<bool>,
    drain: Duration,
    server: JoinHandle<Result<(), tonic::transport::Error>>,
    ticker: JoinHandle<()>,
}

impl Daemon {
    /// Opens the store, takes it over, resumes what is outstanding, and serves.
    ///
    /// # Errors
    /// See [`ServeError`].
    pub async fn start(config: Config) -> Result<Self, ServeError> {
        config.check()?;
        // The port first: a busy one must not cost the store's owner its lock.
        let listener = listen(config.listen).await?;
        let address = listener
            .local_addr()
            .map_err(|error| ServeError::Server(error.to_string()))?;
        let store = Store::open(&config.data_dir, StoreSettings::STANDARD)?;
        let (stop, stopped) = watch::channel(false);
        let core = core(&config, store, stopped.clone()).await?;
        core.resume_all().await?;
        let server = rpc::serve(Arc::clone(&core), listener, stopped.clone());
        let ticker = tokio::spawn(tick(Arc::clone(&core), stopped));
        if let Some(path) = &config.address_file {
            write_address(path, address)?;
        }
        tracing::info!(%address, data_dir = %config.data_dir.display(), "serving");
        tracing::warn!("no allowlist is configured: workers are unattested");
        let drain = Duration::from_millis(config.drain_ms);
        Ok(Self {
            core,
            address,
            stop,
            drain,
            server: tokio::spawn(server),
            ticker,
        })
    }

    /// Where it serves.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Commits and appends of the store since the start.
    #[must_use]
    pub fn store_counters(&self) -> (u64, u64) {
        (self.core.store.commits(), self.core.store.appends())
    }

    /// Stops taking work, gives calls that are with workers a moment, and ends. Nothing is lost:
    /// what did not finish is on record and goes on at the next start.
    pub async fn stop(self) {
        self.core.draining.store(true, Ordering::Relaxed);
        if !within(self.drain, || self.core.actors.count() == 0).await {
            tracing::info!(
                sessions = self.core.actors.count(),
                "stopping with sessions underway"
            );
        }
        self.stop.send_replace(true);
        self.core.workers.close_all();
        // Clients that keep their connections open are not waited for longer than that.
        let mut server = self.server;
        match tokio::time::timeout(SETTLE, &mut server).await {
            Ok(Ok(Ok(()))) => {}
            Ok(Ok(Err(error))) => tracing::error!(%error, "the server failed"),
            Ok(Err(error)) => tracing::error!(%error, "the server's task failed"),
            Err(_) => server.abort(),
        }
        self.ticker.abort();
        // The store's folder is free once the last task has let go of it.
        if !within(SETTLE, || Arc::strong_count(&self.core) == 1).await {
            tracing::warn!("some tasks did not end in time; the store is let go when they do");
        }
    }
}

/// Looks again and again until something holds; false if it does not in time.
async fn within(span: Duration, holds: impl Fn() -> bool) -> bool {
    let looking = async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(span, looking).await.is_ok()
}

async fn listen(address: SocketAddr) -> Result<TcpListener, ServeError> {
    TcpListener::bind(address).await.map_err(|error| {
        let why = if error.kind() == std::io::ErrorKind::AddrInUse {
            "the port is in use (is another runtime serving there? choose another with --listen)"
                .to_owned()
        } else {
            error.to_string()
        };
        ServeError::Listen { address, why }
    })
}

/// Written whole or not at all, so that whoever waits for it never reads half an address.
fn write_address(path: &PathBuf, address: SocketAddr) -> Result<(), ServeError> {
    let failed = |source| ServeError::AddressFile {
        path: path.clone(),
        source,
    };
    let draft = path.with_extension("tmp");
    std::fs::write(&draft, format!("{address}\n")).map_err(failed)?;
    std::fs::rename(&draft, path).map_err(failed)
}

async fn core(
    config: &Config,
    store: Store,
    stopped: watch::Receiver<bool>,
) -> Result<Arc<Core>, LoadError> {
    let epoch = store.claim().await?;
    let clock = Clock::start();
    // The epoch makes connection names unique across restarts.
    let registry = Registry::new(format!("e{}", epoch.0), config.workers);
    Ok(Arc::new_cyclic(|weak| Core {
        clock,
        plans: Plans::new(store.clone(), config.sessions),
        driver: Driver::new(store.clone(), DaemonWorld(weak.clone()), epoch),
        store,
        workers: Workers::new(registry),
        actors: Actors::default(),
        watchers: Watchers::default(),
        completing: Completing::default(),
        enable_stub: config.enable_stub,
        default_actor: config.default_actor.clone(),
        exposed_env: Arc::new(config.exposed_env.clone()),
        draining: AtomicBool::new(false),
        stopped,
        asks: Semaphore::new(ASKS_MAX),
    }))
}

impl Core {
    /// Loads what has something outstanding. The same task that drives a session in steady state
    /// does the rest.
    async fn resume_all(self: &Arc<Self>) -> Result<(), LoadError> {
        let runnable = self.store.runnable().await?;
        if !runnable.is_empty() {
            tracing::info!(sessions = runnable.len(), "resuming");
        }
        for session in runnable {
            self.actors.send(self, &session, None);
        }
        Ok(())
    }

    /// Resolves when the runtime stops.
    pub(crate) async fn stopping(&self) {
        let mut stopped = self.stopped.clone();
        // An error means that the daemon is gone, which is a stop as well.
        let _stopped = stopped.wait_for(|it| *it).await;
    }

    /// Whether an agent's version can run here.
    pub(crate) fn check_model(&self, snapshot: &spec::Snapshot) -> Result<(), models::ModelError> {
        models::check(snapshot, self.enable_stub)
    }
}

/// Leases, queues, and sessions that time alone changes.
async fn tick(core: Arc<Core>, mut stopped: watch::Receiver<bool>) {
    let mut interval = tokio::time::interval(TICK);
    interval.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = interval.tick() => {}
            _ = stopped.changed() => return,
        }
        let now = core.clock.now();
        let outs = core.workers.with(|registry| registry.tick(now));
        core.take_in(outs);
        match core.store.due(now, DUE_MAX).await {
            Ok(due) => {
                for session in due {
                    core.signal(&session, Signal::Input(session::Input::Tick));
                }
            }
            Err(error) => tracing::warn!(%error, "due sessions cannot be read"),
        }
    }
}

/// Serves until SIGTERM or SIGINT, then drains; a second signal ends at once.
///
/// # Errors
/// See [`ServeError`].
pub async fn run(config: Config) -> Result<(), ServeError> {
    crate::logging::init(&config.log);
    let daemon = Daemon::start(config).await?;
    signalled().await?;
    tracing::info!("draining; a second signal ends at once");
    tokio::select! {
        () = daemon.stop() => Ok(()),
        again = signalled() => again,
    }
}

async fn signalled() -> Result<(), ServeError> {
    use tokio::signal::unix::{SignalKind, signal};
    let failed = |error: std::io::Error| ServeError::Server(error.to_string());
    let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    Ok(())
}
