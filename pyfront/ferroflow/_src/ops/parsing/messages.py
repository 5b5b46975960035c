"""Fields of serialized messages of protobuf as tensors, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ferroflow._src.base.typing import DTypeLike, TensorLike
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.handles import Tensor


class DecodeProtoV2(NamedTuple):
    """The result of `decode_proto`.

    Attributes:
        sizes: Tensor of int32 and the shape of the messages, with one more dimension for the fields.
        values: list of Tensors, one for each field, of the shape of the messages with one more dimension.
    """

    sizes: Tensor
    values: list[Tensor]


def decode_proto(
    bytes: TensorLike,  # TensorFlow's name.
    message_type: str,
    field_names: Sequence[str],
    output_types: Sequence[DTypeLike],
    descriptor_source: str | bytes = "local://",
    message_format: str = "binary",
    sanitize: bool = False,
    name: str | None = None,
) -> DecodeProtoV2:
    """Reads fields of serialized messages.

    Args:
        bytes: Tensor of string and any shape, the messages.
        message_type: str, the full name of the message type, such as "tensorflow.TensorProto".
        field_names: list of str, the fields.
        output_types: list of DTypes, one for each field. Enumerations are int32; messages and bytes are string.
        descriptor_source: str, the path of a file with a serialized `FileDescriptorSet`, or "bytes://" and such a set.
            "local://" names TensorFlow's own messages.
        message_format: str, "binary"; "text" fails in the step.
        sanitize: bool, False; True fails in the step.
        name: str, name of the operation.

    Returns:
        (sizes, values): `sizes` is a Tensor of int32 with the number of values that each message has for each field.
        `values` is a list of Tensors, one for each field. Their last dimension has room for the most values of a
        message, at least one. Places without a value have the field's default.
    """
    attrs = {
        "message_type": message_type,
        "field_names": list(field_names),
        "output_types": list(output_types),
        "descriptor_source": descriptor_source,
        "message_format": message_format,
        "sanitize": sanitize,
    }
    sizes, *values = apply_op("DecodeProtoV2", [bytes], attrs, name=name).outputs
    return DecodeProtoV2(sizes, values)


def encode_proto(
    sizes: TensorLike,
    values: Sequence[Any],
    field_names: Sequence[str],
    message_type: str,
    descriptor_source: str | bytes = "local://",
    name: str | None = None,
) -> Tensor:
    """Makes serialized messages of the values of their fields.

    Args:
        sizes: Tensor of int32 and shape [..., fields], the number of values that each message has for each field.
        values: list of Tensors, one for each field, of shape [..., most values].
        field_names: list of str, the fields.
        message_type: str, the full name of the message type, such as "tensorflow.TensorProto".
        descriptor_source: str, the path of a file with a serialized `FileDescriptorSet`, or "bytes://" and such a set.
            "local://" names TensorFlow's own messages.
        name: str, name of the operation.

    Returns:
        Tensor of string, of the shape of `sizes` without its last dimension.
    """
    attrs = {
        "field_names": list(field_names),
        "message_type": message_type,
        "descriptor_source": descriptor_source,
    }
    return tensor_op("EncodeProto", [sizes, [convert_to_tensor(x) for x in values]], attrs, name=name)
