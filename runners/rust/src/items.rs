//! Lists whose items are made of others one by one, each of which may be an error.

use crate::Result;

/// The results of `of` for each item; items are references, or values that may be taken apart. `collect`
/// would not know how many there are, since each may be an error, and would put items taken apart in the
/// place of others, which may be larger.
pub fn all<I, T>(items: I, of: impl Fn(I::Item) -> Result<T>) -> Result<Vec<T>>
where
    I: IntoIterator<IntoIter: ExactSizeIterator>,
{
    let items = items.into_iter();
    let mut made = Vec::with_capacity(items.len());
    for item in items {
        made.push(of(item)?);
    }
    Ok(made)
}

/// The array with these items; an error where it has not as many.
pub fn array<T, const N: usize>(items: Vec<T>) -> Result<[T; N]> {
    items.try_into().map_err(|items: Vec<T>| format!("there are {} items, expected {N}", items.len()).into())
}
