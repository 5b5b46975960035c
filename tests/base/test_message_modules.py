"""Messages are found by the paths of the modules that TensorFlow generates for them."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import ferroflow as tf


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("core.example.example_pb2", ["Example", "SequenceExample"]),
        ("core.example.feature_pb2", ["Feature", "BytesList", "FloatList", "Int64List"]),
        ("core.framework.attr_value_pb2", ["AttrValue", "NameAttrList"]),
        ("core.framework.graph_pb2", ["GraphDef"]),
        ("core.framework.node_def_pb2", ["NodeDef"]),
        ("core.framework.op_def_pb2", ["OpDef", "OpList"]),
        ("core.framework.step_stats_pb2", ["StepStats", "NodeExecStats"]),
        ("core.framework.summary_pb2", ["Summary", "HistogramProto", "SummaryMetadata", "SummaryDescription"]),
        ("core.framework.tensor_pb2", ["TensorProto"]),
        ("core.framework.tensor_shape_pb2", ["TensorShapeProto"]),
        ("core.framework.types_pb2", ["DataType", "DT_FLOAT", "DT_STRING_REF"]),
        ("core.framework.variable_pb2", ["VariableDef", "SaveSliceInfoDef"]),
        ("core.framework.versions_pb2", ["VersionDef"]),
        ("core.lib.core.error_codes_pb2", ["Code", "CANCELLED"]),
        ("core.protobuf.cluster_pb2", ["ClusterDef", "JobDef"]),
        ("core.protobuf.config_pb2", ["ConfigProto", "RunOptions", "RunMetadata", "GPUOptions"]),
        ("core.protobuf.meta_graph_pb2", ["MetaGraphDef", "SignatureDef", "TensorInfo"]),
        ("core.protobuf.queue_runner_pb2", ["QueueRunnerDef"]),
        ("core.protobuf.rewriter_config_pb2", ["RewriterConfig"]),
        ("core.protobuf.saved_model_pb2", ["SavedModel"]),
        ("core.protobuf.saver_pb2", ["SaverDef"]),
        ("core.protobuf.tensorflow_server_pb2", ["ServerDef"]),
        ("core.util.event_pb2", ["Event", "SessionLog", "LogMessage", "TaggedRunMetadata"]),
        ("python.training.checkpoint_state_pb2", ["CheckpointState"]),
    ],
)
def test_a_module_has_the_messages_of_its_file(path, names):
    module = importlib.import_module(f"ferroflow.{path}")
    for name in names:
        assert getattr(module, name).__class__ is not None
        assert name in dir(module)


def test_the_messages_are_the_ones_that_the_library_uses():
    from ferroflow.core.framework import graph_pb2, summary_pb2, types_pb2
    from ferroflow.core.lib.core import error_codes_pb2

    assert summary_pb2.Summary is tf.Summary is tf.summary.Summary
    assert isinstance(tf.Graph().as_graph_def(), graph_pb2.GraphDef)
    assert types_pb2.DataType.Name(types_pb2.DT_FLOAT) == "DT_FLOAT"
    assert error_codes_pb2.DATA_LOSS == tf.errors.DATA_LOSS
    assert graph_pb2.DESCRIPTOR.name == "tensorflow/graph.proto"


def test_a_module_has_no_other_names():
    from ferroflow.core.framework import tensor_pb2

    assert not hasattr(tensor_pb2, "GraphDef")
    assert not hasattr(tf.core, "nothing")
    assert not hasattr(tf.core.framework, "nothing_pb2")
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("ferroflow.core.framework.nothing_pb2")
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("ferroflow.core.util.graph_pb2")


def test_programs_import_them_from_tensorflow_or_find_them_as_attributes(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import tensorflow as tf\n"
        "from tensorflow.core.framework import summary_pb2\n"
        "from tensorflow.core.util.event_pb2 import Event\n"
        "assert tf.core.framework.graph_pb2.GraphDef is tf.GraphDef\n"
        "print(Event(summary=summary_pb2.Summary()).HasField('summary'))\n",
        encoding="utf-8",
    )
    root = str(Path(tf.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-m", "ferroflow", "run", str(program)],
        cwd=root,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert done.stdout == "True\n"
