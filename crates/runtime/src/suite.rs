//! What every journal must do, as a suite that each one's tests run. Knows nothing of how a journal
//! keeps what it is given; a violation panics and says what was violated.

#![expect(
    clippy::expect_used,
    reason = "a suite of tests: an unanswered question is a failure"
)]

mod subject;

use std::sync::Arc;
use std::{slice, thread};

use ::session::ApprovalView;
use spec::{ApprovalId, CallId, Digest, Time};

use self::subject::{Subject, ask, batch, entries, id, running, waking};
use crate::{AppendError, Batch, Epoch, Journal, Stored, block_on};

const LONG_BATCH_ENTRIES: u64 = 1000;
const LARGE_PAYLOAD_BYTES: usize = 4 * 1024 * 1024;
const WRITERS: u64 = 8;
const APPENDS_PER_WRITER: u64 = 25;

/// Runs every check, each on a fresh journal out of `make`.
///
/// # Panics
///
/// When the journal does not do what it must.
pub fn run<J: Journal>(make: impl Fn() -> J) {
    let checks: [fn(&Subject<J>); 15] = [
        an_append_is_read_back_to_the_byte,
        an_unknown_session_is_empty,
        appends_follow_each_other,
        a_wrong_expectation_writes_nothing,
        a_gap_in_a_batch_writes_nothing,
        a_payload_is_found_in_its_own_session_only,
        the_same_payload_twice_is_one,
        a_second_claim_fences_the_first,
        an_unclaimed_epoch_is_fenced,
        runnable_follows_the_last_view,
        due_follows_the_last_view,
        due_is_ordered_bounded_and_past,
        sessions_do_not_mix,
        a_long_batch_with_a_large_payload_is_kept,
        any_text_is_a_session_id,
    ];
    for check in checks {
        check(&Subject::new(make()));
    }
    racing_appends_have_one_winner(&Subject::new(make()));
    appends_from_many_threads_all_land(&Subject::new(make()));
}

fn an_append_is_read_back_to_the_byte<J: Journal>(subject: &Subject<J>) {
    let id = id("run_a");
    let every_byte: Vec<u8> = (0..=u8::MAX).collect();
    let written = entries(&[], &[b"", &every_byte, "h\u{e9}\0".as_bytes()]);
    let mut first = batch(&id, written.clone());
    first.approvals.push(ApprovalView {
        approval: ApprovalId::derive("run_a:v-1:1:0", 0),
        session: id.clone(),
        call: CallId::new("run_a:v-1:1:0"),
        status: "pending",
        route: "finance".to_owned(),
        created_at: Time::from_unix_ms(1_000),
    });
    assert_eq!(
        subject.append(&id, 0, first),
        Ok(()),
        "a first append is taken"
    );
    assert_eq!(
        subject.load(&id),
        written,
        "what is loaded is what was appended"
    );
}

fn an_unknown_session_is_empty<J: Journal>(subject: &Subject<J>) {
    assert_eq!(
        subject.load(&id("run_none")),
        [],
        "a session that is not there has no entries"
    );
    let found = subject.payload(&id("run_none"), Digest::of(b"x"));
    assert_eq!(found, None, "a session that is not there has no payloads");
    assert_eq!(
        subject.runnable(),
        [],
        "an empty journal has nothing to run"
    );
    assert_eq!(
        subject.due(u64::MAX, 10),
        [],
        "an empty journal has nothing due"
    );
}

fn appends_follow_each_other<J: Journal>(subject: &Subject<J>) {
    let id = id("run_a");
    let mut written = entries(&[], &[b"one", b"two"]);
    assert_eq!(subject.append(&id, 0, batch(&id, written.clone())), Ok(()));
    let more = entries(&written, &[b"three"]);
    assert_eq!(
        subject.append(&id, 2, batch(&id, more.clone())),
        Ok(()),
        "the next append fits"
    );
    written.extend(more);
    assert_eq!(
        subject.load(&id),
        written,
        "both appends are there, in order"
    );
}

