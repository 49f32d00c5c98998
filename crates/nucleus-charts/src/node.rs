//! A tree of elements and texts: what a chart returns, before it is a DOM or a string.

/// The namespace of `svg` and everything in it: the page creates those elements with
/// `createElementNS`.
///
/// An element is in it when its tag is `svg` or when its parent is in it; all others are HTML.
pub const SVG_NAMESPACE: &str = "http://www.w3.org/2000/svg";

/// One node of a tree.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// An element with its attributes and children.
    Element(Element),
    /// Text. It is never parsed as markup.
    Text(String),
}

/// An element: a tag, attributes in the order in which they were set, and children.
#[derive(Clone, Debug, PartialEq)]
pub struct Element {
    /// The tag's name, lower case, or as SVG spells it.
    pub tag: &'static str,
    /// Names and values; a name stands at most once.
    pub attributes: Vec<(&'static str, String)>,
    /// What is inside, in document order.
    pub children: Vec<Node>,
}

/// What can stand as an attribute's value.
pub trait AttributeValue {
    /// The value's text. A number that is not finite becomes `0`.
    fn into_text(self) -> String;
}

impl AttributeValue for &str {
    fn into_text(self) -> String {
        self.to_owned()
    }
}

impl AttributeValue for String {
    fn into_text(self) -> String {
        self
    }
}

impl AttributeValue for usize {
    fn into_text(self) -> String {
        self.to_string()
    }
}

impl AttributeValue for u32 {
    fn into_text(self) -> String {
        self.to_string()
    }
}

/// Two decimals at most: a hundredth of a pixel is more than a screen shows, and it keeps the tree
/// small.
impl AttributeValue for f64 {
    fn into_text(self) -> String {
        let hundredths = (self * 100.0).round();
        if !hundredths.is_finite() || hundredths == 0.0 {
            return "0".to_owned();
        }
        (hundredths / 100.0).to_string()
    }
}

impl Element {
    /// An element without attributes or children.
    pub fn new(tag: &'static str) -> Self {
        Self { tag, attributes: Vec::new(), children: Vec::new() }
    }

    /// Sets an attribute, replacing an earlier value of the same name.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl AttributeValue) -> Self {
        let value = value.into_text();
        match self.attributes.iter_mut().find(|(known, _)| *known == name) {
            Some((_, old)) => *old = value,
            None => self.attributes.push((name, value)),
        }
        self
    }

    /// Sets `class`: one or more names, separated by spaces.
    #[must_use]
    pub fn class(self, names: impl AttributeValue) -> Self {
        self.with("class", names)
    }

    /// Appends a child.
    #[must_use]
    pub fn child(mut self, child: impl Into<Node>) -> Self {
        self.children.push(child.into());
        self
    }

    /// Appends every child of an iterator.
    #[must_use]
    pub fn children<N: Into<Node>>(mut self, children: impl IntoIterator<Item = N>) -> Self {
        self.children.extend(children.into_iter().map(Into::into));
        self
    }

    /// Appends a text.
    #[must_use]
    pub fn text(self, text: impl Into<String>) -> Self {
        self.child(Node::Text(text.into()))
    }

    /// The value of an attribute, if it is set.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
    }
}

impl From<Element> for Node {
    fn from(element: Element) -> Self {
        Self::Element(element)
    }
}

impl Node {
    /// Markup for snapshots and static pages: texts and attribute values are escaped, so that no
    /// token can break out.
    pub fn to_html(&self) -> String {
        let mut out = String::new();
        self.write_html(&mut out);
        out
    }

    /// The number of nodes in the tree, texts and the root included.
    pub fn n_nodes(&self) -> usize {
        match self {
            Self::Text(_) => 1,
            Self::Element(element) => 1 + element.children.iter().map(Self::n_nodes).sum::<usize>(),
        }
    }

    /// The texts of the tree in document order, joined without a separator, as `textContent` gives
    /// them.
    pub fn text_content(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Element(element) => element.children.iter().map(Self::text_content).collect(),
        }
    }

    fn write_html(&self, out: &mut String) {
        let element = match self {
            Self::Text(text) => return escape(text, out),
            Self::Element(element) => element,
        };
        out.push('<');
        out.push_str(element.tag);
        for (name, value) in &element.attributes {
            out.push(' ');
            out.push_str(name);
            out.push_str("=\"");
            escape(value, out);
            out.push('"');
        }
        out.push('>');
        for child in &element.children {
            child.write_html(out);
        }
        out.push_str("</");
        out.push_str(element.tag);
        out.push('>');
    }
}

/// Escapes for a text and for a double-quoted attribute value alike.
fn escape(text: &str, out: &mut String) {
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_values_are_escaped() {
        let hostile = "<script>\"&'</script>]]>";
        let node: Node = Element::new("p").with("title", hostile).text(hostile).into();
        let escaped = "&lt;script&gt;&quot;&amp;&#39;&lt;/script&gt;]]&gt;";
        assert_eq!(node.to_html(), format!("<p title=\"{escaped}\">{escaped}</p>"));
        assert_eq!(node.text_content(), hostile);
    }

    #[test]
    fn a_number_that_is_not_finite_never_reaches_an_attribute() {
        let pairs = [(f64::NAN, "0"), (f64::INFINITY, "0"), (-0.001, "0"), (1.0, "1"), (-2.346, "-2.35")];
        for (value, text) in pairs {
            assert_eq!(value.into_text(), text);
        }
    }

    #[test]
    fn a_name_stands_once() {
        let element = Element::new("rect").with("x", 1_usize).class("a").with("x", 2_u32);
        assert_eq!(element.attributes, [("x", "2".to_owned()), ("class", "a".to_owned())]);
    }

    #[test]
    fn nodes_are_counted() {
        let node: Node = Element::new("p").text("a").child(Element::new("b").text("c")).into();
        assert_eq!(node.n_nodes(), 4);
    }
}
