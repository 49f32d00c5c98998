//! The peers and the weights, in a folder outside the repository: `peers` in the cache, 3 GB.

use super::super::python;
use crate::process::{self, say};
use crate::system;
use crate::workspace::{Workspace, make_folder};
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What is needed of this repository to make them.
const SOURCES: &str = "tests/peers";

/// GPT-2's vocabulary and merges, which the checkpoint's tokenizer is made of.
const VOCABULARY: &str = "tests/vectors/gpt2";

/// What makes a folder of `models` a model for transformers.js, besides the weights.
const TOKENIZER_CONFIG: &str = r#"{ "tokenizer_class": "GPT2Tokenizer", "model_max_length": 1024 }"#;
const GENERATION_CONFIG: &str = r#"{ "bos_token_id": 50256, "eos_token_id": 50256, "pad_token_id": 50256 }"#;

/// The weights for transformers.js: a folder, and how the head is written. What onnxruntime runs fast on the CPU, its WebGPU
/// backend does not, and the other way round.
const ONNX: [(&str, &str); 2] = [("gpt2-plain", "gemm"), ("gpt2-plainmm", "matmul")];

/// The weights for wllama, by number format.
const GGUF: [&str; 2] = ["f32", "q8_0"];

/// Makes whatever is not there yet, and gives the folder.
pub(super) fn all(workspace: &Workspace) -> Result<PathBuf> {
    let folder = workspace.cache.join("peers");
    make_folder(&folder)?;
    let sources = workspace.root.join(SOURCES);
    javascript(&sources, &folder)?;
    copy_folder(&sources.join("pages"), &folder.join("pages"))?;
    copy(&sources.join("reference-124m.json"), &folder)?;
    let requirements = sources.join("requirements.txt");
    let requirements = requirements.to_str().context("the repository's path is not Unicode")?;
    let needs = "numpy, safetensors, tokenizers, onnx, gguf";
    let python = python::with(&folder.join("python"), &["-r", requirements], needs)?;
    let make = Make { python, sources, models: folder.join("models") };
    make.checkpoint(&workspace.root.join(VOCABULARY))?;
    ONNX.iter().try_for_each(|(name, head)| make.onnx(name, head))?;
    GGUF.iter().try_for_each(|format| make.gguf(format))?;
    Ok(folder)
}

/// The packages in `package-lock.json`, without their install scripts: these fetch programs for Node, which nobody runs.
fn javascript(sources: &Path, folder: &Path) -> Result<()> {
    let lock = "package-lock.json";
    let same = |name: &str| matches!((fs::read(sources.join(name)), fs::read(folder.join(name))), (Ok(one), Ok(other)) if one == other);
    if same(lock) && folder.join("node_modules/@wllama/wllama").is_dir() {
        return Ok(());
    }
    if process::which("npm").is_none() {
        let instead = "the peers need npm: install Node.js with npm (Debian: `npm`)";
        system::install(&["npm"], "1 to 3 minutes, once", instead)?;
    }
    say("installing transformers.js and wllama (under a minute, once)");
    copy(&sources.join("package.json"), folder)?;
    let mut npm = Command::new("npm");
    fs::copy(sources.join(lock), folder.join(".lock.new")).context("cannot copy the list of packages")?;
    fs::rename(folder.join(".lock.new"), folder.join(lock)).context("cannot copy the list of packages")?;
    npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]).current_dir(folder);
    process::capture(&mut npm, "npm ci").map(drop)
}

/// The scripts that make weights, and where they put them.
struct Make {
    python: PathBuf,
    sources: PathBuf,
    models: PathBuf,
}

impl Make {
    /// 548 MB of seeded random weights in GPT-2's published layout.
    fn checkpoint(&self, vocabulary: &Path) -> Result<()> {
        self.once("gpt2-124m-random", "the checkpoint of 548 MB (10 s)", |folder| {
            let files = [folder, &vocabulary.join("encoder.json"), &vocabulary.join("vocab.bpe")];
            self.script("make_checkpoint.py", &files, &[])
        })
    }

    fn onnx(&self, name: &str, head: &str) -> Result<()> {
        self.once(name, "weights for transformers.js (10 s)", |folder| {
            let checkpoint = self.models.join("gpt2-124m-random");
            self.script("build_onnx.py", &[&checkpoint, &folder.join("onnx")], &[&format!("model:plain:{head}")])?;
            ["config.json", "tokenizer.json"].iter().try_for_each(|file| copy(&checkpoint.join(file), folder))?;
            write(&folder.join("tokenizer_config.json"), TOKENIZER_CONFIG)?;
            write(&folder.join("generation_config.json"), GENERATION_CONFIG)
        })
    }

    fn gguf(&self, format: &str) -> Result<()> {
        make_folder(&self.models.join("gguf"))?;
        self.once(&format!("gguf/gpt2-{format}.gguf"), "weights for wllama (10 s)", |file| {
            self.script("build_gguf.py", &[&self.models.join("gpt2-124m-random"), file], &[format])
        })
    }

    /// Makes a file or folder of `models` unless it is there. It has its name only once it is whole.
    fn once(&self, name: &str, what: &str, make: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
        let (made, begun) = (self.models.join(name), self.models.join("begun"));
        if made.exists() {
            return Ok(());
        }
        say(format!("making {what}: {name}"));
        if begun.is_dir() {
            fs::remove_dir_all(&begun).with_context(|| format!("cannot remove {}", begun.display()))?;
        }
        make(&begun)?;
        fs::rename(&begun, &made).with_context(|| format!("cannot name {}", made.display()))
    }

    fn script(&self, name: &str, files: &[&Path], words: &[&str]) -> Result<()> {
        let mut script = Command::new(&self.python);
        script.arg(self.sources.join(name)).args(files).args(words);
        process::capture(&mut script, name).map(drop)
    }
}

fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    make_folder(to)?;
    let entries = fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))?;
    entries.into_iter().try_for_each(|entry| copy(&entry?.path(), to))
}

/// Copies a file into a folder.
fn copy(file: &Path, folder: &Path) -> Result<()> {
    let name = file.file_name().context("a file without a name")?;
    fs::copy(file, folder.join(name)).with_context(|| format!("cannot copy {}", file.display())).map(drop)
}

fn write(file: &Path, text: &str) -> Result<()> {
    fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
}