fn a_wrong_expectation_writes_nothing<J: Journal>(subject: &Subject<J>) {
    let id = id("run_a");
    let written = entries(&[], &[b"one", b"two"]);
    assert_eq!(
        subject.append(&id, 0, running(&id, written.clone(), true)),
        Ok(())
    );
    for expected in [0, 1, 3, u64::MAX] {
        let base = Stored {
            seq: expected,
            hash: Digest::ZERO,
            bytes: Vec::new(),
        };
        let mut stray = running(&id, entries(&[base], &[b"stray"]), false);
        stray
            .payloads
            .push((Digest::of(b"stray"), Arc::from(&b"stray"[..])));
        assert_eq!(
            subject.append(&id, expected, stray),
            Err(AppendError::Conflict {
                session: id.clone(),
                expected
            }),
            "an append on {expected} conflicts with a session at 2"
        );
        assert_eq!(subject.load(&id), written, "a conflict writes no entry");
        let payload = subject.payload(&id, Digest::of(b"stray"));
        assert_eq!(payload, None, "a conflict writes no payload");
        let runnable = subject.runnable();
        assert_eq!(runnable, slice::from_ref(&id), "a conflict changes no list");
    }
}

fn a_gap_in_a_batch_writes_nothing<J: Journal>(subject: &Subject<J>) {
    let id = id("run_a");
    let mut gap = entries(&[], &[b"one", b"two", b"three"]);
    gap.remove(1);
    let refused = subject.append(&id, 0, batch(&id, gap));
    assert!(
        refused.is_err(),
        "entries that are not numbered without gaps are refused"
    );
    assert_eq!(subject.load(&id), [], "what is refused writes nothing");
}

fn a_payload_is_found_in_its_own_session_only<J: Journal>(subject: &Subject<J>) {
    let (mine, other) = (id("run_mine"), id("run_other"));
    let (digest, bytes): (_, Arc<[u8]>) = (Digest::of(b"args"), Arc::from(&b"args"[..]));
    let mut first = batch(&mine, entries(&[], &[b"one"]));
    first.payloads.push((digest, Arc::clone(&bytes)));
    assert_eq!(subject.append(&mine, 0, first), Ok(()));
    assert_eq!(
        subject.append(&other, 0, batch(&other, entries(&[], &[b"one"]))),
        Ok(())
    );
    assert_eq!(
        subject.payload(&mine, digest),
        Some(bytes),
        "a payload is kept"
    );
    let unknown = subject.payload(&mine, Digest::of(b"unknown"));
    assert_eq!(unknown, None, "a payload that was not written is not found");
    let foreign = subject.payload(&other, digest);
    assert_eq!(
        foreign, None,
        "a payload of one session is not found in another"
    );
}

fn the_same_payload_twice_is_one<J: Journal>(subject: &Subject<J>) {
    let id = id("run_a");
    let (digest, bytes): (_, Arc<[u8]>) = (Digest::of(b"args"), Arc::from(&b"args"[..]));
    let twice = vec![(digest, Arc::clone(&bytes)), (digest, Arc::clone(&bytes))];
    let first = entries(&[], &[b"one"]);
    let second = entries(&first, &[b"two"]);
    let with = |entries| Batch {
        payloads: twice.clone(),
        ..batch(&id, entries)
    };
    assert_eq!(
        subject.append(&id, 0, with(first)),
        Ok(()),
        "twice in one append"
    );
    assert_eq!(
        subject.append(&id, 1, with(second)),
        Ok(()),
        "again in a later append"
    );
    assert_eq!(
        subject.payload(&id, digest),
        Some(bytes),
        "and it is still there"
    );
}

fn a_second_claim_fences_the_first<J: Journal>(subject: &Subject<J>) {
    let id = id("run_a");
    let written = entries(&[], &[b"one"]);
    assert_eq!(subject.append(&id, 0, batch(&id, written.clone())), Ok(()));
    let newer = ask(subject.journal.claim());
    assert!(newer > subject.epoch, "a later claim is a higher epoch");
    let next = entries(&written, &[b"two"]);
    let late = subject.append(&id, 1, batch(&id, next.clone()));
    assert_eq!(late, Err(AppendError::Fenced), "an earlier epoch is over");
    let late = subject.append(&id, 0, batch(&id, next.clone()));
    assert_eq!(
        late,
        Err(AppendError::Fenced),
        "and is told so before any conflict"
    );
    assert_eq!(subject.load(&id), written, "a fenced append writes nothing");
    let appended = block_on(subject.journal.append(&id, 1, newer, batch(&id, next)));
    assert_eq!(appended, Ok(()), "the newest epoch writes");
}

