"""`tf.lite`: constants of the converter for small devices, and its classes, which say what to use instead."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any, NoReturn

from ferroflow._src.base import dtypes

_INSTEAD = "write the graph with `ferroflow freeze`, and convert that file with TensorFlow"


class OpsSet(enum.Enum):
    """Sets of operations of a converted model."""

    TFLITE_BUILTINS = "TFLITE_BUILTINS"
    SELECT_TF_OPS = "SELECT_TF_OPS"
    TFLITE_BUILTINS_INT8 = "TFLITE_BUILTINS_INT8"


class Optimize(enum.Enum):
    """Goals of a conversion."""

    DEFAULT = "DEFAULT"
    OPTIMIZE_FOR_SIZE = "OPTIMIZE_FOR_SIZE"
    OPTIMIZE_FOR_LATENCY = "OPTIMIZE_FOR_LATENCY"


FLOAT = dtypes.float32
FLOAT16 = dtypes.float16
GRAPHVIZ_DOT = 3
INT32 = dtypes.int32
INT64 = dtypes.int64
INT8 = dtypes.int8
QUANTIZED_UINT8 = dtypes.uint8
STRING = dtypes.string
TFLITE = 2


class RepresentativeDataset:
    """Inputs that show a converter the range of a model's values.

    Args:
        input_gen: callable that returns an iterator of lists of arrays.
    """

    def __init__(self, input_gen: Callable[[], Any]) -> None:
        self.input_gen = input_gen


class TargetSpec:
    """Properties of the device that a model is converted for.

    Args:
        supported_ops: set of OpsSet; None for the built-in operations.
        supported_types: list of DTypes; None for all.
    """

    def __init__(self, supported_ops: Any = None, supported_types: Any = None) -> None:
        self.supported_ops = {OpsSet.TFLITE_BUILTINS} if supported_ops is None else supported_ops
        self.supported_types = [] if supported_types is None else supported_types


def _refuse(name: str) -> NoReturn:
    raise NotImplementedError(f"tf.lite.{name} is not offered: {_INSTEAD}.")


def toco_convert(input_data: Any, input_tensors: Any, output_tensors: Any, *args: Any, **kwargs: Any) -> NoReturn:
    """Raises an error that says what to use instead.

    Args:
        input_data: GraphDef message.
        input_tensors: list of Tensors of any dtype and shape.
        output_tensors: list of Tensors of any dtype and shape.
        *args: list of options of the conversion.
        **kwargs: dict of options of the conversion by name.

    Raises:
        NotImplementedError: on every call.
    """
    _refuse("toco_convert")


class Interpreter:
    """Raises an error when it is made.

    Args:
        model_path: str, a converted model's file.
        model_content: bytes, a converted model.
        experimental_delegates: list of delegates.

    Raises:
        NotImplementedError: on every call.
    """

    def __init__(
        self, model_path: str | None = None, model_content: bytes | None = None, experimental_delegates: Any = None
    ) -> None:
        raise NotImplementedError(
            "tf.lite.Interpreter is not offered: run converted models with the package tflite-runtime, and graphs with "
            "tf.Session."
        )


class OpHint:
    """Raises an error when it is made.

    Args:
        function_name: str, the name of the operation of a converted model.
        level: int, the depth of hints within hints.
        children_inputs_mappings: dict of the inputs of hints within.
        **kwargs: attributes of the operation.

    Raises:
        NotImplementedError: on every call.
    """

    def __init__(self, function_name: str, level: int = 1, children_inputs_mappings: Any = None, **kwargs: Any) -> None:
        _refuse("OpHint")


class TFLiteConverter:
    """Raises an error when it is made.

    Args:
        graph_def: GraphDef message.
        input_tensors: list of Tensors of any dtype and shape.
        output_tensors: list of Tensors of any dtype and shape.
        input_arrays_with_shape: list of names and shapes of inputs.
        output_arrays: list of names of outputs.
        experimental_debug_info_func: function of the graph.

    Raises:
        NotImplementedError: on every call.
    """

    def __init__(
        self,
        graph_def: Any,
        input_tensors: Any,
        output_tensors: Any,
        input_arrays_with_shape: Any = None,
        output_arrays: Any = None,
        experimental_debug_info_func: Any = None,
    ) -> None:
        _refuse(type(self).__name__)

    @classmethod
    def from_session(cls, sess: Any, input_tensors: Any, output_tensors: Any) -> NoReturn:
        """Raises an error that says what to use instead.

        Args:
            sess: Session with the values of the variables.
            input_tensors: list of Tensors of any dtype and shape.
            output_tensors: list of Tensors of any dtype and shape.

        Raises:
            NotImplementedError: on every call.
        """
        _refuse(f"{cls.__name__}.from_session")

    @classmethod
    def from_frozen_graph(
        cls, graph_def_file: Any, input_arrays: Any, output_arrays: Any, input_shapes: Any = None
    ) -> NoReturn:
        """Raises an error that says what to use instead.

        Args:
            graph_def_file: str, a file with a GraphDef.
            input_arrays: list of names of inputs.
            output_arrays: list of names of outputs.
            input_shapes: dict of shapes by the inputs' names.

        Raises:
            NotImplementedError: on every call.
        """
        _refuse(f"{cls.__name__}.from_frozen_graph")

    @classmethod
    def from_saved_model(
        cls,
        saved_model_dir: Any,
        input_arrays: Any = None,
        input_shapes: Any = None,
        output_arrays: Any = None,
        tag_set: Any = None,
        signature_key: Any = None,
    ) -> NoReturn:
        """Raises an error that says what to use instead.

        Args:
            saved_model_dir: str, folder of a SavedModel.
            input_arrays: list of names of inputs.
            input_shapes: dict of shapes by the inputs' names.
            output_arrays: list of names of outputs.
            tag_set: set of str.
            signature_key: str.

        Raises:
            NotImplementedError: on every call.
        """
        _refuse(f"{cls.__name__}.from_saved_model")

    @classmethod
    def from_keras_model_file(
        cls,
        model_file: Any,
        input_arrays: Any = None,
        input_shapes: Any = None,
        output_arrays: Any = None,
        custom_objects: Any = None,
    ) -> NoReturn:
        """Raises an error that says what to use instead.

        Args:
            model_file: str, a file with a model.
            input_arrays: list of names of inputs.
            input_shapes: dict of shapes by the inputs' names.
            output_arrays: list of names of outputs.
            custom_objects: dict of classes by name.

        Raises:
            NotImplementedError: on every call.
        """
        _refuse(f"{cls.__name__}.from_keras_model_file")


class TocoConverter(TFLiteConverter):
    """Raises an error when it is made: the former name of `TFLiteConverter`.

    Args:
        graph_def: GraphDef message.
        input_tensors: list of Tensors of any dtype and shape.
        output_tensors: list of Tensors of any dtype and shape.
        input_arrays_with_shape: list of names and shapes of inputs.
        output_arrays: list of names of outputs.
        experimental_debug_info_func: function of the graph.

    Raises:
        NotImplementedError: on every call.
    """
