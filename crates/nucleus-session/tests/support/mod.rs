//! A page without a browser, and an engine without a model.
#![allow(dead_code, reason = "each test file uses some of it")]

use half::f16;
use nucleus_decode::StopReason;
use nucleus_sampler::{TokenId, Uniforms, step};
use nucleus_session::{
    Asset, Control, DeviceKind, DeviceReason, DeviceReport, Effect, GenerateRequest, Keeping, ModelInfo, ModelMsg, Msg,
    Recording, Report, Request, RunId, Session, StepReport, Values, Vocabulary, WeightFormat,
};

/// Tokens of the made-up model: one for each letter, one that ends a text, and the four bytes of a
/// character that no single token stands for.
pub const TOKENS: [&[u8]; 16] = [
    b"<|endoftext|>",
    b" a",
    b" b",
    b" c",
    b" d",
    b" e",
    b" f",
    b" g",
    b" h",
    b" i",
    b" j",
    b" k",
    b"\xF0",
    b"\x9F",
    b"\x90",
    b"\x89",
];
pub const END_OF_TEXT: TokenId = TokenId(0);

/// A session, and every effect it has asked for that was not looked at yet.
pub struct Page {
    pub session: Session,
    pub effects: Vec<Effect>,
}

pub fn vocabulary() -> Vocabulary {
    let ends = TOKENS.iter().scan(0, |end, bytes| {
        *end += bytes.len() as u32;
        Some(*end)
    });
    Vocabulary::new(TOKENS.concat(), ends.collect()).unwrap()
}

pub fn model() -> ModelInfo {
    ModelInfo {
        name: "tales".into(),
        n_vocab: TOKENS.len(),
        n_ctx: 8,
        n_layer: 1,
        n_head: 1,
        n_embd: 4,
        parameters: 100,
        end_of_text: Some(END_OF_TEXT),
        weights: WeightFormat::F32,
        device_memory: 0,
        keeping: Keeping::NotNeeded,
    }
}

/// The CPU, because the address says so.
pub fn device() -> DeviceReport {
    let reason = DeviceReason::ForcedCpu;
    DeviceReport { kind: DeviceKind::Cpu, adapter: String::new(), software: false, reason }
}

/// Logits that differ from step to step, never end the text, and are exact in f16.
pub fn logits(index: usize) -> Vec<f32> {
    let logit = |id: usize| {
        if id == 0 { -9.0 } else { ((id * 7 + index * 5) % 11) as f32 / 4.0 }
    };
    (0..TOKENS.len()).map(logit).collect()
}

/// What the engine would tell of token `index` of a run.
pub fn honest_step(request: &GenerateRequest, index: usize) -> StepReport {
    let u = Uniforms::nth(request.seed, index as u64);
    let trace = step(&logits(index), &request.settings, u).unwrap();
    StepReport::of(&trace, index, 0, 10.0 + 2.0 * index as f64)
}

pub fn recording(values: Values, steps: usize) -> Recording {
    let request = GenerateRequest {
        run: RunId(0),
        prompt: values.prompt.clone(),
        special_tokens: values.special_tokens,
        settings: values.settings,
        seed: values.seed,
        new_tokens: values.new_tokens,
        stop: nucleus_decode::StopStrings::default(),
        script: nucleus_decode::Script::default(),
        constraint: None,
    };
    let row = |index| logits(index).into_iter().map(f16::from_f32).collect();
    Recording {
        model: "tales".into(),
        title: "A walk".into(),
        values,
        prompt: vec![TokenId(1), TokenId(2)],
        prompt_log_probabilities: Some(vec![-1.0]),
        end_of_text: Some(END_OF_TEXT),
        tokens: (0..steps).map(|index| honest_step(&request, index).token).collect(),
        logits: (0..steps).map(row).collect(),
        vocabulary: vocabulary(),
    }
}

pub fn recorded_values() -> Values {
    Values {
        prompt: "Once".into(),
        special_tokens: false,
        settings: nucleus_sampler::Settings::default(),
        seed: 7,
        new_tokens: 5,
    }
}

pub const INDEX: &str = r#"[
    {"name": "walk", "title": "A walk", "note": "Look at the third step."},
    {"name": "other", "title": "Another", "note": "."}
]"#;

impl Page {
    /// Opens the page; the engine is loading, nothing has been fetched.
    pub fn open(query: &str) -> Self {
        let mut page = Self { session: Session::new(), effects: Vec::new() };
        page.tell(Msg::Opened { query: query.into() });
        page
    }

