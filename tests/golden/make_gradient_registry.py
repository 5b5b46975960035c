"""Writes gradient_registry.json: how TensorFlow's gradients treat its ops, and one node of each op that has a rule.

Run with TensorFlow 1.15.5: `python tests/golden/make_gradient_registry.py`.
"""

import json
import os

import tensorflow as tf
import tensorflow.contrib
import tensorflow.contrib.seq2seq
from tensorflow.core.framework import op_def_pb2
from tensorflow.python.framework import op_def_library, op_def_registry, ops

OUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "gradient_registry.json")
_FLOAT = (tf.float16, tf.float32, tf.float64, tf.complex64, tf.complex128)
# Values of attributes that have no default and that no input decides.
_REQUIRED = {
    "block_size": 2,
    "limit": 3,
    "message": "m",
    "mode": "REFLECT",
    "num": 2,
    "num_partitions": 2,
    "num_split": 2,
    "padding": "SAME",
    "seq_dim": 0,
}
_REQUIRED_BY_OP = {
    "AccumulateNV2": {"shape": [3]},
    "BatchToSpace": {"block_size": 2},
    "Case": {"Tout": [], "output_shapes": []},
    "EnsureShape": {"shape": [3]},
    "ExtractVolumePatches": {"ksizes": [1] * 5, "strides": [1] * 5},
    "FractionalAvgPool": {"pooling_ratio": [1.0, 1.5, 1.5, 1.0]},
    "FractionalMaxPool": {"pooling_ratio": [1.0, 1.5, 1.5, 1.0]},
    "PeriodicResample": {"shape": [2, 3]},
    "PlaceholderWithDefault": {"shape": [3]},
    "SelfAdjointEigV2": {"compute_v": True},
    "Svd": {"compute_uv": True},
}
# Shapes of inputs that rules or shapes of results need, by op.
_SHAPES = {
    "AccumulateNV2": [[3], [3]],
    "BatchToSpace": [[4, 1, 1, 1], [2, 2]],
    "BatchToSpaceND": [[4, 1, 1, 1], [2], [2, 2]],
    "CTCLoss": [[3, 2, 4], [2, 2], [2], [2]],
    "CropAndResize": [[1, 4, 4, 2], [2, 4], [2], [2]],
    "DepthwiseConv2dNative": [[1, 4, 4, 2], [1, 1, 2, 1]],
    "ExtractImagePatches": [[1, 4, 4, 2]],
    "ExtractVolumePatches": [[1, 4, 4, 4, 2]],
    "ImageProjectiveTransform": [[1, 4, 4, 2], [1, 8]],
    "ImageProjectiveTransformV2": [[1, 4, 4, 2], [1, 8], [2]],
    "MatrixDeterminant": [[2, 2]],
    "LogMatrixDeterminant": [[2, 2]],
    "MatrixSolveLs": [[2, 2], [2, 2], []],
    "Qr": [[2, 2]],
    "ResizeBicubic": [[1, 4, 4, 2], [2]],
    "ResizeBilinear": [[1, 4, 4, 2], [2]],
    "ResizeNearestNeighbor": [[1, 4, 4, 2], [2]],
    "SpaceToBatch": [[1, 2, 2, 1], [2, 2]],
    "SpaceToBatchND": [[1, 2, 2, 1], [2], [2, 2]],
    "SparseReduceSum": [[3, 2], [3], [2], [1]],
    "SparseSegmentSum": [[3, 2], [4], [4]],
    "SparseSegmentSumWithNumSegments": [[3, 2], [4], [4], []],
    "SparseSoftmax": [[3, 2], [3], [2]],
    "SparseTensorDenseMatMul": [[3, 2], [3], [2], [2, 2]],
    "Svd": [[2, 2]],
    "TridiagonalSolve": [[3, 2], [2, 2]],
    "Unpack": [[2, 3]],
    "UnsortedSegmentMax": [[3, 2], [3], []],
    "UnsortedSegmentMin": [[3, 2], [3], []],
    "UnsortedSegmentProd": [[3, 2], [3], []],
    "UnsortedSegmentSum": [[3, 2], [3], []],
}


def _types(op_def):
    """The type of each type attribute: float32 where that is allowed, else the first."""
    chosen = {}
    for attr in op_def.attr:
        if attr.type == "type":
            allowed = [tf.as_dtype(t) for t in attr.allowed_values.list.type] or [tf.float32]
            default = tf.as_dtype(attr.default_value.type) if attr.HasField("default_value") else None
            if tf.float32 in allowed:
                chosen[attr.name] = tf.float32
            else:
                chosen[attr.name] = default if default is not None else allowed[0]
    return chosen


def _value(op_def, attr):
    """A value for an attribute that has no default; None where there is none to think of."""
    by_op = _REQUIRED_BY_OP.get(op_def.name, {})
    if attr.name in by_op:
        return by_op[attr.name]
    if attr.name in ("ksize", "ksizes", "rates", "strides"):
        return [1] * (5 if "3D" in op_def.name else 4)
    if attr.name in _REQUIRED:
        return _REQUIRED[attr.name]
    return {"bool": False, "float": 1.0, "int": max(attr.minimum, 1), "string": "s", "list(int)": [1, 1]}.get(attr.type)


