"""Training: optimizers, the global step, savers, sessions that recover."""
