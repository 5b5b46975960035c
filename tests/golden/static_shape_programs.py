"""Static shapes and build errors of a few ops, the same programs for every module with TF1's functions."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any


def _arrays(tf: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    """TensorArrays with and without a shape of their elements, written element by element or at once."""

    def read(array: Any) -> list[Any]:
        some, any_number = tf.placeholder(tf.int32, [2]), tf.placeholder(tf.int32)
        gradients = array.grad("g")
        return [
            *(array.read(0), array.stack(), array.concat(), array.gather([0, 1])),
            *(array.gather(some), array.gather(any_number), array.size(), array.flow),
            *(gradients.read(0), gradients.stack(), gradients.concat()),
        ]

    def written(infer: bool, element: Any, values: Any) -> Callable[[], Any]:
        def build() -> list[Any]:
            array = tf.TensorArray(tf.float32, 3, infer_shape=infer, element_shape=element)
            for place, shape in enumerate(values):
                array = array.write(place, tf.placeholder(tf.float32, shape))
            return read(array)

        return build

    def filled(infer: bool, element: Any, value: Any, way: str) -> Callable[[], Any]:
        def build() -> list[Any]:
            array = tf.TensorArray(tf.float32, 3, infer_shape=infer, element_shape=element)
            fed = tf.placeholder(tf.float32, value)
            ways = {
                "unstack": lambda: array.unstack(fed),
                "scatter": lambda: array.scatter([0, 1, 2], fed),
                "split": lambda: array.split(fed, [1, 1, 1]),
                "split unevenly": lambda: array.split(fed, [1, 2, 0]),
                "split by fed lengths": lambda: array.split(fed, tf.placeholder(tf.int64, [3])),
            }
            return read(ways[way]())

        return build

    def scattered(element: Any, indices: Any, value: Any) -> Callable[[], Any]:
        def build() -> list[Any]:
            more = {"dynamic_size": True, "clear_after_read": False, "identical_element_shapes": True}
            made = tf.raw_ops.TensorArrayV3(
                size=4, dtype=tf.float32, element_shape=element, tensor_array_name="", **more
            )
            rows = {"indices": tf.placeholder(tf.int32, indices), "value": tf.placeholder(tf.float32, value)}
            return [tf.raw_ops.TensorArrayScatterV3(handle=made[0], flow_in=made[1], **rows)]

        return build

    values = [None, [], [3], [3, 2], [0, 2], [None, 2], [3, None], [3, 2, 1], [3, 5]]
    for element, indices, value in itertools.product([None, [2], [None]], [None, [], [3], [0], [3, 1]], values):
        yield f"TensorArrayScatterV3 {element} {indices} {value}", scattered(element, indices, value)
    elements = [None, [2], [None], [2, None], []]
    values = [[a] for a in (None, [2], [2, 2], [None], [])] + [[a, b] for a in (None, [2], [None]) for b in ([2], [3])]
    for infer, element, value in itertools.product([True, False], elements, values):
        yield f"TensorArray infer {infer} of {element}, written {value}", written(infer, element, value)
    ways = ["unstack", "scatter", "split", "split unevenly", "split by fed lengths"]
    for infer, element, value, way in itertools.product([True, False], [None, [None], [1, 4]], [None, [3, 4]], ways):
        yield f"TensorArray infer {infer} of {element}, {way} {value}", filled(infer, element, value, way)


def _pictures(tf: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    shapes = [
        None,
        [None] * 4,
        [2, 4, 5, 3],
        [None, 5, 4, 1],
        [2, 4, 5, None],
        [4, 5, 3],
        [4, 5, None],
        [4, 5, 1],
        [3],
        [],
    ]
    boxes = [None, [None, None, 4], [2, 7, 4], [None, 7, None], [2, 4], [2, 7, 3], [3, 7, 4]]

    def drawn(shape: Any, box: Any) -> Callable[[], Any]:
        return lambda: [
            tf.image.draw_bounding_boxes(tf.placeholder(tf.float32, shape), tf.placeholder(tf.float32, box))
        ]

    def colored(shape: Any) -> Callable[[], Any]:
        return lambda: [tf.image.grayscale_to_rgb(tf.placeholder(tf.float32, shape))]

    def cut(shape: Any, size: int, padding: str) -> Callable[[], Any]:
        sizes = {"ksizes": [1, size, 3, 1], "strides": [1, 2, 1, 1], "rates": [1, 1, 2, 1], "padding": padding}
        return lambda: [tf.extract_image_patches(tf.placeholder(tf.float32, shape), **sizes)]

    for shape, box in itertools.product(shapes, boxes):
        yield f"draw_bounding_boxes {shape} {box}", drawn(shape, box)
    for shape in shapes:
        yield f"grayscale_to_rgb {shape}", colored(shape)
    for shape, size, padding in itertools.product(shapes, [2, 5, 9], ["VALID", "SAME"]):
        yield f"extract_image_patches {shape} {size} {padding}", cut(shape, size, padding)


def _scattered(tf: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    def program(indices: Any, updates: Any, shape: Any) -> Callable[[], Any]:
        return lambda: [
            tf.scatter_nd(
                tf.placeholder(tf.int32, indices), tf.placeholder(tf.float32, updates), tf.constant(shape, tf.int32)
            )
        ]

    indices = [None, [1, 1], [2, 1], [None, 2], [2, 0], [1, 3], [2], [], [0, 1]]
    updates = [None, [1], [2], [None], [2, 3], [1, 3], [1, None], [], [0]]
    for parts in itertools.product(indices, updates, [[3], [4, 3], [0], [-3], [[3]], 3]):
        yield "scatter_nd {} {} {}".format(*parts), program(*parts)


def _put(tf: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Slices that indices put into a tensor or a variable, by ops of their own names."""

    def program(op: str, into: Any, indices: Any, updates: Any) -> Callable[[], Any]:
        def build() -> list[Any]:
            slices = {"indices": tf.placeholder(tf.int32, indices), "updates": tf.placeholder(tf.float32, updates)}
            if op.startswith("ScatterNdNonAliasing"):
                slices["input"] = tf.placeholder(tf.float32, into)
            elif op.startswith("Tensor"):
                slices["tensor"] = tf.placeholder(tf.float32, into)
            else:
                maker = tf.raw_ops.VarHandleOp if op.startswith("Resource") else tf.raw_ops.VariableV2
                slices["ref"] = maker(shape=into, dtype=tf.float32, container="", shared_name="v")
            made = getattr(tf.raw_ops, op)(**slices)
            return [made] if hasattr(made, "shape") else []

        return build

    ops = [
        *("TensorScatterAdd", "TensorScatterSub", "TensorScatterUpdate", "ScatterNdNonAliasingAdd"),
        *("ScatterNdAdd", "ScatterNdSub", "ScatterNdUpdate"),
        *("ResourceScatterNdAdd", "ResourceScatterNdSub", "ResourceScatterNdUpdate"),
    ]
    parts = [
        [None, [], [4], [4, 3], [0]],
        [None, [], [1], [2, 1], [2, 2], [2, None]],
        [None, [], [2], [2, 3]],
    ]
    for op, (into, indices, updates) in itertools.product(ops, itertools.product(*parts)):
        if into is not None or not op.startswith("ScatterNd") or "Aliasing" in op:
            yield f"{op} {into} {indices} {updates}", program(op, into, indices, updates)


