//! Runs whose first tokens were drawn with other settings than their last.

use nucleus_session::{BranchMsg, Control, Msg, OptionKey};

use crate::{tell, write, written};

#[test]
fn numbers_of_a_mixed_run_are_worked_out_anew_where_other_settings_drew_it() {
    let (mut page, _) = written();
    tell(&mut page, 3, BranchMsg::Rewind);
    page.type_in(Control::Temperature, "0");
    page.tell(Msg::Branch(BranchMsg::WriteOn));
    let request = page.generated();
    write(&mut page, &request);
    page.type_in(Control::TopK, "2");
    page.type_in(Control::TopK, "0");
    while page.session.recompute_some(usize::MAX) {}
    let now = page.session.points_now()[0].unwrap();
    assert_eq!(now.nucleus_size, 1, "greedy keeps one");
    assert!(page.session.points_as_drawn()[0].nucleus_size > 1);
}

#[test]
fn more_tokens_are_no_other_settings() {
    let (mut page, _) = written();
    tell(&mut page, 3, BranchMsg::Rewind);
    page.type_in(Control::NewTokens, "8");
    page.tell(Msg::Branch(BranchMsg::WriteOn));
    let request = page.generated();
    write(&mut page, &request);
    assert_eq!(page.tokens().len(), 8);
    assert!(!page.session.run().unwrap().is_mixed);
}

/// Where the options changed, the tokens before were drawn under others.
#[test]
fn another_option_makes_a_mixed_run() {
    let (mut page, _) = written();
    tell(&mut page, 3, BranchMsg::Rewind);
    page.tell(Msg::TypedOption { key: OptionKey::Stop, text: "zz".into() });
    page.tell(Msg::Branch(BranchMsg::WriteOn));
    let request = page.generated();
    write(&mut page, &request);
    assert!(page.session.run().unwrap().is_mixed);
    // From its beginning all is drawn anew.
    tell(&mut page, 0, BranchMsg::Rewind);
    page.tell(Msg::Branch(BranchMsg::WriteOn));
    let request = page.generated();
    write(&mut page, &request);
    assert!(!page.session.run().unwrap().is_mixed);
}

/// What a beam search would do is nothing to a sampled text.
#[test]
fn a_field_of_another_strategy_makes_no_mixed_run() {
    let (mut page, _) = written();
    tell(&mut page, 3, BranchMsg::Rewind);
    page.tell(Msg::TypedOption { key: OptionKey::Width, text: "3".into() });
    page.tell(Msg::Branch(BranchMsg::WriteOn));
    let request = page.generated();
    write(&mut page, &request);
    assert!(!page.session.run().unwrap().is_mixed);
}
