"""Calls of ops that graphs of TensorFlow 1 hold and no function makes any more, and what they give, as data."""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING, Any

import numpy as np
from golden.later_op_programs import outcome

if TYPE_CHECKING:
    from collections.abc import Callable

    Case = Callable[[Any], Any]

__all__ = ["CASES", "outcome"]

_RNG = np.random.RandomState(28)
_FOLDER = tempfile.mkdtemp()
_LEVELS = _RNG.randint(0, 256, (2, 3, 4, 2)).astype(np.uint8)
_IMAGES = _RNG.uniform(-1, 1, (2, 4, 5, 3)).astype(np.float32)
_FILTER = _RNG.uniform(-1, 1, (3, 2, 3, 2)).astype(np.float32)
_PADDINGS = [[0, 0], [1, 2], [2, 0], [0, 0]]
_UNITS = 3
_NUMBERS = (-40.0, -8.0, -1.5, -1e-9, 0.0, 1e-20, 0.25, 7.999, 8.001, 100.0)


def _file(name: str, content: bytes) -> str:
    path = os.path.join(_FOLDER, name)
    with open(path, "wb") as file:
        file.write(content)
    return path


def _imported(tf: Any, nodes: str, producer: int, *names: str) -> list[Any]:
    """Returns outputs of the nodes of an old graph: later versions of TensorFlow refuse to make such nodes."""
    from google.protobuf import text_format

    graph_def = text_format.Parse(f"versions {{ producer: {producer} }} {nodes}", tf.GraphDef())
    elements = tf.import_graph_def(graph_def, name="", return_elements=[f"{name}:0" for name in names])
    return list(elements)


def _node(name: str, op: str, inputs: tuple[str, ...] = (), **attrs: str) -> str:
    text = "".join(f'input: "{i}" ' for i in inputs)
    text += "".join(f'attr {{ key: "{key}" value {{ {value} }} }} ' for key, value in attrs.items())
    return f'node {{ name: "{name}" op: "{op}" {text} }}'


def _constant(name: str, dtype: str, shape: tuple[int, ...], values: Any) -> str:
    kind = {"DT_FLOAT": "float_val", "DT_INT32": "int_val", "DT_INT64": "int64_val", "DT_UINT8": "int_val"}[dtype]
    dims = "".join(f"dim {{ size: {n} }} " for n in shape)
    numbers = " ".join(f"{kind}: {value}" for value in np.ravel(values))
    tensor = f"tensor {{ dtype: {dtype} tensor_shape {{ {dims} }} {numbers} }}"
    return _node(name, "Const", dtype=f"type: {dtype}", value=tensor)


_FLOAT = {"dtype": "type: DT_FLOAT"}
_T = {"T": "type: DT_FLOAT"}


def _array_nodes(suffix: str) -> str:
    """Returns nodes that write an array of two elements of the first or the second generation."""
    return " ".join(
        [
            _constant("size", "DT_INT32", (), [2]),
            _constant("zero", "DT_INT32", (), [0]),
            _constant("one", "DT_INT32", (), [1]),
            _constant("both", "DT_INT32", (2,), [1, 0]),
            _constant("flow", "DT_FLOAT", (), [0.0]),
            _constant("x", "DT_FLOAT", (2,), [1.5, 2.5]),
            _constant("y", "DT_FLOAT", (2,), [3.5, 4.5]),
            _node("array", f"TensorArray{suffix}", ("size",), clear_after_read="b: false", **_FLOAT),
            _node("first", f"TensorArrayWrite{suffix}", ("array", "zero", "x", "flow"), **_T),
            _node("second", f"TensorArrayWrite{suffix}", ("array", "one", "y", "first"), **_T),
            _node("read", f"TensorArrayRead{suffix}", ("array", "one", "second"), **_FLOAT),
            _node("gather", f"TensorArrayGather{suffix}", ("array", "both", "second"), **_FLOAT),
            _node("concat", f"TensorArrayConcat{suffix}", ("array", "second"), **_FLOAT),
            _node("count", f"TensorArraySize{suffix}", ("array", "second")),
        ]
    )


