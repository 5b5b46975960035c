"""The gradient checker's differences."""

from __future__ import annotations

import numpy as np

from ferroflow._src.framework.graph import Graph
from ferroflow._src.ops.array.making import placeholder
from ferroflow._src.ops.math.elementwise import square
from ferroflow._src.session.session import Session
from ferroflow._src.testing.gradient_checker import compute_gradient


def test_an_initial_value_may_be_in_any_memory_order() -> None:
    with Graph().as_default() as graph, Session(graph=graph).as_default():
        x = placeholder("float64", [2, 3])
        start = np.asfortranarray(np.arange(6.0).reshape(2, 3))
        theoretical, numeric = compute_gradient(x, [2, 3], square(x), [2, 3], x_init_value=start)
        np.testing.assert_allclose(numeric, np.diag(2 * np.arange(6.0)), atol=1e-6)
        np.testing.assert_allclose(theoretical, numeric, atol=1e-6)
