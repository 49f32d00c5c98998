//! One generation, measured where a reader would see it.

use std::cell::Cell;

use js_sys::Uint32Array;
use nucleus_sampler::{Settings, Temperature, TokenId};
use nucleus_session::{GenerateRequest, Report, Request, RunId};
use wasm_bindgen::prelude::JsValue;

use crate::link::now;
use crate::load::Loaded;
use crate::{error, object};

thread_local! {
    static NEXT_RUN: Cell<u32> = const { Cell::new(1) };
}

/// See [`crate::bench`].
pub async fn run(loaded: &Loaded, prompt_ids: &[u32], new_tokens: u32) -> Result<JsValue, JsValue> {
    let run = RunId(NEXT_RUN.replace(NEXT_RUN.get() + 1));
    let request = GenerateRequest {
        run,
        prompt: text(loaded, prompt_ids)?,
        special_tokens: false,
        settings: Settings { temperature: Temperature::ZERO, ..Settings::default() },
        seed: 0,
        new_tokens,
        stop: nucleus_decode::StopStrings::default(),
        script: nucleus_decode::Script::default(),
        constraint: None,
    };
    let start = now();
    loaded.link.send(&Request::Generate(request))?;
    let (mut times, mut tokens) = (Vec::new(), Vec::new());
    loop {
        match loaded.link.next().await? {
            (_, Report::Started { run: of, prompt, .. }) if of == run => expect(&prompt, prompt_ids)?,
            (heard, Report::Step { run: of, step }) if of == run => {
                times.push(heard);
                tokens.push(step.token.0);
            }
            (_, Report::Finished { run: of, .. }) if of == run => return result(start, &times, &tokens),
            _ => {}
        }
    }
}

/// The engine takes text: the text that the ids stand for.
fn text(loaded: &Loaded, prompt_ids: &[u32]) -> Result<String, JsValue> {
    let bytes = prompt_ids.iter().flat_map(|&id| loaded.vocabulary.bytes(TokenId(id))).copied().collect();
    String::from_utf8(bytes).map_err(error)
}

/// The tokenizer may cut the text in another way than the ids do.
fn expect(prompt: &[TokenId], prompt_ids: &[u32]) -> Result<(), JsValue> {
    if prompt.iter().map(|id| id.0).eq(prompt_ids.iter().copied()) {
        return Ok(());
    }
    Err(error(format!("the prompt's text has {} other tokens than the {} given", prompt.len(), prompt_ids.len())))
}

fn result(start: f64, times: &[f64], tokens: &[u32]) -> Result<JsValue, JsValue> {
    let (Some(first), Some(last)) = (times.first(), times.last()) else {
        return Err(error("the run ended without a token"));
    };
    object([
        ("ttft_ms", (first - start).into()),
        ("decode_ms", (last - first).into()),
        ("tokens", Uint32Array::from(tokens).into()),
    ])
}
