"""Programs of Python 2 and of old packages are rewritten, where that is mechanical, into what means the same."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given, strategies as st

from ferroflow.command_line.modernizing import modernized

PAIRS = [
    ("print 'a', 3", "print('a', 3)"),
    ("print", "print()"),
    ("print('a')", "print('a')"),
    ("print ('a') + 'b'", "print(('a') + 'b')"),
    ("print 'a',", "print('a', end=\" \")"),
    ("print >>f, 'a' % (1, 2),", "print('a' % (1, 2), file=f, end=\" \")"),
    ("print >>f", "print(file=f)"),
    ("if x: print 1; print 2", "if x: print(1); print(2)"),
    ("print 1  # print 2", "print(1)  # print 2"),
    ("x = {'a': 1}; print x['a']", "x = {'a': 1}; print(x['a'])"),
    ("print f(1,\n  2), 'print 3'", "print(f(1,\n  2), 'print 3')"),
    ("try: pass\nexcept (A, B), e: pass", "try: pass\nexcept (A, B) as e: pass"),
    ("try: pass\nexcept (A, B): print 1", "try: pass\nexcept (A, B): print(1)"),
    ("raise E, 'a'", "raise E('a')"),
    ("exec 'x' in d", "exec('x', d)"),
    ("x = 0777 + 10L + 0xFFL; print x", "x = 0o777 + 10 + 0xFF; print(x)"),
    ("if a <> b: print 'a <> b'", "if a != b: print('a <> b')"),
    ("print ur'a'", "print(r'a')"),
    ("for i in xrange(3): print i", "for i in range(3): print(i)"),
    ("import numpy as np\nx = np.zeros(1, np.float)", "import numpy as np\nx = np.zeros(1, float)"),
    ("import numpy\nx = 'é', numpy.NaN", "import numpy\nx = 'é', numpy.nan"),
    ("import cPickle", "import pickle as cPickle"),
    ("import cPickle as pickle", "import pickle"),
    ("from scipy.misc import imread, imsave", "from imageio.v2 import imread, imsave"),
    ("from scipy.misc import imread, imresize", "from scipy.misc import imread, imresize"),
    ("from sklearn.cross_validation import KFold as K", "from sklearn.model_selection import KFold as K"),
    ("from sklearn.externals import joblib", "import joblib"),
    ("from urllib2 import urlopen", "from urllib.request import urlopen"),
    ("for k, v in d.iteritems(): pass", "for k, v in d.items(): pass"),
    ("def f(unicode): return unicode, long", "def f(unicode): return unicode, int"),
    ("try:\n    import cPickle\nexcept ImportError: pass", "try:\n    import cPickle\nexcept ImportError: pass"),
    ("if x:\n\tprint 1\n        print 2", "if x:\n        print(1)\n        print(2)"),
]


@pytest.mark.parametrize(("before", "after"), PAIRS)
def test_a_program_is_rewritten(before, after):
    assert modernized(before) == after


@pytest.mark.parametrize("text", ["print 'a", "x = `y`", "def f((a, b)): pass", "\0"])
def test_what_is_not_mechanical_is_left(text):
    assert modernized(text) is None


@given(st.lists(st.sampled_from([after for before, after in PAIRS if "\t" not in before]), min_size=1, max_size=5))
def test_what_is_new_already_stays(parts):
    text = "\n".join(parts)
    once = modernized(text)
    assert once is not None
    assert modernized(once) == once
    assert once.count("\n") == text.count("\n")


@given(st.text(alphabet="print x,;:()'\"#\\\n\t0789L<>abé=", max_size=40))
def test_any_text_gives_a_program_or_nothing(text):
    made = modernized(text)
    assert made is None or ast.parse(made) is not None
