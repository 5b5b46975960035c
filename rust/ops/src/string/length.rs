//! StringLength: how long strings are, and what a unit of text is.

use super::each::to_values;
use ferroflow_graph::{KernelInit, Op, Registry, kernel, shape_rules};
use ferroflow_tensor::{Result, Status};

/// The unit of positions and lengths in a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Byte,
    Utf8Character,
}

impl Unit {
    pub(super) const ATTR: &'static str = "unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'";

    pub(super) fn of(init: &KernelInit<'_>) -> Result<Unit> {
        Ok(if init.str("unit")? == "UTF8_CHAR" { Unit::Utf8Character } else { Unit::Byte })
    }

    /// Returns true if a unit starts at this byte.
    pub(super) fn starts(self, byte: u8) -> bool {
        self == Unit::Byte || byte & 0xC0 != 0x80
    }

    pub(super) fn count(self, text: &[u8]) -> usize {
        match self {
            Unit::Byte => text.len(),
            Unit::Utf8Character => text.iter().filter(|&&b| self.starts(b)).count(),
        }
    }
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("StringLength")
            .input("input: string")
            .output("output: int32")
            .attr(Unit::ATTR)
            .doc("Returns the length of each string in bytes or in characters of UTF-8.")
            .shape(shape_rules::unchanged)
            .kernel(|init| {
                let unit = Unit::of(init)?;
                let too_long = |_| Status::invalid_argument("a string is longer than int32 can count");
                kernel(move |ctx| to_values::<i32>(ctx, |text| i32::try_from(unit.count(text)).map_err(too_long)))
            }),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_counted_by_their_first_byte() {
        let text = "aé€🙂".as_bytes();
        assert_eq!((Unit::Byte.count(text), Unit::Utf8Character.count(text)), (10, 4));
    }
}
