//! What a text repeats, and where it runs in a circle.
//!
//! A phrase that was there before is likelier the next time, and likelier still the time after: that is how greedy decoding
//! falls into loops (A. Holtzman and others, "The Curious Case of Neural Text Degeneration", 2020, arXiv:1904.09751, figure 4).

use std::collections::HashMap;

use nucleus_sampler::TokenId;

/// Tokens that come several times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phrase {
    /// The tokens, 2 or more, that are not themselves a shorter phrase repeated, and that nowhere in the text begin again before
    /// they have ended: several rounds of a loop are no phrase, one round is. Only two equal tokens are, where one follows itself.
    pub tokens: Vec<TokenId>,
    /// Where it begins, each time: 2 places or more, ascending, no two of them overlapping.
    pub starts: Vec<usize>,
}

/// The end of a text that repeats its last tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loop {
    /// Where it begins.
    pub start: usize,
    /// After how many tokens it comes round: 1 or more.
    pub period: usize,
}

/// The longest phrase that is looked for, tokens.
const LONGEST: usize = 24;

/// The phrases that a text repeats, at most `most`: first the one that covers most of the text, of equal ones the longer; then
/// the same for what is left.
#[must_use]
pub fn phrases(text: &[TokenId], most: usize) -> Vec<Phrase> {
    let mut free = vec![true; text.len()];
    let mut found = Vec::new();
    while found.len() < most {
        let Some(phrase) = best(text, &free) else { break };
        for &start in &phrase.starts {
            free[start..start + phrase.tokens.len()].fill(false);
        }
        found.push(phrase);
    }
    found
}

/// The phrase that covers most of what is free.
fn best(text: &[TokenId], free: &[bool]) -> Option<Phrase> {
    let mut best: Option<(usize, &[TokenId], Vec<usize>)> = None;
    for n in (2..=LONGEST.min(text.len() / 2)).rev() {
        let mut places: HashMap<&[TokenId], Places> = HashMap::new();
        for (start, window) in text.windows(n).enumerate() {
            if free[start..start + n].iter().all(|free| *free) && is_primitive(window) {
                places.entry(window).or_default().add(start, n);
            }
        }
        let whole = places.into_iter().filter(|(_, places)| n == 2 || !places.overlap);
        let candidates = whole.map(|(window, places)| (window, places.starts)).filter(|(_, starts)| starts.len() > 1);
        // Of equal ones the first in the text, so that the order of the map does not matter.
        let longest = candidates.max_by_key(|(_, starts)| (starts.len(), core::cmp::Reverse(starts[0])));
        if let Some((tokens, starts)) = longest {
            let covered = n * starts.len();
            if best.as_ref().is_none_or(|(most, ..)| covered > *most) {
                best = Some((covered, tokens, starts));
            }
        }
    }
    best.map(|(_, tokens, starts)| Phrase { tokens: tokens.to_vec(), starts })
}

/// Where a phrase stands.
#[derive(Default)]
struct Places {
    starts: Vec<usize>,
    /// Whether it begins again somewhere before it has ended.
    overlap: bool,
}

impl Places {
    /// Places come from left to right.
    fn add(&mut self, start: usize, n: usize) {
        if self.starts.last().is_some_and(|&last| start < last + n) {
            self.overlap = true;
        } else {
            self.starts.push(start);
        }
    }
}

/// Whether tokens are not a shorter phrase repeated. A single token is no phrase, so that two equal ones are not made of any.
fn is_primitive(tokens: &[TokenId]) -> bool {
    let n = tokens.len();
    n == 2
        || (1..=n / 2).filter(|period| n.is_multiple_of(*period)).all(|period| tokens[period..] != tokens[..n - period])
}

/// Where the end of a text begins to repeat itself: at least twice round, and at least 4 tokens. Of several periods the one that
/// reaches back furthest counts, and of those the shortest: a round that ends in a run of equal tokens is not taken for that run.
#[must_use]
pub fn closing_loop(text: &[TokenId]) -> Option<Loop> {
    let of_period = |period: usize| {
        let pairs = text[period..].iter().rev().zip(text[..text.len() - period].iter().rev());
        let again = pairs.take_while(|(later, earlier)| later == earlier).count();
        let start = text.len() - period - again;
        (again >= period && period + again >= 4).then_some(Loop { start, period })
    };
    (1..=text.len() / 2).filter_map(of_period).min_by_key(|found| (found.start, found.period))
}

