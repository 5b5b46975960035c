"""Writes TensorFlow's own bytes, text and field numbers of every message that ferroflow has.

Run with an interpreter that has TensorFlow 2.x and protobuf:

    PYTHONPATH=pyfront python tests/golden/make_protos.py

It writes beside itself:
  protos.tsv: per line a message's full name, the number of the sample, its wire bytes in hexadecimal, and its
    text as a JSON string. A message has as many samples as its largest oneof has members, and at least one.
  proto_fields.tsv: per line a message, field, number, type and label; or `enum`, enum, value name, number.
"""

import importlib
import json
import os
import pkgutil

import tensorflow
from google.protobuf import descriptor_pool, message_factory, text_format
from google.protobuf.descriptor import FieldDescriptor

from ferroflow._src.base.proto.descriptor_set import load_descriptors

DEEPEST = 2  # message fields below this depth are present and empty


def import_all_messages():
    """Fills protobuf's default pool with TensorFlow's messages."""
    for package in ("core", "tsl", "python.training"):
        root = os.path.join(os.path.dirname(tensorflow.__file__), *package.split("."))
        for found in pkgutil.walk_packages([root], f"tensorflow.{package}."):
            if found.name.endswith("_pb2"):
                importlib.import_module(found.name)


def own_messages():
    """Ferroflow's message descriptors by full name, nested ones after their parents, without map entries."""
    found = {}

    def add(descriptor):
        if not descriptor.GetOptions().map_entry:
            found[descriptor.full_name] = descriptor
            for nested in descriptor.nested_types:
                add(nested)

    for file in load_descriptors().files:
        if file.package.startswith("tensorflow"):
            for descriptor in file.message_types_by_name.values():
                add(descriptor)
    return found


def own_enums(messages):
    """The full names of ferroflow's enums."""
    found = []
    for file in load_descriptors().files:
        if file.package.startswith("tensorflow"):
            found += [enum.full_name for enum in file.enum_types_by_name.values()]
    for message in messages.values():
        found += [enum.full_name for enum in message.enum_types]
    return found


class Sampler:
    """Fills messages with values that differ from field to field."""

    def __init__(self, known, sample):
        self.known = known
        self.sample = sample
        self.count = 0

    def fill(self, message, depth):
        descriptor = message.DESCRIPTOR
        own_fields = self.known[descriptor.full_name].fields_by_name
        chosen = {
            [field for field in oneof.fields if field.name in own_fields][self.sample % own_size(oneof, own_fields)]
            for oneof in descriptor.oneofs
        }
        for field in descriptor.fields:
            if field.name not in own_fields or (field.containing_oneof and field not in chosen):
                continue
            self.fill_field(message, field, depth)

    def fill_field(self, message, field, depth):
        value = getattr(message, field.name)
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            key_field, value_field = field.message_type.fields
            # protobuf's implementations disagree about the order of integer keys
            for _ in range(2 if key_field.type == FieldDescriptor.TYPE_STRING else 1):
                key = self.scalar(key_field)
                if value_field.message_type is None:
                    value[key] = self.scalar(value_field)
                else:
                    self.fill_message(value[key], depth)
                    if value[key].ByteSize() == 0:
                        del value[key]  # implementations differ in whether they write an empty map value
        elif field.is_repeated:
            for _ in range(2):
                if field.message_type is None:
                    value.append(self.scalar(field))
                else:
                    self.fill_message(value.add(), depth)
        elif field.message_type is not None:
            value.SetInParent()
            self.fill_message(value, depth)
        else:
            setattr(message, field.name, self.scalar(field))

    def fill_message(self, message, depth):
        if message.DESCRIPTOR.full_name == "google.protobuf.Any":
            message.type_url = "type.googleapis.com/ferroflow.Unknown"
            message.value = b"\n\x01x"
        elif depth < DEEPEST:
            self.fill(message, depth + 1)

    def scalar(self, field):
        self.count += 1
        kind = field.cpp_type
        if kind == FieldDescriptor.CPPTYPE_STRING:
            text = f"v{self.count}\u00e9"
            return b"\x00\xff" + text.encode() if field.type == FieldDescriptor.TYPE_BYTES else text
        if kind == FieldDescriptor.CPPTYPE_BOOL:
            return True
        if kind == FieldDescriptor.CPPTYPE_ENUM:
            values = [value.number for value in field.enum_type.values if value.number != 0]
            return values[self.count % len(values)]
        if kind in (FieldDescriptor.CPPTYPE_FLOAT, FieldDescriptor.CPPTYPE_DOUBLE):
            return -0.375 * self.count
        if kind in (FieldDescriptor.CPPTYPE_UINT32, FieldDescriptor.CPPTYPE_UINT64):
            return 130 * self.count
        return -self.count if self.count % 2 else 1000 * self.count


def own_size(oneof, own_fields):
    return sum(field.name in own_fields for field in oneof.fields)


def sample_lines(known, theirs):
    for name, descriptor in theirs.items():
        own_fields = known[name].fields_by_name
        samples = max([own_size(oneof, own_fields) for oneof in descriptor.oneofs], default=1)
        for sample in range(samples):
            message = message_factory.GetMessageClass(descriptor)()
            Sampler(known, sample).fill(message, 0)
            wire = message.SerializeToString(deterministic=True)
            yield "\t".join((name, str(sample), wire.hex(), json.dumps(text_format.MessageToString(message))))


def field_line(message, field):
    type_name = {
        FieldDescriptor.TYPE_MESSAGE: lambda: field.message_type.full_name,
        FieldDescriptor.TYPE_ENUM: lambda: field.enum_type.full_name,
    }.get(field.type, lambda: str(field.type))()
    return "\t".join((message.full_name, field.name, str(field.number), type_name, label(field)))


def label(field):
    """How often a field may occur: `repeated`, `oneof` with its name, `optional` with presence, or `plain`."""
    if field.is_repeated:
        return "repeated"
    if field.containing_oneof is not None and len(field.containing_oneof.fields) > 1:
        return f"oneof {field.containing_oneof.name}"
    return "optional" if field.has_presence else "plain"


def find(finder, name):
    try:
        return finder(name)
    except KeyError:
        return None


def main():
    import_all_messages()
    pool = descriptor_pool.Default()
    known = own_messages()
    theirs = {name: find(pool.FindMessageTypeByName, name) for name in known}
    theirs = {name: descriptor for name, descriptor in theirs.items() if descriptor is not None}
    fields = [field_line(message, field) for message in theirs.values() for field in message.fields]
    for name in own_enums(known):
        enum = find(pool.FindEnumTypeByName, name)
        if enum is not None:
            fields += [f"enum\t{name}\t{value.name}\t{value.number}" for value in enum.values]
    here = os.path.dirname(os.path.abspath(__file__))
    for file, lines in (("protos.tsv", sample_lines(known, theirs)), ("proto_fields.tsv", sorted(fields))):
        with open(os.path.join(here, file), "w", encoding="utf-8", newline="\n") as out:
            out.write(f"# Generated by make_protos.py with TensorFlow {tensorflow.__version__}; do not edit.\n")
            out.writelines(line + "\n" for line in lines)


if __name__ == "__main__":
    main()
