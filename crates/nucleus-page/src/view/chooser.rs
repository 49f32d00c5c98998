//! The dialog in which a model is chosen, and what is kept is listed.

use nucleus_charts::{Element, Node};
use nucleus_session::{Chooser, DiskFile, Engine, KeptModel, Persistence, Place, Session, WeightFormat, sentence};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{HtmlDialogElement, HtmlElement, HtmlInputElement};

use super::nodes::{able, button, set_text};
use crate::dom::{self, DomError};
use crate::patch::Region;

/// The dialog's elements.
pub struct ChooserView {
    dialog: HtmlDialogElement,
    places: [(Place, HtmlInputElement); 3],
    parts: [(Place, HtmlElement); 2],
    address: HtmlInputElement,
    picker: HtmlElement,
    given: Region,
    formats: Region,
    /// Why the choice is refused, under what is refused.
    errors: [(Place, HtmlElement); 2],
    kept: Region,
    total: HtmlElement,
    persistence: HtmlElement,
    persist: HtmlElement,
    status: HtmlElement,
}

/// How weights can be held, in the order of the list.
const FORMATS: [Option<WeightFormat>; 4] =
    [None, Some(WeightFormat::F32), Some(WeightFormat::F16), Some(WeightFormat::Int8)];

impl ChooserView {
    /// Finds the elements.
    ///
    /// # Errors
    /// When one is missing.
    pub fn new() -> Result<Self, DomError> {
        let formats: HtmlElement = dom::element("formats-list")?;
        Ok(Self {
            dialog: dom::element("chooser")?,
            places: [
                (Place::Page, dom::element("place-page")?),
                (Place::Web, dom::element("place-web")?),
                (Place::Disk, dom::element("place-disk")?),
            ],
            parts: [(Place::Web, dom::element("web-choice")?), (Place::Disk, dom::element("disk-choice")?)],
            address: dom::element("address")?,
            picker: dom::element("files")?,
            given: Region::new(dom::element("given")?),
            formats: Region::new(formats.into()),
            errors: [(Place::Web, dom::element("address-error")?), (Place::Disk, dom::element("files-error")?)],
            kept: Region::new(dom::element("kept")?),
            total: dom::element("kept-total")?,
            persistence: dom::element("persistence")?,
            persist: dom::element("persist")?,
            status: dom::element("chooser-status")?,
        })
    }

