//! Compares the compiled descriptors with `wire.txt`, the contract that existing clients rely on. A
//! fact that is missing, extra, renumbered, retyped or relabelled shows as a difference.

use std::collections::BTreeSet;

use prost::Message;
use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{
    DescriptorProto, EnumDescriptorProto, FieldDescriptorProto, FileDescriptorProto,
    FileDescriptorSet, MethodDescriptorProto,
};
use tonic::server::NamedService;
use tonic::transport::Channel;

const WIRE: &str = include_str!("wire.txt");

fn files() -> Vec<FileDescriptorProto> {
    FileDescriptorSet::decode(proto::DESCRIPTORS)
        .expect("the descriptors decode")
        .file
}

/// The facts of `wire.txt`, each with its package in front.
fn expected() -> BTreeSet<String> {
    let mut package = "";
    let mut facts = BTreeSet::new();
    for line in WIRE.lines().map(str::trim) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        match line.strip_prefix("package ") {
            Some(name) => package = name,
            None => assert!(
                facts.insert(format!("{package}: {line}")),
                "wire.txt repeats `{line}`"
            ),
        }
    }
    facts
}

/// The same facts as read from the descriptors of the packages that `wire.txt` speaks of.
fn actual() -> BTreeSet<String> {
    let mut facts = BTreeSet::new();
    for file in files() {
        let package = file.package().to_owned();
        if !WIRE
            .lines()
            .any(|it| it.strip_prefix("package ") == Some(&package))
        {
            continue;
        }
        let mut lines = Vec::new();
        for service in &file.service {
            lines.extend(service.method.iter().map(|it| method(it, &package)));
        }
        for it in &file.enum_type {
            values(it, "", &mut lines);
        }
        for it in &file.message_type {
            message(it, &package, &mut lines);
        }
        facts.extend(lines.into_iter().map(|it| format!("{package}: {it}")));
    }
    facts
}

fn method(it: &MethodDescriptorProto, package: &str) -> String {
    let kind = match (it.client_streaming(), it.server_streaming()) {
        (false, false) => "unary",
        (false, true) => "server-stream",
        (true, false) => "client-stream",
        (true, true) => "bidi-stream",
    };
    format!(
        "method {} {} {} {kind}",
        it.name(),
        local(it.input_type(), package),
        local(it.output_type(), package)
    )
}

fn values(it: &EnumDescriptorProto, outer: &str, lines: &mut Vec<String>) {
    for value in &it.value {
        lines.push(format!(
            "value {outer}{} {} {}",
            it.name(),
            value.name(),
            value.number()
        ));
    }
}

fn message(it: &DescriptorProto, package: &str, lines: &mut Vec<String>) {
    let name = it.name();
    lines.push(format!("message {name}"));
    for one in &it.field {
        lines.push(field(one, it, package));
    }
    for range in &it.reserved_range {
        for number in range.start()..range.end() {
            lines.push(format!("reserved-number {name} {number}"));
        }
    }
    for reserved in &it.reserved_name {
        lines.push(format!("reserved-name {name} {reserved}"));
    }
    for nested in &it.enum_type {
        values(nested, &format!("{name}."), lines);
    }
    for nested in &it.nested_type {
        let is_map_entry = nested.options.as_ref().is_some_and(|it| it.map_entry());
        assert!(is_map_entry, "{name} nests {}", nested.name());
    }
}

fn field(it: &FieldDescriptorProto, outer: &DescriptorProto, package: &str) -> String {
    let entry = outer.nested_type.iter().find(|nested| {
        it.r#type() == Type::Message
            && it
                .type_name()
                .ends_with(&format!(".{}.{}", outer.name(), nested.name()))
    });
    let (kind, label) = match entry {
        Some(entry) => {
            let kinds: Vec<String> = entry.field.iter().map(|it| kind(it, package)).collect();
            (format!("map<{}>", kinds.join(",")), "map".to_owned())
        }
        None => (kind(it, package), label(it, outer)),
    };
    format!(
        "field {} {} {} {kind} {label}",
        outer.name(),
        it.number(),
        it.name()
    )
}

