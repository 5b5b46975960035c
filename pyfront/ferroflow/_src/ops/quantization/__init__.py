"""Numbers in few bits: quantization, and its imitation while training."""
