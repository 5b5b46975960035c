"""The graph transforms of TensorFlow's `tensorflow.tools.graph_transforms`, on GraphDef messages."""
