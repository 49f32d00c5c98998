//! The choice of a model before it is loaded: from where, and how its weights are to be held.

use crate::brief::brief;
use crate::files::DiskFile;
use crate::models::ModelName;
use crate::plan::WeightFormat;
use crate::source::ModelSource;

/// The tokenizer's file, and the two that can stand in its place.
const TOKENIZER: &str = "tokenizer.json";
const TOKENIZER_IN_TWO: [&str; 2] = ["vocab.json", "merges.txt"];

/// Where the reader looks for a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Place {
    /// The one that comes with the page.
    #[default]
    Page,
    /// A Hugging Face id or an address.
    Web,
    /// Files from the reader's disk.
    Disk,
}

impl Place {
    /// All of them, as they stand on the page.
    pub const ALL: [Self; 3] = [Self::Page, Self::Web, Self::Disk];

    /// The word for it in HTML.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Page => "page",
            Self::Web => "web",
            Self::Disk => "disk",
        }
    }

    /// Reads what [`word`](Self::word) gives.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|place| place.word() == word)
    }
}

/// Whether the browser keeps what is stored when room runs short.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Persistence {
    /// Not asked yet.
    #[default]
    Unknown,
    /// It promised to.
    Granted,
    /// It did not promise to.
    Refused,
    /// It makes no such promises.
    Unavailable,
}

/// What the reader has chosen, and has not loaded yet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chooser {
    /// Whether it is shown.
    pub open: bool,
    /// Where to look.
    pub place: Place,
    /// The id or address as typed.
    pub address: String,
    /// The files that were given so far.
    pub files: Vec<DiskFile>,
    /// How the weights are to be held; `None`: as in the file.
    pub weights: Option<WeightFormat>,
    /// Why Load was refused, until the choice is changed.
    pub refusal: Option<String>,
    /// Which of the kept models is to be deleted, if the reader says so once more.
    pub deleting: Option<ModelSource>,
    /// What the browser said about keeping.
    pub persistence: Persistence,
}

impl Chooser {
    /// Adds files. One with a name that is there already takes its place, one kind of tokenizer that of the other, and a
    /// second `config.json` is that of another model, whose files do not go with those that are there.
    pub(crate) fn add(&mut self, given: Vec<DiskFile>) {
        let brings = |name: &str| given.iter().any(|file| file.name == name);
        let another_model = brings("config.json") && self.files.iter().any(|known| known.name == "config.json");
        let one_file = brings(TOKENIZER);
        let two_files = TOKENIZER_IN_TWO.into_iter().any(brings);
        self.files.retain(|known| {
            let name = known.name.as_str();
            let replaced = (one_file && TOKENIZER_IN_TWO.contains(&name)) || (two_files && name == TOKENIZER);
            !another_model && !replaced
        });
        for file in given {
            self.files.retain(|known| known.name != file.name);
            self.files.push(file);
        }
        self.files.sort_by(|a, b| a.name.cmp(&b.name));
        self.place = Place::Disk;
        self.refusal = None;
    }

    /// Takes one of the files out, by its place.
    pub(crate) fn remove(&mut self, place: usize) {
        if place < self.files.len() {
            self.files.remove(place);
        }
    }

    /// The source that is chosen.
    ///
    /// # Errors
    /// What the choice lacks, as a sentence.
    pub fn source(&self) -> Result<ModelSource, String> {
        match self.place {
            Place::Page => Ok(ModelSource::Site(ModelName::default())),
            Place::Web if self.address.trim().is_empty() => {
                Err("Type a Hugging Face id, such as openai-community/gpt2, or the https:// address of a folder."
                    .into())
            }
            Place::Web => ModelSource::parse(&self.address)
                .map_err(|error| format!("\u{201c}{}\u{201d} {error}.", brief(self.address.trim()))),
            Place::Disk => match missing(&self.files) {
                None => Ok(ModelSource::Files(self.files.iter().cloned().collect())),
                Some(sentence) => Err(sentence),
            },
        }
    }
}

