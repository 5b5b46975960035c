"""Modules that protobuf's compiler generates find TensorFlow's messages where `import tensorflow` gives ferroflow."""

import subprocess
import sys
from pathlib import Path

import pytest

# As protobuf's compiler writes it for a file that uses messages of four files of TensorFlow.
_GENERATED = """
from google.protobuf import descriptor_pb2, descriptor_pool
from google.protobuf.internal import builder
from tensorflow.core.framework import tensor_pb2 as tensor__pb2
from tensorflow.core.framework import types_pb2 as types__pb2
from tensorflow.core.protobuf import meta_graph_pb2 as meta__graph__pb2
from tensorflow.core.example import example_pb2 as example__pb2

_file = descriptor_pb2.FileDescriptorProto(
    name="own/predict.proto",
    package="own",
    syntax="proto3",
    dependency=[
        "tensorflow/core/framework/tensor.proto",
        "tensorflow/core/framework/types.proto",
        "tensorflow/core/protobuf/meta_graph.proto",
        "tensorflow/core/example/example.proto",
    ],
)
_message = _file.message_type.add(name="Request")
_types = [("tensor", 11, 1, "TensorProto"), ("dtype", 14, 1, "DataType"), ("signature", 11, 1, "SignatureDef")]
for _number, (_name, _type, _label, _of) in enumerate([*_types, ("examples", 11, 3, "Example")], 1):
    _message.field.add(name=_name, number=_number, type=_type, label=_label, type_name=f".tensorflow.{_of}")
DESCRIPTOR = descriptor_pool.Default().AddSerializedFile(_file.SerializeToString())
builder.BuildMessageAndEnumDescriptors(DESCRIPTOR, globals())
builder.BuildTopDescriptorsAndMessages(DESCRIPTOR, "predict_pb2", globals())
"""

_USE = """
import pickle
import predict_pb2
request = predict_pb2.Request(dtype=tf.float32.as_datatype_enum)
request.tensor.CopyFrom(tf.make_tensor_proto([1.0, 2.0]))
request.examples.add().CopyFrom(tf.train.Example())
request.signature.CopyFrom(tf.saved_model.signature_def_utils.build_signature_def(method_name="m"))
again = predict_pb2.Request.FromString(request.SerializeToString())
assert again == request
assert tf.make_ndarray(again.tensor).tolist() == [1.0, 2.0]
from tensorflow.core.framework import tensor_pb2
from tensorflow.core.protobuf import saved_object_graph_pb2, struct_pb2
assert type(again.tensor) is tensor_pb2.TensorProto
assert tensor_pb2.DESCRIPTOR.name == "tensorflow/core/framework/tensor.proto"
assert pickle.loads(pickle.dumps(again.tensor)) == again.tensor
assert saved_object_graph_pb2.SavedObjectGraph(nodes=[{}]) and struct_pb2.StructuredValue(int64_value=3)
graph = tf.GraphDef(node=[{"name": "a", "op": "NoOp"}])
assert tf.GraphDef.FromString(graph.SerializeToString()) == graph
"""
_ALIAS = "import ferroflow as tf\ntf.install_as_tensorflow()\n"
_OTHER = """
from google.protobuf import descriptor_pb2, descriptor_pool
file = descriptor_pb2.FileDescriptorProto(name="{name}", package="tensorflow", syntax="proto3")
file.message_type.add(name="TensorProto").field.add(name="other", number=1, type=3, label=1)
descriptor_pool.Default().AddSerializedFile(file.SerializeToString())
"""


def _run(program: str, folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, capture_output=True, encoding="utf-8", timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr


def test_a_generated_module_uses_the_messages_of_the_package(tmp_path: Path) -> None:
    (tmp_path / "predict_pb2.py").write_text(_GENERATED, encoding="utf-8")
    _run(_ALIAS + _USE, tmp_path)


@pytest.mark.parametrize("name", ["tensorflow/core/framework/tensor.proto", "other.proto"])
def test_messages_stay_apart_from_those_that_another_library_has_registered(name: str, tmp_path: Path) -> None:
    use = """
tensor = tf.make_tensor_proto([1.0])
assert tf.make_ndarray(type(tensor).FromString(tensor.SerializeToString())).tolist() == [1.0]
from tensorflow.core.framework import tensor_pb2
assert tensor_pb2.TensorProto is type(tensor)
"""
    _run(_ALIAS + _OTHER.format(name=name) + use, tmp_path)


def test_the_default_pool_stays_free_without_the_alias(tmp_path: Path) -> None:
    _run(
        """
import ferroflow as tf
from google.protobuf import descriptor_pool
tf.make_tensor_proto([1.0])
from ferroflow.core.framework import tensor_pb2
try:
    descriptor_pool.Default().FindMessageTypeByName("tensorflow.TensorProto")
except KeyError:
    pass
else:
    raise AssertionError("it is registered")
""",
        tmp_path,
    )
