//! `RowUpdate`: what a scatter does to the rows it names, in the order of its indices.

use ferroflow_tensor::vector::{Binary, Element, Operand, binary_in_place_left, has_zero};
use ferroflow_tensor::{DType, Result, Scalar, Tensor, bail, dispatch, ensure};

#[derive(Clone, Copy)]
pub(super) enum RowUpdate {
    Replace,
    Combine(Binary),
}

/// The new rows: one for each named row, or one scalar for all elements.
pub(super) struct Updates<'a> {
    pub values: &'a Tensor,
    pub is_scalar: bool,
}

impl RowUpdate {
    /// Returns true if there is a kernel for elements of this type.
    pub(super) fn supports(self, dtype: DType) -> bool {
        match self {
            RowUpdate::Replace => dtype == DType::String || dispatch!(dtype, _T in plain, true, else false),
            RowUpdate::Combine(f) if dtype == DType::Bool => logical(f).is_some(),
            RowUpdate::Combine(f) => dispatch!(dtype, T in number, f.supports::<T>(), else false),
        }
    }

    /// Updates `rows` of `var`, each of `row` elements, one after the other: of equal ones, all count, the last one last.
    /// The caller has checked that the rows exist and that the updates are as many.
    pub(super) fn run(self, var: &mut Tensor, row: usize, rows: &[usize], updates: &Updates<'_>) -> Result<()> {
        if rows.is_empty() || row == 0 {
            return Ok(());
        }
        let dtype = var.dtype();
        match self {
            RowUpdate::Replace if dtype == DType::String => replace_strings(var, row, rows, updates),
            RowUpdate::Replace => dispatch!(dtype, T in plain, replace::<T>(var, row, rows, updates), else {
                bail!(Internal, "rows of type {} cannot be replaced", dtype.name())
            }),
            RowUpdate::Combine(f) if dtype == DType::Bool => combine_bools(f, var, row, rows, updates),
            RowUpdate::Combine(f) => dispatch!(dtype, T in number, combine::<T>(f, var, row, rows, updates), else {
                bail!(Internal, "rows of type {} cannot be combined", dtype.name())
            }),
        }
    }
}

fn replace<T: Scalar>(var: &mut Tensor, row: usize, rows: &[usize], updates: &Updates<'_>) -> Result<()> {
    let (to, from) = (var.slice_mut::<T>()?, updates.values.slice::<T>()?);
    for (i, &r) in rows.iter().enumerate() {
        let to = &mut to[r * row..(r + 1) * row];
        if updates.is_scalar {
            to.fill(from[0]);
        } else {
            to.copy_from_slice(&from[i * row..(i + 1) * row]);
        }
    }
    Ok(())
}

fn replace_strings(var: &mut Tensor, row: usize, rows: &[usize], updates: &Updates<'_>) -> Result<()> {
    let (to, from) = (var.strings_mut()?, updates.values.strings()?);
    for (i, &r) in rows.iter().enumerate() {
        let to = &mut to[r * row..(r + 1) * row];
        if updates.is_scalar {
            to.fill(from[0].clone());
        } else {
            to.clone_from_slice(&from[i * row..(i + 1) * row]);
        }
    }
    Ok(())
}

fn combine<T: Scalar + Element>(
    f: Binary,
    var: &mut Tensor,
    row: usize,
    rows: &[usize],
    updates: &Updates<'_>,
) -> Result<()> {
    let from = updates.values.slice::<T>()?;
    let divides = f == Binary::Div && T::DTYPE.is_integer();
    ensure!(!(divides && has_zero(from)), InvalidArgument, "Integer division by zero");
    let to = var.slice_mut::<T>()?;
    for (i, &r) in rows.iter().enumerate() {
        let update =
            if updates.is_scalar { Operand::Scalar(from[0]) } else { Operand::Slice(&from[i * row..(i + 1) * row]) };
        binary_in_place_left(f, &mut to[r * row..(r + 1) * row], update);
    }
    Ok(())
}

/// Returns the sum or difference of booleans, which TF 1.x computes as numbers; `None` for other functions.
fn logical(f: Binary) -> Option<fn(bool, bool) -> bool> {
    match f {
        Binary::Add => Some(|a, b| a | b),
        Binary::Sub => Some(|a, b| a != b),
        _ => None,
    }
}

fn combine_bools(f: Binary, var: &mut Tensor, row: usize, rows: &[usize], updates: &Updates<'_>) -> Result<()> {
    let Some(f) = logical(f) else { bail!(Internal, "rows of type bool cannot be combined") };
    let (to, from) = (var.slice_mut::<bool>()?, updates.values.slice::<bool>()?);
    for (i, &r) in rows.iter().enumerate() {
        for (k, to) in to[r * row..(r + 1) * row].iter_mut().enumerate() {
            *to = f(*to, from[if updates.is_scalar { 0 } else { i * row + k }]);
        }
    }
    Ok(())
}

/// Returns `[2,0]`: the place of flat position `i` in a tensor of these dimensions; nothing for a scalar.
pub(super) fn place(dims: &[usize], i: usize) -> String {
    if dims.is_empty() {
        return String::new();
    }
    let mut rest = i;
    let mut at = vec![String::new(); dims.len()];
    for (at, &d) in at.iter_mut().zip(dims).rev() {
        *at = (rest % d.max(1)).to_string();
        rest /= d.max(1);
    }
    format!("[{}]", at.join(","))
}
