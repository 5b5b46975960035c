"""`hvd.Compression`: smaller types in which gradients travel."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.ops.math.cast import cast


class Compressor:
    """Base class of compressions; a subclass defines how a tensor travels."""

    @staticmethod
    def compress(tensor: Any) -> tuple[Any, Any]:
        """Returns the tensor that travels, and what `decompress` needs.

        Args:
            tensor: Tensor of any dtype and shape.

        Returns:
            Tensor of the same shape, and any object.

        Raises:
            NotImplementedError: if a subclass does not override this method.
        """
        raise NotImplementedError("A subclass of Compressor must override compress(tensor).")

    @staticmethod
    def decompress(tensor: Any, ctx: Any) -> Any:
        """Returns the tensor of the first dtype.

        Args:
            tensor: Tensor of the dtype in which it was sent, of any shape.
            ctx: the object that `compress` returned.

        Returns:
            Tensor of the same shape.

        Raises:
            NotImplementedError: if a subclass does not override this method.
        """
        raise NotImplementedError("A subclass of Compressor must override decompress(tensor, ctx).")


class NoneCompressor(Compressor):
    """Tensors travel as they are."""

    @staticmethod
    def compress(tensor: Any) -> tuple[Any, Any]:
        """Returns the tensor and None.

        Args:
            tensor: Tensor of any dtype and shape.

        Returns:
            (tensor, None): the Tensor, of the same dtype and shape, and None.
        """
        return tensor, None

    @staticmethod
    def decompress(tensor: Any, ctx: Any) -> Any:
        """Returns the tensor.

        Args:
            tensor: Tensor of any dtype and shape.
            ctx: None.

        Returns:
            Tensor of the same dtype and shape.
        """
        return tensor


class FP16Compressor(Compressor):
    """Tensors of floats travel as float16, and are added as float16."""

    @staticmethod
    def compress(tensor: Any) -> tuple[Any, Any]:
        """Converts a tensor of floats to float16.

        Args:
            tensor: Tensor of any dtype and shape.

        Returns:
            Tensor of the same shape, of float16 if it was one of floats; and the dtype before.
        """
        return (cast(tensor, dtypes.float16) if tensor.dtype.is_floating else tensor), tensor.dtype

    @staticmethod
    def decompress(tensor: Any, ctx: Any) -> Any:
        """Converts a tensor of floats to its first dtype.

        Args:
            tensor: Tensor of the dtype in which it was sent, of any shape.
            ctx: DType before.

        Returns:
            Tensor of the same shape, of dtype `ctx`.
        """
        return cast(tensor, ctx) if ctx.is_floating else tensor


class Compression:
    """The compressions: `none`, and `fp16`, which halves the bytes of float32 and rounds."""

    none = NoneCompressor
    fp16 = FP16Compressor
