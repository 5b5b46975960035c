"""Fetches of any nest turned into flat lists for the core, and its values put back into the nest."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ferroflow._src.base.nest import attrs_fields
from ferroflow._src.base.shown import shown
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.composite import (
    IndexedSlices,
    IndexedSlicesValue,
    SparseTensor,
    SparseTensorValue,
)
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.handles import Operation, Tensor

# (fetch) -> (its elements, function from their values to the fetch's value)
_FetchFunction = Callable[[Any], tuple[list[Any], Callable[[list[Any]], Any]]]
# (feed key, value) -> pairs of (tensor, value)
_FeedFunction = Callable[[Any, Any], list[tuple[Any, Any]]]
# (feed key) -> its tensors
_FeedListFunction = Callable[[Any], list[Any]]


def _slices_feed(key: IndexedSlices, value: Any) -> list[tuple[Any, Any]]:
    pairs = [(key.values, value[0]), (key.indices, value[1])]
    return pairs if key.dense_shape is None else [*pairs, (key.dense_shape, value[2])]


def _slices_fetch(fetch: IndexedSlices) -> tuple[list[Any], Callable[[list[Any]], Any]]:
    if fetch.dense_shape is None:
        return [fetch.values, fetch.indices], lambda v: IndexedSlicesValue(v[0], v[1], None)
    return [fetch.values, fetch.indices, fetch.dense_shape], lambda v: IndexedSlicesValue(*v)


def _sparse_feed(key: SparseTensor, value: Any) -> list[tuple[Any, Any]]:
    # TF 1.x: the shape can be left out if it is known.
    return list(zip([key.indices, key.values, key.dense_shape], value, strict=False))


_conversions: list[tuple[type, _FetchFunction, _FeedFunction | None, _FeedListFunction | None]] = [
    (
        SparseTensor,
        lambda f: ([f.indices, f.values, f.dense_shape], lambda v: SparseTensorValue(*v)),
        _sparse_feed,
        lambda key: [key.indices, key.values, key.dense_shape],
    ),
    (
        IndexedSlices,
        _slices_fetch,
        _slices_feed,
        lambda key: [key.values, key.indices] + ([] if key.dense_shape is None else [key.dense_shape]),
    ),
]


def register_session_run_conversion_functions(
    tensor_type: type,
    fetch_function: _FetchFunction,
    feed_function: _FeedFunction | None = None,
    feed_function_for_partial_run: _FeedListFunction | None = None,
) -> None:
    """Registers how objects of a type are fetched and fed.

    Args:
        tensor_type: the type.
        fetch_function: callable of an object, to the list of Tensors to fetch and a function of the list of their
            values that gives the object's.
        feed_function: callable of an object and a value, to pairs of Tensors and values to feed; None for what cannot
            be fed.
        feed_function_for_partial_run: callable of an object, to the list of Tensors for
            `partial_run_setup`; None for what cannot be fed there.

    Raises:
        ValueError: if the type, or one derived from it, has an entry.
    """
    for known, *_ in _conversions:
        if issubclass(known, tensor_type):
            raise ValueError(f"{tensor_type} has already been registered so ignore it.")
    _conversions.insert(0, (tensor_type, fetch_function, feed_function, feed_function_for_partial_run))


def feed_pairs(key: Any, value: TensorLike) -> list[tuple[Any, Any]]:
    """Returns the (element, value) pairs that feeding `key` means."""
    for kind, _, feed, _ in _conversions:
        if feed is not None and isinstance(key, kind):
            return feed(key, value)
    return [(key, value)]


def feed_elements(key: Any) -> list[Any]:
    """Returns the elements that a feed key stands for."""
    for kind, _, _, elements in _conversions:
        if elements is not None and isinstance(key, kind):
            return elements(key)
    return [key]


class FetchPlan:
    """The distinct graph elements of a nest of fetches, and how their values form the nest.

    Raises:
        TypeError: if an element cannot be fetched.
        ValueError: if a name or element is not of the graph.
    """

    def __init__(self, graph: Graph, fetches: Any) -> None:
        self._graph = graph
        self.elements: list[Any] = []
        self._slots: dict[Any, int] = {}
        self._build = self._mapper(fetches)

    def _slot(self, element: Any) -> int:
        slot = self._slots.get(element)
        if slot is None:
            slot = self._slots[element] = len(self.elements)
            self.elements.append(element)
        return slot

    def _mapper(self, fetch: Any) -> Callable[[list[Any]], Any]:
        if isinstance(fetch, Tensor | Operation):
            return self._leaf(fetch)
        if fetch is None:
            raise TypeError(f"Fetch argument {shown(fetch, repr)} has invalid type {type(fetch)!r}")
        if isinstance(fetch, list):
            return self._sequence(fetch, list)
        if isinstance(fetch, tuple):
            make = type(fetch)._make if hasattr(fetch, "_make") else type(fetch)
            return self._sequence(fetch, make)
        if isinstance(fetch, Mapping):
            mappers = {key: self._mapper(value) for key, value in fetch.items()}
            kind = type(fetch)
            return lambda values: _filled(kind, {key: build(values) for key, build in mappers.items()})
        fields = attrs_fields(fetch)
        if fields is not None:
            make_attrs = type(fetch)
            return self._sequence([getattr(fetch, name) for name in fields], lambda values: make_attrs(*values))
        for known, function, _, _ in _conversions:
            if isinstance(fetch, known):
                elements, contract = function(fetch)
                parts = [self._mapper(e) for e in elements]
                return lambda values: contract([build(values) for build in parts])
        return self._leaf(fetch)

    def _leaf(self, fetch: Any) -> Callable[[list[Any]], Any]:
        try:
            element = self._graph.as_graph_element(fetch, allow_tensor=True, allow_operation=True)
        except TypeError as e:
            raise TypeError(
                f"Fetch argument {shown(fetch, repr)} has invalid type {type(fetch)!r}, must be a string or "
                f"Tensor. ({e})"
            ) from None
        except (ValueError, KeyError) as e:
            raise ValueError(f"Fetch argument {shown(fetch, repr)} cannot be interpreted as a Tensor. ({e})") from None
        if not self._graph.is_fetchable(element):
            name = element.op.name if isinstance(element, Tensor) else element.name
            raise ValueError(f"Operation {name!r} has been marked as not fetchable.")
        slot = self._slot(element)
        return lambda values: values[slot]

    def _sequence(self, items: Any, make: Callable[[list[Any]], Any]) -> Callable[[list[Any]], Any]:
        mappers = [self._mapper(item) for item in items]
        return lambda values: make([build(values) for build in mappers])

    def build(self, values: list[Any]) -> Any:
        """Returns the fetched nest, from one value for each of `elements` (None for operations)."""
        return self._build(values)


def _filled(kind: type, items: dict[Any, Any]) -> Any:
    result = kind()
    for key, value in items.items():
        result[key] = value
    return result


# Tree to rebuild a nest from its leaves: None for a leaf, or (maker of the container, its keys, the items' trees).
Packing = tuple[Callable[[Any], Any], "list[Any] | None", "list[Packing]"] | None


def flatten_fetches(fetches: Any, leaves: list[Any]) -> Packing:
    """Appends the elements of lists, tuples and dicts to a flat list, which a session fetches faster than a nest.

    Args:
        fetches: as for `Session.run`.
        leaves: the list.

    Returns:
        For `pack_values`.
    """
    kind = type(fetches)
    if kind is list or isinstance(fetches, tuple):
        make = getattr(kind, "_make", kind)
        return make, None, [flatten_fetches(item, leaves) for item in fetches]
    if kind is dict:
        return dict, list(fetches), [flatten_fetches(item, leaves) for item in fetches.values()]
    leaves.append(fetches)
    return None


def pack_values(packing: Packing, values: Iterator[Any]) -> Any:
    """Returns the nest of fetched values.

    Args:
        packing: result of `flatten_fetches`.
        values: of the leaves, in their order.
    """
    if packing is None:
        return next(values)
    make, keys, items = packing
    packed = [pack_values(item, values) for item in items]
    return make(packed if keys is None else zip(keys, packed, strict=True))
