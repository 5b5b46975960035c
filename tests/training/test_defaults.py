"""Optimizers without hyperparameters have TensorFlow's."""

import inspect

import pytest

import ferroflow as tf

# The defaults that TensorFlow 1.15 documents, but for `use_locking` and `name`.
DEFAULTS = {
    "AdadeltaOptimizer": {"learning_rate": 0.001, "rho": 0.95, "epsilon": 1e-8},
    "AdagradOptimizer": {"initial_accumulator_value": 0.1},
    "AdamOptimizer": {"learning_rate": 0.001, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8},
    "FtrlOptimizer": {
        "learning_rate_power": -0.5,
        "initial_accumulator_value": 0.1,
        "l1_regularization_strength": 0.0,
        "l2_regularization_strength": 0.0,
        "l2_shrinkage_regularization_strength": 0.0,
    },
    "MomentumOptimizer": {"use_nesterov": False},
    "ProximalAdagradOptimizer": {
        "initial_accumulator_value": 0.1,
        "l1_regularization_strength": 0.0,
        "l2_regularization_strength": 0.0,
    },
    "RMSPropOptimizer": {"decay": 0.9, "momentum": 0.0, "epsilon": 1e-10, "centered": False},
}


@pytest.mark.parametrize("name", DEFAULTS)
def test_defaults(name):
    parameters = inspect.signature(getattr(tf.train, name)).parameters
    found = {k: p.default for k, p in parameters.items() if k in DEFAULTS[name]}
    assert found == DEFAULTS[name]
