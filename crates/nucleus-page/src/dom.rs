//! The elements of `index.html` that the page works with, found by their ids.

use thiserror::Error;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Document, Window};

/// The page's HTML is not the one this module was built for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum DomError {
    /// There is no window: the module was loaded in a worker.
    #[error("the page's module runs in a window, but there is none here")]
    NoWindow,
    /// An element is missing or of another kind.
    #[error("index.html has no element of the right kind with the id {id:?}: page and HTML are from different builds")]
    Missing {
        /// The id.
        id: &'static str,
    },
}

impl From<DomError> for JsValue {
    fn from(error: DomError) -> Self {
        js_sys::Error::new(&error.to_string()).into()
    }
}

/// The window that this module runs in.
///
/// # Errors
/// In a worker there is none.
pub fn window() -> Result<Window, DomError> {
    web_sys::window().ok_or(DomError::NoWindow)
}

/// The document of the window.
///
/// # Errors
/// In a worker there is none.
pub fn document() -> Result<Document, DomError> {
    window()?.document().ok_or(DomError::NoWindow)
}

/// The element with an id, as the kind that is asked for.
///
/// # Errors
/// When it is not there, or of another kind.
pub fn element<T: JsCast>(id: &'static str) -> Result<T, DomError> {
    let found = document()?.get_element_by_id(id).ok_or(DomError::Missing { id })?;
    found.dyn_into().map_err(|_| DomError::Missing { id })
}
