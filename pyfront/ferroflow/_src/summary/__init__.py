"""Summaries of a step's values, and the event files that keep them for TensorBoard."""
