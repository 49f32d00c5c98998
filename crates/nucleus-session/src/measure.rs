//! What can be measured on a run: speed and perplexity.

use nucleus_sampler::perplexity;

use crate::run::Run;

/// The perplexity of a text, exp of the mean negative log-probability of its tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Perplexity {
    /// 1 or more.
    pub value: f64,
    /// How many tokens it is the mean of.
    pub tokens: usize,
    /// Of which text.
    pub of: PerplexityOf,
}

/// Which text a perplexity is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PerplexityOf {
    /// Prompt and continuation. The prompt's first token is left out: nothing predicts it.
    PromptAndText,
    /// The continuation alone, since the prompt's log-probabilities are not known.
    TextAlone,
}

impl Run {
    /// From the start of the run, or of the part that was written on last, to its first token, milliseconds; `None` for a
    /// recording.
    #[must_use]
    pub fn first_token_ms(&self) -> Option<f64> {
        self.id()?;
        self.timed_steps().first().map(|step| step.report.elapsed_ms)
    }

    /// Tokens per second from that token on, so that the prompt's reading is not in it; `None`
    /// for a recording and with fewer than two tokens.
    #[must_use]
    pub fn tokens_per_second(&self) -> Option<f64> {
        self.id()?;
        let steps = self.timed_steps();
        let (first, last) = (steps.first()?, steps.last()?);
        let seconds = (last.report.elapsed_ms - first.report.elapsed_ms) / 1000.0;
        (seconds > 0.0).then(|| (steps.len() - 1) as f64 / seconds)
    }

    /// The perplexity so far, under the model's own distribution whatever the settings; `None`
    /// while there is no token.
    #[must_use]
    pub fn perplexity(&self) -> Option<Perplexity> {
        let generated = self.steps().iter().map(|step| step.report.log_probability);
        let (of, all): (_, Vec<f64>) = match &self.prompt_log_probabilities {
            Some(prompt) => (PerplexityOf::PromptAndText, prompt.iter().copied().chain(generated).collect()),
            None => (PerplexityOf::TextAlone, generated.collect()),
        };
        Some(Perplexity { value: perplexity(&all)?, tokens: all.len(), of })
    }
}
