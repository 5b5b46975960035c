//! StringNGrams: neighbouring words of each row, joined.

use crate::ragged::splits as row_splits;
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{Bytes, PartialShape, Result, Tensor, bail, ensure};

/// Bytes that every memory has.
const SURELY_FITS: usize = 1 << 24;

struct NGrams {
    separator: Vec<u8>,
    left: Vec<u8>,
    right: Vec<u8>,
    /// Of the n-grams, in the order in which they are made.
    widths: Vec<usize>,
    /// Negative: one less than the width.
    padding: i64,
    keep_short: bool,
}

impl NGrams {
    fn of(init: &KernelInit<'_>) -> Result<NGrams> {
        let mut widths = Vec::new();
        for width in init.int32s("ngram_widths")? {
            let known = usize::try_from(width).ok().filter(|&w| w > 0);
            ensure!(known.is_some(), InvalidArgument, "ngram_widths must be > 0, got {width}");
            widths.extend(known);
        }
        Ok(NGrams {
            separator: init.bytes("separator")?,
            left: init.bytes("left_pad")?,
            right: init.bytes("right_pad")?,
            widths,
            padding: init.int32("pad_width")?,
            keep_short: init.bool("preserve_short_sequences")?,
        })
    }

    /// Returns the number of pads on each side of a row, for n-grams of a width.
    fn pads(&self, width: usize) -> usize {
        usize::try_from(self.padding).map_or(width - 1, |pads| pads.min(width - 1))
    }

    /// Appends the n-grams of a row that has `pads` pads on each side.
    ///
    /// Errors: `ResourceExhausted` if no memory has room for them.
    fn append(&self, words: &[Bytes], width: usize, pads: usize, to: &mut Vec<Bytes>) -> Result<()> {
        let all = words.len().saturating_add(pads.saturating_mul(2));
        let count = all.saturating_add(1).saturating_sub(width);
        // Pads and separators may be empty: a byte for each word also bounds the time.
        let bytes = count.saturating_mul(width).saturating_mul(self.separator.len().max(1));
        if bytes > SURELY_FITS && Vec::<u8>::new().try_reserve_exact(bytes).is_err() {
            bail!(ResourceExhausted, "OOM when allocating {count} n-grams of {width} words");
        }
        for first in 0..count {
            let mut text = Vec::new();
            for at in first..first + width {
                if at > first {
                    text.extend_from_slice(&self.separator);
                }
                let word = match at.checked_sub(pads) {
                    None => &self.left,
                    Some(i) => words.get(i).map_or(self.right.as_slice(), |word| word),
                };
                text.extend_from_slice(word);
            }
            to.push(text.into());
        }
        Ok(())
    }

    fn row(&self, words: &[Bytes], to: &mut Vec<Bytes>) -> Result<()> {
        let before = to.len();
        for &width in &self.widths {
            self.append(words, width, self.pads(width), to)?;
        }
        if self.keep_short && to.len() == before && !words.is_empty() {
            let pads = usize::try_from(self.padding).unwrap_or(0);
            self.append(words, words.len().saturating_add(pads.saturating_mul(2)), pads, to)?;
        }
        Ok(())
    }
}

