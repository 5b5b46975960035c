"""Small valid files of every format that programs read, the readers of these, and ways to damage bytes."""

from __future__ import annotations

import contextlib
import functools
import gzip
import io
import pathlib
import struct
import tempfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import ferroflow as tf
from ferroflow.command_line import main as command_line

_SEEDS = pathlib.Path(__file__).parents[2] / "fuzz" / "seeds"
_COMPRESSIONS = tf.python_io.TFRecordCompressionType
_TENSOR_TYPES = [tf.float32, tf.float16, tf.int32, tf.bool, tf.complex64, tf.string]
# Long enough for any undamaged step here; a damaged number of rounds may take years.
_MILLISECONDS = 2000


@dataclass(frozen=True)
class Edit:
    """One damage.

    Attributes:
        kind: str, one of `KINDS`.
        place: float in [0, 1), where, as a share of the length.
        data: bytes, what is written or inserted; its length is that of what is left out.
    """

    kind: str
    place: float
    data: bytes


KINDS = ("flip", "write", "insert", "remove", "cut", "repeat")


def damaged(content: bytes, edits: list[Edit]) -> bytes:
    """Applies edits one after the other."""
    for edit in edits:
        at = int(edit.place * len(content))
        size = len(edit.data)
        before, after = content[:at], content[at:]
        content = {
            "flip": lambda b=before, a=after, d=edit.data: (
                b + bytes(x ^ y for x, y in zip(a, d, strict=False)) + a[len(d) :]
            ),
            "write": lambda b=before, a=after, d=edit.data: b + d + a[len(d) :],
            "insert": lambda b=before, a=after, d=edit.data: b + d + a,
            "remove": lambda b=before, a=after, n=size: b + a[n:],
            "cut": lambda b=before: b,
            "repeat": lambda b=before, a=after, n=size: b + a[:n] + a,
        }[edit.kind]()
    return content


@dataclass(frozen=True)
class Format:
    """A kind of file.

    Attributes:
        valid: list of bytes, small valid files.
        read: reads a file; its result is not looked at.
        refused: the classes of exceptions that a damaged file may raise.
        sealed: makes the checksums of a damaged file right again, so that the damage gets past them; None: none.
        is_named: whether these exceptions name the file.
    """

    valid: Callable[[], list[bytes]]
    read: Callable[[bytes], object]
    refused: tuple[type[BaseException], ...]
    sealed: Callable[[bytes], bytes] | None = None
    is_named: bool = False


INVALID = (tf.errors.InvalidArgumentError, tf.errors.ResourceExhaustedError, tf.errors.UnimplementedError)
LOST = (tf.errors.DataLossError, tf.errors.ResourceExhaustedError, tf.errors.UnimplementedError)


def _op(build: Callable[[Any], Any]) -> Callable[[bytes], object]:
    @functools.cache
    def step() -> Callable[[bytes], object]:
        graph = tf.Graph()
        with graph.as_default():
            fed = tf.placeholder(tf.string, [])
            fetched = build(fed)
        session = tf.Session(graph=graph)
        return lambda content: session.run(fetched, {fed: content})

    return lambda content: step()(content)


def _seeds(target: str, *prefixes: str) -> Callable[[], list[bytes]]:
    def read() -> list[bytes]:
        found = [f.read_bytes()[1:] for f in sorted((_SEEDS / target).iterdir()) if f.name.startswith(prefixes)]
        assert found
        return found

    return read


def _sealed_png(content: bytes) -> bytes:
    """The file with the lengths and checksums of its chunks as they must be, as far as it can be told."""
    if not content.startswith(b"\x89PNG"):
        return content
    out, at = content[:8], 8
    while at + 8 <= len(content):
        (size,) = struct.unpack(">I", content[at : at + 4])
        kind = content[at + 4 : at + 8]
        # A chunk that was made longer or shorter ends where the next one begins.
        ends = [i - 4 for k in (b"PLTE", b"tRNS", b"IDAT", b"IEND") if (i := content.find(k, at + 12)) > 0]
        end = min([e - 4 for e in ends], default=at + 8 + size) if kind != b"IEND" else at + 8 + size
        body = content[at + 8 : max(end, at + 8)]
        out += struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        at = max(end, at + 8) + 4
    return out


def _features() -> tf.train.Features:
    feature = tf.train.Feature
    return tf.train.Features(
        feature={
            "a": feature(int64_list=tf.train.Int64List(value=[1, 2])),
            "b": feature(float_list=tf.train.FloatList(value=[1.5, 2.0])),
            "c": feature(bytes_list=tf.train.BytesList(value=[b"x"])),
        }
    )


