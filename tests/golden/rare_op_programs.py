"""Calls of operations that few programs have: Einsum, temporary variables, fields of messages; and their results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from golden.later_op_programs import outcome

if TYPE_CHECKING:
    from collections.abc import Callable

    Case = Callable[[Any], Any]

__all__ = ["CASES", "LMDB_CASES", "outcome"]

_EINSUMS = {
    "product": ("ij,jk->ik", (2, 3), (3, 4)),
    "transpose": ("ij->ji", (2, 3)),
    "diagonal": ("ii->i", (3, 3)),
    "trace": ("ii->", (3, 3)),
    "sum": ("ijk->j", (2, 3, 4)),
    "batch": ("bij,bjk->bik", (5, 2, 3), (5, 3, 4)),
    "attention": ("bqhd,bkhd->bhqk", (2, 3, 4, 5), (2, 6, 4, 5)),
    "outer": ("i,j->ij", (2,), (3,)),
    "inner": ("i,i->", (3,), (3,)),
    "elements": ("ij,ij->ij", (2, 3), (2, 3)),
    "lost": ("ij,k->ik", (2, 3), (4,)),
    "lost_both": ("ij,kl->", (2, 3), (4, 2)),
    "ellipsis": ("...ij,...jk->...ik", (5, 2, 3), (1, 3, 4)),
    "ellipses_of_two_ranks": ("...ij,...jk->...ik", (7, 1, 2, 3), (5, 3, 4)),
    "ellipsis_behind": ("i...->...i", (2, 3, 4)),
    "ellipsis_alone": ("...->...", (2, 3)),
    "scalars": (",->", (), ()),
    "spread": ("i->ii", (3,)),
    "spread_product": ("ij,jk->iki", (2, 3), (3, 4)),
    "case": ("Ij,jk->Ik", (2, 3), (3, 4)),
    "empty": ("ij,jk->ik", (2, 0), (0, 4)),
    "empty_rows": ("ij,jk->ik", (0, 3), (3, 4)),
    "repeated_in_one": ("iij,jk->ik", (2, 2, 3), (3, 4)),
    "no_arrow": ("ij,jk", (2, 3), (3, 4)),
    "unknown_label": ("ij->ik", (2, 3)),
    "wrong_rank": ("ijk->i", (2, 3)),
    "wrong_size": ("ij,jk->ik", (2, 3), (4, 5)),
    "wrong_diagonal": ("ii->i", (2, 3)),
    "three": ("i,i,i->i", (2,), (2,), (2,)),
    "too_few": ("i,i->i", (2,)),
}


def _einsum(equation: str, shapes: tuple[tuple[int, ...], ...], dtype: str) -> Case:
    def case(tf: Any) -> Any:
        rng = np.random.RandomState(len(equation))
        arrays = [np.asarray(rng.randint(-9, 9, s), dtype) for s in shapes]
        result = tf.raw_ops.Einsum(inputs=[tf.constant(a, dtype) for a in arrays], equation=equation)
        return [tf.real(result), tf.imag(result)] if dtype.startswith("complex") else result

    return case


def _variable(var_name: str, other: str | None) -> Case:
    """A temporary variable that is assigned, added to, and taken; under another name if `other` is given."""

    def case(tf: Any) -> Any:
        ref = tf.raw_ops.TemporaryVariable(shape=[1, 2], dtype=tf.float32, var_name=var_name)
        name = var_name or ref.op.name
        ref = tf.assign(ref, [[4.0, 5.0]])
        ref = tf.assign_add(ref, [[6.0, 7.0]])
        return tf.raw_ops.DestroyTemporaryVariable(ref=ref, var_name=other or name)

    return case


def _two_variables(tf: Any) -> Any:
    refs = [tf.raw_ops.TemporaryVariable(shape=[2], dtype=tf.int32, var_name="same") for _ in range(2)]
    return [tf.assign(ref, [1, 2]) for ref in refs]


def _variable_in_loop(tf: Any) -> Any:
    ref = tf.raw_ops.TemporaryVariable(shape=[], dtype=tf.int32, var_name="sum")
    with tf.control_dependencies([tf.assign(ref, 0)]):
        count = tf.while_loop(lambda i: i < 5, lambda i: i + 1, [tf.identity(0)])
    with tf.control_dependencies([tf.assign_add(ref, count)]):
        return tf.raw_ops.DestroyTemporaryVariable(ref=ref, var_name="sum")


def _messages(tf: Any) -> list[bytes]:
    first = tf.make_tensor_proto([1.5, 2.5])
    first.float_val.extend([3.0, 4.0])
    first.string_val.extend([b"a", b"bb"])
    first.dcomplex_val.extend([0.5, -1e300])
    first.int64_val.extend([-1, 2**62])
    second = tf.make_tensor_proto(7)
    second.version_number = -3
    second.bool_val.extend([True, False, True])
    return [first.SerializeToString(), second.SerializeToString()]


_FIELDS = {
    "dtype": "int32",
    "float_val": "float32",
    "string_val": "string",
    "tensor_shape": "string",
    "int_val": "int32",
    "version_number": "int64",
    "half_val": "int32",
    "dcomplex_val": "float64",
    "int64_val": "int64",
    "bool_val": "bool",
}


def _decode(tf: Any, names: str, messages: Any = None, **changes: Any) -> Any:
    fields = names.split()
    types = changes.pop("types", [_FIELDS.get(f, "int32") for f in fields])
    sizes, values = tf.raw_ops.DecodeProtoV2(
        bytes=_messages(tf) if messages is None else messages,
        **{
            "message_type": "tensorflow.TensorProto",
            "field_names": fields,
            "output_types": [tf.as_dtype(t) for t in types],
            **changes,
        },
    )
    return [sizes, *values]


def _encode(sizes: Any, names: str, *values: Any, **changes: Any) -> Case:
    def case(tf: Any) -> Any:
        given = [tf.constant(v, _FIELDS.get(n)) for n, v in zip(names.split(), values)]  # noqa: B905  # Python 3.7.
        attrs = {"field_names": names.split(), "message_type": "tensorflow.TensorProto", **changes}
        return tf.raw_ops.EncodeProto(sizes=sizes, values=given, **attrs)

    return case


CASES: dict[str, Case] = {
    **{f"einsum_{name}": _einsum(equation, shapes, "float64") for name, (equation, *shapes) in _EINSUMS.items()},
    "einsum_complex64": _einsum("bij,bjk->bik", ((2, 3, 2), (2, 2, 3)), "complex64"),
    "einsum_float32": _einsum("bij,bjk->kb", ((2, 3, 2), (2, 2, 3)), "float32"),
    "variable": _variable("", None),
    "variable_named": _variable("own", None),
    "variable_missing": _variable("", "missing"),
    "variables_of_one_name": _two_variables,
    "variable_and_loop": _variable_in_loop,
    "fact": lambda tf: tf.raw_ops.Fact(),
    "fake_param": lambda tf: tf.shape(tf.raw_ops.FakeParam(dtype=tf.float32, shape=[2, 3])),
    "decode": lambda tf: _decode(tf, "float_val string_val tensor_shape int_val version_number half_val"),
    "decode_more": lambda tf: _decode(tf, "dcomplex_val int64_val bool_val version_number"),
    "decode_enum": lambda tf: _decode(tf, "dtype"),
    "decode_wide": lambda tf: _decode(tf, "float_val int_val", types=["float64", "int64"]),
    "decode_matrix": lambda tf: _decode(tf, "int_val", [_messages(tf)[:1], _messages(tf)[1:]]),
    "decode_scalar": lambda tf: _decode(tf, "float_val", _messages(tf)[0]),
    "decode_unpacked": lambda tf: _decode(tf, "int_val", [b"\x38\x01\x3a\x02\x02\x03\x38\x04"]),
    "decode_last_counts": lambda tf: _decode(tf, "version_number", [b"\x18\x01\x18\x02"]),
    "decode_nothing": lambda tf: _decode(tf, "float_val version_number", [b""]),
    "decode_no_field": lambda tf: _decode(tf, "nope"),
    "decode_no_type": lambda tf: _decode(tf, "dtype", message_type="tensorflow.Nope"),
    "decode_other_type": lambda tf: _decode(tf, "float_val", types=["int32"]),
    "decode_lengths": lambda tf: _decode(tf, "float_val", types=["float32", "float32"]),
    "decode_damaged": lambda tf: _decode(tf, "float_val", [b"\xff"]),
    "decode_cut": lambda tf: _decode(tf, "float_val", [b"\x2a\x08\x00"]),
    "decode_no_source": lambda tf: _decode(tf, "float_val", descriptor_source="/no/such/file"),
    "decode_format": lambda tf: _decode(tf, "float_val", message_format="xml"),
    "encode": _encode([[1, 2], [1, 0]], "dtype float_val", [[3], [4]], [[1.0, 2.0], [3.0, 4.0]]),
    "encode_order": _encode([[1, 1]], "string_val version_number", [[b"x"]], [[-3]]),
    "encode_twice": _encode([[2]], "dtype", [[3, 4]]),
    "encode_all": _encode(
        [[2, 1, 3, 2]],
        "dcomplex_val int64_val bool_val int_val",
        [[0.5, -1e300]],
        [[-(2**62)]],
        [[True, False, True]],
        [[-1, 300]],
    ),
    "encode_too_many": _encode([[3]], "float_val", [[1.0, 2.0]]),
    "encode_other_type": _encode([[1]], "tensor_shape", [[b"\x08"]], message_type="tensorflow.Nope"),
    "encode_batch": _encode(np.ones([2, 1, 1], np.int32), "int_val", [[[1, 2]], [[3, 4]]]),
    "encode_shapes": _encode([[1], [1]], "int_val", [[1]]),
}


def _read(path: str) -> Case:
    """All entries of a database, and the number of records."""

    def case(tf: Any) -> Any:
        queue = tf.FIFOQueue(2, tf.string, [[]])
        reader = tf.LMDBReader()
        with tf.control_dependencies([queue.enqueue_many([[path]])]), tf.control_dependencies([queue.close()]):
            keys, values = reader.read_up_to(queue, 1000)
        with tf.control_dependencies([keys]):
            return [keys, values, reader.num_records_produced(), reader.num_work_units_completed()]

    return case


LMDB_CASES = {"lmdb_file": "data.mdb"}


def lmdb_case(folder: str, name: str) -> Case:
    """The case that reads a database of a folder."""
    return _read(f"{folder}/{LMDB_CASES[name]}")
