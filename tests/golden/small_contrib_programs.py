"""Programs of grid cells, initializers, specs and samples of `tf.contrib`, alike on TensorFlow 1.15 and ferroflow."""

import importlib
import os

import numpy as np

X = np.linspace(-1.0, 1.0, 12, dtype=np.float32).reshape(2, 6)


def _module(tf, name):
    return importlib.import_module(f"{tf.__name__.partition('.')[0]}.contrib.{name}")


def _plain(value):
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, bytes):
        return value.decode()
    return value.item() if isinstance(value, np.generic) else value


def _run(tf, fetches):
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        session.run(tf.tables_initializer())
        return _plain(session.run(fetches))


def _cell(tf, make):
    """Returns the outputs and states of two steps of a cell, and its variables."""
    with tf.Graph().as_default(), tf.variable_scope("root", initializer=tf.constant_initializer(0.3)):
        cell = make(_module(tf, "grid_rnn"))
        state = cell.zero_state(2, tf.float32)
        found = []
        for i in range(2):
            if i:
                tf.get_variable_scope().reuse_variables()
            output, state = cell(tf.constant(X[:, 3 * i : 3 * i + 3]), state)
            found += [list(tf.contrib.framework.nest.flatten(output)), list(tf.contrib.framework.nest.flatten(state))]
        values = _run(tf, found)
        return {
            "values": values,
            "variables": [f"{v.op.name} {v.shape.as_list()}" for v in tf.global_variables()],
            "outputs": [value.op.name for value in tf.contrib.framework.nest.flatten(output)],
            "sizes": [str(cell.output_size), str(cell.state_size)],
        }


def _unrolled(tf):
    """Returns the results of a grid cell that `dynamic_rnn` runs."""
    with tf.Graph().as_default(), tf.variable_scope("root", initializer=tf.constant_initializer(0.3)):
        cell = _module(tf, "grid_rnn").Grid2LSTMCell(2, use_peepholes=True)
        inputs = tf.constant(X.reshape(2, 3, 2))
        outputs, state = tf.nn.dynamic_rnn(cell, inputs, dtype=tf.float32)
        flat = [*tf.contrib.framework.nest.flatten(outputs), *tf.contrib.framework.nest.flatten(state)]
        return {"values": _run(tf, flat), "variables": [v.op.name for v in tf.global_variables()]}


def cells(tf):
    """Returns the programs of grid cells by name."""
    relu = tf.nn.relu
    kinds = {
        "one basic": lambda m: m.Grid1BasicRNNCell(2),
        "two basic": lambda m: m.Grid2BasicRNNCell(2),
        "two basic tied": lambda m: m.Grid2BasicRNNCell(2, tied=True),
        "two basic without a state": lambda m: m.Grid2BasicRNNCell(2, non_recurrent_fn=relu),
        "one basic memory": lambda m: m.Grid1BasicLSTMCell(2, forget_bias=0.5),
        "two basic memories": lambda m: m.Grid2BasicLSTMCell(2, non_recurrent_fn=relu),
        "one memory": lambda m: m.Grid1LSTMCell(2, use_peepholes=True),
        "two memories": lambda m: m.Grid2LSTMCell(2, tied=False, forget_bias=2.0),
        "two memories in one": lambda m: m.Grid2LSTMCell(2, output_is_tuple=False),
        "three memories": lambda m: m.Grid3LSTMCell(2, tied=True),
        "two gates": lambda m: m.Grid2GRUCell(2),
        "own": lambda m: m.GridRNNCell(2, 3, input_dims=[0, 1, 2], output_dims=[0, 2], priority_dims=1),
    }
    programs = {f"cell: {name}": lambda make=make: _cell(tf, make) for name, make in kinds.items()}
    programs["cell: unrolled"] = lambda: _unrolled(tf)
    return programs


def _initializers(tf):
    made = tf.contrib.framework
    cases = {
        "delta of 1": (made.convolutional_delta_orthogonal(2.0, seed=3), [3, 2, 4]),
        "delta of 3": (made.convolutional_delta_orthogonal(seed=3), [2, 3, 3, 3, 3]),
        "one": (made.convolutional_orthogonal_1d(1.5, seed=5), [4, 2, 3]),
        "two": (made.convolutional_orthogonal_2d(seed=5), [3, 3, 2, 3]),
        "two of size 1": (made.convolutional_orthogonal_2d(seed=5), [1, 1, 2, 3]),
        "three": (made.convolutional_orthogonal_3d(seed=5), [3, 3, 3, 2, 2]),
    }
    with tf.Graph().as_default():
        tf.set_random_seed(7)
        return _run(tf, [initializer(shape) for initializer, shape in cases.values()])


