//! What the user is asked, and so what a typed line means. Knows messages and votes; neither the
//! terminal nor the clock. A line that was typed before its question was seen approves nothing.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

use super::lines::Line;

/// Nobody reads a question and answers it sooner: such a line was typed ahead.
const CONSIDERED_MIN: Duration = Duration::from_millis(500);

const MESSAGE: &str = "\n> ";
const APPROVE: &str = "approve? [y/N] ";

/// An approval that can be decided here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Question {
    pub(super) approval: String,
    pub(super) call: String,
    /// Approvals that are still missing.
    pub(super) missing: i32,
    /// Whether a vote has to acknowledge what it is about.
    pub(super) needs_comprehension: bool,
    /// The arguments that were shown, JSON; a vote says that it is about these.
    pub(super) args: Vec<u8>,
    /// What is asked, in lines.
    pub(super) text: String,
}

/// What to do before waiting.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Next {
    pub(super) show: Option<String>,
    pub(super) read: bool,
}

/// What a line means.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    Say(String),
    /// A blank line where a message was asked for.
    Blank,
    /// The end where a message was asked for.
    NoMore,
    /// Whether it is approved.
    Vote(Question, bool),
    /// The end where a vote was asked for.
    Left(Question),
    /// With the reason.
    Nothing(&'static str),
}

/// What is asked at the moment.
#[derive(Debug)]
pub(super) struct Asking {
    /// Whether there is a person to ask for votes.
    on_terminal: bool,
    /// The first one is asked now.
    questions: VecDeque<Question>,
    /// Since when the first question can be read.
    shown_at: Option<Instant>,
    /// Whether the text of the first question is above. Those behind it are not shown yet: a yes must
    /// not be for another one than was read last.
    is_introduced: bool,
    wants_message: bool,
    /// Whether the question for a message is shown.
    is_message_shown: bool,
    /// Whether nothing was printed after what is asked.
    is_visible: bool,
    is_reading: bool,
    /// Whether the line that is being read was asked for by a question that is gone.
    is_stale: bool,
}

impl Asking {
    pub(super) fn new(on_terminal: bool) -> Self {
        Self {
            on_terminal,
            questions: VecDeque::new(),
            shown_at: None,
            is_introduced: false,
            wants_message: false,
            is_message_shown: false,
            is_visible: false,
            is_reading: false,
            is_stale: false,
        }
    }

    pub(super) fn is_reading(&self) -> bool {
        self.is_reading
    }

    /// Whether somebody is asked to vote here.
    pub(super) fn has_question(&self) -> bool {
        !self.questions.is_empty()
    }

    /// A message is wanted. Nothing else is asked then: a turn that is over has no open question.
    pub(super) fn ask_for_message(&mut self) {
        self.drop_questions(|_| true);
        self.wants_message = true;
        self.is_message_shown = false;
    }

    /// Asks the question here; gives it back if it has to be decided elsewhere.
    pub(super) fn offer(&mut self, question: Question) -> Option<Question> {
        // Of an escalated approval only the new one can be decided.
        self.settle(&question.call);
        // A stream cannot acknowledge, so on one a vote would be refused.
        if !self.on_terminal || question.needs_comprehension {
            return Some(question);
        }
        self.questions.push_back(question);
        None
    }

    /// A call goes on, so nothing that was asked about it is asked any more.
    pub(super) fn settle(&mut self, call: &str) {
        self.drop_questions(|it| !call.is_empty() && it.call == call);
    }

    fn drop_questions(&mut self, is_gone: impl Fn(&Question) -> bool) {
        let was_asked = self.shown_at.is_some() && self.questions.front().is_some_and(&is_gone);
        self.questions.retain(|it| !is_gone(it));
        if was_asked {
            self.shown_at = None;
            self.is_introduced = false;
            self.is_visible = false;
            self.is_stale = self.is_reading;
        }
    }

    /// Something is printed; whether it goes to the line on which the user types.
    pub(super) fn interrupt(&mut self) -> bool {
        std::mem::take(&mut self.is_visible) && self.on_terminal
    }

