//! `spec.mcp_servers[]` of an Agent, and `mcp` of a binding. Knows how they are written; dials
//! nothing.

use std::net::{Ipv4Addr, Ipv6Addr};

use spec::snapshot::{McpAuth, McpServer, OnDrift};

use crate::diagnostic::{At, Sink};
use crate::diagnostics::{e0202, e0205, e0206, e0509, e0510, e0702};
use crate::yaml::{Cursor, Shape};

const SERVER: Shape = Shape {
    what: "an MCP server",
    known: &["name", "url", "transport", "auth", "on_drift"],
    elsewhere: &[
        ("secret", "write it in `auth`"),
        (
            "headers",
            "`auth` with `scheme: header` sends one header, with a secret",
        ),
        (
            "token",
            "declare it under `secrets` and name it in `auth.secret`",
        ),
        (
            "command",
            "only servers that are reached over HTTP can be bound",
        ),
        (
            "tools",
            "each tool is bound under `spec.tools`, with `mcp.server`",
        ),
    ],
    unsupported: &[],
};

const AUTH: Shape = Shape {
    what: "auth",
    known: &["scheme", "secret", "header"],
    elsewhere: &[(
        "token",
        "declare it under `secrets` and name it in `secret`",
    )],
    unsupported: &[],
};

const BACKEND: Shape = Shape {
    what: "an MCP backend",
    known: &["server", "tool"],
    elsewhere: &[("url", "servers are declared under `spec.mcp_servers`")],
    unsupported: &[],
};

/// The most servers of one agent.
const SERVERS_MAX: usize = 64;
/// The longest name of a server.
const NAME_CHARS_MAX: usize = 64;

/// Reads all servers; a server that could not be read is left out.
pub(super) fn servers(cursor: &Cursor<'_>, secrets: &[&str], sink: &mut Sink) -> Vec<McpServer> {
    let items = cursor.items(sink).unwrap_or_default();
    if items.len() > SERVERS_MAX {
        sink.push(e0205::too_many(&cursor.at(), "MCP servers", SERVERS_MAX));
        return Vec::new();
    }
    let mut servers: Vec<McpServer> = Vec::new();
    for item in &items {
        let Some((at, server)) = server(item, secrets, sink) else {
            continue;
        };
        if servers.iter().any(|it| it.name == server.name) {
            sink.push(e0509::declared_twice(&at, &server.name));
        } else {
            servers.push(server);
        }
    }
    servers
}

fn server(
    cursor: &Cursor<'_>,
    secrets: &[&str],
    sink: &mut Sink,
) -> Option<(crate::diagnostic::Location, McpServer)> {
    let fields = cursor.fields(&SERVER, sink)?;
    let name = fields.required("name", sink).and_then(|it| name(&it, sink));
    let url = fields.required("url", sink).and_then(|it| url(&it, sink));
    if let Some(transport) = fields.get("transport") {
        transport.word(&[("streamable_http", ())], sink);
    }
    let auth = fields.get("auth").map(|it| auth(&it, secrets, sink));
    let words = [("refuse", OnDrift::Refuse), ("warn", OnDrift::Warn)];
    let on_drift = fields
        .get("on_drift")
        .and_then(|it| it.word(&words, sink))
        .map(|it| it.value);
    let name = name?;
    let server = McpServer {
        name: name.value,
        // A server whose address was refused is still one that bindings may name.
        url: url.unwrap_or_default(),
        auth: auth.flatten(),
        on_drift,
    };
    Some((name.at, server))
}

fn name(cursor: &Cursor<'_>, sink: &mut Sink) -> Option<At<String>> {
    let name = cursor.filled(sink)?;
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if name.value.len() <= NAME_CHARS_MAX && name.value.chars().all(plain) {
        return Some(name);
    }
    let rule = "write letters, digits, `_` and `-`, at most 64 of them";
    sink.push(e0205::malformed(
        &name.at,
        "a name of a server",
        &name.value,
        rule,
    ));
    None
}

fn url(cursor: &Cursor<'_>, sink: &mut Sink) -> Option<String> {
    let url = cursor.filled(sink)?;
    match refused(&url.value) {
        None => Some(url.value),
        Some(why) => {
            sink.push(e0510::refused(&url.at, &why));
            None
        }
    }
}