def _example() -> bytes:
    return bytes(tf.train.Example(features=_features()).SerializeToString())


def _sequence() -> bytes:
    steps = [tf.train.Feature(float_list=tf.train.FloatList(value=[x])) for x in (1.0, 2.0)]
    lists = tf.train.FeatureLists(feature_list={"s": tf.train.FeatureList(feature=steps)})
    return bytes(tf.train.SequenceExample(context=_features(), feature_lists=lists).SerializeToString())


_FIXED = {"a": tf.FixedLenFeature([2], tf.int64), "b": tf.VarLenFeature(tf.float32)}


def _parsed_examples(content: Any) -> Any:
    return tf.parse_example(
        tf.expand_dims(content, 0), {**_FIXED, "c": tf.FixedLenSequenceFeature([], tf.string, allow_missing=True)}
    )


def _parsed_sequence(content: Any) -> Any:
    steps = {"s": tf.FixedLenSequenceFeature([1], tf.float32)}
    return tf.parse_single_sequence_example(content, _FIXED, steps)


def _tensors() -> list[bytes]:
    arrays = [
        np.array([[b"a", b"bc"]], object) if t == tf.string else np.arange(3).astype(t.as_numpy_dtype)
        for t in _TENSOR_TYPES
    ]
    whole = [tf.make_tensor_proto(a) for a in arrays]
    repeated = [tf.make_tensor_proto(a.ravel()[1], shape=[3, 2]) for a in arrays]
    return [bytes(message.SerializeToString()) for message in whole + repeated]


def _parsed(kind: Any, content: bytes) -> Any:
    """A message; None where protobuf itself refuses the bytes."""
    try:
        return kind.FromString(content)
    except Exception as error:
        # protobuf's classes of errors differ by its implementations.
        if type(error).__name__ == "DecodeError":
            return None
        raise


def _tensor_proto() -> Any:
    return type(tf.make_tensor_proto(1.0))


def _read_tensor(content: bytes) -> object:
    message = _parsed(_tensor_proto(), content) or tf.make_tensor_proto(1.0)
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(tf.parse_tensor(content, tf.as_dtype(message.dtype or tf.float32)))


@functools.cache
def _sparse() -> list[bytes]:
    with tf.Graph().as_default(), tf.Session() as session:
        value = tf.SparseTensor([[0, 1], [2, 3]], [1.0, 2.0], [3, 4])
        return [bytes(x) for x in session.run(tf.serialize_sparse(value))]


def _sparse_reader(which: int) -> Callable[[bytes], object]:
    def build(content: Any) -> Any:
        parts = [content if i == which else tf.constant(x) for i, x in enumerate(_sparse())]
        return tf.deserialize_many_sparse(tf.expand_dims(tf.stack(parts), 0), tf.float32, rank=2)

    return _op(build)


@functools.cache
def folder() -> pathlib.Path:
    """A folder for the damaged files of this process."""
    return pathlib.Path(tempfile.mkdtemp())


def _file(read: Callable[[str], object], name: str) -> Callable[[bytes], object]:
    def of_content(content: bytes) -> object:
        path = folder() / name
        path.write_bytes(content)
        return read(str(path))

    return of_content


@functools.cache
def _crc_table() -> list[int]:
    """CRC32C's table of bytes."""
    table = list(range(256))
    for _ in range(8):
        table = [x >> 1 ^ (0x82F63B78 if x & 1 else 0) for x in table]
    return table


def _masked(content: bytes) -> bytes:
    """The checksum of records and blocks."""
    crc, table = 0xFFFFFFFF, _crc_table()
    for byte in content:
        crc = table[(crc ^ byte) & 255] ^ crc >> 8
    crc ^= 0xFFFFFFFF
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


@functools.cache
def _records(compression: Any) -> bytes:
    path = str(folder() / "records")
    with tf.python_io.TFRecordWriter(path, tf.python_io.TFRecordOptions(compression)) as writer:
        for record in (b"abc", b"", _example()):
            writer.write(record)
    return pathlib.Path(path).read_bytes()


def _listed(compression: Any) -> Callable[[str], object]:
    options = tf.python_io.TFRecordOptions(compression)
    return lambda path: list(tf.python_io.tf_record_iterator(path, options))


