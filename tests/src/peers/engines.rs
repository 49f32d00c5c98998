//! What is measured.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use xtask::budget::gzipped;

/// An engine as it is measured: a page with its options.
#[derive(Clone, Copy, Debug)]
pub struct Engine {
    /// What it is called in the table and on the command line.
    pub name: &'static str,
    /// Where its page lies, with `{models}` for the address of the folder of models.
    pub address: &'static str,
    /// What a browser downloads before any weights; of the peers, the runtime without the page around it.
    pub code: &'static [&'static str],
    /// What it writes on.
    pub text: Text,
    /// How many tokens it writes.
    pub new_tokens: usize,
    /// Whether a trial takes minutes: then there is only one, without a run to warm up.
    pub slow: bool,
    /// Whether it is measured too from a page that is opened again with all files in the browser.
    pub reloads: bool,
}

/// Which prompt of 32 tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Text {
    /// That of the reference for the 124M shape, with the tokens that follow.
    Reference,
    /// One for the embedded model.
    Tales,
}

const NUCLEUS: &[&str] = &["nucleus/worker.js", "nucleus/pkg/engine.js", "nucleus/pkg/engine_bg.wasm"];
const TRANSFORMERS: &[&str] = &[
    "node_modules/@huggingface/transformers/dist/transformers.min.js",
    "node_modules/onnxruntime-web/dist/ort-wasm-simd-threaded.asyncify.mjs",
    "node_modules/onnxruntime-web/dist/ort-wasm-simd-threaded.asyncify.wasm",
];
const WLLAMA: &[&str] =
    &["node_modules/@wllama/wllama/esm/index.min.js", "node_modules/@wllama/wllama/esm/wasm/wllama.wasm"];

const fn engine(name: &'static str, address: &'static str, code: &'static [&'static str]) -> Engine {
    Engine { name, address, code, text: Text::Reference, new_tokens: 32, slow: false, reloads: false }
}

/// In the order of the table. The peers' threads are as their names say; a name without a number has one.
pub const ENGINES: &[Engine] = &[
    Engine {
        reloads: true,
        ..engine("nucleus-cpu-f32", "nucleus/bench.html?device=cpu&weights=f32&model={models}gpt2-124m-random", NUCLEUS)
    },
    engine("nucleus-cpu-f16", "nucleus/bench.html?device=cpu&weights=f16&model={models}gpt2-124m-random", NUCLEUS),
    engine("nucleus-cpu-int8", "nucleus/bench.html?device=cpu&weights=int8&model={models}gpt2-124m-random", NUCLEUS),
    Engine {
        reloads: true,
        ..engine(
            "transformers-wasm-f32",
            "pages/transformers.html?device=wasm&threads=1&model=gpt2-plain",
            TRANSFORMERS,
        )
    },
    engine("transformers-wasm-2-f32", "pages/transformers.html?device=wasm&threads=2&model=gpt2-plain", TRANSFORMERS),
    engine("wllama-f32", "pages/wllama.html?threads=1&kv=f32&model=gpt2-f32.gguf", WLLAMA),
    engine("wllama-int8", "pages/wllama.html?threads=1&model=gpt2-q8_0.gguf", WLLAMA),
    engine(
        "nucleus-webgpu-f32",
        "nucleus/bench.html?device=webgpu&weights=f32&model={models}gpt2-124m-random",
        NUCLEUS,
    ),
    engine(
        "nucleus-webgpu-f16",
        "nucleus/bench.html?device=webgpu&weights=f16&model={models}gpt2-124m-random",
        NUCLEUS,
    ),
    Engine {
        slow: true,
        new_tokens: 4,
        ..engine("transformers-webgpu-f32", "pages/transformers.html?device=webgpu&model=gpt2-plainmm", TRANSFORMERS)
    },
    Engine {
        text: Text::Tales,
        new_tokens: 128,
        ..engine("tales-cpu", "nucleus/bench.html?device=cpu&model=tales", NUCLEUS)
    },
    Engine { text: Text::Tales, ..engine("tales-webgpu", "nucleus/bench.html?device=webgpu&model=tales", NUCLEUS) },
];

/// Bytes of an engine's code after gzip.
///
/// # Errors
/// When a file is missing from the folder of the peers.
pub fn download(engine: &Engine, folder: &Path) -> Result<usize> {
    engine.code.iter().try_fold(0, |sum, file| {
        let bytes = fs::read(folder.join(file)).with_context(|| format!("the folder of the peers has no {file}"))?;
        Ok(sum + gzipped(&bytes)?)
    })
}