/// Why an address is not taken.
fn refused(url: &str) -> Option<String> {
    if url.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Some("it has white space in it".to_owned());
    }
    let Some((scheme, rest)) = url.split_once("://") else {
        return Some("it does not begin with https://".to_owned());
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, _) = rest.split_at_checked(end).unwrap_or((rest, ""));
    if authority.contains('@') {
        return Some("it has credentials in it; declare them under `secrets`".to_owned());
    }
    let (host, port) = host_and_port(authority);
    if host.is_empty() {
        return Some("it names no host".to_owned());
    }
    if port.is_some_and(|it| it.parse::<u16>().is_err()) {
        return Some("its port is no number up to 65535".to_owned());
    }
    if url.contains('#') {
        return Some("it has a fragment, which is never sent".to_owned());
    }
    match scheme.to_ascii_lowercase().as_str() {
        "https" => None,
        "http" if is_loopback(host) => None,
        "http" => Some(format!(
            "plain http is only for servers on this machine, and `{host}` may be another"
        )),
        _ => Some(format!("`{scheme}` is not https")),
    }
}

fn host_and_port(authority: &str) -> (&str, Option<&str>) {
    if let Some(rest) = authority.strip_prefix('[') {
        return match rest.split_once(']') {
            Some((host, rest)) => (host, rest.strip_prefix(':')),
            None => ("", None),
        };
    }
    match authority.rsplit_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (authority, None),
    }
}

fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<Ipv4Addr>().is_ok_and(|it| it.is_loopback())
        || host.parse::<Ipv6Addr>().is_ok_and(|it| it.is_loopback())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Scheme {
    Bearer,
    Header,
}

fn auth(cursor: &Cursor<'_>, secrets: &[&str], sink: &mut Sink) -> Option<McpAuth> {
    let fields = cursor.fields(&AUTH, sink)?;
    let words = [("bearer", Scheme::Bearer), ("header", Scheme::Header)];
    let scheme = fields.required("scheme", sink);
    let scheme = scheme.and_then(|it| it.word(&words, sink));
    let secret = fields.required("secret", sink);
    let secret = secret.and_then(|it| it.filled(sink));
    if let Some(secret) = secret
        .as_ref()
        .filter(|it| !secrets.contains(&it.value.as_str()))
    {
        sink.push(e0702::unknown(&secret.at, &secret.value, secrets));
    }
    let header = fields.get("header").and_then(|it| header(&it, sink));
    match (scheme?.value, fields.get("header")) {
        (Scheme::Bearer, Some(written)) => {
            let place = "only `scheme: header` has one";
            sink.push(e0206::belongs_elsewhere(
                &written.key_at(),
                "header",
                "this auth",
                place,
            ));
        }
        (Scheme::Header, None) => {
            sink.push(e0202::missing(
                &cursor.at(),
                "header",
                "auth with `scheme: header`",
            ));
        }
        (Scheme::Bearer, None) | (Scheme::Header, Some(_)) => {}
    }
    Some(McpAuth {
        header,
        secret: secret?.value,
    })
}

fn header(cursor: &Cursor<'_>, sink: &mut Sink) -> Option<String> {
    let name = cursor.filled(sink)?;
    let token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    if name.value.chars().all(token) {
        return Some(name.value);
    }
    let rule = "write a name such as `X-Api-Key`";
    sink.push(e0205::malformed(
        &name.at,
        "the name of a header",
        &name.value,
        rule,
    ));
    None
}

/// Which server serves a binding, and under which name; `None` for the name that the model sees.
pub(crate) struct McpRef {
    pub(crate) at: crate::diagnostic::Location,
    pub(crate) server: At<String>,
    pub(crate) tool: Option<String>,
}

impl McpRef {
    pub(super) fn read(cursor: &Cursor<'_>, sink: &mut Sink) -> Option<Self> {
        let fields = cursor.fields(&BACKEND, sink)?;
        let server = fields.required("server", sink);
        let server = server.and_then(|it| it.filled(sink));
        let tool = fields.get("tool").map(|it| it.filled(sink));
        Some(Self {
            at: cursor.key_at(),
            server: server?,
            tool: match tool {
                Some(tool) => Some(tool?.value),
                None => None,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::refused;

    #[test]
    fn addresses() {
        for url in [
            "https://mcp.example.com/mcp",
            "https://mcp.example.com:8443",
            "HTTPS://[2001:db8::1]/mcp?x=1",
            "http://localhost:3000/mcp",
            "http://127.0.0.1/mcp",
            "http://127.8.9.1:80/mcp",
            "http://[::1]:3000/mcp",
        ] {
            assert_eq!(refused(url), None, "{url}");
        }
        for url in [
            "",
            "mcp.example.com",
            "https://",
            "https:///mcp",
            "http://mcp.example.com/mcp",
            "http://10.0.0.1/mcp",
            "http://localhost.example.com/mcp",
            "http://[::2]/mcp",
            "http://[::1/mcp",
            "https://user:word@mcp.example.com/",
            "https://mcp.example.com:99999/",
            "https://mcp.example.com/#top",
            "https://mcp.example.com/a b",
            "stdio://server",
            "file:///etc/passwd",
        ] {
            assert!(refused(url).is_some(), "{url}");
        }
    }
}
