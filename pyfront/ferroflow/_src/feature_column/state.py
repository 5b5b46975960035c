"""Variables and other resources of feature columns, which the layer of the columns owns."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.typing import DTypeLike, ShapeLike


class StateManager:
    """Base of the owners of columns' variables and resources; a subclass defines the methods."""

    def create_variable(
        self,
        feature_column: Any,
        name: str,
        shape: ShapeLike,
        dtype: DTypeLike | None = None,
        trainable: bool = True,
        use_resource: bool = True,
        initializer: Any = None,
    ) -> Any:
        """Makes a variable of a column.

        Args:
            feature_column: the column.
            name: str, the variable's name.
            shape: TensorShape, or a value that one is made of.
            dtype: DType of the elements; None for the layer's.
            trainable: bool. If False, the variable is not trained.
            use_resource: bool. If True, the variable is behind a handle.
            initializer: initializer of the values.

        Raises:
            NotImplementedError: if a subclass does not define it.
        """
        raise NotImplementedError("StateManager.create_variable")

    def get_variable(self, feature_column: Any, name: str) -> Any:
        """Returns a variable that `create_variable` made.

        Args:
            feature_column: the column.
            name: str, the variable's name.

        Raises:
            NotImplementedError: if a subclass does not define it.
        """
        raise NotImplementedError("StateManager.get_var")

    def add_resource(self, feature_column: Any, name: str, resource: Any) -> None:
        """Keeps a resource of a column, such as a table.

        Args:
            feature_column: the column.
            name: str, the resource's name.
            resource: any object.

        Raises:
            NotImplementedError: if a subclass does not define it.
        """
        raise NotImplementedError("StateManager.add_resource")

    def get_resource(self, feature_column: Any, name: str) -> Any:
        """Returns a resource that `add_resource` was given.

        Args:
            feature_column: the column.
            name: str, the resource's name.

        Raises:
            NotImplementedError: if a subclass does not define it.
        """
        raise NotImplementedError("StateManager.get_resource")


class LayerState(StateManager):
    """Owner of the variables and resources of a layer's columns.

    Args:
        layer: Layer that makes the variables; None if only resources are kept.
        trainable: bool. If False, no variable is trained.
    """

    def __init__(self, layer: Any, trainable: bool) -> None:
        self._layer = layer
        self._trainable = trainable
        self._variables: dict[Any, Any] = {}
        self._resources: dict[Any, Any] = {}

    def create_variable(
        self,
        feature_column: Any,
        name: str,
        shape: ShapeLike,
        dtype: DTypeLike | None = None,
        trainable: bool = True,
        use_resource: bool = True,
        initializer: Any = None,
    ) -> Any:
        """Makes a variable of a column, as one of the layer's."""
        if (feature_column, name) in self._variables:
            raise ValueError("Variable already exists.")
        made = self._layer.add_weight(
            name=name,
            shape=shape,
            dtype=dtype,
            initializer=initializer,
            trainable=self._trainable and trainable,
            use_resource=use_resource,
        )
        self._variables[feature_column, name] = made
        return made

    def get_variable(self, feature_column: Any, name: str) -> Any:
        """Returns a variable that `create_variable` made."""
        if (feature_column, name) not in self._variables:
            raise ValueError("Variable does not exist.")
        return self._variables[feature_column, name]

    def add_resource(self, feature_column: Any, name: str, resource: Any) -> None:
        """Keeps a resource of a column."""
        self._resources[feature_column, name] = resource

    def get_resource(self, feature_column: Any, name: str) -> Any:
        """Returns a resource that `add_resource` was given."""
        if (feature_column, name) not in self._resources:
            raise ValueError("Resource does not exist.")
        return self._resources[feature_column, name]
