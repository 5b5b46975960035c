"""Recurrent networks: cells, and functions that run them over time."""
