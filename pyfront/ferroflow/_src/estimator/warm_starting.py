"""`WarmStartSettings`: the checkpoint whose values a new model's variables start from."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from ferroflow._src.checkpoint.warm_start import VocabInfo


class _WarmStartFields(NamedTuple):
    ckpt_to_initialize_from: str
    vars_to_warm_start: Any
    var_name_to_vocab_info: Mapping[str, VocabInfo]
    var_name_to_prev_var_name: Mapping[str, str]


class WarmStartSettings(_WarmStartFields):
    """Sources of the variables of a model that has not been trained.

    Args:
        ckpt_to_initialize_from: str, the prefix of a checkpoint, or its folder.
        vars_to_warm_start: str, a regular expression that the names of trained variables match from their start; list
            of those of all variables; list of variables; None for those with a vocabulary only.
        var_name_to_vocab_info: dict of `tf.estimator.VocabInfo` by the names of variables that belong to a vocabulary.
        var_name_to_prev_var_name: dict from names of variables to those in the checkpoint, if they differ.

    Raises:
        ValueError: if there is no `ckpt_to_initialize_from`.
    """

    __slots__ = ()

    def __new__(
        cls,
        ckpt_to_initialize_from: str,
        vars_to_warm_start: Any = ".*",
        var_name_to_vocab_info: Mapping[str, VocabInfo] | None = None,
        var_name_to_prev_var_name: Mapping[str, str] | None = None,
    ) -> WarmStartSettings:
        if not ckpt_to_initialize_from:
            raise ValueError("`ckpt_to_initialize_from` MUST be set in WarmStartSettings")
        return super().__new__(
            cls,
            ckpt_to_initialize_from,
            vars_to_warm_start,
            var_name_to_vocab_info or {},
            var_name_to_prev_var_name or {},
        )


def warm_start_settings(given: Any) -> WarmStartSettings | None:
    """Returns the settings of an estimator's argument `warm_start_from`.

    Args:
        given: WarmStartSettings, the prefix or the folder of a checkpoint, or None.

    Returns:
        WarmStartSettings, or None.

    Raises:
        ValueError: if the argument has another type.
    """
    if given is None or isinstance(given, WarmStartSettings):
        return given
    if isinstance(given, (str, bytes, os.PathLike)):
        return WarmStartSettings(os.fsdecode(given))
    raise ValueError(f"warm_start_from must be a string or a WarmStartSettings, instead got {type(given)}")
