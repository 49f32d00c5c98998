//! The address of a run with forced tokens.

use nucleus_sampler::TokenId;
use nucleus_session::{BranchMsg, Control, Msg, sentence};

use crate::support::Page;
use crate::{another, tell, write, written};

#[test]
fn the_address_of_a_forced_run_leads_to_it() {
    let (mut page, _) = written();
    let token = another(&page, 2);
    tell(&mut page, 2, BranchMsg::Force(token));
    let request = page.generated();
    write(&mut page, &request);
    let (tokens, address) = (page.tokens(), page.address().unwrap().to_owned());
    assert!(
        address.contains(&format!("force=2%3A{token}")) || address.contains(&format!("force=2:{token}")),
        "{address}"
    );

    let mut opened = Page::ready(&address);
    let again = opened.generated();
    assert_eq!(again.script.forced, request.script.forced);
    assert!(again.script.given.is_empty());
    // What is not begun yet is in the address too.
    opened.tell(Msg::FocusStep(1));
    write(&mut opened, &again);
    assert_eq!(opened.tokens(), tokens);
    assert_eq!(opened.session.run().unwrap().as_in_the_link, Some(true));
    opened.tell(Msg::Generate);
    assert!(opened.generated().script.forced.is_empty(), "Generate draws every token");
}

#[test]
fn forced_tokens_of_a_run_that_waits_stay_in_the_address() {
    let mut page = Page::open("?prompt=Once&force=2:3");
    page.type_in(Control::Temperature, "0.5");
    assert!(page.address().unwrap().contains("force="), "{:?}", page.address());
    page.engine_is_ready();
    assert_eq!(page.generated().script.forced.get(&2), Some(&TokenId(3)));
}

/// An address may name a step that no run comes to.
#[test]
fn a_forced_step_beyond_the_run_asks_for_no_more_tokens() {
    let mut page = Page::ready("?prompt=Once&new=6&force=4000000000:3");
    let request = page.generated();
    page.steps(&request, 2);
    page.tell(Msg::Stop);
    page.finish(request.run);
    page.effects.clear();
    page.tell(Msg::Branch(BranchMsg::WriteOn));
    assert_eq!(page.generated().new_tokens, 6);
}

#[test]
fn a_text_that_no_address_leads_to_says_so() {
    let (mut page, _) = written();
    tell(&mut page, 3, BranchMsg::Rewind);
    assert_eq!(sentence::mixed(page.session.run().unwrap()), None);
    page.type_in(Control::Temperature, "0");
    page.tell(Msg::Branch(BranchMsg::WriteOn));
    let request = page.generated();
    write(&mut page, &request);
    let said = sentence::mixed(page.session.run().unwrap()).unwrap();
    assert!(said.contains("no link leads to it"), "{said}");
}
