"""Arithmetic, comparison, reduction, linear algebra."""
