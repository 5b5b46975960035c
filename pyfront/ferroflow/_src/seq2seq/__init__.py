"""Decoders that make sequences step by step, what they attend to, and their loss."""
