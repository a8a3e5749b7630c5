//! Everything that is written to the terminal goes through the one printer here. Stdout carries what
//! was asked for, stderr the rest. Knows streams, colour and quiet; not commands.

pub(crate) mod escape;
mod path;
mod table;
pub(crate) mod text;

use std::io::{self, IsTerminal as _, Write as _};

use clap::ValueEnum;
use spec::Json;

use crate::environment::Environment;
use crate::exit::Exit;
use crate::failure::Failure;

pub(crate) use path::plain_path;
pub(crate) use table::table;

/// How data is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people.
    Table,
    /// JSON, with stable field names.
    Json,
    /// The same as YAML.
    Yaml,
}

/// The flag of commands that print data.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Output {
    /// How data is printed.
    #[arg(
        short = 'o',
        long = "output",
        alias = "format",
        value_name = "FORMAT",
        value_enum,
        default_value_t = Format::Table
    )]
    pub(crate) format: Format,
}

/// A style of the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Bold,
    Dim,
    Red,
    Green,
    Yellow,
    Cyan,
}

impl Style {
    fn number(self) -> u8 {
        match self {
            Style::Bold => 1,
            Style::Dim => 2,
            Style::Red => 31,
            Style::Green => 32,
            Style::Yellow => 33,
            Style::Cyan => 36,
        }
    }
}

/// The one way to the terminal.
#[derive(Clone, Debug)]
pub(crate) struct Printer {
    quiet: bool,
    out_has_color: bool,
    err_has_color: bool,
}

impl Printer {
    pub(crate) fn new(quiet: bool, no_color: bool, environment: &Environment) -> Self {
        let forced = environment
            .get("CLICOLOR_FORCE")
            .is_some_and(|it| it != "0");
        let allowed = !no_color && environment.get("NO_COLOR").is_none();
        Self {
            quiet,
            out_has_color: allowed && (forced || io::stdout().is_terminal()),
            err_has_color: allowed && (forced || io::stderr().is_terminal()),
        }
    }

    /// `text`, which ends its own lines, to stdout.
    pub(crate) fn out(&self, text: &str) -> Result<(), Failure> {
        let mut stdout = io::stdout().lock();
        stdout
            .write_all(text.as_bytes())
            .and_then(|()| stdout.flush())
            .map_err(|why| unwritable(&why))
    }

    /// A line to stdout.
    pub(crate) fn line(&self, text: &str) -> Result<(), Failure> {
        self.out(&format!("{text}\n"))
    }

    /// Data for programs, or whatever `table` draws for people.
    pub(crate) fn data(
        &self,
        format: Format,
        data: &Json,
        table: impl FnOnce() -> String,
    ) -> Result<(), Failure> {
        match format {
            Format::Table => self.out(&table()),
            Format::Json => self.line(&text::pretty(data)),
            Format::Yaml => self.out(&text::yaml(data)),
        }
    }

    /// A line beside the data. Not shown when quiet.
    pub(crate) fn note(&self, text: &str) {
        if !self.quiet {
            to_stderr(&format!("{text}\n"));
        }
    }

    /// Something that may be wrong. Not shown when quiet.
    pub(crate) fn warn(&self, text: &str) {
        let head = paint(self.err_has_color, Style::Yellow, "warning:");
        self.note(&format!("{head} {text}"));
    }

    /// What is wrong with documents. Shown always: without it an exit code says too little.
    pub(crate) fn diagnostics(&self, text: &str) {
        to_stderr(text);
    }

    /// The one place where an error and its causes are drawn.
    pub(crate) fn failure(&self, failure: &Failure) {
        // A reader that went away needs no message.
        if failure.message.is_empty() {
            return;
        }
        let head = paint(self.err_has_color, Style::Red, "Error:");
        let mut text = format!("{head} {}\n", escape::block(&failure.message));
        for cause in &failure.causes {
            text.push_str("  ");
            text.push_str(&escape::block(cause));
            text.push('\n');
        }
        if let Some(hint) = &failure.hint {
            let head = paint(self.err_has_color, Style::Cyan, "hint:");
            text.push_str(&format!("{head} {hint}\n"));
        }
        to_stderr(&text);
    }

    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet
    }

    pub(crate) fn err_has_color(&self) -> bool {
        self.err_has_color
    }

    /// `text` in `style`, if stdout shows colours.
    pub(crate) fn styled(&self, style: Style, text: &str) -> String {
        paint(self.out_has_color, style, text)
    }
}

fn paint(has_color: bool, style: Style, text: &str) -> String {
    if has_color {
        format!("\u{1b}[{}m{text}\u{1b}[0m", style.number())
    } else {
        text.to_owned()
    }
}

fn to_stderr(text: &str) {
    // There is nowhere left to say that stderr is closed.
    let _ignored = io::stderr().lock().write_all(text.as_bytes());
}

fn unwritable(why: &io::Error) -> Failure {
    if why.kind() == io::ErrorKind::BrokenPipe {
        return Failure::new(Exit::Failed, "");
    }
    Failure::new(Exit::Failed, "write to stdout").because(why)
}
