"""The records of a TFRecord file, and the features of those that are `tf.train.Example`s."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import ferroflow as tf
from ferroflow._src.base import proto
from ferroflow.command_line.model_files import NotReadable, record_compression
from ferroflow.command_line.tables import print_line, print_table, size_text

# A feature's values shown in a row.
_SHOWN = 8


@dataclass
class _Feature:
    kinds: set[str] = field(default_factory=set)
    examples: int = 0
    least: int | None = None
    most: int = 0
    first: str = ""


def _records(path: str) -> Iterator[bytes]:
    compression = record_compression(path)
    if compression is None:
        raise NotReadable(f"{path}: its first record is damaged")
    yield from tf.python_io.tf_record_iterator(path, tf.python_io.TFRecordOptions(compression))


def _example(record: bytes) -> Any:
    """Returns the Example or SequenceExample that a record is; None for what is neither."""
    for message in (proto.Example(), proto.SequenceExample()):
        try:
            message.ParseFromString(record)
        except Exception:
            # protobuf's classes of errors differ by its implementations.
            continue
        # A message with unknown fields has a different type, or not a message.
        if not _is_foreign(message):
            return message
    return None


def _features(record: bytes) -> dict[str, Any] | None:
    """Returns the features of a record that is an Example or a SequenceExample, of whose lists the first; else None."""
    message = _example(record)
    if message is None or isinstance(message, proto.Example):
        return None if message is None else dict(message.features.feature)
    lists = {name: item.feature[0] for name, item in message.feature_lists.feature_list.items() if item.feature}
    return {**message.context.feature, **lists}


def _is_foreign(message: Any) -> bool:
    known = type(message)()
    known.CopyFrom(message)
    known.DiscardUnknownFields()
    return not known.ListFields() or known.ByteSize() != message.ByteSize()


def _values(feature: Any) -> tuple[str, list[Any]]:
    kind = feature.WhichOneof("kind")
    return (kind.removesuffix("_list"), list(getattr(feature, kind).value)) if kind else ("empty", [])


def _text(values: list[Any]) -> str:
    shown = [repr(value[:40]) if isinstance(value, bytes) else f"{value:.6g}" for value in values[:_SHOWN]]
    return ", ".join(shown) + (", ..." if len(values) > _SHOWN else "")


def show(path: str) -> None:
    """Prints how many records there are and how long they are, and the features of Examples.

    Args:
        path: str, the file.
    """
    features: dict[str, _Feature] = {}
    sizes: list[int] = []
    examples = 0
    for record in _records(path):
        sizes.append(len(record))
        found = _features(record)
        examples += found is not None
        for name, feature in (found or {}).items():
            one = features.setdefault(name, _Feature())
            kind, values = _values(feature)
            one.kinds.add(kind)
            one.examples += 1
            one.least = len(values) if one.least is None else min(one.least, len(values))
            one.most = max(one.most, len(values))
            one.first = one.first or _text(values)
    if features:
        rows = []
        for name, one in sorted(features.items()):
            count = str(one.most) if one.least == one.most else f"{one.least} to {one.most}"
            rows.append((name, "/".join(sorted(one.kinds)), one.examples, count, one.first))
        print_table(("feature", "kind", "examples", "values", "first"), rows, f"records {path}", ("examples", "values"))
    compression = record_compression(path)
    print_line(
        f"{len(sizes)} records{f' ({compression})' if compression else ''}, {examples} of them Examples;"
        f" {size_text(sum(sizes))}, each {min(sizes, default=0)} to {max(sizes, default=0)} bytes"
    )


def show_key(path: str, key: str) -> bool:
    """Prints a feature's values in each Example; of a number, the record of that index, as bytes or as text.

    Args:
        path: str, the file.
        key: str, the feature's name, or the record's index, from 0.

    Returns:
        bool; True if there is one.
    """
    rows = []
    for index, record in enumerate(_records(path)):
        feature = (_features(record) or {}).get(key)
        if feature is not None:
            values = _values(feature)[1]
            rows.append((index, ", ".join(repr(v) if isinstance(v, bytes) else f"{v:.9g}" for v in values)))
        elif key == str(index):
            _show_record(record)
            return True
    if rows:
        print_table(("record", key), rows, right=("record",))
    return bool(rows)


def _show_record(record: bytes) -> None:
    message = _example(record)
    print_line(repr(record) if message is None else proto.text_format().MessageToString(message).rstrip())


def keys(path: str) -> list[str]:
    """Returns the names of the features.

    Args:
        path: str, the file.
    """
    return sorted({name for record in _records(path) for name in _features(record) or ()})
