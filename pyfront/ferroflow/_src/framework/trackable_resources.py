"""Objects whose handles functions capture: resources such as tables, and files that a SavedModel contains."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import device, init_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.framework.trackable import Trackable


class CapturableResource(Trackable):
    """Base of resources; a subclass defines `_create_resource`, and `_initialize` if the resource needs it.

    Args:
        device: str, the device on which the resource must be made; "" for any.
        deleter: accepted for compatibility: sessions own resources.
    """

    def __init__(self, device: str = "", deleter: object = None) -> None:
        self._resource_handle: Tensor | None = None
        self._resource_device = device

    def _create_resource(self) -> Any:
        """Returns the handle of a new resource.

        Raises:
            NotImplementedError: if a subclass does not define it.
        """
        raise NotImplementedError("TrackableResource._create_resource not implemented.")

    def _initialize(self) -> Any:
        """Adds the operations that initialize the resource."""

    @property
    def resource_handle(self) -> Any:
        """The handle, a Tensor of resource, of shape []; it is made at its first use."""
        if self._resource_handle is None:
            with device(self._resource_device):
                self._resource_handle = self._create_resource()
        return self._resource_handle

    def _list_functions_for_serialization(self, serialization_cache: Any) -> dict[str, Any]:
        def _creator() -> Any:
            return self._create_resource()

        def _initializer() -> None:
            self._initialize()

        def _destroyer() -> None:
            """Does nothing: sessions own resources."""

        return {"_create_resource": _creator, "_initialize": _initializer, "_destroy_resource": _destroyer}


class TrackableResource(CapturableResource):
    """Base of resources that programs define."""


class TrackableAsset(Trackable):
    """A file that is part of a SavedModel of objects.

    Args:
        path: str, or Tensor of string of shape [].
    """

    def __init__(self, path: Any) -> None:
        with init_scope(), device("CPU"):
            self._path = convert_to_tensor(path, dtype=dtypes.string, name="asset_path")

    @property
    def asset_path(self) -> Tensor:
        """The path of the file: Tensor of string, of shape []."""
        return self._path


def new_resource(resource: CapturableResource) -> Any:
    """Returns the handle of a new resource like the given one, made in the default graph on its device.

    Args:
        resource: CapturableResource.
    """
    with device(device_of(resource)):
        return resource._create_resource()


def initialization_of(resource: CapturableResource) -> Any:
    """Adds the operations that initialize a resource, and returns the last one.

    Args:
        resource: CapturableResource.
    """
    return resource._initialize()


def device_of(resource: CapturableResource) -> str:
    """Returns the device on which a resource must be made; "" for any.

    Args:
        resource: CapturableResource.
    """
    return resource._resource_device
