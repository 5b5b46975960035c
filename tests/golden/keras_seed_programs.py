"""Programs of `tf.keras` whose operations decide seeds: what they add to a graph, and what seeded models learn."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

# Operations that later 1.x write where TensorFlow 1.8, and ferroflow, write an older one of the same meaning.
_OLDER = {"AddV2": "Add", "BatchMatMulV2": "BatchMatMul", "SelectV2": "Select", "FusedBatchNormV3": "FusedBatchNorm"}

RECURRENT = {
    "sequence": {"return_sequences": True},
    "state": {"return_state": True},
    "backwards": {"go_backwards": True},
    "no bias": {"use_bias": False},
    "dropout": {"dropout": 0.2},
    "both dropouts": {"dropout": 0.2, "recurrent_dropout": 0.3},
    "unrolled": {"unroll": True},
    "plain": {},
}
LOSSES = [
    "MeanSquaredError",
    "MeanAbsoluteError",
    "MeanAbsolutePercentageError",
    "MeanSquaredLogarithmicError",
    "Hinge",
    "SquaredHinge",
    "CategoricalHinge",
    "LogCosh",
    "KLDivergence",
    "Poisson",
    "CosineSimilarity",
    "BinaryCrossentropy",
    "CategoricalCrossentropy",
    "Huber",
]


def layer_calls(tf: Any) -> dict[str, Any]:
    """Returns functions that call layers on an input, by the names of the programs."""
    layers: Any = tf.keras.layers
    found: dict[str, Any] = {}

    def add(name: str, shape: tuple[Any, ...], make: Any) -> None:
        found[name] = lambda: make()(tf.keras.Input(shape))

    for kind in ("LSTM", "GRU", "SimpleRNN"):
        for name, options in RECURRENT.items():
            add(f"{kind} {name}", (7, 5), lambda kind=kind, options=options: getattr(layers, kind)(4, **options))
        add(f"{kind} both ways", (7, 5), lambda kind=kind: layers.Bidirectional(getattr(layers, kind)(4)))
        add(f"{kind} unknown steps", (None, 5), lambda kind=kind: getattr(layers, kind)(4))
        add(f"{kind} cell", (7, 5), lambda kind=kind: layers.RNN(getattr(layers, kind + "Cell")(4)))
        found[f"{kind} masked"] = lambda kind=kind: getattr(layers, kind)(4)(layers.Masking()(tf.keras.Input((7, 5))))
    for kind in ("LSTM", "GRU"):
        add(f"{kind} at once", (7, 5), lambda kind=kind: getattr(layers, kind)(4, implementation=2))
    add("GRU reset after", (7, 5), lambda: layers.GRU(4, reset_after=True))
    add("cells", (7, 5), lambda: layers.RNN([layers.LSTMCell(4), layers.GRUCell(3)]))
    add("ConvLSTM2D", (4, 6, 6, 2), lambda: layers.ConvLSTM2D(3, 2))
    add("ConvLSTM2D dropout", (4, 6, 6, 2), lambda: layers.ConvLSTM2D(3, 2, dropout=0.1))
    add("TimeDistributed", (7, 5), lambda: layers.TimeDistributed(layers.Dense(3)))
    add("TimeDistributed LSTM", (4, 6, 2), lambda: layers.TimeDistributed(layers.LSTM(3)))
    add("TimeDistributed Conv2D", (3, 6, 6, 2), lambda: layers.TimeDistributed(layers.Conv2D(3, 3)))
    for kind in ("Dropout", "GaussianNoise", "GaussianDropout", "AlphaDropout", "SpatialDropout1D"):
        add(kind, (7, 5), lambda kind=kind: getattr(layers, kind)(0.5))
    for kind in ("PReLU", "ELU", "ThresholdedReLU", "Masking", "Flatten", "GlobalAveragePooling1D"):
        add(kind, (7, 5), lambda kind=kind: getattr(layers, kind)())
    for name in ("hard_sigmoid", "softmax", "selu", "softplus"):
        add(f"activation {name}", (7, 5), lambda name=name: layers.Activation(name))
    add("ReLU", (5,), lambda: layers.ReLU(6.0, negative_slope=0.1, threshold=0.1))
    add("UpSampling1D", (7, 5), lambda: layers.UpSampling1D(2))
    add("UpSampling2D", (7, 7, 5), lambda: layers.UpSampling2D(2))
    add("DepthwiseConv2D", (7, 7, 5), lambda: layers.DepthwiseConv2D(2))
    found["Dot"] = lambda: layers.Dot(1)([tf.keras.Input((5,)), tf.keras.Input((5,))])
    found["Dot normalized"] = lambda: layers.Dot(1, True)([tf.keras.Input((5,)), tf.keras.Input((5,))])
    return found


def objects(tf: Any) -> dict[str, Any]:
    """Returns functions that call losses and metrics, by the names of the programs."""
    found: dict[str, Any] = {}

    def pair() -> tuple[Any, Any]:
        return tf.placeholder(tf.float32, [None, 5]), tf.placeholder(tf.float32, [None, 5])

    for kind in LOSSES:
        found[f"loss {kind}"] = lambda kind=kind: getattr(tf.keras.losses, kind)()(*pair())
    for reduction in ("sum", "none", "sum_over_batch_size"):
        found[f"weights {reduction}"] = lambda reduction=reduction: tf.keras.losses.MeanSquaredError(reduction)(
            *pair(), tf.placeholder(tf.float32, [None])
        )
    found["smoothed"] = lambda: tf.keras.losses.CategoricalCrossentropy(True, 0.1)(*pair())
    found["sparse"] = lambda: tf.keras.losses.sparse_categorical_crossentropy(
        tf.placeholder(tf.float32, [None, 1]), tf.placeholder(tf.float32, [None, 5])
    )
    for kind in ("Accuracy", "CategoricalAccuracy", "TopKCategoricalAccuracy", "BinaryAccuracy", "MeanSquaredError"):
        found[f"metric {kind}"] = lambda kind=kind: getattr(tf.keras.metrics, kind)()(*pair())
    found["metric Mean"] = lambda: tf.keras.metrics.Mean()(tf.placeholder(tf.float32, [None]))
    return found


def models(tf: Any) -> dict[str, Any]:
    """Returns functions that compile and use models, by the names of the programs."""
    layers: Any = tf.keras.layers
    found: dict[str, Any] = {}
    x, y = np.zeros((4, 5)), np.zeros((4, 1))

    def compiled(loss: str, metrics: list[str], width: int = 1, **options: Any) -> Any:
        model = tf.keras.Sequential([layers.Dense(4, input_shape=(5,)), layers.Dense(width)])
        model.compile("sgd", loss, metrics, **options)
        return model

    found["compile"] = lambda: compiled("mse", ["mae", "acc"])
    found["compile classes"] = lambda: compiled("categorical_crossentropy", ["acc"], 10)
    found["compile sparse"] = lambda: compiled("sparse_categorical_crossentropy", ["acc"], 10)
    found["predict"] = lambda: compiled("mse", []).predict(x)
    found["evaluate"] = lambda: compiled("mse", ["mae"]).evaluate(x, y, verbose=0)
    found["set weights"] = lambda: (lambda model: model.set_weights(model.get_weights()))(compiled("mse", []))

    def two_outputs() -> None:
        given = tf.keras.Input((5,))
        outputs = [layers.Dense(2, name="a")(given), layers.Dense(3, name="b")(given)]
        tf.keras.Model(given, outputs).compile("sgd", {"a": "mse", "b": "mae"}, {"a": "mse"}, [0.5, 2.0])

    found["two outputs"] = two_outputs
    return found


def operations(tf: Any) -> dict[str, list[int]]:
    """Returns the last id of each program's graph, and a checksum of the names and types of its operations."""
    found = {}
    for name, program in {**layer_calls(tf), **objects(tf), **models(tf)}.items():
        tf.keras.backend.clear_session()
        with tf.Graph().as_default() as graph:
            program()
            made = [f"{op.name} {_OLDER.get(op.type, op.type)}" for op in graph.get_operations()]
            found[name] = [graph._last_id, zlib.crc32("\n".join(sorted(made)).encode())]
    return found