def _arrays(suffix: str, producer: int) -> Case:
    return lambda tf: _imported(tf, _array_nodes(suffix), producer, "read", "gather", "concat", "count")


def _packed(tf: Any) -> Any:
    nodes = " ".join(
        [
            _constant("size", "DT_INT32", (), [2]),
            _constant("flow", "DT_FLOAT", (), [0.0]),
            _constant("x", "DT_FLOAT", (2, 2), [1.5, 2.5, 3.5, 4.5]),
            _node("array", "TensorArray", ("size",), **_FLOAT),
            _node("unpacked", "TensorArrayUnpack", ("array", "x", "flow"), **_T),
            _node("packed", "TensorArrayPack", ("array", "unpacked"), **_FLOAT),
        ]
    )
    return _imported(tf, nodes, 15, "packed")


def _stacked(tf: Any) -> Any:
    stack = tf.raw_ops.Stack(elem_type=tf.float32, stack_name="")
    pushed = tf.raw_ops.StackPush(handle=stack, elem=tf.constant([1.0, 2.0]))
    with tf.control_dependencies([pushed]):
        return [pushed, tf.raw_ops.StackPop(handle=stack, elem_type=tf.float32)]


def _contrast(dtype: str) -> Case:
    def case(tf: Any) -> Any:
        values = _LEVELS if dtype == "DT_UINT8" else _IMAGES
        nodes = " ".join(
            [
                _constant("x", dtype, values.shape, values),
                _constant("factor", "DT_FLOAT", (), [1.75]),
                _constant("least", "DT_FLOAT", (), [-0.5]),
                _constant("most", "DT_FLOAT", (), [200.0]),
                _node("y", "AdjustContrast", ("x", "factor", "least", "most"), T=f"type: {dtype}"),
            ]
        )
        return _imported(tf, nodes, 1, "y")

    return case


def _cropped(tf: Any) -> Any:
    nodes = " ".join(
        [
            _constant("x", "DT_FLOAT", (9, 8, 1), np.arange(72.0)),
            _constant("size", "DT_INT64", (2,), [3, 4]),
            *(_node(f"y{i}", "RandomCrop", ("x", "size"), seed=f"i: {i}", seed2="i: 7", **_T) for i in range(4)),
        ]
    )
    return _imported(tf, nodes, 7, *(f"y{i}" for i in range(4)))


def _bessel(name: str, dtype: str) -> Case:
    def case(tf: Any) -> Any:
        x = tf.constant(_NUMBERS, dtype)
        y = getattr(tf.math, name)(x)
        return [y, tf.gradients(y, x)[0]]

    return case


def _immutable(length: int) -> Case:
    def case(tf: Any) -> Any:
        path = _file("region", np.arange(4, dtype=np.float32).tobytes())
        return tf.raw_ops.ImmutableConst(dtype=tf.float32, shape=[length], memory_region_name=path)

    return case


def _remapped(**arguments: int) -> Case:
    def case(tf: Any) -> Any:
        new, old = _file("new", b"a\nb\nc\nd\n"), _file("old", b"c\na\nz\n")
        return list(tf.raw_ops.GenerateVocabRemapping(new_vocab_file=new, old_vocab_file=old, **arguments))

    return case


def _levels(tf: Any, values: Any) -> Any:
    return tf.bitcast(tf.constant(values), tf.quint8)


def _plain(tf: Any, result: Any) -> list[Any]:
    """Returns quantized levels as integers, and their bounds."""
    integers = tf.int32 if result[0].dtype == tf.qint32 else tf.uint8
    return [tf.bitcast(result[0], integers), *result[1:]]