    pub(super) fn next(&mut self, now: Instant) -> Next {
        let show = if let Some(question) = self.questions.front() {
            self.shown_at.get_or_insert(now);
            let is_new = !std::mem::replace(&mut self.is_introduced, true);
            let text = if is_new { question.text.as_str() } else { "" };
            (!self.is_visible).then(|| format!("{text}{APPROVE}"))
        } else {
            let is_new = self.wants_message && !self.is_message_shown;
            self.is_message_shown |= is_new;
            is_new.then(|| MESSAGE.to_owned())
        };
        self.is_visible |= show.is_some();
        let wants = self.wants_message || !self.questions.is_empty();
        let read = wants && !self.is_reading;
        self.is_reading |= read;
        Next { show, read }
    }

    pub(super) fn take(&mut self, line: Line, now: Instant) -> Meaning {
        self.is_reading = false;
        self.is_visible = false;
        let is_stale = std::mem::take(&mut self.is_stale);
        if let Some(shown_at) = self.shown_at {
            if is_stale {
                self.shown_at = None;
                return Meaning::Nothing("the question before this one was decided elsewhere");
            }
            return self.answer(line, now.saturating_duration_since(shown_at));
        }
        let is_late = is_stale && matches!(&line, Line::Text(text) if vote(text).is_some());
        if !self.wants_message || is_late {
            self.is_message_shown = false;
            return Meaning::Nothing("nothing waits for this answer any more");
        }
        self.wants_message = false;
        match line {
            Line::End => {
                // Votes go the same way as messages.
                self.on_terminal = false;
                Meaning::NoMore
            }
            Line::Text(text) if text.trim().is_empty() => Meaning::Blank,
            Line::Text(text) => Meaning::Say(text),
        }
    }

    /// What a line means for the question that was shown for so long.
    fn answer(&mut self, line: Line, considered: Duration) -> Meaning {
        self.is_message_shown = false;
        self.shown_at = None;
        match line {
            Line::Text(_) if considered < CONSIDERED_MIN => {
                Meaning::Nothing("this was typed before the question")
            }
            Line::Text(text) => match vote(&text) {
                Some(approved) => self.pop(|it| Meaning::Vote(it, approved)),
                None => Meaning::Nothing("please answer y or n"),
            },
            Line::End => self.pop(Meaning::Left),
        }
    }

    fn pop(&mut self, meaning: impl FnOnce(Question) -> Meaning) -> Meaning {
        let question = self.questions.pop_front();
        self.is_introduced = false;
        question.map_or(Meaning::Nothing("nothing is asked"), meaning)
    }
}

