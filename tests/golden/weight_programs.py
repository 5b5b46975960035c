"""Layers, cells and optimizers, as programs of either library: the variables that they make, which checkpoints name."""

from __future__ import annotations

from typing import Any


def describe(tf: Any, program: Any) -> dict[str, Any]:
    """Names and shapes of the variables of a program, and which are trained, in their order."""
    with tf.Graph().as_default():
        program()
        variables = [*tf.global_variables(), *tf.local_variables()]
        return {
            "variables": [[v.op.name, v.shape.as_list()] for v in variables],
            "trained": [v.op.name for v in tf.trainable_variables()],
        }


def _cells(tf: Any) -> dict[str, Any]:
    rnn, core = tf.contrib.rnn, tf.nn.rnn_cell
    grid = {"feature_size": 4, "frequency_skip": 2}
    return {
        "nas": lambda: rnn.NASCell(5),
        "nas projected": lambda: rnn.NASCell(5, 2),
        "layer norm": lambda: rnn.LayerNormBasicLSTMCell(5),
        "layer norm off": lambda: rnn.LayerNormBasicLSTMCell(5, layer_norm=False),
        "coupled": lambda: rnn.CoupledInputForgetGateLSTMCell(5, use_peepholes=True, num_proj=3),
        "time frequency": lambda: rnn.TimeFreqLSTMCell(4, **grid),
        "grid": lambda: rnn.GridLSTMCell(4, num_frequency_blocks=[1], **grid),
        "grid shared": lambda: rnn.GridLSTMCell(
            4, num_frequency_blocks=[1], share_time_frequency_weights=True, use_peepholes=True, **grid
        ),
        "grid bidirectional": lambda: rnn.BidirectionalGridLSTMCell(4, num_frequency_blocks=[1], **grid),
        "ugrnn": lambda: rnn.UGRNNCell(5),
        "intersection": lambda: rnn.IntersectionRNNCell(4),
        "grouped": lambda: rnn.GLSTMCell(4, num_proj=2, number_of_groups=2),
        "sru": lambda: rnn.SRUCell(4),
        "ind rnn": lambda: rnn.IndRNNCell(5),
        "indy gru": lambda: rnn.IndyGRUCell(5),
        "indy lstm": lambda: rnn.IndyLSTMCell(5),
        "lstm block": lambda: rnn.LSTMBlockCell(5, use_peephole=True),
        "gru block": lambda: rnn.GRUBlockCellV2(5),
        "attention": lambda: rnn.AttentionCellWrapper(core.LSTMCell(4), 2),
        "highway": lambda: rnn.HighwayWrapper(core.GRUCell(4)),
        "input projection": lambda: rnn.InputProjectionWrapper(core.GRUCell(4), 3),
        "output projection": lambda: rnn.OutputProjectionWrapper(core.GRUCell(4), 3),
        "basic": lambda: core.BasicRNNCell(5),
        "lstm": lambda: core.LSTMCell(5, use_peepholes=True, num_proj=3),
        "multi": lambda: core.MultiRNNCell([core.GRUCell(4), core.LSTMCell(4)]),
        "dropout": lambda: core.DropoutWrapper(core.LSTMCell(4), 0.5),
    }


def _mechanisms(tf: Any) -> dict[str, Any]:
    seq2seq = tf.contrib.seq2seq
    return {
        "bahdanau": lambda memory: seq2seq.BahdanauAttention(5, memory),
        "bahdanau normalized": lambda memory: seq2seq.BahdanauAttention(5, memory, normalize=True),
        "luong": lambda memory: seq2seq.LuongAttention(4, memory),
        "luong scaled": lambda memory: seq2seq.LuongAttention(4, memory, scale=True),
        "bahdanau monotonic": lambda memory: seq2seq.BahdanauMonotonicAttention(5, memory, normalize=True),
        "luong monotonic": lambda memory: seq2seq.LuongMonotonicAttention(4, memory, scale=True),
    }


def _optimizers(tf: Any) -> dict[str, Any]:
    train, opt = tf.train, tf.contrib.opt
    return {
        "ada max": lambda: opt.AdaMaxOptimizer(),
        "add sign": lambda: opt.AddSignOptimizer(),
        "power sign": lambda: opt.PowerSignOptimizer(),
        "nadam": lambda: opt.NadamOptimizer(),
        "lazy adam": lambda: opt.LazyAdamOptimizer(),
        "adam w": lambda: opt.AdamWOptimizer(0.01),
        "momentum w": lambda: opt.MomentumWOptimizer(0.01, 0.1, 0.9),
        "moving average": lambda: opt.MovingAverageOptimizer(train.AdamOptimizer()),
        "decayed": lambda: opt.extend_with_decoupled_weight_decay(train.AdamOptimizer)(0.01),
        "momentum": lambda: train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
        "rms": lambda: train.RMSPropOptimizer(0.1, momentum=0.9, centered=True),
        "adagrad da": lambda: train.AdagradDAOptimizer(0.1, train.get_or_create_global_step()),
        "adadelta": lambda: train.AdadeltaOptimizer(),
        "ftrl": lambda: train.FtrlOptimizer(0.1),
        "sync replicas": lambda: train.SyncReplicasOptimizer(train.MomentumOptimizer(0.1, 0.9), 1),
    }


