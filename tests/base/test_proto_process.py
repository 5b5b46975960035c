"""Laws of the wire messages that need a fresh process: lazy loading, threads, other registrations of the same names."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PYFRONT = Path(__file__).resolve().parents[2] / "pyfront"
TENSORFLOW_PYTHON = "FERROFLOW_TENSORFLOW_PYTHON"

USE_OURS = """
from ferroflow._src.base import proto
graph = proto.GraphDef(node=[proto.NodeDef(name="a", op="NoOp")])
assert proto.GraphDef.FromString(graph.SerializeToString()) == graph
assert str(graph) == 'node {\\n  name: "a"\\n  op: "NoOp"\\n}\\n', str(graph)
"""

# The same full name with another meaning, in protobuf's default pool, as an imported TensorFlow would have it.
REGISTER_THEIRS = """
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
file = descriptor_pb2.FileDescriptorProto(name="tensorflow/graph.proto", package="tensorflow", syntax="proto3")
file.message_type.add(name="GraphDef").field.add(name="other", number=1, type=3, label=1)
theirs = message_factory.GetMessageClass(descriptor_pool.Default().AddSerializedFile(
    file.SerializeToString()).message_types_by_name["GraphDef"])
assert theirs(other=3).SerializeToString() == b"\\x08\\x03"
"""

USE_TENSORFLOW = """
import tensorflow
theirs = tensorflow.compat.v1.GraphDef()
theirs.node.add(name="a", op="NoOp")
"""

COMPARE_WITH_TENSORFLOW = """
assert type(graph) is not type(theirs)
assert graph.SerializeToString() == theirs.SerializeToString()
assert proto.GraphDef.FromString(theirs.SerializeToString()) == graph
assert tensorflow.compat.v1.GraphDef.FromString(graph.SerializeToString()) == theirs
"""


def run(program, python=sys.executable, **environment):
    # Another Python finds the package in the tree, where `make dev` built it.
    places = [] if python == sys.executable else [str(PYFRONT)]
    path = os.pathsep.join([*places, *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [python, "-c", program],
        env={**os.environ, "PYTHONPATH": path, **environment},
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_importing_the_package_does_not_import_protobuf():
    run("""
import sys
from ferroflow._src.base import proto
assert not hasattr(proto, "__wrapped__")
loaded = [name for name in sys.modules if name.startswith("google.protobuf")]
assert not loaded, loaded
proto.GraphDef
assert "google.protobuf" in sys.modules
""")


def test_threads_that_ask_first_get_the_same_classes():
    run("""
import threading
from ferroflow._src.base import proto
names = ["GraphDef", "NodeDef", "AttrValue", "DataType"]
start = threading.Barrier(8)
found = []
def ask():
    start.wait()
    found.append([getattr(proto, name) for name in names])
threads = [threading.Thread(target=ask) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert len(found) == 8
assert all(a is b for row in found for a, b in zip(row, found[0], strict=True))
""")


@pytest.mark.parametrize("implementation", ["upb", "python"])
@pytest.mark.parametrize("program", [REGISTER_THEIRS + USE_OURS, USE_OURS + REGISTER_THEIRS], ids=["before", "after"])
def test_another_message_of_the_same_name_in_the_default_pool_does_no_harm(program, implementation):
    run(program, PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION=implementation)


def test_a_pickle_is_read_by_a_process_that_has_used_no_message_yet():
    run("""
import pickle, subprocess, sys
from ferroflow._src.base import proto
value = proto.Summary.Value(tag="loss", simple_value=0.5)
read = "import pickle, sys; print(pickle.load(sys.stdin.buffer).tag)"
done = subprocess.run([sys.executable, "-c", read], input=pickle.dumps(value), capture_output=True, check=True)
assert done.stdout.strip() == b"loss", done.stdout
""")


def test_nested_messages_exist_under_the_pure_python_protobuf():
    program = """
from ferroflow._src.base import proto
assert proto.Summary(value=[proto.Summary.Value(tag="loss")]).value[0].tag == "loss"
"""
    run(program, PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION="python")


@pytest.mark.skipif(TENSORFLOW_PYTHON not in os.environ, reason=f"{TENSORFLOW_PYTHON} names no interpreter")
@pytest.mark.parametrize("first", ["tensorflow", "ferroflow"])
def test_tensorflow_and_ferroflow_messages_live_in_one_process(first):
    parts = [USE_TENSORFLOW, USE_OURS] if first == "tensorflow" else [USE_OURS, USE_TENSORFLOW]
    run("".join(parts) + COMPARE_WITH_TENSORFLOW, python=os.environ[TENSORFLOW_PYTHON])
