"""Costs of a graph: parameters, floating-point operations, times and memory by name, operation type or line."""
