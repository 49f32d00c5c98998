//! One question over HTTP, and what it means when no answer can be read.

use nucleus_session::Failure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Headers, RequestCache, RequestInit, RequestMode, Response, WorkerGlobalScope};

/// A question for a file, or for a part of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ask<'a> {
    /// Relative to the worker's own address, so that a site works under any path; or absolute.
    pub(crate) address: &'a str,
    pub(crate) method: &'static str,
    /// From a byte on; up to another, exclusive, or to the end.
    pub(crate) range: Option<(u64, Option<u64>)>,
    /// The part is of use only if the file is still this one; else all of it is wanted.
    pub(crate) if_range: Option<&'a str>,
    pub(crate) cache: RequestCache,
}

impl<'a> Ask<'a> {
    /// For the whole file; the browser may keep it.
    pub(crate) fn whole(address: &'a str) -> Self {
        Self { address, method: "GET", range: None, if_range: None, cache: RequestCache::Default }
    }

    /// Sends the question, and waits for the head of the answer, whatever its status.
    ///
    /// # Errors
    /// [`Failure::Fetch`] and [`Failure::CrossOrigin`] when there is no answer that may be read.
    pub(crate) async fn send(self) -> Result<Response, Failure> {
        match self.try_send().await {
            Ok(response) => Ok(response),
            Err(_) => Err(explain(self.address).await),
        }
    }

    async fn try_send(self) -> Result<Response, JsValue> {
        let init = RequestInit::new();
        init.set_method(self.method);
        init.set_cache(self.cache);
        let headers = Headers::new()?;
        if let Some((start, end)) = self.range {
            // The last byte is counted in.
            let last = end.map_or_else(String::new, |end| (end - 1).to_string());
            headers.set("Range", &format!("bytes={start}-{last}"))?;
        }
        if let Some(validator) = self.if_range {
            headers.set("If-Range", validator)?;
        }
        init.set_headers_headers(&headers);
        let worker = js_sys::global().unchecked_into::<WorkerGlobalScope>();
        let answer = JsFuture::from(worker.fetch_with_str_and_init(self.address, &init)).await?;
        Ok(answer.unchecked_into())
    }
}

/// Whether an address is that of another host: what its answers tell may then be hidden, and headers of the question that
/// are not plain make browsers ask for permission first.
pub(crate) fn is_elsewhere(address: &str) -> bool {
    let origin = js_sys::global().unchecked_into::<WorkerGlobalScope>().location().origin();
    address.contains("://") && !address.starts_with(&format!("{origin}/"))
}

/// Browsers say the same of a host that does not answer and of one that does not permit the page to read its answer. A
/// question whose answer nobody reads tells the two apart, unless the page is isolated: then it may fail as well.
async fn explain(address: &str) -> Failure {
    let silent = Failure::Fetch { address: address.into(), status: None };
    if !is_elsewhere(address) {
        return silent;
    }
    let init = RequestInit::new();
    init.set_method("HEAD");
    init.set_mode(RequestMode::NoCors);
    let worker = js_sys::global().unchecked_into::<WorkerGlobalScope>();
    match JsFuture::from(worker.fetch_with_str_and_init(address, &init)).await {
        Ok(_) => Failure::CrossOrigin { address: address.into() },
        Err(_) => silent,
    }
}
