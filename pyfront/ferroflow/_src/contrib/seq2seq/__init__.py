"""Decoders that make sequences step by step, their attention mechanisms, and their loss."""
