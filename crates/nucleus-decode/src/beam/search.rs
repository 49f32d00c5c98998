use nucleus_sampler::{Settings, StepContext, StepTrace, Temperature, TokenId, Uniforms};

use super::candidates::{Continuation, best, of_beam};
use super::greedy::Greedy;
use super::{BeamOutcome, BeamPlan, BeamStep, BeamStop, BeamTree, Candidate, EarlyStopping, End, Hypothesis, Verdict};
use crate::generate::choose;
use crate::{DecodeError, Rows};

/// A search between two steps. Row `i` of the model's cache holds live beam `i`, row `width` greedy's path.
pub(super) struct Search<'p> {
    plan: &'p BeamPlan,
    n_vocab: usize,
    /// How many new tokens a sequence can have.
    max_length: usize,
    /// How many steps there were, which is the length of every live beam.
    n_steps: usize,
    tree: BeamTree,
    /// The best first.
    live: Vec<Beam>,
    /// The best `width` of all that have ended, the best first.
    finished: Vec<Ended>,
    greedy: Greedy,
    stop: Option<BeamStop>,
}

struct Beam {
    node: Option<usize>,
    sum: f64,
    /// Where its cache was in the step before, and the token that is not in it yet.
    from: usize,
    to_feed: Option<TokenId>,
}

struct Ended {
    node: usize,
    score: f64,
    end: End,
}

impl<'p> Search<'p> {
    /// Before the first step; over already if there is no room for a token.
    pub(super) fn new(plan: &'p BeamPlan, model: &impl Rows) -> Self {
        let prompt = Beam { node: None, sum: 0.0, from: 0, to_feed: None };
        let mut search = Self {
            plan,
            n_vocab: model.n_vocab(),
            max_length: plan.max_length(model),
            n_steps: 0,
            tree: BeamTree::new(),
            live: vec![prompt],
            finished: Vec::new(),
            greedy: Greedy::new(),
            stop: None,
        };
        if let Some(end) = search.limit() {
            search.greedy.end(end);
            search.stop = Some(BeamStop::Ended);
        }
        search
    }

    pub(super) fn is_over(&self) -> bool {
        self.stop.is_some() && !self.greedy.is_live()
    }

    /// The caller wants no more; a search that is decided stays so.
    pub(super) fn stop(&mut self) {
        self.stop.get_or_insert(BeamStop::User);
    }

    /// What ends every sequence of the present length, if anything does.
    fn limit(&self) -> Option<End> {
        if self.n_steps >= self.plan.max_new_tokens {
            Some(End::TokenLimit)
        } else if self.n_steps >= self.max_length {
            Some(End::Context)
        } else {
            None
        }
    }

