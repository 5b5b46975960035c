"""`tf.flags`: command-line flags; names beyond the usual ones come from absl on first use."""

import typing as _typing
from typing import Any

from ferroflow._src.base import flags as _flags
from ferroflow._src.base.absent_names import tell_absent as _tell_absent

if _typing.TYPE_CHECKING:
    from absl.flags import (
        DEFINE as DEFINE,
        ArgumentParser as ArgumentParser,
        ArgumentSerializer as ArgumentSerializer,
        BaseListParser as BaseListParser,
        BooleanFlag as BooleanFlag,
        BooleanParser as BooleanParser,
        CantOpenFlagFileError as CantOpenFlagFileError,
        CsvListSerializer as CsvListSerializer,
        DEFINE_alias as DEFINE_alias,
        DEFINE_enum as DEFINE_enum,
        DEFINE_enum_class as DEFINE_enum_class,
        DEFINE_flag as DEFINE_flag,
        DEFINE_list as DEFINE_list,
        DEFINE_multi as DEFINE_multi,
        DEFINE_multi_enum as DEFINE_multi_enum,
        DEFINE_multi_enum_class as DEFINE_multi_enum_class,
        DEFINE_multi_float as DEFINE_multi_float,
        DEFINE_multi_integer as DEFINE_multi_integer,
        DEFINE_multi_string as DEFINE_multi_string,
        DEFINE_spaceseplist as DEFINE_spaceseplist,
        DuplicateFlagError as DuplicateFlagError,
        EnumClassFlag as EnumClassFlag,
        EnumClassListSerializer as EnumClassListSerializer,
        EnumClassParser as EnumClassParser,
        EnumClassSerializer as EnumClassSerializer,
        EnumFlag as EnumFlag,
        EnumParser as EnumParser,
        Error as Error,
        Flag as Flag,
        FlagHolder as FlagHolder,
        FlagNameConflictsWithMethodError as FlagNameConflictsWithMethodError,
        FlagValues as FlagValues,
        FloatParser as FloatParser,
        IllegalFlagValueError as IllegalFlagValueError,
        IntegerParser as IntegerParser,
        ListParser as ListParser,
        ListSerializer as ListSerializer,
        MultiEnumClassFlag as MultiEnumClassFlag,
        MultiFlag as MultiFlag,
        UnparsedFlagAccessError as UnparsedFlagAccessError,
        UnrecognizedFlagError as UnrecognizedFlagError,
        ValidationError as ValidationError,
        WhitespaceSeparatedListParser as WhitespaceSeparatedListParser,
        adopt_module_key_flags as adopt_module_key_flags,
        declare_key_flag as declare_key_flag,
        disclaim_key_flags as disclaim_key_flags,
        doc_to_help as doc_to_help,
        flag_dict_to_args as flag_dict_to_args,
        get_help_width as get_help_width,
        mark_bool_flags_as_mutual_exclusive as mark_bool_flags_as_mutual_exclusive,
        mark_flag_as_required as mark_flag_as_required,
        mark_flags_as_mutual_exclusive as mark_flags_as_mutual_exclusive,
        mark_flags_as_required as mark_flags_as_required,
        multi_flags_validator as multi_flags_validator,
        override_value as override_value,
        register_multi_flags_validator as register_multi_flags_validator,
        register_validator as register_validator,
        set_default as set_default,
        text_wrap as text_wrap,
        validator as validator,
    )

    from ferroflow._src.base.flags import (
        FLAGS as FLAGS,
        DEFINE_bool as DEFINE_bool,
        DEFINE_boolean as DEFINE_boolean,
        DEFINE_float as DEFINE_float,
        DEFINE_integer as DEFINE_integer,
        DEFINE_string as DEFINE_string,
    )
else:

    def __getattr__(name: str) -> Any:
        return getattr(_flags, name)


def __dir__() -> list[str]:
    return dir(_flags)


_tell_absent(globals())
