//! What an input of a package has to be, in words and checked.

use crate::bridge::ffi;
use std::fmt;
use torchop_runtime::{DType, Device, DeviceType, Error, Result, Tensor, host};

/// An input of a package as its user declares it: `ids: int64[batch, length]`.
///
/// After the name and the dtype stand the sizes, in brackets: a number; a name, which stands for the same size wherever it is; a number
/// times a name (`2*batch`). The first use of a name may bound it, as the export did: `batch=1..=64`. After the brackets may stand
/// `channels_last` (else the tensor is contiguous) and `cpu` or `cuda` (else the model's device).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// Its name, for messages and [`Model::run_named`](crate::Model::run_named).
    pub name: String,
    /// Its dtype.
    pub dtype: DType,
    /// Its sizes.
    pub sizes: Vec<Dimension>,
    /// Whether it is dense in the order of `channels_last` (4 dimensions) or `channels_last_3d` (5).
    pub channels_last: bool,
    /// Where it is.
    pub device: DeviceType,
    /// The same, by torch's number.
    pub(crate) device_code: i8,
}

/// One size of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// Always this.
    Fixed(i64),
    /// A multiple of a size that has a name.
    Named {
        /// Which of the model's names.
        symbol: usize,
        /// By what it is multiplied; 1 for the size itself.
        factor: i64,
    },
}

/// A size with a name, and the least and largest that it may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Symbol {
    pub(crate) name: String,
    pub(crate) least: i64,
    pub(crate) most: i64,
}

/// All inputs of a model.
#[derive(Debug)]
pub(crate) struct Inputs {
    pub(crate) list: Vec<Input>,
    pub(crate) symbols: Vec<Symbol>,
}

impl Inputs {
    /// An error says which input is not as declared, and what it is.
    pub(crate) fn check(&self, given: &[&Tensor]) -> Result<()> {
        if given.len() != self.list.len() {
            let names: Vec<&str> = self.list.iter().map(|input| input.name.as_str()).collect();
            return Err(Error::type_error(format!(
                "expected {} inputs ({}), got {}",
                self.list.len(),
                names.join(", "),
                given.len()
            )));
        }
        let mut few = [None; 8];
        let mut many = Vec::new();
        let bound = if self.symbols.len() <= few.len() {
            &mut few[..self.symbols.len()]
        } else {
            many.resize(self.symbols.len(), None);
            &mut many[..]
        };
        let (mut room, mut large) = ([0; 8], Vec::new());
        for (index, (input, tensor)) in self.list.iter().zip(given).enumerate() {
            let (mut facts, rank) = ([0; 6], input.sizes.len());
            let sizes = if rank <= room.len() {
                &mut room[..rank]
            } else {
                large.resize(rank, 0);
                &mut large[..]
            };
            // SAFETY: there is room for as many sizes as are said.
            unsafe { ffi::tensor_facts(host::handle(tensor), sizes.as_mut_ptr(), rank, &mut facts) };
            let [plain, dtype, device, found_rank, contiguous, channels_last] = facts;
            if plain == 0 {
                return Err(self.wrong(index, "a strided tensor with memory of its own", "another"));
            }
            if dtype != i64::from(input.dtype.code()) {
                return Err(Error::type_error(self.text(index, &input.dtype, &tensor.dtype()?)));
            }
            if device != i64::from(input.device_code) {
                return Err(self.wrong(index, Device { kind: input.device, index: None }, tensor.device()?));
            }
            if found_rank != rank as i64 {
                let found = format!("{found_rank} (sizes {:?})", &tensor.sizes()?[..]);
                return Err(self.wrong(index, format!("{rank} dimensions"), found));
            }
            for (position, (declared, &size)) in input.sizes.iter().zip(sizes.iter()).enumerate() {
                self.check_size(index, position, declared, size, bound)?;
            }
            if (if input.channels_last { channels_last } else { contiguous }) == 0 {
                let (order, write) = match input.channels_last {
                    true => ("a channels_last tensor", "copy it into that order"),
                    false => ("a contiguous tensor", "write `.contiguous()?`"),
                };
                return Err(self.wrong(index, order, format!("strides {:?}; {write}", &tensor.strides()?[..])));
            }
        }
        Ok(())
    }

    fn check_size(
        &self,
        index: usize,
        position: usize,
        declared: &Dimension,
        size: i64,
        bound: &mut [Option<(i64, usize)>],
    ) -> Result<()> {
        let place = |what: String| self.wrong(index, what, size);
        match *declared {
            Dimension::Fixed(fixed) if fixed == size => Ok(()),
            Dimension::Fixed(fixed) => Err(place(format!("size {fixed} in dimension {position}"))),
            Dimension::Named { symbol, factor } => {
                let Symbol { name, least, most } = &self.symbols[symbol];
                if size % factor != 0 {
                    return Err(place(format!("a multiple of {factor} in dimension {position}")));
                }
                let value = size / factor;
                match bound[symbol] {
                    Some((before, _)) if before == value => Ok(()),
                    Some((before, first)) => Err(place(format!(
                        "size {} in dimension {position} (`{name}` is {before} by input `{}`)",
                        before.saturating_mul(factor),
                        self.list[first].name
                    ))),
                    None if (*least..=*most).contains(&value) => {
                        bound[symbol] = Some((value, index));
                        Ok(())
                    }
                    None => Err(place(format!("`{name}` in {least}..={most} in dimension {position}"))),
                }
            }
        }
    }

    fn wrong(&self, index: usize, expected: impl fmt::Display, found: impl fmt::Display) -> Error {
        Error::value(self.text(index, &expected, &found))
    }

    fn text(&self, index: usize, expected: &dyn fmt::Display, found: &dyn fmt::Display) -> String {
        format!("input `{}` (position {index}): expected {expected}, got {found}", self.list[index].name)
    }

    /// The position of the input of that name.
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.list.iter().position(|input| input.name == name)
    }
}
