"""Metrics: numbers that are accumulated over the batches of an evaluation."""
