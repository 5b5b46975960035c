"""The layer under the graph: dtypes, shapes, devices, errors, messages and names."""
