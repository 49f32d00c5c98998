//! How the recorded runs in `www/recordings` are made, for the command that writes them and the test that makes them again.

mod rounded;
mod script;
mod tales;

pub use rounded::Rounded;
pub use script::{SCRIPTS, Script};
pub use tales::{Tales, wait, www};
