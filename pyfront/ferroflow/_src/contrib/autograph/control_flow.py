"""Conditionals and loops of converted functions: Python's for Python values, the graph's for tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ferroflow._src.base import nest
from ferroflow._src.contrib.autograph.side_effects import after, is_tensor, with_effects
from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.control_flow.loop import while_loop
from ferroflow._src.data.dataset import Dataset
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array.shaping import shape as shape_of
from ferroflow._src.ops.math.comparison import logical_and


class Undefined:
    """Stands for a local name that has no value yet.

    Args:
        name: str, the name.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"<undefined {self._name}>"

    def _fail(self, *_: Any) -> Any:
        raise UnboundLocalError(f"local variable '{self._name}' referenced before assignment")

    __bool__ = __call__ = __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __getitem__ = __iter__ = _fail
    __lt__ = __le__ = __gt__ = __ge__ = __neg__ = __len__ = __truediv__ = __rtruediv__ = _fail

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._fail()


def _undefined(names: Sequence[str], values: Sequence[Any]) -> tuple[str, ...]:
    return tuple(n for n, v in zip(names, values, strict=True) if isinstance(v, Undefined))


def _check_attributes(attributes: Sequence[str], what: str) -> None:
    if attributes:
        raise NotImplementedError(
            f"AutoGraph: a {what} that depends on a tensor assigns {', '.join(attributes)}: assign a local variable "
            "there, and the attribute after it."
        )


def if_stmt(
    condition: Any,
    body: Callable[..., tuple[Any, ...]],
    orelse: Callable[..., tuple[Any, ...]],
    state: tuple[Any, ...],
    names: Sequence[str],
    attributes: Sequence[str],
) -> tuple[Any, ...]:
    """Runs one of two branches; both are added to the graph if the condition is a tensor.

    Args:
        condition: bool, or bool scalar Tensor.
        body: callable, takes the state and returns the new values of `names`.
        orelse: as `body`, for a false condition.
        state: the values that the branches need.
        names: names of the results.
        attributes: the attributes that the branches assign.

    Returns:
        The values of `names`.

    Raises:
        ValueError: if only one branch defines a result.
        TypeError: if the results of the branches have different types.
        NotImplementedError: if the branches assign attributes.
    """
    if not is_tensor(condition):
        return body(*state) if condition else orelse(*state)
    _check_attributes(attributes, "conditional")
    packed: dict[str, Any] = {}

    def branch(function: Callable[..., tuple[Any, ...]], what: str) -> Callable[[], list[Any]]:
        def traced() -> list[Any]:
            results = function(*state)
            missing = _undefined(names, results)
            if missing:
                raise ValueError(
                    f"The following symbols must also be initialized in the {what} branch: {missing}. Alternatively, "
                    "you may initialize them before the if statement."
                )
            tensors = [[convert_to_tensor(leaf) for leaf in nest.flatten(r) if leaf is not None] for r in results]
            packed[what] = results, tensors
            # A conditional needs a result.
            return [t for part in tensors for t in part] or [constant(True)]

        return lambda: with_effects(traced)

    def checked() -> list[Any]:
        flat = orelse_branch()
        for name, mine, others in zip(names, packed["else"][1], packed["if"][1], strict=True):
            _check_equal_types(name, others, mine)
        return flat

    orelse_branch = branch(orelse, "else")
    merged: list[Any] = []
    after(lambda: merged.extend(cond(condition, branch(body, "if"), checked, strict=True)))
    results, tensors = packed["if"]
    values = iter(merged)
    return tuple(
        result if not part and result is None else _packed(result, [next(values) for _ in part])
        for result, part in zip(results, tensors, strict=True)
    )


def _check_equal_types(name: str, then: list[Tensor], otherwise: list[Tensor]) -> None:
    if len(then) != len(otherwise):
        raise TypeError(
            f'"{name.removeprefix("ag__")}" has another structure in the TRUE branch than in the FALSE branch. '
            "TensorFlow control flow requires that they are the same."
        )
    for a, b in zip(then, otherwise, strict=True):
        if a.dtype.base_dtype != b.dtype.base_dtype:
            raise TypeError(
                f'"{name}" has dtype {a.dtype.name} in the TRUE branch, but dtype={b.dtype.name} in the FALSE branch. '
                "TensorFlow control flow requires that they are the same."
            )


def _packed(like: Any, tensors: list[Any]) -> Any:
    """Returns tensors nested as a value is, of whose leaves those that are None have none."""
    values = iter(tensors)
    return nest.pack_sequence_as(like, [None if leaf is None else next(values) for leaf in nest.flatten(like)])


def if_exp(condition: Any, body: Callable[[], Any], orelse: Callable[[], Any]) -> Any:
    """Returns the value of one of two expressions.

    Args:
        condition: bool, or bool scalar Tensor.
        body: callable without arguments, gives the value for a true condition.
        orelse: as `body`, for a false condition.

    Returns:
        The value; a Tensor if the condition is one.

    Raises:
        TypeError: if the values have different types.
    """
    return if_stmt(condition, lambda: (body(),), lambda: (orelse(),), (), ("expression",), ())[0]


