"""`tf.errors`: exceptions of failed steps, and their codes."""

from ferroflow._src.base.errors import (
    ABORTED as ABORTED,
)
from ferroflow._src.base.errors import (
    ALREADY_EXISTS as ALREADY_EXISTS,
)
from ferroflow._src.base.errors import (
    CANCELLED as CANCELLED,
)
from ferroflow._src.base.errors import (
    DATA_LOSS as DATA_LOSS,
)
from ferroflow._src.base.errors import (
    DEADLINE_EXCEEDED as DEADLINE_EXCEEDED,
)
from ferroflow._src.base.errors import (
    FAILED_PRECONDITION as FAILED_PRECONDITION,
)
from ferroflow._src.base.errors import (
    INTERNAL as INTERNAL,
)
from ferroflow._src.base.errors import (
    INVALID_ARGUMENT as INVALID_ARGUMENT,
)
from ferroflow._src.base.errors import (
    NOT_FOUND as NOT_FOUND,
)
from ferroflow._src.base.errors import (
    OK as OK,
)
from ferroflow._src.base.errors import (
    OUT_OF_RANGE as OUT_OF_RANGE,
)
from ferroflow._src.base.errors import (
    PERMISSION_DENIED as PERMISSION_DENIED,
)
from ferroflow._src.base.errors import (
    RESOURCE_EXHAUSTED as RESOURCE_EXHAUSTED,
)
from ferroflow._src.base.errors import (
    UNAUTHENTICATED as UNAUTHENTICATED,
)
from ferroflow._src.base.errors import (
    UNAVAILABLE as UNAVAILABLE,
)
from ferroflow._src.base.errors import (
    UNIMPLEMENTED as UNIMPLEMENTED,
)
from ferroflow._src.base.errors import (
    UNKNOWN as UNKNOWN,
)
from ferroflow._src.base.errors import (
    AbortedError as AbortedError,
)
from ferroflow._src.base.errors import (
    AlreadyExistsError as AlreadyExistsError,
)
from ferroflow._src.base.errors import (
    CancelledError as CancelledError,
)
from ferroflow._src.base.errors import (
    DataLossError as DataLossError,
)
from ferroflow._src.base.errors import (
    DeadlineExceededError as DeadlineExceededError,
)
from ferroflow._src.base.errors import (
    FailedPreconditionError as FailedPreconditionError,
)
from ferroflow._src.base.errors import (
    InternalError as InternalError,
)
from ferroflow._src.base.errors import (
    InvalidArgumentError as InvalidArgumentError,
)
from ferroflow._src.base.errors import (
    NotFoundError as NotFoundError,
)
from ferroflow._src.base.errors import (
    OpError as OpError,
)
from ferroflow._src.base.errors import (
    OutOfRangeError as OutOfRangeError,
)
from ferroflow._src.base.errors import (
    PermissionDeniedError as PermissionDeniedError,
)
from ferroflow._src.base.errors import (
    ResourceExhaustedError as ResourceExhaustedError,
)
from ferroflow._src.base.errors import (
    UnauthenticatedError as UnauthenticatedError,
)
from ferroflow._src.base.errors import (
    UnavailableError as UnavailableError,
)
from ferroflow._src.base.errors import (
    UnimplementedError as UnimplementedError,
)
from ferroflow._src.base.errors import (
    UnknownError as UnknownError,
)
from ferroflow._src.base.errors import (
    error_code_from_exception_type as error_code_from_exception_type,
)
from ferroflow._src.base.errors import (
    exception_type_from_error_code as exception_type_from_error_code,
)
