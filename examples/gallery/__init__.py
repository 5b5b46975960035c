"""What the example programs share: the images they learn from and the pictures they draw."""
