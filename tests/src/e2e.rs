//! The page in a real browser, used the way its readers use it.
//!
//! A test describes a [`Stage`] (which site, how wide, with or without WebGPU), and plays on its [`Page`]. The page's controls
//! are found by their role and accessible name and by nothing else, so that what a test can do, a reader with a screen reader
//! can do; what the page says is taken in one [`Reading`], so that its parts are of one moment.

pub mod blank;
mod browser;
mod driver;
mod fit;
pub mod golden;
mod keyboard;
pub mod lines;
mod page;
mod puppet;
mod reading;
mod role;
mod screenshot;
mod site;
mod stage;
pub mod synthetic;
mod unruly;

pub use browser::{Browser, Gpu, Look, Scheme, UNTRUSTED_HOST};
pub use keyboard::Focused;
pub use page::{Page, SOON};
pub use puppet::Puppet;
pub use reading::{Complaint, Reading, Row, Token};
pub use role::Role;
pub use site::{Site, repository};
pub use stage::Stage;
pub use unruly::{Answer, Asked, Flow, Unruly};
