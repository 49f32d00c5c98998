//! How far a loading is, and what may end it.

use std::future::Future;

use nucleus_session::{Loading, Report};

use crate::clock;
use crate::halt::Halt;
use crate::inbox::Inbox;
use crate::mailbox::Outbox;

/// Between two reports, milliseconds: ten a second are enough to see it move.
const PROGRESS_MS: f64 = 100.0;

/// Tells the page how far the weights are.
pub(crate) struct Progress<'a> {
    pub(crate) inbox: &'a Inbox,
    outbox: &'a Outbox,
    /// Whether what comes is kept, so that a lost connection loses little.
    pub(crate) keeps: bool,
    /// Bytes that came, bytes in all, and bytes of those over the network; `None` before the weights themselves come.
    counts: Option<[u64; 3]>,
    told: f64,
}

impl<'a> Progress<'a> {
    pub(crate) fn new(inbox: &'a Inbox, outbox: &'a Outbox) -> Self {
        Self { inbox, outbox, keeps: false, counts: None, told: f64::NEG_INFINITY }
    }

    /// From now on `total` bytes come, `fetched` of them over the network.
    pub(crate) fn start(&mut self, total: u64, fetched: u64) {
        self.counts = Some([0, total, fetched]);
        self.say();
    }

    /// So many more bytes are there.
    pub(crate) fn came(&mut self, bytes: u64) {
        let Some([done, total, _]) = &mut self.counts else { return };
        *done += bytes;
        if done == total || clock::now() - self.told >= PROGRESS_MS {
            self.say();
        }
    }

    /// The connection broke; this is a new attempt, counted from 1.
    pub(crate) fn reconnecting(&self, attempt: u32) {
        let [done, total, _] = self.counts.unwrap_or_default();
        self.outbox.send(Report::Loading(Loading::Reconnecting { done, total, attempt }));
    }

    /// The file changed on the server: what came of it is worth nothing.
    pub(crate) fn starting_over(&mut self) {
        let [dropped, total, _] = self.counts.take().unwrap_or_default();
        self.outbox.send(Report::Loading(Loading::StartingOver { dropped, total }));
    }

    /// Waits for `job`, but not for longer than `milliseconds`: then `None`.
    ///
    /// # Errors
    /// [`Halt::Superseded`] when the inbox ends loading.
    pub(crate) async fn patient<T>(&self, job: impl Future<Output = T>, milliseconds: i32) -> Result<Option<T>, Halt> {
        self.inbox.patient(job, milliseconds).await
    }

    fn say(&mut self) {
        if let Some([done, total, fetched]) = self.counts {
            self.told = clock::now();
            self.outbox.send(Report::Loading(Loading::Weights { done, total, fetched }));
        }
    }
}
