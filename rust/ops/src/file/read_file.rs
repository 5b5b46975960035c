//! ReadFile: the bytes of a file.

use super::path::{name_in, scalar};
use ferroflow_graph::{Blocking, Op, Registry, ShapeContext, kernel};
use ferroflow_io::file::read;
use ferroflow_tensor::{PartialShape, Result};
use smallvec::smallvec;

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(0)?.with_rank(0)?;
    c.set_output(0, PartialShape::scalar());
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("ReadFile")
            .input("filename: string")
            .output("contents: string")
            .foreign()
            .blocks(Blocking::Files)
            .doc("Returns the bytes of the file of that name.")
            .shape(shape)
            .kernel(|_| {
                kernel(|ctx| {
                    let name = name_in(ctx.input(0)?, "filename")?;
                    ctx.run_blocking(move |_| Ok(smallvec![scalar(read(&name)?)?]))
                })
            }),
    );
}
