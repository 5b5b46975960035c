"""Initializers of convolutions that keep the norm of their inputs."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, ClassVar

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import DTypeLike, TensorLike
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array.indexing import scatter_nd
from ferroflow._src.ops.array.joining import stack
from ferroflow._src.ops.array.making import zeros
from ferroflow._src.ops.array.shaping import expand_dims
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.linalg import eye, matmul, matrix_transpose
from ferroflow._src.ops.random.sampling import random_normal
from ferroflow._src.variables.initializers import Initializer, _float_dtype

__all__ = [
    "ConvolutionDeltaOrthogonal",
    "ConvolutionOrthogonal1D",
    "ConvolutionOrthogonal2D",
    "ConvolutionOrthogonal3D",
]

_Index = tuple[int, ...]
_SIZES = {3: "three", 4: "four", 5: "five"}


def _orthogonal(normal: Tensor, **attrs: Any) -> Tensor:
    """Returns the orthogonal factor of a matrix, which the signs of the other one's diagonal make unique."""
    q, r = apply_op("Qr", [normal], attrs=attrs).outputs
    return tensor_op("Mul", [q, tensor_op("Sign", [tensor_op("DiagPart", [r])])], name="mul")


def _check_filters(sizes: Sequence[int]) -> None:
    if sizes[-2] > sizes[-1]:
        raise ValueError("In_filters cannot be greater than out_filters.")


