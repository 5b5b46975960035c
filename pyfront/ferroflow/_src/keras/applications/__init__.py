"""Networks for images whose architectures and layers' names are Keras's, for its files of weights."""
