//! Parser of op schema strings, in TensorFlow's `REGISTER_OP` syntax.

use crate::attr::AttrValue;
use crate::op_def::{ArgDef, ArgType, AttrDef, AttrKind};
use ferroflow_tensor::{DType, PartialShape, Result, Status, Tensor, bail, ensure};

/// Sets of types that schemas name by one word.
fn type_set(word: &str) -> Option<Vec<DType>> {
    use DType::*;
    const REAL: [DType; 12] = [F32, F64, I32, I64, U8, I16, I8, U16, F16, U32, U64, BF16];
    Some(match word {
        "numbertype" => {
            let quantized = [Complex64, Complex128, QI8, QU8, QI32];
            REAL.iter().chain(&quantized).copied().collect()
        }
        "realnumbertype" | "realnumberttype" => REAL.to_vec(),
        "quantizedtype" => vec![QI8, QU8, QI32, QI16, QU16],
        _ => return None,
    })
}

struct Cursor<'a> {
    text: &'a str,
    rest: &'a str,
}

impl<'a> Cursor<'a> {
    fn new(text: &'a str) -> Self {
        Cursor { text, rest: text.trim_start() }
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.rest.strip_prefix(token);
        if let Some(rest) = found {
            self.rest = rest.trim_start();
        }
        found.is_some()
    }

    fn expect(&mut self, token: &str) -> Result<()> {
        ensure!(self.eat(token), Internal, "expected '{token}' at '{}' in '{}'", self.rest, self.text);
        Ok(())
    }

    fn word(&mut self) -> Result<&'a str> {
        let end = self.rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(self.rest.len());
        ensure!(end > 0, Internal, "expected a word at '{}' in '{}'", self.rest, self.text);
        let word = &self.rest[..end];
        self.rest = self.rest[end..].trim_start();
        Ok(word)
    }

    fn number(&mut self) -> Result<&'a str> {
        let ok = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+');
        let end = self.rest.find(|c| !ok(c)).unwrap_or(self.rest.len());
        let word = &self.rest[..end];
        ensure!(!word.is_empty(), Internal, "expected a number at '{}' in '{}'", self.rest, self.text);
        self.rest = self.rest[end..].trim_start();
        Ok(word)
    }

    fn quoted(&mut self) -> Result<&'a str> {
        let quote = if self.rest.starts_with('"') { '"' } else { '\'' };
        let Some((inside, rest)) = self.rest.strip_prefix(quote).and_then(|r| r.split_once(quote)) else {
            bail!(Internal, "expected a quoted string at '{}' in '{}'", self.rest, self.text);
        };
        self.rest = rest.trim_start();
        Ok(inside)
    }

    fn end(&self) -> Result<()> {
        ensure!(self.rest.is_empty(), Internal, "'{}' is left over in '{}'", self.rest, self.text);
        Ok(())
    }
}

fn dtype(word: &str) -> Result<DType> {
    let name = word.strip_prefix("DT_").map(str::to_ascii_lowercase).unwrap_or_else(|| word.to_owned());
    match DType::from_schema_name(&name) {
        Some(d) => Ok(d),
        None => bail!(Internal, "unknown type '{word}'"),
    }
}

pub(crate) fn parse_arg(text: &str) -> Result<ArgDef> {
    let mut c = Cursor::new(text);
    let name = c.word()?;
    c.expect(":")?;
    let is_ref = c.eat("Ref(");
    let mut word = c.word()?;
    let number_attr = if c.eat("*") { Some(std::mem::replace(&mut word, c.word()?).into()) } else { None };
    if is_ref {
        c.expect(")")?;
    }
    c.end()?;
    let ty = DType::from_schema_name(word).map_or_else(|| ArgType::Attr(word.into()), ArgType::Fixed);
    Ok(ArgDef { name: name.into(), ty, is_ref, number_attr, is_type_list: false })
}

fn parse_one(c: &mut Cursor<'_>, kind: AttrKind) -> Result<AttrValue> {
    let bad = |w: &str| ferroflow_tensor::Status::internal(format!("bad default '{w}'"));
    Ok(match kind {
        AttrKind::Int => {
            let w = c.number()?;
            AttrValue::Int(w.parse().map_err(|_| bad(w))?)
        }
        AttrKind::Float => {
            let w = c.number()?;
            AttrValue::Float(w.trim_end_matches('f').parse().map_err(|_| bad(w))?)
        }
        AttrKind::Bool => {
            let w = c.word()?;
            AttrValue::Bool(w.parse().map_err(|_| bad(w))?)
        }
        AttrKind::Str => AttrValue::Str(c.quoted()?.as_bytes().to_vec()),
        AttrKind::Type => AttrValue::Type(dtype(c.word()?)?),
        AttrKind::Shape => {
            if c.eat("{") {
                c.expect("unknown_rank")?;
                c.expect(":")?;
                c.expect("true")?;
                c.expect("}")?;
                AttrValue::Shape(PartialShape::unknown())
            } else {
                let dims = parse_list(c, AttrKind::Int)?;
                let dims: Vec<i64> =
                    dims.iter().filter_map(|d| if let AttrValue::Int(n) = d { Some(*n) } else { None }).collect();
                AttrValue::Shape(PartialShape::from_wire(Some(&dims)))
            }
        }
        AttrKind::Tensor => AttrValue::Tensor(parse_tensor(c)?),
        AttrKind::Func => bail!(Internal, "defaults of functions are not supported"),
    })
}