def _tables(tf: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yields lookups in the tables that raw ops make, and exports of these."""

    def table(kind: str, key: Any = (), key_type: Any = None, value_type: Any = None) -> Any:
        types = {"key_dtype": key_type or tf.int64, "value_dtype": value_type or tf.float32}
        shared = {"container": "", "shared_name": "table", "use_node_name_sharing": False}
        if kind == "MutableHashTableOfTensors":
            shared["value_shape"] = [2]
        if kind == "MutableDenseHashTable":
            del types["key_dtype"]
            shared["value_shape"] = [3]
            key = None if key is None else list(key)
            shared["empty_key"] = tf.placeholder(tf.int64, key)
            shared["deleted_key"] = tf.placeholder(tf.int64, key)
        return getattr(tf.raw_ops, f"{kind}V2")(**types, **shared)

    def found(make: Callable[[], Any], keys: Any, default: Any) -> Callable[[], Any]:
        return lambda: [
            tf.raw_ops.LookupTableFindV2(
                table_handle=make(),
                keys=tf.placeholder(tf.int64, keys),
                default_value=tf.placeholder(tf.float32, default),
            )
        ]

    def exported(kind: str) -> Callable[[], Any]:
        return lambda: list(
            tf.raw_ops.LookupTableExportV2(table_handle=table(kind), Tkeys=tf.int64, Tvalues=tf.float32)
        )

    def looped() -> list[Any]:
        handle, keys = table("MutableHashTable"), tf.placeholder(tf.int64, [2])

        def body(i: Any, x: Any) -> Any:
            default = tf.reduce_sum(x)
            return i + 1, tf.raw_ops.LookupTableFindV2(table_handle=handle, keys=keys, default_value=default)

        return list(tf.while_loop(lambda i, x: i < 3, body, [0, tf.constant([0.0, 1.0])]))

    kinds = ["HashTable", "MutableHashTable", "MutableHashTableOfTensors", "MutableDenseHashTable"]
    for kind, keys, default in itertools.product(kinds, [None, [], [2], [None, 2], [4, None]], [None, [], [2], [1, 1]]):
        yield f"LookupTableFind in {kind} {keys} {default}", found(lambda kind=kind: table(kind), keys, default)
    for key, keys in itertools.product([None, [], [2], [None], [2, 4]], [None, [], [2], [4, 2], [4, 3]]):
        yield (
            f"LookupTableFind by keys of {key} {keys}",
            found(lambda key=key: table("MutableDenseHashTable", key), keys, [3]),
        )
    for kind, (key_type, value_type) in itertools.product(kinds[:3], [(tf.string, tf.float32), (tf.int64, tf.int64)]):
        other = lambda kind=kind, types=(key_type, value_type): table(kind, (), *types)  # noqa: E731
        yield f"LookupTableFind in {kind} from {key_type.name} to {value_type.name}", found(other, [2], None)
    yield "LookupTableFind through an identity", found(lambda: tf.identity(table("MutableHashTable")), [2], [])
    yield "LookupTableFind in a loop", looped
    for kind in kinds[1:]:
        yield f"LookupTableExport of {kind}", exported(kind)


def _biased(tf: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    def program(shape: Any, bias: Any) -> Callable[[], Any]:
        def build() -> list[Any]:
            levels, biases = (tf.bitcast(tf.placeholder(tf.uint8, part), tf.quint8) for part in (shape, bias))
            bounds = dict.fromkeys(("min_input", "max_input", "min_bias", "max_bias"), 1.0)
            return list(tf.raw_ops.QuantizedBiasAdd(input=levels, bias=biases, out_type=tf.qint32, **bounds))

        return build

    shapes = [None, [2], [None, None], [2, 3], [2, None, 4, None], [2, 4, 5, 3]]
    for shape, bias in itertools.product(shapes, [None, [], [None], [3], [4], [3, 1]]):
        yield f"QuantizedBiasAdd {shape} {bias}", program(shape, bias)


def _padded(tf: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    def program(length: int, dtype: str) -> Callable[[], Any]:
        texts = {"input_bytes": ["abcd"], "fixed_length": length}
        return lambda: [tf.raw_ops.DecodePaddedRaw(**texts, out_type=tf.as_dtype(dtype))]

    for length, dtype in itertools.product([-4, -1, 0, 1, 2, 3, 4, 8], ["uint8", "int16", "float32", "int64"]):
        yield f"DecodePaddedRaw {length} {dtype}", program(length, dtype)


def _pools(tf: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Windows of pictures and volumes, also along channels, and their second gradients."""

    def pooled(kind: str, rank: int, sizes: Any, known: bool, first: bool) -> Callable[[], Any]:
        def build() -> list[Any]:
            shape = [2, 4, 5, 6] if rank == 4 else [2, 4, 5, 3, 6]
            options = {"ksize": sizes[0], "strides": sizes[1], "padding": sizes[2]}
            if first:
                shape = [shape[0], shape[-1], *shape[1:-1]]
                options["data_format"] = "NCHW" if rank == 4 else "NCDHW"
            x = tf.placeholder(tf.float32, shape if known else [None] * rank)
            pool = getattr(tf.nn, f"{kind}_pool" + "3d" * (rank == 5))
            y = pool(x, **options)
            return [y, *tf.gradients(y, x)] if "max" in kind else [y]

        return build

    for kind, rank, padding, window, stride in itertools.product(
        ["max", "avg"], [4, 5], ["VALID", "SAME"], [1, 2, 3, 7], [1, 2, 3]
    ):
        within, apart = [2] * (rank - 2), [2, *[1] * (rank - 3)]
        for known, first in itertools.product([True, False], [False, True]):
            ksize = [1, window, *within] if first else [1, *within, window]
            strides = [1, stride, *apart] if first else [1, *apart, stride]
            yield (
                f"{kind}_pool of rank {rank}, {padding} {ksize} {strides}, known {known}, channels first {first}",
                pooled(kind, rank, (ksize, strides, padding), known, first),
            )


def _regions(tf: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Dilations and fractional pools, whose steps and ratios the shape also uses where no kernel does."""

    def dilated(known: bool, steps: list[int], rates: list[int], padding: str) -> Callable[[], Any]:
        shape = [2, 4, 5, 6] if known else [None] * 4
        return lambda: [
            tf.nn.dilation2d(tf.placeholder(tf.float32, shape), tf.ones([2, 2, 6]), steps, rates, padding=padding)
        ]

    def pooled(known: bool, ratios: list[float]) -> Callable[[], Any]:
        shape = [2, 4, 5, 6] if known else [None] * 4
        # TF 1.x: the shapes of the two sequences lack an element.
        return lambda: [tf.nn.fractional_max_pool(tf.placeholder(tf.float32, shape), ratios)[0]]

    steps = [[1, 2, 2, 1], [1, 1, 1, 2], [3, 1, 1, 1], [1, 2, 2, 0], [-1, 1, 1, 1]]
    for known, step, padding in itertools.product([True, False], steps, ["VALID", "SAME"]):
        yield f"dilation2d, known {known}, strides {step}, {padding}", dilated(known, step, [1] * 4, padding)
        yield f"dilation2d, known {known}, rates {step}, {padding}", dilated(known, [1] * 4, step, padding)
    all_ratios = [[1, 1.5, 1.2, 1], [1, 1, 1, 2], [2, 1, 1, 1], [1, 0.5, 2, 1], [1, 2, 0, 1], [1, 1, 1, -1.5]]
    for known, ratios in itertools.product([True, False], all_ratios):
        yield f"fractional_max_pool, known {known}, {ratios}", pooled(known, [float(r) for r in ratios])


def programs(tf: Any) -> dict[str, Callable[[], Any]]:
    """The programs of a library, by name."""
    return dict(
        itertools.chain(
            _arrays(tf),
            _pictures(tf),
            _scattered(tf),
            _put(tf),
            _tables(tf),
            _biased(tf),
            _padded(tf),
            _pools(tf),
            _regions(tf),
        )
    )


def describe(tf: Any, program: Callable[[], Any]) -> Any:
    """Returns the static shapes of what a program makes, None for an unknown rank; or the name of its error's class."""
    with tf.Graph().as_default():
        try:
            made = program()
        except (ValueError, TypeError) as error:
            return type(error).__name__
        return [None if t.shape.dims is None else t.shape.as_list() for t in made]
