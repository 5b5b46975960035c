"""Programs of `tf.contrib.model_pruning`, which run alike on TensorFlow 1.15 and on ferroflow.

A program builds in the default graph, runs in the session it is given, and returns values as nested lists.
"""

import tempfile

import numpy as np

WEIGHTS = (np.arange(24).reshape(4, 6) * 7 % 13 - 6).astype(np.float32)
OTHERS = np.linspace(-1, 1, 20, dtype=np.float32).reshape(4, 5)
KERNEL = np.linspace(-1, 1, 24, dtype=np.float32).reshape(2, 3, 2, 2) ** 3
PICTURES = np.arange(96, dtype=np.float32).reshape(2, 4, 4, 3) / 50
COLLECTIONS = ("masks", "thresholds", "masked_weights", "kernel")


def _listed(values):
    return [np.asarray(value).tolist() for value in values]


def layers(tf, session):
    pruning = tf.contrib.model_pruning
    same = tf.constant_initializer(0.1)
    keys = {"weights": ["all weights"], "biases": ["all biases"]}
    first = pruning.masked_conv2d(
        tf.constant(PICTURES), 2, 3, weights_initializer=same, variables_collections=keys, outputs_collections="outputs"
    )
    second = pruning.masked_convolution(
        first, 3, [1, 2], 2, "VALID", None, 1, None, weights_initializer=same, biases_initializer=None, scope="second"
    )
    third = pruning.masked_convolution(first, 3, 2, rate=2, weights_initializer=same, scope="third")
    rows = tf.reshape(second, [2, -1])
    regularizer = tf.contrib.layers.l2_regularizer(0.1)
    dense = pruning.masked_fully_connected(rows, 5, weights_initializer=same, weights_regularizer=regularizer)
    cube = tf.reshape(dense, [1, 2, 5])
    outer = pruning.masked_fully_connected(cube, 5, weights_initializer=same, biases_initializer=None)
    again = pruning.masked_fully_connected(cube, 5, scope="fully_connected_1", reuse=True, biases_initializer=None)
    session.run(tf.global_variables_initializer())
    session.run(pruning.get_masks()[0].assign(np.arange(54).reshape(3, 3, 3, 2) % 2))
    collected = [*tf.get_collection("all weights"), *tf.get_collection("outputs")]
    losses = [*pruning.get_weight_sparsity(), *tf.losses.get_regularization_losses()]
    return _listed(session.run([first, second, third, dense, outer, again, *collected, *losses]))


def _cell(kind, **arguments):
    def program(tf, session):
        with tf.variable_scope("net", initializer=tf.constant_initializer(0.05)):
            cell = getattr(tf.contrib.model_pruning, kind)(3, **arguments)
            state = cell.zero_state(2, tf.float32)
            for _ in range(2):
                output, state = cell(tf.constant(WEIGHTS[:2] / 10), state)
            outputs, _ = tf.nn.dynamic_rnn(cell, tf.reshape(tf.constant(WEIGHTS), [2, 2, 6]), dtype=tf.float32)
        session.run(tf.global_variables_initializer())
        (mask,) = tf.contrib.model_pruning.get_masks()
        shape = mask.shape.as_list()
        session.run(mask.assign(np.arange(shape[0] * shape[1]).reshape(shape) % 3))
        states = list(state) if isinstance(state, tuple) else [state]
        return _listed(session.run([output, outputs, *states]))

    return program


