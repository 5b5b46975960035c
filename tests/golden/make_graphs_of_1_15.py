"""Writes graphs_of_1_15.json.xz with TensorFlow 1.15: `python tests/golden/make_graphs_of_1_15.py`."""

import base64
import json
import lzma
from pathlib import Path

import numpy as np
import tensorflow as tf
from tensorflow.python.framework import function
from tensorflow.python.ops import functional_ops, gen_functional_ops

RAW = tf.raw_ops
X = [1.0, -2.0, 0.5]


def calls():
    """Returns a graph whose nodes call functions, with its values for two numbers."""
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float32, [3], name="x")
        n = tf.placeholder(tf.int32, [], name="n")
        twice = function.Defun(tf.float32, func_name="Twice")(lambda a: a * 2.0)
        square_plus = function.Defun(tf.float32, func_name="SquarePlus")(lambda a: tf.square(a) + 1.0)
        below = function.Defun(tf.int32, tf.float32, func_name="Below")(lambda i, a: i < 5)
        step = function.Defun(tf.int32, tf.float32, func_name="Step")(lambda i, a: (i + 1, a * 1.5))
        body = function.Defun(tf.int32, tf.float32, func_name="ForBody")(lambda i, a: a + tf.cast(i, tf.float32))
        outer = function.Defun(tf.float32, func_name="Outer")(lambda a: twice(a) + square_plus(a))
        floats = [tf.float32]
        made = {
            "if_": functional_ops.If(n > 2, [x], twice, square_plus),
            "if_int_1": functional_ops.If(n, [x], twice, square_plus, name="If_int"),
            "stateless_if_": gen_functional_ops.stateless_if(n > 2, [x], floats, twice, square_plus),
            "for_": functional_ops.For(0, n, 1, [x], body),
            "for_down": functional_ops.For(n, 0, -2, [x], body, name="ForDown"),
            "call": gen_functional_ops.partitioned_call([x], floats, outer),
            "stateful_call": gen_functional_ops.stateful_partitioned_call([x], floats, outer),
            "case_": gen_functional_ops.case(n, [x], floats, [twice, square_plus, outer]),
        }
        fetches = {name: tf.identity(values[0], name) for name, values in made.items()}
        count, last = functional_ops.While([n, x], below, step)
        fetches["while_"], fetches["while_count"] = tf.identity(last, "while_"), tf.identity(count, "while_count")
        target = "/job:localhost/replica:0/task:0/device:CPU:0"
        called = functional_ops.remote_call(target=target, args=[x], Tout=floats, f=twice)
        fetches["remote"] = tf.identity(called[0], "remote")
        # TensorFlow's gradients change the functions: they keep values as optionals.
        encoded = _encoded(graph)
        names = ("if_", "call", "stateful_call", "stateless_if_")
        gradients = {name: tf.gradients(fetches[name], x)[0] for name in names}
    with tf.Session(graph=graph) as session:

        def values(tensors):
            return {k: {m: v.tolist() for m, v in session.run(tensors, {x: X, n: k}).items()} for k in (1, 4)}

        return {"graph": encoded, "cases": values(fetches), "gradients": values(gradients), "x": X}


