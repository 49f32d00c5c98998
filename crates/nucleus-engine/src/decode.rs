//! One strategy at work, reported step by step.

use core::ops::ControlFlow;

use nucleus_decode::{
    self as decode, BatchError, BatchPlan, BeamError, BeamOutcome, BeamPlan, BeamStop, BeamWidth, DecodeError,
    EarlyStopping, LengthPenalty, Outcome, PastContext, Plan, Rows, SampleStep, Script, SlotsPlan, StopReason,
    beam_search, generate, generate_batch, generate_slots, sample_many,
};
use nucleus_gpt2::ModelError;
use nucleus_sampler::TokenId;
use nucleus_session::{DecodeRequest, Failure, Progress, Report, SlotRequest, Strategy};

use crate::clock::{self, Breath};
use crate::inbox::Inbox;
use crate::load::Loaded;
use crate::mailbox::Outbox;
use crate::run::{failure as run_failure, model_failure};

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
        let encode = |text| loaded.encode(text, self.request.special_tokens);
        let prompts = texts.into_iter().map(encode).collect::<Result<Vec<_>, _>>()?;
        self.tell(Progress::Prompts(prompts.clone()));
        if matches!(self.request.strategy, Strategy::Slots { .. } | Strategy::Beam { .. }) {
            has_room(&prompts, loaded.info.n_ctx)?;
        }
        match &self.request.strategy {
            Strategy::Batch { .. } => self.batch(prompts, loaded).await,
            Strategy::Slots { slots, requests } => self.slots(*slots, requests, prompts, loaded).await,
            Strategy::Beam { width, length_penalty, results, .. } => {
                self.beam([*width, *results], *length_penalty, one(prompts), loaded).await
            }
            Strategy::Vote { samples, .. } => self.vote(*samples, one(prompts), loaded).await,
        }
    }

    async fn batch(&self, prompts: Vec<Vec<TokenId>>, loaded: &mut Loaded) -> Result<bool, Failure> {
        let plan = BatchPlan {
            prompts,
            settings: self.request.settings,
            seed: self.request.seed,
            max_new_tokens: self.request.new_tokens as usize,
            end_of_text: loaded.info.end_of_text,
            pad: loaded.info.end_of_text.unwrap_or(TokenId(0)),
            n_tokenizer: loaded.tokenizer.n_vocab(),
        };
        let started = clock::now();
        let told = generate_batch(&mut loaded.model, &plan, async |step| self.pass(Progress::Batch(step)).await).await;
        let together_ms = clock::now() - started;
        if self.ended(loaded, told)? {
            return Ok(true);
        }
        // Where a token takes long, nobody would wait for each text a second time.
        let mut alone_ms = None;
        if !loaded.slow {
            let started = clock::now();
            if self.alone(&plan, loaded).await? {
                return Ok(true);
            }
            alone_ms = Some(clock::now() - started);
        }
        self.tell(Progress::Took { together_ms, alone_ms });
        Ok(false)
    }

    /// Runs each prompt of a batch by itself, with the stream that its row has drawn from. Whether it was told to end.
    async fn alone(&self, batch: &BatchPlan, loaded: &mut Loaded) -> Result<bool, Failure> {
        for (row, prompt) in batch.prompts.iter().enumerate() {
            let plan =
                Plan { stream: Some(row as u32), past_context: PastContext::Stop, ..self.plan(prompt.clone(), loaded) };
            let pass = async |_| {
                self.breath.take().await;
                let is_ended = self.inbox.ends(self.request.run);
                if is_ended { ControlFlow::Break(StopReason::User) } else { ControlFlow::Continue(()) }
            };
            let outcome = generate(&mut loaded.model, &plan, pass).await.map_err(run_failure)?;
            if outcome.reason == StopReason::User {
                return Ok(true);
            }
            self.tell(Progress::Alone { row, tokens: outcome.tokens });
        }
        Ok(false)
    }

    /// A run of one prompt with the settings of the request.
    fn plan(&self, prompt: Vec<TokenId>, loaded: &Loaded) -> Plan {
        Plan {
            prompt,
            settings: self.request.settings,
            seed: self.request.seed,
            stream: None,
            script: Script::default(),
            max_new_tokens: self.request.new_tokens as usize,
            end_of_text: loaded.info.end_of_text,
            n_tokenizer: loaded.tokenizer.n_vocab(),
            past_context: PastContext::Slide,
        }
    }

    async fn slots(
        &self,
        slots: usize,
        requests: &[SlotRequest],
        prompts: Vec<Vec<TokenId>>,
        loaded: &mut Loaded,
    ) -> Result<bool, Failure> {
        let request = |(request, prompt): (&SlotRequest, _)| decode::Request {
            prompt,
            max_new_tokens: request.new_tokens,
            arrives_at: request.arrives_at,
        };
        let plan = SlotsPlan {
            slots,
            requests: requests.iter().zip(prompts).map(request).collect(),
            settings: self.request.settings,
            seed: self.request.seed,
            end_of_text: loaded.info.end_of_text,
            n_tokenizer: loaded.tokenizer.n_vocab(),
        };
        let told = generate_slots(&mut loaded.model, &plan, async |step| self.pass(Progress::Slots(step)).await).await;
        self.ended(loaded, told)
    }

    async fn beam(
        &self,
        [width, n_results]: [usize; 2],
        length_penalty: f64,
        prompt: Vec<TokenId>,
        loaded: &mut Loaded,
    ) -> Result<bool, Failure> {
        let refused = |error: BeamError| Failure::Model { message: error.to_string() };
        let plan = BeamPlan {
            prompt,
            width: BeamWidth::new(width).map_err(refused)?,
            length_penalty: LengthPenalty::new(length_penalty).map_err(refused)?,
            early_stopping: EarlyStopping::Exact,
            n_results,
            max_new_tokens: self.request.new_tokens as usize,
            end_of_text: loaded.info.end_of_text,
            n_tokenizer: loaded.tokenizer.n_vocab(),
        };
        let found = beam_search(&mut loaded.model, &plan, async |step| self.pass(Progress::Beam(step)).await).await;
        let closed = loaded.model.open_rows(1);
        let BeamOutcome { stop, results, greedy, .. } = found.map_err(run_failure)?;
        closed.map_err(|error| model_failure(&error))?;
        self.tell(Progress::Found { stop, results, greedy });
        Ok(stop == BeamStop::User)
    }

    async fn vote(&self, samples: usize, prompt: Vec<TokenId>, loaded: &mut Loaded) -> Result<bool, Failure> {
        let plan = self.plan(prompt, loaded);
        let tell = async |SampleStep { sample, step }| {
            let (token, log_probability) = (step.trace.token, step.trace.log_probability);
            self.pass(Progress::Sampled { sample, token, log_probability }).await
        };
        let outcomes = sample_many(&mut loaded.model, &plan, samples as u32, tell).await.map_err(run_failure)?;
        Ok(self.tell_ends(outcomes))
    }

    /// Gives the memory of the rows back, and tells how each of them ended.
    fn ended(&self, loaded: &mut Loaded, told: Result<Vec<Outcome>, BatchError<ModelError>>) -> Result<bool, Failure> {
        let closed = loaded.model.open_rows(1);
        let outcomes = told.map_err(batch_failure)?;
        closed.map_err(|error| model_failure(&error))?;
        Ok(self.tell_ends(outcomes))
    }

    /// Tells why each text ended, and says whether it was because it was told to.
    fn tell_ends(&self, outcomes: Vec<Outcome>) -> bool {
        let reasons: Vec<StopReason> = outcomes.into_iter().map(|outcome| outcome.reason).collect();
        let stopped = reasons.contains(&StopReason::User);
        self.tell(Progress::Ended(reasons));
        stopped
    }

    /// Tells of a step, lets messages in, and says whether to go on.
    async fn pass(&self, progress: Progress) -> ControlFlow<()> {
        self.tell(progress);
        self.breath.take().await;
        if self.inbox.ends(self.request.run) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn tell(&self, progress: Progress) {
        self.outbox.send(Report::Progress { run: self.request.run, progress });
    }
}

/// Checks that each prompt leaves room for a new token: where no window slides, nothing would come of it.
fn has_room(prompts: &[Vec<TokenId>], n_ctx: usize) -> Result<(), Failure> {
    match prompts.iter().enumerate().find(|(_, prompt)| prompt.len() >= n_ctx) {
        None => Ok(()),
        Some((i, prompt)) => Err(Failure::Model {
            message: format!(
                "prompt {} has {} tokens, but at most {} leave room for a new one in the model\u{2019}s context of {n_ctx}: \
                 shorten it",
                i + 1,
                prompt.len(),
                n_ctx - 1,
            ),
        }),
    }
}

/// The only prompt of a strategy that has one.
fn one(mut prompts: Vec<Vec<TokenId>>) -> Vec<TokenId> {
    prompts.pop().unwrap_or_default()
}

/// What the page hears of several rows that failed.
fn batch_failure(error: BatchError<ModelError>) -> Failure {
    match error {
        BatchError::Model(error) => model_failure(&error),
        BatchError::Row { source: DecodeError::Model(error), .. }
        | BatchError::Request { source: DecodeError::Model(error), .. } => model_failure(&error),
        other => Failure::Model { message: other.to_string() },
    }
}
