"""Programs of `tf.contrib`: recurrent cells, decoders, conditional random fields, layers; and distributions."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from differential.writing import Data, Writer, array, at, program as make_program, tf

Options = dict[str, Any]


def _floats(rng: random.Random, shape: list[int], low: float = -1, high: float = 1, dtype: str = "float32") -> Data:
    return array(np.asarray(np.random.RandomState(rng.randrange(1 << 30)).uniform(low, high, shape), dtype))


def _ints(rng: random.Random, shape: list[int], low: int, high: int, dtype: str = "int32") -> Data:
    return array(np.random.RandomState(rng.randrange(1 << 30)).randint(low, high, shape), dtype)


_CELLS: dict[str, dict[str, tuple[Any, ...]]] = {
    "nn.rnn_cell.BasicRNNCell": {"activation": (tf("nn.relu"),)},
    "nn.rnn_cell.BasicLSTMCell": {"forget_bias": (0.0,), "state_is_tuple": (False,)},
    "nn.rnn_cell.LSTMCell": {
        "use_peepholes": (True,),
        "num_proj": (2,),
        "cell_clip": (0.5,),
        "proj_clip": (0.3,),
        "forget_bias": (0.0,),
    },
    "nn.rnn_cell.GRUCell": {},
    "contrib.rnn.LayerNormBasicLSTMCell": {"layer_norm": (False,)},
    "contrib.rnn.GRUBlockCellV2": {},
    "contrib.rnn.LSTMBlockCell": {"use_peephole": (True,), "cell_clip": (0.5,)},
    "contrib.rnn.CoupledInputForgetGateLSTMCell": {"use_peepholes": (True,), "num_proj": (2,)},
    "contrib.rnn.UGRNNCell": {"forget_bias": (0.0,)},
    "contrib.rnn.NASCell": {"num_proj": (2,)},
    "contrib.rnn.IntersectionRNNCell": {},
    "contrib.rnn.PhasedLSTMCell": {},
    "contrib.rnn.SRUCell": {},
    "contrib.rnn.IndRNNCell": {},
    "contrib.rnn.IndyLSTMCell": {},
}


def _cell(writer: Writer, rng: random.Random, depth: int = 0) -> tuple[Data, str]:
    name = rng.choice(sorted(_CELLS))
    options = {key: rng.choice(values) for key, values in _CELLS[name].items() if rng.random() < 0.3}
    cell = writer.call(name, 3 if name != "contrib.rnn.IntersectionRNNCell" else 4, **options)
    wrap = rng.random()
    if wrap < 0.15 and "num_proj" not in options and not name.endswith(("IntersectionRNNCell", "PhasedLSTMCell")):
        cell = writer.call("contrib.rnn.AttentionCellWrapper", cell, 2)
        name += ", attention"
    elif wrap < 0.3 and depth == 0 and "Phased" not in name:
        other, second = _cell(writer, rng, 1)
        if "Phased" not in second and "Intersection" not in second:
            cell = writer.call("nn.rnn_cell.MultiRNNCell", [cell, other])
            name += " and " + second
    elif wrap < 0.4:
        cell = writer.call("nn.rnn_cell.DropoutWrapper", cell, output_keep_prob=1.0)
    return cell, name


def _rnn(rng: random.Random) -> dict[str, Any]:
    writer = Writer()
    batch, time, depth = 2, 4, 4
    cell, name = _cell(writer, rng)
    way = rng.choice(("dynamic", "dynamic", "static", "bidirectional"))
    shape = rng.choice(([batch, time, depth], [None, None, depth], [batch, None, depth]))
    if way == "static":
        shape = [batch, time, depth]
    x = writer.call("placeholder", tf("float32"), shape)
    feed = [[x, _floats(rng, [batch, time, depth])]]
    options: Options = {"dtype": tf("float32")}
    if rng.random() < 0.6:
        lengths = writer.call("placeholder", tf("int32"), [batch] if way == "static" else [None])
        options["sequence_length"] = lengths
        feed.append([lengths, _ints(rng, [batch], 0, time + 1)])
    if "Phased" in name:
        return _layer(rng)
    if way == "dynamic":
        result = writer.call("nn.dynamic_rnn", cell, x, **options)
    elif way == "static":
        result = writer.call("nn.static_rnn", cell, writer.call("unstack", x, axis=1), **options)
    else:
        other = writer.call("nn.rnn_cell.GRUCell", 3)
        result = writer.call("nn.bidirectional_dynamic_rnn", cell, other, x, **options)
    writer.call("trainable_variables")
    output = at(result, 0)
    if way != "dynamic":
        output = at(result, 0, -1 if way == "static" else 0)
    loss = writer.call("reduce_sum", writer.call("square", output))
    gradient = writer.call("gradients", loss, writer.call("trainable_variables"))
    runs: list[Data] = [{"fill": rng.randrange(1000)}, {"fetch": [result, loss], "feed": feed}]
    runs.append({"fetch": [at(gradient, 0)], "feed": feed})
    return make_program(f"{way} rnn of {name}", writer, runs)


def _crf(rng: random.Random) -> dict[str, Any]:
    writer = Writer()
    batch, time, tags = rng.choice(((2, 4, 3), (1, 1, 2), (3, 2, 4)))
    inputs = writer.call("placeholder", tf("float32"), rng.choice(([batch, time, tags], [None, None, tags])))
    labels = writer.call("constant", _ints(rng, [batch, time], 0, tags))
    lengths = writer.call("constant", _ints(rng, [batch], rng.choice((0, 1)), time + 1))
    transitions = writer.call("constant", _floats(rng, [tags, tags]))
    likelihood = writer.call("contrib.crf.crf_log_likelihood", inputs, labels, lengths, transitions)
    gradient = writer.call("gradients", at(likelihood, 0), [inputs, transitions])
    decoded = writer.call("contrib.crf.crf_decode", inputs, transitions, lengths)
    norm = writer.call("contrib.crf.crf_log_norm", inputs, lengths, transitions)
    score = writer.call("contrib.crf.crf_sequence_score", inputs, labels, lengths, transitions)
    unary = writer.call("contrib.crf.crf_unary_score", labels, lengths, inputs)
    binary = writer.call("contrib.crf.crf_binary_score", labels, lengths, transitions)
    fetch = [at(likelihood, 0), gradient, decoded, norm, score, unary, binary]
    feed = [[inputs, _floats(rng, [batch, time, tags], -2, 2)]]
    return make_program("crf", writer, [{"fetch": fetch, "feed": feed}])


def _seq2seq(rng: random.Random) -> dict[str, Any]:
    writer = Writer()
    batch, time, depth, classes = 2, 4, 3, 5
    embedding = writer.call("constant", _floats(rng, [classes, depth]))
    cell = writer.call(rng.choice(("nn.rnn_cell.GRUCell", "nn.rnn_cell.LSTMCell")), 3)
    attention = rng.choice((None, None, "LuongAttention", "BahdanauAttention", "BahdanauMonotonicAttention"))
    memory_lengths: Options = {}
    beams = rng.choice((0, 0, 2))
    if attention is not None:
        memory = writer.call("constant", _floats(rng, [batch, 5, 3]))
        if rng.random() < 0.5:
            memory_lengths["memory_sequence_length"] = writer.call("constant", _ints(rng, [batch], 1, 6))
        if beams:
            memory = writer.call("contrib.seq2seq.tile_batch", memory, beams)
            memory_lengths = {
                key: writer.call("contrib.seq2seq.tile_batch", value, beams) for key, value in memory_lengths.items()
            }
        if rng.random() < 0.3 and attention != "BahdanauMonotonicAttention":
            memory_lengths["normalize" if attention == "BahdanauAttention" else "scale"] = True
        mechanism = writer.call(f"contrib.seq2seq.{attention}", 3, memory, **memory_lengths)
        cell = writer.call(
            "contrib.seq2seq.AttentionWrapper", cell, mechanism, attention_layer_size=rng.choice((3, None))
        )
    projection = writer.call("layers.Dense", classes)
    count = batch * beams if beams else batch
    state = writer.call(".zero_state", cell, count, tf("float32"))
    if beams:
        decoder = writer.call(
            "contrib.seq2seq.BeamSearchDecoder",
            cell,
            embedding,
            [1] * batch,
            2,
            state,
            beams,
            output_layer=projection,
            **({"length_penalty_weight": 0.6} if rng.random() < 0.5 else {}),
        )
    else:
        if rng.random() < 0.5:
            lengths = writer.call("constant", _ints(rng, [batch], 1, time + 1))
            inputs = writer.call("constant", _floats(rng, [batch, time, depth]))
            helper = writer.call("contrib.seq2seq.TrainingHelper", inputs, lengths)
        else:
            helper = writer.call("contrib.seq2seq.GreedyEmbeddingHelper", embedding, [1] * batch, 2)
        decoder = writer.call("contrib.seq2seq.BasicDecoder", cell, helper, state, projection)
    options: Options = {"maximum_iterations": 5}
    if rng.random() < 0.4:
        options["impute_finished"] = not beams
    if rng.random() < 0.3:
        options["output_time_major"] = True
    result = writer.call("contrib.seq2seq.dynamic_decode", decoder, **options)
    fetch = at(result, 0, "predicted_ids" if beams else "rnn_output")
    writer.call("trainable_variables")
    runs: list[Data] = [{"fill": rng.randrange(1000)}, {"fetch": [fetch, at(result, 2)]}]
    if not beams:
        variables = writer.call("trainable_variables")
        gradients = writer.call("gradients", fetch, variables)
        runs.append({"fetch": [at(gradients, -1)]})
    return make_program(f"seq2seq with {attention}" + ", beams" * bool(beams), writer, runs)


_LAYERS: dict[str, tuple[list[int], tuple[Any, ...], dict[str, tuple[Any, ...]]]] = {
    "fully_connected": ([3, 4], (2,), {"activation_fn": (None, tf("nn.tanh")), "biases_initializer": (None,)}),
    "conv2d": ([2, 5, 5, 3], (2, 3), {"stride": (2,), "rate": (2,), "padding": ("VALID",), "activation_fn": (None,)}),
    "conv2d_transpose": ([2, 3, 3, 2], (2, 3), {"stride": (2,), "padding": ("VALID",)}),
    "separable_conv2d": ([2, 5, 5, 3], (2, 3, 1), {"stride": (2,), "padding": ("VALID",)}),
    "max_pool2d": ([2, 5, 5, 3], (2,), {"stride": (1,), "padding": ("SAME",)}),
    "avg_pool2d": ([2, 5, 5, 3], (2,), {"stride": (1,), "padding": ("SAME",)}),
    "batch_norm": (
        [4, 3],
        (),
        {"center": (False,), "scale": (True,), "is_training": (False,), "fused": (False,), "decay": (0.5,)},
    ),
    "layer_norm": ([4, 3], (), {"center": (False,), "scale": (False,)}),
    "instance_norm": ([2, 3, 3, 4], (), {"center": (False,), "epsilon": (0.1,)}),
    "group_norm": ([2, 3, 3, 4], (2,), {"center": (False,)}),
    "flatten": ([2, 3, 4], (), {}),
    "unit_norm": ([2, 3], (1,), {}),
    "maxout": ([2, 6], (3,), {}),
    "bias_add": ([2, 3], (), {"activation_fn": (tf("nn.relu"),)}),
    "softmax": ([2, 3], (), {}),
    "spatial_softmax": ([2, 3, 3, 2], (), {"temperature": (2.0,)}),
    "one_hot_encoding": ([3], (4,), {}),
    "linear": ([3, 4], (2,), {}),
    "dropout": ([3, 4], (), {"keep_prob": (1.0,), "is_training": (False,)}),
    "dense_to_sparse": ([3, 2], (), {}),
    "repeat": ([2, 4], (2, tf("contrib.layers.fully_connected"), 3), {}),
}


def _layer(rng: random.Random) -> dict[str, Any]:
    writer = Writer()
    name = rng.choice(sorted(_LAYERS))
    sizes, arguments, options = _LAYERS[name]
    dtype = "int64" if name == "one_hot_encoding" else "float32"
    data = _ints(rng, sizes, 0, 4, "int64") if dtype == "int64" else _floats(rng, sizes)
    static: list[int | None] = [rng.choice((None, sizes[0])), *sizes[1:]]
    x = writer.call("placeholder", tf(dtype), static)
    keywords = {key: rng.choice(values) for key, values in options.items() if rng.random() < 0.3}
    if rng.random() < 0.3:
        keywords["scope"] = "scoped"
    if name == "unit_norm":
        keywords["dim"] = 1
        arguments = ()
    y = writer.call(f"contrib.layers.{name}", x, *arguments, **keywords)
    writer.call("global_variables")
    fetch: Data = [y]
    if name not in ("one_hot_encoding", "dense_to_sparse"):
        # The sum of the squares of normalized numbers is constant: its gradient would be what is left of rounding.
        loss = writer.call("reduce_sum", writer.call("multiply", writer.call("square", y), y))
        fetch.append(at(writer.call("gradients", loss, x), 0))
    runs: list[Data] = [{"fill": rng.randrange(1000)}, {"fetch": fetch, "feed": [[x, data]]}]
    runs.append({"fetch": writer.call("get_collection", "update_ops"), "feed": [[x, data]]})
    runs.append({"fetch": writer.call("global_variables")})
    return make_program(f"contrib.layers.{name}", writer, runs)


_DISTRIBUTIONS: dict[str, tuple[dict[str, tuple[float, float]], tuple[float, float]]] = {
    "Normal": ({"loc": (-1, 1), "scale": (0.5, 2)}, (-3, 3)),
    "Laplace": ({"loc": (-1, 1), "scale": (0.5, 2)}, (-3, 3)),
    "StudentT": ({"df": (1, 5), "loc": (-1, 1), "scale": (0.5, 2)}, (-3, 3)),
    "Uniform": ({"low": (-1, 0), "high": (0.5, 2)}, (-1.5, 2.5)),
    "Exponential": ({"rate": (0.5, 2)}, (0.1, 3)),
    "Gamma": ({"concentration": (0.5, 3), "rate": (0.5, 2)}, (0.1, 3)),
    "Beta": ({"concentration1": (0.5, 3), "concentration0": (0.5, 3)}, (0.05, 0.95)),
    "Bernoulli": ({"probs": (0.1, 0.9)}, (0, 1)),
    "Categorical": ({"logits": (-1, 1)}, (0, 2)),
    "Dirichlet": ({"concentration": (0.5, 3)}, (0.1, 0.9)),
}
_METHODS = ("mean", "variance", "stddev", "mode", "entropy")
_OF_VALUES = ("prob", "log_prob", "cdf", "log_cdf", "survival_function")


def _distribution(rng: random.Random) -> dict[str, Any]:
    writer = Writer()
    name = rng.choice(sorted(_DISTRIBUTIONS))
    parameters, (low, high) = _DISTRIBUTIONS[name]
    dtype = rng.choice(("float32", "float64"))
    shape = rng.choice(([], [3], [2, 3])) if name not in ("Categorical", "Dirichlet") else rng.choice(([3], [2, 3]))
    prefix = rng.choice(("distributions.", "distributions.", "contrib.distributions."))
    sources = []
    arguments: Options = {}
    for key, bounds in parameters.items():
        arguments[key] = writer.call("constant", _floats(rng, rng.choice((shape, shape, shape[-1:])), *bounds, dtype))
        sources.append(arguments[key])
    made = writer.call(prefix + name, **arguments)
    other = writer.call(prefix + name, **{k: writer.call("add", v, 0.25) for k, v in arguments.items()})
    writer.call("value", at(made, "batch_shape"))
    writer.call("value", at(made, "event_shape"))
    kind = rng.choice(("statistic", "value", "value", "sample", "sample", "divergence"))
    if kind == "statistic":
        result = writer.call("." + rng.choice(_METHODS), made)
    elif kind == "value":
        integer = name in ("Bernoulli", "Categorical")
        points = _ints(rng, [3], 0, 2, "int32") if integer else _floats(rng, shape, low, high, dtype)
        if name == "Dirichlet":
            points = array(np.full(shape, 1 / 3), dtype)
        result = writer.call("." + rng.choice(_OF_VALUES), made, points)
    elif kind == "sample":
        result = writer.call(".sample", made, rng.choice(([], [4], [2, 3], 5)), **rng.choice(({"seed": 5}, {})))
    else:
        result = writer.call(prefix + "kl_divergence", made, other)
    runs: list[Data] = [{"fetch": result}]
    if kind != "sample" or rng.random() < 0.3:
        gradient = writer.call("gradients", result, sources)
        runs.append({"fetch": [at(gradient, 0)]})
    return make_program(f"{name}, {kind}", writer, runs)


def program(number: int) -> dict[str, Any]:
    """The program of a number."""
    rng = random.Random(number)
    return rng.choice((_rnn, _rnn, _crf, _seq2seq, _layer, _distribution, _distribution))(rng)
