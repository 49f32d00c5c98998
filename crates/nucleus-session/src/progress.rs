//! How fast bytes come, and how long the rest will take.

/// Bytes over time, where the past counts the less the longer it is ago.
///
/// There is no clock in it: times are those of the page, in milliseconds from any start.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rate {
    last: Option<(f64, u64)>,
    bytes: f64,
    milliseconds: f64,
}

/// What is this long ago counts 1/e, milliseconds: long enough to be calm, short enough to follow a change.
const MEMORY_MS: f64 = 6000.0;

/// With less time behind it an estimate would jump, milliseconds.
const LEAST_MS: f64 = 1200.0;

impl Rate {
    /// Takes in that at a time there were `done` bytes, of which the first `kept` were here before: those come faster
    /// than the rest, and tell nothing of it. Bytes that go back, or time, begin anew.
    pub(crate) fn take(&mut self, at_ms: f64, done: u64, kept: u64) {
        match self.last {
            Some((before_ms, before)) if at_ms >= before_ms && done >= before && before >= kept => {
                let passed = at_ms - before_ms;
                let stays = libm::exp(-passed / MEMORY_MS);
                self.bytes = self.bytes * stays + (done - before) as f64;
                self.milliseconds = self.milliseconds * stays + passed;
            }
            _ => *self = Self::default(),
        }
        self.last = Some((at_ms, done));
    }

    /// Bytes per millisecond; `None` while that is still to be seen.
    #[must_use]
    pub fn bytes_per_ms(&self) -> Option<f64> {
        (self.milliseconds >= LEAST_MS).then(|| self.bytes / self.milliseconds)
    }

    /// How long `bytes` more will take, milliseconds; `None` while that is still to be seen, or nothing comes.
    #[must_use]
    pub fn time_for(&self, bytes: u64) -> Option<f64> {
        self.bytes_per_ms().filter(|&rate| rate > 0.0).map(|rate| bytes as f64 / rate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A connection of `bytes` in each of `times` tenths of a second.
    fn stream(rate: &mut Rate, at: &mut (f64, u64), bytes: u64, times: usize) {
        for _ in 0..times {
            *at = (at.0 + 100.0, at.1 + bytes);
            rate.take(at.0, at.1, 0);
        }
    }

    #[test]
    fn an_even_stream_has_its_rate_from_the_start() {
        let (mut rate, mut at) = (Rate::default(), (5.0, 70));
        rate.take(at.0, at.1, 0);
        stream(&mut rate, &mut at, 1000, 11);
        assert_eq!(rate.time_for(1), None, "too early to tell");
        stream(&mut rate, &mut at, 1000, 3);
        for _ in 0..100 {
            assert!((rate.time_for(10_000).unwrap() - 1000.0).abs() < 1e-6);
            stream(&mut rate, &mut at, 1000, 1);
        }
    }

    #[test]
    fn it_follows_a_change_and_does_not_jump() {
        let (mut rate, mut at) = (Rate::default(), (0.0, 0));
        rate.take(0.0, 0, 0);
        stream(&mut rate, &mut at, 1000, 100);
        stream(&mut rate, &mut at, 100, 1);
        let soon = rate.bytes_per_ms().unwrap();
        assert!(soon > 9.5, "one slow tenth of a second is no change: {soon}");
        stream(&mut rate, &mut at, 100, 300);
        let late = rate.bytes_per_ms().unwrap();
        assert!((1.0..1.2).contains(&late), "after half a minute the old rate is forgotten: {late}");
    }

    #[test]
    fn what_was_here_before_tells_nothing_of_the_rest() {
        let mut rate = Rate::default();
        for (at_ms, done) in [(0.0, 0), (1000.0, 400_000), (2000.0, 500_100), (3000.0, 500_200), (4000.0, 500_300)] {
            rate.take(at_ms, done, 500_000);
        }
        assert!((rate.time_for(100).unwrap() - 1000.0).abs() < 100.0, "{rate:?}");
    }

    #[test]
    fn a_pause_counts() {
        let (mut rate, mut at) = (Rate::default(), (0.0, 0));
        rate.take(0.0, 0, 0);
        stream(&mut rate, &mut at, 1000, 50);
        let before = rate.time_for(1_000_000).unwrap();
        rate.take(at.0 + 5000.0, at.1, 0);
        assert!(rate.time_for(1_000_000).unwrap() > 1.5 * before);
    }

    #[test]
    fn nothing_is_promised_where_nothing_comes_or_all_begins_anew() {
        let mut rate = Rate::default();
        rate.take(0.0, 500, 0);
        rate.take(9000.0, 500, 0);
        assert_eq!((rate.bytes_per_ms(), rate.time_for(1)), (Some(0.0), None));
        rate.take(9100.0, 0, 0);
        assert_eq!(rate.bytes_per_ms(), None, "the file is fetched from its start again");
        rate.take(9000.0, 10, 0);
        assert_eq!(rate.bytes_per_ms(), None, "a clock that was set back");
    }
}
