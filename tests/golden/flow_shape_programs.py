"""Random programs of nested loops and conditionals, the same for every module with TF1's functions: each follows from a
number.
"""

from __future__ import annotations

import random

COUNT = 300


class _Program:
    """Builds one program and notes the static shapes of what it makes.

    Attributes:
        shapes: by place, in the order of building, the shapes as lists; None for an unknown rank.
    """

    def __init__(self, tf, number):
        self.tf = tf
        self.choose = random.Random(number)
        self.shapes = []
        choose = self.choose
        known = [3, 5]
        given = [n if choose.random() < 0.6 else None for n in known]
        self.x = tf.placeholder(tf.float32, given if choose.random() < 0.85 else None, name="x")
        self.row = tf.placeholder(tf.float32, choose.choice([[5], [None], None]), name="row")
        self.known = tf.placeholder(tf.float32, known, name="known")
        self.flag = tf.placeholder(tf.bool, [], name="flag")
        # What the graph decides, in part or not at all, and which a loop or branch may bring in.
        self.numbers = [tf.constant(5), tf.constant(3), tf.placeholder(tf.int32, [], name="n")]
        self.sizes = [
            tf.constant([3, 5]),
            tf.shape(self.known),
            tf.shape(self.x),
            tf.placeholder(tf.int32, [2], name="size"),
            tf.placeholder(tf.int32, [None], name="any_size"),
            tf.stack([self.numbers[1], self.numbers[0]]),
        ]

    def note(self, *tensors):
        for t in tensors:
            if t is None:
                self.shapes.append("none")
                continue
            values = t.values if isinstance(t, self.tf.IndexedSlices) else t
            self.shapes.append(None if values.shape.ndims is None else values.shape.as_list())

    def size(self):
        """A vector of two dimensions."""
        tf, choose = self.tf, self.choose
        kind = choose.randrange(8)
        if kind == 0:
            return tf.stack([choose.choice(self.numbers), choose.choice(self.numbers)])
        if kind == 1:
            return [choose.choice(self.numbers), 5]
        if kind == 2:
            return tf.concat([choose.choice(self.sizes)[:1], choose.choice(self.sizes)[1:]], 0)
        if kind == 3:
            return tf.stack([choose.choice(self.numbers) + 1, 5])
        return choose.choice(self.sizes)

    def leaf(self, a):
        """What a straight line of operations makes of `a`."""
        tf, choose = self.tf, self.choose
        kind = choose.randrange(17)
        if kind == 0:
            return a * 2.0
        if kind == 1:
            return a + self.row
        if kind == 2:
            return a * self.x
        if kind == 3:
            return a + tf.zeros(self.size())
        if kind == 4:
            return tf.reshape(a, self.size())
        if kind == 5:
            return tf.fill(self.size(), 1.0) * a
        if kind == 6:
            return tf.tile(a[:1], [choose.choice(self.numbers), 1])
        if kind == 7:
            return a + tf.reduce_sum(a, choose.choice([0, 1, -1]), keepdims=True)
        if kind == 8:
            return tf.matmul(a, tf.ones([choose.choice(self.numbers), choose.choice([5, 5, 4])]))
        if kind == 9:
            return tf.concat([a[:, :2], a[:, 2:]], 1)
        if kind == 10:
            return tf.gather(a, tf.range(choose.choice(self.numbers)) % 3)
        if kind == 11:
            return tf.where(a > 0.0, a, tf.ones_like(a))
        if kind == 12:
            return a + tf.broadcast_to(self.row, self.size())
        if kind == 13:
            return tf.map_fn(lambda e: e * 2.0, a)
        if kind == 14:
            return tf.scan(lambda c, e: c + e, a)
        if kind == 15:
            return a[: choose.choice(self.numbers)]
        return tf.transpose(tf.transpose(a))

    def cond(self, a, depth):
        tf = self.tf
        pred = self.flag if self.choose.random() < 0.5 else tf.reduce_sum(a) > 0.0
        return tf.cond(pred, lambda: self.make(a, depth - 1), lambda: self.make(a, depth - 1))

    def loop(self, a, depth):
        tf, choose = self.tf, self.choose
        invariant = choose.choice(
            [None, None, tf.TensorShape([None, None]), tf.TensorShape([None, 5]), tf.TensorShape(None)]
        )

        def body(i, b):
            b = self.make(b, depth - 1)
            self.note(b)
            return [i + 1, b]

        limit = choose.choice(self.numbers)
        invariants = None if invariant is None else [tf.TensorShape([]), invariant]
        options = {"maximum_iterations": 4} if choose.random() < 0.2 else {}
        return tf.while_loop(lambda i, b: i < limit, body, [0, a], shape_invariants=invariants, **options)[1]

    def array(self, a, depth):
        tf, choose = self.tf, self.choose
        values = tf.TensorArray(tf.float32, 3, infer_shape=choose.random() < 0.7)

        def body(i, b, kept):
            b = self.make(b, depth - 1)
            return i + 1, b, kept.write(i, b)

        b, kept = tf.while_loop(lambda i, b, kept: i < 3, body, [0, a, values])[1:]
        self.note(b)
        return choose.choice([kept.stack, kept.concat])() if choose.random() < 0.3 else kept.read(0)

    def make(self, a, depth):
        kind = self.choose.choice(["leaf", "leaf", "cond", "loop", "loop", "then", "array"])
        if kind == "leaf" or depth == 0:
            made = self.leaf(a)
        elif kind == "then":
            made = self.make(self.make(a, depth - 1), depth - 1)
        else:
            made = getattr(self, kind)(a, depth)
        self.note(made)
        return made

    def run(self):
        tf, choose = self.tf, self.choose
        start = choose.choice([self.x, self.known, self.known * 1.0, tf.zeros(choose.choice(self.sizes[:3]))])
        made = self.make(start, choose.choice([1, 2, 2, 3]))
        self.note(*tf.gradients(made, [self.x, self.row, self.known, start]))


def describe(tf, number):
    """The shapes of a program's tensors in the order of building; the class of an error ends the list."""
    with tf.Graph().as_default():
        program = None
        try:
            program = _Program(tf, number)
            program.run()
        except Exception as error:  # The class of any error is a part of what is compared.
            return [*([] if program is None else program.shapes), type(error).__name__]
        return program.shapes
