"""Programs of `tf.contrib.specs`, alike on TensorFlow 1.15 and ferroflow: each returns text and numbers."""

import importlib
import random

SPECS = {
    "convolutions": ("net = (Cr(5, [3, 3]) | Mp([2, 2])) ** 3 | Flat | Fm(7)", [1, 16, 16, 5]),
    "joined": ("net = Conc(1, Fs(20), Ft(10)) * Fl(30) | Id", [4, 20]),
    "shared": ("S = Shared(Fs(20)); net = S | S | Conc(1, Fs(20), S)", [4, 20]),
    "shapes": ("net = Fun(lambda x: x * 2.0) | Reshape([2, -1]) | Transpose([1, 0]) | Expand(0) | Smax", [6, 4]),
    "repeated_never": ("net = Fs(3) ** 0 | Dws(2) | Dwm(3)", [1, 4, 4, 2]),
    "positions": ("C3 = Cr(_1=[3, 3]); net = C3(_0=5) ** 2 | Cl(3, [1, 1]) | Lrn(2) | Ap([2, 2])", [1, 8, 8, 5]),
    "imported": ("S = Import('f = lambda x: -x'); net = S | External('math', 'fabs') ** 0 | Sig", [3, 4]),
}
REFUSED = ("x = 1", "import os; net = Id", "net = Fun(3)", "net = Id | Missing")
PARAMETERS = "x=3; y=Ui(-10, 10); z=Lf(1, 100); q=Nt(2.0, 1.0, 0.3); a=Li(3, 90); b=Uf(); c=sqrt(2) + math.pi"


def _module(tf, name):
    return importlib.import_module(f"{tf.__name__.partition('.')[0]}.contrib.specs.python{name}")


def describe(tf, spec, shape):
    """Returns what the functions of `summaries` print and count of a network, and its variables."""
    specs, summaries = _module(tf, ""), _module(tf, ".summaries")
    lines = []
    with tf.Graph().as_default():
        specs.Shared.shared_number = 1
        output = specs.create_net(spec, tf.placeholder(tf.float32, shape))
        lines += [summaries.tf_structure(output), summaries.tf_structure(output.op, include_shapes=True)]
        summaries.tf_print(output, printer=lines.append)
        for combine in (True, False):
            summaries.tf_parameter_summary(output, printer=lines.append, combine=combine)
        lines += [summaries.tf_num_params(output), [variable.name for variable in tf.global_variables()]]
    return lines


def refuse(tf, spec):
    """Returns the error of a specification."""
    with tf.Graph().as_default():
        try:
            _module(tf, "").create_net(spec, tf.zeros([1]))
        except Exception as error:
            return [type(error).__name__, str(error)]


def parameters(tf):
    """Returns parameters whose random numbers are those of Python's generator."""
    random.seed(3)
    return sorted(_module(tf, "").eval_params(PARAMETERS, {"w": 0}).items())


def programs(tf):
    """Returns the programs by name."""
    return {
        **{name: lambda given=given: describe(tf, *given) for name, given in SPECS.items()},
        **{spec: lambda spec=spec: refuse(tf, spec) for spec in REFUSED},
        "parameters": lambda: parameters(tf),
    }
