"""`tf.random.experimental`: generators whose state is a variable."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.variables.generator import (
    Generator as Generator,
    create_rng_state as create_rng_state,
    get_global_generator as get_global_generator,
    set_global_generator as set_global_generator,
)

_tell_absent(globals())
