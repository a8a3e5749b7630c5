//! `schema contains` as it is typed: answers, exit codes, batches and what is no schema.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use expect_test::{Expect, expect};
use spec::Json;
use tempfile::TempDir;

const TOOL: &str = "\
type: object
required: [title]
additionalProperties: false
properties:
  title: {type: string, minLength: 1, maxLength: 120}
  severity: {type: integer, minimum: 1, maximum: 5}
  team: {type: string, pattern: '^[a-z-]+$'}
";

/// A folder with these files, and the Tool's schema.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("tool.yaml"), TOOL).unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ordain"));
    command
        .arg("schema")
        .args(arguments)
        .current_dir(folder)
        .env_remove("CLICOLOR_FORCE");
    command
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    command(folder, arguments).output().unwrap()
}

fn fed(folder: &Path, arguments: &[&str], input: &str) -> Output {
    let mut child = command(folder, arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Who has seen enough closes the pipe.
    let _closed = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

/// Everything that came out, with the exit code.
fn shown(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let mut shown = text(&output.stdout);
    for line in text(&output.stderr).lines() {
        shown.push_str(&format!("! {line}\n"));
    }
    shown.push_str(&format!("exit {}\n", output.status.code().unwrap()));
    shown
}

fn check(overlay: &str, flags: &[&str], expected: &Expect) {
    let folder = folder(&[("sub.yaml", overlay)]);
    let mut arguments = vec!["contains", "sub.yaml", "tool.yaml", "--overlay"];
    arguments.extend(flags);
    expected.assert_eq(&shown(&run(folder.path(), &arguments)));
}

#[test]
fn proved() {
    let overlay = "properties: {severity: {maximum: 3}}\nrequired: [severity]\n";
    check(
        overlay,
        &["--quiet"],
        &expect![[r#"
        proved
        exit 0
    "#]],
    );
    check(
        overlay,
        &["--explain"],
        &expect![[r#"
        proved
        PLACE      KEYWORD OF SUP        HOLDS                      
        /          type                  said alike                 
        /          required              said alike                 
        /          properties            said alike                 
        /          additionalProperties  said alike                 
        /severity  type                  said alike                 
        /severity  minimum               said alike                 
        /severity  maximum               by the bounds of the number
        ! note: /: title stays required: an overlay's `required` adds to the list and takes nothing away
        exit 0
    "#]],
    );
}

#[test]
fn refuted() {
    let overlay = "properties: {severity: {maximum: 9}}\n";
    check(
        overlay,
        &[],
        &expect![[r#"
        refuted {"severity":6,"title":"a"}
          SUP refuses it at /severity: 6 is greater than the maximum of 5 (maximum)
        exit 1
    "#]],
    );
    check(
        overlay,
        &["--explain"],
        &expect![[r#"
        refuted {"severity":6,"title":"a"}
          SUP refuses it at /severity: 6 is greater than the maximum of 5 (maximum)
          SUB says maximum: 9
          SUP says maximum: 5
        exit 1
    "#]],
    );
    let overlay = "properties: {titel: {type: string}}\n";
    check(
        overlay,
        &["--explain"],
        &expect![[r#"
        refuted {"titel":"","title":"a"}
          SUP refuses it at /: has properties that are not allowed: "titel" (additionalProperties)
          SUB says additionalProperties: false, properties: ["severity","team","titel","title"]
          SUP says additionalProperties: false, properties: ["severity","team","title"]
        ! note: /: SUP forbids the property titel
        exit 1
    "#]],
    );
}

#[test]
fn undecided() {
    let overlay = "properties: {team: {pattern: '\\bsre\\b'}}\n";
    check(
        overlay,
        &[],
        &expect![[r#"
        undecided /team `pattern`: a word boundary in a pattern
        exit 2
    "#]],
    );
    check(
        overlay,
        &["--explain"],
        &expect![[r#"
        undecided /team `pattern`: a word boundary in a pattern
          help: write the pattern without word boundaries, back-references and lookarounds and with small counts, or the very same pattern in both schemas; where few texts are meant, list them in an `enum`
        exit 2
    "#]],
    );
    let overlay = "properties: {title: {pattern: '^(a|b)*a(a|b){9}$'}}\n";
    check(
        overlay,
        &["--steps", "1", "--explain"],
        &expect![[r#"
        undecided more steps than allowed
          help: allow a longer search with --steps, or take the schemas apart and compare the parts that differ
        exit 2
    "#]],
    );
}

#[test]
fn notes_about_an_overlay() {
    check(
        "{}",
        &[],
        &expect![[r#"
        proved
        ! note: the overlay changes nothing
        exit 0
    "#]],
    );
    check(
        "properties: {title: {maxLength: 0}}\n",
        &[],
        &expect![[r#"
        proved
        ! note: the overlay leaves no value at all
        exit 0
    "#]],
    );
    check(
        "properties: {severity: {maximum: 3, default: 4, maxLength: 2}}\n",
        &[],
        &expect![[r#"
            proved
            ! note: /properties/severity: `maxLength` says nothing about values of the type there
            ! note: /properties/severity: the default 4 is refused by the overlay itself
            exit 0
        "#]],
    );
}

#[test]
fn as_data() {
    let data = |overlay: &str| {
        let folder = folder(&[("sub.yaml", overlay)]);
        let arguments = [
            "contains",
            "sub.yaml",
            "tool.yaml",
            "--overlay",
            "--explain",
            "--json",
        ];
        let output = run(folder.path(), &arguments);
        let Ok(Json::Object(mut members)) = Json::parse(&output.stdout) else {
            panic!("{output:?}");
        };
        assert!(members.remove("micros").unwrap().as_number().is_some());
        assert!(
            members
                .remove("completed")
                .unwrap()
                .get("required")
                .is_some()
        );
        Json::Object(members).to_canonical() + "\n"
    };
    expect![[r#"
        {"answer":"proved","explain":[{"holds":"said alike","keyword":"type","place":""},{"holds":"said alike","keyword":"required","place":""},{"holds":"said alike","keyword":"properties","place":""},{"holds":"said alike","keyword":"additionalProperties","place":""},{"holds":"said alike","keyword":"type","place":"/severity"},{"holds":"said alike","keyword":"minimum","place":"/severity"},{"holds":"said alike","keyword":"maximum","place":"/severity"}],"notes":[]}
    "#]].assert_eq(&data("properties: {severity: {const: 3}}\n"));
    expect![[r#"
        {"answer":"refuted","explain":{"sub":{"maximum":6},"sup":{"maximum":5}},"keyword":"maximum","notes":[],"place":"/severity","reason":"6 is greater than the maximum of 5","witness":{"severity":6,"title":"a"}}
    "#]].assert_eq(&data("properties: {severity: {maximum: 6}}\n"));
    expect![[r#"
        {"answer":"undecided","explain":{"help":"write the pattern without word boundaries, back-references and lookarounds and with small counts, or the very same pattern in both schemas; where few texts are meant, list them in an `enum`"},"keyword":"pattern","notes":[],"place":"/team","reason":"a word boundary in a pattern"}
    "#]].assert_eq(&data("properties: {team: {pattern: '\\bsre\\b'}}\n"));
}

#[test]
fn exit_codes_of_what_cannot_be_asked() {
    let folder = folder(&[
        ("text.json", "no JSON"),
        ("type.yaml", "type: text\n"),
        ("old.json", r#"{"maximum": 3, "exclusiveMaximum": true}"#),
        (
            "document.yaml",
            "apiVersion: phrony.com/v1\nkind: Tool\nspec: {}\n",
        ),
        ("deep.json", &"[".repeat(100_000)),
        ("all.json", "true"),
        ("any.json", "{}"),
    ]);
    fs::create_dir(folder.path().join("folder")).unwrap();
    let huge = fs::File::create(folder.path().join("huge.json")).unwrap();
    huge.set_len(100_000_000).unwrap();
    let table: &[(&[&str], i32)] = &[
        (&["contains"], 2),
        (&["contains", "all.json"], 2),
        (&["contains", "all.json", "all.json", "--draft", "5"], 2),
        (&["contains", "-", "-"], 2),
        (
            &["contains", "all.json", "all.json", "--batch", "x.json"],
            2,
        ),
        (&["contains", "missing.json", "all.json"], 5),
        (&["contains", "--batch", "missing.json"], 5),
        (&["contains", "all.json", "folder"], 3),
        (&["contains", "all.json", "text.json"], 3),
        (&["contains", "type.yaml", "all.json"], 3),
        (&["contains", "document.yaml", "all.json"], 3),
        (&["contains", "deep.json", "all.json"], 3),
        (&["contains", "huge.json", "all.json"], 3),
        (&["contains", "old.json", "all.json"], 3),
        (
            &["contains", "old.json", "any.json", "--draft", "draft-04"],
            0,
        ),
        (&["contains", "all.json", "all.json"], 0),
    ];
    for (arguments, code) in table {
        let output = run(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(*code), "{arguments:?}");
        // An answer is on stdout, and nothing else is.
        assert_eq!(output.stdout.is_empty(), *code != 0, "{arguments:?}");
    }
}

#[test]
fn what_is_wrong_with_a_schema_is_drawn() {
    let folder = folder(&[("sub.yaml", "type: object\nproperties: {a: {type: text}}\n")]);
    let output = run(folder.path(), &["contains", "sub.yaml", "tool.yaml"]);
    expect![[r#"
        ! error[E0401]: not a valid JSON Schema: unknown type
        !  --> sub.yaml:2:24
        !   |
        ! 2 | properties: {a: {type: text}}
        !   |                        ^^^^ properties.a.type
        !   |
        !   = help: the types are array, boolean, integer, null, number, object and string
        ! 
        ! Error: invalid schema "sub.yaml" (1 error)
        exit 3
    "#]]
    .assert_eq(&shown(&output));
}

#[test]
fn formats_assert_unless_they_are_notes() {
    let folder = folder(&[
        ("a.json", r#"{"type": "string"}"#),
        ("b.json", r#"{"format": "uuid"}"#),
    ]);
    let ask = |flags: &[&str]| {
        let mut arguments = vec!["contains", "a.json", "b.json"];
        arguments.extend(flags);
        run(folder.path(), &arguments).status.code().unwrap()
    };
    assert_eq!(ask(&[]), 1);
    assert_eq!(ask(&["--formats", "assert"]), 1);
    assert_eq!(ask(&["--formats", "note"]), 0);
}

#[test]
fn an_overlay_is_read_by_the_draft_of_what_it_narrows() {
    // Beside a reference nothing counts in draft 7, and everything in 2020-12.
    let sup = r##"{"$defs": {"a": {"type": "integer"}}, "required": ["n"], "type": "object",
        "properties": {"n": {"$ref": "#/$defs/a", "type": "string", "maximum": 5}}}"##;
    let folder = folder(&[
        ("sup.json", sup),
        ("sub.json", r#"{"properties": {"n": {"maximum": 9}}}"#),
    ]);
    let ask = |draft: &str| {
        let arguments = ["contains", "sub.json", "sup.json", "--overlay", "--draft"];
        shown(&run(folder.path(), &[&arguments[..], &[draft]].concat()))
    };
    assert_eq!(ask("7"), "proved\nexit 0\n");
    assert!(ask("2020-12").contains("leaves no value at all"));
}

#[test]
fn in_a_batch_formats_are_notes_unless_something_else_is_said() {
    let folder = folder(&[]);
    let pair = r#"{"id": "x", "sup": {"format": "uuid"}, "sub": {"type": "string"}"#;
    let pairs =
        format!("{pair}}}\n{pair}, \"format\": \"assert\"}}\n{pair}, \"format\": \"note\"}}\n");
    let ask = |flags: &[&str]| {
        let arguments = [&["contains", "--batch", "-"], flags].concat();
        let output = fed(folder.path(), &arguments, &pairs);
        let text = String::from_utf8(output.stdout).unwrap();
        let answers = text.lines().map(|line| line.contains("proved"));
        answers.collect::<Vec<_>>()
    };
    assert_eq!(ask(&[]), [true, false, true]);
    assert_eq!(ask(&["--formats", "note"]), [true, false, true]);
    assert_eq!(ask(&["--formats", "assert"]), [false, false, true]);
}

#[test]
fn a_witness_cannot_act_on_the_terminal() {
    let folder = folder(&[("sub.json", r#"{"const": {"\u202e\u001b[2K": "\u0007"}}"#)]);
    let output = run(
        folder.path(),
        &["contains", "sub.json", "tool.yaml", "--explain"],
    );
    expect![[r#"
        refuted {"\u202e\u001b[2K":"\u0007"}
          SUP refuses it at /: has properties that are not allowed: "\u{202e}\u001b[2K" (additionalProperties)
          SUB does not say `additionalProperties` there
          SUP says additionalProperties: false, properties: ["severity","team","title"]
        exit 1
    "#]].assert_eq(&shown(&output));
}

#[test]
fn a_schema_from_standard_input() {
    let folder = folder(&[]);
    let output = fed(
        folder.path(),
        &["contains", "-", "tool.yaml"],
        r#"{"const": {"title": "x"}}"#,
    );
    expect![[r#"
        proved
        exit 0
    "#]]
    .assert_eq(&shown(&output));
    let output = fed(folder.path(), &["contains", "-", "tool.yaml"], "type: [");
    expect![[r#"
        ! error[E0103]: syntax error: while parsing a node, did not find expected node content
        !  --> standard input:1:8
        !   |
        ! 1 | type: [
        !   |        ^
        !   |
        !   = help: look for a quote, a bracket or an indentation that is off here or just above
        ! 
        ! Error: invalid schema "standard input" (1 error)
        exit 3
    "#]]
    .assert_eq(&shown(&output));
}

#[test]
fn schemas_of_documents_are_still_printed() {
    let folder = folder(&[]);
    for arguments in [&[][..], &["policy"]] {
        let output = run(folder.path(), arguments);
        assert!(output.status.success());
        assert!(
            Json::parse(&output.stdout)
                .unwrap()
                .get("$schema")
                .is_some()
        );
    }
    let output = run(folder.path(), &["contain", "a", "b"]);
    assert_eq!(output.status.code(), Some(2));
}

/// The lines of a batch, by id.
fn answers(output: &Output) -> BTreeMap<String, Json> {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let lines = text.lines().map(|line| {
        let line = Json::parse(line.as_bytes()).unwrap();
        (line.get("id").unwrap().as_str().unwrap().to_owned(), line)
    });
    lines.collect()
}

#[test]
fn the_pairs_are_answered_as_they_are_labelled() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../subschema/testdata/pairs.json");
    let pairs = Json::parse(&fs::read(&file).unwrap()).unwrap();
    let folder = folder(&[]);
    let whole = run(
        folder.path(),
        &["contains", "--batch", file.to_str().unwrap()],
    );
    assert_eq!(whole.status.code(), Some(0));
    let whole = answers(&whole);
    // Once more with the overlays themselves, a line each.
    let overlays = pairs.as_array().unwrap().iter().filter_map(|pair| {
        let mut members = pair.as_object().unwrap().clone();
        members.get("overlay")?;
        members.remove("sub");
        Some(Json::Object(members).to_canonical() + "\n")
    });
    let overlaid = fed(
        folder.path(),
        &["contains", "--batch", "-"],
        &overlays.collect::<String>(),
    );
    let overlaid = answers(&overlaid);
    assert!(overlaid.len() > 10 && whole.len() > 100);
    for pair in pairs.as_array().unwrap() {
        let id = pair.get("id").unwrap().as_str().unwrap();
        let expected = match pair.get("expected").unwrap().as_bool().unwrap() {
            true => "proved",
            false => "refuted",
        };
        for line in [Some(&whole[id]), overlaid.get(id)].into_iter().flatten() {
            assert_eq!(line.get("answer").unwrap().as_str(), Some(expected), "{id}");
            assert_eq!(line.get("witness").is_some(), expected == "refuted", "{id}");
            assert!(line.get("micros").unwrap().as_number().is_some());
        }
    }
    assert_eq!(whole.len(), pairs.as_array().unwrap().len());
}

#[test]
fn pairs_that_cannot_be_read_have_a_line_too() {
    let folder = folder(&[(
        "pairs.json",
        r#"[
            {"id": "good", "sup": {"type": "integer"}, "sub": {"const": 1}},
            {"id": 2, "sup": {"type": "integer"}, "overlay": {"maximum": 3}, "expected": true},
            {"sup": true, "sub": false},
            {"id": "no-sup", "sub": true},
            {"id": "no-sub", "sup": true},
            {"id": "no-schema", "sup": {"properties": {"a": {"type": "text\u001b"}}}, "sub": true},
            {"id": "draft", "sup": true, "sub": {"exclusiveMaximum": true, "maximum": 3}, "draft": "draft-04"},
            {"id": "no-draft", "sup": true, "sub": true, "draft": "5"},
            {"id": "no-format", "sup": true, "sub": true, "format": "perhaps"},
            7,
            {"id": "twice", "id": "twice"},
            {"id": "unknown", "sup": {"$schema": "http://example.com/mine"}, "sub": true},
            {"id": "undecided", "sup": {"format": "iri"}, "sub": {"format": "uri"}, "format": "assert"},
            {"id": "last", "sup": {"type": "string"}, "sub": {"const": 1}}"#,
    )]);
    let output = run(folder.path(), &["contains", "--batch", "pairs.json"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = text.lines().map(|line| {
        let Ok(Json::Object(mut members)) = Json::parse(line.as_bytes()) else {
            panic!("{line}");
        };
        members.remove("micros").unwrap();
        Json::Object(members).to_canonical() + "\n"
    });
    expect![[r#"
        {"answer":"proved","id":"good"}
        {"answer":"proved","id":2}
        {"answer":"proved","id":null}
        {"answer":"error","id":"no-sup","reason":"sup: it is missing"}
        {"answer":"error","id":"no-sub","reason":"sub: neither it nor `overlay` is there"}
        {"answer":"error","id":"no-schema","reason":"sup: no schema of 2020-12: /properties/a/type: \"text\\u001b\" is not valid under any of the schemas listed in the 'anyOf' keyword"}
        {"answer":"error","id":"draft","reason":"sup: no schema of draft 4: /: true is not of type \"object\""}
        {"answer":"error","id":"no-draft","reason":"draft: the drafts are 4, 6, 7, 2019-09 and 2020-12"}
        {"answer":"error","id":"no-format","reason":"format: it is `assert` or `note`"}
        {"answer":"error","id":null,"reason":"a pair is an object, and this is of type number"}
        {"answer":"error","id":null,"reason":"the key \"id\" appears twice (second time at byte 16)"}
        {"answer":"error","id":"unknown","reason":"sup: the draft in `$schema` is not known"}
        {"answer":"undecided","id":"undecided","reason":"`format`: the format `uri`"}
        {"answer":"refuted","id":"last","reason":"/: 1 is not of type string (type)","witness":1}
        {"answer":"error","id":null,"reason":"pair 15: the list has no end"}
    "#]].assert_eq(&lines.collect::<String>());
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn each_answer_leaves_before_the_next_pair_is_there() {
    let folder = folder(&[]);
    let mut child = command(folder.path(), &["contains", "--batch", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    input.write_all(b"[").unwrap();
    for id in 0..3 {
        write!(input, r#"{{"id": {id}, "sup": true, "sub": true}},"#).unwrap();
        input.flush().unwrap();
        let line = lines.next().unwrap().unwrap();
        assert!(line.contains(&format!("\"id\":{id},")), "{line}");
    }
    drop(input);
    let line = lines.next().unwrap().unwrap();
    assert!(line.contains("\"answer\":\"error\""), "{line}");
    assert_eq!(child.wait().unwrap().code(), Some(3));
}