impl Phrase {
    /// What a model gave the phrase each time: the geometric mean of its tokens' probabilities, 0 to 1. `log_probabilities`
    /// are those of the text's tokens, nats.
    #[must_use]
    pub fn probabilities(&self, log_probabilities: &[f64]) -> Vec<f64> {
        let n = self.tokens.len();
        let mean = |&start: &usize| log_probabilities[start..start + n].iter().sum::<f64>() / n as f64;
        self.starts.iter().map(mean).map(libm::exp).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ids(text: &[u32]) -> Vec<TokenId> {
        text.iter().copied().map(TokenId).collect()
    }

    fn phrase(tokens: &[u32], starts: &[usize]) -> Phrase {
        Phrase { tokens: ids(tokens), starts: starts.to_vec() }
    }

    #[test]
    fn the_phrase_that_covers_most_comes_first_and_the_rest_is_looked_at_again() {
        let text = ids(&[1, 2, 3, 9, 1, 2, 3, 8, 5, 6, 7, 5, 6, 1, 2, 3]);
        assert_eq!(phrases(&text, 5), [phrase(&[1, 2, 3], &[0, 4, 13]), phrase(&[5, 6], &[8, 11])]);
        assert_eq!(phrases(&text, 1).len(), 1);
        assert_eq!(phrases(&ids(&[1, 2, 3, 4]), 5), []);
    }

    #[test]
    fn what_comes_round_is_told_by_its_shortest_part() {
        let text = ids(&[7, 1, 2, 1, 2, 1, 2, 1, 2]);
        assert_eq!(phrases(&text, 5), [phrase(&[1, 2], &[1, 3, 5, 7])]);
    }

    /// The recorded loop of `tales`, in short: a loop that the text leaves at last, within a round. Rounds are told one by one,
    /// not two at a time.
    #[test]
    fn a_loop_that_was_left_is_told_round_by_round() {
        let text = ids(&[1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3, 4, 9]);
        assert_eq!(phrases(&text, 1), [phrase(&[1, 2, 3, 4], &[0, 5, 10, 15])]);
        assert_eq!(phrases(&text[..18], 1), [phrase(&[1, 2, 3, 4, 5], &[0, 5, 10])]);
    }

    /// The tiny random model's greedy text, in short: a token that follows itself, and then another.
    #[test]
    fn a_token_that_follows_itself_is_a_phrase_of_two() {
        let text = ids(&[264, 236, 286, 286, 286, 286, 286, 90, 90, 90, 90]);
        assert_eq!(phrases(&text, 5), [phrase(&[286, 286], &[2, 4]), phrase(&[90, 90], &[7, 9])]);
        assert_eq!(phrases(&ids(&[1, 5, 5, 2]), 5), [], "once is no repetition");
    }

    /// Greedy, of `tales`, as `transformers` has it: `reference.json`.
    #[test]
    fn the_king_of_the_country_comes_round_after_nine_tokens() {
        let text = ids(&[
            803, 12, 321, 41, 535, 260, 592, 291, 260, 1123, 12, 270, 317, 535, 260, 592, 291, 260, 1123, 12, 270, 317,
            535, 260, 592, 291, 260, 1123, 12, 270,
        ]);
        assert_eq!(closing_loop(&text), Some(Loop { start: 4, period: 9 }));
        let first = &phrases(&text, 5)[0];
        assert!(first.starts.len() * first.tokens.len() >= 18, "two whole rounds: {first:?}");
    }

    #[test]
    fn a_loop_begins_where_its_first_round_does() {
        assert_eq!(closing_loop(&ids(&[5, 1, 2, 3, 1, 2, 3, 1])), Some(Loop { start: 1, period: 3 }));
        assert_eq!(closing_loop(&ids(&[9, 4, 4, 4, 4])), Some(Loop { start: 1, period: 1 }));
        let ends_in_a_run = ids(&[9, 1, 2, 4, 4, 4, 4, 1, 2, 4, 4, 4, 4]);
        assert_eq!(closing_loop(&ends_in_a_run), Some(Loop { start: 1, period: 6 }));
        assert_eq!(closing_loop(&ids(&[1, 2, 3, 3])), None, "two tokens are no loop yet");
        assert_eq!(closing_loop(&ids(&[1, 2, 1, 2, 3])), None, "it has ended");
        assert_eq!(closing_loop(&[]), None);
    }

    #[test]
    fn a_phrase_is_as_likely_as_its_tokens_on_average() {
        let p = phrase(&[1, 2], &[0, 2]).probabilities(&[0.25_f64.ln(), 1_f64.ln(), 0.9_f64.ln(), 0.4_f64.ln()]);
        assert!((p[0] - 0.5).abs() < 1e-12 && (p[1] - 0.6).abs() < 1e-12, "{p:?}");
    }

    proptest! {
        #[test]
        fn phrases_are_there_and_do_not_overlap(text in prop::collection::vec(0_u32..4, 0..60)) {
            let text = ids(&text);
            let mut covered = vec![0; text.len()];
            for phrase in phrases(&text, 5) {
                prop_assert!(phrase.tokens.len() >= 2 && phrase.starts.len() >= 2 && is_primitive(&phrase.tokens));
                for &start in &phrase.starts {
                    let range = start..start + phrase.tokens.len();
                    prop_assert_eq!(&text[range.clone()], &phrase.tokens[..]);
                    covered[range].iter_mut().for_each(|n| *n += 1);
                }
            }
            prop_assert!(covered.iter().all(|n| *n <= 1));
        }

        #[test]
        fn a_loop_really_comes_round(text in prop::collection::vec(0_u32..3, 0..40)) {
            let text = ids(&text);
            if let Some(Loop { start, period }) = closing_loop(&text) {
                prop_assert!(text.len() - start >= (2 * period).max(4));
                prop_assert!((start + period..text.len()).all(|i| text[i] == text[i - period]));
                prop_assert!(start == 0 || text[start - 1] != text[start - 1 + period]);
                let other = |period: usize| (start.saturating_sub(1) + period..text.len()).all(|i| text[i] == text[i - period]);
                let longest = (text.len() - start.saturating_sub(1)) / 2;
                prop_assert!(start == 0 || !(1..=longest).any(other), "another period reaches back further");
            }
        }
    }
}
