"""Columns of features: how raw values of examples become the inputs of a model."""
