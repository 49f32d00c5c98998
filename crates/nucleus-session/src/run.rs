//! One run, live or recorded: a prompt, its settings, and every step with its logits.

use std::collections::BTreeMap;
use std::rc::Rc;

use nucleus_decode::{Held, StopReason, StopStrings};
use nucleus_sampler::TokenId;

use crate::check::Check;
use crate::controls::Values;
use crate::failure::Failure;
use crate::protocol::{RunId, StepReport};
use crate::strategy::{Constrained, ConstraintSource, OptionKey, Options, stop_strings};
use crate::text::{TextAssembly, TextPiece};
use crate::vocabulary::Vocabulary;

/// A run that is shown.
#[derive(Clone, Debug)]
pub struct Run {
    /// Where it comes from.
    pub source: Source,
    /// The model's name.
    pub model: String,
    /// What it was asked for.
    pub values: Values,
    /// The prompt's tokens; empty until the engine has cut the prompt.
    pub prompt: Vec<TokenId>,
    /// The fields of the strategy, as they stood when it was started.
    pub options: Options,
    /// The tokens that were forced.
    pub forced: BTreeMap<usize, TokenId>,
    /// From which step on it is another than the run it was taken from; `None` for one that begins at the prompt.
    pub parts_at: Option<usize>,
    /// Whether its first tokens were drawn with other settings than its last: no address leads to it then.
    pub is_mixed: bool,
    /// How far it is.
    pub state: RunState,
    /// ln p of each prompt token but the first, nats, if they are known.
    pub prompt_log_probabilities: Option<Vec<f64>>,
    /// Whether its tokens are those that the link promised; `None` while that is open.
    pub as_in_the_link: Option<bool>,
    pub(crate) expected: Option<Check>,
    vocabulary: Rc<Vocabulary>,
    end_of_text: Option<TokenId>,
    steps: Vec<Step>,
    /// The first step that the request under way, or the last one, has brought: the times of those before have other starts.
    clock_from: usize,
    constrained: BTreeMap<usize, Constrained>,
    text: TextAssembly,
}

/// Where a run comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A file beside the page.
    Recording {
        /// Its name in the list.
        name: String,
        /// Its title.
        title: String,
    },
    /// The engine.
    Live(RunId),
}

/// How far a run is.
#[derive(Clone, Debug, PartialEq)]
pub enum RunState {
    /// The prompt is being read by the model.
    Reading,
    /// Tokens are coming.
    Writing,
    /// Stop was pressed; no more tokens are shown.
    Stopping,
    /// It is over.
    Finished(StopReason),
    /// It broke off.
    Failed(Failure),
}

/// A generated token with the logits it was drawn from.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The token and how it came about.
    pub report: StepReport,
    /// The raw logits `[n_vocab]`.
    pub logits: Rc<[f32]>,
}

/// What a run belongs to.
#[derive(Clone, Debug)]
pub(crate) struct RunModel {
    pub(crate) name: String,
    pub(crate) vocabulary: Rc<Vocabulary>,
    pub(crate) end_of_text: Option<TokenId>,
}

impl Run {
    pub(crate) fn new(source: Source, model: RunModel, values: Values, options: Options) -> Self {
        let text = TextAssembly::new(&stop_strings(&options).unwrap_or_default());
        Self {
            source,
            model: model.name,
            values,
            prompt: Vec::new(),
            state: RunState::Reading,
            prompt_log_probabilities: None,
            as_in_the_link: None,
            expected: None,
            vocabulary: model.vocabulary,
            end_of_text: model.end_of_text,
            steps: Vec::new(),
            clock_from: 0,
            constrained: BTreeMap::new(),
            text,
            options,
            forced: BTreeMap::new(),
            parts_at: None,
            is_mixed: false,
        }
    }

    /// The steps so far.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Prompt and generated tokens before a step: what its repetition penalty has seen.
    #[must_use]
    pub fn seen(&self, step: usize) -> Vec<TokenId> {
        let generated = self.steps.iter().take(step).map(|step| step.report.token);
        self.prompt.iter().copied().chain(generated).collect()
    }

    /// The texts at which it ends.
    #[must_use]
    pub fn stop_strings(&self) -> StopStrings {
        stop_strings(&self.options).unwrap_or_default()
    }

    /// The steps whose times count from the same start.
    pub(crate) fn timed_steps(&self) -> &[Step] {
        self.steps.get(self.clock_from..).unwrap_or_default()
    }

    /// What is held back at the end of the text, why, and its bytes.
    #[must_use]
    pub fn held(&self) -> Option<(Held, &[u8])> {
        self.text.held().filter(|_| !self.is_over())
    }

    /// The sum of ln p of its tokens under the raw model, nats: that of the whole text given the prompt.
    #[must_use]
    pub fn log_probability(&self) -> f64 {
        self.steps.iter().fold(0.0, |sum, step| sum + step.report.log_probability)
    }

    /// Its tokens before step `step`, as a run that may go on from there; with fewer steps, all of them.
    pub(crate) fn until(&self, step: usize) -> Self {
        let model = RunModel {
            name: self.model.clone(),
            vocabulary: Rc::clone(&self.vocabulary),
            end_of_text: self.end_of_text,
        };
        let mut run = Self::new(self.source.clone(), model, self.values.clone(), self.options.clone());
        run.prompt.clone_from(&self.prompt);
        run.prompt_log_probabilities.clone_from(&self.prompt_log_probabilities);
        run.parts_at = Some(step.min(self.steps.len()));
        run.is_mixed = self.is_mixed && step > 0;
        run.clock_from = self.clock_from.min(step);
        run.forced = self.forced.range(..step).map(|(&at, &token)| (at, token)).collect();
        run.constrained = self.constrained.range(..step).map(|(&at, told)| (at, told.clone())).collect();
        for kept in self.steps.iter().take(step) {
            run.push(kept.clone());
        }
        run.end(RunState::Finished(StopReason::User));
        run
    }

