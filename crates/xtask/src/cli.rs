//! The command line.

use anyhow::{Context, Result, bail};

/// What `cargo xtask` prints when it is asked for nothing, or for something that it does not know.
pub const USAGE: &str = "\
cargo xtask serve [--port N]   build the site and serve it on this machine (port 8080; 0: any free one)
cargo xtask build              build the site into pkg/site, for any static host
cargo xtask test               check, native tests, build, size budgets, browser tests, end-to-end tests
cargo xtask test native        only the tests that need no browser
cargo xtask test browser [-p CRATE]
                               only the tests that run inside a browser (of one crate)
cargo xtask test e2e           only the tests that drive the built site in a browser
cargo xtask check              format, clippy for this machine and for wasm, documentation
cargo xtask bench              all benches
cargo xtask bench own          the sampler (beside NumPy), the charts, the model, and the page
cargo xtask bench peers [--only NAME,...] [--runs N]
                               the engine beside transformers.js and wllama on the same weights; those whose
                               names begin with one of these (needs npm and Python, 3 GB in the cache)
cargo xtask record             write the recorded runs in www/recordings again";

/// A command with its options.
#[derive(Debug, PartialEq, Eq)]
pub enum Command {
    /// Print [`USAGE`].
    Help,
    /// Build and serve on a port; 0 takes a free one.
    Serve {
        /// The port.
        port: u16,
    },
    /// Build the site.
    Build,
    /// Run tests.
    Test(Part),
    /// Run the checks.
    Check,
    /// Run benches.
    Bench(Bench),
    /// Write the recordings.
    Record,
}

/// Which tests to run.
#[derive(Debug, PartialEq, Eq)]
pub enum Part {
    /// All of them, after the checks.
    All,
    /// Those that need no browser.
    Native,
    /// Those that run inside a browser: of one crate, or of all.
    Browser(Option<String>),
    /// Those that drive the built site.
    EndToEnd,
}

/// Which benches to run.
#[derive(Debug, PartialEq, Eq)]
pub enum Bench {
    /// All of them.
    All,
    /// Those that need nothing but this workspace, and NumPy.
    Own,
    /// The comparison with other engines; the options are for the program that measures.
    Peers(Vec<String>),
}

impl Command {
    /// Reads the arguments that follow `cargo xtask`.
    ///
    /// # Errors
    ///
    /// When a word is not known, or a value is missing or out of range.
    pub fn parse(arguments: impl Iterator<Item = String>) -> Result<Self> {
        let arguments: Vec<String> = arguments.collect();
        let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let command = match words.as_slice() {
            [] | ["help" | "--help" | "-h"] => Self::Help,
            ["serve"] => Self::Serve { port: 8080 },
            ["serve", "--port", port] => Self::Serve { port: parse_port(port)? },
            ["serve", port] if port.starts_with("--port=") => Self::Serve { port: parse_port(&port[7..])? },
            ["build"] => Self::Build,
            ["test"] => Self::Test(Part::All),
            ["test", "native"] => Self::Test(Part::Native),
            ["test", "browser"] => Self::Test(Part::Browser(None)),
            ["test", "browser", "-p", name] => Self::Test(Part::Browser(Some((*name).to_owned()))),
            ["test", "e2e"] => Self::Test(Part::EndToEnd),
            ["check"] => Self::Check,
            ["bench"] => Self::Bench(Bench::All),
            ["bench", "own"] => Self::Bench(Bench::Own),
            ["bench", "peers", options @ ..] => Self::Bench(Bench::Peers(own(options))),
            ["record"] => Self::Record,
            other => bail!("`{}` is not a command; these are:\n\n{USAGE}", other.join(" ")),
        };
        Ok(command)
    }
}

fn own(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn parse_port(text: &str) -> Result<u16> {
    text.parse().with_context(|| format!("`{text}` is not a port: give a number from 0 to 65535, 0 for any free one"))
}

#[cfg(test)]
mod tests {
    use super::{Bench, Command, Part};

    fn parse(line: &str) -> anyhow::Result<Command> {
        Command::parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn every_line_of_the_usage_is_understood() {
        assert_eq!(parse("").unwrap(), Command::Help);
        assert_eq!(parse("serve").unwrap(), Command::Serve { port: 8080 });
        assert_eq!(parse("serve --port 0").unwrap(), Command::Serve { port: 0 });
        assert_eq!(parse("serve --port=9000").unwrap(), Command::Serve { port: 9000 });
        assert_eq!(parse("test browser").unwrap(), Command::Test(Part::Browser(None)));
        assert_eq!(parse("test browser -p a").unwrap(), Command::Test(Part::Browser(Some("a".to_owned()))));
        assert_eq!(parse("test e2e").unwrap(), Command::Test(Part::EndToEnd));
        assert_eq!(parse("bench own").unwrap(), Command::Bench(Bench::Own));
        let options = ["--only", "nucleus"].map(str::to_owned).to_vec();
        assert_eq!(parse("bench peers --only nucleus").unwrap(), Command::Bench(Bench::Peers(options)));
    }

    #[test]
    fn a_mistake_is_named() {
        assert!(parse("sevre").unwrap_err().to_string().contains("`sevre` is not a command"));
        assert!(parse("serve --port 65536").unwrap_err().to_string().contains("`65536` is not a port"));
    }
}
