//! `DType`: TensorFlow's data types with their wire numbers, and `Scalar`, the Rust types that store them.

use half::{bf16, f16};
use num_complex::{Complex32, Complex64};

/// Element type of a tensor. The number is TensorFlow's `DataType`. A reference type is that number plus 100; it occurs
/// in graphs only, since a value is never a reference.
///
/// As wide as the other fields of a tensor. With one byte among padding, a tensor is copied in pieces, and a processor
/// that reads the copy as a whole stalls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u64)]
pub enum DType {
    F32 = 1,
    F64 = 2,
    I32 = 3,
    U8 = 4,
    I16 = 5,
    I8 = 6,
    String = 7,
    Complex64 = 8,
    I64 = 9,
    Bool = 10,
    QI8 = 11,
    QU8 = 12,
    QI32 = 13,
    BF16 = 14,
    QI16 = 15,
    QU16 = 16,
    U16 = 17,
    Complex128 = 18,
    F16 = 19,
    Resource = 20,
    Variant = 21,
    U32 = 22,
    U64 = 23,
}

/// (type, Python name, name in op schemas, bytes per element; 0 where elements have no fixed size)
const TABLE: [(DType, &str, &str, usize); 23] = [
    (DType::F32, "float32", "float", 4),
    (DType::F64, "float64", "double", 8),
    (DType::I32, "int32", "int32", 4),
    (DType::U8, "uint8", "uint8", 1),
    (DType::I16, "int16", "int16", 2),
    (DType::I8, "int8", "int8", 1),
    (DType::String, "string", "string", 0),
    (DType::Complex64, "complex64", "complex64", 8),
    (DType::I64, "int64", "int64", 8),
    (DType::Bool, "bool", "bool", 1),
    (DType::QI8, "qint8", "qint8", 1),
    (DType::QU8, "quint8", "quint8", 1),
    (DType::QI32, "qint32", "qint32", 4),
    (DType::BF16, "bfloat16", "bfloat16", 2),
    (DType::QI16, "qint16", "qint16", 2),
    (DType::QU16, "quint16", "quint16", 2),
    (DType::U16, "uint16", "uint16", 2),
    (DType::Complex128, "complex128", "complex128", 16),
    (DType::F16, "float16", "half", 2),
    (DType::Resource, "resource", "resource", 0),
    (DType::Variant, "variant", "variant", 0),
    (DType::U32, "uint32", "uint32", 4),
    (DType::U64, "uint64", "uint64", 8),
];

impl DType {
    pub const ALL: [DType; 23] = {
        let mut all = [DType::F32; 23];
        let mut i = 0;
        while i < 23 {
            all[i] = TABLE[i].0;
            i += 1;
        }
        all
    };

    pub fn number(self) -> i32 {
        self as i32
    }

    pub fn from_number(n: i32) -> Option<DType> {
        usize::try_from(n).ok().and_then(|n| n.checked_sub(1)).and_then(|i| TABLE.get(i)).map(|row| row.0)
    }

    /// Returns the name Python programs see, such as `float32`.
    pub fn name(self) -> &'static str {
        TABLE[self as usize - 1].1
    }

    /// Returns the name op schemas use, such as `float`.
    pub fn schema_name(self) -> &'static str {
        TABLE[self as usize - 1].2
    }

    pub fn from_schema_name(name: &str) -> Option<DType> {
        TABLE.iter().find(|row| row.2 == name).map(|row| row.0)
    }

    /// Returns the number of bytes per element; 0 for strings, resources and variants.
    pub fn size(self) -> usize {
        TABLE[self as usize - 1].3
    }

    /// Returns the integer type of a quantized type's elements, and other types as they are.
    pub fn without_quantization(self) -> DType {
        match self {
            DType::QI8 => DType::I8,
            DType::QU8 => DType::U8,
            DType::QI16 => DType::I16,
            DType::QU16 => DType::U16,
            DType::QI32 => DType::I32,
            other => other,
        }
    }

    pub fn is_floating(self) -> bool {
        matches!(self, DType::F16 | DType::BF16 | DType::F32 | DType::F64)
    }

    pub fn is_complex(self) -> bool {
        matches!(self, DType::Complex64 | DType::Complex128)
    }

    /// Returns the complex type with real and imaginary parts of this type.
    pub fn complex(self) -> Option<DType> {
        match self {
            DType::F32 => Some(DType::Complex64),
            DType::F64 => Some(DType::Complex128),
            _ => None,
        }
    }

    /// Returns the type of the real part; the type itself if it is not complex.
    pub fn real(self) -> DType {
        match self {
            DType::Complex64 => DType::F32,
            DType::Complex128 => DType::F64,
            other => other,
        }
    }

    pub fn is_integer(self) -> bool {
        use DType::*;
        matches!(self, I8 | I16 | I32 | I64 | U8 | U16 | U32 | U64)
    }

    /// Returns true if the elements are plain bytes of a fixed size.
    pub fn is_plain(self) -> bool {
        self.size() != 0
    }
}

