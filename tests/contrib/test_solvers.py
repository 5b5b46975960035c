"""Solvers that use a matrix through its products find what NumPy finds."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import ferroflow as tf
from ferroflow.contrib.solvers.python.ops import lanczos, least_squares, linear_equations, util


def run(fetches):
    with tf.Session() as session:
        return session.run(fetches)


@settings(max_examples=15, deadline=None)
@given(size=st.integers(1, 6), seed=st.integers(0, 1000), is_improved=st.booleans(), starts=st.booleans())
def test_conjugate_gradients_solve_equations(size, seed, is_improved, starts):
    random = np.random.RandomState(seed)
    root = random.normal(size=(size, size))
    matrix, rhs = root @ root.T + np.eye(size), random.normal(size=size)
    with tf.Graph().as_default():
        other = util.create_operator(tf.diag(1 / np.diag(matrix))) if is_improved else None
        first = tf.constant(random.normal(size=size)) if starts else None
        operator = util.create_operator(tf.constant(matrix))
        state = linear_equations.conjugate_gradient(operator, tf.constant(rhs), other, first, tol=1e-10, max_iter=50)
        found = run(state)
    np.testing.assert_allclose(found.x.reshape(size), np.linalg.solve(matrix, rhs), rtol=1e-5, atol=1e-7)


@settings(max_examples=15, deadline=None)
@given(rows=st.integers(2, 7), columns=st.integers(2, 5), seed=st.integers(0, 1000))
def test_least_squares_are_numpys(rows, columns, seed):
    random = np.random.RandomState(seed)
    matrix, rhs = random.normal(size=(rows + columns, columns)), random.normal(size=rows + columns)
    with tf.Graph().as_default():
        state = least_squares.cgls(util.create_operator(tf.constant(matrix)), tf.constant(rhs), 1e-12, 100)
        found = run(state.x)
    np.testing.assert_allclose(found, np.linalg.lstsq(matrix, rhs, rcond=None)[0], rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("orthogonalize", [True, False])
def test_a_bidiagonalization_gives_the_matrix_back(orthogonalize):
    matrix = np.random.RandomState(0).normal(size=(7, 5))
    state = lanczos.lanczos_bidiag(util.create_operator(tf.constant(matrix)), 4, orthogonalize, tf.constant(np.ones(7)))
    product = lanczos.bidiag_matmul(state.u, state.alpha, state.beta)
    adjoint = lanczos.bidiag_matmul(state.v, state.alpha, state.beta, adjoint_b=True)
    found, of_u, of_v = run([state, product, adjoint])
    np.testing.assert_allclose(matrix @ found.v, of_u, atol=1e-9)
    np.testing.assert_allclose(matrix.T @ found.u[:, :-1], of_v, atol=1e-9)
    np.testing.assert_allclose(found.u.T @ found.u, np.eye(5), atol=1e-12 if orthogonalize else 1e-6)
