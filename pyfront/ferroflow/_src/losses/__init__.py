"""Losses: what a model is trained to make small."""
