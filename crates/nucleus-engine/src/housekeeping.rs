//! What is kept: listed and deleted, whatever else goes on.

use nucleus_session::{Report, Request};

use crate::inbox::Inbox;
use crate::mailbox::Outbox;
use crate::store::Store;

/// Whether a request is one about what is kept.
fn is_ours(request: &Request) -> bool {
    matches!(request, Request::ListKept | Request::DeleteKept { .. })
}

/// Answers the requests about what is kept that wait, although others came before them.
pub(crate) async fn answer_waiting(inbox: &Inbox, outbox: &Outbox) {
    while let Some(request) = inbox.take(is_ours) {
        answer(&request, outbox).await;
    }
}

/// Answers a request about what is kept. A model that is being loaded is not deleted: the list says that it is there.
pub(crate) async fn answer(request: &Request, outbox: &Outbox) {
    let kept = match Store::open().await {
        Err(_) => Vec::new(),
        Ok(store) => {
            if let Request::DeleteKept { source } = request {
                let _ = store.delete(source).await;
            }
            store.list().await
        }
    };
    outbox.send(Report::Kept(kept));
}
