"""Sequence-to-sequence models over lists of steps, as TF 1.0 had them."""
