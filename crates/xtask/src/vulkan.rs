//! A Vulkan device for native tests, on machines that have none.

use crate::browser::Browser;
use crate::process::say;
use crate::system;
use anyhow::Result;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The file by which the Vulkan loader finds SwiftShader, the software device that Chromium brings along.
const DRIVER: &str = "vk_swiftshader_icd.json";

/// Where packages put a browser whose command is a script elsewhere.
const FOLDERS: [&str; 4] =
    ["/usr/lib/chromium", "/usr/lib/chromium-browser", "/opt/google/chrome", "/usr/lib64/chromium-browser"];

/// Points a program to the software device of the browser, else to Mesa's, which is installed where the system allows.
/// A real device would do too, but results should not depend on the machine.
///
/// # Errors
///
/// When there is neither and none can be installed; the error says what to do.
pub fn tell(browser: &Browser, program: &mut Command) -> Result<()> {
    if let Some(folder) = folder(browser) {
        let others = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
        let libraries = env::join_paths([folder.clone()].into_iter().chain(env::split_paths(&others)))?;
        program.env("VK_DRIVER_FILES", folder.join(DRIVER)).env("LD_LIBRARY_PATH", libraries);
        return Ok(());
    }
    say(format!("the browser brings no {DRIVER}: the tests run on the system's own Vulkan device"));
    if !Path::new("/usr/share/vulkan/icd.d").is_dir() {
        let instead = "Native tests of the WebGPU kernels need a Vulkan device: install `libvulkan1` and \
                       `mesa-vulkan-drivers` (Debian), which have one in software";
        system::install(&["libvulkan1", "mesa-vulkan-drivers"], "1 minute, once", instead)?;
    }
    Ok(())
}

fn folder(browser: &Browser) -> Option<PathBuf> {
    let real = fs::canonicalize(&browser.chrome).ok();
    let beside = real.as_deref().and_then(Path::parent).map(Path::to_path_buf);
    beside.into_iter().chain(FOLDERS.map(PathBuf::from)).find(|folder| folder.join(DRIVER).is_file())
}