def described(op_def):
    """The inputs (types, or lists of types) and attributes of a node of the op, as data."""
    types = _types(op_def)
    inputs, decided = [], set()
    attrs = {}
    for arg in op_def.input_arg:
        if arg.is_ref:
            raise NotImplementedError("a reference")
        if arg.type_list_attr:
            inputs.append([tf.float32, tf.float32])
            decided.add(arg.type_list_attr)
            continue
        dtype = types[arg.type_attr] if arg.type_attr else tf.as_dtype(arg.type)
        decided.add(arg.type_attr)
        if arg.number_attr:
            decided.add(arg.number_attr)
            inputs.append([dtype, dtype])
        else:
            inputs.append(dtype)
    for attr in op_def.attr:
        if attr.name in decided:
            continue
        if attr.name in types:
            attrs[attr.name] = types[attr.name].name
        elif attr.HasField("default_value") and attr.name not in _REQUIRED_BY_OP.get(op_def.name, {}):
            continue
        else:
            value = _value(op_def, attr)
            if value is None:
                raise NotImplementedError(attr.type)
            attrs[attr.name] = value
    return [[t.name for t in i] if isinstance(i, list) else i.name for i in inputs], attrs


def _default(value):
    """The Python value of an AttrValue."""
    kind = value.WhichOneof("value")
    if kind == "list":
        return [v for _, values in value.list.ListFields() for v in values]
    found = getattr(value, kind)
    return tf.as_dtype(found) if kind == "type" else tf.TensorShape(found) if kind == "shape" else found


def built(op_def, inputs, attrs, shapes):
    """A node of the op that reads placeholders."""
    sources = []

    def source(dtype):
        shape = shapes[len(sources)] if shapes else None
        sources.append(tf.placeholder(dtype, shape))
        return sources[-1]

    tensors = [[source(t) for t in i] if isinstance(i, list) else source(i) for i in inputs]
    keywords = {arg.name: t for arg, t in zip(op_def.input_arg, tensors)}  # noqa: B905  Python 3.7
    types = {a.name for a in op_def.attr if a.type == "type"}
    decided = {n for arg in op_def.input_arg for n in (arg.type_attr, arg.number_attr, arg.type_list_attr)}
    for attr in op_def.attr:
        if attr.HasField("default_value") and attr.name not in decided:
            keywords[attr.name] = _default(attr.default_value)
    keywords.update({k: tf.as_dtype(v) if k in types else v for k, v in attrs.items()})
    library = op_def_library.OpDefLibrary()
    full = op_def_pb2.OpDef()
    full.CopyFrom(op_def)
    library.add_op(full)
    return library._apply_op_helper(op_def.name, name="node", **keywords)[2], sources


def _is_float(tensor):
    return tensor.dtype.base_dtype in _FLOAT


def passed(ys, xs, grad_ys=None):
    """For each x 1 if a gradient reaches it, else 0; "LookupError" where a rule is missing on the way."""
    try:
        return [int(g is not None) for g in tf.gradients(ys, xs, grad_ys)]
    except LookupError:
        return "LookupError"


def entry(op_def):
    """What `tf.gradients` finds for a node of the op, and for its gradients again."""
    inputs, attrs = described(op_def)
    shapes = _SHAPES.get(op_def.name)
    with tf.Graph().as_default():
        node, sources = built(op_def, inputs, attrs, shapes)
        ys = [y for y in node.outputs if _is_float(y)]
        xs = [x for x in sources if _is_float(x)]
        if not ys or not xs:
            raise NotImplementedError("nothing to differentiate")
        # What arrives is a placeholder, so that second gradients see how the first depend on it.
        arriving = [tf.placeholder(y.dtype, y.shape) for y in ys]
        found = tf.gradients(ys, xs, arriving)
        first = [int(g is not None) for g in found]
        second = []
        for g in found:
            if g is None:
                second.append(None)
                continue
            values = g.values if isinstance(g, tf.IndexedSlices) else g
            seed = tf.placeholder(values.dtype, values.shape)
            second.append(passed([values], xs + arriving, [seed]))
    result = {"inputs": inputs, "attrs": attrs, "first": first, "second": second}
    if shapes:
        result["shapes"] = shapes
    return result


def main():
    registry = ops._gradient_registry._registry
    op_defs = op_def_registry.get_registered_ops()
    rule = sorted(n for n, r in registry.items() if r["type"] is not None)
    none = sorted(n for n, r in registry.items() if r["type"] is None)
    nodes, left_out = {}, {}
    for name in rule:
        if name not in op_defs:
            continue
        try:
            nodes[name] = entry(op_defs[name])
        except Exception as error:  # Ops without a place to differentiate, or for which no node is thought of.
            left_out[name] = type(error).__name__ + ": " + str(error).split("\n")[0][:100]
    for name, why in sorted(left_out.items()):
        print("left out:", name, why)
    lines = [json.dumps(n) + ": " + json.dumps(e, sort_keys=True) for n, e in sorted(nodes.items())]
    with open(OUT, "w") as file:
        file.write('{\n"ops": ' + json.dumps(sorted(op_defs)) + ",\n")
        file.write('"rule": ' + json.dumps(rule) + ",\n")
        file.write('"no gradient": ' + json.dumps(none) + ",\n")
        file.write('"nodes": {\n' + ",\n".join(lines) + "\n}\n}\n")


if __name__ == "__main__":
    main()
