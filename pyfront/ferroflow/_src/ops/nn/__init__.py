"""Activations, losses, normalization, embeddings."""
