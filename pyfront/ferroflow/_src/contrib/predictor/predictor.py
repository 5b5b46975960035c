"""Predictors: functions of arrays that a loaded SavedModel makes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from ferroflow._src.base import tf_logging
from ferroflow._src.framework.graph import Graph
from ferroflow._src.saved_model.loader import load
from ferroflow._src.saved_model.signature_constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY
from ferroflow._src.saved_model.signatures import get_signature_def_by_key
from ferroflow._src.saved_model.tag_constants import SERVING
from ferroflow._src.saved_model.tensor_info import get_tensor_from_tensor_info
from ferroflow._src.session.session import Session
from ferroflow._src.supervision.monitored_session import MonitoredSession

# TF 1.x: the default signature of models that tf.contrib.learn exported.
_ALTERNATIVE = "default_input_alternative:{}"


class Predictor:
    """A function of a dict of arrays, run in a session of its own; a subclass makes the session.

    Args:
        session: the `Session` or `MonitoredSession`.
        feed_tensors: dict of the Tensors to feed, of any dtypes and shapes, by names.
        fetch_tensors: dict of the Tensors to fetch, of any dtypes and shapes, by names.
    """

    def __init__(
        self, session: Session | MonitoredSession, feed_tensors: dict[str, Any], fetch_tensors: dict[str, Any]
    ) -> None:
        self._session = session
        self._feed_tensors = feed_tensors
        self._fetch_tensors = fetch_tensors

    @property
    def graph(self) -> Graph:
        """The graph of the session."""
        return self._session.graph

    @property
    def session(self) -> Session | MonitoredSession:
        """The session that predictions are made in."""
        return self._session

    @property
    def feed_tensors(self) -> dict[str, Any]:
        """The Tensors that are fed, of any dtypes and shapes, by name."""
        return self._feed_tensors

    @property
    def fetch_tensors(self) -> dict[str, Any]:
        """The Tensors that are fetched, of any dtypes and shapes, by name."""
        return self._fetch_tensors

    def __repr__(self) -> str:
        return f"{type(self).__name__} with feed tensors {self._feed_tensors} and fetch_tensors {self._fetch_tensors}"

    def __call__(self, input_dict: Mapping[str, Any]) -> dict[str, Any]:
        """Computes the outputs for given inputs.

        Args:
            input_dict: dict of arrays by the names of `feed_tensors`; missing names and None are not fed.

        Returns:
            Dict of NumPy arrays by the names of `fetch_tensors`.

        Raises:
            ValueError: if a name is not one of these.
        """
        unexpected = set(input_dict) - set(self._feed_tensors)
        if unexpected:
            raise ValueError(f"Got unexpected keys in input_dict: {unexpected}\nexpected: {set(self._feed_tensors)}")
        feeds = {self._feed_tensors[name]: value for name, value in input_dict.items() if value is not None}
        fetched: dict[str, Any] = self._session.run(self._fetch_tensors, feed_dict=feeds)
        return fetched


def _signature(meta_graph_def: Any, key: str | None) -> Any:
    key = key or DEFAULT_SERVING_SIGNATURE_DEF_KEY
    alternative = _ALTERNATIVE.format(key)
    if key not in meta_graph_def.signature_def and alternative in meta_graph_def.signature_def:
        tf_logging.warning('Could not find signature def "%s". Using "%s" instead', key, alternative)
        key = alternative
    try:
        return get_signature_def_by_key(meta_graph_def, key)
    except ValueError as error:
        raise ValueError(
            f'Got signature_def_key "{key}". Available signatures are {list(meta_graph_def.signature_def)}. Original '
            f"error:\n{error}"
        ) from None


class SavedModelPredictor(Predictor):
    """The function that a signature of a SavedModel describes.

    Args:
        export_dir: str, the SavedModel's folder.
        signature_def_key: str, the signature's name; `DEFAULT_SERVING_SIGNATURE_DEF_KEY` by default.
        signature_def: a SignatureDef message to take instead.
        input_names: dict of names of tensors by the names to feed them under, instead of a signature.
        output_names: dict of names of tensors by the names to fetch them under; with `input_names`.
        tags: str, the graph's tags with commas between them; "serve" by default.
        graph: the `Graph` to load into; None for a new one.
        config: tf.ConfigProto of the session, or None.

    Raises:
        ValueError: if more than one of `signature_def_key`, `signature_def` and names is given, only one kind of names
            is, or the signature does not exist.
        RuntimeError: if no graph has these tags.
        IOError: if the folder has no file of a SavedModel, or a damaged one.
    """

    def __init__(
        self,
        export_dir: str | os.PathLike[str],
        signature_def_key: str | None = None,
        signature_def: Any = None,
        input_names: Mapping[str, str] | None = None,
        output_names: Mapping[str, str] | None = None,
        tags: str | None = None,
        graph: Graph | None = None,
        config: Any = None,
    ) -> None:
        if (input_names is None) != (output_names is None):
            raise ValueError("input_names and output_names must both be specified or both be unspecified.")
        if sum(given is not None for given in (signature_def_key, signature_def, input_names)) > 1:
            raise ValueError(
                "You must specify at most one of signature_def_key OR signature_def OR(input_names AND output_names)."
            )
        graph = graph or Graph()
        session = Session(graph=graph, config=config)
        loaded = load(session, [tag.strip() for tag in (tags or SERVING).split(",")], export_dir)
        if input_names is not None and output_names is not None:
            feeds = {key: graph.get_tensor_by_name(name) for key, name in input_names.items()}
            fetches = {key: graph.get_tensor_by_name(name) for key, name in output_names.items()}
        else:
            signature = _signature(loaded, signature_def_key) if signature_def is None else signature_def
            feeds = {key: get_tensor_from_tensor_info(info, graph) for key, info in signature.inputs.items()}
            fetches = {key: get_tensor_from_tensor_info(info, graph) for key, info in signature.outputs.items()}
        super().__init__(session, feeds, fetches)


def from_saved_model(
    export_dir: str | os.PathLike[str],
    signature_def_key: str | None = None,
    signature_def: Any = None,
    input_names: Mapping[str, str] | None = None,
    output_names: Mapping[str, str] | None = None,
    tags: str | None = None,
    graph: Graph | None = None,
    config: Any = None,
) -> SavedModelPredictor:
    """Makes a predictor from a SavedModel.

    Args:
        export_dir: str, the SavedModel's folder.
        signature_def_key: str, the signature's name; `DEFAULT_SERVING_SIGNATURE_DEF_KEY` by default.
        signature_def: a SignatureDef message to take instead.
        input_names: dict of names of tensors by the names to feed them under, instead of a signature.
        output_names: dict of names of tensors by the names to fetch them under; with `input_names`.
        tags: str, the graph's tags with commas between them; "serve" by default.
        graph: the `Graph` to load into; None for a new one.
        config: tf.ConfigProto of the session, or None.

    Returns:
        `SavedModelPredictor`.

    Raises:
        ValueError: if more than one of `signature_def_key`, `signature_def` and names is given, only one kind of names
            is, or the signature does not exist.
        RuntimeError: if no graph has these tags.
        IOError: if the folder has no file of a SavedModel, or a damaged one.
    """
    return SavedModelPredictor(
        export_dir, signature_def_key, signature_def, input_names, output_names, tags, graph, config
    )
