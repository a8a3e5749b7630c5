//! A binding whose backend this version of the runtime does not dial yet.
//!
//! Everything that the binding declares is checked and frozen, and the model is offered the tool; a
//! call that passes the contract and the policies is then answered with the tool error `no_handler`.
//! Nothing is sent anywhere.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0511");

pub(crate) fn not_dialled(at: &Location) -> Diagnostic {
    at.warning(CODE, "this version does not dial MCP servers yet")
        .with_help("calls of this tool are answered with the tool error `no_handler`")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use spec::snapshot::Backend;

    use crate::tests::sample;

    #[test]
    fn mcp() {
        let bundle = sample()
            .edit(
                "agent.yaml",
                "  tools:\n",
                "  mcp_servers:
    - name: search
      url: https://mcp.example.com/mcp
      auth: {scheme: bearer, secret: mcp_token}
  tools:
    - ref: search.web
      as: web_search
      side_effect_class: read_only
      input_schema: {inline: {type: object, properties: {q: {type: string}}}}
      mcp: {server: search, tool: find}
",
            )
            .append("agent.yaml", "secrets: {mcp_token: {fromEnv: MCP_TOKEN}}\n");
        bundle.check(expect![[r#"
            warning[E0511]: this version does not dial MCP servers yet
              --> agent.yaml:23:7
               |
            23 |       mcp: {server: search, tool: find}
               |       ^^^ spec.tools[0].mcp
               |
               = help: calls of this tool are answered with the tool error `no_handler`

        "#]]);
        let snapshot = bundle.compile().snapshot.unwrap();
        assert_eq!(snapshot.tools[0].contract.to_string(), "search.web@default");
        let backend = Backend::Mcp {
            server: "search".to_owned(),
            tool: "find".to_owned(),
        };
        assert_eq!(snapshot.tools[0].backend, backend);
        assert_eq!(
            snapshot.mcp_servers[0].auth.as_ref().unwrap().secret,
            "mcp_token"
        );
    }
}
