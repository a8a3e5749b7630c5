//! Calls that wait for a free handler: first come, first served, bounded in number and in time.

use ::session::{Input, NoSlot};
use spec::{CallId, Time};

use super::registry::Registry;
use super::{HandlerKey, Out, Wanted};
use crate::Signal;

pub(super) struct Waiting {
    pub(super) wanted: Wanted,
    pub(super) until: Time,
    /// Whether a worker for it was connected at any time of the wait.
    pub(super) seen: bool,
}

impl Registry {
    /// Queues a call. Safe to say twice.
    pub fn queue(&mut self, wanted: Wanted, now: Time) -> Vec<Out> {
        let mut outs = Vec::new();
        let key = wanted.key.clone();
        if self.reserved.contains_key(&wanted.call) {
            return outs;
        }
        let seen = self
            .connections
            .values()
            .any(|it| it.handlers.contains_key(&key));
        let until = now.plus_ms(self.settings.queue_wait_ms);
        let queue = self.queues.entry(key.clone()).or_default();
        if queue.iter().any(|it| it.wanted.call == wanted.call) {
            return outs;
        }
        if queue.len() >= self.settings.queue_max {
            outs.push(no_slot(wanted, NoSlot::CapacityExhausted));
            return outs;
        }
        self.by_session
            .entry(wanted.session.clone())
            .or_default()
            .insert(wanted.call.clone());
        queue.push(Waiting {
            wanted,
            until,
            seen,
        });
        self.serve_queue_at(&key, now, &mut outs);
        outs
    }

    /// Takes a call out of its queue: its session no longer wants it made.
    pub fn unqueue(&mut self, key: &HandlerKey, call: &CallId) {
        if let Some(queue) = self.queues.get_mut(key) {
            queue.retain(|it| it.wanted.call != *call);
            if queue.is_empty() {
                self.queues.remove(key);
            }
        }
    }

    /// A worker for `key` is there: nobody who waits may be told that there was none.
    pub(super) fn seen(&mut self, key: &HandlerKey) {
        for waiting in self.queues.get_mut(key).into_iter().flatten() {
            waiting.seen = true;
        }
    }

    /// Serves the queue at the last moment that a worker of it was heard.
    pub(super) fn serve_queue(&mut self, key: &HandlerKey, outs: &mut Vec<Out>) {
        let heard = self
            .connections
            .values()
            .filter(|it| it.handlers.contains_key(key))
            .map(|it| it.last_word)
            .max();
        if let Some(now) = heard {
            self.serve_queue_at(key, now, outs);
        }
    }

    pub(super) fn serve_queue_at(&mut self, key: &HandlerKey, now: Time, outs: &mut Vec<Out>) {
        let mut passed_over = 0;
        loop {
            let queue = self.queues.get(key);
            let Some(next) = queue.and_then(|queue| queue.get(passed_over)) else {
                return;
            };
            let wanted = next.wanted.clone();
            let (session, call) = (wanted.session.clone(), wanted.call.clone());
            match self.take(wanted, now) {
                Some(slot) => {
                    self.unqueue(key, &call);
                    let input = Input::SlotReady { call, slot };
                    outs.push(Out::Signal(session, Signal::Input(input)));
                }
                // A call that waits for another worker than the one that refused it must not
                // hold up those behind it; any other would find nothing either.
                None if self.refused_by.contains_key(&call) => passed_over += 1,
                None => return,
            }
        }
    }

    pub(super) fn expire_waits(&mut self, now: Time, outs: &mut Vec<Out>) {
        for queue in self.queues.values_mut() {
            let (over, rest): (Vec<Waiting>, Vec<Waiting>) = std::mem::take(queue)
                .into_iter()
                .partition(|it| it.until <= now);
            *queue = rest;
            for waiting in over {
                let cause = if waiting.seen {
                    NoSlot::CapacityExhausted
                } else {
                    NoSlot::NoHandler
                };
                outs.push(no_slot(waiting.wanted, cause));
            }
        }
        self.queues.retain(|_, queue| !queue.is_empty());
    }
}

fn no_slot(wanted: Wanted, cause: NoSlot) -> Out {
    let input = Input::NoSlot {
        call: wanted.call,
        cause,
    };
    Out::Signal(wanted.session, Signal::Input(input))
}