fn an_unclaimed_epoch_is_fenced<J: Journal>(subject: &Subject<J>) {
    let id = id("run_a");
    let future = Epoch(subject.epoch.0.saturating_add(1));
    let first = batch(&id, entries(&[], &[b"one"]));
    let appended = block_on(subject.journal.append(&id, 0, future, first));
    assert_eq!(
        appended,
        Err(AppendError::Fenced),
        "an epoch that nobody claimed cannot write"
    );
}

fn runnable_follows_the_last_view<J: Journal>(subject: &Subject<J>) {
    let (a, b) = (id("run_a"), id("run_b"));
    let first = entries(&[], &[b"one"]);
    let second = entries(&first, &[b"two"]);
    let third = entries(&second, &[b"three"]);
    assert_eq!(
        subject.append(&a, 0, running(&a, first.clone(), true)),
        Ok(())
    );
    assert_eq!(subject.append(&b, 0, running(&b, first, true)), Ok(()));
    assert_eq!(
        subject.runnable(),
        [a.clone(), b.clone()],
        "both say that they are runnable"
    );
    assert_eq!(subject.append(&a, 1, running(&a, second, false)), Ok(()));
    assert_eq!(
        subject.runnable(),
        slice::from_ref(&b),
        "one says no longer"
    );
    assert_eq!(subject.append(&a, 2, running(&a, third, true)), Ok(()));
    assert_eq!(subject.runnable(), [a, b], "and is again");
}

fn due_follows_the_last_view<J: Journal>(subject: &Subject<J>) {
    let id = id("run_a");
    let mut written = Vec::new();
    let steps = [
        (Some(100), true),
        (None, false),
        (Some(300), false),
        (Some(50), true),
    ];
    for (expected, (wake_at, is_due)) in (0..).zip(steps) {
        let next = entries(&written, &[b"step"]);
        assert_eq!(
            subject.append(&id, expected, waking(&id, next.clone(), wake_at)),
            Ok(())
        );
        written.extend(next);
        let due = subject.due(200, 10);
        assert_eq!(
            due.contains(&id),
            is_due,
            "waking at {wake_at:?}, asked at 200"
        );
    }
}

fn due_is_ordered_bounded_and_past<J: Journal>(subject: &Subject<J>) {
    for (name, wake_at) in [("run_c", 30), ("run_a", 10), ("run_d", 40), ("run_b", 20)] {
        let id = id(name);
        let first = waking(&id, entries(&[], &[b"one"]), Some(wake_at));
        assert_eq!(subject.append(&id, 0, first), Ok(()));
    }
    assert_eq!(subject.due(9, 10), [], "nothing is due before its time");
    assert_eq!(subject.due(10, 10), [id("run_a")], "what wakes now is due");
    let due = [id("run_a"), id("run_b"), id("run_c")];
    assert_eq!(subject.due(39, 10), due, "the earliest comes first");
    assert_eq!(subject.due(u64::MAX, 2), due[..2], "no more than asked for");
    assert_eq!(subject.due(u64::MAX, 0), [], "none if none is asked for");
}

fn sessions_do_not_mix<J: Journal>(subject: &Subject<J>) {
    let (a, b) = (id("run_a"), id("run_a:b"));
    let of_a = entries(&[], &[b"a1", b"a2", b"a3"]);
    let of_b = entries(&[], &[b"b1"]);
    assert_eq!(subject.append(&a, 0, batch(&a, of_a.clone())), Ok(()));
    assert_eq!(
        subject.append(&b, 0, batch(&b, of_b.clone())),
        Ok(()),
        "each counts for itself"
    );
    assert_eq!(subject.load(&a), of_a, "one session's entries");
    assert_eq!(subject.load(&b), of_b, "and the other's");
}

