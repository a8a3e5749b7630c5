//! `agents contract` as it is typed: pages of a published version and of files, and what is not
//! there.

mod shared;

use std::path::Path;

use daemon::Daemon;
use expect_test::{Expect, expect};
use spec::Json;

use shared::{ordain, runtime};

/// A runtime, and a folder with the examples.
struct Desk {
    daemon: Daemon,
    dir: tempfile::TempDir,
}

impl Desk {
    async fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let daemon = runtime(dir.path()).await;
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
        copy(&examples, &dir.path().join("examples"));
        Self { daemon, dir }
    }

    fn command(&self, line: &str) -> std::process::Output {
        ordain(line, self.dir.path(), &self.daemon.address().to_string())
            .output()
            .unwrap()
    }

    fn shown(&self, line: &str) -> String {
        let output = self.command(line);
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let mut shown = text(&output.stdout);
        for line in text(&output.stderr).lines() {
            shown.push_str(&format!("! {line}\n"));
        }
        shown.push_str(&format!("exit {}\n", output.status.code().unwrap()));
        shown
    }

    fn run(&self, line: &str, expected: &Expect) {
        expected.assert_eq(&masked(&self.shown(line)));
    }

    fn quietly(&self, line: &str) {
        let output = self.command(line);
        assert!(output.status.success(), "{line}: {output:?}");
    }

    fn write(&self, file: &str, text: &str) {
        let path = self.dir.path().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            std::fs::copy(entry.path(), to).unwrap();
        }
    }
}

/// Without times, which differ from run to run, and content hashes, which stand for all the rest.
fn masked(text: &str) -> String {
    let is_time = |it: &str| it.starts_with("20") && it.contains('T') && it.ends_with('Z');
    let is_hash = |it: &str| it.len() == 64 && it.chars().all(|c| c.is_ascii_hexdigit());
    let mask = |word| match word {
        word if is_time(word) => "<time>",
        word if is_hash(word) => "<hash>",
        word => word,
    };
    let mut shown = String::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split(' ').map(mask).collect();
        shown.push_str(&words.join(" "));
        shown.push('\n');
    }
    shown
}