def _embedding(tf, folder):
    """Returns a table of embeddings whose words have moved."""
    path = os.path.join(folder, "model")
    with tf.Graph().as_default(), tf.Session() as session:
        table = tf.get_variable("table", initializer=tf.constant([[1.0, 2.0], [3.0, 4.0]]))
        session.run(table.initializer)
        tf.train.Saver().save(session, path)
    for name, words in (("old", "a\nb\n"), ("new", "b\nc\na\n")):
        with open(os.path.join(folder, name), "w") as file:
            file.write(words)
    with tf.Graph().as_default():
        initializer = tf.contrib.framework.load_embedding_initializer(
            path,
            "table",
            3,
            2,
            os.path.join(folder, "old"),
            os.path.join(folder, "new"),
            initializer=lambda shape, **_: tf.fill(shape, 9.0),
        )
        return _run(tf, tf.get_variable("table", [3, 2], initializer=initializer))


def _specs(tf):
    spec = tf.contrib.framework.BoundedTensorSpec
    one = spec([2, 3], tf.float32, 0, [1.0, 2.0, 3.0], "a")
    found = [repr(one), one == spec([2, 3], tf.float32, 0, [1.0, 2.0, 3.0], "a"), one == spec([2, 3], tf.float32, 0, 1)]
    found.append(repr(spec.from_spec(tf.contrib.framework.TensorSpec([1], tf.int32))))
    for least, greatest in ((None, 1), (0, [1.0, 2.0])):
        try:
            spec([2, 3], tf.float32, least, greatest)
        except ValueError as error:
            found.append(str(error)[:40])
    return found


def _skip_grams(tf, folder):
    sample = _module(tf, "text").skip_gram_sample
    words = ["the", "quick", "brown", "fox", "jumps"]
    path = os.path.join(folder, "words.csv")
    with open(path, "w") as file:
        file.write("the,30\nquick,10\nfox,2\njumps,1\n")
    with tf.Graph().as_default():
        text = tf.constant(words)
        with_file = _module(tf, "text").skip_gram_sample_with_text_vocab
        return _run(
            tf,
            [
                sample(text, 2, 2),
                sample(text, 1, 1, start=1, limit=3),
                sample(text, 1, 1, emit_self_as_target=True),
                sample(tf.constant([4, 5, 6]), 5, 5, limit=10),
                with_file(text, path, min_skips=1, max_skips=1),
                with_file(text, path, vocab_min_count=2, min_skips=1, max_skips=1),
            ],
        )


def _two_steps(tf, make, constants):
    """Returns the variables and a slot after each of two steps of an optimizer, and the names of what it keeps."""
    with tf.Graph().as_default(), tf.Session() as session:
        dense = tf.get_variable("dense", initializer=tf.constant([1.0, -2.0]))
        rows = tf.get_variable("rows", initializer=tf.constant([[1.0], [2.0], [3.0]]), use_resource=True)
        optimizer = make()
        loss = tf.reduce_sum(dense**2) + tf.reduce_sum(tf.gather(rows, [2, 0, 2]) ** 2)
        step = optimizer.minimize(loss, stop_gradients=constants)
        session.run(tf.global_variables_initializer())
        slots = {name: optimizer.get_slot(dense, name) for name in sorted(optimizer.get_slot_names())}
        found = []
        for _ in range(2):
            session.run(step)
            found.append(_plain(session.run([dense, rows, slots[min(slots)] if slots else dense])))
        names = sorted(variable.name for variable in optimizer.variables())
        return [*found, [type(optimizer).__name__, *slots, *names]]


def _optimizers(tf):
    made = _module(tf, "optimizer_v2.optimizer_v2_symbols")
    return [
        _two_steps(tf, lambda: made.AdadeltaOptimizer(0.5, 0.9, 1e-3), None),
        _two_steps(tf, lambda: made.AdagradOptimizer(lambda: 0.5), None),
        _two_steps(tf, lambda: made.AdamOptimizer(lambda: 0.1, lambda: 0.8, 0.9, 1e-3), []),
        _two_steps(tf, lambda: made.GradientDescentOptimizer(0.5), None),
        _two_steps(tf, lambda: made.MomentumOptimizer(0.5, lambda: 0.9, use_nesterov=True), None),
        _two_steps(tf, lambda: made.RMSPropOptimizer(0.1, momentum=0.5, centered=True), None),
    ]


