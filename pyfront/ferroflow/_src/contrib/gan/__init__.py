"""Generative adversarial networks: models, losses and training."""
