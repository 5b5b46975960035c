"""Names that TensorFlow's internal modules have besides the public ones, for the libraries that
import it from there.
"""
