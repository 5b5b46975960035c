"""The paths of TensorFlow's .proto files, which generated modules of programs import."""

from __future__ import annotations

from typing import Final

# TensorFlow's folders below `core`, with the names of the files that define messages there.
FILES: Final = {
    "example": ("example", "example_parser_configuration", "feature"),
    "framework": (
        *("allocation_description", "attr_value", "cost_graph", "device_attributes", "full_type", "function", "graph"),
        *("graph_debug_info", "kernel_def", "log_memory", "node_def", "op_def", "resource_handle", "step_stats"),
        *("summary", "tensor", "tensor_description", "tensor_shape", "tensor_slice", "types", "variable", "versions"),
    ),
    "lib.core": ("error_codes",),
    "profiler": ("tfprof_log", "tfprof_output"),
    "protobuf": (
        *("cluster", "config", "control_flow", "critical_section", "debug", "device_filters", "device_properties"),
        *("error_codes", "meta_graph", "named_tensor", "queue_runner", "rewriter_config", "saved_model", "saver"),
        *("tensor_bundle", "tensorflow_server", "verifier_config"),
        *("saved_object_graph", "struct"),
    ),
    "kernels.boosted_trees": ("boosted_trees",),
    "util": ("event", "saved_tensor_slice"),
}
_OTHERS: Final = {
    "checkpoint_state": "tensorflow/python/training/checkpoint_state.proto",
    "projector_config": "tensorflow/contrib/tensorboard/plugins/projector/projector_config.proto",
}
_PREFIX: Final = "tensorflow/"
_SUFFIX: Final = ".proto"


def tensorflow_path(name: str) -> str:
    """Returns TensorFlow's path of a file of messages.

    Args:
        name: str, the engine's path of the file, such as "tensorflow/graph.proto". Others are returned as they are.
    """
    stem = name.removeprefix(_PREFIX).removesuffix(_SUFFIX)
    if "/" in stem or not name.startswith(_PREFIX):
        return name
    for folder, stems in FILES.items():
        if stem in stems:
            return f"{_PREFIX}core/{folder.replace('.', '/')}/{stem}{_SUFFIX}"
    return _OTHERS.get(stem, name)
