"""Python functions pass no gradient, unless a program overrides theirs."""

from __future__ import annotations

from ferroflow._src.autodiff.rules.registering import register_none

register_none(["PyFunc", "PyFuncStateless"])