#[tokio::test(flavor = "multi_thread")]
async fn a_published_version() {
    let desk = Desk::new().await;
    desk.quietly("agents publish examples/refund-agent");
    desk.run("agents contract support/refund-agent --tool look_up_order", &expect![[r#"
        agent         support/refund-agent@1.0.0
        content hash  <hash>
        published     <time> by ana
        deployed      no: this version does not run
        limits        20 completions, 20 tool calls, 600 s, 1440 min of waiting for people, for each run

        === look_up_order: orders.look-up-order@1.0.0 ===
        Look an order up by its id.

        class         read_only
        served by     any worker that registers orders.look-up-order@1.0.0; no identity is asked for
        offered       always
        on failure    the model is told and goes on
        if unknown    it runs again, with the same call id
        probe         none
        terminal      no

        arguments: the Tool's own schema, unchanged
          additionalProperties: false
          properties:
            order_id:
              description: "Id of the order, A-1001 say."
              minLength: 1
              type: string
          required:
            - order_id
          type: object

        results: not checked

        rules: none; every call whose arguments fit goes through
        exit 0
    "#]]);
    desk.quietly("agents deploy support/refund-agent@1.0.0");
    desk.run("agents contract support.refund-agent@1.0.0", &expect![[r#"
        agent         support/refund-agent@1.0.0
        content hash  <hash>
        published     <time> by ana
        deployed      <time> by ana
        limits        20 completions, 20 tool calls, 600 s, 1440 min of waiting for people, for each run

        === look_up_order: orders.look-up-order@1.0.0 ===
        Look an order up by its id.

        class         read_only
        served by     any worker that registers orders.look-up-order@1.0.0; no identity is asked for
        offered       always
        on failure    the model is told and goes on
        if unknown    it runs again, with the same call id
        probe         none
        terminal      no

        arguments: the Tool's own schema, unchanged
          additionalProperties: false
          properties:
            order_id:
              description: "Id of the order, A-1001 say."
              minLength: 1
              type: string
          required:
            - order_id
          type: object

        results: not checked

        rules: none; every call whose arguments fit goes through

        === issue_refund: payments.issue-refund@1.0.0 ===
        Pay money back to the customer of an order.

        class         non_idempotent_write
        served by     any worker that registers payments.issue-refund@1.0.0; no identity is asked for
        offered       always
        on failure    the model is told and goes on
        if unknown    a person decides; it never runs twice by itself
        probe         none
        terminal      no

        arguments: the Tool's own schema, unchanged
          "$schema": "https://json-schema.org/draft/2020-12/schema"
          additionalProperties: false
          properties:
            amount:
              description: "How much to pay back, in the currency's main unit."
              exclusiveMinimum: 0
              type: number
            currency:
              enum:
                - EUR
                - USD
                - GBP
                - CHF
                - SEK
                - NOK
                - DKK
              type: string
            order_id:
              description: "Id of the order to refund."
              minLength: 1
              type: string
            reason:
              description: "Why, in a sentence."
              type: string
          required:
            - order_id
            - amount
            - currency
          type: object

        results: not checked

        rules: in this order; all are asked, one that denies wins, and a call that none stops goes through
          1. ask a person: policy payments.refund-approval-boundary@1.0.0 (from the binding)
             when      args.amount > 100
             reason    Refunds above 100 are beyond the agent's own authority.
             about     A refund above 100 needs a person.
             boundary  payments.refund-authority
             timeout   after 30 min without a decision it is denied
             rejected  the model is told and goes on
             note      phrony.com/approver_role: support-lead
          2. deny: policy payments.refund-hard-limit@1.0.0 (from the binding)
             when      args.amount > 1000
             reason    Refunds above 1000 are made by the finance team.
             about     A refund above 1000 is never made by an agent, approved or not.
        exit 0
    "#]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_documented_page_is_what_is_printed() {
    let desk = Desk::new().await;
    let output =
        desk.command("agents contract ./examples/refund-agent --tool payments.issue-refund");
    let page = String::from_utf8(output.stdout).unwrap();
    let (_, section) = page.split_once("\n\n").unwrap();
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/contracts.md");
    let docs = std::fs::read_to_string(docs).unwrap();
    assert!(docs.contains(section), "{section}");
}

#[tokio::test(flavor = "multi_thread")]
async fn as_data() {
    let desk = Desk::new().await;
    desk.quietly("agents publish examples/refund-agent");
    let read = |line: &str| Json::parse(&desk.command(line).stdout).unwrap();
    let published = read("agents contract support/refund-agent --json");
    let keys = |value: &Json| {
        let keys = value.as_object().unwrap().keys().cloned();
        keys.collect::<Vec<_>>().join(" ") + "\n"
    };
    expect![[r#"
        content_hash deployed_at deployed_by deprecated_at items limits name namespace published_at published_by retired_at version version_id
    "#]].assert_eq(&keys(&published));
    let items = published.get("items").unwrap().as_array().unwrap();
    assert_eq!(items.len(), 2);
    let refund = &items[1];
    expect![[r#"
        available_when contract_output_schema contract_schema description input_schema may_rerun narrowing on_failure output_narrowing output_schema probe published_class rules served_by side_effect_class strict terminal tool version wire_name
    "#]].assert_eq(&keys(refund));
    expect![[r#"
        {"grounds":[],"keyword":null,"standing":"same"}
    "#]]
    .assert_eq(&(refund.get("narrowing").unwrap().to_canonical() + "\n"));
    let rules = refund.get("rules").unwrap().as_array().unwrap();
    expect![[r#"
        {"condition":{"leaf":{"absent":null,"case":"sensitive","field":"amount","op":"gt","value":1000}},"decision":{"approvals_required":1,"authority_ref":null,"comprehension_required":false,"kind":"deny","on_reject":"return_to_agent","reason":"Refunds above 1000 are made by the finance team.","runtime":{},"timeout":null},"description":"A refund above 1000 is never made by an agent, approved or not.","missing":["unknown"],"origins":["binding"],"policy":"payments.refund-hard-limit@1.0.0","rounds":["call"],"scope":null,"when":"args.amount > 1000"}
    "#]].assert_eq(&(rules[1].to_canonical() + "\n"));
    // What files here would freeze is what the runtime froze.
    let local = read("agents contract ./examples/refund-agent -o json");
    assert_eq!(local.get("items"), published.get("items"));
    assert_eq!(local.get("content_hash"), published.get("content_hash"));
    assert!(local.get("version_id").is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_there() {
    let desk = Desk::new().await;
    desk.quietly("agents publish examples/refund-agent");
    desk.run(
        "agents contract support/refund-agnet",
        &expect![[r#"
        ! Error: get snapshot: agent support/refund-agnet not found (NotFound)
        ! hint: did you mean support/refund-agent?
        exit 5
    "#]],
    );
    desk.run(
        "agents contract support/refund-agent@1.0.1",
        &expect![[r#"
        ! Error: get snapshot: agent version support/refund-agent@1.0.1 not found (NotFound)
        ! hint: published last: 1.0.0
        exit 5
    "#]],
    );
    desk.run(
        "agents contract examples/refund-agent",
        &expect![[r#"
        ! Error: get snapshot: agent examples/refund-agent not found (NotFound)
        ! hint: for the files there write ./examples/refund-agent
        exit 5
    "#]],
    );
    desk.run(
        "agents contract support/refund-agent --tool issue_refnd",
        &expect![[r#"
        ! Error: agent support.refund-agent@1.0.0 binds no tool "issue_refnd"
        ! hint: did you mean issue_refund?
        exit 5
    "#]],
    );
    desk.run(
        "agents contract support/refund-agent --tool x",
        &expect![[r#"
        ! Error: agent support.refund-agent@1.0.0 binds no tool "x"
        ! hint: it binds look_up_order, issue_refund
        exit 5
    "#]],
    );
    desk.run(
        "agents contract ./nowhere",
        &expect![[r#"
        ! Error: read manifest
        !   ./nowhere: No such file or directory (os error 2)
        exit 5
    "#]],
    );
    desk.run(
        "agents contract refund-agent",
        &expect![[r#"
        ! Error: agent must be namespace/name, got "refund-agent"
        exit 2
    "#]],
    );
    desk.run(
        "agents contract other/thing",
        &expect![[r#"
        ! Error: get snapshot: agent other/thing not found (NotFound)
        exit 5
    "#]],
    );
}

const AGENT: &str = "\
apiVersion: phrony.com/v1
kind: Agent
metadata: {name: clerk, namespace: shop, version: 1.0.0, labels: {region: eu}}
spec:
  purpose: Settle refunds.
  instructions: {text: Be fair.}
  model: {provider: stub, name: scripted}
  capabilities: [refunds]
  tools:
    - {ref: pay.refund@^1, as: refund, side_effect_class: irreversible_action, policies: [pay.known, pay.many, pay.lost]}
  default_policies: [pay.late]
";

const TOOL: &str = "\
apiVersion: phrony.com/v1
kind: Tool
metadata: {name: refund, namespace: pay, version: 1.2.0}
spec:
  description: \"Pay money back.\\e[2K Quickly.\"
  side_effect_class: non_idempotent_write
  strict: true
  on_failure: escalate
  terminal: true
  available_when: [{agent.capability: refunds}, {session.input.tier: [gold, silver]}]
  probe: {tool: pay.find@^1, args: {order: args.order, key: call_id}}
  default_policies: [pay.limit]
  input_schema:
    inline:
      type: object
      properties:
        order: {type: string}
        amount: {type: number}
        currency: {enum: [EUR, CHF, USD]}
        notes: {type: array, items: {type: string}}
      required: [order, amount]
  output_schema:
    inline: {type: object, properties: {id: {type: string}}, required: [id], additionalProperties: false}
";

const PROBE: &str = "\
apiVersion: phrony.com/v1
kind: Tool
metadata: {name: find, namespace: pay, version: 1.0.1}
spec:
  description: Look a refund up.
  side_effect_class: read_only
  input_schema:
    inline: {type: object, properties: {order: {type: string}, key: {type: string}}, required: [order], additionalProperties: false}
";

fn policy(desk: &Desk, name: &str, spec: &str) {
    let text = format!(
        "apiVersion: phrony.com/v1\nkind: Policy\nmetadata: {{name: {name}, namespace: pay, version: 1.0.0}}\nspec: {spec}\n"
    );
    desk.write(&format!("shop/policies/{name}.yaml"), &text);
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_that_a_tool_can_have() {
    let desk = Desk::new().await;
    desk.write("shop/agent.yaml", AGENT);
    desk.write("shop/tools/refund.yaml", TOOL);
    desk.write("shop/tools/find.yaml", PROBE);
    let policies = [
        (
            "limit",
            "{conditions: {field: amount, op: gt, value: 1000}, decision: {type: deny, reason: Too much.}}",
        ),
        (
            "known",
            "{conditions: {field: currency, op: in, value: [EUR, CHF]}, decision: {type: allow, reason: Only these.}}",
        ),
        (
            "many",
            "{conditions: {any: [{field: currency, value: CHF}, {all: [{field: amount, op: gte, value: 10}, {not: {field: 'notes[*]', op: contains, value: ok}}]}]}, decision: {type: require_approval, approvals_required: 2, comprehension_required: true, on_reject: fail, timeout: {after_minutes: 5, default: escalate}}}",
        ),
        (
            "lost",
            "{conditions: {field: dispatch.outcome, op: in, value: [indeterminate, lease_expired]}, decision: {type: escalate, runtime: {phrony.com/escalate_to_role: finance}}}",
        ),
        (
            "late",
            "{conditions: {field: ctx.now.hour, op: gte, value: 18}, decision: {type: deny}}",
        ),
    ];
    for (name, spec) in policies {
        policy(&desk, name, spec);
    }
    let output = desk.command("agents contract shop/agent.yaml");
    let page = String::from_utf8(output.stdout).unwrap();
    expect![[r#"
        agent         shop/clerk@1.0.0
        content hash  <hash>
        published     not from here: these are files
        limits        none

        === refund: pay.refund@1.2.0 ===
        Pay money back.\u{1b}[2K Quickly.

        class         irreversible_action
        served by     any worker that registers pay.refund@1.2.0; no identity is asked for
        offered       only when agent.capability is "refunds" and session.input.tier is one of "gold",
                      "silver"
        on failure    a person decides whether it runs again
        if unknown    a person decides; it never runs twice by itself
        probe         pay.find@1.0.1 with key = the call's id, order = args.order; declared, and not run by
                      this version of the runtime
        terminal      yes: a successful call ends the run, and its result is the output

        arguments: the Tool's own schema, unchanged, and nothing beyond it
          additionalProperties: false
          properties:
            amount:
              type: number
            currency:
              enum:
                - EUR
                - CHF
                - USD
            notes:
              items:
                type: string
              type: array
            order:
              type: string
          required:
            - order
            - amount
          type: object

        results: the Tool's own schema
          additionalProperties: false
          properties:
            id:
              type: string
          required:
            - id
          type: object

        rules: in this order; all are asked, one that denies wins, and a call that none stops goes through
          1. deny: policy pay.limit@1.0.0 (from the Tool's default)
             when      args.amount > 1000
             reason    Too much.
          2. deny unless it holds: policy pay.known@1.0.0 (from the binding)
             holds if  args.currency is one of ["EUR","CHF"] (undecided if missing)
             reason    Only these.
          3. escalate to a person: policy pay.lost@1.0.0 (from the binding)
             when      dispatch.outcome is one of ["indeterminate","lease_expired"]
             judges    every call, and again when a dispatch fails or its outcome is unknown
             timeout   waits until somebody decides, or the run's limit is reached
             rejected  the model is told and goes on
             note      phrony.com/escalate_to_role: finance
          4. ask 2 people: policy pay.many@1.0.0 (from the binding)
             when      args.currency = "CHF" (undecided if missing) or (args.amount >= 10 and not
                       (args.notes[*] contains "ok" for every element (undecided if missing)))
             timeout   after 5 min without a decision another route is asked
             rejected  the session fails
             approver  has to confirm that the text was understood
          5. deny: policy pay.late@1.0.0 (from the Agent's default)
             when      ctx.now.hour >= 18
          undecided counts as a match where a rule denies or asks, and as none where it allows
    "#]].assert_eq(&masked(&page));
}

const NARROWING: &str = "\
apiVersion: phrony.com/v1
kind: Agent
metadata: {name: narrow, namespace: shop, version: 1.0.0}
spec:
  purpose: Settle refunds.
  instructions: {text: Be fair.}
  model: {provider: stub, name: scripted}
  tools:
    - ref: pay.refund@^1
      as: small
      input_schema: {inline: {properties: {amount: {maximum: 100}, currency: {const: EUR}}}}
      output_schema: {inline: {additionalProperties: true}}
    - ref: pay.credit@^1
      as: odd
      input_schema: {inline: {properties: {order: {pattern: '\\bA\\b'}}}}
";

const REFUND: &str = "\
apiVersion: phrony.com/v1
kind: Tool
metadata: {name: refund, namespace: pay, version: 1.2.0}
spec:
  description: Pay money back.
  side_effect_class: non_idempotent_write
  input_schema:
    inline:
      type: object
      properties:
        order: {type: string, pattern: '^[A-Z]+$'}
        amount: {type: number, exclusiveMinimum: 0, maximum: 500}
        currency: {enum: [EUR, CHF]}
      required: [order, amount]
      additionalProperties: false
  output_schema:
    inline: {type: object, properties: {id: {type: string}}, required: [id], additionalProperties: false}
";

#[tokio::test(flavor = "multi_thread")]
async fn what_was_proven_of_a_binding() {
    let desk = Desk::new().await;
    desk.write("shop/agent.yaml", NARROWING);
    desk.write("shop/tools/refund.yaml", REFUND);
    let credit = REFUND.replace("name: refund", "name: credit");
    desk.write("shop/tools/credit.yaml", &credit);
    desk.quietly("agents publish shop --allow-unproven odd");
    let page = |line: &str| {
        let output = desk.command(line);
        masked(&String::from_utf8(output.stdout).unwrap())
    };
    let small = page("agents contract shop/narrow --tool small");
    expect![[r#"
              no

        arguments: the Tool's own schema, narrowed by the binding; that it is nowhere wider is proven
          additionalProperties: false
          properties:
            amount:
              exclusiveMinimum: 0
              maximum: 100
              type: number
            currency:
              const: EUR
            order:
              pattern: "^[A-Z]+$"
              type: string
          required:
            - order
            - amount
          type: object
        the Tool's own schema, which arguments are checked against as well:
          additionalProperties: false
          properties:
            amount:
              exclusiveMinimum: 0
              maximum: 500
              type: number
            currency:
              enum:
                - EUR
                - CHF
            order:
              pattern: "^[A-Z]+$"
              type: string
          required:
            - order
            - amount
          type: object
        proof: what the wider schema says at each place, and why it always holds
          / `type`: said alike
          / `required`: said alike
          / `properties`: said alike
          / `additionalProperties`: said alike
          /amount `type`: said alike
          /amount `exclusiveMinimum`: said alike
          /amount `maximum`: by the bounds of the number
          /currency `enum`: the only value was tried

        results: the binding's schema and the Tool's own; that it takes whatever the Tool may give is proven
          additionalProperties: false
          properties:
            id:
              type: string
          required:
            - id
          type: object
        the binding's schema, which results are checked against as well:
          additionalProperties: true
          properties:
            id:
              type: string
          required:
            - id
          type: object
        proof: what the wider schema says at each place, and why it always holds
          / `type`: said alike
          / `required`: said alike
          / `properties`: said alike

        rules: none; every call whose arguments fit goes through
    "#]].assert_eq(small.split_once("terminal").unwrap().1);
    let odd = page("agents contract shop/narrow --tool odd");
    expect![[r#"
              no

        arguments: the Tool's own schema, changed by the binding; NOT proven to be nowhere wider (`pattern`
                   stood in the way), and let through by who published it. Calls are checked against both
          additionalProperties: false
          properties:
            amount:
              exclusiveMinimum: 0
              maximum: 500
              type: number
            currency:
              enum:
                - EUR
                - CHF
            order:
              pattern: "\\bA\\b"
              type: string
          required:
            - order
            - amount
          type: object
        the Tool's own schema, which arguments are checked against as well:
          additionalProperties: false
          properties:
            amount:
              exclusiveMinimum: 0
              maximum: 500
              type: number
            currency:
              enum:
                - EUR
                - CHF
            order:
              pattern: "^[A-Z]+$"
              type: string
          required:
            - order
            - amount
          type: object

        results: the Tool's own schema
          additionalProperties: false
          properties:
            id:
              type: string
          required:
            - id
          type: object

        rules: none; every call whose arguments fit goes through
    "#]].assert_eq(odd.split_once("terminal").unwrap().1);
    let local = page("agents contract ./shop --tool odd --allow-unproven odd");
    let rest = |page: &str| page.split_once("terminal").unwrap().1.to_owned();
    assert_eq!(rest(&local), rest(&odd));
    // Without leave there is no such version, and so no page.
    assert_eq!(
        desk.command("agents contract ./shop").status.code(),
        Some(3)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn with_the_overlay_of_its_deployment() {
    let desk = Desk::new().await;
    desk.write("shop/agent.yaml", NARROWING);
    desk.write("shop/tools/refund.yaml", REFUND);
    let credit = REFUND.replace("name: refund", "name: credit");
    desk.write("shop/tools/credit.yaml", &credit);
    policy(
        &desk,
        "ask",
        "{conditions: {field: amount, op: gte, value: 10}, decision: {type: require_approval}}",
    );
    let overlay = "\
policies: [pay.ask]
tools:
  small:
    side_effect_class: irreversible_action
    input_schema: {inline: {properties: {amount: {maximum: 50}}}}
";
    desk.write("shop/stricter.yaml", overlay);
    desk.quietly("agents publish shop --allow-unproven odd");
    desk.quietly("agents deploy shop/narrow@1.0.0 --overlay shop/stricter.yaml");
    desk.run("agents contract shop/narrow --tool small", &expect![[r#"
        agent         shop/narrow@1.0.0
        content hash  <hash>
        published     <time> by ana
        deployed      <time> by ana
        overlay       <hash> (in what follows)
        limits        none

        === small: pay.refund@1.2.0 ===
        Pay money back.

        class         irreversible_action, by the overlay; published as non_idempotent_write
        served by     any worker that registers pay.refund@1.2.0; no identity is asked for
        offered       always
        on failure    the model is told and goes on
        if unknown    a person decides; it never runs twice by itself
        probe         none
        terminal      no

        arguments: the Tool's own schema, narrowed by the binding and the overlay; that it is nowhere wider
                   is proven
          additionalProperties: false
          properties:
            amount:
              exclusiveMinimum: 0
              maximum: 50
              type: number
            currency:
              const: EUR
            order:
              pattern: "^[A-Z]+$"
              type: string
          required:
            - order
            - amount
          type: object
        the Tool's own schema, which arguments are checked against as well:
          additionalProperties: false
          properties:
            amount:
              exclusiveMinimum: 0
              maximum: 500
              type: number
            currency:
              enum:
                - EUR
                - CHF
            order:
              pattern: "^[A-Z]+$"
              type: string
          required:
            - order
            - amount
          type: object
        proof: what the wider schema says at each place, and why it always holds
          / `type`: said alike
          / `required`: said alike
          / `properties`: said alike
          / `additionalProperties`: said alike
          /amount `type`: said alike
          /amount `exclusiveMinimum`: said alike
          /amount `maximum`: by the bounds of the number
          /currency `enum`: the only value was tried

        results: the binding's schema and the Tool's own; that it takes whatever the Tool may give is proven
          additionalProperties: false
          properties:
            id:
              type: string
          required:
            - id
          type: object
        the binding's schema, which results are checked against as well:
          additionalProperties: true
          properties:
            id:
              type: string
          required:
            - id
          type: object
        proof: what the wider schema says at each place, and why it always holds
          / `type`: said alike
          / `required`: said alike
          / `properties`: said alike

        rules: in this order; all are asked, one that denies wins, and a call that none stops goes through
          1. ask a person: policy pay.ask@1.0.0 (from the deployment's overlay)
             when      args.amount >= 10
             timeout   waits until somebody decides, or the run's limit is reached
             rejected  the model is told and goes on
        exit 0
    "#]]);
    let as_published = desk.shown("agents contract shop/narrow --tool small --published");
    assert!(as_published.contains("(not in what follows)"));
    assert!(as_published.contains("maximum: 100") && !as_published.contains("maximum: 50\n"));
    assert!(as_published.contains("rules: none"));
    let output = desk.command("agents contract shop/narrow --json");
    let data = Json::parse(&output.stdout).unwrap();
    assert_eq!(data.get("overlaid"), Some(&Json::Bool(true)));
    assert!(data.get("overlay_digest").unwrap().as_str().is_some());
    assert_ne!(data.get("overlay_digest"), data.get("content_hash"));
    let small = &data.get("items").unwrap().as_array().unwrap()[0];
    let class = |key: &str| small.get(key).unwrap().as_str().unwrap().to_owned();
    assert_eq!(class("side_effect_class"), "irreversible_action");
    assert_eq!(class("published_class"), "non_idempotent_write");
}
