//! The step in focus: its heading, and the figures that explain it.

use nucleus_charts::{
    Element, Node, Repeated, RowWindow, RunStep, Scene, Size, Vocabulary as _, Zoom, allowed, draw, ladder,
    logits_table, mistakes, nats, nucleus_size, probability, repetition, token_quote,
};
use nucleus_decode::{closing_loop, phrases};
use nucleus_sampler::{Draw, StepContext, TokenId, Uniforms};
use nucleus_session::{Constrained, Focus, Point, Session, StepReport, Vocabulary};

use super::nodes::able;

/// Rows of the logits table that are shown at once.
const ROWS: usize = 16;

/// The words of tokens as the charts ask for them.
pub(super) struct Words<'a>(pub(super) &'a Vocabulary);

impl nucleus_charts::Vocabulary for Words<'_> {
    fn bytes(&self, id: TokenId) -> &[u8] {
        self.0.bytes(id)
    }
}

/// The step in focus, ready to be drawn.
pub struct Figures<'a> {
    session: &'a Session,
    focus: &'a Focus,
    words: Words<'a>,
}

impl<'a> Figures<'a> {
    /// The figures of a step; `None` while there is no run.
    pub fn new(session: &'a Session, focus: &'a Focus) -> Option<Self> {
        Some(Self { session, focus, words: Words(session.run()?.vocabulary()) })
    }

    fn scene(&self) -> Scene<'_> {
        let Focus { logits, ranking, trace, .. } = self.focus;
        Scene { logits, ranking, trace, vocabulary: &self.words }
    }

    fn quote(&self, id: TokenId) -> Node {
        Element::new("bdi").class("token").text(token_quote(self.words.bytes(id))).into()
    }

    /// Which step, which token, how likely it was, and whether the settings now would draw another.
    pub fn head(&self) -> Vec<Node> {
        let Some(run) = self.session.run() else { return Vec::new() };
        let Focus { index, trace, drawn, differs, .. } = self.focus;
        let steps = run.steps();
        let title =
            Element::new("h2").text(format!("Step {} of {}: ", index + 1, steps.len())).child(self.quote(*drawn));
        let move_to = |action, name, label, possible: bool| {
            let button = Element::new("button")
                .with("type", "button")
                .with("data-action", action)
                .with("aria-label", label)
                .text(name);
            able(button, possible)
        };
        let nav = Element::new("div")
            .class("nav")
            .child(move_to("previous", "‹", "Previous step", *index > 0))
            .child(move_to("next", "›", "Next step", index + 1 < steps.len()));
        let mut said = Element::new("p").class("said");
        if let Some(step) = steps.get(*index) {
            let forced = run.forced.contains_key(index);
            said = said.text(if forced { how_it_was_forced(&step.report) } else { how_it_came(&step.report) });
        }
        let mut head = Element::new("div").class("step-head").child(title).child(nav).child(said);
        if *differs && !run.forced.contains_key(index) {
            let other = Element::new("p").class("said differs").text("With the settings now, this step gives ");
            head = head.child(other.child(self.quote(trace.token)).text(" instead: press Generate to follow it."));
        }
        vec![head.into()]
    }

    /// The unit bar, and the buttons that enlarge it.
    pub fn draw(&self, width: f64) -> Vec<Node> {
        let [start, end] = self.session.draw_window();
        let figure = draw(&self.scene(), Zoom::new(start, end), Size::new(width, 118.0));
        if matches!(self.focus.trace.draw, Draw::Argmax) {
            return vec![figure];
        }
        let whole = start <= 0.0 && end >= 1.0;
        let zoom = |to, label: &str, possible: bool| {
            let button = Element::new("button").class("plain").with("type", "button").with("data-zoom", to).text(label);
            able(button, possible)
        };
        let tools = Element::new("div")
            .class("tools")
            .with("role", "group")
            .with("aria-label", "Enlarge the draw")
            .child(zoom("hit", "Show the interval hit", true))
            .child(zoom("in", "Closer", true))
            .child(zoom("out", "Less close", !whole))
            .child(zoom("whole", "Whole bar", !whole));
        vec![figure, tools.into()]
    }

    /// What a constraint allows at this step; nothing without one.
    pub fn allowed(&self, width: f64) -> Vec<Node> {
        let constrained = self.session.run().and_then(|run| run.constrained(self.focus.index));
        let figure = |constrained: &Constrained| {
            allowed(&constrained.told, self.focus.trace.token, &self.words, Size::new(width, 200.0))
        };
        constrained.map(figure).into_iter().collect()
    }

    /// What five mistakes would have kept and drawn. Costs a sort of the vocabulary, so it is asked for only where it is seen.
    pub fn mistakes(&self) -> Vec<Node> {
        let Some(run) = self.session.run() else { return Vec::new() };
        let index = self.focus.index;
        let seen = run.seen(index);
        let allowed = run.constrained(index).map(|constrained| &constrained.allowed);
        let controls = self.session.controls();
        let mut uniforms = Uniforms::new(controls.seed.value().0);
        uniforms.advance(index as u64);
        let context = StepContext { seen: &seen, allowed };
        let wrong = nucleus_sampler::mistakes(&self.focus.logits, &context, &controls.settings(), &uniforms);
        wrong.map(|wrong| mistakes(&self.focus.trace, &wrong, &self.words)).into_iter().collect()
    }

    /// From logits to probabilities, in five stages.
    pub fn ladder(&self, width: f64) -> Vec<Node> {
        vec![ladder(&self.scene(), Size::new(width, 360.0))]
    }

    /// A window of the logits table, and the buttons that move it.
    pub fn logits(&self) -> Vec<Node> {
        let n_rows = self.scene().n_charted();
        let RowWindow { start, count } = RowWindow { start: self.session.table_start(), count: ROWS }.within(n_rows);
        let drawn = self.focus.ranking.rank_of(self.focus.trace.token);
        let edge = self.focus.trace.nucleus_size();
        let to = |rank: usize, label: &str, possible: bool| {
            let button =
                Element::new("button").class("plain").with("type", "button").with("data-scroll", rank).text(label);
            able(button, possible)
        };
        let tools = Element::new("div")
            .class("tools")
            .with("role", "group")
            .with("aria-label", "Move through the table")
            .child(to(0, "First rows", start > 0))
            .child(to(start.saturating_sub(ROWS), "Rows before", start > 0))
            .child(to(start + ROWS, "Rows after", start + count < n_rows))
            .child(to(drawn.saturating_sub(ROWS / 2), "The token drawn", true))
            .child(to(edge.saturating_sub(ROWS / 2), "The edge of the nucleus", edge < n_rows));
        vec![logits_table(&self.scene(), RowWindow { start, count }), tools.into()]
    }
}

