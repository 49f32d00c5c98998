//! Writes the recorded runs: `cargo xtask record`.
//!
//! Each is a real run of the model in `www/models/tales` on the CPU; the list is `www/recordings/index.json`.

use std::fs;
use std::io::{Write, stdout};

use anyhow::Result;
use nucleus_session::RecordingEntry;
use nucleus_tests::recorder::{SCRIPTS, Script, Tales, www};

fn main() -> Result<()> {
    let folder = www().join("recordings");
    fs::create_dir_all(&folder)?;
    let mut tales = Tales::load()?;
    for script in &SCRIPTS {
        let recording = tales.record(script)?;
        let bytes = recording.to_bytes()?;
        let entry = script.entry();
        fs::write(www().join(entry.address()), &bytes)?;
        let text: Vec<u8> =
            recording.tokens.iter().flat_map(|&token| recording.vocabulary.bytes(token)).copied().collect();
        let text = String::from_utf8_lossy(&text);
        writeln!(stdout(), "{} ({} bytes): {}{text}\n", entry.name, bytes.len(), recording.values.prompt)?;
    }
    let list: Vec<RecordingEntry> = SCRIPTS.iter().map(Script::entry).collect();
    let mut json = serde_json::to_string_pretty(&list)?;
    json.push('\n');
    fs::write(folder.join("index.json"), json)?;
    Ok(())
}