/// Nothing but a clear yes approves; what is neither yes nor no says nothing.
fn vote(line: &str) -> Option<bool> {
    match line.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" => Some(true),
        "" | "n" | "no" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::Instant;

    use super::{APPROVE, Asking, Line, MESSAGE, Meaning, Next, Question};

    fn question(approval: &str) -> Question {
        Question {
            approval: approval.to_owned(),
            call: format!("call of {approval}"),
            missing: 1,
            needs_comprehension: false,
            args: b"{}".to_vec(),
            text: format!("about {approval}\n"),
        }
    }

    fn text(text: &str) -> Line {
        Line::Text(text.to_owned())
    }

    fn shows(text: &str, read: bool) -> Next {
        Next {
            show: Some(text.to_owned()),
            read,
        }
    }

    const SILENT: Next = Next {
        show: None,
        read: false,
    };

    /// A clock for tests: so many seconds after its start.
    fn clock() -> impl Fn(u64) -> Instant {
        let start = Instant::now();
        move |seconds| start.checked_add(Duration::from_secs(seconds)).unwrap()
    }

    #[test]
    fn a_message_is_asked_for_once() {
        let at = clock();
        let mut asking = Asking::new(false);
        assert_eq!(asking.next(at(0)), SILENT);
        asking.ask_for_message();
        assert_eq!(asking.next(at(0)), shows(MESSAGE, true));
        assert_eq!(asking.next(at(0)), SILENT);
        // Somebody else spoke: the turn that came of it ends, and the line is still being read.
        asking.ask_for_message();
        assert_eq!(asking.next(at(0)), shows(MESSAGE, false));
        assert_eq!(
            asking.take(text("hello"), at(0)),
            Meaning::Say("hello".to_owned())
        );
        assert_eq!(asking.next(at(0)), SILENT);
        asking.ask_for_message();
        assert_eq!(asking.take(text(" \t"), at(0)), Meaning::Blank);
        asking.ask_for_message();
        assert_eq!(asking.take(Line::End, at(0)), Meaning::NoMore);
    }

    #[test]
    fn without_a_terminal_nobody_is_asked_to_vote() {
        let mut asking = Asking::new(false);
        assert_eq!(asking.offer(question("a")), Some(question("a")));
        assert_eq!(asking.next(clock()(0)), SILENT);
        // Nor where a vote needs more than the stream can say.
        let mut asking = Asking::new(true);
        let acknowledged = Question {
            needs_comprehension: true,
            ..question("a")
        };
        assert!(asking.offer(acknowledged).is_some());
    }

    #[test]
    fn only_a_clear_yes_approves() {
        let at = clock();
        for (line, approved) in [
            ("y", true),
            (" YES ", true),
            ("n", false),
            ("", false),
            ("no", false),
        ] {
            let mut asking = Asking::new(true);
            assert_eq!(asking.offer(question("a")), None);
            assert_eq!(asking.next(at(0)), shows("about a\napprove? [y/N] ", true));
            let meaning = asking.take(text(line), at(1));
            assert_eq!(meaning, Meaning::Vote(question("a"), approved), "{line}");
        }
        let mut asking = Asking::new(true);
        asking.offer(question("a"));
        asking.next(at(0));
        assert!(matches!(
            asking.take(text("yep"), at(1)),
            Meaning::Nothing(_)
        ));
        assert_eq!(asking.next(at(1)), shows(APPROVE, true));
        assert_eq!(asking.take(Line::End, at(2)), Meaning::Left(question("a")));
    }

    #[test]
    fn what_was_typed_ahead_approves_nothing() {
        let at = clock();
        let mut asking = Asking::new(true);
        asking.offer(question("a"));
        asking.next(at(1));
        assert!(matches!(asking.take(text("y"), at(1)), Meaning::Nothing(_)));
        // Nor does a second such line.
        asking.next(at(2));
        assert!(matches!(asking.take(text("y"), at(2)), Meaning::Nothing(_)));
        asking.next(at(2));
        assert_eq!(
            asking.take(text("y"), at(3)),
            Meaning::Vote(question("a"), true)
        );
    }

    #[test]
    fn an_answer_is_for_the_question_that_was_shown() {
        let at = clock();
        let mut asking = Asking::new(true);
        asking.offer(question("a"));
        asking.offer(question("b"));
        asking.next(at(0));
        // Decided elsewhere, while the user is about to answer.
        asking.settle("call of a");
        assert_eq!(asking.next(at(5)), shows("about b\napprove? [y/N] ", false));
        assert!(matches!(asking.take(text("y"), at(8)), Meaning::Nothing(_)));
        assert_eq!(asking.next(at(8)), shows(APPROVE, true));
        assert_eq!(
            asking.take(text("y"), at(9)),
            Meaning::Vote(question("b"), true)
        );
    }

    #[test]
    fn a_late_answer_is_no_message() {
        let at = clock();
        let mut asking = Asking::new(true);
        asking.offer(question("a"));
        asking.next(at(0));
        asking.ask_for_message();
        assert_eq!(asking.next(at(1)), shows(MESSAGE, false));
        assert!(matches!(asking.take(text(""), at(2)), Meaning::Nothing(_)));
        assert_eq!(asking.next(at(2)), shows(MESSAGE, true));
        assert_eq!(asking.take(text("y"), at(3)), Meaning::Say("y".to_owned()));
    }

    #[test]
    fn an_escalated_approval_is_asked_anew() {
        let at = clock();
        let mut asking = Asking::new(true);
        let old = question("a");
        let new = Question {
            approval: "b".to_owned(),
            ..old.clone()
        };
        asking.offer(old);
        asking.next(at(0));
        asking.offer(new.clone());
        asking.next(at(1));
        assert!(matches!(asking.take(text("y"), at(2)), Meaning::Nothing(_)));
        asking.next(at(2));
        assert_eq!(asking.take(text("y"), at(3)), Meaning::Vote(new, true));
    }

    #[test]
    fn a_question_is_shown_again_below_what_interrupts_it() {
        let at = clock();
        let mut asking = Asking::new(true);
        asking.offer(question("a"));
        asking.next(at(0));
        assert!(asking.interrupt());
        assert!(!asking.interrupt());
        assert_eq!(asking.next(at(1)), shows(APPROVE, false));
        assert_eq!(
            asking.take(text("y"), at(1)),
            Meaning::Vote(question("a"), true)
        );
    }
}
