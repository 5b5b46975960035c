"""Shapes, slices, joins, constants, gathers."""
