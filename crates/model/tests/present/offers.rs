//! Names, descriptions and the list as a whole.

use model::present::{
    ANTHROPIC, OPENAI, OPENAI_COMPATIBLE, OPENROUTER, Offer, PROFILES, Profile, offer, profile_of,
};
use serde_json::{Value, json};
use spec::snapshot::Tool;

use crate::support::tool;

fn offered(tools: &[Tool], profile: &Profile) -> Offer {
    let tools: Vec<&Tool> = tools.iter().collect();
    offer(&tools, profile)
}

fn named(names: &[&str]) -> Vec<Tool> {
    let schema = json!({"type": "object"});
    names
        .iter()
        .map(|it| tool(it, "Does it.", &schema))
        .collect()
}

#[test]
fn names_are_mapped_both_ways() {
    let tools = named(&["billing_invoices_create", "9-lives", "-x"]);
    for profile in PROFILES {
        let offer = offered(&tools, profile);
        for (tool, shown) in tools.iter().zip(&offer.tools) {
            assert_eq!(shown.wire_name, tool.wire_name);
            assert_eq!(offer.name(&tool.wire_name), Some(shown.name.as_str()));
            assert_eq!(offer.wire_name(&shown.name), Some(tool.wire_name.as_str()));
        }
    }
    let names = |profile| {
        let shown = offered(&tools, profile).tools.into_iter();
        shown.map(|it| it.name).collect::<Vec<String>>()
    };
    assert_eq!(
        names(&ANTHROPIC),
        ["billing_invoices_create", "9-lives", "-x"]
    );
    assert_eq!(
        names(&OPENROUTER),
        ["billing_invoices_create", "t_9-lives", "t_-x"]
    );
}

#[test]
fn a_name_that_was_not_offered_is_no_tool() {
    let offer = offered(&named(&["email_send", "9-lives"]), &OPENAI_COMPATIBLE);
    for unknown in [
        "emailsend",
        "Email_Send",
        "email.send",
        "functions.email_send",
        "email_send ",
        "9-lives",
        "",
    ] {
        assert_eq!(offer.wire_name(unknown), None, "{unknown}");
    }
    assert_eq!(offer.name("t_9-lives"), None);
}

#[test]
fn twins_are_offered_once() {
    let offer = offered(&named(&["a", "b", "a"]), &OPENAI);
    let names: Vec<&str> = offer.tools.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
}

#[test]
fn one_odd_tool_changes_nothing_for_the_others() {
    let plain =
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]});
    let odd = json!({"anyOf": [{"type": "object", "required": ["a"]}, {"type": "object"}]});
    let tools = [
        tool("a", "", &plain),
        tool("odd", "", &odd),
        tool("c", "", &plain),
    ];
    for profile in PROFILES {
        let offer = offered(&tools, profile);
        assert_eq!(crate::support::serde(&offer.tools[0].schema), plain);
        assert_eq!(crate::support::serde(&offer.tools[2].schema), plain);
        assert!(offer.tools[0].notes.is_empty() && !offer.tools[1].notes.is_empty());
    }
}

#[test]
fn words_survive_a_description_that_is_cut() {
    let schema = json!({"type": "object", "minProperties": 1});
    let tools = [tool("a", &"\u{e9}".repeat(3_000), &schema)];
    let shown = &offered(&tools, &OPENAI_COMPATIBLE).tools[0];
    assert_eq!(shown.description.chars().count(), 1024);
    assert!(
        shown
            .description
            .ends_with("\u{2026} Also: minProperties 1.")
    );
    assert_eq!(
        shown.notes[0].text,
        "the description is cut to 1024 characters"
    );
    let whole = &offered(&tools, &ANTHROPIC).tools[0];
    assert_eq!(whole.description.chars().count(), 3_000);
}

#[test]
fn too_many_tools_are_noted() {
    let names: Vec<String> = (0..129).map(|it| format!("t{it}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let offer = offered(&named(&names), &OPENAI);
    assert_eq!(offer.tools.len(), 129);
    let text = "129 tools are offered, and openai takes at most 128";
    assert_eq!(offer.notes[0].text, text);
    assert!(offered(&named(&names[1..]), &OPENAI).notes.is_empty());
}

#[test]
fn notes_are_bounded() {
    let properties = (0..80).map(|it| (format!("$p{it}"), json!({})));
    let properties = Value::Object(properties.collect());
    let schema = json!({"type": "object", "properties": properties});
    let shown = &offered(&[tool("a", "", &schema)], &ANTHROPIC).tools[0];
    assert_eq!(shown.notes.len(), 51);
    assert_eq!(shown.notes[50].text, "and 30 further changes");
    assert!(shown.description.chars().count() < 500);
}

#[test]
fn unknown_providers_are_shown_the_least() {
    assert_eq!(profile_of("anthropic"), &ANTHROPIC);
    assert_eq!(profile_of("openrouter"), &OPENROUTER);
    assert_eq!(profile_of("stub"), &OPENAI_COMPATIBLE);
}
