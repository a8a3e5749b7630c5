//! A script of the stub provider that is not of the form that it plays.
//!
//! `{"turns": [[event, ...], ...]}`, one inner list for each completion. Events: `text_delta` with
//! `text`, `tool_call` with `name` and `args`, `completed` with `stop_reason` and `usage`, `failed`
//! with `error`, `delay` with `ms`.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0703");

pub(crate) fn malformed(at: &Location, why: &str) -> Diagnostic {
    at.error(CODE, format!("not a script for the stub provider: {why}"))
        .with_help(
            "write `{\"turns\": [[event, ...], ...]}`; `ordain explain E0703` lists the events",
        )
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn no_turns() {
        let bundle = sample().file("stub-script.json", "[]");
        bundle.check(expect![[r#"
            error[E0703]: not a script for the stub provider: it is an object with the one member `turns`, a list of lists
             --> stub-script.json:1:1
              |
            1 | []
              | ^^
              |
              = help: write `{"turns": [[event, ...], ...]}`; `ordain explain E0703` lists the events

        "#]]);
    }

    #[test]
    fn events() {
        let bundle = sample().file("stub-script.json", r#"{"turns": [[{"type": "say"}, {"type": "tool_call", "args": {}}], {}, [{"type": "delay", "ms": -1}, {"type": "failed", "text": ""}]]}"#);
        bundle.check(expect![[r#"
            error[E0703]: not a script for the stub provider: an event is an object whose `type` is text_delta, tool_call, completed, failed or delay
             --> stub-script.json:1:13
              |
            1 | {"turns": [[{"type": "say"}, {"type": "tool_call", "args": {}}], {}, [{"type": "delay", "ms": -1}, {"type": "failed", "text": ""}]]}
              |             ^^^^^^^^^^^^^^^ turns[0][0]
              |
              = help: write `{"turns": [[event, ...], ...]}`; `ordain explain E0703` lists the events

            error[E0703]: not a script for the stub provider: a `tool_call` needs `name`
             --> stub-script.json:1:30
              |
            1 | {"turns": [[{"type": "say"}, {"type": "tool_call", "args": {}}], {}, [{"type": "delay", "ms": -1}, {"type": "failed", "text": ""}]]}
              |                              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ turns[0][1]
              |
              = help: write `{"turns": [[event, ...], ...]}`; `ordain explain E0703` lists the events

            error[E0703]: not a script for the stub provider: a turn is a list of events
             --> stub-script.json:1:66
              |
            1 | {"turns": [[{"type": "say"}, {"type": "tool_call", "args": {}}], {}, [{"type": "delay", "ms": -1}, {"type": "failed", "text": ""}]]}
              |                                                                  ^^ turns[1]
              |
              = help: write `{"turns": [[event, ...], ...]}`; `ordain explain E0703` lists the events

            error[E0703]: not a script for the stub provider: `ms` of a `delay` is a whole number from 0 on
             --> stub-script.json:1:71
              |
            1 | {"turns": [[{"type": "say"}, {"type": "tool_call", "args": {}}], {}, [{"type": "delay", "ms": -1}, {"type": "failed", "text": ""}]]}
              |                                                                       ^^^^^^^^^^^^^^^^^^^^^^^^^^^ turns[2][0]
              |
              = help: write `{"turns": [[event, ...], ...]}`; `ordain explain E0703` lists the events

            error[E0703]: not a script for the stub provider: a `failed` has no `text`
             --> stub-script.json:1:100
              |
            1 | {"turns": [[{"type": "say"}, {"type": "tool_call", "args": {}}], {}, [{"type": "delay", "ms": -1}, {"type": "failed", "text": ""}]]}
              |                                                                                                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ turns[2][1]
              |
              = help: write `{"turns": [[event, ...], ...]}`; `ordain explain E0703` lists the events

        "#]]);
    }
}
