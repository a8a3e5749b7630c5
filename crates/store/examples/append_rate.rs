//! How many appends a second the store acknowledges, beside the floor: a bare loop that inserts
//! the same rows, one to a commit. Rounds of both alternate; figures are medians.
//!
//! `cargo run --release -p store --example append_rate [SESSIONS [APPENDS_PER_SESSION]]`

#![expect(
    clippy::print_stdout,
    reason = "an example tells its reader what it measured"
)]

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use runtime::{Batch, Epoch, Journal as _, Stored, chain};
use rusqlite::{Connection, params};
use session::{SessionView, Status};
use spec::snapshot::Identity;
use spec::{Digest, SessionId, Time, VersionId};
use store::{Store, StoreSettings};

const ROUNDS: usize = 5;
const ENTRY_BYTES: usize = 300;
const FLOOR_ROWS: u64 = 2_000;
const SESSIONS_STANDARD: u64 = 64;
const APPENDS_STANDARD: u64 = 500;

type Failed = Box<dyn Error + Send + Sync>;

struct Round {
    floor: f64,
    product: f64,
    commits: u64,
    appends: u64,
    /// How long each append took, in microseconds, sorted.
    waits: Vec<f64>,
}

fn main() -> Result<(), Failed> {
    let mut arguments = std::env::args().skip(1);
    let sessions = arguments
        .next()
        .map_or(Ok(SESSIONS_STANDARD), |it| it.parse())?;
    let appends = arguments
        .next()
        .map_or(Ok(APPENDS_STANDARD), |it| it.parse())?;
    let executor = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let mut rounds = Vec::new();
    for _ in 0..ROUNDS {
        let folder = tempfile::tempdir()?;
        let floor = floor(&folder.path().join("floor.db"))?;
        let store = Store::open(&folder.path().join("store"), StoreSettings::STANDARD)?;
        let (product, waits) = executor.block_on(product(&store, sessions, appends))?;
        let (commits, appends) = (store.commits(), store.appends());
        rounds.push(Round {
            floor,
            product,
            commits,
            appends,
            waits,
        });
    }
    let floor = median(&rounds, |it| it.floor);
    let product = median(&rounds, |it| it.product);
    let together = median(&rounds, |it| it.appends as f64 / it.commits as f64);
    let ratio = median(&rounds, |it| it.product / it.floor);
    println!("{sessions} sessions, {appends} appends each, {ROUNDS} rounds, medians");
    println!("floor    {floor:>9.0} rows/s, one to a commit");
    println!("product  {product:>9.0} appends/s, {together:.1} to a commit");
    println!("ratio    {ratio:>9.2}");
    for (name, share) in [("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999)] {
        let wait = median(&rounds, |it| at_share(&it.waits, share));
        println!("{name:<8} {wait:>9.0} microseconds an append");
    }
    Ok(())
}

fn median(rounds: &[Round], figure: impl Fn(&Round) -> f64) -> f64 {
    let mut figures: Vec<f64> = rounds.iter().map(figure).collect();
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or(f64::NAN)
}

fn at_share(sorted: &[f64], share: f64) -> f64 {
    let before = sorted.iter().zip(0_u32..);
    let wanted = share * sorted.len() as f64;
    before
        .take_while(|(_, place)| f64::from(*place) <= wanted)
        .last()
        .map_or(f64::NAN, |it| *it.0)
}

fn floor(path: &Path) -> Result<f64, Failed> {
    let file = Connection::open(path)?;
    file.pragma_update(None, "journal_mode", "WAL")?;
    file.pragma_update(None, "synchronous", "FULL")?;
    file.execute_batch(
        "CREATE TABLE entries (key INTEGER PRIMARY KEY, session INTEGER NOT NULL,
             seq INTEGER NOT NULL, hash BLOB NOT NULL, bytes BLOB NOT NULL,
             UNIQUE (session, seq)) STRICT",
    )?;
    let mut insert = file.prepare("INSERT INTO entries VALUES (NULL, 1, ?1, ?2, ?3)")?;
    let begun = Instant::now();
    for (seq, _) in (1_i64..).zip(0..FLOOR_ROWS) {
        insert.execute(params![seq, [7_u8; 32], [7_u8; ENTRY_BYTES]])?;
    }
    Ok(FLOOR_ROWS as f64 / begun.elapsed().as_secs_f64())
}

async fn product(store: &Store, sessions: u64, appends: u64) -> Result<(f64, Vec<f64>), Failed> {
    let epoch = store.claim().await?;
    let begun = Instant::now();
    let mut running = tokio::task::JoinSet::new();
    for number in 0..sessions {
        running.spawn(session(store.clone(), epoch, number, appends));
    }
    let mut waits = Vec::new();
    while let Some(done) = running.join_next().await {
        waits.extend(done??);
    }
    let rate = (sessions * appends) as f64 / begun.elapsed().as_secs_f64();
    waits.sort_by(f64::total_cmp);
    Ok((rate, waits))
}

async fn session(
    store: Store,
    epoch: Epoch,
    number: u64,
    appends: u64,
) -> Result<Vec<f64>, Failed> {
    let mut waits = Vec::new();
    let id = SessionId::new(format!("run_{number:032}"));
    let mut hash = Digest::ZERO;
    for expected in 0..appends {
        let bytes = vec![7; ENTRY_BYTES];
        hash = chain(&hash, expected + 1, &bytes);
        let entry = Stored {
            seq: expected + 1,
            hash,
            bytes,
        };
        let asked = Instant::now();
        store
            .append(&id, expected, epoch, batch(&id, entry))
            .await?;
        waits.push(asked.elapsed().as_secs_f64() * 1e6);
    }
    Ok(waits)
}

fn batch(id: &SessionId, entry: Stored) -> Batch {
    // As a tool call does: every second append is waited for.
    let odd = entry.seq % 2 == 1;
    let now = Time::from_unix_ms(1_000 + entry.seq);
    Batch {
        entries: vec![entry],
        payloads: Vec::new(),
        session: SessionView {
            session: id.clone(),
            version: VersionId::new("00000000-0000-4000-8000-000000000000"),
            status: if odd {
                Status::AwaitingTool
            } else {
                Status::Running
            },
            created_at: now,
            updated_at: now,
            wake_at: odd.then(|| now.plus_ms(10_000)),
            runnable: true,
        },
        agent: Identity {
            namespace: "acme".to_owned(),
            name: "clerk".to_owned(),
            version: "1.0.0".to_owned(),
        },
        approvals: Vec::new(),
    }
}