    /// Makes a run that is over one that the engine writes on.
    pub(crate) fn go_on(&mut self, id: RunId, values: Values, options: Options) {
        self.clock_from = self.steps.len();
        self.is_mixed |= self.clock_from > 0 && !self.would_be_drawn_alike(&values, &options);
        self.source = Source::Live(id);
        self.values = values;
        self.options = options;
        self.state = RunState::Reading;
        self.as_in_the_link = None;
        self.expected = None;
        self.text = TextAssembly::new(&self.stop_strings());
        for step in &self.steps {
            let token = step.report.token;
            self.text.push(token, self.vocabulary.bytes(token), self.end_of_text);
        }
    }

    /// Whether its tokens would be the same with these values. How many are wanted matters to a constraint alone, which closes
    /// the text in time.
    fn would_be_drawn_alike(&self, values: &Values, options: &Options) -> bool {
        let constrained = ConstraintSource::of(options).is_some();
        let new_tokens = if constrained { self.values.new_tokens } else { values.new_tokens };
        self.is_under(options) && Values { new_tokens, ..self.values.clone() } == *values
    }

    /// The field that holds the form that its text must have, if it must have one.
    pub(crate) fn constraint_field(&self) -> Option<OptionKey> {
        ConstraintSource::of(&self.options).map(|source| source.key())
    }

    /// Whether these options stop and constrain it as its own do; the fields of other strategies do not matter.
    fn is_under(&self, options: &Options) -> bool {
        let of = |options| (stop_strings(options).ok(), ConstraintSource::of(options));
        of(&self.options) == of(options)
    }

    /// Whether a token may stand at a step: it stands for something, and the constraint, if there was one, allowed it.
    pub(crate) fn may_have(&self, step: usize, token: TokenId) -> bool {
        let allowed = self.constrained(step).is_none_or(|constrained| constrained.allowed.contains(token));
        allowed && !self.vocabulary.bytes(token).is_empty()
    }

    /// What the constraint said at a step, if there was one.
    #[must_use]
    pub fn constrained(&self, step: usize) -> Option<&Constrained> {
        self.constrained.get(&step)
    }

    /// Takes what the constraint says at the step that comes next.
    pub(crate) fn constrain(&mut self, constrained: Constrained) {
        self.constrained.insert(self.steps.len(), constrained);
    }

    /// The text so far, one piece for each step. The prompt is not in it.
    #[must_use]
    pub fn pieces(&self) -> &[TextPiece] {
        self.text.pieces()
    }

    /// What its tokens stand for.
    #[must_use]
    pub fn vocabulary(&self) -> &Rc<Vocabulary> {
        &self.vocabulary
    }

    /// Its number, if it is live.
    #[must_use]
    pub fn id(&self) -> Option<RunId> {
        match self.source {
            Source::Live(id) => Some(id),
            Source::Recording { .. } => None,
        }
    }

    /// Whether nothing more can come with these options: the model has ended the text, or what stopped it still does.
    pub(crate) fn has_ended(&self, options: &Options) -> bool {
        let is_last = self.steps.last().is_some_and(|step| Some(step.report.token) == self.end_of_text);
        let stopped = matches!(
            self.state,
            RunState::Finished(StopReason::Closed | StopReason::StopString { .. })
                | RunState::Failed(Failure::Constraint { .. })
        );
        is_last || (stopped && self.is_under(options))
    }

    /// Whether it is over, one way or another.
    #[must_use]
    pub fn is_over(&self) -> bool {
        matches!(self.state, RunState::Finished(_) | RunState::Failed(_))
    }

    /// The fingerprint of its tokens so far.
    #[must_use]
    pub fn check(&self) -> Check {
        Check::of(self.steps.iter().map(|step| step.report.token))
    }

    /// How many of the oldest tokens the model did not see at a step; 0 unless the text is longer
    /// than the context.
    #[must_use]
    pub fn window_start(&self, step: usize) -> usize {
        self.steps.get(step).map_or(0, |step| step.report.window_start)
    }

    pub(crate) fn push(&mut self, step: Step) {
        let token = step.report.token;
        self.text.push(token, self.vocabulary.bytes(token), self.end_of_text);
        self.steps.push(step);
        self.compare(false);
    }

    pub(crate) fn end(&mut self, state: RunState) {
        self.state = state;
        self.text.finish();
        self.compare(true);
    }

    /// Compares with the link's tokens as soon as there are as many, or no more will come. A run
    /// that was stopped or broke off before that tells nothing.
    fn compare(&mut self, over: bool) {
        let Some(expected) = self.expected else {
            return;
        };
        let enough = self.steps.len() == expected.tokens;
        let ended = matches!(self.state, RunState::Finished(reason) if reason != StopReason::User);
        if enough {
            self.as_in_the_link = Some(self.check() == expected);
        } else if over && ended && self.steps.len() < expected.tokens {
            self.as_in_the_link = Some(false);
        }
    }
}
