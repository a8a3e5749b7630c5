//! A `probe` that could not look anything up.
//!
//! A probe names a `read_only` Tool and its arguments: `args.PATH` takes what the call's arguments
//! have at that path, `call_id` the id of the call, anything else is passed as written. What the
//! probing Tool requires must be given, and what is taken from the call must be declared there.

use spec::SideEffectClass;

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0508");

pub(crate) fn no_path(at: &Location, text: &str) -> Diagnostic {
    at.error(
        CODE,
        format!("`{text}` is no path into the call's arguments"),
    )
    .with_help("write `args.` and the names of properties with dots between")
}

pub(crate) fn not_read_only(at: &Location, tool: &str, class: SideEffectClass) -> Diagnostic {
    at.error(CODE, format!("`{tool}` is `{class}`: a probe only looks"))
        .with_help("name a Tool of the class `read_only`")
}

pub(crate) fn undeclared(at: &Location, tool: &str, path: &str) -> Diagnostic {
    at.error(CODE, format!("`{tool}` takes no argument `{path}`"))
        .with_help(format!(
            "name a property that the input schema of `{tool}` declares"
        ))
}

pub(crate) fn not_given(at: &Location, tool: &str, name: &str) -> Diagnostic {
    at.error(
        CODE,
        format!("`{tool}` requires `{name}`, which the probe does not give"),
    )
    .with_help(format!("add `{name}` to the probe's `args`"))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::Bundle;
    use crate::tests::sample;

    const LOOK: &str = "\
apiVersion: phrony.com/v1
kind: Tool
metadata: {name: find, namespace: pay, version: 1.0.0}
spec:
  description: Find a refund.
  input_schema:
    inline:
      type: object
      properties: {order: {type: string}, call: {type: string}, limit: {type: integer}}
      required: [order]
      additionalProperties: false
";

    fn probed(probe: &str) -> Bundle {
        sample()
            .file("tools/find.yaml", LOOK)
            .append("tools/refund.yaml", &format!("  probe: {probe}\n"))
    }

    #[test]
    fn sound() {
        let bundle =
            probed("{tool: pay.find@^1, args: {order: args.order, call: call_id, limit: 1}}");
        bundle.check(expect![[r#""#]]);
    }

    #[test]
    fn unsound() {
        probed("{tool: pay.find@1, args: {order: args., nonsense: 1}}").check(expect![[r#"
            error[E0508]: `args.` is no path into the call's arguments
              --> tools/refund.yaml:12:43
               |
            12 |   probe: {tool: pay.find@1, args: {order: args., nonsense: 1}}
               |                                           ^^^^^ spec.probe.args.order
               |
               = help: write `args.` and the names of properties with dots between

        "#]]);
        probed("{tool: pay.find@1, args: {order: args.orders, when: call_id}}")
            .check(expect![[r#"
                error[E0508]: `pay.refund` takes no argument `orders`
                  --> tools/refund.yaml:12:36
                   |
                12 |   probe: {tool: pay.find@1, args: {order: args.orders, when: call_id}}
                   |                                    ^^^^^ spec.probe.args.order
                   |
                   = help: name a property that the input schema of `pay.refund` declares

                error[E0508]: `pay.find` takes no argument `when`
                  --> tools/refund.yaml:12:56
                   |
                12 |   probe: {tool: pay.find@1, args: {order: args.orders, when: call_id}}
                   |                                                        ^^^^ spec.probe.args.when
                   |
                   = help: name a property that the input schema of `pay.find` declares

            "#]]);
        probed("{tool: pay.find@1, args: {limit: 3}}").check(expect![[r#"
            error[E0508]: `pay.find` requires `order`, which the probe does not give
              --> tools/refund.yaml:12:17
               |
            12 |   probe: {tool: pay.find@1, args: {limit: 3}}
               |                 ^^^^^^^^^^ spec.probe.tool
               |
               = help: add `order` to the probe's `args`

        "#]]);
        probed("{tool: pay.refund@1, args: {order: args.order, amount: 1}}").check(expect![[r#"
                error[E0508]: `pay.refund` is `non_idempotent_write`: a probe only looks
                  --> tools/refund.yaml:12:17
                   |
                12 |   probe: {tool: pay.refund@1, args: {order: args.order, amount: 1}}
                   |                 ^^^^^^^^^^^^ spec.probe.tool
                   |
                   = help: name a Tool of the class `read_only`

            "#]]);
        probed("{tool: pay.lost@1}").check(expect![[r#"
            error[E0305]: there is no Tool `pay.lost`
              --> tools/refund.yaml:12:17
               |
            12 |   probe: {tool: pay.lost@1}
               |                 ^^^^^^^^^^ spec.probe.tool
               |
               = help: tools/ holds pay.find, pay.refund

        "#]]);
    }
}
