"""`tf.contrib.meta_graph_transform`: applies graph transforms to MetaGraphDefs."""
