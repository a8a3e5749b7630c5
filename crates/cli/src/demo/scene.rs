//! What happens on the stage: the journal is followed, the person decides, and at the second approval
//! the runtime is killed and comes back.

use proto::runtime::v1::{Approval, ApprovalDecision, DecideApprovalRequest};
use spec::Json;

use super::checks::{Crash, Decision, Ending};
use super::deadline::Deadline;
use super::person::{Answer, Person};
use super::stage::Stage;
use super::story::Story;
use crate::approvals;
use crate::connect::Runtime;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::follow::Follow;
use crate::progress::{Entry, Kind, Progress};

/// The session as it goes on.
#[derive(Debug)]
pub(super) struct Scene<'a> {
    story: &'a Story<'a>,
    person: &'a Person,
    runtime: Runtime,
    session: String,
    progress: Progress,
    /// The hash of each entry that was seen, in order.
    hashes: Vec<String>,
    decisions: Vec<Decision>,
    crash: Option<Crash>,
}

impl<'a> Scene<'a> {
    pub(super) fn new(
        story: &'a Story<'a>,
        person: &'a Person,
        runtime: Runtime,
        session: String,
    ) -> Self {
        Self {
            story,
            person,
            runtime,
            session,
            progress: Progress::default(),
            hashes: Vec::new(),
            decisions: Vec::new(),
            crash: None,
        }
    }

    /// Follows the session to its end.
    pub(super) async fn play(
        &mut self,
        stage: &mut Stage,
        deadline: &mut Deadline,
    ) -> Result<(), Failure> {
        let mut journal = Follow::new(&self.runtime, &self.session);
        loop {
            let next = deadline
                .within("hear from the session", journal.next())
                .await?;
            let Some(entry) = next else {
                return Ok(());
            };
            self.progress.take(&entry);
            self.hashes.push(entry.hash.clone());
            self.story.tell(&entry)?;
            if entry.kind == Kind::ApprovalRequired {
                self.approve(&entry, stage, deadline).await?;
            }
        }
    }

    async fn approve(
        &mut self,
        entry: &Entry,
        stage: &mut Stage,
        deadline: &mut Deadline,
    ) -> Result<(), Failure> {
        let id = entry.text("approval_id").to_owned();
        let answer = if self.decisions.is_empty() {
            self.person.decide(self.story, deadline).await?
        } else {
            if self.crash.is_none() {
                let crash = deadline.within("come back from the crash", self.crash(&id, stage));
                self.crash = Some(crash.await?);
            }
            Answer::Approve
        };
        let order = entry.payload.get("args").and_then(|it| it.get("order_id"));
        let order = order.and_then(Json::as_str).unwrap_or_default().to_owned();
        deadline
            .within("decide the approval", self.vote(&id, answer))
            .await?;
        self.decisions.push(Decision {
            approval: id,
            order,
            answer,
        });
        Ok(())
    }

    async fn vote(&self, id: &str, answer: Answer) -> Result<(), Failure> {
        let (decision, comment) = match answer {
            Answer::Approve => (ApprovalDecision::Approve, ""),
            Answer::Reject => (ApprovalDecision::Reject, "not without a receipt"),
        };
        let request = DecideApprovalRequest {
            approval_id: id.to_owned(),
            decision: decision.into(),
            comment: comment.to_owned(),
            actor: self.person.name.clone(),
            ..DecideApprovalRequest::default()
        };
        let answer = self.runtime.api().decide_approval(request).await;
        answer.map_err(self.runtime.failed("decide approval"))?;
        Ok(())
    }

    /// Kills the runtime while the approval waits, starts it again, and compares before and after.
    async fn crash(&mut self, id: &str, stage: &mut Stage) -> Result<Crash, Failure> {
        let story = self.story;
        story.heading("The lights go out while the approval waits")?;
        let before = approvals::fetch(&self.runtime, id).await?;
        stage.kill_runtime(story).await?;
        story.row(
            "",
            "then it is started again, on the same folder and the same port",
        )?;
        stage.start_runtime(story).await?;
        // The old connections are gone with the process.
        self.runtime = stage.client()?;
        let after = approvals::fetch(&self.runtime, id).await?;
        let hashes = self.read_again().await?;
        let crash = Crash {
            approval_pends: after.status == "pending",
            approval_is_same: is_same(&before, &after),
            journal_is_same: hashes == self.hashes,
            worker_lives: stage.worker_lives(),
        };
        story.row("approval", &format!("{id} is {}, as it was", after.status))?;
        let count = hashes.len();
        let verdict = if crash.journal_is_same {
            "each with its old hash"
        } else {
            "but they differ"
        };
        story.row(
            "journal",
            &format!("{count} entries were read again, {verdict}"),
        )?;
        story.row(
            "worker",
            "still running; it dials until the runtime answers",
        )?;
        story.row("person", "approves, at the runtime that came back")?;
        Ok(crash)
    }

    /// The hashes of as many entries as were seen before, read from the first on.
    async fn read_again(&self) -> Result<Vec<String>, Failure> {
        let mut journal = Follow::new(&self.runtime, &self.session);
        let mut hashes = Vec::new();
        while hashes.len() < self.hashes.len() {
            let Some(entry) = journal.next().await? else {
                return Err(Failure::new(Exit::Failed, "the session ended in the crash"));
            };
            hashes.push(entry.hash);
        }
        Ok(hashes)
    }

    pub(super) fn ending(self) -> Ending {
        Ending {
            progress: self.progress,
            decisions: self.decisions,
            crash: self.crash,
        }
    }
}

/// Whether the question is the same after the crash.
fn is_same(before: &Approval, after: &Approval) -> bool {
    let question = |it: &Approval| {
        (
            it.id.clone(),
            it.call_id.clone(),
            it.args.clone(),
            it.expires_at.clone(),
        )
    };
    question(before) == question(after)
}
