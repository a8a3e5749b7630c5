//! A binding to an MCP server that does not say enough to be governed.
//!
//! There is no Tool document behind such a binding, so the binding itself must declare what is
//! enforced: `input_schema` and `side_effect_class`. Its `ref` names it without a version, and
//! `mcp.server` names one of `spec.mcp_servers`.

use crate::diagnostic::{Code, Diagnostic, Location};
use crate::suggest;

pub(crate) const CODE: Code = Code("E0509");

pub(crate) fn declared_twice(at: &Location, name: &str) -> Diagnostic {
    at.error(CODE, format!("there is another MCP server named `{name}`"))
        .with_help("give each server a name of its own")
}

pub(crate) fn unknown_server(at: &Location, name: &str, servers: &[&str]) -> Diagnostic {
    let help = suggest::did_you_mean(name, servers.iter().copied())
        .unwrap_or_else(|| "declare it under `spec.mcp_servers`".to_owned());
    at.error(CODE, format!("there is no MCP server `{name}`"))
        .with_help(help)
}

pub(crate) fn undeclared(at: &Location, field: &str) -> Diagnostic {
    at.error(CODE, format!("a binding with `mcp` must declare `{field}`"))
        .with_help("no Tool document stands behind it, so what is enforced is what it says itself")
}

pub(crate) fn versioned(at: &Location, id: &str) -> Diagnostic {
    at.error(CODE, "a binding with `mcp` has no versions to choose from")
        .with_help(format!("write `ref: {id}`"))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn undergoverned() {
        let bundle = sample().edit(
            "agent.yaml",
            "  tools:\n",
            "  mcp_servers:
    - {name: search, url: 'https://mcp.example.com/mcp'}
    - {name: search, url: 'https://other.example.com/mcp'}
  tools:
    - ref: web.find@^1
      mcp: {server: serach}
",
        );
        bundle.check(expect![[r#"
            error[E0509]: there is another MCP server named `search`
              --> agent.yaml:16:14
               |
            16 |     - {name: search, url: 'https://other.example.com/mcp'}
               |              ^^^^^^ spec.mcp_servers[1].name
               |
               = help: give each server a name of its own

            error[E0509]: a binding with `mcp` must declare `input_schema`
              --> agent.yaml:18:7
               |
            18 |     - ref: web.find@^1
               |       ^^^ spec.tools[0]
               |
               = help: no Tool document stands behind it, so what is enforced is what it says itself

            error[E0509]: a binding with `mcp` must declare `side_effect_class`
              --> agent.yaml:18:7
               |
            18 |     - ref: web.find@^1
               |       ^^^ spec.tools[0]
               |
               = help: no Tool document stands behind it, so what is enforced is what it says itself

            error[E0509]: a binding with `mcp` has no versions to choose from
              --> agent.yaml:18:12
               |
            18 |     - ref: web.find@^1
               |            ^^^^^^^^^^^ spec.tools[0].ref
               |
               = help: write `ref: web.find`

            warning[E0511]: this version does not dial MCP servers yet
              --> agent.yaml:19:7
               |
            19 |       mcp: {server: serach}
               |       ^^^ spec.tools[0].mcp
               |
               = help: calls of this tool are answered with the tool error `no_handler`

            error[E0509]: there is no MCP server `serach`
              --> agent.yaml:19:21
               |
            19 |       mcp: {server: serach}
               |                     ^^^^^^ spec.tools[0].mcp.server
               |
               = help: did you mean `search`?

        "#]]);
    }
}