/// Nucleus size and entropy over the run, as the settings now have them where that is worked out already.
pub fn run_over_time(session: &Session, width: f64) -> Vec<Node> {
    let Some(run) = session.run().filter(|run| !run.steps().is_empty()) else { return Vec::new() };
    let now = session.points_now();
    let steps: Vec<RunStep> = session
        .points_as_drawn()
        .iter()
        .enumerate()
        .map(|(index, drawn)| run_step(now.get(index).copied().flatten().unwrap_or(*drawn)))
        .collect();
    vec![nucleus_size(&steps, session.focus_index(), &Words(run.vocabulary()), Size::new(width, 210.0))]
}

/// What the text repeats; nothing while it is being written, or where it repeats nothing.
pub fn repeated(session: &Session) -> Vec<Node> {
    let Some(run) = session.run().filter(|run| run.is_over()) else { return Vec::new() };
    let steps = run.steps().iter().map(|step| &step.report);
    let text: Vec<TokenId> = steps.clone().map(|report| report.token).collect();
    let log_probabilities: Vec<f64> = steps.map(|report| report.log_probability).collect();
    // One more than is shown, so that it can be said that there are more.
    let phrases = phrases(&text, Repeated::SHOWN + 1);
    let closing_loop = closing_loop(&text);
    if phrases.is_empty() && closing_loop.is_none() {
        return Vec::new();
    }
    let repeated = Repeated { phrases: &phrases, closing_loop, log_probabilities: &log_probabilities };
    vec![repetition(&repeated, &Words(run.vocabulary()))]
}

/// How the run came by a token: its probability then, and what the model alone gives it.
fn how_it_came(step: &StepReport) -> String {
    let how = match step.draw {
        Draw::Argmax => "Taken at temperature 0, without a draw".to_owned(),
        Draw::Uniform { .. } => format!("Drawn with a probability of {}", probability(step.probability)),
    };
    let alone = probability(step.log_probability.exp());
    format!("{how}; the model alone, whatever the settings, gives it {alone} (ln p = {}).", nats(step.log_probability))
}

/// A token that the reader forced: the draw below it is the one that was not followed.
fn how_it_was_forced(step: &StepReport) -> String {
    let alone = probability(step.log_probability.exp());
    format!(
        "Forced by you; the model alone gives it {alone} (ln p = {}). Below is the draw that was not followed.",
        nats(step.log_probability)
    )
}

fn run_step(point: Point) -> RunStep {
    RunStep { nucleus_size: point.nucleus_size, entropy: point.entropy, token: point.token }
}
