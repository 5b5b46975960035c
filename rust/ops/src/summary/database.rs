//! `Database`: a SQLite file of summaries, which the program's language writes.

use crate::script::call;
use ferroflow_tensor::{Bytes, DType, Result, Tensor, bail};
use smallvec::smallvec;

/// The function that opens databases, and adds to them: of an action, the number of an open database, and texts. It
/// returns a number.
const TOKEN: &str = "ferroflow.summary_database";

/// An open database, by the number that the function has for it.
pub(super) struct Database(i64);

fn request(action: &str, number: i64, texts: Vec<Bytes>) -> Result<i64> {
    let texts = Tensor::from_strings([texts.len()], texts)?;
    let action = Tensor::from_strings([], vec![action.as_bytes().into()])?;
    let results = call(TOKEN, smallvec![action, Tensor::scalar(number), texts], &[DType::I64])?;
    match &results[..] {
        [one] => one.to_scalar(),
        _ => bail!(Internal, "{TOKEN} returns one number"),
    }
}

impl Database {
    /// Opens the file `uri`, which gets TensorFlow's tables.
    pub fn open(uri: &str, experiment: &str, run: &str, user: &str) -> Result<Database> {
        let texts = [uri, experiment, run, user].map(|text| text.as_bytes().into());
        request("open", 0, texts.to_vec()).map(Database)
    }

    /// Adds the content of a serialized `Event`.
    pub fn add(&self, event: Vec<u8>) -> Result<()> {
        request("add", self.0, vec![event.into()]).map(drop)
    }

    /// Ends the run.
    pub fn close(&self) -> Result<()> {
        request("close", self.0, Vec::new()).map(drop)
    }
}
