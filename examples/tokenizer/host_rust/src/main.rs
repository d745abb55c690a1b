//! text_host MODEL.pt2 TEXT: from the bytes of a text to logits, without Python. The tokenizer is linked in; its vocabulary is in the package.

use text_ops as _;
use torchop::aoti::Model;
use torchop::prelude::*;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let (Some(model), Some(text)) = (arguments.next(), arguments.next()) else {
        return Err(Error::value("usage: text_host MODEL.pt2 TEXT"));
    };
    // SAFETY: the model was exported with such an input.
    let model = unsafe { Model::load(model, &["text: uint8[bytes=1..=4096]"])? };
    let length = text.len() as i64;
    let logits = model.run(&[&Tensor::from_vec(text.into_bytes(), &[length])?])?.remove(0);
    logits.as_slice::<f32>()?.iter().for_each(|logit| println!("{logit}"));
    Ok(())
}
