"""Switches between the behaviours of TensorFlow 1 and 2: here is that of 1, and graphs alone."""

from __future__ import annotations

from ferroflow._src.base import tensor_shape


def executing_eagerly() -> bool:
    """Returns False: operations never run eagerly.

    Returns:
        False.
    """
    return False


def disable_eager_execution() -> None:
    """Does nothing: operations make a graph."""


def disable_v2_behavior() -> None:
    """Makes reference variables and `tf.Dimension` the default; all other behaviour is already that of TensorFlow 1."""
    disable_resource_variables()
    disable_v2_tensorshape()


def disable_control_flow_v2() -> None:
    """Does nothing: `tf.cond` and `tf.while_loop` make the operations of TensorFlow 1."""


def disable_v2_tensorshape() -> None:
    """Makes the elements of a shape `tf.Dimension` again."""
    tensor_shape.set_plain_sizes(False)


def disable_tensor_equality() -> None:
    """Does nothing: two tensors are equal only if they are the same object."""


def control_flow_v2_enabled() -> bool:
    """Returns False: `tf.cond` and `tf.while_loop` make the operations of TensorFlow 1."""
    return False


def enable_control_flow_v2() -> None:
    """Raises an error: conditionals and loops are those of TensorFlow 1, whose results are the same.

    Raises:
        NotImplementedError: on every call.
    """
    raise NotImplementedError("enable_control_flow_v2: leave the call out; tf.cond and tf.while_loop work without it.")


def enable_tensor_equality() -> None:
    """Raises an error: two tensors are equal only if they are the same object.

    Raises:
        NotImplementedError: on every call.
    """
    raise NotImplementedError("enable_tensor_equality: use tf.equal for the elements, and leave the call out.")


def enable_v2_tensorshape() -> None:
    """Makes the elements of a shape int, or None where unknown, for programs that index a shape or loop over it."""
    tensor_shape.set_plain_sizes(True)


_resource_variables: list[bool] = [False]


def disable_resource_variables() -> None:
    """Makes variables reference variables by default again, unless arguments or variable scopes choose otherwise."""
    _resource_variables[0] = False


def enable_resource_variables() -> None:
    """Makes variables behind handles where neither arguments nor variable scopes say otherwise."""
    _resource_variables[0] = True


def resource_variables_enabled() -> bool:
    """Returns True if `use_resource` is True by default."""
    return _resource_variables[0]


def enable_eager_execution(config: object = None, device_policy: object = None, execution_mode: object = None) -> None:
    """Raises an error: operations always build a graph.

    Args:
        config: `ConfigProto` message.
        device_policy: of TensorFlow's.
        execution_mode: of TensorFlow's.

    Raises:
        NotImplementedError: on every call.
    """
    raise NotImplementedError(
        "ferroflow runs graphs; eager execution is not offered. Build a graph and run it in a tf.Session."
    )


def enable_v2_behavior() -> None:
    """Raises an error: the behaviour is always that of TensorFlow 1.

    Raises:
        NotImplementedError: on every call.
    """
    raise NotImplementedError("ferroflow has the behaviour of TensorFlow 1; that of TensorFlow 2 is not offered.")
