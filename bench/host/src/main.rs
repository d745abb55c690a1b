//! torchop-bench-host LIBRARY MODEL.pt2 INPUT ROUNDS SIZE…: milliseconds to load the library and the package, then the smallest time of a
//! run among blocks of a hundred, in nanoseconds.

use std::time::Instant;
use torchop::aoti::{Model, load_library};
use torchop::prelude::*;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, library, model, input, rounds, sizes @ ..] = arguments.as_slice() else {
        return Err(Error::value("usage: torchop-bench-host LIBRARY MODEL.pt2 INPUT ROUNDS SIZE…"));
    };
    let start = Instant::now();
    load_library(library)?;
    // SAFETY: bench/packages.py exported the model with that input.
    let model = unsafe { Model::load(model, &[input])? };
    let loaded = start.elapsed();

    let sizes = sizes.iter().map(|size| size.parse()).collect::<Result<Vec<i64>, _>>()?;
    let x = Tensor::full(&sizes, 1.0, DType::Float32)?;
    let (rounds, mut smallest) = (rounds.parse::<usize>()?, f64::INFINITY);
    for _ in 0..rounds {
        let start = Instant::now();
        for _ in 0..100 {
            drop(model.run(&[&x])?);
        }
        smallest = smallest.min(start.elapsed().as_secs_f64() * 1e9 / 100.0);
    }
    println!("{} {smallest}", loaded.as_secs_f64() * 1e3);
    Ok(())
}
