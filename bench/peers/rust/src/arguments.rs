//! The options of `peers race`.

use std::time::Duration;

use crate::Failure;

/// A tool to ask and the command that starts it.
pub(crate) struct Tool {
    pub(crate) name: String,
    pub(crate) command: Vec<String>,
}

pub(crate) struct Arguments {
    pub(crate) pairs: Option<String>,
    pub(crate) overlays: Option<String>,
    pub(crate) corpus: Option<String>,
    pub(crate) random: usize,
    pub(crate) seed: u64,
    /// The most pairs of a kind; a larger set is thinned out evenly.
    pub(crate) limit: usize,
    pub(crate) limit_time: Duration,
    pub(crate) tools: Vec<Tool>,
    /// Tools that could not be installed, and why.
    pub(crate) missing: Vec<(String, String)>,
}

impl Arguments {
    pub(crate) fn read(words: &[String]) -> Result<Self, Failure> {
        let mut it = Self {
            pairs: None,
            overlays: None,
            corpus: None,
            random: 0,
            seed: 1,
            limit: usize::MAX,
            limit_time: Duration::from_secs(10),
            tools: Vec::new(),
            missing: Vec::new(),
        };
        for option in words.chunks(2) {
            let [name, value] = option else {
                return Err(format!("{option:?} wants a value").into());
            };
            match name.as_str() {
                "--pairs" => it.pairs = Some(value.clone()),
                "--overlays" => it.overlays = Some(value.clone()),
                "--corpus" => it.corpus = Some(value.clone()),
                "--random" => it.random = value.parse()?,
                "--seed" => it.seed = value.parse()?,
                "--limit" => it.limit = value.parse()?,
                "--seconds" => it.limit_time = Duration::from_secs(value.parse()?),
                "--tool" => {
                    let (name, command) = value.split_once('=').ok_or("--tool NAME=COMMAND")?;
                    it.tools.push(Tool {
                        name: name.to_owned(),
                        command: command.split('\t').map(str::to_owned).collect(),
                    });
                }
                "--missing" => {
                    let (name, why) = value.split_once('=').ok_or("--missing NAME=WHY")?;
                    it.missing.push((name.to_owned(), why.to_owned()));
                }
                other => return Err(format!("no option is called {other}").into()),
            }
        }
        Ok(it)
    }
}
