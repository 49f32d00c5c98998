//! The map of the workspace: which crate may know which, and what lies at the top level.
//!
//! The page starts at once because it carries no model, and the pure crates run anywhere because they know no browser and no
//! tensor. One careless line in a `Cargo.toml` would end that without any other test noticing.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::{env, fs};

use serde::Deserialize;

/// Every crate of the workspace and the crates of the workspace that it may name in its `Cargo.toml`, for any purpose.
const ARROWS: &[(&str, &[&str])] = &[
    ("nucleus-sampler", &[]),
    ("nucleus-tokenizer", &[]),
    ("nucleus-decode", &["nucleus-sampler"]),
    ("nucleus-charts", &["nucleus-sampler", "nucleus-decode"]),
    ("nucleus-session", &["nucleus-sampler", "nucleus-decode"]),
    ("nucleus-gpt2", &["nucleus-decode"]),
    ("nucleus-engine", &["nucleus-gpt2", "nucleus-tokenizer", "nucleus-decode", "nucleus-session", "nucleus-sampler"]),
    ("nucleus-page", &["nucleus-session", "nucleus-charts", "nucleus-decode", "nucleus-sampler"]),
    ("xtask", &[]),
];

/// The crate of tests sees everything, and nothing sees it.
const TESTS: &str = "nucleus-tests";

/// What each crate must not reach, however many crates lie between.
const OUT_OF_REACH: &[(&[&str], &[&str])] = &[
    (
        &["nucleus-page"],
        &["burn", "burn-wgpu", "wgpu", "tokenizers", "nucleus-gpt2", "nucleus-engine", "nucleus-tokenizer"],
    ),
    (
        &["nucleus-sampler", "nucleus-decode", "nucleus-charts", "nucleus-session"],
        &["burn", "wgpu", "tokenizers", "web-sys", "js-sys", "wasm-bindgen"],
    ),
    (&["nucleus-tokenizer"], &["burn", "wgpu"]),
    (&["nucleus-gpt2"], &["tokenizers", "nucleus-tokenizer"]),
];

/// What may lie at the top of the repository besides hidden files, and `target`, which is not part of it.
const TOP_LEVEL: &[&str] = &[
    "Cargo.toml",
    "Cargo.lock",
    "README.md",
    "LICENSE-MIT",
    "LICENSE-APACHE",
    "crates",
    "www",
    "pkg",
    "tests",
    "target",
];

/// The graph as the browser sees it: without a platform, cargo would fetch what only other systems need.
const QUESTION: [&str; 5] = ["metadata", "--format-version", "1", "--filter-platform", "wasm32-unknown-unknown"];

static METADATA: LazyLock<Metadata> = LazyLock::new(Metadata::read);

#[test]
fn the_arrows_between_the_crates_are_the_design() {
    let metadata = &*METADATA;
    let members: BTreeMap<&str, BTreeSet<&str>> = metadata
        .members()
        .map(|package| (package.name.as_str(), package.dependencies.iter().filter_map(Dependency::inside).collect()))
        .collect();

    let designed: BTreeSet<&str> = ARROWS.iter().map(|(name, _)| *name).chain([TESTS]).collect();
    assert_eq!(members.keys().copied().collect::<BTreeSet<_>>(), designed, "the crates of the workspace");

    let mut wrong = Vec::new();
    for (from, allowed) in ARROWS {
        wrong.extend(members[from].iter().filter(|to| !allowed.contains(to)).map(|to| format!("{from} -> {to}")));
    }
    assert!(wrong.is_empty(), "arrows that the design does not have: {}", wrong.join(", "));
}

#[test]
fn the_page_carries_no_model_and_the_pure_crates_know_no_browser() {
    let metadata = &*METADATA;
    let mut wrong = Vec::new();
    for (crates, forbidden) in OUT_OF_REACH {
        for name in *crates {
            let ways = metadata.ways_from(name);
            wrong.extend(forbidden.iter().filter_map(|target| ways.get(*target)).cloned());
        }
    }
    assert!(wrong.is_empty(), "these must not be reached:\n{}", wrong.join("\n"));
}

#[test]
fn a_forbidden_crate_would_be_found_at_any_depth() {
    let metadata = &*METADATA;
    // The engine reaches all of these, and the last only through other crates: the search above does see that far.
    let ways = metadata.ways_from("nucleus-engine");
    for target in ["burn", "tokenizers", "web-sys", "wgpu", "nucleus-gpt2"] {
        assert!(ways.contains_key(target), "the engine should reach {target}");
    }
    assert!(ways["wgpu"].contains(" -> burn"), "{}", ways["wgpu"]);
}

#[test]
fn the_top_level_holds_nothing_but_the_map() {
    let strangers: Vec<String> = fs::read_dir(root())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !name.starts_with('.') && !TOP_LEVEL.contains(&name.as_str()))
        .collect();
    assert!(strangers.is_empty(), "these do not belong at the top of the repository: {}", strangers.join(", "));
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The part of `cargo metadata` that matters here.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    workspace_members: Vec<String>,
    resolve: Resolve,
}

#[derive(Deserialize)]
struct Package {
    id: String,
    name: String,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    path: Option<PathBuf>,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Resolved>,
}

#[derive(Deserialize)]
struct Resolved {
    id: String,
    deps: Vec<Edge>,
}

#[derive(Deserialize)]
struct Edge {
    pkg: String,
    dep_kinds: Vec<EdgeKind>,
}

#[derive(Deserialize)]
struct EdgeKind {
    kind: Option<String>,
}

impl Metadata {
    fn read() -> Self {
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let output = Command::new(cargo).args(QUESTION).current_dir(root()).output().unwrap();
        assert!(output.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    fn members(&self) -> impl Iterator<Item = &Package> {
        self.packages.iter().filter(|package| self.workspace_members.contains(&package.id))
    }

    /// Every crate that is linked into the one called `name`, each with a shortest way to it. What only tests need is not
    /// linked.
    fn ways_from(&self, name: &str) -> BTreeMap<&str, String> {
        let names: BTreeMap<&str, &str> = self.packages.iter().map(|package| (&*package.id, &*package.name)).collect();
        let edges: BTreeMap<&str, &[Edge]> = self.resolve.nodes.iter().map(|node| (&*node.id, &*node.deps)).collect();
        let start = self.members().find(|package| package.name == name).unwrap();

        let mut ways = BTreeMap::from([(&*start.name, start.name.clone())]);
        let mut level = vec![&*start.id];
        while !level.is_empty() {
            let mut next = Vec::new();
            for from in level {
                for to in edges[from].iter().filter(|edge| edge.is_linked()).map(|edge| &*edge.pkg) {
                    if !ways.contains_key(names[to]) {
                        ways.insert(names[to], format!("{} -> {}", ways[names[from]], names[to]));
                        next.push(to);
                    }
                }
            }
            level = next;
        }
        ways
    }
}

impl Dependency {
    /// The name, if it is a crate of this workspace.
    fn inside(&self) -> Option<&str> {
        self.path.is_some().then_some(&*self.name)
    }
}

impl Edge {
    fn is_linked(&self) -> bool {
        self.dep_kinds.iter().any(|kind| kind.kind.as_deref() != Some("dev"))
    }
}