def _dataset(make: Callable[[Any], Any]) -> Callable[[str], object]:
    def read(path: str) -> object:
        with tf.Graph().as_default(), tf.Session() as session:
            following = make(path).make_one_shot_iterator().get_next()
            found = []
            with contextlib.suppress(tf.errors.OutOfRangeError):
                while True:
                    found.append(session.run(following))
            return found

    return read


@functools.cache
def _events() -> bytes:
    where = folder() / "logs"
    with tf.Graph().as_default() as graph:
        tf.constant(1.0)
        with tf.summary.FileWriter(str(where), graph) as writer:
            writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag="loss", simple_value=1.0)]), 1)
    (file,) = where.iterdir()
    return file.read_bytes()


def _variables() -> None:
    tf.Variable(np.arange(4.0), name="a/w")
    tf.Variable([b"x", b"yy"], name="s")
    tf.get_variable("part", [3], partitioner=tf.fixed_size_partitioner(2))


@functools.cache
def _checkpoint() -> dict[str, bytes]:
    where = folder() / "saved"
    where.mkdir()
    with tf.Graph().as_default(), tf.Session() as session:
        _variables()
        session.run(tf.global_variables_initializer())
        for version in (1, 2):
            saver = tf.train.Saver(write_version=version)
            saver.save(session, str(where / f"v{version}"), write_state=False, write_meta_graph=version == 2)
    return {file.name: file.read_bytes() for file in where.iterdir()}


def _read_checkpoint(prefix: str) -> object:
    reader = tf.train.NewCheckpointReader(prefix)
    reader.debug_string()
    reader.get_variable_to_dtype_map()
    return {name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()}


def _restore(prefix: str) -> object:
    with tf.Graph().as_default(), tf.Session() as session:
        _variables()
        tf.train.Saver().restore(session, prefix)
        return session.run(tf.global_variables())


def _checkpoint_file(name: str, prefix: str, read: Callable[[str], object]) -> Callable[[bytes], object]:
    def of_content(content: bytes) -> object:
        for other, whole in _checkpoint().items():
            (folder() / other).write_bytes(content if other == name else whole)
        return read(str(folder() / prefix))

    return of_content


def _varint(content: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = content[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def _sealed_table(content: bytes) -> bytes:
    """A table with the checksums of its blocks made right, as far as its footer tells where these are."""
    sealed = bytearray(content)
    with contextlib.suppress(IndexError, ValueError):
        at = len(sealed) - 48
        handles = []
        for _ in range(2):
            offset, at = _varint(sealed, at)
            size, at = _varint(sealed, at)
            handles.append((offset, size))
        handles.append((0, min(offset for offset, _ in handles) - 5))
        for offset, size in handles:
            if size >= 0 and offset + size + 5 <= len(sealed):
                sealed[offset + size + 1 : offset + size + 5] = _masked(bytes(sealed[offset : offset + size + 1]))
    return bytes(sealed)


def _sealed_record(content: bytes) -> bytes:
    """A record file whose first record is this."""
    length = struct.pack("<Q", len(content))
    return length + _masked(length) + content + _masked(content)


def _graph_def() -> bytes:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 4], name="x")
        y = tf.matmul(x, tf.constant(np.arange(8, dtype=np.float32).reshape(4, 2)))
        y = tf.cond(tf.reduce_sum(y) > 0.0, lambda: y + 1.0, lambda: y - 1.0)
        tf.while_loop(lambda i, _: i < 2, lambda i, v: (i + 1, v * 2.0), [0, y], [tf.TensorShape([]), y.shape])
        tf.fill([2, 3], 1.0, name="y")
        return bytes(graph.as_graph_def(add_shapes=True).SerializeToString(deterministic=True))


def _run_graph(content: bytes) -> object:
    message = _parsed(tf.GraphDef, content)
    if message is None:
        return None
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(message, name="")
        if "y" not in {op.name for op in graph.get_operations()}:
            return None
        with tf.Session() as session:
            return session.run(graph.get_operation_by_name("y"), options=tf.RunOptions(timeout_in_ms=_MILLISECONDS))


def _import_meta_graph(path: str) -> object:
    with tf.Graph().as_default():
        return tf.train.import_meta_graph(path)


def _command(*arguments: str) -> Callable[[str], object]:
    """A command's failure that tells of a file, as an exception."""

    def read(path: str) -> object:
        said = io.StringIO()
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
            code = command_line.main([argument.replace("PATH", path) for argument in arguments])
        if code:
            assert code in (1, 2), code
            raise tf.errors.DataLossError(None, None, said.getvalue())
        return code

    return read