def _fields(tf):
    """Returns receptive fields of networks with branches, paddings and dropped branches."""
    fields = importlib.import_module(f"{tf.__name__.partition('.')[0]}.contrib.receptive_field.receptive_field_api")
    slim = tf.contrib.slim
    found = []
    size = [23, 23]
    cases = [(None, "VALID", []), (size, "SAME", []), (None, "SAME", ["left"]), (size, "SAME", ["left"])]
    for known, mode, stops in cases:
        with tf.Graph().as_default() as graph:
            image = tf.placeholder(tf.float32, [None, None, None, 2], name="image")
            left = slim.conv2d(image, 3, [1, 1], stride=4, scope="left", padding="VALID")
            padded = tf.pad(image, [[0, 0], [1, 0], [1, 0], [0, 0]], name="padded")
            right = slim.conv2d(padded, 3, [3, 3], stride=2, scope="right", padding="VALID")
            right = slim.max_pool2d(right, [3, 3], stride=2, scope="pooled", padding="SAME")
            both = slim.separable_conv2d(left + right, 3, [5, 3], 1, scope="both", padding=mode)
            output = slim.avg_pool2d(both, [2, 2], stride=2, scope="output", padding=mode)
            try:
                field = fields.compute_receptive_field_from_graph_def(
                    graph, image, output, stop_propagation=stops, input_resolution=known
                )
            except ValueError as error:
                found.append(str(error))
                continue
            found.append(str([value if value is None else int(value) for value in field]))
            if None not in list(field):
                found.append(field.compute_input_center_coordinates([[0, 1], [2, 3]]).tolist())
                found.append(field.compute_feature_coordinates([5.0], axis=[1]).tolist())
            infos, _ = fields.get_compute_order(graph.as_graph_def(), "image", known)
            names = ("left/Conv2D", "padded", "right/Conv2D", "pooled/MaxPool", "both/separable_conv2d/depthwise")
            found += [[name, infos[name].input_size, infos[name].output_size] for name in names if name in infos]
    return found


def _factorizations(tf):
    """Returns factors and losses after two sweeps of several models, and projections."""
    ops = _module(tf, "factorization.python.ops.factorization_ops")
    matrix = np.float32([[0.1, 0, 0.2, 0, 0.4], [0, 0.9, 0, 0, 0.5], [0.6, 0, 0.3, 0.3, 0], [0, 0, 0, 0.7, 0.8]])
    rows, columns = np.linspace(-1, 1, 8, dtype=np.float32) ** 3, np.linspace(2, -1, 10, dtype=np.float32) ** 2
    shares = {
        "row_init": [rows.reshape(4, 2)[:2], rows.reshape(4, 2)[2:]],
        "col_init": [columns.reshape(5, 2)[:3], columns.reshape(5, 2)[3:]],
        "num_row_shards": 2,
        "num_col_shards": 2,
        "row_weights": [[0.5, 1.0], [1.5, 2.0]],
        "col_weights": 0.7,
    }
    whole = {"row_init": rows.reshape(4, 2), "col_init": columns.reshape(5, 2)}
    found = []
    for options in (
        {**whole, "regularization": 1.0, "row_weights": [1.0, 2.0, 3.0, 4.0]},
        {**whole, "row_weights": None, "col_weights": None, "regularization": 0.5, "use_factors_weights_cache": False},
        {**shares, "regularization": 2.0, "use_gramian_cache": False, "use_scoped_vars": True},
    ):
        with tf.Graph().as_default(), tf.Session() as session:
            model = ops.WALSModel(4, 5, 2, unobserved_weight=0.2, **options)
            places = np.argwhere(matrix)
            batch = tf.SparseTensor(places, matrix[tuple(places.T)], [4, 5])
            part = tf.SparseTensor(places[:5], matrix[tuple(places[:5].T)], [4, 5])
            steps = {
                "rows": [model.update_row_factors(each) for each in (part, batch)],
                "columns": [model.update_col_factors(each) for each in (batch, part)],
            }
            turned = model.project_col_factors(tf.sparse_transpose(part), transpose_input=True)
            weights = None if options["row_weights"] is None else [0.5, 2.0]
            projected = [model.project_row_factors(part, projection_weights=weights), turned]
            names = sorted(variable.name for variable in tf.global_variables() + tf.local_variables())
            session.run([model.initialize_op, tf.local_variables_initializer()])
            session.run(model.worker_init)
            for side, before in (
                ("rows", [model.row_update_prep_gramian_op, model.initialize_row_update_op]),
                ("columns", [model.col_update_prep_gramian_op, model.initialize_col_update_op]),
            ):
                for operation in before:
                    session.run(operation)
                for values, update, loss, penalty, total in steps[side]:
                    found.append(_plain(session.run([values, loss, penalty, total])))
                    session.run(update)
            for operation in (model.row_update_prep_gramian_op, model.initialize_row_update_op):
                session.run(operation)
            found.append(_plain(session.run(projected[0])))
            for operation in (model.col_update_prep_gramian_op, model.initialize_col_update_op):
                session.run(operation)
            found.append(_plain(session.run([projected[1], model.row_factors, model.col_factors])))
            found.append(names)
    return found


