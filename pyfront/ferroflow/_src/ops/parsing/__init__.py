"""Serialized examples, text and tensors parsed by operations."""
