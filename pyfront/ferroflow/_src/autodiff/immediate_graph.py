"""`ImmediateGraph`: a graph whose tensors have values while it is built, as in eager execution."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.handles import Operation, Tensor, flow_context, static_dims
from ferroflow._src.framework.op_schema import op_schema
from ferroflow._src.session.session import Session

_WITHOUT_VALUE = (dtypes.resource, dtypes.variant)


class ImmediateTensor(Tensor):
    """A tensor whose value Python code can read. The value is computed when it is first needed."""

    __slots__ = ()

    def numpy(self) -> Any:
        """Returns the value.

        Returns:
            NumPy array or scalar; bytes for a single string.

        Raises:
            ValueError: if the tensor is inside a `tf.cond` or `tf.while_loop`.
            tf.errors.OpError: if its computation fails.
        """
        graph: Any = self.graph
        return graph.value_of(self)

    @property
    def shape(self) -> TensorShape:
        """The shape: that of the value where the static shape is not known."""
        dims = static_dims(self)
        graph: Any = self.graph
        known = dims is not None and None not in dims
        if known or not graph.reads_shapes or flow_context(self.op) is not None or self.dtype in _WITHOUT_VALUE:
            return super().shape
        return TensorShape(np.shape(self.numpy()))

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.asarray(self.numpy(), dtype)

    def __bool__(self) -> bool:
        return bool(self.numpy())

    __nonzero__ = __bool__

    def __int__(self) -> int:
        return int(self.numpy())

    def __float__(self) -> float:
        return float(self.numpy())

    def __index__(self) -> int:
        return int(self.numpy().__index__())

    def __len__(self) -> int:
        dims = np.shape(self.numpy())
        if not dims:
            raise TypeError("Scalar tensor has no `len()`")
        return int(dims[0])

    def __format__(self, format_spec: str) -> str:
        value = self.numpy()
        return format(value.item() if isinstance(value, np.generic) else value, format_spec)

    # A class that defines other special methods keeps the hash and the equality of its base.
    __hash__ = Tensor.__hash__

    def __str__(self) -> str:
        return f"tf.Tensor({self.numpy()}, shape={self.shape}, dtype={self.dtype.name})"

    def __repr__(self) -> str:
        return f"<tf.Tensor: shape={self.shape}, dtype={self.dtype.name}, numpy={self.numpy()!r}>"


class ImmediateGraph(Graph):
    """A graph that computes values while it is built.

    An operation with effects runs once, when it is created. Values of other operations are computed when Python code
    reads them.
    """

    _tensor_class = ImmediateTensor

    def __init__(self) -> None:
        super().__init__()
        self._values: dict[Tensor, Any] = {}
        self._session: Session | None = None
        # If True, the shape of a tensor is that of its value.
        self.reads_shapes = True

    def input(self, value: Any) -> Tensor:
        """Returns a tensor that has a value.

        Args:
            value: NumPy array or scalar, or bytes.

        Returns:
            Tensor of the value's dtype and shape.
        """
        with self.as_default():
            tensor = constant(value)
        self._values[tensor] = value
        return tensor

    def value_of(self, tensor: Tensor) -> Any:
        """Returns the value of a tensor.

        Args:
            tensor: Tensor of this graph, of any dtype and shape.

        Returns:
            NumPy array or scalar; bytes for a single string.
        """
        return self.values_of([tensor])[0]

    def values_of(self, tensors: Sequence[Tensor]) -> list[Any]:
        """Returns the values of tensors, computed in one step.

        Args:
            tensors: Tensors of this graph, of any dtype and shape.

        Returns:
            List of NumPy arrays, scalars and bytes.

        Raises:
            ValueError: if a tensor is inside a `tf.cond` or `tf.while_loop`.
            tf.errors.OpError: if the computation fails.
        """
        missing = [tensor for tensor in tensors if tensor not in self._values]
        for tensor in missing:
            if flow_context(tensor.op) is not None:
                raise ValueError(f"{tensor.name} is inside a tf.cond or tf.while_loop, and has no value outside of it.")
        if missing:
            self._values.update(zip(missing, self._run(missing), strict=True))
        return [self._values[tensor] for tensor in tensors]

    def _run(self, fetches: list[Any]) -> list[Any]:
        if self._session is None:
            self._session = Session(graph=self)
        results: list[Any] = self._session.run(fetches, dict(self._values))
        return results

    def _add(
        self,
        op_type: str,
        name: str,
        inputs: list[Any],
        attrs: dict[str, Any] | None,
        flat: bool = False,
        control_inputs: list[Operation] | None = None,
    ) -> Operation:
        op = super()._add(op_type, name, inputs, attrs, flat, control_inputs)
        if flow_context(op) is None and _acts(op):
            self._run_now(op)
        return op

    def _run_now(self, op: Operation) -> None:
        if not op.outputs:
            self._run([op])
            return
        kept = [t for t in op.outputs if t.dtype not in _WITHOUT_VALUE and t.dtype == t.dtype.base_dtype]
        if kept:
            self._values.update(zip(kept, self._run(kept), strict=True))
        elif op_schema(op.type)["inputs"]:
            self._run([op])

    def control_dependencies(self, control_inputs: Any) -> Any:
        """Returns a context without effect outside of conditionals and loops, because effects happened already.

        Args:
            control_inputs: list of Operations and Tensors, or None.
        """
        # None also leaves the conditional or loop around, to which the context returns at its end.
        if control_inputs is not None and self._scopes.current.flow is None:
            return _without_effect()
        return super().control_dependencies(control_inputs)

    def close(self) -> None:
        """Frees what the computations keep."""
        if self._session is not None:
            self._session.close()
            self._session = None


@contextlib.contextmanager
def _without_effect() -> Iterator[None]:
    yield


def _acts(op: Operation) -> bool:
    """Returns True for an operation whose result depends on the time when it runs, or that has an effect."""
    return bool(op_schema(op.type)["is_stateful"]) or any(t.dtype != t.dtype.base_dtype for t in op.inputs)
