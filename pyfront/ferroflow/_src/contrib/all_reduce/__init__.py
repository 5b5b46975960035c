"""`tf.contrib.all_reduce`: graphs that give each device the sum of all devices' tensors."""