fn label(it: &FieldDescriptorProto, outer: &DescriptorProto) -> String {
    if it.label() == Label::Repeated {
        return "repeated".to_owned();
    }
    if it.proto3_optional() {
        return "optional".to_owned();
    }
    match it.oneof_index {
        None => "singular".to_owned(),
        Some(index) => {
            let index = usize::try_from(index).expect("an index is not negative");
            format!("oneof:{}", outer.oneof_decl[index].name())
        }
    }
}

fn kind(it: &FieldDescriptorProto, package: &str) -> String {
    match it.r#type() {
        Type::Message | Type::Enum => local(it.type_name(), package),
        scalar => scalar
            .as_str_name()
            .trim_start_matches("TYPE_")
            .to_lowercase(),
    }
}

/// A type's name as the tables write it: without the package when it is the file's own.
fn local(full: &str, package: &str) -> String {
    let full = full.trim_start_matches('.');
    full.strip_prefix(&format!("{package}."))
        .unwrap_or(full)
        .to_owned()
}

#[test]
fn the_descriptors_equal_the_contract() {
    let (expected, actual) = (expected(), actual());
    let missing: Vec<&String> = expected.difference(&actual).collect();
    let extra: Vec<&String> = actual.difference(&expected).collect();
    assert!(
        missing.is_empty() && extra.is_empty(),
        "missing: {missing:#?}\nextra: {extra:#?}"
    );
}

#[test]
fn the_contract_is_whole() {
    let methods = expected()
        .iter()
        .filter(|it| it.starts_with("phrony.runtime.v1: method "))
        .count();
    assert_eq!(methods, 29);
}

/// An rpc of this name would collide with the `connect` that tonic gives each client.
#[test]
fn no_rpc_is_named_connect() {
    for file in files() {
        for service in &file.service {
            assert!(service.method.iter().all(|it| it.name() != "Connect"));
        }
    }
}

/// Reflection needs the imports too.
#[test]
fn the_descriptors_hold_what_they_import() {
    let files = files();
    for file in &files {
        for import in &file.dependency {
            assert!(files.iter().any(|it| it.name() == import), "{import}");
        }
    }
}

/// Arguments and results are handled as the well-known type, not as a second copy of it.
#[test]
fn a_value_is_the_well_known_type() {
    let event = proto::runtime::v1::SessionEventEntry {
        payload: Some(prost_types::Value::from(true)),
        ..Default::default()
    };
    let back = proto::runtime::v1::SessionEventEntry::decode(event.encode_to_vec().as_slice());
    assert_eq!(back, Ok(event));
}

/// The paths that callers use exist, for both sides.
#[test]
fn every_service_has_a_client_and_a_server() {
    let names = [
        <proto::runtime::v1::runtime_server::RuntimeServer<()> as NamedService>::NAME,
        <proto::health::v1::health_server::HealthServer<()> as NamedService>::NAME,
        <proto::ordain::v1::publishing_server::PublishingServer<()> as NamedService>::NAME,
        <proto::ordain::v1::sessions_server::SessionsServer<()> as NamedService>::NAME,
        <proto::ordain::v1::catalog_server::CatalogServer<()> as NamedService>::NAME,
    ];
    assert_eq!(
        names,
        [
            "phrony.runtime.v1.Runtime",
            "grpc.health.v1.Health",
            "ordain.v1.Publishing",
            "ordain.v1.Sessions",
            "ordain.v1.Catalog"
        ]
    );
    let _: Option<proto::runtime::v1::runtime_client::RuntimeClient<Channel>> = None;
    let _: Option<proto::health::v1::health_client::HealthClient<Channel>> = None;
    let _: Option<proto::ordain::v1::publishing_client::PublishingClient<Channel>> = None;
    let _: Option<proto::ordain::v1::sessions_client::SessionsClient<Channel>> = None;
    let _: Option<proto::ordain::v1::catalog_client::CatalogClient<Channel>> = None;
}