def _npz() -> list[bytes]:
    out = []
    for save in (np.savez, np.savez_compressed):
        file = io.BytesIO()
        save(file, a=np.arange(4.0), **{"c/d": np.zeros((2, 0), np.int32)})
        out.append(file.getvalue())
    return out


def _small_model() -> Any:
    return tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(3,))])


@functools.cache
def _model_files() -> tuple[bytes, bytes]:
    weights, model = folder() / "weights.h5", folder() / "model.h5"
    with tf.Graph().as_default(), tf.Session():
        small = _small_model()
        small.save_weights(str(weights))
        small.save(str(model))
    return weights.read_bytes(), model.read_bytes()


def _load_weights(path: str) -> None:
    with tf.Graph().as_default(), tf.Session():
        _small_model().load_weights(path)


def _load_model(path: str) -> None:
    with tf.Graph().as_default(), tf.Session():
        tf.keras.models.load_model(path)


@functools.cache
def _saved_models() -> dict[str, bytes]:
    """The files of a SavedModel with a graph and an asset, and of one with objects."""
    words, graphs, objects = folder() / "saved_words", folder() / "graphs", folder() / "objects"
    words.write_text("a\nb\n")
    with tf.Graph().as_default(), tf.Session() as session:
        fed = tf.placeholder(tf.string, [None], name="x")
        table = tf.contrib.lookup.index_table_from_file(str(words))
        found = tf.identity(table.lookup(fed) + tf.Variable(1, dtype=tf.int64), name="y")
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        initializer = tf.tables_initializer()
        tf.saved_model.simple_save(session, str(graphs), {"x": fed}, {"y": found}, legacy_init_op=initializer)
    with tf.Graph().as_default(), tf.Session() as session:
        module = tf.Module()
        module.v, module.held = tf.Variable([1.0, 2.0], use_resource=True), [tf.Variable(3.0, use_resource=True)]
        session.run(tf.global_variables_initializer())
        module.f = tf.function(lambda x: module.v * x, input_signature=[tf.TensorSpec([], tf.float32)])
        tf.saved_model.save(module, str(objects))
    files = [file for where in (graphs, objects) for file in where.rglob("*") if file.is_file()]
    return {str(file.relative_to(folder())): file.read_bytes() for file in files}


def _load_graphs(prefix: str) -> object:
    limit = tf.RunOptions(timeout_in_ms=_MILLISECONDS)
    with tf.Graph().as_default(), tf.Session() as session:
        signature = tf.saved_model.loader.load(session, ["serve"], prefix).signature_def["serving_default"]
        fed = signature.inputs["x"].name
        return session.run(signature.outputs["y"].name, {fed: ["a"]}, options=limit)


def _load_objects(prefix: str) -> object:
    with tf.Graph().as_default(), tf.Session() as session:
        loaded = tf.saved_model.load_v2(prefix)
        session.run(tf.global_variables_initializer())
        results = loaded.signatures["serving_default"](tf.constant(2.0))
        return session.run(results, options=tf.RunOptions(timeout_in_ms=_MILLISECONDS))


def _saved_model_file(name: str, read: Callable[[str], object]) -> Callable[[bytes], object]:
    def of_content(content: bytes) -> object:
        for other, whole in _saved_models().items():
            (folder() / other).write_bytes(content if other == name else whole)
        return read(str(folder() / pathlib.Path(name).parts[0]))

    return of_content


def _tracked() -> tuple[Any, Any]:
    module = tf.Module()
    module.v, module.held = tf.Variable([1.0, 2.0], use_resource=True), [tf.Variable(3.0, use_resource=True)]
    optimizer = tf.train.AdamOptimizer()
    optimizer.minimize(tf.reduce_sum(module.v.read_value()))
    return module, tf.train.Checkpoint(module=module, optimizer=optimizer)


@functools.cache
def _saved_objects() -> dict[str, Any]:
    with tf.Graph().as_default(), tf.Session() as session:
        _, checkpoint = _tracked()
        session.run(tf.global_variables_initializer())
        reader = tf.train.NewCheckpointReader(checkpoint.save(str(folder() / "tracked"), session))
    return {name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()}


_OBJECTS = "_CHECKPOINTABLE_OBJECT_GRAPH"


