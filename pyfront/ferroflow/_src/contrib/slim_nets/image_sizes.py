"""The image sizes for which the networks were made, which programs read from the functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def set_image_size(size: int, *networks: Callable[..., Any]) -> None:
    """Sets `default_image_size` of networks.

    Args:
        size: int, the height and width in pixels.
        *networks: the functions that build the networks.
    """
    for network in networks:
        vars(network)["default_image_size"] = size
