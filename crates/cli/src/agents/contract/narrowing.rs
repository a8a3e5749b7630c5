//! What publish found of a binding's schemas, and why it holds. The chain of reasons is worked out
//! anew from the two schemas; it is not part of what was published.

use spec::Json;
use spec::snapshot::{Standing, Tool};
use subschema::{Ground, Options, explain};

/// How a schema of a binding stands to the Tool's own.
pub(super) struct Narrowing<'a> {
    standing: &'a Standing,
    /// Whether they are one and the same after all.
    is_equal: bool,
    pub(super) grounds: Vec<Ground>,
}

impl<'a> Narrowing<'a> {
    /// Of the arguments: no more than the Tool takes.
    pub(super) fn of_arguments(tool: &'a Tool) -> Self {
        Self::new(
            &tool.input_standing,
            &tool.input_schema,
            &tool.contract_schema,
        )
    }

    /// Of the results: no fewer than the Tool gives. `None` where they are not checked.
    pub(super) fn of_results(tool: &'a Tool) -> Option<Self> {
        let own = tool.contract_output_schema.as_ref();
        let stated = tool.output_schema.as_ref();
        match (own, stated) {
            (None, None) => None,
            (None, Some(stated)) => {
                let own = &Json::Bool(true);
                Some(Self::new(&tool.output_standing, own, stated))
            }
            (Some(own), stated) => {
                let stated = stated.unwrap_or(own);
                Some(Self::new(&tool.output_standing, own, stated))
            }
        }
    }

    fn new(standing: &'a Standing, sub: &Json, sup: &Json) -> Self {
        let is_equal = sub == sup;
        let grounds = match standing {
            Standing::Proved if !is_equal => {
                explain(sub, sup, &Options::default()).unwrap_or_default()
            }
            Standing::Same | Standing::Proved | Standing::Unproven { .. } => Vec::new(),
        };
        Self {
            standing,
            is_equal,
            grounds,
        }
    }

    /// What was found of the arguments, in words.
    pub(super) fn words(&self) -> String {
        match self.standing {
            Standing::Same => "the Tool's own schema, unchanged".to_owned(),
            Standing::Proved if self.is_equal => {
                "the Tool's own schema, which the binding repeats".to_owned()
            }
            Standing::Proved => {
                "the Tool's own schema, narrowed by the binding; that it is nowhere wider is proven"
                    .to_owned()
            }
            Standing::Unproven { keyword } => format!(
                "the Tool's own schema, changed by the binding; NOT proven to be nowhere wider{}, and let through by who published it. Calls are checked against both",
                because(keyword.as_deref())
            ),
        }
    }

    /// What was found of the results, in words.
    pub(super) fn words_of_results(&self) -> String {
        match self.standing {
            Standing::Same => "the Tool's own schema".to_owned(),
            Standing::Proved if self.is_equal => {
                "the Tool's own schema, which the binding repeats".to_owned()
            }
            Standing::Proved => {
                "the binding's schema and the Tool's own; that it takes whatever the Tool may give is proven"
                    .to_owned()
            }
            Standing::Unproven { keyword } => format!(
                "the binding's schema and the Tool's own; NOT proven to take whatever the Tool may give{}, and let through by who published it",
                because(keyword.as_deref())
            ),
        }
    }

    /// The words of programs: `same`, `proved` or `unproven`, and the keyword that stood in the way.
    pub(super) fn to_json(&self) -> Json {
        let (word, keyword) = match self.standing {
            Standing::Same => ("same", None),
            Standing::Proved => ("proved", None),
            Standing::Unproven { keyword } => ("unproven", keyword.as_deref()),
        };
        let grounds = self.grounds.iter().map(|it| {
            Json::from_members([
                ("place", Json::from(it.place.as_str())),
                ("keyword", Json::from(it.keyword)),
                ("holds", Json::from(it.rule.to_string())),
            ])
        });
        Json::from_members([
            ("standing", Json::from(word)),
            ("keyword", Json::from(keyword)),
            ("grounds", Json::from(grounds.collect::<Vec<_>>())),
        ])
    }
}

fn because(keyword: Option<&str>) -> String {
    keyword.map_or_else(String::new, |it| format!(" (`{it}` stood in the way)"))
}
