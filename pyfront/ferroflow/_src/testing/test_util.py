"""`tensorflow.python.framework.test_util`: decorators and helpers of libraries' tests, which build graphs."""

from __future__ import annotations

import contextlib
import functools
import itertools
import unittest
from collections.abc import Callable, Iterator
from typing import Any

from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.framework.default_graph import device as _device, get_default_graph
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array.shaping import transpose
from ferroflow._src.testing.environment import gpu_device_name, is_gpu_available
from ferroflow._src.testing.graph_equality import assert_equal_graph_def
from ferroflow._src.testing.local_cluster import create_local_cluster
from ferroflow._src.testing.test_case import TestCase as TensorFlowTestCase

__all__ = [
    "GpuSupportsHalfMatMulAndConv",
    "IsBuiltWithROCm",
    "IsGoogleCudaEnabled",
    "IsMklEnabled",
    "NCHWToNHWC",
    "NHWCToNCHW",
    "TensorFlowTestCase",
    "assert_equal_graph_def",
    "assert_equal_graph_def_v1",
    "assert_no_garbage_created",
    "assert_no_new_pyobjects_executing_eagerly",
    "assert_no_new_tensors",
    "assert_ops_in_graph",
    "create_local_cluster",
    "deprecated_graph_mode_only",
    "device",
    "disable_control_flow_v2",
    "disable_xla",
    "enable_c_shapes",
    "for_all_test_methods",
    "force_cpu",
    "force_gpu",
    "generate_combinations_with_testcase_name",
    "get_node_def_from_graph",
    "gpu_device_name",
    "is_gpu_available",
    "is_xla_enabled",
    "no_xla_auto_jit",
    "py_func_if_in_function",
    "run_all_in_graph_and_eager_modes",
    "run_cuda_only",
    "run_deprecated_v1",
    "run_gpu_only",
    "run_in_graph_and_eager_modes",
    "run_v1_only",
    "run_v2_only",
    "set_producer_version",
    "skip_if",
    "use_deterministic_cudnn",
    "use_gpu",
    "with_c_api",
    "with_c_shapes",
    "xla_allow_fallback",
]

assert_equal_graph_def_v1 = assert_equal_graph_def


def _same(found: Any = None, *_: Any, **__: Any) -> Any:
    """Returns a function or class as it is, or a decorator that does."""
    return found if callable(found) else _same


