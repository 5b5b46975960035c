//! Attributes of nodes: values and the map with typed access.

use ferroflow_tensor::{Code, DType, PartialShape, Result, Status, Tensor, bail};
use std::sync::Arc;

/// A function attribute: a name with attributes of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Func {
    pub name: String,
    pub attrs: AttrMap,
}

#[derive(Clone, Debug, PartialEq)]
pub enum AttrValue {
    Int(i64),
    Float(f32),
    Bool(bool),
    Str(Vec<u8>),
    Type(DType),
    Shape(PartialShape),
    Tensor(Tensor),
    Func(Func),
    List(Vec<AttrValue>),
}

impl AttrValue {
    /// Returns the type word of op schemas, for messages.
    pub fn kind_name(&self) -> &'static str {
        match self {
            AttrValue::Int(_) => "int",
            AttrValue::Float(_) => "float",
            AttrValue::Bool(_) => "bool",
            AttrValue::Str(_) => "string",
            AttrValue::Type(_) => "type",
            AttrValue::Shape(_) => "shape",
            AttrValue::Tensor(_) => "tensor",
            AttrValue::Func(_) => "func",
            AttrValue::List(_) => "list",
        }
    }
}

/// Attributes by name, in the order of the op definition (extra ones after it).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AttrMap(Vec<(Arc<str>, AttrValue)>);

macro_rules! getters {
    ($($one:ident, $many:ident: $variant:ident => $t:ty = |$v:ident| $get:expr;)*) => {
        $(
        /// Returns the attribute of that name and type.
        ///
        /// Errors: `NotFound` without such an attribute, `InvalidArgument` where it has another type.
        pub fn $one(&self, name: &str) -> Result<$t> {
            match self.require(name)? {
                AttrValue::$variant($v) => Ok($get),
                other => Err(wrong_kind(name, stringify!($one), other)),
            }
        }

        /// Returns the same for a list attribute.
        pub fn $many(&self, name: &str) -> Result<Vec<$t>> {
            let AttrValue::List(list) = self.require(name)? else {
                bail!(InvalidArgument, "attr '{name}' is not a list");
            };
            list.iter()
                .map(|item| match item {
                    AttrValue::$variant($v) => Ok($get),
                    other => Err(wrong_kind(name, stringify!($one), other)),
                })
                .collect()
        }
        )*
    };
}

fn wrong_kind(name: &str, expected: &str, got: &AttrValue) -> Status {
    Status::invalid_argument(format!("attr '{name}' should be {expected}, is {}", got.kind_name()))
}

fn within_int32(name: &str, n: i64) -> Result<()> {
    match i32::try_from(n) {
        Ok(_) => Ok(()),
        Err(_) => bail!(InvalidArgument, "Attr {name} has value {n} out of range for an int32"),
    }
}

impl AttrMap {
    pub fn get(&self, name: &str) -> Option<&AttrValue> {
        self.0.iter().find(|(n, _)| &**n == name).map(|(_, v)| v)
    }

    fn require(&self, name: &str) -> Result<&AttrValue> {
        self.get(name).ok_or_else(|| Status::new(Code::NotFound, format!("No attr named '{name}'")))
    }

    /// Returns a list attribute of integers that an int32 can hold.
    ///
    /// Errors: as for `ints`, and `InvalidArgument` for a greater or lesser integer.
    pub fn int32s(&self, name: &str) -> Result<Vec<i64>> {
        let list = self.ints(name)?;
        list.iter().try_for_each(|&n| within_int32(name, n))?;
        Ok(list)
    }

    /// Returns an attribute that is an integer which an int32 can hold.
    ///
    /// Errors: as for `int`, and `InvalidArgument` for a greater or lesser integer.
    pub fn int32(&self, name: &str) -> Result<i64> {
        let n = self.int(name)?;
        within_int32(name, n)?;
        Ok(n)
    }

    /// Adds or replaces.
    pub fn set(&mut self, name: impl Into<Arc<str>>, value: AttrValue) {
        let name = name.into();
        match self.0.iter_mut().find(|(n, _)| *n == name) {
            Some(slot) => slot.1 = value,
            None => self.0.push((name, value)),
        }
    }

    pub fn remove(&mut self, name: &str) -> Option<AttrValue> {
        let i = self.0.iter().position(|(n, _)| &**n == name)?;
        Some(self.0.remove(i).1)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &AttrValue)> {
        self.0.iter().map(|(n, v)| (&**n, v))
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    getters! {
        int, ints: Int => i64 = |v| *v;
        float, floats: Float => f32 = |v| *v;
        bool, bools: Bool => bool = |v| *v;
        bytes, bytes_list: Str => Vec<u8> = |v| v.clone();
        str, strs: Str => String = |v| String::from_utf8_lossy(v).into_owned();
        dtype, dtypes: Type => DType = |v| *v;
        shape, shapes: Shape => PartialShape = |v| v.clone();
        tensor, tensors: Tensor => Tensor = |v| v.clone();
        func, funcs: Func => Func = |v| v.clone();
    }
}
