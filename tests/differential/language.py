"""Programs as data, and their interpreter: it runs under Python 3.7 with TensorFlow 1.15 as it does here.

A program is a dict of JSON values:

    {"seed": 1, "steps": [[name, function, arguments, keywords], ...], "runs": [{"fetch": value, "feed": [...]}, ...]}

A step calls a function and binds its result to `name`. `function` is a path below the module ("nn.relu"), a method of
the first argument (".assign"), a function of Python's `operator` ("operator:add"), "value" (its argument), or "with",
whose arguments are a context manager and a list of steps. A run is one `Session.run`; with "differences" it is the
central differences of the sum of a tensor by fed tensors, whose gradients are the last values of another run:
"of": [that run, how many]. {"fill": seed} initializes variables, trainable ones with numbers from a seed.

A value is a JSON value, where a dict of one key stands for what JSON lacks: {"ref": path} (a step's result or a
parameter, then attributes and positions: "cell_state.0.h"), {"tuple": [...]}, {"dict": [[key, value], ...]},
{"array": [dtype, shape, elements]}, {"shape": dimensions or null}, {"tf": path}, {"slice": [start, stop, step]},
{"ellipsis": null}, {"complex": [real, imaginary]}, {"bytes": text in Latin-1} and
{"function": {"parameters": [...], "steps": [...], "result": value}}.
"""

from __future__ import annotations

import base64
import operator

import numpy as np

# A difference quotient's step, by the square root of float64's precision.
_EPSILON = 1e-6
_MESSAGE_LENGTH = 300


class _StepFailed(Exception):
    """The exception of a step, with the step's name."""

    def __init__(self, step, cause):
        super().__init__(step, cause)
        self.step = step
        self.cause = cause


def _resolve(root, path):
    for part in path.split("."):
        root = getattr(root, part)
    return root


def decode_array(tf, dtype, shape, elements):
    """The NumPy array of {"array": [dtype, shape, elements]}; strings are Latin-1 text, complex numbers are pairs."""
    if dtype == "string":
        array = np.empty(len(elements), np.object_)
        array[:] = [element.encode("latin-1") for element in elements]
    elif dtype.startswith("complex"):
        array = np.array([complex(*pair) for pair in elements], dtype)
    elif dtype.startswith("q"):
        # Quantized numbers are structures of one field.
        kind = np.dtype(getattr(tf, dtype).as_numpy_dtype)
        array = np.array(elements, kind[0]).view(kind)
    elif dtype == "bfloat16":
        array = np.array(elements, np.float32).astype(tf.bfloat16.as_numpy_dtype)
    else:
        array = np.array(elements, dtype)
    return array.reshape(shape)


