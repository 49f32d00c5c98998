//! A model whose logits are a function of the ids it sees, and that writes down what it is asked.

mod rows;

use std::future::poll_fn;
use std::ops::ControlFlow;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use nucleus_decode::{DecodeError, LanguageModel, Outcome, PastContext, Plan, Step, StopReason, generate};
use nucleus_sampler::{Settings, Temperature, TokenId, log_softmax_at};

pub const N_VOCAB: usize = 12;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    Prefill(Vec<TokenId>),
    Step(TokenId),
    OpenRows(usize),
    PrefillRow(usize, Vec<TokenId>),
    StepRows(Vec<(usize, TokenId)>),
    ReorderRows(Vec<usize>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the device was lost")]
pub struct DeviceLost;

type Logits = dyn Fn(&[TokenId]) -> Vec<f32>;

pub struct Canned {
    n_ctx: usize,
    logits: Box<Logits>,
    /// What each row has read: one row or more.
    rows: Vec<Vec<TokenId>>,
    pub calls: Vec<Call>,
    fails_at_call: Option<usize>,
}

impl Canned {
    /// A model with `N_VOCAB` columns; `logits` sees the ids that a row has read.
    pub fn new(n_ctx: usize, logits: impl Fn(&[TokenId]) -> Vec<f32> + 'static) -> Self {
        Self { n_ctx, logits: Box::new(logits), rows: vec![Vec::new()], calls: Vec::new(), fails_at_call: None }
    }

    /// The call with this index is answered by an error; a reordering, which cannot fail, is a call like any other.
    pub fn failing_at_call(self, index: usize) -> Self {
        Self { fails_at_call: Some(index), ..self }
    }

    fn note(&mut self, call: Call) -> Result<(), DeviceLost> {
        self.calls.push(call);
        if self.fails_at_call == Some(self.calls.len() - 1) { Err(DeviceLost) } else { Ok(()) }
    }

    async fn answer(&mut self, call: Call) -> Result<Vec<f32>, DeviceLost> {
        pause().await;
        self.note(call)?;
        Ok((self.logits)(&self.rows[0]))
    }
}

impl LanguageModel for Canned {
    type Error = DeviceLost;

    fn n_vocab(&self) -> usize {
        N_VOCAB
    }

    fn n_ctx(&self) -> usize {
        self.n_ctx
    }

    async fn prefill(&mut self, ids: &[TokenId]) -> Result<Vec<f32>, DeviceLost> {
        assert!((1..=self.n_ctx).contains(&ids.len()), "a prefill of {} ids", ids.len());
        self.rows[0] = ids.to_vec();
        self.answer(Call::Prefill(ids.to_vec())).await
    }

    async fn step(&mut self, id: TokenId) -> Result<Vec<f32>, DeviceLost> {
        assert!((1..self.n_ctx).contains(&self.rows[0].len()), "a step after {} ids", self.rows[0].len());
        self.rows[0].push(id);
        self.answer(Call::Step(id)).await
    }

    fn rewind(&mut self, len: usize) {
        assert!((1..=self.rows[0].len()).contains(&len), "a rewind to {len} of {}", self.rows[0].len());
        self.rows[0].truncate(len);
    }

    fn len(&self) -> usize {
        self.rows[0].len()
    }

    async fn score(&mut self, ids: &[TokenId]) -> Result<Vec<f64>, DeviceLost> {
        assert!((1..=self.n_ctx).contains(&ids.len()), "a score of {} ids", ids.len());
        let each = |end: usize| log_softmax_at(&(self.logits)(&ids[..end]), ids[end]);
        Ok((1..ids.len()).map(each).collect())
    }
}

/// Logits that every visible id, and its place, has a share in.
pub fn mixed(window: &[TokenId]) -> Vec<f32> {
    let mut state = 1u32;
    for id in window {
        state = (state ^ id.0).wrapping_mul(0x0100_0193).rotate_left(7);
    }
    let column = |index: u32| (state.rotate_right(index * 2) % 997) as f32 / 250.0;
    (0..N_VOCAB as u32).map(column).collect()
}

/// Logits with which `id` is drawn for sure.
pub fn only(id: u32) -> Vec<f32> {
    let mut logits = vec![f32::NEG_INFINITY; N_VOCAB];
    logits[id as usize] = 0.0;
    logits
}

pub fn ids(ids: &[u32]) -> Vec<TokenId> {
    ids.iter().copied().map(TokenId).collect()
}

/// 5 new tokens at temperature 1 over the whole vocabulary, with seed 1.
pub fn plan(prompt: &[u32]) -> Plan {
    Plan {
        prompt: ids(prompt),
        settings: Settings::default(),
        seed: 1,
        stream: None,
        script: nucleus_decode::Script::default(),
        max_new_tokens: 5,
        end_of_text: None,
        n_tokenizer: N_VOCAB,
        past_context: PastContext::Slide,
    }
}

pub fn greedy() -> Settings {
    Settings { temperature: Temperature::ZERO, ..Settings::default() }
}

pub type Run = Result<Outcome, DecodeError<DeviceLost>>;

/// Runs the plan to its end, and gives the steps beside the outcome.
pub fn run(model: &mut Canned, plan: &Plan) -> (Vec<Step>, Run) {
    run_until(model, plan, usize::MAX)
}

/// As [`run`], but the caller breaks at the step with this index.
pub fn run_until(model: &mut Canned, plan: &Plan, last: usize) -> (Vec<Step>, Run) {
    let mut steps = Vec::new();
    let outcome = block_on(generate(model, plan, async |step| {
        pause().await;
        let answer = if step.index >= last { ControlFlow::Break(StopReason::User) } else { ControlFlow::Continue(()) };
        steps.push(step);
        answer
    }));
    (steps, outcome)
}

pub fn tokens(steps: &[Step]) -> Vec<TokenId> {
    steps.iter().map(|step| step.trace.token).collect()
}

/// Is not ready the first time it is asked, as a device and a page are not.
async fn pause() {
    let mut asked = false;
    poll_fn(|_| {
        let answer = if asked { Poll::Ready(()) } else { Poll::Pending };
        asked = true;
        answer
    })
    .await;
}

pub fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
    }
}