def _quantized(op: str, shape: tuple[int, ...]) -> Case:
    def case(tf: Any) -> Any:
        x, y = _LEVELS, _LEVELS[::-1].copy().ravel()[: int(np.prod(shape))].reshape(shape)
        bounds = {"min_x": -1.5, "max_x": 2.0, "min_y": -0.25, "max_y": 3.0}
        got = getattr(tf.raw_ops, op)(x=_levels(tf, x), y=_levels(tf, y), Toutput=tf.qint32, **bounds)
        return _plain(tf, got)

    return case


def _instance_norm(**arguments: Any) -> Case:
    def case(tf: Any) -> Any:
        return _plain(tf, tf.raw_ops.QuantizedInstanceNorm(x=_levels(tf, _LEVELS), x_min=-1.5, x_max=2.0, **arguments))

    return case


def _batch_norm(scales: bool) -> Case:
    def case(tf: Any) -> Any:
        given: dict[str, Any] = {"t": _levels(tf, _LEVELS), "t_min": -10.0, "t_max": 10.0}
        vectors = {"m": [3, 200], "v": [40, 90], "beta": [128, 7], "gamma": [255, 60]}
        for name, values in vectors.items():
            given[name] = _levels(tf, np.array(values, np.uint8))
            given.update({f"{name}_min": 0.5, f"{name}_max": 4.0})
        return _plain(
            tf,
            tf.raw_ops.QuantizedBatchNormWithGlobalNormalization(
                **given, out_type=tf.qint32, variance_epsilon=0.001, scale_after_normalization=scales
            ),
        )

    return case


def _fused_pad(mode: str, padding: str, dtype: str = "float32") -> Case:
    def case(tf: Any) -> Any:
        return tf.raw_ops.FusedPadConv2D(
            input=_IMAGES[:1].astype(dtype),
            paddings=_PADDINGS,
            filter=_FILTER.astype(dtype),
            mode=mode,
            strides=[1, 2, 1, 1],
            padding=padding,
        )

    return case


def _fused_resize(mode: str, align_corners: bool, dtype: str = "float32") -> Case:
    def case(tf: Any) -> Any:
        return tf.raw_ops.FusedResizeAndPadConv2D(
            input=_IMAGES[:1].astype(dtype),
            size=[6, 7],
            paddings=_PADDINGS,
            filter=_FILTER.astype(dtype),
            resize_align_corners=align_corners,
            mode=mode,
            strides=[1, 1, 1, 1],
            padding="VALID",
        )

    return case


def _lstm(peephole: bool) -> Case:
    def case(tf: Any) -> Any:
        rng = np.random.RandomState(5)
        state, vector = (2, _UNITS), (_UNITS,)
        shapes = {"x": (4, 2, 3), "cs_prev": state, "h_prev": state, "w": (3 + _UNITS, 4 * _UNITS)}
        shapes.update({"wci": vector, "wcf": vector, "wco": vector, "b": (4 * _UNITS,)})
        given = {k: tf.constant(rng.uniform(-1, 1, shape).astype(np.float32)) for k, shape in shapes.items()}
        out = tf.raw_ops.BlockLSTMV2(seq_len_max=np.int64(3), cell_clip=0.4, use_peephole=peephole, **given)
        return [t[:3] for t in out]

    return case


def _dataset(tf: Any, variant: Any, dtype: Any) -> Any:
    """Returns the elements of a dataset of scalars, counted and added or joined."""
    iterator = tf.raw_ops.Iterator(shared_name="", container="", output_types=[dtype], output_shapes=[[]])
    made = tf.raw_ops.MakeIterator(dataset=variant, iterator=iterator)
    with tf.control_dependencies([made]):
        results = []
        for _ in range(3):
            with tf.control_dependencies(results):
                results += tf.raw_ops.IteratorGetNext(iterator=iterator, output_types=[dtype], output_shapes=[[]])
    return results