/// Returns a `TensorProto` in text form, with elements of type uint8, all given: no schema has others.
fn parse_tensor(c: &mut Cursor<'_>) -> Result<Tensor> {
    fn field<'a, T: std::str::FromStr>(c: &mut Cursor<'a>, name: &str) -> Result<T> {
        c.expect(name)?;
        c.expect(":")?;
        let word = c.number()?;
        word.parse().map_err(|_| Status::internal(format!("bad {name} '{word}' in '{}'", c.text)))
    }
    c.expect("{")?;
    c.expect("dtype: DT_UINT8")?;
    c.expect("tensor_shape:")?;
    c.expect("{")?;
    let mut shape = Vec::new();
    while c.eat("dim {") {
        shape.push(field(c, "size")?);
        c.expect("}")?;
    }
    c.expect("}")?;
    let mut values: Vec<u8> = Vec::new();
    while !c.eat("}") {
        values.push(field(c, "int_val")?);
    }
    Tensor::from_slice(&shape[..], &values)
}

fn parse_list(c: &mut Cursor<'_>, kind: AttrKind) -> Result<Vec<AttrValue>> {
    c.expect("[")?;
    let mut list = Vec::new();
    while !c.eat("]") {
        list.push(parse_one(c, kind)?);
        c.eat(",");
    }
    Ok(list)
}

pub(crate) fn parse_attr(text: &str) -> Result<AttrDef> {
    let mut c = Cursor::new(text);
    let name = c.word()?;
    c.expect(":")?;
    let is_list = c.eat("list(");
    let (mut allowed_types, mut allowed_strings) = (Vec::new(), Vec::new());
    let kind = if c.eat("{") {
        let strings = c.rest.starts_with(['\'', '"']);
        while !c.eat("}") {
            if strings {
                allowed_strings.push(c.quoted()?.to_owned());
            } else {
                let word = c.word()?;
                match type_set(word) {
                    Some(set) => allowed_types.extend(set),
                    None => allowed_types.push(dtype(word)?),
                }
            }
            c.eat(",");
        }
        if strings { AttrKind::Str } else { AttrKind::Type }
    } else {
        let word = c.word()?;
        match word {
            "int" => AttrKind::Int,
            "float" => AttrKind::Float,
            "bool" => AttrKind::Bool,
            "string" => AttrKind::Str,
            "type" => AttrKind::Type,
            "shape" => AttrKind::Shape,
            "tensor" => AttrKind::Tensor,
            "func" => AttrKind::Func,
            _ => match type_set(word) {
                Some(set) => {
                    allowed_types = set;
                    AttrKind::Type
                }
                None => bail!(Internal, "unknown attr type '{word}' in '{text}'"),
            },
        }
    };
    if is_list {
        c.expect(")")?;
    }
    let minimum = if c.eat(">=") {
        let w = c.number()?;
        w.parse().ok()
    } else {
        None
    };
    let default = if c.eat("=") {
        Some(if is_list { AttrValue::List(parse_list(&mut c, kind)?) } else { parse_one(&mut c, kind)? })
    } else {
        None
    };
    c.end()?;
    Ok(AttrDef { name: name.into(), kind, is_list, default, minimum, allowed_types, allowed_strings })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_of_every_form() {
        let a = parse_arg("values: N * T").unwrap();
        assert_eq!((a.number_attr.as_deref(), a.ty), (Some("N"), ArgType::Attr("T".into())));
        assert!(parse_arg("ref: Ref(T)").unwrap().is_ref);
        assert_eq!(parse_arg("x: float").unwrap().ty, ArgType::Fixed(DType::F32));
        for bad in ["", "x", "x:", "x: N *", "x: Ref(T", "x: T T"] {
            assert!(parse_arg(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn attributes_of_every_form() {
        let a = parse_attr("T: {half, float, double} = DT_FLOAT").unwrap();
        assert_eq!(a.allowed_types, [DType::F16, DType::F32, DType::F64]);
        assert_eq!(a.default, Some(AttrValue::Type(DType::F32)));
        let a = parse_attr("N: int >= 2").unwrap();
        assert_eq!((a.minimum, a.default), (Some(2), None));
        let a = parse_attr("padding: {'SAME', 'VALID'}").unwrap();
        assert_eq!(a.allowed_strings, ["SAME", "VALID"]);
        let a = parse_attr("dims: list(int) = [1, -2]").unwrap();
        assert_eq!(a.default, Some(AttrValue::List(vec![AttrValue::Int(1), AttrValue::Int(-2)])));
        let a = parse_attr("shape: shape = { unknown_rank: true }").unwrap();
        assert_eq!(a.default, Some(AttrValue::Shape(PartialShape::unknown())));
        let a = parse_attr("container: string = ''").unwrap();
        assert_eq!(a.default, Some(AttrValue::Str(vec![])));
        let a = parse_attr("epsilon: float = 1e-4").unwrap();
        assert_eq!(a.default, Some(AttrValue::Float(1e-4)));
        let a = parse_attr("t: tensor = { dtype: DT_UINT8 tensor_shape: { dim { size: 2 } } int_val: 255 int_val: 0 }");
        let Some(AttrValue::Tensor(t)) = a.unwrap().default else { panic!("no tensor") };
        assert_eq!(t.slice::<u8>().unwrap(), [255, 0]);
        assert_eq!(parse_attr("T: realnumbertype").unwrap().allowed_types.len(), 12);
        for bad in
            ["", "T", "T: nonsense", "T: {float", "N: int = x", "s: string = 'a", "t: tensor = { dtype: DT_FLOAT }"]
        {
            assert!(parse_attr(bad).is_err(), "{bad}");
        }
    }
}
