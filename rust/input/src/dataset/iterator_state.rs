//! SerializeIterator, DeserializeIterator: the position of an iterator as a variant that checkpoints hold.

use super::background::lock;
use super::iterator::{IteratorResource, Pass, iterator};
use super::position::Position;
use super::recipe;
use super::saved::{Reader, Saved, Session, Writer};
use super::value::Pull;
use ferroflow_graph::{Blocking, Op, Registry, kernel, shape_rules};
use ferroflow_io::EncodedVariant;
use ferroflow_tensor::{Bytes, DType, Object, Result, Tensor, bail};
use smallvec::smallvec;
use std::collections::BTreeMap;

/// The type of the variant.
const TYPE_NAME: &str = "ferroflow::IteratorPosition";
/// The form of the bytes, which the first of them state.
const FORM: u64 = 1;

/// Returns the dataset of an iterator, and the place that it has come to.
fn save(resource: &IteratorResource, pull: Pull<'_>) -> Result<Bytes> {
    let Some(pass) = resource.pass() else {
        bail!(
            FailedPrecondition,
            "SaveState() failed because the iterator has not been initialized. Ensure that you have run the initializer \
             operation for this iterator before saving it."
        )
    };
    let mut pass = lock(&pass, pull)?;
    let mut to = Writer { bytes: Vec::new(), takes_datasets: true };
    FORM.put(&mut to)?;
    recipe::save(&pass.value, &mut to)?;
    let mut position = Position::to(to, pull);
    let Pass { iterator, .. } = &mut *pass;
    position.until_its_end(iterator, |iterator, position| {
        position.iterator(iterator)?;
        position.value(&mut iterator.place().map(|place| place.streams()))
    })?;
    Ok(position.into_bytes().into())
}

/// Returns the pass whose position `save` returned.
fn restore(bytes: &[u8], session: Session<'_>) -> Result<Pass> {
    let mut from = Reader::new(bytes, "the saved position of an iterator", Some(session));
    if u64::get(&mut from)? != FORM {
        bail!(Unimplemented, "The position of the iterator was saved by a newer ferroflow. Use that one.")
    }
    let value = recipe::restore(&mut from)?;
    let mut iterator = Some(value.dataset.iterator());
    let mut position = Position::from(from, session.pull);
    position.until_its_end(&mut iterator, |iterator, position| {
        position.iterator(iterator)?;
        let mut streams: Option<BTreeMap<_, _>> = None;
        position.value(&mut streams)?;
        if let (Some(place), Some(streams)) = (iterator.place(), streams) {
            place.set_streams(streams);
        }
        Ok(())
    })?;
    Ok(Pass { value, iterator })
}

fn bytes_of(serialized: &Tensor) -> Result<Bytes> {
    let found = match (serialized.dtype(), serialized.rank()) {
        (DType::Variant, 0) => serialized.objects()?.first().and_then(Object::get::<EncodedVariant>),
        _ => None,
    };
    match found {
        Some(variant) if variant.type_name == TYPE_NAME => Ok(variant.value.clone()),
        Some(variant) => bail!(
            InvalidArgument,
            "A variant of type {} is no position of an iterator. Positions that TensorFlow saved cannot be restored.",
            variant.type_name
        ),
        None => bail!(InvalidArgument, "The serialized position of an iterator must be a scalar of dtype DT_VARIANT."),
    }
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("SerializeIterator")
            .input("resource_handle: resource")
            .output("serialized: variant")
            .listed_stateful(true)
            .blocks(Blocking::Pipeline)
            .shape(shape_rules::scalar)
            .doc("Returns the dataset of an iterator and its position in it.")
            .kernel(|_| {
                kernel(|ctx| {
                    let (iterator, threads) = (iterator(ctx, 0)?, ctx.threads());
                    ctx.run_blocking(move |cancellation| {
                        let value = save(&iterator, Pull { cancellation, threads, resumes: false })?;
                        let variant = EncodedVariant { type_name: TYPE_NAME.to_owned(), value };
                        Ok(smallvec![Tensor::from_objects(DType::Variant, [], vec![Object::new(variant)])?])
                    })
                })
            }),
    );
    r.add(
        Op::new("DeserializeIterator")
            .input("resource_handle: resource")
            .input("serialized: variant")
            .listed_stateful(true)
            .blocks(Blocking::Pipeline)
            .shape(shape_rules::unknown)
            .doc("Moves an iterator to a position that SerializeIterator returned, in the dataset of that iterator.")
            .kernel(|_| {
                kernel(|ctx| {
                    let (iterator, threads) = (iterator(ctx, 0)?, ctx.threads());
                    let (bytes, functions) = (bytes_of(ctx.input(1)?)?, ctx.step.functions.clone());
                    ctx.run_blocking(move |cancellation| {
                        let pull = Pull { cancellation, threads, resumes: false };
                        iterator.replace(restore(&bytes, Session { functions: &functions, pull })?)?;
                        Ok(smallvec![])
                    })
                })
            }),
    );
}
