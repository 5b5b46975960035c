"""Programs that show the names of Keras's weights and outputs, and what calls inside calls take; for Python 3.7 too."""

from __future__ import annotations

import numpy as np

SIZES = [None, 4]


def programs(tf):
    """Returns functions by their names, each of which returns names, or numbers, for a new graph."""
    keras, layers = tf.keras, tf.keras.layers

    class Linear(keras.Model):
        def __init__(self, **options):
            super().__init__(**options)
            self.first, self.second = layers.Dense(3), layers.Dense(2, activation="relu")

        def call(self, x):
            return self.second(self.first(x))

    class Outer(keras.Model):
        def __init__(self):
            super().__init__()
            self.inner, self.rest = Linear(), [layers.Dense(2), layers.BatchNormalization()]
            self.own = self.add_weight("own", shape=(2,))

        def call(self, x):
            x = self.inner(x)
            for layer in self.rest:
                x = layer(x)
            return x * self.own

    class Own(layers.Layer):
        def __init__(self):
            super().__init__()
            self.inner = layers.Dense(3)

        def build(self, shape):
            self.kernel = self.add_weight("kernel", shape=(int(shape[-1]), 3))
            self.again = [self.add_weight("kernel", shape=()), self.add_weight(shape=())]
            self.variable = tf.Variable(1.0, name="variable")
            self.got = tf.get_variable("got", [2])
            super().build(shape)

        def call(self, x):
            return tf.matmul(x, self.kernel) + self.inner(x)

    def names(parts, outputs):
        return [[weight.name for part in parts for weight in part.weights], [output.name for output in outputs]]

    def given():
        return tf.placeholder(tf.float32, SIZES)

    def functional():
        x = layers.Input((4,))
        y = layers.Dense(2)(layers.Dense(3, name="first")(x))
        model = keras.Model(x, y)
        return names([model], [y, model(given()), model(given())])

    def shared_layer():
        layer = layers.Dense(4)
        return names([layer], [layer(layer(layers.Input((4,))))])

    def sequential():
        parts = [layers.Dense(3, input_shape=(4,)), layers.Activation("relu"), layers.Dropout(0.5), layers.Dense(1)]
        model = keras.Sequential(parts)
        found = names([model], [model.output, model(given())])
        return [*found, keras.backend.learning_phase().name]

    def subclass():
        models = [Linear(), Linear(name="mine"), Linear()]
        x = given()
        outputs = [model(x) for model in [*models, *models]]
        return names(models, outputs)

    def subclass_that_is_built():
        model = Linear()
        model.build((None, 4))
        return names([model], [])

    def subclass_that_is_fitted():
        model = Linear()
        model.compile("sgd", "mse")
        model.fit(np.zeros((4, 3)), np.zeros((4, 2)), verbose=0)
        return names([model], model.outputs)

    def sequential_that_is_fitted():
        model = keras.Sequential([layers.Dense(3), layers.Dense(1)])
        model.compile("sgd", "mse")
        model.fit(np.zeros((4, 3)), np.zeros((4, 1)), verbose=0)
        return names([model], model.outputs)

    def models_in_models():
        inner = keras.Sequential([layers.Dense(3, input_shape=(4,)), layers.Dense(2)], name="inner")
        x = layers.Input((4,))
        middle = inner(x)
        y = layers.Dense(1)(middle)
        outer = keras.Model(x, y, name="outer")
        subclass = Outer()
        return names([outer, subclass], [middle, y, outer(given()), subclass(given())])

    def own_layers():
        layer = Own()
        x = given()
        return names([layer], [layer(x), layer(x)])

    def scopes():
        parts, outputs = [layers.Dense(3), layers.Dense(3), layers.Dense(3), Linear()], []
        x = given()
        with tf.variable_scope("around"):
            outputs += [parts[0](x), parts[0](x)]
        with tf.name_scope("ops"):
            outputs.append(parts[1](x))
        with tf.variable_scope("around", reuse=True, initializer=tf.zeros_initializer()):
            outputs += [parts[2](x), parts[3](x)]
        return names(parts, outputs)

    def built_alone():
        parts = [layers.Dense(3), layers.Dense(3, name="named")]
        for part in parts:
            part.build((None, 4))
        return names(parts, [parts[0](given())])

    def wrappers():
        x = layers.Input((5, 4))
        parts = [layers.TimeDistributed(layers.Dense(3)), layers.Bidirectional(layers.LSTM(2, return_sequences=True))]
        parts.append(layers.RNN([layers.GRUCell(2), layers.SimpleRNNCell(3)]))
        for part in parts:
            x = part(x)
        return names(parts, [])

    def losses():
        half = keras.regularizers.l1(0.5)
        layer = layers.Dense(3, kernel_regularizer=half, activity_regularizer=half, kernel_initializer="ones")
        x, y = tf.ones([2, 4]), tf.ones([3, 4])
        layer(x), layer(y)
        of_layer = tf.layers.Dense(2, activity_regularizer=half, kernel_initializer="ones")
        of_layer(y)
        found = layer.losses
        kinds = [[loss.name for loss in layer.get_losses_for(tensor)] for tensor in (None, x, y)]
        with tf.Session() as session:
            session.run([v.initializer for v in layer.weights + of_layer.weights])
            values = [float(v) for v in session.run([*found, *of_layer.losses])]
        collected = [loss.name for loss in tf.get_collection("regularization_losses")]
        return [[loss.name for loss in found], kinds, values, collected]

    def collections():
        frozen, norm = layers.Dense(2, trainable=False), layers.BatchNormalization()
        frozen(given()), norm(given(), training=True)
        old = tf.layers.Dense(2, trainable=False)
        old(given())
        updates = tf.get_collection("update_ops")
        return [[v.name for v in tf.trainable_variables()], [v.trainable for v in frozen.weights], len(updates)]

    def training_of_the_call_around():
        class Layer(layers.Layer):
            def __init__(self):
                super().__init__()
                self.inner = layers.Dropout(0.5)

            def call(self, x, training=None):
                return self.inner(x)

        class Without(layers.Layer):
            def __init__(self):
                super().__init__()
                self.inner = layers.Dropout(0.5)

            def call(self, x):
                return self.inner(x)

        class Model(keras.Model):
            def __init__(self):
                super().__init__()
                self.inner, self.old = layers.Dropout(0.5), tf.layers.Dropout(0.5)

            def call(self, x, training=None):
                return self.inner(x), self.old(x)

        x = tf.ones([50, 4])
        outputs = [Layer()(x, training=True), Layer()(x), Layer()(x, training=False), Without()(x, training=True)]
        outputs += [*Model()(x, training=True), *Model()(x)]
        outputs += [Layer()(x, True), keras.Sequential([Layer(), Without()])(x, training=True)]
        with tf.Session() as session:
            return [bool((value == 1.0).all()) for value in session.run(outputs)]

    def tuples_in_lambdas():
        x, y = layers.Input((2,)), layers.Input((2,))
        layer = layers.Lambda(lambda t: (t[0], t[0] + 2 * t[1]), output_shape=lambda s: s)
        z = layers.Lambda(lambda t: t[0] * t[1], output_shape=(2,))(layer((x, y)))
        model = keras.Model([x, y], z)
        last = model.layers[-1]
        shapes = [(None, 2), (None, 2)]
        computed = [one.compute_output_shape(kind(shapes)) for one in (layer, last) for kind in (list, tuple)]
        lists = [
            [s.as_list() for s in found] if isinstance(found, (list, tuple)) else found.as_list() for found in computed
        ]
        kinds = [type(found).__name__ for found in (layer.input, layer.output, last.input, last.output)]
        given = [np.ones((1, 2)), np.ones((1, 2))]
        return [model.predict(given).tolist(), repr((layer.input_shape, layer.output_shape)), lists, kinds[:3]]

    def old_layers_in_models():
        class Model(keras.Model):
            def __init__(self):
                super().__init__()
                self.one, self.others = tf.layers.Dense(3), [tf.layers.Dense(2)]

            def call(self, x):
                return self.others[0](self.one(x))

        class Old(tf.layers.Layer):
            def __init__(self):
                super().__init__()
                self.one = tf.layers.Dense(3)

            def call(self, x):
                return self.one(x)

        model, old = Model(), Old()
        outputs = [model(given()), model(given()), old(given())]
        return [*names([model, old.one], outputs), [w.op.type for w in model.weights + old.one.weights]]

    found = [functional, shared_layer, sequential, subclass, subclass_that_is_built, subclass_that_is_fitted]
    found += [sequential_that_is_fitted, models_in_models, own_layers, scopes, built_alone, wrappers, losses]
    found += [tuples_in_lambdas, collections, training_of_the_call_around, old_layers_in_models]
    return {function.__name__: function for function in found}


def results(tf):
    """Returns what each program returns."""
    found = {}
    for name in programs(tf):
        tf.keras.backend.clear_session()
        with tf.Graph().as_default():
            found[name] = programs(tf)[name]()
    return found