def _check_state(names: Sequence[str], state: Sequence[Any]) -> None:
    missing = _undefined(names, state)
    if "ag__result" in missing:
        raise ValueError("return statements are not supported within a TensorFlow loop.")
    if missing:
        raise ValueError(f"TensorFlow requires that the following symbols must be defined before the loop: {missing}")


def _graph_loop(test: Callable[..., Any], body: Callable[..., tuple[Any, ...]], state: tuple[Any, ...]) -> Any:
    """Adds a loop; the test and the body get the state nested as it was."""
    start = nest.map_structure(convert_to_tensor, state)

    def packed(flat: Sequence[Any]) -> Any:
        return nest.pack_sequence_as(state, list(flat))

    def next_state(*flat: Any) -> list[Any]:
        new = with_effects(lambda: body(*packed(flat)))
        old = nest.flatten(start)
        return [convert_to_tensor(v, dtype=o.dtype.base_dtype) if not is_tensor(v) else v
                for v, o in zip(nest.flatten(new), old, strict=True)]  # fmt: skip

    flat = while_loop(lambda *flat: test(*packed(flat)), next_state, nest.flatten(start), return_same_structure=True)
    return packed(flat)


def while_stmt(
    test: Callable[..., Any],
    body: Callable[..., tuple[Any, ...]],
    state: tuple[Any, ...],
    names: Sequence[str],
    attributes: Sequence[str],
) -> tuple[Any, ...]:
    """Runs a loop while a condition holds; in the graph if the condition is a tensor.

    Args:
        test: callable, takes the state and returns the condition.
        body: callable, takes the state and returns the new state.
        state: the values of `names` before the loop.
        names: names of the state.
        attributes: the attributes that the body assigns.

    Returns:
        The values of `names` after the loop.

    Raises:
        ValueError: if the condition is a tensor, and a part of the state is not defined before the loop.
        NotImplementedError: if the condition is a tensor, and the body assigns attributes.
    """
    condition = test(*state)
    if not is_tensor(condition):
        while condition:
            state = body(*state)
            condition = test(*state)
            if is_tensor(condition):
                # As in `x = 0; while x < n`, where only the second condition is a tensor.
                return while_stmt(test, body, state, names, attributes)
        return state
    _check_attributes(attributes, "loop")
    _check_state(names, state)
    if not state:
        _graph_loop(lambda _: test(), lambda count: (body(), (count + 1,))[1], (constant(0),))
        return state
    result: tuple[Any, ...] = _graph_loop(test, body, state)
    return result


def for_stmt(
    iterated: Any,
    extra_test: Callable[..., Any] | None,
    body: Callable[..., tuple[Any, ...]],
    state: tuple[Any, ...],
    names: Sequence[str],
    attributes: Sequence[str],
) -> tuple[Any, ...]:
    """Runs a loop over the elements of an iterable; in the graph for a tensor or a dataset.

    Args:
        iterated: iterable; Tensor of shape [n, ...]; or Dataset.
        extra_test: callable, takes the state and returns False to end the loop early; or None.
        body: callable, takes an element and the state and returns the new state.
        state: the values of `names` before the loop.
        names: names of the state.
        attributes: the attributes that the body assigns.

    Returns:
        The values of `names` after the loop.

    Raises:
        ValueError: if the loop is in the graph, and a part of the state is not defined before it.
        NotImplementedError: if the loop is in the graph, and the body assigns attributes.
    """
    if isinstance(iterated, Dataset):
        _check_attributes(attributes, "loop")
        return _dataset_loop(iterated, extra_test, body, state, names)
    if is_tensor(iterated):
        _check_attributes(attributes, "loop")
        return _tensor_loop(convert_to_tensor(iterated), extra_test, body, state, names)
    for element in iterated:
        if extra_test is not None and not extra_test(*state):
            break
        state = body(element, *state)
    return state


def _tensor_loop(
    tensor: Tensor, extra_test: Callable[..., Any] | None, body: Callable[..., Any], state: Any, names: Sequence[str]
) -> tuple[Any, ...]:
    _check_state(names, state)
    static = tensor.shape[0].value
    count = shape_of(tensor)[0] if static is None else constant(static)

    def test(index: Tensor, *values: Any) -> Any:
        goes_on = index < count
        return goes_on if extra_test is None else logical_and(goes_on, extra_test(*values))

    def step(index: Tensor, *values: Any) -> tuple[Any, ...]:
        return (index + 1, *body(tensor[index], *values))

    result: tuple[Any, ...] = _graph_loop(test, step, (constant(0), *state))
    return tuple(result[1:])


def _dataset_loop(
    dataset: Dataset, extra_test: Callable[..., Any] | None, body: Callable[..., Any], state: Any, names: Sequence[str]
) -> tuple[Any, ...]:
    _check_state(names, state)
    if not state:
        after(lambda: dataset.reduce(0, lambda count, element: (body(element), count + 1)[1]))
        return ()

    def step(values: Any, element: Any) -> Any:
        if extra_test is None:
            return body(element, *values)
        condition = extra_test(*values)
        return if_stmt(condition, lambda: body(element, *values), lambda: values, (), names, ())

    return tuple(dataset.reduce(nest.map_structure(convert_to_tensor, tuple(state)), step))
