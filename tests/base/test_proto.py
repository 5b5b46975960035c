"""Laws of the wire messages: TensorFlow's bytes, text and field numbers, in a descriptor pool of their own."""

import copy
import json
import pickle
from collections import defaultdict
from pathlib import Path

import pytest
from google.protobuf import descriptor_pool, message_factory, text_format

import ferroflow as tf
from ferroflow._src.base import proto
from ferroflow._src.base.proto.descriptor_set import descriptor_set_bytes, load_descriptors, serialized_files

GOLDEN = Path(__file__).resolve().parent.parent / "golden"

# Messages that TensorFlow 1.8 has and TensorFlow 2.21's Python package does not.
GONE = {"tensorflow.CriticalSectionDef", "tensorflow.CriticalSectionExecutionDef"}
# Messages that went to TensorBoard, with which tests/summary compares them.
GONE |= {f"tensorflow.{name}" for name in ("EmbeddingInfo", "ProjectorConfig", "SpriteMetadata")}

# Fields that TensorFlow 1.8 writes and TensorFlow 2.21 has dropped.
GONE_FIELDS = {("tensorflow.tfprof.CodeDef.Trace", name) for name in ("file", "function", "line")}

# Fields of later TensorFlows whose types describe TF 2 objects; they pass through as unknown fields.
LEFT_OUT = {
    ("tensorflow.ConfigProto.Experimental", "coordination_config"),
    ("tensorflow.MetaGraphDef", "object_graph_def"),
    ("tensorflow.TensorInfo", "composite_tensor"),
}

UNKNOWN_FIELD = b"\xc2\x3e\x05later"  # field 1000, length-delimited


def golden_lines(name):
    lines = (GOLDEN / name).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if not line.startswith("#")]


def own_descriptors():
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


def label(field):
    # protobuf before 6 has only `label`, protobuf after 7 will have only `is_repeated`.
    if field.is_repeated if hasattr(field, "is_repeated") else field.label == field.LABEL_REPEATED:
        return "repeated"
    if field.containing_oneof is not None and len(field.containing_oneof.fields) > 1:
        return f"oneof {field.containing_oneof.name}"
    return "optional" if field.has_presence else "plain"


def message_class(full_name):
    return message_factory.GetMessageClass(own_descriptors()[full_name])


SAMPLES = [
    pytest.param(name, bytes.fromhex(wire), json.loads(text), id=f"{name}-{sample}")
    for name, sample, wire, text in golden_lines("protos.tsv")
]


def test_every_message_has_a_sample_or_is_gone_from_tensorflow():
    sampled = {name for name, *_ in golden_lines("protos.tsv")}
    assert set(own_descriptors()) - sampled == GONE


@pytest.mark.parametrize(("name", "wire", "text"), SAMPLES)
def test_tensorflows_bytes_survive_a_round_trip_and_leave_nothing_unknown(name, wire, text):
    message = message_class(name).FromString(wire)
    known_only = copy.deepcopy(message)
    known_only.DiscardUnknownFields()
    assert message.SerializeToString(deterministic=True) == wire
    assert known_only.SerializeToString(deterministic=True) == wire


@pytest.mark.parametrize(("name", "wire", "text"), SAMPLES)
def test_unknown_fields_survive_a_round_trip(name, wire, text):
    message = message_class(name).FromString(wire + UNKNOWN_FIELD)
    assert message.SerializeToString(deterministic=True) == wire + UNKNOWN_FIELD


@pytest.mark.parametrize(("name", "wire", "text"), SAMPLES)
def test_text_equals_tensorflows_and_parses_back(name, wire, text):
    message = message_class(name).FromString(wire)
    assert text_format.MessageToString(message) == text
    assert text_format.Parse(text, message_class(name)()) == message
    # str() leaves map entries in hash order and may write -3 for -3.0.
    assert text_format.Parse(str(message), message_class(name)()) == message


def test_fields_have_tensorflows_numbers_types_and_labels():
    own = {}
    for message in own_descriptors().values():
        for field in message.fields:
            type_name = str(field.type)
            if field.message_type is not None:
                type_name = field.message_type.full_name
            elif field.enum_type is not None:
                type_name = field.enum_type.full_name
            own[message.full_name, field.name] = (str(field.number), type_name, label(field))
    theirs = {
        (message, field): (number, type_name, label)
        for message, field, number, type_name, label in (
            line for line in golden_lines("proto_fields.tsv") if line[0] != "enum"
        )
    }
    assert {key for key in own if key not in theirs and key[0] not in GONE} == GONE_FIELDS
    assert {key for key in theirs if key not in own} == LEFT_OUT
    assert {key: value for key, value in own.items() if value != theirs.get(key, value)} == {}


def test_enums_have_tensorflows_names_and_numbers():
    theirs = defaultdict(dict)
    for line in golden_lines("proto_fields.tsv"):
        if line[0] == "enum":
            theirs[line[1]][line[2]] = int(line[3])
    own = {}
    for file in load_descriptors().files:
        if file.package.startswith("tensorflow"):
            for enum in file.enum_types_by_name.values():
                own[enum.full_name] = {value.name: value.number for value in enum.values}
    for message in own_descriptors().values():
        for enum in message.enum_types:
            own[enum.full_name] = {value.name: value.number for value in enum.values}
    assert own == theirs


