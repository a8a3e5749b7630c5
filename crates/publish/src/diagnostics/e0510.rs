//! An MCP server's address that is not taken.
//!
//! Arguments and results travel over it, and the secret of `auth` too, so it is https, or plain http
//! on a loopback host. Credentials are never part of the address.

use crate::diagnostic::{Code, Diagnostic, Location};

pub(crate) const CODE: Code = Code("E0510");

pub(crate) fn refused(at: &Location, why: &str) -> Diagnostic {
    at.error(CODE, format!("the address is not taken: {why}"))
        .with_help("write https://host/path, or http:// with `localhost` or a loopback address")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::sample;

    #[test]
    fn plain_http() {
        let bundle = sample().append(
            "agent.yaml",
            "  mcp_servers: [{name: search, url: 'http://mcp.example.com/mcp'}]\n",
        );
        bundle.check(expect![[r#"
            error[E0510]: the address is not taken: plain http is only for servers on this machine, and `mcp.example.com` may be another
              --> agent.yaml:19:37
               |
            19 |   mcp_servers: [{name: search, url: 'http://mcp.example.com/mcp'}]
               |                                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ spec.mcp_servers[0].url
               |
               = help: write https://host/path, or http:// with `localhost` or a loopback address

        "#]]);
    }
}
