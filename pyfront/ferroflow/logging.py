"""`tf.logging`: messages to the user."""

from ferroflow._src.base.tf_logging import (
    DEBUG as DEBUG,
)
from ferroflow._src.base.tf_logging import (
    ERROR as ERROR,
)
from ferroflow._src.base.tf_logging import (
    FATAL as FATAL,
)
from ferroflow._src.base.tf_logging import (
    INFO as INFO,
)
from ferroflow._src.base.tf_logging import (
    WARN as WARN,
)
from ferroflow._src.base.tf_logging import (
    TaskLevelStatusMessage as TaskLevelStatusMessage,
)
from ferroflow._src.base.tf_logging import (
    debug as debug,
)
from ferroflow._src.base.tf_logging import (
    error as error,
)
from ferroflow._src.base.tf_logging import (
    fatal as fatal,
)
from ferroflow._src.base.tf_logging import (
    flush as flush,
)
from ferroflow._src.base.tf_logging import (
    get_verbosity as get_verbosity,
)
from ferroflow._src.base.tf_logging import (
    info as info,
)
from ferroflow._src.base.tf_logging import (
    log as log,
)
from ferroflow._src.base.tf_logging import (
    log_every_n as log_every_n,
)
from ferroflow._src.base.tf_logging import (
    log_first_n as log_first_n,
)
from ferroflow._src.base.tf_logging import (
    log_if as log_if,
)
from ferroflow._src.base.tf_logging import (
    set_verbosity as set_verbosity,
)
from ferroflow._src.base.tf_logging import (
    vlog as vlog,
)
from ferroflow._src.base.tf_logging import (
    warn as warn,
)
from ferroflow._src.base.tf_logging import (
    warning as warning,
)