def _sampled(tf: Any) -> Any:
    kind = {"output_types": [tf.int64], "output_shapes": [[]]}
    numbers = tf.raw_ops.RangeDataset(start=np.int64(0), stop=np.int64(99), step=np.int64(1), **kind)
    kept = tf.raw_ops.SamplingDataset(input_dataset=numbers, rate=0.3, seed=np.int64(3), seed2=np.int64(5), **kind)
    return _dataset(tf, kept, tf.int64)


def _matching(tf: Any) -> Any:
    for name in ("m_b", "m_a", "m_c"):
        _file(name, b"")
    names = _dataset(tf, tf.raw_ops.MatchingFilesDataset(patterns=[os.path.join(_FOLDER, "m_*")]), tf.string)
    return [tf.strings.length(names), tf.strings.unicode_decode(names, "UTF-8").to_tensor()[:, -1]]


def _references(tf: Any) -> Any:
    a, b = (tf.Variable(x, use_resource=False) for x in ([1.0, 2.0], [3.0, 4.0]))
    with tf.control_dependencies([a.initializer, b.initializer]):
        chosen = tf.identity(tf.raw_ops.RefSelect(index=1, inputs=[a._ref(), b._ref()]))
    with tf.control_dependencies([chosen]):
        same = tf.raw_ops.RefIdentity(input=a._ref())
        added = tf.raw_ops.AssignAdd(ref=same, value=[5.0, 6.0])
    return [chosen, added]


CASES: dict[str, Case] = {
    "array of the first generation": _arrays("", 15),
    "array of the second generation": _arrays("V2", 25),
    "array packed": _packed,
    "stack": _stacked,
    "contrast of bytes": _contrast("DT_UINT8"),
    "contrast of floats": _contrast("DT_FLOAT"),
    "crop": _cropped,
    "immutable": _immutable(4),
    "immutable, shorter": _immutable(2),
    "immutable, too long": _immutable(5),
    "remapping": _remapped(new_vocab_offset=0, num_new_vocab=4, old_vocab_size=-1),
    "remapping of a part": _remapped(new_vocab_offset=1, num_new_vocab=2, old_vocab_size=1),
    "remapping of nothing": _remapped(new_vocab_offset=1, num_new_vocab=0, old_vocab_size=-1),
    "remapping of too much": _remapped(new_vocab_offset=2, num_new_vocab=3, old_vocab_size=-1),
    "remapping of a short vocabulary": _remapped(new_vocab_offset=0, num_new_vocab=4, old_vocab_size=9),
    "sum of levels": _quantized("QuantizedAdd", (2, 3, 4, 2)),
    "sum of levels and a vector": _quantized("QuantizedAdd", (2,)),
    "sum of levels and a scalar": _quantized("QuantizedAdd", ()),
    "product of levels": _quantized("QuantizedMul", (2, 3, 4, 2)),
    "product of levels and a vector": _quantized("QuantizedMul", (2,)),
    "instance norm": _instance_norm(),
    "instance norm in a range": _instance_norm(output_range_given=True, given_y_min=-1.0, given_y_max=1.0),
    "batch norm": _batch_norm(False),
    "batch norm, scaled": _batch_norm(True),
    **{
        f"padded convolution, {mode}, {padding}": _fused_pad(mode, padding)
        for mode in ("REFLECT", "SYMMETRIC")
        for padding in ("SAME", "VALID")
    },
    "padded convolution of doubles": _fused_pad("REFLECT", "VALID", "float64"),
    **{
        f"resized convolution, {mode}, {corners}": _fused_resize(mode, corners)
        for mode in ("REFLECT", "SYMMETRIC")
        for corners in (False, True)
    },
    "resized convolution of doubles": _fused_resize("SYMMETRIC", False, "float64"),
    "LSTM": _lstm(False),
    "LSTM with peepholes": _lstm(True),
    **{
        f"{name} of {dtype}": _bessel(name, dtype)
        for name in ("bessel_i0e", "bessel_i1e")
        for dtype in ("float32", "float64")
    },
    "sampled": _sampled,
    "matching files": _matching,
    "references": _references,
}