mod sealed {
    pub trait Sealed {}
}

/// A Rust type that stores the elements of one `DType`. Every bit pattern that a buffer of this dtype can hold is a
/// valid value; buffers of `bool` hold 0 and 1 only.
pub trait Scalar: Copy + Default + PartialEq + Send + Sync + std::fmt::Debug + sealed::Sealed + 'static {
    const DTYPE: DType;
}

macro_rules! scalar {
    ($($t:ty => $d:ident),* $(,)?) => {
        $(impl sealed::Sealed for $t {}
        impl Scalar for $t {
            const DTYPE: DType = DType::$d;
        })*
    };
}

scalar! {
    f32 => F32, f64 => F64, i32 => I32, u8 => U8, i16 => I16, i8 => I8, i64 => I64, bool => Bool, u16 => U16,
    u32 => U32, u64 => U64, f16 => F16, bf16 => BF16, Complex32 => Complex64, Complex64 => Complex128,
}

/// Runs `$body` with the type name `$T` bound to the Rust type of `$dtype`, for the listed `DType` variants;
/// other types go to `$otherwise`.
///
/// `dispatch!(dtype, T in [F32, F64], kernel::<T>(x), else bail!(...))`; the lists `float`, `int`, `real`
/// (both), `number` (with complex) and `plain` (with bool) stand for their members.
#[macro_export]
macro_rules! dispatch {
    ($dtype:expr, $T:ident in float, $body:expr, else $otherwise:expr) => {
        $crate::dispatch!($dtype, $T in [F32, F64, F16, BF16], $body, else $otherwise)
    };
    ($dtype:expr, $T:ident in int, $body:expr, else $otherwise:expr) => {
        $crate::dispatch!($dtype, $T in [I32, I64, U8, I8, I16, U16, U32, U64], $body, else $otherwise)
    };
    ($dtype:expr, $T:ident in real, $body:expr, else $otherwise:expr) => {
        $crate::dispatch!($dtype, $T in [F32, F64, F16, BF16, I32, I64, U8, I8, I16, U16, U32, U64], $body, else $otherwise)
    };
    ($dtype:expr, $T:ident in number, $body:expr, else $otherwise:expr) => {
        $crate::dispatch!($dtype, $T in [F32, F64, F16, BF16, I32, I64, U8, I8, I16, U16, U32, U64, Complex64, Complex128],
            $body, else $otherwise)
    };
    ($dtype:expr, $T:ident in plain, $body:expr, else $otherwise:expr) => {
        $crate::dispatch!($dtype, $T in [F32, F64, F16, BF16, I32, I64, U8, I8, I16, U16, U32, U64, Complex64, Complex128,
            Bool], $body, else $otherwise)
    };
    ($dtype:expr, $T:ident in [$($v:ident),* $(,)?], $body:expr, else $otherwise:expr) => {
        match $dtype {
            $($crate::DType::$v => {
                type $T = $crate::scalar_type!($v);
                $body
            })*
            #[allow(unreachable_patterns)]
            _ => $otherwise,
        }
    };
}

/// The Rust type of a `DType` variant.
#[macro_export]
macro_rules! scalar_type {
    (F32) => {
        f32
    };
    (F64) => {
        f64
    };
    (F16) => {
        $crate::f16
    };
    (BF16) => {
        $crate::bf16
    };
    (I8) => {
        i8
    };
    (I16) => {
        i16
    };
    (I32) => {
        i32
    };
    (I64) => {
        i64
    };
    (U8) => {
        u8
    };
    (U16) => {
        u16
    };
    (U32) => {
        u32
    };
    (U64) => {
        u64
    };
    (Bool) => {
        bool
    };
    (Complex64) => {
        $crate::Complex32
    };
    (Complex128) => {
        $crate::Complex64
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_round_trip_and_name_the_table_row() {
        for d in DType::ALL {
            assert_eq!(DType::from_number(d.number()), Some(d));
            assert_eq!(DType::from_schema_name(d.schema_name()), Some(d));
        }
        for n in [i32::MIN, -1, 0, 24, 101, i32::MAX] {
            assert_eq!(DType::from_number(n), None);
        }
    }

    #[test]
    fn scalar_sizes_are_the_tables() {
        for d in DType::ALL {
            let size = dispatch!(d, T in plain, std::mem::size_of::<T>(), else d.size());
            assert_eq!(size, d.size());
        }
    }
}
