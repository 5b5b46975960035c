"""Checkpoints and MetaGraphs: models saved to files and brought back."""
