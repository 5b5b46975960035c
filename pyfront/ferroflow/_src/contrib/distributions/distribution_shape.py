"""`DistributionShape`: which dimensions of a tensor are those of samples, of the batch and of events."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.contrib.distributions.static_shapes import known_size, pick_vector, rotate_transpose
from ferroflow._src.framework.constant import constant, constant_value
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.ops.array import indexing, joining, making, shaping
from ferroflow._src.ops.array.slicing import slice as slice_of
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.flow.grouping import with_dependencies
from ferroflow._src.ops.math import comparison


class DistributionShape:
    """Splits shapes into those of samples, batch and event, and lays samples out as the columns of matrices.

    Args:
        batch_ndims: Tensor of int32, of shape [], not below 0: the rank of the batch.
        event_ndims: Tensor of int32, of shape [], not below 0: the rank of an event.
        validate_args: bool. If True, steps check the ranks.
        name: str, name scope of the operations.

    Raises:
        ValueError: if a rank is None, no scalar, or known to be negative.
        TypeError: if a rank is not of int32.
    """

    def __init__(
        self,
        batch_ndims: Any = None,
        event_ndims: Any = None,
        validate_args: bool = False,
        name: str = "DistributionShape",
    ) -> None:
        if batch_ndims is None:
            raise ValueError("batch_ndims cannot be None")
        if event_ndims is None:
            raise ValueError("event_ndims cannot be None")
        self._name = name
        self._validate_args = validate_args
        with name_scope(name), name_scope("init"):
            self._batch_ndims = self._checked_rank(batch_ndims, "batch_ndims")
            self._event_ndims = self._checked_rank(event_ndims, "event_ndims")
            self._batch_ndims_is_0 = self._is_zero(self._batch_ndims)
            self._event_ndims_is_0 = self._is_zero(self._event_ndims)

    def _checked_rank(self, rank: Any, name: str) -> Any:
        rank = convert_to_tensor(rank, name=name)
        if rank.dtype.base_dtype != dtypes.int32:
            raise TypeError(f"{rank.name}.dtype={rank.dtype} is not {dtypes.int32}")
        known = constant_value(rank)
        if known is not None and rank.get_shape().ndims is not None:
            if rank.get_shape().ndims != 0:
                raise ValueError(f"{rank.name}.ndims={rank.get_shape().ndims} is not 0 (scalar)")
            if known < 0:
                raise ValueError(f"{rank.name}.value={known} cannot be negative")
            return rank
        if not self._validate_args:
            return rank
        return with_dependencies([checking.assert_rank(rank, 0), checking.assert_non_negative(rank)], rank)

    @property
    def name(self) -> str:
        """The name scope of the operations."""
        return self._name

    @property
    def batch_ndims(self) -> Any:
        """The rank of the batch, a Tensor of int32."""
        return self._batch_ndims

    @property
    def event_ndims(self) -> Any:
        """The rank of an event, a Tensor of int32."""
        return self._event_ndims

    @property
    def validate_args(self) -> bool:
        """True if steps check the ranks."""
        return self._validate_args

    @contextlib.contextmanager
    def _name_scope(self, name: str, values: list[Any]) -> Iterator[str]:
        with name_scope(self._name), name_scope(name, values=[*values, self._batch_ndims, self._event_ndims]) as scope:
            yield scope

    def get_ndims(self, x: Any, name: str = "get_ndims") -> Any:
        """Returns the rank of a Tensor of any dtype and shape, as a Tensor of int32."""
        with self._name_scope(name, [x]):
            x = convert_to_tensor(x, name="x")
            ndims = x.get_shape().ndims
            return shaping.rank(x, name="ndims") if ndims is None else constant(ndims, dtypes.int32, name="ndims")

    def get_sample_ndims(self, x: Any, name: str = "get_sample_ndims") -> Any:
        """Returns how many dimensions before those of batch and event a Tensor has, as a Tensor of int32.

        Raises:
            ValueError: if the rank is known to be less than that of batch and event.
        """
        with self._name_scope(name, [x]):
            ndims = self.get_ndims(x, name=name)
            known = [constant_value(n) for n in (ndims, self._batch_ndims, self._event_ndims)]
            if all(n is not None for n in known):
                rank, batch, event = (int(n) for n in known)
                if rank < batch + event:
                    raise ValueError(f"expected batch_ndims({batch}) + event_ndims({event}) <= ndims({rank})")
                return constant(rank - batch - event, dtypes.int32, name="sample_ndims")
            sample_ndims = ndims - self._batch_ndims - self._event_ndims
            if self._validate_args:
                sample_ndims = with_dependencies([checking.assert_non_negative(sample_ndims)], sample_ndims)
            return sample_ndims

    def _parts(self, x: Any, name: str) -> list[tuple[str, list[Any], Any]]:
        """Returns the parts sample, batch and event: name, ranks whose sum is the start, and rank."""
        sample = self.get_sample_ndims(x, name=name)
        return [
            ("sample", [], sample),
            ("batch", [sample], self._batch_ndims),
            ("event", [sample, self._batch_ndims], self._event_ndims),
        ]

    @staticmethod
    def _start(before: list[Any], ndims: Any) -> tuple[list[Any], int | None, int]:
        """Returns the ranks before a part, their sum, and the part's rank; no sum if only a step computes one."""
        before = before or [making.zeros([], dtype=dtypes.int32, name="zero")]
        known = [constant_value(n) for n in (ndims, *before)]
        if any(n is None for n in known):
            return before, None, 0
        return before, sum(int(n) for n in known[1:]), int(known[0])

    def get_dims(self, x: Any, name: str = "get_dims") -> tuple[Any, Any, Any]:
        """Returns the numbers of the dimensions of a Tensor: of samples, batch and event, as Tensors of int32."""
        with self._name_scope(name, [x]):
            found = []
            for part, ranks, ndims in self._parts(x, name):
                before, first, count = self._start(ranks, ndims)
                if first is None:
                    start = sum(before)
                    found.append(making.range(start, start + ndims))
                else:
                    found.append(constant(list(range(first, first + count)), dtypes.int32, name=f"{part}_dims"))
            return found[0], found[1], found[2]

    def get_shape(self, x: Any, name: str = "get_shape") -> tuple[Any, Any, Any]:
        """Returns the sizes of a Tensor's dimensions: of samples, batch and event, as Tensors of int32."""
        with self._name_scope(name, [x]):
            x = convert_to_tensor(x, name="x")
            found = []
            for part, ranks, ndims in self._parts(x, name):
                before, first, count = self._start(ranks, ndims)
                if x.get_shape().ndims is not None and first is not None:
                    sizes = x.get_shape()[first : first + count].as_list()
                    if None not in sizes:
                        found.append(constant(sizes, dtypes.int32, shape=[len(sizes)], name=f"{part}_shape"))
                        continue
                # A slice by index would take a negative rank as one from the end.
                found.append(slice_of(shaping.shape(x), [sum(before)], [ndims]))
            return found[0], found[1], found[2]

    def make_batch_of_event_sample_matrices(
        self, x: Any, expand_batch_dim: bool = True, name: str = "make_batch_of_event_sample_matrices"
    ) -> tuple[Any, Any]:
        """Makes the samples the last dimension: the columns of a matrix for each event of the batch.

        Args:
            x: Tensor of any dtype, of shape samples + batch + event.
            expand_batch_dim: bool. If True, a batch without dimensions gets one of size 1.
            name: str, name scope of the operations.

        Returns:
            (Tensor of shape batch + event + [number of samples], Tensor of int32: the shape of the samples). An event
            without dimensions gets one of size 1.
        """
        with self._name_scope(name, [x]):
            x = convert_to_tensor(x, name="x")
            samples, batch, event = self.get_shape(x)
            event = pick_vector(self._event_ndims_is_0, [1], event)
            if expand_batch_dim:
                batch = pick_vector(self._batch_ndims_is_0, [1], batch)
            x = shaping.reshape(x, joining.concat([[-1], batch, event], 0))
            return rotate_transpose(x, shift=-1), samples

    @staticmethod
    def _is_zero(rank: Any) -> Any:
        known = constant_value(rank)
        return comparison.equal(rank, 0) if known is None else bool(known == 0)

    def undo_make_batch_of_event_sample_matrices(
        self,
        x: Any,
        sample_shape: Any,
        expand_batch_dim: bool = True,
        name: str = "undo_make_batch_of_event_sample_matrices",
    ) -> Any:
        """Puts the samples back to the front.

        Args:
            x: Tensor of any dtype, of shape batch + event + [number of samples].
            sample_shape: Tensor of int32, of shape [rank]: the shape of the samples.
            expand_batch_dim: bool. If True, a batch without dimensions has one of size 1 in `x`.
            name: str, name scope of the operations.

        Returns:
            Tensor of the dtype of `x`, of shape `sample_shape` + batch + event.
        """
        with self._name_scope(name, [x, sample_shape]):
            x = convert_to_tensor(x, name="x")
            sample_shape = convert_to_tensor(sample_shape, name="sample_shape")
            x = rotate_transpose(x, shift=1)
            if isinstance(self._batch_ndims_is_0, bool) and isinstance(self._event_ndims_is_0, bool):
                added = [-1] if self._event_ndims_is_0 else []
                if self._batch_ndims_is_0 and expand_batch_dim:
                    added.append(1)
                if added:
                    x = shaping.squeeze(x, axis=added)
                _, batch, event = self.get_shape(x)
                result = shaping.reshape(x, joining.concat([sample_shape, batch, event], 0))
                samples = constant_value(sample_shape)
                if x.get_shape().ndims is not None and samples is not None:
                    result.set_shape([*samples, *(known_size(n) for n in x.get_shape()[1:])])
                return result
            static = x.get_shape()
            shape = static.as_list() if static.is_fully_defined() else shaping.shape(x)
            batch = shape[1 : 1 + self._batch_ndims]
            is_added = comparison.logical_and(expand_batch_dim, self._batch_ndims_is_0)
            start = indexing.where_v2(is_added, 2, 1 + self._batch_ndims)
            event = shape[start : start + self._event_ndims]
            return shaping.reshape(x, joining.concat([sample_shape, batch, event], 0))
