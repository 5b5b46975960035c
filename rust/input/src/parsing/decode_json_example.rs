//! DecodeJSONExample: examples in the JSON form of messages, serialized.

use super::json::{Json, parse};
use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use ferroflow_graph::{KernelContext, Op, Registry, kernel, shape_rules};
use ferroflow_proto::Message;
use ferroflow_proto::tensorflow::{BytesList, Example, Feature, Features, FloatList, Int64List, feature::Kind};
use ferroflow_tensor::{Bytes, Result, Status, Tensor};

type Parsed<T> = std::result::Result<T, String>;

const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);
const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, LENIENT);
const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, LENIENT);

/// Returns the members of an object; none of a null.
fn members(value: Json, what: &str) -> Parsed<Vec<(String, Json)>> {
    match value {
        Json::Object(members) => Ok(members),
        Json::Null => Ok(vec![]),
        _ => Err(format!("{what} should be an object.")),
    }
}

/// Returns the only member that an object may have, where it has it.
fn member(value: Json, what: &str, name: &str) -> Parsed<Json> {
    let mut found = Json::Null;
    for (key, value) in members(value, what)? {
        if key != name {
            return Err(format!("no such field: '{key}' in {what}"));
        }
        found = value;
    }
    Ok(found)
}

fn values<T>(list: Json, what: &str, convert: impl Fn(Json) -> Parsed<T>) -> Parsed<Vec<T>> {
    match member(list, what, "value")? {
        Json::Null => Ok(vec![]),
        Json::List(values) => values.into_iter().map(convert).collect(),
        _ => Err(format!("value of {what} should be a list.")),
    }
}

fn bytes(value: Json) -> Parsed<Vec<u8>> {
    match &value {
        Json::Text(text) => STANDARD
            .decode(text)
            .or_else(|_| URL_SAFE.decode(text))
            .map_err(|_| format!("Invalid data type for bytes, value is not in base64: {text:?}")),
        _ => Err(format!("Invalid data type for bytes: {value:?}")),
    }
}

fn float(value: Json) -> Parsed<f32> {
    let text = match &value {
        Json::Number(text) | Json::Text(text) => text.as_str(),
        _ => return Err(format!("Invalid data type for a float: {value:?}")),
    };
    let number = match text {
        "NaN" => Some(f32::NAN),
        "Infinity" => Some(f32::INFINITY),
        "-Infinity" => Some(f32::NEG_INFINITY),
        _ => text.parse().ok().filter(|v: &f32| v.is_finite()),
    };
    number.ok_or_else(|| format!("Invalid float: {text:?}"))
}

fn int(value: Json) -> Parsed<i64> {
    let text = match &value {
        Json::Number(text) | Json::Text(text) => text.as_str(),
        _ => return Err(format!("Invalid data type for an int64: {value:?}")),
    };
    // Whole numbers may be spelled with a fraction or an exponent.
    let whole = |v: &f64| v.fract() == 0.0 && (-(2f64.powi(63))..2f64.powi(63)).contains(v);
    let exact = text.parse().ok().or_else(|| text.parse::<f64>().ok().filter(whole).map(|v| v as i64));
    exact.ok_or_else(|| format!("Invalid int64: {text:?}"))
}

fn feature(value: Json) -> Parsed<Feature> {
    let mut kind = None;
    for (key, value) in members(value, "a feature")? {
        if value == Json::Null {
            continue;
        }
        if kind.is_some() {
            return Err(format!("oneof field 'kind' is already set. Cannot set '{key}'"));
        }
        kind = Some(match key.as_str() {
            "bytesList" | "bytes_list" => Kind::BytesList(BytesList { value: values(value, &key, bytes)? }),
            "floatList" | "float_list" => Kind::FloatList(FloatList { value: values(value, &key, float)? }),
            "int64List" | "int64_list" => Kind::Int64List(Int64List { value: values(value, &key, int)? }),
            _ => return Err(format!("no such field: '{key}' in a feature")),
        });
    }
    Ok(Feature { kind })
}

fn example(text: &[u8]) -> Parsed<Example> {
    let text = std::str::from_utf8(text).map_err(|_| "Encountered non UTF-8 code points.".to_owned())?;
    let features = member(parse(text)?, "an example", "features")?;
    if features == Json::Null {
        return Ok(Example::default());
    }
    let mut out = Features::default();
    for (name, value) in members(member(features, "features", "feature")?, "feature")? {
        if out.feature.insert(name.clone(), feature(value)?).is_some() {
            return Err(format!("Repeated map key: '{name}' is already set."));
        }
    }
    Ok(Example { features: Some(out) })
}

fn decode(ctx: &mut KernelContext<'_>) -> Result<()> {
    let input = ctx.input(0)?;
    let serialized = |text: &Bytes| match example(text) {
        Ok(example) => Ok(Bytes::from_vec(example.encode_to_vec())),
        Err(e) => Err(Status::invalid_argument(format!("Error while parsing JSON: {e}"))),
    };
    let all = input.strings()?.iter().map(serialized).collect::<Result<Vec<_>>>()?;
    let out = Tensor::from_strings(input.shape().clone(), all)?;
    ctx.set_output(0, out);
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("DecodeJSONExample")
            .input("json_examples: string")
            .output("binary_examples: string")
            .doc("Examples in JSON, serialized.")
            .shape(shape_rules::unchanged)
            .kernel(|_| kernel(decode)),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_list_is_read_under_both_spellings() {
        let text = r#"{"features": {"feature": {
            "a": {"bytesList": {"value": ["aGk=", "aGk", "-_8="]}},
            "b": {"float_list": {"value": [1, "2.5", "NaN"]}},
            "c": {"int64List": {"value": ["-7", 1e3]}},
            "d": {}}}}"#;
        let feature = example(text.as_bytes()).unwrap().features.unwrap().feature;
        let bytes = BytesList { value: vec![b"hi".to_vec(), b"hi".to_vec(), vec![0xfb, 0xff]] };
        assert_eq!(feature["a"].kind, Some(Kind::BytesList(bytes)));
        assert!(matches!(&feature["b"].kind, Some(Kind::FloatList(f)) if f.value[..2] == [1.0, 2.5]));
        assert_eq!(feature["c"].kind, Some(Kind::Int64List(Int64List { value: vec![-7, 1000] })));
        assert_eq!(feature["d"].kind, None);
    }

    #[test]
    fn what_is_no_example_is_refused() {
        for bad in [
            "{",
            "[]",
            r#"{"feature": {}}"#,
            r#"{"features": {"feature": {"a": {"list": {}}}}}"#,
            r#"{"features": {"feature": {"a": {"int64List": {"value": [1.5]}}}}}"#,
            r#"{"features": {"feature": {"a": {"int64List": {"value": ["9223372036854775808"]}}}}}"#,
            r#"{"features": {"feature": {"a": {"bytesList": {"value": ["?"]}}}}}"#,
            r#"{"features": {"feature": {"a": {"int64List": {}, "floatList": {}}}}}"#,
            r#"{"features": {"feature": {"a": {}, "a": {}}}}"#,
        ] {
            assert!(example(bad.as_bytes()).is_err(), "{bad}");
        }
    }
}