def run_in_graph_and_eager_modes(
    func: Callable[..., Any] | None = None,
    config: Any = None,
    use_gpu: bool = True,
    reset_test: bool = True,
    assert_no_eager_garbage: bool = False,
) -> Any:
    """Decorates a test method so that it runs in a graph, with a session; eager execution is not offered.

    Args:
        func: method of a `tf.test.TestCase`; None to get the decorator.
        config: ConfigProto of the session.
        use_gpu: not used.
        reset_test: not used.
        assert_no_eager_garbage: not used.

    Returns:
        A method, or a decorator.

    Raises:
        ValueError: if `func` is a class: `run_all_in_graph_and_eager_modes` decorates classes.
    """
    if isinstance(func, type):
        raise ValueError("`run_in_graph_and_eager_modes` only supports test methods.")

    def decorator(method: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(method)
        def decorated(self: Any, *args: Any, **kwargs: Any) -> None:
            try:
                with self.test_session(use_gpu=use_gpu, config=config):
                    method(self, *args, **kwargs)
            except unittest.SkipTest as reason:
                self.skipTest(str(reason))

        return decorated

    return decorator if func is None else decorator(func)


def for_all_test_methods(decorator: Callable[..., Any], *args: Any, **kwargs: Any) -> Callable[[type], type]:
    """Returns a decorator of classes that decorates each of their test methods.

    Args:
        decorator: function that is called with `args` and `kwargs`, and gives the decorator of a method.
        *args: its arguments.
        **kwargs: its keywords.

    Returns:
        A decorator of a class.
    """

    def decorate(cls: type) -> type:
        for name, method in list(cls.__dict__.items()):
            if callable(method) and name.startswith(unittest.TestLoader.testMethodPrefix) and name != "test_session":
                setattr(cls, name, decorator(*args, **kwargs)(method))
        return cls

    return decorate


def run_all_in_graph_and_eager_modes(cls: type) -> type:
    """Decorates the test methods of a class with `run_in_graph_and_eager_modes`."""
    return for_all_test_methods(run_in_graph_and_eager_modes)(cls)


def with_c_api(cls: type) -> type:
    """Returns the class as it is: there is one interface to the engine."""
    return cls


def run_v1_only(reason: Any, func: Any = None) -> Any:
    """Returns the test as it is: the behaviour is that of version 1.

    Args:
        reason: str.
        func: function or class; None to get the decorator.

    Returns:
        `func`, or a decorator.
    """
    return func if func is not None else _same


def _skipping(reason: str) -> Callable[..., Any]:
    def decorate(func: Any = None, *_: Any) -> Any:
        return unittest.skip(reason)(func) if callable(func) else unittest.skip(reason)

    return decorate


run_deprecated_v1 = deprecated_graph_mode_only = _same
with_c_shapes = enable_c_shapes = use_deterministic_cudnn = _same
disable_control_flow_v2 = disable_xla = no_xla_auto_jit = xla_allow_fallback = _same
assert_no_new_pyobjects_executing_eagerly = _same
run_v2_only = _skipping("The behaviour is that of TensorFlow 1.")
run_gpu_only = run_cuda_only = _skipping("There is no GPU.")


def skip_if(condition: Any) -> Callable[..., Any]:
    """Returns a decorator that skips a test.

    Args:
        condition: bool, or function without arguments that returns one. If True, the test does not run.

    Returns:
        A decorator of a method.
    """

    def decorate(method: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(method)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            if condition() if callable(condition) else condition:
                return None
            return method(*args, **kwargs)

        return wrapper

    return decorate


def assert_no_new_tensors(method: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the test as it is: a graph owns its tensors."""
    return method


def assert_no_garbage_created(method: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the test as it is."""
    return method


def py_func_if_in_function(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the function as it is: it is called while the graph is built."""
    return function


@contextlib.contextmanager
def device(use_gpu: bool) -> Iterator[None]:
    """Opens a device scope: that of the CPU, as there is no GPU.

    Args:
        use_gpu: bool; not used.
    """
    with _device("/device:CPU:0"):
        yield


@contextlib.contextmanager
def force_cpu() -> Iterator[None]:
    """Opens the device scope of the CPU."""
    with _device("/device:CPU:0"):
        yield


use_gpu = force_cpu


def force_gpu() -> Any:
    """Refuses: there is no GPU.

    Raises:
        RuntimeError: on every call.
    """
    raise RuntimeError("force_gpu: there are no GPUs")


def _never(*_: Any, **__: Any) -> bool:
    """Returns False."""
    return False


IsGoogleCudaEnabled = IsBuiltWithROCm = IsMklEnabled = is_xla_enabled = GpuSupportsHalfMatMulAndConv = _never


def set_producer_version(graph: Graph, producer_version: int) -> None:
    """Accepts the version of what wrote a graph: the engine's is the one that counts.

    Args:
        graph: `tf.Graph`.
        producer_version: int.
    """


def get_node_def_from_graph(node_name: str, graph_def: Any) -> Any:
    """Returns the NodeDef of a name; None if there is none.

    Args:
        node_name: str.
        graph_def: GraphDef.

    Returns:
        NodeDef or None.
    """
    return next((node for node in graph_def.node if node.name == node_name), None)


def assert_ops_in_graph(expected_ops: dict[str, str], graph: Graph | None = None) -> dict[str, Any]:
    """Checks that a graph has operations of given names and types.

    Args:
        expected_ops: dict from the name of an operation to its type.
        graph: `tf.Graph`; None for the default graph.

    Returns:
        dict from name to NodeDef.

    Raises:
        ValueError: if an operation is missing or has a different type.
    """
    nodes = {op.name: op for op in (graph or get_default_graph()).get_operations()}
    for name, op_type in expected_ops.items():
        if name not in nodes:
            raise ValueError(f"Not all expected ops are present: {name} is missing.")
        if nodes[name].type != op_type:
            raise ValueError(f"Expected op {name} to be of type {op_type}, found {nodes[name].type}.")
    return {name: nodes[name].node_def for name in expected_ops}


def _moved(given: Any, order: list[int]) -> Any:
    if isinstance(given, Tensor):
        return transpose(given, order)
    dims = given.as_list() if isinstance(given, TensorShape) else given
    return [dims[i] for i in order]


def NHWCToNCHW(input_tensor: Any) -> Any:  # noqa: N802  # TensorFlow's spelling
    """Moves the channels of images or volumes from the last place to the second.

    Args:
        input_tensor: Tensor of rank 4 or 5 of any dtype, or its shape, a list.

    Returns:
        Tensor or list.
    """
    rank = len(input_tensor.shape if isinstance(input_tensor, Tensor) else input_tensor)
    return _moved(input_tensor, [0, rank - 1, *range(1, rank - 1)])


def NCHWToNHWC(input_tensor: Any) -> Any:  # noqa: N802  # TensorFlow's spelling
    """Moves the channels of images or volumes from the second place to the last.

    Args:
        input_tensor: Tensor of rank 4 or 5 of any dtype, or its shape, a list.

    Returns:
        Tensor or list.
    """
    rank = len(input_tensor.shape if isinstance(input_tensor, Tensor) else input_tensor)
    return _moved(input_tensor, [0, *range(2, rank), 1])


def generate_combinations_with_testcase_name(**kwargs: Any) -> list[dict[str, Any]]:
    """Returns every combination of values, each with a name for `parameterized.named_parameters`.

    Args:
        **kwargs: lists of values.

    Returns:
        list of dict, with "testcase_name" first.
    """
    names = sorted(kwargs)
    rows = []
    for values in itertools.product(*(kwargs[name] for name in names)):
        text = "".join(f"_{n}_{''.join(filter(str.isalnum, str(v)))}" for n, v in zip(names, values, strict=True))
        rows.append({"testcase_name": f"_test{text}", **dict(zip(names, values, strict=True))})
    return rows
