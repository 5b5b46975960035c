"""`nested_structure_coder.StructureCoder`: structures as messages, and back."""

from __future__ import annotations

from typing import Any

from ferroflow._src.contrib.saved_model.structures import NotEncodableError, decoded, encoded


class StructureCoder:
    """Coder of structures of Python values as `StructuredValue` messages."""

    def encode_structure(self, nested_structure: Any) -> Any:
        """Returns the message of a structure.

        Args:
            nested_structure: None, a number, text, TensorShape, DType, TensorSpec, SparseTensorSpec or
                IndexedSlicesSpec. Also a list, tuple, named tuple or dict of these.

        Raises:
            NotEncodableError: if the structure has other values.
        """
        return encoded(nested_structure)

    def can_encode(self, nested_structure: Any) -> bool:
        """Returns True if `encode_structure` has a message for a structure."""
        try:
            encoded(nested_structure)
        except NotEncodableError:
            return False
        return True

    def decode_proto(self, proto: Any) -> Any:
        """Returns the structure of a message.

        Args:
            proto: `StructuredValue` message.

        Raises:
            NotEncodableError: if the message has a value of a kind that is unknown here.
        """
        try:
            return decoded(proto)
        except ValueError as failure:
            raise NotEncodableError(str(failure)) from failure
