"""Ragged tensors: values in rows of different lengths."""