fn a_long_batch_with_a_large_payload_is_kept<J: Journal>(subject: &Subject<J>) {
    let id = id("run_a");
    let texts: Vec<Vec<u8>> = (0..LONG_BATCH_ENTRIES)
        .map(|it| format!("entry {it}").into_bytes())
        .collect();
    let texts: Vec<&[u8]> = texts.iter().map(Vec::as_slice).collect();
    let written = entries(&[], &texts);
    let large: Arc<[u8]> = (0..=u8::MAX).cycle().take(LARGE_PAYLOAD_BYTES).collect();
    let digest = Digest::of(&large);
    let mut first = batch(&id, written.clone());
    first.payloads.push((digest, Arc::clone(&large)));
    assert_eq!(subject.append(&id, 0, first), Ok(()));
    assert!(
        subject.load(&id) == written,
        "all {LONG_BATCH_ENTRIES} entries are kept"
    );
    let found = subject.payload(&id, digest);
    assert!(
        found == Some(large),
        "all {LARGE_PAYLOAD_BYTES} bytes are kept"
    );
}

fn any_text_is_a_session_id<J: Journal>(subject: &Subject<J>) {
    let names = [
        "",
        " ",
        "run_\u{0}x",
        "run_\u{0}",
        "\u{1f980}",
        "e\u{301}",
        "\u{e9}",
        "'; --",
        "%",
    ];
    for name in names {
        let id = id(name);
        let first = running(&id, entries(&[], &[name.as_bytes()]), true);
        assert_eq!(
            subject.append(&id, 0, first),
            Ok(()),
            "{name:?} is a session id"
        );
    }
    for name in names {
        let written = entries(&[], &[name.as_bytes()]);
        assert_eq!(
            subject.load(&id(name)),
            written,
            "{name:?} is itself and no other"
        );
    }
    let mut sorted = names.map(id);
    sorted.sort();
    assert_eq!(
        subject.runnable(),
        sorted,
        "every id comes back as it was written"
    );
}

fn racing_appends_have_one_winner<J: Journal>(subject: &Subject<J>) {
    let id = id("run_a");
    let race = |writer: u64| {
        let text = writer.to_string();
        let first = batch(&id, entries(&[], &[text.as_bytes()]));
        subject.append(&id, 0, first)
    };
    let outcomes: Vec<_> = thread::scope(|scope| {
        let racers: Vec<_> = (0..WRITERS)
            .map(|it| scope.spawn(move || race(it)))
            .collect();
        racers
            .into_iter()
            .map(|it| it.join().expect("a writer must not panic"))
            .collect()
    });
    let won = outcomes.iter().filter(|it| it.is_ok()).count();
    assert_eq!(
        won, 1,
        "of appends on the same entry exactly one is taken: {outcomes:?}"
    );
    let lost = AppendError::Conflict {
        session: id.clone(),
        expected: 0,
    };
    let others = outcomes.iter().filter_map(|it| it.as_ref().err());
    assert!(
        others.into_iter().all(|it| *it == lost),
        "the others conflict: {outcomes:?}"
    );
    assert_eq!(
        subject.load(&id).len(),
        1,
        "and only the winner's entry is there"
    );
}

fn appends_from_many_threads_all_land<J: Journal>(subject: &Subject<J>) {
    let write = |writer: u64| {
        let id = id(&format!("run_{writer}"));
        let mut written: Vec<Stored> = Vec::new();
        for expected in 0..APPENDS_PER_WRITER {
            let text = format!("{writer}/{expected}");
            let next = entries(&written, &[text.as_bytes()]);
            let appended = subject.append(&id, expected, batch(&id, next.clone()));
            assert_eq!(appended, Ok(()), "append {expected} of writer {writer}");
            written.extend(next);
            let last = subject.load(&id).pop();
            assert_eq!(
                last.as_ref(),
                written.last(),
                "what was acknowledged is read at once"
            );
        }
        (id, written)
    };
    let sessions: Vec<_> = thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|it| scope.spawn(move || write(it)))
            .collect();
        writers
            .into_iter()
            .map(|it| it.join().expect("a writer must not panic"))
            .collect()
    });
    for (id, written) in sessions {
        assert_eq!(
            subject.load(&id),
            written,
            "each append of {id} landed once and in order"
        );
    }
}