    /// Judges all continuations. `logits` are those after each live beam, and then those after greedy's path.
    pub(super) fn advance<E: std::error::Error + 'static>(
        &mut self,
        logits: Vec<Vec<f32>>,
    ) -> Result<BeamStep, DecodeError<E>> {
        let index = self.n_steps;
        let mut logits = logits.into_iter();
        let continuations = self.continuations(index, &mut logits)?;
        let greedy = if self.greedy.is_live() { Some(self.likeliest(index, logits.next())?.1) } else { None };
        self.n_steps += 1;
        let limit = self.limit();
        let greedy = greedy.map(|step| self.greedy.push(&step, self.plan, limit));

        let candidates = if self.live.is_empty() { Vec::new() } else { self.judge(continuations, limit) };
        let (attainable, to_beat) = (self.attainable(), self.to_beat());
        let step = BeamStep { index, candidates, greedy, attainable, to_beat };
        self.tree.push(&step);
        self.decide(attainable, to_beat);
        Ok(step)
    }

    /// The best continuations of each live beam, whose logits come first.
    fn continuations<E: std::error::Error + 'static>(
        &self,
        index: usize,
        logits: &mut impl Iterator<Item = Vec<f32>>,
    ) -> Result<Vec<Continuation>, DecodeError<E>> {
        let mut continuations = Vec::new();
        for (beam, live) in self.live.iter().enumerate() {
            let (logits, step) = self.likeliest(index, logits.next())?;
            continuations.extend(of_beam(beam, live.sum, &logits, &step, self.n_candidates()));
        }
        Ok(continuations)
    }

    fn n_candidates(&self) -> usize {
        2 * self.plan.width.get()
    }

    /// The step at temperature 0, which uses no uniform number, and the logits with their padding masked. Rows that the
    /// model left out have no logits, which the count then says.
    fn likeliest<E: std::error::Error + 'static>(
        &self,
        index: usize,
        logits: Option<Vec<f32>>,
    ) -> Result<(Vec<f32>, StepTrace), DecodeError<E>> {
        let settings = Settings { temperature: Temperature::ZERO, ..Settings::default() };
        let mut logits = logits.unwrap_or_default();
        let unused = Uniforms::nth(0, 0);
        let step = choose(
            index,
            &mut logits,
            [self.n_vocab, self.plan.n_tokenizer],
            &StepContext::default(),
            &settings,
            unused,
        )?;
        Ok((logits, step))
    }

    /// Keeps, finishes or prunes each of the best continuations, as HF transformers 5.24 does (`generation/utils.py`,
    /// `GenerationMixin._get_running_beams_for_next_iteration` and `_update_finished_beams`).
    fn judge(&mut self, continuations: Vec<Continuation>, limit: Option<End>) -> Vec<Candidate> {
        let width = self.plan.width.get();
        let parents: Vec<Option<usize>> = self.live.drain(..).map(|beam| beam.node).collect();
        let first_node = self.tree.nodes().len();
        let mut candidates = Vec::new();
        for (rank, continuation) in best(continuations, self.n_candidates()).into_iter().enumerate() {
            let Continuation { beam, token, log_probability, sum } = continuation;
            let node = first_node + rank;
            let end = if self.plan.end_of_text == Some(token) { Some(End::EndOfText) } else { limit };
            let verdict = match end {
                Some(end) if rank < width => self.finish(node, sum, end),
                None if self.live.len() < width => self.keep(node, sum, beam, token),
                _ => Verdict::Pruned,
            };
            candidates.push(Candidate { parent: parents[beam], token, log_probability, sum, verdict });
        }
        self.finished.sort_by(|a, b| b.score.total_cmp(&a.score));
        self.finished.truncate(width);
        candidates
    }

    fn finish(&mut self, node: usize, sum: f64, end: End) -> Verdict {
        let score = self.plan.length_penalty.score(sum, self.n_steps);
        self.finished.push(Ended { node, score, end });
        Verdict::Finished { score, end }
    }

    fn keep(&mut self, node: usize, sum: f64, from: usize, token: TokenId) -> Verdict {
        self.live.push(Beam { node: Some(node), sum, from, to_feed: Some(token) });
        Verdict::Kept { row: self.live.len() - 1 }
    }

    /// The best score that a live beam can reach by the plan's rule. All have the same length, so the first is the best.
    fn attainable(&self) -> Option<f64> {
        let length = match self.plan.early_stopping {
            EarlyStopping::Exact => self.max_length,
            EarlyStopping::Heuristic => self.n_steps,
        };
        self.live.first().map(|beam| self.plan.length_penalty.score(beam.sum, length))
    }

    fn to_beat(&self) -> Option<f64> {
        let worst = self.finished.get(self.plan.width.get() - 1)?;
        Some(worst.score)
    }

    /// Ends the search where it can get no better. A single beam has ended once a sequence has: greedy has no other.
    fn decide(&mut self, attainable: Option<f64>, to_beat: Option<f64>) {
        let is_decided = match (attainable, to_beat) {
            (Some(attainable), Some(to_beat)) => self.plan.width.get() == 1 || attainable <= to_beat,
            _ => false,
        };
        if self.live.is_empty() {
            self.stop.get_or_insert(BeamStop::Ended);
        } else if is_decided {
            self.stop = Some(BeamStop::Decided);
            self.live.clear();
        }
    }

    /// Moves the cache of each live beam to its row, and reads its last token.
    pub(super) async fn feed<M: Rows>(&self, model: &mut M) -> Result<Vec<Vec<f32>>, DecodeError<M::Error>> {
        let width = self.plan.width.get();
        let stays = |row: usize| if row == width && self.n_steps == 1 { 0 } else { row };
        let from: Vec<usize> = (0..=width).map(|row| self.live.get(row).map_or(stays(row), |beam| beam.from)).collect();
        if !from.iter().copied().eq(0..=width) {
            model.reorder_rows(&from);
        }
        let beams = self.live.iter().enumerate().filter_map(|(row, beam)| Some((row, beam.to_feed?)));
        let greedy = self.greedy.to_feed().map(|token| (width, token));
        let fed: Vec<(usize, TokenId)> = beams.chain(greedy).collect();
        model.step_rows(&fed).await.map_err(DecodeError::Model)
    }

    pub(super) fn into_outcome(self) -> BeamOutcome {
        let stop = self.stop.unwrap_or(BeamStop::User);
        let mut ended = self.finished;
        let penalty = self.plan.length_penalty;
        if stop == BeamStop::User {
            let cut = |beam: &Beam| {
                Some(Ended { node: beam.node?, score: penalty.score(beam.sum, self.n_steps), end: End::Unfinished })
            };
            ended.extend(self.live.iter().filter_map(cut));
            ended.sort_by(|a, b| b.score.total_cmp(&a.score));
        }
        ended.truncate(self.plan.n_results.min(self.plan.width.get()));
        let results = ended.iter().map(|ended| hypothesis(&self.tree, ended)).collect();
        BeamOutcome { stop, results, greedy: self.greedy.into_hypothesis(self.plan), tree: self.tree }
    }
}

fn hypothesis(tree: &BeamTree, ended: &Ended) -> Hypothesis {
    let nodes: Vec<_> = tree.path_to(ended.node).into_iter().map(|index| tree.nodes()[index]).collect();
    Hypothesis {
        tokens: nodes.iter().map(|node| node.token).collect(),
        log_probabilities: nodes.iter().map(|node| node.log_probability).collect(),
        sum: nodes.last().map_or(0.0, |node| node.sum),
        score: ended.score,
        end: ended.end,
    }
}
