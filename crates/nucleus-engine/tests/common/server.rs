//! A server inside the worker: it stands in for `fetch`.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use js_sys::{Array, Function, Object, Promise, Reflect, Uint8Array};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{File, Headers};

use super::{FILES, after};

/// Makes the body: bytes `at..stop` in chunks of 64 kB, at whose end the connection breaks or not.
const STREAM: &str = "
    return new ReadableStream({ pull(controller) {
        if (at >= stop) return breaks ? controller.error(new TypeError('network error')) : controller.close();
        const length = Math.min(1 << 16, stop - at);
        controller.enqueue(make(at, length));
        at += length;
    } });";

/// Bytes that need not all be there.
#[derive(Clone)]
pub struct Body {
    pub length: u64,
    /// What the file begins with; the rest is zeros.
    start: Rc<Vec<u8>>,
}

impl Body {
    pub fn of(bytes: &[u8]) -> Self {
        Self { length: bytes.len() as u64, start: Rc::new(bytes.to_vec()) }
    }

    /// A file that begins with `start`, and goes on with zeros.
    pub fn zeros_after(start: Vec<u8>, length: u64) -> Self {
        Self { length, start: Rc::new(start) }
    }

    /// The same as a file of the reader's.
    pub fn file(&self, name: &str) -> File {
        File::new_with_u8_array_sequence(&Array::of1(&self.bytes(0.0, self.length as f64)), name).unwrap()
    }

    fn bytes(&self, at: f64, length: f64) -> Uint8Array {
        let chunk = Uint8Array::new_with_length(length as u32);
        if let Some(start) = self.start.get(at as usize..) {
            let known = start.len().min(length as usize);
            chunk.subarray(0, known as u32).copy_from(&start[..known]);
        }
        chunk
    }
}

/// An answer of the server.
#[derive(Clone)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: Body,
    /// How long it takes to come.
    pub milliseconds: i32,
    /// Whether a part is sent where a part is asked for.
    pub ranges: bool,
    /// So many bytes come over each connection, then it breaks; and how often it does.
    pub breaks: Option<(u64, Rc<Cell<u32>>)>,
    /// Whether it says how long it is.
    pub announces: bool,
    /// Whether it is another host's, which does not permit the page to read it.
    pub hidden: bool,
    pub silent_after: Option<u64>,
}

impl Answer {
    pub fn ok(body: &[u8]) -> Self {
        Self::body(Body::of(body))
    }

    pub fn body(body: Body) -> Self {
        Self {
            status: 200,
            headers: Vec::new(),
            body,
            milliseconds: 0,
            ranges: true,
            breaks: None,
            announces: true,
            hidden: false,
            silent_after: None,
        }
    }

    pub fn status(status: u16, body: &str) -> Self {
        Self { status, ..Self::ok(body.as_bytes()) }
    }

    /// As when the network is gone.
    pub fn no_answer() -> Self {
        Self::status(0, "")
    }

    /// With an entity tag.
    pub fn tagged(self, tag: &str) -> Self {
        Self { headers: vec![("etag", format!("\"{tag}\""))], ..self }
    }

    /// The connection breaks after every `bytes`, so many times.
    pub fn breaking(self, bytes: u64, times: u32) -> Self {
        Self { breaks: Some((bytes, Rc::new(Cell::new(times)))), ..self }
    }

    /// No answer for a part that begins at `byte` or later.
    pub fn silent_after(self, byte: u64) -> Self {
        Self { silent_after: Some(byte), ..self }
    }

    fn promise(&self, init: &Object) -> Promise {
        let late = self.range(init).zip(self.silent_after).is_some_and(|(range, byte)| range.start >= byte);
        let unread = Reflect::get(init, &"mode".into()).unwrap().as_string().as_deref() == Some("no-cors");
        if self.status == 0 || late || (self.hidden && !unread) {
            return Promise::reject(&js_sys::Error::new("Failed to fetch").into());
        }
        after(self.milliseconds, self.response(init))
    }

    /// The bytes that are sent, and whether they are a part.
    fn range(&self, init: &Object) -> Option<Range<u64>> {
        if !self.ranges || self.status != 200 {
            return None;
        }
        let asked = asked_header(init, "range")?;
        let known = asked_header(init, "if-range");
        let tag = self.headers.iter().find(|(name, _)| *name == "etag").map(|(_, tag)| tag);
        if known.is_some() && known.as_ref() != tag {
            return None;
        }
        let (start, last) = asked.strip_prefix("bytes=").unwrap().split_once('-').unwrap();
        let end = last.parse().map_or(self.body.length, |last: u64| (last + 1).min(self.body.length));
        Some(start.parse().unwrap()..end)
    }

