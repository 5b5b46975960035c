"""What TensorFlow's internal modules hold beside public names, for the libraries that import it from there."""