    /// Opens the page and lets the engine become ready.
    pub fn ready(query: &str) -> Self {
        let mut page = Self::open(query);
        page.engine_is_ready();
        page
    }

    /// Opens the page and starts a run of a prompt.
    pub fn running() -> (Self, GenerateRequest) {
        let mut page = Self::ready("");
        page.type_in(Control::Prompt, "Once");
        page.effects.clear();
        page.tell(Msg::Generate);
        let request = page.generated();
        (page, request)
    }

    pub fn tell(&mut self, msg: Msg) {
        self.effects.extend(self.session.update(msg));
    }

    pub fn type_in(&mut self, control: Control, text: &str) {
        self.tell(Msg::Typed { control, text: text.into() });
    }

    pub fn report(&mut self, report: Report) {
        self.tell(Msg::Reported { report, logits: None, at_ms: 0.0 });
    }

    pub fn engine_is_ready(&mut self) {
        self.report(Report::Ready { model: model(), vocabulary: vocabulary() });
    }

    /// Types an id or address into the choice of a model, and loads it.
    pub fn choose(&mut self, address: &str) {
        for msg in [ModelMsg::OpenChooser, ModelMsg::TypedAddress(address.into()), ModelMsg::Load] {
            self.tell(Msg::Model(msg));
        }
    }

    /// The reader does something about the model.
    pub fn about_the_model(&mut self, msg: ModelMsg) {
        self.tell(Msg::Model(msg));
    }

    /// The engine reports at a time of the page's clock, ms.
    pub fn report_at(&mut self, report: Report, at_ms: f64) {
        self.tell(Msg::Reported { report, logits: None, at_ms });
    }

    pub fn index_arrives(&mut self) {
        let result = Ok(INDEX.as_bytes().to_vec());
        self.tell(Msg::Fetched { asset: Asset::RecordingIndex, result });
    }

    pub fn recording_arrives(&mut self, name: &str) {
        let result = Ok(recording(recorded_values(), 5).to_bytes().unwrap());
        self.tell(Msg::Fetched { asset: Asset::Recording(name.into()), result });
    }

    /// Token `index` of a run comes in as an honest engine would send it.
    pub fn step(&mut self, request: &GenerateRequest, index: usize) {
        let report = Report::Step { run: request.run, step: honest_step(request, index) };
        self.tell(Msg::Reported { report, logits: Some(logits(index)), at_ms: 0.0 });
    }

    /// The prompt's tokens and the first `steps` tokens of a run come in.
    pub fn steps(&mut self, request: &GenerateRequest, steps: usize) {
        let prompt = vec![TokenId(1)];
        self.report(Report::Started { run: request.run, prompt, window_start: 0 });
        for index in 0..steps {
            self.step(request, index);
        }
    }

    pub fn finish(&mut self, run: RunId) {
        self.report(Report::Finished {
            run,
            reason: StopReason::TokenLimit,
            log_probabilities_of_prompt: Some(Vec::new()),
            prefill_ms: 1.0,
            decode_ms: 1.0,
        });
    }

    /// The effects since this was last asked.
    pub fn take(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    /// The generation that was asked for since effects were last taken; there must be one.
    pub fn generated(&mut self) -> GenerateRequest {
        let mut requests = self.take().into_iter().filter_map(|effect| match effect {
            Effect::Send(Request::Generate(request)) => Some(request),
            _ => None,
        });
        let request = requests.next().expect("a generation is asked for");
        assert_eq!(requests.next(), None, "only one");
        request
    }

    /// Whether a generation was asked for.
    pub fn asks_to_generate(&self) -> bool {
        let generates = |effect: &Effect| matches!(effect, Effect::Send(Request::Generate(_)));
        self.effects.iter().any(generates)
    }

    /// The address that was last asked for.
    pub fn address(&self) -> Option<&str> {
        self.effects.iter().rev().find_map(|effect| match effect {
            Effect::ReplaceAddress(address) => Some(address.as_str()),
            _ => None,
        })
    }

    /// The text of the run shown.
    pub fn text(&self) -> String {
        self.session.run().unwrap().pieces().iter().map(|piece| piece.text.as_str()).collect()
    }

    /// The tokens of the run shown.
    pub fn tokens(&self) -> Vec<TokenId> {
        self.session.run().unwrap().steps().iter().map(|step| step.report.token).collect()
    }
}
