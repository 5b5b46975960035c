"""The program whose checkpoint TensorFlow 1.15 wrote, for any library with its interface."""


def checkpoint_of_step(tf):
    """Returns a checkpoint of a recurrent model, an optimizer and a list, and a training step."""
    layers = tf.keras.layers
    model = tf.keras.Sequential([layers.LSTM(2, input_shape=(3, 2)), layers.BatchNormalization(), layers.Dense(1)])
    step = tf.train.get_or_create_global_step()
    optimizer = tf.train.AdamOptimizer(0.1)
    loss = tf.reduce_sum(model(tf.ones([2, 3, 2])) ** 2)
    train = optimizer.minimize(loss, global_step=step)
    checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer, step=step)
    checkpoint.parts = [tf.Variable(2.5), {"inner": tf.Variable([1, 2])}]
    return checkpoint, train
