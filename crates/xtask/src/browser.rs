//! A browser and its driver, and the tests that run inside it.

use crate::process::{self, say};
use crate::system;
use crate::toolchain::Toolchain;
use crate::tools;
use crate::workspace::{Package, Workspace, make_folder};
use anyhow::{Context, Result, ensure};
use serde_json::json;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What makes WebGPU work without a screen and without a GPU (on SwiftShader), and keeps the
/// browser from asking for anything but the page. `--disable-gpu` would switch WebGPU off.
pub const ARGUMENTS: [&str; 8] = [
    "--no-sandbox",
    "--enable-unsafe-webgpu",
    "--use-webgpu-adapter=swiftshader",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
];

/// The time for all tests of one crate, in seconds: on SwiftShader one shader can take ten.
const TIMEOUT: &str = "600";

/// Chromium (or Chrome) and the driver of the same version.
#[derive(Debug)]
pub struct Browser {
    /// The browser, from the variable `CHROME` or from `PATH`.
    pub chrome: PathBuf,
    /// Its driver, from the variable `CHROMEDRIVER` or from `PATH`.
    pub driver: PathBuf,
}

impl Browser {
    /// Finds a browser, or installs Chromium where the system allows.
    ///
    /// # Errors
    ///
    /// When there is none and none can be installed; the error says what to do.
    pub fn find_or_install() -> Result<Self> {
        if let Some(browser) = Self::find() {
            return Ok(browser);
        }
        let instead = "Tests need Chromium and its driver: install `chromium` and `chromium-driver` (Debian), or any \
                       Chrome with the chromedriver of its version, and name them in CHROME and CHROMEDRIVER";
        system::install(&["chromium", "chromium-driver", "fonts-liberation"], "1 to 3 minutes, once", instead)?;
        Self::find().context(instead)
    }

    fn find() -> Option<Self> {
        let given = |name| env::var_os(name).map(PathBuf::from);
        let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
        let chrome = given("CHROME").or_else(|| names.iter().find_map(|name| process::which(name)))?;
        let driver = given("CHROMEDRIVER").or_else(|| process::which("chromedriver"))?;
        Some(Self { chrome, driver })
    }

    /// Tells a program of the workspace where the browser and its driver are.
    pub fn tell(&self, program: &mut Command) {
        program.env("CHROME", &self.chrome).env("CHROMEDRIVER", &self.driver);
    }

    /// Writes the session settings that wasm-bindgen's test runner hands to the driver.
    fn settings(&self, folder: &Path) -> Result<PathBuf> {
        let settings = json!({ "goog:chromeOptions": { "binary": self.chrome, "args": ARGUMENTS } });
        let path = folder.join("webdriver.json");
        make_folder(folder)?;
        fs::write(&path, settings.to_string()).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(path)
    }
}

/// Runs the browser tests of `only`, or of every crate that has some.
///
/// # Errors
///
/// When a tool is missing, a test fails, or `only` has no such tests.
pub fn test(workspace: &Workspace, toolchain: &Toolchain, browser: &Browser, only: Option<&str>) -> Result<()> {
    let wanted = |package: &&Package| package.has_browser_tests && only.is_none_or(|name| name == package.name);
    let packages: Vec<&Package> = workspace.packages.iter().filter(wanted).collect();
    ensure!(
        !packages.is_empty(),
        "no crate{} has tests for the browser",
        only.map(|name| format!(" {name}")).unwrap_or_default()
    );
    let wasm_pack = tools::wasm_pack(workspace)?;
    tools::wasm_bindgen(workspace)?;
    let settings = browser.settings(&workspace.target.join("nucleus"))?;
    for package in packages {
        say(format!("testing {} in the browser", package.name));
        let mut command = Command::new(&wasm_pack);
        command.args(["test", "--headless", "--chrome", "--release", "--mode", "no-install", "--chromedriver"]);
        command.arg(&browser.driver).arg(&package.folder);
        workspace.place(&mut command);
        command.env("WASM_BINDGEN_TEST_WEBDRIVER_JSON", &settings).env("WASM_BINDGEN_TEST_TIMEOUT", TIMEOUT);
        toolchain.equip(&mut command)?;
        process::run(&mut command, &format!("testing {} in the browser", package.name))?;
    }
    Ok(())
}
