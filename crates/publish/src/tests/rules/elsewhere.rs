//! Rules that only show when something runs, or on a disk, and the tests that show them.

/// A rule, the file of its test from the folder of all crates, that file's text, and the test's name.
type Shown = (&'static str, &'static str, &'static str, &'static str);

macro_rules! shown {
    ($($rule:literal: $file:literal $test:literal)*) => {
        &[$(($rule, $file, include_str!(concat!("../../../../", $file)), $test),)*]
    };
}

const TESTS: &[Shown] = shown! {
    "no path leads out of the bundle through a symbolic link":
        "cli/src/disk.rs" "links_do_not_lead_out"
    "nor out of a Bundle":
        "cli/tests/bundles.rs" "links_do_not_lead_out"
    "diagnostics are data too":
        "cli/tests/bundles.rs" "as_data"
    "warnings fail only with --deny-warnings":
        "cli/tests/bundles.rs" "the_committed_lock_of_the_example_is_current"
    "invalid arguments are not dispatched":
        "daemon/tests/daemon/bad_input.rs" "arguments_that_break_the_contract_never_run"
    "an invalid result says that the tool did run, and nothing is run again":
        "daemon/tests/daemon/workers.rs" "bad_results_say_that_the_tool_did_run"
    "numbers keep full precision":
        "daemon/tests/daemon/bad_input.rs" "numbers_reach_the_worker_digit_for_digit"
    "on_failure: retry makes at most three tries with one call id":
        "session/tests/session/failures.rs" "three_dispatches_in_all_with_one_id_and_growing_waits"
    "on_failure follows the Tool and its class":
        "session/tests/session/failures.rs" "what_a_failure_does_follows_the_tool_and_its_class"
    "retries stay inside the limits of the run":
        "session/tests/session/failures.rs" "a_wait_beyond_the_wall_clock_is_not_begun"
    "every predicate must hold":
        "session/tests/session/availability.rs" "every_predicate_must_hold"
    "a call of a tool that is not available is refused":
        "session/tests/session/availability.rs" "a_call_of_what_is_not_there_is_refused_in_its_place"
    "predicates see only the variables that the operator lists":
        "session/tests/session/availability.rs" "only_what_the_operator_lists_can_be_looked_at"
    "what was decided at the start of a session is recorded":
        "session/tests/session/availability.rs" "what_was_decided_stays_decided"
    "a terminal Tool's result is the output":
        "daemon/tests/daemon/enforced.rs" "a_terminal_tools_result_is_the_output"
    "descriptive fields are in the evidence of a session":
        "session/tests/session/evidence.rs" "everything_descriptive_is_on_record"
    "an answer that breaks its schema is sent back or mended":
        "daemon/tests/daemon/enforced.rs" "an_answer_is_sent_back_then_mended_and_shown_as_what_it_is"
    "budgets end a run":
        "session/tests/session/limits.rs" "iterations_end_the_run_when_the_next_would_be_one_too_many"
    "the same version with the same content exists already, and it is said that it is identical":
        "daemon/tests/daemon/bad_input.rs" "manifests_that_do_not_hold_are_refused_with_code_and_line"
    "an overlay that is not proven to narrow is refused":
        "cli/tests/lifecycle.rs" "an_overlay_narrows_or_is_refused"
    "a lock that is not current is refused with what changed":
        "cli/tests/bundles.rs" "drift_is_said_with_what_changed"
    "pinned versions of agents come from the runtime":
        "cli/tests/bundles.rs" "pinned_versions_come_from_the_runtime"
};

#[test]
fn they_are_there() {
    for (rule, file, text, test) in TESTS {
        let declared = format!("fn {test}(");
        assert!(text.contains(&declared), "{rule}: no {test} in {file}");
    }
}
