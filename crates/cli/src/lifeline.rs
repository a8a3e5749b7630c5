//! Ties a child process to the one that started it: the parent holds the other end of its stdin, and
//! not even a killed parent leaves it open.

use std::io::{self, Read as _};

use tokio::sync::oneshot;

/// Ends when stdin does.
pub(crate) async fn cut() {
    let (held, cut) = oneshot::channel::<()>();
    // Reading blocks, and a thread of the async runtime would keep the process from ending.
    std::thread::spawn(move || {
        let mut buffer = [0; 256];
        let mut stdin = io::stdin().lock();
        while stdin.read(&mut buffer).is_ok_and(|bytes| bytes > 0) {}
        drop(held);
    });
    // The sender sends nothing; that it is gone is the news.
    let _gone = cut.await;
}
