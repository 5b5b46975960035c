"""Writes f64_functions.txt: double-precision functions at chosen points, rounded from 40 digits (needs mpmath).

Each line: the function's name, the bits of x, the bits of f(x), both as 16 hexadecimal digits.
"""

import math
import random
import struct
from pathlib import Path

import mpmath
from mpmath import mp, mpf

mp.prec = 200
random.seed(20)


def bits(x):
    return struct.pack(">d", x).hex()


def spread(low, high, count=40):
    """Points with magnitudes spread evenly on a logarithmic scale, both signs."""
    for _ in range(count):
        magnitude = math.exp(random.uniform(math.log(low), math.log(high)))
        yield magnitude
        yield -magnitude


def positive(low, high):
    return [x for x in spread(low, high) if x > 0]


FUNCTIONS = {
    "Exp": (mpmath.exp, [*spread(1e-10, 700), -708.5, -720.25, -744.0, 709.7, 1.0, -1.0]),
    "Expm1": (mpmath.expm1, [*spread(1e-18, 700), 709.7, 0.35, -0.35]),
    "Log": (mpmath.log, [*positive(1e-300, 1e300), *positive(0.5, 2.0), 5e-324, 1e-310, 1 + 2**-52, 1 - 2**-53]),
    "Log1p": (mpmath.log1p, [*positive(1e-18, 1e300), *(x for x in spread(1e-18, 0.99)), -1 + 2**-53]),
    "Tanh": (mpmath.tanh, [*spread(1e-18, 21)]),
    "Sigmoid": (lambda x: 1 / (1 + mpmath.exp(-x)), [*spread(1e-10, 700), -744.0]),
    "Softplus": (lambda x: mpmath.log1p(mpmath.exp(x)), [*spread(1e-10, 700)]),
    "Sin": (mpmath.sin, [*spread(1e-10, 9e5), *spread(1e6, 1e15), math.pi, 355.0, 2 * math.pi]),
    "Cos": (mpmath.cos, [*spread(1e-10, 9e5), *spread(1e6, 1e15), math.pi / 2, 11.0]),
    "Tan": (mpmath.tan, [*spread(1e-10, 9e5), *spread(1e6, 1e15), math.pi / 2, math.pi]),
    "Asin": (mpmath.asin, [*spread(1e-10, 1.0)]),
    "Acos": (mpmath.acos, [*spread(1e-10, 1.0)]),
    "Atan": (mpmath.atan, [*spread(1e-10, 1e10)]),
    "Sinh": (mpmath.sinh, [*spread(1e-10, 700)]),
    "Cosh": (mpmath.cosh, [*spread(1e-10, 700)]),
    "Asinh": (mpmath.asinh, [*spread(1e-10, 1e200)]),
    "Acosh": (mpmath.acosh, [1 + x for x in positive(1e-10, 1e200)]),
    "Atanh": (mpmath.atanh, [*spread(1e-10, 0.999)]),
    "Erf": (mpmath.erf, [*spread(1e-10, 5.8)]),
    "Erfc": (mpmath.erfc, [*spread(1e-10, 26)]),
    "Lgamma": (lambda x: mpmath.log(abs(mpmath.gamma(x))), [*positive(1e-10, 1e5), -0.5, -1.5, -10.25, -100.75]),
    "Digamma": (mpmath.digamma, [*positive(1e-5, 1e10), -0.5, -1.25, -10.75, -100.125]),
}

lines = [
    f"{name} {bits(x)} {bits(float(function(mpf(x))))}\n"
    for name, (function, points) in FUNCTIONS.items()
    for x in points
]
Path(__file__).with_name("f64_functions.txt").write_text("".join(lines))
