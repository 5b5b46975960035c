"""Networks of `tf.contrib.slim.nets`: variables, outputs by name, and values that both libraries are to compute."""

import importlib
import zlib

import numpy as np

# Case: module, function, size of the images, arguments, and the output that is computed (None: only shapes are).
CASES = {
    "alexnet_v2": ("alexnet", "alexnet_v2", 224, {}, "alexnet_v2/pool5"),
    "overfeat": ("overfeat", "overfeat", 231, {}, "overfeat/pool2"),
    "vgg_a": ("vgg", "vgg_a", 224, {}, "vgg_a/pool2"),
    "vgg_19": ("vgg", "vgg_19", 224, {"spatial_squeeze": False}, None),
    "inception_v1": ("inception", "inception_v1", 224, {}, None),
    "inception_v1 to Mixed_4c": ("inception_v1", "inception_v1_base", 64, {"final_endpoint": "Mixed_4c"}, "Mixed_4c"),
    "inception_v2": ("inception", "inception_v2", 96, {}, "Logits"),
    "inception_v3": ("inception", "inception_v3", 171, {}, "AuxLogits"),
    "inception_v3 thin": ("inception_v3", "inception_v3", 299, {"depth_multiplier": 0.1}, "Logits"),
    "resnet_v1_50": ("resnet_v1", "resnet_v1_50", 33, {"num_classes": 10}, "predictions"),
    "resnet_v2_50": (
        "resnet_v2",
        "resnet_v2_50",
        33,
        {"num_classes": 10, "global_pool": False, "output_stride": 16},
        "resnet_v2_50/block4",
    ),
}
_SCOPES = {
    "resnet_v1": "resnet_arg_scope",
    "resnet_v2": "resnet_arg_scope",
    "vgg": "vgg_arg_scope",
    "overfeat": "overfeat_arg_scope",
    "alexnet": "alexnet_v2_arg_scope",
}


def value(name, shape):
    """Numbers that depend on a variable's name alone, of a size that keeps activations near one."""
    random = np.random.RandomState(zlib.crc32(name.encode()) & 0xFFFFFFFF)
    if name.endswith(("weights", "depthwise_weights", "pointwise_weights")):
        return (random.randn(*shape) * np.sqrt(2.0 / np.prod(shape[:-1]))).astype(np.float32)
    return (random.rand(*shape) * 0.2 + (0.9 if name.endswith(("variance", "gamma")) else 0.0)).astype(np.float32)


def describe(tf, case):
    """Returns the results of a case: names and shapes of variables and outputs, losses, updates, some numbers."""
    module, function, size, arguments, output = CASES[case]
    slim = tf.contrib.slim
    nets = importlib.import_module(tf.__name__ + ".contrib.slim.nets")
    network = getattr(nets, module, None)
    if network is None or not hasattr(network, function):
        network = importlib.import_module(tf.__name__ + ".contrib.slim.python.slim.nets." + module)
    scope = _SCOPES.get(module) or function[:12] + "_arg_scope"
    if "base" not in function:
        arguments = dict({"is_training": False}, **arguments)
        if not module.startswith("resnet"):
            arguments.setdefault("num_classes", 10)
    with tf.Graph().as_default() as graph:
        images = tf.placeholder(tf.float32, [2, size, size, 3])
        with slim.arg_scope(getattr(network, scope)()):
            net, ends = getattr(network, function)(images, **arguments)
        found = {
            "variables": [[v.op.name, v.shape.as_list(), v in tf.trainable_variables()] for v in tf.global_variables()],
            "model_variables": len(slim.get_model_variables()),
            "ends": sorted([name, end.shape.as_list(), end.op.name] for name, end in ends.items()),
            "net": net.op.name,
            "losses": [loss.op.name for loss in tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)],
            "updates": [update.name for update in tf.get_collection(tf.GraphKeys.UPDATE_OPS)],
        }
        if output is not None:
            with tf.Session(graph=graph) as sess:
                for variable in tf.global_variables():
                    if _is_needed(variable, ends[output]):
                        array = value(variable.op.name, variable.shape.as_list())
                        sess.run(variable.initializer, {variable.initializer.inputs[1]: array})
                batch = np.random.RandomState(0).rand(2, size, size, 3).astype(np.float32)
                result = sess.run(ends[output], {images: batch})
            places = np.random.RandomState(1).randint(result.size, size=20)
            found["numbers"] = [float(f"{number:.6g}") for number in result.ravel()[places]]
            found["size"] = float(f"{np.abs(result).mean():.6g}")
    return found


def _is_needed(variable, output):
    """Returns True for a variable on which an output depends; fully connected layers have too many elements."""
    seen, waiting = set(), [output.op]
    while waiting:
        op = waiting.pop()
        if op not in seen:
            seen.add(op)
            waiting.extend(tensor.op for tensor in op.inputs)
    return variable.op in seen