def _restore_objects(content: bytes) -> object:
    prefix = str(folder() / "damaged_objects")
    with tf.Graph().as_default(), tf.Session() as session:
        names = list(_saved_objects())
        values = [content if name == _OBJECTS else _saved_objects()[name] for name in names]
        slices = [""] * len(names)
        session.run(tf.raw_ops.SaveV2(prefix=prefix, tensor_names=names, shape_and_slices=slices, tensors=values))
    with tf.Graph().as_default(), tf.Session() as session:
        module, checkpoint = _tracked()
        checkpoint.restore(prefix).initialize_or_restore(session)
        return session.run(module.v)


def _vocabulary(path: str) -> object:
    with tf.Graph().as_default(), tf.Session() as session:
        to_index = tf.contrib.lookup.index_table_from_file(path, num_oov_buckets=1)
        to_text = tf.contrib.lookup.index_to_string_table_from_file(path)
        session.run(tf.tables_initializer())
        return session.run([to_index.lookup(tf.constant(["a"])), to_text.lookup(tf.constant([0, 5], tf.int64))])


_ZLIB = [zlib.compress(b"hello" * 20)]
_GZIP = [gzip.compress(b"hello" * 20), gzip.compress(b"a") + gzip.compress(b"b")]
_GRAPH_ERRORS = (
    *INVALID,
    tf.errors.DataLossError,
    *(ValueError, TypeError, KeyError, tf.errors.NotFoundError, tf.errors.DeadlineExceededError),
    *(tf.errors.FailedPreconditionError, tf.errors.OutOfRangeError),
)


def _text_op(name: str, valid: list[bytes], build: Callable[[Any], Any], refused: Any = INVALID) -> dict[str, Format]:
    return {name: Format(lambda: valid, _op(build), refused)}


def _checkpoint_formats() -> dict[str, Format]:
    found = {}
    for name, prefix, sealed in [
        ("v2.index", "v2", _sealed_table),
        ("v2.data-00000-of-00001", "v2", None),
        ("v1", "v1", _sealed_table),
    ]:
        refused = (*LOST, tf.errors.InvalidArgumentError, tf.errors.NotFoundError)
        for kind, read in (("read", _read_checkpoint), ("restored", _restore)):
            for how in {None, sealed}:
                key = f"checkpoint {name} {kind}{' with right checksums' if how else ''}"
                valid = functools.partial(lambda n: [_checkpoint()[n]], name)
                found[key] = Format(valid, _checkpoint_file(name, prefix, read), refused, how, kind == "read")
    return found


def _tensor_formats() -> dict[str, Format]:
    return {
        "TensorProto": Format(_tensors, _read_tensor, (*INVALID, ValueError, TypeError)),
        **{
            f"sparse {part}": Format(functools.partial(lambda i: [_sparse()[i]], i), _sparse_reader(i), INVALID)
            for i, part in enumerate(["indices", "values", "shape"])
        },
    }


def _record_formats() -> dict[str, Format]:
    found = {}
    for name in ("NONE", "ZLIB", "GZIP"):
        compression = getattr(_COMPRESSIONS, name)
        text = "" if name == "NONE" else name
        valid = functools.partial(lambda c: [_records(c)], compression)
        found[f"records {name}"] = Format(valid, _file(_listed(compression), "records"), LOST, None, True)
        as_dataset = _dataset(functools.partial(lambda t, path: tf.data.TFRecordDataset(path, t), text))
        found[f"records {name} as a dataset"] = Format(valid, _file(as_dataset, "records"), LOST)
        lines = {"NONE": [b"one\ntwo\r\nthree"], "ZLIB": _ZLIB, "GZIP": _GZIP}[name]
        as_lines = _dataset(functools.partial(lambda t, path: tf.data.TextLineDataset(path, t), text))
        found[f"lines {name}"] = Format(functools.partial(list, lines), _file(as_lines, "lines"), LOST)
    return found


