//! One strategy at work, reported step by step.

use nucleus_sampler::TokenId;
use nucleus_session::{DecodeRequest, Failure, Progress, Report, RunId, Strategy};
use nucleus_tokenizer::SpecialTokens;

use crate::clock::{self, Breath};
use crate::inbox::Inbox;
use crate::load::Loaded;
use crate::mailbox::Outbox;

/// A strategy that reports to the page, and ends when the inbox says so.
pub(crate) struct Work<'a> {
    pub(crate) inbox: &'a Inbox,
    pub(crate) outbox: &'a Outbox,
    pub(crate) breath: &'a Breath,
    pub(crate) request: &'a DecodeRequest,
}

impl Work<'_> {
    /// Does what is asked, and reports how it ended.
    pub(crate) async fn go(&self, loaded: Option<&mut Loaded>) {
        let started = clock::now();
        let run = self.request.run;
        let end = match loaded {
            None => Err(Failure::NoModel),
            Some(loaded) => self.decode(loaded).await,
        };
        self.outbox.send(match end {
            Ok(stopped) => Report::Done { run, stopped, elapsed_ms: clock::now() - started },
            Err(failure) => Report::Failed { run: Some(run), failure },
        });
    }

    /// Whether the work ended because it was told to.
    async fn decode(&self, loaded: &mut Loaded) -> Result<bool, Failure> {
        let texts: Vec<&str> = match &self.request.strategy {
            Strategy::Batch { prompts } => prompts.iter().map(String::as_str).collect(),
            Strategy::Slots { requests, .. } => requests.iter().map(|request| request.prompt.as_str()).collect(),
            Strategy::Beam { prompt, .. } | Strategy::Vote { prompt, .. } => vec![prompt],
        };
        let prompts = texts.into_iter().map(|text| self.encode(text, loaded)).collect::<Result<Vec<_>, _>>()?;
        self.tell(Progress::Prompts(prompts));
        self.breath.take().await;
        Ok(self.is_ended(self.request.run))
    }

    fn encode(&self, text: &str, loaded: &Loaded) -> Result<Vec<TokenId>, Failure> {
        let special = if self.request.special_tokens { SpecialTokens::Parsed } else { SpecialTokens::AsText };
        let ids = loaded.tokenizer.encode(text, special);
        let ids = ids.map_err(|error| Failure::Model { message: error.to_string() })?;
        if ids.is_empty() { Err(Failure::EmptyPrompt) } else { Ok(ids.into_iter().map(TokenId).collect()) }
    }

    fn tell(&self, progress: Progress) {
        self.outbox.send(Report::Progress { run: self.request.run, progress });
    }

    fn is_ended(&self, run: RunId) -> bool {
        self.inbox.ends(run)
    }
}
