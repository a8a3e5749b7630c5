//! The write-ahead log does not grow without end.

use std::fs;
use std::sync::Arc;

use runtime::Journal as _;
use spec::Digest;

use crate::world::{ask, batch, claim, entry, folder, id, open};

const PAYLOAD_BYTES: usize = 1024 * 1024;
const PAYLOADS: u8 = 150;
// What the writer lets it grow to, and what may be written until a copy succeeds.
const LOG_BYTES_MAX: u64 = 96 * 1024 * 1024;

// Not its digest, which would take long to compute; the store does not look.
fn name(number: u8) -> Digest {
    Digest::from_bytes([number; 32])
}

#[test]
fn the_log_is_copied_back_and_begun_again() {
    let folder = folder();
    let store = open(folder.path());
    let epoch = claim(&store);
    let id = id("run_a");
    let mut last = None;
    let mut longest = 0;
    for number in 0..PAYLOADS {
        let next = entry(last.as_ref(), "large");
        let payload: Arc<[u8]> = vec![number; PAYLOAD_BYTES].into();
        let mut batch = batch(&id, next.clone());
        batch.payloads.push((name(number), payload));
        ask(store.append(&id, u64::from(number), epoch, batch));
        last = Some(next);
        let log = fs::metadata(folder.path().join("ordain.db-wal"))
            .expect("a log")
            .len();
        longest = longest.max(log);
    }
    assert!(
        longest < LOG_BYTES_MAX,
        "the log has come to {longest} bytes"
    );
    for number in 0..PAYLOADS {
        let found = ask(store.payload(&id, name(number))).expect("every payload is there");
        assert!(found.iter().all(|it| *it == number));
    }
}
