//! One simulated run: the pieces, and the order in which things happen.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fastrand::Rng;
use runtime::{Driver, Fault, Session, Signal, block_on};
use session::{Input, Plan, Settings, Start, State, fold};
use spec::{Digest, Json, SessionId, VersionId};

use crate::chaos::Chaos;
use crate::invariants::{self, Violation};
use crate::journal::{MemoryJournal, Sabotage};
use crate::scenario::Scenario;
pub use crate::worker::Began;
use crate::worker::Worker;
use crate::world::SimWorld;

/// Steps with faults before the world heals.
const STEPS_FAULTY: u32 = 250;
/// Steps after healing within which everything must have ended.
const STEPS_HEALED: u32 = 4_000;
/// Sessions of one run.
const SESSIONS: usize = 2;

/// How often what goes wrong, out of 1000 steps; a seed picks a subset.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Faults {
    pub(crate) crash: u32,
    pub(crate) append: u32,
    pub(crate) worker_dies: u32,
    pub(crate) worker_drops: u32,
    pub(crate) duplicate: u32,
    pub(crate) cancel: u32,
    pub(crate) leap: u32,
    pub(crate) nack: u32,
}

/// A run in progress.
pub struct Simulation {
    pub(crate) rng: Rng,
    pub(crate) scenario: Scenario,
    pub(crate) chaos: Chaos,
    pub(crate) journal: MemoryJournal,
    pub(crate) world: SimWorld,
    pub(crate) driver: Driver<MemoryJournal, SimWorld>,
    pub(crate) sessions: BTreeMap<SessionId, Session>,
    /// Sessions to load again after a fault.
    pub(crate) reload: Vec<SessionId>,
    pub(crate) workers: Vec<Worker>,
    pub(crate) witness: Vec<Began>,
    pub(crate) acked: Vec<spec::CallId>,
    /// How often each call's handler has said that it failed.
    pub(crate) failed: BTreeMap<spec::CallId, u32>,
    pub(crate) faults: Faults,
    pub(crate) healed: bool,
    life: u32,
    /// What was on record when the invariants were last checked.
    checked: (u64, usize, usize),
    pub(crate) log: Vec<String>,
}

/// What a run came to.
#[derive(Debug)]
pub struct Report {
    /// Everything that broke an invariant.
    pub violations: Vec<Violation>,
    /// What happened, a line each.
    pub log: Vec<String>,
    /// Points at which the runtime could have died.
    pub points: u64,
    /// Names of the kinds of events on record.
    pub events: BTreeSet<String>,
}

