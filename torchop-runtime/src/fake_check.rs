//! Whether an operator's fake says what its kernel does.

use crate::convert::{PutAll, know_layout};
use crate::error::{Error, OrTorch, Result};
use crate::hidden::{Role, hidden_name};
use torchop_sys::ffi;

/// Calls the operator `ns::name` or `ns::name.overload` with the arguments as given and with their tensors in other layouts
/// (contiguous, transposed, channels_last, expanded, sliced, zero-size, 0-dim, one element; all tensors, then each alone), calls
/// its fake likewise, and compares sizes, strides, storage offsets, dtypes and devices of the results.
///
/// Returns the names of the layouts that were compared; one that the kernel refuses is left out. It takes no Python, so it
/// belongs into a test:
///
/// ```ignore
/// #[test]
/// fn fakes() -> Result<()> {
///     torchop::check::fake_agrees("my_ops::scale", (&ones(&[2, 3, 4, 5])?, 2.0)).map(|_| ())
/// }
/// ```
///
/// # Errors
/// What differs, all of it; what the kernel says of the arguments as given.
#[track_caller]
pub fn fake_agrees(op: &str, arguments: impl PutAll) -> Result<Vec<String>> {
    know_layout()?;
    let mut arguments = arguments.put_all()?;
    let (mut compared, mut problems) = (Vec::new(), Vec::new());
    // SAFETY: the arguments are live and ours; they are moved out and hold None afterwards.
    unsafe {
        ffi::check_fake(op, &open_fake_of(op), arguments.as_mut_ptr(), arguments.len(), &mut compared, &mut problems)
    }
    .or_torch()?;
    if problems.is_empty() {
        return Ok(compared);
    }
    Err(Error::runtime(format!("the fake of {op} does not say what its kernel does:\n{}", problems.join("\n"))))
}

/// The hidden operator behind a fake that Python calls, with its namespace; `op` is `ns::name` or `ns::name.overload`.
pub(crate) fn open_fake_of(op: &str) -> String {
    let (namespace, rest) = op.split_once("::").unwrap_or(("", op));
    let (name, overload) = rest.split_once('.').unwrap_or((rest, ""));
    format!("{namespace}::{}", hidden_name(Role::OpenFake, name, overload))
}
