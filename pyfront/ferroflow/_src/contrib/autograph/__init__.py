"""Conversion of Python functions with control flow to functions that add conditionals and loops to the graph."""
