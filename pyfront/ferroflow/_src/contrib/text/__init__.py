"""Samples of texts."""
