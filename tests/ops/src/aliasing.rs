//! Results that share memory with what is not theirs, and results that only seem to.

use std::sync::Mutex;
use torchop::prelude::*;

/// Its own argument, a view of it, or a new tensor, by `how`.
#[torch_op(schema = "test_ops::alias(Tensor x, str how) -> Tensor", cpu)]
fn alias(x: &Tensor, how: &str) -> Result<Tensor> {
    match how {
        "input" => Ok(x.clone()),
        "view" => x.reshape(&[-1]),
        "fresh" => x.deep_clone(),
        "view of fresh" => x.deep_clone()?.reshape(&[-1]),
        "kept" => {
            static KEPT: Mutex<Vec<Tensor>> = Mutex::new(Vec::new());
            let made = x.deep_clone()?;
            if let Ok(mut kept) = KEPT.lock() {
                kept.push(made.clone());
            }
            Ok(made)
        }
        other => Err(Error::value(format!("no way to alias named {other:?}"))),
    }
}

#[torch_op(fake_of = alias)]
fn alias_fake(x: &FakeTensor, how: &str) -> Result<FakeTensor> {
    if how.starts_with("view") { x.new_empty(&[x.sym_numel()?]) } else { x.empty_like() }
}

/// The same new tensor twice.
#[torch_op(schema = "test_ops::alias_pair(Tensor x) -> (Tensor, Tensor)", cpu)]
fn alias_pair(x: &Tensor) -> Result<(Tensor, Tensor)> {
    let made = x.deep_clone()?;
    Ok((made.clone(), made))
}

/// A list of its own arguments, or of copies.
#[torch_op(schema = "test_ops::alias_list(Tensor[] xs, bool copy) -> Tensor[]", cpu)]
fn alias_list(xs: List<'_, &Tensor>, copy: bool) -> Result<Vec<Tensor>> {
    xs.iter().map(|x| if copy { x.deep_clone() } else { Ok(x.clone()) }).collect()
}