def _resampled(tf):
    """Returns resampled tensors and gradients where no element is used twice, and the errors of wrong shapes."""
    resample = _module(tf, "periodic_resample.python.ops.periodic_resample_op").periodic_resample
    found = []
    cases = [([3, 4], [6, None]), ([3, 4], [4, None]), ([2, 3, 4], [None, 6, 4]), ([2, 2, 2, 8], [4, 4, 4, None])]
    refused = [([3, 4], [2, None]), ([3, 4], [None, None]), ([3, 4], [3, 4]), ([3, 4], [6, None, 1])]
    for size, shape in cases + refused:
        with tf.Graph().as_default():
            values = tf.constant(np.arange(np.prod(size), dtype=np.float32).reshape(size))
            try:
                result = resample(values, shape)
                found.append([result.shape.as_list(), _run(tf, result)])
            except tf.errors.InvalidArgumentError as error:
                found.append(error.message.split(".")[0][:100])
                continue
            if shape != [4, None]:
                found.append(_run(tf, tf.gradients(tf.reduce_sum(result * result), values)))
    return [str(each) for each in found]


def _recurrences(tf):
    """Returns states and gradients of a polynomial, and outputs and states of cells that run backward."""
    recurrent = _module(tf, "recurrent.python.recurrent_api")

    def cell(theta, state, inputs):
        return {"sum": state["sum"] + inputs[0] * state["power"], "power": state["power"] * theta}, []

    found = []
    with tf.Graph().as_default():
        theta, inputs = tf.constant(2.0), [tf.constant([1.0, 2.0, 3.0, 4.0])]
        for most, at_end in ((None, False), (tf.constant(2), False), (tf.constant(3), True)):
            first = {"sum": tf.constant(0.5), "power": tf.constant(1.0)}
            states, last = recurrent.Recurrent(theta, first, inputs, cell, max_input_length=most, aligned_end=at_end)
            total = last["sum"] + tf.reduce_sum(states["power"])
            gradients = [] if at_end else tf.gradients(total, [theta])  # TensorFlow's are wrong for those at the end
            found.append(_run(tf, [states["sum"], states["power"], last["sum"], *gradients]))
    for lengths in (None, [3, 1]):
        with tf.Graph().as_default(), tf.Session() as session:
            pairs = {"cell_fw": tf.nn.rnn_cell.GRUCell(2), "cell_bw": tf.nn.rnn_cell.BasicRNNCell(2)}
            given = tf.constant(np.linspace(-1, 1, 16, dtype=np.float32).reshape(2, 4, 2))
            size = None if lengths is None else tf.constant(lengths)
            outputs = recurrent.bidirectional_functional_rnn(
                inputs=given, dtype=tf.float32, sequence_length=size, fast_reverse=True, **pairs
            )
            variables = tf.trainable_variables()
            session.run([tf.assign(each, tf.fill(each.shape, 0.1 * (1 + i))) for i, each in enumerate(variables)])
            found.append(_plain(session.run(outputs)))
            found.append([variable.name for variable in variables])
    return found


def _records(tf):
    """Returns decoded lines, and elements of a list."""
    decode = _module(tf, "libsvm.python.ops.libsvm_ops").decode_libsvm
    seek = _module(tf, "input_pipeline.python.ops.input_pipeline_ops").seek_next
    with tf.Graph().as_default():
        features, labels = decode([["1 1:3.4 2:0.5", " -2\t3:inf  0:0.5 "], ["0", "7 5:1e-3"]], 6)
        whole, numbers = decode(["1.5 1:3", "2 4:-7"], 6, dtype=tf.int64, label_dtype=tf.float64)
        found = [_run(tf, [part.indices, part.values, part.dense_shape]) for part in (features, whole)]
        found = [str(found), *_run(tf, [labels, numbers]), labels.shape.as_list()]
    for epochs in (None, 2):
        with tf.Graph().as_default(), tf.Session() as session:
            element = seek(["a", "b", "c"], shuffle=True, seed=4, num_epochs=epochs)
            session.run(tf.global_variables_initializer())
            found.append([session.run(element).decode() for _ in range(6)])
            found.append(sorted(variable.name for variable in tf.global_variables()))
    return found


def programs(tf, folder):
    """Returns the programs by name.

    Args:
        tf: the module, TensorFlow's or ferroflow.
        folder: str, an empty folder.
    """
    return {
        **cells(tf),
        "initializers": lambda: {"values": _initializers(tf)},
        "embedding": lambda: {"values": _embedding(tf, folder)},
        "specs": lambda: {"values": [str(value) for value in _specs(tf)]},
        "factorizations": lambda: {"values": _factorizations(tf)},
        "records": lambda: {"values": _records(tf)},
        "recurrences": lambda: {"values": _recurrences(tf)},
        "resampled": lambda: {"values": _resampled(tf)},
        "fields": lambda: {"values": _fields(tf)},
        "optimizers of version 2": lambda: {"values": _optimizers(tf)},
        "skip grams": lambda: {"values": _skip_grams(tf, folder)},
    }