FORMATS: dict[str, Format] = {
    **{
        f"png of {channels} channels{' with right checksums' if sealed else ''}": Format(
            _seeds("picture_decoder", "png", "image_png"),
            _op(functools.partial(lambda c, x: tf.image.decode_png(x, channels=c), channels)),
            INVALID,
            sealed,
        )
        for channels in (0, 1, 3, 4)
        for sealed in (None, _sealed_png)
    },
    "jpeg": Format(_seeds("picture_decoder", "jpeg", "image_jpeg"), _op(tf.image.decode_jpeg), INVALID),
    "shape of a jpeg": Format(_seeds("picture_decoder", "jpeg"), _op(tf.image.extract_jpeg_shape), INVALID),
    "window of a jpeg": Format(
        _seeds("picture_decoder", "jpeg"), _op(lambda x: tf.image.decode_and_crop_jpeg(x, [1, 1, 2, 2])), INVALID
    ),
    "gif": Format(_seeds("picture_decoder", "gif", "image_gif"), _op(tf.image.decode_gif), INVALID),
    "bmp": Format(_seeds("picture_decoder", "bmp", "image_bmp"), _op(tf.image.decode_bmp), INVALID),
    "picture": Format(
        _seeds("picture_decoder", "image_gif", "image_jpeg", "image_png", "png_palette", "gif"),
        _op(tf.image.decode_image),
        INVALID,
        _sealed_png,
    ),
    **_text_op("zlib", _ZLIB, lambda x: tf.decode_compressed(x, "ZLIB"), LOST),
    **_text_op("gzip", _GZIP, lambda x: tf.decode_compressed(x, "GZIP"), LOST),
    **_text_op("csv", [b'1,2.5,"a ""q"" b",7'], lambda x: tf.decode_csv(x, [[0], [0.0], [""], [1]])),
    **_text_op("base64", [b"aGVsbG8_-g"], tf.decode_base64),
    **_text_op("number", [b"-1.5e3", b"0x1F"], lambda x: [tf.string_to_number(x), tf.string_to_number(x, tf.float64)]),
    **_text_op("integer", [b"-123"], lambda x: tf.string_to_number(x, tf.int32)),
    **_text_op("raw numbers", [b"12345678"], lambda x: tf.decode_raw(tf.expand_dims(x, 0), tf.int32)),
    "Example": Format(lambda: [_example()], _op(_parsed_examples), INVALID),
    "one Example": Format(lambda: [_example()], _op(lambda x: tf.parse_single_example(x, _FIXED)), INVALID),
    "SequenceExample": Format(lambda: [_sequence()], _op(_parsed_sequence), INVALID),
    "Example in JSON": Format(_seeds("example_parser", "json"), _op(tf.decode_json_example), INVALID),
    **_tensor_formats(),
    **_record_formats(),
    "records of a fixed length": Format(
        lambda: [b"0123456789a"],
        _file(_dataset(lambda path: tf.data.FixedLengthRecordDataset(path, 3, 1, 1)), "fixed"),
        (*LOST, tf.errors.InvalidArgumentError),
    ),
    "events": Format(
        lambda: [_events()], _file(lambda path: list(tf.train.summary_iterator(path)), "events"), LOST, None, True
    ),
    "event with right checksums": Format(
        lambda: [
            tf.Event(
                step=3, summary=tf.Summary(value=[tf.Summary.Value(tag="a", simple_value=1.0)])
            ).SerializeToString()
        ],
        _file(lambda path: list(tf.train.summary_iterator(path)), "events"),
        LOST,
        _sealed_record,
        True,
    ),
    **_checkpoint_formats(),
    "MetaGraphDef": Format(
        lambda: [_checkpoint()["v2.meta"]], _file(_import_meta_graph, "damaged.meta"), (*_GRAPH_ERRORS, OSError)
    ),
    "npz": Format(_npz, _file(_command("convert", "PATH", "PATH.safetensors"), "damaged.npz"), LOST, None, True),
    "weights of Keras": Format(lambda: [_model_files()[0]], _file(_load_weights, "damaged.h5"), (*LOST, ValueError)),
    "model of Keras": Format(lambda: [_model_files()[1]], _file(_load_model, "damaged.h5"), (*LOST, ValueError)),
    "vocabulary": Format(
        lambda: [b"a\nb\nc\n"], _file(_vocabulary, "words"), (*INVALID, tf.errors.FailedPreconditionError)
    ),
    "GraphDef": Format(lambda: [_graph_def()], _run_graph, _GRAPH_ERRORS),
    "SavedModel": Format(
        lambda: [_saved_models()["graphs/saved_model.pb"]],
        _saved_model_file("graphs/saved_model.pb", _load_graphs),
        (*_GRAPH_ERRORS, OSError, RuntimeError),
    ),
    "SavedModel of objects": Format(
        lambda: [_saved_models()["objects/saved_model.pb"]],
        _saved_model_file("objects/saved_model.pb", _load_objects),
        (*_GRAPH_ERRORS, OSError),
    ),
    "objects of a checkpoint": Format(
        lambda: [bytes(_saved_objects()[_OBJECTS])],
        _restore_objects,
        (*LOST, ValueError, tf.errors.NotFoundError, tf.errors.InvalidArgumentError),
    ),
}
