"""The contract itself: what the SDK was generated from against what the runtime is built from."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

from google.protobuf import descriptor_pb2
from phrony.gen.phrony.runtime.v1 import runtime_pb2

SOURCES = pathlib.Path(__file__).resolve().parents[3] / "crates" / "proto" / "proto"
FILE = "phrony/runtime/v1/runtime.proto"


def ours():
    with tempfile.TemporaryDirectory(prefix="ordain-sdk-") as folder:
        out = pathlib.Path(folder) / "descriptors.bin"
        words = [sys.executable, "-m", "grpc_tools.protoc", f"-I{SOURCES}"]
        words += ["--include_imports", f"--descriptor_set_out={out}", FILE]
        subprocess.run(words, check=True, timeout=60)
        files = descriptor_pb2.FileDescriptorSet.FromString(out.read_bytes()).file
    return next(it for it in files if it.package == "phrony.runtime.v1")


def theirs():
    file = descriptor_pb2.FileDescriptorProto()
    runtime_pb2.DESCRIPTOR.CopyToProto(file)
    return file


def facts(file):
    """Everything that the wire and generated code depend on, one fact a line."""
    found = {f"package {file.package}", f"syntax {file.syntax}"}
    for message in file.message_type:
        found |= of_message(f".{file.package}", message)
    for enum in file.enum_type:
        found |= of_enum(f".{file.package}", enum)
    for service in file.service:
        for it in service.method:
            asks = ("stream " if it.client_streaming else "") + it.input_type
            tells = ("stream " if it.server_streaming else "") + it.output_type
            found.add(f"rpc {service.name}.{it.name}({asks}) returns ({tells})")
    return found


def of_message(parent, message):
    name = f"{parent}.{message.name}"
    found = {f"message {name} map_entry={message.options.map_entry}"}
    for it in message.field:
        kind = it.Type.Name(it.type)
        label = it.Label.Name(it.label)
        oneof = message.oneof_decl[it.oneof_index].name if it.HasField("oneof_index") else "-"
        found.add(
            f"field {name}.{it.name} = {it.number} {kind} {it.type_name or '-'} {label}"
            f" oneof={oneof} optional={it.proto3_optional} json={it.json_name or camel(it.name)}"
        )
    for nested in message.nested_type:
        found |= of_message(name, nested)
    for enum in message.enum_type:
        found |= of_enum(name, enum)
    return found


def camel(name):
    """The name in JSON where a descriptor leaves it out."""
    first, *others = name.split("_")
    return first + "".join(it[:1].upper() + it[1:] for it in others)


def of_enum(parent, enum):
    name = f"{parent}.{enum.name}"
    return {f"enum {name}"} | {f"value {name}.{it.name} = {it.number}" for it in enum.value}


class Descriptors(unittest.TestCase):
    maxDiff = None

    def test_00_the_descriptors_are_the_same_in_both_directions(self):
        mine, sdk = facts(ours()), facts(theirs())
        self.assertGreater(len(sdk), 400)
        self.assertEqual(sorted(sdk - mine), [], "known to the SDK and not to the runtime")
        self.assertEqual(sorted(mine - sdk), [], "known to the runtime and not to the SDK")
