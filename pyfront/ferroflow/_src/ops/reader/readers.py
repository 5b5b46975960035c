"""`tf.ReaderBase` and the readers: operations that return one record in each step."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.files.record_files import TFRecordOptions
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.handles import Operation, Tensor


def _queue_ref(queue: Any) -> Any:
    return queue if isinstance(queue, Tensor) else queue.queue_ref


class ReaderBase:
    """Base of the readers, which convert work items from a queue, mostly names of files, to records.

    The reader takes work from the queue when it needs some; a record is a key, which says where it comes from, and a
    value.

    Args:
        reader_ref: Tensor of resource or string, the output of an operation that makes a reader.
        supports_serialize: bool. If True, the reader can be saved.
    """

    def __init__(self, reader_ref: Any, supports_serialize: bool = False) -> None:
        self._reader_ref = reader_ref
        self._supports_serialize = supports_serialize

    @property
    def reader_ref(self) -> Any:
        """The Tensor that names the reader, of resource or, as a reference, of string."""
        return self._reader_ref

    @property
    def supports_serialize(self) -> bool:
        """True if the reader can be saved."""
        return self._supports_serialize

    def _op(self, op_type: str) -> str:
        return op_type + "V2" if self._reader_ref.dtype == dtypes.resource else op_type

    def _queue(self, queue: Any) -> Any:
        """Returns a queue as the kind of handle that the reader has."""
        handle = _queue_ref(queue)
        if self._reader_ref.dtype == dtypes.resource or handle.dtype != dtypes.resource:
            return handle
        return tensor_op("FakeQueue", [handle])

    def read(self, queue: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
        """Reads the next record.

        Args:
            queue: QueueBase or Tensor that names a queue, whose elements are strings: the work.
            name: str, name of the operation.

        Returns:
            Key and value, Tensors of string, of shape [].

        Raises:
            tf.errors.OutOfRangeError: when the step runs, if there is no work under way, and the queue is closed and
                empty.
            tf.errors.NotFoundError: when the step runs, if there is no file of that name.
            tf.errors.DataLossError: when the step runs, if a record is damaged.
        """
        key, value = apply_op(self._op("ReaderRead"), [self._reader_ref, self._queue(queue)], name=name).outputs
        return key, value

    def read_up_to(self, queue: Any, num_records: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
        """Reads several records, all of one piece of work: there may be fewer than requested.

        Args:
            queue: QueueBase or Tensor that names a queue, whose elements are strings: the work.
            num_records: Tensor of int64, of shape [], at least 1.
            name: str, name of the operation.

        Returns:
            Keys and values, Tensors of string, of shape [records].

        Raises:
            tf.errors.OpError: when the step runs, on the same conditions as `read`.
        """
        inputs = [self._reader_ref, self._queue(queue), num_records]
        keys, values = apply_op(self._op("ReaderReadUpTo"), inputs, name=name).outputs
        return keys, values

    def num_records_produced(self, name: str | None = None) -> Tensor:
        """Counts the records read so far.

        Args:
            name: str, name of the operation.

        Returns:
            Tensor of int64, of shape [].
        """
        return tensor_op(self._op("ReaderNumRecordsProduced"), [self._reader_ref], name=name)

    def num_work_units_completed(self, name: str | None = None) -> Tensor:
        """Counts the pieces of work read to their end.

        Args:
            name: str, name of the operation.

        Returns:
            Tensor of int64, of shape [].
        """
        return tensor_op(self._op("ReaderNumWorkUnitsCompleted"), [self._reader_ref], name=name)

    def serialize_state(self, name: str | None = None) -> Tensor:
        """Saves the reader.

        Args:
            name: str, name of the operation.

        Returns:
            Tensor of string, of shape [].

        Raises:
            tf.errors.UnimplementedError: when the step runs, if the reader cannot be saved.
        """
        return tensor_op(self._op("ReaderSerializeState"), [self._reader_ref], name=name)

    def restore_state(self, state: Any, name: str | None = None) -> Operation:
        """Restores a saved state of the reader.

        Args:
            state: Tensor of string, of shape []: the result of `serialize_state` of such a reader.
            name: str, name of the operation.

        Returns:
            Operation.

        Raises:
            ValueError: if `state` is not a scalar.
            tf.errors.UnimplementedError: when the step runs, if the reader cannot be saved.
            tf.errors.InvalidArgumentError: when the step runs, if the string is not a reader's state.
        """
        return apply_op(self._op("ReaderRestoreState"), [self._reader_ref, state], name=name)

    def reset(self, name: str | None = None) -> Operation:
        """Makes the reader forget its work and its counts.

        Args:
            name: str, name of the operation.

        Returns:
            Operation.
        """
        return apply_op(self._op("ReaderReset"), [self._reader_ref], name=name)


class WholeFileReader(ReaderBase):
    """Reader of whole files: a file's name is the key, its contents the value.

    Args:
        name: str, name of the operation.
    """

    def __init__(self, name: str | None = None) -> None:
        super().__init__(tensor_op("WholeFileReaderV2", [], name=name), supports_serialize=True)


class TextLineReader(ReaderBase):
    """Reader of text lines, without line ends; the keys are `name:line`, lines counted from 1.

    Args:
        skip_header_lines: int, lines at the beginning of each file that are not records; None for 0.
        name: str, name of the operation.

    Example:
        >>> with tf.gfile.GFile("data.csv", "w") as file:
        ...     file.write("1,2\\n3,4\\n")
        >>> key, line = tf.TextLineReader().read(tf.train.string_input_producer(["data.csv"], num_epochs=1))
        >>> with tf.train.MonitoredSession() as session:
        ...     print(session.run([key, line]))
        [b'data.csv:1', b'1,2']
    """

    def __init__(self, skip_header_lines: int | None = None, name: str | None = None) -> None:
        attrs = {"skip_header_lines": skip_header_lines or 0}
        super().__init__(tensor_op("TextLineReaderV2", [], attrs, name=name))


class FixedLengthRecordReader(ReaderBase):
    """Reader of records with one size; the keys are `name:number`, records counted from 0.

    Args:
        record_bytes: int, the size of a record.
        header_bytes: int, bytes before the first record; None for 0.
        footer_bytes: int, bytes after the last record; None for 0.
        hop_bytes: int, bytes from the start of a record to the start of the next; None or 0 for `record_bytes`.
        name: str, name of the operation.
        encoding: str, the compression of the files: `ZLIB`, `GZIP`, or None.
    """

    def __init__(
        self,
        record_bytes: int,
        header_bytes: int | None = None,
        footer_bytes: int | None = None,
        hop_bytes: int | None = None,
        name: str | None = None,
        encoding: str | None = None,
    ) -> None:
        attrs = {
            "record_bytes": record_bytes,
            "header_bytes": header_bytes or 0,
            "footer_bytes": footer_bytes or 0,
            "hop_bytes": hop_bytes or 0,
            "encoding": encoding or "",
        }
        super().__init__(tensor_op("FixedLengthRecordReaderV2", [], attrs, name=name))


class TFRecordReader(ReaderBase):
    """Reader of record files; the keys are `name:offset`, in bytes.

    Args:
        name: str, name of the operation.
        options: TFRecordOptions, the compression of the files, or None.

    Example:
        >>> with tf.python_io.TFRecordWriter("data.tfrecord") as writer:
        ...     writer.write(b"first")
        >>> files = tf.train.string_input_producer(["data.tfrecord"], num_epochs=1)
        >>> key, value = tf.TFRecordReader().read(files)
        >>> with tf.train.MonitoredSession() as session:
        ...     print(session.run([key, value]))
        [b'data.tfrecord:0', b'first']
    """

    def __init__(self, name: str | None = None, options: object = None) -> None:
        compression = TFRecordOptions.get_compression_type_string(options)
        super().__init__(tensor_op("TFRecordReaderV2", [], {"compression_type": compression}, name=name))


class IdentityReader(ReaderBase):
    """Reader that returns its work items: key and value of a record are equal.

    Args:
        name: str, name of the operation.
    """

    def __init__(self, name: str | None = None) -> None:
        super().__init__(tensor_op("IdentityReaderV2", [], name=name), supports_serialize=True)


class LMDBReader(ReaderBase):
    """Reader of LMDB databases; the keys are those of the entries, in rising order.

    A work item is the path of a database: a folder with a file `data.mdb`, or a file.

    Args:
        name: str, name of the operation.
        options: accepted.
    """

    def __init__(self, name: str | None = None, options: object = None) -> None:
        del options
        super().__init__(tensor_op("LMDBReader", [], name=name))