    /// Shows the dialog as the session has it. While it is closed its content stays as it was.
    ///
    /// # Errors
    /// What the browser throws.
    pub fn render(&mut self, session: &Session) -> Result<(), JsValue> {
        let chooser = session.chooser();
        if chooser.open {
            self.choice(chooser)?;
            self.what_is_kept(chooser, session.engine())?;
        }
        match (chooser.open, self.dialog.open()) {
            (true, false) => {
                self.dialog.show_modal()?;
                let chosen = self.places.iter().find(|(place, _)| *place == chooser.place);
                chosen.map_or(Ok(()), |(_, radio)| radio.focus())
            }
            (false, true) => {
                // The browser gives the focus back to what had it before.
                self.dialog.close();
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn choice(&mut self, chooser: &Chooser) -> Result<(), JsValue> {
        for (place, radio) in &self.places {
            radio.set_checked(*place == chooser.place);
        }
        for (place, part) in &self.parts {
            part.set_hidden(*place != chooser.place);
        }
        if self.address.value() != chooser.address {
            self.address.set_value(&chooser.address);
        }
        let refused = chooser.refusal.is_some() && chooser.place == Place::Web;
        self.address.set_attribute("aria-invalid", if refused { "true" } else { "false" })?;
        for (place, error) in &self.errors {
            set_text(error, chooser.refusal.as_deref().filter(|_| *place == chooser.place).unwrap_or_default());
        }
        self.files(chooser)?;
        self.formats.show(FORMATS.into_iter().map(format).collect())?;
        let value = chooser.weights.map_or("", WeightFormat::word);
        let chosen = self.formats.root().query_selector(&format!("input[value=\"{value}\"]"))?;
        chosen
            .and_then(|input| input.dyn_into::<HtmlInputElement>().ok())
            .into_iter()
            .for_each(|input| input.set_checked(true));
        Ok(())
    }

    /// The files so far. Whoever removes the last one with the keyboard is led to where files are given.
    fn files(&mut self, chooser: &Chooser) -> Result<(), JsValue> {
        let was_inside = self.given.has_focus()?;
        self.given.show(given(&chooser.files))?;
        if was_inside && !self.given.has_focus()? {
            return self.picker.focus();
        }
        Ok(())
    }

    fn what_is_kept(&mut self, chooser: &Chooser, engine: &Engine) -> Result<(), JsValue> {
        let kept = engine.kept.as_deref().unwrap_or_default();
        let total = match &engine.kept {
            Some(kept) => sentence::kept_total(kept),
            None => "The list comes as soon as the engine has time for it.".to_owned(),
        };
        set_text(&self.total, &total);
        self.kept.show(kept.iter().enumerate().map(|(place, model)| row(place, model, chooser, engine)).collect())?;
        set_text(&self.persistence, sentence::persistence(chooser.persistence).unwrap_or_default());
        let asks = chooser.persistence == Persistence::Unknown && !kept.is_empty();
        self.persist.set_hidden(!asks);
        let question = chooser.deleting.as_ref().map(|source| format!("Delete {source}?"));
        set_text(&self.status, &question.unwrap_or_default());
        Ok(())
    }
}

/// More files than this are counted: a list of them would push everything else away.
const LISTED: usize = 10;

fn given(files: &[DiskFile]) -> Vec<Node> {
    let item = |text: String, remove: Element| Element::new("li").text(text).child(remove).into();
    if files.len() > LISTED {
        let bytes = files.iter().map(|file| file.bytes).sum();
        let text = format!("{} files, {} ", files.len(), sentence::bytes(bytes));
        return vec![item(text, button("remove-files", "Remove all").class("plain"))];
    }
    let one = |(place, file): (usize, &DiskFile)| {
        let remove = button("remove-file", "Remove").class("plain").with("data-place", place);
        let remove = remove.with("aria-label", format!("Remove {}", file.name));
        item(format!("{}, {} ", file.name, sentence::bytes(file.bytes)), remove)
    };
    files.iter().enumerate().map(one).collect()
}

fn format(format: Option<WeightFormat>) -> Node {
    let word = format.map_or("", WeightFormat::word);
    let id = format!("format-{word}");
    let (label, meaning) = sentence::weight_format(format);
    let radio = Element::new("input").with("type", "radio").with("name", "format").with("value", word);
    Element::new("div")
        .class("choice")
        .child(radio.with("id", id.clone()).with("aria-describedby", format!("{id}-note")))
        .child(Element::new("label").with("for", id.clone()).text(label))
        .child(Element::new("p").class("note").with("id", format!("{id}-note")).text(meaning))
        .into()
}

/// A kept model. When its deletion is asked for, Keep stands where Delete was: to press twice deletes nothing.
fn row(place: usize, kept: &KeptModel, chooser: &Chooser, engine: &Engine) -> Node {
    let name = kept.source.to_string();
    let asked = chooser.deleting.as_ref() == Some(&kept.source);
    let [left, right] = if asked {
        [button("really-delete", "Delete"), button("keep-all", "Keep")]
    } else {
        [
            button("load-kept", if kept.complete { "Load" } else { "Go on" }).with("data-place", place),
            button("delete-kept", "Delete\u{2026}").with("data-place", place),
        ]
    };
    let labelled = |button: Element, verb: &str| button.with("aria-label", format!("{verb} {name}"));
    let verbs = if asked {
        ["Really delete", "Keep"]
    } else {
        [if kept.complete { "Load" } else { "Go on loading" }, "Delete"]
    };
    let size = if asked { "Delete it?".to_owned() } else { sentence::kept_size(kept) };
    let right = able(labelled(right, verbs[1]), engine.is_alive());
    Element::new("li")
        .class(if asked { "asked" } else { "" })
        .child(Element::new("span").class("name").text(name.as_str()))
        .child(Element::new("span").class("size").text(size))
        .child(Element::new("span").class("choices").child(labelled(left, verbs[0])).child(right))
        .into()
}
