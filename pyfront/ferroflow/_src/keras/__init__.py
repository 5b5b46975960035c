"""Keras models: layers put together, compiled with a loss, and fitted to arrays."""
