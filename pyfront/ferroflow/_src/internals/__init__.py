"""Names that TensorFlow's internal modules have beside the public ones beside public names, for the libraries that
import it from there.
"""