impl Simulation {
    /// A world at rest, with its sessions' ids chosen and nothing begun.
    ///
    /// # Panics
    /// If a scenario's snapshot does not compile: a bug of the scenario.
    #[must_use]
    pub fn new(scenario: Scenario, seed: u64) -> Self {
        let chaos = Chaos::default();
        let journal = MemoryJournal::new(chaos.clone());
        let version = VersionId::new("v-1");
        let plan = Plan::compile(version, scenario.snapshot.clone(), Settings::STANDARD);
        #[expect(
            clippy::expect_used,
            reason = "a scenario that does not compile is a bug of ours"
        )]
        let plan = Arc::new(plan.expect("the scenario compiles"));
        let world = SimWorld::new(chaos.clone(), plan, scenario.replies.clone());
        let epoch = block_on(runtime::Journal::claim(&journal)).unwrap_or(runtime::Epoch(0));
        let driver = Driver::new(journal.clone(), world.clone(), epoch);
        Self {
            rng: Rng::with_seed(seed),
            scenario,
            chaos,
            journal,
            world,
            driver,
            sessions: BTreeMap::new(),
            reload: Vec::new(),
            workers: vec![Worker::new("w-1"), Worker::new("w-2")],
            witness: Vec::new(),
            acked: Vec::new(),
            failed: BTreeMap::new(),
            faults: Faults::default(),
            healed: false,
            life: 0,
            checked: (0, 0, 0),
            log: Vec::new(),
        }
    }

    /// Breaks a rule on purpose.
    pub fn sabotage(&mut self, sabotage: Sabotage) {
        self.journal.sabotage(sabotage);
    }

    pub(crate) fn note(&mut self, line: impl Into<String>) {
        self.log.push(line.into());
    }

    /// Begins every session; each is started again until its first event is on record, as a client
    /// would that got no answer.
    fn start_all(&mut self) {
        for n in 0..SESSIONS {
            let id = SessionId::new(format!("run_{n}"));
            if self.journal.sessions().contains(&id) {
                continue;
            }
            let start = Start {
                version: VersionId::new("v-1"),
                snapshot: Digest::of(b"sim"),
                mode: self.scenario.snapshot.session,
                input: Json::from_members([("message", Json::from("go"))]),
                requester: None,
                env: Arc::default(),
            };
            match block_on(self.driver.start(id.clone(), start)) {
                Ok(session) => {
                    self.sessions.insert(id, session);
                }
                Err(fault) => self.note(format!("start {id}: {fault}")),
            }
        }
    }

    /// A random run: faults first, then healing, then everything must end.
    #[must_use]
    pub fn run(mut self) -> Report {
        self.faults = self.pick_faults();
        let faults = self.faults;
        self.note(format!("{}: {faults:?}", self.scenario.name));
        self.start_all();
        for _ in 0..STEPS_FAULTY {
            self.step();
            if let Some(report) = self.violated() {
                return report;
            }
        }
        self.finish()
    }

    /// A run without chance: the runtime dies once, at the given point.
    #[must_use]
    pub fn run_with_crash_at(mut self, point: u64) -> Report {
        self.chaos.die_after(point);
        self.start_all();
        self.finish()
    }

    fn finish(mut self) -> Report {
        self.healed = true;
        self.faults = Faults::default();
        self.note("healed");
        for _ in 0..STEPS_HEALED {
            self.start_all();
            self.step();
            if let Some(report) = self.violated() {
                return report;
            }
            if self.all_over() {
                break;
            }
        }
        let mut violations = invariants::check(&self);
        violations.extend(invariants::check_end(&self));
        self.report(violations)
    }

    fn all_over(&self) -> bool {
        let sessions = self.journal.sessions();
        sessions.len() == SESSIONS
            && sessions.iter().all(|id| {
                let state = self.recorded(id);
                state.ended.is_some() && state.open_calls().next().is_none()
            })
    }

    /// The session as it is on record.
    pub(crate) fn recorded(&self, id: &SessionId) -> State {
        self.journal
            .entries(id)
            .iter()
            .fold(State::new(id.clone()), fold)
    }

    fn violated(&mut self) -> Option<Report> {
        let now = (self.journal.appends(), self.witness.len(), self.acked.len());
        if std::mem::replace(&mut self.checked, now) == now {
            return None;
        }
        let violations = invariants::check(self);
        (!violations.is_empty()).then(|| self.report(violations))
    }

    fn report(&mut self, violations: Vec<Violation>) -> Report {
        let sessions = self.journal.sessions();
        let entries = sessions.iter().flat_map(|id| self.journal.entries(id));
        // The name is the part of the debug form before its fields.
        let name = |event: &session::Event| {
            let text = format!("{event:?}");
            text.split([' ', '{']).next().unwrap_or_default().to_owned()
        };
        Report {
            violations,
            points: self.chaos.passed(),
            events: entries.map(|it| name(&it.event)).collect(),
            log: std::mem::take(&mut self.log),
        }
    }

    fn pick_faults(&mut self) -> Faults {
        let mut maybe = |weight: u32| if self.rng.bool() { weight } else { 0 };
        Faults {
            crash: maybe(30),
            append: maybe(40),
            worker_dies: maybe(30),
            worker_drops: maybe(40),
            duplicate: maybe(80),
            cancel: maybe(4),
            leap: maybe(60),
            nack: maybe(150),
        }
    }

    /// The process is gone: a new one begins with what is on disk.
    pub(crate) fn restart(&mut self) {
        self.life += 1;
        let life = self.life;
        self.note(format!("-- crash, life {life}"));
        self.journal.lose_power();
        self.sessions.clear();
        self.reload.clear();
        self.chaos.revive();
        self.world.reborn(life);
        for worker in &mut self.workers {
            worker.connection = None;
        }
        let epoch = block_on(runtime::Journal::claim(&self.journal));
        let epoch = epoch.unwrap_or(runtime::Epoch(0));
        self.driver = Driver::new(self.journal.clone(), self.world.clone(), epoch);
        let runnable = block_on(runtime::Journal::runnable(&self.journal));
        self.reload = runnable.unwrap_or_default();
    }

    /// Hands a signal to a session, loading it if it is not in memory.
    pub(crate) fn deliver(&mut self, id: &SessionId, signal: Signal) -> Result<(), Fault> {
        self.world.lock().delivered(id, &signal);
        if !self.sessions.contains_key(id) {
            self.load(id);
        }
        let Some(mut session) = self.sessions.remove(id) else {
            return Err(Fault::Unavailable("no such session".to_owned()));
        };
        let handled = block_on(self.driver.handle(&mut session, signal));
        match &handled {
            Ok(()) | Err(Fault::Refused(_)) => {
                self.sessions.insert(id.clone(), session);
            }
            // What is in memory may be stale.
            Err(
                Fault::Moved
                | Fault::Fenced
                | Fault::Unavailable(_)
                | Fault::Plan(_)
                | Fault::Damaged { .. },
            ) => self.reload.push(id.clone()),
        }
        handled
    }

    pub(crate) fn load(&mut self, id: &SessionId) {
        match block_on(self.driver.resume(id)) {
            Ok(Some(session)) => {
                self.sessions.insert(id.clone(), session);
            }
            Ok(None) => {}
            Err(fault) => {
                self.note(format!("load {id}: {fault}"));
                self.reload.push(id.clone());
            }
        }
    }

    pub(crate) fn tick(&mut self, id: &SessionId) {
        let result = self.deliver(id, Signal::Input(Input::Tick));
        if let Err(fault) = result {
            self.note(format!("tick {id}: {fault}"));
        }
    }
}
