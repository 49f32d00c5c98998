//! The table, in Markdown.

use super::trial::Trial;

const COLUMNS: [&str; 10] = [
    "engine",
    "tokens/s",
    "CPU ms a token",
    "first token, ms",
    "CPU ms for the prompt",
    "the very first, ms",
    "peak MB",
    "code, MB gzip",
    "tokens as HF",
    "other CPU",
];

/// The head of the table.
#[must_use]
pub fn rule() -> String {
    format!("{}\n{}", line(&COLUMNS.map(str::to_owned)), line(&COLUMNS.map(|_| "---".to_owned())))
}

/// An engine's row: the median of each figure over its trials, and the worst of how busy others were. No trial, no row.
#[must_use]
pub fn row(name: &str, code: usize, trials: &[Trial]) -> Option<String> {
    let of = |figure: fn(&Trial) -> f64| median(trials.iter().map(figure).collect());
    let busiest = trials.iter().map(|trial| trial.other_cpu).fold(0.0, f64::max);
    Some(line(&[
        name.to_owned(),
        figure(of(|trial| trial.tokens_per_s)?),
        figure(of(|trial| trial.cpu_ms)?),
        figure(of(|trial| trial.ttft_ms)?),
        figure(of(|trial| trial.cpu_ttft_ms)?),
        figure(of(|trial| trial.cold_ttft_ms)?),
        figure(of(|trial| trial.peak_mb)?),
        format!("{:.1}", code as f64 / 1e6),
        verdict(trials).to_owned(),
        format!("{busiest:.2}"),
    ]))
}

/// A row on a page that was opened again.
#[must_use]
pub fn warm_row(name: &str, milliseconds: Vec<f64>) -> Option<String> {
    Some(line(&[name.to_owned(), figure(median(milliseconds)?)]))
}

fn verdict(trials: &[Trial]) -> &'static str {
    let known: Vec<bool> = trials.iter().filter_map(|trial| trial.equal).collect();
    match (known.is_empty(), known.iter().all(|&equal| equal)) {
        (true, _) => "",
        (false, true) => "yes",
        (false, false) => "NO",
    }
}

/// Three digits, or all before the point.
fn figure(value: f64) -> String {
    let digits = if value >= 100.0 {
        0
    } else if value >= 10.0 {
        1
    } else {
        2
    };
    format!("{value:.digits$}")
}

/// The middle value, or the greater of the two in the middle.
fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

fn line(cells: &[String]) -> String {
    format!("| {} |", cells.join(" | "))
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn trial(cpu_ms: f64, equal: Option<bool>) -> Trial {
        Trial {
            load: Value::Null,
            cold_ttft_ms: 500.0,
            ttft_ms: 300.0,
            tokens_per_s: 12.345,
            cpu_ms,
            cpu_ttft_ms: 290.0,
            peak_mb: 1234.5,
            other_cpu: 0.1,
            equal,
        }
    }

    #[test]
    fn a_row_is_the_median_and_no_trial_is_no_row() {
        let trials = [trial(70.0, Some(true)), trial(90.0, Some(true)), trial(80.0, Some(true))];
        let row = row("a", 3_200_000, &trials).unwrap();
        assert_eq!(row, "| a | 12.3 | 80.0 | 300 | 290 | 500 | 1234 | 3.2 | yes | 0.10 |");
        assert_eq!(super::row("a", 0, &[]), None);
    }

    #[test]
    fn one_other_token_in_one_trial_is_no_equality() {
        assert_eq!(verdict(&[trial(1.0, Some(true)), trial(1.0, Some(false))]), "NO");
        assert_eq!(verdict(&[trial(1.0, None)]), "");
    }
}
