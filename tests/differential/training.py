"""Programs that train: layers, losses, metrics, and some steps of every optimizer, with dense and sparse gradients."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
from differential.writing import Data, Writer, array, at, pair, program as make_program, tf

Options = dict[str, Any]
_STEPS = 20

# Arguments that every call has, then those that some have.
_OPTIMIZERS: dict[str, tuple[Options, dict[str, tuple[Any, ...]]]] = {
    "GradientDescentOptimizer": ({"learning_rate": 0.1}, {}),
    "MomentumOptimizer": ({"learning_rate": 0.1, "momentum": 0.9}, {"use_nesterov": (True, False)}),
    "AdamOptimizer": ({"learning_rate": 0.1}, {"beta1": (0.5, 0.0), "beta2": (0.9,), "epsilon": (1e-4, 0.1)}),
    "AdagradOptimizer": ({"learning_rate": 0.1}, {"initial_accumulator_value": (0.5, 1.0)}),
    "AdadeltaOptimizer": ({"learning_rate": 0.5}, {"rho": (0.5,), "epsilon": (1e-3,)}),
    "RMSPropOptimizer": (
        {"learning_rate": 0.05},
        {"decay": (0.5,), "momentum": (0.5, 0.9), "epsilon": (1e-3,), "centered": (True, False)},
    ),
    "FtrlOptimizer": (
        {"learning_rate": 0.1},
        {
            "learning_rate_power": (-0.5, -1.0, 0.0),
            "l1_regularization_strength": (0.1,),
            "l2_regularization_strength": (0.1,),
            "l2_shrinkage_regularization_strength": (0.1,),
            "initial_accumulator_value": (0.5, 0.0),
        },
    ),
    "ProximalGradientDescentOptimizer": (
        {"learning_rate": 0.1},
        {"l1_regularization_strength": (0.1, 1.0), "l2_regularization_strength": (0.1,)},
    ),
    "ProximalAdagradOptimizer": (
        {"learning_rate": 0.1},
        {"l1_regularization_strength": (0.1, 1.0), "l2_regularization_strength": (0.1,)},
    ),
    "AdagradDAOptimizer": (
        {"learning_rate": 0.1},
        {"l1_regularization_strength": (0.1,), "l2_regularization_strength": (0.1,)},
    ),
}
_CONTRIB_OPTIMIZERS: dict[str, tuple[Options, dict[str, tuple[Any, ...]]]] = {
    "AdaMaxOptimizer": ({"learning_rate": 0.1}, {"beta1": (0.5,)}),
    "NadamOptimizer": ({"learning_rate": 0.1}, {"beta1": (0.5,)}),
    "PowerSignOptimizer": ({"learning_rate": 0.1}, {"base": (1.5,), "beta": (0.5,)}),
    "AddSignOptimizer": ({"learning_rate": 0.1}, {"alpha": (0.5,), "beta": (0.5,)}),
    "LazyAdamOptimizer": ({"learning_rate": 0.1}, {"beta1": (0.5,)}),
    "GGTOptimizer": ({"learning_rate": 0.01}, {"window": (3,)}),
    "ShampooOptimizer": (
        {"learning_rate": 0.1},
        {
            "max_matrix_size": (2, 3),
            "svd_interval": (2,),
            "precond_update_interval": (2,),
            "gbar_decay": (0.5,),
            "mat_gbar_decay": (0.5, 1.0),
            "use_iterative_root": (True,),
        },
    ),
    "LARSOptimizer": (
        {"learning_rate": 0.1},
        {"momentum": (0.5,), "weight_decay": (0.1,), "eeta": (0.1,), "skip_list": (["b"],), "use_nesterov": (True,)},
    ),
    "AdamGSOptimizer": ({"learning_rate": 0.1}, {"beta1": (0.5,), "epsilon": (1e-3,)}),
    "LazyAdamGSOptimizer": ({"learning_rate": 0.1}, {"beta1": (0.5,), "epsilon": (1e-3,)}),
    "RegAdagradOptimizer": ({"learning_rate": 0.1}, {"initial_accumulator_value": (0.5,)}),
    "DropStaleGradientOptimizer": ({"staleness": 0}, {}),
    "MultitaskOptimizerWrapper": ({}, {}),
    "VariableClippingOptimizer": ({"max_norm": 0.7}, {"colocate_clip_ops_with_vars": (True,)}),
    "AdamWOptimizer": ({"weight_decay": 0.01, "learning_rate": 0.1}, {}),
    "MomentumWOptimizer": ({"weight_decay": 0.01, "learning_rate": 0.1, "momentum": 0.9}, {}),
}

# Optimizers of other optimizers.
_WRAPPERS = ("DropStaleGradientOptimizer", "MultitaskOptimizerWrapper", "VariableClippingOptimizer")


def _some(rng: random.Random, options: dict[str, tuple[Any, ...]]) -> Options:
    return {name: rng.choice(values) for name, values in options.items() if rng.random() < 0.4}


def _floats(rng: random.Random, shape: list[int], low: float = -1, high: float = 1, dtype: str = "float32") -> Data:
    numbers = np.random.RandomState(rng.randrange(1 << 30)).uniform(low, high, shape)
    return array(np.asarray(numbers, dtype))


def _ints(rng: random.Random, shape: list[int], below: int, dtype: str = "int32") -> Data:
    return array(np.random.RandomState(rng.randrange(1 << 30)).randint(0, below, shape), dtype)


def _optimizer(rng: random.Random) -> dict[str, Any]:
    writer = Writer()
    dtype = rng.choice(("float32", "float32", "float64", "float16"))
    table, prefix = rng.choice(
        ((_OPTIMIZERS, "train."), (_OPTIMIZERS, "train."), (_CONTRIB_OPTIMIZERS, "contrib.opt."))
    )
    name = rng.choice(sorted(table))
    always, sometimes = table[name]
    options = {**always, **_some(rng, sometimes)}
    step = writer.call("train.get_or_create_global_step")
    if name in ("AdagradDAOptimizer", "AdamGSOptimizer", "LazyAdamGSOptimizer"):
        options["global_step"] = step
    if rng.random() < 0.3 and "learning_rate" in options and name != "LARSOptimizer":
        options["learning_rate"] = writer.call("constant", options["learning_rate"])
    keywords = {"use_resource": True} if rng.random() < 0.4 else {}
    w = writer.call("get_variable", "w", [4, 3], tf(dtype), **keywords)
    b = writer.call("get_variable", "b", [3], tf(dtype), **keywords)
    rows = writer.call("placeholder", tf("int32"), [None])
    target = writer.call("placeholder", tf(dtype), [None, 3])
    sparse = rng.random() < 0.5
    if sparse and keywords and name == "ShampooOptimizer":
        # 1.15 gathers rows of a variable behind a handle without waiting for what is added to them.
        options.pop("max_matrix_size", None)
    if sparse:
        read = writer.call("nn.embedding_lookup", w, rows)
    else:
        read = writer.call("matmul", writer.call("one_hot", rows, 4, dtype=tf(dtype)), w)
    loss = writer.call(
        "reduce_sum", writer.call("square", writer.call("subtract", writer.call("add", read, b), target))
    )
    if rng.random() < 0.3:
        loss = writer.call("divide", loss, 7.0)
    if name in _WRAPPERS:
        options["opt"] = writer.call("train." + rng.choice(("AdamOptimizer", "GradientDescentOptimizer")), 0.1)
    if name == "VariableClippingOptimizer":
        options["vars_to_clip_dims"] = {"dict": [[w, rng.choice(([1], [0]))]]}
    optimizer = writer.call(prefix + name, **options)
    needs_step = name == "DropStaleGradientOptimizer"
    minimize: Options = {"global_step": step} if needs_step or rng.random() < 0.7 else {}
    if rng.random() < 0.3:
        minimize["gate_gradients"] = rng.choice((0, 1, 2))
    pairs = writer.call(".compute_gradients", optimizer, loss, [w, b])
    if rng.random() < 0.3:
        clipped = writer.call("clip_by_global_norm", [at(pairs, 0, 0), at(pairs, 1, 0)], 1.0)
        pairs = writer.call("value", [pair(at(clipped, 0, 0), w), pair(at(clipped, 0, 1), b)])
    train = writer.call(
        ".apply_gradients", optimizer, pairs, **{k: v for k, v in minimize.items() if k == "global_step"}
    )
    everything = writer.call("global_variables")
    slots = writer.call(".get_slot_names", optimizer)
    del slots
    runs: list[Data] = [{"fill": rng.randrange(1000)}]
    # Roundings of short floats grow.
    for _ in range(3 if dtype == "float16" else _STEPS):
        count = rng.choice((1, 3, 6))
        feed = [[rows, _ints(rng, [count], 4)], [target, _floats(rng, [count, 3], dtype=dtype)]]
        # Whether one step reads the loss before or after the update is chance in TensorFlow.
        runs += [{"fetch": loss, "feed": feed}, {"fetch": train, "feed": feed}]
    runs.append({"fetch": everything})
    return make_program(f"{name}, {'sparse' if sparse else 'dense'}", writer, runs)


_PAIRED_LOSSES: dict[str, dict[str, tuple[Any, ...]]] = {
    "absolute_difference": {},
    "mean_squared_error": {},
    "huber_loss": {"delta": (0.5, 2.0)},
    "log_loss": {"epsilon": (1e-3,)},
    "hinge_loss": {},
    "mean_pairwise_squared_error": {},
    "sigmoid_cross_entropy": {"label_smoothing": (0.1,)},
    "softmax_cross_entropy": {"label_smoothing": (0.1,)},
    "cosine_distance": {"axis": (1,)},
    "sparse_softmax_cross_entropy": {},
}


def _loss(rng: random.Random) -> dict[str, Any]:
    writer = Writer()
    name = rng.choice(sorted(_PAIRED_LOSSES))
    dtype = rng.choice(("float32", "float32", "float64"))
    shape = rng.choice(([3, 4], [3, 4], [2, 3, 4], [3, 1], [0, 4], [3]))
    static = rng.choice((shape, None, [None] * len(shape)))
    logits = writer.call("placeholder", tf(dtype), {"shape": static})
    labels_data = _floats(rng, shape, 0, 1, dtype)
    kind = dtype
    if name == "sparse_softmax_cross_entropy":
        kind = rng.choice(("int32", "int64"))
        labels_data = _ints(rng, shape[:-1], shape[-1], kind)
    elif name in ("hinge_loss", "softmax_cross_entropy", "sigmoid_cross_entropy") and rng.random() < 0.5:
        kind = rng.choice(("int32", dtype))
        labels_data = _ints(rng, shape, 2, kind)
    labels = writer.call(
        "placeholder", tf(kind), {"shape": rng.choice((None, None, [None] * len(labels_data["array"][1])))}
    )
    options = _some(rng, _PAIRED_LOSSES[name])
    if name == "cosine_distance":
        options.setdefault("axis", len(shape) - 1)
    ways = ([], [1], shape, [shape[0]], [*shape[:-1], 1], [1] * len(shape), [2])
    if rng.random() < 0.7:
        weights = rng.choice(ways)
        options["weights"] = _floats(rng, weights, 0, 2, "float32")
        if rng.random() < 0.3:
            options["weights"] = array(np.zeros(weights, np.float32))
    if rng.random() < 0.5:
        options["reduction"] = rng.choice(("none", "weighted_sum", "weighted_mean", "weighted_sum_by_nonzero_weights"))
    if name in ("sigmoid_cross_entropy", "softmax_cross_entropy", "sparse_softmax_cross_entropy", "hinge_loss"):
        y = writer.call(f"losses.{name}", labels, logits, **options)
    else:
        y = writer.call(f"losses.{name}", labels, logits, **options)
    total = writer.call("losses.get_total_loss")
    writer.call("losses.get_losses")
    gradient = writer.call("gradients", total, [logits])
    feed = [[logits, _floats(rng, shape, 0.01, 0.99, dtype)], [labels, labels_data]]
    return make_program(f"losses.{name}", writer, [{"fetch": [y, total, gradient], "feed": feed}])


_METRICS: dict[str, tuple[str, Options]] = {
    "accuracy": ("classes", {}),
    "mean": ("values", {}),
    "mean_absolute_error": ("reals", {}),
    "mean_squared_error": ("reals", {}),
    "root_mean_squared_error": ("reals", {}),
    "mean_relative_error": ("relative", {}),
    "mean_cosine_distance": ("reals", {"dim": 0}),
    "precision": ("bools", {}),
    "recall": ("bools", {}),
    "true_positives": ("bools", {}),
    "false_positives": ("bools", {}),
    "true_negatives": ("bools", {}),
    "false_negatives": ("bools", {}),
    "auc": ("scores", {"num_thresholds": 20}),
    "precision_at_thresholds": ("scores", {"thresholds": [0.2, 0.5, 0.8]}),
    "recall_at_thresholds": ("scores", {"thresholds": [0.2, 0.5, 0.8]}),
    "false_positives_at_thresholds": ("scores", {"thresholds": [0.2, 0.5]}),
    "sensitivity_at_specificity": ("scores", {"specificity": 0.5, "num_thresholds": 20}),
    "specificity_at_sensitivity": ("scores", {"sensitivity": 0.5, "num_thresholds": 20}),
    "mean_iou": ("classes", {"num_classes": 4}),
    "mean_per_class_accuracy": ("classes", {"num_classes": 4}),
    "percentage_below": ("values", {"threshold": 0.5}),
    "mean_tensor": ("values", {}),
    "recall_at_k": ("ranks", {"k": 2}),
    "precision_at_k": ("ranks", {"k": 2}),
    "average_precision_at_k": ("ranks", {"k": 2}),
}


def _metric(rng: random.Random) -> dict[str, Any]:
    writer = Writer()
    name = rng.choice(sorted(_METRICS))
    kind, always = _METRICS[name]
    options: Options = dict(always)
    shape = rng.choice(([6], [3, 2]))
    first: tuple[str, Callable[[], Data]]
    second: tuple[str, Callable[[], Data]]
    reals = ("float32", lambda: _floats(rng, shape, 0, 1))
    if kind == "classes":
        integer = rng.choice(("int32", "int64"))
        first = second = (integer, lambda: _ints(rng, shape, 4, integer))
    elif kind == "bools":
        first = second = ("bool", lambda: _ints(rng, shape, 2, "bool"))
    elif kind == "scores":
        first, second = ("bool", lambda: _ints(rng, shape, 2, "bool")), reals
    elif kind == "ranks":
        shape = [3]
        first, second = (
            ("int64", lambda: _ints(rng, [3, 1], 4, "int64")),
            ("float32", lambda: _floats(rng, [3, 4], 0, 1)),
        )
    else:
        first = second = reals
    if name == "auc":
        options.update(
            _some(
                rng,
                {
                    "curve": ("ROC", "PR"),
                    "summation_method": ("trapezoidal", "careful_interpolation", "minoring", "majoring"),
                },
            )
        )
    a = writer.call("placeholder", tf(first[0]))
    arguments, sources = [a], [(a, first[1])]
    if kind != "values":
        b = writer.call("placeholder", tf(second[0]))
        arguments.append(b)
        sources.append((b, second[1]))
    if kind == "relative":
        arguments.append(_floats(rng, shape, 0.5, 1))
    if rng.random() < 0.5:
        options["weights"] = _floats(rng, rng.choice((shape, [], [1] * len(shape))), 0, 2)
    result = writer.call(f"metrics.{name}", *arguments, **options)
    writer.call("local_variables")
    runs: list[Data] = [{"fill": 0}, {"fetch": at(result, 0)}]
    for _ in range(3):
        feed = [[source, draw()] for source, draw in sources]
        runs += [{"fetch": at(result, 1), "feed": feed}, {"fetch": at(result, 0)}]
    return make_program(f"metrics.{name}", writer, runs)


_ACTIVATIONS = ("nn.relu", "nn.tanh", "sigmoid", "nn.elu", "identity")


def _layer_options(rng: random.Random) -> Options:
    options: Options = {}
    if rng.random() < 0.6:
        options["activation"] = tf(rng.choice(_ACTIVATIONS))
    if rng.random() < 0.3:
        options["use_bias"] = False
    if rng.random() < 0.2:
        options["name"] = "named"
    return options


def _layer(rng: random.Random) -> dict[str, Any]:
    writer = Writer()
    rank = rng.choice((2, 3, 4, 4, 4, 5))
    sizes = {2: [3, 4], 3: [2, 5, 3], 4: [2, 5, 6, 3], 5: [1, 4, 3, 4, 2]}[rank]
    static: list[int | None] = [rng.choice((None, sizes[0])), *sizes[1:]]
    if rng.random() < 0.2:
        static = [None, *(None for _ in sizes[1:-1]), sizes[-1]]
    x = writer.call("placeholder", tf("float32"), static)
    padding = rng.choice(("same", "valid", "SAME"))
    names = {
        2: ("dense", "batch_normalization", "dropout", "flatten"),
        3: ("conv1d", "max_pooling1d", "average_pooling1d", "dense", "separable_conv1d", "batch_normalization"),
        4: (
            "conv2d",
            "conv2d_transpose",
            "separable_conv2d",
            "max_pooling2d",
            "average_pooling2d",
            "flatten",
            "batch_normalization",
            "dense",
        ),
        5: ("conv3d", "conv3d_transpose", "max_pooling3d", "average_pooling3d", "flatten"),
    }[rank]
    name = rng.choice(names)
    arguments: list[Any] = [x]
    options: Options = {}
    if name == "dense":
        arguments.append(rng.choice((1, 4)))
        options = _layer_options(rng)
    elif "conv" in name:
        arguments += [rng.choice((1, 2)), rng.choice((1, 2, 3))]
        options = {**_layer_options(rng), "padding": padding, "strides": rng.choice((1, 1, 2, 3))}
        if options["strides"] == 1 and "transpose" not in name and rng.random() < 0.4:
            options["dilation_rate"] = 2
        if name.startswith("separable") and rng.random() < 0.4:
            options["depth_multiplier"] = 2
    elif "pooling" in name:
        arguments += [rng.choice((1, 2, 3)), rng.choice((1, 2, 3))]
        options = {"padding": padding}
    elif name == "batch_normalization":
        options = _some(
            rng,
            {
                "training": (True,),
                "fused": (True, False),
                "axis": (-1, 1),
                "momentum": (0.5,),
                "epsilon": (0.1,),
                "center": (False,),
                "scale": (False,),
                "renorm": (True,),
            },
        )
    elif name == "dropout":
        options = {"rate": 0.5, "training": rng.choice((True, False)), "seed": 3}
    if rng.random() < 0.2:
        options["reuse"] = rng.choice((True, False, None))
    if rng.random() < 0.3:
        inner = writer.inside(writer.call("variable_scope", "outer"))
        y = inner.call(f"layers.{name}", *arguments, **options)
    else:
        y = writer.call(f"layers.{name}", *arguments, **options)
    if rng.random() < 0.3:
        writer.call(f"layers.{name}", *arguments, **options)
    writer.call("global_variables")
    writer.call("get_collection", "update_ops")
    # The sum of the squares of normalized numbers is constant: its gradient would be what is left of rounding.
    loss = writer.call("reduce_sum", writer.call("multiply", writer.call("square", y), y))
    variables = writer.call("trainable_variables")
    gradients = writer.call("gradients", loss, x)
    fetch = [y, at(gradients, 0), writer.call("get_collection", "update_ops")]
    del variables
    runs: list[Data] = [{"fill": rng.randrange(1000)}]
    for _ in range(2):
        runs.append({"fetch": fetch, "feed": [[x, _floats(rng, sizes)]]})
    runs.append({"fetch": writer.call("global_variables")})
    return make_program(f"layers.{name}", writer, runs)


def program(number: int) -> dict[str, Any]:
    """The program of a number."""
    rng = random.Random(number)
    return rng.choice((_optimizer, _loss, _metric, _layer))(rng)