def quantized():
    """Returns a graph of quantized ops, with its values."""
    random = np.random.RandomState(0)
    graph, fetches = tf.Graph(), {}

    def keep(**values):
        for name, value in values.items():
            plain = {tf.qint32: tf.int32, tf.quint8: tf.uint8}.get(value.dtype)
            fetches[name] = tf.identity(value if plain is None else tf.bitcast(value, plain), name)

    def levels(values, low, high):
        return RAW.QuantizeV2(input=values, min_range=low, max_range=high, T=tf.quint8, mode="MIN_FIRST")

    with graph.as_default():
        x = tf.placeholder(tf.float32, [2, 5, 5, 3], name="x")
        q, f = levels(x, -1.0, 2.0), levels(tf.constant(random.randn(3, 3, 3, 4).astype(np.float32)), -2.5, 3.0)
        bounds = {"min_input": q.output_min, "max_input": q.output_max}
        bounds.update({"min_filter": f.output_min, "max_filter": f.output_max})
        for padding, stride in (("VALID", 2), ("SAME", 1)):
            strides = [1, stride, stride, 1]
            conv = RAW.QuantizedConv2D(input=q.output, filter=f.output, strides=strides, padding=padding, **bounds)
            keep(**{"conv_" + padding: conv.output, "conv_min_" + padding: conv.min_output})
            keep(**{"conv_max_" + padding: conv.max_output})
        of_conv = {"input": conv.output, "input_min": conv.min_output, "input_max": conv.max_output}
        down = RAW.QuantizeDownAndShrinkRange(out_type=tf.quint8, **of_conv)
        keep(down=down.output, down_min=down.output_min, down_max=down.output_max)
        bounds = RAW.RequantizationRange(**of_conv)
        keep(range_min=bounds.output_min, range_max=bounds.output_max)
        again = RAW.Requantize(requested_output_min=-3.0, requested_output_max=5.0, out_type=tf.quint8, **of_conv)
        keep(requantized=again.output)
        b = levels(tf.constant([0.3, -0.2, 0.9, 0.0]), -1.0, 1.0)
        biased = RAW.QuantizedBiasAdd(
            input=down.output, bias=b.output, min_input=down.output_min, max_input=down.output_max,
            min_bias=b.output_min, max_bias=b.output_max, out_type=tf.qint32,
        )  # fmt: skip
        keep(bias=biased.output, bias_min=biased.min_out, bias_max=biased.max_out)
        features = {"features": down.output, "min_features": down.output_min, "max_features": down.output_max}
        relu = RAW.QuantizedRelu(out_type=tf.quint8, **features)
        keep(relu=relu.activations, relu6=RAW.QuantizedRelu6(out_type=tf.quint8, **features).activations)
        pooled = {"input": relu.activations, "min_input": relu.min_activations, "max_input": relu.max_activations}
        for padding, k, s in (("SAME", 3, 2), ("VALID", 2, 1)):
            sizes = {"ksize": [1, k, k, 1], "strides": [1, s, s, 1], "padding": padding}
            keep(**{"max_pool_" + padding: RAW.QuantizedMaxPool(**sizes, **pooled).output})
            keep(**{"avg_pool_" + padding: RAW.QuantizedAvgPool(**sizes, **pooled).output})
        joined = RAW.QuantizedConcat(
            concat_dim=3, values=[down.output, again.output], input_mins=[down.output_min, again.output_min],
            input_maxes=[down.output_max, again.output_max],
        )  # fmt: skip
        keep(concat=joined.output, concat_min=joined.output_min, concat_max=joined.output_max)
        flat = RAW.QuantizedReshape(
            tensor=relu.activations, shape=[2, -1], input_min=relu.min_activations, input_max=relu.max_activations
        )
        keep(reshape=flat.output)
        w = levels(tf.constant(random.randn(100, 6).astype(np.float32)), -3.0, 3.1)
        product = RAW.QuantizedMatMul(
            a=flat.output, b=w.output, min_a=flat.output_min, max_a=flat.output_max, min_b=w.output_min,
            max_b=w.output_max, Toutput=tf.qint32,
        )  # fmt: skip
        keep(mat_mul=product.out, mat_mul_min=product.min_out, mat_mul_max=product.max_out)
    feed = (random.rand(2, 5, 5, 3) * 3 - 1).astype(np.float32)
    with tf.Session(graph=graph) as session:
        got = session.run(fetches, {x: feed})
    return {"graph": _encoded(graph), "x": feed.ravel().tolist(), "fetches": {k: _listed(v) for k, v in got.items()}}


def _encoded(graph):
    return base64.b64encode(graph.as_graph_def().SerializeToString()).decode()


def _listed(value):
    value = np.asarray(value)
    return {"dtype": str(value.dtype), "shape": list(value.shape), "values": value.ravel().tolist()}


if __name__ == "__main__":
    written = json.dumps({"calls": calls(), "quantized": quantized()})
    (Path(__file__).parent / "graphs_of_1_15.json.xz").write_bytes(lzma.compress(written.encode()))
