//! How long the whole demo may take. A person's thinking does not count.

use std::time::Duration;

use tokio::time::Instant;

use crate::exit::Exit;
use crate::failure::Failure;

const WHOLE: Duration = Duration::from_secs(60);

/// When the demo gives up.
#[derive(Debug)]
pub(super) struct Deadline {
    until: Instant,
}

impl Deadline {
    pub(super) fn new() -> Self {
        let now = Instant::now();
        Self {
            until: now.checked_add(WHOLE).unwrap_or(now),
        }
    }

    /// What `step` gives, unless the time is up first.
    pub(super) async fn within<T>(
        &self,
        what: &str,
        step: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        tokio::time::timeout_at(self.until, step)
            .await
            .unwrap_or_else(|_elapsed| {
                let seconds = WHOLE.as_secs();
                let message = format!("the demo took more than {seconds} s; it wanted to {what}");
                Err(Failure::new(Exit::LimitReached, message))
            })
    }

    /// Puts the end off by what has passed since `start`.
    pub(super) fn exclude_since(&mut self, start: Instant) {
        let later = self.until.checked_add(start.elapsed());
        self.until = later.unwrap_or(self.until);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::{Instant, advance};

    use super::Deadline;
    use crate::exit::Exit;

    #[tokio::test(start_paused = true)]
    async fn only_the_demos_own_time_counts() {
        let mut deadline = Deadline::new();
        let start = Instant::now();
        advance(Duration::from_secs(300)).await;
        deadline.exclude_since(start);
        assert_eq!(deadline.within("go on", async { Ok(1) }).await.unwrap(), 1);
        let late = deadline
            .within::<()>("go on", std::future::pending())
            .await
            .unwrap_err();
        assert_eq!(late.exit, Exit::LimitReached);
        assert!(late.message.ends_with("it wanted to go on"));
    }
}
