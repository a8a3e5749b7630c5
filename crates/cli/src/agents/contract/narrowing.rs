//! What was proven of a binding's schema, and why it holds. The chain of reasons is worked out anew;
//! it is not part of what was published.

use spec::Json;
use spec::snapshot::Tool;
use subschema::{Answer, Ground, Options, contains, explain};

/// What is known of the arguments' schema and the Tool's own.
pub(super) struct Narrowing {
    pub(super) standing: Standing,
    pub(super) grounds: Vec<Ground>,
}

/// How the binding's schema stands to the Tool's own.
pub(super) enum Standing {
    Same,
    Proved,
    Unproven(Option<String>),
}

impl Narrowing {
    pub(super) fn of(tool: &Tool) -> Self {
        let options = Options::default();
        let (sub, sup) = (&tool.input_schema, &tool.contract_schema);
        let standing = standing(sub, sup, &options);
        let grounds = match &standing {
            Standing::Proved => explain(sub, sup, &options).unwrap_or_default(),
            Standing::Same | Standing::Unproven(_) => Vec::new(),
        };
        Self { standing, grounds }
    }

    /// In words.
    pub(super) fn words(&self) -> String {
        match &self.standing {
            Standing::Same => "the Tool's own schema, unchanged".to_owned(),
            Standing::Proved => {
                "a narrower schema than the Tool's own; that it only narrows is proven".to_owned()
            }
            Standing::Unproven(keyword) => {
                let keyword = keyword.as_deref().map(|it| format!(" (`{it}`)"));
                format!(
                    "another schema than the Tool's own; that it only narrows is NOT proven{}, and its author allowed that. Arguments are checked against both",
                    keyword.unwrap_or_default()
                )
            }
        }
    }

    /// The word in data.
    pub(super) fn word(&self) -> &'static str {
        match &self.standing {
            Standing::Same => "same",
            Standing::Proved => "proved",
            Standing::Unproven(_) => "unproven",
        }
    }

    pub(super) fn keyword(&self) -> Option<&str> {
        match &self.standing {
            Standing::Same | Standing::Proved => None,
            Standing::Unproven(keyword) => keyword.as_deref(),
        }
    }
}

fn standing(sub: &Json, sup: &Json, options: &Options) -> Standing {
    if sub == sup {
        return Standing::Same;
    }
    match contains(sub, sup, options) {
        Answer::Proved(_) => Standing::Proved,
        Answer::Refuted(_) => Standing::Unproven(None),
        Answer::Undecided(reason) => Standing::Unproven(reason.keyword),
    }
}
