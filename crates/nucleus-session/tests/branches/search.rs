//! The search for a token to force.

use nucleus_sampler::{TokenId, log_softmax_at};
use nucleus_session::{BranchMsg, Msg};

use crate::support::{Page, TOKENS, logits};
use crate::{tell, write, written};

fn choices(page: &Page) -> Vec<u32> {
    page.session.choices().iter().map(|choice| choice.token.0).collect()
}

#[test]
fn the_search_has_every_token_and_its_probability() {
    let (mut page, _) = written();
    tell(&mut page, 1, BranchMsg::OpenForce);
    let all = page.session.choices();
    assert_eq!(all.len(), TOKENS.len());
    assert!(all.is_sorted_by(|a, b| a.probability >= b.probability));
    assert!(all.iter().map(|choice| choice.rank).eq(0..TOKENS.len()));
    for choice in &all {
        assert!((choice.probability - log_softmax_at(&logits(1), choice.token).exp()).abs() < 1e-12);
    }
    page.tell(Msg::Branch(BranchMsg::TypedForce("G".into())));
    assert_eq!(choices(&page), [7]);
    page.tell(Msg::Branch(BranchMsg::TypedForce("#13".into())));
    assert_eq!(choices(&page), [13]);
    assert_eq!(
        all.iter().find(|choice| choice.token.0 == 13).map(|choice| choice.rank),
        Some(page.session.choices()[0].rank)
    );
    page.tell(Msg::Branch(BranchMsg::TypedForce("nothing".into())));
    page.tell(Msg::Branch(BranchMsg::ForceFirst));
    assert!(!page.asks_to_generate() && page.session.forcing().is_some());
    page.tell(Msg::Branch(BranchMsg::TypedForce(" g".into())));
    page.tell(Msg::Branch(BranchMsg::ForceFirst));
    assert_eq!(page.generated().script.forced.get(&1), Some(&TokenId(7)));
    assert_eq!(page.session.forcing(), None);
}

#[test]
fn the_search_closes_by_itself_when_another_run_is_shown() {
    let (mut page, _) = written();
    tell(&mut page, 1, BranchMsg::OpenForce);
    page.tell(Msg::Generate);
    assert_eq!(page.session.forcing(), None);
    let request = page.generated();
    page.tell(Msg::Branch(BranchMsg::OpenForce));
    assert_eq!(page.session.forcing(), None, "nor does it open while one is written");
    write(&mut page, &request);
    page.tell(Msg::Branch(BranchMsg::OpenForce));
    assert_eq!(page.session.forcing(), Some(""));
    page.tell(Msg::Branch(BranchMsg::CloseForce));
    assert_eq!((page.session.forcing(), page.session.choices().len()), (None, 0));
}

#[test]
fn what_stands_for_nothing_is_not_forced() {
    let (mut page, _) = written();
    tell(&mut page, 1, BranchMsg::Force(TokenId(16)));
    assert!(!page.asks_to_generate() && page.session.branches().is_empty());
}
