//! The model is never shown a call without a result, a result twice, or results out of order.

use runtime::Line;
use spec::{CallId, SessionId};

use crate::simulation::Simulation;

pub(super) fn check(simulation: &Simulation, session: &SessionId) -> Result<(), String> {
    let inner = simulation.world.lock();
    for (_, completion, transcript) in inner.shown.iter().filter(|it| it.0 == *session) {
        let mut asked: Vec<&CallId> = Vec::new();
        for line in &transcript.lines {
            match line {
                Line::User(_) => {}
                Line::Assistant { calls, .. } => {
                    if !asked.is_empty() {
                        return Err(format!("completion {completion}: calls without results"));
                    }
                    asked = calls.iter().map(|it| &it.call).collect();
                }
                Line::Results(results) => {
                    let answered: Vec<&CallId> = results.iter().map(|it| &it.call).collect();
                    if answered != asked {
                        return Err(format!(
                            "completion {completion}: asked {asked:?}, answered {answered:?}"
                        ));
                    }
                    asked.clear();
                }
            }
        }
        if !asked.is_empty() {
            return Err(format!("completion {completion}: calls without results"));
        }
    }
    Ok(())
}