/// What files of a model are still missing, as a sentence; `None` if it can be tried.
#[must_use]
pub fn missing(files: &[DiskFile]) -> Option<String> {
    let has = |name: &str| files.iter().any(|file| file.name == name);
    let weights = files.iter().any(|file| file.name.ends_with(".safetensors"));
    let tokenizer = has(TOKENIZER) || TOKENIZER_IN_TWO.into_iter().all(has);
    let lacks = [
        (weights, "the weights (model.safetensors)"),
        (has("config.json"), "config.json"),
        (tokenizer, "the tokenizer (tokenizer.json, or vocab.json and merges.txt)"),
    ];
    let lacks: Vec<&str> = lacks.into_iter().filter(|(there, _)| !there).map(|(_, name)| name).collect();
    let (last, first) = lacks.split_last()?;
    let list = if first.is_empty() { (*last).to_owned() } else { format!("{} and {last}", first.join(", ")) };
    Some(format!("Still missing: {list}. Add them; they may come from any folder."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::GivenFile;

    fn given(names: &[&str]) -> Vec<DiskFile> {
        names.iter().map(|name| file(0, name)).collect()
    }

    fn file(number: u32, name: &str) -> DiskFile {
        DiskFile { number, file: GivenFile { name: name.into(), bytes: 1 } }
    }

    #[test]
    fn what_is_missing_is_named() {
        let all = missing(&[]).unwrap();
        for name in ["model.safetensors", "config.json", "tokenizer.json"] {
            assert!(all.contains(name), "{all}");
        }
        let one = missing(&given(&["model.safetensors", "config.json", "vocab.json"])).unwrap();
        assert!(one.contains("merges.txt") && !one.contains("config.json"), "{one}");
    }

    #[test]
    fn any_order_other_tokenizers_and_shards_will_do() {
        assert_eq!(missing(&given(&["tokenizer.json", "config.json", "model.safetensors"])), None);
        assert_eq!(missing(&given(&["merges.txt", "x.safetensors", "vocab.json", "config.json"])), None);
        assert_eq!(
            missing(&given(&["config.json", "tokenizer.json", "model-00001-of-00002.safetensors", "README.md"])),
            None
        );
    }

    fn names(chooser: &Chooser) -> Vec<&str> {
        chooser.files.iter().map(|file| file.name.as_str()).collect()
    }

    #[test]
    fn files_are_gathered_and_the_newer_of_two_counts() {
        let mut chooser = Chooser::default();
        chooser.add(given(&["model.safetensors", "config.json"]));
        assert!(chooser.source().is_err());
        chooser.add(vec![file(3, "model.safetensors")]);
        chooser.add(given(&["tokenizer.json"]));
        let Ok(ModelSource::Files(files)) = chooser.source() else { panic!("{chooser:?}") };
        assert_eq!(files.len(), 3);
        assert!(files.contains(&file(3, "model.safetensors")));
    }

    #[test]
    fn a_second_configuration_begins_a_new_list() {
        let mut chooser = Chooser::default();
        chooser.add(given(&["model-00001-of-00002.safetensors"]));
        chooser.add(given(&["config.json", "tokenizer.json"]));
        assert_eq!(names(&chooser).len(), 3, "one after the other, in any order");
        chooser.add(given(&["config.json", "model.safetensors"]));
        assert_eq!(names(&chooser), ["config.json", "model.safetensors"]);
    }

    #[test]
    fn of_two_kinds_of_tokenizers_the_newer_counts() {
        let mut chooser = Chooser::default();
        chooser.add(given(&["config.json", "tokenizer.json"]));
        chooser.add(given(&["vocab.json"]));
        chooser.add(given(&["merges.txt"]));
        assert_eq!(names(&chooser), ["config.json", "merges.txt", "vocab.json"]);
        chooser.add(given(&["tokenizer.json"]));
        assert_eq!(names(&chooser), ["config.json", "tokenizer.json"]);
        chooser.add(given(&["tokenizer.json", "vocab.json", "merges.txt"]));
        assert_eq!(names(&chooser).len(), 4, "a folder that has both is taken as it is");
    }

    #[test]
    fn what_is_typed_is_refused_in_the_words_of_the_reader() {
        let typed = |address: &str| Chooser { place: Place::Web, address: address.into(), ..Chooser::default() };
        assert!(typed("  ").source().unwrap_err().contains("openai-community/gpt2"));
        let refused = typed("http://example.org/m").source().unwrap_err();
        assert!(refused.starts_with("\u{201c}http://example.org/m\u{201d} must be the name"), "{refused}");
        assert_eq!(typed(" distilbert/distilgpt2 ").source().unwrap().text(), Some("distilbert/distilgpt2"));
    }

    #[test]
    fn a_place_is_read_from_its_word() {
        assert!(Place::ALL.into_iter().all(|place| Place::parse(place.word()) == Some(place)));
        assert_eq!(Place::parse("moon"), None);
    }
}
