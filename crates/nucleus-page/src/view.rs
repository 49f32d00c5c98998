//! From the session to the document: every part of the page, drawn anew as nodes and patched in where it changed.

mod branches;
mod chooser;
mod figures;
mod form;
mod loading;
mod model;
mod nodes;
mod status;
mod strategy;
mod text;
mod work;

use nucleus_charts::{Node, held_back};
use nucleus_session::{Check, Control, OptionKey, Session, StrategyKind};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, HtmlElement};

use crate::dom::{self, DomError};
use crate::patch::Region;

use chooser::ChooserView;
use figures::{Figures, repeated, run_over_time};
use form::Form;
use model::ModelLine;
use text::Text;

/// The parts of the page that change.
pub struct View {
    main: Element,
    form: Form,
    switch: Region,
    options: Region,
    work: Region,
    model: ModelLine,
    chooser: ChooserView,
    loading: Region,
    /// Whether the keyboard's focus is to go to what is said about loading.
    focus_loading: bool,
    alerts: Region,
    status: Region,
    recordings: Region,
    text: Region,
    facts: Region,
    nucleus_size: Region,
    held: Region,
    branches: Region,
    head: Region,
    ways: Region,
    draw: Region,
    allowed: Region,
    ladder: Region,
    logits: Region,
    mistakes: Region,
    /// Around the mistakes: they are worked out only while it is open.
    mistakes_box: Element,
    repetition: Region,
    /// The tokens whose repetitions are shown: to look for them takes time.
    repeated: Option<(Check, bool)>,
}

impl View {
    /// The parts, found in `index.html`.
    ///
    /// # Errors
    /// When one is missing.
    pub fn new() -> Result<Self, DomError> {
        let region = |id| dom::element(id).map(Region::new);
        Ok(Self {
            main: dom::element("main")?,
            form: Form::new()?,
            switch: region("strategies")?,
            options: region("options")?,
            work: region("work")?,
            model: ModelLine::new()?,
            chooser: ChooserView::new()?,
            loading: region("loading")?,
            focus_loading: false,
            alerts: region("alert")?,
            status: region("status")?,
            recordings: region("recordings")?,
            text: region("text")?,
            facts: region("facts")?,
            nucleus_size: region("nucleus-size")?,
            held: region("held")?,
            branches: region("branches")?,
            head: region("focus-head")?,
            ways: region("ways")?,
            draw: region("draw")?,
            allowed: region("allowed")?,
            ladder: region("ladder")?,
            logits: region("logits")?,
            mistakes: region("mistakes")?,
            mistakes_box: dom::element("wrong-answers")?,
            repetition: region("repetition")?,
            repeated: None,
        })
    }

    /// Moves the keyboard's focus to a control.
    ///
    /// # Errors
    /// What the browser throws.
    pub fn focus(&self, control: Control) -> Result<(), JsValue> {
        self.form.focus(control)
    }

    /// Moves the keyboard's focus to a field of a strategy.
    ///
    /// # Errors
    /// What the browser throws.
    pub fn focus_option(&self, key: OptionKey) -> Result<(), JsValue> {
        let field = self.options.root().query_selector(&format!("[data-option=\"{}\"]", key.word()))?;
        if let Some(closed) = field.as_ref().map(|field| field.closest("details:not([open])")).transpose()?.flatten() {
            closed.set_attribute("open", "")?;
        }
        field.map_or(Ok(()), |field| focus(&field))
    }

    /// Moves the keyboard's focus, once it is shown, to what is said about loading.
    pub fn focus_loading(&mut self) {
        self.focus_loading = true;
    }

    /// Shows the session.
    ///
    /// # Errors
    /// What the browser throws.
    pub fn render(&mut self, session: &Session) -> Result<(), JsValue> {
        // What belongs to other strategies is hidden by the style sheet, which goes by this.
        self.main.set_attribute("data-strategy", session.strategy().word())?;
        self.form.render(session)?;
        self.switch.show(strategy::switch(session))?;
        self.options.show(strategy::fields(session))?;
        self.model.render(session)?;
        self.chooser.render(session)?;
        self.loading(session)?;
        self.alerts(session)?;
        self.status.show(status::status(session))?;
        let unseen = status::status_is_seen_elsewhere(session.engine());
        self.status.root().class_list().toggle_with_force("unseen", unseen)?;
        if session.strategy() != StrategyKind::Sample {
            let width = width_of(&self.work);
            self.work.show(work::work(session, width))?;
            return self.keep_keyboard_focus(session);
        }
        self.recordings.show(status::recordings(session))?;
        self.text(session)?;
        self.held.show(held(session))?;
        self.facts.show(status::facts(session))?;
        self.branches(session)?;
        self.repetition(session)?;
        let width = width_of(&self.nucleus_size);
        self.nucleus_size.show(run_over_time(session, width))?;
        self.figures(session)?;
        self.keep_keyboard_focus(session)
    }

    /// What is said about loading comes and goes, and the focus with it: a reader who is at something else is not disturbed,
    /// and one whose button has gone is not left at the top of the page.
    fn loading(&mut self, session: &Session) -> Result<(), JsValue> {
        let was_inside = self.loading.has_focus()?;
        self.loading.show(loading::loading(session))?;
        let wanted = std::mem::take(&mut self.focus_loading) && !session.chooser().open;
        if self.loading.root().child_element_count() == 0 {
            return if was_inside { self.model.focus() } else { Ok(()) };
        }
        let lost = was_inside && !self.loading.has_focus()?;
        if lost || (wanted && self.is_free()?) {
            return focus(self.loading.root());
        }
        Ok(())
    }

