"""The names of the public package that programs about variables use, straight from where they are made."""

from __future__ import annotations

from types import SimpleNamespace

from ferroflow._src.base import dtypes
from ferroflow._src.framework import constant, conversion, graph, graph_keys, random_seed
from ferroflow._src.ops import operators  # noqa: F401 (installs the operators of tensors)
from ferroflow._src.ops.array import making
from ferroflow._src.ops.flow import grouping
from ferroflow._src.ops.math import linalg, reduction
from ferroflow._src.session import session
from ferroflow._src.variables import (
    collections,
    creation,
    get_variable,
    initialization,
    initializers,
    partitioned_variable,
    partitioners,
    scope,
    synchronization,
    template,
    variable,
    variable_scope,
)

_MODULES = (
    initializers,
    making,
    linalg,
    reduction,
    grouping,
    graph,
    collections,
    creation,
    get_variable,
    initialization,
    partitioned_variable,
    partitioners,
    scope,
    synchronization,
    template,
    variable,
)

tf = SimpleNamespace()
for _module in _MODULES:
    for _name, _value in vars(_module).items():
        if not _name.startswith("_") and getattr(_value, "__module__", "").startswith("ferroflow"):
            setattr(tf, _name, _value)
tf.variable_scope = scope.variable_scope
tf.get_variable = get_variable.get_variable
tf.VariableScope = variable_scope.VariableScope
tf.get_variable_scope = variable_scope.get_variable_scope
tf.AUTO_REUSE = variable_scope.AUTO_REUSE
tf.constant = constant.constant
tf.convert_to_tensor = conversion.convert_to_tensor
tf.GraphKeys = graph_keys.GraphKeys
tf.set_random_seed = random_seed.set_random_seed
tf.Session = session.Session
for _name in ("bool", "float32", "float64", "int32", "int64", "string"):
    setattr(tf, _name, getattr(dtypes, _name))
tf.initializers = SimpleNamespace(
    zeros=initializers.Zeros,
    ones=initializers.Ones,
    constant=initializers.Constant,
    random_uniform=initializers.RandomUniform,
    random_normal=initializers.RandomNormal,
    truncated_normal=initializers.TruncatedNormal,
    uniform_unit_scaling=initializers.UniformUnitScaling,
    variance_scaling=initializers.VarianceScaling,
    orthogonal=initializers.Orthogonal,
    identity=initializers.Identity,
    glorot_uniform=initializers.GlorotUniform,
    glorot_normal=initializers.GlorotNormal,
    he_normal=initializers.he_normal,
    he_uniform=initializers.he_uniform,
    lecun_normal=initializers.lecun_normal,
    lecun_uniform=initializers.lecun_uniform,
)
