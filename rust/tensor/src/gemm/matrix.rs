//! `MatRef`, a checked view of a matrix with any strides.

use crate::status::{Result, Status};

/// A matrix inside a slice: element `(i, j)` is `data[i * row_stride + j * col_stride]`.
#[derive(Clone, Copy, Debug)]
pub struct MatRef<'a, T> {
    data: &'a [T],
    rows: usize,
    cols: usize,
    row_stride: usize,
    col_stride: usize,
}

impl<'a, T> MatRef<'a, T> {
    /// Returns a `rows x cols` view of `data` with the given strides, in elements.
    ///
    /// # Errors
    /// `InvalidArgument` when an element of the view lies outside `data`.
    pub fn new(data: &'a [T], rows: usize, cols: usize, row_stride: usize, col_stride: usize) -> Result<MatRef<'a, T>> {
        let fits = rows == 0
            || cols == 0
            || (rows - 1)
                .checked_mul(row_stride)
                .zip((cols - 1).checked_mul(col_stride))
                .and_then(|(down, right)| down.checked_add(right))
                .is_some_and(|last| last < data.len());
        if fits {
            Ok(MatRef { data, rows, cols, row_stride, col_stride })
        } else {
            Err(Status::invalid_argument(format!(
                "a {rows} x {cols} matrix with strides {row_stride} and {col_stride} does not fit in {} elements",
                data.len()
            )))
        }
    }

    /// Returns a `rows x cols` view of `data` stored row by row.
    ///
    /// # Errors
    /// `InvalidArgument` when `data` is shorter than the matrix.
    pub fn row_major(data: &'a [T], rows: usize, cols: usize) -> Result<MatRef<'a, T>> {
        MatRef::new(data, rows, cols, cols, 1)
    }

    /// Returns the same elements with rows and columns exchanged.
    pub fn transposed(self) -> MatRef<'a, T> {
        MatRef {
            data: self.data,
            rows: self.cols,
            cols: self.rows,
            row_stride: self.col_stride,
            col_stride: self.row_stride,
        }
    }

    /// Returns `rows` rows from row `first` on.
    ///
    /// # Errors
    /// `InvalidArgument` when the matrix has fewer.
    pub fn row_range(self, first: usize, rows: usize) -> Result<MatRef<'a, T>> {
        if first > self.rows || rows > self.rows - first {
            return Err(Status::invalid_argument(format!("{} rows have no {rows} from {first} on", self.rows)));
        }
        // No element of an empty matrix is read, so its address does not matter.
        let data = self.data.get(first.saturating_mul(self.row_stride)..).unwrap_or_default();
        Ok(MatRef { data, rows, ..self })
    }

    /// Returns `cols` columns from column `first` on.
    ///
    /// # Errors
    /// As for rows.
    pub fn column_range(self, first: usize, cols: usize) -> Result<MatRef<'a, T>> {
        Ok(self.transposed().row_range(first, cols)?.transposed())
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Returns the distance between an element and the one below it, in elements.
    pub fn row_stride(&self) -> usize {
        self.row_stride
    }

    /// Returns the distance between an element and the one to its right, in elements.
    pub fn col_stride(&self) -> usize {
        self.col_stride
    }

    /// Returns the slice of which this is a view.
    pub(super) fn data(&self) -> &'a [T] {
        self.data
    }

    /// Returns the address of element `(0, 0)`.
    pub(super) fn as_ptr(&self) -> *const T {
        self.data.as_ptr()
    }

    /// Returns the element `(row, col)`. The caller makes sure that it is inside the matrix.
    pub(super) fn at(&self, row: usize, col: usize) -> T
    where
        T: Copy,
    {
        self.data[row * self.row_stride + col * self.col_stride]
    }

    /// Returns the elements of a row, where the columns lie side by side.
    pub(super) fn row(&self, row: usize) -> Option<&'a [T]> {
        if self.col_stride == 1 {
            self.data.get(row * self.row_stride..row * self.row_stride + self.cols)
        } else {
            None
        }
    }
}

/// Checks that `a` times `b` has `len` elements.
pub(super) fn check<T>(a: &MatRef<'_, T>, b: &MatRef<'_, T>, len: usize) -> Result<()> {
    check_sizes([a.rows, a.cols], [b.rows, b.cols], len)
}

/// Checks that a product of matrices of these rows and columns has `len` elements.
pub(super) fn check_sizes(a: [usize; 2], b: [usize; 2], len: usize) -> Result<()> {
    if a[1] != b[0] {
        return Err(Status::invalid_argument(format!(
            "Matrix size-incompatible: In[0]: [{},{}], In[1]: [{},{}]",
            a[0], a[1], b[0], b[1]
        )));
    }
    if a[0].checked_mul(b[1]) != Some(len) {
        return Err(Status::invalid_argument(format!(
            "the product has {} x {} elements, the output {len}",
            a[0], b[1]
        )));
    }
    Ok(())
}
