//! EncodeBase64, DecodeBase64: bytes in the alphabet that is safe in file names and addresses.

use super::each::to_strings;
use base64::Engine;
use base64::alphabet::URL_SAFE;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use ferroflow_graph::{Op, Registry, kernel, shape_rules};
use ferroflow_tensor::{Bytes, Result, Status, ensure};

/// TF takes bits left over in the last character; padding is taken off before.
const CONFIG: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::RequireNone)
    .with_decode_allow_trailing_bits(true);
const PADDED: GeneralPurpose = GeneralPurpose::new(&URL_SAFE, CONFIG);
const PLAIN: GeneralPurpose = GeneralPurpose::new(&URL_SAFE, CONFIG.with_encode_padding(false));

fn decode(text: &[u8]) -> Result<Bytes> {
    let padded = text.len().is_multiple_of(4);
    let end = text.iter().rposition(|&c| c != b'=').map_or(0, |i| i + 1);
    let digits = if padded && text.len() - end <= 2 { &text[..end] } else { text };
    ensure!(digits.len() % 4 != 1, InvalidArgument, "Base64 string length cannot be 1 modulo 4.");
    let invalid = |_| Status::invalid_argument("Invalid character found in base64.");
    Ok(PLAIN.decode(digits).map_err(invalid)?.into())
}

pub(super) fn register(r: &mut Registry) {
    let op = |name: &str| Op::new(name).input("input: string").output("output: string").shape(shape_rules::unchanged);
    r.add(
        op("EncodeBase64")
            .attr("pad: bool = false")
            .doc("Returns each string in base 64, with `-` and `_` as the last digits.")
            .kernel(|init| {
                let engine = if init.bool("pad")? { &PADDED } else { &PLAIN };
                kernel(move |ctx| to_strings(ctx, |text| Ok(engine.encode(text).into_bytes().into())))
            }),
    );
    r.add(
        op("DecodeBase64")
            .doc("Returns the bytes that each string of base-64 digits stands for; padding may be missing.")
            .kernel(|_| kernel(|ctx| to_strings(ctx, decode))),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_may_be_missing_but_not_wrong() {
        for (text, expected) in [("YQ", "a"), ("YQ==", "a"), ("YWI", "ab"), ("YWI=", "ab"), ("YWJj", "abc"), ("", "")] {
            assert_eq!(&*decode(text.as_bytes()).unwrap(), expected.as_bytes(), "{text}");
        }
        assert_eq!(&*decode(b"YR==").unwrap(), b"a");
        for bad in ["Y", "YQ=", "Y===", "YW I", "+/==", "YQ==YQ==", "===="] {
            assert!(decode(bad.as_bytes()).is_err(), "{bad}");
        }
    }
}
