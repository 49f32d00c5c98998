use serde::{Deserialize, Serialize};

/// How often an answer was reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    /// The answer.
    pub value: String,
    /// In how many samples: 1 or more.
    pub count: usize,
    /// The first of those samples, from 0.
    pub first: usize,
}

/// What several samples answered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Vote {
    counts: Vec<Count>,
    n_samples: usize,
}

impl Vote {
    /// Counts the answers of the samples, in their order; a sample without one has no vote.
    pub fn new<S: AsRef<str>>(answers: impl IntoIterator<Item = Option<S>>) -> Self {
        let mut vote = Self::default();
        for (sample, answer) in answers.into_iter().enumerate() {
            vote.n_samples += 1;
            if let Some(answer) = answer {
                vote.add(answer.as_ref(), sample);
            }
        }
        // A stable sort: of equal counts the one that was reached first stays first.
        vote.counts.sort_by_key(|count| core::cmp::Reverse(count.count));
        vote
    }

    fn add(&mut self, value: &str, sample: usize) {
        match self.counts.iter_mut().find(|count| count.value == value) {
            Some(count) => count.count += 1,
            None => self.counts.push(Count { value: value.to_owned(), count: 1, first: sample }),
        }
    }

    /// Every answer, the most frequent first; of equal ones, the one that an earlier sample reached.
    #[must_use]
    pub fn counts(&self) -> &[Count] {
        &self.counts
    }

    /// How many samples there are.
    #[must_use]
    pub fn n_samples(&self) -> usize {
        self.n_samples
    }

    /// How many of them have an answer.
    #[must_use]
    pub fn n_answers(&self) -> usize {
        self.counts.iter().map(|count| count.count).sum()
    }

    /// The most frequent answer. In a tie it is the one that was reached first, which is a rule and not a reason.
    #[must_use]
    pub fn winner(&self) -> Option<&Count> {
        self.counts.first()
    }

    /// How many answers are as frequent as the winner, the winner included: 2 or more is a tie. 0 without answers.
    #[must_use]
    pub fn n_leaders(&self) -> usize {
        self.counts.iter().filter(|count| count.count == self.counts[0].count).count()
    }

    /// The winner's share of the samples that have an answer: above 0, at most 1.
    #[must_use]
    pub fn share_of_answers(&self) -> Option<f64> {
        self.winner().map(|winner| winner.count as f64 / self.n_answers() as f64)
    }

    /// The winner's share of all samples: above 0, at most 1. One without an answer counts against it.
    #[must_use]
    pub fn share_of_samples(&self) -> Option<f64> {
        self.winner().map(|winner| winner.count as f64 / self.n_samples as f64)
    }

    /// The entropy of the votes in nats: -sum(p ln p) over the answers, where p is an answer's share of all answers. 0
    /// where all agree, ln n where n samples give n answers. Samples without an answer do not count.
    #[must_use]
    pub fn entropy(&self) -> Option<f64> {
        let n = self.n_answers() as f64;
        let term = |count: &Count| {
            let p = count.count as f64 / n;
            -p * libm::log(p)
        };
        // From 0, so that a vote without doubt has no minus sign.
        self.winner().map(|_| self.counts.iter().map(term).fold(0.0, |sum, term| sum + term))
    }
}
