"""Conditionals and loops, built of the operations that TF1 graphs build them of."""
