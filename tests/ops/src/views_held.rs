//! Views that are held: many at once, dropped in any order, on other threads, or never.

use crate::calls::{in_python, ones};
use torchop::prelude::*;
use torchop::{View, ViewMut};

enum Held<'a> {
    Reads(View<'a, f32>),
    Writes(ViewMut<'a, f32>),
}

impl Held<'_> {
    fn first(&self) -> f32 {
        let first = match self {
            Held::Reads(view) => view.first(),
            Held::Writes(view) => view.first(),
        };
        first.copied().unwrap_or_default()
    }
}

/// Has views of all tensors, then drops them in this order, each on a thread of its own if `elsewhere`; before the first and
/// after each, Python is called with as many ones as views live. The sum of their first elements.
#[torch_op(
    schema = "test_views::holds(Tensor[] reads, Tensor(a!)[] writes, int[] order, bool elsewhere=False) -> Tensor",
    cpu
)]
fn holds(reads: Vec<&Tensor>, writes: &mut [Tensor], order: Vec<i64>, elsewhere: bool) -> Result<Tensor> {
    let mut held = Vec::new();
    for x in reads {
        held.push(Some(Held::Reads(x.view::<f32>()?)));
    }
    for x in writes {
        held.push(Some(Held::Writes(x.view_mut::<f32>()?)));
    }
    let mut sum = 0.0_f32;
    in_python(&ones(&[held.len() as i64])?)?;
    for (done, index) in order.iter().enumerate() {
        let view = held.get_mut(*index as usize).and_then(Option::take).ok_or_else(|| Error::index("no such view"))?;
        sum += view.first();
        if elsewhere {
            std::thread::scope(|scope| scope.spawn(move || drop(view)).join())
                .map_err(|_| Error::runtime("panicked"))?;
        } else {
            drop(view);
        }
        in_python(&ones(&[(held.len() - done - 1) as i64])?)?;
    }
    Tensor::from_vec(vec![sum], &[])
}

/// Looks at the tensor for ever.
#[torch_op(schema = "test_views::forgets(Tensor x) -> ()", cpu)]
fn forgets(x: &Tensor) -> Result<()> {
    std::mem::forget(x.view::<f32>()?);
    Ok(())
}

/// Asks for the elements in one of the ways that there are, and lets go of them. The tensor is as the caller has it.
#[torch_op(schema = "test_views::tries(Tensor(a!) x, int way) -> ()", composite)]
fn tries(x: &mut Tensor, way: i64) -> Result<()> {
    match way {
        0 => drop(x.view::<f32>()?),
        1 => drop(x.view_nd::<f32, 1>()?),
        2 => drop(x.as_slice::<f32>()?),
        3 => drop(x.view_mut::<f32>()?),
        4 => drop(x.view_mut_nd::<f32, 1>()?),
        5 => drop(x.as_slice_mut::<f32>()?),
        6 => drop(x.view::<bool>()?),
        7 => drop(x.view_mut::<bool>()?),
        _ => return Err(Error::value("no such way")),
    }
    Ok(())
}
