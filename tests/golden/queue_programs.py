"""Programs on queues whose results TensorFlow and ferroflow must share: `outcome(tf, case)` runs one with either."""

CASES = {
    f"shuffle_{seed}_{capacity}_{kept}_{total}": {
        "kind": "shuffle",
        "seed": seed,
        "capacity": capacity,
        "kept": kept,
        "total": total,
    }
    for seed, capacity, kept, total in [(1, 20, 0, 20), (7, 10, 3, 10), (123456789, 64, 16, 50), (3, 5, 4, 5)]
}
CASES["shuffle_batches"] = {"kind": "batches", "seed": 5, "capacity": 30, "kept": 5, "total": 30}
CASES["names"] = {"kind": "names"}


def _shuffle(tf, case):
    """The order in which numbers leave a queue, first while it is open, then while it is closed."""
    queue = tf.RandomShuffleQueue(case["capacity"], case["kept"], tf.int32, shapes=[()], seed=case["seed"])
    fill, take, close = queue.enqueue_many([list(range(case["total"]))]), queue.dequeue(), queue.close()
    with tf.Session() as session:
        session.run(fill)
        drawn = [int(session.run(take)) for _ in range(case["total"] - case["kept"])]
        session.run(close)
        return drawn + [int(session.run(take)) for _ in range(case["kept"])]


def _batches(tf, case):
    """Batches from an open queue, and what is left of it once it is closed."""
    queue = tf.RandomShuffleQueue(case["capacity"], case["kept"], tf.int32, shapes=[()], seed=case["seed"])
    fill, take, close = queue.enqueue_many([list(range(case["total"]))]), queue.dequeue_many(10), queue.close()
    rest = queue.dequeue_up_to(30)
    with tf.Session() as session:
        session.run(fill)
        drawn = [session.run(take).tolist() for _ in range(2)]
        session.run(close)
        return [*drawn, session.run(rest).tolist()]


def _names(tf, case):
    """Operations and collections of an input pipeline."""
    names = tf.train.string_input_producer(["a", "b"], num_epochs=2)
    batch = tf.train.batch([names.dequeue(), tf.constant([1, 2])], 4)
    shuffled = tf.train.shuffle_batch([tf.constant(1.0)], 4, 20, 5, seed=3)
    joined = tf.train.batch_join([[tf.constant(1)], [tf.constant(2)]], 2, dynamic_pad=True, name="joined")
    rows = tf.train.slice_input_producer([[1, 2], [3, 4]])
    tensors = [*batch, shuffled, joined, *rows]
    graph = tf.get_default_graph()
    keys = (tf.GraphKeys.SUMMARIES, tf.GraphKeys.LOCAL_VARIABLES, tf.GraphKeys.QUEUE_RUNNERS)
    return {
        # What an Assert shows is not compared: its data is converted once here and twice there.
        "operations": [[op.name, op.type] for op in graph.get_operations() if "/Assert/" not in op.name],
        "shapes": [[tensor.name, tensor.shape.as_list()] for tensor in tensors],
        "collections": {key: [member.name for member in graph.get_collection(key)] for key in keys},
        "runners": [
            [runner.queue.name, [op.name for op in runner.enqueue_ops], runner.close_op.name, runner.cancel_op.name]
            for runner in graph.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
        ],
    }


def outcome(tf, case):
    """What a program gives, as JSON can hold it."""
    kinds = {"shuffle": _shuffle, "batches": _batches, "names": _names}
    with tf.Graph().as_default():
        return kinds[case["kind"]](tf, case)