class Interpreter:
    """Runs one program with a module."""

    def __init__(self, tf):
        self._module = tf

    def value(self, data, names):
        """The value that `data` stands for, where `names` has the results so far."""
        if isinstance(data, list):
            return [self.value(item, names) for item in data]
        if not isinstance(data, dict):
            return data
        ((kind, content),) = data.items()
        return getattr(self, "_" + kind)(content, names)

    def _ref(self, path, names):
        name, *rest = path.split(".")
        found = names[name]
        for part in rest:
            found = found[int(part)] if part.lstrip("-").isdigit() else getattr(found, part)
        return found

    def _tuple(self, items, names):
        return tuple(self.value(item, names) for item in items)

    def _dict(self, pairs, names):
        return {self.value(key, names): self.value(item, names) for key, item in pairs}

    def _array(self, content, names):
        return decode_array(self._module, *content)

    def _shape(self, dimensions, names):
        return self._module.TensorShape(dimensions)

    def _tf(self, path, names):
        return _resolve(self._module, path)

    def _slice(self, bounds, names):
        return slice(*self.value(bounds, names))

    def _ellipsis(self, content, names):
        return Ellipsis

    def _complex(self, pair, names):
        return complex(*pair)

    def _bytes(self, text, names):
        return text.encode("latin-1")

    def _function(self, content, names):
        parameters, steps, result = content["parameters"], content["steps"], content["result"]

        def call(*arguments):
            inner = dict(names)
            inner.update(zip(parameters, arguments))  # noqa: B905
            self.steps(steps, inner)
            return self.value(result, inner)

        return call

    def steps(self, steps, names, static=None):
        """Makes the calls of `steps`, and adds their results to `names` and their descriptions to `static`."""
        for name, function, arguments, keywords in steps:
            try:
                if function == "with":
                    with self.value(arguments[0], names):
                        self.steps(arguments[1], names, static)
                    continue
                positional = [self.value(item, names) for item in arguments]
                named = {key: self.value(item, names) for key, item in keywords.items()}
                if function == "value":
                    names[name] = positional[0]
                elif function.startswith("."):
                    names[name] = _resolve(positional[0], function[1:])(*positional[1:], **named)
                elif function.startswith("operator:"):
                    names[name] = getattr(operator, function[9:])(*positional, **named)
                else:
                    names[name] = _resolve(self._module, function)(*positional, **named)
            except _StepFailed:
                raise
            except Exception as error:
                raise _StepFailed(name, error) from error
            if static is not None:
                static[name] = self.describe(names[name])
                # Seeds of random ops are this number.
                static[name + " #"] = self._module.get_default_graph()._last_id

    def describe(self, value):
        """What is known of a step's result before a session runs: of tensors [name, op type, dtype, shape]."""
        if isinstance(value, (type(None), bool, int, float, str)):
            return value
        if isinstance(value, self._module.SparseTensor):
            return [self.describe(part) for part in (value.indices, value.values, value.dense_shape)]
        if isinstance(value, self._module.IndexedSlices):
            return [self.describe(value.indices), self.describe(value.values)]
        if isinstance(value, (list, tuple)):
            return [self.describe(item) for item in value]
        if isinstance(value, dict):
            return [[str(key), self.describe(value[key])] for key in sorted(value, key=str)]
        if isinstance(value, self._module.Tensor):
            return [value.name, value.op.type, value.dtype.name, self.describe(value.shape)]
        if isinstance(value, self._module.Operation):
            return [value.name, value.type]
        if isinstance(value, self._module.Variable):
            return [value.name, value.dtype.name, self.describe(value.shape)]
        if isinstance(value, self._module.TensorShape):
            return None if value.ndims is None else [dimension.value for dimension in value.dims]
        return "object"

    def _numeric(self, session, run, names, feed):
        """The central differences of the sum of a tensor by each element of each fed array."""
        of = self.value(run["fetch"], names)
        results = []
        for data in run["differences"]:
            fed = self.value(data, names)
            array = np.array(feed[fed], np.float64)
            slopes = np.zeros(array.size)
            for place in range(array.size):
                ends = []
                for step in (_EPSILON, -_EPSILON):
                    moved = array.copy().reshape(-1)
                    moved[place] += step
                    fed_arrays = dict(feed)
                    fed_arrays[fed] = moved.reshape(array.shape)
                    ends.append(np.sum(session.run(of, fed_arrays)))
                slopes[place] = (ends[0] - ends[1]) / (2 * _EPSILON)
            results.append(slopes.reshape(array.shape))
        return results

    def _filled(self, session, seed):
        """Initializes all variables, and gives trainable ones numbers that depend on their places in the collection."""
        tf = self._module
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer(), tf.tables_initializer()])
        for place, variable in enumerate(tf.trainable_variables()):
            shape = variable.shape.as_list()
            numbers = np.random.RandomState(seed + place).uniform(-0.7, 0.7, shape)
            variable.load(np.asarray(numbers, variable.dtype.base_dtype.as_numpy_dtype), session)
        return [variable.name for variable in tf.global_variables()]

    def run(self, program):
        """What comes of a program: {"static": ..., "built": error or None, "nodes": ..., "runs": [...]}."""
        tf = self._module
        outcome = {"static": {}, "built": None, "nodes": None, "runs": []}
        with tf.Graph().as_default() as graph:
            if program.get("seed") is not None:
                tf.set_random_seed(program["seed"])
            names = {}
            try:
                self.steps(program["steps"], names, outcome["static"])
            except _StepFailed as failed:
                outcome["built"] = dict(describe_error(failed.cause), step=failed.step)
                return outcome
            if program.get("nodes"):
                outcome["nodes"] = [[op.name, op.type] for op in graph.get_operations()]
            config = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
            # Folding constants hides the errors of their nodes.
            config.graph_options.optimizer_options.opt_level = -1
            config.graph_options.rewrite_options.disable_meta_optimizer = True
            with tf.Session(graph=graph, config=config) as session:
                for run in program["runs"]:
                    try:
                        feed = {self.value(k, names): self.value(v, names) for k, v in run.get("feed", [])}
                        if "fill" in run:
                            fetched = self._filled(session, run["fill"])
                        elif "differences" in run:
                            fetched = self._numeric(session, run, names, feed)
                        else:
                            fetched = session.run(self.value(run["fetch"], names), feed)
                        outcome["runs"].append({"values": list(_flat(fetched))})
                    except Exception as error:
                        outcome["runs"].append(describe_error(error))
        return outcome


def describe_error(error):
    """{"error": the class and its bases, "message": its beginning}."""
    bases = [base.__name__ for base in type(error).__mro__ if base not in (BaseException, object)]
    return {"error": bases, "message": str(error)[:_MESSAGE_LENGTH]}


def _flat(value):
    """The fetched values in order, each as {"dtype", "shape", "bytes" or "texts"}."""
    if value is None:
        yield None
    elif isinstance(value, dict):
        for key in sorted(value):
            yield from _flat(value[key])
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _flat(item)
    else:
        yield encode(value)


def encode(value):
    """A fetched value as data: bytes in base64, strings as Latin-1 text."""
    array = np.asarray(value)
    if array.dtype.kind in "OSU":
        texts = [x.decode("latin-1") if isinstance(x, bytes) else str(x) for x in array.reshape(-1).tolist()]
        return {"dtype": "string", "shape": list(array.shape), "texts": texts}
    name = array.dtype.name
    if name == "bfloat16" or array.dtype.kind == "V":
        return {"dtype": name, "shape": list(array.shape), "bytes": _text(array.astype(np.float32))}
    return {"dtype": name, "shape": list(array.shape), "bytes": _text(array)}


def _text(array):
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode("ascii")
