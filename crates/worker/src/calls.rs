//! The book of calls: which wait, run, or have a result that is not acknowledged. Knows call ids and
//! slots; does no IO and starts nothing.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use proto::runtime::v1::{WorkInvoke, WorkToolResult};
use tokio::sync::watch;

use crate::handler::{CANCELLED, Tool, ToolError, failure};

/// What the book may hold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Calls that wait for a slot, over all tools.
    pub(crate) queue_max: usize,
    /// Results that wait for an acknowledgement.
    pub(crate) held_max: usize,
    /// The payload bytes of those results.
    pub(crate) held_bytes_max: usize,
}

/// An invoke whose tool exists and whose arguments are JSON.
#[derive(Debug)]
pub(crate) struct Accepted {
    pub(crate) tool: Arc<Tool>,
    pub(crate) invoke: WorkInvoke,
}

#[derive(Debug)]
enum State {
    /// Waits for a slot. Nothing of it has run.
    Queued(Accepted),
    /// Was queued when the connection broke. The runtime may have given the call to someone else since,
    /// so it must be refused, not begun, unless it is sent again.
    Stranded,
    Running {
        tool: Arc<Tool>,
        cancel: watch::Sender<bool>,
    },
    Held {
        result: WorkToolResult,
        /// The runtime answered this result with a cancel. Either the two crossed, or it will never
        /// acknowledge this result; only the second cancel tells.
        unwanted: bool,
    },
}

/// What the book knows of a call id.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Known {
    No,
    /// Waits or runs: its result will come.
    Underway,
    /// Done: its result can be sent again.
    Held,
}