fn n_grams(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let n_grams = NGrams::of(init)?;
    let dtype = init.output_type(1)?;
    kernel(move |ctx| {
        let (data, splits) = (ctx.input(0)?, ctx.input(1)?);
        // TF 1.x: only the shape function requires vectors; other shapes are taken flat.
        let words = data.strings()?;
        let bounds = splits.to_i64s()?;
        let mut least = 0;
        for &split in &bounds {
            ensure!(
                (least..=words.len() as i64).contains(&split),
                InvalidArgument,
                "Invalid split value {split}, must be in [{least},{}]",
                words.len()
            );
            least = split;
        }
        if words.is_empty() || bounds.is_empty() {
            // TF 1.x: as many n-grams without text as there are words.
            let (texts, splits) = (vec![Bytes::default(); words.len()], splits.clone());
            ctx.set_output(0, Tensor::from_strings([words.len()], texts)?);
            ctx.set_output(1, splits);
            return Ok(());
        }
        let (mut made, mut ends) = (Vec::new(), Vec::new());
        let mut start = 0;
        for (i, split) in bounds.into_iter().enumerate() {
            let end = split as usize;
            if i > 0 {
                n_grams.row(&words[start..end], &mut made)?;
            }
            ends.push(made.len());
            start = end;
        }
        let ends = row_splits::to_tensor(dtype, &ends)?.reshaped(splits.shape().clone())?;
        ctx.set_output(0, Tensor::from_strings([made.len()], made)?);
        ctx.set_output(1, ends);
        Ok(())
    })
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(0)?.with_rank(1)?;
    let splits = c.input(1)?.with_rank(1)?;
    c.set_output(0, PartialShape::vector(None));
    c.set_output(1, splits);
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("StringNGrams")
            .input("data: string")
            .input("data_splits: Tsplits")
            .output("ngrams: string")
            .output("ngrams_splits: Tsplits")
            .attr("separator: string")
            .attr("ngram_widths: list(int) >= 0")
            .attr("left_pad: string")
            .attr("right_pad: string")
            .attr("pad_width: int")
            .attr("preserve_short_sequences: bool")
            .attr("Tsplits: {int32, int64} = DT_INT64")
            .doc("Joins neighbouring words of each row, with `separator` between them and pads before and after a row.")
            .shape(shape)
            .kernel(n_grams),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::Code;

    fn call(widths: &[i64], padding: i64, keep_short: bool, splits: &[i64]) -> Result<(Vec<String>, Vec<i64>)> {
        let data = ["a", "b", "c", "d"].map(|w| Bytes::from(w.as_bytes())).to_vec();
        let text = |s: &str| AttrValue::Str(s.into());
        let attrs = [
            ("separator", text("|")),
            ("ngram_widths", AttrValue::List(widths.iter().map(|&w| AttrValue::Int(w)).collect())),
            ("left_pad", text("<")),
            ("right_pad", text(">")),
            ("pad_width", AttrValue::Int(padding)),
            ("preserve_short_sequences", AttrValue::Bool(keep_short)),
        ];
        let inputs = [Tensor::from_strings([4], data)?, Tensor::from_slice([splits.len()], splits)?];
        let out = run("StringNGrams", &inputs, &attrs)?;
        let words = out[0].strings()?.iter().map(|s| String::from_utf8_lossy(s).into_owned()).collect();
        Ok((words, out[1].slice::<i64>()?.to_vec()))
    }

    #[test]
    fn neighbours_are_joined_with_pads_at_the_ends() {
        let (words, splits) = call(&[2], 0, false, &[0, 1, 4]).unwrap();
        assert_eq!((words, splits), (vec!["b|c".to_owned(), "c|d".to_owned()], vec![0, 0, 2]));
        let (words, _) = call(&[2], -1, false, &[0, 1, 4, 4]).unwrap();
        assert_eq!(words, ["<|a", "a|>", "<|b", "b|c", "c|d", "d|>", "<|>"]);
        let (words, _) = call(&[4], 1, true, &[0, 1, 4]).unwrap();
        assert_eq!(words, ["<|a|>", "<|b|c|d", "b|c|d|>"]);
    }

    #[test]
    fn sizes_that_no_memory_has_are_refused() {
        let most = i64::from(i32::MAX);
        for (width, padding, keep_short, code) in [
            (most, -1, false, Code::ResourceExhausted),
            (most, most, true, Code::ResourceExhausted),
            (1 << 31, -1, false, Code::InvalidArgument),
            (2, 1 << 44, true, Code::InvalidArgument),
        ] {
            let error = call(&[width], padding, keep_short, &[0, 4]).unwrap_err();
            assert_eq!(error.code(), code, "{width}");
        }
    }

    #[test]
    fn bad_splits_and_widths_are_refused() {
        let error = call(&[1], 0, false, &[0, 5]).unwrap_err();
        assert_eq!(error.message(), "Invalid split value 5, must be in [0,4]");
        assert!(call(&[1], 0, false, &[0, 2, 1]).is_err());
        assert!(call(&[0], 0, false, &[0, 2]).is_err());
    }
}