def _layers(tf: Any) -> dict[str, tuple[Any, list[int]]]:
    layers, keras, core = tf.layers, tf.keras.layers, tf.nn.rnn_cell
    return {
        "dense": (lambda: layers.Dense(3), [2, 4]),
        "conv2d": (lambda: layers.Conv2D(2, 3), [1, 8, 8, 3]),
        "batch normalization": (lambda: layers.BatchNormalization(), [2, 4]),
        "separable": (lambda: layers.SeparableConv2D(2, 3), [1, 8, 8, 3]),
        "gru cell": (lambda: core.GRUCell(3), [2, 4]),
        "basic cell": (lambda: core.BasicRNNCell(3), [2, 4]),
        "basic lstm cell": (lambda: core.BasicLSTMCell(3), [2, 4]),
        "lstm cell": (lambda: core.LSTMCell(3, use_peepholes=True, num_proj=2), [2, 4]),
        "nas cell": (lambda: tf.contrib.rnn.NASCell(3), [2, 4]),
        "sru cell": (lambda: tf.contrib.rnn.SRUCell(3), [2, 4]),
        "keras dense": (lambda: keras.Dense(3, kernel_regularizer="l2"), [2, 4]),
        "keras named": (lambda: keras.Dense(3, name="mine"), [2, 4]),
        "keras lstm": (lambda: keras.LSTM(3), [2, 5, 4]),
        "keras gru cell": (lambda: keras.GRUCell(3), [2, 4]),
        "keras batch normalization": (lambda: keras.BatchNormalization(), [2, 4]),
        "keras embedding": (lambda: keras.Embedding(5, 2), [2, 4]),
        "keras bidirectional": (lambda: keras.Bidirectional(keras.LSTM(3)), [2, 5, 4]),
        "keras time distributed": (lambda: keras.TimeDistributed(keras.Dense(3)), [2, 5, 4]),
    }


def programs(tf: Any) -> dict[str, Any]:
    """The programs of a library."""
    found: dict[str, Any] = {}

    def inputs() -> Any:
        return tf.placeholder(tf.float32, [3, 4])

    def step(make: Any) -> None:
        cell = make()
        cell(inputs(), cell.zero_state(3, tf.float32))

    def unrolled(make: Any) -> None:
        tf.nn.dynamic_rnn(make(), tf.placeholder(tf.float32, [3, 7, 4]), dtype=tf.float32)

    def attending(make: Any, size: int | None) -> None:
        wrapper = tf.contrib.seq2seq.AttentionWrapper(
            tf.nn.rnn_cell.GRUCell(4), make(tf.placeholder(tf.float32, [3, 6, 8])), attention_layer_size=size
        )
        wrapper(inputs(), wrapper.zero_state(3, tf.float32))

    def trained(make: Any, is_sparse: bool) -> None:
        w, b = tf.get_variable("w", [4, 3]), tf.get_variable("b", [3])
        y = (tf.nn.embedding_lookup(w, [0, 1, 1]) if is_sparse else tf.matmul(inputs(), w)) + b
        make().minimize(tf.reduce_sum(y * y), global_step=tf.train.get_or_create_global_step())

    def built(make: Any, shape: list[int]) -> None:
        make().build(tf.TensorShape(shape))
        make().build(tf.TensorShape(shape))
        with tf.name_scope("names"):
            make().build(tf.TensorShape(shape))
        for _ in range(2):
            with tf.variable_scope("variables", reuse=tf.AUTO_REUSE):
                make().build(tf.TensorShape(shape))

    def built_and_called(make: Any, shape: list[int]) -> None:
        layer = make()
        layer.build(tf.TensorShape(shape))
        if "Cell" not in type(layer).__name__:
            layer(tf.placeholder(tf.float32, shape))
            layer(tf.placeholder(tf.float32, shape))

    for name, make in _cells(tf).items():
        found[f"cell {name}"] = lambda make=make: step(make)
        found[f"unrolled {name}"] = lambda make=make: unrolled(make)
    for name, make in _mechanisms(tf).items():
        for size in (None, 6):
            found[f"attention {name} {size}"] = lambda make=make, size=size: attending(make, size)
    for name, make in _optimizers(tf).items():
        for is_sparse in (False, True):
            found[f"optimizer {name} {is_sparse}"] = lambda make=make, s=is_sparse: trained(make, s)
    for name, (make, shape) in _layers(tf).items():
        found[f"built {name}"] = lambda make=make, shape=shape: built(make, shape)
        found[f"built and called {name}"] = lambda make=make, shape=shape: built_and_called(make, shape)
    return found