def _pruned(hyperparameters, in_parts=False, kernel=False, sparsity=None, always=False):
    def part_of_weights(tf):
        def initializer(shape, dtype=None, partition_info=None):
            return tf.constant(WEIGHTS[partition_info.var_offset[0] :][: shape[0]])

        return initializer if in_parts else tf.constant_initializer(WEIGHTS)

    def program(tf, session):
        pruning = tf.contrib.model_pruning
        step = tf.train.get_or_create_global_step()
        next_step = tf.assign_add(step, 1)
        with tf.variable_scope("a", partitioner=tf.fixed_size_partitioner(2) if in_parts else None):
            weights = tf.get_variable("w", [4, 6], initializer=part_of_weights(tf))
            masked = pruning.apply_mask(weights, "m")
        pruning.apply_mask(tf.get_variable("w2", initializer=OTHERS), "m2")
        if kernel:
            pruning.apply_mask(tf.get_variable("w3", initializer=KERNEL), "m3")
        spec = pruning.get_pruning_hparams().parse(hyperparameters)
        made = pruning.Pruning(spec, sparsity=sparsity)
        update = made.mask_update_op() if always else made.conditional_mask_update_op()
        if not in_parts:
            made.add_pruning_summaries()
        masks = [tf.convert_to_tensor(mask) for mask in pruning.get_masks()]
        session.run(tf.global_variables_initializer())
        found = []
        for number in range(1, 61):
            session.run([next_step])
            session.run(update)
            if number % 15 == 0:
                found += _listed(session.run([masked, *masks, *pruning.get_thresholds()]))
        return found

    return program


def stripped(tf, session):
    pruning = tf.contrib.model_pruning
    x = tf.placeholder(tf.float32, [None, 6], name="x")
    tf.identity(pruning.masked_fully_connected(x, 3, weights_initializer=tf.constant_initializer(0.5)), name="out")
    session.run(tf.global_variables_initializer())
    session.run(pruning.get_masks()[0].assign(np.arange(18).reshape(6, 3) % 2))
    with tempfile.TemporaryDirectory() as folder:
        tf.train.Saver().save(session, f"{folder}/model", global_step=3)
        with tf.Graph().as_default():
            whole = pruning.graph_def_from_checkpoint(folder, ["out"])
    without = pruning.strip_pruning_vars_fn(whole, ["out"])
    with tf.Graph().as_default(), tf.Session() as other:
        (output,) = tf.import_graph_def(without, return_elements=["out:0"], name="")
        value = other.run(output, {"x:0": WEIGHTS})
    nodes = [f"{node.name} {node.op}" for graph in (whole, without) for node in graph.node]
    return [nodes, value.tolist()]


PROGRAMS = {
    "layers": layers,
    "basic cell": _cell("MaskedBasicLSTMCell"),
    "basic cell of one state": _cell("MaskedBasicLSTMCell", state_is_tuple=False, name="cell"),
    "cell": _cell("MaskedLSTMCell"),
    "cell with peepholes": _cell("MaskedLSTMCell", use_peepholes=True, cell_clip=0.5, state_is_tuple=False),
    "cell with projection": _cell("MaskedLSTMCell", num_proj=3, proj_clip=0.1),
    "decay": _pruned("pruning_frequency=5,target_sparsity=0.8,threshold_decay=0.3"),
    "range of steps": _pruned(
        "pruning_frequency=3,initial_sparsity=0.1,begin_pruning_step=7,end_pruning_step=30,"
        "sparsity_function_end_step=40,weight_sparsity_map=[w2:0.3],name=other"
    ),
    "blocks": _pruned("block_height=2,block_width=3,sparsity_function_end_step=20", kernel=True),
    "blocks by name": _pruned(
        "block_dims_map=[w2:1x5,a/w:2x2],block_pooling_function=MAX,use_tpu=True,sparsity_function_end_step=20"
    ),
    "parts": _pruned("sparsity_function_end_step=20", in_parts=True),
    "given sparsity": _pruned("name=given", sparsity=0.4, always=True),
    "whole columns": _pruned("block_height=-1,block_width=1,sparsity_function_end_step=20"),
    "stripped": stripped,
}


def run(tf, program):
    """Returns the values of a program, the names of its nodes and what its collections hold."""
    with tf.Graph().as_default() as graph, tf.Session() as session:
        values = program(tf, session)
        collected = {
            key: [getattr(one, "op", one).name for one in tf.get_collection(key)]
            for key in ("variables", "trainable_variables", "model_variables", *COLLECTIONS)
        }
        return {"values": values, "nodes": sorted(op.name for op in graph.get_operations()), "collected": collected}
