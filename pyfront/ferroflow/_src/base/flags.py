"""`tf.flags`: command line flags by absl, which is imported when the first flag is defined or read."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, SupportsFloat, SupportsIndex

import numpy as np

from ferroflow._src.base import tf_logging
from ferroflow._src.base.absent_names import absent as _absent
from ferroflow._src.base.typing import has_signature_of as _has_signature_of

if TYPE_CHECKING:
    from absl.flags import FlagHolder

_NEW_KEYWORDS = {"flag_name": "name", "default_value": "default", "docstring": "help"}


_absl: Any = None


def _absl_flags() -> Any:
    global _absl
    if _absl is None:
        from absl import flags as absl_flags

        # The flags of a program are those of the module that calls DEFINE_*, never of this one.
        absl_flags.disclaim_key_flags()
        _absl = absl_flags
    return _absl


def _define(kind: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    old_keywords = kwargs.keys() & _NEW_KEYWORDS.keys()
    if old_keywords:
        # TF < 1.5: the names of the arguments before absl.
        tf_logging.warning(
            "Use of the keyword argument names (flag_name, default_value, docstring) is deprecated, "
            "please use (name, default, help) instead.",
            stacklevel=3,
        )
        kwargs = {_NEW_KEYWORDS.get(keyword, keyword): value for keyword, value in kwargs.items()}
    # TF < 1.5 took NumPy's numbers, which absl refuses.
    args = tuple(_plain(value) for value in args)
    kwargs = {keyword: _plain(value) for keyword, value in kwargs.items()}
    return getattr(_absl_flags(), kind)(*args, **kwargs)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _string(
    name: str = ...,
    default: str | bytes | None = ...,
    help: str | None = ...,
    *,
    flag_name: str = ...,
    default_value: str | bytes | None = ...,
    docstring: str | None = ...,
    **absl_arguments: Any,
) -> FlagHolder[str]:
    """Has the signature of `DEFINE_string`."""
    raise NotImplementedError


def _boolean(
    name: str = ...,
    default: bool | SupportsIndex | str | None = ...,
    help: str | None = ...,
    *,
    flag_name: str = ...,
    default_value: bool | SupportsIndex | str | None = ...,
    docstring: str | None = ...,
    **absl_arguments: Any,
) -> FlagHolder[bool]:
    """Has the signature of `DEFINE_boolean`."""
    raise NotImplementedError


def _float(
    name: str = ...,
    default: SupportsFloat | SupportsIndex | str | None = ...,
    help: str | None = ...,
    *,
    flag_name: str = ...,
    default_value: SupportsFloat | SupportsIndex | str | None = ...,
    docstring: str | None = ...,
    **absl_arguments: Any,
) -> FlagHolder[float]:
    """Has the signature of `DEFINE_float`."""
    raise NotImplementedError


def _integer(
    name: str = ...,
    default: SupportsIndex | str | None = ...,
    help: str | None = ...,
    *,
    flag_name: str = ...,
    default_value: SupportsIndex | str | None = ...,
    docstring: str | None = ...,
    **absl_arguments: Any,
) -> FlagHolder[int]:
    """Has the signature of `DEFINE_integer`."""
    raise NotImplementedError


@_has_signature_of(_string)
def DEFINE_string(*args: Any, **kwargs: Any) -> Any:  # noqa: N802 (TF 1.x: the public name)
    """Defines a flag whose value is any string.

    Args:
        *args: name (str), default (str or None) and help (str) of the flag, then further arguments of absl's function.
        **kwargs: the same by name; `flag_name`, `default_value` and `docstring` are the old names.

    Returns:
        absl.flags.FlagHolder, whose `value` is the flag's value.

    Raises:
        absl.flags.DuplicateFlagError: if a flag of that name is already defined.
        absl.flags.IllegalFlagValueError: if the default is not a value of that kind.

    Example:
        >>> _ = tf.flags.DEFINE_string("data_dir", "/tmp/data", "Folder of the training data.")
        >>> _ = tf.flags.FLAGS(["train.py", "--data_dir=/data/mnist"])
        >>> print(tf.flags.FLAGS.data_dir)
        /data/mnist
    """
    return _define("DEFINE_string", args, kwargs)


@_has_signature_of(_boolean)
def DEFINE_boolean(*args: Any, **kwargs: Any) -> Any:  # noqa: N802  # TF1's spelling
    """Defines a flag that is set by `--name` or `--name=true` and unset by `--noname` or `--name=false`.

    Args:
        *args: as `DEFINE_string`; the default is bool or None.
        **kwargs: as `DEFINE_string`.

    Returns:
        absl.flags.FlagHolder, whose `value` is the flag's value.

    Raises:
        absl.flags.DuplicateFlagError, absl.flags.IllegalFlagValueError: on the same conditions as `DEFINE_string`.

    Example:
        >>> _ = tf.flags.DEFINE_boolean("augment", True, "If True, images are flipped at random.")
        >>> _ = tf.flags.FLAGS(["train.py", "--noaugment"])
        >>> print(tf.flags.FLAGS.augment)
        False
    """
    return _define("DEFINE_boolean", args, kwargs)


@_has_signature_of(_boolean)
def DEFINE_bool(*args: Any, **kwargs: Any) -> Any:  # noqa: N802  # TF1's spelling
    """Defines a flag as `DEFINE_boolean` does.

    Args:
        *args: as `DEFINE_boolean`.
        **kwargs: as `DEFINE_boolean`.

    Returns:
        absl.flags.FlagHolder, whose `value` is the flag's value.

    Raises:
        absl.flags.DuplicateFlagError, absl.flags.IllegalFlagValueError: on the same conditions as `DEFINE_string`.

    Example:
        >>> _ = tf.flags.DEFINE_bool("verbose", False, "If True, every step is logged.")
        >>> _ = tf.flags.FLAGS(["train.py", "--verbose"])
        >>> print(tf.flags.FLAGS.verbose)
        True
    """
    return _define("DEFINE_boolean", args, kwargs)


@_has_signature_of(_float)
def DEFINE_float(*args: Any, **kwargs: Any) -> Any:  # noqa: N802  # TF1's spelling
    """Defines a flag whose value is a float.

    Args:
        *args: as `DEFINE_string`; the default is float or None; absl takes `lower_bound` and `upper_bound`.
        **kwargs: as `DEFINE_string`.

    Returns:
        absl.flags.FlagHolder, whose `value` is the flag's value.

    Raises:
        absl.flags.DuplicateFlagError, absl.flags.IllegalFlagValueError: on the same conditions as `DEFINE_string`.

    Example:
        >>> _ = tf.flags.DEFINE_float("learning_rate", 0.1, "Step size of the optimizer.")
        >>> _ = tf.flags.FLAGS(["train.py", "--learning_rate=1e-3"])
        >>> print(tf.flags.FLAGS.learning_rate)
        0.001
    """
    return _define("DEFINE_float", args, kwargs)


@_has_signature_of(_integer)
def DEFINE_integer(*args: Any, **kwargs: Any) -> Any:  # noqa: N802  # TF1's spelling
    """Defines a flag whose value is an int.

    Args:
        *args: as `DEFINE_string`; the default is int or None; absl takes `lower_bound` and `upper_bound`.
        **kwargs: as `DEFINE_string`.

    Returns:
        absl.flags.FlagHolder, whose `value` is the flag's value.

    Raises:
        absl.flags.DuplicateFlagError, absl.flags.IllegalFlagValueError: on the same conditions as `DEFINE_string`.

    Example:
        >>> _ = tf.flags.DEFINE_integer("batch_size", 32, "Number of examples per step.")
        >>> _ = tf.flags.FLAGS(["train.py", "--batch_size=64"])
        >>> print(tf.flags.FLAGS.batch_size)
        64
    """
    return _define("DEFINE_integer", args, kwargs)


class _FlagValuesWrapper:
    """absl's flag values, which also parse `sys.argv` when a flag is read before they were parsed.

    Args:
        flag_values: an `absl.flags.FlagValues`, or None for the global one.
    """

    __slots__ = ("_flag_values",)

    def __init__(self, flag_values: Any = None) -> None:
        object.__setattr__(self, "_flag_values", flag_values)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            # Tools that inspect objects read such names; that must not parse the command line.
            raise AttributeError(name)
        wrapped = _wrapped(self)
        if name == "_parse_flags":
            # TF < 1.5: programs parsed by this name, and ignored unknown flags.
            return lambda args=None: wrapped(sys.argv[:1] + list(sys.argv[1:] if args is None else args), True)
        try:
            # Methods and, under its old name, the dict of flags: `FLAGS.__flags`.
            return object.__getattribute__(wrapped, name)
        except AttributeError:
            pass
        if not wrapped.is_parsed():
            wrapped(sys.argv)
        return getattr(wrapped, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(_wrapped(self), name, value)

    def __delattr__(self, name: str) -> None:
        delattr(_wrapped(self), name)

    def __dir__(self) -> list[str]:
        return dir(_wrapped(self))

    def __getitem__(self, name: str) -> Any:
        return _wrapped(self)[name]

    def __setitem__(self, name: str, flag: Any) -> None:
        _wrapped(self)[name] = flag

    def __contains__(self, name: object) -> bool:
        return name in _wrapped(self)

    def __len__(self) -> int:
        return len(_wrapped(self))

    def __iter__(self) -> Iterator[str]:
        return iter(_wrapped(self))

    def __str__(self) -> str:
        return str(_wrapped(self))

    def __call__(self, argv: Any, known_only: bool = False) -> list[str]:
        """Parses the flags in `argv`, whose first element is the program.

        Args:
            argv: list of str.
            known_only: If True, flags that are not defined are left alone, instead of being an error.

        Returns:
            The arguments of `argv` that are not flags.

        Raises:
            absl.flags.Error: if a flag has an illegal value, is required but missing, or is not defined.
        """
        rest: list[str] = _wrapped(self)(argv, known_only)
        return rest


def _wrapped(wrapper: _FlagValuesWrapper) -> Any:
    flag_values = object.__getattribute__(wrapper, "_flag_values")
    return _absl_flags().FLAGS if flag_values is None else flag_values


FLAGS = _FlagValuesWrapper()


def __getattr__(name: str) -> Any:
    if not name.startswith("_"):
        absl_flags = _absl_flags()
        if name in absl_flags.__all__:
            return getattr(absl_flags, name)
    raise _absent("ferroflow.flags", name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_absl_flags().__all__})
