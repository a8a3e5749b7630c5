//! Command lines of `worker exec` that cannot be meant: refused before a runtime is dialled.

use std::process::{Command, Stdio};

fn refusal(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_ordain"))
        .args(["worker", "exec"])
        .args(arguments)
        .env("PATH", "/usr/bin:/bin")
        .env("NO_COLOR", "1")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(output.stdout.is_empty());
    text
}

#[test]
fn what_is_no_tool_is_a_usage_error() {
    for arguments in [&["nonsense"][..], &["nonsense", "--", "true"]] {
        let text = refusal(arguments);
        assert!(text.contains("nonsense"), "{text}");
        assert!(
            text.contains("write the tool and its exact version"),
            "{text}"
        );
    }
    assert!(refusal(&["a.b@1.0.0"]).contains("<PROGRAM>"));
}

#[test]
fn a_program_that_is_not_there_is_a_usage_error() {
    let text = refusal(&["a.b@1.0.0", "--", "no-such-program"]);
    assert!(
        text.contains("no program named `no-such-program`"),
        "{text}"
    );
    let text = refusal(&["a.b@1.0.0", "--", "/etc/passwd"]);
    assert!(text.contains("/etc/passwd is not executable"), "{text}");
    let text = refusal(&["a.b@1.0.0", "--env", "ORDAIN_CALL_ID=x", "--", "true"]);
    assert!(
        text.contains("ORDAIN_CALL_ID is set for each call"),
        "{text}"
    );
}
