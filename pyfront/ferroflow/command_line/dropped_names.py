"""Names that Python and other packages have renamed or removed since TensorFlow 1.x programs were written."""

import sys
from typing import Final

PYTHON_2_MODULES: Final = frozenset(
    (
        *("ConfigParser", "Queue", "SocketServer", "StringIO", "Tkinter", "__builtin__", "cPickle", "cStringIO"),
        *("commands", "copy_reg", "cookielib", "httplib", "thread", "urllib2", "urlparse"),
    )
)

# (the text of a TypeError, what to write in Python 3)
PYTHON_2_VALUES: Final = (
    (r"'(map|zip|filter)' object is not subscriptable", "map, zip and filter gave lists; write list(...) around it"),
    (r"object of type '(map|zip|filter)' has no len", "map, zip and filter gave lists; write list(...) around it"),
    (r"'dict_\w+' object (is not subscriptable|does not support)", "a dict's keys were a list; write list(...)"),
    (r"'float' object cannot be interpreted as an integer", "/ of whole numbers gave a whole number; write //"),
    (r"a bytes-like object is required, not 'str'", "text was bytes; write b'...', or open the file as text"),
    (r"can't concat str to bytes|must be str, not bytes", "text was bytes; write .decode() after the bytes"),
)

# The packages of modules that have another name.
PACKAGES: Final = {
    "Crypto": "pycryptodome",
    "PIL": "pillow",
    "bs4": "beautifulsoup4",
    "cv2": "opencv-python",
    "dateutil": "python-dateutil",
    "past": "future",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "yaml": "PyYAML",
}
NEED_TENSORFLOW: Final = frozenset(
    ("sonnet", "tensor2tensor", "tensorflow_datasets", "tensorflow_hub", "tensorflow_probability")
)


def _or_older(requirement: str, before: tuple[int, int]) -> str:
    """Returns advice to install an older package, for Pythons that have wheels of it."""
    return f", or pip install '{requirement}'" if sys.version_info < before else ""


# (the text of an error, what to do); groups of the one are fields of the other.
DROPPED: Final = (
    ("inhomogeneous shape", "Since 1.24 NumPy makes no array of rows of different lengths; give it dtype=object"),
    ("has no attribute 'tostring'", "NumPy dropped tostring; write tobytes"),
    (r"module 'numpy' has no attribute '(bool|float|int|object|str|complex)'", "NumPy dropped np.{0}; write {0}"),
    (r"module 'numpy' has no attribute '(long|unicode)'", "NumPy dropped np.{0}; write int or str"),
    (r"module 'numpy' has no attribute '(Inf|Infinity|infty)'", "NumPy dropped np.{0}; write np.inf"),
    ("module 'numpy' has no attribute 'NaN'", "NumPy dropped np.NaN; write np.nan"),
    ("module 'numpy' has no attribute 'asscalar'", "NumPy dropped it; write array.item()"),
    ("module 'numpy' has no attribute 'product'", "NumPy dropped it; write np.prod"),
    (r"`?np\.\w+`? was removed", "NumPy 2 dropped it; write what replaced it" + _or_older("numpy<2", (3, 13))),
    (
        r"module 'numpy' has no attribute",
        "NumPy may have dropped it; write what replaced it" + _or_older("numpy<2", (3, 13)),
    ),
    (
        r"only (0-dimensional|length-1|size-1) arrays can be converted to Python scalars",
        "NumPy makes no number of an array with an axis any more; write array.item()",
    ),
    (
        r"'(imread|imsave|imresize|imrotate|toimage)' from 'scipy|scipy\.misc",
        "SciPy dropped its functions for images; imageio reads and writes them, pillow resizes them",
    ),
    (
        r"(?:sklearn\.|cannot import name ')(externals|cross_validation|grid_search)",
        "scikit-learn dropped sklearn.{0}; joblib is a package of its own, the others are sklearn.model_selection",
    ),
    (
        r"cannot import name '(\w+)' from 'collections'",
        "Python moved it: from collections.abc import {0}",
    ),
    (
        "name 'reload' is not defined|module 'sys' has no attribute 'setdefaultencoding'",
        "Text is Unicode in Python 3: leave out reload(sys) and sys.setdefaultencoding",
    ),
    (
        "module 'PIL.Image' has no attribute 'ANTIALIAS'",
        "Pillow 10 dropped it; write LANCZOS" + _or_older("pillow<10", (3, 12)),
    ),
    (
        r"module 'tensorboard\.summary' has no attribute '(\w+_pb)'",
        "TensorBoard 2 moved {0}: write import tensorboard.summary.v1, and tensorboard.summary.v1.{0}",
    ),
    (r"module 'collections' has no attribute '(\w+)'", "Python moved it: collections.abc.{0}"),
    ("module 'time' has no attribute 'clock'", "Python dropped time.clock; write time.perf_counter"),
    ("module 'inspect' has no attribute 'getargspec'", "Python dropped it; write inspect.getfullargspec"),
)
