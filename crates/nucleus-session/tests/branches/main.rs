//! Taking another way: forcing a token, going back to a step, and the branches that are kept.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod address;
mod force;
mod mixed;
mod search;
#[path = "../support/mod.rs"]
mod support;
mod write_on;

use nucleus_sampler::{TokenId, log_softmax_at};
use nucleus_session::{BranchMsg, Control, GenerateRequest, Msg, Report, StepReport};
use support::{Page, honest_step, logits};

/// What the engine tells of a run: its prompt, the tokens that are not given, and that it is over.
fn write(page: &mut Page, request: &GenerateRequest) {
    page.report(Report::Started { run: request.run, prompt: vec![TokenId(1)], window_start: 0 });
    for index in request.script.given.len()..request.new_tokens as usize {
        let mut step = honest_step(request, index);
        if let Some(&token) = request.script.forced.get(&index) {
            step = StepReport { token, log_probability: log_softmax_at(&logits(index), token), ..step };
        }
        page.tell(Msg::Reported {
            report: Report::Step { run: request.run, step },
            logits: Some(logits(index)),
            at_ms: 0.0,
        });
    }
    page.finish(request.run);
}

/// A run of six tokens that is over.
fn written() -> (Page, GenerateRequest) {
    let mut page = Page::ready("");
    page.type_in(Control::Prompt, "Once");
    page.type_in(Control::NewTokens, "6");
    page.effects.clear();
    page.tell(Msg::Generate);
    let request = page.generated();
    write(&mut page, &request);
    page.effects.clear();
    (page, request)
}

fn tell(page: &mut Page, step: usize, msg: BranchMsg) {
    page.tell(Msg::FocusStep(step));
    page.tell(Msg::Branch(msg));
}

/// A token that the run does not have at a step.
fn another(page: &Page, step: usize) -> TokenId {
    let had = page.tokens()[step];
    (1..12).map(TokenId).find(|&id| id != had).unwrap()
}
