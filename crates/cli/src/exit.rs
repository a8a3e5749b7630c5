//! What the process answers to the shell. Knows the numbers and their meaning; not what leads to them.

use std::fmt::Write as _;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    Done,
    Failed,
    Usage,
    Invalid,
    Unauthorized,
    NotFound,
    Conflict,
    Denied,
    AwaitsPerson,
    Indeterminate,
    LimitReached,
    Unreachable,
    Interrupted,
}

impl Exit {
    pub(crate) const ALL: [Exit; 13] = [
        Exit::Done,
        Exit::Failed,
        Exit::Usage,
        Exit::Invalid,
        Exit::Unauthorized,
        Exit::NotFound,
        Exit::Conflict,
        Exit::Denied,
        Exit::AwaitsPerson,
        Exit::Indeterminate,
        Exit::LimitReached,
        Exit::Unreachable,
        Exit::Interrupted,
    ];

    pub(crate) fn code(self) -> u8 {
        match self {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::Invalid => 3,
            Exit::Unauthorized => 4,
            Exit::NotFound => 5,
            Exit::Conflict => 6,
            Exit::Denied => 7,
            Exit::AwaitsPerson => 8,
            Exit::Indeterminate => 9,
            Exit::LimitReached => 10,
            Exit::Unreachable => 11,
            Exit::Interrupted => 130,
        }
    }

    /// A stable word for output that programs read.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Exit::Done => "done",
            Exit::Failed => "failed",
            Exit::Usage => "usage",
            Exit::Invalid => "invalid",
            Exit::Unauthorized => "unauthorized",
            Exit::NotFound => "not_found",
            Exit::Conflict => "conflict",
            Exit::Denied => "denied",
            Exit::AwaitsPerson => "awaits_person",
            Exit::Indeterminate => "indeterminate",
            Exit::LimitReached => "limit_reached",
            Exit::Unreachable => "unreachable",
            Exit::Interrupted => "interrupted",
        }
    }

    fn meaning(self) -> &'static str {
        match self {
            Exit::Done => "done",
            Exit::Failed => "failed",
            Exit::Usage => "the command line is wrong",
            Exit::Invalid => "the documents are invalid",
            Exit::Unauthorized => "not authenticated, or not allowed",
            Exit::NotFound => "not found",
            Exit::Conflict => "already exists, or its state does not allow it",
            Exit::Denied => "a policy denied every call that the run needed",
            Exit::AwaitsPerson => "waits for a person, or a person rejected it",
            Exit::Indeterminate => "whether a call ran is not known",
            Exit::LimitReached => "timed out, or reached a limit",
            Exit::Unreachable => "the runtime cannot be reached",
            Exit::Interrupted => "interrupted",
        }
    }
}

/// The list that `help exit-codes` shows.
pub(crate) fn table() -> String {
    let mut text = String::from("Exit codes:\n");
    for exit in Exit::ALL {
        // Writing into a string cannot fail.
        let _infallible = writeln!(text, "  {:>3}  {}", exit.code(), exit.meaning());
    }
    text
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::table;

    #[test]
    fn the_documented_codes() {
        expect![[r#"
            Exit codes:
                0  done
                1  failed
                2  the command line is wrong
                3  the documents are invalid
                4  not authenticated, or not allowed
                5  not found
                6  already exists, or its state does not allow it
                7  a policy denied every call that the run needed
                8  waits for a person, or a person rejected it
                9  whether a call ran is not known
               10  timed out, or reached a limit
               11  the runtime cannot be reached
              130  interrupted
        "#]]
        .assert_eq(&table());
    }
}
