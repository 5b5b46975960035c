//! StringStrip: strings without the spaces around them.

use super::each::to_strings;
use super::to_number::trimmed;
use ferroflow_graph::{Op, Registry, kernel, shape_rules};

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("StringStrip")
            .input("input: string")
            .output("output: string")
            .doc("Returns each string without the spaces, tabs and line ends before and after it.")
            .shape(shape_rules::unchanged)
            .kernel(|_| kernel(|ctx| to_strings(ctx, |text| Ok(trimmed(text).into())))),
    );
}