/// Where a new call goes.
#[derive(Debug)]
pub(crate) enum Place {
    /// A slot is free; call `begin`.
    Free(Accepted),
    Queued,
    Full(&'static str),
}

#[derive(Debug)]
pub(crate) struct Calls {
    limits: Limits,
    states: BTreeMap<String, State>,
    /// The ids of the queued calls in order of arrival.
    queue: VecDeque<String>,
}

impl Calls {
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            limits,
            states: BTreeMap::new(),
            queue: VecDeque::new(),
        }
    }

    /// Looks up a call that the runtime has just sent. To have sent it again takes back an earlier
    /// cancel, and makes a stranded call a new one.
    pub(crate) fn resent(&mut self, call_id: &str) -> Known {
        match self.states.get_mut(call_id) {
            None => Known::No,
            Some(State::Stranded) => {
                self.states.remove(call_id);
                Known::No
            }
            Some(State::Queued(_) | State::Running { .. }) => Known::Underway,
            Some(State::Held { unwanted, .. }) => {
                *unwanted = false;
                Known::Held
            }
        }
    }

    pub(crate) fn place(&mut self, accepted: Accepted) -> Place {
        if self.is_full() {
            return Place::Full("too many results wait for an acknowledgement");
        }
        if self.has_slot(&accepted.tool) {
            return Place::Free(accepted);
        }
        if self.queue.len() >= self.limits.queue_max {
            return Place::Full("every slot is taken and the queue is full");
        }
        let call_id = accepted.invoke.call_id.clone();
        self.queue.push_back(call_id.clone());
        self.states.insert(call_id, State::Queued(accepted));
        Place::Queued
    }

    /// Marks a call as running. The receiver tells its handler of a cancel.
    pub(crate) fn begin(&mut self, call_id: &str, tool: &Arc<Tool>) -> watch::Receiver<bool> {
        let (cancel, cancelled) = watch::channel(false);
        let tool = Arc::clone(tool);
        self.states
            .insert(call_id.to_owned(), State::Running { tool, cancel });
        cancelled
    }

    /// Holds the result of a running call. `false`: the call had been given up on.
    pub(crate) fn finish(&mut self, result: WorkToolResult) -> bool {
        match self.states.get_mut(&result.call_id) {
            Some(state @ State::Running { .. }) => {
                let unwanted = false;
                *state = State::Held { result, unwanted };
                true
            }
            None | Some(State::Queued(_) | State::Stranded | State::Held { .. }) => false,
        }
    }

    /// The longest waiting call whose tool has a slot now.
    pub(crate) fn next_queued(&mut self) -> Option<Accepted> {
        let at = self.queue.iter().position(|it| {
            matches!(self.states.get(it), Some(State::Queued(call)) if self.has_slot(&call.tool))
        })?;
        let call_id = self.queue.remove(at)?;
        match self.states.remove(&call_id) {
            Some(State::Queued(accepted)) => Some(accepted),
            None | Some(State::Stranded | State::Running { .. } | State::Held { .. }) => None,
        }
    }

    /// A running call is told, a waiting one ends here. `true`: there is a new result to send.
    pub(crate) fn cancel(&mut self, call_id: &str) -> bool {
        match self.states.get_mut(call_id) {
            None => false,
            Some(State::Running { cancel, .. }) => {
                cancel.send_replace(true);
                false
            }
            Some(State::Held { unwanted: true, .. } | State::Stranded) => {
                self.states.remove(call_id);
                false
            }
            Some(State::Held { unwanted, .. }) => {
                *unwanted = true;
                false
            }
            Some(state @ State::Queued(_)) => {
                let why = ToolError::new(CANCELLED, "the call was cancelled before it began");
                *state = State::Held {
                    result: failure(call_id.to_owned(), why),
                    unwanted: false,
                };
                self.queue.retain(|it| it != call_id);
                true
            }
        }
    }

    pub(crate) fn acknowledged(&mut self, call_id: &str) {
        if matches!(self.states.get(call_id), Some(State::Held { .. })) {
            self.states.remove(call_id);
        }
    }

    pub(crate) fn disconnected(&mut self) {
        for call_id in self.queue.drain(..) {
            self.states.insert(call_id, State::Stranded);
        }
    }

    /// Takes out the calls that must be refused because the connection broke before they began.
    pub(crate) fn take_stranded(&mut self) -> Vec<String> {
        self.take_if(|it| matches!(it, State::Stranded))
    }

    /// Takes out the calls that wait for a slot.
    pub(crate) fn take_queued(&mut self) -> Vec<String> {
        self.queue.clear();
        self.take_if(|it| matches!(it, State::Queued(_)))
    }

    /// Takes out the calls that still run, to report nothing for them.
    pub(crate) fn abandon_running(&mut self) -> Vec<String> {
        self.take_if(|it| matches!(it, State::Running { .. }))
    }

    fn take_if(&mut self, wanted: impl Fn(&State) -> bool) -> Vec<String> {
        self.states
            .extract_if(.., |_, state| wanted(state))
            .map(|(call_id, _)| call_id)
            .collect()
    }

    pub(crate) fn result(&self, call_id: &str) -> Option<&WorkToolResult> {
        match self.states.get(call_id) {
            Some(State::Held { result, .. }) => Some(result),
            None | Some(State::Queued(_) | State::Stranded | State::Running { .. }) => None,
        }
    }

    pub(crate) fn held(&self) -> Vec<String> {
        self.states
            .iter()
            .filter(|(_, state)| matches!(state, State::Held { .. }))
            .map(|(call_id, _)| call_id.clone())
            .collect()
    }

    /// The held results that the runtime has not answered in any way.
    pub(crate) fn unacknowledged(&self) -> Vec<String> {
        self.states
            .iter()
            .filter(|(_, state)| {
                matches!(
                    state,
                    State::Held {
                        unwanted: false,
                        ..
                    }
                )
            })
            .map(|(call_id, _)| call_id.clone())
            .collect()
    }

    /// Every call that a new connection claims. Stranded ones too: only their holder may refuse them.
    pub(crate) fn in_flight(&self) -> Vec<String> {
        self.states.keys().cloned().collect()
    }

    pub(crate) fn any_running(&self) -> bool {
        self.states
            .values()
            .any(|it| matches!(it, State::Running { .. }))
    }

    /// Whether nothing is left that the runtime waits to hear of.
    pub(crate) fn settled(&self) -> bool {
        self.states
            .values()
            .all(|it| matches!(it, State::Held { unwanted: true, .. }))
    }

    fn has_slot(&self, tool: &Arc<Tool>) -> bool {
        let running = self
            .states
            .values()
            .filter(
                |it| matches!(it, State::Running { tool: other, .. } if Arc::ptr_eq(tool, other)),
            )
            .count();
        u32::try_from(running).is_ok_and(|it| it < tool.concurrency)
    }

    /// Whether no more results can be held. Makes room first by dropping those that nobody wants.
    fn is_full(&mut self) -> bool {
        if self.exceeds() {
            self.take_if(|it| matches!(it, State::Held { unwanted: true, .. }));
        }
        self.exceeds()
    }

    fn exceeds(&self) -> bool {
        let sizes = self.states.values().filter_map(|it| match it {
            State::Held { result, .. } => Some(result.payload.len()),
            State::Queued(_) | State::Stranded | State::Running { .. } => None,
        });
        let (count, bytes) = sizes.fold((0, 0), |(count, bytes), it| (count + 1, bytes + it));
        count >= self.limits.held_max || bytes >= self.limits.held_bytes_max
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::handler::Concurrency;

    const LIMITS: Limits = Limits {
        queue_max: 2,
        held_max: 2,
        held_bytes_max: 100,
    };

    fn tool(concurrency: u32) -> Arc<Tool> {
        let run = |_| async { Ok(Value::Null) };
        Arc::new(Tool::new(
            "t".into(),
            "1".into(),
            Concurrency(concurrency),
            run,
        ))
    }

    fn call(tool: &Arc<Tool>, call_id: &str) -> Accepted {
        let call_id = call_id.to_owned();
        Accepted {
            tool: Arc::clone(tool),
            invoke: WorkInvoke {
                call_id,
                ..WorkInvoke::default()
            },
        }
    }

    fn result(call_id: &str, bytes: usize) -> WorkToolResult {
        WorkToolResult {
            call_id: call_id.to_owned(),
            payload: vec![b'1'; bytes],
            error: None,
        }
    }

    /// A book in which `c1` runs and `c2` and `c3` wait.
    fn busy() -> (Calls, Arc<Tool>) {
        let mut calls = Calls::new(LIMITS);
        let tool = tool(1);
        assert!(matches!(calls.place(call(&tool, "c1")), Place::Free(_)));
        calls.begin("c1", &tool);
        assert!(matches!(calls.place(call(&tool, "c2")), Place::Queued));
        assert!(matches!(calls.place(call(&tool, "c3")), Place::Queued));
        (calls, tool)
    }

    #[test]
    fn a_full_queue_refuses() {
        let (mut calls, tool) = busy();
        assert!(matches!(calls.place(call(&tool, "c4")), Place::Full(_)));
    }

    #[test]
    fn a_slot_of_one_tool_is_no_slot_of_another() {
        let (mut calls, _) = busy();
        let other = tool(1);
        assert!(matches!(calls.place(call(&other, "c4")), Place::Free(_)));
    }

    #[test]
    fn the_queue_moves_when_a_call_ends() {
        let (mut calls, _) = busy();
        assert!(calls.next_queued().is_none());
        assert!(calls.finish(result("c1", 1)));
        assert_eq!(calls.next_queued().unwrap().invoke.call_id, "c2");
    }

    #[test]
    fn a_result_is_held_until_acknowledged() {
        let (mut calls, _) = busy();
        calls.acknowledged("c1");
        assert_eq!(calls.resent("c1"), Known::Underway);
        calls.finish(result("c1", 1));
        assert_eq!(calls.resent("c1"), Known::Held);
        calls.acknowledged("c1");
        assert_eq!(calls.resent("c1"), Known::No);
    }

    #[test]
    fn the_first_result_counts() {
        let (mut calls, _) = busy();
        assert!(calls.finish(result("c1", 1)));
        assert!(!calls.finish(result("c1", 2)));
        assert_eq!(calls.result("c1"), Some(&result("c1", 1)));
    }

    #[test]
    fn cancelling_a_running_call_tells_it() {
        let mut calls = Calls::new(LIMITS);
        let cancelled = calls.begin("c1", &tool(1));
        assert!(!calls.cancel("c1"));
        assert!(*cancelled.borrow());
    }

    #[test]
    fn cancelling_a_queued_call_ends_it() {
        let (mut calls, _) = busy();
        assert!(calls.cancel("c2"));
        let error = calls.result("c2").unwrap().error.clone().unwrap();
        assert_eq!(error.code, "cancelled");
        calls.finish(result("c1", 1));
        assert_eq!(calls.next_queued().unwrap().invoke.call_id, "c3");
    }

    #[test]
    fn only_a_second_cancel_drops_a_held_result() {
        let (mut calls, _) = busy();
        calls.finish(result("c1", 1));
        calls.cancel("c1");
        assert_eq!(calls.held(), ["c1"]);
        calls.cancel("c1");
        assert!(calls.held().is_empty());
    }

    #[test]
    fn sending_a_call_again_takes_a_cancel_back() {
        let (mut calls, _) = busy();
        calls.finish(result("c1", 1));
        calls.cancel("c1");
        assert_eq!(calls.resent("c1"), Known::Held);
        calls.cancel("c1");
        assert_eq!(calls.held(), ["c1"]);
    }

    #[test]
    fn a_broken_connection_strands_what_waits() {
        let (mut calls, tool) = busy();
        calls.disconnected();
        assert_eq!(calls.in_flight(), ["c1", "c2", "c3"]);
        calls.finish(result("c1", 1));
        assert!(calls.next_queued().is_none());
        assert_eq!(calls.resent("c2"), Known::No);
        calls.begin("c2", &tool);
        assert_eq!(calls.take_stranded(), ["c3"]);
    }

    #[test]
    fn unacknowledged_results_refuse_new_calls() {
        let mut calls = Calls::new(LIMITS);
        let tool = tool(9);
        for call_id in ["c1", "c2"] {
            calls.begin(call_id, &tool);
            calls.finish(result(call_id, 1));
        }
        assert!(matches!(calls.place(call(&tool, "c3")), Place::Full(_)));
        calls.cancel("c1");
        assert!(matches!(calls.place(call(&tool, "c3")), Place::Free(_)));
        assert_eq!(calls.held(), ["c2"]);
    }

    #[test]
    fn the_bytes_of_held_results_count() {
        let mut calls = Calls::new(LIMITS);
        let tool = tool(9);
        calls.begin("c1", &tool);
        calls.finish(result("c1", 100));
        assert!(matches!(calls.place(call(&tool, "c2")), Place::Full(_)));
    }

    #[test]
    fn a_call_given_up_on_reports_nothing() {
        let (mut calls, _) = busy();
        assert_eq!(calls.abandon_running(), ["c1"]);
        assert!(!calls.finish(result("c1", 1)));
        assert_eq!(calls.take_queued(), ["c2", "c3"]);
        assert!(calls.settled());
    }
}
