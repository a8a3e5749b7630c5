//! The pages for people: a head about the version, and a section for each tool. Knows the layout;
//! the sentences are made elsewhere.

use policy::RuleSet;
use spec::Snapshot;
use spec::snapshot::Tool;

use super::narrowing::Narrowing;
use super::{Subject, rules, words};
use crate::render::escape;
use crate::render::text::yaml;

/// The widest and the narrowest lines that are drawn, in characters.
const WIDTH_MAX: usize = 160;
const WIDTH_MIN: usize = 60;
/// The column where values begin.
const VALUES: usize = 14;
/// How far what belongs to a rule is indented, and how wide its keys are.
const DETAILS: usize = 5;
const KEYS: usize = 10;

/// A page under construction.
pub(super) struct Page {
    text: String,
    width: usize,
}

impl Page {
    /// As wide as the terminal is, within reason.
    pub(super) fn new(columns: Option<usize>) -> Self {
        Self {
            text: String::new(),
            width: columns.unwrap_or(100).clamp(WIDTH_MIN, WIDTH_MAX),
        }
    }

    pub(super) fn finish(self) -> String {
        self.text
    }

    /// `first`, then `text` broken at spaces, every line but the first indented to where it begins.
    fn wrapped(&mut self, first: &str, text: &str) {
        let indent = first.chars().count();
        let mut used = indent;
        self.text.push_str(first);
        for (at, word) in escape::inline(text).split(' ').enumerate() {
            let length = word.chars().count();
            let next = used.saturating_add(length).saturating_add(1);
            if at > 0 && next > self.width && used > indent {
                self.text.push('\n');
                self.text.push_str(&" ".repeat(indent));
                used = indent;
            } else if at > 0 {
                self.text.push(' ');
                used = used.saturating_add(1);
            }
            self.text.push_str(word);
            used = used.saturating_add(length);
        }
        let kept = self.text.trim_end().len();
        self.text.truncate(kept);
        self.text.push('\n');
    }

    fn row(&mut self, key: &str, value: &str) {
        self.wrapped(&format!("{key:<VALUES$}"), value);
    }

    fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn indented(&mut self, block: &str) {
        for line in block.lines() {
            self.line(&format!("  {line}"));
        }
    }

    /// What holds of the version as a whole.
    pub(super) fn head(&mut self, subject: &Subject) {
        let agent = &subject.snapshot.agent;
        self.row(
            "agent",
            &format!("{}/{}@{}", agent.namespace, agent.name, agent.version),
        );
        for (key, value) in subject.version.rows() {
            self.row(key, &value);
        }
        match subject.overlay() {
            Some((digest, true)) => {
                self.row("overlay", &format!("{digest}, laid over what follows"))
            }
            Some((digest, false)) => {
                self.row("overlay", &format!("{digest}, left out of what follows"))
            }
            None => {}
        }
        self.row("limits", &words::limits(&subject.snapshot.limits));
    }

    /// One tool: what is asked of a call, who runs it, and what its outcomes lead to.
    pub(super) fn tool(&mut self, tool: &Tool, subject: &Subject, set: &RuleSet) {
        let snapshot = &subject.snapshot;
        self.line("");
        self.wrapped(
            "=== ",
            &format!("{}: {} ===", tool.wire_name, tool.contract),
        );
        self.wrapped("", &tool.description);
        self.line("");
        self.row("class", &words::class(tool, subject.beneath(tool)));
        self.row("served by", &words::served_by(tool, &snapshot.mcp_servers));
        self.row("offered", &words::offered(&tool.available_when));
        self.row("on failure", words::on_failure(tool));
        self.row("if unknown", words::unknown(tool));
        self.row("probe", &words::probe(tool.probe.as_ref()));
        self.row("terminal", words::terminal(tool));
        self.arguments(tool);
        self.results(tool);
        self.rules(tool, snapshot, set);
    }

    fn arguments(&mut self, tool: &Tool) {
        let narrowing = Narrowing::of_arguments(tool);
        let closed = if tool.strict {
            ", and nothing beyond it"
        } else {
            ""
        };
        self.line("");
        self.wrapped("arguments: ", &format!("{}{closed}", narrowing.words()));
        self.indented(&yaml(&tool.input_schema));
        if tool.contract_schema != tool.input_schema {
            self.line("the Tool's own schema, which arguments are checked against as well:");
            self.indented(&yaml(&tool.contract_schema));
        }
        self.proof(&narrowing);
    }

    fn results(&mut self, tool: &Tool) {
        self.line("");
        let Some(narrowing) = Narrowing::of_results(tool) else {
            return self.line("results: not checked");
        };
        self.wrapped("results: ", &narrowing.words_of_results());
        let own = tool.contract_output_schema.as_ref();
        if let Some(own) = own {
            self.indented(&yaml(own));
        }
        if let Some(stated) = tool.output_schema.as_ref().filter(|it| Some(*it) != own) {
            self.line("the binding's schema, which results are checked against as well:");
            self.indented(&yaml(stated));
        }
        self.proof(&narrowing);
    }

    /// Why what is proven holds, place by place.
    fn proof(&mut self, narrowing: &Narrowing<'_>) {
        if narrowing.grounds.is_empty() {
            return;
        }
        self.wrapped(
            "proof: ",
            "what the wider schema says at each place, and why it always holds",
        );
        for it in &narrowing.grounds {
            self.wrapped("  ", &it.to_string());
        }
    }

    fn rules(&mut self, tool: &Tool, snapshot: &Snapshot, set: &RuleSet) {
        let rules = rules::of(set, snapshot, tool);
        self.line("");
        if rules.is_empty() {
            self.wrapped(
                "rules: ",
                "none; every call whose arguments fit goes through",
            );
            return;
        }
        self.wrapped("rules: ", "in this order; all are asked, one that denies wins, and a call that none stops goes through");
        for (rule, number) in rules.iter().zip(1_u32..) {
            self.wrapped(&format!("{number:>3}. "), &rule.head());
            for (key, value) in rule.details() {
                self.wrapped(&format!("{:DETAILS$}{key:<KEYS$}", ""), &value);
            }
        }
        if rules.iter().any(rules::Rule::has_doubt) {
            self.wrapped("  ", "undecided counts as a match where a rule denies or asks, and as none where it allows");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Page;

    #[test]
    fn lines_are_broken_at_spaces() {
        let mut page = Page::new(Some(0));
        let text = "one two three ".repeat(6);
        page.row("key", &text);
        page.row("long", &"x".repeat(80));
        page.row("hidden", "a\u{1b}[2K\nb");
        let lines: Vec<String> = page.finish().lines().map(str::to_owned).collect();
        assert_eq!(lines.len(), 4);
        assert_eq!(
            lines[0],
            format!("key           {}one", "one two three ".repeat(3))
        );
        assert_eq!(
            lines[1],
            format!("              {}", "two three one two three one two three")
        );
        assert_eq!(lines[2], format!("long          {}", "x".repeat(80)));
        assert_eq!(lines[3], "hidden        a\\u{1b}[2K\\nb");
    }
}
