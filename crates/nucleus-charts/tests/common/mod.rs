//! Scenes for the tests: small ones that can be read, and one of GPT-2's size.

pub mod runs;

use nucleus_charts::{Element, Node, Scene, Size, Vocabulary};
use nucleus_sampler::{
    Ranking, RepetitionPenalty, Settings, StepContext, StepTrace, Temperature, TokenId, TokenSet, TopK, TopP, Uniforms,
    Unit, step_in,
};

/// Eight tokens, some of which would be markup if they were not text.
pub const TOKENS: [&[u8]; 8] =
    [b" the", b",", b"\n", b"<script>alert(1)</script>", b"\"><b>", b"&amp;", b"]]>", b"\xe5\x9c"];

/// Their logits, so that rank and id are not the same.
pub const LOGITS: [f32; 8] = [2.5, 3.0, 0.5, 2.0, 0.0, 1.0, -1.0, -2.0];

/// The vocabulary of [`TOKENS`], repeated as often as ids need.
pub struct Words;

impl Vocabulary for Words {
    fn bytes(&self, id: TokenId) -> &[u8] {
        TOKENS[id.index() % TOKENS.len()]
    }
}

/// A step with everything that a scene borrows.
pub struct Step {
    pub logits: Vec<f32>,
    pub ranking: Ranking,
    pub trace: StepTrace,
}

impl Step {
    pub fn new(logits: &[f32], settings: Settings, u: f64) -> Self {
        Self::in_context(logits, &StepContext::default(), settings, u)
    }

    pub fn in_context(logits: &[f32], context: &StepContext, settings: Settings, u: f64) -> Self {
        let trace = step_in(logits, context, &settings, Unit::new(u).unwrap()).unwrap();
        let ranking = Ranking::in_context(logits, context, settings.repetition_penalty).unwrap();
        Self { logits: logits.to_vec(), ranking, trace }
    }

    pub fn scene(&self) -> Scene<'_> {
        Scene { logits: &self.logits, ranking: &self.ranking, trace: &self.trace, vocabulary: &Words }
    }
}

pub fn settings(temperature: f64, top_k: u32, top_p: f64) -> Settings {
    Settings {
        temperature: Temperature::new(temperature).unwrap(),
        top_k: TopK::new(top_k).unwrap(),
        top_p: TopP::new(top_p).unwrap(),
        ..Settings::default()
    }
}

/// A step whose penalty of 2 lowers the largest logit from 3 to 1.5, and one of -1 to -2.
pub fn penalised() -> Step {
    let settings = Settings { repetition_penalty: RepetitionPenalty::new(2.0).unwrap(), ..settings(1.0, 0, 1.0) };
    let seen = [6, 1, 4].map(TokenId);
    Step::in_context(&LOGITS, &StepContext { seen: &seen, allowed: None }, settings, 0.5)
}

/// A step of which a constraint forbids the largest logit and four more.
pub fn constrained() -> Step {
    let mut allowed = TokenSet::none(LOGITS.len());
    allowed.extend([0, 3, 5].map(TokenId));
    Step::in_context(&LOGITS, &StepContext { seen: &[], allowed: Some(&allowed) }, settings(0.5, 2, 1.0), 0.9)
}

/// A step at temperature 0, with a penalty on tokens 1 and 3 (1 is off), and with 0, 3 and 5 allowed or all tokens.
pub fn greedy(penalty: f64, is_constrained: bool) -> Step {
    let mut allowed = TokenSet::none(LOGITS.len());
    allowed.extend([0, 3, 5].map(TokenId));
    let seen = [1, 3].map(TokenId);
    let context = StepContext { seen: &seen, allowed: is_constrained.then_some(&allowed) };
    let repetition_penalty = RepetitionPenalty::new(penalty).unwrap();
    Step::in_context(&LOGITS, &context, Settings { repetition_penalty, ..settings(0.0, 0, 1.0) }, 0.5)
}

/// As many logits as GPT-2 has, `spread` apart at most, without an order.
pub fn many(spread: f32) -> Vec<f32> {
    let mut noise = Uniforms::new(7);
    (0..50_257).map(|_| spread * noise.draw().get() as f32 - 40.0).collect()
}

/// As many, with probabilities in proportion to 1, 1/2, 1/3, ..., spread over the ids: on the bar,
/// some intervals of every width.
pub fn harmonic() -> Vec<f32> {
    (0..50_257_u32).map(|id| -((1 + id * 7919 % 50_257) as f32).ln()).collect()
}

/// All elements of a tree, the root first.
pub fn elements(node: &Node) -> Vec<&Element> {
    let Node::Element(element) = node else {
        return Vec::new();
    };
    let inside = element.children.iter().flat_map(elements);
    std::iter::once(element).chain(inside).collect()
}

/// The elements whose class list has `name`.
pub fn of_class<'a>(node: &'a Node, name: &str) -> Vec<&'a Element> {
    let has = |element: &&Element| {
        let class = element.attribute("class").unwrap_or_default();
        class.split(' ').any(|one| one == name)
    };
    elements(node).into_iter().filter(has).collect()
}

/// A numeric attribute.
pub fn number(element: &Element, name: &str) -> f64 {
    element.attribute(name).unwrap().parse().unwrap()
}

/// Steps of every kind: filtered, free, greedy, cold, hot, masked, one token, huge and flat, penalised, constrained.
pub fn steps() -> Vec<Step> {
    let masked = [f32::NEG_INFINITY, 1.0, f32::NEG_INFINITY, 3.0, 2.0];
    let extreme = [f32::MAX, f32::MIN, 0.0, f32::MAX / 2.0];
    vec![
        Step::new(&LOGITS, settings(0.8, 5, 0.9), 0.6142),
        Step::new(&LOGITS, settings(1.0, 0, 1.0), 0.999_999),
        Step::new(&LOGITS, settings(0.0, 3, 0.5), 0.5),
        Step::new(&LOGITS, settings(1e-40, 0, 1.0), 0.0),
        Step::new(&LOGITS, settings(10.0, 7, 0.95), 0.3),
        Step::new(&masked, settings(1.0, 2, 1.0), 0.7),
        Step::new(&masked, settings(0.0, 0, 1.0), 0.7),
        Step::new(&extreme, settings(1e-300, 0, 1.0), 0.1),
        Step::new(&[-3.0], settings(1.0, 0, 1.0), 0.4),
        Step::new(&many(0.5), settings(1.0, 0, 1.0), 0.6142),
        Step::new(&many(20.0), settings(0.7, 400, 0.9), 0.1),
        Step::new(&harmonic(), settings(1.0, 0, 1.0), 0.25),
        penalised(),
        constrained(),
    ]
}

/// Ordinary sizes, and ones that no figure fits in.
pub fn sizes() -> [Size; 4] {
    [(720.0, 300.0), (350.0, 118.0), (0.0, -5.0), (f64::NAN, f64::INFINITY)]
        .map(|(width, height)| Size::new(width, height))
}
