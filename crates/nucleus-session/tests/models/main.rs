//! Models: chosen, planned, loaded, given up, kept, deleted. The reader's text and settings outlive all of it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod choice;
mod download;
mod files;
mod keeping;
#[path = "../support/mod.rs"]
mod support;

use nucleus_session::{
    Control, DiskFile, Effect, GivenFile, LoadPlan, Loading, ModelSource, Report, Request, WeightFormat,
};
use support::Page;

const TOTAL: u64 = 548_105_171;

fn plan(waits: bool) -> Report {
    Report::Plan(LoadPlan {
        name: "gpt2".into(),
        parameters: 124_439_808,
        stored: "F32".into(),
        weights: WeightFormat::F32,
        download: TOTAL,
        files: TOTAL,
        device_memory: 572_000_000,
        largest_tensor: 154_389_504,
        largest_binding: 134_217_728,
        room_to_keep: Some(12_000_000_000),
        waits,
    })
}

fn weights(done: u64) -> Report {
    Report::Loading(Loading::Weights { done, total: TOTAL, fetched: TOTAL })
}

fn loads(effects: &[Effect]) -> Vec<(ModelSource, Option<WeightFormat>)> {
    let load = |effect: &Effect| match effect {
        Effect::Send(Request::Load { source, weights, .. }) => Some((source.clone(), *weights)),
        _ => None,
    };
    effects.iter().filter_map(load).collect()
}

fn source(text: &str) -> ModelSource {
    ModelSource::parse(text).unwrap()
}

fn given(names: &[&str]) -> Vec<DiskFile> {
    given_later(0, names)
}

/// Files that are given when others were given before; all have the same size.
fn given_later(before: u32, names: &[&str]) -> Vec<DiskFile> {
    let file = |(number, name): (u32, &&str)| DiskFile { number, file: GivenFile { name: (*name).into(), bytes: 3 } };
    (before..).zip(names).map(file).collect()
}

/// A page whose reader has chosen GPT-2 and is asked about its plan.
fn asked() -> Page {
    let mut page = Page::ready("");
    page.type_in(Control::Prompt, "Mine");
    page.choose("openai-community/gpt2");
    page.take();
    page.report(plan(true));
    page
}
