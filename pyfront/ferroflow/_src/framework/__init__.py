"""Graphs, operations and tensors: scopes, collections, conversion, construction."""
