//! Which rules reach a tool, for readers.

use policy::RuleSet;
use policy::Truth::{False, Unknown};
use spec::snapshot::DecisionKind::{Allow, Deny, RequireApproval};
use spec::snapshot::{Origin, Scope};

use crate::support::{PAY, always, at_limits, attached, rule, scoped, snapshot, tool};

#[test]
fn in_merge_order_once_each() {
    let amount = r#"{"field": "amount", "op": "gt", "value": 3}"#;
    let trigger = r#"{"any": [{"field": "dispatch.outcome", "value": "no_handler"}, {"field": "odd", "value": 1}]}"#;
    let mut twice = rule("a-twice", Deny, amount);
    twice.attachments = vec![
        attached(Origin::AgentDefault, &["pay"]),
        attached(Origin::ToolDefault, &["pay"]),
    ];
    let mut elsewhere = always("elsewhere", Deny);
    elsewhere.attachments = vec![attached(Origin::Binding, &["look"])];
    let policies = vec![
        scoped(Scope::Dispatch, always("z-dispatch", Deny)),
        rule("y-both", RequireApproval, trigger),
        always("b-list", Allow),
        twice,
        elsewhere,
        at_limits(scoped(Scope::Limit, always("limit", Deny))),
    ];
    let tools = vec![tool("pay", PAY), tool("look", PAY)];
    let set = RuleSet::compile(&snapshot(tools, policies)).unwrap();
    let told: Vec<_> = set
        .reaching("pay")
        .iter()
        .map(|it| {
            let rounds = (it.in_first_round, it.in_second_round);
            (
                it.policy.name.clone(),
                it.origins.to_vec(),
                rounds,
                it.missing.to_vec(),
            )
        })
        .collect();
    let name = str::to_owned;
    let expected = [
        (
            name("a-twice"),
            vec![Origin::ToolDefault, Origin::AgentDefault],
            (true, false),
            vec![Unknown],
        ),
        (name("b-list"), vec![Origin::Binding], (true, false), vec![]),
        (
            name("y-both"),
            vec![Origin::Binding],
            (true, true),
            vec![False, False],
        ),
        (
            name("z-dispatch"),
            vec![Origin::Binding],
            (false, true),
            vec![],
        ),
    ];
    assert_eq!(told, expected);
    assert!(set.reaching("stranger").is_empty());
}