    /// A button goes with its alert, and the focus to the model that it was about.
    fn alerts(&mut self, session: &Session) -> Result<(), JsValue> {
        let was_inside = self.alerts.has_focus()?;
        self.alerts.show(status::alerts(session))?;
        if was_inside && !self.alerts.has_focus()? { self.model.focus() } else { Ok(()) }
    }

    /// Whether the focus is nowhere, or still on the button that opened the choice of a model.
    fn is_free(&self) -> Result<bool, JsValue> {
        let focused = dom::document()?.active_element();
        Ok(focused.is_none_or(|element| element.tag_name() == "BODY" || self.model.is_button(&element)))
    }

    fn text(&mut self, session: &Session) -> Result<(), JsValue> {
        let Some(run) = session.run() else { return self.text.show(Vec::new()) };
        let now = session.points_now();
        let drawn = run.steps();
        let differs = |step: usize| {
            if run.forced.contains_key(&step) {
                return false;
            }
            let now = now.get(step).copied().flatten();
            now.zip(drawn.get(step)).is_some_and(|(now, drawn)| now.token != drawn.report.token)
        };
        let root = self.text.root().clone();
        // A screen reader should read the text once it is there, not each token as it comes.
        root.set_attribute("aria-busy", if run.is_over() { "false" } else { "true" })?;
        let at_end = root.scroll_height() - root.scroll_top() - root.client_height() < 40;
        self.text.show(Text { run, focus: session.focus_index(), differs: &differs }.nodes())?;
        if at_end && !run.is_over() {
            root.set_scroll_top(root.scroll_height());
        }
        Ok(())
    }

    fn figures(&mut self, session: &Session) -> Result<(), JsValue> {
        let focus = session.focus();
        let figures = focus.as_deref().and_then(|focus| Figures::new(session, focus));
        let is_open = self.mistakes_box.has_attribute("open");
        let [head, draw, allowed, ladder, logits, mistakes] = match figures {
            Some(figures) => [
                figures.head(),
                figures.draw(width_of(&self.draw)),
                figures.allowed(width_of(&self.allowed)),
                figures.ladder(width_of(&self.ladder)),
                figures.logits(),
                if is_open { figures.mistakes() } else { Vec::new() },
            ],
            None => Default::default(),
        };
        self.head.show(head)?;
        self.ways(session)?;
        self.draw.show(draw)?;
        self.allowed.show(allowed)?;
        self.ladder.show(ladder)?;
        self.mistakes.show(mistakes)?;
        self.logits.show(logits)
    }

    /// Whoever writes on from here is taken to where that can be stopped.
    fn branches(&mut self, session: &Session) -> Result<(), JsValue> {
        let was_inside = self.branches.has_focus()?;
        self.branches.show(branches::branches(session))?;
        if was_inside && !self.branches.has_focus()? { self.form.focus_run(session) } else { Ok(()) }
    }

    fn repetition(&mut self, session: &Session) -> Result<(), JsValue> {
        let now = session.run().map(|run| (run.check(), run.is_over()));
        if now == self.repeated {
            return Ok(());
        }
        self.repeated = now;
        self.repetition.show(repeated(session))
    }

    /// The search takes the keyboard's focus when it opens, and gives it back to its button.
    fn ways(&mut self, session: &Session) -> Result<(), JsValue> {
        let search = "#force-search";
        let was_open = self.ways.root().query_selector(search)?.is_some();
        let was_inside = self.ways.has_focus()?;
        self.ways.show(branches::ways(session))?;
        match (was_open, self.ways.root().query_selector(search)?) {
            (false, Some(field)) => focus(&field),
            (true, None) if was_inside => {
                let button = self.ways.root().query_selector("[data-action=\"open-force\"]")?;
                button.map_or_else(|| self.form.focus_run(session), |button| focus(&button))
            }
            _ => Ok(()),
        }
    }

    /// Whoever walks the steps with the keyboard stays on the step in focus.
    fn keep_keyboard_focus(&self, session: &Session) -> Result<(), JsValue> {
        let Some(step) = session.word_index().or_else(|| session.focus_index()) else { return Ok(()) };
        for region in [&self.text, &self.nucleus_size, &self.work] {
            let selector = format!("[data-step]:focus:not([data-step=\"{step}\"])");
            if region.root().query_selector(&selector)?.is_some()
                && let Some(element) = region.root().query_selector(&format!("[data-step=\"{step}\"]"))?
            {
                focus(&element)?;
            }
        }
        Ok(())
    }
}

/// What is held back at the end of a text that is being written, and why.
fn held(session: &Session) -> Vec<Node> {
    let Some(run) = session.run() else { return Vec::new() };
    run.held().map(|(held, pending)| held_back(pending, held, &run.stop_strings())).into_iter().collect()
}

fn focus(element: &Element) -> Result<(), JsValue> {
    match element.dyn_ref::<HtmlElement>() {
        Some(element) => element.focus(),
        None => element.unchecked_ref::<web_sys::SvgElement>().focus(),
    }
}

/// The room that a figure has, CSS pixels. Where the page is not laid out yet it is 0, and the figure takes its least.
fn width_of(region: &Region) -> f64 {
    f64::from(region.root().client_width())
}