class _OfConvolutions(Initializer):
    def __init__(self, gain: TensorLike = 1.0, seed: int | None = None, dtype: DTypeLike = dtypes.float32) -> None:
        self.gain = gain
        self.dtype = _float_dtype(dtype)
        self.seed = seed

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the constructor by name."""
        return {"gain": self.gain, "seed": self.seed, "dtype": self.dtype.name}


class ConvolutionDeltaOrthogonal(_OfConvolutions):
    """Initializer of a kernel that is zero but in its middle, which is an orthogonal matrix scaled by a gain.

    Args:
        gain: float, which multiplies the matrix.
        seed: int, the op seed.
        dtype: float dtype, where a call gives none.

    Raises:
        ValueError: if `dtype` is not a float dtype; by a call, for a shape that does not fit.

    Source: Xiao et al., Dynamical Isometry and a Mean Field Theory of CNNs; arXiv:1806.05393.
    """

    def __call__(self, shape: Any, dtype: DTypeLike | None = None, partition_info: Any = None) -> Tensor:
        kind, sizes = self.dtype if dtype is None else dtypes.as_dtype(dtype), [int(d) for d in shape]
        if len(sizes) not in _SIZES:
            raise ValueError("The tensor to initialize must be at least three-dimensional and at most five-dimensional")
        _check_filters(sizes)
        q = _orthogonal(random_normal([sizes[-1], sizes[-1]], dtype=kind, seed=self.seed), full_matrices=False)
        q = q[: sizes[-2], :] * cast(self.gain, kind)
        middle = [[(size - 1) // 2 for size in sizes[:-2]]]
        return scatter_nd(middle, expand_dims(q, 0), sizes)


class _ConvolutionOrthogonal(_OfConvolutions):
    """Initializer of a kernel of equal sizes that is an orthogonal operator: a product of small such kernels."""

    _dimensions: ClassVar[int]
    # TensorFlow's kernels of three dimensions have a projection where those of one and two have its complement.
    _projected: ClassVar[int] = 0

    def __call__(self, shape: Any, dtype: DTypeLike | None = None, partition_info: Any = None) -> Tensor:
        kind, sizes = self.dtype if dtype is None else dtypes.as_dtype(dtype), [int(d) for d in shape]
        rank = self._dimensions + 2
        if len(sizes) != rank:
            raise ValueError(f"The tensor to initialize must be {_SIZES[rank]}-dimensional")
        _check_filters(sizes)
        size = sizes[0]
        if any(other != size for other in sizes[1:-2]):
            raise ValueError("Kernel sizes must be equal.")
        first = self._random_orthogonal(sizes[-1])[: sizes[-2], :]
        kernel = {(0,) * self._dimensions: first}
        if size > 1:
            whole = self._block(sizes[-1])
            for _ in range(size - 2):
                whole = self._convolved(whole, self._block(sizes[-1]), sizes[-1])
            kernel = {index: matmul(first, whole[index]) for index in self._indices(size)}
        return self._stacked(kernel, size, ()) * cast(self.gain, kind)

    def _indices(self, size: int) -> list[_Index]:
        return list(itertools.product(range(size), repeat=self._dimensions))

    def _random_orthogonal(self, size: int) -> Tensor:
        return _orthogonal(random_normal([size, size], dtype=self.dtype, seed=self._next_seed()))

    def _next_seed(self) -> int | None:
        """Returns the seed of the next random numbers, each of which has its own."""
        seed = self.seed
        if seed:
            self.seed = seed + 1
        return seed

    def _projection(self, size: int) -> Tensor:
        """Returns the matrix of a random orthogonal projection."""
        q = self._random_orthogonal(size)
        chosen = q * cast(random_normal([size], seed=self._next_seed()) > 0, self.dtype)
        return matmul(chosen, matrix_transpose(chosen))

    def _block(self, size: int) -> dict[_Index, Tensor]:
        """Returns an orthogonal kernel of size 2 in each dimension."""
        one = eye(size, dtype=self.dtype)
        pairs = [(projection, one - projection) for projection in self._projections(size)]
        block = {}
        for index in self._indices(2):
            factors = [pair[place ^ self._projected] for pair, place in zip(pairs, index, strict=True)]
            product = factors[0]
            for factor in factors[1:]:
                product = matmul(product, factor)
            block[index] = product
        return block

    def _projections(self, size: int) -> list[Tensor]:
        return [self._projection(size) for _ in range(self._dimensions)]

    def _convolved(self, one: dict[_Index, Tensor], other: dict[_Index, Tensor], size: int) -> dict[_Index, Tensor]:
        """Returns the convolution of two kernels of matrices."""
        length = max(max(index) for index in one) + max(max(index) for index in other) + 1
        result: dict[_Index, Tensor] = {}
        for index in self._indices(length):
            total = zeros([size, size], self.dtype)
            for part, matrix in one.items():
                rest = tuple(whole - own for whole, own in zip(index, part, strict=True))
                if rest in other:
                    total += matmul(matrix, other[rest])
            result[index] = total
        return result

    def _stacked(self, kernel: dict[_Index, Tensor], size: int, prefix: _Index) -> Tensor:
        if len(prefix) == self._dimensions:
            return kernel[prefix]
        return stack([self._stacked(kernel, size, (*prefix, i)) for i in range(size)])


class ConvolutionOrthogonal1D(_ConvolutionOrthogonal):
    """Initializer of a kernel of one dimension that is an orthogonal operator, scaled by a gain.

    Args:
        gain: float, which multiplies the kernel.
        seed: int, the op seed of the first random numbers; each later one is 1 greater.
        dtype: float dtype.

    Raises:
        ValueError: if `dtype` is not a float dtype; by a call, for a shape that does not fit.

    Source: Xiao et al., Dynamical Isometry and a Mean Field Theory of CNNs; arXiv:1806.05393.
    """

    _dimensions = 1


class ConvolutionOrthogonal2D(_ConvolutionOrthogonal):
    """Initializer of a kernel of two dimensions that is an orthogonal operator, scaled by a gain.

    Args:
        gain: float, which multiplies the kernel.
        seed: int, the op seed of the first random numbers; each later one is 1 greater.
        dtype: float dtype.

    Raises:
        ValueError: if `dtype` is not a float dtype; by a call, for a shape that does not fit.

    Source: Xiao et al., Dynamical Isometry and a Mean Field Theory of CNNs; arXiv:1806.05393.
    """

    _dimensions = 2


class ConvolutionOrthogonal3D(_ConvolutionOrthogonal):
    """Initializer of a kernel of three dimensions that is an orthogonal operator, scaled by a gain.

    Args:
        gain: float, which multiplies the kernel.
        seed: int, the op seed of the first random numbers; each later one is 1 greater.
        dtype: float dtype.

    Raises:
        ValueError: if `dtype` is not a float dtype; by a call, for a shape that does not fit.

    Source: Xiao et al., Dynamical Isometry and a Mean Field Theory of CNNs; arXiv:1806.05393.
    """

    _dimensions = 3
    _projected = 1
