"""Solvers of linear equations that use a matrix only through its products."""
