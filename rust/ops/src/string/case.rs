//! StringLower, StringUpper: strings in small or capital letters.

use super::each::to_strings;
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, kernel, shape_rules};
use ferroflow_tensor::{Result, ensure};

/// Returns the text of bytes that should be UTF-8: what is not becomes the replacement character.
fn text(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

fn change(init: &KernelInit<'_>, ascii: fn(&[u8]) -> Vec<u8>, unicode: fn(&str) -> String) -> Result<Box<dyn Kernel>> {
    let encoding = init.str("encoding")?;
    ensure!(
        encoding.is_empty() || encoding == "utf-8",
        InvalidArgument,
        "only utf-8 or '' (no encoding) is supported, received {encoding}"
    );
    let is_unicode = !encoding.is_empty();
    kernel(move |ctx| {
        to_strings(ctx, |bytes| Ok(if is_unicode { unicode(&text(bytes)).into_bytes() } else { ascii(bytes) }.into()))
    })
}

pub(super) fn register(r: &mut Registry) {
    let op = |name: &str| {
        let op = Op::new(name).input("input: string").output("output: string").attr("encoding: string = ''");
        op.shape(shape_rules::unchanged)
    };
    r.add(
        op("StringLower")
            .doc("Returns each string in small letters: of ASCII alone, or of all scripts with the encoding utf-8.")
            .kernel(|init| change(init, |b| b.to_ascii_lowercase(), |s| s.to_lowercase())),
    );
    r.add(
        op("StringUpper")
            .doc("Returns each string in capital letters: of ASCII alone, or of all scripts with the encoding utf-8.")
            .kernel(|init| change(init, |b| b.to_ascii_uppercase(), |s| s.to_uppercase())),
    );
}