    fn response(&self, init: &Object) -> JsValue {
        let range = self.range(init);
        let sent = range.clone().unwrap_or(0..self.body.length);
        let status = match &range {
            Some(range) if range.start >= self.body.length => 416,
            Some(_) => 206,
            None => self.status,
        };
        let mut headers = self.headers.clone();
        if range.is_some() {
            let place = if status == 206 { format!("{}-{}", sent.start, sent.end - 1) } else { "*".into() };
            headers.push(("content-range", format!("bytes {place}/{}", self.body.length)));
        }
        if self.announces && status != 416 {
            headers.push(("content-length", (sent.end - sent.start).to_string()));
        }
        response(status, &headers, &self.stream(sent))
    }

    fn stream(&self, sent: Range<u64>) -> JsValue {
        let mut stop = sent.end;
        let mut breaks = false;
        if let Some((bytes, times)) = self.breaks.as_ref().filter(|(_, times)| times.get() > 0)
            && sent.start + bytes < sent.end
        {
            times.set(times.get() - 1);
            (stop, breaks) = (sent.start + bytes, true);
        }
        let body = self.body.clone();
        let make = Closure::<dyn Fn(f64, f64) -> Uint8Array>::new(move |at, length| body.bytes(at, length));
        let stream = Function::new_with_args("make, at, stop, breaks", STREAM);
        let (at, stop) = (sent.start as f64, stop as f64);
        let arguments = Array::of4(&make.into_js_value(), &at.into(), &stop.into(), &breaks.into());
        stream.apply(&JsValue::NULL, &arguments).unwrap()
    }
}

fn asked_header(init: &Object, name: &str) -> Option<String> {
    let headers = Reflect::get(init, &"headers".into()).ok()?.dyn_into::<Headers>().ok()?;
    headers.get(name).unwrap()
}

fn response(status: u16, headers: &[(&str, String)], body: &JsValue) -> JsValue {
    let all = Headers::new().unwrap();
    headers.iter().for_each(|(name, value)| all.set(name, value).unwrap());
    let init = Object::new();
    Reflect::set(&init, &"status".into(), &status.into()).unwrap();
    Reflect::set(&init, &"headers".into(), &all).unwrap();
    let make: Function = Reflect::get(&js_sys::global(), &"Response".into()).unwrap().unchecked_into();
    Reflect::construct(&make, &Array::of2(body, &init)).unwrap()
}

/// Stands in for `fetch`: hands out the files above, and whatever a test puts in their place. An address that it does not
/// know is answered with 404.
#[derive(Clone)]
pub struct Server {
    answers: Rc<RefCell<HashMap<String, Answer>>>,
    asked: Rc<RefCell<Vec<String>>>,
}

impl Server {
    pub fn start() -> Self {
        let files = FILES.into_iter().flatten().map(|(name, bytes)| ((*name).to_owned(), Answer::ok(bytes)));
        let server = Self { answers: Rc::new(RefCell::new(files.collect())), asked: Rc::default() };
        let this = server.clone();
        let fetch = Closure::<dyn Fn(JsValue, Object) -> Promise>::new(move |address: JsValue, init: Object| {
            this.fetch(&address.as_string().unwrap(), &init)
        });
        Reflect::set(&js_sys::global(), &"fetch".into(), fetch.as_ref()).unwrap();
        fetch.forget();
        server
    }

    pub fn put(&self, address: &str, answer: Answer) {
        self.answers.borrow_mut().insert(address.to_owned(), answer);
    }

    /// The files of a folder under another address as well.
    pub fn copy(&self, from: &str, to: &str) {
        for (name, bytes) in FILES.into_iter().flatten() {
            if let Some(file) = name.strip_prefix(from) {
                self.put(&format!("{to}{file}"), Answer::ok(bytes));
            }
        }
    }

    /// Nothing is there any more, as when the network is gone.
    pub fn vanish(&self) {
        self.answers.borrow_mut().values_mut().for_each(|answer| *answer = Answer::no_answer());
    }

    /// The addresses asked for since the last call, each with the range in brackets if it had one.
    pub fn asked(&self) -> Vec<String> {
        self.asked.borrow_mut().drain(..).collect()
    }

    fn fetch(&self, address: &str, init: &Object) -> Promise {
        let range = asked_header(init, "range").map_or_else(String::new, |range| format!("[{}]", &range[6..]));
        self.asked.borrow_mut().push(format!("{address}{range}"));
        let answers = self.answers.borrow();
        match answers.get(address) {
            Some(answer) => answer.promise(init),
            None => Answer::status(404, "not here").promise(init),
        }
    }
}
