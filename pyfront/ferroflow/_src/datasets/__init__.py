"""Data sets that TF 1.x's tutorials read."""