def histories(tf: Any) -> dict[str, Any]:
    """Returns what seeded models of a library learn: the values of losses and metrics, and some predictions."""
    layers: Any = tf.keras.layers
    draw = np.random.RandomState(0)
    x, steps = draw.rand(40, 5).astype("f"), draw.rand(20, 6, 4).astype("f")
    classes, y = draw.randint(0, 3, 40), draw.rand(40, 1).astype("f")

    def model(*parts: Any) -> Any:
        return tf.keras.Sequential([*parts, layers.Dense(1)])

    def fitted(made: Any, given: Any, labels: Any, loss: str = "mse", **options: Any) -> list[Any]:
        made.compile("adam", loss, ["mae"])
        history = made.fit(given, labels, epochs=2, batch_size=8, verbose=0, **options).history
        return [[float(value) for value in history[key]] for key in sorted(history)]

    def softmax_of_steps() -> Any:
        made = tf.keras.Sequential([layers.GRU(5, return_sequences=True), layers.Dense(3, activation="softmax")])
        return fitted(made, steps, np.eye(3)[classes[:20]][:, None].repeat(6, 1), "categorical_crossentropy")

    weights = np.linspace(0, 2, 40)
    validated = {"validation_data": (x[:9], y[:9])}
    softmax = [layers.Dense, 3, {"activation": "softmax", "input_shape": (5,)}]
    programs = {
        "lstm": lambda: fitted(model(layers.LSTM(5, input_shape=(6, 4)), layers.Dropout(0.2)), steps, y[:20]),
        "gru dropout": lambda: fitted(
            model(layers.GRU(5, input_shape=(6, 4), dropout=0.2, recurrent_dropout=0.1)), steps, y[:20]
        ),
        "bidirectional": lambda: fitted(
            model(layers.Bidirectional(layers.LSTM(4), input_shape=(6, 4)), layers.Dropout(0.2)), steps, y[:20]
        ),
        "time distributed": lambda: fitted(
            model(layers.TimeDistributed(layers.Dense(4), input_shape=(6, 4)), layers.LSTM(3)), steps, y[:20]
        ),
        "deferred": lambda: fitted(model(layers.Dense(6, "relu"), layers.Dropout(0.3)), x, y),
        "weights": lambda: fitted(model(layers.Dense(4, input_shape=(5,))), x, y, sample_weight=weights, **validated),
        "noise": lambda: fitted(
            model(layers.GaussianNoise(0.3, input_shape=(5,)), layers.Dense(6, "selu"), layers.AlphaDropout(0.2)), x, y
        ),
        "classes": lambda: fitted(
            tf.keras.Sequential([softmax[0](softmax[1], **softmax[2])]), x, classes, "sparse_categorical_crossentropy"
        ),
        "saturated": lambda: fitted(
            tf.keras.Sequential([layers.Dense(1, "sigmoid", input_shape=(5,))]), 900 * x, y > 0.5, "binary_crossentropy"
        ),
        "softmax of steps": softmax_of_steps,
        "validation split": lambda: fitted(model(layers.Dense(4, input_shape=(5,))), x, y, validation_split=0.2),
    }
    found = {}
    for name, program in programs.items():
        tf.keras.backend.clear_session()
        np.random.seed(1)
        with tf.Graph().as_default():
            tf.set_random_seed(1)
            found[name] = program()
    return found
