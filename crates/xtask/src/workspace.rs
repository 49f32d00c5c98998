//! Where things are, and what the workspace consists of.

use crate::process;
use anyhow::{Context, Result};
use serde_json::Value;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The package with the tests of the whole.
pub const TESTS: &str = "nucleus-tests";

/// The feature with which it has the end-to-end tests.
const END_TO_END: &str = "nucleus-tests/e2e";

/// The feature with which the model has tests on a Vulkan device.
pub const WEBGPU: &str = "nucleus-gpt2/webgpu-tests";

/// The workspace as cargo describes it.
#[derive(Debug)]
pub struct Workspace {
    /// The folder of the root `Cargo.toml`.
    pub root: PathBuf,
    /// Where cargo builds.
    pub target: PathBuf,
    /// Where tools are kept between builds and between clones: `nucleus` in the user's cache folder.
    pub cache: PathBuf,
    /// The packages, sorted by name.
    pub packages: Vec<Package>,
}

/// A package of the workspace.
#[derive(Debug)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// Its folder.
    pub folder: PathBuf,
    /// It becomes a module for the browser and is not built for this machine.
    pub is_module: bool,
    /// It has tests that run inside a browser.
    pub has_browser_tests: bool,
    /// It has benches.
    pub has_benches: bool,
}

impl Workspace {
    /// Asks cargo about the workspace around the current folder.
    ///
    /// # Errors
    ///
    /// When cargo cannot read it, or there is no folder for the cache.
    pub fn find() -> Result<Self> {
        let arguments = ["metadata", "--no-deps", "--format-version", "1"];
        let text = process::capture(process::cargo().args(arguments), "reading the workspace")?;
        let metadata: Value = serde_json::from_str(&text).context("cargo metadata printed no JSON")?;
        let mut packages: Vec<Package> = list(&metadata, "packages").filter_map(Package::read).collect();
        packages.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(Self {
            root: path(&metadata, "workspace_root").context("cargo metadata names no workspace")?,
            target: path(&metadata, "target_directory").context("cargo metadata names no target folder")?,
            cache: cache_folder()?,
            packages,
        })
    }

    /// The built site.
    #[must_use]
    pub fn site(&self) -> PathBuf {
        self.root.join("pkg/site")
    }

    /// Where the tools are that cargo installed for this workspace.
    #[must_use]
    pub fn tools(&self) -> PathBuf {
        self.cache.join("tools")
    }

    /// Cargo, in the root of the workspace.
    #[must_use]
    pub fn cargo(&self) -> Command {
        let mut command = process::cargo();
        self.place(&mut command);
        command
    }

    /// Runs a command in the root of the workspace. A target folder that was given relative to
    /// another folder stays the same one.
    pub fn place(&self, command: &mut Command) {
        command.current_dir(&self.root).env("CARGO_TARGET_DIR", &self.target);
    }

    /// `--workspace` without the modules, which are built for wasm only.
    #[must_use]
    pub fn native_packages(&self) -> Vec<&str> {
        let modules = self.packages.iter().filter(|package| package.is_module);
        let excluded = modules.flat_map(|package| ["--exclude", package.name.as_str()]);
        std::iter::once("--workspace").chain(excluded).collect()
    }

    /// [`native_packages`](Self::native_packages) with the end-to-end tests and those on a Vulkan device. Every native command
    /// selects the same: with other features of a small crate far below, cargo would build burn again.
    #[must_use]
    pub fn native_selection(&self) -> Vec<&str> {
        [self.native_packages(), vec!["--features", END_TO_END, "--features", WEBGPU]].concat()
    }

    /// Builds a program of the package [`TESTS`] and gives the command that runs it.
    ///
    /// # Errors
    ///
    /// When it does not compile.
    pub fn test_program(&self, name: &str) -> Result<Command> {
        let mut cargo = self.cargo();
        // With the tests, which ask for more features of what lies below: burn is built once for all.
        cargo.arg("build").args(self.native_selection()).args(["--bins", "--tests"]);
        process::run(&mut cargo, &format!("building {name}"))?;
        let mut program = Command::new(self.target.join("debug").join(name));
        self.place(&mut program);
        Ok(program)
    }

    /// The version of a dependency in `Cargo.lock`.
    ///
    /// # Errors
    ///
    /// When the file or the package is missing.
    pub fn locked_version(&self, name: &str) -> Result<String> {
        let path = self.root.join("Cargo.lock");
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        version_in(&text, name).with_context(|| format!("{} has no package `{name}`", path.display()))
    }
}

/// The `version` line that follows the `name` line of a package.
fn version_in(lock: &str, name: &str) -> Option<String> {
    let heading = format!("name = \"{name}\"");
    let mut lines = lock.lines().skip_while(|line| *line != heading);
    let version = lines.nth(1)?.strip_prefix("version = \"")?;
    version.strip_suffix('"').map(str::to_owned)
}

impl Package {
    fn read(value: &Value) -> Option<Self> {
        let targets = || list(value, "targets");
        let is_browser_test =
            |dependency: &Value| dependency["name"] == "wasm-bindgen-test" && dependency["kind"] == "dev";
        Some(Self {
            name: value["name"].as_str()?.to_owned(),
            folder: path(value, "manifest_path")?.parent()?.to_owned(),
            is_module: targets().flat_map(|target| list(target, "crate_types")).any(|kind| kind == "cdylib"),
            has_browser_tests: list(value, "dependencies").any(is_browser_test),
            has_benches: targets().flat_map(|target| list(target, "kind")).any(|kind| kind == "bench"),
        })
    }
}

fn list<'value>(value: &'value Value, key: &str) -> impl Iterator<Item = &'value Value> {
    value[key].as_array().into_iter().flatten()
}

fn path(value: &Value, key: &str) -> Option<PathBuf> {
    value[key].as_str().map(PathBuf::from)
}

fn cache_folder() -> Result<PathBuf> {
    let absolute = |name| env::var_os(name).map(PathBuf::from).filter(|path: &PathBuf| path.is_absolute());
    let base = absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")));
    let base = base.context("no folder for tools: set HOME or XDG_CACHE_HOME to an absolute path")?;
    Ok(base.join("nucleus"))
}

/// Makes a folder and those above it.
///
/// # Errors
///
/// When the system refuses; the error names the folder.
pub fn make_folder(path: &Path) -> Result<()> {
    fs::create_dir_all(path).with_context(|| format!("cannot make the folder {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::{Workspace, version_in};

    #[test]
    fn the_lock_file_gives_the_version_of_exactly_that_package() {
        let lock =
            "[[package]]\nname = \"a-b\"\nversion = \"1.0.0\"\n\n[[package]]\nname = \"a\"\nversion = \"2.0.0\"\n";
        assert_eq!(version_in(lock, "a").as_deref(), Some("2.0.0"));
        assert_eq!(version_in(lock, "b"), None);
    }

    #[test]
    fn the_two_modules_are_told_from_the_rest() {
        let workspace = Workspace::find().unwrap();
        let modules = workspace.packages.iter().filter(|package| package.is_module);
        assert_eq!(
            modules.map(|package| package.name.as_str()).collect::<Vec<_>>(),
            ["nucleus-engine", "nucleus-page"]
        );
        assert_eq!(workspace.native_packages().len(), 5);
    }
}
