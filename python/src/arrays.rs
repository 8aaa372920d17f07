//! Arrays from Python, and to it.

use numpy::{PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::prelude::*;

use crate::errors::refused;

/// Rows of `N` numbers of a contiguous array, whatever its leading dimensions.
pub(crate) fn rows<T: numpy::Element + Copy, const N: usize>(
    name: &str,
    array: &PyReadonlyArrayDyn<'_, T>,
) -> PyResult<Vec<[T; N]>> {
    let shape = array.shape().to_vec();
    if shape.last() != Some(&N) {
        return Err(refused("Shape", format!("{name}: the last axis must have {N} numbers; the shape is {shape:?}")));
    }
    let (rows, _) = flat(name, array)?.as_chunks::<N>();
    Ok(rows.to_vec())
}

/// The numbers of a contiguous array.
pub(crate) fn flat<'a, T: numpy::Element>(name: &str, array: &'a PyReadonlyArrayDyn<'_, T>) -> PyResult<&'a [T]> {
    array.as_slice().map_err(|_| refused("Layout", format!("{name}: the array must be C-contiguous")))
}
