//! Brings the children of an element to match a list of nodes, changing only what differs.
//!
//! Nodes are compared by position: the charts keep their order, and a run's text only grows at its end. What the page does not
//! own stays untouched: focus, selection and scroll positions survive because elements are kept, not replaced.

use nucleus_charts::{Element, Node, SVG_NAMESPACE};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::Document;

/// A part of the document and the nodes it shows now.
pub struct Region {
    root: web_sys::Element,
    shown: Vec<Node>,
}

impl Region {
    /// A region on an element that is empty.
    pub fn new(root: web_sys::Element) -> Self {
        Self { root, shown: Vec::new() }
    }

    /// The element that the region fills.
    pub fn root(&self) -> &web_sys::Element {
        &self.root
    }

    /// Whether the keyboard's focus is on the region or in it.
    ///
    /// # Errors
    /// What the browser throws.
    pub fn has_focus(&self) -> Result<bool, JsValue> {
        let within = self.root.query_selector(":focus")?.is_some();
        Ok(within || self.root.matches(":focus")?)
    }

    /// Shows `nodes` instead of what was shown before.
    ///
    /// # Errors
    /// What the document throws, which for valid tags and attribute names it does not.
    pub fn show(&mut self, nodes: Vec<Node>) -> Result<(), JsValue> {
        if nodes == self.shown {
            return Ok(());
        }
        let document = self.root.owner_document().ok_or("an element outside a document cannot be filled")?;
        Patch { document }.children(&self.root, &self.shown, &nodes, false)?;
        self.shown = nodes;
        Ok(())
    }
}

struct Patch {
    document: Document,
}

impl Patch {
    fn children(&self, parent: &web_sys::Element, old: &[Node], new: &[Node], svg: bool) -> Result<(), JsValue> {
        let mut place = parent.first_child();
        for (index, node) in new.iter().enumerate() {
            let next = place.as_ref().and_then(web_sys::Node::next_sibling);
            match (old.get(index), place) {
                (Some(before), Some(dom)) => self.node(parent, &dom, before, node, svg)?,
                _ => {
                    parent.append_child(&self.create(node, svg)?)?;
                }
            }
            place = next;
        }
        while let Some(dom) = place {
            place = dom.next_sibling();
            parent.remove_child(&dom)?;
        }
        Ok(())
    }

    fn node(
        &self,
        parent: &web_sys::Element,
        dom: &web_sys::Node,
        old: &Node,
        new: &Node,
        svg: bool,
    ) -> Result<(), JsValue> {
        match (old, new) {
            (Node::Text(before), Node::Text(after)) => {
                if before != after {
                    dom.set_node_value(Some(after));
                }
                Ok(())
            }
            // A field with another name is another field: what was typed into this one must not stand in that one.
            (Node::Element(before), Node::Element(after))
                if before.tag == after.tag && before.attribute("id") == after.attribute("id") =>
            {
                let element: &web_sys::Element = dom.unchecked_ref();
                attributes(element, before, after)?;
                self.children(element, &before.children, &after.children, svg || after.tag == "svg")
            }
            _ => parent.replace_child(&self.create(new, svg)?, dom).map(drop),
        }
    }

    fn create(&self, node: &Node, svg: bool) -> Result<web_sys::Node, JsValue> {
        let element = match node {
            Node::Text(text) => return Ok(self.document.create_text_node(text).into()),
            Node::Element(element) => element,
        };
        let svg = svg || element.tag == "svg";
        let dom = if svg {
            self.document.create_element_ns(Some(SVG_NAMESPACE), element.tag)?
        } else {
            self.document.create_element(element.tag)?
        };
        for (name, value) in &element.attributes {
            dom.set_attribute(name, value)?;
        }
        for child in &element.children {
            dom.append_child(&self.create(child, svg)?)?;
        }
        Ok(dom.into())
    }
}

fn attributes(dom: &web_sys::Element, old: &Element, new: &Element) -> Result<(), JsValue> {
    for (name, value) in &new.attributes {
        if old.attribute(name) != Some(value) {
            dom.set_attribute(name, value)?;
        }
    }
    for (name, _) in &old.attributes {
        if new.attribute(name).is_none() {
            dom.remove_attribute(name)?;
        }
    }
    Ok(())
}