def test_names_used_for_several_constants_mean_the_same_number():
    numbers = defaultdict(set)
    for file in load_descriptors().files:
        if file.package.startswith("tensorflow"):
            for enum in file.enum_types_by_name.values():
                for value in enum.values:
                    numbers[value.name].add(value.number)
    assert {name for name, found in numbers.items() if len(found) > 1} == set()


def test_packages_share_no_name_of_a_message_or_enum():
    names = [
        name
        for file in load_descriptors().files
        if file.package.startswith("tensorflow")
        for name in [*file.message_types_by_name, *file.enum_types_by_name]
    ]
    assert len(names) == len(set(names))
    assert set(names) <= set(dir(proto))


def test_constants_and_enum_wrappers_are_module_attributes():
    assert proto.DT_FLOAT == 1
    assert proto.DT_STRING_REF == 107
    assert proto.DataType.Name(proto.DT_INT64) == "DT_INT64"
    assert proto.DataType.Value("DT_BOOL") == 10
    assert proto.Code.Name(proto.INVALID_ARGUMENT) == "INVALID_ARGUMENT"


def test_nested_messages_and_enums_come_with_their_parents():
    value = proto.Summary.Value(tag="loss", simple_value=0.5)
    assert proto.Summary(value=[value]).value[0] == value
    assert proto.SessionLog.START == proto.SessionLog.SessionStatus.Value("START") == 1
    assert proto.RunOptions.FULL_TRACE == 3


def test_dir_lists_what_can_be_asked_for():
    listed = dir(proto)
    assert {"GraphDef", "CheckpointState", "JobDef", "DataType", "DT_HALF"} <= set(listed)
    assert all(hasattr(proto, name) for name in listed)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="has no attribute 'GraphDeff'"):
        _ = proto.GraphDeff


def test_a_name_gives_one_class():
    assert proto.GraphDef is proto.GraphDef
    assert type(proto.GraphDef().node.add()) is proto.NodeDef
    assert proto.GraphDef.DESCRIPTOR.file.pool is load_descriptors().pool


def test_protobufs_default_pool_stays_untouched():
    assert proto.GraphDef.DESCRIPTOR.file.pool is not descriptor_pool.Default()
    with pytest.raises(KeyError):
        descriptor_pool.Default().FindFileByName("tensorflow/graph.proto")


def test_messages_copy_compare_and_merge():
    graph = proto.GraphDef()
    graph.node.add(name="x", op="Placeholder").attr["dtype"].type = proto.DT_FLOAT
    twin = proto.GraphDef()
    twin.CopyFrom(graph)
    assert twin == graph
    assert proto.GraphDef.FromString(graph.SerializeToString()) == graph
    twin.node[0].attr["dtype"].type = proto.DT_INT32
    assert twin != graph
    twin.MergeFrom(graph)
    assert [node.name for node in twin.node] == ["x", "x"]


@pytest.mark.parametrize("make", [copy.copy, copy.deepcopy, lambda message: pickle.loads(pickle.dumps(message))])
def test_top_level_and_nested_messages_can_be_copied_and_pickled(make):
    summary = proto.Summary(value=[proto.Summary.Value(tag="loss", simple_value=0.5)])
    for message in (summary, summary.value[0]):
        made = make(message)
        assert made == message
        assert made is not message
        assert type(made) is type(message)


def test_any_fields_pack_and_unpack():
    meta_graph = proto.MetaGraphDef()
    meta_graph.meta_info_def.any_info.Pack(proto.QueueRunnerDef(queue_name="q"))
    unpacked = proto.QueueRunnerDef()
    assert meta_graph.meta_info_def.any_info.Unpack(unpacked)
    assert unpacked.queue_name == "q"
    assert text_format.Parse(str(meta_graph), proto.MetaGraphDef()) == meta_graph


@pytest.mark.parametrize(
    ("damaged", "reason"),
    [
        (b"\x12", "unexpected tag 0x12 at byte 0"),
        (b"\x0a", "ends inside a length"),
        (b"\x0a\x80", "ends inside a length"),
        (b"\x0a\x02a", "ends inside a file"),
        (b"\x0a" + b"\xff" * 10, "longer than 64 bits"),
    ],
)
def test_a_damaged_descriptor_set_is_a_value_error(damaged, reason):
    with pytest.raises(ValueError, match=reason):
        serialized_files(damaged)


def test_files_of_the_descriptor_set_are_whole():
    files = serialized_files(descriptor_set_bytes())
    assert len(files) == len(load_descriptors().files)
    assert all(len(file) > 0 for file in files)


def test_a_message_type_is_looked_for_once():
    assert tf.SessionLog is tf.SessionLog
    assert vars(tf)["SessionLog"] is tf.SessionLog
