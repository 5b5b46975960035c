"""Assets that plugins of TensorBoard keep with a graph, next to the events."""

from __future__ import annotations

import abc
from typing import TypeVar

from ferroflow._src.framework.default_graph import get_default_graph
from ferroflow._src.framework.graph import Graph

# TF 1.x: the keys of the collections.
_PREFIX = "__tensorboard_plugin_asset__"

_Asset = TypeVar("_Asset", bound="PluginAsset")


class PluginAsset(abc.ABC):
    """Contents that a `FileWriter` writes to `plugins/<plugin_name>` of its folder with the graph."""

    plugin_name: str | None = None

    @abc.abstractmethod
    def assets(self) -> dict[str, str]:
        """Returns the contents by file name."""


def get_plugin_asset(plugin_asset_cls: type[_Asset], graph: Graph | None = None) -> _Asset:
    """Returns a graph's asset of a class, created at the first use.

    Args:
        plugin_asset_cls: subclass of `PluginAsset` with a `plugin_name`.
        graph: Graph; None for the default graph.

    Returns:
        Its one instance of `plugin_asset_cls`.

    Raises:
        ValueError: if the class has no `plugin_name`, or shares it with another class.
    """
    graph = get_default_graph() if graph is None else graph
    if not plugin_asset_cls.plugin_name:
        raise ValueError(f"Class {plugin_asset_cls.__name__} has no plugin_name")
    key = _PREFIX + plugin_asset_cls.plugin_name
    found = graph.get_collection(key)
    if not found:
        instance = plugin_asset_cls()
        graph.add_to_collection(key, instance)
        graph.add_to_collection(_PREFIX, plugin_asset_cls.plugin_name)
        return instance
    instance = found[0]
    if not isinstance(instance, plugin_asset_cls):
        names = f"{plugin_asset_cls.__name__} and {type(instance).__name__}"
        raise ValueError(f"Plugin name collision between classes {names}")
    return instance


def get_all_plugin_assets(graph: Graph | None = None) -> list[PluginAsset]:
    """Lists the assets that a graph has.

    Args:
        graph: Graph; None for the default graph.

    Returns:
        List of `PluginAsset`.
    """
    graph = get_default_graph() if graph is None else graph
    return [asset for name in graph.get_collection(_PREFIX) for asset in graph.get_collection(_PREFIX + name)]
