//! A server inside the worker: it stands in for `fetch`.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use js_sys::{Array, Function, Object, Promise, Reflect, Uint8Array};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};

use super::{FILES, after};

/// An answer of the server.
#[derive(Clone)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
    /// How long it takes to come.
    pub milliseconds: i32,
}

impl Answer {
    pub fn ok(body: &[u8]) -> Self {
        Self {
            status: 200,
            headers: vec![("content-length", body.len().to_string())],
            body: body.to_vec(),
            milliseconds: 0,
        }
    }

    pub fn status(status: u16, body: &str) -> Self {
        Self { status, ..Self::ok(body.as_bytes()) }
    }

    /// As when the network is gone.
    pub fn no_answer() -> Self {
        Self::status(0, "")
    }

    fn promise(&self) -> Promise {
        if self.status == 0 {
            return Promise::reject(&js_sys::Error::new("Failed to fetch").into());
        }
        let response = self.response();
        after(self.milliseconds, response)
    }

    fn response(&self) -> JsValue {
        let headers = Object::new();
        for (name, value) in &self.headers {
            Reflect::set(&headers, &(*name).into(), &value.into()).unwrap();
        }
        let init = Object::new();
        Reflect::set(&init, &"status".into(), &self.status.into()).unwrap();
        Reflect::set(&init, &"headers".into(), &headers).unwrap();
        let make: Function = Reflect::get(&js_sys::global(), &"Response".into()).unwrap().unchecked_into();
        Reflect::construct(&make, &Array::of2(&Uint8Array::from(self.body.as_slice()), &init)).unwrap()
    }
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
        let fetch = Closure::<dyn Fn(JsValue) -> Promise>::new(move |address: JsValue| {
            this.fetch(&address.as_string().unwrap())
        });
        Reflect::set(&js_sys::global(), &"fetch".into(), fetch.as_ref()).unwrap();
        fetch.forget();
        server
    }

    pub fn put(&self, address: &str, answer: Answer) {
        self.answers.borrow_mut().insert(address.to_owned(), answer);
    }

    /// The addresses asked for since the last call.
    pub fn asked(&self) -> Vec<String> {
        self.asked.borrow_mut().drain(..).collect()
    }

    fn fetch(&self, address: &str) -> Promise {
        self.asked.borrow_mut().push(address.to_owned());
        let answers = self.answers.borrow();
        match answers.get(address) {
            Some(answer) => answer.promise(),
            None => Answer::status(404, "not here").promise(),
        }
    }
}
