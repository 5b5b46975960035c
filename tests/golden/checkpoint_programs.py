"""Programs that save checkpoints and read them, for TensorFlow and for what takes its place."""

from __future__ import annotations

import os
import sys
from typing import Any

import numpy as np

_PLAIN = (
    *("float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("bool", "complex64", "complex128"),
)
# Types without NumPy twins, and those that have their bits.
_BITS = {
    "bfloat16": "uint16",
    "qint8": "int8",
    "quint8": "uint8",
    "qint16": "int16",
    "quint16": "uint16",
    "qint32": "int32",
}
# What the first format does not have.
_NOT_IN_V1 = ("bfloat16", "qint16", "quint16", "uint32", "uint64")
STRINGS = np.array([[b"", b"a"], [b"\x00\xff", b"x" * 300]], dtype=object)
WHOLE = np.arange(30, dtype=np.float32).reshape(6, 5)
# A partition whose slices leave nothing out.
SLICES = ("6 5 0,2:-", "6 5 2,4:0,3", "6 5 2,4:3,2")
PARTS = (WHOLE[:2], WHOLE[2:, :3], WHOLE[2:, 3:])


def values() -> dict[str, Any]:
    """What is saved by name: bits for types that NumPy does not know."""
    drawn = np.random.RandomState(0).randint(0, 200, (2, 3))
    found: dict[str, Any] = {dtype: (drawn % 2 if dtype == "bool" else drawn - 50).astype(dtype) for dtype in _PLAIN}
    found.update({dtype: (drawn - 50).astype(bits) for dtype, bits in _BITS.items()})
    found.update(string=STRINGS, scalar=np.float32(2.5), empty=np.zeros((0, 3), np.int32), many=np.arange(300) % 97)
    return found


def tensors(tf: Any) -> dict[str, Any]:
    """`values` as tensors."""
    found = {}
    for name, value in values().items():
        constant = tf.constant(value)
        found[name] = tf.bitcast(constant, getattr(tf, name)) if name in _BITS else constant
    return found


def bits(name: str, array: Any) -> Any:
    """The elements of a tensor as `values` has them."""
    array = np.asarray(array)
    return array.view(_BITS[name]) if name in _BITS else array


def save(tf: Any, folder: str) -> None:
    """Saves `every`, `merged` of two shards, `old` in the first format, and `saver` with its MetaGraph."""

    def path(name: str) -> str:
        return os.path.join(folder, name)

    with tf.Graph().as_default(), tf.Session() as session:
        every = tensors(tf)
        session.run(tf.raw_ops.SaveV2(prefix=path("every"), **_named(every, "tensors")))
        old = {name: tensor for name, tensor in every.items() if name not in _NOT_IN_V1}
        named = _named(old, "data")
        del named["shape_and_slices"]
        session.run(tf.raw_ops.Save(filename=path("old"), **named))
        shards = []
        for i, parts in enumerate((range(1), range(1, 3))):
            shards.append(path(f"merged_temp/part-{i:05}-of-00002"))
            held = {f"own{i}": tf.constant(i)}
            names, specs = ["w" for _ in parts], [SLICES[p] for p in parts]
            saved = tf.raw_ops.SaveV2(
                prefix=shards[-1],
                tensor_names=[*names, *held],
                shape_and_slices=[*specs, ""],
                tensors=[*(tf.constant(PARTS[p]) for p in parts), *held.values()],
            )
            session.run(saved)
        session.run(tf.raw_ops.MergeV2Checkpoints(checkpoint_prefixes=shards, destination_prefix=path("merged")))
    with tf.Graph().as_default(), tf.Session() as session:
        step = tf.Variable(7, name="step", trainable=False, use_resource=False)
        with tf.variable_scope("layer"):
            w = tf.get_variable(
                "w",
                shape=[6, 5],
                initializer=tf.zeros_initializer(),
                partitioner=tf.fixed_size_partitioner(2),
                use_resource=False,
            )
        tf.add_to_collection("doubled", tf.multiply(w, 2.0, name="doubled"))
        saver = tf.train.Saver()
        session.run(tf.global_variables_initializer())
        for part, value in zip(w, (WHOLE[:3], WHOLE[3:]), strict=True):
            part.load(value, session)
        session.run(tf.assign_add(step, 1))
        saver.save(session, path("saver"), global_step=step, write_state=False)


def _named(found: dict[str, Any], argument: str) -> dict[str, Any]:
    return {"tensor_names": list(found), "shape_and_slices": [""] * len(found), argument: list(found.values())}


def check(tf: Any, folder: str) -> None:
    """Reads what `save` saved, and holds it against what it is."""

    def path(name: str) -> str:
        return os.path.join(folder, name)

    def same(found: Any, wanted: Any, what: str) -> None:
        found = np.asarray(found)
        if not (found.shape == wanted.shape and found.tolist() == wanted.tolist()):
            raise AssertionError(f"{what}: {found} is not {wanted}")

    for file, left_out in (("every", ()), ("old", _NOT_IN_V1)):
        with tf.Graph().as_default(), tf.Session() as session:
            held = {name: tensor for name, tensor in tensors(tf).items() if name not in left_out}
            read = tf.raw_ops.RestoreV2(
                prefix=path(file),
                tensor_names=list(held),
                shape_and_slices=[""] * len(held),
                dtypes=[tensor.dtype for tensor in held.values()],
            )
            plain = [
                tf.bitcast(tensor, getattr(tf, _BITS[name])) if name in _BITS else tensor
                for name, tensor in zip(held, read, strict=True)
            ]
            for name, found in zip(held, session.run(plain), strict=True):
                same(found, values()[name], f"{file}/{name}")
    reader = tf.train.NewCheckpointReader(path("merged"))
    same(reader.get_tensor("w"), WHOLE, "merged/w")
    for i in range(2):
        same(reader.get_tensor(f"own{i}"), np.int32(i), f"merged/own{i}")
    with tf.Graph().as_default(), tf.Session() as session:
        saver = tf.train.import_meta_graph(path("saver-8.meta"))
        saver.restore(session, path("saver-8"))
        same(session.run(tf.get_collection("doubled")[0]), 2 * WHOLE, "doubled")
        same(session.run("step:0"), np.int32(8), "step")


if __name__ == "__main__":
    import tensorflow.compat.v1 as tensorflow

    tensorflow.disable_v2_behavior()
    {"save": save, "check": check}[sys.argv[1]](tensorflow, sys.argv[2])
